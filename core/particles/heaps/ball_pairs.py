"""Which balls may meet in the coming substeps: looked for in cells, kept as long as that holds.

Balls are sorted by cell, x first and z last (Green 2010, "Particle Simulation using CUDA", sorts by
a hash of it). So the cells around one are five runs of the sorted list and its own, each of which
is followed from cell to cell: nothing is hashed, and nobody is looked up.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats, Ints
from ...kernels.jit import kernel, lean, parallel_kernel, prange
from ...vec3 import ZERO, add, divide, dot, load, sub

LEAST_SLAB = 256
"""Balls in a slab, if there are so many."""

MOST_CELLS = 2.0**19
"""Cells along an axis on either side of the middle; who is beyond shares the outermost ones."""


def sort_balls(x: Floats, size: float) -> tuple[Ints, Ints, Ints]:
    """Order of balls (m, 3) m by cells of ``size`` m, with the numbers of their cells.

    Returns the order (m,), the number of each one's cell (m,) in that order, and the number of
    cells in a row along z and in a layer across x.
    """
    middle = np.median(x, axis=0)
    cell = np.floor((x - middle) / size)
    cell = np.clip(cell, -MOST_CELLS, MOST_CELLS).astype(np.int64)
    cell -= cell.min(axis=0)
    rows = cell.max(axis=0) + 3
    key = (cell[:, 0] * rows[1] + cell[:, 1]) * rows[2] + cell[:, 2]
    order = np.argsort(key, kind="stable")
    return order.astype(np.int32), key[order], np.array([rows[2], rows[1] * rows[2]])


@kernel
def cut_cells(key, strides, cell_key, cell_first, slab, slab_cell):
    """The cells that have balls and the slabs that they make; returns how many of both.

    cell_first (m + 1,), slab (m + 1,): first ball of each; slab_cell: first cell of each slab.
    """
    cells = slabs = 0
    layer = np.int64(-1)
    for n in range(key.shape[0]):
        if n > 0 and key[n] == key[n - 1]:
            continue
        here = key[n] // strides[1]
        if here != layer and (slabs == 0 or n - slab[slabs - 1] >= LEAST_SLAB):
            slab[slabs] = n
            slab_cell[slabs] = cells
            slabs += 1
        layer = here
        cell_key[cells] = key[n]
        cell_first[cells] = n
        cells += 1
    cell_first[cells] = slab[slabs] = key.shape[0]
    slab_cell[slabs] = cells
    return cells, slabs


@lean
def _cell_from(cell_key, cells, key):
    """First cell whose number is not below key."""
    low, high = 0, cells
    while low < high:
        middle = (low + high) // 2
        if cell_key[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@lean
def _is_near(ball, place, a, b, margin):
    """Whether two balls are no farther apart than the margin (m), and either may be moved."""
    reach = ball[a]["radius"] + ball[b]["radius"] + margin
    d = sub(place[a]["start"], place[b]["start"])
    if dot(d, d) >= reach * reach:
        return False
    return ball[a]["inverse_mass"] + ball[b]["inverse_mass"] > 0.0


@parallel_kernel
def find_near(heap, cell_key, cell_first, slab_cell, strides, margin, is_counted):
    """Count the pairs of each task, or write them once they are counted."""
    ball, place, near = heap.ball, heap.place, heap.near
    first, count, slab = heap.first, heap.count, heap.slab
    slabs = slab.shape[0] - 1
    cells = slab_cell[slabs]
    for s in prange(slabs):
        end = slab[s + 1]
        inner = crossing = 0
        if is_counted:
            inner, crossing = first[s], first[slabs + s]
        for run in range(5):
            # own cell with the one above; then columns beside and behind
            shift = np.int64(0)
            if run == 1:
                shift = strides[0]
            elif run > 1:
                shift = strides[1] + (run - 3) * strides[0]
            below = 0 if run == 0 else 1
            low = _cell_from(cell_key, cells, cell_key[slab_cell[s]] + shift - below)
            for c in range(slab_cell[s], slab_cell[s + 1]):
                key = cell_key[c] + shift
                while low < cells and cell_key[low] < key - below:
                    low += 1
                other = low
                while other < cells and cell_key[other] <= key + 1:
                    for a in range(cell_first[c], cell_first[c + 1]):
                        from_b = max(cell_first[other], a + 1)
                        for b in range(from_b, cell_first[other + 1]):
                            if not _is_near(ball, place, a, b, margin):
                                continue
                            if b < end:
                                if is_counted:
                                    near[inner]["pair"][0] = a
                                    near[inner]["pair"][1] = b
                                inner += 1
                            else:
                                if is_counted:
                                    near[crossing]["pair"][0] = a
                                    near[crossing]["pair"][1] = b
                                crossing += 1
                    other += 1
        if not is_counted:
            count[s], count[slabs + s] = inner, crossing


@kernel
def recall_impulses(heap, first_known, known, impulse):
    """Give pairs the impulses that are remembered of them.

    first_known (balls + 1,): first row of known (k, 2) of each ball, sorted; impulse (k, 3) kg·m on
    the first of the two.
    """
    place, near = heap.place, heap.near
    for n in range(near.shape[0]):
        i, j = place[near[n]["pair"][0]]["ball"], place[near[n]["pair"][1]]["ball"]
        sign = 1.0
        if i > j:
            i, j, sign = j, i, -1.0
        for k in range(3):
            near[n]["impulse"][k] = 0.0
        for row in range(first_known[i], first_known[i + 1]):
            if known[row, 1] == j:
                for k in range(3):
                    near[n]["impulse"][k] = sign * impulse[row, k]
                break


@kernel
def lay_out(heap, order, rows, radius, friction, restitution):
    """Lay balls out in an order of theirs; rows (balls,): their particles."""
    for n in range(order.shape[0]):
        i = rows[order[n]]
        ball, place = heap.ball[n], heap.place[n]
        place["ball"] = order[n]
        place["particle"] = i
        ball["radius"] = radius[order[n]]
        place["friction"] = friction[i]
        place["restitution"] = restitution[i]


@parallel_kernel
def take_motion(heap, particles, start):
    """Read how balls move in this substep; start (n, 3) m: where they were as it began."""
    ball, place = heap.ball, heap.place
    x, previous, inverse_mass = particles
    for n in prange(ball.shape[0]):
        i = place[n]["particle"]
        ball[n]["inverse_mass"] = inverse_mass[i]
        for k in range(3):
            ball[n]["move"][k] = x[i, k] - previous[i, k]
            ball[n]["part"][k] = 0.0
            place[n]["start"][k] = start[i, k]
            place[n]["previous"][k] = previous[i, k]


@parallel_kernel
def give_motion(heap, particles):
    """Move balls as they have come to move."""
    ball, place = heap.ball, heap.place
    x, previous, _ = particles
    for n in prange(ball.shape[0]):
        if ball[n]["inverse_mass"] == 0.0:
            continue
        i = place[n]["particle"]
        for k in range(3):
            previous[i, k] = place[n]["previous"][k] + ball[n]["part"][k]
            x[i, k] = previous[i, k] + ball[n]["move"][k]


@kernel
def farthest_since(rows, x, origin):
    """How far m any ball has come from its origin (m, 3) m: against the mean of all, and at all."""
    count = rows.shape[0]
    mean = ZERO
    for n in range(count):
        mean = add(mean, sub(load(x, rows[n]), load(origin, n)))
    mean = divide(mean, max(count, 1))
    most = whole = 0.0
    for n in range(count):
        way = sub(load(x, rows[n]), load(origin, n))
        against = sub(way, mean)
        most, whole = max(most, dot(against, against)), max(whole, dot(way, way))
    return math.sqrt(most), math.sqrt(whole)
