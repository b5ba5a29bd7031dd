"""Convex hulls: the smallest convex body around a cloud of points, with polygons for faces.

Quickhull (Barber, Dobkin & Huhdanpaa 1996, "The Quickhull Algorithm for Convex Hulls") on points
that are snapped to a grid of 2²⁰ steps along the longest side. There the test "is this point
above that face?" is a sum of products of integers that fits into 64 bits, so it is exact and the
hull cannot come out with crossed or missing faces. The vertices returned are the points
themselves, not the snapped ones. Faces that lie in one plane to within a share of the size are
merged into a polygon.

Points are added farthest first, so a hull that is cut off after a number of vertices is the best
that this greedy order gives, and the distance of the farthest point left out is known.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

    Triple = tuple[int, int, int]

GRID_STEPS = 2**20
"""Steps of the grid along the longest side. More would not fit: |n·(x − a)| ≤ 3·2⁶¹ < 2⁶³."""

HARDLY_ABOVE = 4.0
"""Steps of the grid within which a point counts as on the hull: 4e-6 of the longest side."""

COPLANAR = 1e-5
"""Share of the longest side by which the corners of one polygon may leave its plane."""

FLAT_POINTS = 1e-4
"""Points thinner than this share of their length are flat, or a line."""

PLATE_SHARE = 1e-3
"""Thickness that flat points are given, as a share of their length."""

DEFAULT_LIMIT = 32
"""Vertices of a hull for contacts, unless said otherwise."""


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex polyhedron. v vertices, f faces, c corners of faces, e edges.

    Every vertex has at least three faces; V − E + F = 2.
    """

    vertex: Floats  # (v, 3) m
    face_start: Ints  # (f + 1,) first corner of each face
    face_corner: Ints  # (c,) vertices of the faces, counter-clockwise seen from outside
    face_normal: Floats  # (f, 3) unit, outward
    face_offset: Floats  # (f,) m, n·x ≤ offset for every vertex, = on the face
    edge: Ints  # (e, 4) vertex a < vertex b, face that runs from a to b, face that runs back
    deviation: float = 0.0  # m, how far the farthest given point stands out of a face

    @property
    def triangles(self) -> Ints:
        """Fans (t, 3) over the faces, counter-clockwise seen from outside."""
        return _fans(self.face_start, self.face_corner)[0]

    def in_frame(self, centre: ArrayLike, axes: ArrayLike) -> Hull:
        """The same hull seen from a frame at ``centre`` (3,) m with the columns of axes (3, 3)."""
        c, r = np.asarray(centre, dtype=np.float64), np.asarray(axes, dtype=np.float64)
        return Hull(
            np.ascontiguousarray((self.vertex - c) @ r),
            self.face_start,
            self.face_corner,
            np.ascontiguousarray(self.face_normal @ r),
            self.face_offset - self.face_normal @ c,
            self.edge,
            self.deviation,
        )

    def scaled(self, scale: float) -> Hull:
        """The same hull, ``scale`` times as large as seen from the origin."""
        return Hull(
            scale * self.vertex,
            self.face_start,
            self.face_corner,
            self.face_normal,
            scale * self.face_offset,
            self.edge,
            scale * self.deviation,
        )


def convex_hull(points: ArrayLike, limit: int | None = None) -> Hull | None:
    """The convex hull of points (n, 3) m, of at most ``limit`` (at least 8) vertices.

    Flat points (thinner than `FLAT_POINTS` of their length, which is that from one extreme point to
    the farthest from it) become a plate of thickness `PLATE_SHARE` of it. Returns None for points
    on one line (just as thin twice over) or in one place, and for none at all.
    """
    x = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    if len(x) == 0:
        return None
    low = x.min(axis=0)
    size = float((x.max(axis=0) - low).max())
    if not size > 0.0 or not np.isfinite(size):
        return None
    most = len(x) if limit is None else max(limit, 8)
    start, extent = _first_tetrahedron(x)
    length, width, thickness = extent
    if width < FLAT_POINTS * length:
        return None
    if thickness < FLAT_POINTS * length:
        x = _plate(x, start, PLATE_SHARE * length)
        low = x.min(axis=0)
        size = float((x.max(axis=0) - low).max())
        start, _ = _first_tetrahedron(x)
    # The snapped points without doubles; of several in one place the first one stands for all.
    snapped = np.rint((x - low) * (GRID_STEPS / size)).astype(np.int64)
    key = (snapped[:, 0] << 42) | (snapped[:, 1] << 21) | snapped[:, 2]
    _, kept = np.unique(key, return_index=True)
    order = np.concatenate([start, np.setdiff1d(kept, start)])
    triangles, normal, beyond = _quickhull(snapped[order], most)
    return _polygons(x[order], triangles, normal, COPLANAR * size, beyond * size / GRID_STEPS)


