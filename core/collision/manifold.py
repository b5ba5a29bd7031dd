"""Contact manifolds: up to four points per item, made from the faces that look at each other."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..kernels.jit import lean, lean_inline
from .clip import EDGE_SLACK, MAX_CORNERS, clip, four_of, set_corner
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH

Manifolds = namedtuple(
    "Manifolds",
    [
        "count",  # (m,) points of each item's manifold, 0 … 4
        "normal",  # (m, 3) unit, from b to a
        "on_a",  # (m, 4, 3) m, world: where the surfaces touch, or would along the normal
        "on_b",  # (m, 4, 3) m, world; the gap is (on_a − on_b)·normal, negative in overlap
        "feature",  # (m, 4) which corner or edge of a face it is, the same from step to step
    ],
)

PREFERENCE = 0.01
"""Part of the thinnest half extent by which a face may be deeper than the least way out and still
be chosen: contacts of faces have more points and are calmer."""
_ONE_POINT = 127 * 128 + 127  # features of contacts that are no clipped face
_LOWER_END = _ONE_POINT - 1
_UPPER_END = _ONE_POINT - 2
_CAP_CORNERS = 8
FACE_COSINE = 0.7  # faces turned away from the normal by more cannot carry the contact


def manifold_room(items: int) -> Manifolds:
    """Empty manifolds for so many items."""
    return Manifolds(
        np.zeros(items, dtype=np.int32),
        np.zeros((items, 3)),
        np.zeros((items, 4, 3)),
        np.zeros((items, 4, 3)),
        np.zeros((items, 4), dtype=np.int32),
    )


@lean_inline
def set_normal(manifolds, m, flip, nx, ny, nz):
    """Write the normal, which points from the second shape to the first, or ``flip``."""
    sign = -1.0 if flip else 1.0
    manifolds.normal[m, 0] = sign * nx
    manifolds.normal[m, 1] = sign * ny
    manifolds.normal[m, 2] = sign * nz


@lean_inline
def set_point(manifolds, m, n, flip, ax, ay, az, bx, by, bz, feature):
    """Write point n of manifold m: a on the first shape, b on the second, or ``flip``."""
    if flip:
        ax, ay, az, bx, by, bz = bx, by, bz, ax, ay, az
    manifolds.on_a[m, n, 0] = ax
    manifolds.on_a[m, n, 1] = ay
    manifolds.on_a[m, n, 2] = az
    manifolds.on_b[m, n, 0] = bx
    manifolds.on_b[m, n, 1] = by
    manifolds.on_b[m, n, 2] = bz
    manifolds.feature[m, n] = feature


@lean_inline
def _set_face_corner(faces, side, n, x, y, z):
    faces[side, n, 0] = x
    faces[side, n, 1] = y
    faces[side, n, 2] = z


@lean_inline
def _on_hull_face(hulls, face, vertex):
    for c in range(hulls.face_first_corner[face], hulls.face_first_corner[face + 1]):
        if hulls.face_corner[c] == vertex:
            return True
    return False


@lean
def supporting_face(core, side, placed, hulls, s, faces, dx, dy, dz):
    """Face of shape s that looks most along the unit vector d.

    Writes its corners to faces[side], counter-clockwise seen from outside; returns how many, its
    number, and its normal, which is zero where the shape is round there: a line of two corners.
    """
    kind = placed.kind[s]
    points = core.points
    r = placed.rotation
    if kind == BOX:
        along_x = dx * r[s, 0, 0] + dy * r[s, 1, 0] + dz * r[s, 2, 0]
        along_y = dx * r[s, 0, 1] + dy * r[s, 1, 1] + dz * r[s, 2, 1]
        along_z = dx * r[s, 0, 2] + dy * r[s, 1, 2] + dz * r[s, 2, 2]
        axis = 0
        along = along_x
        if abs(along_y) > abs(along):
            axis = 1
            along = along_y
        if abs(along_z) > abs(along):
            axis = 2
            along = along_z
        # corners are numbered by their signs: bit 0 for x, bit 1 for y, bit 2 for z
        one = 1 << axis
        two = 1 << (axis + 1) % 3
        three = 1 << (axis + 2) % 3
        sign = 1.0
        base = one
        if along < 0.0:
            sign = -1.0
            base = 0
            two, three = three, two
        for k in range(3):
            faces[side, 0, k] = points[side, base, k]
            faces[side, 1, k] = points[side, base + two, k]
            faces[side, 2, k] = points[side, base + two + three, k]
            faces[side, 3, k] = points[side, base + three, k]
        number = 2 * axis + (1 if along < 0.0 else 0)
        return 4, number, sign * r[s, 0, axis], sign * r[s, 1, axis], sign * r[s, 2, axis]
    if kind == HULL:
        lx = dx * r[s, 0, 0] + dy * r[s, 1, 0] + dz * r[s, 2, 0]
        ly = dx * r[s, 0, 1] + dy * r[s, 1, 1] + dz * r[s, 2, 1]
        lz = dx * r[s, 0, 2] + dy * r[s, 1, 2] + dz * r[s, 2, 2]
        hull = hulls.hull[s]
        first = hulls.first_vertex[hull]
        # a face around the farthest vertex: a needle's broadside looks along d, but is not there
        vertex = first
        most = -math.inf
        for v in range(first, hulls.first_vertex[hull + 1]):
            along = lx * hulls.vertex[v, 0] + ly * hulls.vertex[v, 1] + lz * hulls.vertex[v, 2]
            if along > most:
                most = along
                vertex = v
        face = -1
        most = -math.inf
        for f in range(hulls.first_face[hull], hulls.first_face[hull + 1]):
            along = (
                lx * hulls.face_normal[f, 0]
                + ly * hulls.face_normal[f, 1]
                + lz * hulls.face_normal[f, 2]
            )
            if along > most and _on_hull_face(hulls, f, vertex):
                most = along
                face = f
        begin = hulls.face_first_corner[face]
        whole = hulls.face_first_corner[face + 1] - begin
        count = min(whole, MAX_CORNERS)
        for n in range(count):
            v = hulls.face_corner[begin + n * whole // count] - first
            for k in range(3):
                faces[side, n, k] = points[side, v, k]
        nx = hulls.face_normal[face, 0]
        ny = hulls.face_normal[face, 1]
        nz = hulls.face_normal[face, 2]
        return (
            count,
            face - hulls.first_face[hull],
            r[s, 0, 0] * nx + r[s, 0, 1] * ny + r[s, 0, 2] * nz,
            r[s, 1, 0] * nx + r[s, 1, 1] * ny + r[s, 1, 2] * nz,
            r[s, 2, 0] * nx + r[s, 2, 1] * ny + r[s, 2, 2] * nz,
        )
    if kind == MESH:
        nx, ny, nz = triangle_normal(core, side)
        turned = dx * nx + dy * ny + dz * nz < 0.0
        for k in range(3):
            faces[side, 0, k] = points[side, 0, k]
            faces[side, 1, k] = points[side, 2 if turned else 1, k]
            faces[side, 2, k] = points[side, 1 if turned else 2, k]
        if turned:
            return 3, 1, -nx, -ny, -nz
        return 3, 0, nx, ny, nz
    if kind in (CAPSULE, CYLINDER):
        disc = core.about[side, 1]
        ux, uy, uz = r[s, 0, 2], r[s, 1, 2], r[s, 2, 2]
        along = dx * ux + dy * uy + dz * uz
        # across the axis, where d points to; any fixed direction when it points along the axis
        ex, ey, ez = dx - along * ux, dy - along * uy, dz - along * uz
        across = math.sqrt(ex * ex + ey * ey + ez * ez)
        if across > 1e-3:
            ex /= across
            ey /= across
            ez /= across
        else:
            ex, ey, ez = r[s, 0, 0], r[s, 1, 0], r[s, 2, 0]
        if kind == CYLINDER and abs(along) > 0.7:
            end = 1 if along > 0.0 else 0
            sign = 1.0 if along > 0.0 else -1.0
            ux *= sign
            uy *= sign
            uz *= sign
            fx, fy, fz = uy * ez - uz * ey, uz * ex - ux * ez, ux * ey - uy * ex
            for n in range(_CAP_CORNERS):
                # exact for the four on the axes, so that a flat cap stays flat
                turn = 2.0 * math.pi * n / _CAP_CORNERS
                c = disc * math.cos(turn)
                d = disc * math.sin(turn)
                _set_face_corner(
                    faces,
                    side,
                    n,
                    points[side, end, 0] + c * ex + d * fx,
                    points[side, end, 1] + c * ey + d * fy,
                    points[side, end, 2] + c * ez + d * fz,
                )
            return _CAP_CORNERS, 1 - end, ux, uy, uz
        for n in range(2):
            _set_face_corner(
                faces,
                side,
                n,
                points[side, n, 0] + disc * ex,
                points[side, n, 1] + disc * ey,
                points[side, n, 2] + disc * ez,
            )
        return 2, 2, 0.0, 0.0, 0.0
    for k in range(3):
        faces[side, 0, k] = points[side, 0, k]
    return 1, 0, 0.0, 0.0, 0.0


@lean_inline
def triangle_normal(core, side):
    """Unit normal of the triangle in the core, zero if it has no area."""
    p = core.points
    ux = p[side, 1, 0] - p[side, 0, 0]
    uy = p[side, 1, 1] - p[side, 0, 1]
    uz = p[side, 1, 2] - p[side, 0, 2]
    vx = p[side, 2, 0] - p[side, 0, 0]
    vy = p[side, 2, 1] - p[side, 0, 1]
    vz = p[side, 2, 2] - p[side, 0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size <= 1e-12 * (ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz):
        return 0.0, 0.0, 0.0
    return nx / size, ny / size, nz / size


@lean
def face_numbers(reference, id0, id1):
    """The part of a feature that says which faces were clipped: 17 bits above the label's 14."""
    clipped = id0 if reference == 1 else id1
    whole = id1 if reference == 1 else id0
    return (reference << 30) + ((whole & 255) << 22) + ((clipped & 255) << 14)


