"""What is left of a solid between planes: its surface clipped, its volume and its hull.

No caps are built where planes cut through: the hull of what is left is spanned by the clipped
surface and by those places inside the solid where three planes meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .hull import Hull, convex_hull
from .mass_properties import hull_mass_properties
from .support import DIRECTION

if TYPE_CHECKING:
    from ..arrays import Floats

ON_PLANE = 1e-7
"""Share of the solid's size within which a vertex counts as on a cutting plane."""

VOLUME_COLUMNS = 60
"""Columns on each side of the grid by which a cell's volume is measured; thirds and fifths fit."""

MOST_CELL_VERTICES = 96
"""Vertices of a cell's hull while cuts are compared."""


Planes = tuple[tuple["Floats", float], ...]
"""Half spaces n·x ≤ offset: unit normals (3,) and offsets in m."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Pieces of lines along z inside a solid: place (n,), (n,), ends (n,), (n,), all in m.

    Each stands for ``area`` m² around it.
    """

    x: Floats
    y: Floats
    bottom: Floats
    top: Floats
    area: float

    def below(self, normal: Floats, offset: float) -> Columns:
        """What lies below a plane: n·x ≤ offset."""
        bottom, top = self.bottom, self.top
        left = offset - normal[0] * self.x - normal[1] * self.y
        if abs(normal[2]) < 1e-9:
            top = np.where(left >= 0.0, top, bottom)
        elif normal[2] > 0.0:
            top = np.minimum(top, left / normal[2])
        else:
            bottom = np.maximum(bottom, left / normal[2])
        return Columns(self.x, self.y, bottom, np.maximum(top, bottom), self.area)

    @property
    def volume(self) -> float:
        """Their volume in m³."""
        return float((self.top - self.bottom).sum() * self.area)


