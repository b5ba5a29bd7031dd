"""Ragdoll: a skeleton as rigid bodies that hang together by joints with limits.

`plan_ragdoll` decides in the rest pose which bones are bodies, of which shape and mass, and how
each turns in its parent; `add_ragdoll` puts them where the skeleton stands at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..geometry.affine import inverse, nearest_rotation
from ..geometry.closest_shape import shape_mass_properties
from ..geometry.mass_properties import principal_axes
from ..model.joint_table import OnBody
from ..vector import rotation_matrix, rotation_quaternion
from .bone_joints import rotation_vector
from .bone_parts import hangs_on
from .bone_pins import BonePin, add_pin
from .ragdoll_plan import Plan
from .solid import layer_bits, placed_shapes

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..building.builder import ModelBuilder

ROUNDED = 0.3
"""Least moment of inertia of a part, as a share of its largest. A shin is ten times as easily spun
about its length as turned over; limits of its twist and contacts of its foot would fight for good.
"""


@dataclass(frozen=True)
class Ragdoll:
    """Where a ragdoll lies in a model, by part."""

    objects: tuple[int, ...]  # indices in `ModelBuilder.objects`
    joints: tuple[int, ...]  # rows of `Model.joints`, −1 for a part without one
    pins: tuple[int, ...] = ()  # rows of `Model.joints`


def turned_pose(rest: Floats, pose: Floats) -> tuple[Floats, Floats]:
    """What carries bones from rest to a pose: rotations (b, 3, 3) and moves (b, 3) m.

    rest, pose (b, 4, 4): bones in the world. Of scale and shear, which a body cannot have, only
    the place of the head remains.
    """
    turn = nearest_rotation((pose @ inverse(rest))[:, :3, :3])
    move = pose[:, :3, 3] - np.einsum("bij,bj->bi", turn, rest[:, :3, 3])
    return turn, move


def add_ragdoll(
    builder: ModelBuilder,
    plan: Plan,
    turn: Floats | None = None,
    move: Floats | None = None,
    before: tuple[Floats, Floats] | None = None,
    duration: float = 1.0 / 24.0,
    has_muscles: bool = False,
    pins: Sequence[BonePin] = (),
) -> Ragdoll:
    """Add all bodies, joints and pins of a plan where the skeleton stands at the start.

    turn (b, 3, 3), move (b, 3) m: what carries each bone there from the rest pose, nothing by
    default; before: the same ``duration`` s earlier, from which every body has its velocity
    (Jakobsen §7). has_muscles: joints have motors, and bodies follow `FrameInputs.body_position`
    as long as their pin is 0.5 or more; else joints have friction alone.
    """
    skeleton, settings = plan.skeleton, plan.settings
    count = len(skeleton)
    turn = np.tile(np.eye(3), (count, 1, 1)) if turn is None else turn
    move = np.zeros((count, 3)) if move is None else move
    objects: list[int] = []
    for part, mass in zip(plan.parts, plan.mass, strict=True):
        solid = shape_mass_properties(part.fit)
        moments, axes = principal_axes(solid.inertia_of(float(mass)), part.fit.orientation)
        moments = np.maximum(moments, ROUNDED * moments.max())
        r, d = turn[part.bone], move[part.bone]
        centre = r @ solid.centre + d
        velocity = spin = np.zeros(3)
        if before is not None:
            r0, d0 = before[0][part.bone], before[1][part.bone]
            velocity = (centre - (r0 @ solid.centre + d0)) / duration
            spin = rotation_vector(r @ r0.T) / duration
        objects.append(
            builder.add_rigid_body(
                f"{plan.name}: {skeleton.name[part.bone]}",
                placed_shapes(plan.name, part.fit, solid.centre, axes),
                centre,
                rotation_quaternion(r @ rotation_matrix(axes)),
                mass=float(mass),
                inertia=moments,
                velocity=velocity,
                angular_velocity=spin,
                drag=settings.drag,
                angular_drag=settings.angular_drag,
                friction=settings.friction,
                static_friction=settings.static_friction,
                restitution=settings.restitution,
                sleeps=settings.sleeps,
                follows="ANIMATED" if has_muscles else "ACTIVE",
                layers=layer_bits(settings.layers),
            )
        )
    joints = []
    for row, part in enumerate(plan.parts):
        if part.joint is None:
            joints.append(-1)
            continue
        above = plan.parts[part.parent]
        level = float(plan.level[row])
        joints.append(
            builder.add_joint(
                f"{plan.name}: {skeleton.name[part.bone]}",
                OnBody(objects[part.parent]),
                OnBody(objects[row]),
                turn[part.bone] @ skeleton.head[part.bone] + move[part.bone],
                rotation_quaternion(turn[above.bone] @ part.joint.first),
                part.joint.settings(
                    friction=settings.stiffness * level,
                    motor="POSE" if has_muscles and part.joint.kind != "FIXED" else "NONE",
                    motor_frequency=settings.frequency * _share_of_limb(plan, row),
                    motor_force=settings.torque * level,
                ),
                second_orientation=rotation_quaternion(turn[part.bone] @ part.joint.second),
            )
        )
    for a, b in plan.apart:
        builder.keep_apart(plan.name, OnBody(objects[a]), OnBody(objects[b]))
    rows = tuple(add_pin(builder, plan, objects, pin, turn, move) for pin in pins)
    return Ragdoll(tuple(objects), tuple(joints), rows)


def _share_of_limb(plan: Plan, row: int) -> float:
    """Factor on a motor's frequency that lets it move the limb alone, whatever that hangs on.

    A motor counts the two sides of its joint as masses at the ends of a spring. A muscle is as
    strong as its limb needs, also while the rest of the body is held.
    """
    head = plan.skeleton.head[plan.parts[row].bone]
    limb = rest = 0.0
    parents = [part.parent for part in plan.parts]
    for other, part in enumerate(plan.parts):
        moment = float(plan.mass[other] * ((part.fit.centre - head) ** 2).sum())
        if hangs_on(parents, other, row):
            limb += moment
        else:
            rest += moment
    return float(np.sqrt(1.0 + limb / rest))
