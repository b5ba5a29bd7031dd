"""Contact of two boxes: separating axes, then clipping of the facing faces.

Gottschalk, Lin, Manocha 1996 (the fifteen axes). Faces are preferred to edges, and clipped as in
every engine since ODE's dBoxBox.
"""

from __future__ import annotations

import math
from collections import namedtuple

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
    unrotate,
    vec,
)
from .clip import EDGE_SLACK, clip, set_corner
from .manifold import PREFERENCE, Facing, face_numbers, leaning_faces, one_point, write_chosen

BoxPair = namedtuple(
    "BoxPair",
    [
        "a", "b",  # half extents m
        "way",  # m, from a to b, seen from a
        "cosine",  # axes of b seen from a: cosine[i][j] of axes i of a and j of b
        "size",  # the sizes of those
    ],
)  # fmt: skip


@lean_inline
def _row(ra, rb, i):
    """Cosines of axis i of a and all axes of b."""
    axis = column(ra, i)
    return dot(axis, column(rb, 0)), dot(axis, column(rb, 1)), dot(axis, column(rb, 2))


@lean_inline
def _sizes(v):
    return abs(v[0]), abs(v[1]), abs(v[2])


@lean_inline
def _least(v):
    return min(v[0], min(v[1], v[2]))


@lean_inline
def _column(rows, j):
    return rows[0][j], rows[1][j], rows[2][j]


@lean_inline
def _best_axis(gaps):
    """The largest of three gaps, and of which axis it is."""
    axis = 0
    best = gaps[0]
    if gaps[1] > best:
        best = gaps[1]
        axis = 1
    if gaps[2] > best:
        best = gaps[2]
        axis = 2
    return best, axis


@lean_inline
def _edge_gap(pair, i, j, best):
    """Gap along the axis across edge i of a and edge j of b; −inf when it cannot beat ``best``."""
    one, two = (i + 1) % 3, (i + 2) % 3
    own, other = (j + 1) % 3, (j + 2) % 3
    way, size = pair.way, pair.size
    # too large by the axis's length
    raw = abs(way[two] * pair.cosine[one][j] - way[one] * pair.cosine[two][j]) - (
        pair.a[one] * size[two][j]
        + pair.a[two] * size[one][j]
        + pair.b[own] * size[i][other]
        + pair.b[other] * size[i][own]
    )
    if raw <= best:
        return -math.inf
    cosine = pair.cosine[i][j]
    square = 1.0 - cosine * cosine
    if square < 1e-6:  # parallel edges: the faces say it all
        return -math.inf
    return raw / math.sqrt(square)


@lean_inline
def _better_edges(pair, i, best, edge):
    """The better of what is known and of edge i of a across the edges of b, and 3 i + j."""
    gap = _edge_gap(pair, i, 0, best)
    if gap > best:
        best, edge = gap, 3 * i
    gap = _edge_gap(pair, i, 1, best)
    if gap > best:
        best, edge = gap, 3 * i + 1
    gap = _edge_gap(pair, i, 2, best)
    if gap > best:
        best, edge = gap, 3 * i + 2
    return best, edge


@lean_inline
def _best_edges(pair, best):
    """The largest gap across two edges that is larger than ``best``, and 3 i + j; else −1.

    Written out: the numbers of axes are known to the compiler then, and tuples stay in registers.
    """
    best, edge = _better_edges(pair, 0, best, -1)
    best, edge = _better_edges(pair, 1, best, edge)
    return _better_edges(pair, 2, best, edge)


@lean
def box_pair(placed, a, b, reach, scratch, place):
    """Manifold of the boxes a and b; its points, 0 … 4."""
    polygon = scratch.polygon
    ra, rb = placed.rotation[a], placed.rotation[b]
    half_a, half_b = load(placed.size, a), load(placed.size, b)
    way = unrotate(ra, between(placed.centre, a, b))
    outside = sub(_sizes(way), half_a)
    far = reach + length(half_b)
    if outside[0] > far or outside[1] > far or outside[2] > far:
        return 0
    c0 = _row(ra, rb, 0)
    q0 = _sizes(c0)
    g0 = outside[0] - dot(q0, half_b)
    if g0 > reach:
        return 0
    c1 = _row(ra, rb, 1)
    q1 = _sizes(c1)
    g1 = outside[1] - dot(q1, half_b)
    if g1 > reach:
        return 0
    c2 = _row(ra, rb, 2)
    q2 = _sizes(c2)
    g2 = outside[2] - dot(q2, half_b)
    if g2 > reach:
        return 0
    pair = BoxPair(half_a, half_b, way, (c0, c1, c2), (q0, q1, q2))
    seen = (  # the way seen from b
        dot(way, _column(pair.cosine, 0)),
        dot(way, _column(pair.cosine, 1)),
        dot(way, _column(pair.cosine, 2)),
    )
    gaps = sub(_sizes(seen), half_b)
    gaps = (
        gaps[0] - dot(_column(pair.size, 0), half_a),
        gaps[1] - dot(_column(pair.size, 1), half_a),
        gaps[2] - dot(_column(pair.size, 2), half_a),
    )
    if gaps[0] > reach or gaps[1] > reach or gaps[2] > reach:
        return 0
    best_a, axis_a = _best_axis((g0, g1, g2))
    best_b, axis_b = _best_axis(gaps)
    preference = PREFERENCE * min(_least(half_a), _least(half_b))
    best, edge = _best_edges(pair, max(best_a, best_b) + preference)
    if edge >= 0:
        if best > reach:
            return 0
        return _edge_contact(placed, a, b, edge, (reach, preference), scratch, place)
    # the face of the first one of these carries the contact
    if best_b > best_a + 0.5 * preference:
        sign = -1.0 if seen[axis_b] > 0.0 else 1.0
        most = (reach, best_b + preference)
        return _face_contact(placed, b, a, 2 * axis_b + (sign < 0.0), most, polygon, place, True)
    sign = -1.0 if way[axis_a] < 0.0 else 1.0
    most = (reach, best_a + preference)
    return _face_contact(placed, a, b, 2 * axis_a + (sign < 0.0), most, polygon, place, False)


