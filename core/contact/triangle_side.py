"""Which contacts belong to a triangle of a mesh, and which to its neighbours.

A body that slides over a mesh must not stumble over the edges inside of flat or hollow parts: the
nearest point of one triangle may lie on such an edge, though the body really stands on the next
triangle. A contact at an edge or corner is the triangle's own only if the neighbours stay below
the plane through it (they are then not nearer: the normal lies in the edge's Voronoi region).
"""

from __future__ import annotations

import math

from ..jit import inline

_SLOPE = 0.02  # sine of the angle by which a neighbour may rise above the contact's plane


@inline
def neighbours_allow(core, shapes, s, t, opposite, o, nx, ny, nz):
    """Whether a contact with normal n at the edge or corner of triangle t is its own.

    core: the triangle stands in row 1, seen from o (3,). opposite (t, 3) from `opposite_corners`.
    """
    p = core.points
    h0 = nx * p[1, 0, 0] + ny * p[1, 0, 1] + nz * p[1, 0, 2]
    h1 = nx * p[1, 1, 0] + ny * p[1, 1, 1] + nz * p[1, 1, 2]
    h2 = nx * p[1, 2, 0] + ny * p[1, 2, 1] + nz * p[1, 2, 2]
    corner = 0
    most = h0
    if h1 > most:
        corner = 1
        most = h1
    if h2 > most:
        corner = 2
        most = h2
    # is it one of the two edges at this corner?
    after = (corner + 1) % 3
    before = (corner + 2) % 3
    fall_after = most - (h0 if after == 0 else (h1 if after == 1 else h2))
    fall_before = most - (h0 if before == 0 else (h1 if before == 1 else h2))
    long_after = _length(p, corner, after)
    long_before = _length(p, corner, before)
    on_after = fall_after <= _SLOPE * long_after and fall_after <= fall_before
    on_before = fall_before <= _SLOPE * long_before and fall_before < fall_after
    for n in range(2):
        if (n == 0 and on_before) or (n == 1 and on_after):
            continue
        edge = corner if n == 0 else before
        v = opposite[t, edge]
        if v < 0:
            continue
        r = shapes.rotation[s]
        lx = shapes.mesh_vertex[v, 0]
        ly = shapes.mesh_vertex[v, 1]
        lz = shapes.mesh_vertex[v, 2]
        x = r[0, 0] * lx + r[0, 1] * ly + r[0, 2] * lz + shapes.centre[s, 0] - o[0]
        y = r[1, 0] * lx + r[1, 1] * ly + r[1, 2] * lz + shapes.centre[s, 1] - o[1]
        z = r[2, 0] * lx + r[2, 1] * ly + r[2, 2] * lz + shapes.centre[s, 2] - o[2]
        dx, dy, dz = x - p[1, corner, 0], y - p[1, corner, 1], z - p[1, corner, 2]
        rise = nx * dx + ny * dy + nz * dz
        if rise > _SLOPE * math.sqrt(dx * dx + dy * dy + dz * dz):
            return False
    return True


@inline
def _length(p, i, j):
    dx, dy, dz = p[1, i, 0] - p[1, j, 0], p[1, i, 1] - p[1, j, 1], p[1, i, 2] - p[1, j, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)
