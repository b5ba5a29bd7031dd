"""Convex shapes as the narrow phase sees them: points, swept by a disc or a ball.

Every convex shape is the hull of a few points (its core), widened by a disc across an axis (a
cylinder) or by a ball (a sphere, a capsule): 1 point for a sphere, 2 for a capsule and a cylinder,
3 for a triangle, 8 for a box, the vertices for a hull. One function then finds the farthest point
of any of them. Points stand in world axes around an origin close by, so that nothing is lost far
from the world's origin.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..kernels.jit import lean, lean_inline
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH, SPHERE

Core = namedtuple(
    "Core",
    [
        "points",  # (2, v, 3) m, of both shapes of a pair
        "count",  # (2,) how many of them are in use
        "about",  # (2, 5): radius of the ball m, radius of the disc m, axis of the disc
    ],
)


Placed = namedtuple("Placed", ["kind", "size", "centre", "rotation"])
Hulls = namedtuple(
    "Hulls",
    [
        "hull",
        "first_vertex",
        "vertex",
        "first_face",
        "face_first_corner",
        "face_corner",
        "face_normal",
        "face_offset",
    ],
)
Meshes = namedtuple("Meshes", ["mesh", "triangle", "vertex", "two_sided"])
"""Parts of `Shapes` under the same names: a call is the cheaper the fewer arrays it is given."""


@lean
def load_core(core, side, placed, hulls, meshes, s, sub, ox, oy, oz):
    """Write shape s (triangle ``sub`` of it, if it is a mesh) to row ``side``, seen from o."""
    kind = placed.kind[s]
    points = core.points
    about = core.about
    r = placed.rotation
    x = placed.centre[s, 0] - ox
    y = placed.centre[s, 1] - oy
    z = placed.centre[s, 2] - oz
    sx = placed.size[s, 0]
    sy = placed.size[s, 1]
    sz = placed.size[s, 2]
    about[side, 0] = 0.0
    about[side, 1] = 0.0
    if kind == BOX:
        core.count[side] = 8
        for k in range(3):
            middle = x if k == 0 else (y if k == 1 else z)
            ux = sx * r[s, k, 0]
            uy = sy * r[s, k, 1]
            uz = sz * r[s, k, 2]
            points[side, 0, k] = middle - ux - uy - uz
            points[side, 1, k] = middle + ux - uy - uz
            points[side, 2, k] = middle - ux + uy - uz
            points[side, 3, k] = middle + ux + uy - uz
            points[side, 4, k] = middle - ux - uy + uz
            points[side, 5, k] = middle + ux - uy + uz
            points[side, 6, k] = middle - ux + uy + uz
            points[side, 7, k] = middle + ux + uy + uz
    elif kind == HULL:
        hull = hulls.hull[s]
        first = hulls.first_vertex[hull]
        count = hulls.first_vertex[hull + 1] - first
        core.count[side] = count
        for n in range(count):
            vx = hulls.vertex[first + n, 0]
            vy = hulls.vertex[first + n, 1]
            vz = hulls.vertex[first + n, 2]
            points[side, n, 0] = x + (r[s, 0, 0] * vx + r[s, 0, 1] * vy + r[s, 0, 2] * vz)
            points[side, n, 1] = y + (r[s, 1, 0] * vx + r[s, 1, 1] * vy + r[s, 1, 2] * vz)
            points[side, n, 2] = z + (r[s, 2, 0] * vx + r[s, 2, 1] * vy + r[s, 2, 2] * vz)
    elif kind == MESH:
        core.count[side] = 3
        for n in range(3):
            v = meshes.triangle[sub, n]
            vx = meshes.vertex[v, 0]
            vy = meshes.vertex[v, 1]
            vz = meshes.vertex[v, 2]
            points[side, n, 0] = x + (r[s, 0, 0] * vx + r[s, 0, 1] * vy + r[s, 0, 2] * vz)
            points[side, n, 1] = y + (r[s, 1, 0] * vx + r[s, 1, 1] * vy + r[s, 1, 2] * vz)
            points[side, n, 2] = z + (r[s, 2, 0] * vx + r[s, 2, 1] * vy + r[s, 2, 2] * vz)
    elif kind == SPHERE:
        core.count[side] = 1
        about[side, 0] = sx
        points[side, 0, 0] = x
        points[side, 0, 1] = y
        points[side, 0, 2] = z
    elif kind in (CAPSULE, CYLINDER):
        core.count[side] = 2
        about[side, 0 if kind == CAPSULE else 1] = sx
        for k in range(3):
            middle = x if k == 0 else (y if k == 1 else z)
            points[side, 0, k] = middle - sy * r[s, k, 2]
            points[side, 1, k] = middle + sy * r[s, k, 2]
            about[side, 2 + k] = r[s, k, 2]


@lean_inline
def farthest(core, side, dx, dy, dz):
    """Farthest point along d of a shape without its ball: (number of the core's point, x, y, z)."""
    points = core.points
    index = 0
    most = -math.inf
    for n in range(core.count[side]):
        along = dx * points[side, n, 0] + dy * points[side, n, 1] + dz * points[side, n, 2]
        if along > most:
            most = along
            index = n
    x = points[side, index, 0]
    y = points[side, index, 1]
    z = points[side, index, 2]
    disc = core.about[side, 1]
    if disc > 0.0:
        ux = core.about[side, 2]
        uy = core.about[side, 3]
        uz = core.about[side, 4]
        along = dx * ux + dy * uy + dz * uz
        rx = dx - along * ux
        ry = dy - along * uy
        rz = dz - along * uz
        across = rx * rx + ry * ry + rz * rz
        if across > 1e-24 * along * along:
            stretch = disc / math.sqrt(across)
            x += stretch * rx
            y += stretch * ry
            z += stretch * rz
    return index, x, y, z


@lean_inline
def reach_along(core, side, dx, dy, dz):
    """How far a shape without its ball extends along the unit vector d, m from the origin."""
    _, x, y, z = farthest(core, side, dx, dy, dz)
    return dx * x + dy * y + dz * z


@lean
def separation(core, nx, ny, nz):
    """Gap between the two shapes without their balls along n, from the second to the first, m."""
    return -reach_along(core, 0, -nx, -ny, -nz) - reach_along(core, 1, nx, ny, nz)
