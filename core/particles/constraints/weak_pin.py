"""Weak pins: particles drawn to a place without being held there.

A pin of weight p < 1 is a critically damped spring between particle and place, whose frequency
grows from nothing at p = 0 without bound at p = 1: ω = 2π F p/(1 − p). It is taken implicitly,

    (1 + 2ωh + ω²h²) (x' − x) = (x̃ − x) + ω²h² (p' − x) + 2ωh (p' − p)

with x̃ where the particle would fly without it and p, p' its place before and after the step, so
that no weight, mass or step makes it unstable (Baraff & Witkin 1998, §4, for a single spring).
"""

from __future__ import annotations

import math

from ...kernels.jit import kernel

HALF_WEIGHT_FREQUENCY = 2.0
"""Hz of a pin of weight ½."""


@kernel
def attach_pins(x, previous, pins, share, share_before, h):
    """Draw pinned particles of weight between 0 and 1 to their places.

    x (n, 3) m after integration, previous (n, 3) before it; pins: see `DrivenPins`, of whose ways
    share_before and share are done before and after the step.
    """
    particle, weight, start, end = pins
    for j in range(particle.shape[0]):
        if weight[j] >= 1.0 or weight[j] <= 0.0:
            continue
        turn = 2.0 * math.pi * HALF_WEIGHT_FREQUENCY * weight[j] / (1.0 - weight[j]) * h
        i = particle[j]
        for k in range(3):
            travel = end[j, k] - start[j, k]
            place = start[j, k] + share * travel
            moved = x[i, k] - previous[i, k]
            moved += turn * turn * (place - previous[i, k])
            moved += 2.0 * turn * (share - share_before) * travel
            x[i, k] = previous[i, k] + moved / (1.0 + 2.0 * turn + turn * turn)
