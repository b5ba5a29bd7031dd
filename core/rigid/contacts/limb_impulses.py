"""Pushes of contacts on limbs, of which it is known how they answer (`limb_response`).

In a pass each push moves what it acts on, and all other limbs that are known of the same ragdoll,
as if joints answered at once. At its end limbs get back the velocities that the pushes alone would
have given them, for joints are solved next, and move all the rest as well.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ..articulation.limb_response import block_of
from .contact_rows import slide_mobility

LEAST_SHARE = 0.02
"""Least share of what two bodies alone would give way that contacts believe limbs do. What joints
hold fast does not give way at all, and no push would be large enough; and what has turned by
`TURNS` since it was asked gives way by the square of that where it did not."""

NONE, NORMAL, ALL = range(3)
"""Axes of a row along which it is known how limbs answer."""


@lean
def answer_face(limbs, rows, first, n, owners, a, b):
    """Velocities that pushes along the normals of a manifold's n points give to limbs.

    With the masses that they meet, and what the points do to each other.
    """
    for c in range(first, first + n):
        rows.answered[c] = NORMAL
        _answer(limbs, rows, c, 0, 0, owners, a, b)
        _answer(limbs, rows, c, 0, 1, owners, b, a)
        w, alone = _gives_way(rows, c, 0, c, 0), owners.inverse_mass[a] + owners.inverse_mass[b]
        for k in range(3):
            alone += rows.cross[c, 0, 0, k] * rows.turn[c, 0, 0, k]
            alone += rows.cross[c, 0, 1, k] * rows.turn[c, 0, 1, k]
        rows.mass[c] = 1.0 / max(w, LEAST_SHARE * alone) if alone > 0.0 else 0.0
    if n > 1:
        for c in range(first, first + n):
            for i in range(n):
                rows.couple[c, i] = _gives_way(rows, first + i, 0, c, 0)


@lean
def answer_drag(limbs, rows, c, owners, a, b):
    """The same along the two tangents: their mobility, with a little of the bodies' own.

    What is added keeps it from being none, and slows convergence alone: what is found is the same.
    """
    rows.answered[c] = ALL
    for d in range(1, 3):
        _answer(limbs, rows, c, d, 0, owners, a, b)
        _answer(limbs, rows, c, d, 1, owners, b, a)
    a11, a12, a22 = slide_mobility(rows, c, 0)
    b11, b12, b22 = slide_mobility(rows, c, 1)
    w = owners.inverse_mass[a] + owners.inverse_mass[b]
    slide = rows.slide[c]
    slide[0] = _gives_way(rows, c, 1, c, 1) + LEAST_SHARE * (w + a11 + b11)
    slide[1] = _gives_way(rows, c, 1, c, 2) + LEAST_SHARE * (a12 + b12)
    slide[2] = _gives_way(rows, c, 2, c, 2) + LEAST_SHARE * (w + a22 + b22)


@lean_inline
def forget_answers(rows, count):
    """Other responses are known than before."""
    for c in range(count):
        rows.answered[c] = NONE


@lean_inline
def _answer(limbs, rows, c, d, side, owners, o, other):
    """Velocity and spin of owner o by a push along axis d, and by that against the other one."""
    out = rows.reply[c, d, side]
    axis, cross = rows.axis[c, d], rows.cross[c, d]
    if limbs.known[o] == 0:
        for k in range(3):
            out[k] = owners.inverse_mass[o] * axis[k]
            out[3 + k] = rows.turn[c, d, side, k]
        return
    part = limbs.component[o]
    r = limbs.response[block_of(limbs, part, o, o)]
    for k in range(6):
        out[k] = 0.0
    for m in range(3):
        force, torque = axis[m], cross[side, m]
        for k in range(6):
            out[k] += force * r[m, k] + torque * r[3 + m, k]
    if limbs.known[other] == 1 and limbs.component[other] == part:
        r = limbs.response[block_of(limbs, part, other, o)]
        for m in range(3):
            force, torque = axis[m], cross[1 - side, m]
            for k in range(6):
                out[k] -= force * r[m, k] + torque * r[3 + m, k]


@lean_inline
def _gives_way(rows, c, d, e, f):
    """Speed along axis d of row c by a push along axis f of row e, 1/kg."""
    total = 0.0
    for k in range(3):
        total += rows.axis[c, d, k] * (rows.reply[e, f, 0, k] + rows.reply[e, f, 1, k])
        total += rows.cross[c, d, 0, k] * rows.reply[e, f, 0, 3 + k]
        total += rows.cross[c, d, 1, k] * rows.reply[e, f, 1, 3 + k]
    return total


@lean_inline
def begin_limbs(limbs, owners):
    """Before a pass: note velocities; contacts have done nothing yet."""
    for c in range(limbs.state.shape[0]):
        first = limbs.first[c]
        for n in range(first, first + limbs.count[c]):
            o = limbs.owner[n]
            for k in range(3):
                limbs.before[o, k] = owners.velocity[o, k]
                limbs.before[o, 3 + k] = owners.spin[o, k]
                limbs.wrench[o, k] = 0.0
                limbs.wrench[o, 3 + k] = 0.0


@lean_inline
def push_limbs(rows, c, d, owners, limbs, a, b, p):
    """An impulse p along axis d on a, and against it on b, with what hangs on them."""
    for side in range(2):
        o = a if side == 0 else b
        q = p if side == 0 else -p
        reply = rows.reply[c, d, side]
        for k in range(3):
            owners.velocity[o, k] += q * reply[k]
            owners.spin[o, k] += q * reply[3 + k]
            limbs.wrench[o, k] += q * rows.axis[c, d, k]
            limbs.wrench[o, 3 + k] += q * rows.cross[c, d, side, k]


@lean_inline
def wrench_of(limbs, o):
    """What contacts have done so far to a limb in this pass."""
    w = limbs.wrench[o]
    return w[0], w[1], w[2], w[3], w[4], w[5]


@lean_inline
def spread_wrench(limbs, owners, o, other, w0, w1, w2, w3, w4, w5):
    """What a limb's wrench since it was w0 … w5 does to all others but for ``other``."""
    w = limbs.wrench[o]
    w0, w1, w2 = w[0] - w0, w[1] - w1, w[2] - w2
    w3, w4, w5 = w[3] - w3, w[4] - w4, w[5] - w5
    c = limbs.component[o]
    first = limbs.first[c]
    for n in range(first, first + limbs.count[c]):
        i = limbs.owner[n]
        if i in (o, other):
            continue
        r = limbs.response[block_of(limbs, c, o, i)]
        v, u = owners.velocity[i], owners.spin[i]
        for k in range(3):
            v[k] += (
                w0 * r[0, k]
                + w1 * r[1, k]
                + w2 * r[2, k]
                + w3 * r[3, k]
                + w4 * r[4, k]
                + w5 * r[5, k]
            )
            u[k] += (
                w0 * r[0, 3 + k]
                + w1 * r[1, 3 + k]
                + w2 * r[2, 3 + k]
                + w3 * r[3, 3 + k]
                + w4 * r[4, 3 + k]
                + w5 * r[5, 3 + k]
            )


