"""Heaps of balls: how deep they lie in each other at rest, and what blows among them keep."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..settings import SolverSettings
from ..step import advance
from .case import Result, case

RADIUS = 0.06  # m
BALL_SPACING = 0.13  # m


def block_of_balls(count: int, shake: float = 0.004) -> Floats:
    """Places (count, 3) m of balls in layers of a cube about the z axis, none touching another."""
    side = int(np.ceil(count ** (1.0 / 3.0)))
    grid = np.arange(side) * BALL_SPACING
    x = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1)
    x = x.transpose(2, 0, 1, 3).reshape(-1, 3)[:count]
    x[:, :2] -= 0.5 * grid[-1]
    return x + np.random.default_rng(3).uniform(-shake, shake, x.shape)


def deepest_overlap(x: Floats, radius: Floats) -> float:
    """Deepest overlap of any two balls (n, 3) m, as a share of the smaller one's radius."""
    order = np.argsort(x[:, 0], kind="stable")
    x, radius = x[order], radius[order]
    widest = 2.0 * float(radius.max())
    deepest = 0.0
    for i in range(len(x)):
        end = np.searchsorted(x[:, 0], x[i, 0] + widest)
        apart = np.linalg.norm(x[i + 1 : end] - x[i], axis=1)
        overlap = radius[i + 1 : end] + radius[i] - apart
        share = overlap / np.minimum(radius[i + 1 : end], radius[i])
        deepest = max(deepest, float(share.max(initial=0.0)))
    return deepest


def _heap_in_a_room(count: int, restitution: float) -> tuple[Model, float]:
    builder = ModelBuilder()
    x = block_of_balls(count)
    half = float(np.ptp(x[:, 0])) / 2.0 + 2.0 * RADIUS
    builder.add_particles(
        "balls",
        x + (0.0, 0.0, 0.3),
        mass=0.1,
        radius=RADIUS,
        friction=0.4,
        restitution=restitution,
        self_collision=True,
    )
    builder.add_collider("room", "ROOM", (half, half, 9.0), (0.0, 0.0, 9.0), friction=0.4)
    return builder.finalize(), half


def _ends(count: int, restitution: float) -> tuple[Model, State, float]:
    """A heap after 6 s, and the largest rise of its energy in a frame, as a share of the first."""
    model, _ = _heap_in_a_room(count, restitution)
    state = model.initial_state()
    energies = []
    for _ in range(144):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
        energies.append(figures.kinetic_energy + figures.potential_energy)
    return model, state, float(np.diff(energies).max()) / energies[0]


def _depth(count: int, restitution: float) -> Result:
    """Deepest overlap of a heap at rest, in radii; one that does not sleep is no rest."""
    model, state, _ = _ends(count, restitution)
    if not (state.balls.rest >= 0.5).all():
        return Result(float("nan"), 0.0, 0.02)
    return Result(deepest_overlap(state.position, model.particles.radius), 0.0, 0.02)


def _rise(count: int, restitution: float) -> Result:
    return Result(max(0.0, _ends(count, restitution)[2]), 0.0, 1e-4)


for _count in (300, 2000):
    case(f"heap-{_count}-depth")(partial(_depth, _count, 0.5))
    case(f"heap-{_count}-energy")(partial(_rise, _count, 0.0))


@case("heap-column-40")
def column() -> Result:
    """1000 balls in a shaft, forty deep: deepest overlap after 4 s, in radii."""
    layer, place = np.divmod(np.arange(1000), 25)
    x = np.stack([place % 5 - 2.0, place // 5 - 2.0, layer + 0.5], axis=1) * (0.121, 0.121, 0.125)
    builder = ModelBuilder()
    builder.add_particles("balls", x, mass=0.1, radius=RADIUS, friction=0.4, self_collision=True)
    builder.add_collider("shaft", "ROOM", (0.303, 0.303, 6.0), (0.0, 0.0, 6.0), friction=0.4)
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(96):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    return Result(deepest_overlap(state.position, model.particles.radius), 0.0, 0.02)


def _gas() -> tuple[float, float]:
    """Elastic balls in an elastic room without weight for 4 s.

    Returns by what share of itself the energy ends elsewhere, and its largest rise in a frame.
    """
    random = np.random.default_rng(5)
    builder = ModelBuilder()
    builder.add_particles(
        "gas",
        block_of_balls(300) * 1.5 + (0.0, 0.0, 0.2),
        mass=random.uniform(0.1, 0.4, 300),
        velocity=random.normal(0.0, 2.0, (300, 3)),
        radius=RADIUS,
        friction=0.0,
        restitution=1.0,
        self_collision=True,
    )
    walls = {"friction": 0.0, "restitution": 1.0}
    builder.add_collider("room", "ROOM", (1.0, 1.0, 1.0), (0.0, 0.0, 1.0), **walls)
    model = builder.finalize()
    still = FrameInputs(gravity=(0.0, 0.0, 0.0))
    state = model.initial_state(gravity=still.gravity)
    energies = []
    for _ in range(96):
        state, figures = advance(model, state, still, SolverSettings())
        energies.append(figures.kinetic_energy)
    return abs(energies[-1] / energies[0] - 1.0), float(np.diff(energies).max()) / energies[0]


case("gas-energy")(lambda: Result(_gas()[0], 0.0, 1e-9))
case("gas-energy-rise")(lambda: Result(max(0.0, _gas()[1]), 0.0, 1e-12))
