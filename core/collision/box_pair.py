"""Contact of two boxes: separating axes, then clipping of the facing faces.

Gottschalk, Lin, Manocha 1996 (the fifteen axes). Faces are preferred to edges, and clipped as in
every engine since ODE's dBoxBox.
"""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from ..vec3 import (
    ZERO,
    add,
    along,
    between,
    column,
    cross,
    divide,
    dot,
    length,
    load,
    scale,
    store,
    sub,
)
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
def box_pair(placed, a, b, reach, polygon, place):
    """Manifold of the boxes a and b; its points, 0 … 4."""
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
        return _edge_contact(placed, a, b, edge // 3, edge % 3, place)
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
    normal = scale(sign, column(ra[one], axis))
    other, turned, count = _load_face(polygon, placed, one, two, normal)
    row = 0
    for side in range(4):
        k = (axis + 1 + side // 2) % 3
        outward = scale(1.0 if side % 2 == 0 else -1.0, column(ra[one], k))
        half = placed.size[one, k]
        slack = EDGE_SLACK * 2.0 * half
        row, count = clip(polygon, row, count, outward, half, slack, side)
        if count == 0:
            return -1
    corner = polygon.corner[row]
    label = polygon.label
    found = 0
    least = math.inf
    for n in range(count):
        gap = dot(normal, load(corner, n)) - placed.size[one, axis]
        least = min(least, gap)
        if gap <= reach:
            store(corner, found, load(corner, n))
            label[row, found, 0] = label[row, n, 0]
            polygon.height[found] = gap
            found += 1
    if least > best + preference:  # the nearest corner is not over the face
        return -1
    number = 2 * axis + (1 if sign < 0.0 else 0)
    number_other = 2 * other + (1 if turned < 0.0 else 0)
    # points lie on ``two``: on the first shape if that is a
    reference = 1 if on_b else 0
    ids = face_numbers(1, number_other, number) if on_b else face_numbers(0, number, number_other)
    way = normal if on_b else scale(-1.0, normal)
    o = placed.centre[one]
    return write_chosen(place, polygon, row, found, reference, ids, way, (0.0, 0.0), o)


@lean
def _load_face(polygon, placed, one, two, normal):
    """Write the face of box ``two`` that looks most against n, seen from the centre of ``one``.

    Returns (its axis, its sign, corners).
    """
    r = placed.rotation[two]
    face = 0
    steepest = -1.0
    turned = 1.0
    for k in range(3):
        facing = dot(normal, column(r, k))
        if abs(facing) > steepest:
            steepest = abs(facing)
            face = k
            turned = -1.0 if facing > 0.0 else 1.0
    one_side = (face + 1) % 3
    other_side = (face + 2) % 3
    s1 = placed.size[two, one_side]
    s2 = placed.size[two, other_side]
    middle = between(placed.centre, one, two)
    middle = along(middle, turned * placed.size[two, face], column(r, face))
    for n in range(4):
        u = s1 if n == 0 or n == 3 else -s1
        v = s2 if n < 2 else -s2
        corner = along(middle, u, column(r, one_side))
        set_corner(polygon, n, along(corner, v, column(r, other_side)))
    return face, turned, 4


@lean
def _edge_contact(placed, a, b, i, j, place):
    """One point where edge direction i of box a crosses edge direction j of box b.

    −1 when the nearest points of the edges' lines lie beyond the ends of the edges.
    """
    ra, rb = placed.rotation[a], placed.rotation[b]
    u, v = column(ra, i), column(rb, j)
    d = between(placed.centre, a, b)
    normal = cross(u, v)
    size = length(normal)
    if dot(normal, d) > 0.0:
        size = -size
    normal = divide(normal, size)
    on_a, on_b = ZERO, d  # middles of the edges, seen from a
    for k in range(3):
        if k != i:
            axis = column(ra, k)
            on_a = along(on_a, -math.copysign(placed.size[a, k], dot(normal, axis)), axis)
        if k != j:
            axis = column(rb, k)
            on_b = along(on_b, math.copysign(placed.size[b, k], dot(normal, axis)), axis)
    w = sub(on_b, on_a)
    gap = -dot(w, normal)
    uv, wu, wv = dot(u, v), dot(w, u), dot(w, v)
    den = 1.0 - uv * uv
    s = (wu - uv * wv) / den
    t = (uv * wu - wv) / den
    if abs(s) > placed.size[a, i] * 1.001 or abs(t) > placed.size[b, j] * 1.001:
        return -1
    at = along(add(load(placed.centre, a), on_a), s, u)
    return one_point(place, at, gap, normal)
