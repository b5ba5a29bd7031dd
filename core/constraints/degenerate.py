"""Directions where geometry gives none: coinciding particles part the same way on every run."""

from __future__ import annotations

import math

from ..jit import inline

GOLDEN_TURN = 2.399963229728653  # rad; multiples of it never come close to repeating


@inline
def direction_of(a, b):
    """A unit vector that depends on two particle indices alone (Jakobsen §7: a dislocation).

    Points of a Fibonacci sphere, so that many pairs in one place part in all directions;
    exchanging the indices turns it round.
    """
    sign = 1.0 if a < b else -1.0
    low = min(a, b)
    high = max(a, b)
    n = low * 31.0 + high * 17.0
    z = 2.0 * ((n * 0.6180339887498949) % 1.0) - 1.0
    r = math.sqrt(max(0.0, 1.0 - z * z))
    turn = n * GOLDEN_TURN
    return sign * r * math.cos(turn), sign * r * math.sin(turn), sign * z
