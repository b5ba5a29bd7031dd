"""Passes over the rows of contacts: Gauss–Seidel over manifolds, sums clamped (Catto 2005).

The points of one manifold are solved together. A box that lands flat must be met by all four
corners at once: one corner after the other turns it a little each time, and a tower of boxes that
is hit from above sways until it falls. What a push at one point does to the others is known
(`Rows.couple`), so a few rounds over four numbers do, and bodies are pushed once.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ..velocity_buffer import take_turns
from .contact_rows import SLOP, contact_speed, push_contact, slide_mobility
from .friction_cone import cone_impulse
from .limb_impulses import ALL, NONE, answer_drag, answer_face, push_limbs, spread_wrench, wrench_of

HARD_PASSES = 12
"""Passes in a substep in which something bounces."""

FACE_ROUNDS = 4
"""Rounds over the points of a manifold in each pass."""

BIAS = 0.1
"""Share of an overlap that contacts of what hangs on joints drive apart in one substep. What
such a contact carries leaves it as deep as leak · step² / bias."""

AT_RATE = 480.0
"""Substeps a second for which `BIAS` is; in longer ones the share grows with them."""

MOST_BIAS = 0.5
"""Largest share that is driven apart in one substep, however long."""

LEAK = 0.05
"""Share of its push that such a contact lets go in the first half of a substep: it is a stiff
spring, not a rock, and does not fight with joints that are (Catto 2024, "soft step")."""

BACK_SPEED = 2.0
"""Fastest way back of what was pressed into each other, m/s."""

APART_SPEED = 0.5
"""Fastest parting of what overlapped already when the two met, at the start as a rule, m/s."""

LEAST = 0.01
"""Share of the slop that an overlap must exceed it by to be parted: rest is rest."""

SETTLED = 1e-5
"""Share of the pushes of a manifold that may change in a round which needs no other."""

WEDGED = 0.05
"""Overlap that two bodies met with, as a share of the smaller shape, beyond which the contact is
soft: what hangs on joints may be wedged, so that no push parts it, and what rocks press in vain
grows without end until it all flies apart. Pressed deeper by as much again it is a rock. Floors and
walls are none of this: a limb that a blow has thrown into one would lie in it for good."""

WEDGED_LEAK = 0.5
"""Share of its push that such a contact lets go in a pass."""

DYNAMIC, STATIC = range(2)
"""Columns of `Rows.friction`."""


@lean_inline
def overlap_let_be(rows, c):
    """Overlap in m that a row leaves alone at first: what they met with, and more where wedged."""
    old = rows.old[c]
    wedged = WEDGED / SLOP * rows.slop[c]
    return old + wedged if old > wedged else old


@lean_inline
def _bias_of(h):
    """Share of an overlap under joints that is driven apart in a substep of h s."""
    return min(BIAS * max(1.0, AT_RATE * h), MOST_BIAS)


@lean_inline
def parting_speed(rows, c, rate):
    """Speed in m/s at which the two of row c are to part; rate: 1/s, of what they overlap by."""
    deep = -rows.gap[c] - rows.slop[c]
    if deep <= LEAST * rows.slop[c] or rows.bounce[c, 0] > 0.0:
        return 0.0
    back = min(rate * max(deep - overlap_let_be(rows, c), 0.0), BACK_SPEED)
    return max(back, min(rate * deep, APART_SPEED))


@lean_inline
def passes_now(rows, count, passes, joined, h):
    """Passes of this substep: `HARD_PASSES` where something bounces, for all.

    What is hit must agree with what it stands on. Joints must agree with what is driven out of
    deep places: groups that have some are marked in joined.hard (g,), and go on to the last pass.
    """
    for g in range(joined.hard.shape[0]):
        joined.hard[g] = 0
    for c in range(count):
        if rows.bounce[c, 0] > 0.0:
            passes = max(passes, HARD_PASSES)
        fastest = APART_SPEED if rows.old[c] > rows.slop[c] else BACK_SPEED
        if rows.gap[c] < -fastest * h / _bias_of(h):
            for side in range(2):
                o = rows.owner[c, side]
                if joined.holds[o]:
                    joined.hard[joined.group[o]] = 1
    return passes


@lean_inline
def _count_holds(rows, count, seen, h):
    """How many rows hold each owner: those that push, or will be hit within the step."""
    for c in range(count):
        a = rows.owner[c, 0]
        b = rows.owner[c, 1]
        if (
            rows.impulse[c, 0] > 0.0
            or rows.gap[c] + h * contact_speed(rows, c, 0, seen, a, b) < 0.0
        ):
            seen.holds[a] += 1.0
            seen.holds[b] += 1.0


@lean_inline
def begin_pass(rows, count, owners, seen, h):
    """What contacts are to see of the velocities in this pass."""
    if seen.is_jacobi:
        take_turns(seen, owners)
        _count_holds(rows, count, seen, h)


@lean_inline
def _mass(rows, c, owners, seen, a, b):
    """Effective mass of a row along its normal, kg: of what others leave of the two (Jacobi)."""
    if not seen.is_jacobi:
        return rows.mass[c]
    of_a = owners.inverse_mass[a]
    of_b = owners.inverse_mass[b]
    for k in range(3):
        of_a += rows.cross[c, 0, 0, k] * rows.turn[c, 0, 0, k]
        of_b += rows.cross[c, 0, 1, k] * rows.turn[c, 0, 1, k]
    total = max(seen.holds[a], 1.0) * of_a + max(seen.holds[b], 1.0) * of_b
    return 1.0 / total if total > 0.0 else 0.0


@lean_inline
def _slide(rows, c, owners, seen, a, b):
    """W₁₁, W₁₂, W₂₂ of a row's tangents, 1/kg, of what other rows leave of the two (Jacobi)."""
    if not seen.is_jacobi:
        return rows.slide[c, 0], rows.slide[c, 1], rows.slide[c, 2]
    f, g = max(seen.holds[a], 1.0), max(seen.holds[b], 1.0)
    a11, a12, a22 = slide_mobility(rows, c, 0)
    b11, b12, b22 = slide_mobility(rows, c, 1)
    w = f * owners.inverse_mass[a] + g * owners.inverse_mass[b]
    return w + f * a11 + g * b11, f * a12 + g * b12, w + f * a22 + g * b22


