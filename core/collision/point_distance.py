"""Signed distance of a ball from a shape, and the way out.

p is the ball's centre in the shape's frame, o where it was one step ago. A ball that came in during
the step is sent back through the face by which it came in, so that thin shapes stop fast balls.
Each returns (distance, normal).
"""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from ..vec3 import ZERO, along, cross, divide, dot, dot2, length, load, scale, sub, vec
from .axis_boxes import highest, lowest
from .gjk import segment_weight, triangle_weights
from .kinds import BOX, CAPSULE, CYLINDER, HULL, PLANE, ROOM

UP = (0.0, 0.0, 1.0)


@lean
def solid_distance(hulls, kind, size, hull, face, p, o, radius):
    """From a shape of any kind but a mesh.

    face: the wall of a room; hull: the row of the table of hulls.
    """
    if kind == PLANE:
        return p[2] - radius, UP
    if kind == ROOM:
        n = _face_normal(face)
        return _wall(n, vec(size)) - radius - dot(n, p), scale(-1.0, n)
    if kind == BOX:
        wide = (size[0] + radius, size[1] + radius, size[2] + radius)
        entry = _through_box(p, o, wide)
        if entry >= 0:
            n = _face_normal(entry)
            return dot(n, p) - _wall(n, wide), n
        gap, n = box_distance(size, p)
        return gap - radius, n
    if kind == CYLINDER:
        return cylinder_distance(size, p, o, radius)
    if kind == HULL:
        return hull_distance(hulls, hull, p, o, radius)
    middle = 0.0
    if kind == CAPSULE:
        middle = min(max(p[2], -size[1]), size[1])
    out = (p[0], p[1], p[2] - middle)
    gap = length(out)
    if gap == 0.0:  # dead centre: any way out is as short, take a fixed one
        return -size[0] - radius, (1.0, 0.0, 0.0)
    return gap - size[0] - radius, divide(out, gap)


@lean_inline
def is_beyond(hulls, kind, size, hull, places, way):
    """Whether three places lie beyond one face of a box or a hull, all more than ``way`` m off.

    So far from the shape is all between them then, and a ball's whole path. Never of other kinds.
    """
    a, b, c = places
    if kind == BOX:
        low, high = lowest(a, lowest(b, c)), highest(a, highest(b, c))
        return (
            max(low[0], -high[0]) > size[0] + way
            or max(low[1], -high[1]) > size[1] + way
            or max(low[2], -high[2]) > size[2] + way
        )
    if kind == HULL:
        for f in range(hulls.first_face[hull], hulls.first_face[hull + 1]):
            n, most = load(hulls.face_normal, f), hulls.face_offset[f] + way
            if dot(n, a) > most and dot(n, b) > most and dot(n, c) > most:
                return True
    return False


@lean_inline
def _face_normal(face):
    sign = 1.0 if face % 2 == 0 else -1.0
    axis = face // 2
    return (
        sign if axis == 0 else 0.0,
        sign if axis == 1 else 0.0,
        sign if axis == 2 else 0.0,
    )


@lean_inline
def _wall(n, half):
    """How far the face with the normal n is from the middle of a box."""
    return abs(n[0]) * half[0] + abs(n[1]) * half[1] + abs(n[2]) * half[2]


@lean_inline
def _through_box(p, o, half):
    """Face of a box (0..5 = +x −x +y −y +z −z) by which the path o → p came in, −1 if it did not.

    Slab test; a path that starts inside has no entry.
    """
    face = -1
    enter = 0.0
    leave = 1.0
    for k in range(3):
        if k == 0:
            start, way, h = o[0], p[0] - o[0], half[0]
        elif k == 1:
            start, way, h = o[1], p[1] - o[1], half[1]
        else:
            start, way, h = o[2], p[2] - o[2], half[2]
        if way == 0.0:
            if abs(start) >= h:
                return -1
            continue
        near = (-h - start) / way
        far = (h - start) / way
        entry = 2 * k + 1
        if near > far:
            near, far = far, near
            entry = 2 * k
        if near >= enter and (near > enter or face < 0) and abs(start) >= h:
            enter = near
            face = entry
        leave = min(leave, far)
    return face if enter <= leave else -1


@lean_inline
def box_distance(half, p):
    """Of the point p from a box of half extents (3,) m."""
    d = sub((abs(p[0]), abs(p[1]), abs(p[2])), vec(half))
    if d[0] <= 0.0 and d[1] <= 0.0 and d[2] <= 0.0:
        if d[0] >= d[1] and d[0] >= d[2]:
            return d[0], (math.copysign(1.0, p[0]), 0.0, 0.0)
        if d[1] >= d[2]:
            return d[1], (0.0, math.copysign(1.0, p[1]), 0.0)
        return d[2], (0.0, 0.0, math.copysign(1.0, p[2]))
    out = (
        math.copysign(max(d[0], 0.0), p[0]),
        math.copysign(max(d[1], 0.0), p[1]),
        math.copysign(max(d[2], 0.0), p[2]),
    )
    gap = length(out)
    return gap, divide(out, gap)


