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

Islands near rest go no further than a first sweep: they are solved at once (`direct_contacts`).
"""

from __future__ import annotations

import math

from ...collision.contact_law import normal_change
from ...kernels.jit import lean, lean_inline
from .contact_point import contact_speed, lever, push_contact, turned
from .contact_sweep import sweep_contacts
from .contact_table import DYNAMIC, NORMAL, STATIC
from .direct_contacts import solve_directly
from .softness import aim_velocity
from .uneven_islands import DIRECT, SETTLED, SWEPT, TUMBLING, UNEVEN, island_of

MOST_CONJUGATE_SWEEPS = 40
"""Sweeps after which a blow has to be settled."""

PLAIN_SWEEPS = 8
"""Most sweeps over uneven islands that no blow has struck; after the move, twice as many.
Where these would not even halve what the first one left, conjugate directions follow as after a
blow."""

BLOW_SPEED = 20.0
"""Change of speed by a first sweep, in those by gravity in a substep, from which on it is a blow:
less than that is left to plain sweeps, which tremble less, and to the substeps that follow."""

UNSETTLED = 1e-7
"""m/s, change of speed by a sweep up to which an island is settled as it is."""

REST_SPEED = 1.0
"""Change of speed by a first sweep, and slip of what pushes, in speeds by gravity in a substep, up
to which an island is solved at once. What tumbles has other contacts in each substep, which takes
Newton's method many steps, and is not missed by a millimetre."""

CONJUGATE_SETTLED = 1e-2
"""Share of what the first sweep of a blow has changed that its last one may change."""

MOST_JUMP = 4.0
"""Times as much as a first sweep changes speeds by that a step may change them. Bodies that are
pressed into less room than they need never get what they ask for: impulses grow for ever, and what
is left of them when they do not quite cancel would throw the lightest of them."""

CLEARLY_APART = 1e-12
"""Share by which two directions must differ to count as two."""

SLACK = 1e-9
"""Share of the energy that the pushes of a step give one by one which all of them have to give
together: where hardly any is left they hold each other, as those of what is wedged between two that
do not give way, and may grow for ever."""

SLIDING_SHARE = 1.0 - 1e-9
"""Share of the friction that there can be from which on a contact slides."""

Z, D = range(2)
"""Places of the two directions in `Islands.twist`, and of how far to go along them."""


@lean_inline
def _free_impulses(row):
    """How many impulses of a row are free: none, the normal one, or those of friction as well."""
    impulse = row["impulse"]
    if impulse[NORMAL] <= 0.0 or row["softness"] > 0.0:
        return 0
    friction = impulse[1] ** 2 + impulse[2] ** 2
    most = (SLIDING_SHARE * row["friction"][DYNAMIC] * impulse[NORMAL]) ** 2
    return 1 if friction >= most else 3


@lean_inline
def _twist_speed(row, d, twist, way):
    """Speed along axis d of a row that twists (o, 2, 6) of the owners along a way make."""
    a, b = twist[row["owner"][0], way], twist[row["owner"][1], way]
    of_a, of_b = lever(row, d, 0), lever(row, d, 1)
    axis, total = row["axis"][d], 0.0
    for k in range(3):
        total += axis[k] * (a[k] - b[k])
        total += of_a[k] * a[3 + k]
        total -= of_b[k] * b[3 + k]
    return total


@lean_inline
def _add_twist(row, d, twist, way, owners, p):
    """What an impulse p along axis d of a row adds to the twists (o, 2, 6) along a way."""
    a, b = row["owner"][0], row["owner"][1]
    fa, fb = p * owners.inverse_mass[a], p * owners.inverse_mass[b]
    turn_a, turn_b = turned(row, d, 0, owners), turned(row, d, 1, owners)
    for k in range(3):
        twist[a, way, k] += fa * row["axis"][d, k]
        twist[b, way, k] -= fb * row["axis"][d, k]
        twist[a, way, 3 + k] += p * turn_a[k]
        twist[b, way, 3 + k] -= p * turn_b[k]


