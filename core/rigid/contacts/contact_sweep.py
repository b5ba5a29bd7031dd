"""Sweeps over contacts: Gauss–Seidel over manifolds, sums of impulses clamped (Catto 2005).

One row a contact point: an impulse along the normal and one of friction in the plane of contact,
solved for the velocity of the substep from the impulses of the substep before (`warm_start`). With
g the gap now and h the step,

    (v_a − v_b)·n ≥ −max(g, 0)/h        never to pass through each other within the step,
    |friction| ≤ μ normal impulse       Coulomb.

Once before bodies move, and once more where they have got to, so that x* is what holds there. What
overlaps already is parted by place alone (`position_correction`).

The points of one manifold are solved together (`manifold_solver`). Where two bodies are alone their
velocities stay in registers meanwhile (`pair_motion`); limbs are pushed with all that hangs on
them (`limb_impulses`), and in Jacobi's way points know nothing of each other.
"""

from __future__ import annotations

from ...collision.contact_law import normal_sum
from ...kernels.jit import lean, lean_inline
from ...vec3 import along, dot, scale, vec
from .contact_groups import clear_hard, is_either_jointed
from .contact_point import contact_speed, lever, push_contact, turned
from .contact_table import DYNAMIC, NORMAL, STATIC
from .friction_cone import cone_impulse
from .limb_impulses import (
    ALL_AXES,
    NO_AXIS,
    answer_friction,
    answer_manifold,
    push_limbs,
    spread_wrench,
    wrench_of,
)
from .manifold_solver import holding, push_points, relaxed_change, settle_points
from .pair_motion import (
    load_arms,
    load_masses,
    load_motion,
    point_speed,
    point_velocity,
    pushed_at,
    speeds_along,
    store_motion,
)
from .rim_contact import RIM_ROUNDS, foresee_rims
from .softness import aim_row, aim_velocity, is_deep
from .velocity_buffer import swap_buffers

HARD_ITERATIONS = 12
"""Iterations in a substep in which something bounced."""


@lean_inline
def iterations_now(contacts, iterations):
    """Iterations of this substep: `HARD_ITERATIONS` where something was struck, for all.

    What is hit must agree with what it stands on.
    """
    return max(iterations, HARD_ITERATIONS) if contacts.struck[0] > 0 else iterations


@lean_inline
def mark_hard(contacts, h):
    """Mark groups that are driven out of deep places: they go on to the last iteration.

    Joints must agree with that.
    """
    groups = contacts.groups
    clear_hard(groups)
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if is_deep(row, h):
            for side in range(2):
                o = row["owner"][side]
                if groups.is_jointed[o]:
                    groups.hard[groups.group[o]] = 1


@lean_inline
def _count_sharers(contacts, h):
    """How many rows hold each owner: those that push, or will be hit within the step."""
    sharers = contacts.buffer.sharers
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        is_hit = row["gap"] + h * contact_speed(row, NORMAL, contacts.buffer) < 0.0
        if row["impulse"][NORMAL] > 0.0 or is_hit:
            sharers[row["owner"][0]] += 1.0
            sharers[row["owner"][1]] += 1.0


@lean_inline
def begin_sweep(contacts, owners, h):
    """What contacts are to see of the velocities in this sweep."""
    if contacts.buffer.is_jacobi:
        swap_buffers(contacts.buffer, owners)
        _count_sharers(contacts, h)


@lean_inline
def _mobility(row, d, e, owners, buffer):
    """Speed along axis d by an impulse along axis e, 1/kg, of what other rows leave of the two.

    In Jacobi's way, where both are cut into as many as rows hold them.
    """
    a, b = row["owner"][0], row["owner"][1]
    f, g = max(buffer.sharers[a], 1.0), max(buffer.sharers[b], 1.0)
    total = f * owners.inverse_mass[a] + g * owners.inverse_mass[b] if d == e else 0.0
    total += f * dot(lever(row, d, 0), turned(row, e, 0, owners))
    return total + g * dot(lever(row, d, 1), turned(row, e, 1, owners))


@lean_inline
def push_row(contacts, c, d, owners, has_limb, p):
    """An impulse p along axis d on a, and against it on b; has_limb: something hangs on either."""
    if has_limb:
        push_limbs(contacts, c, d, owners, p)
    else:
        push_contact(contacts.rows[c], d, owners, p)


@lean_inline
def _settle_apart(contacts, first, axis, owners):
    """Impulses of the points of a manifold that know nothing of each other (Jacobi)."""
    rows = contacts.rows
    for c in range(first, first + rows[first]["points"]):
        row = rows[c]
        now = row["impulse"][axis]
        w = _mobility(row, NORMAL, NORMAL, owners, contacts.buffer)
        change = -(row["velocity_error"] / w) if w > 0.0 else 0.0
        row["impulse_before"] = now
        row["impulse"][axis] = (1.0 - row["softness"]) * normal_sum(now, change)


