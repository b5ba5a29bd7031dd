"""Keys that let a person of `characters` walk, turn round and sit down."""

from __future__ import annotations

import math

import bpy
from mathutils import Euler, Vector


def bend(rig: bpy.types.Object, name: str, angle: float) -> bpy.types.PoseBone:
    """Turn a bone by an angle (rad) about X of the armature, from its rest pose."""
    bone = rig.pose.bones[name]
    bone.rotation_mode = "QUATERNION"
    rest = bone.bone.matrix_local.to_3x3()
    turn = Euler((angle, 0.0, 0.0)).to_matrix()
    bone.rotation_quaternion = (rest.inverted() @ turn @ rest).to_quaternion()
    return bone


def walk(
    rig: bpy.types.Object,
    frames: int,
    *,
    stride: float = 1.3,
    step: int = 26,
    ramp: int = 0,
    still: int = 0,
) -> None:
    """Key a walk along −Y: two steps, of ``stride`` m together, in ``step`` frames.

    ramp: frames in which the limbs come from the rest pose into their swing, and back at the end;
    still: frames in which it stands after that.
    """
    start = rig.location.copy()
    way = 0.0
    for frame in range(1, frames + 1):
        from_end = max(0, frames - still - frame)
        share = min(1.0, (frame - 1) / ramp, from_end / ramp) if ramp else 1.0
        way += share * stride / step
        phase = 2.0 * math.pi * frame / step
        bob = 0.015 * (math.cos(2.0 * phase) - 1.0)
        rig.location = start + Vector((0.0, -way, share * bob))
        rig.keyframe_insert("location", frame=frame)
        for side, sign in (("L", 1.0), ("R", -1.0)):
            swing, lift = sign * math.sin(phase), max(0.0, sign * math.cos(phase)) ** 2
            angles = {
                f"thigh.{side}": 0.42 * swing - 0.2 * lift,
                f"shin.{side}": 0.1 + 0.7 * lift,
                f"upper_arm.{side}": -0.45 * swing,
                f"forearm.{side}": -0.35 - 0.15 * swing,
            }
            for name, angle in angles.items():
                bend(rig, name, share * angle).keyframe_insert("rotation_quaternion", frame=frame)


def turn_round(rig: bpy.types.Object, first: int, last: int) -> None:
    """Key half a turn on the spot, in four small steps."""
    rig.rotation_mode = "XYZ"
    for frame in range(first, last + 1):
        passed = (frame - first) / (last - first)
        rig.rotation_euler.z = math.pi * _ease(passed)
        rig.keyframe_insert("rotation_euler", frame=frame)
        for side, sign in (("L", 1.0), ("R", -1.0)):
            lift = math.sin(math.pi * passed) * max(0.0, sign * math.sin(4.0 * math.pi * passed))
            _bend_leg(rig, side, 0.35 * lift, 0.7 * lift, frame)


def sit_down(rig: bpy.types.Object, first: int, last: int) -> None:
    """Key how it sits down on what is behind it; its feet stay and its hands come forward."""
    start = rig.location.copy()
    back = Vector((0.0, math.cos(rig.rotation_euler.z), 0.0))
    thigh = rig.data.bones["thigh.L"].length
    for frame in range(first, last + 1):
        share = _ease((frame - first) / (last - first))
        bent = 0.5 * math.pi * share
        down = Vector((0.0, 0.0, thigh * (math.cos(bent) - 1.0)))
        rig.location = start + thigh * math.sin(bent) * back + down
        rig.keyframe_insert("location", frame=frame)
        lean = 0.5 * math.sin(math.pi * share) + 0.1 * share
        bend(rig, "spine", lean).keyframe_insert("rotation_quaternion", frame=frame)
        for side in "LR":
            _bend_leg(rig, side, bent, bent, frame)
            for name, angle in ((f"upper_arm.{side}", 0.55), (f"forearm.{side}", 0.75)):
                bone = bend(rig, name, -angle * share)
                bone.keyframe_insert("rotation_quaternion", frame=frame)


def _ease(share: float) -> float:
    """The way from 0 to 1 that begins and ends at rest."""
    return share * share * (3.0 - 2.0 * share)


def _bend_leg(rig: bpy.types.Object, side: str, thigh: float, knee: float, frame: int) -> None:
    """Key a thigh that is lifted forward by an angle, and a knee that is bent, rad."""
    for name, angle in ((f"thigh.{side}", -thigh), (f"shin.{side}", knee)):
        bend(rig, name, angle).keyframe_insert("rotation_quaternion", frame=frame)