@lean
def write_chosen(
    manifolds, m, flip, polygon, row, found, reference, ids, nx, ny, nz, radius_a, radius_b, o
):
    """Write up to four of the ``found`` clipped points, whose gaps are in polygon.height.

    They lie on shape 1 − reference; n points from the second shape to the first; o (3 numbers) is
    what they are seen from. Gaps are without the balls around the cores.
    """
    p = polygon.corner
    count = found
    if found > 4:
        count = four_of(polygon, row, found, nx, ny, nz)
    else:
        for c in range(found):
            polygon.chosen[c] = c
    for c in range(count):
        n = polygon.chosen[c]
        gap = polygon.height[n]
        # from the point to the surface of its own shape, and to that of the other one
        near = radius_b if reference == 0 else -radius_a
        far = gap - radius_a if reference == 0 else radius_b - gap
        x = o[0] + p[row, n, 0]
        y = o[1] + p[row, n, 1]
        z = o[2] + p[row, n, 2]
        set_point(
            manifolds,
            m,
            c,
            flip != (reference == 0),
            x + near * nx,
            y + near * ny,
            z + near * nz,
            x + far * nx,
            y + far * ny,
            z + far * nz,
            ids + polygon.label[row, n, 0],
        )
    set_normal(manifolds, m, flip, nx, ny, nz)
    manifolds.count[m] = count
    return count