@dataclass(frozen=True, eq=False)
class Solid:
    """A closed surface of corners (t, 3, 3) m facing outward, or a sheet, which has no inside.

    ``coarse`` is a surface of fewer triangles that is close to it, for what need not be exact.
    """

    surface: Floats
    coarse: Floats
    is_closed: bool

    @cached_property
    def size(self) -> float:
        """Its longest side in m."""
        return float(np.ptp(self.surface, axis=(0, 1)).max())

    def columns(self, low: Floats, high: Floats) -> Columns:
        """The inside of the solid within a box as columns along z.

        They stand in the middles of the cells of a grid over the box. A sheet has none.
        """
        extent = high[:2] - low[:2]
        if not self.is_closed or not extent.min() > 0.0:
            none = np.empty(0)
            return Columns(none, none, none, none, 0.0)
        corner = self.surface
        reach = (corner[:, :, :2].min(axis=1) < high[:2]) & (corner[:, :, :2].max(axis=1) > low[:2])
        corner = corner[reach.all(axis=1)]
        step = extent / VOLUME_COLUMNS
        # Columns that a triangle's bounding rectangle may contain, as one long list of pairs.
        grid = (corner[:, :, :2] - low[:2]) / step - 0.5
        first = np.clip(np.ceil(grid.min(axis=1)), 0, VOLUME_COLUMNS).astype(np.int64)
        after = np.clip(np.floor(grid.max(axis=1)) + 1, 0, VOLUME_COLUMNS).astype(np.int64)
        wide = np.maximum(after - first, 0)
        count = wide[:, 0] * wide[:, 1]
        t = np.repeat(np.arange(len(corner)), count)
        k = np.arange(len(t)) - np.repeat(np.cumsum(count) - count, count)
        column = first[t] + np.stack([k // wide[t, 1], k % wide[t, 1]], axis=1)
        # A column on an edge belongs to one of the two triangles: it stands a hair beside it.
        a, b, c = (grid[t, i] - column + (1.3e-9, 2.9e-9) for i in range(3))
        u = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
        v = c[:, 0] * a[:, 1] - c[:, 1] * a[:, 0]
        w = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        hit = ((u > 0) & (v > 0) & (w > 0)) | ((u < 0) & (v < 0) & (w < 0))
        t, column, u, v, w = t[hit], column[hit], u[hit], v[hit], w[hit]
        total = u + v + w
        z = (u * corner[t, 0, 2] + v * corner[t, 1, 2] + w * corner[t, 2, 2]) / total
        number = column[:, 0] * VOLUME_COLUMNS + column[:, 1]
        order = np.lexsort((z, number))
        number, z = number[order], z[order]
        inside = np.cumsum(np.where(total[order] > 0.0, -1, 1))  # in where a face looks down
        solid = np.flatnonzero((inside[:-1] > 0) & (number[:-1] == number[1:]))
        return Columns(
            low[0] + (number[solid] // VOLUME_COLUMNS + 0.5) * step[0],
            low[1] + (number[solid] % VOLUME_COLUMNS + 0.5) * step[1],
            np.maximum(z[solid], low[2]),
            np.minimum(z[solid + 1], high[2]),
            float(step.prod()),
        )

    def contains(self, points: Floats) -> NDArray[np.bool_]:
        """Whether points (n, 3) m lie inside, by the solid angle that the surface covers.

        Van Oosterom & Strackee 1983, eq. 8; Jacobson 2013 for what it says of broken surfaces.
        """
        if not self.is_closed:
            return np.zeros(len(points), dtype=bool)
        a, b, c = (self.coarse[None, :, i] - points[:, None] for i in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        volume = (a * np.cross(b, c)).sum(axis=2)
        dots = (a * b).sum(axis=2) * lc + (b * c).sum(axis=2) * la + (c * a).sum(axis=2) * lb
        return np.asarray(np.arctan2(volume, la * lb * lc + dots).sum(axis=1) > np.pi)


@dataclass(frozen=True, eq=False)
class Cell:
    """The part of a solid below all of ``planes``; surface (t, 3, 3) m is what is left of its.

    The surface may be the solid's coarse one, so that cuts are found faster.
    """

    solid: Solid
    surface: Floats
    planes: Planes = ()

    @cached_property
    def columns(self) -> Columns:
        """The solid within the cell, on a grid over the cell alone."""
        points = self.points  # the surface alone may lie all on one side
        columns = self.solid.columns(points.min(axis=0), points.max(axis=0))
        for normal, offset in self.planes:
            columns = columns.below(normal, offset)
        return columns

    @property
    def volume(self) -> float:
        """Volume in m³ of the solid within the cell; 0 for a sheet."""
        return self.columns.volume

    @cached_property
    def mesh(self) -> tuple[Floats, NDArray[np.int64]]:
        """The surface as vertices (n, 3) m and triangles (t, 3)."""
        points = self.surface.reshape(-1, 3)
        # Rounded, lest rounding errors decide about the order.
        place = np.rint(points / (ON_PLANE * self.solid.size))
        _, first, index = np.unique(place, axis=0, return_index=True, return_inverse=True)
        return points[first], index.reshape(-1, 3)

    @cached_property
    def reach(self) -> Floats:
        """How far each of `points` lies in each of the directions of `support`, (n, 162) m."""
        return self.points @ DIRECTION.T

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """The edges (e, 2) of `mesh`."""
        t = self.mesh[1]
        return np.unique(np.sort(t[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2), axis=0)

    @cached_property
    def looks(self) -> Floats:
        """Twice the area vectors (t, 3) m² of the triangles of `mesh`."""
        x = self.surface
        return np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])

    def _belongs_below(self, normal: Floats, low: Floats, high: Floats) -> NDArray[np.bool_]:
        """Which faces (t,) go below when they lie in the plane.

        Those of a solid go with the side that they bound, those of a sheet with the emptier one.
        low, high (t,): between which heights each face lies.
        """
        if self.solid.is_closed:
            return np.asarray(self.looks @ normal > 0.0)
        return np.full(len(low), not low.min() < 0.0)

    def halves(self, normal: Floats, offset: float) -> tuple[Floats, Floats] | None:
        """Outermost points (162, 3) m of what `cut` gives, without making it.

        Less the corners that this very plane makes inside the solid, which are few.
        """
        vertex, triangle = self.points, self.mesh[1]
        height = vertex @ normal - offset
        height[np.abs(height) <= ON_PLANE * self.solid.size] = 0.0
        low, high = height[triangle].min(axis=1), height[triangle].max(axis=1)
        in_plane = (low == 0.0) & (high == 0.0)
        belongs_below = self._belongs_below(normal, low, high)
        has_below = (low < 0.0) | (in_plane & belongs_below)
        has_above = (high > 0.0) | (in_plane & ~belongs_below)
        start, end = self.edges[height[self.edges[:, 0]] * height[self.edges[:, 1]] < 0.0].T
        share = height[start] / (height[start] - height[end])
        crossing = vertex[start] + (vertex[end] - vertex[start]) * share[:, None]
        outermost = []
        for has, side in ((has_below, height <= 0.0), (has_above, height >= 0.0)):
            mine = np.zeros(len(vertex), dtype=bool)
            mine[len(self.mesh[0]) :] = True
            mine[triangle[has]] = True
            mine = np.flatnonzero(mine & side)
            points = np.concatenate([vertex[mine], crossing])
            if len(points) == 0:
                return None
            reach = np.concatenate([self.reach[mine], crossing @ DIRECTION.T])
            outermost.append(points[reach.argmax(axis=0)])
        return outermost[0], outermost[1]

    @cached_property
    def points(self) -> Floats:
        """Points (n, 3) m whose hull is that of the solid within the cell; `mesh`'s come first."""
        points = self.mesh[0]
        return np.concatenate([points, self._inner_corners(points)])

    @cached_property
    def hull(self) -> Hull | None:
        """The cell's hull, None when it has no width."""
        return convex_hull(self.points, MOST_CELL_VERTICES)

    @cached_property
    def hull_volume(self) -> float:
        """Volume in m³ of the cell's hull."""
        return 0.0 if self.hull is None else hull_mass_properties(self.hull).volume

    @property
    def excess(self) -> float:
        """Volume in m³ that the hull has and the solid has not."""
        return max(self.hull_volume - self.volume, 0.0)

    def _inner_corners(self, points: Floats) -> Floats:
        """Where three of the planes meet inside the solid."""
        found = []
        middle = points.mean(axis=0)
        for trio in combinations(self.planes, 3):
            normals = np.array([n for n, _ in trio])
            if abs(np.linalg.det(normals)) < 1e-3:
                continue
            corner = np.linalg.solve(normals, [offset for _, offset in trio])
            slack = ON_PLANE * self.solid.size
            if all(n @ corner <= offset + slack for n, offset in self.planes):
                found.append(corner)
        if not found:
            return np.empty((0, 3))
        corners = np.array(found)
        # A hair towards the middle, because the planes often run along faces.
        return corners[self.solid.contains(corners + 1e-3 * (middle - corners))]

    def cut(self, normal: Floats, offset: float) -> tuple[Cell, Cell] | None:
        """The cells below and above a plane n·x = offset; None when one of them is empty."""
        x = self.surface
        height = x @ normal - offset
        side = np.where(np.abs(height) <= ON_PLANE * self.solid.size, 0.0, height)
        low, high = side.min(axis=1), side.max(axis=1)
        in_plane = (low == 0.0) & (high == 0.0)
        is_below = (high <= 0.0) & ~(in_plane & ~self._belongs_below(normal, low, high))
        is_above = (low >= 0.0) & ~is_below
        crossing = ~is_below & ~is_above
        below, above = _split(x[crossing], side[crossing])
        below = np.concatenate([x[is_below], below])
        above = np.concatenate([x[is_above], above])
        if len(below) == 0 or len(above) == 0:
            return None
        return (
            Cell(self.solid, below, (*self.planes, (normal, offset))),
            Cell(self.solid, above, (*self.planes, (-normal, -offset))),
        )

    def restored(self) -> Cell | None:
        """The same cell with the solid's own surface instead of a coarser one; None when empty."""
        cell = Cell(self.solid, self.solid.surface)
        for normal, offset in self.planes:
            pair = cell.cut(normal, offset)
            if pair is not None:
                cell = pair[0]
            elif (cell.surface @ normal).mean() > offset:
                return None
        return Cell(self.solid, cell.surface, self.planes)


def _split(x: Floats, side: Floats) -> tuple[Floats, Floats]:
    """Triangles (t, 3, 3) that cross a plane at heights (t, 3), as triangles below and above it."""
    # Turn each so that corner 0 is alone on its side, or in the plane between the other two.
    sign = np.sign(side)
    lonely = np.empty(len(x), dtype=np.int64)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        lonely[
            (sign[:, k] != 0) & (sign[:, k] * sign[:, i] < 0) & (sign[:, k] * sign[:, j] < 0)
        ] = k
        lonely[(sign[:, k] == 0) & (sign[:, i] * sign[:, j] < 0)] = k
    turn = (lonely[:, None] + np.arange(3)) % 3
    row = np.arange(len(x))[:, None]
    x, side = x[row, turn], side[row, turn]
    a, b, c = x[:, 0], x[:, 1], x[:, 2]
    through = side[:, 0] == 0.0
    # Plane through a corner: one triangle on each side.
    h1, h2 = side[through, 1], side[through, 2]
    m = b[through] + (c[through] - b[through]) * (h1 / (h1 - h2))[:, None]
    first = np.stack([a[through], b[through], m], axis=1)
    second = np.stack([a[through], m, c[through]], axis=1)
    up = h1 > 0.0
    below = [first[~up], second[up]]
    above = [first[up], second[~up]]
    # One corner alone: a triangle on its side, two on the other.
    rest = ~through
    a, b, c, h = a[rest], b[rest], c[rest], side[rest]
    p = a + (b - a) * (h[:, 0] / (h[:, 0] - h[:, 1]))[:, None]
    q = a + (c - a) * (h[:, 0] / (h[:, 0] - h[:, 2]))[:, None]
    tip = np.stack([a, p, q], axis=1)
    base = np.concatenate([np.stack([p, b, c], axis=1), np.stack([p, c, q], axis=1)])
    up = h[:, 0] > 0.0
    above += [tip[up], base[np.tile(~up, 2)]]
    below += [tip[~up], base[np.tile(up, 2)]]
    return np.concatenate(below), np.concatenate(above)
