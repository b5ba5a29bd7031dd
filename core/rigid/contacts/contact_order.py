"""In which order contacts are solved: by slabs of space, so that several threads may solve them.

Gauss–Seidel pushes two bodies after the other. Bodies are parted into slabs along one axis; a task
is all manifolds inside a slab, or between two neighbouring ones. Tasks of one phase share no body
that contacts move, so they may be solved at the same time and end with the same bits: first the
slabs, then every other pair of them, then the pairs between, and last, by one thread, what reaches
farther. Within a task manifolds keep the order of their shapes, from the ground up as a rule: a
pyramid of 30 rows whose manifolds were solved in colours instead lost a cube.

Rows lie task by task in memory: who walks over all of them has no need to know of this. Where there
are few manifolds at all, they stay in the order of their shapes.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import NONE
from ...collision.axis_boxes import highest, lowest
from ...kernels.jit import kernel, lean_inline
from ...vec3 import load

SHARED_FROM = 8
"""Manifolds from which on they are solved four at a time, where few lanes stay free."""

ORDERED_FROM = 256
"""Manifolds from which on they are parted into tasks: fewer are solved by one thread anyway."""

MORE_THAN_ANY = 2**31 - 1
"""Manifolds that no scene has."""

MOST_SLABS = 64

MOST_TASKS = 2 * MOST_SLABS + 1
"""Most tasks that manifolds are parted into."""

SLAB_FROM = 64
"""Manifolds for which one more slab is worth while."""

MOST_REST = 16
"""One manifold in so many may reach farther than to the next slab, or slabs are made thicker."""

BINS = 1024
"""Places along the axis that slabs may begin at."""

ALONG_GRAVITY = 0.5
"""Share of the extent along gravity that counts: slabs that stand leave piles in one order."""

INSIDE, EVEN, ODD, REST, PHASES = range(5)

Order = namedtuple(
    "Order",
    [
        "row",  # (m,) first row of each item's manifold, −1 where it has none
        "rank",  # (m,) the same if all were in the order of items: where it is remembered
        "task",  # (m,) of each item
        "slab",  # (o,) of each owner
        "bin",  # (BINS,) scratch
        "size",  # (MOST_TASKS,) rows of each task
        "first_row",  # (MOST_TASKS + 1,) of each task
        "first_task",  # (PHASES + 1,) of each phase
        "phases",  # (1,) PHASES, or 0 where no threads share them
        "found",  # (k,) what threads find in groups of tasks, or in blocks of items
    ],
)
"""Where rows lie: see `order_rows`."""


def order_room(owners: int, items: int) -> Order:
    """Room for the order of the manifolds of so many items."""
    return Order(
        row=np.zeros(items, dtype=np.int32),
        rank=np.zeros(items, dtype=np.int32),
        task=np.zeros(items, dtype=np.int32),
        slab=np.zeros(owners, dtype=np.int32),
        bin=np.zeros(BINS, dtype=np.int32),
        size=np.zeros(MOST_TASKS, dtype=np.int32),
        first_row=np.zeros(MOST_TASKS + 1, dtype=np.int32),
        first_task=np.zeros(PHASES + 1, dtype=np.int32),
        phases=np.zeros(1, dtype=np.int32),
        found=np.zeros(MOST_TASKS + items // 64, dtype=np.int32),
    )


@lean_inline
def _mover(owners, oa, ob, body_count):
    """The first of two owners that contacts move, or NONE."""
    if oa < body_count and owners.inverse_mass[oa] > 0.0:
        return oa
    if ob < body_count and owners.inverse_mass[ob] > 0.0:
        return ob
    return NONE


@lean_inline
def _widest_axis(item_count, owners, order, gravity):
    """The axis along which bodies in contact are spread most; from where to where they are."""
    low, high = (np.inf, np.inf, np.inf), (-np.inf, -np.inf, -np.inf)
    for n in range(item_count):
        if order.row[n] != NONE:
            x = load(owners.position, order.task[n])
            low, high = lowest(low, x), highest(high, x)
    pull = max(abs(gravity[0]), abs(gravity[1]), abs(gravity[2]), 1e-9)
    best, most = 0, 0.0
    for k in range(3):
        spread = (1.0 - ALONG_GRAVITY * abs(gravity[k]) / pull) * (high[k] - low[k])
        if spread > most:
            best, most = k, spread
    return best, low[best], high[best]


@lean_inline
def _bin_of(x, low, high):
    """The place along the axis where x is."""
    return min(max(int(BINS * (x - low) / (high - low)), 0), BINS - 1)


@lean_inline
def _make_slabs(slabs, count, axis, low, high, owners, order, body_count):
    """The slab of each body, so that all have as many of the manifolds, which ``bin`` counts."""
    place = order.bin
    for b in range(body_count):
        x = min(max(owners.position[b, axis], low), high)
        before = place[_bin_of(x, low, high)]
        order.slab[b] = before * slabs // count


@lean_inline
def _task_of(slabs, owners, slab, oa, ob, body_count):
    """The task of a manifold: its slab, a pair of slabs after all these, or the last one."""
    mover = _mover(owners, oa, ob, body_count)
    s = slab[mover]
    t = s
    if mover == oa and _mover(owners, ob, ob, body_count) == ob:
        t = slab[ob]
    if s == t:
        return s
    if abs(s - t) > 1:
        return 2 * slabs - 1
    pair = min(s, t)
    half = slabs // 2
    return slabs + pair // 2 + (half if pair % 2 == 1 else 0)


@lean_inline
def _deal_out(slabs, most, item, manifolds, owner, owners, body_count, order):
    """The task of each item and how many rows tasks have; whether no more than ``most`` manifolds
    reach farther. Where more do, the rest is not dealt out.
    """
    order.size[:] = 0
    rest = 0
    for n in range(item.shape[0]):
        if order.row[n] == NONE:
            continue
        oa, ob = owner[item[n]["shape"][0]], owner[item[n]["shape"][1]]
        task = _task_of(slabs, owners, order.slab, oa, ob, body_count)
        order.task[n] = task
        order.size[task] += manifolds.count[n]
        if task == 2 * slabs - 1:
            rest += 1
            if rest > most:
                return False
    return True


@lean_inline
def _count_up(item_count, axis, low, high, owners, order):
    """How many manifolds lie before each place along the axis."""
    order.bin[:] = 0
    for n in range(item_count):
        if order.row[n] != NONE:
            order.bin[_bin_of(owners.position[order.task[n], axis], low, high)] += 1
    before = 0
    for k in range(BINS):
        here = order.bin[k]
        order.bin[k] = before
        before += here


@lean_inline
def _lay_out(slabs, item_count, manifolds, order):
    """Phases of tasks, and where the rows of each go."""
    first_task = order.first_task
    first_task[INSIDE] = 0
    first_task[EVEN] = slabs
    first_task[ODD] = slabs + slabs // 2
    first_task[REST] = 2 * slabs - 1
    first_task[PHASES] = 2 * slabs
    row = 0
    for t in range(2 * slabs):
        order.first_row[t] = row
        row += order.size[t]
        order.size[t] = order.first_row[t]
    order.first_row[2 * slabs] = row
    for n in range(item_count):
        if order.row[n] != NONE:
            task = order.task[n]
            order.row[n] = order.size[task]
            order.size[task] += manifolds.count[n]
    order.phases[0] = PHASES


@lean_inline
def _lay_out_as_one(order, rows):
    """One task of all rows, in the order of their items."""
    order.first_task[:] = 1
    order.first_task[INSIDE] = 0
    order.first_row[0] = 0
    order.first_row[1] = rows
    order.phases[0] = PHASES


@kernel
def order_rows(item, manifolds, owner, owners, body_count, gravity, order, fewest):
    """Where the rows of each item's manifold go; returns how many rows there are.

    item (m,) `ITEM`, owner (k,) of shapes, gravity (3,); fewest: manifolds that threads share.
    `fill_contacts` writes the rows.
    """
    count, rows = 0, 0
    item_count = item.shape[0]
    for n in range(item_count):
        order.row[n] = NONE
        if manifolds.count[n] == 0:
            continue
        shape = item[n]["shape"]
        mover = _mover(owners, owner[shape[0]], owner[shape[1]], body_count)
        if mover != NONE:
            order.row[n] = rows
            order.rank[n] = rows
            order.task[n] = mover  # as long as it has none
            rows += manifolds.count[n]
            count += 1
    order.phases[0] = 0
    if count < fewest:
        return rows
    _lay_out_as_one(order, rows)
    if count < ORDERED_FROM:
        return rows
    axis, low, high = _widest_axis(item_count, owners, order, gravity)
    if not high > low:
        return rows
    _count_up(item_count, axis, low, high, owners, order)
    slabs = min(MOST_SLABS, count // SLAB_FROM)
    while slabs > 1:
        _make_slabs(slabs, count, axis, low, high, owners, order, body_count)
        most = count // MOST_REST
        if _deal_out(slabs, most, item, manifolds, owner, owners, body_count, order):
            _lay_out(slabs, item_count, manifolds, order)
            break
        slabs //= 2
    return rows
