"""Particles: free flight, pendulum, momentum, bounce."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import EARTH_GRAVITY, FrameInputs, Model, State
from ..settings import SolverSettings
from ..settings.gravity import GRAVITY as G
from ..step import advance
from .case import Result, case


@case("free-flight")
def free_flight() -> Result:
    """Position Verlet is exact under constant acceleration: 10 s at h = 1/60, error in m."""
    h = 1 / 60
    x0, v0 = np.array([1.0, -2.0, 3.0]), np.array([4.0, 5.0, 30.0])
    builder = ModelBuilder()
    builder.add_particles("ball", x0[None], mass=2.0, velocity=v0)
    model = builder.finalize()
    state = model.initial_state(step=h)
    settings = SolverSettings(substep_rate=60.0)
    worst = 0.0
    for k in range(600):
        state, _ = advance(model, state, FrameInputs(duration=h), settings)
        t = (k + 1) * h
        exact = x0 + v0 * t + 0.5 * np.array(EARTH_GRAVITY) * t * t
        worst = max(worst, float(np.abs(state.position[0] - exact).max()))
    return Result(worst, 0.0, 1e-9)


def _pendulum(amplitude: float) -> float:
    """Period of a stick of 1 m with a bob over that of small swings, by zero crossings."""
    builder = ModelBuilder()
    bob = (math.sin(amplitude), 0.0, -math.cos(amplitude))
    builder.add_particles("pendulum", [(0.0, 0.0, 0.0), bob], mass=1.0)
    builder.pin([0])
    builder.add_sticks([[0, 1]])
    model = builder.finalize()
    settings = SolverSettings()
    duration = 1.0 / settings.substep_rate
    state = model.initial_state(step=duration)
    crossings: list[float] = []
    while len(crossings) < 9:
        before = float(state.position[1, 0])
        state, _ = advance(model, state, FrameInputs(duration=duration), settings)
        after = float(state.position[1, 0])
        if before > 0.0 >= after or before < 0.0 <= after:
            crossings.append(state.time - duration * after / (after - before))
    period = (crossings[-1] - crossings[0]) / 4.0
    return period / (2.0 * math.pi * math.sqrt(1.0 / G))


@case("pendulum-45")
def pendulum_45() -> Result:
    """T/T₀ at 45°: 2/π K(sin 22.5°)."""
    return Result(_pendulum(math.radians(45.0)), 1.039973, 1e-4)


@case("pendulum-90")
def pendulum_90() -> Result:
    """T/T₀ at 90°: 2/π K(sin 45°)."""
    return Result(_pendulum(math.radians(90.0)), 1.180341, 1e-4)


def momenta(model: Model, state: State) -> tuple[Floats, Floats]:
    """Linear (3,) kg m/s and angular momentum (3,) kg m²/s about the origin."""
    velocity = (state.position - state.previous) / state.step
    p = model.particles.mass[:, None] * velocity
    return p.sum(axis=0), np.cross(state.position, p).sum(axis=0)


def _tumbling() -> tuple[Model, State]:
    """A net of sticks and springs with unlike masses, and a spinning body, free in space."""
    random = np.random.default_rng(3)
    builder = ModelBuilder()
    side = 5
    u = np.arange(side) * 0.2
    x = np.stack([*np.meshgrid(u, u), np.zeros((side, side))], axis=-1).reshape(-1, 3)
    spin = np.array([0.7, 2.0, 3.0])
    builder.add_particles(
        "net",
        x,
        mass=random.uniform(0.5, 2.0, len(x)),
        velocity=np.cross(spin, x) + (0.3, -0.2, 0.5) + random.normal(0.0, 0.2, x.shape),
    )
    index = np.arange(side * side).reshape(side, side)
    rows = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1)
    columns = np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1)
    builder.add_sticks(np.concatenate([rows, columns]))
    diagonals = np.stack([index[:-1, :-1].ravel(), index[1:, 1:].ravel()], axis=1)
    builder.add_springs(diagonals, 200.0)
    builder.add_body(
        "plank",
        "BOX",
        (0.05, 0.2, 0.45),
        (3.0, 0.0, 0.0),
        mass=10.0,
        velocity=(-0.2, 0.2, 0.8),
        angular_velocity=(0.1, 5.0, 0.1),
    )
    model = builder.finalize()
    return model, model.initial_state(gravity=(0.0, 0.0, 0.0))


def _momentum_error(angular: bool) -> float:
    model, state = _tumbling()
    inputs = FrameInputs(duration=1 / 480, gravity=(0.0, 0.0, 0.0))
    start = momenta(model, state)[angular]
    worst = 0.0
    for _ in range(1000):
        state, _ = advance(model, state, inputs, SolverSettings())
        worst = max(worst, float(np.linalg.norm(momenta(model, state)[angular] - start)))
    return worst / (float(np.linalg.norm(start)) if angular else 1.0)


case("momentum-linear")(lambda: Result(_momentum_error(angular=False), 0.0, 1e-10))
case("momentum-angular")(lambda: Result(_momentum_error(angular=True), 0.0, 1e-6))


def _pair(offset: float) -> tuple[float, float]:
    """Two elastic balls of 1 and 3 kg that meet ``offset`` m off centre.

    Returns the largest relative change of momentum and the change of energy over the hit.
    """
    builder = ModelBuilder()
    builder.add_particles(
        "pair",
        [(-1.0, offset, 0.0), (1.0, 0.0, 0.1 * offset)],
        mass=[1.0, 3.0],
        velocity=[(3.0, 0.2, 0.0), (-1.0, 0.0, 0.1)],
        radius=0.25,
        friction=0.0,
        restitution=1.0,
        self_collision=True,
    )
    model = builder.finalize()
    still = FrameInputs(duration=1 / 480, gravity=(0.0, 0.0, 0.0))
    state = model.initial_state(gravity=still.gravity)
    p0, _ = momenta(model, state)
    energies = []
    for _ in range(480):
        state, figures = advance(model, state, still, SolverSettings())
        energies.append(figures.kinetic_energy)
    velocity = (state.position - state.previous) / state.step
    if velocity[0, 0] > 0.0 and offset == 0.0:  # no hit: nothing was measured
        return float("nan"), float("nan")
    p1, _ = momenta(model, state)
    change = float(np.linalg.norm(p1 - p0) / np.linalg.norm(p0))
    return change, abs(energies[-1] / energies[0] - 1.0)


def _pair_momentum(offset: float) -> Result:
    return Result(_pair(offset)[0], 0.0, 1e-9)


def _pair_energy(offset: float) -> Result:
    return Result(_pair(offset)[1], 0.0, 1e-9)


for _name, _offset in (("head-on", 0.0), ("oblique", 0.2)):
    case(f"pair-{_name}-momentum")(partial(_pair_momentum, _offset))
    case(f"pair-{_name}-energy")(partial(_pair_energy, _offset))


def _apex(restitution: float, bounce: int) -> Result:
    """Height of the n-th apex of a particle dropped from 2 m; exact: 2·e²ⁿ m."""
    builder = ModelBuilder()
    builder.add_particles("ball", [(0.0, 0.0, 2.0)], mass=1.0, restitution=restitution)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    state = model.initial_state()
    apexes: list[float] = []
    rising, highest = False, 0.0
    while len(apexes) < bounce:
        before = float(state.position[0, 2])
        state, _ = advance(model, state, FrameInputs(duration=1 / 480), SolverSettings())
        after = float(state.position[0, 2])
        if after > before:
            rising, highest = True, after
        elif rising:
            apexes.append(max(highest, before))
            rising = False
    exact = 2.0 * restitution ** (2 * bounce)
    return Result(apexes[-1], exact, 0.01 * exact)


for _e in (0.5, 0.8):
    for _n in (1, 2, 3):
        case(f"bounce-{_e}-{_n}")(partial(_apex, _e, _n))
