"""Rotation of a free body: exact in angular momentum, and in the turn of balls and tops.

A body's angular momentum L stays the same in the world; what is to be found is the turn F, in the
body's own axes, that it makes of it in a step: q' = q F, Π' = Fᵀ Π with Π = Rᵀ L. Its energy

    ½ Π·J⁻¹Π = |Π|²/2Jᵢ + ½ (1/Jₖ − 1/Jᵢ) Πₖ² + ½ (1/Jⱼ − 1/Jᵢ) Πⱼ²

is that of a top with the axis k, the first two terms, and a rest. Either turns the body in closed
form: the top about Π and k, the rest about j; half of the rest goes before the top and half after
it. (Touma & Wisdom 1994; Fassò 2003, the splitting with the smallest error: i and j are the
two of most equal moments, so nothing is left over for balls, cubes, rods and coins.) Time may run
back, and energy swings about its value and does not drift. Kenwright eq. 4–7 with the term ω×Iω
that he drops.

In a state the spin ω = J⁻¹ Π is kept as x* keeps the velocity: q* = q exp(−h ω).
"""

from __future__ import annotations

import math

from .elementary import atan2, sin_cos
from .kernels.jit import lean, lean_inline
from .vec3 import length, scale

LARGEST_TURN = 3.1
"""Largest turn in rad from q* to q: beyond half a turn it would be read as one the other way.
Faster spin is held there, at 480 steps a second 237 turns/s."""


@lean_inline
def quaternion(a):
    """The four numbers of an array a (4,)."""
    return a[0], a[1], a[2], a[3]


@lean_inline
def set_quaternion(a, q):
    """Write q into an array a (4,)."""
    a[0], a[1], a[2], a[3] = q


@lean_inline
def conjugate(q):
    """The turn back."""
    return q[0], -q[1], -q[2], -q[3]


@lean_inline
def product(a, b):
    """Quaternion product a b."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
    )


@lean_inline
def normalised(q):
    """The unit quaternion along q; no rotation for zero."""
    w, x, y, z = q
    square = w * w + x * x + y * y + z * z
    if not square > 0.0:
        return 1.0, 0.0, 0.0, 0.0
    f = 1.0 / math.sqrt(square)
    return f * w, f * x, f * y, f * z


@lean_inline
def renormalised(q):
    """A quaternion that rounding alone has taken from length 1: one step of Newton to 1/√."""
    w, x, y, z = q
    f = 1.5 - 0.5 * (w * w + x * x + y * y + z * z)
    return f * w, f * x, f * y, f * z


@lean_inline
def spin_of_turn(turn, h):
    """Spin ω rad/s that makes a turn in h s, about the same axes, the short way round."""
    w, x, y, z = turn
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    f = 2.0 / h if size == 0.0 else 2.0 * atan2(size, w) / (size * h)
    return f * x, f * y, f * z


@lean_inline
def turn_of_spin(spin, h):
    """Turn that a spin rad/s makes in h s, of any size."""
    angle = h * length(spin)
    sine, cosine = sin_cos(0.5 * angle)
    f = 0.5 * h if angle < 1e-8 else h * sine / angle
    return cosine, f * spin[0], f * spin[1], f * spin[2]


@lean_inline
def turn_to_previous(spin, h):
    """Turn from q to q* for a spin in the body's axes, rad/s; see `LARGEST_TURN`."""
    angle = h * length(spin)
    f = -1.0 if angle <= LARGEST_TURN else -LARGEST_TURN / angle
    return turn_of_spin(scale(f, spin), h)


@lean_inline
def _half_rest(a, c, angle):
    """Half of the rest: cosine and sine of half its angle about b, and a and c of Π after it."""
    si, co = sin_cos(0.5 * angle)
    cosine, sine = 1.0 - 2.0 * si * si, 2.0 * si * co
    return co, si, cosine * a - sine * c, sine * a + cosine * c


@lean
def _turn_of_top(momentum, inertia, h):
    """As `free_turn`, the third axis being that of the top and the second that of the rest."""
    a, b, c = momentum
    ja, jb, jc = inertia
    rest = 0.5 * h * (1.0 / jb - 1.0 / ja)
    co, si = 1.0, 0.0
    if rest != 0.0:
        co, si, a, c = _half_rest(a, c, rest * b)
    turn = turn_of_spin((a / ja, b / ja, c / ja), h)
    angle = h * (1.0 / jc - 1.0 / ja) * c
    if angle != 0.0:
        sc, cc = sin_cos(0.5 * angle)
        turn = product(turn, (cc, 0.0, 0.0, sc))
        b = (1.0 - 2.0 * sc * sc) * b - 2.0 * sc * cc * a
    if rest != 0.0:
        sine, cosine = sin_cos(0.5 * rest * b)
        turn = product((co, 0.0, si, 0.0), turn)
        turn = product(turn, (cosine, 0.0, sine, 0.0))
    return turn


@lean_inline
def free_turn(momentum, inertia, h):
    """Turn within h s, in body axes, of angular momentum Π and principal moments J."""
    px, py, pz = momentum
    jx, jy, jz = inertia
    x_from_y = abs(1.0 / jx - 1.0 / jy)
    y_from_z = abs(1.0 / jy - 1.0 / jz)
    z_from_x = abs(1.0 / jz - 1.0 / jx)
    if x_from_y <= y_from_z and x_from_y <= z_from_x:
        return _turn_of_top(momentum, inertia, h)
    if y_from_z <= z_from_x:
        w, y, z, x = _turn_of_top((py, pz, px), (jy, jz, jx), h)
    else:
        w, z, x, y = _turn_of_top((pz, px, py), (jz, jx, jy), h)
    return w, x, y, z
