"""Who wakes: sleepers feel what happens to them before contacts are solved.

A blow wakes as many as it might move: neighbours by neighbours, until none of them would feel it if
they shared it. Something driven that comes or goes wakes all that lean on each other, and so do
gravity, forces, ties or particles that act otherwise than when they fell asleep. What touches a
sleeper and moves wakes it alone; what has borne it and leaves, or slides away under it, wakes all
that lie on it.

Contacts of sleepers are remembered: they say who leans on whom, and they carry at once when
sleepers wake.
"""

from __future__ import annotations

import math

from ...collision.broad_phase import FREE, STILL
from ...collision.cushions import skin_between
from ...islands import join, root_of
from ...kernels.jit import kernel, lean_inline
from ...vec3 import ZERO, add, dot, length, load, scale, sub, vec
from ..contacts.contact_point import contact_speed
from ..contacts.contact_table import NORMAL
from ..joints.joint_axes import aim_joints
from ..owners import AWAKE, write_inverse_inertia, write_momentum
from .carriers import move_alike
from .falling_asleep import CALM
from .sleepers import (
    DEFORMING,
    DISTURBED,
    STRUCK,
    TOUCHED,
    UNDISTURBED,
    UNSUPPORTED,
    bears,
    owners_of,
)
from .stillness import are_free, is_other_load, still_speed

WAKING_SPEEDS = 2.0
"""A sleeper feels what hits it this much faster than still."""

JERK = 4.0
"""A sleeper wakes at once when a tie would make it this much faster than still in one step."""

TIE_SLACK = 0.3
"""Share of its weight up to which ties may pull on what falls asleep. What hangs stays
awake: a rope draws only on what moves."""

BEARS = 0.1
"""Share of its push with which a contact must lift a sleeper to bear it."""

GOES_BY = 100.0
"""Gap, in slops, from which on what moves near a sleeper goes by: a hundredth of its size."""

LEAVES = 0.5
"""What bears a sleeper leaves it when they part by this times the speed of what is still."""

NEXT, REACHED = 1, 2
"""Marks of a body: in the ring that a blow reaches next, and in those that it has reached."""


@kernel
def feel_support(sleep, owners, remembered, is_let_go):
    """Let sleepers feel that what they touch or hang on is let go of (o,).

    remembered (c,): `REMEMBERED_CONTACT`.
    """
    for c in range(remembered.shape[0]):
        a, b = owners_of(sleep, remembered[c])
        _feel(sleep, owners, is_let_go, a, b)
    for j in range(sleep.joint_body.shape[0]):
        _feel(sleep, owners, is_let_go, sleep.joint_body[j, 0], sleep.joint_body[j, 1])


@lean_inline
def _sleeps(sleep, owners, o):
    """Whether an owner is a body that sleeps."""
    return o < sleep.sleeper.shape[0] and owners.asleep[o] != AWAKE


@lean_inline
def _feel(sleep, owners, is_let_go, a, b):
    if a < 0 or b < 0:
        return
    if _sleeps(sleep, owners, a) and is_let_go[b] > 0:
        sleep.sleeper[a]["wake"] = DISTURBED
    if _sleeps(sleep, owners, b) and is_let_go[a] > 0:
        sleep.sleeper[b]["wake"] = DISTURBED


@kernel
def feel_motion(sleep, owners, remembered):
    """Let sleepers feel what bears them, by the contacts (c,), or joins and moves otherwise."""
    for c in range(remembered.shape[0]):
        if bears(remembered[c]):
            a, b = owners_of(sleep, remembered[c])
            _feel_both(sleep, owners, a, b)
    for j in range(sleep.joint_body.shape[0]):
        _feel_both(sleep, owners, sleep.joint_body[j, 0], sleep.joint_body[j, 1])


@lean_inline
def _feel_both(sleep, owners, a, b):
    if a < 0 or b < 0:
        return
    if _sleeps(sleep, owners, a) and _goes_elsewhere(sleep, owners, a, b):
        sleep.sleeper[a]["wake"] = DISTURBED
    if _sleeps(sleep, owners, b) and _goes_elsewhere(sleep, owners, b, a):
        sleep.sleeper[b]["wake"] = DISTURBED


@lean_inline
def _goes_elsewhere(sleep, owners, mine, other):
    """Whether something moves otherwise than a sleeper that leans on it."""
    moves, moves_other = sleep.motion[mine], sleep.motion[other]
    if moves == moves_other:
        return False
    if moves == STILL or moves_other == DEFORMING:
        return True
    return not move_alike(sleep, owners, mine, other)


