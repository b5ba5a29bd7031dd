"""Order of the distance constraints: few barriers, the same bits on any number of threads.

Particles are cut into blocks of about a thousand along a breadth-first walk over the constraint
graph, so that a constraint joins particles of one block or of two neighbouring ones. A group is
all constraints between the same two blocks (or inside one); groups that share no particle form a
phase, and the tasks of a phase run at the same time. A long strip of blocks needs two phases
(inside, between) and so two barriers a pass, where colouring single constraints needs a dozen.
Inside a task the constraints are coloured too: neighbours in the array then share no particle,
which keeps the processor's pipeline full.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..geometry.surface import connected_parts
from ..kernels.jit import allocating_kernel, inline, kernel
from ..model.schedule import Schedule

TOGETHER = 2
"""The turn of springs that are no part of a task: a net of them is solved at once."""

BLOCK_SIZE = 1024  # particles: 3 × 24 kB of positions, fits the first-level cache


@allocating_kernel
def _neighbours(pairs, start, neighbour):
    """Fill the adjacency lists of an undirected graph: start (n + 1,), neighbour (2·pairs,)."""
    for p in range(pairs.shape[0]):
        start[pairs[p, 0] + 1] += 1
        start[pairs[p, 1] + 1] += 1
    for i in range(start.shape[0] - 1):
        start[i + 1] += start[i]
    fill = start[:-1].copy()
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        neighbour[fill[a]] = b
        fill[a] += 1
        neighbour[fill[b]] = a
        fill[b] += 1


@inline
def _walk(start, neighbour, root, rank, queue, stamp):
    """Breadth-first order from root; marks rank with stamp. Returns (last reached, how many)."""
    queue[0] = root
    rank[root] = stamp
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for n in range(start[i], start[i + 1]):
            j = neighbour[n]
            if rank[j] != stamp:
                rank[j] = stamp
                queue[tail] = j
                tail += 1
    return queue[tail - 1], tail


@kernel
def _cut_blocks(start, neighbour, block_size, block, queue, mark):
    """Give every particle a block: walk each connected part from end to end and cut the walk.

    The walk starts at a far end (the last particle that a first walk reaches), so that its
    fronts stay short. Returns the number of blocks.
    """
    count = 0
    for seed in range(block.shape[0]):
        if block[seed] >= 0:
            continue
        end, _ = _walk(start, neighbour, seed, mark, queue, 2 * seed + 1)
        _, size = _walk(start, neighbour, end, mark, queue, 2 * seed + 2)
        parts = max(1, size // block_size)
        for n in range(size):
            block[queue[n]] = count + n * parts // size
        count += parts
    return count


@kernel
def _colour(pairs, order, group_start, used, colour):
    """First-fit colours for groups of pairs; two groups of one colour share no particle.

    order lists pairs group by group, group_start (g + 1,); used (n,) uint64 is scratch, zero before
    and after. A group that finds all 63 colours taken gets colour 63, which must be run one group
    at a time.
    """
    for g in range(group_start.shape[0] - 1):
        taken = np.uint64(0)
        for m in range(group_start[g], group_start[g + 1]):
            taken |= used[pairs[order[m], 0]] | used[pairs[order[m], 1]]
        c = 0
        while c < 63 and (taken >> np.uint64(c)) & np.uint64(1):
            c += 1
        colour[g] = c
        bit = np.uint64(1) << np.uint64(c)
        for m in range(group_start[g], group_start[g + 1]):
            used[pairs[order[m], 0]] |= bit
            used[pairs[order[m], 1]] |= bit
    for m in range(group_start[0], group_start[colour.shape[0]]):
        used[pairs[order[m], 0]] = 0
        used[pairs[order[m], 1]] = 0


def _stable_order(number: Ints) -> Ints:
    """Rows of numbers (n,) ≥ 0 as they rise, those of the same number in their order.

    Sixteen bits are sorted by counting, a digit at a time, in a tenth of the time of a comparison.
    """
    order = np.argsort((number & 0xFFFF).astype(np.uint16), kind="stable")
    high = number >> 16
    if high.any():
        order = order[np.argsort(high[order], kind="stable")]
    return order.astype(np.int32)


def _groups_of(block: Ints, pairs: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Pairs that join the same two blocks: their rows group by group, and where each begins.

    The last one says of each group whether it lies inside a single block.
    """
    one, other = block[pairs[:, 0]], block[pairs[:, 1]]
    low, high = np.minimum(one, other), np.maximum(one, other)
    order = _stable_order(high)
    order = order[_stable_order(low[order])]
    low, high = low[order], high[order]
    is_first = np.ones(len(pairs), dtype=bool)
    is_first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    first = np.flatnonzero(is_first).astype(np.int32)
    return order, np.append(first, np.int32(len(pairs))), low[first] == high[first]