def _first_tetrahedron(x: Floats) -> tuple[NDArray[np.int64], tuple[float, float, float]]:
    """Four extreme points (4,) and how long, wide and thick they show the cloud to be, in m."""
    middle = x.mean(axis=0)
    a = _farthest(x, np.zeros(len(x)), middle)
    along = x - x[a]
    distance = np.linalg.norm(along, axis=1)
    b = int(np.argmax(distance))
    length = float(distance[b])
    direction = along[b] / length
    across = along - np.outer(along @ direction, direction)
    distance = np.linalg.norm(across, axis=1)
    c = int(np.argmax(distance))
    width = float(distance[c])
    if width <= 1e-12 * length:
        return np.array([a, b, b, b]), (length, width, 0.0)
    normal = np.cross(direction, across[c] / width)
    height = along @ normal
    if height.max() >= -height.min():
        d = _farthest(x, height, middle)
    else:
        d = _farthest(x, -height, middle)
    return np.array([a, b, c, d]), (length, width, float(np.ptp(height)))


def _farthest(x: Floats, height: Floats, middle: Floats) -> int:
    """The highest point; of those as high the one farthest from the middle, which is a corner."""
    top = height.max()
    candidates = np.flatnonzero(height >= top - 1e-9 * (abs(top) + np.ptp(height)))
    apart = ((x[candidates] - middle) ** 2).sum(axis=1)
    return int(candidates[np.argmax(apart)])


def _plate(x: Floats, start: NDArray[np.int64], thickness: float) -> Floats:
    """Flat points doubled: half the thickness above their plane and as much below it."""
    a, b, c, _ = x[start]
    normal = np.cross(b - a, c - a)
    normal *= 0.5 * thickness / np.linalg.norm(normal)
    return np.concatenate([x - normal, x + normal])


class _Face:
    """A triangle of the growing hull: exact plane, neighbours, and the points above it."""

    __slots__ = ("above", "alive", "corner", "farthest", "neighbour", "normal", "offset")

    def __init__(self, corner: Triple, normal: Triple, offset: int) -> None:
        self.corner = corner
        self.normal = normal
        self.offset = offset  # n·x on the face
        self.neighbour: list[_Face] = []  # across the edges 0–1, 1–2, 2–0
        self.above: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.farthest = -1
        self.alive = True


