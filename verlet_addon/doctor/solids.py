"""What encloses a volume, and which points lie inside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

if TYPE_CHECKING:
    from ...core.arrays import Floats, Ints
    from ..inputs.participant import Participant

ASKEW = Vector((0.36, 0.48, 0.8))
"""Along no edge of what people model: a ray that meets an edge would count two faces or none."""

FLAT_SHARE = 1e-5
"""Of its size: what is thinner is a sheet."""


class SolidCollider:
    """A closed or flat mesh of something rigid, in the world."""

    def __init__(self, participant: Participant) -> None:
        self.uid = participant.uid
        self.name = participant.name
        points = participant.solid_points
        triangles = participant.outward_triangles
        self.lower, self.upper = points.min(axis=0), points.max(axis=0)
        self._tree = BVHTree.FromPolygons(points.tolist(), triangles.tolist())
        self.is_closed = _is_closed(points, triangles)
        self.is_flat = _is_flat(points)

    def pushes(self, points: Floats, depth: float) -> tuple[Ints, Floats]:
        """Rows of points (n, 3) deeper inside than ``depth`` (m), and what brings each out (k, 3).

        A flat sheet has those inside that it parts from most of the others.
        """
        near = ((points > self.lower - depth) & (points < self.upper + depth)).all(axis=1)
        rows = np.flatnonzero(near)
        if self.is_flat:
            return self._beyond(points, depth)
        found, ways = [], []
        for row in rows.tolist() if self.is_closed else []:
            point = Vector(points[row])
            place, normal, _, distance = self._tree.find_nearest(point)
            if distance > depth and (point - place).dot(normal) < 0.0 and self._is_odd(point):
                found.append(row)
                ways.append(place - point)
        return np.array(found, np.int32), np.array(ways).reshape(-1, 3)

    def _is_odd(self, point: Vector) -> bool:
        """Whether a ray leaves through an odd number of faces."""
        count, start = 0, point
        while (hit := self._tree.ray_cast(start, ASKEW))[0] is not None:
            count += 1
            start = hit[0] + 1e-6 * max(1.0, hit[0].length) * ASKEW
        return count % 2 == 1

    def _beyond(self, points: Floats, depth: float) -> tuple[Ints, Floats]:
        """Of points on both sides of a sheet, over its faces: those on the side where fewer are."""
        ways = np.zeros((len(points), 3))
        side = np.zeros(len(points))
        near = np.ptp(points, axis=0).max()
        for row, point in enumerate(points.tolist()):
            place, normal, _, distance = self._tree.find_nearest(Vector(point), near)
            if place is None:
                continue
            way = place - Vector(point)
            if abs(abs(way.dot(normal)) - distance) <= FLAT_SHARE * near and distance > depth:
                side[row], ways[row] = -np.sign(way.dot(normal)), way
        less = -1.0 if (side < 0.0).sum() <= (side > 0.0).sum() else 1.0
        if not (side == -less).any():
            return np.zeros(0, np.int32), np.zeros((0, 3))
        found = np.flatnonzero(side == less).astype(np.int32)
        return found, ways[found]


def _is_closed(points: Floats, triangles: Ints) -> bool:
    """Whether each edge lies between two triangles, places that are equal taken for one."""
    _, same = np.unique(points.round(6), axis=0, return_inverse=True)
    corners = same.reshape(-1)[triangles].astype(np.int64)
    ends = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), 1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    _, uses = np.unique(ends[:, 0] * len(points) + ends[:, 1], return_counts=True)
    return len(uses) > 0 and bool((uses == 2).all())


def _is_flat(points: Floats) -> bool:
    """Whether all points lie in one plane."""
    away = points - points.mean(axis=0)
    spread = np.linalg.eigvalsh(away.T @ away)
    return bool(spread[0] <= FLAT_SHARE**2 * spread[-1])
