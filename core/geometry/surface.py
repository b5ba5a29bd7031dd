"""What the faces of a surface say about it as a whole: its separate parts and its holes."""

from __future__ import annotations

import numpy as np

from ..arrays import Ints


def connected_parts(count: int, edge: Ints) -> Ints:
    """Label (n,) of the connected part that each of ``count`` vertices belongs to, from 0 up."""
    label = np.arange(count)
    while True:  # every vertex takes the smallest label around it, then labels are shortened
        low = np.minimum(label[edge[:, 0]], label[edge[:, 1]])
        new = label.copy()
        np.minimum.at(new, edge[:, 0], low)
        np.minimum.at(new, edge[:, 1], low)
        new = np.minimum(new, new[new])
        if (new == label).all():
            break
        label = new
    return np.unique(label, return_inverse=True)[1].reshape(-1).astype(np.int32)


def boundary_loops(triangles: Ints) -> list[Ints] | None:
    """The borders of holes in triangles (f, 3), each as a ring of vertices; none when closed.

    A ring runs such that a fan of triangles over it is wound like the faces around it. Returns
    None where two faces pass an edge in the same direction: they disagree on which side is out.
    """
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    passed = set(map(tuple, directed.tolist()))
    if len(passed) < len(directed):
        return None
    following: dict[int, list[int]] = {}
    for a, b in sorted(passed):
        if (b, a) not in passed:
            following.setdefault(b, []).append(a)  # against the face beside it
    loops = []
    for start in sorted(following):
        while following[start]:
            ring = [start]
            while True:
                after = following[ring[-1]].pop(0)
                if after == start:
                    break
                ring.append(after)
            loops.append(np.array(ring, dtype=np.int32))
    return loops
