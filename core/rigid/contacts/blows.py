"""Blows between bodies that bounce: one after the other, each on the approach that there is then.

A rebound fixed from the velocities before anything is solved makes energy: a ball between a floor
and another one that falls on it is thrown up by both. So contacts that close within the step faster
than `RESTING_FALLS` reflect their present approach, in the order of time, until none approaches
(pairwise Gauss–Seidel reflections: Smith et al. 2012, "Reflections on simultaneous impact"). A blow
is passed on through a row of balls as by Newton's cradle. What approaches slower is left to the
sweeps.

With v the velocity of the step, u that at the time t of a blow, and a what gravity makes of it,

    u = v + a (t − h/2),    u' = −e u,    x(h) = x(0) + h v' − t Δv,

the path is the exact one, two parabolas. E = ½ m |v + a h/2|² − m a·x changes by ½ m Δv (u + u´)
whatever t is, so that elastic blows keep it to rounding, and no blow adds to it: each takes the
approach that there is, u < 0, to no more than its opposite. The way −t Δv is made by impulses that
act after the move instead of before it (`delay_blows`): each at one point of the world at its time,
so that momenta are kept. Where the arms have turned meanwhile, energy says how large they are.
"""

from __future__ import annotations

import math

from ...collision.contact_law import RESTING_FALLS, normal_sum
from ...collision.restitution import time_of_hit
from ...kernels.jit import lean, lean_inline
from ...vec3 import dot, length, shift, vec
from ..articulation.twist import six
from .contact_groups import is_either_jointed
from .contact_point import contact_speed, lever, push_contact, turned
from .contact_sweep import push_row
from .contact_table import DYNAMIC, NORMAL, PARTS, STATIC
from .friction_cone import cone_impulse
from .limb_impulses import (
    ALL_AXES,
    NO_AXIS,
    answer_friction,
    answer_manifold,
    spread_wrench,
    wrench_of,
)

ELASTIC_FALLS = 1.0
"""`RESTING_FALLS` of what loses nothing, which only rests where it has never moved."""

MOST_BLOW_SWEEPS = 100
"""Sweeps of blows in a substep; what approaches still is left to the sweeps that rest."""

MANIFOLD_ROUNDS = 100
"""Rounds over the points of a manifold in a blow, which is to keep energy."""

BLOW_SETTLED = 1e-12
"""Share of the impulses of a manifold that may change in a round which needs no other."""

BLOW_EXACT = 1e-12
"""Share of the energy of a delayed blow that may be missing."""


@lean_inline
def _slowest_blow(restitution, gravity, h):
    """Approach in m/s from which on contacts bounce."""
    return (RESTING_FALLS if restitution < 1.0 else ELASTIC_FALLS) * h * length(vec(gravity))


@lean_inline
def _acceleration(contacts, row, owners, gravity, h):
    """What gravity adds to the speed of a relative to b along the normal, m/s².

    What hangs on joints does not fall as it would without: what was added to it is known (`lead`).
    More than gravity was a blow by a joint, which is over.
    """
    axis, total, most = vec(row["axis"][NORMAL]), 0.0, length(vec(gravity))
    for side in range(2):
        o = row["owner"][side]
        gain = 0.0
        if contacts.groups.is_jointed[o]:
            lead, arm = six(contacts.limbs.body[o]["lead"]), lever(row, NORMAL, side)
            for k in range(3):
                gain += (axis[k] * lead[k] + arm[k] * lead[3 + k]) * (2.0 / h)
            gain = min(max(gain, -most), most)
        elif owners.inverse_mass[o] > 0.0:
            gain = dot(axis, vec(gravity))
        total += gain if side == 0 else -gain
    return total


@lean_inline
def _gap_now(row, delayed, h):
    """Gap at the start of the step on the path that leads through the last blow, m."""
    return row["gap"] + h * contact_speed(row, NORMAL, delayed)


@lean_inline
def _meeting(contacts, row, owners, gravity, h):
    """When the two of a row meet within the step, and how fast they part then: s, m/s.

    Infinite and 0 where they do not. Joints have to agree with where a body gets: what hangs on
    them is struck at the start of the step.
    """
    speed = contact_speed(row, NORMAL, owners)
    gap = _gap_now(row, contacts.delayed, h)
    if gap + h * speed >= 0.0:
        return math.inf, 0.0
    a = _acceleration(contacts, row, owners, gravity, h)
    v = speed - 0.5 * a * h
    if is_either_jointed(contacts.groups, row):
        return 0.0, v
    t = time_of_hit(max(gap, 0.0), v, a, h)
    return t, v + a * t


