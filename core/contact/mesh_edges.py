"""Neighbours of the triangles of a mesh. Only who is whose neighbour: the mesh may move."""

from __future__ import annotations

import numpy as np

from ..model import Ints


def opposite_corners(triangle: Ints) -> Ints:
    """For each edge of each triangle the corner of the triangle beyond it.

    triangle (t, 3) rows of vertices; several meshes may stand in one table, for they share no
    vertices. Returns (t, 3): for edge k, between corners k and k + 1, the third corner of the
    other triangle at it, or -1 where the surface ends or more than two triangles meet.
    """
    triangle = np.asarray(triangle, dtype=np.int64).reshape(-1, 3)
    count = len(triangle)
    opposite = np.full((count, 3), -1, dtype=np.int32)
    if count == 0:
        return opposite
    ends = np.sort(np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2), 1)
    third = np.roll(triangle, -2, axis=1).reshape(-1)
    _, edge, uses = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    edge = edge.reshape(-1)
    order = np.argsort(edge, kind="stable")
    first = np.concatenate([[0], np.cumsum(uses)[:-1]])
    pairs = first[uses == 2]
    one, other = order[pairs], order[pairs + 1]
    flat = opposite.reshape(-1)
    flat[one] = third[other]
    flat[other] = third[one]
    return opposite
