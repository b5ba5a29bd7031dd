"""Verlet Physics: cloth, ropes and rigid bodies in one position-Verlet solver, without Blender.

    from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance

    builder = ModelBuilder()
    builder.add_particles("ball", [(0, 0, 2)], mass=1.0, radius=0.1, restitution=0.5)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(48):
        state, figures = advance(model, state, FrameInputs(duration=1 / 24), SolverSettings())

Names are imported when they are first used: importing the package does not import Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bodies import body_poses
    from .builder import ModelBuilder
    from .cache import FrameCache
    from .errors import ModelError, SimulationDiverged, VerletError
    from .model import Diagnostics, FrameInputs, Model, State
    from .settings import (
        BodySettings,
        ClothSettings,
        ColliderSettings,
        SolverSettings,
        WindSettings,
    )
    from .step import advance

_HOME = {
    "body_poses": "bodies",
    "ModelBuilder": "builder",
    "FrameCache": "cache",
    "ModelError": "errors",
    "SimulationDiverged": "errors",
    "VerletError": "errors",
    "Diagnostics": "model",
    "FrameInputs": "model",
    "Model": "model",
    "State": "model",
    "BodySettings": "settings",
    "ClothSettings": "settings",
    "ColliderSettings": "settings",
    "SolverSettings": "settings",
    "WindSettings": "settings",
    "advance": "step",
}

__all__ = [
    "BodySettings",
    "ClothSettings",
    "ColliderSettings",
    "Diagnostics",
    "FrameCache",
    "FrameInputs",
    "Model",
    "ModelBuilder",
    "ModelError",
    "SimulationDiverged",
    "SolverSettings",
    "State",
    "VerletError",
    "WindSettings",
    "advance",
    "body_poses",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
