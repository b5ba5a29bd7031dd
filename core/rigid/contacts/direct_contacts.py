"""Contacts of uneven islands near rest, all at once: Newton's method on what motion asks for.

A motion v of the bodies asks each contact for the impulse

    λ(v) = P(λ₀ − ρ (J v + b)),

where P leads to the nearest place in the friction cone, λ₀ are the impulses of the round before and
ρ makes each contact a stiff spring. The motion with M (v − v̂) = Jᵀ λ(v) is the lowest place of a
convex function, whose second derivative M + Σ Jᵀ P′ ρ J has a block of six for each body and for
each two that touch. It is factored as it is (`body_band`), so a heavy body on light ones costs what
any other does. Rounds over λ₀, as in the method of multipliers, leave nothing of the springs.

The cone alone would have what slides lift off by μ times its speed; b takes that back, from the
slip of the round before (De Saxcé & Feng 1998). Newton: Alart & Curnier 1991; multipliers:
Hestenes 1969; the function of v: Todorov 2014; Castro, Permenter & Han 2022.

Rows that leak stay as the sweeps left them.
"""

from __future__ import annotations

import math

from ...kernels.jit import lean, lean_inline
from ...vec3 import (
    add,
    along,
    cross,
    dot,
    load,
    scale,
    set_vec,
    sub,
    symmetric_times,
    unit,
    vec,
)
from ..joints.joint_fronts import BODY_ROWS
from .body_band import clear_band, factor_band, lay_out_band, solve_band
from .contact_point import contact_speed, push_contact
from .contact_table import DYNAMIC, NORMAL, STATIC
from .softness import aim_velocity
from .uneven_islands import direct_island_of

STIFFNESS = 1e3
"""ρ by the effective mass of a contact, in the first round. Stiff ones have many kinks in a small
place, which takes Newton's method many steps from afar, and few from where softer ones end."""

STIFFER = 30.0
"""Times as stiff in each round as in the one before."""

MULTIPLIER_ROUNDS = 4
"""Rounds of multipliers."""

NEWTON_STEPS = 40
"""Steps of Newton's method in all rounds."""

NEWTON_SETTLED = 1e-8
"""m/s, error of a body's velocity, or of what a contact asks for, that is left."""

LINE_SETTLED = 0.1
"""Share of its slope that is left along the line of a step."""

MOST_TRIALS = 12
"""Places that are tried along the line of a step."""


@lean_inline
def _asked(blow, share):
    """λ₀ − ρ (u + lift), at so large a share of the step, N·s."""
    rho = blow["rho"]
    u = along(vec(blow["error"]), share, vec(blow["step"]))
    y = along(vec(blow["taken"]), -rho, u)
    return y[0] - rho * blow["lift"], y[1], y[2]


@lean_inline
def _in_cone(y, mu):
    """The place in the friction cone that is nearest to y."""
    slip = math.sqrt(y[1] * y[1] + y[2] * y[2])
    if slip <= mu * y[0]:
        return y
    if mu * slip <= -y[0]:
        return 0.0, 0.0, 0.0
    normal = (y[0] + mu * slip) / (1.0 + mu * mu)
    return normal, mu * normal * y[1] / slip, mu * normal * y[2] / slip


@lean_inline
def _cone_slope(y, mu):
    """Derivative of `_in_cone`: nn, n1, n2, 11, 12, 22."""
    slip = math.sqrt(y[1] * y[1] + y[2] * y[2])
    if slip <= mu * y[0]:
        return 1.0, 0.0, 0.0, 1.0, 0.0, 1.0
    if mu * slip <= -y[0]:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    f = 1.0 / (1.0 + mu * mu)
    s, t = y[1] / slip, y[2] / slip
    across = mu * f * (y[0] + mu * slip) / slip
    m = mu * mu * f
    return (
        f,
        mu * f * s,
        mu * f * t,
        m * s * s + across * t * t,
        (m - across) * s * t,
        m * t * t + across * s * s,
    )


@lean_inline
def _mu(row, blow):
    return row["friction"][DYNAMIC if blow["slides"] == 1 else STATIC]