@kernel
def feel_rows(sleep, owners, contacts):
    """Let sleepers feel what moves at their points of contact.

    What has borne one and leaves it, or slides away under it, wakes all that lie on it: they are to
    fall at once, and to press on it until then. So does what slides from under a body that is awake
    and bears sleepers.
    """
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        a, b = row["owner"][0], row["owner"][1]
        if not are_free(owners, sleep.sleeper.shape[0], a, b):
            continue
        a_sleeps, b_sleeps = owners.asleep[a] != AWAKE, owners.asleep[b] != AWAKE
        if (a_sleeps and b_sleeps) or row["gap"] > GOES_BY * row["slop"]:
            continue
        lift = -dot(load(row["axis"], NORMAL), vec(sleep.gravity))  # of a by b
        # the one that sleeps feels it; of two that are awake, the one that lies on the other
        is_asleep = a_sleeps or b_sleeps
        mine = a if a_sleeps or (not b_sleeps and lift > 0.0) else b
        is_borne = (lift if mine == a else -lift) > BEARS * sleep.root_gravity**2
        sleeper = sleep.sleeper[mine]
        still = still_speed(sleeper["radius"], sleep.root_gravity)
        apart = contact_speed(row, NORMAL, owners)
        speed = length((apart, contact_speed(row, 1, owners), contact_speed(row, 2, owners)))
        slides = row["impulse"][NORMAL] > 0.0 and speed > WAKING_SPEEDS * still
        leaves = is_asleep and apart > LEAVES * still
        if is_borne and (slides or leaves):
            if sleeper["wake"] in (UNDISTURBED, TOUCHED):
                sleeper["wake"] = UNSUPPORTED
        elif is_asleep and sleeper["wake"] == UNDISTURBED and speed > still:
            sleeper["wake"] = TOUCHED


@kernel
def feel_load(sleep, owners, now, before):
    """Let sleepers feel a load (b, 3) m/s² that is another than the one they fell asleep under."""
    for b in range(now.shape[0]):
        sleeper = sleep.sleeper[b]
        still = still_speed(sleeper["radius"], sleep.root_gravity)
        if owners.asleep[b] != AWAKE and is_other_load(load(now, b), load(before, b), still):
            sleeper["wake"] = DISTURBED


@kernel
def feel_touch(sleep, owners, item, count, manifolds, cushions, duration):
    """Let bodies feel what touches or hits them within ``duration`` s.

    Also those that are awake: a blow goes through them to sleepers that they lean on.
    """
    body_count = sleep.sleeper.shape[0]
    for n in range(count):
        a, b = owners_of(sleep, item[n])
        skin = skin_between(cushions, item[n]["shape"][0], item[n]["shape"][1])
        approach, is_touched = _approach(manifolds, n, owners, a, b, skin, duration)
        if not is_touched:
            continue
        for side in range(2):
            mine = a if side == 0 else b
            other = b if side == 0 else a
            if mine >= body_count or owners.driven[mine] == 1:
                continue
            if _is_disturbed(sleep, owners, mine, other):
                sleep.sleeper[mine]["wake"] = DISTURBED
        if are_free(owners, body_count, a, b):
            _feel_blow(sleep, owners, a, b, approach)


@lean_inline
def _is_disturbed(sleep, owners, mine, other):
    """Whether a body that touches another is led against it, or that against the body.

    What is awake passes it on, as long as that does not go with what sleeps around.
    """
    is_led = other >= sleep.sleeper.shape[0] or owners.driven[other] == 1
    if owners.asleep[mine] == AWAKE:
        return is_led and sleep.motion[other] in (FREE, DEFORMING)
    if not is_led and owners.asleep[other] == AWAKE:
        return False
    return _goes_elsewhere(sleep, owners, mine, other)


@lean_inline
def _feel_blow(sleep, owners, a, b, approach):
    """Two bodies that meet at so many m/s: the one that sleeps feels it, else both by half."""
    one, other = sleep.sleeper[a], sleep.sleeper[b]
    mass, other_mass = owners.mass[a], owners.mass[b]
    blow = mass * other_mass / (mass + other_mass) * approach
    if approach <= WAKING_SPEEDS * still_speed(
        min(one["radius"], other["radius"]), sleep.root_gravity
    ):
        return
    if (owners.asleep[a] == AWAKE) == (owners.asleep[b] == AWAKE):
        _add_blow(one, 0.5 * blow)
        _add_blow(other, 0.5 * blow)
    else:
        _add_blow(sleep.sleeper[a if owners.asleep[a] != AWAKE else b], blow)


@lean_inline
def _add_blow(sleeper, blow):
    sleeper["wake_impulse"] += blow
    sleeper["wake"] = max(sleeper["wake"], STRUCK)


