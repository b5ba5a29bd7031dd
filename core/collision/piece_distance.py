"""How far triangles of particles are from a shape: faces of cloth, and sticks of ropes.

They are convex like everything else here, so GJK and the expanding polytope do it; on top come
the weights that say between which of the particles the nearest point lies.
"""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from ..vec3 import ZERO, column, divide, dot, length, load, norm1, plus_dot, scale, store, sub
from .gjk import APART, FAR, gjk
from .kinds import MESH, PLANE, ROOM
from .manifold import triangle_normal
from .penetration import penetration
from .point_distance import UP
from .support import load_core
from .triangle_side import ALONG_FACE, neighbours_allow

LEVEL_SLOPE = 1e-6
"""Slope below which all corners lie equally deep."""

NOWHERE = (math.inf, UP, (1.0, 0.0, 0.0))


@lean
def closest_of_piece(solids, s, part, corners, radius, reach, lane):
    """Gap in m between a piece of thickness 2 · radius, of two or three world points, and shape s.

    part: the wall if s is a room, the row of the triangle if it is a mesh; lane: scratch memory.
    Returns (gap, normal, weights): the unit normal leads from the shape to the piece, whose nearest
    point is the weighted sum of its corners. The gap is infinite when it is larger than ``reach``
    ≥ 0.
    """
    core, simplex = lane.core, lane.polytope.simplex
    o = corners[0]
    core.count[0] = len(corners)
    for n in range(len(corners)):
        store(core.points[0], n, sub(corners[n], o))
    core.swept[0]["ball"], core.swept[0]["disc"] = radius, 0.0
    kind = solids.placed.kind[s]
    if kind in (PLANE, ROOM):
        normal, height = _level_of(solids.placed, s, part, o)
        return _lowest(core, normal, height, radius, reach)
    load_core(core, 1, solids, s, part, o)
    thick = radius + core.swept[1]["ball"]
    state, count, normal = gjk(core, simplex, reach + thick, scale(-1.0, load(core.points[1], 0)))
    apart = length(normal)
    if state == FAR or (state == APART and apart > reach + thick):
        return NOWHERE
    if state == APART:
        normal = divide(normal, apart)
    else:
        normal, depth, _ = penetration(core, lane.polytope, count)
        apart = -depth
        count = 3
    if kind == MESH:
        own, two_sided = triangle_normal(core, 1), solids.meshes.two_sided[solids.meshes.mesh[s]]
        if own == ZERO:
            return NOWHERE
        own, base = _side_of_triangle(core, own, two_sided)
        facing = dot(normal, own)
        if state != APART:
            return _lowest(core, own, base, radius, reach)
        if facing < 0.0 and not two_sided:
            return NOWHERE
        if facing < ALONG_FACE and not neighbours_allow(core, solids, s, part, o, normal):
            return NOWHERE
    return apart - thick, normal, _weights_of(simplex, count)


@lean_inline
def _level_of(placed, s, wall, o):
    """Normal of a plane or of the wall of a room, and how high o is above it."""
    axis, sign, offset = 2, 1.0, 0.0
    if placed.kind[s] == ROOM:
        axis = wall // 2
        sign = -1.0 if wall % 2 == 0 else 1.0
        offset = -placed.size[s, axis]
    normal = scale(sign, column(placed.rotation[s], axis))
    return normal, dot(normal, sub(o, load(placed.centre, s))) - offset


@lean_inline
def _side_of_triangle(core, normal, two_sided):
    """Normal of the triangle in row 1, and how high the piece's first corner is above it.

    Where it has two sides, of the side where most of the piece's corners are.
    """
    base = -dot(normal, load(core.points[1], 0))
    if two_sided:
        middle = 0.0
        for n in range(core.count[0]):
            middle += plus_dot(base, normal, load(core.points[0], n))
        if middle < 0.0:
            return scale(-1.0, normal), -base
    return normal, base


@lean_inline
def _weights_of(simplex, count):
    """Weights of the three corners in the nearest point."""
    w0 = w1 = w2 = 0.0
    for n in range(count):
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
    return divide((w0, w1, w2), w0 + w1 + w2)


@lean_inline
def _lowest(core, normal, height, radius, reach):
    """Gap of the points in row 0 to the plane of a unit normal, ``height`` below their origin.

    Corners that lie equally deep share the weight.
    """
    points = core.points[0]
    least = math.inf
    size = 0.0
    for n in range(core.count[0]):
        least = min(least, dot(normal, load(points, n)))
        size = max(size, norm1(load(points, n)))
    if height + least - radius > reach:
        return NOWHERE
    w0 = w1 = w2 = 0.0
    for n in range(core.count[0]):
        if dot(normal, load(points, n)) <= least + LEVEL_SLOPE * size:
            if n == 0:
                w0 = 1.0
            elif n == 1:
                w1 = 1.0
            else:
                w2 = 1.0
    return height + least - radius, normal, divide((w0, w1, w2), w0 + w1 + w2)
