"""Partial repair (Jakobsen §7): a constraint that repairs only a share of its error per pass.

A share s of the error, taken out in every step of h₀ = 1/480 s, holds a load like a spring: under
an acceleration g an error e comes to rest where (1 − s)(e + g h₀²) = e. To rest there at any other
step h the share becomes

    s' = s/(s + (1 − s)(h₀/h)²)

which keeps the stiffness s/((1 − s) h²). The share 1 − (1 − s)^(h/h₀), which keeps the rate at
which an error decays, would halve the sag each time the step is halved.

Errors that are far older than a step, as where a constraint was made for things that lie far from
it, are taken out over several steps (`left_over`): all in one step would shoot things off.
"""

from __future__ import annotations

import math

from ...kernels.jit import inline

REFERENCE_RATE = 480.0
"""1/s, the substep rate at which shares are given."""


def repair_rate(h: float, stiffness: float) -> float:
    """What a step of h seconds and a factor on the stiffness do to s/(1 − s)."""
    return stiffness * (h * REFERENCE_RATE) ** 2


REPAIR_SPEED = 5.0
"""m/s, an error that this takes out in one step is taken out at once."""

REPAIR_RATE = 4.0
"""1/s, share of a larger error that is taken out per second."""


@inline
def left_over(error, speed, h):
    """What a step leaves of an error that was there at its start, in the error's unit.

    speed: how fast it may go at least, in that unit per second.
    """
    after = abs(error) - h * max(speed, REPAIR_RATE * abs(error))
    return math.copysign(after, error) if after > 0.0 else 0.0


@inline
def share_per_pass(share, rate):
    """The share of the error to repair in this step; rate is `repair_rate`."""
    stiff = share * rate
    return stiff / (stiff + 1.0 - share) if stiff > 0.0 else 0.0
