"""Layers of cloth on what has edges or is thinner than their faces: none goes through, or off it.

The shape is left to Automatic, as users leave it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..bench.cloth_scenes import MEETS_ITSELF, add_quads, sheet
from ..bench.collider_scenes import round_mesh
from ..bench.tower_scenes import BOX_FACES, CUBE, EDGE, VERTICES
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..recipes.collider import add_collider
from ..settings import ColliderSettings, SolverSettings
from ..step import advance
from .case import CASES, Result
from .crossings import count_crossings

SHEET_GAP = 0.03  # m, of the sheets


def _rod(radius: float, sides: int) -> tuple[Floats, Ints]:
    """A closed prism of some sides, 1.5 m long, about Y."""
    turn = 2.0 * np.pi * np.arange(sides) / sides
    ring = radius * np.stack([np.cos(turn), 0.0 * turn, np.sin(turn)], axis=1)
    ends = [(0.0, -0.75, 0.0), (0.0, 0.75, 0.0)]
    x = np.concatenate([ring - (0.0, 0.75, 0.0), ring + (0.0, 0.75, 0.0), ends])
    i = np.arange(sides)
    j = (i + 1) % sides
    first, last = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    quads = [
        (i, sides + i, sides + j),
        (i, sides + j, j),
        (first, i, j),
        (last, sides + j, sides + i),
    ]
    return x, np.concatenate([np.stack(t, axis=1) for t in quads]).astype(np.int32)


def _through(x: Floats, faces: Ints, layers: int, aside: float) -> Result:
    """Most pairs of triangles of cloth and collider that intersect within 2.5 s."""
    builder = ModelBuilder()
    size = EDGE * (VERTICES - 1)
    p, quads = sheet(VERTICES, VERTICES, size, size)
    random = np.random.default_rng(1)
    for number in range(layers):
        away = (aside, 0.0, x[:, 2].max() + 0.05 + SHEET_GAP * number)
        p_n = p + away + 0.01 * random.normal(size=3) * (1.0, 1.0, 0.0)
        add_quads(builder, p_n, quads, MEETS_ITSELF, name=f"sheet {number}")
    add_collider(
        builder,
        "collider",
        x,
        (1.0, 0.0, 0.0, 0.0),
        ColliderSettings(),
        faces,
        True,
        cloth_edge=EDGE,
    )
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, -0.7))
    model = builder.finalize()
    state, most = model.initial_state(), 0
    triangle = np.concatenate([model.surfaces.triangle, faces + len(state.position)])
    for frame in range(60):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        if frame % 6 == 5:
            both = np.concatenate([state.position, x])
            most = max(most, count_crossings(both, triangle))
    return Result(float(most), 0.0, 0.0)


for _name, _solid, _layers, _aside in (
    ("rail", (CUBE * (0.02, 0.75, 0.02), BOX_FACES), 3, 0.0),
    ("beam", (CUBE * (0.075, 0.75, 0.075), BOX_FACES), 8, 0.01),
    ("chest", (CUBE * (0.3, 0.2, 0.2), BOX_FACES), 6, 0.07),
    ("rod", _rod(0.03, 12), 5, 0.02),
    ("ball", round_mesh(24, 12, 0.04), 5, 0.02),
    ("wide-ball", round_mesh(32, 16, 0.25), 4, 0.02),
):
    CASES[f"layers-on-{_name}"] = partial(_through, *_solid, _layers, _aside)
