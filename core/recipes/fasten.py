"""Fastening of loose parts: a tree's leaves are seldom joined to its branches."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..geometry.surface import connected_parts
from ..kernels.jit import kernel
from ..vec3 import between, dot


@kernel
def _nearest_elsewhere(position, group, asking, nearest, apart):
    """For each vertex of asking the nearest one of another group, and its distance squared."""
    for n in range(asking.shape[0]):
        i = asking[n]
        best = np.inf
        found = -1
        for j in range(position.shape[0]):
            if group[j] == group[i]:
                continue
            d = between(position, i, j)
            dd = dot(d, d)
            if dd < best:
                best = dd
                found = j
        nearest[n] = found
        apart[n] = best


def fasten_loose_parts(position: Floats, part: Ints, is_rooted: Ints) -> Ints:
    """Pairs (k, 2) of vertices that join all parts to rooted ones by the shortest ways.

    part (n,): label of the part that each vertex belongs to; is_rooted (parts,) bool, at least
    one. Every loose part is tied to its nearest neighbour until all hang together (Borůvka's
    minimum spanning tree), so that a leaf may sit on a loose twig of a loose branch.
    """
    # group 0 is all that is rooted
    group = np.where(is_rooted, 0, np.arange(1, len(is_rooted) + 1))[part].astype(np.int32)
    ties = [np.zeros((0, 2), dtype=np.int32)]
    while (group > 0).any():
        asking = np.flatnonzero(group > 0).astype(np.int32)
        nearest = np.empty(len(asking), dtype=np.int32)
        apart = np.empty(len(asking))
        _nearest_elsewhere(position, group, asking, nearest, apart)
        order = np.lexsort((asking, apart, group[asking]))
        first = order[np.unique(group[asking][order], return_index=True)[1]]
        tie = np.stack([nearest[first], asking[first]], axis=1)
        ties.append(tie)
        joined = connected_parts(int(group.max()) + 1, group[tie])
        group = np.where(joined == joined[0], 0, joined + 1)[group].astype(np.int32)
    return np.concatenate(ties).astype(np.int32)
