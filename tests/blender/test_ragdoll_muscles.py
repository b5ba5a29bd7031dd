"""Animation and physics together: let go, followed with muscles, and back to the keys."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler
from small_ragdolls import (
    chain,
    largest_difference,
    person,
    ragdoll,
    refusal,
    seen_bones,
    simulated_bones,
)
from small_scenes import addon, floor, new_object, play, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

STEP = 16  # frames of a whole step cycle
SPEED = 0.05  # m a frame


def world_turn(bone, angle):
    """A bone's own rotation that turns it by an angle about X of its armature from its rest."""
    rest = bone.bone.matrix_local.to_3x3()
    return (rest.inverted() @ Euler((angle, 0, 0)).to_matrix() @ rest).to_quaternion()


def walking(frames):
    """A person whose legs and arms swing and who goes along −Y, by keys in every frame."""
    ob = person(location=(0, 0, 0.06))
    for bone in ob.pose.bones:
        bone.rotation_mode = "QUATERNION"
    for frame in range(1, frames + 1):
        phase = 2 * math.pi * frame / STEP
        ob.location = (0, -SPEED * frame, 0.06)
        ob.keyframe_insert("location", frame=frame)
        for side, sign in (("L", 1), ("R", -1)):
            swing = 0.45 * sign * math.sin(phase)
            knee = 0.5 * max(0.0, sign * math.cos(phase))
            for name, angle in (
                (f"thigh.{side}", swing),
                (f"shin.{side}", -knee),
                (f"upper_arm.{side}", 0.3 * sign * math.cos(phase)),
            ):
                bone = ob.pose.bones[name]
                bone.rotation_quaternion = world_turn(bone, angle)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
    return ob


def keyed_bones(scene, ob, frames):
    """World matrices of all bones as the keys have them, by frame; before anything is simulated."""
    found = {}
    for frame in frames:
        scene.frame_set(frame)
        found[frame] = seen_bones(ob)
    scene.frame_set(1)
    return found


def farthest(scene, ob, keyed, frame):
    """How far (m) the heads of bones are from their keys in a simulated frame."""
    wanted = simulated_bones(scene, ob, frame)
    return max(np.linalg.norm((keyed[frame][name] - wanted[name])[:3, 3]) for name in wanted)


def push(scene, frame, speed, place, radius=0.35):
    scene.cursor.location = place
    scene.frame_set(frame)
    bpy.ops.object.mode_set(mode="OBJECT") if bpy.context.object.mode != "OBJECT" else None
    assert bpy.ops.verlet.add_hit() == {"FINISHED"}
    blow = bpy.context.object
    blow.rotation_euler = (0, math.pi / 2, 0)  # along X
    blow.verlet.impulse.strength = speed
    blow.verlet.impulse.radius = radius
    scene.frame_set(1)
    return blow


def walk(scene, limp, speed=0.0, frames=48):
    """How far a walker gets from its keys in each frame, pushed at frame 20."""
    floor()
    ob = walking(frames)
    keyed = keyed_bones(scene, ob, range(1, frames + 1))
    ragdoll(ob)
    for bone in ob.pose.bones:
        bone.verlet_limp = limp
    if speed:
        push(scene, 20, speed, (0, -SPEED * 20, 1.4))
    found = []
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        if frame > 1:
            found.append(farthest(scene, ob, keyed, frame))
    assert session_of(scene).failure == ""
    assert session_of(scene).problems == []
    return np.array(found)


def test_a_walker_keeps_walking_at_full_strength(scene):
    assert walk(scene, 0.01).max() < 0.05


def test_a_walker_stumbles_when_pushed_at_half_strength(scene):
    off = walk(scene, 0.5, speed=4.0)
    assert off[:18].max() < 0.1  # before the push
    assert off[18:30].max() > 0.2


def test_a_walker_at_full_strength_takes_the_push(scene):
    off = walk(scene, 0.01, speed=4.0)
    assert off.max() > 0.03
    assert off[-10:].max() < 0.06
