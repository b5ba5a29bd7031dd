"""Which contacts belong to a triangle of a mesh, and which to its neighbours.

A body that slides over a mesh must not stumble over the edges inside of flat or hollow parts: the
nearest point of one triangle may lie on such an edge, though the body really stands on the next
triangle. A contact at an edge or corner is the triangle's own only if the neighbours stay below
the plane through it (they are then not nearer: the normal lies in the edge's Voronoi region).
"""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline

ALONG_FACE = 0.9986
"""Cosine of 3°: a normal that is as near as that to a triangle's own becomes it."""
SLOPE = 0.02
"""Sine of the angle by which a neighbour may rise above the contact's plane."""


@lean
def neighbours_allow(core, placed, meshes, edges, s, t, o, nx, ny, nz):
    """Whether a contact with normal n at the edge or corner of triangle t is its own.

    core: the triangle stands in row 1, seen from o (3,). edges: see `mesh_edges`.
    """
    p = core.points
    h0 = nx * p[1, 0, 0] + ny * p[1, 0, 1] + nz * p[1, 0, 2]
    h1 = nx * p[1, 1, 0] + ny * p[1, 1, 1] + nz * p[1, 1, 2]
    h2 = nx * p[1, 2, 0] + ny * p[1, 2, 1] + nz * p[1, 2, 2]
    corner = 0
    if h1 > h0 and h1 >= h2:
        corner = 1
    elif h2 > h0:
        corner = 2
    # is it one of the two edges at this corner?
    after = (corner + 1) % 3
    before = (corner + 2) % 3
    slope_after = _fall(p, corner, after, nx, ny, nz)
    slope_before = _fall(p, corner, before, nx, ny, nz)
    x, y, z = p[1, corner, 0] + o[0], p[1, corner, 1] + o[1], p[1, corner, 2] + o[2]
    if min(slope_after, slope_before) <= SLOPE:
        edge = corner if slope_after <= slope_before else before
        v = edges.opposite[t, edge]
        return v < 0 or not _rises(placed, meshes, s, v, x, y, z, nx, ny, nz)
    at = meshes.triangle[t, corner]
    for n in range(edges.ring_start[at], edges.ring_start[at + 1]):
        if _rises(placed, meshes, s, edges.ring[n], x, y, z, nx, ny, nz):
            return False
    return True


@lean_inline
def _fall(p, i, j, nx, ny, nz):
    """Sine of the slope down along −n from corner i of the triangle to corner j."""
    dx, dy, dz = p[1, i, 0] - p[1, j, 0], p[1, i, 1] - p[1, j, 1], p[1, i, 2] - p[1, j, 2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length == 0.0:
        return 0.0
    return (nx * dx + ny * dy + nz * dz) / length


@lean_inline
def _rises(placed, meshes, s, v, x, y, z, nx, ny, nz):
    """Whether vertex v of mesh s stands above the plane through the world point with normal n."""
    r = placed.rotation
    lx = meshes.vertex[v, 0]
    ly = meshes.vertex[v, 1]
    lz = meshes.vertex[v, 2]
    dx = r[s, 0, 0] * lx + r[s, 0, 1] * ly + r[s, 0, 2] * lz + placed.centre[s, 0] - x
    dy = r[s, 1, 0] * lx + r[s, 1, 1] * ly + r[s, 1, 2] * lz + placed.centre[s, 1] - y
    dz = r[s, 2, 0] * lx + r[s, 2, 1] * ly + r[s, 2, 2] * lz + placed.centre[s, 2] - z
    rise = nx * dx + ny * dy + nz * dz
    return rise > SLOPE * math.sqrt(dx * dx + dy * dy + dz * dz)
