"""Baked objects stand where their matrices say, and Free Bake gives back what animated them."""

import importlib
import math
import time

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion, Vector
from object_snapshot import animation_snapshot, differences, file_snapshot
from small_scenes import addon

pytestmark = pytest.mark.usefixtures("scene")

FRAMES = list(range(3, 23))
FRAME_COUNT = len(FRAMES)


@pytest.fixture
def transforms(extension):
    return importlib.import_module(f"{extension.__name__}.verlet_addon.bake.transforms")


def new_object(scene, name="Box", data=None):
    ob = bpy.data.objects.new(name, data)
    scene.collection.objects.link(ob)
    return ob


def settle(frame=1):
    # two times: 5.2 now and then leaves a driven custom property at the value of the frame before
    for _ in range(2):
        bpy.context.scene.frame_set(frame)
        bpy.context.view_layer.update()


def tumble(start, frame_count=FRAME_COUNT, seed=4):
    """World matrices (F,4,4) of a body that flies and turns over, several times around."""
    rng = np.random.default_rng(seed)
    axis = Vector(rng.normal(size=3)).normalized()
    linear = start.to_3x3()
    matrices = []
    for number in range(frame_count):
        turn = Quaternion(axis, 0.9 * number).to_matrix()
        place = Vector(rng.normal(size=3)) * 3.0
        matrices.append(np.array(Matrix.Translation(place) @ (turn @ linear).to_4x4()))
    return np.array(matrices)


def evaluated_matrix(ob):
    return np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def worst_error(ob, frames, matrices):
    """Largest distance of an entry of the world matrix from what was baked."""
    worst = 0.0
    for frame, expected in zip(frames, matrices):
        bpy.context.scene.frame_set(frame)
        worst = max(worst, float(np.abs(evaluated_matrix(ob) - expected).max()))
    return worst


def parent_matrices(ob, transforms, frames=FRAMES):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(transforms.parent_matrix(ob))
    return np.array(found)


def reload(tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))


def insert_keys(datablock, compat, path, index, *keys):
    curve = compat.ensure_fcurve(datablock, path, index)
    for frame, value in keys:
        curve.keyframe_points.insert(frame, value)
    return curve


# ---- what an object may look like before it is baked


def plain(ob, compat):
    pass


def euler_orders(ob, compat):
    ob.rotation_mode = "ZXY"
    ob.rotation_euler = (0.3, -4.0, 9.0)
    ob.rotation_quaternion = (3.0, 1.0, 0.0, 0.0)  # not a unit, and not what is shown


def axis_angle(ob, compat):
    ob.rotation_mode = "AXIS_ANGLE"
    ob.rotation_axis_angle = (1.2, 0.0, 3.0, 4.0)


def quaternion(ob, compat):
    ob.rotation_mode = "QUATERNION"
    ob.rotation_quaternion = (-0.5, 0.5, -0.5, 0.5)
    ob.rotation_euler = (7.0, 0.0, 0.0)


def uneven_scale(ob, compat):
    ob.scale = (0.5, 3.0, 1.25)
    ob.rotation_euler = (0.3, 0.2, 0.1)


def mirrored(ob, compat):
    ob.scale = (-0.5, 3.0, 1.25)
    ob.rotation_euler = (0.3, 0.2, 0.1)


def mirrored_twice(ob, compat):
    ob.scale = (-1.0, 1.5, -2.0)
    ob.rotation_euler = (0.3, 0.2, 0.1)


def mirrored_thrice(ob, compat):
    ob.scale = (-1.0, -1.0, -2.0)


def flat(ob, compat):
    ob.scale = (1.0, 2.0, 0.0)
    ob.rotation_euler = (0.3, 0.2, 0.1)


def deltas(ob, compat):
    uneven_scale(ob, compat)
    ob.delta_location = (1.0, 2.0, 3.0)
    ob.delta_rotation_euler = (0.5, 0.1, 0.9)
    ob.delta_rotation_quaternion = (0.5, 0.5, -1.5, 0.5)
    ob.delta_scale = (2.0, -1.0, 0.5)


