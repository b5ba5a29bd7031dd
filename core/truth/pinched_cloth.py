"""Cloth between its pins and a ball that presses it farther than it can stretch is not flung."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..bench.cloth_scenes import sheet
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, SolverSettings
from ..step import advance
from .case import Result, case

BALL_SPEED = 1.0
"""m/s, of the ball, for a second: it ends far below the sheet, which two borders hold."""


def _fastest(n: int, rate: float) -> Result:
    """Fastest vertex in m/s of a sheet of n vertices a side, above what the ball gives it."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    is_held = np.abs(p[:, 0]) > 0.499
    offsets = np.arange(len(quads) + 1) * 4
    mesh = Geometry.of("sheet", p, (), offsets, quads.reshape(-1))
    settings = ClothSettings(meets_itself=True, bend=0.6)
    add_cloth(builder, mesh, settings, pin_weight=is_held.astype(float))
    above = np.array([0.23, 0.1, 0.3])
    builder.add_collider("ball", "SPHERE", (0.2,), (0.23, 0.1, 0.3))
    model = builder.finalize()
    state, fastest = model.initial_state(), 0.0
    for frame in range(1, 40):
        ball = above - (0.0, 0.0, BALL_SPEED * min(frame / 24.0, 1.0))
        inputs = FrameInputs(collider_position=ball[None])
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
        way = np.linalg.norm(state.position - state.previous, axis=1)
        fastest = max(fastest, float(way.max()) / state.step)
    return Result(max(fastest - BALL_SPEED, 0.0), 0.0, 70.0)


for _n, _rate in ((8, 240), (8, 480), (14, 240), (14, 480)):
    case(f"pinched-cloth-{_n}-{_rate}")(partial(_fastest, _n, float(_rate)))
