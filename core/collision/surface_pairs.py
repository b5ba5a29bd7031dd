"""Pairs of features of surfaces that may come near each other in the coming substeps.

A feature is a vertex, an edge or a triangle; a pair is a vertex with a triangle or an edge with an
edge that share no vertex, nor two that a thread closes on each other. Two surfaces can meet only by
way of such pairs. All places are bounded by what a straight flight would do: a vertex strays by no
more than a certain distance from the way that it had when its pairs were looked for, or they are
looked for again: its own alone, so that what few wild vertices do costs little.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..kernels.jit import kernel, lean, lean_inline, parallel_kernel, prange
from ..vec3 import add, dot, length, load, scale, sub
from .near_patches import CHUNKS, are_apart, is_nothing_new
from .surface_distance import feature_distance, nearest_weights, weighted
from .surface_tree import IS_MESH, are_in_skin, do_meet, is_line

PAIR = np.dtype(
    [
        ("corner", np.int32, (4,)),  # vertex and triangle, or two edges
        ("is_edges", np.int32),
        ("is_led", np.int32),  # one of them is a mesh's
        ("reach", np.float64),  # m, that the two keep from each other
        ("width", np.float64),  # m, thickness of both
        ("room", np.float64),  # m, least distance that they can have by now, less their width
        ("speed", np.float64),  # m a substep: of their flight, see `closing_speed`
    ],
    align=True,
)

Flight = namedtuple(
    "Flight",
    [
        "start",  # (n, 3) m, places from which pairs are looked for
        "speed",  # (n, 3) m a substep, of the straight flight that vertices are on
        "room",  # (n,) m, that they have strayed and may stray from it, and keep from others: the
        # boxes in the trees are wider by it
        "stale",  # (n,) 1 for vertices all of whose pairs are looked for, 0 for others
        "horizon",  # substeps from now on for which they are looked for
    ],
)
"""What is known of the coming motion when pairs are looked for."""

REST_SHARE = 0.8
"""Features of one object keep no more than this share of their distance at rest apart: thick cloth
on a fine mesh does not push its own neighbours away."""

BENT_SHARE = 0.5
"""The same of lines; ropes lie straight at rest, see `straight_paths`. A half turn within a rope's
own thickness is 2/π of its length across, and in a heap it may bend a little more."""

SLIT_SHARE = 1e-3
"""Share of their thickness that they keep at least: on the two sides of a slit, or of a tear, they
lie on each other at rest, and were they pressed together for long, nothing would tell how they lay.
"""


@lean_inline
def stay_apart(way, one, other, speeds, others, room, horizon):
    """Whether a plane across ``way`` parts corners that fly straight, and leaves that room, m.

    one, other: three corners each, m; speeds, others: theirs, m a substep. way: any vector that
    leads from the others to the ones.
    """
    gap = _lowest(way, one) - _highest(way, other)
    if gap <= 0.0:
        return False
    gap -= horizon * max(_highest(way, others) - _lowest(way, speeds), 0.0)
    return gap > 0.0 and gap * gap > room * room * dot(way, way)


@lean_inline
def _lowest(way, corners):
    """The least of three products with a vector."""
    a, b, c = corners
    return min(dot(way, a), min(dot(way, b), dot(way, c)))


@lean_inline
def _highest(way, corners):
    """The largest of three products with a vector."""
    a, b, c = corners
    return max(dot(way, a), max(dot(way, b), dot(way, c)))


@lean_inline
def corners_of(x, triangle, t):
    """Rows of x (n, 3) of a triangle's corners."""
    return load(x, triangle[t, 0]), load(x, triangle[t, 1]), load(x, triangle[t, 2])


@lean_inline
def are_triangles_far(triangle, t, u, flight, room):
    """Whether all features of two triangles stay that far apart, m, as far as is soon told."""
    one, other = corners_of(flight.start, triangle, t), corners_of(flight.start, triangle, u)
    speeds, others = corners_of(flight.speed, triangle, t), corners_of(flight.speed, triangle, u)
    way = sub(add(one[0], add(one[1], one[2])), add(other[0], add(other[1], other[2])))
    return stay_apart(way, one, other, speeds, others, room, flight.horizon)


@lean_inline
def _are_features_far(flight, corner, is_edges, room):
    """Whether two features stay that far apart, m, as far as is soon told."""
    i, j, k, m = corner
    x, v = flight.start, flight.speed
    a, b, c, d = load(x, i), load(x, j), load(x, k), load(x, m)
    p, q, r, s = load(v, i), load(v, j), load(v, k), load(v, m)
    if is_edges:
        way = sub(add(a, b), add(c, d))
        return stay_apart(way, (a, b, b), (c, d, d), (p, q, q), (r, s, s), room, flight.horizon)
    way = sub(scale(3.0, a), add(b, add(c, d)))
    return stay_apart(way, (a, a, a), (b, c, d), (p, p, p), (q, r, s), room, flight.horizon)


