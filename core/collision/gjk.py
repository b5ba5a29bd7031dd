"""Distance of two convex shapes that do not overlap: GJK.

Gilbert, Johnson, Keerthi 1988; the closest point of a simplex by its Voronoi regions (Ericson
2005, 5.1.5). The simplex lives in the difference of the two shapes, A − B, and closes in on the
point of it that is nearest to the origin.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..kernels.jit import lean, lean_inline
from ..vec3 import ZERO, along, between, cross, dot, load, scale, set_vec, store, sub, vec
from .support import farthest

Simplex = namedtuple(
    "Simplex",
    [
        "spot",  # (4, 3) m, points of A − B
        "on_a",  # (4, 3) m, the points of A they come from
        "index",  # (4,) which point of A's core that is
        "weight",  # (4,) of each spot in the nearest point
    ],
)

FAR, APART, OVERLAPPING = range(3)
_MOST_GJK_ITERATIONS = 100
_TOUCHING_SHARE = 1e-10  # of the size of A − B: nearer than that counts as touching


@lean_inline
def segment_weight(a, b):
    """Where (0 … 1) from a to b the segment is nearest to the origin."""
    d = sub(b, a)
    whole = dot(d, d)
    if whole <= 0.0:
        return 0.0
    return min(max(-dot(a, d) / whole, 0.0), 1.0)


@lean_inline
def edge_weights(a, b, c):
    """Weights of a, b, c in the point of the triangle's edges that is nearest to the origin."""
    t = segment_weight(a, b)
    p = along(a, t, sub(b, a))
    nearest = dot(p, p)
    wa, wb, wc = 1.0 - t, t, 0.0
    t = segment_weight(a, c)
    p = along(a, t, sub(c, a))
    if dot(p, p) < nearest:
        nearest = dot(p, p)
        wa, wb, wc = 1.0 - t, 0.0, t
    t = segment_weight(b, c)
    p = along(b, t, sub(c, b))
    if dot(p, p) < nearest:
        wa, wb, wc = 0.0, 1.0 - t, t
    return wa, wb, wc


