"""Contact of two boxes: separating axes, then clipping of the facing faces.

Gottschalk, Lin, Manocha 1996 (the fifteen axes). Faces are preferred to edges, and clipped as in
every engine since ODE's dBoxBox.
"""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from .clip import EDGE_SLACK, clip, set_corner
from .manifold import PREFERENCE, face_numbers, one_point, write_chosen


@lean_inline
def _edge_gap(raw, cosine, best, margin):
    """Gap along an axis across two edges, from ``raw``, which is too large by the axis's length.

    −inf when it cannot beat ``best`` nor ``margin``.
    """
    if raw <= best:
        return -math.inf
    square = 1.0 - cosine * cosine
    if square < 1e-6:  # parallel edges: the faces say it all
        return -math.inf
    return raw / math.sqrt(square)


@lean
def box_pair(placed, a, b, reach, polygon, manifolds, m, flip):
    """Manifold m of the boxes a and b; its points, 0 … 4."""
    ra = placed.rotation
    dx = placed.centre[b, 0] - placed.centre[a, 0]
    dy = placed.centre[b, 1] - placed.centre[a, 1]
    dz = placed.centre[b, 2] - placed.centre[a, 2]
    a0, a1, a2 = placed.size[a, 0], placed.size[a, 1], placed.size[a, 2]
    b0, b1, b2 = placed.size[b, 0], placed.size[b, 1], placed.size[b, 2]
    # c: axes of b seen from a; d: the way from a to b, seen from a; e: seen from b
    d0 = dx * ra[a, 0, 0] + dy * ra[a, 1, 0] + dz * ra[a, 2, 0]
    d1 = dx * ra[a, 0, 1] + dy * ra[a, 1, 1] + dz * ra[a, 2, 1]
    d2 = dx * ra[a, 0, 2] + dy * ra[a, 1, 2] + dz * ra[a, 2, 2]
    round_b = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
    far = reach + round_b
    if abs(d0) - a0 > far or abs(d1) - a1 > far or abs(d2) - a2 > far:
        return 0
    c00 = ra[a, 0, 0] * ra[b, 0, 0] + ra[a, 1, 0] * ra[b, 1, 0] + ra[a, 2, 0] * ra[b, 2, 0]
    c01 = ra[a, 0, 0] * ra[b, 0, 1] + ra[a, 1, 0] * ra[b, 1, 1] + ra[a, 2, 0] * ra[b, 2, 1]
    c02 = ra[a, 0, 0] * ra[b, 0, 2] + ra[a, 1, 0] * ra[b, 1, 2] + ra[a, 2, 0] * ra[b, 2, 2]
    q00, q01, q02 = abs(c00), abs(c01), abs(c02)
    g0 = abs(d0) - a0 - (q00 * b0 + q01 * b1 + q02 * b2)
    if g0 > reach:
        return 0
    c10 = ra[a, 0, 1] * ra[b, 0, 0] + ra[a, 1, 1] * ra[b, 1, 0] + ra[a, 2, 1] * ra[b, 2, 0]
    c11 = ra[a, 0, 1] * ra[b, 0, 1] + ra[a, 1, 1] * ra[b, 1, 1] + ra[a, 2, 1] * ra[b, 2, 1]
    c12 = ra[a, 0, 1] * ra[b, 0, 2] + ra[a, 1, 1] * ra[b, 1, 2] + ra[a, 2, 1] * ra[b, 2, 2]
    q10, q11, q12 = abs(c10), abs(c11), abs(c12)
    g1 = abs(d1) - a1 - (q10 * b0 + q11 * b1 + q12 * b2)
    if g1 > reach:
        return 0
    c20 = ra[a, 0, 2] * ra[b, 0, 0] + ra[a, 1, 2] * ra[b, 1, 0] + ra[a, 2, 2] * ra[b, 2, 0]
    c21 = ra[a, 0, 2] * ra[b, 0, 1] + ra[a, 1, 2] * ra[b, 1, 1] + ra[a, 2, 2] * ra[b, 2, 1]
    c22 = ra[a, 0, 2] * ra[b, 0, 2] + ra[a, 1, 2] * ra[b, 1, 2] + ra[a, 2, 2] * ra[b, 2, 2]
    q20, q21, q22 = abs(c20), abs(c21), abs(c22)
    g2 = abs(d2) - a2 - (q20 * b0 + q21 * b1 + q22 * b2)
    if g2 > reach:
        return 0
    e0 = d0 * c00 + d1 * c10 + d2 * c20
    e1 = d0 * c01 + d1 * c11 + d2 * c21
    e2 = d0 * c02 + d1 * c12 + d2 * c22
    f0 = abs(e0) - b0 - (q00 * a0 + q10 * a1 + q20 * a2)
    f1 = abs(e1) - b1 - (q01 * a0 + q11 * a1 + q21 * a2)
    f2 = abs(e2) - b2 - (q02 * a0 + q12 * a1 + q22 * a2)
    if f0 > reach or f1 > reach or f2 > reach:
        return 0
    axis_a = 0
    best_a = g0
    if g1 > best_a:
        best_a = g1
        axis_a = 1
    if g2 > best_a:
        best_a = g2
        axis_a = 2
    axis_b = 0
    best_b = f0
    if f1 > best_b:
        best_b = f1
        axis_b = 1
    if f2 > best_b:
        best_b = f2
        axis_b = 2
    preference = PREFERENCE * min(min(a0, min(a1, a2)), min(b0, min(b1, b2)))
    best = max(best_a, best_b) + preference
    edge = -1
    # edge i of a across edge j of b
    gap = _edge_gap(
        abs(d2 * c10 - d1 * c20) - (a1 * q20 + a2 * q10 + b1 * q02 + b2 * q01), c00, best, reach
    )
    if gap > best:
        best = gap
        edge = 0
    gap = _edge_gap(
        abs(d2 * c11 - d1 * c21) - (a1 * q21 + a2 * q11 + b2 * q00 + b0 * q02), c01, best, reach
    )
    if gap > best:
        best = gap
        edge = 1
    gap = _edge_gap(
        abs(d2 * c12 - d1 * c22) - (a1 * q22 + a2 * q12 + b0 * q01 + b1 * q00), c02, best, reach
    )
    if gap > best:
        best = gap
        edge = 2
    gap = _edge_gap(
        abs(d0 * c20 - d2 * c00) - (a2 * q00 + a0 * q20 + b1 * q12 + b2 * q11), c10, best, reach
    )
    if gap > best:
        best = gap
        edge = 3
    gap = _edge_gap(
        abs(d0 * c21 - d2 * c01) - (a2 * q01 + a0 * q21 + b2 * q10 + b0 * q12), c11, best, reach
    )
    if gap > best:
        best = gap
        edge = 4
    gap = _edge_gap(
        abs(d0 * c22 - d2 * c02) - (a2 * q02 + a0 * q22 + b0 * q11 + b1 * q10), c12, best, reach
    )
    if gap > best:
        best = gap
        edge = 5
    gap = _edge_gap(
        abs(d1 * c00 - d0 * c10) - (a0 * q10 + a1 * q00 + b1 * q22 + b2 * q21), c20, best, reach
    )
    if gap > best:
        best = gap
        edge = 6
    gap = _edge_gap(
        abs(d1 * c01 - d0 * c11) - (a0 * q11 + a1 * q01 + b2 * q20 + b0 * q22), c21, best, reach
    )
    if gap > best:
        best = gap
        edge = 7
    gap = _edge_gap(
        abs(d1 * c02 - d0 * c12) - (a0 * q12 + a1 * q02 + b0 * q21 + b1 * q20), c22, best, reach
    )
    if gap > best:
        best = gap
        edge = 8
    if edge >= 0:
        if best > reach:
            return 0
        return _edge_contact(placed, a, b, edge // 3, edge % 3, manifolds, m, flip)
    # the face of ``one`` that carries the contact looks along sign · axis towards ``two``
    one, two, axis = a, b, axis_a
    along = -(d0 if axis_a == 0 else (d1 if axis_a == 1 else d2))
    best = best_a
    on_b = best_b > best_a + 0.5 * preference
    if on_b:
        one, two, axis = b, a, axis_b
        along = e0 if axis_b == 0 else (e1 if axis_b == 1 else e2)
        best = best_b
    sign = -1.0 if along > 0.0 else 1.0
    nx, ny, nz = sign * ra[one, 0, axis], sign * ra[one, 1, axis], sign * ra[one, 2, axis]
    other, turned, count = _load_face(polygon, placed, one, two, nx, ny, nz)
    row = 0
    for side in range(4):
        k = (axis + 1 + side // 2) % 3
        turn = 1.0 if side % 2 == 0 else -1.0
        half = placed.size[one, k]
        ux, uy, uz = turn * ra[one, 0, k], turn * ra[one, 1, k], turn * ra[one, 2, k]
        slack = EDGE_SLACK * 2.0 * half
        row, count = clip(polygon, row, count, ux, uy, uz, half, slack, side)
        if count == 0:
            return -1
    corner = polygon.corner
    label = polygon.label
    height = polygon.height
    found = 0
    least = math.inf
    for n in range(count):
        gap = nx * corner[row, n, 0] + ny * corner[row, n, 1] + nz * corner[row, n, 2]
        gap -= placed.size[one, axis]
        least = min(least, gap)
        if gap <= reach:
            for k in range(3):
                corner[row, found, k] = corner[row, n, k]
            label[row, found, 0] = label[row, n, 0]
            height[found] = gap
            found += 1
    if least > best + preference:  # the nearest corner is not over the face
        return -1
    number = 2 * axis + (1 if sign < 0.0 else 0)
    number_other = 2 * other + (1 if turned < 0.0 else 0)
    # points lie on ``two``: on the first shape if that is a
    if on_b:
        reference = 1
        ids = face_numbers(1, number_other, number)
    else:
        nx, ny, nz = -nx, -ny, -nz
        reference = 0
        ids = face_numbers(0, number, number_other)
    return write_chosen(
        manifolds,
        m,
        flip,
        polygon,
        row,
        found,
        reference,
        ids,
        nx,
        ny,
        nz,
        0.0,
        0.0,
        placed.centre[one],
    )


@lean
def _load_face(polygon, placed, one, two, nx, ny, nz):
    """Write the face of box ``two`` that looks most against n, seen from the centre of ``one``.

    Returns (its axis, its sign, corners).
    """
    r = placed.rotation
    face = 0
    steepest = -1.0
    turned = 1.0
    for k in range(3):
        along = nx * r[two, 0, k] + ny * r[two, 1, k] + nz * r[two, 2, k]
        if abs(along) > steepest:
            steepest = abs(along)
            face = k
            turned = -1.0 if along > 0.0 else 1.0
    one_side = (face + 1) % 3
    other_side = (face + 2) % 3
    s0 = turned * placed.size[two, face]
    s1 = placed.size[two, one_side]
    s2 = placed.size[two, other_side]
    x = placed.centre[two, 0] - placed.centre[one, 0] + s0 * r[two, 0, face]
    y = placed.centre[two, 1] - placed.centre[one, 1] + s0 * r[two, 1, face]
    z = placed.centre[two, 2] - placed.centre[one, 2] + s0 * r[two, 2, face]
    for n in range(4):
        u = s1 if n == 0 or n == 3 else -s1
        v = s2 if n < 2 else -s2
        set_corner(
            polygon,
            n,
            x + u * r[two, 0, one_side] + v * r[two, 0, other_side],
            y + u * r[two, 1, one_side] + v * r[two, 1, other_side],
            z + u * r[two, 2, one_side] + v * r[two, 2, other_side],
        )
    return face, turned, 4


@lean
def _edge_contact(placed, a, b, i, j, manifolds, m, flip):
    """One point where edge direction i of box a crosses edge direction j of box b.

    −1 when the nearest points of the edges' lines lie beyond the ends of the edges.
    """
    r = placed.rotation
    ux, uy, uz = r[a, 0, i], r[a, 1, i], r[a, 2, i]
    vx, vy, vz = r[b, 0, j], r[b, 1, j], r[b, 2, j]
    dx = placed.centre[b, 0] - placed.centre[a, 0]
    dy = placed.centre[b, 1] - placed.centre[a, 1]
    dz = placed.centre[b, 2] - placed.centre[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if nx * dx + ny * dy + nz * dz > 0.0:
        size = -size
    nx /= size
    ny /= size
    nz /= size
    ax = ay = az = 0.0  # middles of the edges, seen from a
    bx, by, bz = dx, dy, dz
    for k in range(3):
        if k != i:
            along = nx * r[a, 0, k] + ny * r[a, 1, k] + nz * r[a, 2, k]
            h = -math.copysign(placed.size[a, k], along)
            ax += h * r[a, 0, k]
            ay += h * r[a, 1, k]
            az += h * r[a, 2, k]
        if k != j:
            along = nx * r[b, 0, k] + ny * r[b, 1, k] + nz * r[b, 2, k]
            h = math.copysign(placed.size[b, k], along)
            bx += h * r[b, 0, k]
            by += h * r[b, 1, k]
            bz += h * r[b, 2, k]
    wx, wy, wz = bx - ax, by - ay, bz - az
    gap = -(wx * nx + wy * ny + wz * nz)
    uv = ux * vx + uy * vy + uz * vz
    wu = wx * ux + wy * uy + wz * uz
    wv = wx * vx + wy * vy + wz * vz
    den = 1.0 - uv * uv
    s = (wu - uv * wv) / den
    t = (uv * wu - wv) / den
    if abs(s) > placed.size[a, i] * 1.001 or abs(t) > placed.size[b, j] * 1.001:
        return -1
    return one_point(
        manifolds,
        m,
        flip,
        placed.centre[a, 0] + ax + s * ux,
        placed.centre[a, 1] + ay + s * uy,
        placed.centre[a, 2] + az + s * uz,
        gap,
        nx,
        ny,
        nz,
    )