@lean_inline
def _begin_rows(contacts, owners, h, is_ahead):
    """Which rows take part, their velocity errors, and λ₀."""
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        blow["free"] = 0
        if direct_island_of(contacts.islands, row, owners) < 0:
            continue
        aim_velocity(row, owners, contacts.buffer, h, is_ahead, False)
        if row["softness"] > 0.0 or row["mass"] <= 0.0:
            continue
        blow["free"], blow["slides"], blow["lift"] = 1, 0, 0.0
        blow["rho"] = STIFFNESS * row["mass"]
        blow["error"][NORMAL] = row["velocity_error"]
        for d in range(1, 3):
            blow["error"][d] = contact_speed(row, d, owners)
        for d in range(3):
            blow["taken"][d] = row["impulse"][d]
            blow["step"][d] = 0.0


@lean_inline
def _add_wrench(vector, at, sign, arm, push):
    """Add an impulse at an arm, and its torque, to six numbers of a vector."""
    if at < 0:
        return
    turn = cross(arm, push)
    for k in range(3):
        vector[BODY_ROWS * at + k] += sign * push[k]
        vector[BODY_ROWS * at + 3 + k] += sign * turn[k]


@lean_inline
def _world(row, p):
    """An impulse along the axes of a row, in the world."""
    axis = row["axis"]
    return along(along(scale(p[0], vec(axis[0])), p[1], vec(axis[1])), p[2], vec(axis[2]))


@lean_inline
def _find_residual(contacts, owners, band):
    """What contacts ask for beyond what the motion has, into the band's vector; largest in m/s."""
    vector = band.vector
    for n in range(BODY_ROWS * band.count[0]):
        vector[n] = -band.gained[n]
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        p = sub(_in_cone(_asked(blow, 0.0), _mu(row, blow)), vec(row["impulse"]))
        push = _world(row, p)
        for side in range(2):
            at = band.place[row["owner"][side]]
            sign = 1.0 if side == 0 else -1.0
            _add_wrench(vector, at, sign, load(row["arm"], side), push)
    largest = 0.0
    for k in range(band.count[0]):
        w = owners.inverse_mass[band.order[k]]
        for m in range(3):
            largest = max(largest, w * abs(vector[BODY_ROWS * k + m]))
    return largest


@lean_inline
def _mass_times(owners, o, v, w):
    """Momentum and angular momentum of a body by a velocity and a spin."""
    extra = owners.extra_inertia[o]
    x, y, z = load(owners.inertia, o)
    r = owners.rotation[o]
    a = (x + extra) * (r[0, 0] * w[0] + r[1, 0] * w[1] + r[2, 0] * w[2])
    b = (y + extra) * (r[0, 1] * w[0] + r[1, 1] * w[1] + r[2, 1] * w[2])
    c = (z + extra) * (r[0, 2] * w[0] + r[1, 2] * w[1] + r[2, 2] * w[2])
    turn = (
        r[0, 0] * a + r[0, 1] * b + r[0, 2] * c,
        r[1, 0] * a + r[1, 1] * b + r[1, 2] * c,
        r[2, 0] * a + r[2, 1] * b + r[2, 2] * c,
    )
    return scale(1.0 / owners.inverse_mass[o], v), turn


@lean_inline
def _add_column(value, at, width, column, sign, force, torque):
    for m in range(3):
        value[at + m * width + column] += sign * force[m]
        value[at + (3 + m) * width + column] += sign * torque[m]


@lean_inline
def _stiffness(row, blow):
    """ρ P′ of a row in the world, symmetric: see `vec3`."""
    g = _cone_slope(_asked(blow, 0.0), _mu(row, blow))
    n, t, s = vec(row["axis"][0]), vec(row["axis"][1]), vec(row["axis"][2])
    a = along(along(scale(g[0], n), g[1], t), g[2], s)
    b = along(along(scale(g[1], n), g[3], t), g[4], s)
    c = along(along(scale(g[2], n), g[4], t), g[5], s)
    rho = blow["rho"]
    return (
        rho * (n[0] * a[0] + t[0] * b[0] + s[0] * c[0]),
        rho * (n[1] * a[1] + t[1] * b[1] + s[1] * c[1]),
        rho * (n[2] * a[2] + t[2] * b[2] + s[2] * c[2]),
        rho * (n[0] * a[1] + t[0] * b[1] + s[0] * c[1]),
        rho * (n[0] * a[2] + t[0] * b[2] + s[0] * c[2]),
        rho * (n[1] * a[2] + t[1] * b[2] + s[1] * c[2]),
    )


