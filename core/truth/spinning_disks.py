"""Disks and coins that roll and reel on their rim lie no sooner than drag has it."""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..settings import SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from ..vector import rotation_matrix
from .case import Result
from .rates import at_rates
from .rigid_motion import angular_momentum

SEEN_RATE = 60  # frames a second
FINE_RATE = 4800.0
"""Substeps per second of what others are compared with."""

LIES_AT = 2.0
"""Angle to the floor in degrees below which a disk lies."""

DISKS = {  # radius and half the thickness, m
    "disk-38": (0.038, 0.0064),
    "disk-50": (0.05, 0.004),
    "coin-12": (0.012, 0.0009),
    "coin-20": (0.02, 0.001),
}


def _disk(size: tuple[float, float], tilt: float, roll: float, drag: float) -> Model:
    """A steel disk on its rim, its axis tilted by so many degrees from upright.

    It reels in place, as an Euler's disk does, or, at a speed ``roll`` in m/s, rolls away.
    """
    radius, half = size
    t = math.radians(tilt)
    to_rim = np.array([0.0, -math.cos(t), -math.sin(t)])
    axis = np.array([0.0, -math.sin(t), math.cos(t)])
    spin = math.sqrt(4.0 * GRAVITY / radius * math.sin(t)) * to_rim
    if roll:
        spin = -roll / radius * axis
    builder = ModelBuilder()
    builder.add_body(
        "disk",
        "CYLINDER",
        size,
        (0.0, 0.0, radius * math.sin(t) + half * math.cos(t)),
        (math.cos(t / 2), math.sin(t / 2), 0.0, 0.0),
        mass=8000.0 * math.pi * radius**2 * 2.0 * half,
        velocity=tuple(-np.cross(spin, radius * to_rim)) if roll else (0.0, 0.0, 0.0),
        angular_velocity=tuple(spin),
        angular_drag=drag,
        friction=0.5,
    )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=0.5)
    return builder.finalize()


def _tilt(model: Model, state: State) -> float:
    """Angle of the disk to the floor in degrees."""
    k = int(np.argmax(model.bodies.inertia[0]))
    up = abs(float(rotation_matrix(state.body_orientation[0])[2, k]))
    return math.degrees(math.acos(min(1.0, up)))


@cache
def _time_until_flat(name: str, roll: float, drag: float, rate: float) -> float:
    """When a disk lies, s; it has to lie for a tenth of a second."""
    model = _disk(DISKS[name], 80.0 if roll else 25.0, roll, drag)
    state, inputs = model.initial_state(step=1.0 / rate), FrameInputs(duration=1.0 / SEEN_RATE)
    up = 0.0
    while state.time < up + 0.1 and state.time < 20.0:
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
        if _tilt(model, state) > LIES_AT:
            up = state.time
    return up


def _lasts(name: str, roll: float, drag: float, rate: float) -> Result:
    """By which factor, as a logarithm, it takes less or more time to lie than in fine steps."""
    times = _time_until_flat(name, roll, drag, rate), _time_until_flat(name, roll, drag, FINE_RATE)
    return Result(abs(math.log(times[0] / times[1])), 0.0, math.log(1.5))


for _name in DISKS:
    at_rates(f"spinning-{_name}")(partial(_lasts, _name, 0.0, 2.0))
for _name, _roll in (("disk-50", 0.6), ("coin-12", 0.3), ("coin-20", 0.6)):
    at_rates(f"rolling-{_name}", (480.0, 960.0))(partial(_lasts, _name, _roll, 2.0))


def _energy(model: Model, state: State) -> float:
    """Of motion and height, J."""
    momentum = angular_momentum(model, state, 0) @ rotation_matrix(state.body_orientation[0])
    velocity = (state.body_position[0] - state.body_previous[0]) / state.step
    mass = float(model.bodies.mass[0])
    turning = float((momentum**2 / model.bodies.inertia[0]).sum())
    height = float(state.body_position[0, 2])
    return 0.5 * mass * float(velocity @ velocity) + 0.5 * turning + mass * GRAVITY * height


def _energies(name: str, seconds: float, rate: float) -> Floats:
    """At the end of each frame, as shares of that at the start."""
    model = _disk(DISKS[name], 20.0, 0.0, 0.0)
    state, inputs = model.initial_state(step=1.0 / rate), FrameInputs(duration=1.0 / SEEN_RATE)
    energies = []
    for _ in range(round(seconds * SEEN_RATE)):
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
        energies.append(_energy(model, state))
    return np.array(energies[3:]) / energies[3]


def _keeps(name: str, rate: float) -> Result:
    """Share by which the energy of a disk that reels without drag changes in 5 s."""
    return Result(float(np.abs(_energies(name, 5.0, rate) - 1.0).max()), 0.0, 0.02)


for _name in ("disk-38", "coin-20"):
    at_rates(f"spinning-{_name}-energy", (480.0, 960.0))(partial(_keeps, _name))
