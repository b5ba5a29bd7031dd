"""Elastic blows: they make no energy, and are passed on."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..model.joint_table import OnBody
from ..settings import JointSettings, SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import Result, case
from .joints import Z_TO_Y
from .rates import at_rates

PUBLISHED = "ODE 112, RaiSim 8.4 at 1000/s"


def _energy(model: Model, state: State) -> float:
    """Energy of balls that do not turn, J; the velocity of a state is half a step old."""
    v = (state.body_position - state.body_previous) / state.step - (
        0.0,
        0.0,
        0.5 * state.step * GRAVITY,
    )
    mass = model.bodies.mass
    return float(0.5 * mass @ (v**2).sum(axis=1) + GRAVITY * mass @ state.body_position[:, 2])


def _dropped(places: Floats, radius: Floats, mass: Floats) -> Model:
    """Elastic balls without friction above a floor."""
    builder = ModelBuilder()
    for k, place in enumerate(places):
        about: dict[str, Any] = {"mass": float(mass[k]), "restitution": 1.0, "friction": 0.0}
        builder.add_body(f"ball {k}", "SPHERE", (float(radius[k]),), place, **about)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), restitution=1.0, friction=0.0)
    return builder.finalize()


def _gains(model: Model, seconds: float, rate: float) -> Floats:
    """By how much the energy is off that there was at the start, after each frame, J."""
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    start = GRAVITY * float(model.bodies.mass @ model.bodies.position[:, 2])
    gains = []
    while state.time < seconds - 0.5 / rate:
        state, _ = advance(model, state, FrameInputs(duration=10.0 / rate), settings)
        gains.append(_energy(model, state) - start)
    return np.array(gains)


def _column(radii: tuple[float, ...], masses: tuple[float, ...], gap: float, rate: float) -> Result:
    """Balls one above the other that fall on a floor: largest share of energy made or lost."""
    radius, place, top = np.array(radii), [], 0.3
    for r in radii:
        place.append((0.0, 0.0, top + r))
        top += 2.0 * r + gap
    model = _dropped(np.array(place), radius, np.array(masses))
    height = model.bodies.position[:, 2] - radius
    whole = GRAVITY * float(model.bodies.mass @ height)
    return Result(float(np.abs(_gains(model, 2.0, rate)).max()) / whole, 0.0, 1e-3)


for _name, _radii, _masses, _gap in (
    ("two", (0.1, 0.1), (1.0, 1.0), 0.01),
    ("two-unlike", (0.2, 0.07), (5.0, 0.4), 0.02),
    ("four", (0.3, 0.25, 0.2, 0.1), (2.0, 1.0, 3.0, 0.5), 0.005),
):
    at_rates(f"elastic-column-{_name}")(partial(_column, _radii, _masses, _gap))


def _grid(radius: float, mass: float, height: float) -> Model:
    """216 balls that fall in a grid, a little disturbed."""
    k = np.arange(216)
    place = 2.0 * radius * np.stack([k % 6, k // 6 % 6, k // 36], axis=1).astype(np.float64)
    place[:, 2] += height + radius
    place += np.random.default_rng(1).uniform(-1e-3, 1e-3, place.shape)
    return _dropped(place, np.full(216, radius), np.full(216, mass))


def _squares(radius: float, mass: float, height: float, seconds: float, rate: float) -> Result:
    """Such a grid: mean square of the error of energy, J²."""
    gains = _gains(_grid(radius, mass, height), seconds, rate)
    return Result(float((gains**2).mean()), 0.0, 100.0, PUBLISHED)


def _made(radius: float, mass: float, height: float, seconds: float, rate: float) -> Result:
    """Such a grid: largest share of energy made."""
    gains = _gains(_grid(radius, mass, height), seconds, rate)
    return Result(max(float(gains.max()), 0.0) / (216 * mass * GRAVITY * height), 0.0, 1e-3)


case("elastic-666-1000")(partial(_squares, 0.5, 10.0, 1.0, 2.0, 1000.0))
case("elastic-666-small-1000")(partial(_squares, 0.2, 5.0, 2.0, 1.5, 1000.0))
case("elastic-666")(partial(_made, 0.3, 10.0, 1.0, 1.5, 480.0))


def _row(count: int, radius: float, speed: float, rate: float) -> Result:
    """Share of its speed that a ball hands on to the last of a row that touch each other."""
    builder = ModelBuilder()
    for k in range(count):
        place = (2.0 * radius * k - (radius if k == 0 else 0.0), 0.0, 0.0)
        velocity = (speed if k == 0 else 0.0, 0.0, 0.0)
        about: dict[str, Any] = {"mass": 1.0, "velocity": velocity, "restitution": 1.0}
        builder.add_body(f"ball {k}", "SPHERE", (radius,), place, **about)
    model = builder.finalize()
    still = FrameInputs(duration=10.0 / rate, gravity=(0.0, 0.0, 0.0))
    state = model.initial_state(step=1.0 / rate, gravity=(0.0, 0.0, 0.0))
    settings = SolverSettings(substep_rate=rate)
    while state.time < 4.0 * radius / speed:
        state, _ = advance(model, state, still, settings)
    v = (state.body_position - state.body_previous)[:, 0] / state.step
    return Result(float(v[-1]) / speed, 1.0, 0.01)


# the last but one meets the row at the very end of a substep
for _count, _radius, _speed in ((3, 0.1, 2.0), (4, 0.3, 5.0), (6, 0.05, 3.0), (7, 0.05, 1.0)):
    at_rates(f"elastic-row-{_count}")(partial(_row, _count, _radius, _speed))


def _cradle(count: int, length: float, radius: float, angle: float, rate: float) -> Result:
    """Newton's cradle, hung on joints: height to which the last ball swings, of the first one's."""
    builder = ModelBuilder()
    for k in range(count):
        turn = angle if k == 0 else 0.0
        hook = np.array([2.0 * radius * k, 0.0, length])
        place = hook - (length * math.sin(turn), 0.0, length * math.cos(turn))
        about: dict[str, Any] = {"mass": 2.0, "restitution": 1.0, "friction": 0.0}
        ball = builder.add_body(f"ball {k}", "SPHERE", (radius,), place, **about)
        builder.add_joint(f"string {k}", None, OnBody(ball), hook)
    model = builder.finalize()
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    top = 0.0
    while state.time < 1.2 * math.pi * math.sqrt(length / GRAVITY):
        state, _ = advance(model, state, FrameInputs(duration=1.0 / 60.0), settings)
        top = max(top, float(state.body_position[-1, 2]))
    return Result(top / (length * (1.0 - math.cos(angle))), 1.0, 0.02)


for _count, _length, _radius, _angle in (
    (3, 1.0, 0.1, 0.5),
    (4, 0.8, 0.07, 0.6),
    (5, 0.6, 0.04, 0.7),
    (6, 1.2, 0.05, 0.5),
    (7, 2.0, 0.2, 0.4),
):
    at_rates(f"elastic-cradle-{_count}")(partial(_cradle, _count, _length, _radius, _angle))


def _boxes(side: float, yaw: float, rate: float) -> Result:
    """Elastic boxes that fall on a floor on their corners: largest share of energy made."""
    builder = ModelBuilder()
    for k in range(4):
        place = (0.0, 0.0, 1.5 * side + 2.0 * side * k)
        turn = (math.cos(yaw / 2 + k), 0.3, 0.2 * k, math.sin(yaw / 2 + k))
        about: dict[str, Any] = {"mass": 1.0 + k, "restitution": 1.0, "friction": 0.0}
        builder.add_body(
            f"box {k}", "BOX", (side / 2, 0.4 * side, 0.3 * side), place, turn, **about
        )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), restitution=1.0, friction=0.0)
    model = builder.finalize()
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    energy = []
    while state.time < 2.0:
        state, found = advance(model, state, FrameInputs(duration=1.0 / 60.0), settings)
        energy.append(found.kinetic_energy + found.potential_energy)
    return Result(max(max(energy) / energy[0] - 1.0, 0.0), 0.0, 1e-3)


for _side, _yaw in ((0.4, 0.0), (1.0, 0.7)):
    at_rates(f"elastic-boxes-{_side:g}")(partial(_boxes, _side, _yaw))


def _arm(count: int, mass: float, restitution: float, speed: float) -> Model:
    """Rods on hinges, held out level by their limits, and a ball of 1 kg that meets the last."""
    builder, arm = ModelBuilder(), None
    about: dict[str, Any] = {"restitution": restitution, "friction": 0.0}
    limits = JointSettings("HINGE", is_limited=True, lower=-2.5, upper=0.0)
    for k in range(count):
        place = (0.5 + k, 0.0, 0.0)
        rod = builder.add_body(f"rod {k}", "BOX", (0.5, 0.05, 0.05), place, mass=mass, **about)
        builder.add_joint(f"hinge {k}", arm, OnBody(rod), (float(k), 0.0, 0.0), Z_TO_Y, limits)
        arm = OnBody(rod)
    place = (count - 0.2, 0.0, -math.copysign(0.35, speed))
    velocity = (0.0, 0.0, speed)
    builder.add_body("ball", "SPHERE", (0.1,), place, mass=1.0, velocity=velocity, **about)
    return builder.finalize()


def _lifted(count: int, mass: float, speed: float, rate: float) -> Result:
    """A ball hits the arm from below, which lets go: share of its energy that is made."""
    model = _arm(count, mass, 1.0, speed)
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    energy = []
    while state.time < 0.5:
        state, found = advance(model, state, FrameInputs(duration=4.0 / rate), settings)
        energy.append(found.kinetic_energy + found.potential_energy)
    return Result(max(max(energy) - energy[0], 0.0) / (0.5 * speed**2), 0.0, 1e-3)


def _held(count: int, restitution: float, speed: float, rate: float) -> Result:
    """A ball falls on the arm, which is held: share of its speed that it flies back with."""
    model = _arm(count, 0.5, restitution, -speed)
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    first, last = 0.0, 0.0
    while state.time < 0.2:
        state, _ = advance(model, state, FrameInputs(duration=1.0 / rate), settings)
        x, v = float(state.body_position[-1, 2]), 0.0
        v = (x - float(state.body_previous[-1, 2])) / state.step
        whole = math.copysign(math.sqrt(v * v + 2.0 * GRAVITY * (x - 0.15)), v)  # m/s, at the rod
        first, last = min(first, whole), max(last, whole)
    return Result(-last / first, restitution, 0.02)


for _count, _mass, _speed in ((1, 0.5, 3.0), (1, 0.02, 3.0), (3, 0.5, 5.0), (4, 5.0, 2.0)):
    at_rates(f"elastic-arm-lifted-{_count}-{_mass:g}")(partial(_lifted, _count, _mass, _speed))
for _count, _restitution, _speed in ((1, 0.9, 3.0), (3, 0.5, 4.0)):
    at_rates(f"elastic-arm-held-{_count}")(partial(_held, _count, _restitution, _speed))
