"""Compile everything ahead: run the smallest scene that reaches every kernel."""

from __future__ import annotations

import time

import numpy as np

from . import jit
from .bodies import body_poses
from .builder import ModelBuilder
from .model import FrameInputs, Model
from .recipes.cloth import add_cloth
from .settings import ClothSettings, SolverSettings, WindSettings
from .step import advance


def warm_up() -> float:
    """Compile every kernel into the cache folder (or load it from there); returns seconds."""
    start = time.perf_counter()
    model = _smallest_of_everything()
    inputs = FrameInputs(duration=1 / 240, wind=WindSettings(velocity=(1.0, 0.0, 0.0)))
    state = model.initial_state()
    for threads in {1, jit.thread_limit()}:
        state, _ = advance(model, state, inputs, SolverSettings(threads=threads))
    body_poses(model, state)
    jit.mark_warm()
    return time.perf_counter() - start


def _smallest_of_everything() -> Model:
    """A pinned quad, two bodies that touch it and each other, and a floor."""
    builder = ModelBuilder()
    add_cloth(
        builder,
        "quad",
        [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
        np.zeros((0, 2), dtype=np.int32),
        [0, 4],
        [0, 1, 2, 3],
        [True, False, False, False],
        ClothSettings(),
    )
    builder.add_body("box", "BOX", (0.5,) * 3, (0.5, 0.5, 0.5), mass=1.0, restitution=0.1)
    builder.add_body("ball", "SPHERE", (0.5,), (1.5, 0.5, 0.5), mass=1.0)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return builder.finalize()
