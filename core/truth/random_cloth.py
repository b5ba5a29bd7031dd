"""Sheets of random cloth that fall on each other among colliders that hit them: none goes through.

A scene is drawn from a seed: two to four sheets, flat or folded, some pinned and waved about, from
six centimetres to four metres, of any thickness, bend and friction, on a floor; up to two balls or
boxes that come down at up to twenty metres a second; 240 to 960 substeps a second.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..arrays import Floats
from ..bench.cloth_scenes import folded, sheet
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, SolverSettings
from ..stages.surfaces import crossings_at_start
from ..step import advance
from .case import Result, case
from .crossings import count_crossings
from .random_scenes import RandomScene
from .random_settings import Random

LENGTH_OF_RANDOM = 48
"""Frames that a scene is followed."""

LOOKS = 6
"""Frames after which it is looked what intersects."""

UNEVENNESS_LENGTH = 1e-9
"""m by which places are taken to be elsewhere then: in one plane, rounding would tell."""


def random_cloth(seed: int) -> RandomScene:
    """Draw a scene; the same seed always gives the same one."""
    random = np.random.default_rng(seed)
    size = 10.0 ** random.uniform(-1.0, 0.7)  # m
    builder = ModelBuilder()
    for number in range(int(random.integers(2, 5))):
        _add_sheet(builder, random, number, size)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    starts = [_add_collider(builder, random, number, size) for number in range(random.integers(3))]
    speeds = [size * random.uniform((-1.0, -1.0, -4.0), (1.0, 1.0, -0.5)) for _ in starts]
    lowest = size * random.uniform(0.0, 0.4, len(starts))  # m
    model = builder.finalize()
    pins = model.initial_state().pin_position
    wave = size * random.uniform(-0.6, 0.6, 3) * (random.random() < 0.5)

    def inputs(frame: int) -> FrameInputs:
        time = frame / 24.0
        places = [np.zeros(3)]
        for start, speed, low in zip(starts, speeds, lowest):
            place = start + time * speed
            places.append(np.array([place[0], place[1], max(place[2], low)]))
        return FrameInputs(
            collider_position=np.array(places),
            pin_position=pins + wave * math.sin(2.0 * time) if len(pins) else None,
        )

    rate = float(random.choice([240, 480, 480, 960]))
    return RandomScene(model, inputs, SolverSettings(substep_rate=rate))


def _add_sheet(builder: ModelBuilder, random: Random, number: int, size: float) -> None:
    n = int(random.integers(5, 13))
    width, depth = size * random.uniform(0.3, 0.8, 2)
    is_folded = random.random() < 0.4
    p, quads = folded(width, depth, n, 0.08 * width) if is_folded else sheet(n, n, width, depth)
    if random.random() < 0.4:
        p = p @ np.linalg.qr(random.normal(size=(3, 3)))[0]
    p += (*(size * random.uniform(-0.15, 0.15, 2)), size * (0.15 + 0.35 * number))
    pins = np.zeros(len(p))
    if random.random() < 0.3:
        pins[random.permutation(len(p))[: random.integers(1, 4)]] = 1.0
    settings = ClothSettings(
        meets_itself=True,
        bend=random.uniform(0.0, 0.9),
        thickness=random.uniform(0.02, 0.25),
        friction=random.uniform(0.0, 1.0),
        bend_model=str(random.choice(["SUPPORT", "DIHEDRAL"])),
    )
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    mesh = Geometry.of(f"sheet {number}", p, (), offsets, quads.reshape(-1))
    add_cloth(builder, mesh, settings, pin_weight=pins)


def _add_collider(builder: ModelBuilder, random: Random, number: int, size: float) -> Floats:
    """A ball or a box above all sheets; where it is, m."""
    place: Floats = size * np.array([*random.uniform(-0.4, 0.4, 2), 2.0 + 0.5 * number])
    half = size * random.uniform(0.05, 0.2, 3)
    kind = str(random.choice(["SPHERE", "BOX"]))
    size_of_it = (half[0],) if kind == "SPHERE" else tuple(half)
    builder.add_collider(f"above {number}", kind, size_of_it, tuple(place))
    return place


def pairs_gone_through(seed: int) -> int:
    """Most pairs of triangles that intersect in a scene; in the end, where some do at the start."""
    scene = random_cloth(seed)
    begins_apart = not crossings_at_start(scene.model)
    state, most, now = scene.model.initial_state(), 0, 0
    off = UNEVENNESS_LENGTH * np.random.default_rng(seed).normal(size=state.position.shape)
    for frame in range(1, LENGTH_OF_RANDOM + 1):
        state, _ = advance(scene.model, state, scene.inputs(frame), scene.settings)
        if frame % LOOKS == 0:
            now = count_crossings(state.position + off, scene.model.pieces.triangle)
            most = max(most, now)
    return most if begins_apart else now


def seeds_gone_through(seeds: Iterable[int]) -> list[int]:
    """Those of some scenes in which cloth goes through cloth."""
    return [seed for seed in seeds if pairs_gone_through(seed)]


@case("random-cloth")
def _random_cloth() -> Result:
    """In how many of the first forty scenes cloth goes through cloth."""
    return Result(float(len(seeds_gone_through(range(40)))), 0.0, 0.0)


@case("random-cloth-shut-fan")
def _shut_fan() -> Result:
    """In how many of two more it does, in which a triangle between patches that are flat turns."""
    return Result(float(len(seeds_gone_through((59, 76)))), 0.0, 0.0)
