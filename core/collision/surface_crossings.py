"""Where surfaces pass through each other, and what of one lies inside another that is closed.

Looked for where something may be amiss: at the start of a frame and where a substep could not keep
surfaces apart. Two triangles that share no vertex intersect when an edge of one passes through the
other: told by signed volumes, edges that only touch a triangle do not count.

What is inside is told by rays: with every triangle of a closed part that a ray leaves through it
counts one up, with every one that it enters through one down (so parts may overlap each other).
Two rays of three have the last word, for one may slip through a seam.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..arrays import Floats
from ..kernels.jit import kernel, lean, lean_inline
from ..records import Records
from ..vec3 import along, cross, dot, length, load, scale, sub
from .near_patches import CHUNKS, NearPatches, are_apart
from .surface_distance import point_on_triangle
from .surface_tree import CollisionSurface, are_in_skin, do_meet, is_line

CROSSING = np.dtype(
    [
        ("edge", np.int32, (2,)),  # vertices of an edge
        ("of", np.int32),  # a triangle that it belongs to
        ("through", np.int32),  # the triangle that it passes through
    ],
    align=True,
)

ClosedParts = namedtuple(
    "ClosedParts",
    [
        "tree",  # `SurfaceTree` whose boxes have been gathered for x
        "surface",  # `CollisionSurface`
        "solid",  # (f,) 1 or −1 for triangles that face out or in, 0 for those of sheets
        "x",  # (n, 3) m
    ],
)
"""Closed parts of a surface, where it is: what may have something inside."""

RAYS = ((0.0371, 0.0213, 1.0), (1.0, 0.0417, -0.0311), (-0.0523, -1.0, 0.0277))
"""Directions along no axis and no diagonal, where meshes have their edges."""


@lean_inline
def _goes_between(d, a, b, c):
    """Whether a line along d from the origin passes through the triangle a, b, c."""
    u, v, w = dot(d, cross(a, b)), dot(d, cross(b, c)), dot(d, cross(c, a))
    return (u > 0.0 and v > 0.0 and w > 0.0) or (u < 0.0 and v < 0.0 and w < 0.0)


@lean_inline
def _passes(p, q, a, b, c):
    """Whether the edge from p to q passes through the triangle a, b, c."""
    n = cross(sub(b, a), sub(c, a))
    if dot(n, sub(p, a)) * dot(n, sub(q, a)) >= 0.0:
        return False
    return _goes_between(sub(q, p), sub(a, p), sub(b, p), sub(c, p))


@lean_inline
def _is_beside(x, triangle, t, u):
    """Whether all of triangle t lies on one side of the plane of u."""
    a = load(x, triangle[u, 0])
    n = cross(sub(load(x, triangle[u, 1]), a), sub(load(x, triangle[u, 2]), a))
    d = dot(n, sub(load(x, triangle[t, 0]), a))
    e = dot(n, sub(load(x, triangle[t, 1]), a))
    f = dot(n, sub(load(x, triangle[t, 2]), a))
    return (d > 0.0 and e > 0.0 and f > 0.0) or (d < 0.0 and e < 0.0 and f < 0.0)


@lean
def _add_crossings(crossings, row, x, triangle, t, u):
    """Rows for all edges of triangles t and u that pass through the other; the row after them.

    What begins through a face as a line does is a thread: it may stay so.
    """
    if is_line(triangle, t) or is_line(triangle, u):
        return row
    if _is_beside(x, triangle, t, u) or _is_beside(x, triangle, u, t):
        return row
    for side in range(2):
        one, other = (t, u) if side == 0 else (u, t)
        a, b = load(x, triangle[other, 0]), load(x, triangle[other, 1])
        c = load(x, triangle[other, 2])
        for n in range(3):
            i, j = triangle[one, n], triangle[one, (n + 1) % 3]
            if not _passes(load(x, i), load(x, j), a, b, c):
                continue
            if row < crossings.shape[0]:
                crossing = crossings[row]
                crossing["edge"][0], crossing["edge"][1] = i, j
                crossing["of"], crossing["through"] = one, other
            row += 1
    return row


@lean_inline
def _share(triangle, seam, t, u):
    """Whether two triangles share a vertex, or a seam joins them."""
    found = False
    for n in range(3):
        for m in range(3):
            found = found or seam[triangle[t, n]] == seam[triangle[u, m]]
    return found


@lean_inline
def _hangs_in(surface, t, u):
    """Whether one of two triangles is of a skin and the other hangs on what carries it."""
    triangle = surface.triangle
    found = False
    for n in range(3):
        i, j, k, m = triangle[t, n], triangle[u, n], triangle[t, 0], triangle[u, 0]
        found = found or are_in_skin(surface.meets, i, j, k, m)
    return found


@kernel
def find_crossings(crossings, patches, one, other, surface, x):
    """Write all crossings of the triangles of two trees, or of one with itself.

    x (n, 3) m, for which boxes of the trees have been gathered and patches found that have
    something in common: see `PatchPairs`. Returns rows, maybe more than fit, and how many pairs of
    triangles intersect.
    """
    near, near_found, is_self = patches
    triangle, part = surface.triangle, surface.part
    row, pairs = 0, 0
    size = near.shape[0] // CHUNKS
    for r in range(near.shape[0]):
        if r % size >= near_found[r // size]:
            continue
        a, n = one.root[near[r, 0]], other.root[near[r, 1]]
        past = other.skip[n]
        for node in range(a, one.skip[a]):
            t = one.leaf[node]
            if t < 0:
                continue
            m = node + 1 if is_self and n == a else n
            while m < past:
                if are_apart(one.bounds[node], other.bounds[m], 0.0):
                    m = other.skip[m]
                    continue
                u = other.leaf[m]
                m += 1
                if u < 0 or (is_self and _share(triangle, surface.seam, t, u)):
                    continue
                i, j = triangle[t, 0], triangle[u, 0]
                if part[i] == part[j]:
                    if part[i] < 0:
                        continue
                elif not do_meet(surface.meets[i], surface.meets[j]) or _hangs_in(surface, t, u):
                    continue
                before = row
                row = _add_crossings(crossings, row, x, triangle, t, u)
                pairs += row > before
    return row, pairs


def all_crossings(
    crossings: Records, near: NearPatches, surface: CollisionSurface, x: Floats
) -> tuple[Records, int, int]:
    """What `find_crossings` finds, with room for all: that room, rows, pairs of triangles."""
    while True:
        rows, pairs = find_crossings(crossings, *near.pairs, surface, x)
        if rows <= len(crossings):
            return crossings, int(rows), int(pairs)
        crossings = np.zeros(rows * 3 // 2, dtype=CROSSING)


@lean_inline
def _misses(box, p, d):
    """Whether a ray from p along d misses a box."""
    near, far = 0.0, math.inf
    for k in range(3):
        a = (box["lower"][k] - p[k]) / d[k]
        b = (box["upper"][k] - p[k]) / d[k]
        near, far = max(near, min(a, b)), min(far, max(a, b))
    return near > far


@lean_inline
def _turns_around(parts, p, d):
    """How often closed parts lie around p, by a ray along d."""
    tree, surface, solid, x = parts
    triangle = surface.triangle
    total = 0
    node, end = 0, tree.skip[0]
    while node < end:
        if _misses(tree.bounds[node], p, d):
            node = tree.skip[node]
            continue
        t = tree.leaf[node]
        node += 1
        if t < 0 or solid[t] == 0:
            continue
        a, b, c = load(x, triangle[t, 0]), load(x, triangle[t, 1]), load(x, triangle[t, 2])
        pa = sub(a, p)
        if _goes_between(d, pa, sub(b, p), sub(c, p)):
            n = cross(sub(b, a), sub(c, a))
            if dot(n, pa) * dot(n, d) > 0.0:
                total += solid[t] * (1 if dot(n, d) > 0.0 else -1)
    return total


@lean
def is_inside(parts, p):
    """Whether p lies inside closed parts."""
    first = _turns_around(parts, p, RAYS[0]) > 0
    second = _turns_around(parts, p, RAYS[1]) > 0
    if first == second:
        return first
    return _turns_around(parts, p, RAYS[2]) > 0


@lean_inline
def _box_distance(box, p):
    """Square of the distance from p to a box."""
    total = 0.0
    for k in range(3):
        d = max(0.0, max(box["lower"][k] - p[k], p[k] - box["upper"][k]))
        total += d * d
    return total


@lean
def nearest_triangle(parts, p, guess):
    """The triangle of closed parts nearest to p; ``guess`` is one that is near."""
    tree, surface, solid, x = parts
    triangle = surface.triangle
    best, found = math.inf, guess
    node, end = -1, tree.skip[0]
    while node < end:
        t = guess
        if node >= 0:
            if _box_distance(tree.bounds[node], p) >= best:
                node = tree.skip[node]
                continue
            t = tree.leaf[node]
        node += 1
        if t < 0 or solid[t] == 0:
            continue
        a, b, c = load(x, triangle[t, 0]), load(x, triangle[t, 1]), load(x, triangle[t, 2])
        wa, wb, wc = point_on_triangle(p, a, b, c)
        d = sub(p, along(along(scale(wa, a), wb, b), wc, c))
        distance = dot(d, d)
        if distance < best:
            best, found = distance, t
    return found


@lean_inline
def normal_of(x, triangle, t):
    """Unit normal of a triangle, zero for one without area."""
    a = load(x, triangle[t, 0])
    n = cross(sub(load(x, triangle[t, 1]), a), sub(load(x, triangle[t, 2]), a))
    size = length(n)
    return scale(1.0 / size if size > 0.0 else 0.0, n)