@lean_inline
def _earliest(contacts, first, owners, gravity, h):
    """When the first points of a manifold are struck, s; infinite where none is."""
    earliest = math.inf
    for c in range(first, first + contacts.rows[first]["points"]):
        restitution = contacts.origin[c]["restitution"]
        if restitution > 0.0:
            t, speed = _meeting(contacts, contacts.rows[c], owners, gravity, h)
            if speed < -_slowest_blow(restitution, gravity, h):
                earliest = min(earliest, t)
    return earliest


@lean_inline
def _find_hits(contacts, owners, gravity, h):
    """List manifolds that are struck; how many."""
    count = 0
    first = 0
    while first < contacts.count[0]:
        t = _earliest(contacts, first, owners, gravity, h)
        if t < math.inf:
            contacts.hits[count]["time"] = t
            contacts.hits[count]["row"] = first
            count += 1
        first += contacts.rows[first]["points"]
    return count


@lean_inline
def _sort_hits(hits, count):
    """By time, and by row where that is the same (Shell 1959)."""
    step = count // 2
    while step > 0:
        for i in range(step, count):
            time, row = hits[i]["time"], hits[i]["row"]
            j = i
            while j >= step:
                other = hits[j - step]
                if other["time"] < time or (other["time"] == time and other["row"] < row):
                    break
                hits[j]["time"], hits[j]["row"] = other["time"], other["row"]
                j -= step
            hits[j]["time"], hits[j]["row"] = time, row
        step //= 2


@lean_inline
def _ask(contacts, first, owners, gravity, h, t):
    """What the points of a manifold ask for that are struck at time t."""
    for c in range(first, first + contacts.rows[first]["points"]):
        row = contacts.rows[c]
        e = contacts.origin[c]["restitution"]
        a = _acceleration(contacts, row, owners, gravity, h)
        v = contact_speed(row, NORMAL, owners) - 0.5 * a * h
        gap = _gap_now(row, contacts.delayed, h) + t * (v + 0.5 * a * t)
        speed = v + a * t
        is_struck = speed < 0.0 and (gap <= row["slop"] or is_either_jointed(contacts.groups, row))
        row["impulse"][PARTS] = 0.0
        row["softness"] = 0.0 if is_struck else 1.0
        is_blow = speed < -_slowest_blow(e, gravity, h)
        contacts.rebound[c]["approach"] = speed
        row["velocity_error"] = (1.0 + e) * speed if is_blow else speed


@lean_inline
def _solve_manifold(contacts, first):
    """Impulses of the points of a manifold that reflect their approach."""
    rows = contacts.rows
    n = rows[first]["points"]
    for _ in range(MANIFOLD_ROUNDS):
        whole, changed = 0.0, 0.0
        for i in range(n):
            row = rows[first + i]
            if row["softness"] == 1.0:
                continue
            now = row["impulse"][PARTS]
            impulse = normal_sum(now, -(row["mass"] * row["velocity_error"]))
            change = impulse - now
            whole += impulse
            if change != 0.0:
                row["impulse"][PARTS] = impulse
                changed += abs(change)
                if n == 1:
                    row["velocity_error"] += change / row["mass"]
                for k in range(n if n > 1 else 0):
                    rows[first + k]["velocity_error"] += row["coupling"][k] * change
        if n == 1 or changed <= BLOW_SETTLED * whole:
            return
    _make_no_energy(contacts, first)


@lean_inline
def _make_no_energy(contacts, first):
    """Shorten impulses that rounds could not settle, so that p·(u + u´) is no more than 0."""
    rows = contacts.rows
    n = rows[first]["points"]
    work, square = 0.0, 0.0  # p·u and p·W p, J
    for i in range(n):
        row = rows[first + i]
        work += row["impulse"][PARTS] * contacts.rebound[first + i]["approach"]
        for k in range(n):
            p = rows[first + k]["impulse"][PARTS]
            square += row["impulse"][PARTS] * row["coupling"][k] * p
    if square > 0.0 and square > -2.0 * work:
        share = max(0.0, -2.0 * work / square)
        for i in range(n):
            rows[first + i]["impulse"][PARTS] *= share