def locked(ob, compat):
    ob.lock_location = (True, False, True)
    ob.lock_rotation = ob.lock_scale = (True, True, True)


def animated(ob, compat):
    """An action with what is replaced and what must go on: visibility, a custom property."""
    ob["Heat"] = 0.0
    for index in range(3):
        insert_keys(ob, compat, "location", index, (1, 0.0), (20, 5.0))
        insert_keys(ob, compat, "rotation_euler", index, (1, 0.0), (20, 2.0))
    insert_keys(ob, compat, "delta_location", 2, (1, 0.0), (20, 5.0))
    insert_keys(ob, compat, "hide_render", 0, (1, 0.0), (10, 1.0))
    curve = insert_keys(ob, compat, '["Heat"]', 0, (1, 0.0), (20, 19.0))
    curve.modifiers.new("CYCLES")
    ob.animation_data.action.name = "Walk"


def animated_scale(ob, compat):
    ob.rotation_euler = (0.3, 0.2, 0.1)
    for index in range(3):
        insert_keys(ob, compat, "scale", index, (1, 1.0), (20, 2.0 + index))


def kept_action(ob, compat):
    animated(ob, compat)
    ob.animation_data.action.use_fake_user = True
    ob.animation_data.action_blend_type = "ADD"
    ob.animation_data.action_influence = 0.25
    ob.animation_data.action_extrapolation = "NOTHING"


def sharing_an_action(ob, compat):
    """Two objects in one action: where there are slots each has its own."""
    animated(ob, compat)
    other = new_object(bpy.context.scene, "Other")
    other["Heat"] = 0.0
    other.animation_data_create().action = ob.animation_data.action
    if compat.HAS_SLOTS:
        insert_keys(other, compat, "location", 0, (1, 7.0), (20, 9.0))


def sharing_a_slot(ob, compat):
    animated(ob, compat)
    other = new_object(bpy.context.scene, "Other")
    animation = ob.animation_data
    compat.assign_action(other, animation.action, compat.slot_handle(animation))


def action_without_slot(ob, compat):
    animated(ob, compat)
    if compat.HAS_SLOTS:
        ob.animation_data.action_slot = None


def no_action(ob, compat):
    ob.animation_data_create()


def driven(ob, compat):
    ob["Heat"] = 0.0
    ob.driver_add("location", 2).driver.expression = "frame * 0.5"
    ob.driver_add("rotation_euler", 0).driver.expression = "frame * 0.1"
    ob.driver_add("scale", 1).driver.expression = "2.0"
    ob.driver_add('["Heat"]').driver.expression = "frame * 3"
    ob.driver_add("location", 1).mute = True


def in_the_nla(ob, compat, solo=False):
    """NLA strips below the action, on channels of the bake and on others."""
    ob["Heat"] = 0.0
    for number in range(3):
        action = bpy.data.actions.new(f"Strip {number}")
        handle = compat.ensure_slot(action, ob)
        paths = [("location", 0), ("scale", 1), ("rotation_mode", 0), ("rotation_quaternion", 2)]
        for path, index in [*paths, ('["Heat"]', 0), ("delta_location", 1)]:
            curve = compat.new_fcurves(action, handle, [(path, index)])[0]
            curve.keyframe_points.insert(1, 1.0)
            curve.keyframe_points.insert(20, 2.0 + number)
        track = ob.animation_data_create().nla_tracks.new()
        strip = track.strips.new(f"S{number}", 1, action)
        if compat.HAS_SLOTS:
            strip.action_slot = action.slots[0]
        strip.blend_type = "ADD" if number == 2 else "REPLACE"
    tracks = ob.animation_data.nla_tracks
    tracks[0].mute = True
    if solo:
        tracks[1].is_solo = True


def in_the_nla_solo(ob, compat):
    in_the_nla(ob, compat, solo=True)
    insert_keys(ob, compat, "location", 0, (1, 0.0), (20, 5.0))


