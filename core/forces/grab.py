"""A hand that has taken hold of one place of what moves, and pulls it along.

A spring with critical damping between the place and the hand, tuned to the mass M of all that hangs
on the place, and taken at the end of the substep: with K what an impulse does to the speed of the
place, x and v where it gets to and how fast without the hand, X and V the hand's own,

    F = (1 + (c h + k h²) K)⁻¹ (k (X − x) + c (V − v)),  k = M ω̂²,  c = 2 M ω̂,  ω̂ = (e^(ωh) − 1)/h.

ω̂ in place of ω makes the poles of the discrete oscillator those of the continuous one, e^(−ωh)
twice: a free mass approaches the hand as (a + b t) e^(−ωt) to the last bit, whatever the step is.
That is stable for every mass and step, because K is never less than it really is. What the hand
does is bounded besides, in force, in how far it reaches and in how fast it is, so that nothing it
holds can be made to explode.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model.grab import FASTEST_HAND
from ..settings.gravity import GRAVITY
from ..vector import shortened

if TYPE_CHECKING:
    from ..arrays import Floats

GRAB_FREQUENCY = 5.0
"""Hz of the spring: a hundredth of a second behind a hand, a centimetre under what it lifts."""

STRENGTH = 20.0
"""Largest force, in weights of all that hangs on the place."""

GRIP = 0.03
"""How far the hand reaches about a vertex, as a share of the object's size: one vertex of a fine
mesh would be drawn out to a thorn."""

TURN = 2.0 * math.pi * GRAB_FREQUENCY
REACH = 2.0 * FASTEST_HAND / TURN
"""m; from farther away the spring draws no faster: it is overdamped where it holds little mass."""


@dataclass(frozen=True)
class Spring:
    """The spring between place and hand, for a substep of h s."""

    stiffness: float  # N/m, k
    damping: float  # N·s/m, c
    softness: float  # kg, c h + k h²: what the place has in inertia besides
    strength: float  # N

    @classmethod
    def of(cls, mass: float, h: float) -> Spring:
        """That of a hand that a mass in kg hangs on."""
        turn = _growth(TURN * h) / h
        stiffness, damping = mass * turn * turn, 2.0 * mass * turn
        softness = damping * h + stiffness * h * h
        return cls(stiffness, damping, softness, STRENGTH * GRAVITY * mass)

    def drive(self, behind: Floats, slower: Floats) -> Floats:
        """Force (…, 3) N on what would be ``behind`` m and ``slower`` m/s, were it immovable."""
        force: Floats = self.stiffness * shortened(behind, REACH) + self.damping * slower
        return force


def _growth(exponent: float) -> float:
    """e^x − 1 by its series: that of each system's own library has other last bits."""
    total = term = exponent
    n = 1
    while term > 1e-18 * total:
        n += 1
        term *= exponent / n
        total += term
    return total
