"""A box that tumbles freely (Peters & Hsu 2010): Verlet is exact in place and angular momentum.

Errors that are published for 10 s at h = 1e-3: angular momentum ODE .0131, Bullet .0125, Simbody
.0064 kg·m²/s; place .049 m for all three (symplectic Euler).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..rotation import LARGEST_TURN, conjugate, product, spin_of_turn, turn_of_spin
from ..settings import SolverSettings
from ..step import advance
from ..vector import rotation_matrix
from .case import Result
from .rates import at_rates

DOWNWARDS = (0.0, 0.0, -9.8)
SECONDS = 10.0
CROSSINGS = (1.1660, 4.1944, 7.2229)
"""s at which the spin about the middle axis changes its sign."""


def angular_momentum(model: Model, state: State, body: int) -> Floats:
    """Angular momentum (3,) kg·m²/s of a free body in the world, from q* and q alone."""
    back = conjugate(state.body_previous_orientation[body])
    turn = product(back, state.body_orientation[body])
    own = model.bodies.inertia[body] * np.array(spin_of_turn(turn, state.step))
    momentum: Floats = rotation_matrix(state.body_orientation[body]) @ own
    return momentum


@dataclass
class Errors:
    """Largest errors over the time of flight."""

    momentum: float = 0.0  # kg·m²/s
    energy: float = 0.0  # share
    place: float = 0.0  # m
    crossing: float = 0.0  # s


@cache
def _tumble(rate: float) -> Errors:
    builder = ModelBuilder()
    velocity, spin = np.array([-2.0, 2.0, 8.0]), np.array([0.1, 5.0, 0.1])
    builder.add_body(
        "box",
        "BOX",
        (0.05, 0.2, 0.45),
        (0.0, 0.0, 0.0),
        mass=10.0,
        velocity=velocity,
        angular_velocity=spin,
    )
    model = builder.finalize()
    inertia, mass = model.bodies.inertia[0], model.bodies.mass[0]
    h = 1.0 / rate
    state = model.initial_state(step=h, gravity=DOWNWARDS)
    fall = np.array(DOWNWARDS)
    momentum = inertia * spin
    energy = 0.5 * mass * velocity @ velocity + 0.5 * momentum @ spin
    errors, crossings, before = Errors(), [], spin[1]
    while state.time < SECONDS - 0.5 * h:
        inputs = FrameInputs(duration=h, gravity=DOWNWARDS)
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
        t, x = state.time, state.body_position[0]
        exact = velocity * t + 0.5 * fall * t * t
        errors.place = max(errors.place, float(np.abs(x - exact).max()))
        now = angular_momentum(model, state, 0)
        errors.momentum = max(errors.momentum, float(np.linalg.norm(now - momentum)))
        w = (now @ rotation_matrix(state.body_orientation[0])) / inertia
        v = (x - state.body_previous[0]) / h + 0.5 * h * fall
        total = 0.5 * mass * v @ v + 0.5 * (inertia * w) @ w - mass * fall @ x
        errors.energy = max(errors.energy, abs(float(total / energy) - 1.0))
        if before * w[1] < 0.0:
            crossings.append(t - h * w[1] / (w[1] - before))
        before = w[1]
    if len(crossings) != len(CROSSINGS):
        errors.crossing = float("nan")
    else:
        errors.crossing = float(np.abs(np.array(crossings) - CROSSINGS).max())
    return errors


@at_rates("rigid-free-momentum")
def momentum(rate: float) -> Result:
    """Largest change of the angular momentum of 3.42 kg·m²/s."""
    published = "ODE .0131, Bullet .0125, Simbody .0064 at 1000/s"
    return Result(_tumble(rate).momentum, 0.0, 1e-9, published)


@at_rates("rigid-free-energy")
def energy(rate: float) -> Result:
    """Largest share by which the energy of 368.5464 J swings."""
    return Result(_tumble(rate).energy, 0.0, 1e-6)


@at_rates("rigid-free-place")
def place(rate: float) -> Result:
    """Largest distance from the parabola, m."""
    published = "ODE, Bullet, Simbody .049 at 1000/s"
    return Result(_tumble(rate).place, 0.0, 1e-6, published)


@at_rates("rigid-free-turns", (480.0, 960.0, 1000.0))
def turns(rate: float) -> Result:
    """When the spin about the middle axis changes sign: largest error of three times, s."""
    return Result(_tumble(rate).crossing, 0.0, 5e-4)


SPINNING = (  # shape, size m, spin rad/s
    ("SPHERE", (0.1,), (30.0, -80.0, 51.0)),
    ("BOX", (0.2, 0.2, 0.2), (-300.0, 100.0, 20.0)),
    ("CYLINDER", (0.012, 0.001), (0.0, 0.0, 700.0)),
    ("CAPSULE", (0.03, 0.2), (1200.0, 0.0, 0.0)),
)
"""Bodies whose spin stays where it is: balls about any axis, others about a principal one."""


@at_rates("rigid-spin-turn", (120.0, 480.0, 960.0))
def spin_turn(rate: float) -> Result:
    """How far a body that spins by itself is seen to have turned after a second: error in rad.

    At most half a turn a step: what spins faster is left out at that rate.
    """
    error, h = 0.0, 1.0 / rate
    for shape, size, spin in SPINNING:
        if np.linalg.norm(spin) * h > LARGEST_TURN:
            continue
        builder = ModelBuilder()
        builder.add_body("body", shape, size, (0.0, 0.0, 0.0), mass=2.0, angular_velocity=spin)
        model = builder.finalize()
        weightless = FrameInputs(duration=1.0, gravity=(0.0, 0.0, 0.0))
        state = model.initial_state(step=h, gravity=weightless.gravity)
        start = rotation_matrix(state.body_orientation[0])
        state, _ = advance(model, state, weightless, SolverSettings(substep_rate=rate))
        exact = rotation_matrix(np.array(turn_of_spin(spin, 1.0))) @ start
        seen = rotation_matrix(state.body_orientation[0])
        error = max(error, float(np.linalg.norm(seen - exact)) / math.sqrt(2.0))
    return Result(error, 0.0, 1e-9)