def constrained(ob, compat):
    target = new_object(bpy.context.scene, "Target")
    target.location = (9.0, 9.0, 9.0)
    first = ob.constraints.new("COPY_LOCATION")
    first.target = target
    second = ob.constraints.new("LIMIT_ROTATION")
    second.use_limit_x = True
    third = ob.constraints.new("COPY_SCALE")
    third.target, third.mute = target, True
    insert_keys(ob, compat, f'constraints["{first.name}"].influence', 0, (1, 0.0), (20, 1.0))
    if bpy.types.Constraint.bl_rna.properties["mute"].is_animatable:
        insert_keys(ob, compat, f'constraints["{second.name}"].mute', 0, (1, 0.0))


def child(ob, compat):
    parent = new_object(bpy.context.scene, "Parent")
    parent.location = (1.0, 2.0, 3.0)
    parent.rotation_euler = (0.4, 0.5, 0.6)
    parent.scale = (2.0, 2.0, 2.0)
    ob.parent = parent
    ob.matrix_parent_inverse = (
        Matrix.Translation((5.0, 0.0, 1.0)) @ Euler((1, 2, 3)).to_matrix().to_4x4()
    )
    ob.scale = (1.0, -2.0, 0.5)


def child_of_moving(ob, compat):
    child(ob, compat)
    for index in range(3):
        insert_keys(ob.parent, compat, "location", index, (1, 0.0), (20, 5.0))
        insert_keys(ob.parent, compat, "rotation_euler", index, (1, 0.0), (20, 5.0))


def child_of_growing(ob, compat):
    child_of_moving(ob, compat)
    for index in range(3):
        insert_keys(ob.parent, compat, "scale", index, (1, 1.0), (20, 3.0))


def child_of_growing_with_deltas(ob, compat):
    child_of_growing(ob, compat)
    deltas(ob, compat)


def child_of_bone(ob, compat, relative=False):
    armature = bpy.data.armatures.new("Rig")
    rig = new_object(bpy.context.scene, "Rig", armature)
    rig.location, rig.rotation_euler = (0.0, 0.0, 2.0), (0.1, 0.2, 0.3)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.edit_bones.new("Hand")
    bone.head, bone.tail, bone.roll = (0.0, 0.2, 0.1), (0.3, 0.9, 0.4), 0.7
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.bones["Hand"].use_relative_parent = relative
    pose = rig.pose.bones["Hand"]
    pose.rotation_mode = "XYZ"
    for index in range(3):
        insert_keys(rig, compat, 'pose.bones["Hand"].rotation_euler', index, (1, 0), (20, 3.0))
        insert_keys(rig, compat, 'pose.bones["Hand"].location', index, (1, 0), (20, 1.0))
    ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", "Hand"
    ob.matrix_parent_inverse = Matrix.Rotation(0.5, 4, "X")
    ob.location = (0.1, 0.2, 0.3)


def child_of_relative_bone(ob, compat):
    child_of_bone(ob, compat, relative=True)


def child_of_vertices(ob, compat, kind="VERTEX"):
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0.5), (0, 1, 0.2), (1, 1, 0)], [], [(0, 1, 3, 2)])
    ground = new_object(bpy.context.scene, "Ground", mesh)
    ground.rotation_euler = (0.1, 0.2, 0.3)
    for index in range(3):
        insert_keys(ground, compat, "location", index, (1, 0.0), (20, 5.0))
    ob.parent, ob.parent_type = ground, kind
    ob.parent_vertices = (2, 1, 0) if kind == "VERTEX_3" else (2, 0, 0)
    ob.scale = (1.0, 2.0, 3.0)
    target = new_object(bpy.context.scene, "Target")
    ob.constraints.new("COPY_LOCATION").target = target


def child_of_triangle(ob, compat):
    child_of_vertices(ob, compat, "VERTEX_3")


