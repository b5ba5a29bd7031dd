"""A turbulent stream that carries particles: F = m c (u(x, t) − v), u curl noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..arrays import Ints
from ..kernels.jit import kernel
from ..vec3 import load, scale, shift, sub
from .base import Acting
from .curl_noise import curl_noise

OCTAVES = 2
"""Sizes of eddies, each half as large as the one before."""

LIFE = 4.0
"""How many times its own size an eddy's air travels before another has taken its place."""


@dataclass(frozen=True, eq=False)
class Stream:
    """The stream that carries one object's particles."""

    object: int
    particles: Ints  # (k,)
    speed: float  # m/s, root mean square
    size: float  # m, of the largest eddies
    rate: float  # c, 1/s: how soon a particle goes with the stream
    seed: int = 0

    def apply(self, acting: Acting) -> None:
        """Add the pull of the stream, as it is on average until the next evaluation."""
        _carry(
            acting.x,
            acting.velocity,
            acting.mass,
            self.particles,
            self.speed,
            self.size,
            (1.0 - math.exp(-self.rate * acting.hold)) / acting.hold,
            self.seed,
            acting.time * self.speed / (LIFE * self.size),
            acting.force,
        )


@kernel
def _carry(x, velocity, mass, particles, speed, size, rate, seed, age, force):
    for n in range(particles.shape[0]):
        i = particles[n]
        flow = curl_noise(load(x, i), seed, size, OCTAVES, age)
        shift(force, i, mass[i] * rate, sub(scale(speed, flow), load(velocity, i)))