@lean_inline
def _error(row, d, owners):
    """G of a row along axis d: what its impulse there is to take away, m/s."""
    return row["velocity_error"] if d == NORMAL else contact_speed(row, d, owners)


@lean_inline
def _clear_islands(islands):
    for o in range(islands.label.shape[0]):
        island = islands.island[o]
        island["zz"] = island["zd"] = island["dd"] = island["zg"] = island["dg"] = 0.0
        island["one_by_one"] = island["energy"] = island["jump"] = 0.0
        for k in range(6):
            islands.twist[o, Z, k] = islands.twist[o, D, k] = 0.0


@lean_inline
def _sum_rows(contacts, owners, h, is_ahead):
    """Sums over the free impulses of each uneven island, zᵀAz to dᵀg."""
    islands, twist = contacts.islands, contacts.islands.twist
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        i = island_of(islands, row, owners)
        blow["free"] = 0
        if i < 0:
            continue
        aim_velocity(row, owners, contacts.buffer, h, is_ahead, False)
        blow["free"] = _free_impulses(row)
        island = islands.island[i]
        if blow["free"] > 0 and row["mass"] > 0.0:
            island["one_by_one"] += blow["step"][NORMAL] ** 2 / row["mass"]
        for d in range(blow["free"]):
            g = _error(row, d, owners)
            island["zg"] += blow["step"][d] * g
            island["dg"] += blow["direction"][d] * g
            _add_twist(row, d, twist, Z, owners, blow["step"][d])
            _add_twist(row, d, twist, D, owners, blow["direction"][d])
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        island = islands.island[island_of(islands, row, owners)]
        for d in range(blow["free"]):
            by_z = _twist_speed(row, d, twist, Z)
            by_d = _twist_speed(row, d, twist, D)
            island["zz"] += blow["step"][d] * by_z
            island["zd"] += blow["step"][d] * by_d
            island["dd"] += blow["direction"][d] * by_d


@lean
def go_on(contacts, owners, h, is_ahead):
    """Go on along ``step`` and ``direction`` in each uneven island, as far as its energy falls.

    Writes what was done on the way into ``direction``.
    """
    islands = contacts.islands
    _clear_islands(islands)
    _sum_rows(contacts, owners, h, is_ahead)
    for o in range(islands.label.shape[0]):
        island = islands.island[o]
        share = island["share"]
        share[Z] = share[D] = 0.0
        zz, zd, dd, zg, dg = island["zz"], island["zd"], island["dd"], island["zg"], island["dg"]
        det = zz * dd - zd * zd
        if island["is_uneven"] == 0 or zz <= SLACK * island["one_by_one"]:
            continue
        if det > CLEARLY_APART * zz * dd:
            share[Z] = (zd * dg - dd * zg) / det
            share[D] = (zd * zg - zz * dg) / det
        else:
            share[Z] = -zg / zz
        share[Z] = max(share[Z], -1.0)
    _take_step(contacts, owners)
    _sum_energy(contacts, owners, h, is_ahead)
    _undo_steps(contacts, owners)


@lean_inline
def _cut_to_cone(row, taken):
    """Shorten what is taken (3,) N·s so that the impulses of a row stay in its cone."""
    impulse = row["impulse"]
    taken[NORMAL] = normal_change(impulse[NORMAL], taken[NORMAL])
    most = row["friction"][STATIC] * (impulse[NORMAL] + taken[NORMAL])
    p, q = impulse[1] + taken[1], impulse[2] + taken[2]
    size = math.sqrt(p * p + q * q)
    if size > most:  # sliding friction, too, where there is less push than before
        taken[1] = p * most / size - impulse[1]
        taken[2] = q * most / size - impulse[2]