def child_on_path(ob, compat):
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, co in zip(spline.points, [(0, 0, 0, 1), (3, 1, 0, 1), (4, 4, 2, 1)]):
        point.co = co
    curve.use_path = curve.use_path_follow = True
    curve.path_duration = 30
    insert_keys(curve, compat, "eval_time", 0, (1, 0.0), (30, 30.0))
    ob.parent = new_object(bpy.context.scene, "Path", curve)


SETUPS = [
    plain,
    euler_orders,
    axis_angle,
    quaternion,
    uneven_scale,
    mirrored,
    mirrored_twice,
    mirrored_thrice,
    flat,
    deltas,
    locked,
    animated,
    animated_scale,
    kept_action,
    sharing_an_action,
    sharing_a_slot,
    action_without_slot,
    no_action,
    driven,
    in_the_nla,
    in_the_nla_solo,
    constrained,
    child,
    child_of_moving,
    child_of_growing,
    child_of_growing_with_deltas,
    child_of_bone,
    child_of_relative_bone,
    child_of_vertices,
    child_of_triangle,
    child_on_path,
]


@pytest.mark.parametrize("reloaded", [False, True], ids=["", "reloaded"])
@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.__name__)
def test_bake_plays_and_free_restores(
    scene, transforms, restore, compat, tmp_path, setup, reloaded
):
    ob = new_object(scene)
    ob.location = (0.5, 0.25, -1.0)
    setup(ob, compat)
    settle(7)
    start = ob.matrix_world.copy()
    parents = parent_matrices(ob, transforms)
    settle(7)
    before = file_snapshot()
    matrices = tumble(start)

    warning = transforms.write(ob, FRAMES, matrices, parents)
    assert warning == ""
    assert ob.rotation_mode == "QUATERNION"
    assert addon("properties.bake_record").is_baked(ob)
    assert addon("properties.bake_record").baked_range(ob) == (FRAMES[0], FRAMES[-1])
    bpy.context.view_layer.update()
    np.testing.assert_allclose(evaluated_matrix(ob), matrices[FRAMES.index(7)], atol=1e-4)
    assert worst_error(ob, FRAMES, matrices) < 1e-4
    if reloaded:
        reload(tmp_path)
        ob = bpy.data.objects["Box"]
        assert worst_error(ob, FRAMES, matrices) < 1e-4

    assert restore.free(ob)
    settle(7)
    assert differences(before, file_snapshot()) == []
    assert not addon("properties.bake_record").is_baked(ob)
    assert not restore.free(ob)
    transforms.free(ob)
    assert differences(before, file_snapshot()) == []


def test_other_channels_of_the_action_go_on(scene, transforms, compat):
    ob = new_object(scene)
    animated(ob, compat)
    walk = animation_snapshot(ob)
    transforms.write(ob, FRAMES, tumble(Matrix()))
    scene.frame_set(11)
    assert ob.hide_render
    assert ob["Heat"] == pytest.approx(10.0, abs=1.0)
    paths = [curve.data_path for curve in compat.fcurves_of(ob)]
    assert sorted(set(paths)) == ['["Heat"]', "hide_render", "location", "rotation_quaternion"]
    assert ob.animation_data.action.name == "Box Verlet Bake"
    assert walk["action"] == "Walk"
    old = bpy.data.actions["Walk"]
    assert len(compat.fcurves(old, walk.get("action_slot_handle", 0))) == 9


@pytest.mark.parametrize("setup", [mirrored, deltas, flat, child], ids=lambda s: s.__name__)
def test_own_scale_is_kept_without_curves(scene, transforms, compat, setup):
    ob = new_object(scene)
    setup(ob, compat)
    settle()
    scale = tuple(ob.scale)
    transforms.write(ob, FRAMES, tumble(ob.matrix_world))
    scene.frame_set(FRAMES[4])
    assert tuple(ob.scale) == scale
    assert "scale" not in {curve.data_path for curve in compat.fcurves_of(ob)}


def test_the_copy_of_an_action_holds_no_slots_of_others(scene, transforms, compat):
    ob = new_object(scene)
    sharing_an_action(ob, compat)
    transforms.write(ob, FRAMES, tumble(Matrix()))
    if compat.HAS_SLOTS:
        assert len(ob.animation_data.action.slots) == 1


