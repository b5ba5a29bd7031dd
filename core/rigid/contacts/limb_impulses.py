"""Contacts push limbs with all that hangs on them (see `articulated_inertia`).

In an iteration each impulse moves what it acts on, and all other limbs that are known of the same
ragdoll, as if joints answered at once. At its end limbs get back the velocities that the impulses
alone would have given them, for joints are solved next, and move all the rest as well.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import rotate, vec
from ..articulation.articulated_inertia import block_of
from ..articulation.twist import dot_six, less_six, six
from .contact_masses import couple_points, weigh_point
from .contact_point import lever, turned, turning_mobility
from .contact_table import NORMAL

LEAST_GIVING_WAY = 0.02
"""Least share of what two bodies alone would give way that contacts believe limbs do. What joints
hold fast does not give way at all, and no impulse would be large enough; and what has turned by
`TURNS` since it was asked gives way by the square of that where it did not."""

NO_AXIS, ALONG_NORMAL, ALL_AXES = range(3)
"""Axes of a row along which it is known how limbs answer."""


@lean
def answer_manifold(contacts, first, owners):
    """Velocities that impulses along the normals of a manifold's points give to limbs.

    With the masses that they meet, and what the points do to each other.
    """
    rows = contacts.rows
    n = rows[first]["points"]
    a, b = rows[first]["owner"][0], rows[first]["owner"][1]
    for c in range(first, first + n):
        row = rows[c]
        row["answered"] = ALONG_NORMAL
        _answer(contacts, c, NORMAL, 0, owners)
        _answer(contacts, c, NORMAL, 1, owners)
        w = _answer_speed(contacts, c, NORMAL, c, NORMAL)
        alone = owners.inverse_mass[a] + owners.inverse_mass[b]
        alone += turning_mobility(row, NORMAL, NORMAL, owners)
        row["mass"] = 1.0 / max(w, LEAST_GIVING_WAY * alone) if alone > 0.0 else 0.0
    if n > 1:
        for c in range(first, first + n):
            for i in range(n):
                rows[c]["coupling"][i] = _answer_speed(contacts, first + i, NORMAL, c, NORMAL)


@lean
def answer_friction(contacts, c, owners):
    """The same along the two tangents: their mobility, with a little of the bodies' own.

    What is added keeps it from being none, and slows convergence alone: what is found is the same.
    """
    row = contacts.rows[c]
    row["answered"] = ALL_AXES
    for d in range(1, 3):
        _answer(contacts, c, d, 0, owners)
        _answer(contacts, c, d, 1, owners)
    w = owners.inverse_mass[row["owner"][0]] + owners.inverse_mass[row["owner"][1]]
    w11 = w + turning_mobility(row, 1, 1, owners)
    w12 = turning_mobility(row, 1, 2, owners)
    w22 = w + turning_mobility(row, 2, 2, owners)
    row["mobility"][0] = _answer_speed(contacts, c, 1, c, 1) + LEAST_GIVING_WAY * w11
    row["mobility"][1] = _answer_speed(contacts, c, 1, c, 2) + LEAST_GIVING_WAY * w12
    row["mobility"][2] = _answer_speed(contacts, c, 2, c, 2) + LEAST_GIVING_WAY * w22


@lean
def forget_answers(contacts, owners):
    """Where other responses are known than before rows meet the two bodies alone until they ask.

    A row that kept the mass of a whole ragdoll, and pushed a limb alone, would push it back and
    forth harder each time.
    """
    rows, limbs = contacts.rows, contacts.limbs
    first = 0
    while first < contacts.count[0]:
        start = first
        first += rows[start]["points"]
        a, b = rows[start]["owner"][0], rows[start]["owner"][1]
        if rows[start]["answered"] == NO_AXIS or not (_is_new(limbs, a) or _is_new(limbs, b)):
            continue
        for c in range(start, first):
            rows[c]["answered"] = NO_AXIS
            weigh_point(rows[c], owners)
        couple_points(rows, start, owners)
    for c in range(limbs.component.shape[0]):
        limbs.component[c]["is_new"] = 0


@lean_inline
def _is_new(limbs, o):
    """Whether other responses of an owner are known than rows have asked for."""
    c = limbs.body[o]["component"]
    return c >= 0 and limbs.component[c]["is_new"] == 1


@lean_inline
def _answer(contacts, c, d, side, owners):
    """Velocity and spin of one side by an impulse along axis d, and by that against the other."""
    row, limbs = contacts.rows[c], contacts.limbs
    o, other = row["owner"][side], row["owner"][1 - side]
    out = contacts.reply[c, d, side]
    axis = vec(row["axis"][d])
    if limbs.body[o]["known"] == 0:
        turn = turned(row, d, side, owners)
        for k in range(3):
            out[k] = owners.inverse_mass[o] * axis[k]
            out[3 + k] = turn[k]
        return
    part = limbs.body[o]["component"]
    r = limbs.response[block_of(limbs, o, o)]
    for k in range(6):
        out[k] = 0.0
    _add_response(out, r, 1.0, axis, lever(row, d, side))
    if limbs.body[other]["known"] == 1 and limbs.body[other]["component"] == part:
        r = limbs.response[block_of(limbs, other, o)]
        _add_response(out, r, -1.0, axis, lever(row, d, 1 - side))


@lean_inline
def _add_response(out, r, sign, force, torque):
    """What a force and a torque, or against both, add to a twist (6,) by a response (6, 6)."""
    for m in range(3):
        f, t = sign * force[m], sign * torque[m]
        for k in range(6):
            out[k] += f * r[m, k] + t * r[3 + m, k]


@lean_inline
def _answer_speed(contacts, c, d, e, f):
    """Speed along axis d of row c by an impulse along axis f of row e, 1/kg."""
    row = contacts.rows[c]
    axis, reply = row["axis"][d], contacts.reply[e, f]
    of_a, of_b = lever(row, d, 0), lever(row, d, 1)
    total = 0.0
    for k in range(3):
        total += axis[k] * (reply[0, k] + reply[1, k])
        total += of_a[k] * reply[0, 3 + k]
        total += of_b[k] * reply[1, 3 + k]
    return total


@lean_inline
def begin_lead(limbs, owners):
    """Before anything acts in a substep: velocities are those of the middle of the one before."""
    for o in range(limbs.body.shape[0]):
        for k in range(3):
            limbs.body[o]["lead"][k] = owners.velocity[o, k]
            limbs.body[o]["lead"][3 + k] = owners.spin[o, k]


@lean_inline
def end_lead(limbs, owners):
    """Nothing has been struck yet: half of what all that acts and joints have changed."""
    for o in range(limbs.body.shape[0]):
        lead = limbs.body[o]["lead"]
        for k in range(3):
            lead[k] = 0.5 * (owners.velocity[o, k] - lead[k])
            lead[3 + k] = 0.5 * (owners.spin[o, k] - lead[3 + k])


@lean_inline
def begin_limbs(limbs, owners):
    """Before an iteration: note velocities; contacts have done nothing yet."""
    for c in range(limbs.component.shape[0]):
        first = limbs.component[c]["first"]
        for n in range(first, first + limbs.component[c]["count"]):
            limb = limbs.body[limbs.owner[n]]
            for k in range(3):
                limb["before"][k] = owners.velocity[limbs.owner[n], k]
                limb["before"][3 + k] = owners.spin[limbs.owner[n], k]
                limb["wrench"][k] = 0.0
                limb["wrench"][3 + k] = 0.0


@lean_inline
def push_limbs(contacts, c, d, owners, p):
    """An impulse p along axis d on a, and against it on b, with what hangs on them."""
    row = contacts.rows[c]
    for side in range(2):
        o = row["owner"][side]
        q = p if side == 0 else -p
        reply, wrench = contacts.reply[c, d, side], contacts.limbs.body[o]["wrench"]
        torque = lever(row, d, side)
        for k in range(3):
            owners.velocity[o, k] += q * reply[k]
            owners.spin[o, k] += q * reply[3 + k]
            wrench[k] += q * row["axis"][d, k]
            wrench[3 + k] += q * torque[k]


@lean_inline
def wrench_of(limbs, o):
    """What contacts have done so far to a limb in this iteration."""
    return six(limbs.body[o]["wrench"])


@lean_inline
def spread_wrench(limbs, owners, o, other, before):
    """What a limb's wrench since it was ``before`` does to all others but for ``other``."""
    w = less_six(six(limbs.body[o]["wrench"]), before)
    part = limbs.component[limbs.body[o]["component"]]
    for n in range(part["first"], part["first"] + part["count"]):
        i = limbs.owner[n]
        if i in (o, other):
            continue
        r = limbs.response[block_of(limbs, o, i)]
        for k in range(3):
            owners.velocity[i, k] += dot_six(w, r, k)
            owners.spin[i, k] += dot_six(w, r, 3 + k)


