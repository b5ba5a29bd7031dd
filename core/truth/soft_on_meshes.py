"""Soft bodies fall on mesh colliders with edges and points: no triangle passes through another."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..bench.rigid_scenes import FPS
from ..bench.shapes import ball, cube
from ..building.builder import ModelBuilder
from ..collision.shape import Shape, Surface
from ..model import FrameInputs
from ..recipes.geometry import Geometry
from ..recipes.soft_body import add_soft_body
from ..settings import SoftBodySettings, SolverSettings
from ..step import advance
from .case import Result
from .crossings import count_crossings
from .rates import at_rates

FALLING_FRAMES = 60
COMES_APART = 1.0  # s, that a start inside of the collider may take

Form = tuple[Floats, Ints]
"""Places (v, 3) m of a mesh and its triangles (f, 3)."""


def _turned(form: Form, angle: float) -> Form:
    """The same form, turned about the vertical."""
    c, s = np.cos(angle), np.sin(angle)
    return form[0] @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]), form[1]


def _cone(corners: int, radius: float, height: float) -> Form:
    """A point that looks up, with a closed foot."""
    angle = np.arange(corners) * 2.0 * np.pi / corners
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * angle], axis=1)
    k, n = np.arange(corners), (np.arange(corners) + 1) % corners
    tip, foot = np.full(corners, corners), np.full(corners, corners + 1)
    triangle = np.concatenate([np.stack([k, n, tip], axis=1), np.stack([n, k, foot], axis=1)])
    return np.vstack([rim, (0.0, 0.0, height), (0.0, 0.0, 0.0)]), triangle.astype(np.int32)


def _block(x: float, y: float, z: float, top: float = 1.0) -> Form:
    """A block of half extents x, y on the floor and height z; its top is ``top`` times as wide."""
    corner = np.array([(a, b, c) for c in (0, 1) for b in (-1, 1) for a in (-1, 1)], dtype=float)
    corner[4:, 0] *= top
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangle = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return corner * (x, y, z), np.array(triangle, dtype=np.int32)


def _crossings(body: Geometry, form: Form, density: float, skip: float, rate: float) -> Result:
    """Most pairs of triangles that pass through each other in any frame after ``skip`` s."""
    builder = ModelBuilder()
    add_soft_body(builder, body, SoftBodySettings(density=density))
    shape = Shape.of("rock", "MESH", surface=Surface(*form))
    builder.add_collider_shapes("rock", [shape], (0.0, 0.0, 0.0))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, -1.0))
    model = builder.finalize()
    state, settings = model.initial_state(), SolverSettings(substep_rate=rate)
    triangle = np.concatenate([body.triangles, form[1] + len(state.position)])
    most = 0
    for frame in range(FALLING_FRAMES):
        state, _ = advance(model, state, FrameInputs(), settings)
        if frame >= skip * FPS:
            most = max(most, count_crossings(np.vstack([state.position, form[0]]), triangle))
    return Result(float(most), 0.0, 0.0)


_ROOF = _turned(_block(0.2, 1.0, 0.4, top=0.02), 0.3)
_FENCE = _turned(_block(0.02, 0.5, 0.5), 0.7)
_BESIDE = (0.05, 0.03)  # m, beside the middle

for _name, _body, _form, _density in (
    ("edge-cube", cube(0.5, (*_BESIDE, 0.9)), _ROOF, 200.0),
    ("edge-ball", ball(2, 0.3, (*_BESIDE, 0.9)), _ROOF, 200.0),
    ("edge-heavy", ball(1, 0.3, (0.0, 0.03, 0.75)), _ROOF, 2000.0),
    ("wall-cube", cube(0.5, (*_BESIDE, 1.1)), _FENCE, 200.0),
    ("wall-coarse-ball", ball(1, 0.3, (*_BESIDE, 1.1)), _FENCE, 200.0),
    ("wall-ball", ball(2, 0.3, (*_BESIDE, 1.1)), _FENCE, 200.0),
    ("point-ball", ball(3, 0.3, (*_BESIDE, 1.0)), _cone(8, 0.3, 0.5), 200.0),
    ("needle-cube", cube(0.5, (*_BESIDE, 1.0)), _cone(5, 0.05, 0.5), 200.0),
):
    at_rates(f"soft-on-mesh-{_name}")(partial(_crossings, _body, _form, _density, 0.0))

_SLAB = _block(1.0, 1.0, 0.2)
for _deep in (0.01, 0.03):
    for _name, _body in (
        ("ball", ball(2, 0.3, (*_BESIDE, 0.5 - _deep))),
        ("cube", cube(0.4, (*_BESIDE, 0.4 - _deep))),
    ):
        _case = partial(_crossings, _body, _SLAB, 200.0, COMES_APART)
        at_rates(f"soft-starts-in-mesh-{_name}-{1e3 * _deep:.0f}-mm")(_case)
