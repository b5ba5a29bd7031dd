"""Sleep: what hangs together and lies still together rests until something touches it.

Bodies that touch or are joined form an island (union–find). An island in which every body has been
slow for `REST_TIME` falls asleep as a whole, keeps its place to the last bit and costs nothing; one
body that moves keeps all awake.

What falls asleep is woken, with its whole island and before the contacts are solved, when something
that moves touches it, when what it rests on is driven on, or when gravity or forces are others than
those it fell asleep under. Contacts of sleepers are remembered: they say who belongs to an island,
and they carry it at once when it wakes.
"""

from __future__ import annotations

import math

from ..jit import inline, lean_kernel
from .owners import write_inverse_inertia
from .rotation import product

REST_TIME = 0.5
"""Seconds of stillness after which a body may sleep."""

STILL = 0.02
"""A body is still when its fastest point moves, from one end of a frame to the other, by less than
this times √(gravity × its size) in a second."""

TREMBLE = 8.0
"""Times that speed at which it may tremble in its place and still be still: in a wedged heap a cube
or two may go on so for ever."""


CHANGE = 2.0
"""A sleeper wakes when its load changes by what makes it this much faster than still in
`REST_TIME`."""


JERK = 4.0
"""A sleeper wakes at once when a tie would make it this much faster than still in one step."""

SLACK = 0.3
"""Share of its weight up to which ties may pull on what falls asleep. What hangs stays
awake: a rope draws only on what moves."""


@inline
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inline
def _join(parent, i, j):
    a = _root(parent, i)
    b = _root(parent, j)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@inline
def still_speed(radius, pull):
    """Speed in m/s below which a body of that radius (m) is still; pull: √g."""
    return STILL * pull * math.sqrt(radius)


@lean_kernel
def find_rest(
    owners, body_count, drive, rows, row_count, joint, sleeps, radius, pull, duration, rest, parent
):
    """Count the seconds (b,) for which bodies have been still, by islands.

    drive: where they were at the start of the frame; joint (j, 2) owners; radius (b,) m; pull: √g;
    parent (b,) is scratch. A body that touches something driven that moves is not still.
    """
    for b in range(body_count):
        parent[b] = b
        if owners.asleep[b] == 1:
            continue
        if sleeps[b] == 0 or owners.driven[b] == 1:
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
        if moved < still and fastest < TREMBLE * still:
            rest[b] += duration
        else:
            rest[b] = 0.0
    for c in range(row_count):
        if rows.impulse[c, 0] > 0.0:
            _touch(owners, body_count, rest, parent, rows.owner[c, 0], rows.owner[c, 1])
    for j in range(joint.shape[0]):
        _touch(owners, body_count, rest, parent, joint[j, 0], joint[j, 1])
    # the least of each island, first in its root, then in all
    for b in range(body_count):
        root = _root(parent, b)
        rest[root] = min(rest[root], rest[b])
    for b in range(body_count):
        rest[b] = min(rest[b], rest[_root(parent, b)])


@inline
def _touch(owners, body_count, rest, parent, a, b):
    """Two owners touch: bodies become one island, moving driven ones keep the other awake."""
    if a < 0 or b < 0:
        return
    if a < body_count and b < body_count and owners.driven[a] == 0 and owners.driven[b] == 0:
        _join(parent, a, b)
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


@lean_kernel
def feel_support(key, shape_owner, joint, owners, body_count, stirs, felt):
    """Mark sleepers in felt (b,) that touched, when they fell asleep, what stirs (o,) now."""
    for c in range(key.shape[0]):
        _feel(owners, body_count, stirs, felt, shape_owner[key[c, 0]], shape_owner[key[c, 1]])
    for j in range(joint.shape[0]):
        _feel(owners, body_count, stirs, felt, joint[j, 0], joint[j, 1])


@inline
def _feel(owners, body_count, stirs, felt, a, b):
    if a < 0 or b < 0:
        return
    for side in range(2):
        mine = a if side == 0 else b
        other = b if side == 0 else a
        if mine < body_count and owners.asleep[mine] == 1 and stirs[other] > 0.0:
            felt[mine] = 1


@lean_kernel
def feel_load(owners, load, last_load, radius, pull, rest_time, felt):
    """Mark sleepers whose load (b, 3) m/s² is another than the one they fell asleep under."""
    for b in range(load.shape[0]):
        if owners.asleep[b] == 0:
            continue
        change = 0.0
        for k in range(3):
            change += (load[b, k] - last_load[b, k]) ** 2
        if math.sqrt(change) * rest_time > CHANGE * still_speed(radius[b], pull):
            felt[b] = 1


