"""What lies on a floor that moves steadily goes on as on one at rest (Galileo)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..settings import SolverSettings
from ..step import advance
from .case import Result
from .rates import at_rates

FPS = 24


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
        inputs = FrameInputs(duration=1.0 / FPS, collider_position=model.collider_position + way)
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
