"""Sleep: what lies still among what lies still rests until something touches it.

A body that has been slow for `REST_TIME` falls asleep, with all that hangs on it by joints, once
all bodies that they touch are calm. It keeps its place to the last bit and costs nothing. A cube
that still slips on a heap keeps those awake that it touches, not the heap; an arm that swings keeps
its ragdoll awake, not those that lie on the legs. Who wakes: see `waking`.
"""

from __future__ import annotations

from ...islands import join, root_of
from ...kernels.jit import lean_inline
from ...rotation import conjugate, product, quaternion
from ...vec3 import ZERO, length, load, store, sub, vec
from ..contacts.contact_groups import is_either_jointed
from ..contacts.contact_table import NORMAL
from ..owners import AWAKE, CARRIED, velocity_of
from .carriers import carried_to, end_ride, find_carriers, lie_down, turn_load
from .sleepers import UNSTEADY
from .stillness import REST_TIME, are_free, is_other_load, still_speed

CALM = 0.5 * REST_TIME
"""Seconds of stillness of all that a body touches before it may sleep."""

WAITS = REST_TIME * (1.0 - 1e-6)
"""Seconds of rest of a body that has been still for long enough, beside one that has not."""

LED = -1.0
"""Seconds of rest of what its animation leads."""

DEEP_SLOPS = 3.0
"""Overlap, as a share of the slop, from which on what lies in something else is to be parted before
it sleeps. What hangs on joints is held by softer contacts and lies deeper."""

WEDGED_PACE = 0.25
"""Pace at which its seconds of stillness count: it may be wedged for ever."""

TREMBLE = 8.0
"""Times that speed at which it may tremble in its place and still be still: in a wedged heap a cube
or two may go on so for ever."""


@lean_inline
def _mark_deep(sleep, contacts):
    """Mark 1 for bodies that lie too deep in others to sleep yet, 0 for the others."""
    deep = sleep.mark
    count = deep.shape[0]
    for b in range(count):
        deep[b] = 0
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        a, b = row["owner"][0], row["owner"][1]
        if row["impulse"][NORMAL] == 0.0 or -row["gap"] <= DEEP_SLOPS * row["slop"]:
            continue
        if is_either_jointed(contacts.groups, row):
            continue
        if a < count:
            deep[a] = 1
        if b < count:
            deep[b] = 1


@lean_inline
def _is_still(sleep, owners, drive, b, last_load):
    """Whether a body has moved and been loaded as what is still, in this frame."""
    sleeper = sleep.sleeper[b]
    radius, c = sleeper["radius"], sleeper["carrier"]
    x, q = load(drive.start_position, b), quaternion(drive.start_orientation[b])
    velocity, spin = load(owners.velocity, b), load(owners.spin, b)
    if c >= 0:
        x, q = carried_to(drive, c, x, q)
        velocity = sub(velocity, velocity_of(owners, c, load(owners.position, b)))
        spin = sub(spin, load(owners.spin, c))
    way = length(sub(load(owners.position, b), x))
    _, turn_x, turn_y, turn_z = product(quaternion(owners.orientation[b]), conjugate(q))
    moved = (way + radius * (2.0 * length((turn_x, turn_y, turn_z)))) / drive.duration
    fastest = length(velocity) + radius * length(spin)
    still = still_speed(radius, sleep.root_gravity)
    is_same = sleeper["garment"] >= 0 or not is_other_load(vec(sleeper["load"]), last_load, still)
    return is_same and moved < still and fastest < TREMBLE * still


@lean_inline
def _count_stillness(sleep, owners, drive, state):
    """Seconds of stillness of each body by itself; what lies deep in others counts slower."""
    rest, deep = state.rest, sleep.mark
    for b in range(rest.shape[0]):
        if owners.asleep[b] != AWAKE:
            continue
        sleeper = sleep.sleeper[b]
        if sleeper["carrier"] >= 0:
            turn_load(drive, sleeper["carrier"], state.load, b)
        if owners.driven[b] == 1:
            rest[b] = LED
        elif sleeper["may_sleep"] == 0 or sleeper["carrier"] == UNSTEADY or rest[b] >= REST_TIME:
            rest[b] = 0.0
        elif _is_still(sleep, owners, drive, b, load(state.load, b)):
            rest[b] = max(rest[b], 0.0) + (1.0 if deep[b] == 0 else WEDGED_PACE) * drive.duration
        else:
            rest[b] = 0.0


