"""Keys that let a person of `characters` walk."""

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
