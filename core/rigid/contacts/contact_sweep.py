"""Sweeps over contacts: Gauss–Seidel over manifolds, sums of impulses clamped (Catto 2005).

One row a contact point: an impulse along the normal and one of friction in the plane of contact,
solved for the velocity of the substep from the impulses of the substep before (`warm_start`). With
g the gap now and h the step,

    (v_a − v_b)·n ≥ −max(g, 0)/h        never to pass through each other within the step,
    |friction| ≤ μ normal impulse       Coulomb.

Once before bodies move, and once more where they have got to, so that x* is what holds there. What
overlaps already is parted by place alone (`position_correction`).

The points of one manifold are solved together. A box that lands flat must be met by all four
corners at once: one corner after the other turns it a little each time, and a tower of boxes that
is hit from above sways until it falls. What an impulse at one point does to the others is known
(`coupling`), so a few rounds over four numbers do, and bodies are pushed once.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from .contact_groups import clear_hard, is_either_jointed
from .contact_point import contact_speed, push_contact, turning_mobility
from .contact_table import DYNAMIC, NORMAL, STATIC
from .friction_cone import cone_impulse
from .limb_impulses import (
    ALL,
    NONE,
    answer_friction,
    answer_manifold,
    push_limbs,
    spread_wrench,
    wrench_of,
)
from .softness import aim_velocity, is_deep
from .velocity_buffer import swap_buffers

HARD_ITERATIONS = 12
"""Iterations in a substep in which something bounced."""

MANIFOLD_ROUNDS = 4
"""Rounds over the points of a manifold in each sweep."""

SETTLED = 1e-5
"""Share of the impulses of a manifold that may change in a round which needs no other."""


@lean_inline
def iterations_now(contacts, iterations, h):
    """Iterations of this substep: `HARD_ITERATIONS` where something was struck, for all.

    What is hit must agree with what it stands on. Joints must agree with what is driven out of
    deep places: groups that have some are marked as hard, and go on to the last iteration.
    """
    groups = contacts.groups
    if contacts.struck[0] > 0:
        iterations = max(iterations, HARD_ITERATIONS)
    clear_hard(groups)
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if is_deep(row, h):
            for side in range(2):
                o = row["owner"][side]
                if groups.is_jointed[o]:
                    groups.hard[groups.group[o]] = 1
    return iterations


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
def _mass(row, owners, buffer):
    """Effective mass of a row along its normal, kg: of what others leave of the two (Jacobi)."""
    if not buffer.is_jacobi:
        return row["mass"]
    a, b = row["owner"][0], row["owner"][1]
    of_a = owners.inverse_mass[a]
    of_b = owners.inverse_mass[b]
    for k in range(3):
        of_a += row["cross"][NORMAL, 0, k] * row["turn"][NORMAL, 0, k]
        of_b += row["cross"][NORMAL, 1, k] * row["turn"][NORMAL, 1, k]
    total = max(buffer.sharers[a], 1.0) * of_a + max(buffer.sharers[b], 1.0) * of_b
    return 1.0 / total if total > 0.0 else 0.0


@lean_inline
def _mobility(row, owners, buffer):
    """W₁₁, W₁₂, W₂₂ of a row's tangents, 1/kg, of what other rows leave of the two (Jacobi)."""
    if not buffer.is_jacobi:
        return row["mobility"][0], row["mobility"][1], row["mobility"][2]
    a, b = row["owner"][0], row["owner"][1]
    f, g = max(buffer.sharers[a], 1.0), max(buffer.sharers[b], 1.0)
    w = f * owners.inverse_mass[a] + g * owners.inverse_mass[b]
    w11 = w + f * turning_mobility(row, 1, 1, 0) + g * turning_mobility(row, 1, 1, 1)
    w12 = f * turning_mobility(row, 1, 2, 0) + g * turning_mobility(row, 1, 2, 1)
    w22 = w + f * turning_mobility(row, 2, 2, 0) + g * turning_mobility(row, 2, 2, 1)
    return w11, w12, w22


@lean_inline
def push_row(contacts, c, d, owners, has_limb, p):
    """An impulse p along axis d on a, and against it on b; has_limb: something hangs on either."""
    if has_limb:
        push_limbs(contacts, c, d, owners, p)
    else:
        push_contact(contacts.rows[c], d, owners, p)


