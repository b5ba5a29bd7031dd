"""In which order joints are eliminated, so that all joints of a component are solved at once.

Two joints pull on each other when they hold the same body. The matrix of all of them, one block a
joint, is as sparse as that graph: a chain is tridiagonal, and so is one with both ends held. It is
factorised as L Lᵀ by blocks (Baraff 1996; Deul et al. 2018), those with the fewest neighbours
first (minimum degree: George & Liu 1989). Trees then fill in nothing, loops a little.

What would fill in too much (a wall whose stones are all glued to their neighbours) is solved joint
by joint, Gauss–Seidel.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .joint_table import freedoms
from .table import PASSIVE

if TYPE_CHECKING:
    from ..model import Ints, Model

MOST_WORK = 40
"""Products of blocks that a joint may cost on average: a body with six joints needs 21."""


PULL_AT, PULL_WIDTH, PULL_OWNER = range(3)
PULL_JOINT, PULL_SIDE, PULL_ROW = 3, 5, 7
"""Columns of ``pull``: first value and width of the block, the body; then joint, side of it that
holds the body, and first row, each of the block's rows and of its columns."""


class JointGraph(NamedTuple):
    """Rows of j joints in the order of elimination, and the blocks of their matrix."""

    first_row: Ints  # (j + 1,) rows of each joint
    freedom: Ints  # (r,) degree of freedom of each row
    first_place: Ints  # (components + 1,) into order
    group: Ints  # (components,) equal for those that hang together all the same
    body_group: Ints  # (b,) the same of each body, −1 where it hangs on no joint
    order: Ints  # (j,) joints, component by component
    first_block: Ints  # (j + 1,) by place in order: blocks of the column, the diagonal one first
    block_row: Ints  # (n,) joint of the block's rows
    block_start: Ints  # (n + 1,) first value of each block
    first_update: Ints  # (j + 1,) by place in order
    update: Ints  # (u, 3) blocks: target −= first second ᵀ
    first_pull: Ints  # (components + 1,)
    pull: Ints  # (p, 9) columns PULL_…: one joint pulls at another through a body of both


def joint_graph(model: Model) -> JointGraph:
    """Order and blocks of all joints of a model."""
    joints = model.joints
    count = len(joints)
    rows = [freedoms(joints, j) for j in range(count)]
    sizes = np.array([len(r) for r in rows], dtype=np.int64)
    holders = _holders(model)
    order: list[int] = []
    first_place = [0]
    columns: list[list[int]] = []  # joints of the blocks of each column
    group: list[int] = []
    group_of = np.zeros(count, dtype=np.int32)
    for number, component in enumerate(_components(count, holders)):
        group_of[component] = number
        chosen, fill = _eliminate(component, holders)
        if len(chosen) < len(component):
            for j in sorted(component):
                order.append(j)
                columns.append([j])
                first_place.append(len(order))
                group.append(number)
            continue
        order += chosen
        columns += fill
        first_place.append(len(order))
        group.append(number)
    body_group = [group_of[members[0]] if members else -1 for members in holders]
    return _lay_out(
        joints.owner, rows, sizes, holders, order, columns, first_place, group, body_group
    )


def _holders(model: Model) -> list[list[int]]:
    """Joints of each body that may move, and no list for anything else."""
    holders: list[list[int]] = [[] for _ in range(model.body_count)]
    for j, pair in enumerate(model.joints.owner):
        for o in pair:
            if o < model.body_count and model.bodies.follows[o] != PASSIVE:
                holders[o].append(j)
    return holders


def _neighbours(count: int, holders: list[list[int]]) -> list[set[int]]:
    near: list[set[int]] = [set() for _ in range(count)]
    for members in holders:
        for j in members:
            near[j].update(members)
    for j in range(count):
        near[j].discard(j)
    return near


