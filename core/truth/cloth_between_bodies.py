"""Cloth between rigid bodies that all move: none goes through, and nobody sinks or creeps.

Towers of crates on a floor with sheets between them, light on heavy and heavy on light.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from ..bench.cloth_scenes import MEETS_ITSELF, add_quads, sheet
from ..bench.tower_scenes import Tower, built
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..settings import SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import CASES, Result
from .layers_on_bodies import MOST_SUNK, pairs_with_bodies
from .mixed import angular_momenta_of_all, momenta_of_all

STANDING = 84
STILL_FOR = 12
"""Frames at the end over which is measured how fast crates move."""

COUNTED_EVERY = 4
"""Frames after which pairs are counted."""

MOST_CREEP = 0.002  # m/s


@dataclass(frozen=True)
class Played:
    """What a tower does."""

    pairs: int  # most that intersect at once
    sunk: float  # m, that any crate lies lower or higher than it should at most
    speed: float  # m/s, of the fastest crate while it should lie still


@cache
def played(tower: Tower) -> Played:
    """Let a tower stand."""
    model, heights = built(tower)
    state = model.initial_state()
    pairs, speed = 0, 0.0
    for frame in range(1, STANDING + 1):
        before = state.body_position
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        if frame % COUNTED_EVERY == 0:
            pairs = max(pairs, pairs_with_bodies(model, state))
        if frame > STANDING - STILL_FOR:
            way = np.linalg.norm(state.body_position - before, axis=1).max()
            speed = max(speed, float(way) * 24.0)
    sunk = np.abs(state.body_position[:, 2] - heights).max()
    return Played(pairs, float(sunk), speed)


def _check(tower: Tower, what: str, most: float) -> Result:
    return Result(float(getattr(played(tower), what)), 0.0, most)


TOWERS = {
    "two": Tower((0.15, 0.12), (8.0, 4.0)),
    "heavy-on-light": Tower((0.13, 0.13), (5.0, 300.0), turn=0.5),
    "four-layers": Tower((0.14, 0.1), (10.0, 6.0), layers=4, aside=0.01),
    "three": Tower((0.16, 0.13, 0.11), (3.0, 20.0, 5.0), aside=0.015),
    "five": Tower((0.15,) * 5, (6.0,) * 5, aside=0.01, turn=0.1, vertices=6),
}

for _name, _tower in TOWERS.items():
    for _what, _most in (("pairs", 0.0), ("sunk", MOST_SUNK), ("speed", MOST_CREEP)):
        CASES[f"cloth-between-{_name}-{_what}"] = partial(_check, _tower, _what, _most)


@dataclass(frozen=True)
class Slide:
    """A crate that is pushed off on a sheet, which lies on a board that is free to move on ice."""

    cloth: float  # friction of each
    crate: float
    board: float
    speed: float  # m/s
    yaw: float  # rad

    @property
    def friction(self) -> float:
        """Of the side that slides."""
        return math.sqrt(self.cloth * min(self.crate, self.board))

    @property
    def way(self) -> float:
        """How far m the crate comes along the board, by Coulomb."""
        return self.speed**2 / (2.0 * self.friction * GRAVITY * (1.0 + CRATE_MASS / BOARD_MASS))


CRATE_MASS, BOARD_MASS = 6.0, 40.0  # kg
LAID_FOR, SLIDING_FOR = 16, 30  # frames


@cache
def _slid(slide: Slide) -> tuple[float, float]:
    """How far m the crate has come along the board; what share of the momentum is left."""
    builder, yaw = ModelBuilder(), slide.yaw
    turn = (math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw))
    along = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    builder.add_collider("ice", "PLANE", (), (0.0, 0.0, 0.0), friction=0.0)
    size, at = (0.6, 0.6, 0.05), (0.0, 0.0, 0.05)
    builder.add_body("board", "BOX", size, at, turn, mass=BOARD_MASS, friction=slide.board)
    p, quads = sheet(22, 22, 1.05, 1.05)
    settings = replace(MEETS_ITSELF, friction=slide.cloth, drag=0.0)
    add_quads(builder, p + (0.0, 0.0, 0.107), quads, settings)
    place = tuple(-0.25 * along + (0.0, 0.0, 0.212))
    size = (0.1, 0.08, 0.1)
    builder.add_body("crate", "BOX", size, place, turn, mass=CRATE_MASS, friction=slide.crate)
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(LAID_FOR):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    state.body_previous[1] -= slide.speed * state.step * along
    state.body_rest[:] = state.rest.time[:] = 0.0
    start = state.body_position[1] - state.body_position[0]
    for _ in range(SLIDING_FOR):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    way = float((state.body_position[1] - state.body_position[0] - start) @ along)
    momentum = momenta_of_all(model, state).sum(axis=0) @ along
    return way, float(momentum / (CRATE_MASS * slide.speed))


def _way(slide: Slide) -> Result:
    return Result(_slid(slide)[0], slide.way, 0.01 * slide.way)


def _kept(slide: Slide) -> Result:
    return Result(_slid(slide)[1], 1.0, 1e-4)


for _name, _slide in (
    ("over-cloth", Slide(0.1, 0.3, 0.9, 1.0, 0.0)),
    ("askew", Slide(0.5, 0.1, 0.9, 0.9, 0.6)),
    ("evenly", Slide(0.3, 0.3, 0.3, 1.0, 0.3)),
):
    CASES[f"cloth-between-slides-{_name}"] = partial(_way, _slide)
    CASES[f"cloth-between-slides-{_name}-momentum"] = partial(_kept, _slide)


def _squeezed(tilt: float, spin: float) -> Result:
    """What two boxes that meet in a sheet in mid-air gain in angular momentum with it, as a share.

    NaN where they never had cloth between them.
    """
    builder = ModelBuilder()
    turned = (math.cos(0.5 * tilt), math.sin(0.5 * tilt), 0.0, 0.0)
    box = ("BOX", (0.15, 0.12, 0.1))
    builder.add_body("lower", *box, (0.0, 0.0, -0.2), mass=3.0, velocity=(0.0, 0.0, 0.8))
    builder.add_body(
        "upper",
        *box,
        (0.02, 0.0, 0.2),
        turned,
        mass=8.0,
        velocity=(0.1, 0.0, -1.2),
        angular_velocity=(0.0, 0.2 * spin, spin),
    )
    p, quads = sheet(14, 14, 0.5, 0.5)
    add_quads(builder, p, quads, replace(MEETS_ITSELF, drag=0.0))
    model, still = builder.finalize(), FrameInputs(gravity=(0.0, 0.0, 0.0))
    state = model.initial_state(gravity=still.gravity)
    before, most, has_met = angular_momenta_of_all(model, state), 0.0, False
    for _ in range(24):
        state, _ = advance(model, state, still, SolverSettings())
        has_met |= len(state.cushions.key) > 0
        gained = (angular_momenta_of_all(model, state) - before).sum(axis=0)
        most = max(most, float(np.abs(gained).max() / np.abs(before).sum()))
    return Result(most if has_met else np.nan, 0.0, 1e-9)


CASES["cloth-between-boxes-in-mid-air"] = partial(_squeezed, 0.3, 1.0)
