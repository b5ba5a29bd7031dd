"""Pins of ragdolls: bones that empties, colliders and bodies hold, and drag."""

import bpy
import numpy as np
import pytest
from mathutils import Vector
from small_rigs import chain, person, ragdoll, seen_bones
from small_scenes import addon, body, cloth, floor, play, refusal, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def choose(ob, *names):
    """Pose Mode with these bones selected, the last one active."""
    select(ob)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in ob.pose.bones:
        pick(bone, bone.name in names)
    ob.data.bones.active = ob.data.bones[names[-1]]


def pick(bone, is_selected):
    holder = bone if hasattr(bone, "select") else bone.bone  # moved in Blender 5.0
    holder.select = is_selected


def pinned(ob, name, end="TAIL"):
    """A bone pinned to an empty, which is returned."""
    choose(ob, name)
    assert bpy.ops.verlet.pin_bones(end=end) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    return ob.pose.bones[name].verlet.pin_target


def seen_end(ob, name, end="TAIL"):
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bone = evaluated.pose.bones[name]
    return np.array(evaluated.matrix_world @ (bone.tail if end == "TAIL" else bone.head))


def key_place(ob, places):
    for frame, place in places.items():
        ob.location = place
        ob.keyframe_insert("location", frame=frame)


def test_feet_hold_to_the_floor_while_the_hand_is_dragged(scene):
    floor()
    ob = ragdoll(person(location=(0, 0, 0.05)))
    feet = [pinned(ob, f"foot.{side}") for side in "LR"]
    hand = pinned(ob, "forearm.L")
    start = hand.location.copy()
    assert np.abs(np.array(start) - seen_end(ob, "forearm.L")).max() < 1e-6
    away = start + Vector((-0.3, -0.5, -0.3))
    key_place(hand, {1: start, 5: start, 25: away, 40: away})
    scene.frame_end = 40
    own = seen_bones(ob)
    for frame in range(1, 41):
        scene.frame_set(frame)
        assert session_of(scene).problems == []
        for empty, name in zip(feet, ("foot.L", "foot.R")):
            assert (
                np.abs(seen_end(ob, name) - np.array(empty.location)).max() < 1e-2
            )  # it falls on them
        assert np.abs(seen_end(ob, "forearm.L") - np.array(hand.location)).max() < 5e-3
    assert session_of(scene).last == 40
    assert np.abs(seen_bones(ob)["chest"] - own["chest"]).max() > 0.2  # the body came along
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(30)
    assert np.abs(seen_end(ob, "forearm.L") - np.array(away)).max() < 5e-3


def test_a_pin_lets_go_and_takes_hold_again(scene):
    ob = ragdoll(chain())
    empty = pinned(ob, "Bone 0", end="HEAD")
    bone = ob.pose.bones["Bone 0"]
    for frame, holds in ((1, True), (10, False), (18, True)):
        bone.verlet_pin = holds
        bone.keyframe_insert("verlet_pin", frame=frame)
    play(scene, 1, 9)
    assert np.abs(seen_end(ob, "Bone 0", "HEAD") - np.array(empty.location)).max() < 2e-3
    play(scene, 10, 17)
    fallen = empty.location.z - seen_end(ob, "Bone 0", "HEAD")[2]
    assert fallen > 0.2
    play(scene, 18, 50)
    assert session_of(scene).failure == ""
    assert np.abs(seen_end(ob, "Bone 0", "HEAD") - np.array(empty.location)).max() < 5e-3


def test_a_target_out_of_reach_stretches_no_joint(scene):
    ob = ragdoll(chain(3))
    root = pinned(ob, "Bone 0", end="HEAD")
    tip = pinned(ob, "Bone 2")
    ob.pose.bones["Bone 2"].verlet.pin_firmness = 0.02  # the other end holds
    key_place(tip, {1: tip.location.copy(), 20: (3.0, 0.0, 1.0)})
    play(scene, 1, 30)
    running = session_of(scene)
    assert running.failure == ""
    assert np.abs(seen_end(ob, "Bone 0", "HEAD") - np.array(root.location)).max() < 0.05
    reached = seen_end(ob, "Bone 2")
    assert 1.15 < reached[0] < 1.3  # straight towards it, and no longer than it is
    shown = seen_bones(ob)
    for a, b in (("Bone 0", "Bone 1"), ("Bone 1", "Bone 2")):
        assert np.linalg.norm(shown[b][:3, 3] - seen_end(ob, a)) < 2e-3, (a, shown[b])


