"""Nearest points of a vertex and a triangle, and of two edges (Ericson 2005, §5.1.5 and §5.1.9)."""

from __future__ import annotations

from ..kernels.jit import lean_inline
from ..vec3 import dot, length, load, sub
from .gjk import edge_weights

SLIVER = 1e-12
"""A triangle whose squared area is this share of its edges' has no inside that rounding spares."""


@lean_inline
def point_on_triangle(p, a, b, c):
    """Weights (wa, wb, wc) of the point of triangle a, b, c that is nearest to p.

    Corners may coincide or lie in a line.
    """
    ab, ac, ap = sub(b, a), sub(c, a), sub(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    bp = sub(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 > d3:
        v = d1 / (d1 - d3)
        return 1.0 - v, v, 0.0
    cp = sub(p, c)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 > d6:
        w = d2 / (d2 - d6)
        return 1.0 - w, 0.0, w
    va = d3 * d6 - d5 * d4
    bc = (d4 - d3) + (d5 - d6)
    if va <= 0.0 and d4 >= d3 and d5 >= d6 and bc > 0.0:
        w = (d4 - d3) / bc
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    if not total > SLIVER * dot(ab, ab) * dot(ac, ac):
        return edge_weights(sub(a, p), sub(b, p), sub(c, p))
    v, w = vb / total, vc / total
    return 1.0 - v - w, v, w


@lean_inline
def between_segments(p, q, a, b):
    """Shares (s, t) of the way from p to q and from a to b at which the two are nearest."""
    d1, d2, r = sub(q, p), sub(b, a), sub(p, a)
    e, f = dot(d2, d2), dot(d2, r)
    g = dot(d1, d1)
    if g == 0.0 and e == 0.0:
        return 0.0, 0.0
    if g == 0.0:
        return 0.0, min(max(f / e, 0.0), 1.0)
    c = dot(d1, r)
    if e == 0.0:
        return min(max(-c / g, 0.0), 1.0), 0.0
    h = dot(d1, d2)
    area = g * e - h * h
    s = 0.0
    if area > 1e-12 * g * e:
        s = min(max((h * f - c * e) / area, 0.0), 1.0)
    t = (h * s + f) / e
    if t < 0.0:
        return min(max(-c / g, 0.0), 1.0), 0.0
    if t > 1.0:
        return min(max((h - c) / g, 0.0), 1.0), 1.0
    return s, t


@lean_inline
def nearest_weights(x, i, j, k, m, is_edges):
    """Weights (four numbers) such that Σ c x is the way from the nearest point of b to that of a.

    a is vertex i and b the triangle j, k, m, or with ``is_edges`` a is the edge i, j and b k, m.
    """
    if is_edges:
        s, t = between_segments(load(x, i), load(x, j), load(x, k), load(x, m))
        return 1.0 - s, s, t - 1.0, -t
    wa, wb, wc = point_on_triangle(load(x, i), load(x, j), load(x, k), load(x, m))
    return 1.0, -wa, -wb, -wc


@lean_inline
def weighted(x, corner, weight):
    """The sum Σ cᵢ xᵢ over four rows of x."""
    i, j, k, m = corner
    a, b, c, d = weight
    return (
        a * x[i, 0] + b * x[j, 0] + c * x[k, 0] + d * x[m, 0],
        a * x[i, 1] + b * x[j, 1] + c * x[k, 1] + d * x[m, 1],
        a * x[i, 2] + b * x[j, 2] + c * x[k, 2] + d * x[m, 2],
    )


@lean_inline
def feature_distance(x, i, j, k, m, is_edges):
    """Distance in m of the two features of `nearest_weights`."""
    return length(weighted(x, (i, j, k, m), nearest_weights(x, i, j, k, m, is_edges)))
