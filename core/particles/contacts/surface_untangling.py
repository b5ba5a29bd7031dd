"""Cloth that passes through itself or other cloth is taken apart, no faster than `UNTANGLING`.

Where an edge passes through a triangle the two are moved against each other, along the normal of
one of them, so that what has come through (`surface_sides`) goes back. Where the line of
intersection parts neither surface, what ends it is moved along it, so that it gets shorter (Volino
& Magnenat-Thalmann 2006, "Resolving Surface Collisions through Intersection Contour Minimization").

Contacts would keep everything on the side on which it is. So those of what has come through with
the surface around the place where it did give way; all others hold, those of what has not come
through among them: no more comes through, and nothing else does.

x and x* are moved alike, and what sticks hold against it, they hold for good: what cannot come
apart, for it is pinned, gains no speed.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import Floats, Ints
from ...collision.surface_crossings import normal_of
from ...collision.surface_distance import nearest_weights, point_on_triangle, weighted
from ...kernels.jit import kernel, lean_inline
from ...vec3 import add, along, cross, dot, length, load, scale, set_vec, shift, store, sub, vec

SOUND, OPEN, COME = 1, 2, 3
"""Marks of a vertex where something is gone through: it has not come through; the line parts
nothing; it has come through. The largest holds."""

OBJECT_BITS = 62
"""Objects are told apart by their numbers modulo this."""

NO_TRIANGLE, UNSEEN = -1, -2
"""In place of the triangle beyond an edge: there is none; whether the line turns is not asked."""

LEAST_KINK = 0.5
"""Length of the sum of both unit vectors along a line of intersection, from which on it turns."""

LEAST_SQUARE = 1e-12
"""Square of a direction's length, below which there is none."""

Crossed = namedtuple(
    "Crossed",
    [
        "is_any",  # (1,) 1 where any cloth passes through cloth
        "side",  # (n,) `SOUND`, `OPEN` or `COME`, 0 where nothing is gone through
        "through",  # (n,) a bit for each object that passes through what is around a vertex
        "bit",  # (n,) the bit of the object of a vertex
        "spot",  # (n, 3) m, by which a vertex is taken to lie elsewhere, see `flush_way`
        "elsewhere",  # (n, 3) m, scratch of `slit_way`
    ],
)
"""What contacts ask about cloth that passes through cloth."""

WAY_BACK = np.dtype(
    [
        ("corner", np.int32, (5,)),  # of an edge, and of the triangle that it passes through
        ("weight", np.float64, (5,)),  # cᵢ: Σ cᵢ xᵢ leads from the triangle to the edge
        ("normal", np.float64, (3,)),  # unit vector along which the edge is to be moved
        ("mobility", np.float64),  # Σ wᵢ cᵢ², 1/kg
    ],
    align=True,
)


def crossed_room(bit: Ints, spot: Floats) -> Crossed:
    """Room for vertices with the ``bit`` (n,) of their objects and a ``spot`` (n, 3) m."""
    any_of, side = np.zeros(1, dtype=np.int32), np.zeros(len(bit), dtype=np.int32)
    through = np.zeros(len(bit), dtype=np.int64)
    return Crossed(any_of, side, through, bit, spot, np.zeros_like(spot))


@lean_inline
def flush_way(spot, start, corner, is_edges, weight, least):
    """The way from b to a, ``least`` m long, where rounding alone tells how they lie.

    Across both, to the side on which a would be if each vertex lay by its ``spot`` elsewhere.
    """
    i, j, k, m = corner
    if is_edges:
        n = cross(sub(load(start, j), load(start, i)), sub(load(start, m), load(start, k)))
    else:
        n = cross(sub(load(start, k), load(start, j)), sub(load(start, m), load(start, j)))
    size = length(n)
    if size == 0.0:
        return n
    side = dot(n, weighted(spot, corner, weight))
    return scale((least if side >= 0.0 else -least) / size, n)


@lean_inline
def slit_way(crossed, start, corner, is_edges, least):
    """The same of both sides of a slit, which lie on each other at rest: as their spots open it."""
    for c in range(4):
        i = corner[c]
        store(crossed.elsewhere, i, add(load(start, i), load(crossed.spot, i)))
    i, j, k, m = corner
    weight = nearest_weights(crossed.elsewhere, i, j, k, m, is_edges)
    way = weighted(crossed.elsewhere, corner, weight)
    size = length(way)
    return scale(least / size, way) if size > 0.0 else way


