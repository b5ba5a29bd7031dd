"""Patches that were flat, nobody looked into, and may be flat no longer: they alone are opened.

A triangle that leaves the cone of its patch's normals (`surface_bounds`) says nothing of the rest
of a garment. The patches that it is part of, or lies around, are taken for uneven from then on, and
so is what stands above them: patches that a large flat node kept from looking for each other do so.
"""

from __future__ import annotations

import math

from ..kernels.jit import kernel, lean_inline
from ..vec3 import length
from .surface_bounds import LEAST_COSINE, bound_upper_normals, facing, watch_flat_patch


@lean_inline
def _has_turned(bounds, normal):
    """Whether a normal has left its bounds too far to be that of a flat patch still."""
    size = length(normal)
    away = 0.0
    for k in range(3):
        low = size * bounds["least"][k] - normal[k]
        high = normal[k] - size * bounds["most"][k]
        out = max(0.0, max(low, high))
        away += out * out
    return away >= LEAST_COSINE * LEAST_COSINE * size * size


@kernel
def note_turned(tree, strayed, triangle, x):
    """Mark triangles that have turned at x (n, 3) m by more than keeps a patch flat; how many.

    strayed: the largest share that a vertex has strayed by, of the slack that it had when bounds
    were gathered; ∞ where that is not known. Those of `SurfaceTree.watched` are looked at. Marks
    stay until the substep is over: bounds gathered anew in it are of the flight alone, by which
    patches would be flat again that have just been seen not to be.
    """
    count = 0
    for t in range(tree.watched.shape[0]):
        is_watched = tree.watched[t] < strayed
        if is_watched and _has_turned(tree.normals[t], facing(x, triangle, t)):
            tree.turned[t] = 1
            count += 1
    return count


@lean_inline
def _is_any_turned(tree, p):
    """Whether a triangle of a patch has turned, or one around it."""
    found = 0
    root = tree.root[p]
    for node in range(root, tree.skip[root]):
        if tree.leaf[node] >= 0:
            found |= tree.turned[tree.leaf[node]]
    for n in range(tree.rim_start[p], tree.rim_start[p + 1]):
        found |= tree.turned[tree.rim[n]]
    return found == 1


@lean_inline
def _expect(tree, p, triangle, stale):
    """Have the pairs of all vertices of a patch looked for."""
    root = tree.root[p]
    for node in range(root, tree.skip[root]):
        t = tree.leaf[node]
        if t >= 0:
            for k in range(3):
                stale[triangle[t, k]] = 1


@kernel
def open_turned(tree, before, triangle, stale):
    """Take patches with triangles that have turned for uneven; their vertices become stale (n,).

    `note_turned` has marked these. before (p,): scratch. Those whose partners a flat node above
    them held back so far are stale too.
    """
    for t in range(tree.watched.shape[0]):
        tree.watched[t] = math.inf
    for p in range(tree.root.shape[0]):
        root = tree.root[p]
        before[p] = tree.after[root]
        cone = tree.cone[root]
        if cone["cosine"] < LEAST_COSINE:
            continue
        if _is_any_turned(tree, p):
            cone["cosine"], cone["sine"] = 0.0, 1.0
            _expect(tree, p, triangle, stale)
        else:
            watch_flat_patch(tree, p)
    bound_upper_normals(tree)
    for p in range(tree.root.shape[0]):
        if tree.after[tree.root[p]] != before[p]:
            _expect(tree, p, triangle, stale)
