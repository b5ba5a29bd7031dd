"""Which contacts belong to a triangle of a mesh, and which to its neighbours.

A body that slides over a mesh must not stumble over the edges inside of flat or hollow parts: the
nearest point of one triangle may lie on such an edge, though the body really stands on the next
triangle. A contact at an edge or corner is the triangle's own only if the neighbours stay below
the plane through it (they are then not nearer: the normal lies in the edge's Voronoi region).
"""

from __future__ import annotations

from ..kernels.jit import lean, lean_inline
from ..vec3 import add, between, dot, length, load, rotate, sub, vec

ALONG_FACE = 0.9986
"""Cosine of 3°: a normal that is as near as that to a triangle's own becomes it."""
SLOPE = 0.02
"""Sine of the angle by which a neighbour may rise above the contact's plane."""


@lean
def neighbours_allow(core, solids, s, t, o, normal):
    """Whether a contact with this normal at the edge or corner of triangle t is its own.

    core: the triangle stands in row 1, seen from o (3,).
    """
    edges = solids.edges
    p = core.points[1]
    h0, h1, h2 = dot(normal, load(p, 0)), dot(normal, load(p, 1)), dot(normal, load(p, 2))
    corner = 0
    if h1 > h0 and h1 >= h2:
        corner = 1
    elif h2 > h0:
        corner = 2
    # is it one of the two edges at this corner?
    after = (corner + 1) % 3
    before = (corner + 2) % 3
    slope_after = _fall(p, corner, after, normal)
    slope_before = _fall(p, corner, before, normal)
    at = add(load(p, corner), vec(o))
    if min(slope_after, slope_before) <= SLOPE:
        edge = corner if slope_after <= slope_before else before
        v = edges.opposite[t, edge]
        return v < 0 or not _rises(solids, s, v, at, normal)
    middle = solids.meshes.triangle[t, corner]
    for n in range(edges.ring_start[middle], edges.ring_start[middle + 1]):
        if _rises(solids, s, edges.ring[n], at, normal):
            return False
    return True


@lean_inline
def _fall(p, i, j, normal):
    """Sine of the slope down against the normal from corner i of the triangle to corner j."""
    d = between(p, j, i)
    size = length(d)
    if size == 0.0:
        return 0.0
    return dot(normal, d) / size


@lean_inline
def _rises(solids, s, v, at, normal):
    """Whether vertex v of mesh s stands above the plane through the world point ``at``."""
    vertex = rotate(solids.placed.rotation[s], load(solids.meshes.vertex, v))
    d = sub(add(vertex, load(solids.placed.centre, s)), at)
    return dot(normal, d) > SLOPE * length(d)
