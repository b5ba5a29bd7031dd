"""Cloth goes along with what of it is taken out of other cloth: what is spread strains nothing.

What moves only the few vertices beside a line of intersection is undone by the sticks around them.
So from there on outwards each vertex takes the mean shift of its neighbours that are one edge
nearer to the line. All that has come through goes along, what has not, the less the farther it is
away, up to twice as far as the other reaches; nothing does beside what is held.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import Ints
from ...kernels.jit import kernel, lean_inline
from ...pairs import distinct_pairs
from ...vec3 import add, load, scale, shift, store

FALLOFF = 2.0
"""How much farther what has not come through goes along than what has reaches."""

Spread = namedtuple(
    "Spread",
    [
        "first",  # (n + 1,) first entry of each vertex in `neighbour`
        "neighbour",  # vertices that share an edge with it
        "owner",  # (n,) object
        "hops",  # (n,) edges to the nearest line of intersection, −1 where none leads to one
        "held_hops",  # (n,) edges to the nearest vertex that is held, likewise
        "queue",  # (n,) vertices in the order of their hops
        "came",  # (n,) 1 for what has come through anything
        "reach",  # (o,) edges, that what has come through of an object reaches, at least
    ],
)


def spread_room(triangle: Ints, owner: Ints) -> Spread:
    """Room for vertices with the ``owner`` (n,) and triangles (f, 3)."""
    count = len(owner)
    ends = np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2)
    both = distinct_pairs(np.concatenate([ends, ends[:, ::-1]]).astype(np.int64))
    first = np.searchsorted(both[:, 0], np.arange(count + 1)).astype(np.int32)
    hops, held_hops, queue, came = np.zeros((4, count), dtype=np.int32)
    reach = np.zeros(int(owner.max()) + 1, dtype=np.int32)
    neighbour = both[:, 1].astype(np.int32)
    return Spread(first, neighbour, owner, hops, held_hops, queue, came, reach)


@lean_inline
def _flood(spread, hops, last):
    """Number the vertices by their edges to the first ``last`` of the queue; how many there are."""
    queue, n = spread.queue, 0
    while n < last:
        v = queue[n]
        n += 1
        for e in range(spread.first[v], spread.first[v + 1]):
            w = spread.neighbour[e]
            if hops[w] < 0:
                hops[w] = hops[v] + 1
                queue[last] = w
                last += 1
    return last


@lean_inline
def _flood_from_held(spread, inverse_mass):
    """Edges to what is held."""
    last = 0
    for i in range(spread.held_hops.shape[0]):
        spread.held_hops[i] = -1
        if inverse_mass[i] == 0.0:
            spread.held_hops[i] = 0
            spread.queue[last] = i
            last += 1
    _flood(spread, spread.held_hops, last)


@lean_inline
def _flood_from_ways(spread, ways, count, mean, weight):
    """Edges to the lines of intersection, where means become shifts; how many have any."""
    hops, last = spread.hops, 0
    for i in range(hops.shape[0]):
        hops[i] = -1
    for n in range(count):
        for k in range(5):
            i = ways[n]["corner"][k]
            if hops[i] < 0 and weight[i] > 0.0:
                hops[i] = 0
                store(mean, i, scale(1.0 / weight[i], load(mean, i)))
                spread.queue[last] = i
                last += 1
    return _flood(spread, hops, last)


@lean_inline
def _share_of(spread, i):
    """The share of the shift around it that a vertex goes along with."""
    hops, held = spread.hops[i], spread.held_hops[i]
    share = 1.0
    if spread.came[i] == 0:
        reach = FALLOFF * spread.reach[spread.owner[i]] + 2.0
        share = max(0.0, 1.0 - hops / reach)
    if held >= 0 and hops + held > 0:
        share *= held / (hops + held)
    return share


@kernel
def shift_around(spread, ways, count, inverse_mass, means, x, sign):
    """Shift what ways back move by the means of what they ask for, times ``sign``, and all around.

    means: (n, 3) m and (n,), sums and their weights, which become shifts; x (n, 3) m is moved.
    """
    mean, weight = means
    _flood_from_held(spread, inverse_mass)
    last = _flood_from_ways(spread, ways, count, mean, weight)
    hops = spread.hops
    for n in range(last):
        i = spread.queue[n]
        if spread.came[i] == 1:
            owner = spread.owner[i]
            spread.reach[owner] = max(spread.reach[owner], hops[i])
        if hops[i] == 0:
            continue
        total, nearer = (0.0, 0.0, 0.0), 0
        for e in range(spread.first[i], spread.first[i + 1]):
            w = spread.neighbour[e]
            if hops[w] == hops[i] - 1:
                total, nearer = add(total, load(mean, w)), nearer + 1
        store(mean, i, scale(1.0 / nearer, total))
    for n in range(last):
        i = spread.queue[n]
        if inverse_mass[i] > 0.0:
            shift(x, i, sign * _share_of(spread, i), load(mean, i))
