"""Pins of a ragdoll: ends of its bones that are held, by something that only inputs move or a body.

Inverse kinematics by relaxation (Jakobsen §5): what holds has infinite mass in every pass, and the
body follows through its joints. A pin is a spring that gives by a fraction of a millimetre under
the weight of the character, for targets may go where no pose takes the bone: out of reach, or into
the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..model.joint_table import End, OnBody
from ..settings import JointSettings, PinSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Floats
    from ..building.builder import ModelBuilder
    from .ragdoll_plan import Plan


PIN_FREQUENCY = 30.0
"""Hz, at which the whole character would swing on a pin."""

LEVER = 0.05
"""Arm on which a pin that turns along holds the bone, as a share of the character."""


@dataclass(frozen=True, eq=False)
class BonePin:
    """One pin at the start."""

    bone: int  # row of the skeleton, any bone of a part
    settings: PinSettings
    to: End | None  # what holds it: a handle, a collider or another rigid body; None: inputs do
    place: Floats | None = None  # (3,) m, where it is held; None: where that end is at the start


def end_of(plan: Plan, pin: BonePin, turn: Floats, move: Floats) -> Floats:
    """Where (3,) m the pinned end is at the start; turn, move: see `ragdoll.add_ragdoll`."""
    bones = plan.skeleton
    end = bones.tail if pin.settings.pin_end == "TAIL" else bones.head
    place: Floats = turn[pin.bone] @ end[pin.bone] + move[pin.bone]
    return place


def add_pin(
    builder: ModelBuilder, plan: Plan, body: Sequence[int], pin: BonePin, turn: Floats, move: Floats
) -> int:
    """Add a pin to a model; returns its row of `Model.joints`.

    body: of each part, its index in `ModelBuilder.objects`. Raises `ModelError` that names the bone
    where it belongs to no body.
    """
    part = int(plan.part_of_bone[pin.bone])
    name = plan.skeleton.name[pin.bone]
    assert pin.to is not None
    if part < 0:
        raise ModelError(
            plan.name, f"bone {name} is pinned, and is no body: pin another one, or set its Body"
        )
    end = end_of(plan, pin, turn, move)
    held = end if pin.place is None else np.asarray(pin.place, dtype=np.float64)
    mass = float(plan.mass.sum())
    turning = 2.0 * math.pi * PIN_FREQUENCY * math.sqrt(pin.settings.pin_firmness)
    stiffness, damping = mass * turning**2, 2.0 * mass * turning
    lever = LEVER**2 * plan.skeleton.size**2 if pin.settings.pin_turns else 0.0
    return builder.add_joint(
        f"{plan.name}: pin of {name}",
        pin.to,
        OnBody(body[part]),
        held,
        settings=JointSettings(
            kind="SPRING",
            stiffness=stiffness,
            damping=damping,
            angular_stiffness=lever * stiffness,
            angular_damping=lever * damping,
        ),
        second_position=end,
    )
