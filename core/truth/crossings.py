"""Counting where triangles pass through each other: plain NumPy, nothing of the engine.

Two triangles that share no vertex intersect when an edge of one passes through the other. Counted
by signed volumes; edges that only touch a triangle do not count.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints


def _box_pairs(x: Floats, triangle: Ints) -> tuple[Ints, Ints]:
    """Rows of triangles whose boxes overlap and that share no vertex, each pair once."""
    corner = x[triangle]
    low, high = corner.min(axis=1), corner.max(axis=1)
    order = np.argsort(low[:, 0], kind="stable")
    stop = np.searchsorted(low[order, 0], high[order, 0], side="right")
    first, second = [], []
    for n, row in enumerate(order):
        others = order[n + 1 : stop[n]]
        near = (low[others] <= high[row]) & (high[others] >= low[row])
        others = others[near.all(axis=1)]
        first.append(np.full(len(others), row))
        second.append(others)
    a, b = np.concatenate(first), np.concatenate(second)
    apart = ~(triangle[a][:, :, None] == triangle[b][:, None, :]).any(axis=(1, 2))
    return a[apart].astype(np.int32), b[apart].astype(np.int32)


def _volume(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Six times the signed volumes of tetrahedra a, b, c, d, each (m, 3)."""
    return np.asarray((np.cross(b - a, c - a) * (d - a)).sum(axis=1))


def drawn_triangles(x: Floats, quad: Ints) -> Ints:
    """Triangles (2 q, 3) that Blender draws of faces (q, 4) at x (n, 3) m."""
    a, b, c, d = (x[quad[:, k]] for k in range(4))
    folded = (np.cross(b - a, c - a) * np.cross(d - a, c - a)).sum(axis=1) > 0.0
    first = np.where(folded[:, None], quad[:, [0, 1, 3]], quad[:, [0, 1, 2]])
    return np.concatenate(
        [first, np.where(folded[:, None], quad[:, [1, 2, 3]], quad[:, [0, 2, 3]])]
    )


def count_crossings(x: Floats, triangle: Ints) -> int:
    """Pairs of triangles (f, 3) at x (n, 3) m that share no vertex and intersect."""
    triangle = np.asarray(triangle)
    a, b = _box_pairs(x, triangle)
    hit = np.zeros(len(a), dtype=bool)
    for one, other in ((a, b), (b, a)):
        i, j, k = (x[triangle[other, n]] for n in range(3))
        for n in range(3):
            p, q = x[triangle[one, n]], x[triangle[one, (n + 1) % 3]]
            sides = _volume(i, j, k, p) * _volume(i, j, k, q) < 0.0
            turns = np.stack([_volume(p, q, i, j), _volume(p, q, j, k), _volume(p, q, k, i)])
            hit |= sides & ((turns > 0.0).all(axis=0) | (turns < 0.0).all(axis=0))
    return int(hit.sum())
