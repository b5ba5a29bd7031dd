"""One rigid body and the ground: bouncing, sliding, holding on a slope."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..settings import SolverSettings
from ..settings.gravity import GRAVITY as G
from ..step import advance
from .case import Result
from .rates import at_rates

BOX_FRICTION = 0.5


def _start(model: Model, rate: float) -> tuple[State, SolverSettings]:
    return model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)


def _apexes(restitution: float, rate: float) -> Result:
    """A ball dropped from 2 m: largest relative error of three apexes, exact 2·e²ⁿ m."""
    builder = ModelBuilder()
    builder.add_body("ball", "SPHERE", (0.1,), (0, 0, 2.1), mass=1.0, restitution=restitution)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state, settings = _start(model, rate)
    worst, found, rising, top = 0.0, 0, False, 0.0
    while found < 3 and state.time < 10.0:
        state, _ = advance(model, state, FrameInputs(duration=1 / 60), settings)
        height = float(state.body_position[0, 2]) - 0.1
        moved = float((state.body_position - state.body_previous)[0, 2])
        speed = moved / state.step - 0.5 * state.step * G
        if speed > 0.0:
            rising, top = True, height + speed * speed / (2.0 * G)
        elif rising:
            rising = False
            found += 1
            worst = max(worst, abs(top / (2.0 * restitution ** (2 * found)) - 1.0))
    return Result(worst if found == 3 else math.nan, 0.0, 0.01)


for _e in (0.5, 0.8):
    at_rates(f"rigid-bounce-{_e}")(partial(_apexes, _e))


def _slide(rate: float) -> tuple[float, float, float]:
    """A box of 3 m/s on a floor: error of its speed (m/s), speed and way back (m) at the end."""
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.5, 0.5, 0.25), (0, 0, 0.25), mass=2.0, velocity=(3, 0, 0))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state, settings = _start(model, rate)
    h = state.step
    worst, farthest, back, speed = 0.0, 0.0, 0.0, 0.0
    while state.time < 1.0:
        state, _ = advance(model, state, FrameInputs(duration=4 * h), settings)
        x = float(state.body_position[0, 0])
        speed = (x - float(state.body_previous[0, 0])) / h
        exact = 3.0 - BOX_FRICTION * G * (state.time - 0.5 * h)  # in the middle of the last step
        if exact > BOX_FRICTION * G * h:
            worst = max(worst, abs(speed - exact))
        farthest = max(farthest, x)
        back = max(back, farthest - x)
    return worst, speed, back


@at_rates("rigid-slide")
def slide(rate: float) -> Result:
    """Largest error of v = v₀ − μ g t, m/s."""
    return Result(_slide(rate)[0], 0.0, 1e-3)


@at_rates("rigid-slide-stops")
def slide_stops(rate: float) -> Result:
    """Speed a while after it should stand, m/s; also not a number when it ran backwards."""
    _, speed, back = _slide(rate)
    return Result(speed if back < 1e-5 else math.nan, 0.0, 1e-6)


def _down(degrees: float, seconds: float, rate: float) -> float:
    """How far a box gets down a slope in some seconds, m."""
    a = math.radians(degrees)
    turn = (math.cos(a / 2), 0.0, math.sin(a / 2), 0.0)
    up = np.array([math.sin(a), 0.0, math.cos(a)])
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.25,) * 3, 0.25 * up, turn, mass=2.0, friction=BOX_FRICTION)
    builder.add_collider("slope", "PLANE", (), (0, 0, 0), turn, friction=BOX_FRICTION)
    model = builder.finalize()
    state, settings = _start(model, rate)
    while state.time < seconds - 1e-9:
        state, _ = advance(model, state, FrameInputs(), settings)
    off = state.body_position[0] - 0.25 * up
    return float(off @ (math.cos(a), 0.0, -math.sin(a)))


@at_rates("rigid-ramp-holds")
def ramp_holds(rate: float) -> Result:
    """Way down a slope of 26.0° in 10 s, m: below atan μ = 26.565° nothing slides."""
    return Result(_down(26.0, 10.0, rate), 0.0, 1e-3)


@at_rates("rigid-ramp-slides")
def ramp_slides(rate: float) -> Result:
    """The μ that the way s down a slope of 27.1° in 2 s tells: s = ½ g (sin α − μ cos α) t²."""
    a, t = math.radians(27.1), 2.0
    way = _down(27.1, t, rate)
    return Result(math.tan(a) - 2.0 * way / (G * math.cos(a) * t * t), BOX_FRICTION, 1e-3)
