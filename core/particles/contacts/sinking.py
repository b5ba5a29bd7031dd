"""Whether the corners of propped triangles keep as far from meshes as they have to.

See `collision.propped`: between two moments at which they do, a corner that slides by u over
ground of slope s comes down by no more than s |u| / 2 on the way.
"""

from __future__ import annotations

from ...collision.propped import PROPPED
from ...collision.surface_distance import feature_distance
from ...kernels.jit import kernel, lean_inline
from ...vec3 import ZERO, along, dot, length, load, sub, vec


@lean_inline
def _is_low(contact, keep, steep, start, x):
    """Whether a vertex comes nearer to a triangle of a mesh than it is to keep, m.

    By the plane across their line; if that does not part them so far, as they are at the end.
    """
    normal, way = vec(contact["normal"]), ZERO
    for c in range(4):
        i = contact["corner"][c]
        way = along(way, contact["weight"][c], sub(load(x, i), load(start, i)))
    up = dot(way, normal)
    keep += 0.5 * steep * length(along(way, -up, normal))
    if contact["distance"] + up >= keep:
        return False
    i, j, k, m = contact["corner"]
    return feature_distance(x, i, j, k, m, 0) < keep


@lean_inline
def _note_sunk(contacts, first, count, props, start, x):
    """Mark corners that have come too low, or through a mesh; how many there are."""
    sunk = 0
    for n in range(first, count):
        contact = contacts[n]
        i = contact["corner"][0]
        keep = props.keep[i]
        if contact["is_edges"] == 1 or keep == 0.0 or props.sunk[i] == 1:
            continue
        if props.mark[i] != 0 or _is_low(contact, keep, props.steep[i], start, x):
            props.sunk[i] = 1
            sunk += 1
    return sunk


@kernel
def find_sunk(contacts, first, count, props, triangle, start, x, stale, is_again):
    """Mark what has sunk in the substep from start to x (n, 3) m, and what hangs on it, as stale.

    Contacts from row ``first`` up to ``count`` are those with meshes. With is_again, should any
    have sunk, all does: parting one place has pressed down the next. Returns whether any has.
    """
    if _note_sunk(contacts, first, count, props, start, x) == 0:
        return False
    for t in range(props.state.shape[0]):
        if props.state[t] != PROPPED:
            continue
        a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
        if is_again:
            props.sunk[a] = props.sunk[b] = props.sunk[c] = 1
        if props.sunk[a] | props.sunk[b] | props.sunk[c] == 1:
            stale[a] = stale[b] = stale[c] = 1
    return True
