"""Fronts by which the joints of a large component are solved, and where all their numbers lie.

Where joints hang together in many loops (walls, nets), J M⁻¹ Jᵀ fills in. There the whole system

    M Δv − Jᵀ Δλ = 0,   J Δv + C Δλ = what rows lack

is factorised with bodies and joints alike as variables, in whatever order fills in least: of a
glued wall joints go first, for bodies are fewer; of a net bodies. It is symmetric in (Δv, −Δλ) and
quasi-definite, M > 0 and −C < 0, so that L D Lᵀ exists in every order without pivoting (Vanderbei
1995). Fronts and their tree come from `minimum_degree`; small ones are joined with their parents
(Ashcraft & Grimes 1989), for a few zeros cost less than one more front.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.jit import kernel
from ...records import Records, records
from .minimum_degree import Elimination, Places, eliminate

if TYPE_CHECKING:
    from ...arrays import Ints

BODY_ROWS = 6
ZEROS = 0.1
"""Share of a front's values that may be zeros for the sake of fewer fronts."""

FRONT = np.dtype(
    [
        ("first_variable", np.int32),
        ("first_pivot", np.int32),  # first row
        ("border_at", np.int32),
        ("value_at", np.int32),  # of its pivot rows
        ("coupling_at", np.int32),
        # where the update of its border lies while it is made, and afterwards
        ("made_at", np.int32),
        ("update_at", np.int32),
        ("first_child", np.int32),
        ("next_child", np.int32),
        ("is_active", np.int32),  # 1: anything acts in it
    ],
    align=True,
)

VARIABLE = np.dtype(
    [
        ("name", np.int32),  # body, or −1 − joint
        ("row", np.int32),  # first one in the order of elimination
    ],
    align=True,
)

COUPLING = np.dtype(
    [
        ("joint", np.int32),
        ("side", np.int32),
        ("joint_row", np.int32),  # first one of the joint, and of the body on that side
        ("body_row", np.int32),
    ],
    align=True,
)

Fronts = namedtuple(
    "Fronts",
    [
        "front",  # FRONT (f + 1,) children first
        "variable",  # VARIABLE (v + 1,)
        "body_at",  # (b,) first row of each body, −1 for those of no large component
        "joint_at",  # (j,) the same of joints
        "border",  # rows that a front's pivots touch and that come later
        "coupling",  # COUPLING (k,)
        "value",  # pivot rows of all fronts, D Lᵀ, with 1/D on the diagonal
        "update",  # stack of what fronts hand on to their parents
        "least",  # (n,) what is least left of a pivot: M > 0, −C < 0
        "local",  # (n,) place of a row within the front
        "solution",  # (n,)
        "gathered",  # of the rows of one front
    ],
)


class _EliminationTree(NamedTuple):
    """Fronts of v variables by number, children first."""

    order: Places  # (v,) as they are eliminated
    variable_from: Places  # (f + 1,) into ``order``
    parent: Places  # (f,) −1 for roots
    border_from: Places  # (f + 1,) into ``border``
    border: Places  # places in ``order``, ascending


