"""Broad phase: which shapes may touch, and which of their faces or triangles.

Two steps. `BroadPhase.update` keeps pairs of shapes whose boxes, widened by a margin, meet; they
stand until a shape leaves its wide box or moves otherwise, so that most steps find nothing anew.
Boxes are kept in a tree (`tree.py`), built anew each time; planes and rooms, which have no bounds,
pair with every body. `BroadPhase.expand` makes items of those pairs whose boxes meet now: one for
two solids, one for each wall of a room that a box reaches, one for each triangle that may be
touched.

In a pair (a, b) shape a always belongs to a body. What is hollow or open (plane, room, mesh) is b,
else among two bodies a < b. Two of those never meet, and where a body carries one it meets bodies
only: a moving mesh should be a compound of solids. Pairs and items are sorted, so that what is
known from the step before can be found by merging.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import NONE, Floats, Ints
from ..kernels.jit import inline, kernel, lean_inline, parallel_kernel, prange
from ..pairs import find_pair
from ..records import Records
from ..vec3 import add, column, dot, load, scale, sub
from .kinds import MESH, PLANE, ROOM
from .tree import Tree, build_tree, end_of, meets, next_leaf, root_of, tree_room, tree_scratch

SLOTS = 16
"""Partners of a shape that are noted while they are counted; where there are more, the second
pass looks for them again."""

STILL, FREE = 0, 1
"""How something moves: not at all; in a way of its own. What shares another number moves as one
rigid thing. Two that move alike do not meet."""

Rules = namedtuple(
    "Rules",
    [
        "kind",  # (k,) see shapes
        "body",  # (k,) body that carries the shape, -1 for a collider's
        "group",  # (k,) uint32, groups that the shape is in
        "mask",  # (k,) uint32, groups that it meets
        "motion",  # (k,) how the owner moved when pairs were found, see `STILL`
        "owner",  # (k,) by which pairs are excluded
        "excluded",  # (e, 2) owners that do not meet each other: low before high, sorted
    ],
)

ITEM = np.dtype(
    [
        ("shape", np.int32, (2,)),  # a, b, as in a pair
        # −1, or the wall of room b (0..5 = +x −x +y −y +z −z), or a row of mesh_triangle
        ("sub_shape", np.int32),
    ],
    align=True,
)
"""What one manifold is between."""

Leaves = namedtuple(
    "Leaves",
    [
        "shape",  # (n,) shapes that have bounds
        "lower", "upper",  # (n, 3) m, their wide boxes
        "node",  # (n,) of the leaves, from left to right
        "is_active",  # whether anything below a node of their tree moves
        "endless",  # shapes that have no bounds
    ],
)  # fmt: skip

Partners = namedtuple(
    "Partners",
    [
        "first",  # (n, SLOTS) shapes that the one of each leaf may meet
        "count",  # (n,) how many these are; more may be than are noted
        "many",  # (1, n) scratch, for one leaf
        "bucket",  # (k + 1,) scratch, to sort
    ],
)

PosedShapes = namedtuple(
    "PosedShapes",
    [
        "kind",  # (k,)
        "size",  # (k, 3) m
        "centre",  # (k, 3) m
        "rotation",  # (k, 3, 3)
        "lower", "upper",  # (k, 3) m, boxes around where each may get
        "mesh",  # (k,) row of the mesh table
        "first_triangle",  # (m + 1,)
    ],
)  # fmt: skip
"""Parts of `Shapes` under the same names."""


class BroadPhase:
    """Pairs of shapes that may touch, kept from step to step, and items made of them."""

    def __init__(
        self,
        kind: Ints,
        body: Ints,
        group: NDArray[np.uint32],
        mask: NDArray[np.uint32],
        owner: Ints,
    ) -> None:
        """For k shapes: kind, body, group, mask and owner (k,), by which pairs are excluded."""
        count = len(kind)
        self.rules = Rules(
            np.asarray(kind, dtype=np.int32),
            np.asarray(body, dtype=np.int32),
            np.asarray(group, dtype=np.uint32),
            np.asarray(mask, dtype=np.uint32),
            np.zeros(count, dtype=np.int32),
            np.asarray(owner, dtype=np.int32),
            np.zeros((0, 2), dtype=np.int32),
        )
        self._motion = np.zeros(count, dtype=np.int32)  # how it moves now
        is_endless = np.isin(self.rules.kind, (PLANE, ROOM))
        shape = np.flatnonzero(~is_endless).astype(np.int32)
        bounded = len(shape)
        self.leaves = Leaves(
            shape=shape,
            lower=np.full((bounded, 3), np.inf),  # nothing fits in: the first update finds
            upper=np.full((bounded, 3), -np.inf),
            node=np.zeros(bounded, dtype=np.int32),
            is_active=np.zeros(2 * bounded, dtype=np.bool_),
            endless=np.flatnonzero(is_endless).astype(np.int32),
        )
        self.partners = Partners(
            np.zeros((bounded, SLOTS), dtype=np.int32),
            np.zeros(bounded, dtype=np.int32),
            np.zeros((1, bounded), dtype=np.int32),
            np.zeros(count + 1, dtype=np.int32),
        )
        self.tree = tree_room(bounded)  # over the wide boxes
        self._scratch = tree_scratch(bounded)
        self._other_pair: Ints = np.zeros((8 * count, 2), dtype=np.int32)
        self.pair: Ints = np.zeros((8 * count, 2), dtype=np.int32)
        self.pair_count = 0
        self.find_count = 0  # how often pairs were found anew
        self.item: Records = np.zeros(8 * count, dtype=ITEM)
        self.item_count = 0

    def exclude(self, owners: Ints) -> None:
        """Owners (e, 2), in any order, that do not meet from now on; all others do."""
        pairs = np.unique(np.sort(owners, axis=1), axis=0).astype(np.int32)
        if not np.array_equal(pairs, self.rules.excluded):
            self.rules = self.rules._replace(excluded=np.ascontiguousarray(pairs))
            self.find_count = 0  # pairs have to be found anew

    def update(
        self,
        lower: Floats,
        upper: Floats,
        margin: Floats,
        motion: Ints,
        threads: int = 1,
    ) -> bool:
        """Find pairs anew if a shape has left its wide box or moves otherwise; whether that was so.

        lower, upper (k, 3) m, boxes around where each shape is and may get until the next update;
        margin (k,) m, how much wider they are kept; motion (k,) see `STILL`.
        """
        self._motion[:] = motion
        if self.find_count and not has_changed(self.leaves, self.rules, lower, upper, self._motion):
            return False
        self.find(lower, upper, margin, motion, threads)
        return True

    def find(
        self,
        lower: Floats,
        upper: Floats,
        margin: Floats,
        motion: Ints,
        threads: int = 1,
    ) -> None:
        """Find all pairs anew; takes what `update` takes."""
        self._motion[:] = motion
        self.rules.motion[:] = motion
        leaves, tree, rules, partners = self.leaves, self.tree, self.rules, self.partners
        widen_boxes(leaves, lower, upper, margin)
        build_tree(tree, leaves.lower, leaves.upper, 0, len(leaves.shape), self._scratch)
        mark_leaves(leaves, tree, rules)
        find_partners.on(threads)(leaves, tree, rules, partners)
        while True:
            self.pair_count = write_pairs(
                leaves, tree, rules, partners, self.pair, self._other_pair
            )
            if self.pair_count <= len(self.pair):
                break
            self.pair = np.zeros((self.pair_count * 3 // 2, 2), dtype=np.int32)
            self._other_pair = np.zeros_like(self.pair)
        self.find_count += 1

    def expand(self, posed: PosedShapes, reach: Floats, mesh_tree: Tree) -> int:
        """Write the items of this step to ``item``; returns how many.

        posed: with the same lower and upper as `update` had; reach (k,) m, how far a point of a
        plane, room or mesh may get from its pose; mesh_tree over the boxes of all triangles as they
        are in the shape's own frame. Pairs that have come to move alike since they were found
        have no items.
        """
        while True:
            count = write_items(
                self.pair, self.pair_count, self._motion, posed, reach, mesh_tree, self.item
            )
            if count <= len(self.item):
                break
            self.item = np.zeros(count * 3 // 2, dtype=ITEM)
        self.item_count = count
        return count


@inline
def is_surface(kind):
    """Whether a shape is hollow or open, so that only solids can meet it: always b of a pair."""
    return kind in (PLANE, ROOM, MESH)


@inline
def may_meet(rules, s, t):
    """Whether shapes s and t may touch at all, wherever they are.

    Written without branches: where an array is used in one branch only, Numba counts references to
    it each time, which would take as long as all the rest of a search.
    """
    kind, body, motion = rules.kind, rules.body, rules.motion
    surface, other_surface = is_surface(kind[s]), is_surface(kind[t])
    return (
        ((motion[s] != motion[t]) | (motion[s] == FREE))
        & (body[s] != body[t])  # also where both are colliders, which have -1
        & ((not surface) | ((not other_surface) & (body[t] >= 0)))
        & ((not other_surface) | (body[s] >= 0))
        & ((rules.group[s] & rules.mask[t]) != 0)
        & ((rules.group[t] & rules.mask[s]) != 0)
    )


@inline
def _comes_first(rules, s, t):
    """Whether s is a and t is b in a pair of the two."""
    kind, body = rules.kind, rules.body
    if is_surface(kind[s]) or is_surface(kind[t]):
        return is_surface(kind[t])
    if body[s] < 0 or body[t] < 0:
        return body[t] < 0
    return s < t


@kernel
def has_changed(leaves, rules, lower, upper, motion):
    """Whether a shape has come to move otherwise since pairs were found, or left its wide box.

    What moved in a way of its own has all the pairs that it can have.
    """
    for s in range(motion.shape[0]):
        if motion[s] != rules.motion[s] and rules.motion[s] != FREE:
            return True
    for n in range(leaves.shape.shape[0]):
        s = leaves.shape[n]
        for k in range(3):
            if not (lower[s, k] >= leaves.lower[n, k] and upper[s, k] <= leaves.upper[n, k]):
                return True
    return False


@kernel
def widen_boxes(leaves, lower, upper, margin):
    """Wide boxes of shapes, ``margin`` (k,) m wider on each side than lower and upper (k, 3)."""
    for n in range(leaves.shape.shape[0]):
        s = leaves.shape[n]
        for k in range(3):
            leaves.lower[n, k] = lower[s, k] - margin[s]
            leaves.upper[n, k] = upper[s, k] + margin[s]


@kernel
def mark_leaves(leaves, tree, rules):
    """Nodes of the leaves from left to right, and which nodes have shapes below that move."""
    is_active = leaves.is_active
    place = leaves.shape.shape[0]
    for node in range(end_of(place) - 1, -1, -1):
        row = tree.leaf[node]
        if row >= 0:
            place -= 1
            leaves.node[place] = node
            is_active[node] = rules.motion[leaves.shape[row]] != STILL
        else:
            is_active[node] = is_active[node + 1] or is_active[tree.skip[node + 1]]


@inline
def _find_partners_of(leaves, tree, rules, place, found, found_row):
    """Write the shapes that the one of leaf ``place`` may meet to a row of found; how many.

    There may be more than fit. Only leaves to its right are passed, those of the nodes after it, so
    that each pair is seen once. Shapes at rest look only where something moves.
    """
    own = leaves.node[place]
    end = end_of(leaves.shape.shape[0])
    s = leaves.shape[tree.leaf[own]]
    low, high = load(tree.lower, own), load(tree.upper, own)
    looks_everywhere = rules.motion[s] != STILL
    count = 0
    node = own + 1
    while node < end:
        if meets(tree, node, low, high) and (looks_everywhere | leaves.is_active[node]):
            row = tree.leaf[node]
            if row >= 0:
                t = leaves.shape[row]
                if may_meet(rules, s, t):
                    if count < found.shape[1]:
                        found[found_row, count] = t
                    count += 1
            node += 1
        else:
            node = tree.skip[node]
    return count


@parallel_kernel
def find_partners(leaves, tree, rules, partners):
    """Count for each leaf the shapes to its right that it may meet, and note the first SLOTS."""
    first, count = partners.first, partners.count
    for place in prange(leaves.shape.shape[0]):
        count[place] = _find_partners_of(leaves, tree, rules, place, first, place)


@inline
def _write_pair(rules, s, t, pair, count):
    if _comes_first(rules, s, t):
        pair[count, 0], pair[count, 1] = s, t
    else:
        pair[count, 0], pair[count, 1] = t, s


@inline
def _sort_by(column, pair, count, sorted_pair, bucket):
    """Sort pairs by one column, those of one shape in the order that they had."""
    bucket[:] = 0
    for n in range(count):
        bucket[pair[n, column] + 1] += 1
    for s in range(bucket.shape[0] - 1):
        bucket[s + 1] += bucket[s]
    for n in range(count):
        s = pair[n, column]
        place = bucket[s]
        bucket[s] += 1
        sorted_pair[place, 0] = pair[n, 0]
        sorted_pair[place, 1] = pair[n, 1]


@kernel
def write_pairs(leaves, tree, rules, partners, pair, other_pair):
    """Write all pairs (a, b), sorted, to ``pair``; returns how many, which may be more than fit."""
    bounded, endless = leaves.shape, leaves.endless
    count = 0
    for place in range(bounded.shape[0]):
        count += partners.count[place]
    for n in range(endless.shape[0]):
        for m in range(bounded.shape[0]):
            if may_meet(rules, bounded[m], endless[n]):
                count += 1
    if count > pair.shape[0]:
        return count
    row = 0
    for place in range(bounded.shape[0]):
        s = bounded[tree.leaf[leaves.node[place]]]
        if partners.count[place] > SLOTS:
            _find_partners_of(leaves, tree, rules, place, partners.many, 0)
            for n in range(partners.count[place]):
                _write_pair(rules, s, partners.many[0, n], pair, row + n)
        else:
            for n in range(partners.count[place]):
                _write_pair(rules, s, partners.first[place, n], pair, row + n)
        row += partners.count[place]
    for n in range(endless.shape[0]):
        for m in range(bounded.shape[0]):
            if may_meet(rules, bounded[m], endless[n]):
                _write_pair(rules, bounded[m], endless[n], pair, row)
                row += 1
    _sort_by(1, pair, count, other_pair, partners.bucket)
    _sort_by(0, other_pair, count, pair, partners.bucket)
    if rules.excluded.shape[0] == 0:
        return count
    kept = 0
    for n in range(count):
        a, b = pair[n, 0], pair[n, 1]
        if find_pair(rules.excluded, rules.owner[a], rules.owner[b]) != NONE:
            continue
        pair[kept, 0], pair[kept, 1] = a, b
        kept += 1
    return kept


@lean_inline
def _extent_along(posed, a, b, axis):
    """Half the width of a's box along an axis of shape b."""
    n = column(posed.rotation[b], axis)
    return 0.5 * dot((abs(n[0]), abs(n[1]), abs(n[2])), _widths(posed, a))