def test_nla_goes_on_around_the_bake(scene, transforms, compat):
    """The solo track still rules the other channels, and the bake its own outside its range."""
    ob = new_object(scene)
    in_the_nla_solo(ob, compat)
    ob.animation_data.action_extrapolation = "NOTHING"
    scene.frame_set(11)
    heat = ob["Heat"]
    matrices = tumble(Matrix())
    transforms.write(ob, FRAMES, matrices)
    scene.frame_set(12)
    scene.frame_set(11)
    assert heat > 1.0
    assert ob["Heat"] == heat
    for frame, expected in ((FRAMES[0] - 2, matrices[0]), (FRAMES[-1] + 30, matrices[-1])):
        scene.frame_set(frame)
        np.testing.assert_allclose(evaluated_matrix(ob), expected, atol=1e-4)


def test_drivers_of_baked_channels_are_silent_and_others_go_on(scene, transforms, compat):
    ob = new_object(scene)
    driven(ob, compat)
    transforms.write(ob, FRAMES, tumble(Matrix()))
    assert [driver.mute for driver in ob.animation_data.drivers] == [True, True, True, False, True]
    scene.frame_set(11)
    assert ob["Heat"] == 33.0


def test_objects_that_share_an_action_do_not_disturb_each_other(scene, transforms, restore, compat):
    ob = new_object(scene)
    sharing_a_slot(ob, compat)
    other = bpy.data.objects["Other"]
    settle()
    before = file_snapshot()
    scene.frame_set(10)
    unbaked = evaluated_matrix(other)
    mine, theirs = tumble(Matrix(), seed=1), tumble(Matrix(), seed=2)
    transforms.write(ob, FRAMES, mine)
    scene.frame_set(10)
    np.testing.assert_array_equal(evaluated_matrix(other), unbaked)
    transforms.write(other, FRAMES, theirs)
    assert worst_error(ob, FRAMES, mine) < 1e-4
    assert worst_error(other, FRAMES, theirs) < 1e-4
    restore.free(ob)
    assert worst_error(other, FRAMES, theirs) < 1e-4
    restore.free(other)
    settle()
    assert differences(before, file_snapshot()) == []


def test_quaternions_run_the_short_way(scene, transforms, compat):
    ob = new_object(scene)
    turns = [Matrix.Rotation(math.tau * number / 8, 4, "Y") for number in range(FRAME_COUNT)]
    transforms.write(ob, FRAMES, np.array([np.array(turn) for turn in turns]))
    curves = [c for c in compat.fcurves_of(ob) if c.data_path == "rotation_quaternion"]
    curves.sort(key=lambda curve: curve.array_index)
    quaternions = np.array([[key.co[1] for key in curve.keyframe_points] for curve in curves]).T
    assert (np.einsum("fi,fi->f", quaternions[1:], quaternions[:-1]) > 0.5).all()
    scene.frame_set(FRAMES[5], subframe=0.5)
    middle = Matrix.Rotation(math.tau * 5.5 / 8, 4, "Y")
    np.testing.assert_allclose(evaluated_matrix(ob), middle, atol=1e-4)


def test_keys_are_linear_with_handles_between_neighbours(scene, transforms, compat):
    ob = new_object(scene)
    matrices = tumble(Matrix())
    transforms.write(ob, FRAMES, matrices)
    for curve in compat.fcurves_of(ob):
        assert curve.group.name == "Object Transforms"
        assert len(curve.keyframe_points) == FRAME_COUNT
        for key in curve.keyframe_points:
            assert key.interpolation == "LINEAR"
            assert {key.handle_left_type, key.handle_right_type} == {"VECTOR"}
            assert abs(key.handle_right[0] - key.co[0] - 1.0 / 3.0) < 1e-3
            assert abs(key.handle_left[0] - key.co[0] + 1.0 / 3.0) < 1e-3
    scene.frame_set(FRAMES[5], subframe=0.25)
    line = 0.75 * matrices[5][:3, 3] + 0.25 * matrices[6][:3, 3]
    np.testing.assert_allclose(evaluated_matrix(ob)[:3, 3], line, atol=1e-5)


