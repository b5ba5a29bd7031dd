"""Which pieces of cloth and rope are near which shapes, looked at every few substeps."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import NONE, Ints
from ...collision.axis_boxes import are_apart, highest, lowest, widened
from ...collision.kinds import MESH, PLANE, ROOM
from ...collision.shapes import way_by_turning
from ...collision.tree import end_of, next_leaf, root_of
from ...coupling.tied_pieces import misses
from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import add, along, load, norm1, scale, store, sub, unrotate

LOOK_EVERY = 4
"""Substeps after which it is looked anew what is near what."""

RUN = 16
"""Pieces in a row, which lie beside each other, that are passed by together."""

PieceBoxes = namedtuple(
    "PieceBoxes",
    [
        "lower",  # (e, 3) m
        "upper",  # (e, 3) m
    ],
)
"""Of what pieces may get to until the next look."""

Pieces = namedtuple(
    "Pieces",
    [
        "corner",  # (e, 3) particles, the last one −1 for a stretch of rope
        "each",  # `PieceBoxes` of all pieces
        "run",  # `PieceBoxes` of `RUN` pieces each, and at last of all
    ],
)


def pieces_of(corner: Ints) -> Pieces:
    """Pieces between particles (e, 3), and room for their boxes."""
    runs = -(-len(corner) // RUN)
    each, run = np.zeros((2, len(corner), 3)), np.zeros((2, runs + 1, 3))
    return Pieces(corner, PieceBoxes(*each), PieceBoxes(*run))


NEAR_PIECE = np.dtype(
    [
        ("piece", np.int32),
        ("shape", np.int32),
        ("triangle", np.int32),  # of the shape, if it is a mesh; else −1
    ],
    align=True,
)
"""A piece and a shape that may touch."""

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
def _goes_to(x, previous, i):
    """Where particle i gets to until the next look, if nothing stops it."""
    now = load(x, i)
    return along(now, LOOK_EVERY, sub(now, load(previous, i)))


@lean_inline
def path_ends(x, previous, i):
    """Lowest and highest place that a particle may get to along each axis until the next look."""
    now, then = load(x, i), _goes_to(x, previous, i)
    return lowest(now, then), highest(now, then)


@lean_inline
def _empty(boxes, e):
    store(boxes.lower, e, (math.inf, math.inf, math.inf))
    store(boxes.upper, e, (-math.inf, -math.inf, -math.inf))


@lean_inline
def _widen(boxes, e, low, high):
    """Have box e hold what lies between two corners."""
    store(boxes.lower, e, lowest(load(boxes.lower, e), low))
    store(boxes.upper, e, highest(load(boxes.upper, e), high))


@lean_inline
def _bound(pieces, paths):
    """Write the boxes of all pieces, of their runs, and of all together."""
    each, run = pieces.each, pieces.run
    last = run.lower.shape[0] - 1
    _empty(run, last)
    for r in range(last):
        _empty(run, r)
        for e in range(r * RUN, min((r + 1) * RUN, pieces.corner.shape[0])):
            low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
            for n in range(3):
                i = pieces.corner[e, n]
                if i < 0:
                    continue
                least, most = path_ends(paths.x, paths.previous, i)
                least, most = widened(least, most, paths.radius[i] + paths.slack)
                low, high = lowest(low, least), highest(high, most)
            store(each.lower, e, low)
            store(each.upper, e, high)
            _widen(run, r, low, high)
        _widen(run, last, load(run.lower, r), load(run.upper, r))


@lean_inline
def _room_of(shapes, s, slack):
    """How far m shape s may get beyond its box by turning and by gravity until the next look."""
    return LOOK_EVERY * way_by_turning(shapes, s) + slack


@lean_inline
def _is_clear(boxes, e, low, high):
    """Whether box e has nothing in common with the one from low to high."""
    return are_apart(load(boxes.lower, e), load(boxes.upper, e), low, high)


@lean_inline
def _way_of(paths, i):
    """How far m particle i gets until the next look, along all axes together."""
    way = sub(load(paths.x, i), load(paths.previous, i))
    return LOOK_EVERY * norm1(way)


@lean_inline
def _note_near(row, piece, shape, triangle):
    """Write a row of `NEAR_PIECE`."""
    row["piece"], row["shape"], row["triangle"] = piece, shape, triangle


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
        far = max(far, paths.radius[i] + _way_of(paths, i))
        p = unrotate(shapes.rotation[s], sub(load(paths.x, i), load(shapes.centre, s)))
        low, high = lowest(low, p), highest(high, p)
    low, high = widened(low, high, far + room)
    mesh = shapes.mesh[s]
    end = end_of(shapes.mesh_first_triangle[mesh + 1])
    node = root_of(shapes.mesh_first_triangle[mesh])
    node = next_leaf(tree, node, end, low, high)
    while node < end:
        if count < near.shape[0]:
            _note_near(near[count], e, s, tree.leaf[node])
        count += 1
        node = next_leaf(tree, node + 1, end, low, high)
    return count


@lean_inline
def _add_piece(near, count, pieces, e, solids, room, tied, is_parted, paths):
    """Rows for piece e and a shape whose box it may meet; the row after them.

    room m: that they may come nearer besides by the way of the piece.
    """
    shapes, mesh_tree, s = solids
    i, j, k = pieces.corner[e, 0], pieces.corner[e, 1], pieces.corner[e, 2]
    is_wire = k < 0
    k = j if is_wire else k
    is_mesh = shapes.kind[s] == MESH
    if is_mesh and is_parted[i] and not is_wire:
        return count
    if misses(tied, shapes.owner[s], i, j, k):
        return count
    if is_mesh:
        return _add_triangles(near, count, pieces, e, (shapes, mesh_tree), s, paths, room)
    if count < near.shape[0]:
        _note_near(near[count], e, s, NONE)
    return count + 1


@kernel
def find_near_pieces(pieces, shapes, mesh_tree, tied, is_parted, paths, near):
    """Write what may touch in the next `LOOK_EVERY` substeps into near (m,) NEAR_PIECE; how many.

    mesh_tree over the triangles of all meshes, each in its shape's frame. tied: what is not
    touched, see `tied_pieces`; is_parted (n,): particles of surfaces that are kept apart from
    meshes elsewhere. There may be more than fit.
    """
    _bound(pieces, paths)
    each, run = pieces.each, pieces.run
    last = run.lower.shape[0] - 1
    count = 0
    for s in range(shapes.kind.shape[0]):
        if shapes.kind[s] in (PLANE, ROOM):
            continue
        room = _room_of(shapes, s, paths.slack)
        moved = scale(LOOK_EVERY, sub(load(shapes.centre, s), load(shapes.centre_before, s)))
        low, high = widened(load(shapes.lower, s), load(shapes.upper, s), room)
        moved = abs(moved[0]), abs(moved[1]), abs(moved[2])
        low, high = sub(low, moved), add(high, moved)
        if _is_clear(run, last, low, high):
            continue
        solids = (shapes, mesh_tree, s)
        more = paths.slack + room + (moved[0] + moved[1] + moved[2])
        for r in range(last):
            if _is_clear(run, r, low, high):
                continue
            for e in range(r * RUN, min((r + 1) * RUN, pieces.corner.shape[0])):
                if not _is_clear(each, e, low, high):
                    found = (near, count, pieces, e)
                    count = _add_piece(*found, solids, more, tied, is_parted, paths)
    return count