@lean
def cylinder_distance(size, p, o, radius):
    """From a cylinder around z: size = radius, half height."""
    wide, high = size[0] + radius, size[1] + radius
    across = math.sqrt(p[0] * p[0] + p[1] * p[1])
    ex, ey = 1.0, 0.0
    if across > 0.0:
        ex, ey = p[0] / across, p[1] / across
    start = math.sqrt(o[0] * o[0] + o[1] * o[1])
    if start >= wide or abs(o[2]) >= high:
        d = sub(p, o)
        wall_in, wall_out = _times_within_wall(o, d, start, wide)
        # times at which the path is between the caps
        cap_in, cap_out = -math.inf, math.inf
        if d[2] != 0.0:
            cap_in = (-math.copysign(high, d[2]) - o[2]) / d[2]
            cap_out = (math.copysign(high, d[2]) - o[2]) / d[2]
        elif abs(o[2]) >= high:
            cap_in = math.inf
        enter = max(cap_in, wall_in)
        if 0.0 <= enter <= 1.0 and enter < min(cap_out, wall_out):
            if cap_in >= wall_in:
                sign = math.copysign(1.0, -d[2])
                return sign * p[2] - high, (0.0, 0.0, sign)
            hx = (o[0] + wall_in * d[0]) / wide
            hy = (o[1] + wall_in * d[1]) / wide
            return hx * p[0] + hy * p[1] - wide, (hx, hy, 0.0)
    out = across - size[0]
    above = abs(p[2]) - size[1]
    sign = math.copysign(1.0, p[2])
    if out <= 0.0 or above <= 0.0:
        if above >= out:
            return above - radius, (0.0, 0.0, sign)
        return out - radius, (ex, ey, 0.0)
    gap = math.sqrt(out * out + above * above)
    return gap - radius, (ex * out / gap, ey * out / gap, sign * above / gap)


@lean_inline
def _times_within_wall(o, d, start, wide):
    """First and last time at which the path o + t d is less than ``wide`` m from the axis."""
    dd = d[0] * d[0] + d[1] * d[1]
    ahead = o[0] * d[0] + o[1] * d[1]
    rest = start * start - wide * wide
    if dd > 0.0:
        root = ahead * ahead - dd * rest
        if not root > 0.0:
            return math.inf, math.inf
        root = math.sqrt(root)
        return (-ahead - root) / dd, (-ahead + root) / dd
    return (math.inf if rest >= 0.0 else -math.inf), math.inf


@lean
def hull_distance(hulls, hull, p, o, radius):
    """From a convex hull, a row of the table of hulls; p and o are vectors."""
    first_face, last_face = hulls.first_face[hull], hulls.first_face[hull + 1]
    normal, offset = hulls.face_normal, hulls.face_offset
    # slab test of the path o → p against the faces moved out by the radius (Cyrus, Beck 1978)
    enter = -math.inf
    leave = math.inf
    entry = -1
    passes = True
    most = -math.inf
    face = first_face
    for f in range(first_face, last_face):
        n = load(normal, f)
        now = dot(n, p) - offset[f]
        then = dot(n, o) - offset[f] - radius
        if now > most:
            most = now
            face = f
        fall = then - (now - radius)
        if fall > 0.0:
            t = then / fall
            if t > enter:
                enter = t
                entry = f
        elif fall < 0.0:
            leave = min(leave, then / fall)
        elif then >= 0.0:
            passes = False
    if passes and entry >= 0 and 0.0 <= enter <= 1.0 and enter < leave:
        n = load(normal, entry)
        return dot(n, p) - offset[entry] - radius, n
    if most <= 0.0:
        return most - radius, load(normal, face)
    # outside: over a face, or nearest to an edge of a face that is seen from here
    nearest = math.inf
    q = ZERO
    for f in range(first_face, last_face):
        n = load(normal, f)
        above = dot(n, p) - offset[f]
        if above < 0.0:
            continue
        over = True
        begin = hulls.face_first_corner[f]
        end = hulls.face_first_corner[f + 1]
        for c in range(begin, end):
            i = hulls.face_corner[c]
            j = hulls.face_corner[c + 1 if c + 1 < end else begin]
            a, b = sub(load(hulls.vertex, i), p), sub(load(hulls.vertex, j), p)
            e = sub(b, a)
            if dot(cross(e, n), a) >= 0.0:  # outward of this side: edge × normal
                continue
            over = False
            place = along(a, segment_weight(a, b), e)
            dd = dot(place, place)
            if dd < nearest:
                nearest = dd
                q = place
        if over and above > 0.0:
            return above - radius, n
    gap = math.sqrt(nearest)
    if not 0.0 < gap < math.inf:
        return most - radius, load(normal, face)
    return gap - radius, divide(scale(-1.0, q), gap)


@lean
def triangle_distance(a, b, c, p, o, radius, two_sided):
    """From the triangle a b c (a vector each), and the weights of its nearest point.

    The way out is on the side of the normal (b − a) × (c − a), or, if ``two_sided``, on the side
    where o was. Behind it there is depth only over the triangle itself; beside it, and for a
    triangle without area, the distance from behind is infinite: it belongs to other triangles.
    Returns (distance, normal, weights of a, b and c).
    """
    from_p = sub(a, p), sub(b, p), sub(c, p)
    u, v = sub(from_p[1], from_p[0]), sub(from_p[2], from_p[0])
    n = cross(u, v)
    size = length(n)
    if size <= 1e-12 * dot2(u, u, v, v):
        return math.inf, UP, (1.0, 0.0, 0.0)
    n = divide(n, size)
    if two_sided and dot(n, sub(o, a)) < 0.0:
        n = scale(-1.0, n)
    weights = triangle_weights(from_p[0], from_p[1], from_p[2])
    wa, wb, wc = weights
    place = along(along(scale(wa, from_p[0]), wb, from_p[1]), wc, from_p[2])
    way = scale(-1.0, place)
    gap = length(way)
    above = -dot(n, from_p[0])
    if wa > 0.0 and wb > 0.0 and wc > 0.0:
        return above - radius, n, weights
    if above < 0.0:
        return math.inf, n, weights
    if gap <= 0.0:
        return -radius, n, weights
    return gap - radius, divide(way, gap), weights