@lean_inline
def push_manifold(contacts, first, axis, owners, has_limb):
    """Normal impulses that take away the velocity errors of a manifold; whether any changed.

    axis: NORMAL for impulses that are remembered, PARTS for those that part an overlap. has_limb:
    see `push_row`.
    """
    rows = contacts.rows
    if contacts.buffer.is_jacobi:
        _settle_apart(contacts, first, axis, owners)
    else:
        settle_points(rows, first, axis)
    is_changed = False
    for c in range(first, first + rows[first]["points"]):
        change = relaxed_change(rows[c], axis, contacts.buffer.relaxation)
        if change != 0.0:
            push_row(contacts, c, NORMAL, owners, has_limb, change)
            is_changed = True
    return is_changed


@lean_inline
def _friction_impulse(row, w, v1, v2, relaxation, most):
    """Friction of a row of mobility w (3,) that slides by (v1, v2) m/s, at most so many N·s.

    Returns what it changes, two parts, and whether it slides.
    """
    old1, old2 = row["impulse"][1], row["impulse"][2]
    v1, v2 = relaxation * v1, relaxation * v2
    p1, p2, slides = cone_impulse(w[0], w[1], w[2], v1, v2, old1, old2, most)
    row["impulse"][1] = p1
    row["impulse"][2] = p2
    return p1 - old1, p2 - old2, slides


@lean_inline
def _holding(row):
    """`holding` of a row, or −1 where there is none of either impulse."""
    p = row["impulse"]
    normal = holding(p[NORMAL], row["impulse_before"], row["softness"])
    if normal == 0.0 and p[1] == 0.0 and p[2] == 0.0:
        return -1.0
    return normal


@lean_inline
def _rub_manifold(contacts, first, owners, has_limb):
    """Friction of a manifold. It slides when all its points do; then dynamic friction is left.

    The first point would stop the body alone: that it cannot does not mean that the others let go.
    """
    head, buffer = contacts.rows[first], contacts.buffer
    for kind in (STATIC, DYNAMIC):
        sticks = False
        for c in range(first, first + head["points"]):
            row = contacts.rows[c]
            normal = _holding(row)
            if normal < 0.0:
                continue
            if has_limb and row["answered"] != ALL_AXES:
                answer_friction(contacts, c, owners)
            w = vec(row["mobility"])
            if buffer.is_jacobi:
                w = (
                    _mobility(row, 1, 1, owners, buffer),
                    _mobility(row, 1, 2, owners, buffer),
                    _mobility(row, 2, 2, owners, buffer),
                )
            v1, v2 = contact_speed(row, 1, buffer), contact_speed(row, 2, buffer)
            most = row["friction"][kind] * normal
            p1, p2, slides = _friction_impulse(row, w, v1, v2, buffer.relaxation, most)
            push_row(contacts, c, 1, owners, has_limb, p1)
            push_row(contacts, c, 2, owners, has_limb, p2)
            sticks = sticks or not slides
        if sticks or head["friction"][STATIC] == head["friction"][DYNAMIC]:
            return


@lean_inline
def _rub_pair(contacts, first, relaxation, swings, masses, motion):
    """`_rub_manifold` of two bodies alone: their motion after it."""
    rows, head = contacts.rows, contacts.rows[first]
    t, s = vec(head["axis"][1]), vec(head["axis"][2])
    for kind in (STATIC, DYNAMIC):
        sticks = False
        for c in range(first, first + head["points"]):
            row = rows[c]
            normal = _holding(row)
            if normal < 0.0:
                continue
            arms, w = load_arms(row), vec(row["mobility"])
            v = point_velocity(arms, motion)
            most = row["friction"][kind] * normal
            v1, v2 = dot(t, v), dot(s, v)
            if swings:
                v1 += contacts.rim[c]["swing"][1]
                v2 += contacts.rim[c]["swing"][2]
            p1, p2, slides = _friction_impulse(row, w, v1, v2, relaxation, most)
            motion = pushed_at(arms, masses, motion, along(scale(p1, t), p2, s))
            sticks = sticks or not slides
        if sticks or head["friction"][STATIC] == head["friction"][DYNAMIC]:
            break
    return motion


@lean_inline
def _note_touch(contacts, row, owners):
    """Contacts push the two of a row in this iteration."""
    groups = contacts.groups
    for side in range(2):
        o = row["owner"][side]
        if owners.inverse_mass[o] > 0.0:
            groups.touched[groups.group[o]] = 1
            contacts.limbs.body[o]["touched"] = 1