@lean
def clip_faces(polygon, faces, reference, sides, count, mx, my, mz, nx, ny, nz, limit):
    """Part of the other face that lies over the reference face, with gaps of at most ``limit``.

    faces[reference] has ``sides`` corners and the outward normal m, the other one ``count``; n
    points from the second shape to the first. Returns (row, points found, least gap m).
    """
    other = 1 - reference
    for n in range(count):
        set_corner(polygon, n, faces[other, n, 0], faces[other, n, 1], faces[other, n, 2])
    shortest = math.inf
    for n in range(sides):
        k = n + 1 if n + 1 < sides else 0
        length = 0.0
        for c in range(3):
            length += (faces[reference, k, c] - faces[reference, n, c]) ** 2
        shortest = min(shortest, length)
    row = 0
    for n in range(sides):
        if count == 0:
            break
        k = n + 1 if n + 1 < sides else 0
        px, py, pz = faces[reference, n, 0], faces[reference, n, 1], faces[reference, n, 2]
        ex = faces[reference, k, 0] - px
        ey = faces[reference, k, 1] - py
        ez = faces[reference, k, 2] - pz
        sx, sy, sz = ey * mz - ez * my, ez * mx - ex * mz, ex * my - ey * mx
        slack = EDGE_SLACK * math.sqrt(shortest * (ex * ex + ey * ey + ez * ez))
        inside = sx * px + sy * py + sz * pz
        row, count = clip(polygon, row, count, sx, sy, sz, inside, slack, n)
    corner = polygon.corner
    label = polygon.label
    sign = 1.0 if reference == 1 else -1.0
    height = sign * (
        nx * faces[reference, 0, 0] + ny * faces[reference, 0, 1] + nz * faces[reference, 0, 2]
    )
    found = 0
    least = math.inf
    for n in range(count):
        along = nx * corner[row, n, 0] + ny * corner[row, n, 1] + nz * corner[row, n, 2]
        gap = sign * along - height
        least = min(least, gap)
        if gap <= limit:
            for k in range(3):
                corner[row, found, k] = corner[row, n, k]
            label[row, found, 0] = label[row, n, 0]
            polygon.height[found] = gap
            found += 1
    return row, found, least


