"""A turbulent stream that carries particles: F = m c (u(x, t) − v), u curl noise."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

from ..arrays import Ints
from ..elementary import exp
from ..kernels.jit import kernel
from ..model.force import Acting
from ..vec3 import load, scale, shift, sub
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
        flow = Flow(
            speed=float(self.speed),
            size=float(self.size),
            rate=(1.0 - exp(-self.rate * acting.hold)) / acting.hold,
            seed=self.seed,
            age=acting.time * self.speed / (LIFE * self.size),
        )
        _carry(acting.x, acting.velocity, acting.mass, self.particles, flow, acting.force)


Flow = namedtuple(
    "Flow",
    [
        "speed",  # m/s, root mean square
        "size",  # m, of the largest eddies
        "rate",  # 1/s
        "seed",
        "age",  # how many times all eddies have been replaced
    ],
)


@kernel
def _carry(x, velocity, mass, particles, flow, force):
    for n in range(particles.shape[0]):
        i = particles[n]
        u = curl_noise(load(x, i), flow.seed, flow.size, OCTAVES, flow.age)
        shift(force, i, mass[i] * flow.rate, sub(scale(flow.speed, u), load(velocity, i)))