class _GrowingHull:
    """A hull of grid points x (n, 3) that grows by the highest point of all above its faces."""

    def __init__(self, x: NDArray[np.int64]) -> None:
        self.x = x
        self.row = x.tolist()
        self.queue: list[tuple[float, int, _Face]] = []
        self.count = 0
        self.faces = self._begin()

    def _begin(self) -> list[_Face]:
        """The solid of the first four points."""
        x = self.x
        corners = [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]
        across = [(1, 2, 3), (3, 2, 0), (1, 3, 0), (2, 1, 0)]
        a, b, c, d = x[:4]
        if np.cross(b - a, c - a) @ (d - a) > 0:  # the fourth point must lie below the first face
            corners = [(i, k, j) for i, j, k in corners]
            across = [(n2, n1, n0) for n0, n1, n2 in across]
        faces = self._add(corners, np.arange(4, len(x)))
        for face, around in zip(faces, across):
            face.neighbour = [faces[i] for i in around]
        return faces

    def _face(self, corner: Triple) -> _Face:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (self.row[i] for i in corner)
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        normal = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
        return _Face(corner, normal, normal[0] * ax + normal[1] * ay + normal[2] * az)

    def _add(self, corners: list[Triple], orphans: NDArray[np.int64]) -> list[_Face]:
        """Make faces and hand the points in reach to the face that each is highest above."""
        x = self.x
        faces = [self._face(corner) for corner in corners]
        if len(orphans) == 0:
            return faces
        normals = np.array([face.normal for face in faces], dtype=np.int64)
        offsets = np.array([face.offset for face in faces], dtype=np.int64)
        height = (x[orphans] @ normals.T - offsets) / np.linalg.norm(normals.astype(float), axis=1)
        best = height.argmax(axis=1)
        height = height[np.arange(len(orphans)), best]
        outside = height > HARDLY_ABOVE
        orphans, best, height = orphans[outside], best[outside], height[outside]
        for k, face in enumerate(faces):
            mine = best == k
            if not mine.any():
                continue
            face.above, h = orphans[mine], height[mine]
            top = float(h.max())
            candidates = np.flatnonzero(h >= top - 0.5 * HARDLY_ABOVE)
            pick = candidates[0]
            if len(candidates) > 1:  # as high as each other: the outermost of them is a corner
                apart = x[face.above[candidates]] - x[list(face.corner)].sum(axis=0) // 3
                pick = candidates[np.argmax((apart * apart).sum(axis=1))]
            face.farthest = int(face.above[pick])
            self.count += 1
            heapq.heappush(self.queue, (-top, self.count, face))
        return faces

    def _horizon(self, face: _Face) -> tuple[list[_Face], list[tuple[int, int, _Face, _Face]]]:
        """Faces that see the face's highest point, which die, and the edges where they end.

        Of an edge: start, end, the face beyond and the one before; one after the other.
        """
        px, py, pz = self.row[face.farthest]
        face.alive = False
        seen, rim = [face], {}
        for below in seen:  # grows as it runs
            i, j, k = below.corner
            for start, end, beyond in zip((i, j, k), (j, k, i), below.neighbour):
                if not beyond.alive:
                    continue
                nx, ny, nz = beyond.normal
                if nx * px + ny * py + nz * pz > beyond.offset:
                    beyond.alive = False
                    seen.append(beyond)
                else:
                    rim[start] = (end, beyond, below)
        # An edge found before the face behind it was seen is no horizon.
        rim = {start: edge for start, edge in rim.items() if edge[1].alive}
        start = first = min(rim)
        ring = []
        while True:
            end, beyond, below = rim[start]
            ring.append((start, end, beyond, below))
            start = end
            if start == first:
                return seen, ring

    def grow(self) -> bool:
        """Take the highest point in; whether it was still outside."""
        _, _, face = heapq.heappop(self.queue)
        if not face.alive:
            return False
        apex = face.farthest
        seen, ring = self._horizon(face)
        orphans = np.concatenate([below.above for below in seen])
        orphans = orphans[orphans != apex]
        new = self._add([(start, end, apex) for start, end, _, _ in ring], orphans)
        for k, ((_, _, beyond, below), cap) in enumerate(zip(ring, new)):
            beyond.neighbour[beyond.neighbour.index(below)] = cap
            cap.neighbour = [beyond, new[(k + 1) % len(new)], new[k - 1]]
        self.faces += new
        return True


def _quickhull(x: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], Floats, float]:
    """Triangles (t, 3) of the hull of grid points (n, 3), no two alike, the first four a solid.

    Also their unit normals (t, 3), and the height in steps of the highest point that was left
    out when ``most`` were in.
    """
    hull = _GrowingHull(x)
    vertices = 4
    while hull.queue and vertices < most:
        vertices += hull.grow()
    left_out = max((-top for top, _, face in hull.queue if face.alive), default=0.0)
    alive = [face for face in hull.faces if face.alive]
    normal = np.array([face.normal for face in alive], dtype=np.float64)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    return np.array([face.corner for face in alive], dtype=np.int64), normal, left_out


