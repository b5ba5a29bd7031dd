"""Contacts of uneven islands: conjugate directions over sweeps (Silcowitz, Niebe & Erleben 2010).

With A = J M⁻¹ Jᵀ and g = J v + b what rows lack, a sweep of Gauss–Seidel leads from impulses λ to
λ + z. It knows the friction cone and which contacts hold, but takes many rounds where a heavy body
lies on light ones. From where it ends each island goes on along z and along the way d that it came
by, as far as the energy

    f = ½ λᵀ A λ + λᵀ b

falls: two unknowns, solved exactly. On rows that hold that is the method of conjugate gradients
with the sweep for a preconditioner, and a heavy body that pushes through light ones is one
direction more. Rows that are open and friction that slides stay as the sweep left them: sliding
friction is no minimum of energy. What leaves its cone is brought back to it, and a step that has
raised f is undone. A plain sweep comes last, so that cones hold.

The same with z the impulses that are remembered finds how much of them still holds before the first
sweep: all of a steady load, and of a landing what is left to be carried. Pushed once more, it would
throw up what has landed.
"""

from __future__ import annotations

import math

from ...kernels.jit import lean, lean_inline
from .contact_rows import contact_speed, push_contact
from .contact_solver import DYNAMIC, STATIC, _aim_push, solve_rows
from .uneven_islands import UNEVEN, island_of

MOST_SWEEPS = 40
"""Sweeps after which a blow has to be settled."""

PLAIN_SWEEPS = 8
"""Most sweeps over uneven islands that no blow has struck; after the move, twice as many."""

BLOW = 20.0
"""Change of speed by a first sweep, in those by gravity in a substep, from which on it is a blow:
less than that is left to plain sweeps, which tremble less, and to the substeps that follow."""

SETTLED = 1e-2
"""Share of what the first sweep of a blow has changed that its last one may change."""

CLEAR = 1e-12
"""Share by which two directions must differ to count as two."""

SLIDES = 1.0 - 1e-9
"""Share of the friction that there can be from which on a contact slides."""

ZZ, ZD, DD, ZG, DG = range(5)
"""Columns of `Islands.sums`."""


@lean_inline
def _parts(rows, c):
    """How many of the impulses of row c are free: none, the push, or the drags as well."""
    push = rows.impulse[c, 0]
    if push <= 0.0 or rows.give[c] > 0.0:
        return 0
    drag = rows.impulse[c, 1] ** 2 + rows.impulse[c, 2] ** 2
    return 1 if drag >= (SLIDES * rows.friction[c, DYNAMIC] * push) ** 2 else 3


@lean_inline
def _rate(rows, c, d, twist, a, b):
    """Speed along axis d of row c that twists (o, 6) of the owners make."""
    total = 0.0
    for k in range(3):
        total += rows.axis[c, d, k] * (twist[a, k] - twist[b, k])
        total += rows.cross[c, d, 0, k] * twist[a, 3 + k]
        total -= rows.cross[c, d, 1, k] * twist[b, 3 + k]
    return total


@lean_inline
def _add_twist(rows, c, d, twist, owners, a, b, p):
    """What an impulse p along axis d of row c adds to the twists (o, 6) of its owners."""
    fa, fb = p * owners.inverse_mass[a], p * owners.inverse_mass[b]
    for k in range(3):
        twist[a, k] += fa * rows.axis[c, d, k]
        twist[b, k] -= fb * rows.axis[c, d, k]
        twist[a, 3 + k] += p * rows.turn[c, d, 0, k]
        twist[b, 3 + k] -= p * rows.turn[c, d, 1, k]


@lean_inline
def _lack(rows, c, d, owners, a, b):
    """G of row c along axis d: what its impulse there is to take away, m/s."""
    return rows.lack[c] if d == 0 else contact_speed(rows, c, d, owners, a, b)


@lean
def go_on(islands, rows, count, owners, seen, h, is_ahead):
    """Go on along ``Rows.step`` and ``Rows.way`` in each uneven island, as far as its energy falls.

    Writes what was done on the way into ``Rows.way``.
    """
    label, is_uneven = islands.label, islands.is_uneven
    sums, share, twist = islands.sums, islands.share, islands.twist
    for o in range(label.shape[0]):
        for k in range(5):
            sums[o, k] = 0.0
        islands.energy[o] = 0.0
        for k in range(6):
            twist[0, o, k] = twist[1, o, k] = 0.0
    for c in range(count):
        i = island_of(islands, rows, c, owners)
        rows.free[c] = 0
        if i < 0:
            continue
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        _aim_push(rows, c, owners, seen, h, is_ahead, False, a, b)
        rows.free[c] = _parts(rows, c)
        for d in range(rows.free[c]):
            g = _lack(rows, c, d, owners, a, b)
            sums[i, ZG] += rows.step[c, d] * g
            sums[i, DG] += rows.way[c, d] * g
            _add_twist(rows, c, d, twist[0], owners, a, b, rows.step[c, d])
            _add_twist(rows, c, d, twist[1], owners, a, b, rows.way[c, d])
    for c in range(count):
        if rows.free[c] == 0:
            continue
        i = island_of(islands, rows, c, owners)
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        for d in range(rows.free[c]):
            by_z = _rate(rows, c, d, twist[0], a, b)
            by_d = _rate(rows, c, d, twist[1], a, b)
            sums[i, ZZ] += rows.step[c, d] * by_z
            sums[i, ZD] += rows.step[c, d] * by_d
            sums[i, DD] += rows.way[c, d] * by_d
    for o in range(label.shape[0]):
        share[o, 0] = share[o, 1] = 0.0
        zz, zd, dd, zg, dg = sums[o, 0], sums[o, 1], sums[o, 2], sums[o, 3], sums[o, 4]
        det = zz * dd - zd * zd
        if is_uneven[o] == 0 or zz <= 0.0:
            continue
        if det > CLEAR * zz * dd:
            share[o, 0] = (zd * dg - dd * zg) / det
            share[o, 1] = (zd * zg - zz * dg) / det
        else:
            share[o, 0] = -zg / zz
        share[o, 0] = max(share[o, 0], -1.0)
    _walk(islands, rows, count, owners, seen, h, is_ahead)


