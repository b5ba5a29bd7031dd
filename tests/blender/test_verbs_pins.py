"""Pins: how firmly they hold, what they follow, and how they let go."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from small_scenes import (
    addon,
    cloth,
    grid,
    pin,
    play,
    seen,
    seen_local,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")

CORNERS = [0, 4]


def bones(name="Rig"):
    """An armature with one bone, keyed to go up by a metre from frame 1 to 11."""
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(armature)
    select(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("Bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    pose_bone = armature.pose.bones["Bone"]
    pose_bone.keyframe_insert("location", frame=1)
    pose_bone.location.y = 1.0  # along the bone
    pose_bone.keyframe_insert("location", frame=11)
    for number in range(2, 11):
        pose_bone.location.y = (number - 1) / 10
        pose_bone.keyframe_insert("location", frame=number)
    bpy.context.scene.frame_set(1)
    return armature


def rigged(**options):
    """Cloth whose pinned corners hang on the armature's bone, the rest is not weighted."""
    ob = cloth(**options)
    pin(ob, CORNERS)
    ob.vertex_groups.new(name="Bone").add(range(len(ob.data.vertices)), 1.0, "REPLACE")
    ob.modifiers.new("Rig", "ARMATURE").object = bones()
    return ob


def test_pins_follow_an_armature(scene):
    ob = rigged()
    rest = seen(ob)
    play(scene, 1, 11)
    assert session_of(scene).problems == []
    now = seen(ob)
    np.testing.assert_allclose(now[CORNERS, 2], rest[CORNERS, 2] + 1.0, atol=1e-4)
    np.testing.assert_allclose(now[CORNERS, :2], rest[CORNERS, :2], atol=1e-4)
    loose = now[20:, 2] - rest[20:, 2]
    assert loose.max() < 0.9  # they hang and lag: the armature does not move them a second time
    assert now[20:, 2].max() < 3.0


def test_modifiers_behind_the_armature_work_on_the_simulation(scene):
    ob = rigged()
    ob.modifiers.new("Finer", "SUBSURF").levels = 1
    play(scene, 1, 6)
    assert [m.type for m in ob.modifiers] == ["ARMATURE", "MESH_CACHE", "SUBSURF"]
    assert ob.modifiers["Finer"].show_viewport
    assert len(seen(ob)) > 25
    state = session_of(scene).cache[6]
    np.testing.assert_allclose(state.position[CORNERS, 2], 2.0 + 0.5, atol=1e-4)


def test_a_pose_that_is_changed_in_the_start_frame_is_seen_and_counts(scene):
    ob = rigged()
    ob.modifiers.new("Finer", "SUBSURF").levels = 1
    play(scene, 1, 4)
    scene.frame_set(1)
    scene.objects["Rig"].animation_data_clear()
    scene.objects["Rig"].pose.bones["Bone"].location.y = 1.0
    assert seen(ob)[:, 2].max() == pytest.approx(3.0)
    play(scene, 2, 3)
    assert session_of(scene).cache[1].position[:, 2] == pytest.approx(3.0)


def test_the_simulation_starts_from_the_pose(scene):
    ob = rigged()
    scene.frame_set(11)
    scene.verlet.use_own_start = True
    scene.verlet.own_start = 11
    play(scene, 11, 12)
    start = session_of(scene).cache[11].position
    np.testing.assert_allclose(start[:, 2], 3.0, atol=1e-4)
    assert seen(ob)[:, 2].max() <= 3.0 + 1e-4


def test_a_rigged_cloth_bakes_to_the_preview_and_is_freed_exactly(scene):
    ob = rigged()
    ob.modifiers["Rig"].show_render = False
    play(scene, 1, 8)
    preview = seen(ob)
    scene.frame_end = 8
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(8)
    np.testing.assert_array_equal(seen(ob), preview)
    assert not ob.modifiers["Rig"].show_viewport
    scene.frame_set(1)
    np.testing.assert_allclose(seen(ob)[:, 2], 2.0, atol=1e-5)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.modifiers["Rig"].show_viewport
    assert not ob.modifiers["Rig"].show_render
    bpy.ops.verlet.reset()
    assert [m.name for m in ob.modifiers] == ["Rig"]


def test_pins_follow_keyed_shape_keys(scene):
    ob = cloth()
    pin(ob, CORNERS)
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 0.5
    key.value = 0.0
    key.keyframe_insert("value", frame=1)
    key.value = 1.0
    key.keyframe_insert("value", frame=6)
    play(scene, 1, 6)
    np.testing.assert_allclose(seen(ob)[CORNERS, 2], 2.5, atol=1e-5)
    assert seen(ob)[20:, 2].max() < 2.4


def test_pins_follow_hooks(scene):
    ob = cloth()
    pin(ob, CORNERS)
    hook = bpy.data.objects.new("Hook", None)
    scene.collection.objects.link(hook)
    hook.location = (0, 0, 2)
    bpy.context.view_layer.update()
    modifier = ob.modifiers.new("Hook", "HOOK")
    modifier.object = hook
    modifier.vertex_indices_set(CORNERS)
    modifier.matrix_inverse = hook.matrix_world.inverted() @ ob.matrix_world
    hook.keyframe_insert("location", frame=1)
    hook.location.x = 0.4
    hook.keyframe_insert("location", frame=5)
    scene.frame_set(1)
    rest = seen_local(ob)
    play(scene, 1, 5)
    np.testing.assert_allclose(seen_local(ob)[CORNERS, 0], rest[CORNERS, 0] + 0.4, atol=1e-5)


