"""Trees that span a net of edges: what direct solvers of ropes and plants walk along."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .topology import unique_pairs, without


@dataclass(frozen=True, eq=False)
class Forest:
    """One tree in each connected part of a net, its vertices in rows: inner before outer ones."""

    vertex: Ints  # (n,) vertex of each row
    parent: Ints  # (n,) row of its parent, −1 at roots
    row: Ints  # (n,) row of each vertex

    def edges(self) -> Ints:
        """The edges that belong to a tree (n − trees, 2), the smaller vertex first."""
        child = self.parent >= 0
        return unique_pairs(np.stack([self.vertex[self.parent[child]], self.vertex[child]], axis=1))

    def edges_left(self, edge: Ints) -> Ints:
        """The edges that close loops."""
        return without(edge, self.edges())


def neighbour_lists(count: int, edge: Ints) -> tuple[Ints, Ints]:
    """Neighbours of each vertex: start (n + 1,) into neighbour (2·edges,)."""
    both = np.concatenate([edge, edge[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    start = np.searchsorted(both[:, 0], np.arange(count + 1)).astype(np.int32)
    return start, np.ascontiguousarray(both[:, 1], dtype=np.int32)


def spanning_forest(count: int, edge: Ints, preferred: Ints) -> Forest:
    """Breadth-first trees over ``count`` vertices and their edges (m, 2).

    A part's tree grows from the first of its ``preferred`` vertices, else from an end of a chain,
    else from its first vertex.
    """
    start, neighbour = neighbour_lists(count, edge)
    ends = np.flatnonzero(np.diff(start) == 1)
    seeds = np.concatenate([preferred, ends, np.arange(count)]).tolist()
    starts, neighbours = start.tolist(), neighbour.tolist()
    row = [-1] * count
    vertex: list[int] = []
    parent: list[int] = []
    for seed in seeds:
        if row[seed] >= 0:
            continue
        row[seed] = len(vertex)
        vertex.append(seed)
        parent.append(-1)
        queue = deque([seed])
        while queue:
            a = queue.popleft()
            for b in neighbours[starts[a] : starts[a + 1]]:
                if row[b] < 0:
                    row[b] = len(vertex)
                    vertex.append(b)
                    parent.append(row[a])
                    queue.append(b)
    return Forest(
        np.array(vertex, dtype=np.int32),
        np.array(parent, dtype=np.int32),
        np.array(row, dtype=np.int32),
    )


def lengths_from_root(forest: Forest, position: Floats) -> Floats:
    """Length (n,) m of the way along the tree from its root to each row."""
    x = position[forest.vertex]
    step = np.where(forest.parent >= 0, np.linalg.norm(x - x[forest.parent], axis=1), 0.0)
    length = step.copy()
    above = forest.parent.copy()
    while (above >= 0).any():  # doubles the way looked up each time
        length = length + np.where(above >= 0, length[above], 0.0)
        above = np.where(above >= 0, above[above], -1).astype(np.int32)
    return length


def roots_of(forest: Forest) -> Ints:
    """Row (n,) of the root of each row's tree."""
    top = np.where(forest.parent >= 0, forest.parent, np.arange(len(forest.parent)))
    while (top != top[top]).any():
        top = top[top]
    return top.astype(np.int32)