@lean_inline
def _add_pair(band, stiffness, i, j, arm_i, arm_j, sign):
    """Jᵢᵀ S Jⱼ, where i comes no later than j."""
    width = BODY_ROWS * (band.last[i] - i + 1)
    at = band.first[i] + BODY_ROWS * (j - i)
    for k in range(3):
        e = unit(k)
        force = symmetric_times(stiffness, e)
        _add_column(band.value, at, width, k, sign, force, cross(arm_i, force))
        force = symmetric_times(stiffness, cross(e, arm_j))
        _add_column(band.value, at, width, 3 + k, sign, force, cross(arm_i, force))


@lean
def _gather(contacts, owners, band):
    """M + Σ Jᵀ P′ ρ J."""
    clear_band(band)
    for i in range(band.count[0]):
        o = band.order[i]
        width = BODY_ROWS * (band.last[i] - i + 1)
        for k in range(3):
            force, turn = _mass_times(owners, o, unit(k), unit(k))
            zero = scale(0.0, force)
            _add_column(band.value, band.first[i], width, k, 1.0, force, zero)
            _add_column(band.value, band.first[i], width, 3 + k, 1.0, zero, turn)
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        stiffness = _stiffness(row, blow)
        if stiffness[0] + stiffness[1] + stiffness[2] == 0.0:
            continue
        a, b = band.place[row["owner"][0]], band.place[row["owner"][1]]
        arm_a, arm_b = load(row["arm"], 0), load(row["arm"], 1)
        if a >= 0:
            _add_pair(band, stiffness, a, a, arm_a, arm_a, 1.0)
        if b >= 0:
            _add_pair(band, stiffness, b, b, arm_b, arm_b, 1.0)
        if a >= 0 and b >= 0:
            if a < b:
                _add_pair(band, stiffness, a, b, arm_a, arm_b, -1.0)
            else:
                _add_pair(band, stiffness, b, a, arm_b, arm_a, -1.0)


@lean_inline
def _point_motion(band, at, arm):
    """Velocity of a point by the step in the band's vector."""
    if at < 0:
        return 0.0, 0.0, 0.0
    x = band.vector
    k = BODY_ROWS * at
    return add((x[k], x[k + 1], x[k + 2]), cross((x[k + 3], x[k + 4], x[k + 5]), arm))


@lean_inline
def _find_step(contacts, band):
    """What the step in the band's vector changes of the velocity errors."""
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        of_a = _point_motion(band, band.place[row["owner"][0]], load(row["arm"], 0))
        of_b = _point_motion(band, band.place[row["owner"][1]], load(row["arm"], 1))
        v = sub(of_a, of_b)
        for d in range(3):
            blow["step"][d] = dot(vec(row["axis"][d]), v)


@lean_inline
def _step_sums(owners, band):
    """δᵀ (what the motion has gained) and δᵀ M δ of the step δ."""
    x, gained, by_gained, by_mass = band.vector, band.gained, 0.0, 0.0
    for i in range(band.count[0]):
        k = BODY_ROWS * i
        v, w = (x[k], x[k + 1], x[k + 2]), (x[k + 3], x[k + 4], x[k + 5])
        p, q = _mass_times(owners, band.order[i], v, w)
        by_mass += dot(p, v) + dot(q, w)
        for m in range(BODY_ROWS):
            by_gained += x[k + m] * gained[k + m]
    return by_gained, by_mass


@lean_inline
def _slope(contacts, sums, share):
    """Slope of the function at so large a share of the step."""
    total = sums[0] + share * sums[1]
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        p = sub(_in_cone(_asked(blow, share), _mu(row, blow)), vec(row["impulse"]))
        total -= dot(p, vec(blow["step"]))
    return total


@lean
def _best_share(contacts, sums):
    """Share of the step at which the function is lowest, at most 1: false position (Illinois)."""
    low, high = 0.0, 1.0
    at_low, at_high = _slope(contacts, sums, 0.0), _slope(contacts, sums, 1.0)
    enough = LINE_SETTLED * abs(at_low)
    if at_low >= 0.0:
        return 0.0
    if at_high <= enough:
        return 1.0
    share, side = 1.0, 0
    for _ in range(MOST_TRIALS):
        share = low - at_low * (high - low) / (at_high - at_low)
        now = _slope(contacts, sums, share)
        if abs(now) <= enough:
            break
        if now > 0.0:
            high, at_high = share, now
            at_low = 0.5 * at_low if side == 1 else at_low
            side = 1
        else:
            low, at_low = share, now
            at_high = 0.5 * at_high if side == -1 else at_high
            side = -1
    return share