def test_shear_is_named_and_the_nearest_rotation_baked(scene, transforms, restore, compat):
    ob = new_object(scene)
    child(ob, compat)
    ob.parent.scale = (1.0, 3.0, 1.0)
    settle()
    before = file_snapshot()
    matrices = tumble(ob.matrix_world)
    warning = transforms.write(ob, FRAMES, matrices)
    assert warning.startswith("Box: ")
    assert "Parent" in warning
    places = worst_error_of_places(ob, matrices)
    assert places < 1e-4
    restore.free(ob)
    settle()
    assert differences(before, file_snapshot()) == []


def worst_error_of_places(ob, matrices):
    worst = 0.0
    for frame, expected in zip(FRAMES, matrices):
        bpy.context.scene.frame_set(frame)
        worst = max(worst, float(np.abs(evaluated_matrix(ob) - expected)[:3, 3].max()))
    return worst


def test_a_still_parent_needs_no_matrices(scene, transforms, compat):
    ob = new_object(scene)
    child(ob, compat)
    settle()
    matrices = tumble(ob.matrix_world)
    assert transforms.write(ob, FRAMES, matrices) == ""
    assert worst_error(ob, FRAMES, matrices) < 1e-4


@pytest.mark.parametrize(
    "setup",
    [
        plain,
        child,
        child_of_moving,
        child_of_bone,
        child_of_relative_bone,
        child_of_vertices,
        child_of_triangle,
        child_on_path,
        deltas,
    ],
    ids=lambda setup: setup.__name__,
)
def test_parent_matrix_times_basis_is_the_world(scene, transforms, compat, setup):
    ob = new_object(scene)
    setup(ob, compat)
    for constraint in ob.constraints:
        constraint.mute = True
    for frame in (1, 7, 13):
        settle(frame)
        found = transforms.parent_matrix(ob) @ np.array(ob.matrix_basis)
        np.testing.assert_allclose(found, evaluated_matrix(ob), atol=1e-5)


def test_parent_matrix_is_free_of_constraints_and_leaves_them_be(scene, transforms, compat):
    ob = new_object(scene)
    child_of_vertices(ob, compat)
    settle(5)
    found = transforms.parent_matrix(ob)
    assert not ob.constraints[0].mute
    ob.constraints[0].mute = True
    settle(5)
    np.testing.assert_allclose(found @ np.array(ob.matrix_basis), evaluated_matrix(ob), atol=1e-5)


def test_baking_over_a_bake(scene, transforms, restore, compat):
    ob = new_object(scene)
    animated(ob, compat)
    constrained(ob, compat)
    settle()
    before = file_snapshot()
    transforms.write(ob, FRAMES, tumble(Matrix(), seed=1))
    matrices = tumble(Matrix(), 5, seed=2)
    transforms.write(ob, [40, 41, 42, 50, 60], matrices)
    assert worst_error(ob, [40, 41, 42, 50, 60], matrices) < 1e-4
    assert addon("properties.bake_record").baked_range(ob) == (40, 60)
    restore.free(ob)
    settle()
    assert differences(before, file_snapshot()) == []


@pytest.mark.parametrize("first", ["Box", "Copy"])
@pytest.mark.parametrize("linked", [False, True], ids=["duplicate", "linked duplicate"])
def test_duplicates_are_freed_independently(scene, transforms, restore, compat, linked, first):
    ob = new_object(scene)
    animated(ob, compat)
    constrained(ob, compat)
    settle()
    before = animation_snapshot(ob)
    matrices = tumble(Matrix())
    transforms.write(ob, FRAMES, matrices)
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    with bpy.context.temp_override(selected_objects=[ob], active_object=ob, object=ob):
        bpy.ops.object.duplicate(linked=linked)
    copy = bpy.data.objects["Box.001"]
    copy.name = "Copy"
    order = [ob, copy] if first == "Box" else [copy, ob]
    restore.free(order[0])
    settle()
    assert addon("properties.bake_record").is_baked(order[1])
    assert worst_error(order[1], FRAMES, matrices) < 1e-4
    restore.free(order[1])
    settle()
    for each in order:
        assert animation_snapshot(each) == before
        assert [constraint.mute for constraint in each.constraints] == [False, False, True]
        assert each.rotation_mode == "XYZ"
    assert not [action.name for action in bpy.data.actions if "Verlet Bake" in action.name]