@lean_inline
def gives_way(crossed, corner, is_edges):
    """Whether the two features of a pair of cloth may stand on the wrong sides of each other."""
    if crossed.is_any[0] == 0:
        return False
    i, j, k, m = corner
    side, through = crossed.side, crossed.through
    if is_edges:
        one, other = max(side[i], side[j]), max(side[k], side[m])
        by_one, by_other = through[i] | through[j], through[k] | through[m]
    else:
        one, other = side[i], max(side[j], max(side[k], side[m]))
        by_one, by_other = through[i], through[j] | through[k] | through[m]
        if one == COME:
            other = max(other, OPEN)
    if one < OPEN or other < OPEN:
        return False
    return by_one & crossed.bit[m] != 0 and by_other & crossed.bit[i] != 0


@lean_inline
def _middle(x, triangle, t, has_come, wanted):
    """The middle of a triangle's corners that have come through, or have not, and how many."""
    total, count = (0.0, 0.0, 0.0), 0
    for k in range(3):
        v = triangle[t, k]
        if has_come[v] == wanted:
            total, count = add(total, load(x, v)), count + 1
    return scale(1.0 / max(count, 1), total), count


@lean_inline
def _line_from(edge, t, n, triangle, x):
    """Where the line of intersection with a plane of normal n goes from an edge over triangle t."""
    i, j = edge
    e, inward = sub(load(x, j), load(x, i)), (0.0, 0.0, 0.0)
    for k in range(3):
        v = triangle[t, k]
        if v not in (i, j):
            inward = sub(load(x, v), load(x, i))
    inward = along(inward, -dot(inward, e) / dot(e, e), e)
    r = cross(normal_of(x, triangle, t), n)
    size = length(r)
    if size == 0.0:
        return r
    return scale((1.0 if dot(r, inward) > 0.0 else -1.0) / size, r)


@lean_inline
def _shortening(crossing, across, triangle, x):
    """Which way an edge where the line of intersection turns back, or ends, is to go to shorten it.

    The line goes from the edge e along r over each of its triangles; with the edge moved by δ, it
    loses (r − (r·e)/(n·e) n) · δ, n the normal of what the edge passes through and r their sum.
    """
    i, j, t = crossing["edge"][0], crossing["edge"][1], crossing["of"]
    n = normal_of(x, triangle, crossing["through"])
    r = _line_from((i, j), t, n, triangle, x)
    for k in range(3):
        if triangle[t, k] == i and triangle[t, (k + 1) % 3] == j:
            if across[t, k] == UNSEEN:
                return 0.0, 0.0, 0.0
            if across[t, k] != NO_TRIANGLE:
                r = add(r, _line_from((i, j), across[t, k], n, triangle, x))
    if dot(r, r) < LEAST_KINK * LEAST_KINK:
        return 0.0, 0.0, 0.0
    e = sub(load(x, j), load(x, i))
    return along(r, -dot(r, e) / dot(n, e), n)


@lean_inline
def _way_back(crossing, has_come, across, triangle, x):
    """Which way the edge of a crossing is to go against the triangle; zero for no way."""
    i, j, u = crossing["edge"][0], crossing["edge"][1], crossing["through"]
    if has_come[i] != has_come[j]:
        to, of = (i, j) if has_come[j] == 1 else (j, i)
        n = normal_of(x, triangle, u)
        return scale(1.0 if dot(n, sub(load(x, to), load(x, of))) > 0.0 else -1.0, n)
    sound, count = _middle(x, triangle, u, has_come, 0)
    come, others = _middle(x, triangle, u, has_come, 1)
    if count > 0 and others > 0:
        n = normal_of(x, triangle, crossing["of"])
        return scale(-1.0 if dot(n, sub(sound, come)) > 0.0 else 1.0, n)
    return _shortening(crossing, across, triangle, x)


@lean_inline
def _mark(crossed, has_come, triangle, t, other):
    """Mark the corners of a triangle that takes part in a crossing with ``other``."""
    i, j, k = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    parts = has_come[i] + has_come[j] + has_come[k]
    bit = crossed.bit[triangle[other, 0]]
    for c in range(3):
        v = triangle[t, c]
        side = OPEN if parts in (0, 3) else (COME if has_come[v] == 1 else SOUND)
        crossed.side[v] = max(crossed.side[v], side)
        crossed.through[v] |= bit


