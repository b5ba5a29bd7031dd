"""How far a particle is from a shape of any kind, in the shape's frame."""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from .kinds import CYLINDER, HULL
from .point_distance import cylinder_distance, hull_distance, triangle_distance
from .shapes import distance
from .tree import end_of, next_leaf, root_of

SKIN = 1e-5
"""m that particles keep from the triangles of a mesh: the side on which one is must not get lost
in rounding."""

ROUNDS = 3
"""Triangles of one mesh that a particle is projected out of in one go, the deepest first."""


@lean
def solid_distance(kind, size, hulls, hull, face, px, py, pz, ox, oy, oz, radius):
    """`shapes.distance` for cylinders and hulls too; ``hull`` is the row of the hull table."""
    if kind == CYLINDER:
        return cylinder_distance(size, px, py, pz, ox, oy, oz, radius)
    if kind == HULL:
        return hull_distance(hulls, hull, (px, py, pz), (ox, oy, oz), radius)
    return distance(kind, size, face, px, py, pz, ox, oy, oz, radius)


@lean
def mesh_distance(
    meshes, before, motion, first, last, tree, two_sided, px, py, pz, ox, oy, oz, radius
):
    """Signed distance of a ball of ``radius`` around p from the triangles first … last − 1.

    That of the deepest one, as `shapes.distance` gives it, and how far that triangle has moved in
    the step: (distance, nx, ny, nz, mx, my, mz), infinite where no triangle is near. o is where p
    was one step ago, before (v, 3) m where the vertices were then, motion m how far any of them has
    come; who went through a triangle is sent back to the side that he came from.
    """
    reach = radius + SKIN
    node = root_of(first)
    end = end_of(last)
    room = reach + motion
    low_x, high_x = min(px, ox) - room, max(px, ox) + room
    low_y, high_y = min(py, oy) - room, max(py, oy) + room
    low_z, high_z = min(pz, oz) - room, max(pz, oz) + room
    best, bx, by, bz = math.inf, 0.0, 0.0, 1.0
    mx = my = mz = 0.0
    node = next_leaf(tree, node, end, low_x, low_y, low_z, high_x, high_y, high_z)
    while node < end:
        t = tree.leaf[node]
        i = meshes.triangle[t, 0]
        j = meshes.triangle[t, 1]
        k = meshes.triangle[t, 2]
        v = meshes.vertex
        cx, cy, cz = v[i, 0] - before[i, 0], v[i, 1] - before[i, 1], v[i, 2] - before[i, 2]
        gap, nx, ny, nz = _triangle_gap(
            (v[i, 0], v[i, 1], v[i, 2]),
            (v[j, 0], v[j, 1], v[j, 2]),
            (v[k, 0], v[k, 1], v[k, 2]),
            (px, py, pz),
            (ox + cx, oy + cy, oz + cz),
            reach,
            two_sided,
        )
        if gap < best:
            best, bx, by, bz = gap, nx, ny, nz
            mx, my, mz = cx, cy, cz
        node = next_leaf(tree, node + 1, end, low_x, low_y, low_z, high_x, high_y, high_z)
    return best, bx, by, bz, mx, my, mz


@lean_inline
def _triangle_gap(a, b, c, p, o, reach, two_sided):
    """Signed distance from one triangle and the way out; infinite from behind, but for who is
    no deeper than he is thick or came through it just now.
    """
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size <= 1e-12 * (ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz):
        return math.inf, 0.0, 0.0, 1.0
    nx, ny, nz = nx / size, ny / size, nz / size
    before = nx * (o[0] - a[0]) + ny * (o[1] - a[1]) + nz * (o[2] - a[2])
    now = nx * (p[0] - a[0]) + ny * (p[1] - a[1]) + nz * (p[2] - a[2])
    if two_sided and before < 0.0:
        nx, ny, nz, before, now = -nx, -ny, -nz, -before, -now
    if before >= 0.0 and now < 0.0:
        t = before / (before - now)
        x = o[0] + t * (p[0] - o[0]) - a[0]
        y = o[1] + t * (p[1] - o[1]) - a[1]
        z = o[2] + t * (p[2] - o[2]) - a[2]
        uu = ux * ux + uy * uy + uz * uz
        uv = ux * vx + uy * vy + uz * vz
        vv = vx * vx + vy * vy + vz * vz
        xu = x * ux + y * uy + z * uz
        xv = x * vx + y * vy + z * vz
        area = uu * vv - uv * uv
        q = vv * xu - uv * xv
        r = uu * xv - uv * xu
        slack = 1e-9 * area
        if q >= -slack and r >= -slack and q + r <= area + slack:
            return now - reach, nx, ny, nz
    if now < 0.0 and (two_sided or now < -reach):
        return math.inf, 0.0, 0.0, 1.0
    gap, nx, ny, nz, _, _, _ = triangle_distance(a, b, c, p, o, reach, two_sided)
    return gap, nx, ny, nz
