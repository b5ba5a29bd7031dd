"""Contact manifolds: up to four points per item, made from the faces that look at each other."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..elementary import sin_cos
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
    dot2,
    length,
    load,
    rotate,
    scale,
    store,
    sub,
    unrotate,
    vec,
)
from .clip import EDGE_SLACK, MOST_FACE_CORNERS, clip, four_of, set_corner
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH

Manifolds = namedtuple(
    "Manifolds",
    [
        "count",  # (m,) points of each item's manifold, 0 … 4
        "normal",  # (m, 3) unit, from b to a
        "on_a",  # (m, 4, 3) m, world: where the surfaces touch, or would along the normal
        "on_b",  # (m, 4, 3) m, world; the gap is (on_a − on_b)·normal, negative in overlap
        "feature",  # (m, 4) which corner or edge of a face it is, the same from step to step
    ],
)

PREFERENCE = 0.01
"""Part of the thinnest half extent by which a face may be deeper than the least way out and still
be chosen: contacts of faces have more points and are calmer."""
_ONE_POINT = 127 * 128 + 127  # features of contacts that are no clipped face
_LOWER_END = _ONE_POINT - 1
_UPPER_END = _ONE_POINT - 2
_CAP_CORNERS = 8
_MOST_CUT = 1.0 - math.cos(math.pi / _CAP_CORNERS)  # off a round end, as a share of its radius
FACE_COSINE = 0.7  # faces turned away from the normal by more cannot carry the contact

LEANS = 2e-2
"""Sine of the angle between a cylinder's axis and a normal from which on it stands on its rim, and
not on its end. Nearer to the axis the way it leans is chance, and points on its end are to be known
again in the next step."""


def manifold_room(items: int) -> Manifolds:
    """Empty manifolds for so many items."""
    return Manifolds(
        np.zeros(items, dtype=np.int32),
        np.zeros((items, 3)),
        np.zeros((items, 4, 3)),
        np.zeros((items, 4, 3)),
        np.zeros((items, 4), dtype=np.int32),
    )


Place = namedtuple(
    "Place",
    [
        "manifolds",
        "row",  # of the manifold
        "flip",  # the two shapes are written the other way round
    ],
)
"""Where the manifold of two shapes is written."""


@lean_inline
def set_normal(place, normal):
    """Write the normal, which points from the second shape to the first, or ``flip``."""
    store(place.manifolds.normal, place.row, scale(-1.0 if place.flip else 1.0, normal))


@lean_inline
def set_point(place, n, a, b, feature):
    """Write point n: a on the first shape, b on the second, or ``flip``."""
    manifolds, m, flip = place
    if flip:
        a, b = b, a
    store(manifolds.on_a[m], n, a)
    store(manifolds.on_b[m], n, b)
    manifolds.feature[m, n] = feature


@lean_inline
def _on_hull_face(hulls, face, vertex):
    for c in range(hulls.face_first_corner[face], hulls.face_first_corner[face + 1]):
        if hulls.face_corner[c] == vertex:
            return True
    return False


@lean
def supporting_face(core, side, solids, s, faces, d):
    """Face of shape s that looks most along the unit vector d.

    Writes its corners to faces[side], counter-clockwise seen from outside; returns how many, its
    number, and its normal, which is zero where the shape is round there: a line of two corners.
    """
    hulls = solids.hulls
    kind = solids.placed.kind[s]
    points = core.points[side]
    face = faces[side]
    r = solids.placed.rotation[s]
    if kind == BOX:
        return _box_face(points, r, face, d)
    if kind == HULL:
        return _hull_face(points, r, hulls, hulls.hull[s], face, d)
    if kind == MESH:
        n = triangle_normal(core, side)
        turned = dot(d, n) < 0.0
        store(face, 0, load(points, 0))
        store(face, 1, load(points, 2 if turned else 1))
        store(face, 2, load(points, 1 if turned else 2))
        return 3, (1 if turned else 0), scale(-1.0 if turned else 1.0, n)
    if kind in (CAPSULE, CYLINDER):
        return _round_face(points, core.swept[side]["disc"], kind, r, face, d)
    store(face, 0, load(points, 0))
    return 1, 0, ZERO


@lean_inline
def _box_face(points, r, face, d):
    """`supporting_face` of a box with the rotation r."""
    local = unrotate(r, d)
    axis = 0
    if abs(local[1]) > abs(local[0]):
        axis = 1
    if abs(local[2]) > abs(local[axis]):
        axis = 2
    # corners are numbered by their signs: bit 0 for x, bit 1 for y, bit 2 for z
    one = 1 << axis
    two = 1 << (axis + 1) % 3
    three = 1 << (axis + 2) % 3
    sign = 1.0
    base = one
    if local[axis] < 0.0:
        sign = -1.0
        base = 0
        two, three = three, two
    store(face, 0, load(points, base))
    store(face, 1, load(points, base + two))
    store(face, 2, load(points, base + two + three))
    store(face, 3, load(points, base + three))
    number = 2 * axis + (1 if local[axis] < 0.0 else 0)
    return 4, number, scale(sign, column(r, axis))


@lean_inline
def _hull_face(points, r, hulls, hull, face, d):
    """`supporting_face` of a hull with the rotation r."""
    local = unrotate(r, d)
    first = hulls.first_vertex[hull]
    # a face around the farthest vertex: a needle's broadside looks along d, but is not there
    vertex = first
    most = -math.inf
    for v in range(first, hulls.first_vertex[hull + 1]):
        far = dot(local, load(hulls.vertex, v))
        if far > most:
            most = far
            vertex = v
    chosen = -1
    most = -math.inf
    for f in range(hulls.first_face[hull], hulls.first_face[hull + 1]):
        far = dot(local, load(hulls.face_normal, f))
        if far > most and _on_hull_face(hulls, f, vertex):
            most = far
            chosen = f
    begin = hulls.face_first_corner[chosen]
    whole = hulls.face_first_corner[chosen + 1] - begin
    count = min(whole, MOST_FACE_CORNERS)
    for n in range(count):
        v = hulls.face_corner[begin + n * whole // count] - first
        store(face, n, load(points, v))
    return count, chosen - hulls.first_face[hull], rotate(r, load(hulls.face_normal, chosen))


@lean_inline
def _round_face(points, disc, kind, r, face, d):
    """`supporting_face` of a capsule or a cylinder with the rotation r; disc: its radius m."""
    axis = column(r, 2)
    height = dot(d, axis)
    # across the axis, where d points to; any that turns with the body when it points along the axis
    e = along(d, -height, axis)
    across = length(e)
    e = divide(e, across) if across > LEANS else column(r, 0)
    if kind == CYLINDER and abs(height) > 0.7:
        end = 1 if height > 0.0 else 0
        axis = scale(1.0 if height > 0.0 else -1.0, axis)
        f = cross(axis, e)
        for n in range(_CAP_CORNERS):
            # exact for the four on the axes, so that a flat cap stays flat
            sine, cosine = sin_cos(2.0 * math.pi * n / _CAP_CORNERS)
            outward = along(load(points, end), disc * cosine, e)
            store(face, n, along(outward, disc * sine, f))
        return _CAP_CORNERS, 1 - end, axis
    for n in range(2):
        store(face, n, along(load(points, n), disc, e))
    return 2, 2, ZERO


@lean_inline
def triangle_normal(core, side):
    """Unit normal of the triangle in the core, zero if it has no area."""
    u = between(core.points[side], 0, 1)
    v = between(core.points[side], 0, 2)
    n = cross(u, v)
    size = length(n)
    if size <= 1e-12 * dot2(u, u, v, v):
        return ZERO
    return divide(n, size)


@lean
def face_numbers(reference, id0, id1):
    """The part of a feature that says which faces were clipped: 17 bits above the label's 14."""
    clipped = id0 if reference == 1 else id1
    whole = id1 if reference == 1 else id0
    return (reference << 30) + ((whole & 255) << 22) + ((clipped & 255) << 14)


