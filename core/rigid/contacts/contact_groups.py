"""Who is solved together: bodies that hang together by joints, each other body, and all the rest.

Joints and contacts of a group take turns until they agree; groups that are settled rest while
others go on (`jointed_contacts`).
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import lean_inline

if TYPE_CHECKING:
    from ...arrays import Ints
    from ...model import Model

HEAP = np.dtype(
    [
        ("seen_from", np.float64, (3,)),  # m/s, of what it lies on
        ("weight", np.float64),  # of what that is the mean of
        ("is_held", np.int32),  # 1: it touches what does not give way
        ("before", np.float64),  # J, twice the energy before a warm start
        ("work", np.float64),  # J, impulses times speeds before
        ("gain", np.float64),  # J, impulses times the speeds that they make
        ("calm", np.float64),  # J, of all that may be gained at rest
        ("share", np.float64),  # of the warm start that is taken, 1 for all
    ],
    align=True,
)
"""What a warm start does to a heap: see `tempered_memory`."""

Groups = namedtuple(
    "Groups",
    [
        "is_jointed",  # (o,) True for bodies that hang on joints
        "group",  # (o,)
        "active",  # (g,) 1 for groups that further iterations solve
        "touched",  # (g,) 1 for groups that contacts have pushed in this iteration
        "hard",  # (g,) 1 for groups that are driven out of deep overlaps
        "first_of",  # (g,) a body of each, −1 for none
        "heap",  # (o,) first owner of all that touches or hangs together: `tempered_memory`
        "sums",  # (o,) HEAP, what is known of a heap, in the row of that owner
    ],
)


def group_room(model: Model, body_group: Ints) -> Groups:
    """Groups of a model.

    body_group (b,): see `joint_graph`.
    """
    group = np.zeros(model.owner_count + 1, dtype=np.int32)
    first = int(body_group.max(initial=-1)) + 1
    own = first + np.arange(len(model.bodies), dtype=np.int32)
    group[: len(model.bodies)] = np.where(body_group >= 0, body_group, own)
    count = first + len(model.bodies)
    group[len(model.bodies) :] = count  # nothing moves them
    return Groups(
        is_jointed=np.zeros(len(group), dtype=np.bool_),
        group=group,
        active=np.zeros(count + 1, dtype=np.int32),
        touched=np.zeros(count + 1, dtype=np.int32),
        hard=np.zeros(count + 1, dtype=np.int32),
        first_of=np.zeros(count + 1, dtype=np.int32),
        heap=np.zeros(len(group), dtype=np.int32),
        sums=np.zeros(len(group), HEAP),
    )


@lean_inline
def activate_all(groups):
    """Begin with an iteration over everything."""
    for g in range(groups.active.shape[0]):
        groups.active[g] = 1


@lean_inline
def clear_touched(groups):
    """Begin an iteration over contacts."""
    for g in range(groups.touched.shape[0]):
        groups.touched[g] = 0


@lean_inline
def clear_hard(groups):
    """Nothing is driven out of deep overlaps."""
    for g in range(groups.hard.shape[0]):
        groups.hard[g] = 0


@lean_inline
def is_either_jointed(groups, row):
    """Whether one of the two sides of a contact hangs on joints."""
    return groups.is_jointed[row["owner"][0]] or groups.is_jointed[row["owner"][1]]


@lean_inline
def is_either_touched(groups, row):
    """Whether contacts have pushed the group of one of the two sides in this iteration."""
    a, b = groups.group[row["owner"][0]], groups.group[row["owner"][1]]
    return groups.touched[a] == 1 or groups.touched[b] == 1
