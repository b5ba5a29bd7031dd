"""Sticks: two particles at a fixed distance (Jakobsen §4), in four forms.

Each form returns (λ, ex, ey, ez); the ends then move by +w₁ λ e and −w₂ λ e. With δ = x₂ − x₁ the
ends of a stick that is too long move toward each other: the sign in Jakobsen's exact listings is
misprinted.
"""

from __future__ import annotations

import math

from ..jit import inline

MOMENTUM, SQRT_FREE, MASS_WEIGHTED, EXACT = 0, 1, 2, 3
FORMS = {
    "MOMENTUM": MOMENTUM,
    "SQRT_FREE": SQRT_FREE,
    "MASS_WEIGHTED": MASS_WEIGHTED,
    "EXACT": EXACT,
}

NO_WEIGHT = 1e-100
"""1/kg, changes no bit of an inverse mass; with it two pinned ends need no test of their own."""

_TINY = 1e-200  # keeps coinciding ends, of rest length 0 or not, from becoming NaN


@inline
def mass_weighted(dx, dy, dz, w, rest):
    """λ of the exact form, δ (|δ| − r)/(|δ| (w₁ + w₂)); w = w₁ + w₂."""
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    return (length - rest) / (w * (length + _TINY))


@inline
def sqrt_free(dx, dy, dz, w, rest):
    """λ of the form δ (r²/(δ² + r²) − ½), with masses: one Newton step for √ about r."""
    dd = dx * dx + dy * dy + dz * dz
    rr = rest * rest
    return (dd - rr) / (w * (dd + rr + _TINY))


@inline
def momentum(dx, dy, dz, ex, ey, ez, w, rest):
    """λ along e, the stick one step ago: SHAKE (Ryckaert, Ciccotti, Berendsen 1977, eq. 5).

    One Newton step for |δ − λ w e|² = r². Corrections along e keep the angular momentum
    Σ m x* × x/h exactly, which those along δ lose at a rate of (ω h)² a step. Falls back on the
    square-root free form for a stick that in one step has turned by more than 37° or changed its
    length by a fifth: beyond, many such passes diverge. Returns (λ, ex, ey, ez).
    """
    dd = dx * dx + dy * dy + dz * dz
    de = dx * ex + dy * ey + dz * ez
    rr = rest * rest
    if de > 0.8 * max(dd, rr):
        return 0.5 * (dd - rr) / (w * de), ex, ey, ez
    return (dd - rr) / (w * (dd + rr + _TINY)), dx, dy, dz


@inline
def correction(form, dx, dy, dz, ex, ey, ez, wa, wb, share_a, share_b, rest):
    """One stick in any form: returns (w₁, w₂, λ, ex, ey, ez) to move its ends by.

    λ is found for masses that are split into share_a and share_b equal parts, 1 for whole ones.
    """
    if form == EXACT:
        wa = 1.0 if wa > 0.0 else 0.0
        wb = 1.0 if wb > 0.0 else 0.0
    w = share_a * wa + share_b * wb + NO_WEIGHT
    if form == MOMENTUM:
        step, ex, ey, ez = momentum(dx, dy, dz, ex, ey, ez, w, rest)
        return wa, wb, step, ex, ey, ez
    if form == SQRT_FREE:
        return wa, wb, sqrt_free(dx, dy, dz, w, rest), dx, dy, dz
    return wa, wb, mass_weighted(dx, dy, dz, w, rest), dx, dy, dz