@lean_inline
def _widths(posed, a):
    return sub(load(posed.upper, a), load(posed.lower, a))


@lean_inline
def _centre_along(posed, a, b, axis):
    """Where the middle of a's box is along an axis of shape b, from b's centre."""
    middle = scale(0.5, add(load(posed.lower, a), load(posed.upper, a)))
    return dot(column(posed.rotation[b], axis), sub(middle, load(posed.centre, b)))


@inline
def _sort_by_sub_shape(item, first, last):
    """Sort the sub-shapes of a run of items in place (Shell 1959)."""
    gap = 1
    while gap < last - first:
        gap = (9 * gap) // 4 + 1
    while gap > 0:
        for n in range(first + gap, last):
            sub_shape = item[n]["sub_shape"]
            m = n
            while m >= first + gap and item[m - gap]["sub_shape"] > sub_shape:
                item[m]["sub_shape"] = item[m - gap]["sub_shape"]
                m -= gap
            item[m]["sub_shape"] = sub_shape
        gap = 0 if gap == 1 else max((4 * (gap - 1)) // 9, 1)


@kernel
def write_items(pair, pair_count, motion, posed, reach, mesh_tree, item):
    """Write the items (m,) of all pairs that may touch now, in rising order.

    Returns how many items there are, which may be more than fit.
    """
    count = 0
    room = item.shape[0]
    for n in range(pair_count):
        a, b = pair[n, 0], pair[n, 1]
        if motion[a] == motion[b] and motion[a] != FREE:
            continue
        first = count
        kind = posed.kind[b]
        if kind == PLANE:
            height = _centre_along(posed, a, b, 2) - _extent_along(posed, a, b, 2)
            if height <= reach[b]:
                count = _write_item(item, count, -1)
        elif kind == ROOM:
            for wall in range(6):
                axis = wall // 2
                way = _centre_along(posed, a, b, axis)
                if wall % 2 == 1:
                    way = -way
                if way + _extent_along(posed, a, b, axis) >= posed.size[b, axis] - reach[b]:
                    count = _write_item(item, count, wall)
        elif _boxes_meet(posed, a, b):
            if kind == MESH:
                count = _write_triangles(posed, a, b, reach[b], mesh_tree, item, count)
                _sort_by_sub_shape(item, first, min(count, room))
            else:
                count = _write_item(item, count, -1)
        for row in range(first, min(count, room)):
            item[row]["shape"][0], item[row]["shape"][1] = a, b
    return count


@lean_inline
def _write_item(item, count, sub_shape):
    """Note a sub-shape if there is room for it; how many items there are then."""
    if count < item.shape[0]:
        item[count]["sub_shape"] = sub_shape
    return count + 1


@lean_inline
def _boxes_meet(posed, a, b):
    lower, upper = posed.lower, posed.upper
    return (
        lower[a, 0] <= upper[b, 0]
        and upper[a, 0] >= lower[b, 0]
        and lower[a, 1] <= upper[b, 1]
        and upper[a, 1] >= lower[b, 1]
        and lower[a, 2] <= upper[b, 2]
        and upper[a, 2] >= lower[b, 2]
    )


@lean_inline
def _write_triangles(posed, a, b, reach, mesh_tree, item, count):
    """Note the triangles of mesh b that the box of a reaches; how many items there are then."""
    x, y = _centre_along(posed, a, b, 0), _centre_along(posed, a, b, 1)
    z = _centre_along(posed, a, b, 2)
    rx = _extent_along(posed, a, b, 0) + reach
    ry = _extent_along(posed, a, b, 1) + reach
    rz = _extent_along(posed, a, b, 2) + reach
    low, high = (x - rx, y - ry, z - rz), (x + rx, y + ry, z + rz)
    mesh = posed.mesh[b]
    end = end_of(posed.first_triangle[mesh + 1])
    node = next_leaf(mesh_tree, root_of(posed.first_triangle[mesh]), end, low, high)
    while node < end:
        count = _write_item(item, count, mesh_tree.leaf[node])
        node = next_leaf(mesh_tree, node + 1, end, low, high)
    return count
