"""Joints that pull so hard that a body would swing on them too fast for the step.

Pulls F at arms r that stretch a body turn it back with K = Σ F·r by angle, which Verlet follows up
to ω h = 2. A chain that is jerked taut by something heavy goes far beyond: links would be flung
past straight, farther each time. So where h² K > s² I, inertia is raised to h² K / s², by which the
body swings at ω h = s at most (geometric stiffness as inertia: Andrews, Teichmann & Kövecses 2017).
Each of the body's own axes e has its I and its K = Σ F·r − (F·e)(r·e): a link turns hard about all
axes that its pulls swing it about, but a plank of a bridge, wide across it, about that one easiest
of all.

Most swing by `FREE_SWING` at most, which hardly anything does. As in an implicit step,
(I + extra) ω' = I ω + impulses: what moves so fast is slowed down, and all impulses of the step,
those of contacts too, meet the same inertia, so that none adds energy.

A bridge, which hangs on more than one place that stays where it is, may be stretched by far more
than it weighs. Where something lies on it, contacts and joints have to agree on every angle, and
planks would beat against their load for ever: those swing by `TAUT_SWING` (`loaded_bridges`). That
much inertia has to be no larger than the pull asks for, which is known at the end of a substep.
Before that, impulses also close joints that are apart: what they raised would ask for greater ones
to close them, and a bridge that was struck would take seconds to come back. And it may not slow
down in every substep, or nothing would sink in: what is raised keeps its momentum, what is lowered
its spin.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import ZERO, along, column, dot, load, scale, set_vec, store, vec
from ..owners import slow_spin, write_inverse_inertia
from .joint_matrix import forget_matrices
from .joint_rows import push_rows, row_count, turn_row
from .loaded_bridges import has_taut

FREE_SWING = 2.0**0.5
"""Rad of its swing, ω h, that a body goes in a substep at most."""

TAUT_SWING = 0.12
"""The same of a bridge that something lies on."""

FARTHER = 1.1
"""Inertia that is raised already is another one where it needs to be this much more or less."""


@lean
def _find_pulls(joints, owners):
    """How all joints stretch their bodies, in `joints.pull`."""
    for j in range(joints.place.shape[0]):
        for side in range(2):
            set_vec(joints.pull[joints.joint[j]["body"][side]]["stretch"], ZERO)
    for j in range(joints.place.shape[0]):
        joint, arm = joints.joint[j], joints.place[j]["arm"]
        if joint["is_live"] == 0:
            continue
        push = ZERO
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            push = along(push, joints.row[r]["impulse"], vec(joints.axis[r]["line"]))
        _stretch(joints, owners, joint["body"][0], scale(-1.0, push), load(arm, 0))
        _stretch(joints, owners, joint["body"][1], push, load(arm, 1))


@lean_inline
def _stretch(joints, owners, o, impulse, arm):
    """Add an impulse at an arm, along the body's own axes."""
    if owners.inverse_mass[o] == 0.0:
        return
    stretch = joints.pull[o]["stretch"]
    for k in range(3):
        axis = column(owners.rotation[o], k)
        stretch[k] += dot(impulse, axis) * dot(arm, axis)


@lean_inline
def _wanted(joints, owners, o, h):
    """Inertia that the axis with the most too little of it wants, kg·m²."""
    pull, inertia = joints.pull[o], owners.inertia[o]
    swing = TAUT_SWING if pull["is_taut"] == 1 else FREE_SWING
    x, y, z = scale(h / swing**2, vec(pull["stretch"]))
    most = max(y + z - inertia[0], z + x - inertia[1])
    return max(max(most, x + y - inertia[2]), 0.0)


@lean
def keep_stiffness(joints, owners, h):
    """Extra inertia of the coming substep of all but taut bridges, before bodies move.

    Returns whether there is any, of bridges too.
    """
    _find_pulls(joints, owners)
    is_any = False
    for o in range(owners.inverse_mass.shape[0]):
        if joints.pull[o]["is_taut"] == 0:
            owners.extra_inertia[o] = _wanted(joints, owners, o, h)
        is_any = is_any or owners.extra_inertia[o] > 0.0
    return is_any


@lean
def slow_stiff(joints, owners):
    """Slow down what has extra inertia and has moved, but for taut bridges."""
    for o in range(owners.inverse_mass.shape[0]):
        if owners.extra_inertia[o] > 0.0 and joints.pull[o]["is_taut"] == 0:
            slow_spin(owners, o)


@lean
def recall_stiffness(joints, owners, h):
    """Extra inertia that a frame begins with, by what joints pulled with when the last one ended.

    Returns whether there is any.
    """
    _find_pulls(joints, owners)
    is_any = False
    for o in range(owners.inverse_mass.shape[0]):
        owners.extra_inertia[o] = _wanted(joints, owners, o, h)
        is_any = is_any or owners.extra_inertia[o] > 0.0
    return is_any


@lean
def keep_taut(joints, owners, h):
    """Extra inertia of taut bridges in the coming substep, by what joints have pulled with in this.

    Returns whether any is another one now; then what contacts turn is to be found anew.
    """
    if not has_taut(joints):
        return False
    _find_pulls(joints, owners)
    is_new = False
    for o in range(owners.inverse_mass.shape[0]):
        if joints.pull[o]["is_taut"] == 0:
            continue
        wanted, extra = _wanted(joints, owners, o, h), owners.extra_inertia[o]
        if wanted > FARTHER * extra or extra > FARTHER * wanted:
            is_new = True
            _set_extra(owners, o, wanted)
    if is_new:
        _turn_rows(joints, owners)
    return is_new


@lean
def stiffen(joints, owners, h):
    """Raise inertias where the joints' first solution wants it in this very substep.

    Returns whether any was raised; then the joints are to be solved again.
    """
    _find_pulls(joints, owners)
    count = joints.place.shape[0]
    is_stiffer = False
    for j in range(count):
        for side in range(2):
            o = joints.joint[j]["body"][side]
            if _wanted(joints, owners, o, h) > FARTHER * owners.extra_inertia[o]:
                is_stiffer = True
    if not is_stiffer:
        return False
    _push_all(joints, owners, -1.0)
    for j in range(count):
        for side in range(2):
            o = joints.joint[j]["body"][side]
            wanted = _wanted(joints, owners, o, h)
            if wanted > owners.extra_inertia[o]:
                _set_extra(owners, o, wanted)
    _turn_rows(joints, owners)
    _push_all(joints, owners, 1.0)
    return True


@lean
def _set_extra(owners, o, extra):
    """Give a body another extra inertia, kg·m²; a greater one slows it down."""
    before = owners.extra_inertia[o]
    owners.extra_inertia[o] = extra
    if extra > before:
        spin, slowed = load(owners.spin, o), ZERO
        for k in range(3):
            axis = column(owners.rotation[o], k)
            along_axis = dot(axis, spin)
            along_axis *= (owners.inertia[o, k] + before) / (owners.inertia[o, k] + extra)
            slowed = along(slowed, along_axis, axis)
        store(owners.spin, o, slowed)
    write_inverse_inertia(owners, o)


@lean
def _turn_rows(joints, owners):
    """What joints turn with inertias that are others now."""
    for j in range(joints.place.shape[0]):
        joint = joints.joint[j]
        if joint["is_live"] == 1:
            for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
                turn_row(joints, r, owners, joint["body"][0], joint["body"][1])
    forget_matrices(joints)


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
