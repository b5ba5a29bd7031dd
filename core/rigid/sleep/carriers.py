"""What carries sleepers: the floor of a lift, a wagon or a slow turntable that goes on as it went.

What rests relative to one driven thing falls asleep on it, moves with it as one rigid thing from
then on, and has its velocity when it wakes. So a sleeper's velocity is that of what carried it
last; where that is to change by more than stillness allows for, the sleeper is not carried along
but wakes.

What leans on two driven things that move apart is carried by neither.
"""

from __future__ import annotations

from ...collision.broad_phase import STILL
from ...islands import join, root_of
from ...kernels.jit import kernel, lean_inline
from ...rotation import conjugate, product, quaternion, set_quaternion, spin_of_turn
from ...vec3 import ZERO, add, along, cross, divide, length, load, store, sub
from ...vector import turned_by
from ..contacts.contact_table import NORMAL
from ..owners import AWAKE, CARRIED, RESTING, velocity_of, write_momentum
from .sleepers import DEFORMING, DISTURBED, FIRST_CARRIER, UNCARRIED, UNSTEADY, bears, owners_of
from .stillness import CHANGE, REST_TIME, are_free, still_speed

NONE_MET, DISUNITED = -2, -3
"""Carriers of an island that has met nothing driven yet, or two such that move apart."""

ALIKE = 0.01
"""Share of the speed of what is still by which two that move alike may part: Blender's places have
seven digits."""


@lean_inline
def _moves(sleep, owners, drive, o):
    """Whether an owner may carry: the inputs lead it somewhere, as a rigid thing."""
    is_led = 0 <= o < drive.start_position.shape[0]
    return is_led and owners.driven[o] == 1 and sleep.motion[o] not in (STILL, DEFORMING)


@lean_inline
def _turn(drive, c):
    """How a driven owner turns in the frame; exactly nothing where it does not."""
    start, end = quaternion(drive.start_orientation[c]), quaternion(drive.end_orientation[c])
    if start == end:
        return 1.0, 0.0, 0.0, 0.0
    return product(end, conjugate(start))


@lean_inline
def carried_to(drive, c, x, q):
    """Where the frame takes what is at x (m), turned by q, as one with driven owner c."""
    start, end = load(drive.start_position, c), load(drive.end_position, c)
    turn = _turn(drive, c)
    if turn[0] == 1.0:
        return add(x, sub(end, start)), q
    return add(end, turned_by(turn, sub(x, start))), product(turn, q)


@lean_inline
def _motion_at(drive, c, x):
    """Velocity m/s and spin rad/s over the frame at x (m) of something driven; none for others."""
    if c < 0 or c >= drive.start_position.shape[0]:
        return ZERO, ZERO
    turn = _turn(drive, c)
    end, _ = carried_to(drive, c, x, turn)
    velocity = divide(sub(end, x), drive.duration)
    return velocity, spin_of_turn(turn, drive.duration)


@lean_inline
def _parting(one, other, radius):
    """Fastest that two motions (velocity, spin) part anything within radius (m), m/s."""
    return length(sub(one[0], other[0])) + radius * length(sub(one[1], other[1]))


@lean_inline
def move_alike(sleep, owners, a, b):
    """Whether owner b goes on with body a as if they were one, at this moment."""
    sleeper, x = sleep.sleeper[a], load(owners.position, a)
    mine = (load(owners.velocity, a), load(owners.spin, a))
    others = (velocity_of(owners, b, x), load(owners.spin, b))
    slow = ALIKE * still_speed(sleeper["radius"], sleep.root_gravity)
    return _parting(mine, others, sleeper["radius"]) <= slow


@lean_inline
def _offer(sleep, drive, b, other):
    """The island of body b leans on something driven, or on nothing (−1)."""
    root = root_of(sleep.island, b)
    known = sleep.carrier[root]
    if known == DISUNITED:
        return
    if known == NONE_MET:
        sleep.carrier[root] = other
        return
    x, sleeper = load(drive.start_position, b), sleep.sleeper[b]
    slow = ALIKE * still_speed(sleeper["radius"], sleep.root_gravity)
    if _parting(_motion_at(drive, known, x), _motion_at(drive, other, x), sleeper["radius"]) > slow:
        sleep.carrier[root] = DISUNITED


@lean_inline
def _lean_on(sleep, owners, drive, a, b):
    """Two that touch or are joined, one of them driven: the other's island leans on it."""
    count = sleep.sleeper.shape[0]
    if a < 0 or b < 0 or are_free(owners, count, a, b):
        return
    if a < count and owners.driven[a] == 0:
        _offer(sleep, drive, a, b)
    elif b < count and owners.driven[b] == 0:
        _offer(sleep, drive, b, a)