@lean
def _face_contact(placed, one, two, number, most, polygon, place, on_b):
    """Contact of face ``number`` of box one (2 · axis, and 1 more for the lower one) with box two.

    most (2) m: gap at which a point counts, and gap beyond which the nearest corner is not over the
    face; on_b: the boxes are b and a. −1 where the face does not carry the contact.
    """
    reach, beyond = most
    r = placed.rotation[one]
    axis = number // 2
    normal = scale(-1.0 if number % 2 == 1 else 1.0, column(r, axis))
    other, turned = _facing(placed.rotation[two], scale(-1.0, normal))
    o = placed.centre[one]
    for n in range(4):
        set_corner(polygon, n, _face_corner(placed, two, (other, turned), 1.0, vec(o), n))
    row, count = 0, 4
    for side in range(4):
        k = (axis + 1 + side // 2) % 3
        outward = scale(1.0 if side % 2 == 0 else -1.0, column(r, k))
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
    if least > beyond:
        return -1
    other_number = 2 * other + (1 if turned < 0.0 else 0)
    # points lie on ``two``: on the first shape if that is a
    ids = face_numbers(1, other_number, number) if on_b else face_numbers(0, number, other_number)
    way = normal if on_b else scale(-1.0, normal)
    return write_chosen(place, polygon, row, found, 1 if on_b else 0, ids, way, (0.0, 0.0), o)


@lean_inline
def _facing(r, d):
    """Axis of a box turned by r of which a face looks most along d, and the sign of that face."""
    axis = 0
    most = dot(column(r, 0), d)
    for k in range(1, 3):
        facing = dot(column(r, k), d)
        if abs(facing) > abs(most):
            axis, most = k, facing
    return axis, (-1.0 if most < 0.0 else 1.0)


@lean_inline
def _face_corner(placed, s, facing, turn, seen_from, n):
    """Corner n of the face of box s that is ``facing`` = (axis, sign), m from a place.

    Counter-clockwise seen from where its axis leads, or, where turn is −1, from behind.
    """
    axis, sign = facing
    r, size = placed.rotation[s], placed.size[s]
    one, two = (axis + 1) % 3, (axis + 2) % 3
    middle = sub(load(placed.centre, s), seen_from)
    middle = along(middle, sign * size[axis], column(r, axis))
    u = size[one] if n == 0 or n == 3 else -size[one]
    v = turn * (size[two] if n < 2 else -size[two])
    return along(along(middle, u, column(r, one)), v, column(r, two))


@lean_inline
def _write_face(face, placed, s, d, seen_from):
    """Write the face of box s that looks most along d, m; its number and its normal."""
    r = placed.rotation[s]
    axis, sign = _facing(r, d)
    for n in range(4):  # counter-clockwise seen from outside
        store(face, n, _face_corner(placed, s, (axis, sign), sign, seen_from, n))
    return 2 * axis + (1 if sign < 0.0 else 0), scale(sign, column(r, axis))


@lean
def _edge_contact(placed, a, b, edge, most, scratch, place):
    """Where edge direction i of box a crosses edge direction j of box b, edge = 3 i + j.

    With what else the faces beside these edges have near it; its points, or −1 when the nearest
    points of the edges' lines lie beyond the ends of the edges. most (2) m: gap at which a point
    counts, and how much farther than the crossing the nearest of the faces' points may be.
    """
    i, j = edge // 3, edge % 3
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
    o = placed.centre[a]
    number_a, outward_a = _write_face(scratch.faces[0], placed, a, scale(-1.0, normal), vec(o))
    number_b, outward_b = _write_face(scratch.faces[1], placed, b, normal, vec(o))
    facing = Facing(scratch.faces, (4, 4), (number_a, number_b), (outward_a, outward_b))
    reach, beyond = most
    found = leaning_faces(
        scratch.polygon, facing, normal, reach, gap + beyond, (0.0, 0.0), o, place
    )
    if found > 0:
        return found
    at = along(add(load(placed.centre, a), on_a), s, u)
    return one_point(place, at, gap, normal)
