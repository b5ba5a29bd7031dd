"""Rigid bodies as they are drawn: cloth does not pass through them, whatever their shapes are.

Their shapes push, with friction, as they push everything; but single pieces of cloth give way to
what weighs on them, and layers would be pressed through edges. So when a body has moved, all cloth
is kept on its side of what is drawn (`surface_limit`), and what that gives it in momentum the body
loses.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Ints
from ...coupling.attachment import Attachments
from ...coupling.tied_pieces import tied_of
from ...kernels.jit import kernel
from ...model import Model
from ...model.body_table import MeshTable
from ...model.surface_table import MESHES, BodySurfaceTable
from ...vec3 import ZERO, cross, load, move, rotate, scale, shift, sub


def met_bodies(model: Model) -> BodySurfaceTable:
    """Those that cloth is kept out of: none that any is tied to, for it lies inside."""
    table = model.body_surfaces
    if not len(table) or not (model.surfaces.meets & MESHES).any():
        return _some_of(table, np.zeros(0, dtype=np.int32))
    ties = [tie for tie in model.constraints if isinstance(tie, Attachments)]
    tied = tied_of(model, ties)
    holds = np.zeros(model.owner_count + 1, dtype=bool)
    cloth = np.unique(model.surfaces.triangle)
    rows = tied.row[cloth]
    for row in np.unique(rows[rows >= 0]).tolist():
        holds |= tied.untouched[row] < 4
    kept = np.flatnonzero(~holds[table.body]).astype(np.int32)
    return table if len(kept) == len(table) else _some_of(table, kept)


def _some_of(table: BodySurfaceTable, kept: Ints) -> BodySurfaceTable:
    """Rows ``kept`` of a table."""
    meshes = table.meshes
    vertex, triangle = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int32)]
    first_vertex, first_triangle = [0], [0]
    for m in kept.tolist():
        v, w = meshes.first_vertex[m], meshes.first_vertex[m + 1]
        t, u = meshes.first_triangle[m], meshes.first_triangle[m + 1]
        triangle.append(meshes.triangle[t:u] - v + first_vertex[-1])
        vertex.append(meshes.vertex[v:w])
        first_vertex.append(first_vertex[-1] + w - v)
        first_triangle.append(first_triangle[-1] + u - t)
    return BodySurfaceTable(
        table.body[kept],
        table.friction[kept],
        MeshTable(
            np.array(first_triangle, dtype=np.int32),
            np.concatenate(triangle).astype(np.int32),
            np.array(first_vertex, dtype=np.int32),
            np.concatenate(vertex),
            meshes.two_sided[kept],
        ),
    )


@kernel
def push_bodies(owners, pushed, h):
    """Give bodies what cloth was parted from them with: pushed (b, 2, 3), see `PushedBack`."""
    for b in range(pushed.shape[0]):
        push = load(pushed[b], 0)
        if push == ZERO or owners.inverse_mass[b] == 0.0:
            continue
        turn = sub(load(pushed[b], 1), cross(load(owners.position, b), push))
        shift(owners.velocity, b, owners.inverse_mass[b] / h, push)
        move(owners.spin, b, rotate(owners.inverse_inertia[b], scale(1.0 / h, turn)))
