"""Coins poured into a box come to rest and fall asleep.

They lie on each other's flat ends and lean on each other's rims: points of contact come and go with
every tremor, and what they carry must not go with them (`contact_making`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..settings import SolverSettings
from ..step import advance
from .case import CASES, Result

SECONDS_TO_REST = 8.0
"""In which all but a few have to be asleep."""


@dataclass(frozen=True)
class Poured:
    """What is poured."""

    radius: float  # m
    thickness: float  # by the radius
    count: int
    rate: float = 480.0  # substeps a second


def _heap(of: Poured, seed: int = 0) -> Model:
    """Coins that fall into a narrow box, one above the other."""
    random = np.random.default_rng(seed)
    r, half_width = of.radius, 2.7 * of.radius
    builder = ModelBuilder()
    builder.add_collider("floor", "BOX", (1.0, 1.0, 1.0), (0.0, 0.0, -1.0))
    for side in (-1.0 - half_width, 1.0 + half_width):
        builder.add_collider("wall", "BOX", (1.0, 2.0, 2.0), (side, 0.0, 1.0))
        builder.add_collider("wall", "BOX", (2.0, 1.0, 2.0), (0.0, side, 1.0))
    for k in range(of.count):
        place = *random.uniform(-1.5 * r, 1.5 * r, 2), r * (1.0 + 0.7 * k)
        size = r, 0.5 * of.thickness * r
        builder.add_body("coin", "CYLINDER", size, place, random.normal(size=4), mass=0.01)
    return builder.finalize()


def share_awake(of: Poured, seed: int) -> float:
    """Share of the coins that are awake after `SECONDS_TO_REST`."""
    model = _heap(of, seed)
    state = model.initial_state()
    for _ in range(round(24 * SECONDS_TO_REST)):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=of.rate))
    return float(np.mean(state.body_rest < 0.5))


def unrest(of: Poured) -> float:
    """How far coins go in a frame of the sixth second, in the median, as a share of their radius.

    They may still rock on each other's rims by then, but not be seen to.
    """
    model = _heap(of)
    state, ways = model.initial_state(), []
    for frame in range(24 * 6):
        before = state.body_position
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=of.rate))
        if frame >= 24 * 5:
            ways.append(np.linalg.norm(state.body_position - before, axis=1))
    return float(np.median(ways)) / of.radius


def _poured(of: Poured) -> Result:
    """The middle of three heaps: when the last coin has stopped rolling on another is chance."""
    return Result(sorted(share_awake(of, seed) for seed in range(3))[1], 0.0, 0.1)


_POURED = {
    "12": Poured(0.012, 0.3, 120),
    "12-960": Poured(0.012, 0.3, 120, 960.0),
    "8": Poured(0.008, 0.4, 140),
    "20": Poured(0.02, 0.25, 100),
    "20-960": Poured(0.02, 0.25, 100, 960.0),
}
_THIN_COINS = {
    "12": Poured(0.012, 0.15, 100),
    "15": Poured(0.015, 0.2, 130),
    "15-240": Poured(0.015, 0.2, 80, 240.0),
    "20": Poured(0.02, 0.1, 100),
    "100": Poured(0.1, 0.1, 60),
}
for _name, _of in _POURED.items():
    CASES[f"coins-{_name}"] = partial(_poured, _of)


def _thin(of: Poured) -> Result:
    return Result(unrest(of), 0.0, 0.01)


for _name, _of in _THIN_COINS.items():
    CASES[f"thin-coins-{_name}"] = partial(_thin, _of)
