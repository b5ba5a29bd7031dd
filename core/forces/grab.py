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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..checks import number, vector
from ..errors import ModelError
from ..settings.gravity import GRAVITY

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..arrays import Floats, Ints

GRAB_FREQUENCY = 5.0
"""Hz of the spring: a hundredth of a second behind a hand, a centimetre under what it lifts."""

STRENGTH = 20.0
"""Largest force, in weights of all that hangs on the place."""

FASTEST_HAND = 30.0
"""m/s that the hand follows the mouse at, and about as fast as it can throw."""

GRIP = 0.03
"""How far the hand reaches about a vertex, as a share of the object's size: one vertex of a fine
mesh would be drawn out to a thorn."""

TURN = 2.0 * math.pi * GRAB_FREQUENCY
REACH = 2.0 * FASTEST_HAND / TURN
"""m; from farther away the spring draws no faster: it is overdamped where it holds little mass."""


def _no_particle() -> Ints:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Grab:
    """What a hand holds in one frame, and where it goes; made by `grab_particle` or `grab_body`.

    Raises `ModelError` for bad numbers.
    """

    mass: float  # kg, of all that hangs on the place
    start: tuple[float, float, float]  # m, where the hand is when the frame begins
    end: tuple[float, float, float]  # m, and when it ends
    particle: Ints = field(default_factory=_no_particle)  # (k,) particles that carry the place
    weight: Floats = field(default_factory=lambda: np.zeros(0))  # (k,) cᵢ, it lies at Σ cᵢ xᵢ
    # (k, 3) m from the hand: each is pulled to a place of its own, with cᵢ of the strength; None:
    # they turn about their common place
    offset: Floats | None = None
    body: int = -1  # rigid body of place and rotation, where no particle carries it
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, in the frame of that body

    def __post_init__(self) -> None:
        number("", "mass of a grab", self.mass, least=0.0)
        for name in ("start", "end", "point"):
            vector("", f"{name} of a grab", getattr(self, name))
        for name in ("particle", "weight"):
            if not isinstance(getattr(self, name), np.ndarray):
                raise ModelError("", f"{name} of a grab must be an array")
        if self.weight.shape != self.particle.shape or self.particle.ndim != 1:
            raise ModelError("", "particle and weight of a grab have unlike shapes")
        if self.offset is not None and self.offset.shape != (len(self.particle), 3):
            raise ModelError(
                "", f"offset of a grab has another shape than {self.particle.shape} × 3"
            )
        if self.offset is not None and not np.isfinite(self.offset).all():
            raise ModelError("", "offset of a grab holds numbers that are not finite")
        if not np.isfinite(self.weight).all():
            raise ModelError("", "weight of a grab holds numbers that are not finite")
        if (self.body >= 0) == (len(self.particle) > 0):
            raise ModelError("", "a grab holds either a body or particles")

    def toward(self, place: ArrayLike) -> Grab:
        """The same hand in the frame that follows, in which it goes on to a place (3,) m."""
        x, y, z = vector("", "place of the hand", place).tolist()
        return replace(self, start=self.end, end=(x, y, z))

    def place_at(self, share: float) -> Floats:
        """Where the hand is (3,) m when a share of the frame has passed."""
        start, end = np.array(self.start), np.array(self.end)
        place: Floats = start + share * (end - start)
        return place

    def velocity(self, duration: float) -> Floats:
        """How fast the hand is (3,) m/s in a frame of ``duration`` s, within `FASTEST_HAND`."""
        return shortened((np.array(self.end) - np.array(self.start)) / duration, FASTEST_HAND)


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


def shortened(values: Floats, most: float) -> Floats:
    """Vectors (…, 3), or such of the same direction where they are longer than ``most``."""
    size = np.sqrt((values * values).sum(axis=-1, keepdims=True))
    kept: Floats = np.where(size > most, values * (most / np.maximum(size, most)), values)
    return kept


def _growth(exponent: float) -> float:
    """e^x − 1 by its series: that of each system's own library has other last bits."""
    total = term = exponent
    n = 1
    while term > 1e-18 * total:
        n += 1
        term *= exponent / n
        total += term
    return total