def _components(count: int, holders: list[list[int]]) -> list[list[int]]:
    near = _neighbours(count, holders)
    seen = [False] * count
    components = []
    for j in range(count):
        if seen[j]:
            continue
        seen[j] = True
        members = [j]
        for member in members:
            for other in sorted(near[member]):
                if not seen[other]:
                    seen[other] = True
                    members.append(other)
        components.append(members)
    return components


def _eliminate(component: list[int], holders: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Order of elimination, and for each joint in it the joints of its column.

    Of joints with as few neighbours, what has waited longest comes first: a chain is eaten from
    both ends in turn, limbs of a tree in turn, and a processor works at two or more of them at
    once. Ends early, with joints left over, where that fills in too much.
    """
    inside = set(component)
    near: dict[int, set[int]] = {j: set() for j in component}
    for members in holders:
        if members and members[0] in inside:
            for j in members:
                near[j].update(members)
    for j in component:
        near[j].discard(j)
    left = set(component)
    order: list[int] = []
    columns: list[list[int]] = []
    touched = dict.fromkeys(component, 0)
    work = 0
    while left:
        j = min(left, key=lambda member: (len(near[member]), touched[member], member))
        work += len(near[j]) * (len(near[j]) + 1) // 2
        if work > MOST_WORK * len(component):
            break
        left.discard(j)
        order.append(j)
        others = near.pop(j)
        columns.append([j, *sorted(others)])
        for other in others:
            near[other].update(others)
            near[other].discard(other)
            near[other].discard(j)
            touched[other] = len(order)
    return order, columns


def _lay_out(
    owner: Ints,
    rows: list[list[int]],
    sizes: NDArray[np.int64],
    holders: list[list[int]],
    order: list[int],
    columns: list[list[int]],
    first_place: list[int],
    group: list[int],
    body_group: list[int],
) -> JointGraph:
    place = {j: n for n, j in enumerate(order)}
    block_of: dict[tuple[int, int], int] = {}
    block_row: list[int] = []
    block_start, first_block = [0], [0]
    for n, j in enumerate(order):
        later = [j, *sorted((i for i in columns[n] if i != j), key=lambda i: place[i])]
        columns[n] = later
        for i in later:
            block_of[i, j] = len(block_row)
            block_row.append(i)
            block_start.append(block_start[-1] + int(sizes[i] * sizes[j]))
        first_block.append(len(block_row))
    update: list[tuple[int, int, int]] = []
    first_update = [0]
    for n, j in enumerate(order):
        others = columns[n][1:]
        for position, column in enumerate(others):
            update += [
                (block_of[row, column], block_of[row, j], block_of[column, j])
                for row in others[position:]
            ]
        first_update.append(len(update))
    first_row = [0, *np.cumsum(sizes).tolist()]
    pull: list[tuple[int, ...]] = []
    first_pull = [0]
    for first, last in pairwise(first_place):
        members = set(order[first:last])
        for j in order[first:last]:
            for side in range(2):
                o = owner[j, side]
                if o >= len(holders) or j not in holders[o]:
                    continue
                for i in holders[o]:
                    if i not in members or place[i] < place[j]:
                        continue
                    other = 0 if owner[i, 0] == o else 1
                    at = block_start[block_of[i, j]]
                    width = int(sizes[j])
                    pull.append((at, width, o, i, j, other, side, first_row[i], first_row[j]))
        first_pull.append(len(pull))
    return JointGraph(
        first_row=_ints(first_row),
        freedom=_ints([k for r in rows for k in r]),
        first_place=_ints(first_place),
        group=_ints(group),
        body_group=_ints(body_group),
        order=_ints(order),
        first_block=_ints(first_block),
        block_row=_ints(block_row),
        block_start=_ints(block_start),
        first_update=_ints(first_update),
        update=_ints(update).reshape(-1, 3),
        first_pull=_ints(first_pull),
        pull=_ints(pull).reshape(-1, 9),
    )


def _ints(values: object) -> Ints:
    return np.array(values, dtype=np.int32)