def test_pins_to_another_object_follow_that_one(scene):
    ob = cloth()
    pin(ob, CORNERS)
    rest = seen(ob)
    crane = bpy.data.objects.new("Crane", None)
    scene.collection.objects.link(crane)
    crane.location = (3, 0, 0)
    crane.keyframe_insert("location", frame=1)
    crane.keyframe_insert("rotation_euler", frame=1)
    crane.location = (3, 0, 1)
    crane.rotation_euler.z = 0.5
    crane.keyframe_insert("location", frame=5)
    crane.keyframe_insert("rotation_euler", frame=5)
    ob.verlet.pin_target = crane
    play(scene, 1, 5)
    turn = Matrix.Translation((3, 0, 1)) @ Matrix.Rotation(0.5, 4, "Z")
    turn = np.array(turn @ Matrix.Translation((-3, 0, 0)))
    expected = rest @ turn[:3, :3].T + turn[:3, 3]
    np.testing.assert_allclose(seen(ob)[CORNERS], expected[CORNERS], atol=1e-5)
    bpy.data.objects.remove(crane)
    play(scene, 6, 7)
    assert session_of(scene).failure == ""


def test_being_pinned_to_what_cannot_hold_it_is_pointed_out(scene):
    ob, other = cloth(name="Flag"), cloth(name="Sail", location=(3, 0, 2))
    pin(ob, CORNERS)
    ob.verlet.pin_target = other
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert not problem.is_error
    assert "Sail" in problem.message
    assert "bends" in problem.message


def test_a_weak_pin_gives_way_and_a_full_one_does_not(scene):
    firm, weak = cloth(name="Firm"), cloth(name="Weak", location=(3, 0, 2))
    for ob, weight in ((firm, 1.0), (weak, 0.7)):
        pin(ob, [])
        ob.vertex_groups["Pin"].add(range(5), weight, "REPLACE")
    play(scene, 1, 25)
    assert np.abs(seen(firm)[:5, 2] - 2).max() < 1e-6
    sagged = 2 - seen(weak)[:5, 2]
    assert sagged.min() > 1e-4
    assert sagged.max() < 1.0  # it does not fall: 4.9 m by now


def test_keyed_pins_let_go(scene):
    ob = cloth()
    pin(ob, CORNERS)
    ob.verlet.animated.pin = 1.0
    ob.verlet.animated.keyframe_insert("pin", frame=9)
    ob.verlet.animated.pin = 0.0
    ob.verlet.animated.keyframe_insert("pin", frame=10)
    play(scene, 1, 9)
    assert np.abs(seen(ob)[CORNERS, 2] - 2).max() < 1e-6
    play(scene, 10, 22)
    assert seen(ob)[:, 2].max() < 2 - 0.8  # 1.4 m in free fall, less by the air
    assert not session_of(scene).is_outdated


def test_an_animated_factor_counts_from_now_on(scene):
    ob = cloth()
    pin(ob, CORNERS)
    play(scene, 1, 5)
    ob.verlet.animated.pin = 0.0
    play(scene, 6, 12)
    assert session_of(scene).last == 12
    assert not session_of(scene).is_outdated
    assert seen(ob)[CORNERS, 2].max() < 2
    play(scene, 1, 3)  # at the start it counts from the first frame
    assert seen(ob)[CORNERS, 2].max() < 2


def test_what_is_painted_differs_over_the_object(scene):
    """A sheet falls slower on the side where its air drag is painted."""
    ob = grid(size=13, spacing=0.1)
    column = np.arange(169) % 13
    ob.vertex_groups.new(name="Heavy").add(np.flatnonzero(column < 6).tolist(), 1.0, "REPLACE")
    select(ob)
    bpy.ops.verlet.cloth()
    ob.verlet.cloth.drag = 30.0
    ob.verlet.cloth.drag_group = "Heavy"
    play(scene, 1, 7)
    fallen = 2 - seen(ob)[:, 2]
    assert fallen[column == 12].mean() > 2.0 * fallen[column == 0].mean()


def test_what_was_painted_anew_counts_from_the_start(scene):
    ob = cloth()
    group = ob.vertex_groups.new(name="Bend")
    group.add(range(25), 1.0, "REPLACE")
    ob.verlet.cloth.bend_group = "Bend"
    play(scene, 1, 3)
    group.add([3], 0.5, "REPLACE")
    addon("session").suspect_all()
    play(scene, 4, 5)
    assert session_of(scene).is_outdated


def test_a_missing_painted_group_is_named(scene):
    ob = cloth(name="Flag")
    ob.verlet.cloth.bend_group = "Lost"
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert problem.is_error
    assert "Flag" in problem.message
    assert "Lost" in problem.message


def test_pin_selected_takes_a_weight(scene):
    ob = cloth()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.verlet.pin_selected(weight=0.25)
    bpy.ops.object.mode_set(mode="OBJECT")
    np.testing.assert_allclose(addon("extract.pins").pin_weights(ob, None), 0.25)
