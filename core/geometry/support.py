"""Volumes of many hulls at once, from their outermost points in 162 directions.

The directions are the vertices of an icosphere. Joining the outermost points as the icosphere
joins its directions gives a closed surface inside the hull: exact for boxes and most bodies of few
corners, a few percent small for round ones. Good enough to choose by, and a matter of arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..arrays import Floats


def _icosphere(splits: int) -> tuple[Floats, NDArray[np.int64]]:
    """Unit vertices and outward triangles of an icosahedron whose faces are split in four."""
    golden = 0.5 * (1.0 + 5.0**0.5)
    signs = [(a, b) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    vertex = np.array([np.roll((0.0, a, b * golden), k) for k in range(3) for a, b in signs])
    vertex /= np.linalg.norm(vertex, axis=1)[:, None]
    i, j, k = np.indices((12, 12, 12)).reshape(3, -1)
    near = vertex @ vertex.T > 0.4
    outward = np.einsum("ij,ij->i", np.cross(vertex[i], vertex[j]), vertex[k]) > 0.1
    keep = (i < j) & (i < k) & near[i, j] & near[j, k] & near[k, i] & outward
    triangle = np.stack([i, j, k], axis=1)[keep]
    for _ in range(splits):
        pairs = np.sort(triangle[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2)
        edge, number = np.unique(pairs, axis=0, return_inverse=True)
        ab, bc, ca = number.reshape(-1, 3).T + len(vertex)
        middle = vertex[edge].sum(axis=1)
        vertex = np.concatenate([vertex, middle / np.linalg.norm(middle, axis=1)[:, None]])
        a, b, c = triangle.T
        corners = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangle = np.concatenate([np.stack(three, axis=1) for three in corners])
    return vertex, triangle


DIRECTION, TRIANGLE = _icosphere(2)


def support_volume(outermost: Floats) -> Floats:
    """Volumes (…,) m³ of bodies given by their outermost points (…, 162, 3) m."""
    x = outermost - outermost.mean(axis=-2, keepdims=True)
    a, b, c = (x[..., TRIANGLE[:, k], :] for k in range(3))
    return np.asarray((a * np.cross(b, c)).sum(axis=(-1, -2)) / 6.0)


def support_area(outermost: Floats) -> Floats:
    """Surfaces (…,) m² of the same bodies."""
    a, b, c = (outermost[..., TRIANGLE[:, k], :] for k in range(3))
    return np.asarray(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=-1).sum(axis=-1))