@lean_inline
def end_limbs(limbs, owners, holds):
    """After a pass over contacts: note what they saw, and leave what pushes do to limbs alone.

    Joints are to find the rest, of all bodies. holds (o,): True for what hangs on joints.
    """
    for o in range(limbs.touched.shape[0]):
        if not holds[o] or (limbs.touched[o] == 0 and limbs.known[o] == 0):
            continue
        for k in range(3):
            limbs.after[o, k] = owners.velocity[o, k]
            limbs.after[o, 3 + k] = owners.spin[o, k]
        if limbs.known[o] == 0:
            continue
        i, w = owners.inverse_inertia[o], limbs.wrench[o]
        for k in range(3):
            owners.velocity[o, k] = limbs.before[o, k] + owners.inverse_mass[o] * w[k]
            spin = i[k, 0] * w[3] + i[k, 1] * w[4] + i[k, 2] * w[5]
            owners.spin[o, k] = limbs.before[o, 3 + k] + spin


@lean_inline
def off_by(limbs, owners, o):
    """Square of the speed (m/s) by which joints made a limb move otherwise than contacts saw."""
    square = 0.0
    for k in range(3):
        square += (owners.velocity[o, k] - limbs.after[o, k]) ** 2
        square += (limbs.size[o] * (owners.spin[o, k] - limbs.after[o, 3 + k])) ** 2
    return square
