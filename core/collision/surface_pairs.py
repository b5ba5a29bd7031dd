"""Pairs of features of surfaces that may come near each other in the coming substeps.

A feature is a vertex, an edge or a triangle; a pair is a vertex with a triangle or an edge with an
edge that share no vertex. Two surfaces can meet only by way of such pairs. All places are bounded
by what a straight flight would do: a vertex strays by no more than a certain distance from the way
that it had when pairs were looked for, or they are looked for again.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Ints
from ..kernels.jit import kernel, lean, lean_inline, parallel_kernel, prange
from .surface_distance import feature_distance
from .surface_tree import (
    FASTEST,
    IS_MESH,
    LOWER,
    SLOWEST,
    UPPER,
    are_flat,
    are_neighbours,
    do_meet,
)

PAIR = np.dtype(
    [
        ("corner", np.int32, (4,)),  # vertex and triangle, or two edges
        ("is_edges", np.int32),
        ("is_led", np.int32),  # one of them is a mesh's
        ("reach", np.float64),  # m, that the two keep from each other
        ("width", np.float64),  # m, thickness of both
        ("distance", np.float64),  # m, when last measured, less their width
        ("speed", np.float64),  # m, fastest that they can get nearer in a substep
        ("since", np.int32),  # substep after the search in which the distance was measured
        ("strayed", np.float64),  # m, that the two had strayed until then, at most
    ],
    align=True,
)

REST_SHARE = 0.8
"""Features of one object keep no more than this share of their distance at rest apart: thick cloth
on a fine mesh does not push its own neighbours away."""

CHUNKS = 64
"""Runs of patches whose pairs are found independently of each other."""


def chunk_bounds(count: int) -> Ints:
    """First patch (CHUNKS + 1,) of each run, of ``count`` patches."""
    return np.linspace(0, count, CHUNKS + 1).astype(np.int32)


@lean_inline
def _are_apart(one, a, other, b, horizon):
    """Whether the boxes of two nodes stay apart for horizon substeps."""
    for k in range(3):
        gap = other[b, LOWER + k] - one[a, UPPER + k]
        if gap > 0.0:
            closing = one[a, FASTEST + k] - other[b, SLOWEST + k]
            if gap > horizon * max(closing, 0.0):
                return True
        gap = one[a, LOWER + k] - other[b, UPPER + k]
        if gap > 0.0:
            closing = other[b, FASTEST + k] - one[a, SLOWEST + k]
            if gap > horizon * max(closing, 0.0):
                return True
    return False


@lean_inline
def _closing(speed, i, j):
    """Square of the speed of one vertex against another."""
    x, y, z = speed[i, 0] - speed[j, 0], speed[i, 1] - speed[j, 1], speed[i, 2] - speed[j, 2]
    return x * x + y * y + z * z


@lean_inline
def _may_meet(part, meets, i, m):
    """Whether the objects of two vertices meet."""
    if part[i] == part[m]:
        return part[i] >= 0
    return do_meet(meets[i], meets[m])


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
def strays_of(slack, corner, is_edges):
    """Metres that the two features of a pair may stray, for slack (n,) m of their vertices."""
    i, j, k, m = corner
    if is_edges:
        return max(slack[i], slack[j]) + max(slack[k], slack[m])
    return slack[i] + max(slack[j], max(slack[k], slack[m]))


@lean_inline
def _room_of(room, triangle, t):
    """Largest room (n,) m of a triangle's corners."""
    return max(room[triangle[t, 0]], max(room[triangle[t, 1]], room[triangle[t, 2]]))


@lean
def _add_pair(pairs, row, last, surface, x, speed, corner, is_edges, horizon, slack):
    """Write a pair if it is near enough; returns the row after it. May return more than fit."""
    i, j, k, m = corner
    w = surface.inverse_mass
    if w[i] == 0.0 and w[j] == 0.0 and w[k] == 0.0 and w[m] == 0.0:
        return row
    fastest = max(_closing(speed, i, k), _closing(speed, i, m))
    fastest = max(fastest, _closing(speed, j, m) if is_edges else _closing(speed, i, j))
    if is_edges:
        fastest = max(fastest, _closing(speed, j, k))
    fastest = math.sqrt(fastest)
    width = surface.thickness[i] + surface.thickness[m]
    distance = feature_distance(x, i, j, k, m, is_edges)
    if distance - width > horizon * fastest + strays_of(slack, corner, is_edges):
        return row
    reach = width
    if surface.part[i] == surface.part[m]:
        reach = min(reach, REST_SHARE * feature_distance(surface.rest, i, j, k, m, is_edges))
    if row < last:
        pair = pairs[row]
        pair["corner"][0], pair["corner"][1], pair["corner"][2], pair["corner"][3] = i, j, k, m
        pair["is_edges"] = is_edges
        pair["is_led"] = (surface.meets[i] | surface.meets[m]) & IS_MESH != 0
        pair["reach"] = reach
        pair["width"] = width
        pair["distance"] = distance - width
        pair["speed"] = fastest
        pair["since"] = 0
        pair["strayed"] = 0.0
    return row + 1