@lean_inline
def _push(rows, c, d, owners, limbs, has_limb, a, b, p):
    """An impulse p along axis d on a, and against it on b; has_limb: something hangs on either."""
    if has_limb:
        push_limbs(rows, c, d, owners, limbs, a, b, p)
    else:
        push_contact(rows, c, d, owners.velocity, owners.spin, owners.inverse_mass, a, b, p)


@lean_inline
def push_face(rows, first, n, kind, owners, seen, limbs, has_limb, a, b):
    """Pushes that take away what the n points of a manifold lack; whether any changed.

    kind: 0 for the push that is remembered, 3 for what parts an overlap. `Rows.lack` and `give` say
    what is wanted. In Jacobi's way points know nothing of each other. has_limb: see `_push`.
    """
    for c in range(first, first + n):
        rows.before[c] = rows.impulse[c, kind]
    is_coupled = n > 1 and not seen.is_jacobi
    for _ in range(FACE_ROUNDS if is_coupled else 1):
        whole, changed = 0.0, 0.0
        for i in range(n):
            c = first + i
            now = rows.impulse[c, kind]
            mass = _mass(rows, c, owners, seen, a, b)
            push = max(0.0, (1.0 - rows.give[c]) * (now - mass * rows.lack[c]))
            whole += push
            change = push - now
            if change != 0.0:
                rows.impulse[c, kind] = push
                changed += abs(change)
                if is_coupled:
                    for k in range(n):
                        rows.lack[first + k] += rows.couple[c, k] * change
        if changed <= SETTLED * whole:
            break
    is_changed = False
    for c in range(first, first + n):
        change = seen.relaxation * (rows.impulse[c, kind] - rows.before[c])
        if change != 0.0:
            change = max(change, -rows.before[c])
            rows.impulse[c, kind] = rows.before[c] + change
            _push(rows, c, 0, owners, limbs, has_limb, a, b, change)
            is_changed = True
    return is_changed


@lean_inline
def _aim_push(rows, c, owners, seen, h, is_ahead, is_joined, a, b):
    """Write what row c lacks and gives."""
    gap = rows.gap[c]
    rows.give[c] = 0.0
    if gap > 0.0 and rows.impulse[c, 0] == 0.0 and not is_ahead:
        rows.give[c] = 1.0  # the next step's matter
    lack = contact_speed(rows, c, 0, seen, a, b)
    if rows.bounce[c, 0] > 0.0:  # first to where it will be, then to how fast it goes on
        lack -= (rows.bounce[c, 1] - max(gap, 0.0)) / h if is_ahead else rows.bounce[c, 0]
    elif gap > 0.0:
        lack += gap / h
    elif is_ahead:
        let_be = overlap_let_be(rows, c)
        is_free = owners.inverse_mass[a] > 0.0 and owners.inverse_mass[b] > 0.0
        if is_free and let_be > rows.old[c] and -gap - rows.slop[c] <= let_be:
            rows.give[c] = WEDGED_LEAK
        elif is_joined:
            rows.give[c] = LEAK
        if is_joined:
            lack -= parting_speed(rows, c, _bias_of(h) / h)
    rows.lack[c] = lack


