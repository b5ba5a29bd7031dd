"""What a mesh's edges and faces say about its neighbourhoods."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..kernels.jit import kernel
from ..pairs import distinct_pairs, is_among

STRAIGHT_COSINE = -0.5
"""Cosine above which two edges at a vertex count as a corner, not as a way straight on."""


def triangles_of(face_offsets: Ints, face_vertices: Ints) -> Ints:
    """Fan triangles (f, 3) of polygons given as offsets (faces + 1,) into face_vertices."""
    sizes = np.diff(face_offsets)
    fans = np.maximum(sizes - 2, 0)
    face = np.repeat(np.arange(len(sizes)), fans)
    nth = np.arange(len(face)) - np.repeat(np.cumsum(fans) - fans, fans)
    first = face_offsets[face]
    return np.ascontiguousarray(
        np.stack(
            [face_vertices[first], face_vertices[first + nth + 1], face_vertices[first + nth + 2]],
            1,
        ),
        dtype=np.int32,
    ).reshape(-1, 3)


def is_drawn_otherwise(positions: Floats, quads: Ints) -> NDArray[np.bool_]:
    """Which quads (q, 4) at positions (n, 3) Blender draws as 0 1 3 and 1 2 3, not as fans."""
    a, b, c, d = (positions[quads[:, k]] for k in range(4))
    product = np.cross(b - a, c - a) * np.cross(d - a, c - a)
    return np.asarray(product.sum(axis=1) > 0.0)


def unique_pairs(pairs: Ints) -> Ints:
    """Pairs with the smaller index first, each once, without pairs of one particle."""
    first, second = pairs.reshape(-1, 2).T
    differs = first != second
    first, second = first[differs], second[differs]
    ends = np.stack([np.minimum(first, second), np.maximum(first, second)], axis=1)
    return distinct_pairs(ends).astype(np.int32)


def face_diagonals(face_offsets: Ints, face_vertices: Ints) -> Ints:
    """All pairs (d, 2) of vertices that share a face of four or more but not its border."""
    sizes = np.diff(face_offsets)
    found = [np.zeros((0, 2), dtype=np.int32)]
    for size in np.unique(sizes[sizes > 3]):
        corners = face_vertices[face_offsets[:-1][sizes == size][:, None] + np.arange(size)]
        for step in range(2, size // 2 + 1):
            # on a big polygon a few lengths of diagonals stiffen as well as all of them
            if step > 3 and step < size // 2:
                continue
            found.append(np.stack([corners, np.roll(corners, -step, axis=1)], 2).reshape(-1, 2))
    return unique_pairs(np.concatenate(found))


@kernel
def _straight_on(position, start, neighbour, onward):
    """For each edge at a vertex the one that goes straightest on: onward (2 · edges,), or −1."""
    for v in range(start.shape[0] - 1):
        for n in range(start[v], start[v + 1]):
            a = neighbour[n]
            best = STRAIGHT_COSINE
            onward[n] = -1
            for m in range(start[v], start[v + 1]):
                b = neighbour[m]
                if m == n:
                    continue
                dot = 0.0
                aa = 0.0
                bb = 0.0
                for k in range(3):
                    da = position[a, k] - position[v, k]
                    db = position[b, k] - position[v, k]
                    dot += da * db
                    aa += da * da
                    bb += db * db
                if aa == 0.0 or bb == 0.0:
                    continue
                cosine = dot / math.sqrt(aa * bb)
                if cosine < best:
                    best = cosine
                    onward[n] = m


def starts_of(rising: Ints, count: int) -> Ints:
    """Where each number below ``count`` begins among rising numbers, and where they end."""
    size = np.bincount(rising, minlength=count)
    return np.concatenate([[0], np.cumsum(size)]).astype(np.int32)


def _ways_on(position: Floats, edge: Ints) -> tuple[Ints, Ints, Ints]:
    """Edges from both ends (2e, 2), sorted; where each vertex's begin; and which goes on, or −1."""
    both = np.concatenate([edge, edge[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    start = starts_of(both[:, 0], len(position))
    onward = np.empty(len(both), dtype=np.int32)
    _straight_on(position, start, np.ascontiguousarray(both[:, 1], dtype=np.int32), onward)
    return both, start, onward


def support_pairs(position: Floats, edge: Ints) -> Ints:
    """Pairs (c, 2) of vertices that share a neighbour and lie on opposite sides of it.

    Jakobsen's support sticks (§4, plants): each edge is paired with the one that goes straightest
    on at its end.
    """
    both, _, onward = _ways_on(position, edge)
    some = onward >= 0
    return unique_pairs(np.stack([both[some, 1], both[onward[some], 1]], axis=1))


def lines_from(
    position: Floats, edge: Ints, is_start: NDArray[np.bool_], is_end: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """Lines of edges (e, 2) that go straight on from the vertices where is_start (n,).

    Each follows, from edge to edge, those that are for each other what goes straightest on, to the
    next one where is_end (n,) or as far as there are any. An edge lies in one line at most,
    vertices may lie in several; edges to an end lie in none that starts with them. Returns the
    vertices of all lines (q,) and where each begins (lines + 1,).
    """
    both, start, onward = _ways_on(position, edge)
    # the same edge seen from its other end
    order = np.lexsort((both[:, 1], both[:, 0]))
    reverse = np.empty(len(both), dtype=np.int64)
    reverse[order] = np.lexsort((both[:, 0], both[:, 1]))
    is_mutual = (onward >= 0) & (onward[onward] == np.arange(len(both)))
    # the way that each goes on with at its far end, −1 where its line ends there; lists, whose
    # items Python reads ten times as quickly
    ends = is_end[both[:, 1]]
    follows = np.where(ends | ~is_mutual[reverse], -1, onward[reverse]).tolist()
    far, opposite, stops = both[:, 1].tolist(), reverse.tolist(), ends.tolist()
    used = [False] * len(both)
    vertex: list[int] = []
    first = [0]
    for end in np.flatnonzero(is_start).tolist():
        for way in range(start[end], start[end + 1]):
            if used[way] or stops[way]:
                continue
            vertex.append(end)
            at = way
            while True:
                used[at] = used[opposite[at]] = True
                vertex.append(far[at])
                following = follows[at]
                if following < 0 or used[following]:
                    break
                at = following
            first.append(len(vertex))
    return np.array(vertex, dtype=np.int32), np.array(first, dtype=np.int32)


def without(pairs: Ints, others: Ints) -> Ints:
    """The pairs that do not occur among others; both sorted within each pair."""
    return pairs[~is_among(pairs, others)]


def meeting_sides(sides: Ints, opposite: Ints) -> tuple[Ints, Ints]:
    """Which sides (s, 2) of faces, with the corners opposite (s,), meet at an edge: rows of each.

    Where more than two faces meet at an edge, each goes with the next.
    """
    ends = np.sort(sides, axis=1)
    order = np.lexsort((np.arange(len(ends)), ends[:, 1], ends[:, 0]))
    first, second = order[:-1], order[1:]
    shared = (ends[first] == ends[second]).all(axis=1)
    shared &= opposite[first] != opposite[second]
    return first[shared], second[shared]


def hinges_of(triangles: Ints) -> Ints:
    """Hinges (h, 4) of triangles (f, 3): the two ends of an inner edge, the corners opposite.

    The edge runs as in its first triangle.
    """
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    opposite = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    first, second = meeting_sides(sides, opposite)
    found = np.column_stack([sides[first], opposite[first], opposite[second]])
    return np.ascontiguousarray(found, dtype=np.int32).reshape(-1, 4)