@lean_inline
def _fastest(one, a, other, b):
    """Largest speed of the triangle of one leaf against that of another, m a substep."""
    total = 0.0
    for k in range(3):
        to = one[a, FASTEST + k] - other[b, SLOWEST + k]
        fro = other[b, FASTEST + k] - one[a, SLOWEST + k]
        closing = max(to, fro)
        total += closing * closing
    return math.sqrt(total)


@lean_inline
def _add_pairs(pairs, row, last, surface, x, speed, t, u, away, horizon, slack):
    """All pairs of features that triangles t and u own; returns the row after them."""
    triangle, owned = surface.triangle, surface.owned
    if not _may_meet(surface.part, surface.meets, triangle[t, 0], triangle[u, 0]):
        return row
    for side in range(2):
        one, other = (t, u) if side == 0 else (u, t)
        j, k, m = triangle[other, 0], triangle[other, 1], triangle[other, 2]
        for n in range(3):
            i = triangle[one, n]
            if not owned[one] >> n & 1 or i in (j, k, m):
                continue
            if not _are_far(x, i, j, k, m, 0, away):
                corner = (i, j, k, m)
                row = _add_pair(pairs, row, last, surface, x, speed, corner, 0, horizon, slack)
    for n in range(3):
        if not owned[t] >> (3 + n) & 1:
            continue
        i, j = triangle[t, n], triangle[t, (n + 1) % 3]
        for o in range(3):
            k, m = triangle[u, o], triangle[u, (o + 1) % 3]
            if not owned[u] >> (3 + o) & 1 or i in (k, m) or j in (k, m):
                continue
            if not _are_far(x, i, j, k, m, 1, away):
                corner = (i, j, k, m)
                row = _add_pair(pairs, row, last, surface, x, speed, corner, 1, horizon, slack)
    return row


@parallel_kernel
def find_pairs(pairs, found, bounds, one, other, is_self, surface, x, speed, horizon, slack, room):
    """Pairs of the triangles of tree one with those of tree other, or among themselves.

    Pairs of run c go to the c-th of CHUNKS equal parts of pairs; found (CHUNKS,) counts them and
    may exceed what fits. bounds (CHUNKS + 1,): see `chunk_bounds`; slack (n,) m: how far vertices
    may stray; room (n,) m: the same and what they keep from others, by which the boxes in the trees
    are wider; speed (n, 3) m a substep.
    """
    size = pairs.shape[0] // CHUNKS
    end = other.skip[0]
    for c in prange(CHUNKS):
        row = c * size
        last = row + size
        for p in range(bounds[c], bounds[c + 1]):
            a = one.root[p]
            n = one.after[a] if is_self else 0
            while n < end:
                if _are_apart(one.bounds, a, other.bounds, n, horizon):
                    n = other.skip[n]
                    continue
                q = other.patch[n]
                if q < 0:
                    n += 1
                    continue
                past = other.skip[n]
                is_flat = False
                if is_self and n != a and are_neighbours(one, p, q):
                    is_flat = are_flat(one.bounds, a, n)
                if not is_flat:
                    for node in range(a, one.skip[a]):
                        t = one.leaf[node]
                        if t < 0:
                            continue
                        m = node + 1 if is_self and n == a else n
                        while m < past:
                            if _are_apart(one.bounds, node, other.bounds, m, horizon):
                                m = other.skip[m]
                                continue
                            u = other.leaf[m]
                            if u >= 0:
                                away = horizon * _fastest(one.bounds, node, other.bounds, m)
                                away += _room_of(room, surface.triangle, t)
                                away += _room_of(room, surface.triangle, u)
                                row = _add_pairs(
                                    pairs, row, last, surface, x, speed, t, u, away, horizon, slack
                                )
                            m += 1
                n = past
        found[c] = row - c * size


@kernel
def pack_pairs(pairs, found):
    """Close the gaps between the runs that `find_pairs` has written; returns how many pairs."""
    room = pairs.shape[0] // CHUNKS
    total = 0
    for c in range(CHUNKS):
        for n in range(c * room, c * room + found[c]):
            if n != total:
                pairs[total] = pairs[n]
            total += 1
    return total