def test_what_a_bone_is_pinned_to_is_loaded_in_turn(scene):
    ob = ragdoll(chain(2, location=(0, 0, 2)))
    stone = body(location=(0.8 + 0.2, 0, 3), size=0.2)
    free = body(name="Free", location=(4, 0, 3), size=0.2)
    select(stone, ob)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in ob.pose.bones:
        pick(bone, bone.name == "Bone 1")
    assert bpy.ops.verlet.pin_bones(to_selected=True) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    held = pinned(ob, "Bone 0", end="HEAD")
    play(scene, 1, 24)
    assert session_of(scene).problems == []
    assert np.abs(seen_end(ob, "Bone 0", "HEAD") - np.array(held.location)).max() < 5e-3
    way = np.array(stone.matrix_world.translation) - seen_end(ob, "Bone 1")
    assert np.linalg.norm(way) == pytest.approx(0.2, abs=5e-3)
    assert stone.matrix_world.translation.z > free.matrix_world.translation.z + 0.5


def test_a_pin_of_a_later_frame_holds_from_then_on(scene):
    ob = ragdoll(chain())
    play(scene, 1, 8)
    seen = seen_end(ob, "Bone 2")
    empty = pinned(ob, "Bone 2")
    assert np.abs(np.array(empty.location) - seen).max() < 1e-5
    play(scene, 1, 7)
    assert np.abs(seen_end(ob, "Bone 2") - np.array(empty.location)).max() > 0.05
    play(scene, 8, 20)
    assert np.abs(seen_end(ob, "Bone 2") - np.array(empty.location)).max() < 2e-2


def test_unpin_leaves_nothing_behind(scene):
    ob = ragdoll(chain())
    play(scene, 1, 4)
    empty = pinned(ob, "Bone 1")
    other = pinned(ob, "Bone 2")
    ob.pose.bones["Bone 0"].verlet.pin_target = other  # serves two
    choose(ob, "Bone 1", "Bone 2")
    name = empty.name
    assert bpy.ops.verlet.unpin_bones() == {"FINISHED"}
    assert name not in bpy.data.objects
    assert other.name in bpy.data.objects
    assert [c for c in addon("blender.compat").fcurves_of(ob) if "verlet_pin" in c.data_path] == []
    choose(ob, "Bone 2")
    assert "None of the selected bones is pinned" in refusal(bpy.ops.verlet.unpin_bones)


def test_pins_that_cannot_work_are_named(scene):
    ob = ragdoll(chain())
    sheet = cloth()
    ob.pose.bones["Bone 1"].verlet.pin_target = sheet
    play(scene, 1, 3)
    messages = [p.message for p in session_of(scene).problems]
    assert len(messages) == 1
    assert (
        "Rig: bone Bone 1: it is pinned to Cloth, which is cloth and cannot hold it" in messages[0]
    )
    assert session_of(scene).last == 3
    ob.pose.bones["Bone 1"].verlet.pin_target = None
    ob.data.bones["Bone 2"].use_deform = False
    ob.pose.bones["Bone 2"].verlet.part = "NONE"
    pinned(ob, "Bone 2")
    scene.frame_set(1)
    assert any(
        "bone Bone 2 is pinned, and is no body" in p.message for p in session_of(scene).problems
    )
    select(ob)
    assert "Go to Pose Mode" in refusal(bpy.ops.verlet.pin_bones)


def test_pins_are_shown(scene):
    ob = ragdoll(chain())
    pinned(ob, "Bone 2")
    play(scene, 1, 3)
    collect = addon("overlays.collect")
    _, colours = collect.lines_of(bpy.context)
    assert (colours == np.array(collect.PIN_COLOUR, np.float32)).all(axis=1).sum() > 20
    ob.pose.bones["Bone 2"].verlet_pin = False
    play(scene, 4, 5)
    _, colours = collect.lines_of(bpy.context)
    assert not (colours == np.array(collect.PIN_COLOUR, np.float32)).all(axis=1).any()
    assert (colours == np.array(collect.LOOSE, np.float32)).all(axis=1).any()
