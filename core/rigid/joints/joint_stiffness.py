"""Joints that pull so hard that a body would swing on them too fast for the step.

A pull F at the arm r turns a body back with K = F·r by angle, which Verlet follows up to ω h = 2. A
chain that is jerked taut by something heavy goes far beyond: links would be flung past straight,
farther each time. So where h² K > 2 I, inertia is raised to ½ h² K, by which the body swings at
ω h = √2 at most (geometric stiffness as inertia: Andrews, Teichmann & Kövecses 2017). Each of the
body's own axes e has its I and its K = F·r − (F·e)(r·e): a link turns hard about all axes that its
pull swings it about, but a plank of a bridge, wide across it, about that one easiest of all. As in
an implicit step, (I + extra) ω' = I ω + impulses: what moves so fast is slowed down, and all
impulses of the step, those of contacts too, meet the same inertia, so that none adds energy.
What moves so fast is jerky anyway; all else is untouched.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import ZERO, along, column, dot, load, store, vec
from ..owners import write_inverse_inertia
from .joint_matrix import forget_matrices
from .joint_rows import push_rows, row_count, turn_row

FARTHER = 1.1
"""Inertia that is raised already is raised at once where it needs to be this much more."""


@lean
def find_extra(joints, owners, h):
    """Inertia that all joined bodies want for their impulses and arms, in `joints.extra`."""
    extra = joints.extra
    for j in range(joints.place.shape[0]):
        for side in range(2):
            store(extra, joints.joint[j]["body"][side], ZERO)
    for j in range(joints.place.shape[0]):
        joint, arm = joints.joint[j], joints.place[j]["arm"]
        if joint["is_live"] == 0:
            continue
        push = ZERO
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            push = along(push, joints.row[r]["impulse"], vec(joints.axis[r]["line"]))
        _add_stiffness(extra, owners, joint["body"][0], -0.5 * h, push, load(arm, 0))
        _add_stiffness(extra, owners, joint["body"][1], 0.5 * h, push, load(arm, 1))


@lean_inline
def _add_stiffness(extra, owners, o, factor, push, arm):
    """Add what a push at an arm turns a body back with about its own axes, times a factor."""
    if owners.inverse_mass[o] == 0.0:
        return
    whole = dot(push, arm)
    for k in range(3):
        axis = column(owners.rotation[o], k)
        extra[o, k] += max(factor * (whole - dot(push, axis) * dot(arm, axis)), 0.0)


@lean_inline
def _wanted(joints, owners, o):
    """Inertia that the axis with the most too little of it wants."""
    if owners.inverse_mass[o] == 0.0:
        return 0.0
    most = 0.0
    for k in range(3):
        most = max(most, joints.extra[o, k] - owners.inertia[o, k])
    return most


@lean
def keep_stiffness(joints, owners, h):
    """Extra inertia of the coming substep, before bodies move: their spin then follows from it.

    Returns whether there is any.
    """
    find_extra(joints, owners, h)
    is_any = False
    for j in range(joints.place.shape[0]):
        for side in range(2):
            o = joints.joint[j]["body"][side]
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
    count = joints.place.shape[0]
    is_stiffer = False
    for j in range(count):
        for side in range(2):
            o = joints.joint[j]["body"][side]
            if _wanted(joints, owners, o) > FARTHER * owners.extra_inertia[o]:
                is_stiffer = True
    if not is_stiffer:
        return False
    _push_all(joints, owners, -1.0)
    for j in range(count):
        for side in range(2):
            o = joints.joint[j]["body"][side]
            wanted = _wanted(joints, owners, o)
            if wanted > owners.extra_inertia[o]:
                _raise(owners, o, wanted)
    for j in range(count):
        joint = joints.joint[j]
        if joint["is_live"] == 1:
            for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
                turn_row(joints, r, owners, joint["body"][0], joint["body"][1])
    _push_all(joints, owners, 1.0)
    forget_matrices(joints)
    return True


@lean
def _raise(owners, o, extra):
    """Add to a body's inertia, which slows it down."""
    r = owners.rotation[o]
    spin = load(owners.spin, o)
    before = owners.extra_inertia[o]
    owners.extra_inertia[o] = extra
    slowed = ZERO
    for k in range(3):
        axis = column(r, k)
        along_axis = dot(axis, spin)
        along_axis *= (owners.inertia[o, k] + before) / (owners.inertia[o, k] + extra)
        slowed = along(slowed, along_axis, axis)
    store(owners.spin, o, slowed)
    write_inverse_inertia(owners, o)


@lean
def _push_all(joints, owners, sign):
    """Give all impulses of joints to their bodies, or take them back."""
    for j in range(joints.place.shape[0]):
        joint = joints.joint[j]
        if joint["is_live"] == 0:
            continue
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            joints.change[r] = sign * joints.row[r]["impulse"]
        push_rows(joints, j, owners, joints.each, row_count(joints, j))