@lean_inline
def _is_anything_led(sleep, owners, drive):
    """Whether anything moves that could carry."""
    found = False
    for o in range(drive.start_position.shape[0]):
        found |= _moves(sleep, owners, drive, o)
    return found


@lean_inline
def _begin_islands(sleep):
    """Each body by itself, of which it is not known what it leans on."""
    for b in range(sleep.sleeper.shape[0]):
        sleep.island[b] = b
        sleep.carrier[b] = NONE_MET


@lean_inline
def _carrier_of(sleep, owners, drive, b):
    """What carries a body, known for its island; `UNCARRIED` where that stands still."""
    c = sleep.carrier[root_of(sleep.island, b)]
    return c if _moves(sleep, owners, drive, c) else UNCARRIED


@lean_inline
def _hang_together(sleep, owners, a, b, is_wide):
    """Whether two are of one island: both asleep, or, where it is wide, both free."""
    if not are_free(owners, sleep.sleeper.shape[0], a, b):
        return False
    return is_wide or (owners.asleep[a] != AWAKE and owners.asleep[b] != AWAKE)


@lean_inline
def _find_for_sleepers(sleep, owners, drive, remembered, is_wide):
    """What carries sleepers of which it is not known yet, by contacts (c,) and joints.

    Their own islands tell, or, is_wide, those of all: who lies on top may fall asleep first.
    """
    _begin_islands(sleep)
    for c in range(remembered.shape[0]):
        a, b = owners_of(sleep, remembered[c])
        if bears(remembered[c]) and _hang_together(sleep, owners, a, b, is_wide):
            join(sleep.island, a, b)
    for j in range(sleep.joint_body.shape[0]):
        a, b = sleep.joint_body[j, 0], sleep.joint_body[j, 1]
        if _hang_together(sleep, owners, a, b, is_wide):
            join(sleep.island, a, b)
    for c in range(remembered.shape[0]):
        if bears(remembered[c]):
            a, b = owners_of(sleep, remembered[c])
            _lean_on(sleep, owners, drive, a, b)
    for j in range(sleep.joint_body.shape[0]):
        _lean_on(sleep, owners, drive, sleep.joint_body[j, 0], sleep.joint_body[j, 1])
    is_any = False
    for b in range(sleep.sleeper.shape[0]):
        if owners.asleep[b] == AWAKE or sleep.sleeper[b]["carrier"] != NONE_MET:
            continue
        if is_wide or sleep.carrier[root_of(sleep.island, b)] != NONE_MET:
            sleep.sleeper[b]["carrier"] = _carrier_of(sleep, owners, drive, b)
        else:
            is_any = True
    return is_any


@kernel
def feel_carriers(sleep, owners, drive, remembered):
    """Let sleepers feel what carries them otherwise than before, at the start of a frame.

    remembered (c,): `REMEMBERED_CONTACT`. Writes the `carrier` of each.
    """
    is_led = _is_anything_led(sleep, owners, drive)
    for b in range(sleep.sleeper.shape[0]):
        sleep.sleeper[b]["carrier"] = (
            NONE_MET if is_led and owners.asleep[b] != AWAKE else UNCARRIED
        )
    if is_led and _find_for_sleepers(sleep, owners, drive, remembered, False):
        _find_for_sleepers(sleep, owners, drive, remembered, True)
    for b in range(sleep.sleeper.shape[0]):
        if owners.asleep[b] == AWAKE:
            continue
        sleeper = sleep.sleeper[b]
        led = _motion_at(drive, sleeper["carrier"], load(owners.position, b))
        before = (load(owners.velocity, b), load(owners.spin, b))
        change = _parting(led, before, sleeper["radius"]) / drive.duration
        still = still_speed(sleeper["radius"], sleep.root_gravity)
        if change * REST_TIME > CHANGE * still:
            sleeper["wake"] = DISTURBED


@kernel
def carry_sleepers(sleep, owners, drive, last_load):
    """Take sleepers along for the frame: they are led as what carries them is.

    last_load (b, 3) m/s²: what they fell asleep under turns with them, so that one whose floor
    tilts feels that gravity has turned.
    """
    carries = False
    for b in range(sleep.sleeper.shape[0]):
        c = sleep.sleeper[b]["carrier"]
        if owners.asleep[b] == AWAKE:
            continue
        if c == UNCARRIED:
            store(owners.velocity, b, ZERO)
            store(owners.spin, b, ZERO)
            store(owners.momentum, b, ZERO)
            continue
        carries = True
        owners.asleep[b] = CARRIED
        sleep.motion[b] = FIRST_CARRIER + c
        sleep.motion[c] = FIRST_CARRIER + c
        x, q = load(owners.position, b), quaternion(owners.orientation[b])
        end, turned = carried_to(drive, c, x, q)
        store(drive.end_position, b, end)
        set_quaternion(drive.end_orientation[b], turned)
        velocity, spin = _motion_at(drive, c, x)
        store(owners.velocity, b, velocity)
        store(owners.spin, b, spin)
        write_momentum(owners, b)
        turn_load(drive, c, last_load, b)
    for b in range(sleep.sleeper.shape[0]):
        if carries and owners.driven[b] == 1:  # for sleepers to feel whether it goes along
            velocity, spin = _motion_at(drive, b, load(owners.position, b))
            store(owners.velocity, b, velocity)
            store(owners.spin, b, spin)


