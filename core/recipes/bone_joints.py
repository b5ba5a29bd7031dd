"""How far a bone turns in its parent: by its role, its IK limits, its rest pose, or by examples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..settings import BoneSettings, JointSettings
from .skeleton import Skeleton, turn_about, turn_from_to, unit

if TYPE_CHECKING:
    from ..arrays import Floats

BENT_TURN = math.radians(4.0)
"""A knee or an elbow that is bent more than this in the rest pose tells which way it bends."""

CONE_ROOM = math.radians(10.0)
"""Room that a cone keeps around the rest pose, whatever the role says."""

LEARNT_TURN = math.radians(1.0)
"""A joint that no pose turns by more tells nothing about its limits."""

GIVING_BACK = math.radians(3.0)
"""How far a knee or an elbow gives way beyond straight."""

HINGE_BENDS = {"shin": 145.0, "forearm": 148.0, "finger": 95.0, "toe": 60.0}
"""Largest bend of a hinge from straight, by role, degrees: clinical ranges of motion of adults
(American Academy of Orthopaedic Surgeons 1965: elbow 150, knee 135 passively more, fingers 90)."""

CONES = {
    "thigh": (62.0, 35.0),
    "upper_arm": (85.0, 60.0),
    "clavicle": (12.0, 8.0),
    "spine": (18.0, 15.0),
    "neck": (25.0, 30.0),
    "head": (30.0, 40.0),
    "hand": (60.0, 15.0),
    "foot": (35.0, 12.0),
    "tail": (30.0, 15.0),
}
"""Swing and twist to either side, degrees; a trunk's share for each of about four bones."""

OTHER_CONE = (40.0, 20.0)


@dataclass(frozen=True, eq=False)
class BoneJoint:
    """Joint and limits of a bone: axes (3, 3) in the world at rest, of the parent and the bone."""

    kind: str
    first: Floats
    second: Floats
    lower: float = 0.0
    upper: float = 0.0
    swing: float = 0.0
    is_limited: bool = True

    def settings(self, **more: object) -> JointSettings:
        """What the builder takes."""
        return JointSettings(
            kind=self.kind,
            is_limited=self.is_limited and self.kind in ("HINGE", "CONE_TWIST"),
            lower=self.lower,
            upper=self.upper,
            swing=self.swing,
            **more,  # type: ignore[arg-type]
        )


Body = tuple["Floats", "Floats", "Floats"]
"""Unit vectors to the character's left, front and top."""


def bone_joint(
    skeleton: Skeleton,
    bone: int,
    parent: int,
    role: str,
    side: int,
    body: Body,
    choice: BoneSettings,
    looseness: float,
) -> BoneJoint:
    """The joint between a bone and the bone that its parent's body is led by.

    ``looseness`` scales limits that follow from the role; those of IK and by hand stay as they are.
    """
    along = skeleton.direction(bone)
    joint = _by_choice(skeleton, bone, parent, role, side, body, choice, along)
    if joint is not None:
        return joint
    by_ik = _by_ik_limits(skeleton, bone, along, wanted=choice.joint)
    if by_ik is not None:
        return by_ik
    if choice.joint == "HINGE" or (choice.joint == "AUTO" and role in HINGE_BENDS):
        return _hinge_by_role(skeleton, bone, parent, role, side, body, looseness)
    return _cone_by_role(along, role, side, body, looseness)


def _by_choice(
    skeleton: Skeleton,
    bone: int,
    parent: int,
    role: str,
    side: int,
    body: Body,
    choice: BoneSettings,
    along: Floats,
) -> BoneJoint | None:
    if choice.joint in ("BALL", "FIXED"):
        axes = _axes_along(along)
        return BoneJoint(choice.joint, axes, axes, is_limited=False)
    if not choice.has_limits:
        return None
    if choice.joint == "HINGE" or (choice.joint == "AUTO" and role in HINGE_BENDS):
        automatic = hinge_axis(skeleton, bone, parent, role, side, body)[0]
        own = skeleton.axes[bone] @ np.array(choice.hinge_axis)
        axes = _hinge_axes(along, unit(own, automatic))
        return BoneJoint("HINGE", axes, axes, min(choice.lower, choice.upper), choice.upper)
    lower = min(choice.lower, choice.upper)
    first, second = _leaning_axes(skeleton, bone, along, choice.lean_x, choice.lean_z)
    return BoneJoint("CONE_TWIST", first, second, lower, choice.upper, choice.swing)


def _leaning_axes(
    skeleton: Skeleton, bone: int, along: Floats, lean_x: float, lean_z: float
) -> tuple[Floats, Floats]:
    """Axes (3, 3) of the parent and of the bone: the parent's X is the middle of the cone."""
    x, z = skeleton.axes[bone, :, 0], skeleton.axes[bone, :, 2]
    lean = turn_about(x, lean_x) @ turn_about(z, lean_z)
    second = _axes_along(along)
    return turn_from_to(along, lean @ along) @ second, second


