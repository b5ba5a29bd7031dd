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

import numpy as np

from ..kernels.jit import lean, lean_inline
from ..vec3 import add, along, column, dot, load, rotate, scale, set_vec, store, sub, vec
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH, SPHERE

SWEPT_BY = np.dtype(
    [
        ("ball", np.float64),  # m, its radius
        ("disc", np.float64),  # m, its radius
        ("axis", np.float64, (3,)),  # of the disc
    ],
    align=True,
)
"""What the core of a shape is swept by; 0: by no ball, or no disc."""

Core = namedtuple(
    "Core",
    [
        "points",  # (2, v, 3) m, of both shapes of a pair
        "count",  # (2,) how many of them are in use
        "swept",  # (2,) SWEPT_BY
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
Meshes = namedtuple("Meshes", ["mesh", "first_triangle", "triangle", "vertex", "two_sided"])
ShapeParts = namedtuple("ShapeParts", ["placed", "hulls", "meshes", "edges"])
"""Parts of `Shapes` under the same names, and `mesh_edges`."""


@lean
def load_core(core, side, solids, s, triangle, o):
    """Write shape s (row ``triangle`` of it, if it is a mesh) to row ``side``, seen from o."""
    placed, hulls, meshes = solids.placed, solids.hulls, solids.meshes
    kind = placed.kind[s]
    points = core.points[side]
    swept = core.swept[side]
    r = placed.rotation[s]
    size = placed.size[s]
    centre = sub(load(placed.centre, s), o)
    swept["ball"] = swept["disc"] = 0.0
    if kind == BOX:
        core.count[side] = 8
        u, v = scale(size[0], column(r, 0)), scale(size[1], column(r, 1))
        w = scale(size[2], column(r, 2))
        for n in range(8):  # numbered by their signs: bit 0 for x, bit 1 for y, bit 2 for z
            corner = along(centre, 1.0 if n & 1 else -1.0, u)
            corner = along(corner, 1.0 if n & 2 else -1.0, v)
            store(points, n, along(corner, 1.0 if n & 4 else -1.0, w))
    elif kind == HULL:
        hull = hulls.hull[s]
        first = hulls.first_vertex[hull]
        count = hulls.first_vertex[hull + 1] - first
        core.count[side] = count
        for n in range(count):
            store(points, n, add(centre, rotate(r, load(hulls.vertex, first + n))))
    elif kind == MESH:
        core.count[side] = 3
        for n in range(3):
            corner = load(meshes.vertex, meshes.triangle[triangle, n])
            store(points, n, add(centre, rotate(r, corner)))
    elif kind == SPHERE:
        core.count[side] = 1
        swept["ball"] = size[0]
        store(points, 0, centre)
    elif kind in (CAPSULE, CYLINDER):
        core.count[side] = 2
        if kind == CAPSULE:
            swept["ball"] = size[0]
        else:
            swept["disc"] = size[0]
        axis = column(r, 2)
        store(points, 0, along(centre, -size[1], axis))
        store(points, 1, along(centre, size[1], axis))
        set_vec(swept["axis"], axis)


@lean_inline
def farthest(core, side, d):
    """Farthest point along d of a shape without its ball: (number of the core's point, place)."""
    points = core.points[side]
    index = 0
    most = -math.inf
    for n in range(core.count[side]):
        far = dot(d, load(points, n))
        if far > most:
            most = far
            index = n
    p = load(points, index)
    swept = core.swept[side]
    disc = swept["disc"]
    if disc > 0.0:
        axis = vec(swept["axis"])
        height = dot(d, axis)
        r = along(d, -height, axis)
        across = dot(r, r)
        if across > 1e-24 * height * height:
            p = along(p, disc / math.sqrt(across), r)
    return index, p


@lean_inline
def reach_along(core, side, d):
    """How far a shape without its ball extends along the unit vector d, m from the origin."""
    _, p = farthest(core, side, d)
    return dot(d, p)


@lean
def separation(core, normal):
    """Gap between the two shapes without their balls along the normal, from b to a, m."""
    return -reach_along(core, 0, scale(-1.0, normal)) - reach_along(core, 1, normal)
