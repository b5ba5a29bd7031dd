"""The constant arrays of particles, pins and what touches its like, parts of a `Model`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .state_part import StatePart


@dataclass(frozen=True, eq=False)
class ParticleTable:
    """n particles, those of the bodies included."""

    position: Floats  # (n, 3) m, at the start
    velocity: Floats  # (n, 3) m/s, at the start
    inverse_mass: Floats  # (n,) 1/kg, 0 = driven from outside (pinned)
    mass: Floats  # (n,) kg, also of pinned ones
    drag: Floats  # (n,) 1/s
    radius: Floats  # (n,) m, distance kept from surfaces
    friction: Floats  # (n,)
    restitution: Floats  # (n,)
    colliding: Ints  # (k,) those that touch shapes themselves (all but those of bodies)
    rooted_in: Ints  # (n,) owner of shapes that a pin holds each in, −1 for none

    def __len__(self) -> int:
        return len(self.mass)


@dataclass(frozen=True, eq=False)
class PinTable:
    """p particles that `FrameInputs.pin_position` moves, in rising order."""

    particle: Ints  # (p,)
    weight: Floats  # (p,) 1 = immovable, between = drawn there, 0 = free

    def __len__(self) -> int:
        return len(self.particle)


@dataclass(frozen=True, eq=False)
class SelfCollisionTable:
    """k particles that also touch each other, as balls."""

    particle: Ints  # (k,)
    group: Ints  # (k,) those of one group do not meet; -1 meets everyone
    radius: Floats  # (k,) m, of the balls that touch each other
    balls: Ints  # (balls,) rows of those that meet everyone and that nothing joins to anything

    def __len__(self) -> int:
        return len(self.particle)

    def at_start(self) -> BallState:
        """No ball has touched anything, none has rested."""
        contact = np.zeros((0, 2), dtype=np.int32)
        return BallState(contact, np.zeros((0, 3)), np.zeros(len(self.balls)))


@dataclass(eq=False)
class BallState(StatePart):
    """What balls have touched in the last substep, and for how long they have been still."""

    # (c, 2) two balls by their rows in `SelfCollisionTable.balls`, or one and −1 − a shape
    contact: Ints
    impulse: Floats  # (c, 3) N·s that the first of them got
    rest: Floats  # (balls,) s for which each ball has been still