@lean_inline
def _rest_together(sleep, owners, joints, rest):
    """What hangs together by joints sleeps together, and wakes."""
    island, waits = sleep.island, sleep.mark
    count = rest.shape[0]
    for b in range(count):
        island[b] = b
        waits[b] = 0
    for j in range(sleep.joint_holds.shape[0]):
        if not sleep.joint_holds[j]:
            continue
        a, b = joints.joint[j]["body"][0], joints.joint[j]["body"][1]
        if are_free(owners, count, a, b):
            join(island, a, b)
        else:
            _keep_awake(sleep, owners, rest, a, b)
    for b in range(count):
        if rest[b] < REST_TIME:
            waits[root_of(island, b)] = 1
    for b in range(count):
        if waits[root_of(island, b)] == 1:
            rest[b] = min(rest[b], WAITS)


@lean_inline
def _wait_for_calm(sleep, owners, contacts, rest):
    """What touches a body that is not calm waits, with all that hangs on it."""
    island, waits = sleep.island, sleep.mark
    count = rest.shape[0]
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        a, b = row["owner"][0], row["owner"][1]
        if row["impulse"][NORMAL] > 0.0 and are_free(owners, count, a, b):
            if rest[a] < CALM:
                waits[root_of(island, b)] = 1
            if rest[b] < CALM:
                waits[root_of(island, a)] = 1
    for b in range(count):
        if owners.asleep[b] == AWAKE and owners.driven[b] == 0:
            rest[b] = min(rest[b], WAITS if waits[root_of(island, b)] == 1 else REST_TIME)


@lean_inline
def find_rest(sleep, owners, joints, contacts, drive, state):
    """Count the seconds for which bodies have been still, `REST_TIME` for those that sleep.

    Writes `state.rest` (b,), and `state.load` (b, 3) of those that lie down. A body that touches
    something driven that moves is not still, nor is one that the inputs keep awake, or one that
    gravity and forces pull in another way than when it lay down. On what carries it along it is
    still when it is so beside that. One that is still to be parted from what it touches counts
    slower.
    """
    rest = state.rest
    find_carriers(sleep, owners, joints, contacts, drive, state.previous)
    _mark_deep(sleep, contacts)
    _count_stillness(sleep, owners, drive, state)
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if row["impulse"][NORMAL] > 0.0:
            _keep_awake(sleep, owners, rest, row["owner"][0], row["owner"][1])
    _rest_together(sleep, owners, joints, rest)
    for b in range(rest.shape[0]):
        sleeper = sleep.sleeper[b]
        if owners.asleep[b] == AWAKE and (rest[b] <= 0.0 or sleeper["garment"] >= 0):
            store(state.load, b, vec(sleeper["load"]))
    _wait_for_calm(sleep, owners, contacts, rest)
    for b in range(rest.shape[0]):
        if owners.asleep[b] == CARRIED:
            end_ride(owners, drive, b)
        elif owners.asleep[b] == AWAKE and rest[b] >= REST_TIME:
            lie_down(sleep, owners, b)


@lean_inline
def _keep_awake(sleep, owners, rest, a, b):
    """Two that touch: one that is driven and moves keeps the other awake, unless it carries it."""
    if a < 0 or b < 0 or are_free(owners, rest.shape[0], a, b):
        return
    for side in range(2):
        mine = a if side == 0 else b
        other = b if side == 0 else a
        if mine >= rest.shape[0] or owners.driven[other] == 0:
            continue
        if sleep.sleeper[mine]["carrier"] >= 0:
            continue
        if load(owners.velocity, other) != ZERO or load(owners.spin, other) != ZERO:
            rest[mine] = 0.0
