"""Ragdolls: set up from armatures, simulated, shown, baked to bones, and given back."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from small_rigs import (
    armature,
    chain,
    key_bend,
    largest_difference,
    own_values,
    person,
    plays_elsewhere,
    ragdoll,
    seen_bones,
    simulated_bones,
)
from small_scenes import addon, floor, new_object, play, refusal, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

ROTATION_MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE")


def test_an_armature_falls_and_comes_to_rest(scene):
    floor()
    ob = ragdoll(person(location=(0, 0, 0.6)))
    ob.pose.bones["chest"].rotation_mode = "XYZ"
    ob.pose.bones["chest"].rotation_euler.x = 0.3
    play(scene, 1, 120)
    running = session_of(scene)
    assert running.problems == []
    assert running.failure == ""
    assert running.last == 120
    shown = seen_bones(ob)
    assert max(matrix[2, 3] for matrix in shown.values()) < 0.6
    assert min(matrix[2, 3] for matrix in shown.values()) > -0.02
    state = running.cache[120]
    assert (state.body_rest > 0.0).all()


def test_what_is_shown_is_what_was_simulated(scene):
    floor()
    ob = ragdoll(person(location=(0.3, 0, 0.2)))
    for bone, mode in zip(ob.pose.bones, ROTATION_MODES * 4):
        bone.rotation_mode = mode
    ob.scale = (1.2, 1.2, 1.2)
    ob.rotation_euler = (0.2, 0.1, 0.5)
    for frame in range(1, 20):
        scene.frame_set(frame)
        if frame > 1:
            wanted = simulated_bones(scene, ob, frame)
            assert len(wanted) == len(ob.pose.bones)
            assert largest_difference(seen_bones(ob), wanted, wanted) < 2e-5
    scene.frame_set(7)  # a frame that is kept
    wanted = simulated_bones(scene, ob, 7)
    assert largest_difference(seen_bones(ob), wanted, wanted) < 2e-5


def test_the_start_frame_and_a_saved_file_hold_the_own_pose(scene, tmp_path):
    ob = ragdoll(chain())
    ob.pose.bones["Bone 1"].rotation_quaternion = (0.9, 0.3, 0.1, 0.2)
    own = own_values(ob)
    play(scene, 1, 5)
    assert own_values(ob) != own
    shown = seen_bones(ob)
    path = tmp_path / "ragdoll.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    assert largest_difference(seen_bones(ob), shown, shown) < 1e-6
    scene.frame_set(1)
    assert own_values(ob) == own
    play(scene, 1, 3)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert own_values(bpy.data.objects["Rig"]) == own


def test_remove_gives_the_pose_back(scene):
    ob = ragdoll(chain())
    own = own_values(ob)
    play(scene, 1, 5)
    select(ob)
    assert bpy.ops.verlet.remove() == {"FINISHED"}
    assert own_values(ob) == own
    assert ob.verlet.kind == "NONE"


def keyed_person():
    """A person with keys on the bones, of which one is of a bone that is no body."""
    ob = person(location=(0, 0, 0.4))
    for bone, mode in zip(ob.pose.bones, ROTATION_MODES * 4):
        bone.rotation_mode = mode
    bone = ob.pose.bones["forearm.L"]
    for frame, angle in ((1, 0.0), (20, 0.8)):
        bone.rotation_mode = "XYZ"
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
        ob.pose.bones["head"].scale = (1 + 0.01 * frame,) * 3
        ob.pose.bones["head"].keyframe_insert("scale", frame=frame)
    return ob


def test_a_bake_plays_the_simulated_poses_and_is_freed_without_a_trace(scene, tmp_path):
    floor()
    ob = ragdoll(keyed_person())
    action = ob.animation_data.action
    scene.frame_set(1)
    own = own_values(ob)
    scene.frame_start, scene.frame_end = 1, 24
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert ob.animation_data.action != action
    assert ob.verlet_bake.pose.animation.action == action
    assert [b.rotation_mode for b in ob.pose.bones][:2] == ["QUATERNION", "XYZ"]
    wanted = {f: simulated_bones(scene, ob, f) for f in range(1, 25)}
    for frame in range(1, 25):
        scene.frame_set(frame)
        names = [name for name in wanted[frame] if name != "head"]  # its keys scale it
        assert largest_difference(seen_bones(ob), wanted[frame], names) < 1e-4
    assert seen_bones(ob)["head"][:3, 1] @ seen_bones(ob)["head"][:3, 1] > 1.2
    assert plays_elsewhere(tmp_path, ob, wanted) < 1e-4
    scene.frame_set(1)
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.animation_data.action == action
    assert [a.name for a in bpy.data.actions] == [action.name]
    scene.frame_set(1)
    assert own_values(ob) == own


def inherit(rig, name, **flags):
    for flag, value in flags.items():
        setattr(rig.data.bones[name], flag, value)


@pytest.mark.parametrize("has_parent", [False, True])
@pytest.mark.parametrize("scale", [(1, 1, 1), (0.5, 0.5, 0.5), (-1, 1, 1)])
def test_inherit_flags_and_mirrors_come_through_the_bake(scene, tmp_path, scale, has_parent):
    ob = chain(5)
    for bone, mode in zip(ob.pose.bones, ROTATION_MODES * 2):
        bone.rotation_mode = mode
    holder = ob
    if has_parent:
        holder = bpy.data.objects.new("Parent", None)
        scene.collection.objects.link(holder)
        holder.rotation_euler = (0.3, 0, 1.0)
        ob.parent = holder
    holder.scale = scale
    inherit(ob, "Bone 1", use_inherit_rotation=False)
    inherit(ob, "Bone 2", inherit_scale="NONE")
    inherit(ob, "Bone 3", use_local_location=False)
    inherit(ob, "Bone 4", inherit_scale="ALIGNED", use_inherit_rotation=False)
    ob.pose.bones["Bone 0"].rotation_quaternion = (0.8, 0.1, 0.5, 0.2)
    bpy.context.view_layer.update()
    ragdoll(ob)
    floor()
    scene.frame_start, scene.frame_end = 1, 15
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    moved = 0.0
    for frame in range(1, 16):
        scene.frame_set(frame)
        wanted = simulated_bones(scene, ob, frame)
        assert largest_difference(seen_bones(ob), wanted, wanted) < 1e-4
        moved = max(moved, largest_difference(wanted, simulated_bones(scene, ob, 1), wanted))
    assert moved > 0.3
    wanted = {frame: simulated_bones(scene, ob, frame) for frame in range(1, 16)}
    assert plays_elsewhere(tmp_path, ob, wanted) < 1e-4


def test_constraints_and_chains_are_silent_until_the_bake_is_freed(scene):
    ob = chain(4)
    hand = ob.pose.bones["Bone 3"]
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    target.location = (1, 1, 1.5)
    ik = hand.constraints.new("IK")
    ik.target, ik.chain_count = target, 3
    other = ob.pose.bones["Bone 1"].constraints.new("LIMIT_ROTATION")
    other.mute = True
    bpy.context.view_layer.update()
    start = seen_bones(ob)
    ragdoll(ob)
    scene.frame_start, scene.frame_end = 1, 12
    play(scene, 1, 6)
    assert ik.mute
    assert largest_difference(simulated_bones(scene, ob, 1), start, start) < 1e-5
    wanted = simulated_bones(scene, ob, 6)
    assert largest_difference(seen_bones(ob), wanted, wanted) < 1e-5
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(9)
    wanted = simulated_bones(scene, ob, 9)
    assert largest_difference(seen_bones(ob), wanted, wanted) < 1e-4
    scene.frame_set(1)
    select(ob)
    bpy.ops.verlet.free_bake()
    assert not ik.mute
    assert other.mute
    bpy.context.view_layer.update()
    assert largest_difference(seen_bones(ob), start, start) < 1e-5


def test_connected_bones_are_turned_and_what_hangs_on_them_is_in_place(scene):
    floor()
    bones = [
        ("a", None, (0, 0, 0.6), (0.4, 0, 0.6), 0.1),
        ("b", "a", (0.4, 0, 0.6), (0.8, 0, 0.65), 1.0),
        ("c", "b", (0.8, 0, 0.65), (1.2, 0, 0.6), -0.4),
        ("d", "c", (1.2, 0.05, 0.6), (1.6, 0.1, 0.6), 0.2),
    ]
    ob = armature(bones)
    select(ob)
    bpy.ops.object.mode_set(mode="EDIT")
    for name in "bc":
        ob.data.edit_bones[name].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    ragdoll(ob)
    scene.frame_end = 30
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    for frame in range(1, 31):
        scene.frame_set(frame)
        seen, wanted = seen_bones(ob), simulated_bones(scene, ob, frame)
        for name in "abcd":
            assert np.abs(seen[name] - wanted[name])[:3, :3].max() < 1e-4
        for name in "ad":
            assert np.abs(seen[name] - wanted[name]).max() < 1e-4
        for parent, name in ("ab", "bc"):
            tail = seen[parent] @ (0, ob.data.bones[parent].length, 0, 1)
            assert np.abs(seen[name][:, 3] - tail).max() < 1e-5


def test_a_bone_between_that_is_no_body_is_carried(scene):
    ob = chain(4)
    ob.data.bones["Bone 2"].use_deform = False
    ragdoll(ob)
    play(scene, 1, 10)
    wanted = simulated_bones(scene, ob, 10)
    assert "Bone 2" not in wanted
    assert largest_difference(seen_bones(ob), wanted, wanted) < 1e-5
    between = ob.pose.bones["Bone 2"].matrix_basis
    assert np.abs(np.array(between) - np.eye(4)).max() < 1e-6


def test_short_bones_follow_with_their_own_animation(scene):
    bones = [
        ("arm", None, (0, 0, 1), (0.4, 0, 1), 0),
        ("hand", "arm", (0.4, 0, 1), (0.8, 0, 1), 0),
        ("finger", "hand", (0.8, 0, 1), (0.83, 0, 1), 0),
    ]
    ob = ragdoll(armature(bones))
    bone = ob.pose.bones["finger"]
    key_bend(bone, (1, 0.0), (11, 1.0))
    play(scene, 1, 6)
    assert set(simulated_bones(scene, ob, 6)) == {"arm", "hand"}
    assert bone.rotation_euler.x == pytest.approx(0.5, abs=0.05)


def test_a_shoulder_whose_animation_goes_on_carries_the_arm_where_it_is_simulated(scene):
    bones = [
        ("trunk", None, (0, 0, 0.8), (0, 0, 1.6), 0),
        ("shoulder", "trunk", (0, 0, 1.6), (0.03, 0, 1.6), 0),
        ("upper_arm", "shoulder", (0.03, 0, 1.6), (0.5, 0, 1.6), 0),
    ]
    ob = armature(bones)
    bpy.ops.object.mode_set(mode="EDIT")
    ob.data.edit_bones["shoulder"].tail.x = 0.3
    ob.data.edit_bones["upper_arm"].head.x = 0.3
    ob.data.edit_bones["upper_arm"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    ob.pose.bones["shoulder"].verlet.part = "JOINED"
    key_bend(ob.pose.bones["shoulder"], (1, 0.0), (11, 1.5))
    ragdoll(ob)
    play(scene, 1, 15)
    wanted = simulated_bones(scene, ob, 15)
    assert {"trunk", "shoulder", "upper_arm"} == set(wanted)
    assert largest_difference(seen_bones(ob), wanted, wanted) < 1e-4


def test_it_goes_on_with_the_speed_of_its_animation(scene):
    scene.use_gravity = False
    scene.frame_start = 5
    ob = ragdoll(chain())
    root = ob.pose.bones["Bone 0"]
    for frame, x in ((1, 0.0), (5, 0.4), (9, 0.8)):
        root.location = (0, x, 0)  # along the bone, which is X of the world
        root.keyframe_insert("location", frame=frame)
    for fcurve in addon("blender.compat").fcurves_of(ob):
        for key in fcurve.keyframe_points:
            key.interpolation = "LINEAR"
    ob.verlet.ragdoll.drag = 0.0
    play(scene, 5, 15)
    wanted, start = simulated_bones(scene, ob, 15), simulated_bones(scene, ob, 5)
    travel = wanted["Bone 2"][:3, 3] - start["Bone 2"][:3, 3]
    np.testing.assert_allclose(travel, (1.0, 0, 0), atol=2e-3)


def test_a_limp_of_zero_follows_the_keys_and_is_let_go(scene):
    ob = ragdoll(chain())
    for bone in ob.pose.bones:
        for frame, limp in ((10, 0.0), (11, 1.0)):
            bone.verlet_limp = limp
            bone.keyframe_insert("verlet_limp", frame=frame)
    key_bend(ob.pose.bones["Bone 1"], (1, 0.0), (10, 1.0))
    keyed = {}
    for frame in (5, 10):
        scene.frame_set(frame)
        keyed[frame] = seen_bones(ob)
    play(scene, 1, 10)
    for frame in (5, 10):
        wanted = simulated_bones(scene, ob, frame)
        assert largest_difference(wanted, keyed[frame], wanted) < 1e-4
    play(scene, 11, 20)
    assert session_of(scene).last == 20
    assert not session_of(scene).is_outdated
    fallen = simulated_bones(scene, ob, 20)["Bone 0"][2, 3] - keyed[10]["Bone 0"][2, 3]
    assert fallen < -0.3


def test_muscles_hold_the_keyed_pose(scene):
    def bend_after(limp):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scene = bpy.context.scene
        ob = ragdoll(chain(4))
        for bone in ob.pose.bones:
            bone.verlet_limp = limp
        ob.pose.bones["Bone 0"].verlet_limp = 0.0  # held where it is
        play(scene, 1, 40)
        assert session_of(scene).problems == []
        return 1.0 - simulated_bones(scene, ob, 40)["Bone 3"][2, 3]

    limp, held = bend_after(1.0), bend_after(0.1)
    assert limp > 0.5
    assert held < 0.5 * limp


def test_a_skinned_mesh_gives_the_shapes(scene):
    ob = chain(2)
    ring = [(0.1 * math.cos(a), 0.1 * math.sin(a)) for a in np.linspace(0, math.tau, 12, False)]
    points = [(x, y, z + 1) for x in np.linspace(0.02, 0.78, 16) for y, z in ring]
    tube = new_object("Tube", points)
    for name, low, high in (("Bone 0", -1, 0.4), ("Bone 1", 0.4, 9)):
        group = tube.vertex_groups.new(name=name)
        group.add([i for i, p in enumerate(points) if low < p[0] <= high], 1.0, "REPLACE")
    modifier = tube.modifiers.new("Armature", "ARMATURE")
    modifier.object = ob
    ragdoll(ob)
    scene.frame_set(1)
    plan = addon("ragdoll.bone_bodies").plan_of(session_of(scene).participants("RAGDOLL")[0])
    assert [part.fit.shape for part in plan.parts] == ["CAPSULE", "CAPSULE"]
    for part in plan.parts:
        assert part.fit.size[0] == pytest.approx(0.1, rel=0.02)


def test_choices_for_bones_count(scene):
    ob = ragdoll(person())
    scene.frame_set(1)
    first = session_of(scene).model
    ob.pose.bones["forearm.L"].verlet.part = "JOINED"
    ob.pose.bones["head"].verlet.part = "NONE"
    ob.pose.bones["chest"].verlet.joint = "FIXED"
    play(scene, 1, 3)
    model = session_of(scene).model
    assert len(model.bodies) == len(first.bodies) - 2
    assert "head" not in simulated_bones(scene, ob, 3)
    ob.pose.bones["chest"].verlet.joint = "BALL"
    play(scene, 4, 5)
    assert session_of(scene).is_outdated


def test_shapes_limits_and_words_are_shown(scene):
    ob = ragdoll(person())
    lines_of = addon("overlays.collect").lines_of
    assert len(lines_of(bpy.context)[0]) == 0
    scene.frame_set(1)
    limits = len(lines_of(bpy.context)[0])
    assert limits > 12 * 30
    scene.verlet.show_shapes = True
    assert len(lines_of(bpy.context)[0]) > limits + 13 * 20
    play(scene, 2, 6)
    low, high = lines_of(bpy.context)[0].min(axis=0), lines_of(bpy.context)[0].max(axis=0)
    assert -0.6 < low[2] < high[2] < 2.0
    notes = session_of(scene).bone_notes[ob.session_uid]
    assert notes["pelvis"][0].startswith("Box, ")
    assert notes["shin.L"][1].startswith("Hinge -")
    assert notes["shin.L"][2] == "On thigh.L"


def test_bad_armatures_are_named(scene):
    empty = armature([], name="Hollow")
    select(empty)
    assert "Hollow: it has no bones" in refusal(bpy.ops.verlet.ragdoll)
    idle = chain(name="Idle")
    for bone in idle.data.bones:
        bone.use_deform = False
    select(idle)
    assert "Idle: none of its bones deforms" in refusal(bpy.ops.verlet.ragdoll)
    flat = chain(name="Flat")
    flat.scale.x = 0.0
    bpy.context.view_layer.update()
    select(flat)
    assert "Flat: its scale" in refusal(bpy.ops.verlet.ragdoll)
    cube = new_object("Cube", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], faces=[(0, 1, 2)])
    select(cube)
    assert "Cube: it is a mesh object, and Ragdoll needs an armature" in refusal(
        bpy.ops.verlet.ragdoll
    )
    curve = bpy.data.objects.new("Vine", bpy.data.curves.new("Vine", "CURVE"))
    bpy.context.scene.collection.objects.link(curve)
    select(curve)
    told = refusal(bpy.ops.verlet.ragdoll)
    assert "Vine: it is a curve object, and Ragdoll needs an armature. Select the" in told
    rig = chain(name="Open")
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Open: its bones are being edited" in refusal(bpy.ops.verlet.ragdoll)
    bpy.ops.object.mode_set(mode="OBJECT")
    ragdoll(rig)
    rig.scale.y = 0.0
    scene.frame_set(1)
    assert any("Open: its scale" in p.message for p in session_of(scene).problems)


def test_two_characters_that_share_their_data_are_two(scene):
    floor()
    a = ragdoll(person(name="A", location=(0, 0, 0.2)))
    b = bpy.data.objects.new("B", a.data)
    scene.collection.objects.link(b)
    b.location = (0, 0, 2.5)
    ragdoll(b)
    play(scene, 1, 12)
    running = session_of(scene)
    assert running.problems == []
    assert len(running.model.bodies) == 2 * 13
    for ob in (a, b):
        wanted = simulated_bones(scene, ob, 12)
        assert largest_difference(seen_bones(ob), wanted, wanted) < 2e-5


def test_a_ragdoll_and_bodies_in_one_scene(scene):
    from small_scenes import body

    floor()
    crate = body(location=(0, 0, 3))
    ob = ragdoll(person(location=(0, 0, 0.1)))
    crate_start = np.array(crate.matrix_world.translation)
    play(scene, 1, 12)
    assert session_of(scene).problems == []
    moved = np.array(Matrix(crate.matrix_world).translation) - crate_start
    assert moved[2] < -0.3
    wanted = simulated_bones(scene, ob, 12)
    assert largest_difference(seen_bones(ob), wanted, wanted) < 2e-5
    assert (Vector(moved).xy).length < 0.5


def test_a_character_weighs_by_its_size_until_somebody_says_otherwise(scene):
    tall, small = person("Tall"), person("Small", location=(3, 0, 0))
    small.scale = (0.05, 0.05, 0.05)
    old = person("Old", location=(6, 0, 0))
    old.verlet.kind = "RAGDOLL"  # as a file of an earlier version has it
    select(tall, small, old)
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    mass = [ob.verlet.ragdoll.mass for ob in (tall, small, old)]
    assert 50.0 < mass[0] < 90.0
    assert mass[1] == pytest.approx(mass[0] * 0.05**3, rel=0.01)
    assert mass[2] == 70.0
    label, kinds = addon("properties.presets").label, addon("properties.kinds").KINDS
    assert [label(ob, kinds["RAGDOLL"]) for ob in (tall, small)] == ["Default"] * 2
    tall.verlet.ragdoll.friction += 0.125
    assert label(tall, kinds["RAGDOLL"]) == "Custom"
    tall.verlet.ragdoll.friction -= 0.125
    scene.frame_set(1)
    assert session_of(scene).problems == []
    tall.verlet.ragdoll.mass = 80.0
    select(tall)
    assert bpy.ops.verlet.remove() == {"FINISHED"}
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    assert tall.verlet.ragdoll.mass == 80.0
    small.scale = (1.0, 1.0, 1.0)
    select(small, old)
    bpy.context.view_layer.update()
    assert bpy.ops.verlet.weigh() == {"FINISHED"}
    assert [ob.verlet.ragdoll.mass for ob in (small, old)] == [pytest.approx(mass[0], 0.01)] * 2


def test_a_character_weighs_what_its_skin_encloses(scene):
    ob = person()
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0, 0, 1.2))  # 113 litres
    skin = bpy.context.object
    skin.parent, skin.parent_type = ob, "ARMATURE"
    skin.vertex_groups.new(name="chest").add(range(len(skin.data.vertices)), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = ob
    ragdoll(ob)
    assert ob.verlet.ragdoll.mass == pytest.approx(4000.0 / 3.0 * math.pi * 0.3**3, rel=0.03)
    select(skin)
    assert "Select an armature" in refusal(bpy.ops.verlet.weigh)
