"""Elementary functions: the same bits on every machine, compiled by whomever or as plain Python.

Those of C libraries and of NumPy differ in the last bits from version to version, from system to
system and from processor to processor. These are made of sums, products and quotients alone, each
of which IEEE 754 says the bits of. The reductions and polynomials are those of FreeBSD's msun
(k_sin.c, k_cos.c, s_atan.c, e_atan2.c, e_exp.c, e_log.c), whose authors ask for these words:

    Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
    Developed at SunPro, a Sun Microsystems, Inc. business.
    Permission to use, copy, modify, and distribute this software is freely granted, provided that
    this notice is preserved.

Results are off by less than two units of the last place, `power` by so many as the size of its
exponent times the logarithm.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import Floats
from .kernels.jit import kernel, lean
from .kernels.lanes import select, size_of

_TO_WHOLE = 1.5 * 2.0**52  # what is added and taken away again is rounded to a whole number

# π/2 in three pieces of 33 bits and a rest: a piece times a whole number below 2²⁰ is exact.
_QUARTER = 0.5 * math.pi
_PIECES = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21)
_RESTS = (6.07710050650619224932e-11, 2.02226624879595063154e-21, 8.47842766036889956997e-32)
_MOST_QUARTERS = 2.0**20
_MOST_ANGLE = 2.0**52  # rad: beyond it, numbers lie further apart than whole numbers

_LN2_WHOLE = 6.93147180559945309417e-01
_LN2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)  # 21 bits less, and the rest
_ROOT_OF_TWO = 1.41421356237309504880

_ATAN = (
    (4.63647609000806093515e-01, 2.26987774529616870924e-17),
    (7.85398163397448278999e-01, 3.06161699786838301793e-17),
    (9.82793723247329054082e-01, 1.39033110312309984516e-17),
    (_QUARTER, 6.12323399573676603587e-17),
)
"""The angles whose tangents are ½, 1, 1½ and ∞, each as a number and what it lacks."""


@lean
def sin_cos(angle):
    """Sine and cosine of an angle in rad; beyond 1.6 million rad as exact as numbers lie apart."""
    if not abs(angle) < _MOST_ANGLE:
        return angle - angle, 1.0 + (angle - angle)  # 0 and 1, or no numbers where it is none
    quarters = (angle / _QUARTER + _TO_WHOLE) - _TO_WHOLE
    if quarters == 0.0:
        return _sine(angle, 0.0), _cosine(angle, 0.0)
    if not abs(quarters) < _MOST_QUARTERS:
        angle -= 4.0 * _QUARTER * ((0.25 * quarters + _TO_WHOLE) - _TO_WHOLE)
        quarters = (angle / _QUARTER + _TO_WHOLE) - _TO_WHOLE
    return _in_quarter(angle, quarters)


@lean
def sin(angle):
    """Sine of an angle in rad."""
    return sin_cos(angle)[0]


@lean
def cos(angle):
    """Cosine of an angle in rad."""
    return sin_cos(angle)[1]


@lean
def _in_quarter(angle, quarters):
    """Sine and cosine of an angle that is nearest to so many right angles."""
    rest, lacking = _beyond_quarters(angle, quarters)
    sine, cosine = _sine(rest, lacking), _cosine(rest, lacking)
    turn = quarters - 4.0 * ((0.25 * quarters + _TO_WHOLE) - _TO_WHOLE)  # −2, −1, 0, 1 or 2
    if turn == 0.0:
        return sine, cosine
    if turn == 1.0:
        return cosine, -sine
    if turn == -1.0:
        return -cosine, sine
    return -sine, -cosine


@lean
def _beyond_quarters(angle, quarters):
    """What an angle has beyond so many right angles, −π/4 to π/4, and what that number lacks."""
    left = angle - quarters * _PIECES[0]
    lacking = quarters * _RESTS[0]
    rest = left - lacking
    if abs(rest) < 2.0**-17 * abs(angle):  # too few digits are left
        before, piece = left, quarters * _PIECES[1]
        left = before - piece
        lacking = quarters * _RESTS[1] - ((before - left) - piece)
        rest = left - lacking
        if abs(rest) < 2.0**-50 * abs(angle):
            before, piece = left, quarters * _PIECES[2]
            left = before - piece
            lacking = quarters * _RESTS[2] - ((before - left) - piece)
            rest = left - lacking
    return rest, (left - rest) - lacking


@lean
def _sine(x, lacking):
    """Sine of x + lacking, −π/4 to π/4."""
    z = x * x
    w = z * z
    r = 8.33333333332248946124e-03
    r += z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
    r += z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    v = z * x
    if lacking == 0.0:
        return x + v * (-1.66666666666666324348e-01 + z * r)
    return x - ((z * (0.5 * lacking - v * r) - lacking) + v * 1.66666666666666324348e-01)


@lean
def _cosine(x, lacking):
    """Cosine of x + lacking, −π/4 to π/4."""
    z = x * x
    w = z * z
    low = -1.38888888888741095749e-03 + z * 2.48015872894767294178e-05
    high = 2.08757232129817482790e-09 - z * 1.13596475577881948265e-11
    r = z * (4.16666666666666019037e-02 + z * low)
    r += w * w * (-2.75573143513906633035e-07 + z * high)
    half = 0.5 * z
    large = 1.0 - half
    return large + (((1.0 - large) - half) + (z * r - x * lacking))


@lean
def atan2(y, x):
    """Angle in rad, −π to π, from the first axis to the direction (x, y); 0 for no direction.

    Of floats or of lanes: all cases are computed, and one is taken.
    """
    is_upright = x == 0.0
    angle = _atan(size_of(y / select(is_upright, 1.0, x)))
    angle = select(is_upright, select(y == 0.0, 0.0, _QUARTER), angle)
    angle = select(x < 0.0, 2.0 * _QUARTER - (angle - 2.0 * _ATAN[3][1]), angle)
    return select(y < 0.0, -angle, angle)


@lean
def _atan(tangent):
    """The angle in rad, 0 to π/2, of a tangent ≥ 0: that from the nearest known one, and it."""
    over, under = -1.0, tangent
    near, lacking = _ATAN[3][0], _ATAN[3][1]
    below = tangent < 2.4375
    over, under = select(below, tangent - 1.5, over), select(below, 1.0 + 1.5 * tangent, under)
    near, lacking = select(below, _ATAN[2][0], near), select(below, _ATAN[2][1], lacking)
    below = tangent < 1.1875
    over, under = select(below, tangent - 1.0, over), select(below, tangent + 1.0, under)
    near, lacking = select(below, _ATAN[1][0], near), select(below, _ATAN[1][1], lacking)
    below = tangent < 0.6875
    over, under = select(below, 2.0 * tangent - 1.0, over), select(below, 2.0 + tangent, under)
    near, lacking = select(below, _ATAN[0][0], near), select(below, _ATAN[0][1], lacking)
    below = tangent < 0.4375
    over, under = select(below, tangent, over), select(below, 1.0, under)
    near, lacking = select(below, 0.0, near), select(below, 0.0, lacking)
    x = over / under
    return near - (x * _tangent_series(x) - lacking - x)


@lean
def _tangent_series(x):
    """1 − atan(x)/x for |x| ≤ 7/16."""
    z = x * x
    w = z * z
    odd = 4.97687799461593236017e-02 + w * 1.62858201153657823623e-02
    odd = 9.09088713343650656196e-02 + w * (6.66107313738753120669e-02 + w * odd)
    odd = 3.33333333333329318027e-01 + w * (1.42857142725034663711e-01 + w * odd)
    even = -5.83357013379057348645e-02 - w * 3.65315727442169155270e-02
    even = -1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02 + w * even)
    return z * odd + w * (-1.99999999998764832476e-01 + w * even)


@lean
def exp(x):
    """E to the power of x; 0 below −708."""
    if not x > -708.0:
        return 0.0 if x <= -708.0 else x  # x where it is no number
    if x > 709.7:
        return math.inf
    doublings = (x / _LN2_WHOLE + _TO_WHOLE) - _TO_WHOLE
    high = x - doublings * _LN2[0]
    low = doublings * _LN2[1]
    r = high - low
    z = r * r
    c = -1.65339022054652515390e-06 + z * 4.13813679705723846039e-08
    c = -2.77777777770155933842e-03 + z * (6.61375632143793436117e-05 + z * c)
    c = r - z * (1.66666666666666019037e-01 + z * c)
    y = 1.0 + (r * c / (2.0 - c) - low + high)
    half = np.int64(doublings) >> 1  # in two steps: 2¹⁰²⁴ is no number
    return y * _power_of_two(half) * _power_of_two(np.int64(doublings) - half)


@lean
def expm1(x):
    """eˣ − 1, as exact for small x (W. Kahan)."""
    near = exp(x)
    if near == 1.0:
        return x
    if near == math.inf or near == 0.0:
        return near - 1.0
    return (near - 1.0) * x / log(near)


@lean
def log(x):
    """Natural logarithm of x > 0."""
    if x == math.inf or not x > 2.0**-1022:
        return x if x == math.inf else x - x - math.inf
    bits = np.float64(x).view(np.int64)
    doublings = (bits >> 52) - 1023
    f = x * _power_of_two(-doublings)
    if f > _ROOT_OF_TWO:
        f *= 0.5
        doublings += 1
    f -= 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = w * (
        3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01)
    )
    high = 2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)
    r += z * (6.666666666666735130e-01 + w * high)
    half = 0.5 * f * f
    return s * (half + r) + doublings * _LN2[1] - half + f + doublings * _LN2[0]


@lean
def _power_of_two(exponent):
    """2 to the power of a whole number from −1022 to 1023, from the bits of it."""
    return np.int64((exponent + 1023) << 52).view(np.float64)


@lean
def power(base, exponent):
    """A base > 0 to the power of any exponent; 0 for the base 0."""
    return 0.0 if base == 0.0 else exp(exponent * log(base))


@kernel
def _cosines(angle, out):
    for i in range(angle.shape[0]):
        out[i] = cos(angle[i])


@kernel
def _angles(sine, cosine, out):
    for i in range(sine.shape[0]):
        out[i] = atan2(sine[i], cosine[i])


def cosines(angle: Floats) -> Floats:
    """The cosine of each angle (n,) in rad."""
    out = np.empty(len(angle))
    _cosines(np.ascontiguousarray(angle, dtype=np.float64), out)
    return out


def angles(sine: Floats, cosine: Floats) -> Floats:
    """The angle (n,) in rad, −π to π, to each of the directions with cosine and sine (n,)."""
    out = np.empty(len(sine))
    _angles(
        np.ascontiguousarray(sine, dtype=np.float64),
        np.ascontiguousarray(cosine, dtype=np.float64),
        out,
    )
    return out
