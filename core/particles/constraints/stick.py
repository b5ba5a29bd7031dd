"""Sticks: two particles at a fixed distance (Jakobsen §4), in four forms.

Each form gives λ and a vector e; the ends then move by +w₁ λ e and −w₂ λ e. With δ = x₂ − x₁ the
ends of a stick that is too long move toward each other: the sign in Jakobsen's exact listings is
misprinted.
"""

from __future__ import annotations

from ...kernels.jit import inline, lean_inline
from ...vec3 import dot, length, shift

MOMENTUM, SQRT_FREE, MASS_WEIGHTED, EXACT = 0, 1, 2, 3
STICK_CODES = {
    "MOMENTUM": MOMENTUM,
    "SQRT_FREE": SQRT_FREE,
    "MASS_WEIGHTED": MASS_WEIGHTED,
    "EXACT": EXACT,
}

NO_WEIGHT = 1e-100
"""1/kg, changes no bit of an inverse mass; with it two pinned ends need no test of their own."""

TINY = 1e-200
"""Keeps what has no length, of rest length 0 or not, from becoming NaN."""


@inline
def mass_weighted(d, w, rest):
    """λ of the exact form, δ (|δ| − r)/(|δ| (w₁ + w₂)); w = w₁ + w₂."""
    apart = length(d)
    return (apart - rest) / (w * (apart + TINY))


@inline
def sqrt_free(d, w, rest):
    """λ of the form δ (r²/(δ² + r²) − ½), with masses: one Newton step for √ about r."""
    dd = dot(d, d)
    rr = rest * rest
    return (dd - rr) / (w * (dd + rr + TINY))


@inline
def momentum(d, e, w, rest):
    """λ along e, the stick one step ago: SHAKE (Ryckaert, Ciccotti, Berendsen 1977, eq. 5).

    One Newton step for |δ − λ w e|² = r². Corrections along e keep the angular momentum
    Σ m x* × x/h exactly, which those along δ lose at a rate of (ω h)² a step. Falls back on the
    square-root free form for a stick that in one step has turned by more than 37° or changed its
    length by a fifth: beyond, many such passes diverge. Returns (λ, e).
    """
    dd = dot(d, d)
    de = dot(d, e)
    rr = rest * rest
    if de > 0.8 * max(dd, rr):
        return 0.5 * (dd - rr) / (w * de), e
    return (dd - rr) / (w * (dd + rr + TINY)), d


@inline
def correction(form, d, e, wa, wb, share_a, share_b, rest):
    """One stick in any form: returns (w₁, w₂, λ, e) to move its ends by.

    λ is found for masses that are split into share_a and share_b equal parts, 1 for whole ones.
    """
    if form == EXACT:
        wa = 1.0 if wa > 0.0 else 0.0
        wb = 1.0 if wb > 0.0 else 0.0
    w = share_a * wa + share_b * wb + NO_WEIGHT
    if form == MOMENTUM:
        step, e = momentum(d, e, w, rest)
        return wa, wb, step, e
    if form == SQRT_FREE:
        return wa, wb, sqrt_free(d, w, rest), d
    return wa, wb, mass_weighted(d, w, rest), d


@lean_inline
def move_ends(x, a, b, wa, wb, step, e):
    """Move the ends a and b of a stick by +w₁ λ e and −w₂ λ e; step: λ."""
    shift(x, a, wa * step, e)
    shift(x, b, -(wb * step), e)