@kernel
def find_ways_back(ways, row, crossings, across, has_come, crossed, surface, x):
    """Write the ways back of crossings of two objects from ``row`` on; the row after them.

    across (f, 3): triangle beyond each edge, `NO_TRIANGLE` or `UNSEEN`; has_come (n,): see `Sides`.
    Marks the vertices around in ``crossed``.
    """
    triangle, inverse_mass = surface.triangle, surface.inverse_mass
    for n in range(crossings.shape[0]):
        crossing = crossings[n]
        i, j, u = crossing["edge"][0], crossing["edge"][1], crossing["through"]
        _mark(crossed, has_come, triangle, crossing["of"], u)
        _mark(crossed, has_come, triangle, u, crossing["of"])
        way = _way_back(crossing, has_come, across, triangle, x)
        size = dot(way, way)
        if not size > LEAST_SQUARE:
            continue
        a, b, c = triangle[u, 0], triangle[u, 1], triangle[u, 2]
        normal, p = normal_of(x, triangle, u), load(x, a)
        hi, hj = dot(normal, sub(load(x, i), p)), dot(normal, sub(load(x, j), p))
        place = along(load(x, i), hi / (hi - hj), sub(load(x, j), load(x, i)))
        wa, wb, wc = point_on_triangle(place, p, load(x, b), load(x, c))
        back = ways[row]
        mobility = 0.0
        corner, weight = (i, j, a, b, c), (0.5, 0.5, -wa, -wb, -wc)
        for k in range(5):
            back["corner"][k], back["weight"][k] = corner[k], weight[k]
            mobility += inverse_mass[corner[k]] * weight[k] * weight[k]
        if mobility == 0.0:
            continue
        set_vec(back["normal"], scale(1.0 / math.sqrt(size), way))
        back["mobility"] = mobility
        row += 1
    return row


@lean_inline
def _displacement(back, start, now):
    """How far the edge has gone along its way back against the triangle, m."""
    total = 0.0
    for k in range(5):
        i = back["corner"][k]
        total += back["weight"][k] * dot(vec(back["normal"]), sub(load(now, i), load(start, i)))
    return total


@lean_inline
def _share(back, wanted, most, inverse_mass, mean, weight):
    """Add what moves an edge and a triangle by so many m against each other to the means.

    By no more than ``most`` m for each vertex: beside what is held, it might take far more.
    """
    normal = vec(back["normal"])
    for k in range(5):
        i, c = back["corner"][k], back["weight"][k]
        size = abs(c)
        weight[i] += size
        way = inverse_mass[i] * c * wanted / back["mobility"]
        shift(mean, i, size * min(max(way, -most), most), normal)


@lean_inline
def _clear(ways, count, mean, weight):
    """Empty the means of all that ways back move."""
    for n in range(count):
        for k in range(5):
            i = ways[n]["corner"][k]
            weight[i] = 0.0
            mean[i, 0] = mean[i, 1] = mean[i, 2] = 0.0


@kernel
def ask_back(ways, count, start, x, inverse_mass, far, means):
    """Sum up how far ways back ask vertices to go, for each way to be gone ``far`` m in a substep.

    start, x (n, 3) m: where the substep begins, and where it has got to; means: (n, 3) and (n,),
    sums and their weights: by the mean of all its ways a vertex goes no farther than by one.
    """
    mean, weight = means
    _clear(ways, count, mean, weight)
    for n in range(count):
        gone = max(_displacement(ways[n], start, x), 0.0)
        wanted = max(far - gone, 0.0)
        _share(ways[n], wanted, wanted, inverse_mass, mean, weight)


@kernel
def ask_to_stay(ways, count, previous, x, inverse_mass, means):
    """Sum up the ways that vertices have gone against their ways back, as `ask_back` does."""
    mean, weight = means
    _clear(ways, count, mean, weight)
    for n in range(count):
        gone = _displacement(ways[n], previous, x)
        _share(ways[n], max(-gone, 0.0), math.inf, inverse_mass, mean, weight)


@kernel
def keep_slow(rows, before, x, previous, far):
    """Let what parts surfaces at last make nothing faster than it was, and than ``far`` a substep.

    Where cloth is taken apart there is little room, and planes may ask for long ways. rows:
    vertices of cloth; far: m; before, x (n, 3) m: before surfaces were parted, and after.
    """
    for n in range(rows.shape[0]):
        i = rows[n]
        was = length(sub(load(before, i), load(previous, i)))
        way = sub(load(x, i), load(previous, i))
        speed, most = length(way), max(was, far)
        if speed > most:
            shift(previous, i, 1.0 - most / speed, way)