@lean_inline
def end_limbs(limbs, owners, is_jointed):
    """After an iteration over contacts: note what they saw, and leave what they did to limbs alone.

    Joints are to find the rest, of all bodies. is_jointed (o,): True for what hangs on joints.
    """
    for o in range(limbs.body.shape[0]):
        limb = limbs.body[o]
        if not is_jointed[o] or (limb["touched"] == 0 and limb["known"] == 0):
            continue
        for k in range(3):
            limb["after"][k] = owners.velocity[o, k]
            limb["after"][3 + k] = owners.spin[o, k]
        if limb["known"] == 0:
            continue
        w = limb["wrench"]
        spin = rotate(owners.inverse_inertia[o], (w[3], w[4], w[5]))
        for k in range(3):
            owners.velocity[o, k] = limb["before"][k] + owners.inverse_mass[o] * w[k]
            owners.spin[o, k] = limb["before"][3 + k] + spin[k]


@lean_inline
def off_by(limbs, owners, o):
    """Square of the speed (m/s) by which joints made a limb move otherwise than contacts saw."""
    limb = limbs.body[o]
    square = 0.0
    for k in range(3):
        square += (owners.velocity[o, k] - limb["after"][k]) ** 2
        square += (limb["size"] * (owners.spin[o, k] - limb["after"][3 + k])) ** 2
    return square


@lean_inline
def changed_by(limbs, o):
    """Square of the speed (m/s) by which contacts changed that of a limb in an iteration."""
    limb = limbs.body[o]
    square = 0.0
    for k in range(3):
        square += (limb["after"][k] - limb["before"][k]) ** 2
        square += (limb["size"] * (limb["after"][3 + k] - limb["before"][3 + k])) ** 2
    return square