@lean
def write_chosen(place, polygon, row, found, reference, ids, normal, radii, o):
    """Write up to four of the ``found`` clipped points, whose gaps are in polygon.height.

    They lie on shape 1 − reference; the normal points from the second shape to the first; o (3,)
    is what they are seen from. radii (2) m: of the balls around the two cores, which gaps leave
    out.
    """
    count = found
    if found > 4:
        count = four_of(polygon, row, found, normal)
    else:
        for c in range(found):
            polygon.chosen[c] = c
    turned = Place(place.manifolds, place.row, place.flip != (reference == 0))
    for c in range(count):
        n = polygon.chosen[c]
        gap = polygon.height[n]
        # from the point to the surface of its own shape, and to that of the other one
        near = radii[1] if reference == 0 else -radii[0]
        far = gap - radii[0] if reference == 0 else radii[1] - gap
        at = add(vec(o), load(polygon.corner[row], n))
        ends = along(at, near, normal), along(at, far, normal)
        set_point(turned, c, ends[0], ends[1], ids + polygon.label[row, n, 0])
    set_normal(place, normal)
    place.manifolds.count[place.row] = count
    return count


@lean
def clip_faces(polygon, faces, reference, counts, outward, normal, limit):
    """Part of the other face that lies over the reference face, with gaps of at most ``limit``.

    counts: corners of both faces; outward: normal of faces[reference]; ``normal`` points from the
    second shape to the first. Both faces are seen along that, and gaps are along it, whether it is
    square to a face or not. Returns (row, points found, least gap m).
    """
    face, other = faces[reference], faces[1 - reference]
    sides, count = counts[reference], counts[1 - reference]
    for n in range(count):
        set_corner(polygon, n, load(other, n))
    shortest = math.inf
    for n in range(sides):
        e = between(face, n, n + 1 if n + 1 < sides else 0)
        shortest = min(shortest, dot(e, e))
    away = scale(1.0 if reference == 1 else -1.0, normal)
    row = 0
    for n in range(sides):
        if count == 0:
            break
        p = load(face, n)
        e = between(face, n, n + 1 if n + 1 < sides else 0)
        s = cross(e, away)
        slack = EDGE_SLACK * math.sqrt(shortest * dot(e, e))
        row, count = clip(polygon, row, count, s, dot(s, p), slack, n)
    corner = polygon.corner[row]
    label = polygon.label
    steep = 1.0 if away == outward else dot(outward, away)
    height = dot(outward, load(face, 0))
    found = 0
    least = math.inf
    for n in range(count):
        gap = (dot(outward, load(corner, n)) - height) / steep
        least = min(least, gap)
        if gap <= limit:
            store(corner, found, load(corner, n))
            label[row, found, 0] = label[row, n, 0]
            polygon.height[found] = gap
            found += 1
    return row, found, least


