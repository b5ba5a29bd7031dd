"""What moves: positions now and before, rotations, and what the solver remembers."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..arrays import Floats, Ints
from ..settings import WindSettings

FACTORS = ("pin", "wind", "fields")
"""Animated factors on forces."""


def wind_numbers(wind: WindSettings) -> tuple[float, ...]:
    """The settings of the wind, one after the other."""
    velocity, *others = (getattr(wind, one.name) for one in fields(wind))
    return (*velocity, *others)


NO_WIND = wind_numbers(WindSettings())


@dataclass
class State:
    """What moves. `advance` reads one state and returns another; it never writes to its input."""

    position: Floats  # (n, 3) m
    # (n, 3) m, x*. (x − x*)/step is the velocity half a substep ago, so that x* is the place one
    # substep ago (Verlet, leapfrog), or the velocity at x itself (the other integrators).
    previous: Floats
    pin_position: Floats  # (p, 3) m, where pins were driven last
    collider_position: Floats  # (colliders, 3) m
    collider_orientation: Floats  # (colliders, 4)
    collider_velocity: Floats  # (colliders, 3) m/s, in the last frame
    body_position: Floats  # (b, 3) m, x: centres of mass
    body_previous: Floats  # (b, 3) m, x*
    body_orientation: Floats  # (b, 4), q: principal axes
    body_previous_orientation: Floats  # (b, 4), q*: the turn from it to q is the spin
    body_rest: Floats  # (b,) s for which the body has been still, `HELD` where animation leads it
    body_load: Floats  # (b, 3) m/s², gravity and forces on the body when it was last awake
    mesh_vertex: Floats  # (v, 3) m, of all mesh shapes, in the frames of the shapes
    contact_key: Ints  # (c, 4) shapes, sub-shape and feature of each contact of the last substep
    # (c, 5) N·s, its push and its friction along the axes of the world; m, what is left of the
    # overlap that it began with
    contact_impulse: Floats
    # (c, 2) of what touched in the last substep: two balls by their rows in
    # `SelfCollisionTable.balls`, or one and −1 − a shape
    ball_contact: Ints
    ball_impulse: Floats  # (c, 3) N·s that the first of them got
    ball_rest: Floats  # (balls,) s for which each ball has been still
    joint_impulse: Floats  # (j, 6) N·s and N·m·s of the last substep, by degree of freedom
    joint_broken: Ints  # (j,) 1: broken for good
    # what acted from outside in the last frame: gravity (3,) m/s², the wind's numbers, FACTORS of
    # each object, force fields (`stages.outside`). x* is laid out for it; not to be written to
    acted: Floats
    weld: Ints  # (n,) the copy that is simulated for each, see `TearTable`; (0,): nothing tears
    tension: Floats  # (p,) N in `TearTable.pair`, as of late
    step: float  # s, the substep that separates previous from position
    time: float  # s since the start
    frame: int

    def copy(self) -> State:
        """An independent copy."""
        twin = object.__new__(State)
        copied = vars(twin)
        for name, value in vars(self).items():
            is_own = isinstance(value, np.ndarray) and name != "acted"
            copied[name] = value.copy() if is_own else value
        return twin


def acting_at_first(gravity: tuple[float, float, float], objects: int) -> Floats:
    """`State.acted` of a start that is laid out for gravity alone, m/s²."""
    acted = np.array([*gravity, *NO_WIND, *[1.0] * (len(FACTORS) * objects)])
    acted.flags.writeable = False
    return acted