@lean_inline
def may_meet(surface, t, u):
    """Whether the objects of two triangles meet."""
    i, m = surface.triangle[t, 0], surface.triangle[u, 0]
    part = surface.part
    if part[i] == part[m]:
        return part[i] >= 0
    return do_meet(surface.meets[i], surface.meets[m])


@lean_inline
def _are_far(x, i, j, k, m, is_edges, away):
    """Whether the boxes of two features lie farther apart than that, m, along some axis."""
    for c in range(3):
        low = high = x[i, c]
        least, most = min(x[k, c], x[m, c]), max(x[k, c], x[m, c])
        if is_edges:
            low, high = min(low, x[j, c]), max(high, x[j, c])
        else:
            least, most = min(least, x[j, c]), max(most, x[j, c])
        if least - high > away or low - most > away:
            return True
    return False


@lean_inline
def room_of(room, triangle, t):
    """Largest room (n,) m of a triangle's corners."""
    return max(room[triangle[t, 0]], max(room[triangle[t, 1]], room[triangle[t, 2]]))


@lean_inline
def _is_of_use(surface, stale, corner):
    """Whether one of the corners can move and one has its pairs looked for."""
    i, j, k, m = corner
    w = surface.inverse_mass
    moves = w[i] > 0.0 or w[j] > 0.0 or w[k] > 0.0 or w[m] > 0.0
    return moves and stale[i] | stale[j] | stale[k] | stale[m] != 0


@lean_inline
def _are_joined(seam, corner, is_edges):
    """Whether two features share a vertex, or two that a thread closes on each other."""
    i, j, k, m = corner
    if seam[i] == seam[k] or seam[i] == seam[m]:
        return True
    if is_edges:
        return seam[j] == seam[k] or seam[j] == seam[m]
    return seam[i] == seam[j]


@lean_inline
def _are_of_use(surface, stale, t):
    """Whether that holds for whatever has a corner of triangle t."""
    a, b, c = surface.triangle[t, 0], surface.triangle[t, 1], surface.triangle[t, 2]
    w = surface.inverse_mass
    return w[a] > 0.0 and w[b] > 0.0 and w[c] > 0.0 and stale[a] & stale[b] & stale[c] == 1


@lean_inline
def closing_speed(speed, corner, is_edges, normal):
    """How fast the features of a pair get nearer at most along a line, from b to a, m a substep.

    A plane across it parts the two as long as this has not used up their distance: layers that
    slide, and what lies beside each other in a sheet, hardly ever meet however fast they fly.
    """
    i, j, k, m = corner
    a, b = dot(load(speed, i), normal), dot(load(speed, j), normal)
    c, d = dot(load(speed, k), normal), dot(load(speed, m), normal)
    slowest, fastest = (min(a, b), max(c, d)) if is_edges else (a, max(b, max(c, d)))
    return max(fastest - slowest, 0.0)


@lean_inline
def _fastest(speed, corner, is_edges):
    """The largest speed of a corner of one feature of a pair against one of the other."""
    i, j, k, m = corner
    a, b, c, d = load(speed, i), load(speed, j), load(speed, k), load(speed, m)
    most = max(_squared(a, c), _squared(a, d))
    return math.sqrt(max(most, max(_squared(b, c), _squared(b, d)) if is_edges else _squared(a, b)))


@lean_inline
def _squared(a, b):
    """Square of the distance of two vectors."""
    away = sub(a, b)
    return dot(away, away)


@lean
def _add_pair(pairs, row, last, surface, flight, corner, is_edges, room, kept):
    """Write a pair if its flight may bring it that near, m; returns the row after it.

    May return more than fit. kept: share of their distance at rest that features of one object keep
    at most.
    """
    i, j, k, m = corner
    if are_in_skin(surface.meets, i, j, k, m):
        return row
    x = flight.start
    d = weighted(x, corner, nearest_weights(x, i, j, k, m, is_edges))
    distance = length(d)
    normal = scale(1.0 / distance if distance > 0.0 else 0.0, d)
    is_led = (surface.meets[i] | surface.meets[m]) & IS_MESH != 0
    # what slides over a mesh has to know whom it is next to: see `mesh_neighbours`
    if is_led:
        speed = _fastest(flight.speed, corner, is_edges)
    else:
        speed = closing_speed(flight.speed, corner, is_edges, normal)
    if distance > room + flight.horizon * speed:
        return row
    reach = width = surface.thickness[i] + surface.thickness[m]
    # most layers lie farther apart at rest
    if surface.part[i] == surface.part[m] and not _are_far(
        surface.rest, i, j, k, m, is_edges, reach / kept
    ):
        reach = kept * feature_distance(surface.rest, i, j, k, m, is_edges)
        reach = max(min(reach, width), SLIT_SHARE * width)
    if row < last:
        pair = pairs[row]
        pair["corner"][0], pair["corner"][1], pair["corner"][2], pair["corner"][3] = i, j, k, m
        pair["is_edges"] = is_edges
        pair["is_led"] = is_led
        pair["reach"] = reach
        pair["width"] = width
        pair["room"] = distance - width
        pair["speed"] = speed
    return row + 1