def test_an_action_that_the_user_assigned_meanwhile_is_not_deleted(
    scene, transforms, restore, compat
):
    ob = new_object(scene)
    animated(ob, compat)
    transforms.write(ob, FRAMES, tumble(Matrix()))
    ob.animation_data.action = bpy.data.actions.new("Mine")
    restore.free(ob)
    assert ob.animation_data.action.name == "Walk"
    assert "Mine" in bpy.data.actions


def test_linked_objects_are_refused_unchanged(scene, transforms, bake_error, tmp_path):
    new_object(scene, "Linked")
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for as_override in (False, True):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        with bpy.data.libraries.load(path, link=True) as (_, wanted):
            wanted.objects = ["Linked"]
        ob = bpy.data.objects["Linked"]
        bpy.context.scene.collection.objects.link(ob)
        if as_override:
            ob = ob.override_create(remap_local_usages=True)
        settle()
        before = file_snapshot()
        with pytest.raises(bake_error, match=r"^Linked: .*[Ll]ocal"):
            transforms.write(ob, FRAMES, tumble(Matrix()))
        assert differences(before, file_snapshot()) == []


def test_bad_input_is_refused_unchanged(scene, transforms, bake_error, compat):
    ob = new_object(scene)
    animated(ob, compat)
    settle()
    before = file_snapshot()
    matrices = tumble(Matrix())
    nan = matrices.copy()
    nan[4, 2, 1] = np.nan
    for frames, values, message in (
        (FRAMES, matrices[:, :3], "Box: world matrices of shape"),
        (FRAMES[:-1], matrices, "Box: world matrices of shape"),
        (FRAMES, nan, f"Box: frame {FRAMES[4]}"),
        ([], matrices[:0], "Box: there are no frames"),
        (FRAMES[::-1], matrices, r"Box: .*rise"),
    ):
        with pytest.raises(bake_error, match=message):
            transforms.write(ob, frames, values)
        assert differences(before, file_snapshot()) == []


def test_tweak_mode_is_refused_unchanged(scene, transforms, restore, bake_error, compat):
    ob = new_object(scene)
    in_the_nla(ob, compat)
    animation = ob.animation_data
    animation.nla_tracks.active = animation.nla_tracks[1]
    animation.nla_tracks[1].strips[0].select = True
    animation.use_tweak_mode = True
    assert animation.use_tweak_mode
    with pytest.raises(bake_error, match=r"^Box: .*[Tt]weak"):
        transforms.write(ob, FRAMES, tumble(Matrix()))
    assert not addon("properties.bake_record").is_baked(ob)


def test_many_objects_are_baked_in_bulk(scene, transforms, restore):
    frames = list(range(1, 251))
    matrices = tumble(Matrix(), len(frames))

    def seconds_each(object_count: int) -> tuple[float, float]:
        objects = [new_object(scene, f"Box {number}") for number in range(object_count)]
        settle()
        start = time.thread_time()
        for ob in objects:
            transforms.write(ob, frames, matrices)
        written = time.thread_time()
        assert restore.free_many(objects) == object_count
        freed = time.thread_time()
        for ob in objects:
            bpy.data.objects.remove(ob)
        return (written - start) / object_count, (freed - written) / object_count

    few, many = seconds_each(50), seconds_each(1000)
    # twenty times as many: each would cost twenty times as much if all were looked through for it
    assert many[0] < 5.0 * few[0]
    assert many[1] < 5.0 * few[1]
    assert not bpy.data.actions
