"""Signed distance of a ball from a cylinder, a convex hull and a triangle, and the way out.

As `distance` in shapes.py: p is the ball's centre in the shape's frame, o where it was one step
ago. A ball that came in during the step is sent back through the face by which it came in, so
that thin shapes stop fast balls. Each returns (distance, nx, ny, nz).
"""

from __future__ import annotations

import math

from ..kernels.jit import lean
from ..vec3 import ZERO, along, cross, divide, dot, dot2, length, load, scale, sub
from .gjk import segment_weight, triangle_weights


@lean
def cylinder_distance(size, px, py, pz, ox, oy, oz, radius):
    """From a cylinder around z: size = radius, half height."""
    wide = size[0] + radius
    high = size[1] + radius
    across = math.sqrt(px * px + py * py)
    ex, ey = 1.0, 0.0
    if across > 0.0:
        ex, ey = px / across, py / across
    start = math.sqrt(ox * ox + oy * oy)
    if start >= wide or abs(oz) >= high:
        dx, dy, dz = px - ox, py - oy, pz - oz
        # times at which the path is between the caps, and within the wall
        cap_in, cap_out = -math.inf, math.inf
        if dz != 0.0:
            cap_in = (-math.copysign(high, dz) - oz) / dz
            cap_out = (math.copysign(high, dz) - oz) / dz
        elif abs(oz) >= high:
            cap_in = math.inf
        wall_in, wall_out = -math.inf, math.inf
        dd = dx * dx + dy * dy
        ahead = ox * dx + oy * dy
        rest = start * start - wide * wide
        if dd > 0.0:
            root = ahead * ahead - dd * rest
            if root > 0.0:
                root = math.sqrt(root)
                wall_in = (-ahead - root) / dd
                wall_out = (-ahead + root) / dd
            else:
                wall_in = math.inf
        elif rest >= 0.0:
            wall_in = math.inf
        enter = max(cap_in, wall_in)
        if 0.0 <= enter <= 1.0 and enter < min(cap_out, wall_out):
            if cap_in >= wall_in:
                sign = math.copysign(1.0, -dz)
                return sign * pz - high, 0.0, 0.0, sign
            hx = (ox + wall_in * dx) / wide
            hy = (oy + wall_in * dy) / wide
            return hx * px + hy * py - wide, hx, hy, 0.0
    out = across - size[0]
    above = abs(pz) - size[1]
    sign = math.copysign(1.0, pz)
    if out <= 0.0 or above <= 0.0:
        if above >= out:
            return above - radius, 0.0, 0.0, sign
        return out - radius, ex, ey, 0.0
    gap = math.sqrt(out * out + above * above)
    return gap - radius, ex * out / gap, ey * out / gap, sign * above / gap


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
        return dot(n, p) - offset[entry] - radius, n[0], n[1], n[2]
    if most <= 0.0:
        return most - radius, normal[face, 0], normal[face, 1], normal[face, 2]
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
            return above - radius, n[0], n[1], n[2]
    gap = math.sqrt(nearest)
    if not 0.0 < gap < math.inf:
        return most - radius, normal[face, 0], normal[face, 1], normal[face, 2]
    return gap - radius, -q[0] / gap, -q[1] / gap, -q[2] / gap


@lean
def triangle_distance(a, b, c, p, o, radius, two_sided):
    """From the triangle a b c (a vector each), and the weights of its nearest point.

    The way out is on the side of the normal (b − a) × (c − a), or, if ``two_sided``, on the side
    where o was. Behind it there is depth only over the triangle itself; beside it, and for a
    triangle without area, the distance from behind is infinite: it belongs to other triangles.
    Returns (distance, nx, ny, nz, weight of a, of b, of c).
    """
    from_p = sub(a, p), sub(b, p), sub(c, p)
    u, v = sub(from_p[1], from_p[0]), sub(from_p[2], from_p[0])
    n = cross(u, v)
    size = length(n)
    if size <= 1e-12 * dot2(u, u, v, v):
        return math.inf, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
    n = divide(n, size)
    if two_sided and dot(n, sub(o, a)) < 0.0:
        n = scale(-1.0, n)
    wa, wb, wc = triangle_weights(from_p[0], from_p[1], from_p[2])
    place = along(along(scale(wa, from_p[0]), wb, from_p[1]), wc, from_p[2])
    way = scale(-1.0, place)
    gap = length(way)
    above = -dot(n, from_p[0])
    if wa > 0.0 and wb > 0.0 and wc > 0.0:
        return above - radius, n[0], n[1], n[2], wa, wb, wc
    if above < 0.0:
        return math.inf, n[0], n[1], n[2], wa, wb, wc
    if gap <= 0.0:
        return -radius, n[0], n[1], n[2], wa, wb, wc
    return gap - radius, way[0] / gap, way[1] / gap, way[2] / gap, wa, wb, wc