@lean_inline
def push_manifold(contacts, first, axis, owners, has_limb):
    """Normal impulses that take away the velocity errors of a manifold; whether any changed.

    axis: NORMAL for impulses that are remembered, PARTS for those that part an overlap. In Jacobi's
    way points know nothing of each other. has_limb: see `push_row`.
    """
    rows, buffer = contacts.rows, contacts.buffer
    n = rows[first]["points"]
    for c in range(first, first + n):
        rows[c]["impulse_before"] = rows[c]["impulse"][axis]
    is_coupled = n > 1 and not buffer.is_jacobi
    for _ in range(MANIFOLD_ROUNDS if is_coupled else 1):
        whole, changed = 0.0, 0.0
        for i in range(n):
            row = rows[first + i]
            now = row["impulse"][axis]
            wanted = now - _mass(row, owners, buffer) * row["velocity_error"]
            impulse = max(0.0, (1.0 - row["softness"]) * wanted)
            whole += impulse
            change = impulse - now
            if change != 0.0:
                row["impulse"][axis] = impulse
                changed += abs(change)
                if is_coupled:
                    for k in range(n):
                        rows[first + k]["velocity_error"] += row["coupling"][k] * change
        if changed <= SETTLED * whole:
            break
    is_changed = False
    for c in range(first, first + n):
        row = rows[c]
        before = row["impulse_before"]
        change = buffer.relaxation * (row["impulse"][axis] - before)
        if change != 0.0:
            change = max(change, -before)
            row["impulse"][axis] = before + change
            push_row(contacts, c, NORMAL, owners, has_limb, change)
            is_changed = True
    return is_changed


@lean_inline
def _rub(contacts, c, owners, has_limb, most):
    """Friction of row c, at most so many N·s; whether it slides."""
    row, buffer = contacts.rows[c], contacts.buffer
    w11, w12, w22 = _mobility(row, owners, buffer)
    v1 = buffer.relaxation * contact_speed(row, 1, buffer)
    v2 = buffer.relaxation * contact_speed(row, 2, buffer)
    old1, old2 = row["impulse"][1], row["impulse"][2]
    p1, p2, slides = cone_impulse(w11, w12, w22, v1, v2, old1, old2, most)
    row["impulse"][1] = p1
    row["impulse"][2] = p2
    push_row(contacts, c, 1, owners, has_limb, p1 - old1)
    push_row(contacts, c, 2, owners, has_limb, p2 - old2)
    return slides


@lean_inline
def _rub_manifold(contacts, first, owners, has_limb):
    """Friction of a manifold. It slides when all its points do; then dynamic friction is left.

    The first point would stop the body alone: that it cannot does not mean that the others let go.
    """
    head = contacts.rows[first]
    for kind in (STATIC, DYNAMIC):
        sticks = False
        for c in range(first, first + head["points"]):
            row = contacts.rows[c]
            normal = row["impulse"][NORMAL]
            if row["softness"] > 0.0 and normal > 0.0:
                normal = max(normal, row["impulse_before"])  # what leaks for a moment still holds
            if normal == 0.0 and row["impulse"][1] == 0.0 and row["impulse"][2] == 0.0:
                continue
            if has_limb and row["answered"] != ALL:
                answer_friction(contacts, c, owners)
            most = row["friction"][kind] * normal
            if not _rub(contacts, c, owners, has_limb, most):
                sticks = True
        if sticks or head["friction"][STATIC] == head["friction"][DYNAMIC]:
            return


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


@lean
def sweep_contacts(contacts, owners, h, is_ahead, is_part):
    """One sweep over all rows: the impulses of a manifold first, then the friction they allow.

    is_ahead: bodies have still to move. is_part: over those rows alone that act on active groups.
    """
    begin_sweep(contacts, owners, h)
    first = 0
    while first < contacts.count[0]:
        start = first
        head = contacts.rows[start]
        first += head["points"]
        a, b = head["owner"][0], head["owner"][1]
        if is_part and not _is_active(contacts.groups, head):
            continue
        is_jointed = is_either_jointed(contacts.groups, head)
        is_pushed = False
        for c in range(start, first):
            row = contacts.rows[c]
            aim_velocity(row, owners, contacts.buffer, h, is_ahead, is_jointed)
            is_pushed = is_pushed or row["impulse"][NORMAL] > 0.0 or row["velocity_error"] < 0.0
        if not is_pushed:
            continue
        _note_touch(contacts, head, owners)
        body = contacts.limbs.body
        is_limb_a, is_limb_b = body[a]["known"] == 1, body[b]["known"] == 1
        has_limb = is_limb_a or is_limb_b
        if has_limb and head["answered"] == NONE:
            answer_manifold(contacts, start, owners)
        wrench_a, wrench_b = wrench_of(contacts.limbs, a), wrench_of(contacts.limbs, b)
        push_manifold(contacts, start, NORMAL, owners, has_limb)
        _rub_manifold(contacts, start, owners, has_limb)
        if is_limb_a:
            spread_wrench(contacts.limbs, owners, a, b, wrench_a)
        if is_limb_b:
            spread_wrench(contacts.limbs, owners, b, a, wrench_b)