@lean_inline
def turn_load(drive, c, last_load, b):
    """The load (b, 3) m/s² of a body as it was, on what has turned since."""
    store(last_load, b, turned_by(_turn(drive, c), load(last_load, b)))


@lean_inline
def find_carriers(sleep, owners, joints, contacts, drive, previous):
    """Find what carries bodies that are awake, at the end of a frame.

    Writes `carrier` of each: `UNCARRIED` for those whose island leans on nothing that moves, or on
    what moves apart; `UNSTEADY` where that goes on otherwise than before. previous (b, 3) m: x* of
    bodies at its start.
    """
    for b in range(previous.shape[0]):
        if owners.asleep[b] != CARRIED:
            sleep.sleeper[b]["carrier"] = UNCARRIED
    if not _is_anything_led(sleep, owners, drive):
        return
    _begin_islands(sleep)
    count = sleep.sleeper.shape[0]
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        a, b = row["owner"][0], row["owner"][1]
        if row["impulse"][NORMAL] > 0.0 and are_free(owners, count, a, b):
            join(sleep.island, a, b)
    for j in range(sleep.joint_holds.shape[0]):
        a, b = joints.joint[j]["body"][0], joints.joint[j]["body"][1]
        if sleep.joint_holds[j] and are_free(owners, count, a, b):
            join(sleep.island, a, b)
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if row["impulse"][NORMAL] > 0.0:
            _lean_on(sleep, owners, drive, row["owner"][0], row["owner"][1])
    for j in range(sleep.joint_holds.shape[0]):
        if sleep.joint_holds[j]:
            a, b = joints.joint[j]["body"][0], joints.joint[j]["body"][1]
            _lean_on(sleep, owners, drive, a, b)
    for b in range(count):
        if owners.asleep[b] == RESTING:
            _offer(sleep, drive, b, UNCARRIED)
        elif owners.asleep[b] == CARRIED:
            _offer(sleep, drive, b, sleep.sleeper[b]["carrier"])
    for b in range(count):
        if owners.driven[b] == 1 or owners.asleep[b] == CARRIED:
            continue
        c, sleeper = _carrier_of(sleep, owners, drive, b), sleep.sleeper[b]
        still = still_speed(sleeper["radius"], sleep.root_gravity)
        if c != UNCARRIED and not _is_steady(
            drive, c, load(drive.start_position, b), previous, still
        ):
            c = UNSTEADY
        sleeper["carrier"] = c


@lean_inline
def _is_steady(drive, c, x, previous, still):
    """Whether what is at x (m) of driven owner c feels no other load for it than at rest.

    That is how c differs from the last frame, and what keeps things on a circle.
    """
    count = previous.shape[0]
    start, end = load(drive.start_position, c), load(drive.end_position, c)
    velocity = divide(sub(end, start), drive.duration)
    if c < count:
        before = divide(sub(start, load(previous, c)), drive.step)
    else:
        before = load(drive.collider_velocity, c - count)
    change = divide(sub(velocity, before), drive.duration)
    spin = spin_of_turn(_turn(drive, c), drive.duration)
    inwards = cross(spin, cross(spin, sub(x, start)))
    return length(add(change, inwards)) * REST_TIME <= CHANGE * still


@lean_inline
def lie_down(sleep, owners, b):
    """Give a body that falls asleep the velocity of what carries it, or none."""
    c = sleep.sleeper[b]["carrier"]
    velocity, spin = ZERO, ZERO
    if c >= 0:
        velocity, spin = velocity_of(owners, c, load(owners.position, b)), load(owners.spin, c)
    store(owners.velocity, b, velocity)
    store(owners.spin, b, spin)
    write_momentum(owners, b)


@lean_inline
def end_ride(owners, drive, b):
    """Put a sleeper that was carried exactly where the frame takes it."""
    store(owners.position, b, along(load(drive.end_position, b), 0.0, ZERO))
    set_quaternion(owners.orientation[b], quaternion(drive.end_orientation[b]))