@lean_kernel
def feel_touch(item, count, manifolds, shape_owner, owners, body_count, stirs, duration, felt):
    """Mark sleepers in felt (b,) that what stirs touches, or hits within ``duration`` s."""
    for n in range(count):
        a = shape_owner[item[n, 0]]
        b = shape_owner[item[n, 1]]
        for side in range(2):
            mine = a if side == 0 else b
            other = b if side == 0 else a
            if mine >= body_count or owners.asleep[mine] == 0 or stirs[other] == 0.0:
                continue
            v, w = owners.velocity[other], owners.spin[other]
            for p in range(manifolds.count[n]):
                gap = 0.0
                away = 0.0
                for k in range(3):
                    normal = manifolds.normal[n, k]
                    gap += normal * (manifolds.on_a[n, p, k] - manifolds.on_b[n, p, k])
                    i = (k + 1) % 3
                    j = (k + 2) % 3
                    ri = manifolds.on_a[n, p, i] - owners.position[other, i]
                    rj = manifolds.on_a[n, p, j] - owners.position[other, j]
                    away += normal * (v[k] + w[i] * rj - w[j] * ri)
                if side == 0:  # the other one is b, and the normal leads away from it
                    away = -away
                if gap + min(away, 0.0) * duration <= 0.0:
                    felt[mine] = 1


@lean_kernel
def feel_particles(
    contacts,
    count,
    x,
    previous,
    worn,
    group,
    owners,
    body_count,
    fall,
    radius,
    pull,
    h,
    felt,
):
    """Mark sleepers in felt (b,) that moving particles touch; returns whether there are any.

    worn (n,), group (b,): what a body or those that it is joined with wear has its number; these
    feel it by its load, see `sum_pushes`. fall (3,) m: by gravity in one step, which the places of
    resting particles hold until contacts take it back.
    """
    found = False
    for c in range(count):
        for side in range(2):
            o = contacts.owner[c, side]
            if o < 0 or o >= body_count or owners.asleep[o] == 0:
                continue
            if group[o] >= 0 and group[o] == worn[contacts.particle[c, 4 - 4 * side]]:
                continue
            moved = 0.0
            fallen = 0.0
            for k in range(3):
                d = 0.0
                for n in range(8):
                    f = contacts.weight[c, n]
                    if f != 0.0:
                        i = contacts.particle[c, n]
                        d += abs(f) * (x[i, k] - previous[i, k])
                moved += d * d
                fallen += (d - fall[k]) ** 2
            if math.sqrt(min(moved, fallen)) > h * still_speed(radius[o], pull):
                felt[o] = 1
                found = True
    return found


@lean_kernel
def sum_pushes(contacts, count, h, group, push):
    """Add to push (b, 3) N·s what particles have pushed those bodies with that wear something."""
    for c in range(count):
        for side in range(2):
            o = contacts.owner[c, side]
            if o < 0 or o >= group.shape[0] or group[o] < 0:
                continue
            sign = 1.0 if side == 0 else -1.0
            for k in range(3):
                given = contacts.pushed[c] * contacts.normal[c, k] + contacts.dragged[c, k]
                push[o, k] += sign * given / h


@lean_kernel
def feel_ties(body, push, mass, owners, radius, pull, felt):
    """Mark sleepers in felt (b,) at which ties jerk; returns whether there are any.

    body (t,): those that are tied; push (b, 3) N·s of this substep; mass (b,) kg.
    """
    found = False
    for n in range(body.shape[0]):
        b = body[n]
        if owners.asleep[b] == 0:
            continue
        jerk = math.sqrt(push[b, 0] ** 2 + push[b, 1] ** 2 + push[b, 2] ** 2) / mass[b]
        if jerk > JERK * still_speed(radius[b], pull):
            felt[b] = 1
            found = True
    return found


@lean_kernel
def wake_islands(key, shape_owner, joint, owners, body_count, inverse_mass, felt, rest, parent):
    """Wake the islands of all sleepers that felt (b,) something, and clear felt; returns how many.

    Islands are what the remembered contacts (c, 4) and the joints (j, 2) hold together.
    """
    count = 0
    for b in range(body_count):
        parent[b] = b
    for c in range(key.shape[0]):
        _join_sleepers(owners, body_count, parent, shape_owner[key[c, 0]], shape_owner[key[c, 1]])
    for j in range(joint.shape[0]):
        _join_sleepers(owners, body_count, parent, joint[j, 0], joint[j, 1])
    for b in range(body_count):
        if felt[b] == 1:
            felt[b] = 0
            felt[_root(parent, b)] = 2
    for b in range(body_count):
        if owners.asleep[b] == 0 or felt[_root(parent, b)] != 2:
            continue
        count += 1
        rest[b] = 0.0
        owners.asleep[b] = 0
        owners.inverse_mass[b] = inverse_mass[b]
        write_inverse_inertia(owners, b)
        for k in range(3):
            owners.velocity[b, k] = 0.0
            owners.momentum[b, k] = 0.0
            owners.spin[b, k] = 0.0
    for b in range(body_count):
        felt[b] = 0
    return count


@inline
def _join_sleepers(owners, body_count, parent, a, b):
    if a < 0 or b < 0 or a >= body_count or b >= body_count:
        return
    if owners.asleep[a] == 1 and owners.asleep[b] == 1:
        _join(parent, a, b)
