"""Clipping of polygons, and the four points of many that hold a body best.

Sutherland, Hodgman 1974. Every corner carries a number that says what it is made of (a corner of
the polygon, or an edge of it cut by a side), so that it can be recognised a step later.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..kernels.jit import lean, lean_inline
from ..vec3 import along, between, cross, dot, load, store

MOST_FACE_CORNERS = 64  # of one face; faces with more are thinned out
POLYGON_ROOM = 2 * MOST_FACE_CORNERS + 2
_UNCUT = 64
EDGE_SLACK = 1e-3
"""How far, as a part of the side's length, a corner may lie outside and still count as inside:
faces that cover each other exactly would otherwise be cut anew by every rounding error."""

Polygon = namedtuple(
    "Polygon",
    [
        "corner",  # (2, POLYGON_ROOM, 3) m: before and after a cut
        "label",  # (2, POLYGON_ROOM, 2) what the corner is, and on which edge the next side lies
        "height",  # (POLYGON_ROOM,) inside the cut when ≥ 0; later the gaps m
        "chosen",  # (4,) corners that hold best
    ],
)


@lean_inline
def set_corner(polygon, n, place):
    """Write corner n of the polygon that is to be clipped."""
    store(polygon.corner[0], n, place)
    polygon.label[0, n, 0] = n * 128 + _UNCUT
    polygon.label[0, n, 1] = n


@lean
def clip(polygon, row, count, a, limit, slack, side):
    """Keep the part with a·p ≤ limit of the polygon in ``row``; returns its new row and corners.

    Corners that are outside by no more than ``slack`` stay. Two corners are a line, not a loop.
    """
    corner = polygon.corner
    label = polygon.label
    height = polygon.height
    outside = 0
    for n in range(count):
        inside = limit - dot(a, load(corner[row], n))
        if inside < 0.0:
            if inside < -slack:
                outside += 1
            else:
                inside = 0.0
        height[n] = inside
    if outside == 0:
        return row, count
    if outside == count:
        return row, 0
    to = 1 - row
    kept = 0
    for n in range(count):
        m = n + 1 if n + 1 < count else 0
        here = height[n]
        there = height[m]
        if here >= 0.0:
            store(corner[to], kept, load(corner[row], n))
            label[to, kept, 0] = label[row, n, 0]
            label[to, kept, 1] = label[row, n, 1]
            kept += 1
        if (here >= 0.0) != (there >= 0.0) and not (count == 2 and n == 1):
            if here == 0.0:  # the corner itself ends the inside
                label[to, kept - 1, 1] = _UNCUT + side
                continue
            if there == 0.0:
                continue
            t = here / (here - there)
            way = between(corner[row], n, m)
            store(corner[to], kept, along(load(corner[row], n), t, way))
            label[to, kept, 0] = label[row, n, 1] * 128 + side
            label[to, kept, 1] = _UNCUT + side if here > 0.0 else label[row, n, 1]
            kept += 1
    return to, kept


@lean
def four_of(polygon, row, count, normal):
    """Choose four of ``count`` > 4 points that span much area and hold the deepest; how many.

    polygon.height holds their gaps, n is the normal. Near ties go to the point that comes first,
    so that the choice does not change from step to step by rounding.
    """
    p = polygon.corner[row]
    chosen = polygon.chosen
    widest = 0.0
    i = 0
    j = 0
    for a in range(count):
        for b in range(a + 1, count):
            d = between(p, b, a)
            wide = dot(d, d)
            if wide > 1.002 * widest:
                widest = wide
                i = a
                j = b
    if j == 0:
        chosen[0] = 0
        return 1
    k = -1
    k_area = 1e-6 * widest
    for a in range(count):
        area = abs(_area(p, i, j, a, normal))
        if area > 1.002 * k_area:
            k_area = area
            k = a
    deepest = 0
    for a in range(1, count):
        if polygon.height[a] < polygon.height[deepest]:
            deepest = a
    chosen[0] = i
    chosen[1] = j
    found = 2
    if k >= 0:
        chosen[2] = k
        found = 3
        if _area(p, i, j, k, normal) < 0.0:
            i, j = j, i
        m = -1
        m_area = 1e-6 * widest
        for a in range(count):
            area = max(
                -_area(p, i, j, a, normal),
                -_area(p, j, k, a, normal),
                -_area(p, k, i, a, normal),
            )
            if area > 1.002 * m_area:
                m_area = area
                m = a
        if m >= 0:
            chosen[3] = m
            found = 4
    lowest = math.inf
    nearest = math.inf
    place = 0
    for c in range(found):
        a = chosen[c]
        lowest = min(lowest, polygon.height[a])
        d = between(p, deepest, a)
        apart = dot(d, d)
        if apart < nearest:
            nearest = apart
            place = c
    if polygon.height[deepest] < lowest - 2e-4 * math.sqrt(widest):
        chosen[place] = deepest
    return found


@lean_inline
def _area(p, a, b, c, normal):
    """Twice the area of the triangle a b c seen against the normal, m²."""
    return dot(normal, cross(between(p, a, b), between(p, a, c)))
