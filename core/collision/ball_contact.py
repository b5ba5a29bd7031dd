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
    load,
    rotate,
    scale,
    unrotate,
)
from .kinds import MESH
from .manifold import one_point, triangle_normal
from .point_distance import solid_distance, triangle_distance
from .support import load_core
from .triangle_side import ALONG_FACE, neighbours_allow


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
def _triangle_gap(solids, p, q, triangle, reach, core):
    """Whether the ball p touches a triangle of the mesh q itself, its gap and the normal."""
    radius = solids.placed.size[p, 0]
    t = core.points[1]
    two_sided = solids.meshes.two_sided[solids.meshes.mesh[q]]
    a, b, c = load(t, 0), load(t, 1), load(t, 2)
    gap, normal, weights = triangle_distance(a, b, c, ZERO, ZERO, radius, two_sided)
    if gap > reach or gap < -2.0 * radius:
        return False, gap, normal
    if weights[0] == 0.0 or weights[1] == 0.0 or weights[2] == 0.0:
        own = triangle_normal(core, 1)
        facing = dot(own, normal)
        if abs(facing) > ALONG_FACE:  # all but over the triangle
            normal = scale(math.copysign(1.0, facing), own)
            return True, -dot(normal, a) - radius, normal
        if not neighbours_allow(core, solids, q, triangle, solids.placed.centre[p], normal):
            return False, gap, normal
    return True, gap, normal


@lean
def ball_contact(solids, p, q, triangle, reach, core, place):
    """Manifold of the ball p and shape q, no ball, plane or room; its points, 0 or 1."""
    placed, hulls = solids.placed, solids.hulls
    radius = placed.size[p, 0]
    centre = load(placed.centre, p)
    kind = placed.kind[q]
    if kind == MESH:
        load_core(core, 1, solids, q, triangle, centre)
        touches, gap, normal = _triangle_gap(solids, p, q, triangle, reach, core)
        if not touches:
            return 0
    else:
        r = placed.rotation[q]
        local = unrotate(r, between(placed.centre, q, p))
        gap, normal = solid_distance(
            hulls, kind, placed.size[q], hulls.hull[q], 0, local, local, 0.0
        )
        gap -= radius
        if gap > reach:
            return 0
        normal = rotate(r, normal)
    return one_point(place, along(centre, -radius, normal), gap, normal)