@lean_inline
def _take_step(contacts, owners):
    """Take the step, back into the cones."""
    islands = contacts.islands
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        share = islands.island[island_of(islands, row, owners)]["share"]
        for d in range(3):
            blow["error"][d] = _error(row, d, owners)
            by = share[Z] * blow["step"][d] + share[D] * blow["direction"][d]
            blow["taken"][d] = by if d < blow["free"] else 0.0
        _cut_to_cone(row, blow["taken"])
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        for d in range(3 if blow["free"] > 0 else 0):
            row["impulse"][d] += blow["taken"][d]
            push_contact(row, d, owners, blow["taken"][d])


@lean_inline
def _sum_energy(contacts, owners, h, is_ahead):
    """By how much the step has raised f in each island."""
    islands = contacts.islands
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        island = islands.island[island_of(islands, row, owners)]
        before = blow["error"]
        aim_velocity(row, owners, contacts.buffer, h, is_ahead, False)
        for d in range(3):
            now = _error(row, d, owners)
            island["energy"] += blow["taken"][d] * (before[d] + now)
            island["jump"] = max(island["jump"], abs(now - before[d]))


@lean_inline
def _undo_steps(contacts, owners):
    """Undo the step in islands where it has raised f, and note the way that was gone."""
    islands = contacts.islands
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        i = island_of(islands, row, owners)
        if i < 0:
            continue
        island = islands.island[i]
        is_thrown = island["jump"] > island["most"]
        if is_thrown:
            island["limit"] = island["most"] / MOST_JUMP  # nothing will settle it
        is_undone = is_thrown or island["energy"] > 0.0
        for d in range(3):
            taken = blow["taken"][d] if blow["free"] > 0 else 0.0
            if is_undone and taken != 0.0:
                row["impulse"][d] -= taken
                push_contact(row, d, owners, -taken)
                taken = 0.0
            blow["direction"][d] = blow["step"][d] + taken


@lean_inline
def _note_impulses(contacts):
    """Impulses before a sweep, in ``step``."""
    for c in range(contacts.count[0]):
        for d in range(3):
            contacts.blow[c]["step"][d] = contacts.rows[c]["impulse"][d]


@lean_inline
def _clear_directions(contacts):
    for c in range(contacts.count[0]):
        for d in range(3):
            contacts.blow[c]["direction"][d] = 0.0


@lean_inline
def scale_remembered(contacts, owners, h):
    """After the warm start: how much of what is remembered still holds, island by island."""
    if contacts.islands.uneven[0] == 0 or contacts.buffer.is_jacobi:
        return
    for o in range(contacts.islands.label.shape[0]):
        contacts.islands.island[o]["most"] = math.inf
    _note_impulses(contacts)
    _clear_directions(contacts)
    go_on(contacts, owners, h, True)


@lean
def settle_uneven(contacts, owners, h, pull, is_ahead):
    """Solve the contacts of all uneven islands, until a sweep changes nothing that counts.

    pull: m/s², gravity.
    """
    islands, groups = contacts.islands, contacts.groups
    if islands.uneven[0] == 0 or contacts.buffer.is_jacobi:
        return
    for o in range(islands.label.shape[0]):
        groups.active[groups.group[o]] = islands.island[islands.label[o]]["is_uneven"]
        islands.island[o]["limit"] = -1.0
    _clear_directions(contacts)
    plain = min(math.ceil(islands.ratio[0] / UNEVEN), PLAIN_SWEEPS) * (1 if is_ahead else 2)
    for n in range(MOST_CONJUGATE_SWEEPS):
        _note_impulses(contacts)
        sweep_contacts(contacts, owners, h, is_ahead, True)
        is_settled = _note_change(contacts, owners, BLOW_SPEED * pull * h, n, plain)
        if n == 0 and _settle_near_rest(contacts, owners, h, REST_SPEED * pull * h, is_ahead):
            break
        if n + 1 == MOST_CONJUGATE_SWEEPS or (is_settled and n + 1 >= plain):
            break
        if not is_settled:
            go_on(contacts, owners, h, is_ahead)
    for g in range(groups.active.shape[0]):
        groups.active[g] = 0


