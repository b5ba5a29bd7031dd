"""Who wakes: sleepers feel what happens to them, in `felt` (b,) N·s, before contacts are solved.

A blow wakes as many as it might move: neighbours by neighbours, until none of them would feel it if
they shared it. Infinite is what wakes all that lean on each other: something driven comes or goes,
or gravity, forces, ties or particles act otherwise than when they fell asleep. What touches a
sleeper and moves wakes it alone, and what has borne it and leaves wakes all that lie on it.

Contacts of sleepers are remembered: they say who leans on whom, and they carry at once when
sleepers wake.
"""

from __future__ import annotations

import math

from ...kernels.jit import inline, lean_kernel
from ...vec3 import add, scale, vec
from ..contacts.contact_point import contact_speed
from ..contacts.contact_table import NORMAL
from ..islands import join, root_of
from ..joints.joint_axes import aim_joints
from ..owners import write_inverse_inertia
from .falling_asleep import CALM, are_free, is_other_load, still_speed

FELT = 2.0
"""A sleeper feels what hits it this much faster than still."""

FALLS = -1.0
"""Stands for N·s where what has borne a sleeper leaves it: all wake that lie on it."""

JERK = 4.0
"""A sleeper wakes at once when a tie would make it this much faster than still in one step."""

SLACK = 0.3
"""Share of its weight up to which ties may pull on what falls asleep. What hangs stays
awake: a rope draws only on what moves."""

BEARS = 0.1
"""Share of its push with which a contact must lift a sleeper to bear it."""

GOES_BY = 100.0
"""Gap, in slops, from which on what moves near a sleeper goes by: a hundredth of its size."""

LEAVES = 0.5
"""What bears a sleeper leaves it when they part by this times the speed of what is still."""

TOUCHED = 1e-30
"""N·s that wake a sleeper and nobody beside it."""

NEXT, REACHED = 1, 2
"""Marks of a body: in the ring that a blow reaches next, and in those that it has reached."""


@lean_kernel
def feel_support(key, shape_owner, joint, owners, body_count, stirs, felt):
    """Let sleepers feel in felt (b,) N·s what stirs (o,) now that they touch (c, 4) or hang on."""
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
            felt[mine] = math.inf


@lean_kernel
def feel_rows(contacts, owners, body_count, gravity, radius, pull, felt):
    """Let sleepers feel in felt (b,) N·s what moves at their points of contact.

    What has borne one and leaves it wakes all that lie on it: they are to fall at once.
    gravity (3,) m/s²; radius (b,) m; pull: √g.
    """
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        a, b = row["owner"][0], row["owner"][1]
        if not are_free(owners, body_count, a, b) or owners.asleep[a] == owners.asleep[b]:
            continue
        if row["gap"] > GOES_BY * row["slop"]:
            continue
        mine = a if owners.asleep[a] == 1 else b
        still = still_speed(radius[mine], pull)
        apart = contact_speed(row, NORMAL, owners)
        along = contact_speed(row, 1, owners)
        across = contact_speed(row, 2, owners)
        if apart > LEAVES * still:
            lift = 0.0
            for k in range(3):
                lift -= row["axis"][NORMAL, k] * gravity[k]
            if (lift if mine == a else -lift) > BEARS * pull**2:
                felt[mine] = FALLS if felt[mine] <= TOUCHED else felt[mine]
                continue
        if math.sqrt(apart * apart + along * along + across * across) > still:
            felt[mine] = TOUCHED if felt[mine] == 0.0 else felt[mine]


@lean_kernel
def feel_load(owners, load, last_load, radius, pull, felt):
    """Let sleepers feel a load (b, 3) m/s² that is another than the one they fell asleep under."""
    for b in range(load.shape[0]):
        still = still_speed(radius[b], pull)
        if owners.asleep[b] == 1 and is_other_load(load, last_load, b, still):
            felt[b] = math.inf


