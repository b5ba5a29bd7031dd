"""Bounding boxes in a tree: what could touch a box is found without looking at everything.

A linear bounding volume hierarchy (Lauterbach et al. 2009, "Fast BVH Construction on GPUs"): boxes
are sorted along a Z-order curve through their centres, and a node's boxes are parted where the
highest bit of their Morton codes changes (Karras 2012, "Maximizing Parallelism in the Construction
of BVHs, Octrees, and k-d Trees", §3). Boxes whose codes are all the same are parted at the median
along their longest axis, so that one box far away does not throw all the others into one cell.

Nodes lie in depth-first order. The first child of a node is the row after it; `skip` is the row
after all that is below it. So a walk needs no stack: it goes on at the next row where boxes meet,
and at `skip` where they do not. A leaf's `skip` is the next row too.

    node = next_leaf(tree, root_of(first), end_of(last), low, high)
    while node < end_of(last):
        ...tree.leaf[node] is the row of a box that meets the one from low to high...
        node = next_leaf(tree, node + 1, end_of(last), low, high)

Several trees may lie in one `Tree`, each over a run of rows (`first` to `last`, exclusive) of the
same arrays of boxes, say one for each mesh. The same boxes always give the same tree.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..kernels.jit import inline, kernel

Tree = namedtuple(
    "Tree",
    [
        "lower",  # (2n, 3) m, bounding box of all that is below a node
        "upper",  # (2n, 3) m
        "skip",  # (2n,) the node after all those below this one
        "leaf",  # (2n,) row of the box that is this node, -1 for a node with children
    ],
)

TreeScratch = namedtuple(
    "TreeScratch",
    [
        "code",  # (n,) Morton codes
        "order",  # (n,) rows of boxes, sorted by code
        "other_code",  # (n,) sorting moves codes and rows to and fro
        "other_order",  # (n,)
        "count",  # (BUCKETS,) how many codes have each digit
    ],
)

AXIS_BITS = 11
"""Bits of a Morton code for each axis: 2048 cells. With 21 bits building takes a third longer and
queries gain nothing, because boxes of one cell are parted by their centres anyhow."""

DIGIT_BITS = 11
BUCKETS = 1 << DIGIT_BITS


def tree_room(count: int) -> Tree:
    """Room for trees over ``count`` boxes altogether."""
    return Tree(
        np.zeros((2 * count, 3)),
        np.zeros((2 * count, 3)),
        np.zeros(2 * count, dtype=np.int32),
        np.zeros(2 * count, dtype=np.int32),
    )


def tree_scratch(count: int) -> TreeScratch:
    """Scratch memory to build trees over up to ``count`` boxes each."""
    return TreeScratch(
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int32),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int32),
        np.zeros(BUCKETS, dtype=np.int32),
    )


@inline
def root_of(first):
    """The first node of the tree whose boxes begin at row ``first``."""
    return 2 * first


@inline
def end_of(last):
    """The node after the last one of the tree whose boxes end before row ``last``."""
    return 2 * last - 1


@inline
def meets(tree, node, low, high):
    """Whether the box of a node meets the one from low to high. Touching counts."""
    return (
        tree.lower[node, 0] <= high[0]
        and tree.upper[node, 0] >= low[0]
        and tree.lower[node, 1] <= high[1]
        and tree.upper[node, 1] >= low[1]
        and tree.lower[node, 2] <= high[2]
        and tree.upper[node, 2] >= low[2]
    )


@inline
def next_leaf(tree, node, end, low, high):
    """The first leaf from ``node`` on whose box meets the one from low to high, or ``end``.

    Touching counts.
    """
    while node < end:
        if meets(tree, node, low, high):
            if tree.leaf[node] >= 0:
                return node
            node += 1
        else:
            node = tree.skip[node]
    return end


@kernel
def build_tree(tree, lower, upper, first, last, scratch):
    """Build the tree over rows ``first`` to ``last`` (exclusive) of the boxes lower, upper (m, 3).

    Boxes must be finite.
    """
    count = last - first
    if count == 0:
        return
    code, order = _sort_along_curve(lower, upper, first, count, scratch)
    root = root_of(first)
    end = end_of(last)
    tree.skip[root] = end
    begin = 0  # leaves so far, which is where the leaves of the next node begin
    for node in range(root, end):
        size = (tree.skip[node] - node + 1) // 2
        if size == 1:
            tree.leaf[node] = order[begin]
            begin += 1
            continue
        tree.leaf[node] = -1
        if code[begin] == code[begin + size - 1]:
            left = size // 2
            _part_at_median(lower, upper, order, begin, begin + size, begin + left)
        else:
            left = _highest_change(code, begin, size)
        tree.skip[node + 1] = node + 2 * left
        tree.skip[node + 2 * left] = tree.skip[node]
    _bound_nodes(tree, lower, upper, root, end)


@inline
def _bound_nodes(tree, lower, upper, root, end):
    for node in range(end - 1, root - 1, -1):  # children come after their parents
        row = tree.leaf[node]
        if row >= 0:
            for k in range(3):
                tree.lower[node, k] = lower[row, k]
                tree.upper[node, k] = upper[row, k]
            continue
        child = node + 1
        other = tree.skip[child]
        for k in range(3):
            tree.lower[node, k] = min(tree.lower[child, k], tree.lower[other, k])
            tree.upper[node, k] = max(tree.upper[child, k], tree.upper[other, k])


@inline
def _spread(bits):
    """Two zeros after each bit of a number of 21 bits."""
    bits = (bits | (bits << 32)) & 0x1F00000000FFFF
    bits = (bits | (bits << 16)) & 0x1F0000FF0000FF
    bits = (bits | (bits << 8)) & 0x100F00F00F00F00F
    bits = (bits | (bits << 4)) & 0x10C30C30C30C30C3
    return (bits | (bits << 2)) & 0x1249249249249249


@inline
def _cell(twice_centre, start, cells_per_metre):
    """The cell of a centre along one axis; the same scale for all axes keeps cells cubic."""
    cell = (0.5 * twice_centre - start) * cells_per_metre
    if not cell > 0.0:
        return 0
    return int(min(cell, (1 << AXIS_BITS) - 1.0))


@inline
def _sort_along_curve(lower, upper, first, count, scratch):
    """Morton codes of all centres, and rows in their order (radix sort, least digit first)."""
    start_x = start_y = start_z = math.inf
    stop_x = stop_y = stop_z = -math.inf
    for row in range(first, first + count):
        x = 0.5 * (lower[row, 0] + upper[row, 0])
        y = 0.5 * (lower[row, 1] + upper[row, 1])
        z = 0.5 * (lower[row, 2] + upper[row, 2])
        start_x, stop_x = min(start_x, x), max(stop_x, x)
        start_y, stop_y = min(start_y, y), max(stop_y, y)
        start_z, stop_z = min(start_z, z), max(stop_z, z)
    widest = max(stop_x - start_x, max(stop_y - start_y, stop_z - start_z))
    scale = (1 << AXIS_BITS) / widest if widest > 1e-290 else 0.0
    code, order = scratch.code, scratch.order
    other_code, other_order = scratch.other_code, scratch.other_order
    for n in range(count):
        row = first + n
        order[n] = row
        code[n] = (
            _spread(_cell(lower[row, 0] + upper[row, 0], start_x, scale))
            | _spread(_cell(lower[row, 1] + upper[row, 1], start_y, scale)) << 1
            | _spread(_cell(lower[row, 2] + upper[row, 2], start_z, scale)) << 2
        )
    for shift in range(0, 3 * AXIS_BITS, DIGIT_BITS):
        scratch.count[:] = 0
        for n in range(count):
            scratch.count[(code[n] >> shift) & (BUCKETS - 1)] += 1
        place = 0
        for digit in range(BUCKETS):
            members = scratch.count[digit]
            scratch.count[digit] = place
            place += members
        for n in range(count):
            digit = (code[n] >> shift) & (BUCKETS - 1)
            place = scratch.count[digit]
            scratch.count[digit] += 1
            other_code[place] = code[n]
            other_order[place] = order[n]
        code, other_code = other_code, code
        order, other_order = other_order, order
    return code, order


@inline
def _highest_change(code, begin, size):
    """How many of the sorted codes come before the highest bit in which they differ is set."""
    difference = code[begin] ^ code[begin + size - 1]
    bit = 0
    while difference >> (bit + 1) != 0:
        bit += 1
    before, after = 0, size - 1
    while after - before > 1:
        middle = (before + after) // 2
        if (code[begin + middle] >> bit) & 1:
            after = middle
        else:
            before = middle
    return after


@inline
def _part_at_median(lower, upper, order, begin, end, middle):
    """Reorder rows begin to end so that those before ``middle`` have the smaller centres.

    Along the axis in which the centres lie farthest apart; quickselect (Hoare 1961).
    """
    axis = 0
    widest = 0.0
    for k in range(3):
        low, high = math.inf, -math.inf
        for n in range(begin, end):
            centre = lower[order[n], k] + upper[order[n], k]
            low = min(low, centre)
            high = max(high, centre)
        if high - low > widest:
            widest = high - low
            axis = k
    if widest == 0.0:
        return
    low_end, high_end = begin, end - 1
    while low_end < high_end:
        row = order[(low_end + high_end) // 2]
        pivot = lower[row, axis] + upper[row, axis]
        n, m = low_end, high_end
        while n <= m:
            while lower[order[n], axis] + upper[order[n], axis] < pivot:
                n += 1
            while lower[order[m], axis] + upper[order[m], axis] > pivot:
                m -= 1
            if n <= m:
                row = order[n]
                order[n] = order[m]
                order[m] = row
                n += 1
                m -= 1
        if middle <= m:
            high_end = m
        elif middle >= n:
            low_end = n
        else:
            break
