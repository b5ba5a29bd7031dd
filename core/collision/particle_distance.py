"""How far a particle is from the triangles of a mesh, in the frame of its shape."""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from ..vec3 import ZERO, add, along, cross, divide, dot, dot2, length, load, scale, sub
from .axis_boxes import highest, lowest, widened
from .point_distance import UP, triangle_distance
from .tree import end_of, next_leaf, root_of

MESH_SKIN = 1e-5
"""m that particles keep from the triangles of a mesh: the side on which one is must not get lost
in rounding."""

MOST_TRIANGLES_AT_ONCE = 3
"""Triangles of one mesh that a particle is projected out of in one go, the deepest first."""


@lean
def mesh_distance(meshes, mesh, tree, before, motion, p, o, radius):
    """Signed distance of a ball of ``radius`` around p from the triangles of a mesh.

    That of the deepest one, as `solid_distance` gives it, and how far that triangle has moved in
    the step: (distance, normal, motion), infinite where no triangle is near. o is where p was one
    step ago, before (v, 3) m where the vertices were then, motion m how far any of them has come;
    who went through a triangle is sent back to the side that he came from.
    """
    reach = radius + MESH_SKIN
    two_sided = meshes.two_sided[mesh]
    node = root_of(meshes.first_triangle[mesh])
    end = end_of(meshes.first_triangle[mesh + 1])
    low, high = widened(lowest(p, o), highest(p, o), reach + motion)
    best, normal, moved = math.inf, UP, ZERO
    node = next_leaf(tree, node, end, low, high)
    while node < end:
        corner = meshes.triangle[tree.leaf[node]]
        a = load(meshes.vertex, corner[0])
        b, c = load(meshes.vertex, corner[1]), load(meshes.vertex, corner[2])
        way = sub(a, load(before, corner[0]))
        gap, n = _triangle_gap(a, b, c, p, add(o, way), reach, two_sided)
        if gap < best:
            best, normal, moved = gap, n, way
        node = next_leaf(tree, node + 1, end, low, high)
    return best, normal, moved


@lean_inline
def _triangle_gap(a, b, c, p, o, reach, two_sided):
    """Signed distance from one triangle and the way out; infinite from behind, but for who is
    no deeper than he is thick or came through it just now.
    """
    u, v = sub(b, a), sub(c, a)
    n = cross(u, v)
    size = length(n)
    if size <= 1e-12 * dot2(u, u, v, v):
        return math.inf, UP
    n = divide(n, size)
    before, now = dot(n, sub(o, a)), dot(n, sub(p, a))
    if two_sided and before < 0.0:
        n, before, now = scale(-1.0, n), -before, -now
    if before >= 0.0 and now < 0.0:
        t = before / (before - now)
        x = sub(along(o, t, sub(p, o)), a)
        uu, uv, vv, xu, xv = dot(u, u), dot(u, v), dot(v, v), dot(x, u), dot(x, v)
        area = uu * vv - uv * uv
        q = vv * xu - uv * xv
        r = uu * xv - uv * xu
        slack = 1e-9 * area
        if q >= -slack and r >= -slack and q + r <= area + slack:
            return now - reach, n
    if now < 0.0 and (two_sided or now < -reach):
        return math.inf, UP
    gap, n, _ = triangle_distance(a, b, c, p, o, reach, two_sided)
    return gap, n
