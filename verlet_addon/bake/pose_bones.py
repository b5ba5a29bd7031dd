"""Bakes pose bones: location and rotation curves in each bone's own space and rotation mode.

A pose bone lies at pose = parent's effect · basis, basis = T(location) · R(rotation) · S(scale).
What comes in are the tracks of `bone_tracks`; the bone's own scale stays, and so do the curves of
all other bones and channels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ..properties.rest_pose import rotation_channel
from . import animation, transforms
from .bone_tracks import BoneTrack
from .curves import write_curves
from .errors import BakeError, require_editable_animation, require_editable_object
from .leftovers import Leftovers
from .rig_controls import Switch, set_switch

__all__ = ["detach", "require_bakeable", "require_freeable", "write"]

_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(.+)$')
_BAKED_CHANNELS = re.compile(
    r"(location|rotation_euler|rotation_quaternion|rotation_axis_angle|rotation_mode"
    r"|constraints\[.*\]\.(mute|enabled))$"
)


def require_bakeable(ob: bpy.types.Object) -> None:
    """Raise BakeError when a pose cannot be baked to this object. Changes nothing."""
    require_editable_object(ob)
    require_freeable(ob)


def require_freeable(ob: bpy.types.Object) -> None:
    """Raise BakeError when the action cannot be exchanged just now. Changes nothing."""
    require_editable_animation(ob, ob)


def is_baked_path(data_path: str, names: frozenset[str]) -> bool:
    """Whether a curve or driver on this channel would disturb the bake of bones of these names."""
    found = _PATH.match(data_path)
    if found is None or _BAKED_CHANNELS.match(found[2]) is None:
        return False
    return bpy.utils.unescape_identifier(found[1]) in names


def write(
    ob: bpy.types.Object,
    frames: Sequence[int],
    tracks: Sequence[BoneTrack],
    silenced: Sequence[tuple[str, str]] = (),
    *,
    moves_object: bool = False,
    switches: Sequence[Switch] = (),
) -> transforms.Taken:
    """Bake ``tracks`` of pose bones at ``frames`` (F,) rising.

    silenced: constraints (bone, name) that would move those bones and are muted until the bake is
    freed; moves_object: curves of the object's own transform are left out too, for
    `transforms.write`, which goes on with the action and slot that this returns; switches: set to
    forward kinematics until the bake is freed. Raises BakeError
    before anything has changed. A bake that is already there is freed.
    """
    numbers = np.asarray(frames, dtype=np.int64)
    if not len(numbers) or any(len(track.location) != len(numbers) for track in tracks):
        raise BakeError(ob.name, "its poses do not fit the frames.")
    if not all(np.isfinite(t.location).all() and np.isfinite(t.rotation).all() for t in tracks):
        raise BakeError(ob.name, "a pose holds values that are not numbers.")
    require_bakeable(ob)
    if ob.verlet_bake.pose.is_baked:
        with Leftovers() as leftovers:
            detach(ob, leftovers)
    record = ob.verlet_bake.pose
    bones = [ob.pose.bones[track.name] for track in tracks]
    record.bones = json.dumps({bone.name: _values(bone) for bone in bones})
    record.muted_constraints = json.dumps([list(pair) for pair in _mute(ob, silenced)])
    record.switches = json.dumps([[s.bone, s.name, set_switch(ob, s, s.forward)] for s in switches])
    record.frame_start, record.frame_end = int(numbers[0]), int(numbers[-1])
    record.is_baked = True
    for bone in ob.pose.bones:
        bone.verlet.baked_as = bone.name
    wanted = frozenset(track.name for track in tracks)
    action, slot_handle = animation.take_over(
        ob,
        record.animation,
        action_name=f"{ob.name} Verlet Bake",
        is_baked=lambda path: (
            is_baked_path(path, wanted)
            or path in {switch.path for switch in switches}
            or (moves_object and transforms.is_baked_path(path))
        ),
        keep_other_curves=True,
    )
    for bone, track in zip(bones, tracks):
        for channel, values, rows in (
            ("location", track.location, track.location_rows),
            (rotation_channel(bone.rotation_mode), track.rotation, track.rotation_rows),
        ):
            path = f"{bone.path_from_id()}.{channel}"
            channels = {(path, axis): column[rows] for axis, column in enumerate(values.T)}
            write_curves(action, slot_handle, numbers[rows], channels, group=bone.name)
    ob.update_tag(refresh={"OBJECT", "DATA", "TIME"})
    return action, slot_handle


def detach(ob: bpy.types.Object, leftovers: Leftovers) -> None:
    """Put back what ``write`` has displaced; add what is to be removed to ``leftovers``."""
    record = ob.verlet_bake.pose
    if not record.is_baked:
        return
    require_freeable(ob)
    leftovers.add_action(animation.give_back(ob, record.animation))
    bones = {bone.verlet.baked_as or bone.name: bone for bone in ob.pose.bones}
    for bone_name, name in json.loads(record.muted_constraints or "[]"):
        bone = bones.get(bone_name)
        if bone is not None and name in bone.constraints:
            bone.constraints[name].mute = False
    for bone_name, (mode, location, rotation) in json.loads(record.bones or "{}").items():
        bone = bones.get(bone_name)
        if bone is not None:
            bone.rotation_mode = mode
            bone.location = location
            setattr(bone, rotation_channel(mode), rotation)
    for bone_name, name, value in json.loads(record.switches or "[]"):
        bone = bones.get(bone_name)
        if bone is not None and name in bone.keys():
            bone[name] = value
    for bone in bones.values():
        bone.verlet.property_unset("baked_as")
    record.bones = record.muted_constraints = record.switches = ""
    record.is_baked = False
    ob.update_tag(refresh={"OBJECT", "DATA", "TIME"})


def _values(bone: bpy.types.PoseBone) -> list[Any]:
    channel = rotation_channel(bone.rotation_mode)
    return [bone.rotation_mode, list(bone.location), list(getattr(bone, channel))]


def _mute(ob: bpy.types.Object, silenced: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Mute constraints that are not muted already; return those."""
    muted = []
    for bone_name, name in silenced:
        constraint = ob.pose.bones[bone_name].constraints[name]
        if not constraint.mute:
            constraint.mute = True
            muted.append((bone_name, name))
    return muted
