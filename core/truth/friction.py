"""Friction has no compass: a scene turned about the vertical goes the same way, at the same angle.

Each case is the worst over yaws of the whole scene and over boxes of unlike shape and mass, which
are thrown, or lie on their slope, askew to their own sides.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..settings import SolverSettings
from ..settings.gravity import GRAVITY as G
from ..step import advance
from .case import Result, case
from .rates import at_rates

YAWS = (0.0, 13.0, 45.0, 77.0)  # degrees
SLIDERS = (
    # half extents m, mass kg, coefficient, heading of the throw from the box's own x in degrees
    ((1.0, 0.1, 0.02), 1.0, 0.5, 45.0),
    ((0.4, 0.1, 0.1), 70.0, 0.3, 20.0),
    ((0.3, 0.2, 0.15), 0.1, 0.6, 65.0),
    ((0.8, 0.15, 0.04), 3.0, 0.4, 17.0),
)
LAID = (
    # half extents m, mass kg, coefficient, turn about the slope's normal in degrees
    ((0.25, 0.25, 0.25), 2.0, 0.5, 0.0),
    ((0.5, 0.1, 0.05), 30.0, 0.8, 33.0),
)


def _about(axis: int, degrees: float) -> Floats:
    q = np.zeros(4)
    q[0], q[1 + axis] = math.cos(math.radians(degrees) / 2), math.sin(math.radians(degrees) / 2)
    return q


def _product(p: Floats, q: Floats) -> Floats:
    """Quaternion of the turn q followed by the turn p."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], vector])


def _turned(q: Floats, v: tuple[float, float, float]) -> Floats:
    u = 2.0 * np.cross(q[1:], v)
    turned: Floats = np.array(v) + q[0] * u + np.cross(q[1:], u)
    return turned


def _run(model: Model, rate: float, seconds: float) -> State:
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, FrameInputs(), settings)
    return state


def _place(state: State) -> Floats:
    """Centre of the only body, of either kind."""
    bodies = state.body_position if len(state.body_position) else state.position
    centre: Floats = bodies.mean(axis=0)
    return centre


def _swerve(kind: str, static: float, rate: float) -> Result:
    """Way in m that a box thrown askew leaves its heading by, or is off v²/2 μ g, at the worst."""
    worst = 0.0
    for half, mass, mu, heading in SLIDERS:
        way = 0.5 / mu
        for yaw in YAWS:
            ahead = _turned(_about(2, yaw + heading), (1.0, 0.0, 0.0))
            builder = ModelBuilder()
            builder.add_body(
                "box",
                "BOX",
                half,
                (0.0, 0.0, half[2]),
                _about(2, yaw),
                mass=mass,
                velocity=math.sqrt(2.0 * mu * G * way) * ahead,
                friction=mu,
                static_friction=static,
                model=kind,
            )
            builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=mu)
            end = _place(_run(builder.finalize(), rate, 1.5))
            worst = max(worst, float(np.hypot(*(end - way * ahead)[:2])))
    return Result(worst, 0.0, 1e-3)


at_rates("friction-straight")(partial(_swerve, "QUATERNION", 1.0))
case("friction-straight-static")(partial(_swerve, "QUATERNION", 1.5, 480.0))
case("friction-straight-tetrahedron")(partial(_swerve, "TETRAHEDRON", 1.0, 480.0))
case("friction-straight-axes")(partial(_swerve, "AXES", 1.0, 480.0))


def _down(
    half: tuple[float, float, float],
    mass: float,
    mu: float,
    turn: float,
    yaw: float,
    degrees: float,
    rate: float,
    seconds: float,
) -> float:
    """How far a box gets in some seconds down a slope that is turned about the vertical, m."""
    slope = _product(_about(2, yaw), _about(1, degrees))
    start = _turned(slope, (0.0, 0.0, half[2]))
    builder = ModelBuilder()
    q = _product(slope, _about(2, turn))
    builder.add_body("box", "BOX", half, start, q, mass=mass, friction=mu, sleeps=False)
    builder.add_collider("slope", "PLANE", (), (0, 0, 0), slope, friction=mu)
    moved = _run(builder.finalize(), rate, seconds).body_position[0] - start
    return float(moved @ _turned(slope, (1.0, 0.0, 0.0)))


@at_rates("friction-slips-at")
def slips_at(rate: float) -> Result:
    """By how many degrees the way down a slope a degree too steep tells another angle of slip."""
    worst = 0.0
    for half, mass, mu, turn in LAID:
        a = math.atan(mu) + math.radians(1.0)
        for yaw in YAWS:
            way = _down(half, mass, mu, turn, yaw, math.degrees(a), rate, 1.0)
            found = math.atan(math.tan(a) - 2.0 * way / (G * math.cos(a)))
            worst = max(worst, abs(math.degrees(found - math.atan(mu))))
    return Result(worst, 0.0, 0.01)


@at_rates("friction-holds-at")
def holds_at(rate: float) -> Result:
    """Way in m down a slope .01° too flat to slip, in 3 s, at the worst."""
    worst = 0.0
    for half, mass, mu, turn in LAID:
        for yaw in YAWS:
            flat = math.degrees(math.atan(mu)) - 0.01
            worst = max(worst, abs(_down(half, mass, mu, turn, yaw, flat, rate, 3.0)))
    return Result(worst, 0.0, 1e-3)


def _ugly(yaw: float) -> Model:
    """Unlike bodies thrown askew onto a slope and each other, all turned about the vertical."""
    builder = ModelBuilder()
    turn = _about(2, yaw)
    for name, shape, size, place, q, v in (
        ("plank", "BOX", (0.6, 0.1, 0.03), (0.0, 0.0, 0.08), (1.0, 0.1, 0.0, 0.3), (1.0, 2.0, 0.0)),
        ("can", "CYLINDER", (0.15, 0.2), (1.0, 0.2, 0.25), (1.0, 0.1, 0.2, 0.0), (0.0, 1.5, 0.5)),
        ("pill", "CAPSULE", (0.1, 0.2), (-1.0, 0.1, 0.3), (1.0, 0.5, 0.3, 0.1), (1.0, -1.0, 0.0)),
        ("ball", "SPHERE", (0.2,), (0.0, 1.0, 0.25), (1.0, 0.0, 0.0, 0.0), (0.5, -2.0, 0.0)),
    ):
        at = _product(turn, np.array(q) / np.linalg.norm(q))
        there = (_turned(turn, place), at)
        builder.add_body(name, shape, size, *there, mass=2.0, velocity=_turned(turn, v))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), _product(turn, _about(1, 5.0)))
    return builder.finalize()


@case("friction-turned")
def turned() -> Result:
    """How far bodies of four shapes get elsewhere in .25 s in a scene that is turned, m."""
    ends = [_run(_ugly(yaw), 480.0, 0.25).body_position for yaw in YAWS]
    back = [
        np.array([_turned(_about(2, -yaw), tuple(x)) for x in end])
        for yaw, end in zip(YAWS, ends, strict=True)
    ]
    return Result(max(float(np.abs(end - back[0]).max()) for end in back), 0.0, 1e-9)