@lean_inline
def _is_active(groups, row):
    """Whether either side of a row is of a group that goes on."""
    a, b = groups.group[row["owner"][0]], groups.group[row["owner"][1]]
    return groups.active[a] or groups.active[b]


@lean_inline
def _is_pushed(rows, first):
    """Whether a manifold pushes, or is to."""
    for c in range(first, first + rows[first]["points"]):
        if rows[c]["impulse"][NORMAL] > 0.0 or rows[c]["velocity_error"] < 0.0:
            return True
    return False


@lean_inline
def _solve_pair(contacts, first, owners, h, is_ahead, swings):
    """A manifold of two bodies that nothing hangs on, or whose limbs answer alone.

    swings: see `rim_contact`.
    """
    rows, head = contacts.rows, contacts.rows[first]
    is_jointed = is_either_jointed(contacts.groups, head)
    relaxation = contacts.buffer.relaxation
    motion, masses = load_motion(head, owners), load_masses(head, owners)
    speeds = speeds_along(vec(head["axis"][NORMAL]), motion)
    for c in range(first, first + head["points"]):
        speed = point_speed(load_arms(rows[c]), speeds)
        if swings:
            speed += contacts.rim[c]["swing"][NORMAL]
        aim_row(rows[c], speed, owners, h, is_ahead, is_jointed)
    if not _is_pushed(rows, first):
        return
    motion, _ = push_points(rows, first, NORMAL, relaxation, masses, motion)
    store_motion(head, owners, _rub_pair(contacts, first, relaxation, swings, masses, motion))
    _note_touch(contacts, head, owners)


@lean_inline
def _solve_limbs(contacts, first, owners, h, is_ahead):
    """A manifold of limbs that answer with all that hangs on them, or any in Jacobi's way."""
    rows, head, limbs = contacts.rows, contacts.rows[first], contacts.limbs
    is_jointed = is_either_jointed(contacts.groups, head)
    for c in range(first, first + head["points"]):
        aim_velocity(rows[c], owners, contacts.buffer, h, is_ahead, is_jointed)
    if not _is_pushed(rows, first):
        return
    _note_touch(contacts, head, owners)
    a, b = head["owner"][0], head["owner"][1]
    is_limb_a, is_limb_b = limbs.body[a]["known"] == 1, limbs.body[b]["known"] == 1
    has_limb = is_limb_a or is_limb_b
    if has_limb and head["answered"] == NO_AXIS:
        answer_manifold(contacts, first, owners)
    wrench_a, wrench_b = wrench_of(limbs, a), wrench_of(limbs, b)
    push_manifold(contacts, first, NORMAL, owners, has_limb)
    _rub_manifold(contacts, first, owners, has_limb)
    if is_limb_a:
        spread_wrench(limbs, owners, a, b, wrench_a)
    if is_limb_b:
        spread_wrench(limbs, owners, b, a, wrench_b)


@lean_inline
def _activate_rims(contacts, owners):
    """Groups of bodies on whose rim something wanders go on, no others."""
    groups = contacts.groups
    for g in range(groups.active.shape[0]):
        groups.active[g] = 0
    for c in range(contacts.count[0]):
        row, rim = contacts.rows[c], contacts.rim[c]["radius"]
        for side in range(2):
            o = row["owner"][side]
            if max(rim[0], rim[1]) > 0.0 and owners.inverse_mass[o] > 0.0:
                groups.active[groups.group[o]] = 1


@lean
def settle_rims(contacts, owners, moves, h):
    """Foresee points on rims by the spins that contacts have left, and solve their contacts."""
    if contacts.swings[0] == 0:
        return
    _activate_rims(contacts, owners)
    for _ in range(RIM_ROUNDS):
        foresee_rims(contacts, owners, moves, h)
        sweep_contacts(contacts, owners, h, True, True)


@lean
def sweep_contacts(contacts, owners, h, is_ahead, is_part):
    """One sweep over all rows: the impulses of a manifold first, then the friction they allow.

    is_ahead: bodies have still to move. is_part: over those rows alone that act on active groups.
    """
    begin_sweep(contacts, owners, h)
    body, swings = contacts.limbs.body, contacts.swings[0] == 1
    first = 0
    while first < contacts.count[0]:
        start = first
        head = contacts.rows[start]
        first += head["points"]
        a, b = head["owner"][0], head["owner"][1]
        if is_part and not _is_active(contacts.groups, head):
            continue
        if body[a]["known"] == 1 or body[b]["known"] == 1 or contacts.buffer.is_jacobi:
            _solve_limbs(contacts, start, owners, h, is_ahead)
        else:
            _solve_pair(contacts, start, owners, h, is_ahead, swings)
