"""Limits of ragdolls learnt from the character's own actions, and given back."""

import bpy
import numpy as np
import pytest
from small_rigs import chain, key_bend, own_values, person, ragdoll, seen_bones, select_bones
from small_scenes import addon, floor, play, refusal, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def bent_action(ob, name, angles, frames=(1, 11), axis=0):
    """An action of the armature in which one of its bones turns about its own axis."""
    action = bpy.data.actions.new(f"{name} Action")
    ob.animation_data_create().action = action
    bone = ob.pose.bones[name]
    bone.rotation_mode = "XYZ"
    for frame, angle in zip(frames, angles):
        bone.rotation_euler[axis] = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    bone.rotation_euler[axis] = 0.0
    return action


def learn(ob, **options):
    select(ob)
    assert bpy.ops.verlet.learn_limits(**options) == {"FINISHED"}
    return {bone.name: bone.verlet for bone in ob.pose.bones}


def test_limits_are_those_of_the_actions_and_a_margin(scene):
    ob = ragdoll(chain(4))
    bent_action(ob, "Bone 1", (0.0, 0.8))
    first = ob.animation_data.action
    bent_action(ob, "Bone 2", (-0.3, 0.2), axis=2)
    handle = addon("blender.compat").slot_handle(ob.animation_data)
    scene.frame_set(4)
    before, action = own_values(ob), ob.animation_data.action
    bones = learn(ob, margin=0.1)
    knee = bones["Bone 1"]
    assert (knee.joint, knee.has_limits) == ("HINGE", True)
    assert tuple(knee.hinge_axis) == pytest.approx((1, 0, 0), abs=1e-4)
    assert (knee.lower, knee.upper) == pytest.approx((-0.1, 0.9), abs=1e-4)
    second = bones["Bone 2"]
    assert second.upper - second.lower == pytest.approx(0.7, abs=1e-4)
    assert not bones["Bone 3"].has_limits  # no action moves it
    assert own_values(ob) == before
    assert (ob.animation_data.action, scene.frame_current) == (action, 4)
    assert addon("blender.compat").slot_handle(ob.animation_data) == handle
    assert first.users >= 0
    play(scene, 1, 40)
    names = addon("ragdoll.bone_bodies").plan_of(session_of(scene).participants("RAGDOLL")[0])
    joint = next(p.joint for p in names.parts if names.skeleton.name[p.bone] == "Bone 1")
    assert (joint.lower, joint.upper) == pytest.approx((-0.1, 0.9), abs=1e-4)
    select(ob)
    assert bpy.ops.verlet.reset_limits() == {"FINISHED"}
    assert [(b.verlet.joint, b.verlet.has_limits) for b in ob.pose.bones] == [("AUTO", False)] * 4


def test_the_chosen_action_the_selected_bones_and_the_chosen_kind_count(scene):
    ob = ragdoll(chain(4))
    bent_action(ob, "Bone 1", (0.0, 0.8))
    bent_action(ob, "Bone 2", (0.0, 0.5))
    ob.pose.bones["Bone 2"].verlet.joint = "CONE_TWIST"
    bones = learn(ob, source="CURRENT", margin=0.0)
    assert not bones["Bone 1"].has_limits
    cone = bones["Bone 2"]
    assert cone.joint == "CONE_TWIST"
    assert cone.swing == pytest.approx(0.25, abs=5e-3)
    assert cone.lean_x == pytest.approx(0.25, abs=5e-3)
    select(ob)
    bpy.ops.object.mode_set(mode="POSE")
    select_bones(ob, ["Bone 1"])
    bones = learn(ob, selected_only=True)
    assert bones["Bone 1"].has_limits
    assert cone.swing == pytest.approx(0.25, abs=5e-3)
    bpy.ops.verlet.reset_limits(selected_only=True)
    assert not bones["Bone 1"].has_limits
    assert cone.has_limits


def test_what_controls_move_is_learnt_too(scene):
    """Deforming bones without a key of their own, moved by inverse kinematics."""
    ob = chain(3)
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    target.location = (1.0, 0, 1.3)
    ik = ob.pose.bones["Bone 2"].constraints.new("IK")
    ik.target = target
    bent_action(ob, "Bone 0", (0.0, 0.4))
    ragdoll(ob)
    play(scene, 1, 5)  # while the preview has muted the chain
    assert ik.mute
    bones = learn(ob)
    assert bones["Bone 1"].has_limits
    assert bones["Bone 2"].has_limits


