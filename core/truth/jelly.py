"""What is soft and alike on all sides stays where it falls."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..bench.shapes import ball, globe
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..presets import PRESETS
from ..recipes.geometry import Geometry
from ..recipes.soft_body import add_soft_body
from ..settings import SoftBodySettings, SolverSettings
from ..step import advance
from .case import Result, case

JELLY = PRESETS["SOFT_BODY"]["JELLY"].settings


def _rolls(shape: Geometry, settings: SoftBodySettings, height: float, rate: float) -> Result:
    """Farthest that a ball's centre of mass gets from its plumb line in five seconds, mm."""
    x = shape.positions + (0.0, 0.0, height - shape.positions[:, 2].min())
    builder = ModelBuilder()
    faces = (shape.face_offsets, shape.face_vertices)
    add_soft_body(builder, Geometry.of("ball", x, (), *faces), settings)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    state = model.initial_state(step=1.0 / rate)
    share = model.particles.mass / model.particles.mass.sum()
    begin, farthest = share @ state.position[:, :2], 0.0
    for _ in range(24 * 5):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=rate))
        away = np.linalg.norm(share @ state.position[:, :2] - begin)
        farthest = max(farthest, float(away))
    return Result(1e3 * farthest, 0.0, 1.0)


for _name, _shape, _settings, _height, _rate in (
    ("ball-258", ball(2, 0.5), JELLY, 0.5, 480.0),
    ("ball-1026", ball(3, 0.3), SoftBodySettings(), 0.3, 480.0),
    ("ball-66", ball(1, 1.0), SoftBodySettings(stiffness=0.1, shape=0.2), 0.0, 240.0),
    ("globe-266", globe(24, 12, 0.15), JELLY, 0.1, 960.0),
    ("globe-482", globe(32, 16, 0.5), SoftBodySettings(), 0.5, 480.0),
    ("globe-114", globe(16, 8, 0.5), SoftBodySettings(stiffness=0.9, shape=0.9), 0.5, 480.0),
):
    case(f"jelly-rolls-{_name}")(partial(_rolls, _shape, _settings, _height, _rate))