@lean_inline
def _rub(contacts, c, owners, has_limb):
    """Friction that the blow at row c allows."""
    row = contacts.rows[c]
    if has_limb and row["answered"] != ALL_AXES:
        answer_friction(contacts, c, owners)
    w = row["mobility"]
    v1, v2 = contact_speed(row, 1, owners), contact_speed(row, 2, owners)
    most = row["friction"][STATIC] * row["impulse"][PARTS]
    p1, p2, slides = cone_impulse(w[0], w[1], w[2], v1, v2, 0.0, 0.0, most)
    if slides and row["friction"][DYNAMIC] != row["friction"][STATIC]:
        most = row["friction"][DYNAMIC] * row["impulse"][PARTS]
        p1, p2, slides = cone_impulse(w[0], w[1], w[2], v1, v2, 0.0, 0.0, most)
    push_row(contacts, c, 1, owners, has_limb, p1)
    push_row(contacts, c, 2, owners, has_limb, p2)


@lean_inline
def _delay(contacts, c, owners, p):
    """An impulse p along the normal acts after the move: what that takes off velocities in it."""
    row, delayed = contacts.rows[c], contacts.delayed
    contacts.rebound[c]["delay"] += p
    a, b = row["owner"][0], row["owner"][1]
    axis = vec(row["axis"][NORMAL])
    shift(delayed.velocity, a, -p * owners.inverse_mass[a], axis)
    shift(delayed.velocity, b, p * owners.inverse_mass[b], axis)
    shift(delayed.spin, a, -p, turned(row, NORMAL, 0, owners))
    shift(delayed.spin, b, p, turned(row, NORMAL, 1, owners))


@lean
def _strike(contacts, first, owners, gravity, h):
    """Reflect the approach of a manifold, if it is struck still."""
    t = _earliest(contacts, first, owners, gravity, h)
    if t == math.inf:
        return
    rows, limbs = contacts.rows, contacts.limbs
    head = rows[first]
    a, b = head["owner"][0], head["owner"][1]
    is_limb_a, is_limb_b = limbs.body[a]["known"] == 1, limbs.body[b]["known"] == 1
    has_limb = is_limb_a or is_limb_b
    if has_limb and head["answered"] == NO_AXIS:
        answer_manifold(contacts, first, owners)
    wrench_a, wrench_b = wrench_of(limbs, a), wrench_of(limbs, b)
    _ask(contacts, first, owners, gravity, h, t)
    _solve_manifold(contacts, first)
    for c in range(first, first + head["points"]):
        p = rows[c]["impulse"][PARTS]
        if p > 0.0:
            push_row(contacts, c, NORMAL, owners, has_limb, p)
            if t > 0.0:
                _delay(contacts, c, owners, p * t / h)
    for c in range(first, first + head["points"]):
        if rows[c]["impulse"][PARTS] > 0.0:
            _rub(contacts, c, owners, has_limb)
            rows[c]["impulse"][PARTS] = 0.0
    if is_limb_a:
        spread_wrench(limbs, owners, a, b, wrench_a)
    if is_limb_b:
        spread_wrench(limbs, owners, b, a, wrench_b)


@lean_inline
def begin_blows(contacts):
    """A substep begins, in which nothing has been struck yet."""
    contacts.struck[0] = 0
    if contacts.bouncy[0] == 0:
        return
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        contacts.rebound[c]["delay"] = 0.0
        for side in range(2):
            for k in range(3):
                contacts.delayed.velocity[row["owner"][side], k] = 0.0
                contacts.delayed.spin[row["owner"][side], k] = 0.0


@lean
def strike_all(contacts, owners, gravity, h):
    """Blows of the substep on velocities of it; whether there were any."""
    is_any = False
    for _ in range(MOST_BLOW_SWEEPS):
        count = _find_hits(contacts, owners, gravity, h)
        if count == 0:
            break
        _sort_hits(contacts.hits, count)
        for k in range(count):
            _strike(contacts, contacts.hits[k]["row"], owners, gravity, h)
        is_any = True
        contacts.struck[0] += 1
    return is_any


@lean_inline
def take_delayed_gaps(contacts, h):
    """Gaps on the paths that lead through the blows, for the sweeps that follow."""
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        row["gap"] = _gap_now(row, contacts.delayed, h)


