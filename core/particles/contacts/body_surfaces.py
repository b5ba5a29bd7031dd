"""Rigid bodies as they are drawn: cloth does not pass through them, whatever their shapes are.

Their shapes push, with friction, as they push everything; but single pieces of cloth give way to
what weighs on them, and layers would be pressed through edges. So when a body has moved, all cloth
is kept on its side of what is drawn (`surface_limit`), and what that gives it in momentum the body
loses.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Ints
from ...coupling.tied_pieces import tied_of
from ...coupling.tying import ties_of
from ...kernels.jit import kernel
from ...model import Model
from ...model.body_table import MeshTable
from ...model.surface_table import MESHES, BodySurfaceTable
from ...vec3 import ZERO, cross, load, move, rotate, scale, shift, sub


def met_bodies(model: Model) -> BodySurfaceTable:
    """Those that cloth is kept out of: no single body that any is tied to, for it lies inside.

    Skins are met by all but what hangs on them: see `hanging`.
    """
    table = model.body_surfaces
    if not len(table) or not (model.surfaces.meets & MESHES).any():
        return _some_of(table, np.zeros(0, dtype=np.int32))
    tied = tied_of(model, ties_of(model.constraints))
    holds = np.zeros(model.owner_count + 1, dtype=bool)
    cloth = np.unique(model.surfaces.triangle)
    rows = tied.row[cloth]
    for row in np.unique(rows[rows >= 0]).tolist():
        holds |= tied.untouched[row] < 4
    kept = np.flatnonzero(table.is_skin | ~holds[table.body[table.first_body[:-1]]])
    return table if len(kept) == len(table) else _some_of(table, kept.astype(np.int32))


def hanging(model: Model, table: BodySurfaceTable) -> Ints:
    """Particles (p,) tied to what carries a skin: they lie in it or on it, as they like."""
    carriers = np.zeros(model.owner_count + 1, dtype=bool)
    for m in np.flatnonzero(table.is_skin).tolist():
        carriers[table.body[table.first_body[m] : table.first_body[m + 1]]] = True
    found = [
        tie.particle.reshape(-1) for tie in ties_of(model.constraints) if carriers[tie.body].any()
    ]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *found])).astype(np.int32)


def _some_of(table: BodySurfaceTable, kept: Ints) -> BodySurfaceTable:
    """Rows ``kept`` of a table."""
    meshes = table.meshes
    body, body_count = _runs(table.body, table.first_body, kept)
    vertex, vertex_count = _runs(meshes.vertex, meshes.first_vertex, kept)
    triangle, triangle_count = _runs(meshes.triangle, meshes.first_triangle, kept)
    moved = np.cumsum(vertex_count) - vertex_count - meshes.first_vertex[kept]
    triangle = triangle + np.repeat(moved, triangle_count)[:, None]
    held, _ = _runs(np.diff(table.first_hold), meshes.first_vertex, kept)
    hold, _ = _runs(table.hold, table.first_hold[meshes.first_vertex], kept)
    return BodySurfaceTable(
        _bounds(body_count),
        body,
        table.friction[kept],
        MeshTable(
            _bounds(triangle_count),
            triangle.astype(np.int32),
            _bounds(vertex_count),
            vertex,
            meshes.two_sided[kept],
        ),
        _bounds(held),
        hold,
    )


def _runs(values: np.ndarray, first: Ints, kept: Ints) -> tuple[np.ndarray, Ints]:
    """The runs ``kept`` of values, one behind the other, and how long each is."""
    found = [values[first[m] : first[m + 1]] for m in kept.tolist()]
    count = np.array([len(run) for run in found], dtype=np.int32)
    return np.concatenate([values[:0], *found]), count


def _bounds(counts: Ints) -> Ints:
    """Where so long runs begin, and the last one ends."""
    return np.cumsum(np.append(0, counts)).astype(np.int32)


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
