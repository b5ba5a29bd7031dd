"""Particles that stand in one place: which way they part (Jakobsen §7: "a small dislocation").

The direction follows from the particles' numbers, so the same scene always parts the same way.
"""

from __future__ import annotations

import math

from .elementary import sin_cos
from .kernels.jit import inline, kernel

DISLOCATION = 1e-3
"""How far coinciding ends are moved apart, as a share of the length between them at rest."""


@inline
def direction_between(a, b):
    """A unit vector from particle a toward particle b when their places do not tell.

    Odd in its arguments, and spread evenly over the sphere by the plastic number (the R2 sequence).
    """
    low = float(min(a, b))
    high = float(max(a, b))
    u = 0.7548776662466927 * low + 0.5698402909980532 * high
    t = 0.5698402909980532 * low + 0.7548776662466927 * high + 0.25
    z = 2.0 * (u - math.floor(u)) - 1.0
    sine, cosine = sin_cos(2.0 * math.pi * t)
    level = math.sqrt(1.0 - z * z)
    sign = 1.0 if a < b else -1.0
    return sign * level * cosine, sign * level * sine, sign * z


@kernel
def part_coinciding(x, previous, inverse_mass, pairs, rest_length):
    """Part the ends of pairs (c, 2) that coincide and have a rest length (c,) m above 0.

    By `DISLOCATION` of that length, x and x* (n, 3) alike: place without speed; the centre of mass
    stays. Called every few frames, so that what was squashed to nothing recovers.
    """
    for s in range(pairs.shape[0]):
        a = pairs[s, 0]
        b = pairs[s, 1]
        if x[a, 0] != x[b, 0] or x[a, 1] != x[b, 1] or x[a, 2] != x[b, 2]:
            continue
        w = inverse_mass[a] + inverse_mass[b]
        if w == 0.0 or rest_length[s] == 0.0:
            continue
        direction = direction_between(a, b)
        step = DISLOCATION * rest_length[s] / w
        for k in range(3):
            x[a, k] -= inverse_mass[a] * step * direction[k]
            x[b, k] += inverse_mass[b] * step * direction[k]
            previous[a, k] -= inverse_mass[a] * step * direction[k]
            previous[b, k] += inverse_mass[b] * step * direction[k]