@lean_kernel
def feel_touch(
    item,
    count,
    manifolds,
    shape_owner,
    owners,
    body_count,
    stirs,
    mass,
    radius,
    pull,
    duration,
    felt,
):
    """Let bodies feel in felt (b,) N·s what touches or hits them within ``duration`` s.

    Also those that are awake: a blow goes through them to sleepers that they lean on. stirs (o,) 1
    for what moves by itself or is driven somewhere; mass (b,) kg; radius (b,) m; pull: √g.
    """
    for n in range(count):
        a = shape_owner[item[n, 0]]
        b = shape_owner[item[n, 1]]
        approach, is_touched = _approach(manifolds, n, owners, a, b, duration)
        if not is_touched:
            continue
        for side in range(2):
            mine = a if side == 0 else b
            other = b if side == 0 else a
            if mine >= body_count or owners.driven[mine] == 1 or stirs[other] == 0.0:
                continue
            if other >= body_count or owners.driven[other] == 1:
                felt[mine] = math.inf
        if not are_free(owners, body_count, a, b):
            continue
        blow = mass[a] * mass[b] / (mass[a] + mass[b]) * approach
        if approach > FELT * still_speed(min(radius[a], radius[b]), pull):
            if owners.asleep[a] == owners.asleep[b]:
                felt[a] += 0.5 * blow
                felt[b] += 0.5 * blow
            else:
                felt[a if owners.asleep[a] == 1 else b] += blow