@lean
def triangle_weights(a, b, c):
    """Weights of a, b, c in the point of the triangle that is nearest to the origin."""
    ab, ac = sub(b, a), sub(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    n = cross(ab, ac)
    vc = dot(n, cross(a, b))
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 - d3 > 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = dot(n, cross(c, a))
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 - d6 > 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    va = dot(n, cross(b, c))
    if va <= 0.0 and d4 >= d3 and d5 >= d6 and d4 - d3 + d5 - d6 > 0.0:
        t = (d4 - d3) / (d4 - d3 + d5 - d6)
        return 0.0, 1.0 - t, t
    whole = va + vb + vc
    if whole > 1e-20 * dot(ab, ab) * dot(ac, ac):
        return va / whole, vb / whole, vc / whole
    return edge_weights(a, b, c)  # next to no area


@lean
def _tetrahedron_weights(s):
    """Write the weights of the point of the tetrahedron that is nearest to the origin.

    True when the origin is inside. A flat tetrahedron has no inside: all its faces are looked at.
    """
    p = s.spot
    nearest = math.inf
    w0 = w1 = w2 = w3 = 0.0
    inside = True
    for f in range(4):
        # corners 0 1 2, 0 2 3, 0 1 3, 1 3 2, each with the one it leaves out
        i = 0 if f < 3 else 1
        j = 1 if f == 0 or f == 2 else (2 if f == 1 else 3)
        k = 2 if f == 0 or f == 3 else 3
        m = 3 if f == 0 else (1 if f == 1 else (2 if f == 2 else 0))
        t = between(p, i, m)
        n = cross(between(p, i, j), between(p, i, k))
        origin = -dot(n, load(p, i))
        apex = dot(n, t)
        size = dot(n, n) * dot(t, t)
        if origin * apex > 0.0 and apex * apex > 1e-24 * size:
            continue
        inside = False
        a, b, c = triangle_weights(load(p, i), load(p, j), load(p, k))
        place = along(along(scale(a, load(p, i)), b, load(p, j)), c, load(p, k))
        dd = dot(place, place)
        if dd < nearest:
            nearest = dd
            w0 = a if f < 3 else 0.0
            w1 = b if f == 0 or f == 2 else (a if f == 3 else 0.0)
            w2 = c if f == 0 or f == 3 else (b if f == 1 else 0.0)
            w3 = c if f == 1 or f == 2 else (b if f == 3 else 0.0)
    s.weight[0] = w0
    s.weight[1] = w1
    s.weight[2] = w2
    s.weight[3] = w3
    return inside


@lean
def _weigh(s, count):
    """Write the weights of the simplex's nearest point: (holds the origin, the point)."""
    p = s.spot
    if count == 2:
        t = segment_weight(load(p, 0), load(p, 1))
        s.weight[0] = 1.0 - t
        s.weight[1] = t
    elif count == 3:
        set_vec(s.weight, triangle_weights(load(p, 0), load(p, 1), load(p, 2)))
    elif _tetrahedron_weights(s):
        return True, ZERO
    return False, _weighted(s, p, count)


@lean_inline
def _weighted(s, places, count):
    """The sum of places (4, 3) with the weights of the simplex."""
    p = ZERO
    for n in range(count):
        p = along(p, s.weight[n], load(places, n))
    return p


@lean
def _reduce(s, count):
    """Keep the corners of the simplex that carry its nearest point; how many."""
    kept = 0
    for n in range(count):
        if s.weight[n] > 0.0:
            if kept < n:
                s.weight[kept] = s.weight[n]
                s.index[kept] = s.index[n]
                store(s.spot, kept, load(s.spot, n))
                store(s.on_a, kept, load(s.on_a, n))
            kept += 1
    return kept


@lean_inline
def add_corner(core, s, n, d):
    """Write the point of A − B farthest along d to corner n of the simplex and return it."""
    index, a = farthest(core, 0, d)
    _, b = farthest(core, 1, scale(-1.0, d))
    spot = sub(a, b)
    s.index[n] = index
    store(s.on_a, n, a)
    store(s.spot, n, spot)
    return spot


@lean
def gjk(core, s, limit, guess):
    """Vector from B's nearest point to A's, both without their balls: (state, corners, vector).

    state is FAR when they are more than ``limit`` m apart (the vector is then too short), APART,
    or OVERLAPPING. guess: any of the vector. The simplex s holds the points found, with weights.
    """
    d = (1.0, 0.0, 0.0) if guess == ZERO else guess
    v = add_corner(core, s, 0, scale(-1.0, d))
    s.weight[0] = 1.0
    count = 1
    vv = dot(v, v)
    widest = vv  # m², the farthest that a point of A − B was seen from the origin
    for _ in range(_MOST_GJK_ITERATIONS):
        if vv <= _TOUCHING_SHARE * _TOUCHING_SHARE * widest:
            return OVERLAPPING, count, v
        w = add_corner(core, s, count, scale(-1.0, v))
        vw = dot(v, w)
        if vw > 0.0 and vw * vw > limit * limit * vv:
            return FAR, count, v
        widest = max(widest, dot(w, w))
        if vv - vw <= 1e-11 * vv + 1e-15 * math.sqrt(widest * vv):
            break
        known = False
        for n in range(count):
            if load(s.spot, n) == w:
                known = True
        if known:
            break
        weights = vec(s.weight)
        inside, nearer = _weigh(s, count + 1)
        if inside:
            return OVERLAPPING, 4, v
        now = dot(nearer, nearer)
        if now >= vv:  # rounding has the last word: stay with what there was
            set_vec(s.weight, weights)
            break
        count = _reduce(s, count + 1)
        v, vv = nearer, now
    return APART, count, v


@lean_inline
def point_on_a(s, count):
    """The point of A's core that belongs to the nearest point of the simplex."""
    return _weighted(s, s.on_a, count)