def joint_fronts(
    owner: Ints,
    row_count: Places,
    component: Places,
    moves: NDArray[np.bool_],
) -> tuple[Fronts, Places]:
    """Fronts of large components, and the first front of each of these (c + 1,).

    owner (j, 2); row_count (j,) of each joint; component (j,): number of the large component that
    a joint is of, −1 for the others; moves (o,): True for bodies that joints may move.
    """
    joint = np.flatnonzero((component >= 0) & (row_count > 0))
    pair = owner[joint]
    body = np.unique(pair[moves[pair]]).astype(np.int64)
    number = np.full(len(moves), -1)
    number[body] = np.arange(len(body))
    at, side = np.nonzero(moves[pair])
    edge = np.stack([number[pair[at, side]], len(body) + at], axis=1)
    weight = np.concatenate([np.full(len(body), BODY_ROWS), row_count[joint]])
    of_variable = np.concatenate([np.zeros(len(body), dtype=np.int64), component[joint]])
    of_variable[edge[:, 0]] = component[joint[at]]
    tree = _tree_of(edge, weight, of_variable)
    place = np.empty(len(weight), dtype=np.int64)
    place[tree.order] = np.arange(len(weight))
    row_at = np.concatenate([[0], np.cumsum(weight[tree.order])])
    front, stack = _lay_out(tree, row_at)

    coupled = np.searchsorted(tree.variable_from, place[edge].min(axis=1), side="right") - 1
    sort = np.argsort(coupled, kind="stable")
    front["coupling_at"] = np.searchsorted(coupled[sort], np.arange(len(front)))
    coupling = records(
        COUPLING,
        joint=joint[at][sort],
        side=side[sort],
        joint_row=row_at[place[edge[:, 1]]][sort],
        body_row=row_at[place[edge[:, 0]]][sort],
    )
    name = np.concatenate([body, -1 - joint])
    body_at, joint_at = np.full(len(moves), -1), np.full(len(owner), -1)
    body_at[body] = row_at[place[: len(body)]]
    joint_at[joint] = row_at[place[len(body) :]]
    of_front = of_variable[tree.order[tree.variable_from[:-1]]]
    numbers = np.arange(int(component.max(initial=-1)) + 2)
    widest = np.diff(front["first_pivot"]) + np.diff(front["border_at"])
    rows = int(row_at[-1])
    fronts = Fronts(
        front=front,
        variable=records(VARIABLE, name=np.append(name[tree.order], 0), row=row_at),
        body_at=body_at.astype(np.int32),
        joint_at=joint_at.astype(np.int32),
        border=_rows_of(tree.border, row_at).astype(np.int32),
        coupling=coupling,
        value=np.zeros(int(front["value_at"][-1])),
        update=np.zeros(stack),
        least=np.zeros(rows),
        local=np.zeros(rows, dtype=np.int32),
        solution=np.zeros(rows),
        gathered=np.zeros(int(widest.max(initial=0))),
    )
    return fronts, np.searchsorted(of_front, numbers)


def _tree_of(edge: Places, weight: Places, component: Places) -> _EliminationTree:
    """Fronts of the graph of edges (e, 2), component by component."""
    ends = np.concatenate([edge, edge[:, ::-1]])
    near = ends[np.argsort(ends[:, 0], kind="stable"), 1]
    first = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=len(weight)))])
    elimination = eliminate(weight, first, near)
    order, pivot_from, parent = elimination
    border_from, border = _borders(elimination, first, near)
    owning = np.repeat(np.arange(len(parent)), np.diff(pivot_from))
    rows = np.bincount(owning, weight[order], len(parent)).astype(np.int64)
    edges = np.diff(np.concatenate([[0], np.cumsum(weight[border])])[border_from])
    joined = np.array(_join_small(rows.tolist(), edges.tolist(), parent.tolist()), dtype=np.int64)
    parents = np.where(parent < 0, -1, joined[parent])
    fronts = _children_first(joined, parents, component[order[pivot_from[:-1]]])
    rank = np.empty(len(parent), dtype=np.int64)
    rank[fronts] = np.arange(len(fronts))
    owning = rank[joined[owning]]
    sort = np.argsort(owning, kind="stable")
    order = order[sort]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    of_entry = np.repeat(np.arange(len(parent)), np.diff(border_from))
    stays = joined[of_entry] == of_entry
    of_entry, places = rank[of_entry[stays]], place[border[stays]]
    sort = np.lexsort([places, of_entry])
    numbers = np.arange(len(fronts) + 1)
    return _EliminationTree(
        order=order,
        variable_from=np.searchsorted(np.sort(owning), numbers),
        parent=np.where(parents[fronts] < 0, -1, rank[parents[fronts]]),
        border_from=np.searchsorted(of_entry[sort], numbers),
        border=places[sort],
    )


def _borders(
    elimination: Elimination, first: Places, near: Places
) -> tuple[Places, NDArray[np.int32]]:
    """The first of each front (f + 1,) among variables that fronts touch and that come later."""
    order, _, parent = elimination
    border_from = np.zeros(len(parent) + 1, dtype=np.int64)
    room, count = 16 * len(order) + 16, -1
    while count < 0:
        border = np.empty(room, dtype=np.int32)
        scratch = np.full((2, len(order)), -1, dtype=np.int32)
        family = np.full((2, len(parent)), -1, dtype=np.int32)
        count = _find_borders(elimination, first, near, scratch, family, border_from, border)
        room *= 2
    return border_from, border[:count]