Facing = namedtuple(
    "Facing",
    [
        "faces",  # (2, MOST_FACE_CORNERS, 3) m
        "count",  # corners of both
        "number",  # of both: which faces of their shapes they are
        "outward",  # unit normals of both, zero where a shape is round
    ],
)
"""Two faces that look at each other."""


@lean_inline
def roundness(core, counts, m0, m1):
    """How much farther apart, m, two faces seem than they are where round ends are cut as octagons.

    counts: corners of both; m0, m1: their unit normals. Where the two lean by little it is little.
    """
    chord = 0.0
    for side in range(2):
        if counts[side] == _CAP_CORNERS:
            chord += _MOST_CUT * core.swept[side]["disc"]
    return chord * length(cross(m0, m1))


@lean
def hold_nearest(place, found, at, gap, normal, preference):
    """See that ``found`` points hold the one where the two shapes are nearest; how many there are.

    at (m): that point on the first shape; gap (m): to the second, along the unit vector ``normal``,
    which points to the first. What is cut of a round end may hold all but that one, which takes the
    place of one close by.
    """
    manifolds, m, flip = place
    own = load(manifolds.normal, m)
    if flip:
        own = scale(-1.0, own)
    gap *= dot(own, normal)
    least, apart, replaced = math.inf, math.inf, found
    for c in range(found):
        a, b = load(manifolds.on_a[m], c), load(manifolds.on_b[m], c)
        if flip:
            a, b = b, a
        least = min(least, dot(sub(a, b), own))
        d = sub(a, at)
        if found == 4 and dot(d, d) < apart:
            apart = dot(d, d)
            replaced = c
    if least <= gap + preference:
        return found
    set_point(place, replaced, at, along(at, -gap, own), _ONE_POINT)
    manifolds.count[m] = max(found, replaced + 1)
    return max(found, replaced + 1)