@lean_inline
def _rub(rows, c, owners, seen, limbs, has_limb, a, b, most):
    """Friction of row c, at most so many N·s; whether it slides."""
    w11, w12, w22 = _slide(rows, c, owners, seen, a, b)
    v1 = seen.relaxation * contact_speed(rows, c, 1, seen, a, b)
    v2 = seen.relaxation * contact_speed(rows, c, 2, seen, a, b)
    old1, old2 = rows.impulse[c, 1], rows.impulse[c, 2]
    p1, p2, slides = cone_impulse(w11, w12, w22, v1, v2, old1, old2, most)
    rows.impulse[c, 1] = p1
    rows.impulse[c, 2] = p2
    _push(rows, c, 1, owners, limbs, has_limb, a, b, p1 - old1)
    _push(rows, c, 2, owners, limbs, has_limb, a, b, p2 - old2)
    return slides


@lean_inline
def _rub_manifold(rows, first, n, owners, seen, limbs, has_limb, a, b):
    """Friction of a manifold. It slides when all its points do; then dynamic friction is left.

    The first point would stop the body alone: that it cannot does not mean that the others let go.
    """
    for kind in (STATIC, DYNAMIC):
        sticks = False
        for c in range(first, first + n):
            push = rows.impulse[c, 0]
            if rows.give[c] > 0.0 and push > 0.0:
                push = max(push, rows.before[c])  # what leaked away for a moment still holds
            if push == 0.0 and rows.impulse[c, 1] == 0.0 and rows.impulse[c, 2] == 0.0:
                continue
            if has_limb and rows.answered[c] != ALL:
                answer_drag(limbs, rows, c, owners, a, b)
            most = rows.friction[c, kind] * push
            if not _rub(rows, c, owners, seen, limbs, has_limb, a, b, most):
                sticks = True
        if sticks or rows.friction[first, STATIC] == rows.friction[first, DYNAMIC]:
            return


@lean
def solve_rows(rows, count, owners, seen, h, is_ahead, joined, limbs, is_part):
    """One pass over all rows: the pushes of a manifold first, then the drags that they allow.

    is_ahead: bodies have still to move. is_part: over those rows alone that act on groups of
    `joined` that go on. seen: the velocities that rows read, those of now or of the pass before.
    """
    begin_pass(rows, count, owners, seen, h)
    first = 0
    while first < count:
        n = rows.face[first]
        start = first
        first += n
        a = rows.owner[start, 0]
        b = rows.owner[start, 1]
        if is_part and not (joined.goes_on[joined.group[a]] or joined.goes_on[joined.group[b]]):
            continue
        is_joined = joined.holds[a] or joined.holds[b]
        is_pushed = False
        for c in range(start, first):
            _aim_push(rows, c, owners, seen, h, is_ahead, is_joined, a, b)
            is_pushed = is_pushed or rows.impulse[c, 0] > 0.0 or rows.lack[c] < 0.0
        if not is_pushed:
            continue
        for o in (a, b):
            if owners.inverse_mass[o] > 0.0:
                joined.stirred[joined.group[o]] = 1
                limbs.touched[o] = 1
        is_limb_a, is_limb_b = limbs.known[a] == 1, limbs.known[b] == 1
        has_limb = is_limb_a or is_limb_b
        if has_limb and rows.answered[start] == NONE:
            answer_face(limbs, rows, start, n, owners, a, b)
        u0, u1, u2, u3, u4, u5 = wrench_of(limbs, a)
        v0, v1, v2, v3, v4, v5 = wrench_of(limbs, b)
        push_face(rows, start, n, 0, owners, seen, limbs, has_limb, a, b)
        _rub_manifold(rows, start, n, owners, seen, limbs, has_limb, a, b)
        if is_limb_a:
            spread_wrench(limbs, owners, a, b, u0, u1, u2, u3, u4, u5)
        if is_limb_b:
            spread_wrench(limbs, owners, b, a, v0, v1, v2, v3, v4, v5)