@lean_inline
def _approach(manifolds, n, owners, a, b, skin, duration):
    """Speed in m/s at which two bodies meet within ``duration`` s, and whether they do.

    skin: m, that cloth keeps them apart.
    """
    va, wa, vb, wb = owners.velocity[a], owners.spin[a], owners.velocity[b], owners.spin[b]
    normal, on_a, on_b = manifolds.normal[n], manifolds.on_a[n], manifolds.on_b[n]
    fastest = 0.0
    is_touched = False
    for p in range(manifolds.count[n]):
        gap = dot(vec(normal), sub(load(on_a, p), load(on_b, p))) - skin
        arm_a = sub(load(on_a, p), load(owners.position, a))
        arm_b = sub(load(on_b, p), load(owners.position, b))
        away = 0.0
        for k in range(3):
            i = (k + 1) % 3
            j = (k + 2) % 3
            turn_a = va[k] + wa[i] * arm_a[j] - wa[j] * arm_a[i]
            away += normal[k] * (turn_a - vb[k] - wb[i] * arm_b[j] + wb[j] * arm_b[i])
        if gap + min(away, 0.0) * duration <= 0.0:
            is_touched = True
            fastest = max(fastest, -away)
    return fastest, is_touched


@kernel
def feel_particles(sleep, owners, contacts, count, particles, stands, garments, h):
    """Let sleepers feel particles that touch and move; returns whether any do.

    stands (n,): of what is awake and has got nowhere in the last frame. However its particles
    tremble from substep to substep, it is still; else cloth over a crate, the one waiting for the
    other, never slept.
    garments (n,): what a body or those joined with it wear has the number of its garment; these
    feel it by its load, see `sum_pushes`. What gravity does in one step is no motion: the places of
    resting particles hold it until contacts take it back.
    """
    x, previous, _ = particles
    found = False
    fall = scale(h * h, vec(sleep.gravity))
    for c in range(count):
        places = contacts[c]["place"]
        for side in range(2):
            o = places[side]["owner"]
            if o < 0 or not _sleeps(sleep, owners, o):
                continue
            sleeper = sleep.sleeper[o]
            own = sleeper["garment"]
            first = places[1 - side]["particle"][0]
            if stands[first] or (own >= 0 and own == garments[first]):
                continue
            moved = ZERO
            for n in range(8):
                f = places[n // 4]["weight"][n % 4]
                if f != 0.0:
                    i = places[n // 4]["particle"][n % 4]
                    step = sub(load(x, i), load(previous, i))
                    moved = add(moved, scale(abs(f), step))
            moved = sub(moved, scale(h, load(owners.velocity, o)))
            fallen = sub(moved, fall)
            least = math.sqrt(min(dot(moved, moved), dot(fallen, fallen)))
            if least > h * still_speed(sleeper["radius"], sleep.root_gravity):
                sleeper["wake"] = DISTURBED
                found = True
    return found


@kernel
def sum_pushes(sleep, contacts, count, h, push):
    """Add to push (b, 3) N·s what particles have pushed those bodies with that wear something."""
    for c in range(count):
        for side in range(2):
            contact = contacts[c]
            o = contact["place"][side]["owner"]
            if o < 0 or o >= push.shape[0] or sleep.sleeper[o]["garment"] < 0:
                continue
            sign = 1.0 if side == 0 else -1.0
            given = scale(contact["normal_impulse"], vec(contact["normal"]))
            given = add(given, vec(contact["friction_impulse"]))
            for k in range(3):
                push[o, k] += sign * given[k] / h


@kernel
def feel_ties(sleep, owners, body, push):
    """Let sleepers feel ties that jerk; returns whether any do.

    body (t,): those that are tied; push (b, 3) N·s of this substep.
    """
    found = False
    for n in range(body.shape[0]):
        b = body[n]
        sleeper = sleep.sleeper[b]
        if owners.asleep[b] == AWAKE:
            continue
        jerk = length(load(push, b)) / owners.mass[b]
        if jerk > JERK * still_speed(sleeper["radius"], sleep.root_gravity):
            sleeper["wake"] = DISTURBED
            found = True
    return found


@kernel
def wake_sleepers(sleep, owners, joints, kept, others, rest, under_way):
    """Wake all that what was felt may move, and clear that; returns how many slept.

    kept (k,) and others (c,): `REMEMBERED_CONTACT` of sleepers with each other and of all others;
    rest (b,) s. Joints of sleepers are idle and hold from now on; under_way: from the end of this
    substep on, for what they ask for in it is not known.
    """
    need, is_any = _needed_mass(sleep)
    if not is_any:
        return 0
    island, mark = sleep.island, sleep.mark
    count = rest.shape[0]
    for b in range(count):
        island[b] = b
        mark[b] = 0
    for j in range(sleep.joint_body.shape[0]):
        if are_free(owners, count, sleep.joint_body[j, 0], sleep.joint_body[j, 1]):
            join(island, sleep.joint_body[j, 0], sleep.joint_body[j, 1])
    if need == math.inf:
        _join_all(sleep, owners, kept)
        _join_all(sleep, owners, others)
    _mark_falling(sleep, owners, kept, others)
    for b in range(count):
        if sleep.sleeper[b]["wake"] in (TOUCHED, STRUCK, DISTURBED):
            mark[root_of(island, b)] = NEXT
    forget_touches(sleep)
    _mark_moved(sleep, owners, kept, others, need)
    woken = 0
    for b in range(count):
        if owners.asleep[b] != AWAKE and mark[root_of(island, b)] == REACHED:
            woken += 1
            rest[b] = CALM  # it has not moved yet
            _wake_up(owners, b)
    if woken > 0 and not under_way:
        aim_joints(joints, owners)
    return woken


@lean_inline
def forget_touches(sleep):
    """Nobody has felt anything."""
    for b in range(sleep.sleeper.shape[0]):
        sleep.sleeper[b]["wake"] = UNDISTURBED
        sleep.sleeper[b]["wake_impulse"] = 0.0


@lean_inline
def _needed_mass(sleep):
    """Mass kg that would feel nothing if it shared all blows, and whether any was felt."""
    need = 0.0
    is_any = False
    for b in range(sleep.sleeper.shape[0]):
        sleeper = sleep.sleeper[b]
        wake = sleeper["wake"]
        if wake == UNDISTURBED:
            continue
        is_any = True
        slow = WAKING_SPEEDS * still_speed(sleeper["radius"], sleep.root_gravity)
        if wake == DISTURBED or (wake != UNSUPPORTED and slow <= 0.0):
            need = math.inf
        elif wake == STRUCK:
            need += sleeper["wake_impulse"] / slow
    return need, is_any


@lean_inline
def _mark_falling(sleep, owners, kept, others):
    """Reach those that what has borne them leaves, with all that lies on them."""
    falls = False
    for b in range(sleep.sleeper.shape[0]):
        if sleep.sleeper[b]["wake"] == UNSUPPORTED:
            sleep.mark[root_of(sleep.island, b)] = REACHED
            falls = True
    while falls:
        falls = _spread_upwards(sleep, owners, kept)
        falls = _spread_upwards(sleep, owners, others) or falls


@lean_inline
def _mark_moved(sleep, owners, kept, others, need):
    """Reach those that are next and what leans on them, until they have the mass that is needed."""
    island, mark = sleep.island, sleep.mark
    total = 0.0
    while True:
        mass = 0.0
        for b in range(mark.shape[0]):
            if mark[root_of(island, b)] == NEXT:
                mass += owners.mass[b]
        for b in range(mark.shape[0]):
            if mark[b] == NEXT:
                mark[b] = REACHED
        total += mass
        if mass == 0.0 or total >= need:
            break
        _spread(sleep, owners, kept)
        _spread(sleep, owners, others)


@lean_inline
def _wake_up(owners, b):
    """Give a sleeper its mass back; it starts from rest, or as what carried it."""
    owners.asleep[b] = AWAKE
    owners.inverse_mass[b] = 1.0 / owners.mass[b]
    write_inverse_inertia(owners, b)
    write_momentum(owners, b)


@lean_inline
def _pair_of(sleep, owners, contact):
    """The two bodies of a remembered contact, and whether nothing drives either."""
    a, b = owners_of(sleep, contact)
    return a, b, are_free(owners, sleep.sleeper.shape[0], a, b)


@lean_inline
def _join_all(sleep, owners, remembered):
    """All that lean on each other hang together."""
    for c in range(remembered.shape[0]):
        a, b, is_free = _pair_of(sleep, owners, remembered[c])
        if is_free:
            join(sleep.island, a, b)


@lean_inline
def _spread(sleep, owners, remembered):
    """Put what leans on those that are reached into the next ring."""
    mark = sleep.mark
    for c in range(remembered.shape[0]):
        a, b, is_free = _pair_of(sleep, owners, remembered[c])
        if not is_free:
            continue
        i, j = root_of(sleep.island, a), root_of(sleep.island, b)
        if mark[i] == REACHED and mark[j] == 0:
            mark[j] = NEXT
        elif mark[j] == REACHED and mark[i] == 0:
            mark[i] = NEXT


@lean_inline
def _spread_upwards(sleep, owners, remembered):
    """Reach what lies on those that are reached; whether there was any."""
    mark = sleep.mark
    found = False
    for c in range(remembered.shape[0]):
        a, b, is_free = _pair_of(sleep, owners, remembered[c])
        if not is_free:
            continue
        i, j = root_of(sleep.island, a), root_of(sleep.island, b)
        if mark[i] == mark[j]:
            continue
        way = sub(load(owners.position, b), load(owners.position, a))
        rise = -dot(vec(sleep.gravity), way)
        if mark[i] == REACHED and rise > 0.0:
            mark[j] = REACHED
            found = True
        elif mark[j] == REACHED and rise < 0.0:
            mark[i] = REACHED
            found = True
    return found
