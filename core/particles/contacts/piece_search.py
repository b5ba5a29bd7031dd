"""Which pieces of cloth and rope are near which shapes, looked at every few substeps."""

from __future__ import annotations

import math
from collections import namedtuple

from ...collision.axis_boxes import are_apart, highest, lowest, widened
from ...collision.kinds import MESH, PLANE, ROOM
from ...collision.tree import end_of, next_leaf, root_of
from ...coupling.tied_pieces import misses
from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import add, load, store, sub, unrotate

LOOK_EVERY = 4
"""Substeps after which it is looked anew what is near what."""

Pieces = namedtuple(
    "Pieces",
    [
        "corner",  # (e, 3) particles, the last one −1 for a stretch of rope
        "lower",  # (e, 3) m, boxes of what they may get to until the next look
        "upper",  # (e, 3) m
    ],
)

Paths = namedtuple(
    "Paths",
    [
        "x",  # (n, 3) m
        "previous",  # (n, 3) m
        "radius",  # (n,) m
        "slack",  # m, by gravity until the next look
    ],
)
"""What is known of where particles go."""


def slack_of(fall: float) -> float:
    """How far m gravity, which moves ``fall`` m in one substep, moves until the next look."""
    return fall * LOOK_EVERY * LOOK_EVERY


@lean_inline
def path_ends(x, previous, i):
    """Lowest and highest place that a particle may get to along each axis until the next look."""
    now = load(x, i)
    before = load(previous, i)
    then = (
        now[0] + LOOK_EVERY * (now[0] - before[0]),
        now[1] + LOOK_EVERY * (now[1] - before[1]),
        now[2] + LOOK_EVERY * (now[2] - before[2]),
    )
    return lowest(now, then), highest(now, then)


@lean_inline
def _bound(pieces, paths):
    """Write the boxes of all pieces; returns the one around them all."""
    all_low, all_high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for e in range(pieces.corner.shape[0]):
        low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
        for n in range(3):
            i = pieces.corner[e, n]
            if i < 0:
                continue
            least, most = path_ends(paths.x, paths.previous, i)
            least, most = widened(least, most, paths.radius[i] + paths.slack)
            low, high = lowest(low, least), highest(high, most)
        store(pieces.lower, e, low)
        store(pieces.upper, e, high)
        all_low, all_high = lowest(all_low, low), highest(all_high, high)
    return all_low, all_high


@lean_inline
def _way_of(shapes, s, slack):
    """How far (3,) a shape may get beyond its box until the next look, and m of that by turning."""
    turn = 0.0
    size = 0.0
    for k in range(3):
        size += shapes.size[s, k]
        for m in range(3):
            turn = max(turn, abs(shapes.rotation[s, k, m] - shapes.rotation_before[s, k, m]))
    room = LOOK_EVERY * 1.8 * turn * size + slack
    moved = sub(load(shapes.centre, s), load(shapes.centre_before, s))
    way = (
        LOOK_EVERY * abs(moved[0]) + room,
        LOOK_EVERY * abs(moved[1]) + room,
        LOOK_EVERY * abs(moved[2]) + room,
    )
    return way, room


@lean
def _add_triangles(near, count, pieces, e, solids, s, paths, room):
    """Rows for the triangles of the mesh s that piece e may touch; the row after them.

    solids: shapes and the tree over all triangles, each in its shape's frame; room m that shape
    and piece may come nearer besides by the way of the piece.
    """
    shapes, tree = solids
    far = 0.0
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for n in range(3):
        i = pieces.corner[e, n]
        if i < 0:
            continue
        way = paths.radius[i]
        for k in range(3):
            way += LOOK_EVERY * abs(paths.x[i, k] - paths.previous[i, k])
        far = max(far, way)
        p = unrotate(shapes.rotation[s], sub(load(paths.x, i), load(shapes.centre, s)))
        low, high = lowest(low, p), highest(high, p)
    low, high = widened(low, high, far + room)
    mesh = shapes.mesh[s]
    end = end_of(shapes.mesh_first_triangle[mesh + 1])
    node = root_of(shapes.mesh_first_triangle[mesh])
    node = next_leaf(tree, node, end, low[0], low[1], low[2], high[0], high[1], high[2])
    while node < end:
        if count < near.shape[0]:
            near[count, 0], near[count, 1], near[count, 2] = e, s, tree.leaf[node]
        count += 1
        node = next_leaf(tree, node + 1, end, low[0], low[1], low[2], high[0], high[1], high[2])
    return count


@kernel
def find_near_pieces(pieces, shapes, mesh_tree, tied, is_parted, paths, near):
    """Write what may touch in the next `LOOK_EVERY` substeps to rows (piece, shape, sub); how many.

    mesh_tree over the triangles of all meshes, each in its shape's frame. sub is −1, or a triangle
    of the mesh. tied: what is not touched, see `tied_pieces`; is_parted (n,): particles of surfaces
    that are kept apart from meshes elsewhere. There may be more than fit.
    """
    lowest_of_all, highest_of_all = _bound(pieces, paths)
    count = 0
    for s in range(shapes.kind.shape[0]):
        kind = shapes.kind[s]
        if kind in (PLANE, ROOM):
            continue
        way, room = _way_of(shapes, s, paths.slack)
        low, high = sub(load(shapes.lower, s), way), add(load(shapes.upper, s), way)
        if are_apart(low, high, lowest_of_all, highest_of_all):
            continue
        for e in range(pieces.corner.shape[0]):
            if are_apart(load(pieces.lower, e), load(pieces.upper, e), low, high):
                continue
            i, j, k = pieces.corner[e, 0], pieces.corner[e, 1], pieces.corner[e, 2]
            if kind == MESH and is_parted[i] and k >= 0:
                continue
            if misses(tied, shapes.owner[s], i, j, j if k < 0 else k):
                continue
            if kind == MESH:
                more = paths.slack + room + (way[0] + way[1] + way[2] - 3.0 * room)
                solids = (shapes, mesh_tree)
                count = _add_triangles(near, count, pieces, e, solids, s, paths, more)
                continue
            if count < near.shape[0]:
                near[count, 0], near[count, 1], near[count, 2] = e, s, -1
            count += 1
    return count
