"""How far segments and triangles of particles are from a shape: sticks of ropes, faces of cloth.

They are convex like everything else here, so GJK and the expanding polytope do it; on top come
the weights that say between which of the particles the nearest point lies.
"""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from ..vec3 import load, scale, vec
from .gjk import FAR, NEAR, gjk
from .kinds import MESH, PLANE, ROOM
from .manifold import triangle_normal
from .penetration import penetration
from .support import load_core
from .triangle_side import ALONG_FACE, neighbours_allow

_LEVEL = 1e-6  # slope below which all ends lie equally deep


@lean
def closest_of_segment(placed, hulls, meshes, edges, s, sub, a, b, radius, reach, core, polytope):
    """Gap in m between a capsule around the world points a, b (three numbers each) and shape s.

    sub: the wall if s is a room, the row of the triangle if it is a mesh; edges: see `mesh_edges`;
    core, polytope: scratch memory of one lane. Returns (gap, nx, ny, nz, weight of a, weight of
    b): the unit normal leads from the shape to the segment, and the nearest point of the segment
    is the weighted sum of its ends. The gap is infinite when it is larger than ``reach`` ≥ 0.
    """
    core.count[0] = 2
    for k in range(3):
        core.points[0, 0, k] = 0.0
        core.points[0, 1, k] = b[k] - a[k]
    gap, nx, ny, nz, wa, wb, _ = _closest(
        placed, hulls, meshes, edges, s, sub, a, radius, reach, core, polytope
    )
    return gap, nx, ny, nz, wa, wb


@lean
def closest_of_triangle(
    placed, hulls, meshes, edges, s, sub, a, b, c, radius, reach, core, polytope
):
    """As `closest_of_segment`, for a triangle of thickness 2 · radius between three particles.

    Returns (gap, nx, ny, nz, weight of a, of b, of c).
    """
    core.count[0] = 3
    for k in range(3):
        core.points[0, 0, k] = 0.0
        core.points[0, 1, k] = b[k] - a[k]
        core.points[0, 2, k] = c[k] - a[k]
    return _closest(placed, hulls, meshes, edges, s, sub, a, radius, reach, core, polytope)


@lean_inline
def _closest(placed, hulls, meshes, edges, s, sub, o, radius, reach, core, polytope):
    """Gap of the points in row 0 of the core, seen from o, to shape s: see `closest_of_segment`."""
    kind = placed.kind[s]
    core.about[0, 0] = radius
    core.about[0, 1] = 0.0
    if kind in (PLANE, ROOM):
        r = placed.rotation
        axis = 2
        sign = 1.0
        offset = 0.0
        if kind == ROOM:
            axis = sub // 2
            sign = -1.0 if sub % 2 == 0 else 1.0
            offset = -placed.size[s, axis]
        nx, ny, nz = sign * r[s, 0, axis], sign * r[s, 1, axis], sign * r[s, 2, axis]
        height = (
            nx * (o[0] - placed.centre[s, 0])
            + ny * (o[1] - placed.centre[s, 1])
            + nz * (o[2] - placed.centre[s, 2])
            - offset
        )
        return _lowest(core, nx, ny, nz, height, radius, reach)
    load_core(core, 1, placed, hulls, meshes, s, sub, vec(o))
    thick = radius + core.about[1, 0]
    simplex = polytope.simplex
    guess = scale(-1.0, load(core.points[1], 0))
    state, corners, (nx, ny, nz) = gjk(core, simplex, reach + thick, guess)
    apart = math.sqrt(nx * nx + ny * ny + nz * nz)
    if state == FAR or (state == NEAR and apart > reach + thick):
        return math.inf, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
    if state == NEAR:
        nx /= apart
        ny /= apart
        nz /= apart
    else:
        (nx, ny, nz), depth, _ = penetration(core, polytope, corners)
        apart = -depth
        corners = 3
    if kind == MESH:
        tx, ty, tz = triangle_normal(core, 1)
        if tx == 0.0 and ty == 0.0 and tz == 0.0:
            return math.inf, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
        two_sided = meshes.two_sided[meshes.mesh[s]]
        p = core.points
        base = -(tx * p[1, 0, 0] + ty * p[1, 0, 1] + tz * p[1, 0, 2])
        if two_sided:
            # the side where most of the particles are
            middle = 0.0
            for n in range(core.count[0]):
                middle += base + tx * p[0, n, 0] + ty * p[0, n, 1] + tz * p[0, n, 2]
            if middle < 0.0:
                tx, ty, tz, base = -tx, -ty, -tz, -base
        facing = nx * tx + ny * ty + nz * tz
        if state != NEAR:
            return _lowest(core, tx, ty, tz, base, radius, reach)
        if facing < 0.0 and not two_sided:
            return math.inf, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
        if facing < ALONG_FACE and not neighbours_allow(
            core, placed, meshes, edges, s, sub, o, (nx, ny, nz)
        ):
            return math.inf, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
    w0 = w1 = w2 = 0.0
    for n in range(corners):
        weight = simplex.weight[n]
        if simplex.index[n] == 0:
            w0 += weight
        elif simplex.index[n] == 1:
            w1 += weight
        else:
            w2 += weight
    # the polytope may have stopped at a piece of a larger face, beside the point in question
    w0 = max(w0, 0.0)
    w1 = max(w1, 0.0)
    w2 = max(w2, 0.0)
    whole = w0 + w1 + w2
    return apart - thick, nx, ny, nz, w0 / whole, w1 / whole, w2 / whole


@lean_inline
def _lowest(core, nx, ny, nz, height, radius, reach):
    """Gap of the points in row 0 to the plane with unit normal n, ``height`` below their origin.

    Ends that lie equally deep share the weight.
    """
    p = core.points
    count = core.count[0]
    least = math.inf
    size = 0.0
    for n in range(count):
        along = nx * p[0, n, 0] + ny * p[0, n, 1] + nz * p[0, n, 2]
        least = min(least, along)
        size = max(size, abs(p[0, n, 0]) + abs(p[0, n, 1]) + abs(p[0, n, 2]))
    if height + least - radius > reach:
        return math.inf, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
    w0 = w1 = w2 = 0.0
    whole = 0.0
    for n in range(count):
        along = nx * p[0, n, 0] + ny * p[0, n, 1] + nz * p[0, n, 2]
        if along <= least + _LEVEL * size:
            whole += 1.0
            if n == 0:
                w0 = 1.0
            elif n == 1:
                w1 = 1.0
            else:
                w2 = 1.0
    return height + least - radius, nx, ny, nz, w0 / whole, w1 / whole, w2 / whole