def _independent_order(pairs: Ints, rows: Ints, used: NDArray[np.uint64]) -> Ints:
    """``rows`` of pairs, reordered so that neighbours share no particle; used as in `_colour`."""
    colour = np.zeros(len(rows), dtype=np.int32)
    starts = np.arange(len(rows) + 1, dtype=np.int32)
    _colour(pairs, rows, starts, used, colour)
    return rows[_stable_order(colour)]


def make_schedule(
    particle_count: int, stick: Ints, spring: Ints, turn: Ints, block_size: int = BLOCK_SIZE
) -> Schedule:
    """Schedule sticks (s, 2) and springs (c, 2) over ``particle_count`` particles.

    turn (c,): −1 for springs that act in every step, 0 and 1 for those that take turns, `TOGETHER`
    for those of nets, which come last: each connected part of them is a net.
    """
    alone = np.flatnonzero(turn != TOGETHER).astype(np.int32)
    schedule = _task_schedule(particle_count, stick, spring[alone], turn[alone], block_size)
    net_order, first = _net_order(particle_count, spring, turn)
    return replace(
        schedule,
        spring_order=np.concatenate([alone[schedule.spring_order], net_order]),
        first_net_spring=len(alone) + first,
    )


def _net_order(particle_count: int, spring: Ints, turn: Ints) -> tuple[Ints, Ints]:
    """Rows of the springs of nets, net by net, and where among them each begins."""
    rows = np.flatnonzero(turn == TOGETHER).astype(np.int32)
    if len(rows) == 0:
        return rows, np.zeros(1, dtype=np.int32)
    part = connected_parts(particle_count, spring[rows])[spring[rows, 0]]
    rows = rows[np.argsort(part, kind="stable")]
    count = np.unique(part, return_counts=True)[1]
    used = np.zeros(particle_count, dtype=np.uint64)
    first = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    nets = [_independent_order(spring, rows[a:b], used) for a, b in itertools.pairwise(first)]
    return np.concatenate(nets), first


def _task_schedule(
    particle_count: int, stick: Ints, spring: Ints, turn: Ints, block_size: int
) -> Schedule:
    """The schedule of what is solved one after the other."""
    pairs = np.concatenate([stick, spring]).astype(np.int32)
    zero = np.zeros(1, dtype=np.int32)
    if len(pairs) == 0:
        none = np.zeros(0, dtype=np.int32)
        return Schedule(none, none, zero, np.zeros((0, 4), dtype=np.int32), zero, zero)

    start = np.zeros(particle_count + 1, dtype=np.int32)
    neighbour = np.empty(2 * len(pairs), dtype=np.int32)
    _neighbours(pairs, start, neighbour)
    block = np.full(particle_count, -1, dtype=np.int32)
    _cut_blocks(
        start,
        neighbour,
        block_size,
        block,
        np.empty(particle_count, dtype=np.int32),
        np.zeros(particle_count, dtype=np.int64),
    )

    order, group_start, is_inside = _groups_of(block, pairs)
    group_count = len(is_inside)
    # colour the groups with those inside a block first: they all fit the first phase
    visit = np.argsort(~is_inside, kind="stable")
    members = [order[group_start[g] : group_start[g + 1]] for g in visit]
    visit_start = np.concatenate([[0], np.cumsum([len(m) for m in members])]).astype(np.int32)
    colour = np.zeros(group_count, dtype=np.int32)
    used = np.zeros(particle_count, dtype=np.uint64)
    _colour(pairs, np.concatenate(members), visit_start, used, colour)

    stick_order, spring_order = [], []
    task_stick, phase_task = [0], [0]
    task_spring: list[list[int]] = []
    spring_count = 0
    for c in range(int(colour.max()) + 1):
        groups = [members[g] for g in np.flatnonzero(colour == c)]
        if c == 63:
            groups = [np.concatenate(groups)]  # may share particles: one task, one thread
        for rows in groups:
            sticks = _independent_order(pairs, rows[rows < len(stick)], used)
            stick_order.append(sticks)
            task_stick.append(task_stick[-1] + len(sticks))
            springs = rows[rows >= len(stick)]
            bounds = [spring_count]
            for part in (-1, 0, 1):
                chosen = springs[turn[springs - len(stick)] == part]
                spring_order.append(_independent_order(pairs, chosen, used) - len(stick))
                spring_count += len(chosen)
                bounds.append(spring_count)
            task_spring.append(bounds)
        phase_task.append(len(task_stick) - 1)

    def ints(values: object) -> Ints:
        return np.ascontiguousarray(values, dtype=np.int32)

    return Schedule(
        ints(np.concatenate(stick_order)),
        ints(np.concatenate(spring_order)),
        ints(task_stick),
        ints(task_spring),
        ints(phase_task),
        zero,
    )