@lean_inline
def _walk(islands, rows, count, owners, seen, h, is_ahead):
    """Take the step, back into the cones, and undo it in islands where that has raised f."""
    v, w, m = owners.velocity, owners.spin, owners.inverse_mass
    for c in range(count):
        if rows.free[c] == 0:
            continue
        i = island_of(islands, rows, c, owners)
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        for d in range(3):
            rows.lacked[c, d] = _lack(rows, c, d, owners, a, b)
            by = islands.share[i, 0] * rows.step[c, d] + islands.share[i, 1] * rows.way[c, d]
            rows.taken[c, d] = by if d < rows.free[c] else 0.0
        rows.taken[c, 0] = max(rows.taken[c, 0], -rows.impulse[c, 0])
        most = rows.friction[c, STATIC] * (rows.impulse[c, 0] + rows.taken[c, 0])
        p, q = rows.impulse[c, 1] + rows.taken[c, 1], rows.impulse[c, 2] + rows.taken[c, 2]
        size = math.sqrt(p * p + q * q)
        if size > most:  # sliding friction, too, where there is less push than before
            rows.taken[c, 1] = p * most / size - rows.impulse[c, 1]
            rows.taken[c, 2] = q * most / size - rows.impulse[c, 2]
    for c in range(count):
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        for d in range(3 if rows.free[c] > 0 else 0):
            rows.impulse[c, d] += rows.taken[c, d]
            push_contact(rows, c, d, v, w, m, a, b, rows.taken[c, d])
    for c in range(count):
        if rows.free[c] == 0:
            continue
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        i = island_of(islands, rows, c, owners)
        lack = rows.lacked[c, 0]
        _aim_push(rows, c, owners, seen, h, is_ahead, False, a, b)
        islands.energy[i] += rows.taken[c, 0] * (lack + rows.lack[c])
        for d in range(1, 3):
            now = contact_speed(rows, c, d, owners, a, b)
            islands.energy[i] += rows.taken[c, d] * (rows.lacked[c, d] + now)
    for c in range(count):
        i = island_of(islands, rows, c, owners)
        if i < 0:
            continue
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        is_undone = islands.energy[i] > 0.0
        for d in range(3):
            taken = rows.taken[c, d] if rows.free[c] > 0 else 0.0
            if is_undone and taken != 0.0:
                rows.impulse[c, d] -= taken
                push_contact(rows, c, d, v, w, m, a, b, -taken)
                taken = 0.0
            rows.way[c, d] = rows.step[c, d] + taken


@lean_inline
def scale_remembered(islands, rows, count, owners, seen, h):
    """After the warm start: how much of what is remembered still holds, island by island."""
    if islands.count[0] == 0 or seen.is_jacobi:
        return
    for c in range(count):
        for d in range(3):
            rows.step[c, d] = rows.impulse[c, d]
            rows.way[c, d] = 0.0
    go_on(islands, rows, count, owners, seen, h, True)


@lean
def settle_uneven(islands, rows, count, owners, seen, h, pull, is_ahead, joined, limbs):
    """Solve the contacts of all uneven islands, until a sweep changes nothing that counts.

    pull: m/s², gravity.
    """
    if islands.count[0] == 0 or seen.is_jacobi:
        return
    for o in range(islands.label.shape[0]):
        i = islands.label[o]
        joined.goes_on[joined.group[o]] = islands.is_uneven[i]
        islands.limit[o] = -1.0
    for c in range(count):
        for d in range(3):
            rows.way[c, d] = 0.0
    plain = min(math.ceil(islands.ratio[0] / UNEVEN), PLAIN_SWEEPS) * (1 if is_ahead else 2)
    for n in range(MOST_SWEEPS):
        for c in range(count):
            for d in range(3):
                rows.step[c, d] = rows.impulse[c, d]
        solve_rows(rows, count, owners, seen, h, is_ahead, joined, limbs, True)
        is_settled = _note_change(islands, rows, count, owners, BLOW * pull * h)
        if n + 1 == MOST_SWEEPS or (is_settled and n + 1 >= plain):
            break
        if not is_settled:
            go_on(islands, rows, count, owners, seen, h, is_ahead)
    for g in range(joined.goes_on.shape[0]):
        joined.goes_on[g] = 0


@lean_inline
def _note_change(islands, rows, count, owners, blow):
    """Write what the sweep has done into ``Rows.step``; whether it is settled in all islands."""
    residual, limit = islands.residual, islands.limit
    for o in range(residual.shape[0]):
        residual[o] = 0.0
    for c in range(count):
        i = island_of(islands, rows, c, owners)
        if i < 0:
            continue
        for d in range(3):
            rows.step[c, d] = rows.impulse[c, d] - rows.step[c, d]
            if rows.mass[c] > 0.0:
                residual[i] = max(residual[i], abs(rows.step[c, d]) / rows.mass[c])
    is_settled = True
    for o in range(residual.shape[0]):
        if islands.is_uneven[o] == 1:
            if limit[o] < 0.0:
                limit[o] = SETTLED * residual[o] if residual[o] > blow else math.inf
            is_settled = is_settled and residual[o] <= limit[o]
    return is_settled
