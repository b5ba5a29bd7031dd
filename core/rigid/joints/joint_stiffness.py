"""Joints that pull so hard that a body would swing on them too fast for the step.

A pull F at the arm r turns a body back with K = F·r by angle, which Verlet follows up to ω h = 2. A
chain that is jerked taut by something heavy goes far beyond: links would be flung past straight,
farther each time. So where h² K > 2 I, inertia is raised to ½ h² K, by which the body swings at
ω h = √2 at most (geometric stiffness as inertia: Andrews, Teichmann & Kövecses 2017). As in an
implicit step, (I + extra) ω' = I ω + impulses: what moves so fast is slowed down, and all impulses
of the step, those of contacts too, meet the same inertia, so that none of them adds energy. What
moves so fast is jerky anyway; all else is untouched.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ..owners import write_inverse_inertia
from .joint_matrix import forget_matrices
from .joint_rows import ARM, FIRST_ROW, IMPULSE, LINE, LIVE, OWNER, push_rows, row_count, turn_row

FARTHER = 1.1
"""Inertia that is raised already is raised at once where it needs to be this much more."""


@lean
def find_extra(joints, owners, h):
    """Inertia that all joined owners want for their pulls and arms, in `joints.extra`."""
    whole, hold, extra = joints.whole, joints.hold, joints.extra
    count = whole.shape[0] - 1
    for j in range(count):
        extra[whole[j, OWNER]] = 0.0
        extra[whole[j, OWNER + 1]] = 0.0
    for j in range(count):
        if whole[j, LIVE] == 0:
            continue
        fx, fy, fz = 0.0, 0.0, 0.0
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            impulse = joints.bound[row, IMPULSE]
            fx += impulse * joints.axis[row, LINE]
            fy += impulse * joints.axis[row, LINE + 1]
            fz += impulse * joints.axis[row, LINE + 2]
        for side in range(2):
            r = ARM + 3 * side
            along = fx * hold[j, r] + fy * hold[j, r + 1] + fz * hold[j, r + 2]
            if side == 0:
                along = -along
            extra[whole[j, OWNER + side]] += 0.5 * h * max(along, 0.0)


@lean_inline
def _wanted(joints, owners, o):
    if owners.inverse_mass[o] == 0.0:
        return 0.0
    a, b, c = owners.inertia[o, 0], owners.inertia[o, 1], owners.inertia[o, 2]
    # the mean about the two axes that it turns about less easily
    middle = 0.5 * (a + b + c - min(min(a, b), c))
    return max(joints.extra[o] - middle, 0.0)


@lean
def keep_stiffness(joints, owners, h):
    """Extra inertia of the coming substep, before bodies move: their spin then follows from it.

    Returns whether there is any.
    """
    find_extra(joints, owners, h)
    whole = joints.whole
    is_any = False
    for j in range(whole.shape[0] - 1):
        for side in range(2):
            o = whole[j, OWNER + side]
            wanted = _wanted(joints, owners, o)
            owners.extra_inertia[o] = wanted
            is_any = is_any or wanted > 0.0
    return is_any


@lean
def stiffen(joints, owners, h):
    """Raise inertias where the joints' first solution wants it in this very substep.

    Returns whether any was raised; then the joints are to be solved again.
    """
    find_extra(joints, owners, h)
    whole = joints.whole
    count = whole.shape[0] - 1
    is_stiffer = False
    for j in range(count):
        for side in range(2):
            o = whole[j, OWNER + side]
            if _wanted(joints, owners, o) > FARTHER * owners.extra_inertia[o]:
                is_stiffer = True
    if not is_stiffer:
        return False
    _push_all(joints, owners, -1.0)
    for j in range(count):
        for side in range(2):
            o = whole[j, OWNER + side]
            wanted = _wanted(joints, owners, o)
            if wanted > owners.extra_inertia[o]:
                _raise(owners, o, wanted)
    for j in range(count):
        if whole[j, LIVE] == 1:
            for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
                turn_row(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1])
    _push_all(joints, owners, 1.0)
    forget_matrices(joints)
    return True


@lean
def _raise(owners, o, extra):
    """Add to an owner's inertia, which slows it down."""
    r = owners.rotation[o]
    x, y, z = owners.spin[o, 0], owners.spin[o, 1], owners.spin[o, 2]
    before = owners.extra_inertia[o]
    owners.extra_inertia[o] = extra
    for n in range(3):
        owners.spin[o, n] = 0.0
    for k in range(3):
        along = r[0, k] * x + r[1, k] * y + r[2, k] * z
        along *= (owners.inertia[o, k] + before) / (owners.inertia[o, k] + extra)
        for n in range(3):
            owners.spin[o, n] += r[n, k] * along
    write_inverse_inertia(owners, o)


@lean
def _push_all(joints, owners, sign):
    """Give all impulses of joints to their owners, or take them back."""
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0:
            continue
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            joints.change[row] = sign * joints.bound[row, IMPULSE]
        push_rows(joints, j, owners, joints.each, row_count(joints, j))
