"""Joints that pull so hard that a body would swing on them too fast for the step.

Pulls F at arms r that stretch a body turn it back with K = Σ F·r by angle, which Verlet follows up
to ω h = 2. A chain that is jerked taut by something heavy goes far beyond: links would be flung
past straight, farther each time. So where h² K > s² I, inertia is raised to h² K / s², by which the
body swings at ω h = s at most (geometric stiffness as inertia: Andrews, Teichmann & Kövecses 2017).
Each of the body's own axes e has its I and its K = Σ F·r − (F·e)(r·e): a link turns hard about all
axes that its pulls swing it about, but a plank of a bridge, wide across it, about that one easiest
of all.

As in an implicit step, (I + extra) ω' = I ω + impulses: what moves so fast is slowed down, and all
impulses of the step, those of contacts too, meet the same inertia, so that none adds energy.

Most swing by `FREE_SWING` at most, which hardly anything does. What hangs between two places that
stay where they are, as a bridge, may be stretched by far more than it weighs. Where something lies
on it, contacts and joints have to agree on every angle, and planks would beat against their load
for ever: `TAUT_SWING`. What pulls all of a body one way, as the joint of a pendulum does, stretches
it by nothing: of each F the mean is taken off there. What only swings keeps its energy, and under a
load only that is slowed down which differs from how a body has turned in the last substeps.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import ZERO, along, column, dot, load, scale, store, sub, vec
from ..owners import AWAKE, slow_swing, write_inverse_inertia
from .joint_matrix import forget_matrices
from .joint_rows import push_rows, row_count, turn_row

FREE_SWING = 2.0**0.5
"""Rad of its swing, ω h, that a body goes in a substep at most."""

TAUT_SWING = 0.12
"""The same where it hangs on more than one place that stays where it is, and contacts press it."""

SPIN_CHANGE = 0.3
"""Share of the latest spin in the mean of those of the last substeps."""

FARTHER = 1.1
"""Inertia that is raised already is raised at once where it needs to be this much more."""


@lean_inline
def note_spins(owners, count):
    """Note how those of ``count`` bodies turn that have moved in this substep."""
    for b in range(count):
        if owners.driven[b] == 0 and owners.asleep[b] == AWAKE:
            mean = load(owners.mean_spin, b)
            change = sub(load(owners.spin, b), mean)
            store(owners.mean_spin, b, along(mean, SPIN_CHANGE, change))


@lean
def recall_pressed(joints, remembered, shape_owner):
    """Note which owners contacts press, by the `REMEMBERED_CONTACT` (c,) of a state."""
    clear_pressed(joints)
    for c in range(remembered.shape[0]):
        if remembered[c]["normal_impulse"] > 0.0:
            for side in range(2):
                o = shape_owner[remembered[c]["shape"][side]]
                joints.pull[o]["is_pressed"] = 1


@lean_inline
def clear_pressed(joints):
    """Contacts press nobody."""
    for o in range(joints.pull.shape[0]):
        joints.pull[o]["is_pressed"] = 0


@lean_inline
def _is_pressed(joints, owners, first, last):
    """Whether contacts press any of the bodies that joints first … last − 1 hold."""
    for n in range(first, last):
        for side in range(2):
            o = joints.joint[joints.order[n]["joint"]]["body"][side]
            if owners.inverse_mass[o] > 0.0 and joints.pull[o]["is_pressed"] == 1:
                return True
    return False


@lean
def find_extra(joints, owners, h):
    """Inertia that all joined bodies want for their impulses and arms, in `joints.pull`."""
    order, component = joints.order, joints.component
    for c in range(component.shape[0] - 1):
        first, last = component[c]["first_joint"], component[c + 1]["first_joint"]
        _clear_pulls(joints, first, last)
        anchors = 0
        for n in range(first, last):
            anchors += _note_pulls(joints, owners, order[n]["joint"])
        is_beaten = anchors > 1 and _is_pressed(joints, owners, first, last)
        swing = TAUT_SWING if is_beaten else FREE_SWING
        for n in range(first, last):
            for side in range(2):
                o = joints.joint[order[n]["joint"]]["body"][side]
                _write_extra(joints.pull[o], h / swing**2, is_beaten)
                if not is_beaten:
                    store(owners.mean_spin, o, ZERO)


@lean_inline
def _clear_pulls(joints, first, last):
    for n in range(first, last):
        for side in range(2):
            pull = joints.pull[joints.joint[joints.order[n]["joint"]]["body"][side]]
            pull["count"] = 0.0
            for k in range(3):
                pull["impulse"][k] = pull["arm"][k] = pull["product"][k] = 0.0


@lean_inline
def _note_pulls(joints, owners, j):
    """Note what a joint does to its two bodies; 1 where either of them is not to be moved."""
    joint, arm = joints.joint[j], joints.place[j]["arm"]
    if joint["is_live"] == 0:
        return 0
    push = ZERO
    for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
        push = along(push, joints.row[r]["impulse"], vec(joints.axis[r]["line"]))
    a, b = joint["body"][0], joint["body"][1]
    _note_pull(joints.pull[a], owners.rotation[a], scale(-1.0, push), load(arm, 0))
    _note_pull(joints.pull[b], owners.rotation[b], push, load(arm, 1))
    return 1 if owners.inverse_mass[a] == 0.0 or owners.inverse_mass[b] == 0.0 else 0


@lean_inline
def _note_pull(pull, rotation, impulse, arm):
    """Note an impulse at an arm, along the body's own axes."""
    pull["count"] += 1.0
    for k in range(3):
        axis = column(rotation, k)
        p, r = dot(impulse, axis), dot(arm, axis)
        pull["impulse"][k] += p
        pull["arm"][k] += r
        pull["product"][k] += p * r


@lean_inline
def _write_extra(pull, factor, without_mean):
    """Inertia about each axis of a body that its pulls ask for, times a factor, s.

    without_mean: what all of them pull one way is taken off.
    """
    share = 1.0 / max(pull["count"], 1.0) if without_mean else 0.0
    product, impulse, arm = pull["product"], pull["impulse"], pull["arm"]
    x = product[0] - share * impulse[0] * arm[0]
    y = product[1] - share * impulse[1] * arm[1]
    z = product[2] - share * impulse[2] * arm[2]
    pull["extra"][0] = max(factor * (y + z), 0.0)
    pull["extra"][1] = max(factor * (z + x), 0.0)
    pull["extra"][2] = max(factor * (x + y), 0.0)


@lean_inline
def _wanted(joints, owners, o):
    """Inertia that the axis with the most too little of it wants."""
    if owners.inverse_mass[o] == 0.0:
        return 0.0
    most = 0.0
    for k in range(3):
        most = max(most, joints.pull[o]["extra"][k] - owners.inertia[o, k])
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
    before = owners.extra_inertia[o]
    owners.extra_inertia[o] = extra
    slow_swing(owners, o, before)
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
