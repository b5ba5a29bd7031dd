"""Pins of bones: to which object an end of a bone is held, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...core.settings import PinSettings
from ..blender.data import armature_of
from ..inputs.pin_input import PinInput
from ..properties.bones import animated_of_bone
from ..properties.kinds import KINDS, RAGDOLL, is_particles
from ..properties.tunable_properties import settings_from
from ..transforms import affine

if TYPE_CHECKING:
    from ..inputs.participant import Participant


def pinned_bones(ob: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """The bones of an armature that are pinned to something, in the order of its data."""
    bones = (ob.pose.bones[bone.name] for bone in armature_of(ob).bones)
    return [bone for bone in bones if bone.verlet.pin_target is not None]


def why_not(ob: bpy.types.Object, target: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """Why bones of an armature cannot be pinned to an object, and the way out; "" if they can."""
    if target == ob or target.verlet.kind == RAGDOLL:
        what = "itself" if target == ob else f"{target.name}, a ragdoll"
        return f"it is pinned to {what}: choose an empty, a collider or a rigid body"
    if scene.objects.get(target.name) != target:
        return f"it is pinned to {target.name}, which is not in this scene: choose another object"
    if is_particles(target.verlet.kind):
        label = KINDS[target.verlet.kind].label.lower()
        return (
            f"it is pinned to {target.name}, which is {label} and cannot hold it: pin {target.name}"
            " to a small rigid body, and the bone to that"
        )
    if target.verlet.kind == "BODY" and target.verlet.body.model != "QUATERNION":
        return (
            f"it is pinned to {target.name}, which is made of particles: set its Model to "
            "Quaternion under Advanced"
        )
    if not affine.is_invertible(affine.matrix_of(target)):
        return (
            f"it is pinned to {target.name}, whose scale is zero along an axis: press Alt S there"
        )
    return ""


def read_pins(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[PinInput, ...]:
    """The pins of an armature that can work, in the evaluated frame."""
    row = {bone.name: number for number, bone in enumerate(armature_of(ob).bones)}
    found = []
    for bone in pinned_bones(ob):
        target = bone.verlet.pin_target
        if why_not(ob, target, depsgraph.scene):
            continue
        found.append(
            PinInput(
                row[bone.name],
                settings_from(bone.verlet, PinSettings),
                target.session_uid,
                target.name,
                affine.matrix_of(target.evaluated_get(depsgraph)),
                target.type == "EMPTY",
            )
        )
    return tuple(found)


def doubts(ob: bpy.types.Object, scene: bpy.types.Scene) -> list[str]:
    """What is wrong with the pins of an armature."""
    reasons = ((bone, why_not(ob, bone.verlet.pin_target, scene)) for bone in pinned_bones(ob))
    return [f"{ob.name}: bone {bone.name}: {reason}" for bone, reason in reasons if reason]


def is_held(ob: bpy.types.Object, name: str, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the pin of a bone holds in the evaluated frame."""
    bone = ob.evaluated_get(depsgraph).pose.bones.get(name)
    return bone is not None and animated_of_bone(bone).pin


def timeless_parts(ob: bpy.types.Object) -> list[Any]:
    """What of the pins counts whatever the frame."""
    return [
        f"{bone.name} {bone.verlet.pin_target.session_uid} "
        f"{settings_from(bone.verlet, PinSettings)}"
        for bone in pinned_bones(ob)
    ]


def handles(participants: Iterable[Participant]) -> list[PinInput]:
    """What holds pins and takes no part itself, each object once: see `ModelBuilder.add_handle`."""
    every = list(participants)
    known = {p.uid for p in every if p.kind in {"BODY", "COLLIDER"}}
    found: dict[int, PinInput] = {}
    for participant in every:
        for pin in participant.armature.pins if participant.armature is not None else ():
            if pin.uid not in known:
                found.setdefault(pin.uid, pin)
    return list(found.values())


def end_of(bone: bpy.types.PoseBone, end: str) -> np.ndarray:
    """Where the head or tail of a bone is, (3,) m in its armature; pass an evaluated one."""
    return np.array(bone.tail if end == "TAIL" else bone.head, dtype=np.float64)
