"""Joints: empties that join two objects, as the core takes them, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ..core.settings import JointSettings
from .extract import pose
from .kinds import is_particles
from .participants import find_object, joints
from .properties import kind_of, settings_from
from .session import Floats, Problem

if TYPE_CHECKING:
    from .session import Session

WORLD = 0  # in place of a session id
LIMITED = {"HINGE", "CONE_TWIST", "SLIDER"}  # kinds with one lower and one upper limit


@dataclass(frozen=True)
class JointInput:
    """One joint at the start frame."""

    uid: int
    name: str
    settings: JointSettings
    matrix: Floats  # (4, 4) to world space: the joint's point and axes
    a: int  # session ids of the two that it joins, WORLD for none
    b: int

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        return [f"{self.uid} {self.name} {self.settings} {self.a} {self.b}", self.matrix]


def settings_of_joint(ob: bpy.types.Object) -> JointSettings:
    """The settings of a joint."""
    return settings_from(ob.verlet.joint, JointSettings)


def joined(ob: bpy.types.Object) -> tuple[bpy.types.Object | None, bpy.types.Object | None]:
    """The two objects that a joint joins, None for the world."""
    return ob.verlet.joint.object_a, ob.verlet.joint.object_b


def trouble(ob: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """Why a joint does nothing, and the way out; "" for one that is sound."""
    a, b = pair = joined(ob)
    if a is None and b is None:
        return "it joins nothing: choose Object A, Object B or both"
    if a == b:
        return f"it joins {a.name} with itself: choose another Object B"
    for label, one in zip(("A", "B"), pair):
        if one is None:
            continue
        way_out = f"choose another Object {label}, or delete the joint"
        if one.name not in scene.objects or scene.objects[one.name] != one:
            return f"{one.name} is not in this scene any more: {way_out}"
        if kind_of(one) is None:
            return f"{one.name} takes no part: press Rigid Body on it, {way_out}"
    if not any(one is not None and _can_move(one) for one in pair):
        return "neither of the two can move: press Rigid Body on one of them, with Type Active"
    if sum(one is not None and is_particles(one.verlet.kind) for one in pair) == 2:
        return "it joins two objects that both bend: one of them must be a rigid body or collider"
    if any(one is None for one in pair) and any(
        one is not None and is_particles(one.verlet.kind) for one in pair
    ):
        return "it joins something that bends to the world: pin that instead, or choose a collider"
    joint = ob.verlet.joint
    if joint.kind in LIMITED and joint.is_limited and joint.lower > joint.upper:
        return "its lower limit is above the upper one: exchange them"
    if not pose.is_invertible(pose.matrix_of(ob)):
        return "its scale, or that of a parent, is zero along an axis: press Alt S on it"
    return ""


def _can_move(ob: bpy.types.Object) -> bool:
    """Whether the simulation may move an object."""
    if ob.verlet.kind == "BODY":
        return bool(ob.verlet.body.type != "PASSIVE")
    return is_particles(ob.verlet.kind)


def read_joints(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, present: Mapping[int, str]
) -> tuple[list[JointInput], list[Problem]]:
    """The joints at the start frame, each once and in the order of their names.

    A joint that cannot work is left out and named in a problem. ``present``: the kinds of what
    could be read, by session id; joints of others are left out, for those are named already.
    """
    found, problems = [], []
    for ob in joints(scene):
        reason = trouble(ob, scene)
        if reason:
            problems.append(
                Problem(f"{ob.name}: {reason}", ob.session_uid, "verlet.show_object", "Show Object")
            )
            continue
        a, b = (WORLD if one is None else one.session_uid for one in joined(ob))
        is_known = all(uid == WORLD or uid in present for uid in (a, b))
        if is_known and {present.get(a), present.get(b)} - {None, "COLLIDER"}:  # one is not baked
            matrix = pose.matrix_of(ob.evaluated_get(depsgraph))
            settings = settings_of_joint(ob)
            found.append(JointInput(ob.session_uid, ob.name, settings, matrix, a, b))
    return found, problems


def timeless_parts(scene: bpy.types.Scene) -> list[Any]:
    """What of the joints counts whatever the frame: all but what may be keyed."""
    return [
        (
            ob.session_uid,
            *(WORLD if one is None else one.session_uid for one in joined(ob)),
            replace(settings_of_joint(ob), motor_speed=0.0, motor_target=0.0),
        )
        for ob in joints(scene)
    ]


def read_motors(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Floats]:
    """Speed and target (j,) of each joint's motor in the evaluated frame."""
    speed, target = [], []
    for joint in session.inputs.joints:
        ob = find_object(joint.uid, joint.name)
        if ob is None:
            speed.append(joint.settings.motor_speed)
            target.append(joint.settings.motor_target)
        else:
            keyed = ob.evaluated_get(depsgraph).verlet.joint
            speed.append(keyed.motor_speed)
            target.append(keyed.motor_target)
    return np.array(speed, dtype=np.float64), np.array(target, dtype=np.float64)


def joints_of(ob: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The joints that join an object."""
    return [joint for joint in joints(scene) if ob in joined(joint)]