@lean
def leaning_faces(polygon, facing, normal, limit, least, radii, o, place):
    """Points of two faces of which neither is square to ``normal``, but one nearly is; how many.

    Where edges cross, or a corner is nearest to an edge, that is one point. But a face that leans
    by little rocks about it and comes down elsewhere within the step, so all its points count.
    normal: unit vector from the second shape to the first. 0, and nothing is written, where the
    nearest of these points are farther apart than ``least`` m: then others are nearer. limit m:
    gap at which a point counts; radii, o: see `write_chosen`.
    """
    cosine0, cosine1 = -dot(facing.outward[0], normal), dot(facing.outward[1], normal)
    reference = 1 if cosine1 > cosine0 else 0
    if max(cosine0, cosine1) < FACE_COSINE:
        return 0
    own = facing.outward[1] if reference == 1 else facing.outward[0]
    row, found, nearest = clip_faces(
        polygon, facing.faces, reference, facing.count, own, normal, limit
    )
    if found == 0 or nearest > least:
        return 0
    ids = face_numbers(reference, facing.number[0], facing.number[1])
    return write_chosen(place, polygon, row, found, reference, ids, normal, radii, o)


@lean
def extreme_edge(face, count, d, tolerance):
    """First corner of the edge of a face that lies farthest along d, -1 if it is one corner.

    Both its ends lie within ``tolerance`` m of the farthest corner.
    """
    if count < 2:
        return -1
    most = -math.inf
    for n in range(count):
        most = max(most, dot(d, load(face, n)))
    best = -1
    least = tolerance
    for n in range(count if count > 2 else 1):
        k = n + 1 if n + 1 < count else 0
        below = most - min(dot(d, load(face, n)), dot(d, load(face, k)))
        if below <= least:
            least = below
            best = n
    return best


@lean
def parallel_edges(place, faces, edges, counts, normal, limit, radii, o):
    """Two points where an edge of the first face runs along one of the second; how many.

    edges, counts: first corner of the edge and number of corners, of both. None when the edges
    are not parallel or do not pass each other. radii, o: see `write_chosen`.
    """
    i, j = edges
    a, b = load(faces[0], i), load(faces[1], j)
    u = between(faces[0], i, i + 1 if i + 1 < counts[0] else 0)
    v = between(faces[1], j, j + 1 if j + 1 < counts[1] else 0)
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    if uv * uv < 0.9999 * uu * vv or uu == 0.0 or vv == 0.0:  # 0.6°
        return 0
    # where on the first edge (0 … 1) the second one begins and ends
    from_b = dot(sub(b, a), u) / uu
    to_b = from_b + uv / uu
    low = max(0.0, min(from_b, to_b))
    high = min(1.0, max(from_b, to_b))
    if high - low < 1e-6:
        return 0
    found = 0
    for n in range(2):
        t = low if n == 0 else high
        w = (t - from_b) * uu / uv
        p = along(a, t, u)
        gap = dot(sub(p, along(b, w, v)), normal)
        if gap > limit:
            continue
        at = add(vec(o), p)
        on_b = along(along(at, -gap, normal), radii[1], normal)
        end = _LOWER_END if n == 0 else _UPPER_END
        set_point(place, found, along(at, -radii[0], normal), on_b, end)
        found += 1
    set_normal(place, normal)
    place.manifolds.count[place.row] = found
    return found


@lean
def one_point(place, a, gap, normal):
    """A manifold of the one world point a on the first shape, ``gap`` m off the second."""
    set_point(place, 0, a, along(a, -gap, normal), _ONE_POINT)
    set_normal(place, normal)
    place.manifolds.count[place.row] = 1
    return 1
