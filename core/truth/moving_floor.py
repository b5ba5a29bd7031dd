"""What lies on a floor that moves steadily goes on as on one at rest (Galileo)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..bench.rigid_scenes import FPS
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..rigid.sleep.stillness import REST_TIME
from ..settings import SolverSettings
from ..step import advance
from .case import Result, case
from .rates import at_rates


def _pile(side: float, velocity: tuple[float, float, float], rate: float) -> Floats:
    """Places (b, 3) m after half a second, as seen from the floor."""
    builder = ModelBuilder()
    half = side / 2
    for k in range(4):
        place = (0.17 * side * k, 0.08 * side * k, 1.05 * half + 1.1 * side * k)
        turn = (1.0, 0.02 * k, 0.03, 0.1 * k)
        about: dict[str, Any] = {"mass": 1.0 + k, "velocity": velocity}
        builder.add_body(f"box {k}", "BOX", (half,) * 3, place, turn, **about)
    builder.add_collider("floor", "BOX", (5, 5, 0.5), (0, 0, -0.5))
    model = builder.finalize()
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    for frame in range(FPS // 2):
        way = np.array(velocity) * (frame + 1) / FPS
        inputs = FrameInputs(duration=1.0 / FPS, collider_position=model.colliders.position + way)
        state, _ = advance(model, state, inputs, settings)
    return state.body_position - np.array(velocity) * state.time


def _drift(side: float, velocity: tuple[float, float, float], rate: float) -> Result:
    """How far a pile on a floor that moves is from where it is on one at rest, m."""
    still = _pile(side, (0.0, 0.0, 0.0), rate)
    return Result(float(np.abs(_pile(side, velocity, rate) - still).max()), 0.0, 1e-6)


for _name, _side, _velocity in (
    ("level", 0.4, (10.0, 0.0, 0.0)),
    ("rising", 0.25, (3.0, -4.0, 2.0)),
):
    at_rates(f"moving-floor-{_name}")(partial(_drift, _side, _velocity))


def _loaded(heap: str, side: float, velocity: tuple[float, float, float]) -> Model:
    """A box, a stack or a pile that rocks for a while before it stands, on a floor."""
    builder = ModelBuilder()
    half = side / 2
    for k in range(1 if heap == "box" else 4):
        place, turn = (0.0, 0.0, half + side * k), (1.0, 0.0, 0.0, 0.0)
        if heap == "pile":
            place = (0.17 * side * k, 0.08 * side * k, 1.05 * half + 1.1 * side * k)
            turn = (1.0, 0.02 * k, 0.03, 0.1 * k)
        about: dict[str, Any] = {"mass": 1.0 + k, "velocity": velocity}
        builder.add_body(f"box {k}", "BOX", (half,) * 3, place, turn, **about)
    builder.add_collider("floor", "BOX", (5, 5, 0.5), (0, 0, -0.5))
    return builder.finalize()


Ride = list[tuple[NDArray[np.bool_], Floats, State]]
"""Of each frame: who sleeps (b,), places (b, 3) m as seen from the floor, and the state."""


def _ride(heap: str, side: float, velocity: tuple[float, float, float], seconds: float) -> Ride:
    """What lies on a floor of a constant velocity."""
    model = _loaded(heap, side, velocity)
    state, ride = model.initial_state(), []
    for frame in range(round(FPS * seconds)):
        way = np.array(velocity) * (frame + 1) / FPS
        inputs = FrameInputs(duration=1.0 / FPS, collider_position=model.colliders.position + way)
        state, _ = advance(model, state, inputs, SolverSettings())
        ride.append((state.body_rest >= REST_TIME, state.body_position - way, state))
    return ride


def _falls_asleep(ride: Ride) -> int:
    """The frame from which on all sleep; one that never comes where any is awake at the end."""
    awake = [k for k, (asleep, _, _) in enumerate(ride) if not asleep.all()]
    return awake[-1] + 1 if awake else 0


def _sleeps(heap: str, side: float, velocity: tuple[float, float, float]) -> Result:
    """How many frames later all sleep on a floor that moves than on one at rest."""
    still = _falls_asleep(_ride(heap, side, (0.0, 0.0, 0.0), 7.0))
    moving = _falls_asleep(_ride(heap, side, velocity, 7.0))
    both = max(still, moving) < round(7.0 * FPS)
    return Result(float(abs(moving - still)) if both else float("nan"), 0.0, 1.0)


def _stays(heap: str, side: float, velocity: tuple[float, float, float]) -> Result:
    """How far sleepers move on their floor in the 3 s after they fell asleep, m."""
    ride = _ride(heap, side, velocity, 7.0)
    first = _falls_asleep(ride)
    slips = [float(np.abs(place - ride[first][1]).max()) for _, place, _ in ride[first:]]
    return Result(max(slips) if len(slips) > FPS // 2 else float("nan"), 0.0, 1e-12)


for _name, _heap, _side, _velocity in (
    ("box-level", "box", 0.4, (10.0, 0.0, 0.0)),
    ("box-rising", "box", 0.1, (0.0, 0.0, 5.0)),
    ("stack-level", "stack", 0.15, (3.0, -4.0, 0.0)),
    ("stack-sinking", "stack", 0.5, (0.0, 0.0, -2.0)),
    ("pile-level", "pile", 0.4, (10.0, 0.0, 0.0)),
    ("pile-rising", "pile", 0.3, (3.0, -4.0, 2.0)),
):
    case(f"moving-floor-sleeps-{_name}")(partial(_sleeps, _heap, _side, _velocity))
    case(f"moving-floor-stays-{_name}")(partial(_stays, _heap, _side, _velocity))


def _thrown_off(velocity: float, heap: str, side: float) -> Result:
    """Mean speed of sleepers in the frame after their floor has stopped, m/s: they go on."""
    model = _loaded(heap, side, (velocity, 0.0, 0.0))
    state = model.initial_state()
    place = model.colliders.position.copy()
    for _ in range(2 * FPS):
        place = place + (velocity / FPS, 0.0, 0.0)
        inputs = FrameInputs(duration=1.0 / FPS, collider_position=place)
        state, _ = advance(model, state, inputs, SolverSettings())
    if not (state.body_rest >= REST_TIME).all():
        return Result(float("nan"), velocity, 0.0)
    inputs = FrameInputs(duration=1.0 / FPS, collider_position=place)
    last, _ = advance(model, state, inputs, SolverSettings())
    speed = (last.body_position - state.body_position)[:, 0] * FPS
    friction = 0.5 * 9.81 / FPS  # m/s that it takes off by the end of the frame
    return Result(float(np.average(speed, weights=model.bodies.mass)), velocity, friction)


case("moving-floor-stops-box")(partial(_thrown_off, 10.0, "box", 0.4))
case("moving-floor-stops-stack")(partial(_thrown_off, 2.0, "stack", 0.2))