def test_slots_of_other_characters_do_not_count(scene, compat):
    if not compat.HAS_SLOTS:
        pytest.skip("actions have no slots before Blender 4.4")
    one, other = ragdoll(chain(3, name="One")), ragdoll(chain(3, name="Other"))
    action = bent_action(one, "Bone 1", (0.0, 0.4))
    other.animation_data_create().action = action
    other.animation_data.action_slot = action.slots.new("OBJECT", "Other")
    key_bend(other.pose.bones["Bone 1"], (1, 0.0), (9, 1.2))
    assert learn(one, margin=0.0)["Bone 1"].upper == pytest.approx(0.4, abs=1e-4)
    assert learn(other, margin=0.0)["Bone 1"].upper == pytest.approx(1.2, abs=1e-4)


def test_a_learnt_character_stays_within_its_actions(scene):
    floor()
    ob = ragdoll(person(location=(0, 0, 0.3)))
    for name, angle in (("shin.L", 0.5), ("forearm.R", -0.6), ("chest", 0.2)):
        bent_action(ob, name, (0.0, angle))
    ob.animation_data_clear()
    learn(ob, margin=0.05)
    play(scene, 1, 60)
    assert session_of(scene).problems == []
    rest = {b.name: np.array(b.matrix_local)[:3, :3] for b in ob.data.bones}
    seen = {name: matrix[:3, :3] for name, matrix in seen_bones(ob).items()}
    for name, parent, most in (("shin.L", "thigh.L", 0.5), ("forearm.R", "upper_arm.R", 0.6)):
        turned = seen[parent].T @ seen[name] @ (rest[parent].T @ rest[name]).T
        angle = np.arccos(np.clip(0.5 * (np.trace(turned) - 1.0), -1, 1))
        assert angle < most + 0.05 + np.radians(2.0)


def test_own_limits_begin_with_the_automatic_ones(scene):
    ob = ragdoll(person())
    ob.pose.bones["head"].verlet.joint = "BALL"
    plan_of = addon("operators.ragdoll_bones").plan_of
    before = plan_of(ob, np.array(ob.matrix_world))
    select(ob)
    assert bpy.ops.verlet.take_limits() == {"FINISHED"}
    after = plan_of(ob, np.array(ob.matrix_world))
    taken = {bone.name for bone in ob.pose.bones if bone.verlet.has_limits}
    assert taken >= {"thigh.L", "shin.R", "forearm.L", "upper_arm.R"}
    assert "head" not in taken
    for old, new in zip(before.parts, after.parts):
        if old.joint is None or not old.joint.is_limited:
            continue
        assert new.joint.kind == old.joint.kind
        for name in ("lower", "upper", "swing"):
            assert getattr(new.joint, name) == pytest.approx(getattr(old.joint, name), abs=1e-4)
        axis = 2 if old.joint.kind == "HINGE" else 0
        assert new.joint.first[:, axis] == pytest.approx(old.joint.first[:, axis], abs=1e-4)
    select(ob)
    bpy.ops.object.mode_set(mode="POSE")
    select_bones(ob, ["head"])
    error = refusal(bpy.ops.verlet.take_limits, selected_only=True)
    assert "none of these bones has a joint with limits" in error


def test_what_cannot_be_learnt_is_named(scene):
    ob = ragdoll(chain(3))
    assert "Rig: no action moves its bones" in refusal(bpy.ops.verlet.learn_limits)
    bent_action(ob, "Bone 0", (0.0, 0.5))  # of the root, which has no joint
    assert "none turns a joint" in refusal(bpy.ops.verlet.learn_limits)
    scene.frame_end = 3
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    select(ob)
    assert "Rig: it is baked" in refusal(bpy.ops.verlet.learn_limits)
    cube = bpy.data.objects.new("Empty", None)
    scene.collection.objects.link(cube)
    select(cube)
    assert not bpy.ops.verlet.learn_limits.poll()
