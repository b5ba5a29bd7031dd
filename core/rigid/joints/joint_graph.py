"""In which order joints are eliminated, so that all joints of a component are solved at once.

Two joints pull on each other when they hold the same body. The matrix of all of them, one block a
joint, is as sparse as that graph: a chain is tridiagonal, and so is one with both ends held. It is
factorised as L Lᵀ by blocks (Baraff 1996; Deul et al. 2018), those with the fewest neighbours
first (minimum degree: George & Liu 1989). Trees then fill in nothing, loops a little.

What would fill in much (a wall whose stones are all glued to their neighbours, a net) is solved as
exactly with bodies and joints as variables: see `joint_fronts`.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.body_table import PASSIVE
from ...model.joint_table import acting
from .joint_fronts import Fronts, joint_fronts

if TYPE_CHECKING:
    from ...arrays import Ints
    from ...model import Model
    from ...records import Records

MOST_WORK = 40
"""Products of blocks that a joint may cost on average: a body with six joints needs 21. What costs
more is solved by fronts."""


UPDATE = np.dtype([("target", np.int32), ("left", np.int32), ("right", np.int32)], align=True)
"""Blocks: target −= left rightᵀ."""

TERM = np.dtype(
    [
        ("at", np.int32),  # first value of the block
        ("width", np.int32),  # of the block
        ("body", np.int32),
        # each of the block's rows and of its columns
        ("joint", np.int32, (2,)),
        ("side", np.int32, (2,)),  # of the joint, that holds the body
        ("row", np.int32, (2,)),  # first one of the joint
    ],
    align=True,
)
"""One joint pulls at another, or at itself, through a body of both."""


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
    update: Records  # UPDATE (u,)
    first_term: Ints  # (components + 1,)
    term: Records  # TERM (p,)
    first_front: Ints  # (components + 1,) fronts of those that have no blocks
    fronts: Fronts


def joint_graph(model: Model) -> JointGraph:
    """Order and blocks of all joints of a model."""
    joints = model.joints
    count = len(joints)
    acts = acting(joints)
    rows = [np.flatnonzero(row).tolist() for row in acts]
    sizes = acts.sum(axis=1)
    holders = _holders(model)
    order: list[int] = []
    first_place = [0]
    columns: list[list[int]] = []  # joints of the blocks of each column; none of what has fronts
    group_of = np.zeros(count, dtype=np.int32)
    large = np.full(count, -1)  # number among the components that have fronts
    in_fronts = [0]  # how many of the components so far have
    for number, component in enumerate(_components(joints.owner, holders)):
        group_of[component] = number
        chosen, fill = _eliminate(component, joints.owner, holders)
        if len(chosen) < len(component):
            large[component] = in_fronts[-1]
            chosen, fill = component, [[] for _ in component]
        in_fronts.append(int(large.max(initial=-1)) + 1)
        order += chosen
        columns += fill
        first_place.append(len(order))
    body_group = [group_of[members[0]] if members else -1 for members in holders]
    blocks = _lay_out(joints.owner, rows, sizes, holders, order, columns, first_place)
    moves = np.zeros(model.owner_count + 1, dtype=bool)
    moves[: len(model.bodies)] = model.bodies.follows != PASSIVE
    fronts, first_front = joint_fronts(joints.owner, sizes, large, moves)
    return JointGraph(
        group=_ints(range(len(first_place) - 1)),
        body_group=_ints(body_group),
        first_front=_ints(first_front[in_fronts]),
        fronts=fronts,
        **blocks,
    )


def _holders(model: Model) -> list[list[int]]:
    """Joints of each body that may move, and no list for anything else."""
    holders: list[list[int]] = [[] for _ in range(len(model.bodies))]
    moves = (model.bodies.follows != PASSIVE).tolist()
    for j, pair in enumerate(model.joints.owner.tolist()):
        for o in pair:
            if o < len(model.bodies) and moves[o]:
                holders[o].append(j)
    return holders


def _components(owner: Ints, holders: list[list[int]]) -> list[list[int]]:
    """Joints (ascending) that hang together, by the first one of each."""
    pairs = owner.tolist()
    seen = [False] * len(pairs)
    is_done = [False] * len(holders)
    components = []
    for j in range(len(pairs)):
        if seen[j]:
            continue
        seen[j] = True
        members = [j]
        for member in members:
            for o in pairs[member]:
                if o >= len(holders) or is_done[o]:
                    continue
                is_done[o] = True
                for other in holders[o]:
                    if not seen[other]:
                        seen[other] = True
                        members.append(other)
        components.append(sorted(members))
    return components


def _eliminate(
    component: list[int], owner: Ints, holders: list[list[int]]
) -> tuple[list[int], list[list[int]]]:
    """Order of elimination, and for each joint in it the joints of its column.

    Of joints with as few neighbours, what has waited longest comes first: a chain is eaten from
    both ends in turn, limbs of a tree in turn, and a processor works at two or more of them at
    once. Ends early, with joints left over, where that fills in too much.
    """
    order: list[int] = []
    columns: list[list[int]] = []
    bodies = {o for o in owner[component].ravel().tolist() if o < len(holders) and holders[o]}
    # the joints of a body are neighbours, so one of them has all the others, one all but one …
    # and each joint counts for two bodies at most
    least = sum(k * (k * k - 1) for k in (len(holders[o]) for o in bodies)) / 12
    if least > MOST_WORK * len(component):
        return order, columns
    near: dict[int, set[int]] = {j: set() for j in component}
    for o in bodies:
        for j in holders[o]:
            near[j].update(holders[o])
    for j in component:
        near[j].discard(j)
    touched = dict.fromkeys(component, 0)
    waiting = [(len(near[j]), 0, j) for j in component]
    heapify(waiting)
    work = 0
    while waiting:
        degree, since, j = heappop(waiting)
        if j not in near or len(near[j]) != degree or touched[j] != since:
            continue
        work += degree * (degree + 1) // 2
        if work > MOST_WORK * len(component):
            break
        order.append(j)
        others = near.pop(j)
        columns.append([j, *sorted(others)])
        for other in others:
            near[other].update(others)
            near[other].discard(other)
            near[other].discard(j)
            touched[other] = len(order)
            heappush(waiting, (len(near[other]), touched[other], other))
    return order, columns


def _lay_out(
    owner: Ints,
    rows: list[list[int]],
    sizes: NDArray[np.int64],
    holders: list[list[int]],
    order: list[int],
    columns: list[list[int]],
    first_place: list[int],
) -> dict[str, Any]:
    """What `JointGraph` says of orders, rows and blocks, by name."""
    place = {j: n for n, j in enumerate(order)}
    block_of: dict[tuple[int, int], int] = {}
    block_row: list[int] = []
    block_start, first_block = [0], [0]
    for n, j in enumerate(order):
        later = sorted(columns[n], key=place.__getitem__)
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
    term: list[tuple[Any, ...]] = []
    first_term = [0]
    for first, last in pairwise(first_place):
        for j in order[first:last] if columns[first] else []:
            for side in range(2):
                o = owner[j, side]
                if o >= len(holders) or j not in holders[o]:
                    continue
                for i in holders[o]:
                    if place[i] < place[j]:
                        continue
                    other = 0 if owner[i, 0] == o else 1
                    at = block_start[block_of[i, j]]
                    width = int(sizes[j])
                    term.append((at, width, o, (i, j), (other, side), (first_row[i], first_row[j])))
        first_term.append(len(term))
    return {
        "first_row": _ints(first_row),
        "freedom": _ints([k for r in rows for k in r]),
        "first_place": _ints(first_place),
        "order": _ints(order),
        "first_block": _ints(first_block),
        "block_row": _ints(block_row),
        "block_start": _ints(block_start),
        "first_update": _ints(first_update),
        "update": np.array(update, UPDATE),
        "first_term": _ints(first_term),
        "term": np.array(term, TERM),
    }


def _ints(values: object) -> Ints:
    return np.array(values, dtype=np.int32)