@lean_inline
def touch_limbs(contacts, owners, gravity, h):
    """Mark all limbs that may be struck as touched, if one is; whether any is."""
    is_any = False
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        restitution = contacts.origin[c]["restitution"]
        if restitution == 0.0:
            continue
        if is_either_jointed(contacts.groups, row):
            _, speed = _meeting(contacts, row, owners, gravity, h)
            is_any |= speed < -_slowest_blow(restitution, gravity, h)
    for c in range(contacts.count[0] if is_any else 0):
        row = contacts.rows[c]
        if contacts.origin[c]["restitution"] > 0.0:
            for side in range(2):
                if owners.inverse_mass[row["owner"][side]] > 0.0:
                    contacts.limbs.body[row["owner"][side]]["touched"] = 1
    return is_any


@lean_inline
def _speed_at_end(contacts, row, owners, gravity, h):
    """Speed along the normal at the end of the step, m/s: velocities are those of its middle."""
    return contact_speed(row, NORMAL, owners) + 0.5 * h * _acceleration(
        contacts, row, owners, gravity, h
    )


@lean_inline
def note_delays(contacts, owners, gravity, h):
    """Before the move: note the energy (J) that `delay_blows` will take off."""
    if contacts.struck[0] == 0:
        return
    for c in range(contacts.count[0]):
        row, rebound = contacts.rows[c], contacts.rebound[c]
        rebound["delayed_energy"] = 0.0
        if rebound["delay"] > 0.0:
            before = _speed_at_end(contacts, row, owners, gravity, h)
            push_contact(row, NORMAL, owners, -rebound["delay"])
            after = _speed_at_end(contacts, row, owners, gravity, h)
            rebound["delayed_energy"] = -0.5 * rebound["delay"] * (before + after)
    undo_delays(contacts, owners)


@lean_inline
def delay_blows(contacts, owners):
    """Take off what acts after the move."""
    for c in range(contacts.count[0] if contacts.struck[0] > 0 else 0):
        p = contacts.rebound[c]["delay"]
        if p > 0.0:
            push_contact(contacts.rows[c], NORMAL, owners, -p)


@lean_inline
def undo_delays(contacts, owners):
    """As before `delay_blows`."""
    for c in range(contacts.count[0] if contacts.struck[0] > 0 else 0):
        p = contacts.rebound[c]["delay"]
        if p > 0.0:
            push_contact(contacts.rows[c], NORMAL, owners, p)


@lean_inline
def _near(first, second, energy, wanted):
    """The share of an impulse, of the two that bring some energy or nearly so, nearest to wanted.

    first and second: J by all of it on what moves, and on what rests, times two.
    """
    root = math.sqrt(max(first * first + 2.0 * second * energy, 0.0))
    less, more = (-first - root) / second, (-first + root) / second
    return less if abs(less - wanted) < abs(more - wanted) else more


@lean_inline
def _give_back(contacts, c, owners, gravity, h, energy, wanted):
    """Push with about a wanted share of what was delayed, so that it brings some energy.

    Returns what is missing of it, J.
    """
    row, p = contacts.rows[c], contacts.rebound[c]["delay"]
    first = p * _speed_at_end(contacts, row, owners, gravity, h)
    second = p * p / row["mass"]
    share = _near(first, second, energy, wanted)
    push_contact(row, NORMAL, owners, share * p)
    return energy - share * (first + 0.5 * share * second)


@lean_inline
def end_blows(contacts, owners, gravity, h):
    """After the move, where rows are aimed anew: what was delayed acts, and gives its energy back.

    From the last row to the first, so that each finds the velocities that it left. What one cannot
    give, for bodies have turned, others do.
    """
    if contacts.struck[0] == 0:
        return
    owed = 0.0  # J
    for back in range(contacts.count[0]):
        c = contacts.count[0] - 1 - back
        rebound = contacts.rebound[c]
        if rebound["delay"] > 0.0:
            missing = owed - rebound["delayed_energy"]
            owed = _give_back(contacts, c, owners, gravity, h, missing, 1.0)
    for c in range(contacts.count[0]):
        rebound = contacts.rebound[c]
        if rebound["delay"] > 0.0:
            if abs(owed) > BLOW_EXACT * abs(rebound["delayed_energy"]):
                owed = _give_back(contacts, c, owners, gravity, h, owed, 0.0)
            rebound["delay"] = 0.0
