"""Cloth on rigid bodies that move by themselves: whoever goes through what is drawn is told."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..bench.cloth_scenes import MEETS_ITSELF, add_quads, sheet
from ..building.builder import ModelBuilder
from ..model import Diagnostics, FrameInputs, Model, State
from ..recipes.body import add_body
from ..settings import BodySettings, SolverSettings
from ..step import advance
from ..vector import rotation_matrix
from .case import CASES, Result, case
from .crossings import count_crossings
from .layers_on_colliders import BOX_FACES, CUBE, EDGE, SHEET_GAP, VERTICES
from .surfaces import EVERY

FRAMES_LAID = 48


def _laid(half: tuple[float, float, float], mass: float, layers: int, aside: float) -> Model:
    """Sheets over a box on a floor."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    x = CUBE * half + (0.0, 0.0, half[2] + 1e-4)
    settings = BodySettings(mass=mass)
    add_body(builder, "box", x, (1.0, 0.0, 0.0, 0.0), settings, triangles=BOX_FACES)
    p, quads = sheet(VERTICES, VERTICES, EDGE * (VERTICES - 1), EDGE * (VERTICES - 1))
    random = np.random.default_rng(4)
    for number in range(layers):
        away = (aside, 0.0, 2.0 * half[2] + 0.05 + SHEET_GAP * number)
        p_n = p + away + 0.01 * random.normal(size=3) * (1.0, 1.0, 0.0)
        add_quads(builder, p_n, quads, MEETS_ITSELF, name=f"sheet {number}")
    return builder.finalize()


def _counted(model: Model, state: State) -> int:
    """Pairs of triangles of cloth and of what is drawn of the body that intersect."""
    drawn, x = model.body_surfaces.meshes, state.position
    turn = rotation_matrix(state.body_orientation[0])
    body: Floats = drawn.vertex @ turn.T + state.body_position[0]
    faces: Ints = np.concatenate([model.surfaces.triangle, drawn.triangle + len(x)])
    both = count_crossings(np.concatenate([x, body]), faces)
    return both - count_crossings(x, model.surfaces.triangle)


def _told(figures: Diagnostics) -> int:
    """Pairs that are told of the body."""
    return sum(one.pairs for one in figures.crossings if one.other == "box")


def _untold(half: tuple[float, float, float], mass: float, layers: int, aside: float) -> Result:
    """Largest difference of what is told and what is counted, while layers press on a box."""
    model = _laid(half, mass, layers, aside)
    state, most, any_counted = model.initial_state(), 0, False
    for frame in range(1, FRAMES_LAID + 1):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
        if frame % EVERY == 0:
            counted = _counted(model, state)
            any_counted |= counted > 0
            most = max(most, abs(_told(figures) - counted))
    return Result(float(most) if any_counted else np.nan, 0.0, 0.0)


for _name, _half, _mass, _layers, _aside in (
    ("crate", (0.17, 0.14, 0.2), 9.0, 6, 0.06),
    ("plank-on-edge", (0.02, 0.7, 0.25), 6.0, 6, 0.01),
):
    CASES[f"layers-through-a-{_name}-are-told"] = partial(_untold, _half, _mass, _layers, _aside)


@case("cloth-in-a-body-is-told")
def _is_told() -> Result:
    """Pairs that a sheet half in a box is told with, less those counted independently."""
    model = _laid((0.17, 0.14, 0.2), 9.0, 1, 0.06)
    state = model.initial_state()
    state.position[:, 2] -= 0.2
    state.previous[:] = state.position
    state, figures = advance(model, state, FrameInputs(), SolverSettings())
    counted = _counted(model, state)
    return Result(float(_told(figures) - counted) if counted else np.nan, 0.0, 0.0)