@inline
def _approach(manifolds, n, owners, a, b, duration):
    """Speed in m/s at which two owners meet within ``duration`` s, and whether they do."""
    va, wa, vb, wb = owners.velocity[a], owners.spin[a], owners.velocity[b], owners.spin[b]
    fastest = 0.0
    is_touched = False
    for p in range(manifolds.count[n]):
        gap = 0.0
        away = 0.0
        for k in range(3):
            normal = manifolds.normal[n, k]
            gap += normal * (manifolds.on_a[n, p, k] - manifolds.on_b[n, p, k])
            i = (k + 1) % 3
            j = (k + 2) % 3
            ai = manifolds.on_a[n, p, i] - owners.position[a, i]
            aj = manifolds.on_a[n, p, j] - owners.position[a, j]
            bi = manifolds.on_b[n, p, i] - owners.position[b, i]
            bj = manifolds.on_b[n, p, j] - owners.position[b, j]
            away += normal * (va[k] + wa[i] * aj - wa[j] * ai - vb[k] - wb[i] * bj + wb[j] * bi)
        if gap + min(away, 0.0) * duration <= 0.0:
            is_touched = True
            fastest = max(fastest, -away)
    return fastest, is_touched


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
    """Let sleepers feel in felt (b,) N·s particles that touch and move; returns whether any do.

    worn (n,), group (b,): what a body or those that it is joined with wear has its number; these
    feel it by its load, see `sum_pushes`. fall (3,) m: by gravity in one step, which the places of
    resting particles hold until contacts take it back.
    """
    found = False
    for c in range(count):
        places = contacts[c]["place"]
        for side in range(2):
            o = places[side]["owner"]
            if o < 0 or o >= body_count or owners.asleep[o] == 0:
                continue
            if group[o] >= 0 and group[o] == worn[places[1 - side]["particle"][0]]:
                continue
            moved = 0.0
            fallen = 0.0
            for k in range(3):
                d = 0.0
                for n in range(8):
                    f = places[n // 4]["weight"][n % 4]
                    if f != 0.0:
                        i = places[n // 4]["particle"][n % 4]
                        d += abs(f) * (x[i, k] - previous[i, k])
                moved += d * d
                fallen += (d - fall[k]) ** 2
            if math.sqrt(min(moved, fallen)) > h * still_speed(radius[o], pull):
                felt[o] = math.inf
                found = True
    return found


@lean_kernel
def sum_pushes(contacts, count, h, group, push):
    """Add to push (b, 3) N·s what particles have pushed those bodies with that wear something."""
    for c in range(count):
        for side in range(2):
            contact = contacts[c]
            o = contact["place"][side]["owner"]
            if o < 0 or o >= group.shape[0] or group[o] < 0:
                continue
            sign = 1.0 if side == 0 else -1.0
            given = scale(contact["normal_impulse"], vec(contact["normal"]))
            given = add(given, vec(contact["friction_impulse"]))
            for k in range(3):
                push[o, k] += sign * given[k] / h


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
            felt[b] = math.inf
            found = True
    return found


@lean_kernel
def wake_sleepers(
    kept_key,
    key,
    shape_owner,
    joint,
    owners,
    body_count,
    inverse_mass,
    radius,
    pull,
    gravity,
    felt,
    rest,
    parent,
    ring,
    joints,
    under_way,
):
    """Wake all that what was felt (b,) N·s may move, and clear felt; returns how many slept.

    kept_key (k, 4) and key (c, 4): remembered contacts of sleepers with each other and of others;
    joint (j, 2) owners; inverse_mass (b,) 1/kg of all; radius (b,) m; pull: √g; gravity (3,) m/s²;
    parent and ring (b,) are scratch. Joints of sleepers are idle and hold from now on; under_way:
    from the end of this substep on, for what they ask for in it is not known.
    """
    need = 0.0  # kg that would all feel nothing if they shared the blows
    falls = False
    for b in range(body_count):
        parent[b] = b
        ring[b] = 0
        if felt[b] == FALLS:
            falls = True
        elif felt[b] > 0.0:
            slow = FELT * still_speed(radius[b], pull)
            need += felt[b] / slow if slow > 0.0 else math.inf
    if need == 0.0 and not falls:
        return 0
    for j in range(joint.shape[0]):
        if are_free(owners, body_count, joint[j, 0], joint[j, 1]):
            join(parent, joint[j, 0], joint[j, 1])
    if need == math.inf:
        _join_all(kept_key, shape_owner, owners, body_count, parent)
        _join_all(key, shape_owner, owners, body_count, parent)
    for b in range(body_count):
        if felt[b] == FALLS:
            ring[root_of(parent, b)] = REACHED
    while falls:
        falls = _spread_upwards(kept_key, shape_owner, owners, body_count, gravity, parent, ring)
    for b in range(body_count):
        if felt[b] > 0.0:
            ring[root_of(parent, b)] = NEXT
        felt[b] = 0.0
    total = 0.0
    while True:
        mass = 0.0
        for b in range(body_count):
            if ring[root_of(parent, b)] == NEXT:
                mass += 1.0 / inverse_mass[b]
        for b in range(body_count):
            if ring[b] == NEXT:
                ring[b] = REACHED
        total += mass
        if mass == 0.0 or total >= need:
            break
        _spread(kept_key, shape_owner, owners, body_count, parent, ring)
        _spread(key, shape_owner, owners, body_count, parent, ring)
    count = 0
    for b in range(body_count):
        if owners.asleep[b] == 0 or ring[root_of(parent, b)] != REACHED:
            continue
        count += 1
        rest[b] = CALM  # it has not moved yet
        _wake_up(owners, b, inverse_mass[b])
    if count > 0 and not under_way:
        aim_joints(joints, owners)
    return count


@inline
def _wake_up(owners, b, inverse_mass):
    """Give a sleeper its mass back (1/kg); it starts from rest."""
    owners.asleep[b] = 0
    owners.inverse_mass[b] = inverse_mass
    write_inverse_inertia(owners, b)
    for k in range(3):
        owners.velocity[b, k] = 0.0
        owners.momentum[b, k] = 0.0
        owners.spin[b, k] = 0.0


@inline
def _join_all(key, shape_owner, owners, body_count, parent):
    """All that lean on each other hang together."""
    for c in range(key.shape[0]):
        a, b = shape_owner[key[c, 0]], shape_owner[key[c, 1]]
        if are_free(owners, body_count, a, b):
            join(parent, a, b)


@inline
def _spread(key, shape_owner, owners, body_count, parent, ring):
    """Put what leans on those that are reached into the next ring."""
    for c in range(key.shape[0]):
        a, b = shape_owner[key[c, 0]], shape_owner[key[c, 1]]
        if not are_free(owners, body_count, a, b):
            continue
        i, j = root_of(parent, a), root_of(parent, b)
        if ring[i] == REACHED and ring[j] == 0:
            ring[j] = NEXT
        elif ring[j] == REACHED and ring[i] == 0:
            ring[i] = NEXT


@inline
def _spread_upwards(key, shape_owner, owners, body_count, gravity, parent, ring):
    """Reach what lies on those that are reached; whether there was any."""
    found = False
    for c in range(key.shape[0]):
        a, b = shape_owner[key[c, 0]], shape_owner[key[c, 1]]
        if not are_free(owners, body_count, a, b):
            continue
        i, j = root_of(parent, a), root_of(parent, b)
        if ring[i] == ring[j]:
            continue
        rise = 0.0
        for k in range(3):
            rise -= gravity[k] * (owners.position[b, k] - owners.position[a, k])
        if ring[i] == REACHED and rise > 0.0:
            ring[j] = REACHED
            found = True
        elif ring[j] == REACHED and rise < 0.0:
            ring[i] = REACHED
            found = True
    return found
