"""Contacts of what hangs on joints: passes go on until joints and contacts agree.

Joints are solved all at once, contacts one by one. A foot that hits the floor first stops itself
alone; the joints then push it on with the body above it, and so on: each pass takes away as much of
the blow as the foot weighs against the body, the same share ρ every time. So what the next passes
would do is known after three of them, and done at once: p += Δp ρ/(1 − ρ) (Aitken 1926). What is
left is for the passes that follow. Joints come last, so that they hold.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..jit import lean_inline
from .joint_rows import CLOSES, FIRST_ROW, FREEDOM, GROUP, HELD, LIVE, MET, MODE, lack_of_rows

if TYPE_CHECKING:
    from ..model import Ints, Model

Joined = namedtuple(
    "Joined",
    [
        "holds",  # (o,) True for bodies that hang on joints
        "group",  # (o,) who goes on together: what hangs together, each other body, the rest
        "goes_on",  # (g,) 1 for groups that further passes solve
        "stirred",  # (g,) 1 for groups that contacts have pushed in the pass
        "closes",  # (g,) 1 for groups whose joints are to be closed after the pass
        "hard",  # (g,) 1 for groups that are driven out of deep overlaps: see `passes_now`
    ],
)

LOOSE = 0.03
"""Way by which contacts may pull a joint apart in a substep's last pass over them, as a share of
the most that it closes in one (`CLOSING_TURN`): .0024 of the bodies' size. Joints are closed after
it, so it is about what touches that is then as far from where contacts wanted it."""

MOST_PASSES = 15
"""Passes after which it has to do."""

EVERY = 3
"""Passes from one look ahead to the next: the first ones of each still settle who shares what."""

CAREFUL = 0.9
"""Share of what is foreseen that is done: too much would throw bodies back."""

SLOWEST = 0.98
"""Largest share ρ that is believed."""


def joined_room(model: Model, body_group: Ints) -> Joined:
    """Room for what passes have to know of a model.

    body_group (b,): see `joint_graph`.
    """
    group = np.zeros(model.owner_count + 1, dtype=np.int32)
    first = int(body_group.max(initial=-1)) + 1
    own = first + np.arange(model.body_count, dtype=np.int32)
    group[: model.body_count] = np.where(body_group >= 0, body_group, own)
    count = first + model.body_count
    group[model.body_count :] = count  # nothing moves them
    return Joined(
        holds=np.zeros(len(group), dtype=np.bool_),
        group=group,
        goes_on=np.zeros(count + 1, dtype=np.int32),
        stirred=np.zeros(count + 1, dtype=np.int32),
        closes=np.zeros(count + 1, dtype=np.int32),
        hard=np.zeros(count + 1, dtype=np.int32),
    )


@lean_inline
def let_all_go_on(joined):
    """Begin with a pass over everything."""
    for g in range(joined.goes_on.shape[0]):
        joined.goes_on[g] = 1


@lean_inline
def let_touching_go_on(rows, count, joined):
    """Nothing but contacts undoes what one pass over joints has done: the others are through."""
    for g in range(joined.goes_on.shape[0]):
        joined.goes_on[g] = 0
        joined.stirred[g] = 0
    for c in range(count):
        for side in range(2):
            o = rows.owner[c, side]
            g = joined.group[o]
            joined.goes_on[g] = 1
            if joined.holds[o]:
                joined.stirred[g] = 1


@lean_inline
def let_same_close(joined):
    """Joints are closed of all that went on in the pass over contacts before."""
    for g in range(joined.goes_on.shape[0]):
        joined.closes[g] = joined.goes_on[g]


@lean_inline
def let_loose_go_on(joints, owners, joined, h, is_first, is_hard):
    """After a pass: what contacts pushed apart goes on, and so do bodies that it pushed since.

    is_first: so far everything did. is_hard: what is deep in others goes on as well. Returns
    whether anything that hangs on joints goes on.
    """
    component, goes_on = joints.component, joined.goes_on
    if is_first:
        for g in range(goes_on.shape[0]):
            goes_on[g] = 0
    is_any = False
    for c in range(component.shape[0] - 1):
        g = component[c, GROUP]
        if c == 0 or component[c - 1, GROUP] != g:
            goes_on[g] = 0
        if joined.stirred[g] == 0 or goes_on[g] == 1:
            continue
        if (is_hard and joined.hard[g] == 1) or _is_loose(joints, owners, c, h):
            goes_on[g] = 1
            is_any = True
    for o in range(joined.group.shape[0]):
        g = joined.group[o]
        if not joined.holds[o] and joined.stirred[g] == 1:
            goes_on[g] = 1
    for g in range(joined.goes_on.shape[0]):
        joined.stirred[g] = 0
    return is_any


@lean_inline
def _is_loose(joints, owners, c, h):
    """Whether contacts have pushed any two joined points apart by more than they may be."""
    whole, flag, met = joints.whole, joints.flag, joints.met
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        if whole[j, LIVE] == 0:
            continue
        lack_of_rows(joints, j, owners)
        most = LOOSE * joints.number[j, CLOSES] / h
        for k in range(whole[j, FIRST_ROW], whole[j, FIRST_ROW] + whole[j, MET]):
            if flag[met[k], MODE] != HELD or flag[met[k], FREEDOM] > 2:
                break
            if abs(joints.change[k]) > most:
                return True
    return False


@lean_inline
def change_of_pushes(rows, count, joined):
    """Sum of what the pass changed at all that hangs on joints, N·s."""
    total = 0.0
    for c in range(count):
        if joined.holds[rows.owner[c, 0]] or joined.holds[rows.owner[c, 1]]:
            total += abs(rows.impulse[c, 0] - rows.before[c])
    return total


@lean_inline
def look_ahead_of_passes(rows, count, owners, joined, share):
    """Push what passes to come would push, each ``share`` of the one before.

    Nothing where passes do not do less and less: there is no sum to foresee.
    """
    if not 0.0 < share < 1.0:
        return
    share = min(share, SLOWEST)
    f = CAREFUL * share / (1.0 - share)
    for c in range(count):
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        if not (joined.holds[a] or joined.holds[b]):
            continue
        push = rows.impulse[c, 0]
        change = max(f * (push - rows.before[c]), -push)
        if change == 0.0:
            continue
        rows.impulse[c, 0] = push + change
        fa, fb = change * owners.inverse_mass[a], change * owners.inverse_mass[b]
        for k in range(3):
            owners.velocity[a, k] += fa * rows.axis[c, 0, k]
            owners.velocity[b, k] -= fb * rows.axis[c, 0, k]
            owners.spin[a, k] += change * rows.turn[c, 0, 0, k]
            owners.spin[b, k] -= change * rows.turn[c, 0, 1, k]