def _polygons(
    x: Floats, triangles: NDArray[np.int64], grid_normal: Floats, near: float, beyond: float
) -> Hull:
    """The hull of triangles (t, 3), those in one plane to within ``near`` m merged.

    grid_normal (t, 3): their normals on the grid, for those too narrow to have one off it.
    """
    used, corner = np.unique(triangles, return_inverse=True)
    vertex = x[used]
    triangle = corner.reshape(-1, 3)
    a, b, c = (vertex[triangle[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    area = np.linalg.norm(cross, axis=1)  # twice the area
    longest = np.sqrt(np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], 0))
    narrow = area <= 2.0 * near * longest
    normal = np.where(narrow[:, None], grid_normal, cross / np.maximum(area, 1e-300)[:, None])
    merged = _merged(vertex, triangle, normal, area, narrow, near)
    if merged is None:
        merged = triangle.tolist(), list(range(len(triangle)))
    rings, seeds = merged
    seed_normal = normal[seeds]
    kept = np.unique([i for ring in rings for i in ring])
    vertex = np.ascontiguousarray(vertex[kept])
    rows = {int(old): new for new, old in enumerate(kept)}
    rings = [[rows[i] for i in ring] for ring in rings]
    face_start = np.cumsum([0] + [len(ring) for ring in rings]).astype(np.int32)
    face_corner = np.array([i for ring in rings for i in ring], dtype=np.int32)
    fan, face_of = _fans(face_start, face_corner)
    a, b, c = (vertex[fan[:, k]] for k in range(3))
    normal = np.zeros((len(rings), 3))
    np.add.at(normal, face_of, np.cross(b - a, c - a))  # Newell's method
    length = np.linalg.norm(normal, axis=1)[:, None]
    fine = (normal * seed_normal).sum(axis=1)[:, None] > 0.9 * length
    normal = np.where(fine, normal / np.maximum(length, 1e-300), seed_normal)
    chunks = np.array_split(normal, 1 + len(vertex) * len(normal) // 2**20)
    left = {
        (start, end): face
        for face, ring in enumerate(rings)
        for start, end in zip(ring, ring[1:] + ring[:1])
    }
    return Hull(
        vertex,
        face_start,
        face_corner,
        normal,
        np.concatenate([(vertex @ chunk.T).max(axis=0) for chunk in chunks]),
        np.array(
            [(i, j, face, left[j, i]) for (i, j), face in sorted(left.items()) if i < j],
            dtype=np.int32,
        ),
        beyond,
    )


def _fans(face_start: Ints, face_corner: Ints) -> tuple[Ints, NDArray[np.int64]]:
    """Triangles (t, 3) that fan out from the first corner of each face, and their faces (t,)."""
    count = np.diff(face_start) - 2
    face = np.repeat(np.arange(len(count)), count)
    hub = face_start[face]
    step = np.arange(len(face)) - np.repeat(np.cumsum(count) - count, count)
    corner = np.stack([hub, hub + step + 1, hub + step + 2], axis=1)
    return face_corner[corner], face


def _merged(
    vertex: Floats,
    triangle: NDArray[np.int64],
    normal: Floats,
    area: Floats,
    narrow: NDArray[np.bool_],
    near: float,
) -> tuple[list[list[int]], list[int]] | None:
    """Rings of the polygons that triangles in one plane make, and the largest triangle of each.

    Largest triangle first: its plane decides, so that a chain of small bends is not one face. A
    narrow triangle has no say about its direction. None when the regions are no polygons.
    """
    directed = {}
    for t, (i, j, k) in enumerate(triangle.tolist()):
        directed[i, j] = directed[j, k] = directed[k, i] = t
    face = np.full(len(triangle), -1)
    regions: list[list[int]] = []
    seeds: list[int] = []
    for seed in np.argsort(-area, kind="stable").tolist():
        if face[seed] >= 0:
            continue
        face[seed] = len(regions)
        region = [seed]
        for t in region:  # grows as it runs
            i, j, k = triangle[t].tolist()
            for start, end in ((i, j), (j, k), (k, i)):
                other = directed[end, start]
                if face[other] >= 0:
                    continue
                if not narrow[other] and normal[other] @ normal[seed] <= 0.0:
                    continue
                height = (vertex[triangle[other]] - vertex[triangle[seed, 0]]) @ normal[seed]
                if np.abs(height).max() <= near:
                    face[other] = face[seed]
                    region.append(other)
        regions.append(region)
        seeds.append(seed)
    rings = []
    for region in regions:
        inside = set(region)
        after = {}
        for t in region:
            i, j, k = triangle[t].tolist()
            for start, end in ((i, j), (j, k), (k, i)):
                if directed[end, start] not in inside:
                    if start in after:
                        return None  # the region touches itself: too thin to be merged
                    after[start] = end
        start = min(after)
        ring = [start]
        while after[ring[-1]] != start:
            ring.append(after[ring[-1]])
        if len(ring) < len(after):
            return None  # the region has a hole
        rings.append(ring)
    faces_at = np.bincount([i for ring in rings for i in ring], minlength=len(vertex))
    rings = [[i for i in ring if faces_at[i] > 2] for ring in rings]
    return (rings, seeds) if min(len(ring) for ring in rings) > 2 else None