@lean_inline
def are_sure(surface, stale, t, u):
    """Whether all pairs of two triangles are of use."""
    return _are_of_use(surface, stale, t) or _are_of_use(surface, stale, u)


@lean_inline
def add_vertex_pairs(pairs, row, last, surface, flight, one, other, terms):
    """Pairs of the corners that triangle one owns with the other; returns the row after them.

    terms: whether all are of use, how near, m, they are to come, and ``kept`` of `_add_pair`.
    """
    sure, room, kept = terms
    triangle = surface.triangle
    j, k, m = triangle[other, 0], triangle[other, 1], triangle[other, 2]
    if j == k:
        return row  # a single vertex: its pair with the triangle is the other side's
    for n in range(3):
        corner = (triangle[one, n], j, k, m)
        if not surface.owned[one] >> n & 1 or _are_joined(surface.seam, corner, 0):
            continue
        if (sure or _is_of_use(surface, flight.stale, corner)) and not _are_features_far(
            flight, corner, 0, room
        ):
            row = _add_pair(pairs, row, last, surface, flight, corner, 0, room, kept)
    return row


@lean_inline
def add_edge_pairs(pairs, row, last, surface, flight, t, u, terms):
    """Pairs of edges that triangles t and u own; the rest as in `add_vertex_pairs`."""
    sure, room, kept = terms
    triangle, owned = surface.triangle, surface.owned
    for n in range(3):
        if not owned[t] >> (3 + n) & 1:
            continue
        i, j = triangle[t, n], triangle[t, (n + 1) % 3]
        for o in range(3):
            corner = (i, j, triangle[u, o], triangle[u, (o + 1) % 3])
            if not owned[u] >> (3 + o) & 1 or _are_joined(surface.seam, corner, 1):
                continue
            if (sure or _is_of_use(surface, flight.stale, corner)) and not _are_features_far(
                flight, corner, 1, room
            ):
                row = _add_pair(pairs, row, last, surface, flight, corner, 1, room, kept)
    return row


@lean_inline
def _add_pairs(pairs, row, last, surface, flight, t, u):
    """All pairs of features that triangles t and u own; returns the row after them."""
    triangle = surface.triangle
    if not may_meet(surface, t, u):
        return row
    room = room_of(flight.room, triangle, t) + room_of(flight.room, triangle, u)
    if are_triangles_far(triangle, t, u, flight, room):
        return row
    kept = BENT_SHARE if is_line(triangle, t) and is_line(triangle, u) else REST_SHARE
    terms = (are_sure(surface, flight.stale, t, u), room, kept)
    for side in range(2):
        one, other = (t, u) if side == 0 else (u, t)
        row = add_vertex_pairs(pairs, row, last, surface, flight, one, other, terms)
    return add_edge_pairs(pairs, row, last, surface, flight, t, u, terms)


@parallel_kernel
def find_pairs(pairs, found, patches, tree, surface, flight):
    """Pairs of the triangles of a tree among themselves.

    Of those that are stale, see `Flight`, in patches that come near each other: see `PatchPairs`.
    Pairs of run c go to the c-th of CHUNKS equal parts of pairs; found (CHUNKS,) counts them and
    may exceed what fits.
    """
    near, near_found, _ = patches
    size = pairs.shape[0] // CHUNKS
    near_size = near.shape[0] // CHUNKS
    horizon = flight.horizon
    for c in prange(CHUNKS):
        row = c * size
        last = row + size
        for r in range(c * near_size, c * near_size + near_found[c]):
            a, n = tree.root[near[r, 0]], tree.root[near[r, 1]]
            past = tree.skip[n]
            for node in range(a, tree.skip[a]):
                t = tree.leaf[node]
                if t < 0:
                    continue
                m = node + 1 if n == a else n
                while m < past:
                    if is_nothing_new(tree, node, tree, m) or are_apart(
                        tree.bounds[node], tree.bounds[m], horizon
                    ):
                        m = tree.skip[m]
                        continue
                    u = tree.leaf[m]
                    if u >= 0:
                        row = _add_pairs(pairs, row, last, surface, flight, t, u)
                    m += 1
        found[c] = row - c * size


@kernel
def keep_pairs(pairs, count, stale):
    """Drop pairs of vertices that are stale (n,), which are found anew; returns how many stay."""
    kept = 0
    for n in range(count):
        i, j, k, m = pairs[n]["corner"]
        if stale[i] | stale[j] | stale[k] | stale[m] == 0:
            if n != kept:
                pairs[kept] = pairs[n]
            kept += 1
    return kept


@kernel
def append_pairs(pairs, count, runs, found):
    """Write the runs that `find_pairs` has found after the first ``count`` pairs."""
    size = runs.shape[0] // CHUNKS
    for c in range(CHUNKS):
        for n in range(c * size, c * size + found[c]):
            pairs[count] = runs[n]
            count += 1
