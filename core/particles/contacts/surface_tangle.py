"""Surfaces that have passed through a mesh are taken back out of it, no faster than `UNTANGLING`.

Cloth may begin like that, and what is pinned may be driven into a mesh. Contacts keep things on the
side on which they are; so what is on the wrong side is left out of them until it has come out:

* a vertex inside a closed part makes for the nearest place of its surface,
* cloth that a mesh has gone through while no vertex is inside makes for where the mesh faces.

Both go on with the surface besides, and x and x* are moved alike: nothing leaves faster than the
surface itself goes.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...collision.surface_crossings import is_inside, nearest_triangle, normal_of
from ...collision.surface_distance import point_on_triangle
from ...collision.surface_tree import HANGS, MEETS_MESHES
from ...kernels.jit import kernel, lean_inline
from ...vec3 import add, dot, length, load, scale, shift, sub

UNTANGLING = 1.0
"""m/s, fastest at which what is on the wrong side comes back, as seen from the surface."""

HIDDEN, CROSSED = 1, 2
"""Marks of a vertex: it is inside; it belongs to a triangle that something goes through."""

Tangle = namedtuple(
    "Tangle",
    [
        "mark",  # (n,) `HIDDEN` and `CROSSED`
        "row",  # (n,) the vertex's row in the following, −1 for none
        "vertex",  # (m,) vertices that are to come out
        "through",  # (m,) triangle of the mesh by which they do
        "way",  # (m, 3) unit vector out
        "depth",  # (m,) m, 0 where nothing tells it
    ],
)


def tangle_room(count: int) -> Tangle:
    """Room for ``count`` vertices."""
    return Tangle(
        np.zeros(count, dtype=np.int32),
        np.full(count, -1, dtype=np.int32),
        np.zeros(count, dtype=np.int32),
        np.zeros(count, dtype=np.int32),
        np.zeros((count, 3)),
        np.zeros(count),
    )


@lean_inline
def _nearest_place(x, triangle, t, p):
    """The place of a triangle that is nearest to p."""
    i, j, k = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    wa, wb, wc = point_on_triangle(p, load(x, i), load(x, j), load(x, k))
    return add(scale(wa, load(x, i)), add(scale(wb, load(x, j)), scale(wc, load(x, k))))


@lean_inline
def _add(tangle, count, v):
    """Give a vertex a row, if it has none; returns how many there are."""
    if tangle.row[v] < 0:
        tangle.row[v] = count
        tangle.vertex[count] = v
        tangle.through[count] = -1
        count += 1
    return count


@lean_inline
def _cloth_of(crossing, triangle, led):
    """The triangle of cloth that a crossing is at, and that of the mesh."""
    of, through = crossing["of"], crossing["through"]
    if triangle[of, 0] < led:
        return of, through
    return through, of


@kernel
def find_tangle(tangle, known, rows, crossings, parts, led):
    """Mark what has to come out, and which way; how many vertices have to, and the deepest, m.

    crossings: those of cloth with meshes. known: vertices noted at the last look, which with those
    at crossings are all that may be inside; −1: any of ``rows`` may be. parts: see `ClosedParts`.
    led: vertices from it on are the meshes'.
    """
    surface, x = parts.surface, parts.x
    triangle = surface.triangle
    for n in range(rows.shape[0]):
        tangle.mark[rows[n]] = 0
    candidates = max(known, 0)
    for n in range(crossings.shape[0]):
        cloth, _ = _cloth_of(crossings[n], triangle, led)
        for k in range(3):
            candidates = _add(tangle, candidates, triangle[cloth, k])
            tangle.mark[triangle[cloth, k]] = CROSSED
    if known < 0:
        for n in range(rows.shape[0]):
            if surface.meets[rows[n]] & MEETS_MESHES != 0:
                candidates = _add(tangle, candidates, rows[n])
    kept, deepest = _find_hidden(tangle, candidates, parts)
    hidden = kept
    for n in range(crossings.shape[0]):
        cloth, mesh = _cloth_of(crossings[n], triangle, led)
        i, j, k = triangle[cloth, 0], triangle[cloth, 1], triangle[cloth, 2]
        if (tangle.mark[i] | tangle.mark[j] | tangle.mark[k]) & HIDDEN != 0:
            continue  # it comes out with that vertex
        out = normal_of(x, triangle, mesh)
        for c in range(3):
            v = triangle[cloth, c]
            if tangle.row[v] < 0:
                tangle.way[kept, 0] = tangle.way[kept, 1] = tangle.way[kept, 2] = 0.0
                tangle.depth[kept] = 0.0
            kept = _add(tangle, kept, v)
            tangle.through[tangle.row[v]] = mesh
            shift(tangle.way, tangle.row[v], 1.0, out)
    for n in range(hidden, kept):
        _make_unit(tangle, n, normal_of(x, triangle, tangle.through[n]))
    return kept, deepest


@lean_inline
def _make_unit(tangle, n, otherwise):
    """Make a way one long; ``otherwise`` where it leads nowhere."""
    way = load(tangle.way, n)
    size = length(way)
    if size == 0.0:
        way, size = otherwise, 1.0
    for k in range(3):
        tangle.way[n, k] = way[k] / size


@lean_inline
def _find_hidden(tangle, candidates, parts):
    """Keep of the candidates what is inside, with its way out; how many, and the deepest, m."""
    surface, x = parts.surface, parts.x
    kept, deepest = 0, 0.0
    for n in range(candidates):
        v = tangle.vertex[n]
        p = load(x, v)
        guess = tangle.through[n]
        tangle.row[v] = -1
        if surface.meets[v] & HANGS != 0 or not is_inside(parts, p):
            continue
        tangle.mark[v] |= HIDDEN
        through = nearest_triangle(parts, p, guess)
        out = sub(_nearest_place(x, surface.triangle, through, p), p)
        depth = length(out)
        deepest = max(deepest, depth)
        tangle.row[v] = kept
        tangle.vertex[kept], tangle.through[kept], tangle.depth[kept] = v, through, depth
        for k in range(3):
            tangle.way[kept, k] = out[k]
        _make_unit(tangle, kept, normal_of(x, surface.triangle, through))
        kept += 1
    return kept, deepest


@kernel
def take_out(tangle, count, surface, start, particles, far, is_first, pushed):
    """Move what has to come out by up to ``far`` m in this substep, as seen from its surface.

    particles: x (n, 3) m at the end of the substep, x*, 1/m; start (n, 3) m at its beginning. What
    is gained by coming out goes into x* as well, once a substep: when ``is_first``. What it is
    moved by is a push of what does not give way: added to pushed (n, 3) m, or (0, 3).
    """
    x, previous, inverse_mass = particles
    triangle = surface.triangle
    for n in range(count):
        v = tangle.vertex[n]
        if inverse_mass[v] == 0.0 or not (is_first or tangle.depth[n] > 0.0):
            continue
        t, way, p = tangle.through[n], load(tangle.way, n), load(start, v)
        i, j, k = triangle[t, 0], triangle[t, 1], triangle[t, 2]
        wa, wb, wc = point_on_triangle(p, load(start, i), load(start, j), load(start, k))
        led = 0.0
        for c in range(3):
            moved = wa * (x[i, c] - start[i, c]) + wb * (x[j, c] - start[j, c])
            led += way[c] * (moved + wc * (x[k, c] - start[k, c]))
        wanted = far
        if tangle.depth[n] > 0.0:
            wanted = min(far, tangle.depth[n] + surface.thickness[v])
        gap = led + wanted - dot(way, sub(load(x, v), p))
        if gap > 0.0:
            shift(x, v, gap, way)
            if v < pushed.shape[0]:
                shift(pushed, v, gap, way)
        if is_first:
            shift(previous, v, wanted, way)
