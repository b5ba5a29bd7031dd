"""Which side of the line along which a surface is gone through is the smaller one: it goes back.

Where two surfaces intersect, edges of either pass through the other. Those are cut: what still
hangs together without them is one region, and a cut edge leads from one region to the next, which
is on the other side. So the vertices of a surface fall into two classes, of which the smaller, by
its area, has come through; what is pinned counts for far more, for it cannot go. Where the line
ends within the surface, nothing is parted by it, and neither end of its edges has come through.

Regions: Baraff, Witkin & Kass 2003, "Untangling Cloth"; found by union–find that knows of each
vertex on which side of its root it is.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import Floats, Ints
from ...islands import join_by_side, root_and_side
from ...kernels.jit import kernel, lean_inline

PINNED = 1e6
"""How much more than its area a vertex that is held counts for."""

Sides = namedtuple(
    "Sides",
    [
        "area",  # (n,) m², of a vertex at rest
        "has_come",  # (n,) 1 for vertices that have come through
        "parent",  # (n,) another vertex of the same tree, itself for a root
        "is_other",  # (n,) 1 where it is on the other side than that one
        "total",  # (n, 2) m², of a root: areas on its own side and on the other one
        "is_cut",  # (n,) 1 for ends of cut edges
    ],
)


def sides_room(triangle: Ints, rest: Floats) -> Sides:
    """Room for vertices at rest (n, 3) m and triangles (f, 3)."""
    count = len(rest)
    a, b, c = (rest[triangle[:, k]] for k in range(3))
    third = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
    area = np.bincount(triangle.reshape(-1), weights=np.repeat(third, 3), minlength=count)
    has_come, parent, is_other, is_cut = np.zeros((4, count), dtype=np.int32)
    return Sides(area, has_come, parent, is_other, np.zeros((count, 2)), is_cut)


def edge_keys(edge: Ints, count: int, by_parity: bool) -> Ints:
    """Edges (m, 2) of ``count`` vertices as numbers, rising, each once.

    by_parity: without those that are there an even number of times.
    """
    low, high = edge.min(axis=1).astype(np.int64), edge.max(axis=1).astype(np.int64)
    keys, times = np.unique(low * count + high, return_counts=True)
    is_cut = times % 2 == 1 if by_parity else times > 0
    found: Ints = keys[is_cut]
    return found


@lean_inline
def _is_among(keys, key):
    """Whether rising numbers have that one."""
    low, high = 0, keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < keys.shape[0] and keys[low] == key


@kernel
def find_sides(sides, rows, triangle, keys, inverse_mass):
    """Tell for the vertices of the triangles ``rows`` which have come through.

    keys: their edges that pass through the other surface, see `edge_keys`.
    """
    count = sides.parent.shape[0]
    for n in range(rows.shape[0]):
        for k in range(3):
            v = triangle[rows[n], k]
            sides.parent[v] = v
            sides.is_other[v] = sides.is_cut[v] = 0
            sides.total[v, 0] = sides.total[v, 1] = 0.0
    for n in range(keys.shape[0]):
        sides.is_cut[keys[n] // count] = sides.is_cut[keys[n] % count] = 1
    for n in range(rows.shape[0]):
        for k in range(3):
            i, j = triangle[rows[n], k], triangle[rows[n], (k + 1) % 3]
            if sides.is_cut[i] == 1 and sides.is_cut[j] == 1:
                low, high = min(i, j), max(i, j)
                if _is_among(keys, np.int64(low) * count + high):
                    continue
            join_by_side(sides.parent, sides.is_other, i, j, 0)
    for n in range(keys.shape[0]):
        join_by_side(sides.parent, sides.is_other, keys[n] // count, keys[n] % count, 1)
    _choose(sides, rows, triangle, inverse_mass)


@lean_inline
def _choose(sides, rows, triangle, inverse_mass):
    """Of both sides the smaller has come through."""
    for n in range(rows.shape[0]):
        for k in range(3):
            sides.has_come[triangle[rows[n], k]] = -1  # not counted yet
    for n in range(rows.shape[0]):
        for k in range(3):
            v = triangle[rows[n], k]
            if sides.has_come[v] < 0:
                sides.has_come[v] = 0
                root, other = root_and_side(sides.parent, sides.is_other, v)
                held = PINNED if inverse_mass[v] == 0.0 else 1.0
                sides.total[root, other] += held * sides.area[v]
    for n in range(rows.shape[0]):
        for k in range(3):
            v = triangle[rows[n], k]
            root, other = root_and_side(sides.parent, sides.is_other, v)
            smaller = 1 if sides.total[root, 1] <= sides.total[root, 0] else 0
            sides.has_come[v] = 1 if other == smaller else 0