@lean_inline
def _find_slips(contacts, owners):
    """How fast what pushes slips, at most, in each uneven island."""
    islands = contacts.islands
    for o in range(islands.label.shape[0]):
        islands.island[o]["slip"] = 0.0
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        i = island_of(islands, row, owners)
        if i >= 0 and row["impulse"][NORMAL] > 0.0:
            u, v = contact_speed(row, 1, owners), contact_speed(row, 2, owners)
            islands.island[i]["slip"] = max(islands.island[i]["slip"], math.sqrt(u * u + v * v))


@lean_inline
def _choose_ways(contacts, owners, most):
    """Have islands solved at once that are nearly at rest; whether there are any.

    most: m/s, by what a sweep may change speeds there, and what pushes may slip.
    """
    islands, is_any = contacts.islands, False
    _find_slips(contacts, owners)
    for o in range(islands.label.shape[0]):
        island = islands.island[o]
        if island["is_uneven"] == 0 or island["way"] == TUMBLING:
            continue
        island["way"] = SWEPT
        if island["residual"] <= UNSETTLED:
            island["way"] = SETTLED
        elif max(island["residual"], island["slip"]) <= most:
            island["way"], is_any = DIRECT, True
    return is_any


@lean_inline
def _settle_near_rest(contacts, owners, h, most, is_ahead):
    """Solve islands that are nearly at rest at once; they and what is settled is left alone then.

    A plain sweep comes last there, too. Returns whether nothing is left to be solved.
    """
    islands, groups, is_over = contacts.islands, contacts.groups, True
    if _choose_ways(contacts, owners, most):
        if solve_directly(contacts, owners, h, is_ahead):
            sweep_contacts(contacts, owners, h, is_ahead, True)
        else:
            for o in range(islands.label.shape[0]):
                if islands.island[o]["way"] == DIRECT:
                    islands.island[o]["way"] = TUMBLING
    for o in range(islands.label.shape[0]):
        island = islands.island[islands.label[o]]
        if island["way"] == DIRECT or island["way"] == SETTLED:
            groups.active[groups.group[o]] = 0
        elif island["is_uneven"] == 1:
            is_over = False
    return is_over


@lean_inline
def _note_change(contacts, owners, blow_speed, n, plain):
    """Write what sweep n has done into ``step``; whether it is settled in all islands.

    plain: sweeps that what no blow has struck is left to, unless these would not even halve it at
    what the second one takes. Of what lies on something ten thousand times lighter each takes
    next to nothing: it would sink.
    """
    islands = contacts.islands
    for o in range(islands.label.shape[0]):
        islands.island[o]["before"] = islands.island[o]["residual"]
        islands.island[o]["residual"] = 0.0
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        i = island_of(islands, row, owners)
        if i < 0:
            continue
        island = islands.island[i]
        for d in range(3):
            blow["step"][d] = row["impulse"][d] - blow["step"][d]
            if row["mass"] > 0.0:
                change = abs(blow["step"][d]) / row["mass"]
                island["residual"] = max(island["residual"], change)
    is_settled = True
    for o in range(islands.label.shape[0]):
        island = islands.island[o]
        if island["is_uneven"] == 1:
            residual = island["residual"]
            if n == 0:
                island["most"] = MOST_JUMP * residual
            before = island["before"]
            if n == 1 and plain * (before - residual) < 0.5 * before:
                island["limit"] = min(island["limit"], CONJUGATE_SETTLED * before)
            if island["limit"] < 0.0:
                island["limit"] = (
                    CONJUGATE_SETTLED * residual if residual > blow_speed else math.inf
                )
            is_settled = is_settled and residual <= island["limit"]
    return is_settled
