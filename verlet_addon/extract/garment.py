"""Which bones of a ragdoll the pins of cloth, ropes and soft bodies hang on."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...core.arrays import Floats, Ints
from ..blender.data import armature_of, mesh_of
from ..inputs.garment import Garment
from ..properties.kinds import is_ragdoll
from . import own_motion
from .vertex_groups import group_weights


def read_garment(ob: bpy.types.Object, pin_weight: Floats) -> Garment | None:
    """What the pins (n,) of an object hang on, None where that is no ragdoll, see `wearer`."""
    rows = np.flatnonzero(pin_weight > 0.0).astype(np.int32)
    armature = wearer(ob)
    if armature is None or not len(rows):
        return None
    if ob.verlet.pin_target is not None:
        return _on_one(armature, ob.verlet.pin_bone, rows)
    modifier = armature_modifier(ob)
    if modifier is not None:
        return _by_weight(ob, modifier, rows)
    return _on_one(armature, ob.parent_bone, rows)


def is_bone_missing(ob: bpy.types.Object) -> bool:
    """Whether *Pin To* names a bone that its armature does not have."""
    target, name = ob.verlet.pin_target, ob.verlet.pin_bone
    is_armature = target is not None and target.type == "ARMATURE"
    return bool(is_armature and name and name not in armature_of(target).bones)


def wearer(ob: bpy.types.Object) -> bpy.types.Object | None:
    """The ragdoll that the pins of an object hang on, None where they hang on none.

    What *Pin To* names; else the armature of a modifier, by the vertices' weights; else that whose
    bone is the object's parent.
    """
    target = ob.verlet.pin_target
    if target is not None:
        return target if is_ragdoll(target) and not is_bone_missing(ob) else None
    modifier = armature_modifier(ob)
    if modifier is not None:
        return modifier.object
    return ob.parent if ob.parent_type == "BONE" and is_ragdoll(ob.parent) else None


def armature_modifier(ob: bpy.types.Object) -> bpy.types.ArmatureModifier | None:
    """The first modifier by which a ragdoll carries the pins of an object."""
    return next(
        (
            modifier
            for modifier in own_motion.carriers(ob)
            if isinstance(modifier, bpy.types.ArmatureModifier)
            and modifier.show_viewport
            and is_ragdoll(modifier.object)
        ),
        None,
    )


def _on_one(armature: bpy.types.Object, name: str, rows: Ints) -> Garment:
    """All on one bone; without its name on what is nearest."""
    number = armature_of(armature).bones.find(name)
    count = len(rows) if number >= 0 else 0
    return Garment(
        armature.session_uid,
        rows,
        np.arange(count, dtype=np.int32),
        np.full(count, number, dtype=np.int32),
        np.ones(count),
    )


def _by_weight(ob: bpy.types.Object, modifier: bpy.types.ArmatureModifier, rows: Ints) -> Garment:
    """By the vertices' weights; vertices that the modifier leaves out have none."""
    armature = modifier.object
    row_of = {bone.name: number for number, bone in enumerate(armature_of(armature).bones)}
    bone_of_group = {g.index: row_of[g.name] for g in ob.vertex_groups if g.name in row_of}
    mask = ob.vertex_groups.get(modifier.vertex_group)
    entries = []
    for number, row in enumerate(rows.tolist()):
        weights = {entry.group: entry.weight for entry in mesh_of(ob).vertices[row].groups}
        if mask is not None:
            is_in = weights.get(mask.index, 0.0) > 0.0
            if is_in == modifier.invert_vertex_group:
                continue
        entries += [(number, bone, weights.get(g, 0.0)) for g, bone in bone_of_group.items()]
    found = [entry for entry in entries if entry[2] > 0.0]
    return Garment(
        armature.session_uid,
        rows,
        np.array([number for number, _, _ in found], dtype=np.int32),
        np.array([bone for _, bone, _ in found], dtype=np.int32),
        np.array([weight for _, _, weight in found], dtype=np.float64),
    )


def timeless_parts(ob: bpy.types.Object) -> list[Any]:
    """What of it counts whatever the frame."""
    target, figure = ob.verlet.pin_target, wearer(ob)
    about = [
        0 if target is None else target.session_uid,
        ob.verlet.pin_bone,
        0 if figure is None else figure.session_uid,
        ob.parent_bone,
    ]
    modifier = None if target is not None else armature_modifier(ob)
    if modifier is None or ob.verlet.pin_group not in ob.vertex_groups:
        return [*about]
    rows = np.flatnonzero(group_weights(ob, ob.verlet.pin_group) > 0.0).astype(np.int32)
    return [*about, *_by_weight(ob, modifier, rows).parts()]
