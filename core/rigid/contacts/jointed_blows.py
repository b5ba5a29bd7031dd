"""Blows of a substep, and how joints answer those on what hangs on them.

A limb is struck with all that hangs on it (`articulated_inertia`), as if all joints held and those
limits that hold now; then joints make of it what they do. A limit that lets go would have a light
limb take the blow that a heavy one needs, which makes energy. So where joints lead a limb elsewhere
than its blows saw it go, all of them are taken back and those limbs are struck without any limits:
what holds besides can only take energy out (Thomson's theorem on impulses).
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import load, store
from ..articulation.articulated_inertia import learn_carefully, learn_for_blows
from ..joints.joint_solver import solve_joints
from .blows import begin_blows, strike_all, take_delayed_gaps, touch_limbs
from .limb_impulses import (
    begin_limbs,
    changed_by,
    end_lead,
    end_limbs,
    forget_answers,
    off_by,
)

MOST_ANSWERS = 3
"""Largest number of times that joints answer the blows of a substep, and these them."""

LED_ASTRAY_SPEED = 1e-6
"""Speed by which joints may lead a limb elsewhere than its blows saw it go, as a share of what
these changed."""


@lean_inline
def _copy(source, target):
    for o in range(source.velocity.shape[0]):
        store(target.velocity, o, load(source.velocity, o))
        store(target.spin, o, load(source.spin, o))


@lean_inline
def _note(contacts, joints, owners):
    """What there is before blows are tried."""
    _copy(owners, contacts.before)
    _copy(contacts.delayed, contacts.before.delayed)
    for c in range(contacts.count[0]):
        contacts.rebound[c]["delay_before"] = contacts.rebound[c]["delay"]
    for r in range(joints.row.shape[0]):
        joints.row[r]["impulse_before"] = joints.row[r]["impulse"]


@lean_inline
def _take_back(contacts, joints, owners):
    """As before the blows that were tried."""
    _copy(contacts.before, owners)
    _copy(contacts.before.delayed, contacts.delayed)
    for c in range(contacts.count[0]):
        contacts.rebound[c]["delay"] = contacts.rebound[c]["delay_before"]
    for r in range(joints.row.shape[0]):
        joints.row[r]["impulse"] = joints.row[r]["impulse_before"]


@lean_inline
def _strike(contacts, joints, owners, gravity, h):
    """Blows, and what joints make of them; whether there were any."""
    limbs, groups = contacts.limbs, contacts.groups
    begin_limbs(limbs, owners)
    is_any = strike_all(contacts, owners, gravity, h)
    if is_any:
        end_limbs(limbs, owners, groups.is_jointed)
        solve_joints(joints, owners, groups.active, h, True)
    return is_any


@lean_inline
def _doubt(limbs, joints, owners):
    """Learn carefully what joints led elsewhere than blows saw; whether there was any."""
    is_any = False
    for c in range(limbs.component.shape[0]):
        part = limbs.component[c]
        off, change = 0.0, 0.0
        for n in range(part["first"], part["first"] + part["count"]):
            off = max(off, off_by(limbs, owners, limbs.owner[n]))
            change = max(change, changed_by(limbs, limbs.owner[n]))
        if off > LED_ASTRAY_SPEED * LED_ASTRAY_SPEED * change:
            learn_carefully(limbs, joints, owners, c)
            is_any = True
    return is_any


@lean
def strike_bodies(contacts, joints, owners, gravity, h):
    """Blows of the substep, and what joints make of them."""
    begin_blows(contacts)
    if contacts.bouncy[0] == 0:
        return
    has_joints = joints.component.shape[0] > 1
    if has_joints:
        end_lead(contacts.limbs, owners)
    for _ in range(MOST_ANSWERS):
        if not (has_joints and touch_limbs(contacts, owners, gravity, h)):
            strike_all(contacts, owners, gravity, h)
            break
        _note(contacts, joints, owners)
        learn_for_blows(contacts.limbs, joints, owners)
        forget_answers(contacts, owners)
        if not _strike(contacts, joints, owners, gravity, h):
            break
        if _doubt(contacts.limbs, joints, owners):
            forget_answers(contacts, owners)
            _take_back(contacts, joints, owners)
            _strike(contacts, joints, owners, gravity, h)
    if contacts.struck[0] > 0:
        take_delayed_gaps(contacts, h)
