"""Sleep: what lies still among what lies still rests until something touches it.

A body that has been slow for `REST_TIME` falls asleep, with all that hangs on it by joints, once
all bodies that they touch are calm. It keeps its place to the last bit and costs nothing. A cube
that still slips on a heap keeps those awake that it touches, not the heap; an arm that swings keeps
its ragdoll awake, not those that lie on the legs. Who wakes: see `waking`.
"""

from __future__ import annotations

import math

from ...kernels.jit import inline, lean_inline
from ...rotation import product
from ..contacts.contact_groups import is_either_jointed
from ..contacts.contact_table import NORMAL
from ..islands import join, root_of
from ..joints.joint_rows import OWNER

REST_TIME = 0.5
"""Seconds of stillness after which a body may sleep."""

CALM = 0.5 * REST_TIME
"""Seconds of stillness of all that a body touches before it may sleep."""

WAITS = REST_TIME * (1.0 - 1e-6)
"""Seconds of rest of a body that has been still for long enough, beside one that has not."""

HELD = -1.0
"""Seconds of rest of what its animation leads."""

STILL = 0.02
"""A body is still when its fastest point moves, from one end of a frame to the other, by less than
this times √(gravity × its size) in a second."""

CHANGE = 2.0
"""Loads are others when they make a body this much faster than still in `REST_TIME`."""

DEEP = 3.0
"""Overlap, as a share of the slop, from which on what lies in something else is to be parted before
it sleeps. What hangs on joints is held by softer contacts and lies deeper."""

PATIENCE = 0.25
"""Pace at which its seconds of stillness count: it may be wedged for ever."""

TREMBLE = 8.0
"""Times that speed at which it may tremble in its place and still be still: in a wedged heap a cube
or two may go on so for ever."""


@inline
def still_speed(radius, pull):
    """Speed in m/s below which a body of that radius (m) is still; pull: √g."""
    return STILL * pull * math.sqrt(radius)


@inline
def is_other_load(load, last_load, b, still):
    """Whether the load of body b has changed by what makes it faster than still (m/s) soon."""
    change = 0.0
    for k in range(3):
        change += (load[b, k] - last_load[b, k]) ** 2
    return math.sqrt(change) * REST_TIME > CHANGE * still


@inline
def are_free(owners, body_count, a, b):
    """Whether both are bodies that nothing drives, awake or asleep."""
    if a < 0 or b < 0 or a >= body_count or b >= body_count:
        return False
    return owners.driven[a] == 0 and owners.driven[b] == 0


@inline
def _mark_deep(contacts, body_count, deep):
    """Write 1 for bodies that lie too deep in others to sleep yet, 0 for the others."""
    for b in range(body_count):
        deep[b] = 0
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        a, b = row["owner"][0], row["owner"][1]
        if row["impulse"][NORMAL] == 0.0 or -row["gap"] <= DEEP * row["slop"]:
            continue
        if is_either_jointed(contacts.groups, row):
            continue
        if a < body_count:
            deep[a] = 1
        if b < body_count:
            deep[b] = 1


@lean_inline
def find_rest(
    owners,
    body_count,
    drive,
    contacts,
    joints,
    holds,
    sleeps,
    load,
    last_load,
    wearer,
    radius,
    pull,
    duration,
    rest,
    parent,
    waits,
):
    """Count the seconds (b,) for which bodies have been still, `REST_TIME` for those that sleep.

    drive: where they were at the start of the frame; holds (j,) True for joints that hold; load
    (b, 3) m/s² on all bodies, and last_load, under which they lay down, written here; wearer (b,)
    −1 for those that wear nothing; radius (b,) m; pull: √g; parent and waits (b,) are scratch. A
    body that touches something driven that moves is not still, nor is one that the inputs keep
    awake, or one that gravity and forces pull in another way than when it lay down. One that is
    still to be parted from what it touches counts slower.
    """
    _mark_deep(contacts, body_count, waits)
    for b in range(body_count):
        parent[b] = b
        pace = 1.0 if waits[b] == 0 else PATIENCE
        waits[b] = 0
        if owners.asleep[b] == 1:
            continue
        if owners.driven[b] == 1:
            rest[b] = HELD
            continue
        if sleeps[b] == 0 or rest[b] >= REST_TIME:
            rest[b] = 0.0
            continue
        speed = 0.0
        spin = 0.0
        way = 0.0
        for k in range(3):
            speed += owners.velocity[b, k] ** 2
            spin += owners.spin[b, k] ** 2
            way += (owners.position[b, k] - drive.start_position[b, k]) ** 2
        p, q = drive.start_orientation[b], owners.orientation[b]
        _, x, y, z = product(q[0], q[1], q[2], q[3], p[0], -p[1], -p[2], -p[3])
        turn = 2.0 * math.sqrt(x * x + y * y + z * z)
        moved = (math.sqrt(way) + radius[b] * turn) / duration
        fastest = math.sqrt(speed) + radius[b] * math.sqrt(spin)
        still = still_speed(radius[b], pull)
        is_same = wearer[b] >= 0 or not is_other_load(load, last_load, b, still)
        if is_same and moved < still and fastest < TREMBLE * still:
            rest[b] = max(rest[b], 0.0) + pace * duration
        else:
            rest[b] = 0.0
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if row["impulse"][NORMAL] > 0.0:
            _stir(owners, body_count, rest, row["owner"][0], row["owner"][1])
    for j in range(holds.shape[0]):
        if not holds[j]:
            continue
        a, b = joints.whole[j, OWNER], joints.whole[j, OWNER + 1]
        if are_free(owners, body_count, a, b):
            join(parent, a, b)
        else:
            _stir(owners, body_count, rest, a, b)
    for b in range(body_count):
        if rest[b] < REST_TIME:
            waits[root_of(parent, b)] = 1
    for b in range(body_count):
        if waits[root_of(parent, b)] == 1:
            rest[b] = min(rest[b], WAITS)  # what hangs together sleeps together, and wakes
        if owners.asleep[b] == 0 and (rest[b] <= 0.0 or wearer[b] >= 0):
            for k in range(3):
                last_load[b, k] = load[b, k]
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        a, b = row["owner"][0], row["owner"][1]
        if row["impulse"][NORMAL] > 0.0 and are_free(owners, body_count, a, b):
            if rest[a] < CALM:
                waits[root_of(parent, b)] = 1
            if rest[b] < CALM:
                waits[root_of(parent, a)] = 1
    for b in range(body_count):
        if owners.asleep[b] == 0 and owners.driven[b] == 0:
            rest[b] = min(rest[b], WAITS if waits[root_of(parent, b)] == 1 else REST_TIME)


@inline
def _stir(owners, body_count, rest, a, b):
    """Two owners touch: one that is driven and moves keeps the other awake."""
    if a < 0 or b < 0 or are_free(owners, body_count, a, b):
        return
    for side in range(2):
        mine = a if side == 0 else b
        other = b if side == 0 else a
        if mine >= body_count or owners.driven[other] == 0:
            continue
        moves = 0.0
        for k in range(3):
            moves += owners.velocity[other, k] ** 2 + owners.spin[other, k] ** 2
        if moves > 0.0:
            rest[mine] = 0.0