def _by_ik_limits(skeleton: Skeleton, bone: int, along: Floats, wanted: str) -> BoneJoint | None:
    """Joint of what inverse kinematics may do: one free axis is a hinge, more are a cone."""
    if not len(skeleton.ik_lock):
        return None
    locked = skeleton.ik_lock[bone]
    lower, upper = skeleton.ik_lower[bone], skeleton.ik_upper[bone]
    limited = np.isfinite(lower) & np.isfinite(upper)
    if not locked.any() and not limited.any():
        return None
    if locked.all():
        axes = _axes_along(along)
        return BoneJoint("FIXED", axes, axes, is_limited=False)
    if locked.sum() == 2 and wanted in ("AUTO", "HINGE"):
        k = int(np.argmin(locked))
        axes = _hinge_axes(along, skeleton.axes[bone, :, k])
        if not limited[k]:
            return BoneJoint("HINGE", axes, axes, is_limited=False)
        return BoneJoint("HINGE", axes, axes, float(lower[k]), float(upper[k]))
    low = np.where(locked, 0.0, np.where(limited, lower, -math.pi))
    high = np.where(locked, 0.0, np.where(limited, upper, math.pi))
    middle = 0.5 * (low + high)  # of bending about X and Z; a cone is as wide as the wider one
    first, second = _leaning_axes(skeleton, bone, along, float(middle[0]), float(middle[2]))
    swing = min(0.5 * float(max(high[0] - low[0], high[2] - low[2])), math.pi)
    return BoneJoint("CONE_TWIST", first, second, float(low[1]), float(high[1]), swing)


def hinge_axis(
    skeleton: Skeleton, bone: int, parent: int, role: str, side: int, body: Body
) -> tuple[Floats, float]:
    """The axis (3,) about which a bone bends farther, and how far rad it is bent already.

    As the rest pose bends it; a straight one bends as humans do: shins backward, forearms
    forward, fingers and toes to the side of the palm and up.
    """
    left, front, up = body
    along, before = skeleton.direction(bone), skeleton.direction(parent)
    across = np.cross(before, along)
    bend = math.atan2(float(np.linalg.norm(across)), float(before @ along))
    if bend > BENT_TURN and role != "toe":
        return unit(across, left), bend
    towards = {"shin": -front, "forearm": front, "toe": up, "finger": -up}.get(role, front)
    if abs(float(towards @ along)) > 0.95:
        towards = -side * left if side else front
    return unit(np.cross(along, towards), skeleton.axes[bone, :, 0]), 0.0


def _hinge_by_role(
    skeleton: Skeleton, bone: int, parent: int, role: str, side: int, body: Body, looseness: float
) -> BoneJoint:
    axis, bent = hinge_axis(skeleton, bone, parent, role, side, body)
    axes = _hinge_axes(skeleton.direction(bone), axis)
    most = math.radians(HINGE_BENDS.get(role, 90.0))
    back = math.radians(35.0) if role == "toe" else GIVING_BACK
    upper = min(looseness * max(most - bent, 0.0), math.pi)
    return BoneJoint("HINGE", axes, axes, -looseness * (bent + back), upper)


def _cone_by_role(along: Floats, role: str, side: int, body: Body, looseness: float) -> BoneJoint:
    left, front, up = body
    swing, twist = (math.radians(angle) for angle in CONES.get(role, OTHER_CONE))
    outward = side * left
    middle = {
        "thigh": 0.55 * front + 0.1 * outward - 0.8 * up,
        "upper_arm": 0.5 * front + 0.8 * outward - 0.25 * up,
    }.get(role, along)
    middle = unit(middle, along)
    away = math.acos(min(max(float(middle @ along), -1.0), 1.0))
    if away > math.radians(75.0):  # an animal's leg: its own rest pose is the middle
        middle, away = along, 0.0
    # limits shrink towards the rest pose, so that no looseness holds that
    share = min(looseness, 1.0)
    second = _axes_along(along)
    lean = _part_of_turn(turn_from_to(along, middle), share)
    swing = min(max(swing * looseness, share * (away + CONE_ROOM)), math.pi)
    twist = min(twist * looseness, math.pi)
    return BoneJoint("CONE_TWIST", lean @ second, second, -twist, twist, swing)


def _part_of_turn(turn: Floats, share: float) -> Floats:
    """A share of a rotation (3, 3) of less than half a turn."""
    vector = rotation_vector(turn)
    angle = float(np.linalg.norm(vector))
    return turn if share == 1.0 or angle < 1e-9 else turn_about(vector / angle, share * angle)


