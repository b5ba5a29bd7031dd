"""Contacts of what hangs on joints: passes go on until joints and contacts agree.

Joints are solved all at once, contacts one by one. A foot that hits the floor first stops itself
alone; the joints then push it on with the body above it, and so on: each pass takes away as much of
the blow as the foot weighs against the body. What one pass is not enough for therefore learns how
its limbs answer with all that hangs on them (`limb_response`), and goes on until contacts see what
joints make of it. Joints come last, so that they hold.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import lean_inline
from ..joints.joint_rows import CLOSING_TURN
from .limb_impulses import off_by

if TYPE_CHECKING:
    from ...arrays import Ints
    from ...model import Model

Joined = namedtuple(
    "Joined",
    [
        "holds",  # (o,) True for bodies that hang on joints
        "group",  # (o,) who goes on together: what hangs together, each other body, the rest
        "goes_on",  # (g,) 1 for groups that further passes solve
        "stirred",  # (g,) 1 for groups that contacts have pushed in the pass
        "hard",  # (g,) 1 for groups that are driven out of deep overlaps: see `passes_now`
    ],
)

OFF = 0.03 * CLOSING_TURN
"""Way in a substep, as a share of its size, by which joints may lead a limb elsewhere than the last
pass over contacts saw it go: it is about as far then from where they want it."""

MOST_PASSES = 15
"""Passes after which it has to do."""


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
        hard=np.zeros(count + 1, dtype=np.int32),
    )


@lean_inline
def let_all_go_on(joined):
    """Begin with a pass over everything."""
    for g in range(joined.goes_on.shape[0]):
        joined.goes_on[g] = 1


@lean_inline
def let_off_go_on(joined, limbs, owners, h):
    """After a pass: what joints led elsewhere than contacts saw goes on, and what else it pushed.

    Returns whether anything that hangs on joints goes on.
    """
    for g in range(joined.goes_on.shape[0]):
        joined.goes_on[g] = 0
    for c in range(limbs.state.shape[0]):
        limbs.off[c, 1] = limbs.off[c, 0]
        limbs.off[c, 0] = 0.0
    is_any = False
    for o in range(joined.group.shape[0]):
        g = joined.group[o]
        if limbs.touched[o] == 0 or joined.stirred[g] == 0 or not joined.holds[o]:
            continue
        off = off_by(limbs, owners, o)
        if joined.hard[g] == 1 or off > (OFF / h * limbs.size[o]) ** 2:
            joined.goes_on[g] = 1
            is_any = True
        c = limbs.component[o]
        if c >= 0:
            limbs.off[c, 0] = max(limbs.off[c, 0], off)
    for o in range(joined.group.shape[0]):
        g = joined.group[o]
        if not joined.holds[o] and joined.stirred[g] == 1:
            joined.goes_on[g] = 1
    return is_any


@lean_inline
def let_none_stir(joined):
    """Begin a pass over contacts."""
    for g in range(joined.stirred.shape[0]):
        joined.stirred[g] = 0
