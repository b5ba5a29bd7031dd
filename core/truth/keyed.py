"""What begins, ends or is keyed on the way acts exactly from its frame on: flights of parabolas."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from ..arrays import Floats
from ..bench.rigid_scenes import FPS
from ..building.builder import ModelBuilder
from ..forces.weight import Weight
from ..model import FrameInputs, Model
from ..model.field import Field
from ..settings import AnimatedSettings, SolverSettings
from ..step import advance
from .case import Result, case
from .forces import START, VELOCITY
from .rates import at_rates

ROOT_HALF = math.sqrt(0.5)

Keyed = Callable[[int], tuple[FrameInputs, Floats]]
"""What acts in a frame, and the acceleration (3,) m/s² that it makes."""


def _gravity(frame: int) -> tuple[FrameInputs, Floats]:
    """None at first, then the earth's, then up and aside, then less of it from frame to frame."""
    g = (0.0, 0.0, 0.0) if frame < 5 else (0.0, 0.0, -9.81)
    if frame >= 11:
        g = (3.0, -1.0, 6.0)
    if frame >= 16:
        g = (0.0, 0.0, -9.81 + 0.7 * (frame - 16))
    return FrameInputs(duration=1.0 / FPS, gravity=g), np.array(g)


def _field(frame: int) -> tuple[FrameInputs, Floats]:
    """A wind along x that begins in the seventh frame, is keyed to another strength, and ends."""
    blows = {0: 0.0, 1: 40.0, 2: -7.0, 3: 0.0}[min(frame // 6, 3)]
    given = (
        (Field("wind", "WIND", (0, 0, 0), (ROOT_HALF, 0, ROOT_HALF, 0), blows),) if blows else ()
    )
    inputs = FrameInputs(duration=1.0 / FPS, fields=given)
    return inputs, np.array([blows, 0.0, inputs.gravity[2]])


def _factor(frame: int) -> tuple[FrameInputs, Floats]:
    """A wind from the start on, whose hold on the object is keyed."""
    share = (0.0, 1.0, 0.25)[min(frame // 8, 2)]
    given = (Field("wind", "WIND", (0, 0, 0), (ROOT_HALF, 0, ROOT_HALF, 0), 12.0),)
    keyed = (AnimatedSettings(fields=share),)
    inputs = FrameInputs(duration=1.0 / FPS, fields=given, animated=keyed)
    return inputs, np.array([12.0 * share, 0.0, inputs.gravity[2]])


def _particle(share: float = 1.0) -> Model:
    builder = ModelBuilder()
    builder.add_particles("ball", START[None], mass=2.0, velocity=VELOCITY)
    if share != 1.0:
        builder.add_force(Weight(0, np.zeros(1, dtype=np.int32), share))
    return builder.finalize()


def _body() -> Model:
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.1, 0.2, 0.3), tuple(START), mass=5.0, velocity=VELOCITY)
    return builder.finalize()


def _flight_error(
    model: Model, keyed: Keyed, settings: SolverSettings, share: float = 1.0
) -> float:
    """Largest distance in m from exact flight in 1 s; share: of gravity, that it feels."""
    state, worst = model.initial_state(), 0.0
    exact, velocity = START.copy(), VELOCITY.copy()
    for frame in range(FPS):
        inputs, acceleration = keyed(frame)
        acceleration = acceleration - (1.0 - share) * np.array(inputs.gravity)
        state, _ = advance(model, state, inputs, settings)
        exact += velocity / FPS + 0.5 * acceleration / FPS**2
        velocity += acceleration / FPS
        place = state.position if len(state.position) else state.body_position
        worst = max(worst, float(np.abs(place - exact).max()))
    return worst


def _flight(make: Callable[[], Model], keyed: Keyed, rate: float) -> Result:
    settings = SolverSettings(substep_rate=rate)
    return Result(_flight_error(make(), keyed, settings), 0.0, 1e-9)


def _lighter(keyed: Keyed, rate: float) -> Result:
    """A particle that feels a quarter of gravity."""
    settings = SolverSettings(substep_rate=rate)
    return Result(_flight_error(_particle(0.25), keyed, settings, 0.25), 0.0, 1e-9)


for _what, _keyed in (("gravity", _gravity), ("field", _field), ("factor", _factor)):
    at_rates(f"keyed-{_what}")(partial(_flight, _particle, _keyed))
    at_rates(f"keyed-{_what}-body")(partial(_flight, _body, _keyed))

at_rates("keyed-gravity-weight")(partial(_lighter, _gravity))


def _by_integrator(name: str) -> Result:
    """By integrators that take springs as forces."""
    worst = 0.0
    for keyed in (_gravity, _field):
        worst = max(worst, _flight_error(_particle(), keyed, SolverSettings(integrator=name)))
    return Result(worst, 0.0, 1e-9)


for _name in ("LEAPFROG", "VELOCITY_VERLET"):
    case(f"keyed-{_name.lower().replace('_', '-')}")(partial(_by_integrator, _name))
