"""Joints that pull so hard that a body would swing on them too fast for the step.

A pull F at the arm r turns a body back with K = F·r by angle, which Verlet follows up to ω h = 2. A
chain that is jerked taut by something heavy goes far beyond: links would be flung past straight,
farther each time. So where a first solution says h² K > 2 I, inertia is raised to ½ h² K, by which
the body swings at ω h = √2 at most, and the joints are solved again with it (geometric stiffness
as inertia: Andrews, Teichmann & Kövecses 2017). What moves so fast is jerky anyway; all else is
untouched.
"""

from __future__ import annotations

from ..jit import lean
from .joint_rows import (
    FIRST_ROW,
    IMPULSE,
    LIVE,
    OWNER,
    add_stiffness,
    push_row,
    turn_rows,
    wanted_inertia,
)

FARTHER = 1.1
"""Inertia that is raised already is raised again where it needs to be this much more."""


@lean
def _push_all(joints, owners, c, sign):
    """Give all impulses of a component to its owners, or take them back."""
    whole = joints.whole
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        if whole[j, LIVE] == 0:
            continue
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            impulse = sign * joints.bound[row, IMPULSE]
            push_row(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1], impulse)


@lean
def stiffen(joints, owners, c, h):
    """Raise inertias of a component's bodies where they need it; whether any did."""
    whole, stiff = joints.whole, joints.stiff
    first, last = joints.component[c, 0], joints.component[c + 1, 0]
    for n in range(first, last):
        j = joints.place[n, 0]
        stiff[whole[j, OWNER], 0] = 0.0
        stiff[whole[j, OWNER + 1], 0] = 0.0
    for n in range(first, last):
        if whole[joints.place[n, 0], LIVE] == 1:
            add_stiffness(joints, joints.place[n, 0], h)
    is_stiffer = False
    for n in range(first, last):
        j = joints.place[n, 0]
        for side in range(2):
            o = whole[j, OWNER + side]
            if wanted_inertia(joints, owners, o) > FARTHER * stiff[o, 1]:
                is_stiffer = True
    if not is_stiffer:
        return False
    _push_all(joints, owners, c, -1.0)
    for n in range(first, last):
        j = joints.place[n, 0]
        if whole[j, LIVE] == 0:
            continue
        for side in range(2):
            o = whole[j, OWNER + side]
            stiff[o, 1] = max(stiff[o, 1], wanted_inertia(joints, owners, o))
            turn_rows(joints, owners, j, side)
    _push_all(joints, owners, c, 1.0)
    return True
