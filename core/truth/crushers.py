"""A lid presses bodies into less room than they need: they overlap, and none of them flies.

A block of n³ bodies lies between four walls; the lid comes down on it until a quarter of the height
is left. No impulses can part them all, so those that contacts remember grow for as long as it lasts
(`tempered_memory`, `conjugate_contacts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..settings import SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import CASES, Result

FRAMES_OF_PRESS = 48
"""In which the lid comes down, at an even speed; it stays there for half as long."""

HEIGHT_LEFT = 0.25
"""Of what the block stands in."""

SHAPE_SIZES = {"BOX": (0.4, 0.4, 0.4), "SPHERE": (0.4,), "CYLINDER": (0.4, 0.2)}
"""Of bodies, by their distance in the block."""


@dataclass(frozen=True)
class Crusher:
    """What is pressed."""

    shape: str = "BOX"
    count: int = 3  # along an edge of the block
    spacing: float = 0.25  # m, of their middles
    ratio: float = 1.0  # of the largest mass to the smallest
    rate: float = 480.0  # substeps a second

    @property
    def width(self) -> float:
        """Of the block, m."""
        return self.count * self.spacing


def crusher(of: Crusher) -> Model:
    """The block, its walls and, as the last collider, the lid."""
    random = np.random.default_rng(1)
    builder, w = ModelBuilder(), of.width
    size = tuple(of.spacing * k for k in SHAPE_SIZES[of.shape])
    for at in np.ndindex((of.count,) * 3):
        x = of.spacing * (np.array(at) + 0.5) - (0.5 * w, 0.5 * w, 0.0)
        x[:2] += 0.01 * of.spacing * random.normal(size=2)
        turn = random.normal(size=4) if of.shape == "CYLINDER" else (1.0, 0.0, 0.0, 0.0)
        builder.add_body("body", of.shape, size, x, turn, mass=of.ratio ** random.random())
    builder.add_collider("floor", "BOX", (w, w, w), (0.0, 0.0, -w))
    for side in (-1.5 * w, 1.5 * w):
        builder.add_collider("wall", "BOX", (w, 2.0 * w, 2.0 * w), (side, 0.0, 0.5 * w))
        builder.add_collider("wall", "BOX", (2.0 * w, w, 2.0 * w), (0.0, side, 0.5 * w))
    builder.add_collider("lid", "BOX", (w, w, w), (0.0, 0.0, 2.1 * w))
    return builder.finalize()


def fastest_in(of: Crusher) -> float:
    """Speed of the fastest body, by that of what falls the height of the block, and of the lid."""
    model = crusher(of)
    state, most = model.initial_state(), 0.0
    down = 1.1 - HEIGHT_LEFT
    for frame in range(FRAMES_OF_PRESS * 3 // 2):
        place = model.colliders.position.copy()
        place[-1, 2] -= down * of.width * min(frame / FRAMES_OF_PRESS, 1.0)
        settings = SolverSettings(substep_rate=of.rate)
        state, _ = advance(model, state, FrameInputs(collider_position=place), settings)
        way = np.linalg.norm(state.body_position - state.body_previous, axis=1)
        most = max(most, float(way.max()) / state.step)
    lid = down * of.width * 24.0 / FRAMES_OF_PRESS
    return most / (float(np.sqrt(2.0 * GRAVITY * of.width)) + lid)


def _crushed(of: Crusher) -> Result:
    return Result(fastest_in(of), 0.0, 1.0)


_CRUSHERS = {
    "boxes": Crusher(),
    "boxes-heavy-and-light": Crusher(ratio=1000.0),
    "boxes-heavy-and-light-240": Crusher(ratio=1000.0, rate=240.0),
    "small-boxes-heavy-and-light": Crusher(ratio=1000.0, spacing=0.0125),
    "balls": Crusher("SPHERE", ratio=30.0, count=4),
    "eight-balls": Crusher("SPHERE", ratio=1000.0, count=2, spacing=1.0, rate=240.0),
    "cylinders": Crusher("CYLINDER"),
    "cylinders-heavy-and-light": Crusher("CYLINDER", ratio=30.0, spacing=0.05),
    "coins": Crusher("CYLINDER", spacing=0.0125),
    "coins-240": Crusher("CYLINDER", spacing=0.0125, rate=240.0),
    "coins-960": Crusher("CYLINDER", spacing=0.0125, rate=960.0),
}
for _name, _of in _CRUSHERS.items():
    CASES[f"crushed-{_name}"] = partial(_crushed, _of)