@lean_inline
def _take_step(contacts, owners, band, share):
    for c in range(contacts.count[0]):
        blow = contacts.blow[c]
        if blow["free"] == 1:
            set_vec(blow["error"], along(vec(blow["error"]), share, vec(blow["step"])))
            set_vec(blow["step"], (0.0, 0.0, 0.0))
    x = band.vector
    for i in range(band.count[0]):
        k = BODY_ROWS * i
        v, w = (x[k], x[k + 1], x[k + 2]), (x[k + 3], x[k + 4], x[k + 5])
        p, q = _mass_times(owners, band.order[i], v, w)
        for m in range(3):
            band.gained[k + m] += share * p[m]
            band.gained[k + 3 + m] += share * q[m]


@lean_inline
def _next_round(contacts):
    """Multipliers of the next round; by how much contacts did not get what they ask for, m/s."""
    largest = 0.0
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        p = _in_cone(_asked(blow, 0.0), _mu(row, blow))
        change = sub(p, vec(blow["taken"]))
        largest = max(largest, math.sqrt(dot(change, change)) / blow["rho"])
        set_vec(blow["taken"], p)
        slip = math.sqrt(blow["error"][1] ** 2 + blow["error"][2] ** 2)
        blow["lift"] = _mu(row, blow) * slip if p[0] > 0.0 else 0.0
        blow["rho"] *= STIFFER
    return largest


@lean_inline
def _note_sliding(contacts):
    """Friction of manifolds all of whose points slide is dynamic."""
    first = 0
    while first < contacts.count[0]:
        points = contacts.rows[first]["points"]
        sticks = False
        for c in range(first, first + points):
            row, blow = contacts.rows[c], contacts.blow[c]
            if blow["free"] == 0:
                continue
            p = _in_cone(_asked(blow, 0.0), _mu(row, blow))
            most = _mu(row, blow) * p[0] * (1.0 - 1e-9)
            sticks = sticks or p[1] * p[1] + p[2] * p[2] < most * most
        for c in range(first, first + points):
            contacts.blow[c]["slides"] = 0 if sticks else 1
        first += points


@lean_inline
def _push(contacts, owners):
    """Push with what has been found."""
    for c in range(contacts.count[0]):
        row, blow = contacts.rows[c], contacts.blow[c]
        if blow["free"] == 0:
            continue
        for d in range(3):
            change = blow["taken"][d] - row["impulse"][d]
            row["impulse"][d] = blow["taken"][d]
            push_contact(row, d, owners, change)


@lean_inline
def _settle_round(contacts, owners, steps):
    """Newton's steps of one round; how many there are then, −1 where there are too few."""
    band = contacts.band
    while _find_residual(contacts, owners, band) > NEWTON_SETTLED:
        if steps >= NEWTON_STEPS:
            return -1
        _gather(contacts, owners, band)
        factor_band(band)
        solve_band(band)
        _find_step(contacts, band)
        _take_step(contacts, owners, band, _best_share(contacts, _step_sums(owners, band)))
        steps += 1
    return steps


@lean
def solve_directly(contacts, owners, h, is_ahead):
    """Solve the contacts of islands whose way is `DIRECT` at once; whether that went well.

    What takes more steps than there are ends with the last round that was settled, and where there
    is none, or the islands are too large, nothing has changed.
    """
    band = contacts.band
    if not lay_out_band(contacts, owners):
        return False
    _begin_rows(contacts, owners, h, is_ahead)
    for n in range(BODY_ROWS * band.count[0]):
        band.gained[n] = 0.0
    steps, rounds = 0, 0
    while rounds < MULTIPLIER_ROUNDS:
        steps = _settle_round(contacts, owners, steps)
        if steps < 0:
            break
        rounds += 1
        _note_sliding(contacts)
        if _next_round(contacts) <= NEWTON_SETTLED:
            break
    if rounds > 0:
        _push(contacts, owners)
    return rounds > 0
