"""Bake to Controls: the controls of a rig bring its bones to where the simulation has them."""

import bpy
import numpy as np
import pytest
from foreign_rigs import add_generated
from small_rigs import LIMBS, own_values, person, person_with_controls, ragdoll, seen_bones
from small_scenes import addon, floor, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

FRAMES = range(1, 19)
PLACE, ANGLE = 1e-3, np.radians(0.1)


def plain(ob):
    pass


def turned_and_scaled(ob):
    ob.scale = (0.7, 0.7, 0.7)
    ob.rotation_euler = (0.2, -0.3, 2.0)


def parented(ob):
    empty = bpy.data.objects.new("Above", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location, empty.rotation_euler, empty.scale = (0.5, -0.3, 0.4), (0.3, 0.1, -1), (1.4,) * 3
    for frame, angle in ((1, -1.0), (18, 0.5)):
        empty.rotation_euler[2] = angle
        empty.keyframe_insert("rotation_euler", frame=frame)
    ob.parent = empty


def rotation(matrix):
    u, _, v = np.linalg.svd(matrix[:3, :3])
    return u @ v


def apart(a, b):
    """Largest distance of heads, and largest angle, of bones of the same names."""
    place = max(np.linalg.norm(a[n][:3, 3] - b[n][:3, 3]) for n in b)
    sine = [np.linalg.norm(rotation(a[n]).T @ rotation(b[n]) - np.eye(3)) / 8**0.5 for n in b]
    return place, 2 * np.arcsin(min(max(sine), 1.0))


def bake(scene, to):
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    scene.verlet.bone_bake = to
    assert bpy.ops.verlet.bake() == {"FINISHED"}


def shown_in_all_frames(scene, ob, names):
    found = []
    for frame in FRAMES:
        scene.frame_set(frame)
        bones = seen_bones(ob)
        found.append({name: bones[name] for name in names})
    return found


def drop(scene, ob, place):
    """Let a ragdoll fall; what the ordinary bake shows of its simulated bones, then freed."""
    floor()
    place(ob)
    ragdoll(ob)
    bake(scene, "BONES")
    names = session_of(scene).moved_bones[ob.session_uid]
    found = shown_in_all_frames(scene, ob, names)
    select(ob)
    scene.frame_set(1)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert apart(found[0], found[-1])[0] > 0.3
    return found


def state(ob):
    """All that a bake might leave behind."""
    constraints = [(b.name, c.name, c.mute) for b in ob.pose.bones for c in b.constraints]
    custom = [(b.name, k, b[k]) for b in ob.pose.bones for k in b.keys() if k != "verlet"]
    drivers = [(d.data_path, d.mute) for d in ob.animation_data.drivers if ob.animation_data]
    return (
        own_values(ob),
        constraints,
        [c for c in custom if isinstance(c[2], int | float)],
        drivers,
    )


@pytest.mark.parametrize("place", [plain, turned_and_scaled, parented])
def test_controls_bring_the_bones_to_the_places_of_the_ordinary_bake(scene, place):
    ob = person_with_controls(location=(0, 0, 0.4))
    ordinary = drop(scene, ob, place)
    before = state(ob)
    bake(scene, "CONTROLS")
    shown = shown_in_all_frames(scene, ob, ordinary[0])
    worst = np.max([apart(a, b) for a, b in zip(shown, ordinary)], axis=0)
    assert worst[0] < PLACE
    assert worst[1] < ANGLE
    keyed = {c.data_path.split('"')[1] for c in addon("blender.compat").fcurves_of(ob)}
    assert not keyed & set(ordinary[0])
    assert {"fk_pelvis", "fk_head", "fk_shin.L", "hand_forearm.L", "pole_shin.R"} <= keyed
    select(ob)
    scene.frame_set(1)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert state(ob) == before
    assert not [action for action in bpy.data.actions if "Bake" in action.name]


def test_inverse_kinematics_has_knees_and_hands_where_the_bake_has_them(scene):
    ob = person_with_controls(location=(0, 0, 0.4))
    ordinary = drop(scene, ob, plain)
    bake(scene, "CONTROLS")
    ob.pose.bones["fk_pelvis"]["ik"] = 1.0
    lower = {bone for _, bone in LIMBS}
    for frame, wanted in zip(FRAMES, ordinary):
        scene.frame_set(frame)
        ob.update_tag()
        bpy.context.view_layer.update()
        bones = seen_bones(ob)
        for name in lower:
            end = np.array([0.0, ob.data.bones[name].length, 0.0, 1.0])
            assert np.linalg.norm(bones[name][:3, 3] - wanted[name][:3, 3]) < 2e-3, (frame, name)
            assert np.linalg.norm((bones[name] - wanted[name]) @ end) < 2e-3, (frame, name)


def test_a_rig_of_the_other_switch_is_put_to_forward_kinematics_and_back(scene):
    ob = person_with_controls(location=(0, 0, 0.4))
    ob.pose.bones["fk_pelvis"]["ik"] = 1.0
    ordinary = drop(scene, ob, plain)
    bake(scene, "CONTROLS")
    assert ob.pose.bones["fk_pelvis"]["ik"] == 0.0
    shown = shown_in_all_frames(scene, ob, ordinary[0])
    assert max(apart(a, b)[0] for a, b in zip(shown, ordinary)) < PLACE
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.pose.bones["fk_pelvis"]["ik"] == 1.0


def test_a_key_on_a_control_edits_the_result(scene):
    ob = person_with_controls(location=(0, 0, 0.4))
    drop(scene, ob, plain)
    bake(scene, "CONTROLS")
    scene.frame_set(10)
    before = seen_bones(ob)["forearm.L"]
    arm = ob.pose.bones["fk_upper_arm.L"]
    arm.rotation_quaternion = (1, 0.5, 0, 0)
    arm.keyframe_insert("rotation_quaternion", frame=10)
    scene.frame_set(9)
    scene.frame_set(10)
    assert np.linalg.norm(seen_bones(ob)["forearm.L"][:3, 3] - before[:3, 3]) > 0.05


def test_a_rig_without_controls_is_baked_to_its_own_bones(scene):
    ob = person(location=(0, 0, 0.4))
    ordinary = drop(scene, ob, plain)
    bake(scene, "CONTROLS")
    shown = shown_in_all_frames(scene, ob, ordinary[0])
    assert max(apart(a, b)[0] for a, b in zip(shown, ordinary)) < 1e-5


def test_bones_that_nothing_carries_are_named(scene):
    ob = person_with_controls(location=(0, 0, 0.4))
    away = bpy.data.objects.new("Elsewhere", None)
    scene.collection.objects.link(away)
    head = ob.pose.bones["head"].constraints[0]
    head.target = away
    ordinary = drop(scene, ob, plain)
    bake(scene, "CONTROLS")
    shown = shown_in_all_frames(scene, ob, [name for name in ordinary[0] if name != "head"])
    worst = max(apart(a, {n: b[n] for n in a})[0] for a, b in zip(shown, ordinary))
    assert worst < PLACE


def test_rigify_s_human_is_baked_to_its_controls(scene):
    ob = add_generated()
    bpy.context.view_layer.update()
    select(ob)
    ordinary = drop(scene, ob, turned_and_scaled)
    before = state(ob)
    bake(scene, "CONTROLS")
    shown = shown_in_all_frames(scene, ob, ordinary[0])
    worst = np.max([apart(a, b) for a, b in zip(shown, ordinary)], axis=0)
    assert len(ordinary[0]) > 20
    assert worst[0] < PLACE
    assert worst[1] < ANGLE
    keyed = {c.data_path.split('"')[1] for c in addon("blender.compat").fcurves_of(ob)}
    assert {"torso", "upper_arm_fk.L", "thigh_fk.R", "head", "hand_ik.L", "foot_ik.R"} <= keyed
    assert "root" not in keyed
    for limb in ("upper_arm", "thigh"):
        for side in "LR":
            assert ob.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] == 1.0
            ob.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] = 0.0
    for frame, wanted in zip(FRAMES, ordinary):
        scene.frame_set(frame)
        ob.update_tag()
        bpy.context.view_layer.update()
        bones = seen_bones(ob)
        # a limb that is all but straight bends by 2 cm where its ends are off by half a millimetre
        for name, bound in (
            *(("DEF-hand.L", 1e-3), ("DEF-foot.R", 1e-3)),
            *(("DEF-forearm.R", 0.02), ("DEF-shin.L", 0.02)),
        ):
            assert np.linalg.norm(bones[name][:3, 3] - wanted[name][:3, 3]) < bound, (frame, name)
    select(ob)
    scene.frame_set(1)
    for limb in ("upper_arm", "thigh"):
        for side in "LR":
            ob.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] = 1.0
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert state(ob) == before
