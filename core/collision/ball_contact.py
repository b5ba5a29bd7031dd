"""Contact of a ball with any other shape: one point, towards the other's nearest point."""

from __future__ import annotations

import math

from ..kernels.jit import lean
from ..vec3 import (
    ZERO,
    along,
    between,
    divide,
    dot,
    length,
    load,
    rotate,
    scale,
    sub,
    unrotate,
    vec,
)
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH
from .manifold import one_point, triangle_normal
from .point_distance import cylinder_distance, hull_distance, triangle_distance
from .support import load_core
from .triangle_side import ALONG_FACE, neighbours_allow


@lean
def _box_distance(half, p):
    """Signed distance of the point p from a box of half extents (3,) m, and the way out."""
    d = sub((abs(p[0]), abs(p[1]), abs(p[2])), vec(half))
    if d[0] <= 0.0 and d[1] <= 0.0 and d[2] <= 0.0:
        if d[0] >= d[1] and d[0] >= d[2]:
            return d[0], (math.copysign(1.0, p[0]), 0.0, 0.0)
        if d[1] >= d[2]:
            return d[1], (0.0, math.copysign(1.0, p[1]), 0.0)
        return d[2], (0.0, 0.0, math.copysign(1.0, p[2]))
    out = (
        math.copysign(max(d[0], 0.0), p[0]),
        math.copysign(max(d[1], 0.0), p[1]),
        math.copysign(max(d[2], 0.0), p[2]),
    )
    gap = length(out)
    return gap, divide(out, gap)


@lean
def ball_ball(placed, a, b, reach, place):
    """Manifold of the balls a and b; its points, 0 or 1."""
    radius = placed.size[a, 0]
    normal = between(placed.centre, b, a)
    away = radius + placed.size[b, 0]
    dd = dot(normal, normal)
    if dd > (away + reach) * (away + reach):
        return 0
    apart = math.sqrt(dd)
    # dead centre: any way out is as short, take a fixed one
    normal = divide(normal, apart) if apart > 0.0 else (0.0, 0.0, 1.0)
    return one_point(place, along(load(placed.centre, a), -radius, normal), apart - away, normal)


@lean
def _triangle_gap(placed, meshes, edges, p, q, triangle, reach, core):
    """Whether the ball p touches a triangle of the mesh q itself, its gap and the normal."""
    radius = placed.size[p, 0]
    t = core.points[1]
    two_sided = meshes.two_sided[meshes.mesh[q]]
    corners = (load(t, 0), load(t, 1), load(t, 2))
    gap, nx, ny, nz, wa, wb, wc = triangle_distance(
        corners[0], corners[1], corners[2], ZERO, ZERO, radius, two_sided
    )
    normal = (nx, ny, nz)
    if gap > reach or gap < -2.0 * radius:
        return False, gap, normal
    if wa == 0.0 or wb == 0.0 or wc == 0.0:
        own = triangle_normal(core, 1)
        facing = dot(own, normal)
        if abs(facing) > ALONG_FACE:  # all but over the triangle
            normal = scale(math.copysign(1.0, facing), own)
            return True, -dot(normal, corners[0]) - radius, normal
        o = placed.centre[p]
        if not neighbours_allow(core, placed, meshes, edges, q, triangle, o, normal):
            return False, gap, normal
    return True, gap, normal


@lean
def _solid_gap(placed, hulls, q, local):
    """Signed distance m of a point, seen from shape q, and the way out, seen from there too."""
    kind = placed.kind[q]
    size = placed.size[q]
    x, y, z = local
    if kind == BOX:
        return _box_distance(size, local)
    if kind == CAPSULE:
        d = (x, y, z - min(max(z, -size[1]), size[1]))
        apart = length(d)
        return apart - size[0], (divide(d, apart) if apart > 0.0 else (1.0, 0.0, 0.0))
    if kind == CYLINDER:
        gap, nx, ny, nz = cylinder_distance(size, x, y, z, x, y, z, 0.0)
        return gap, (nx, ny, nz)
    if kind == HULL:
        gap, nx, ny, nz = hull_distance(hulls, hulls.hull[q], local, local, 0.0)
        return gap, (nx, ny, nz)
    return math.inf, (0.0, 0.0, 1.0)


@lean
def ball_contact(placed, hulls, meshes, edges, p, q, triangle, reach, core, place):
    """Manifold of the ball p and shape q, no ball, plane or room; its points, 0 or 1."""
    radius = placed.size[p, 0]
    centre = load(placed.centre, p)
    if placed.kind[q] == MESH:
        load_core(core, 1, placed, hulls, meshes, q, triangle, centre)
        touches, gap, normal = _triangle_gap(placed, meshes, edges, p, q, triangle, reach, core)
        if not touches:
            return 0
    else:
        r = placed.rotation[q]
        local = unrotate(r, between(placed.centre, q, p))
        gap, normal = _solid_gap(placed, hulls, q, local)
        gap -= radius
        if gap > reach:
            return 0
        normal = rotate(r, normal)
    return one_point(place, along(centre, -radius, normal), gap, normal)