def rotation_vector(turn: Floats) -> Floats:
    """Axis times angle (3,) rad of a rotation (3, 3)."""
    axial = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    sine = float(np.linalg.norm(axial))
    angle = math.atan2(sine, 0.5 * (float(np.trace(turn)) - 1.0))
    if sine > 1e-9:
        return axial * (angle / sine)
    if angle < 1.0:
        return np.zeros(3)
    column = int(np.argmax(np.diag(turn)))  # half a turn
    axis = turn[:, column] + np.eye(3)[column]
    return math.pi * axis / float(np.linalg.norm(axis))


def _axes_along(along: Floats) -> Floats:
    """Axes (3, 3) with X along a unit vector."""
    aside = np.eye(3)[int(np.argmin(np.abs(along)))]
    z = np.cross(along, aside)
    z /= np.linalg.norm(z)
    return np.stack([along, np.cross(z, along), z], axis=1)


def _hinge_axes(along: Floats, axis: Floats) -> Floats:
    """Axes (3, 3) with Z along the axis and X as near to a bone's direction as can be."""
    aside = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = unit(along - (along @ axis) * axis, unit(np.cross(axis, aside), axis))
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def learnt_joint(
    skeleton: Skeleton,
    bone: int,
    parent_turns: ArrayLike,
    turns: ArrayLike,
    margin: float,
    wanted: str = "AUTO",
) -> BoneJoint | None:
    """The joint that a character's own poses use, and a margin rad beyond.

    parent_turns, turns (n, 3, 3): how the parent and the bone are turned away from their rest pose
    in the world, in n poses. Poses that turn about one axis make a hinge, others a cone and twist,
    unless one of the two is ``wanted``. None where no pose turns the joint.
    """
    away = np.swapaxes(np.asarray(parent_turns, dtype=np.float64), -1, -2) @ np.asarray(turns)
    away = np.concatenate([np.eye(3)[None], away.reshape(-1, 3, 3)])  # the rest pose is one of them
    along = skeleton.direction(bone)
    vectors = np.array([rotation_vector(turn) for turn in away])
    if np.linalg.norm(vectors, axis=1).max() < LEARNT_TURN:
        return None
    _, sizes, axes = np.linalg.svd(vectors, full_matrices=False)
    bends = sizes[1] < 0.15 * sizes[0] and abs(float(axes[0] @ along)) < 0.5
    if wanted == "HINGE" or (wanted == "AUTO" and bends):
        angles = vectors @ axes[0]
        sign = -1.0 if -angles.min() > angles.max() else 1.0  # it bends farther about +axis
        angles = sign * angles
        frame = _hinge_axes(along, sign * axes[0])
        low, high = float(angles.min()) - margin, float(angles.max()) + margin
        return BoneJoint("HINGE", frame, frame, max(low, -math.pi), min(high, math.pi))
    directions = away @ along
    middle = _middle_of(directions, along)
    swing = math.acos(min(max(float((directions @ middle).min()), -1.0), 1.0)) + margin
    second = _axes_along(along)
    lean = turn_from_to(along, middle)
    untwisted = np.array([turn_from_to(middle, d) for d in directions]) @ lean
    own = np.swapaxes(untwisted, -1, -2) @ away  # turns about `along` alone
    twists = np.array([float(rotation_vector(turn) @ along) for turn in own])
    low, high = float(twists.min()) - margin, float(twists.max()) + margin
    first = lean @ second
    return BoneJoint(
        "CONE_TWIST", first, second, max(low, -math.pi), min(high, math.pi), min(swing, math.pi)
    )


def _middle_of(directions: Floats, fallback: Floats) -> Floats:
    """Axis (3,) of the narrowest cone around unit vectors (n, 3): Bădoiu & Clarkson 2003.

    The mean would lean to where most poses are.
    """
    middle = unit(directions.mean(axis=0), fallback)
    for step in range(2, 200):
        farthest = directions[int(np.argmin(directions @ middle))]
        middle = unit(middle + (farthest - middle) / step, fallback)
    return middle


def as_choice(
    skeleton: Skeleton, bone: int, joint: BoneJoint, before: BoneSettings
) -> BoneSettings:
    """What is chosen for a bone so that it turns as the joint does: a hinge or a cone and twist."""
    own = skeleton.axes[bone].T
    limits = replace(
        before, joint=joint.kind, has_limits=True, lower=joint.lower, upper=joint.upper
    )
    if joint.kind == "HINGE":
        x, y, z = (float(part) for part in own @ joint.second[:, 2])
        return replace(limits, hinge_axis=(x, y, z))
    x, y, z = (float(part) for part in own @ joint.first[:, 0])
    lean_x, lean_z = math.atan2(z, y), -math.asin(min(max(x, -1.0), 1.0))
    return replace(limits, swing=joint.swing, lean_x=lean_x, lean_z=lean_z)
