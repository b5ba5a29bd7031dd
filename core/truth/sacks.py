"""What falls into a sack of cloth stays in it, and does not stretch it, however light the cloth.

A sack that is let go falls and lies where it fell: what is in it drives it nowhere.
"""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np

from ..bench.rigid_scenes import FPS
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, SolverSettings
from ..step import advance
from .case import Result
from .rates import RATES, at_rates

SACK_RADIUS, DEEP, HUNG_AT = 0.32, 0.75, 1.15  # m, the last one over the floor
AROUND, DOWN, BOTTOM = 40, 22, 7  # rings of so many vertices: of the wall, and of the bottom
FRAMES = 48
HANGING, LYING = 40, 60  # frames, of a sack that is let go

Filling = tuple[str, tuple[float, ...], float, int]


def _sack() -> tuple[Geometry, list[float]]:
    """A wall that hangs from a pinned rim and narrows to a bottom; how firm each is pinned."""
    inward = np.linspace(1.0, 0.0, BOTTOM + 1)[1:-1]
    radius = SACK_RADIUS * np.concatenate([np.ones(DOWN), inward])
    depth = DEEP * np.concatenate([np.linspace(0.0, 1.0, DOWN), np.full(BOTTOM - 1, 1.02)])
    turn = np.arange(AROUND) * math.tau / AROUND
    rings = len(radius)
    x, y = radius[:, None] * np.cos(turn), radius[:, None] * np.sin(turn)
    z = np.broadcast_to(HUNG_AT - depth[:, None], x.shape)
    places = np.vstack(
        [np.stack([x, y, z], axis=-1).reshape(-1, 3), [0.0, 0.0, HUNG_AT - depth[-1]]]
    )
    one, other = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    row = np.arange(rings - 1)[:, None] * AROUND
    quads = np.stack([row + one, row + AROUND + one, row + AROUND + other, row + other], axis=-1)
    middle = np.full(AROUND, len(places) - 1)
    last = np.stack([row[-1] + AROUND + one, middle, row[-1] + AROUND + other], axis=-1)
    starts = np.concatenate(
        [np.arange(0, quads.size, 4), quads.size + np.arange(0, last.size + 1, 3)]
    )
    corners = np.concatenate([quads.ravel(), last.ravel()])
    pinned = (np.arange(len(places)) < AROUND).astype(float)
    return Geometry.of("sack", places, (), starts, corners), list(pinned)


def filled_sack(
    shape: str, size: tuple[float, ...], mass: float, count: int, friction: float = 0.5
) -> Model:
    """A sack over a floor of that friction, and what will fall into it: as in ``_FILLINGS``."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0), friction=friction)
    geometry, pinned = _sack()
    add_cloth(builder, geometry, ClothSettings(meets_itself=True), pin_weight=pinned)
    for n in range(count):
        layer, slot = divmod(n, 4)
        angle = 0.5 * math.pi * slot + 0.6 * layer
        place = (0.13 * math.cos(angle), 0.13 * math.sin(angle), HUNG_AT + 0.15 + 0.19 * layer)
        turned = (math.cos(angle), 0.6 * math.sin(angle), 0.8 * math.sin(angle), 0.0)
        builder.add_body(f"{n}", shape, size, place, turned, mass=mass)
    return builder.finalize()


@cache
def _carried(setup: Filling, rate: float) -> tuple[float, float]:
    """How many have gone through the bottom or the wall; the longest that any edge ever was, over
    its length at rest.
    """
    model = filled_sack(*setup)
    state, settings = model.initial_state(), SolverSettings(substep_rate=rate)
    pair, longest = model.sticks.pair, 0.0
    for _ in range(FRAMES):
        state, _ = advance(model, state, FrameInputs(), settings)
        length = np.linalg.norm(state.position[pair[:, 0]] - state.position[pair[:, 1]], axis=1)
        longest = max(longest, float((length / model.sticks.rest_length).max()))
    bodies = state.body_position
    lowest = state.position[:, 2].min()
    is_out = (bodies[:, 2] < lowest) | (np.hypot(bodies[:, 0], bodies[:, 1]) > 1.5 * SACK_RADIUS)
    return float(is_out.sum()), longest


@cache
def _let_go(setup: Filling, friction: float, rate: float) -> tuple[float, float]:
    """What speed a sack that was let go has gained sideways, m/s; how far it goes, m.

    It swings when it is let go, and keeps that: so what it had right then is taken off. What is in
    it spreads out then, by .04 to .23 m to one side, by chance: so its way is that of the last
    second.
    """
    model = filled_sack(*setup, friction)
    state, settings = model.initial_state(), SolverSettings(substep_rate=rate)
    for _ in range(HANGING):
        state, _ = advance(model, state, FrameInputs(), settings)
    released = FrameInputs(pin_weight=np.zeros(len(model.pins)))
    mass = np.concatenate([model.particles.mass, model.bodies.mass])
    centre = []
    for _ in range(LYING):
        state, _ = advance(model, state, released, settings)
        places = np.concatenate([state.position, state.body_position])
        centre.append((mass @ places / mass.sum())[:2])
    at_last = (centre[-1] - centre[-1 - FPS // 4]) * 4
    gained = np.linalg.norm(at_last - (centre[1] - centre[0]) * FPS)
    return float(gained), float(np.linalg.norm(centre[-1] - centre[-1 - FPS]))


def _lying(number: int, tolerance: float, setup: Filling, friction: float, rate: float) -> Result:
    return Result(_let_go(setup, friction, rate)[number], 0.0, tolerance)


def _check(number: int, expected: float, tolerance: float, setup: Filling, rate: float) -> Result:
    return Result(_carried(setup, rate)[number], expected, tolerance)


_FILLINGS = {
    "ball": ("SPHERE", (0.07,), 0.25, 1),
    "balls": ("SPHERE", (0.07,), 0.25, 12),
    "marbles": ("SPHERE", (0.035,), 0.02, 16),
    "boulders": ("SPHERE", (0.1,), 3.0, 4),
    "bricks": ("BOX", (0.09, 0.05, 0.04), 1.0, 6),
    "full": ("SPHERE", (0.075,), 0.25, 28),
    "shot": ("SPHERE", (0.12,), 10.0, 3),
}
"""Shape, half extents or radius in m, kg of each, how many."""

for _name, _setup in _FILLINGS.items():
    at_rates(f"cloth-sack-{_name}", RATES[:2])(partial(_check, 0, 0.0, 0.0, _setup))
    at_rates(f"cloth-sack-{_name}-stretch", RATES[:2])(partial(_check, 1, 1.0, 0.5, _setup))

ASIDE = 0.5 * SACK_RADIUS  # m, that a sack may go in a second while what is in it spreads out

for _name in ("full", "bricks", "shot"):
    _on_ice = partial(_lying, 0, 0.02, _FILLINGS[_name], 0.0)
    at_rates(f"cloth-sack-{_name}-on-ice", RATES[:2])(_on_ice)
for _name in ("full", "bricks"):
    _on_floor = partial(_lying, 1, ASIDE, _FILLINGS[_name], 0.5)
    at_rates(f"cloth-sack-{_name}-let-go", RATES[:2])(_on_floor)