@kernel
def _find_borders(elimination, first, near, scratch, family, border_from, border):
    """Fills border_from and border; how many, or -1 if there is too little room for them.

    scratch (2, n) and family (2, f) are -1.
    """
    order, pivot_from, parent = elimination
    place, seen = scratch[0], scratch[1]
    child, sibling = family[0], family[1]
    for n in range(len(order)):
        place[order[n]] = n
    for f in range(len(parent)):
        at, end = border_from[f], pivot_from[f + 1]
        if len(border) < at + len(order):
            return -1
        for n in range(pivot_from[f], end):
            for k in range(first[order[n]], first[order[n] + 1]):
                i = near[k]
                if place[i] >= end and seen[i] != f:
                    seen[i] = f
                    border[at] = i
                    at += 1
        c = child[f]
        while c >= 0:
            for n in range(border_from[c], border_from[c + 1]):
                i = border[n]
                if place[i] >= end and seen[i] != f:
                    seen[i] = f
                    border[at] = i
                    at += 1
            c = sibling[c]
        border_from[f + 1] = at
        p = parent[f]
        if p >= 0:
            sibling[f], child[p] = child[p], f
    return border_from[len(parent)]


def _join_small(pivots: list[int], border: list[int], parent: list[int]) -> list[int]:
    """Which front each one becomes part of: itself, or one of its ancestors.

    pivots, border: rows of each, children before parents.
    """
    joined = list(range(len(parent)))
    zeros = [0] * len(parent)
    for f, p in enumerate(parent):
        if p < 0:
            continue
        together = pivots[f] + pivots[p]
        added = zeros[f] + zeros[p] + pivots[f] * (pivots[p] + border[p] - border[f])
        if added <= ZEROS * together * (together + border[p]):
            joined[f], pivots[p], zeros[p] = p, together, added
    for f in reversed(range(len(parent))):
        joined[f] = joined[joined[f]]
    return joined


def _children_first(joined: Places, parent: Places, component: Places) -> Places:
    """Fronts that are left, component by component, children before parents.

    joined, parent (f,): which front each one is part of, and the parent of that.
    """
    children: list[list[int]] = [[] for _ in range(len(parent))]
    left = np.flatnonzero(joined == np.arange(len(joined)))
    for f in left.tolist():
        if parent[f] >= 0:
            children[parent[f]].append(f)
    roots = left[parent[left] < 0]
    waiting = roots[np.argsort(component[roots], kind="stable")].tolist()
    found = []
    while waiting:
        f = waiting.pop()
        found.append(f)
        waiting += children[f]
    return np.array(found[::-1], dtype=np.int64)


def _rows_of(places: Places, row_at: Places) -> Places:
    """Rows of variables at places in the order of elimination, one after another."""
    size = np.diff(row_at)[places]
    first = np.cumsum(size) - size
    return np.repeat(row_at[places] - first, size) + np.arange(int(size.sum()))


def _lay_out(tree: _EliminationTree, row_at: Places) -> tuple[Records, int]:
    """Fronts but for the coupling, and how large the stack of updates gets.

    An update is made above those of the front's children, which lie on top, and then moves down
    into their place.
    """
    front = np.zeros(len(tree.parent) + 1, FRONT)
    front["first_variable"] = tree.variable_from
    front["first_pivot"] = row_at[tree.variable_from]
    border_row = np.concatenate([[0], np.cumsum(np.diff(row_at)[tree.border])])
    front["border_at"] = border_row[tree.border_from]
    pivots, edges = np.diff(row_at[tree.variable_from]), np.diff(border_row[tree.border_from])
    front["value_at"][1:] = np.cumsum(pivots * (pivots + edges))
    first_child, next_child = np.full(len(front), -1), np.full(len(front), -1)
    made_at, update_at = np.zeros(len(front), np.int64), np.zeros(len(front), np.int64)
    top, most = 0, 0
    for f, p in enumerate(tree.parent.tolist()):
        made_at[f] = top
        most = max(most, top + int(edges[f]) ** 2)
        c = first_child[f]
        while c >= 0:
            top = min(top, int(update_at[c]))
            c = next_child[c]
        update_at[f] = top
        top += int(edges[f]) ** 2
        if p >= 0:
            next_child[f], first_child[p] = first_child[p], f
    front["made_at"], front["update_at"] = made_at, update_at
    front["first_child"], front["next_child"] = first_child, next_child
    return front, most
