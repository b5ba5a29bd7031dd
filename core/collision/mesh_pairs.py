"""Pairs of cloth and lines with meshes: see `surface_pairs`, and `propped` for what needs few."""

from __future__ import annotations

from ..kernels.jit import lean, lean_inline, parallel_kernel, prange
from .near_patches import CHUNKS, are_apart, is_nothing_new
from .propped import BARE, FALLEN, PROPPED, is_drawn, room_between, see_whether_propped
from .surface_pairs import (
    REST_SHARE,
    add_edge_pairs,
    add_vertex_pairs,
    are_sure,
    are_triangles_far,
    may_meet,
)


@lean
def _list_near(listed, near, rows, one, other, node, surface, flight):
    """List the triangles of meshes near the cloth's triangle in a node; how many there are.

    listed (k,): as many as fit. near (m, 2): rows from the first up to the second are those of its
    patch.
    """
    first, past = rows
    t = one.leaf[node]
    count = 0
    for r in range(first, past):
        m = other.root[near[r, 1]]
        end = other.skip[m]
        while m < end:
            if is_nothing_new(one, node, other, m) or are_apart(
                one.bounds[node], other.bounds[m], flight.horizon
            ):
                m = other.skip[m]
                continue
            u = other.leaf[m]
            if u >= 0 and may_meet(surface, t, u) and not _are_far(surface, flight, t, u):
                if count < listed.shape[0]:
                    listed[count] = u
                count += 1
            m += 1
    return count


@lean_inline
def _are_far(surface, flight, t, u):
    """Whether two triangles stay farther apart than that, as far as is soon told."""
    room = room_between(surface, flight, t, u)
    return are_triangles_far(surface.triangle, t, u, flight, room)


@lean
def _add_mesh_pairs(pairs, row, last, surface, flight, t, u, state):
    """Pairs of features that triangle t of cloth and u of a mesh own; the row after them."""
    room = room_between(surface, flight, t, u)
    sure = are_sure(surface, flight.stale, t, u)
    terms = (sure, room, REST_SHARE)
    row = add_vertex_pairs(pairs, row, last, surface, flight, t, u, terms)
    if state == PROPPED:
        return row
    row = add_vertex_pairs(pairs, row, last, surface, flight, u, t, terms)
    terms = (sure or state == FALLEN, room, REST_SHARE)
    return add_edge_pairs(pairs, row, last, surface, flight, t, u, terms)


@lean_inline
def _end_of_patch(near, first, past):
    """The row after the last, before ``past``, that is of the same patch as the first one."""
    row = first
    while row < past and near[row, 0] == near[first, 0]:
        row += 1
    return row


@lean
def _note_most(props, c, most):
    """Note how many triangles were near one in run c: prange loses what it writes to a record."""
    props.most[c] = most


@parallel_kernel
def find_mesh_pairs(pairs, found, patches, one, other, surface, flight, props):
    """Pairs of the triangles of cloth in tree one with those of meshes in the other.

    Of those that are stale, as `surface_pairs.find_pairs` has them; of triangles that are propped
    only those of their corners. Where `Props.most` says that more are near one than fit in
    `Props.listed` it is to be run again.
    """
    near, near_found, _ = patches
    size = pairs.shape[0] // CHUNKS
    near_size = near.shape[0] // CHUNKS
    for c in prange(CHUNKS):
        row = c * size
        last = row + size
        first = c * near_size
        past = first + near_found[c]
        listed = props.listed[c]
        most = 0
        while first < past:
            rows = (first, _end_of_patch(near, first, past))
            root = one.root[near[first, 0]]
            for node in range(root, one.skip[root]):
                t = one.leaf[node]
                if t < 0:
                    continue
                count = _list_near(listed, near, rows, one, other, node, surface, flight)
                most = max(most, count)
                if most > listed.shape[0]:
                    continue
                if count > 0 and one.stale[node] == 1:
                    see_whether_propped(props, t, surface, flight, listed, count)
                for k in range(count):
                    u = listed[k]
                    state = BARE if is_drawn(props, surface, u) else props.state[t]
                    row = _add_mesh_pairs(pairs, row, last, surface, flight, t, u, state)
            first = rows[1]
        found[c] = row - c * size
        _note_most(props, c, most)
