"""Pins of a stick figure: particles that go where something else takes them (Jakobsen §5, §6).

What is pinned firmly has no inverse mass in any pass: the rest of the figure follows through its
sticks, which is inverse kinematics by relaxation. A pin that is less firm draws its particle as a
spring would the whole figure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..particles.constraints.weak_pin import HALF_WEIGHT_FREQUENCY
from .bone_pins import PIN_FREQUENCY, BonePin, end_of

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .figure import Figure


def pinned_particles(figure: Figure, pin: BonePin) -> Ints:
    """Rows (k,) of the figure that a pin holds: that at the bone's end, or the bone's part.

    Raises `ModelError` that names the bone where it belongs to no part.
    """
    plan = figure.plan
    part = int(plan.part_of_bone[pin.bone])
    if part < 0:
        name = plan.skeleton.name[pin.bone]
        raise ModelError(
            plan.name, f"bone {name} is pinned, and is no body: pin another one, or set its Body"
        )
    rows = figure.limbs[part].particles
    if pin.settings.pin_turns:
        return rows
    bones = plan.skeleton
    end = (bones.tail if pin.settings.pin_end == "TAIL" else bones.head)[pin.bone]
    nearest = int(np.argmin(np.linalg.norm(figure.place[rows] - end, axis=1)))
    return rows[nearest : nearest + 1]


def pinned_places(figure: Figure, pin: BonePin, turn: Floats, move: Floats) -> Floats:
    """Where (k, 3) m these particles are held at the start; turn, move: see `Figure.places`."""
    places = figure.places(turn, move)[pinned_particles(figure, pin)]
    if pin.place is not None:
        places += np.asarray(pin.place) - end_of(figure.plan, pin, turn, move)
    return places


def pin_weights(figure: Figure, pin: BonePin) -> Floats:
    """How firmly (k,) 0 … 1 these particles are held: a light one as the weight of all needs."""
    rows = pinned_particles(figure, pin)
    firmness = pin.settings.pin_firmness
    if firmness >= 1.0:
        return np.ones(len(rows))
    heavier = np.sqrt(figure.mass.sum() / figure.mass[rows].sum())
    ratio = PIN_FREQUENCY * math.sqrt(firmness) * heavier / HALF_WEIGHT_FREQUENCY
    return np.full(len(rows), ratio / (1.0 + ratio))
