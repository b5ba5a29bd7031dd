"""Neighbours of the triangles of a mesh. Only who is whose neighbour: the mesh may move."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..arrays import Ints
from ..model.body_table import ShapeTable
from ..model.once import once_for_each
from ..pairs import counted_pairs

MeshEdges = namedtuple(
    "MeshEdges",
    [
        # (t, 3) for the edge between corners k and k + 1 of each triangle the third corner of the
        # triangle beyond it, -1 where the surface ends or more than two triangles meet
        "opposite",
        "ring_start",  # (v + 1,) first entry of each vertex in ring
        "ring",  # vertices at the other ends of its edges
    ],
)


def mesh_edges(triangle: Ints, vertex_count: int) -> MeshEdges:
    """Neighbours in a table of triangles (t, 3), which may hold several meshes.

    Meshes in one table share no vertices.
    """
    corner = np.asarray(triangle, dtype=np.int64).reshape(-1, 3)
    opposite = np.full(corner.size, -1, dtype=np.int32)
    ends = np.sort(np.stack([corner, np.roll(corner, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    third = np.roll(corner, -2, axis=1).reshape(-1)
    edge, row, uses = counted_pairs(ends)
    order = np.argsort(row, kind="stable")
    pairs = (np.cumsum(uses) - uses)[uses == 2]
    one, other = order[pairs], order[pairs + 1]
    opposite[one] = third[other]
    opposite[other] = third[one]
    both = np.concatenate([edge, edge[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    start = np.searchsorted(both[:, 0], np.arange(vertex_count + 1))
    return MeshEdges(
        opposite.reshape(-1, 3), start.astype(np.int32), both[:, 1].astype(np.int32).copy()
    )


@once_for_each
def edges_of(table: ShapeTable) -> MeshEdges:
    """Neighbours in all meshes among the shapes."""
    return mesh_edges(table.meshes.triangle, len(table.meshes.vertex))