@lean
def extreme_edge(faces, side, count, dx, dy, dz, tolerance):
    """First corner of the edge of a face that lies farthest along d, -1 if it is one corner.

    Both its ends lie within ``tolerance`` m of the farthest corner.
    """
    if count < 2:
        return -1
    most = -math.inf
    for n in range(count):
        along = dx * faces[side, n, 0] + dy * faces[side, n, 1] + dz * faces[side, n, 2]
        most = max(most, along)
    best = -1
    least = tolerance
    for n in range(count if count > 2 else 1):
        k = n + 1 if n + 1 < count else 0
        here = dx * faces[side, n, 0] + dy * faces[side, n, 1] + dz * faces[side, n, 2]
        there = dx * faces[side, k, 0] + dy * faces[side, k, 1] + dz * faces[side, k, 2]
        below = most - min(here, there)
        if below <= least:
            least = below
            best = n
    return best


@lean
def parallel_edges(
    manifolds, m, flip, faces, i, j, count0, count1, nx, ny, nz, limit, radius_a, radius_b, o
):
    """Two points where edge i of the first face runs along edge j of the second; how many.

    None when the edges are not parallel or do not pass each other.
    """
    k = i + 1 if i + 1 < count0 else 0
    ax, ay, az = faces[0, i, 0], faces[0, i, 1], faces[0, i, 2]
    ux, uy, uz = faces[0, k, 0] - ax, faces[0, k, 1] - ay, faces[0, k, 2] - az
    k = j + 1 if j + 1 < count1 else 0
    bx, by, bz = faces[1, j, 0], faces[1, j, 1], faces[1, j, 2]
    vx, vy, vz = faces[1, k, 0] - bx, faces[1, k, 1] - by, faces[1, k, 2] - bz
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    if uv * uv < 0.9999 * uu * vv or uu == 0.0 or vv == 0.0:  # 0.6°
        return 0
    # where on the first edge (0 … 1) the second one begins and ends
    from_b = ((bx - ax) * ux + (by - ay) * uy + (bz - az) * uz) / uu
    to_b = from_b + uv / uu
    low = max(0.0, min(from_b, to_b))
    high = min(1.0, max(from_b, to_b))
    if high - low < 1e-6:
        return 0
    found = 0
    for n in range(2):
        t = low if n == 0 else high
        w = (t - from_b) * uu / uv
        px, py, pz = ax + t * ux, ay + t * uy, az + t * uz
        qx, qy, qz = bx + w * vx, by + w * vy, bz + w * vz
        gap = (px - qx) * nx + (py - qy) * ny + (pz - qz) * nz
        if gap > limit:
            continue
        set_point(
            manifolds,
            m,
            found,
            flip,
            o[0] + px - radius_a * nx,
            o[1] + py - radius_a * ny,
            o[2] + pz - radius_a * nz,
            o[0] + px - gap * nx + radius_b * nx,
            o[1] + py - gap * ny + radius_b * ny,
            o[2] + pz - gap * nz + radius_b * nz,
            _LOWER_END if n == 0 else _UPPER_END,
        )
        found += 1
    set_normal(manifolds, m, flip, nx, ny, nz)
    manifolds.count[m] = found
    return found


@lean
def one_point(manifolds, m, flip, ax, ay, az, gap, nx, ny, nz):
    """A manifold of the one world point a on the first shape, ``gap`` m off the second."""
    set_point(
        manifolds,
        m,
        0,
        flip,
        ax,
        ay,
        az,
        ax - gap * nx,
        ay - gap * ny,
        az - gap * nz,
        _ONE_POINT,
    )
    set_normal(manifolds, m, flip, nx, ny, nz)
    manifolds.count[m] = 1
    return 1
