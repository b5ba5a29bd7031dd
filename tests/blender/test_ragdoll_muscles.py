"""Animation and physics together: let go, followed with muscles, and back to the keys."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler
from small_rigs import chain, largest_difference, person, ragdoll, seen_bones, simulated_bones
from small_scenes import addon, floor, new_object, play, refusal, select, session_of

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
            knee = 0.6 * max(0.0, sign * math.cos(phase)) ** 2
            for name, angle in (
                (f"thigh.{side}", swing),
                (f"shin.{side}", knee),
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


def limp_keys(ob, name):
    path = f'pose.bones["{name}"].verlet_limp'
    curve = next(c for c in addon("blender.compat").fcurves_of(ob) if c.data_path == path)
    return [(round(p.co.x), round(p.co.y, 3)) for p in curve.keyframe_points]


def test_between_two_frames_a_walker_falls_and_comes_back_without_a_jump(scene):
    frames = 70
    floor()
    ob = walking(frames)
    keyed = keyed_bones(scene, ob, range(1, frames + 1))
    ragdoll(ob)
    assert bpy.ops.verlet.ragdoll_between(first=10, last=34, blend=18) == {"FINISHED"}
    assert limp_keys(ob, "head") == [(9, 0.0), (10, 1.0), (34, 1.0), (40, 0.0)]
    assert ob.verlet.ragdoll.blend == pytest.approx(12 / 24)
    scene.frame_end = frames
    seen = {}
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        if frame > 1:
            seen[frame] = simulated_bones(scene, ob, frame)
    assert session_of(scene).failure == ""
    names = list(seen[2])

    def off(frame):
        return largest_difference(seen[frame], keyed[frame], names)

    assert max(off(frame) for frame in range(2, 10)) < 1e-4
    assert off(34) > 0.5  # it lies there
    assert max(off(frame) for frame in range(52, frames + 1)) < 1e-4
    steps = {
        f: max(np.linalg.norm((seen[f][n] - seen[f - 1][n])[:3, 3]) for n in names)
        for f in range(3, frames + 1)
    }
    changes = {
        f: max(
            np.linalg.norm((seen[f + 1][n] - 2 * seen[f][n] + seen[f - 1][n])[:3, 3]) for n in names
        )
        for f in range(40, frames - 1)
    }
    assert steps[10] == pytest.approx(steps[9], rel=0.3)  # goes on as fast as it walked
    assert max(steps.values()) < 0.5
    assert max(changes.values()) < 0.25  # 5.8 D/T² of 2.3 m and half a turn, in 12 frames
    lengths = [
        np.linalg.norm((seen[f]["foot.L"] - seen[f]["shin.L"])[:3, 3]) for f in range(40, 54)
    ]
    assert max(lengths) - min(lengths) < 3e-3
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    for frame in (8, 30, 45, 60):
        scene.frame_set(frame)
        assert largest_difference(seen_bones(ob), seen[frame], names) < 1e-4


def test_an_arm_alone_goes_limp_and_comes_back(scene):
    ob = ragdoll(person())
    for bone in ob.pose.bones:
        bone.verlet_limp = 0.0
    select(ob)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in ob.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name in {"upper_arm.L", "forearm.L"}
    assert bpy.ops.verlet.ragdoll_between(first=5, last=20, blend=9) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    start = seen_bones(ob)
    play(scene, 1, 20)
    seen = simulated_bones(scene, ob, 20)
    others = [n for n in seen if "arm.L" not in n]
    assert largest_difference(seen, start, others) < 1e-4
    assert start["forearm.L"][2, 3] - seen["forearm.L"][2, 3] > 0.1
    play(scene, 21, 30)
    seen = simulated_bones(scene, ob, 30)
    assert largest_difference(seen, start, list(seen)) < 1e-4


def test_keys_that_were_there_give_way(scene):
    ob = ragdoll(chain())
    select(ob)
    bpy.ops.verlet.ragdoll_between(first=10, last=30, blend=6)
    bpy.ops.verlet.ragdoll_between(first=20, comes_back=False)
    assert limp_keys(ob, "Bone 1") == [
        (9, 0.0),
        (10, 1.0),
        (19, 0.0),
        (20, 1.0),
        (30, 1.0),
        (32, 0.0),
    ]
    assert "has to come after" in refusal(bpy.ops.verlet.ragdoll_between, first=10, last=10)
    select(new_object("Nobody", [(0, 0, 0)]))
    assert "Select a ragdoll" in refusal(bpy.ops.verlet.ragdoll_between)


@pytest.mark.parametrize("by", ["constraint", "driver", "control"])
def test_it_starts_with_the_speed_of_what_really_moves_it(scene, by):
    """Bones that have no keys themselves: what was seen a frame earlier counts."""
    scene.use_gravity = False
    scene.frame_start = 5
    ob = chain()
    mover = bpy.data.objects.new("Mover", None)
    scene.collection.objects.link(mover)
    for frame, x in ((1, 0.0), (9, 0.8)):
        mover.location.x = x
        mover.keyframe_insert("location", frame=frame)
    for curve in addon("blender.compat").fcurves_of(mover):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    root = ob.pose.bones["Bone 0"]
    if by == "constraint":
        constraint = root.constraints.new("COPY_LOCATION")
        constraint.target, constraint.use_offset = mover, True
    elif by == "driver":
        driver = root.driver_add("location", 1).driver
        variable = driver.variables.new()
        variable.name, variable.type = "x", "TRANSFORMS"
        variable.targets[0].id = mover
        variable.targets[0].transform_type = "LOC_X"
        driver.expression = "x"
    else:
        ob.parent = mover
    ragdoll(ob)
    ob.verlet.ragdoll.drag = 0.0
    play(scene, 5, 15)
    seen, start = simulated_bones(scene, ob, 15), simulated_bones(scene, ob, 5)
    travel = seen["Bone 2"][:3, 3] - start["Bone 2"][:3, 3]
    np.testing.assert_allclose(travel, (1.0, 0, 0), atol=2e-2)
