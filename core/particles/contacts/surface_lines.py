"""Ways back along one line of intersection agree: no place of it works against the others.

Where two round things have come through each other, what one place asks for is often against what
the next one does, and in the mean nothing moves. So all crossings that hang together turn towards
the way that they ask for in sum (the global scheme of Volino & Magnenat-Thalmann 2006).
"""

from __future__ import annotations

from ...islands import join, root_of
from ...kernels.jit import kernel, lean_inline
from ...vec3 import along, dot, length, load, scale, set_vec, shift, vec

LEAST_TURN = 1e-6
"""Length below which the sum of two unit vectors leads nowhere."""


@lean_inline
def _side_of(back, part, one):
    """1 where the edge of a way is that of object ``one``, −1 where the triangle is."""
    return 1.0 if part[back["corner"][0]] == one else -1.0


@kernel
def agree_on_ways(ways, first, last, part, root, total):
    """Turn the ways back in rows ``first`` to ``last`` of two objects towards those of their lines.

    part (n,): object of each vertex; root (n,) and total (n, 3): scratch.
    """
    if first == last:
        return
    one = part[ways[first]["corner"][0]]
    if part[ways[first]["corner"][2]] == one:
        return  # of one object neither side is told from the other
    for n in range(first, last):
        for k in range(5):
            v = ways[n]["corner"][k]
            root[v] = v
            total[v, 0] = total[v, 1] = total[v, 2] = 0.0
    for n in range(first, last):
        for k in range(1, 5):
            join(root, ways[n]["corner"][0], ways[n]["corner"][k])
    for n in range(first, last):
        line = root_of(root, ways[n]["corner"][0])
        shift(total, line, _side_of(ways[n], part, one), vec(ways[n]["normal"]))
    for n in range(first, last):
        common = load(total, root_of(root, ways[n]["corner"][0]))
        size = length(common)
        if size == 0.0:
            continue
        way = along(vec(ways[n]["normal"]), _side_of(ways[n], part, one) / size, common)
        if dot(way, way) > LEAST_TURN * LEAST_TURN:
            set_vec(ways[n]["normal"], scale(1.0 / length(way), way))
