"""Which triangles of a mesh belong to closed parts, and which way those face."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..pairs import counted_pairs
from .solid import WELD_SHARE
from .surface import connected_parts

OPEN_PART_SHARE = 0.1
"""A part whose holes, were they round, are more than this share of its surface encloses nothing."""


def facing(points: Floats, triangle: Ints) -> Ints:
    """For each triangle (t, 3) over points (n, 3) m: 1 faces out of a closed part, −1 into it.

    0 for what encloses nothing: sheets and open vessels. Doubled vertices count as one.
    """
    out = np.zeros(len(triangle), dtype=np.int32)
    if not len(triangle):
        return out
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-300)
    place = np.rint((points - low) / (WELD_SHARE * size)).astype(np.int64)
    _, one = np.unique(place, axis=0, return_inverse=True)
    corner = one.reshape(-1)[triangle]
    ends = np.concatenate([corner[:, [0, 1]], corner[:, [1, 2]], corner[:, [2, 0]]])
    label = connected_parts(int(corner.max()) + 1, ends.astype(np.int32))[corner[:, 0]]
    a, b, c = (points[triangle[:, k]] - low for k in range(3))
    count = int(label.max()) + 1
    cross = np.cross(b - a, c - a)
    area = np.bincount(label, 0.5 * np.linalg.norm(cross, axis=1), count)
    volume = np.bincount(label, (a * np.cross(b, c)).sum(axis=1) / 6.0, count)
    _, row, uses = counted_pairs(np.sort(ends, axis=1))
    is_border = uses[row] == 1
    border = points[np.roll(triangle, -1, axis=1).T.reshape(-1)] - points[triangle.T.reshape(-1)]
    around = np.bincount(np.tile(label, 3), np.linalg.norm(border, axis=1) * is_border, count)
    is_open = around**2 / (4.0 * np.pi) > OPEN_PART_SHARE * area
    sign = np.where(is_open | (abs(volume) < 1e-9 * area**1.5), 0.0, np.sign(volume))
    out[:] = sign[label]
    return out
