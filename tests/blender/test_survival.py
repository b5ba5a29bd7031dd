"""What a user may do in mid-simulation: nothing crashes and nothing of theirs is lost."""

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    body,
    cloth,
    floor,
    grid,
    pin,
    play,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


@pytest.fixture
def both(scene):
    """A sheet and a crate at frame 6 of a simulation."""
    floor()
    objects = cloth(name="Sheet"), body(name="Crate", location=(1.5, 0, 1))
    play(scene, 1, 6)
    return objects


def test_rename(scene, both):
    sheet, crate = both
    before = seen(sheet), seen_matrix(crate)
    sheet.name, crate.name = "Zebra", "Aardvark"
    play(scene, 7, 9)
    assert session_of(scene).last == 9
    assert np.abs(seen(sheet) - before[0]).max() > 1e-3
    assert np.abs(seen_matrix(crate) - before[1]).max() > 1e-3


def test_names_exchanged(scene, both):
    _, crate = both
    other = body(name="Other", location=(-1.5, 0, 3))
    bpy.ops.verlet.reset()
    play(scene, 1, 6)
    heights = crate.location.z, other.location.z
    crate.name, other.name = "x", "Crate"
    crate.name = "Other"
    play(scene, 4, 6)
    assert (crate.location.z, other.location.z) == heights


def test_delete(scene, both):
    sheet, crate = both
    bpy.data.objects.remove(crate)
    play(scene, 7, 9)
    assert np.isfinite(seen(sheet)).all()
    bpy.data.objects.remove(sheet)
    play(scene, 10, 12)
    play(scene, 1, 3)
    assert not session_of(scene).is_ready


def test_rename_and_delete_among_many_bodies(scene):
    """Many objects are found in another way than few."""
    crates = [body(name=f"Crate {i:02}", location=(i, 0, 5)) for i in range(25)]
    play(scene, 1, 4)
    crates[3].name = "Zebra"
    bpy.data.objects.remove(crates.pop(7))
    play(scene, 5, 8)
    assert session_of(scene).last == 8
    for crate in crates:
        assert crate.location.z == pytest.approx(crates[0].location.z, abs=1e-6)
    assert [crate.location.x for crate in crates] == pytest.approx([*range(7), *range(8, 25)])


def test_delete_a_collider(scene, both):
    bpy.data.objects.remove(bpy.data.objects["Floor"])
    play(scene, 1, 30)
    assert seen(both[0])[:, 2].max() < -0.5


def test_delete_and_purge_the_mesh_of_the_cloth(scene, both):
    sheet, _ = both
    bpy.data.meshes.remove(sheet.data)  # takes the object with it
    play(scene, 7, 9)
    assert session_of(scene).failure == ""


def test_topology_edited_while_previewed(scene, both):
    sheet, _ = both
    select(sheet)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    count = len(sheet.data.vertices)
    play(scene, 7, 9)
    assert len(seen(sheet)) == count
    assert not sheet.modifiers
    assert session_of(scene).is_outdated
    play(scene, 1, 6)
    assert session_of(scene).last == 6
    assert len(seen(sheet)) == count
    assert seen(sheet)[:, 2].max() < 1.99


def test_simulated_while_in_edit_mode(scene):
    ob = cloth()
    select(ob)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 3))
    play(scene, 1, 6)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert session_of(scene).last == 6
    scene.frame_set(6)
    assert 4.5 < seen(ob)[:, 2].mean() < 5.0


def test_a_kind_changed_while_previewed(scene, both):
    sheet, crate = both
    select(sheet)
    bpy.ops.verlet.rigid_body()
    assert not sheet.modifiers
    select(crate)
    bpy.ops.verlet.cloth()
    assert tuple(crate.location) == (1.5, 0, 1)
    play(scene, 7, 9)
    play(scene, 1, 6)
    assert session_of(scene).last == 6
    assert crate.modifiers
    assert sheet.location.z < 2


def test_removed_while_previewed(scene, both):
    sheet, crate = both
    select(sheet, crate)
    bpy.ops.verlet.remove()
    assert tuple(crate.location) == (1.5, 0, 1)
    assert not sheet.modifiers
    scene.frame_set(7)
    assert tuple(crate.location) == (1.5, 0, 1)
    assert not sheet.modifiers


def test_what_takes_part_in_an_excluded_collection_is_told_of(scene, both):
    _, crate = both
    hidden = bpy.data.collections.new("Hidden")
    scene.collection.children.link(hidden)
    hidden.objects.link(crate)
    for collection in (scene.collection, *scene.collection.children):
        if collection != hidden and crate.name in collection.objects:
            collection.objects.unlink(crate)
    bpy.context.view_layer.layer_collection.children["Hidden"].exclude = True
    scene.frame_set(1)
    (problem,) = session_of(scene).problems
    assert problem.message.startswith("Crate takes part unseen, for its collection is excluded")
    assert not problem.is_error


def test_what_takes_part_and_is_disabled_in_viewports_is_told_of(scene, both):
    _, crate = both
    crate.hide_viewport = True
    bpy.context.view_layer.update()
    scene.frame_set(1)
    (problem,) = session_of(scene).problems
    assert problem.message.startswith("Crate takes part unseen, for it is disabled in viewports")
    assert bpy.ops.verlet.show_object(uid=str(problem.object_uid)) == {"FINISHED"}
    scene.frame_set(1)
    assert session_of(scene).problems == []


def test_frames_before_zero_are_told_of_in_words(scene, both):
    scene.verlet.use_own_start, scene.verlet.own_start = True, -5
    play(scene, -5, -2)
    assert addon("live.status").status(scene)[0] == "Simulated -5 to -2"


def test_no_frames_are_told_of_when_everything_is_removed(scene, both):
    play(scene, 1, 8)
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.verlet.remove() == {"FINISHED"}
    assert addon("live.status").status(scene)[0].startswith("Nothing moves yet")


def test_a_duplicate_of_a_previewed_body_starts_where_it_was_put(scene, both):
    _, crate = both
    select(crate)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    twin.location = (-1.5, 0, 2)
    scene.frame_set(1)
    assert tuple(twin.location) == (-1.5, 0, 2)
    assert tuple(crate.location) == (1.5, 0, 1)
    play(scene, 2, 6)
    assert twin.location.z < 2


def test_a_duplicate_of_previewed_cloth_is_simulated_by_itself(scene, both):
    sheet, _ = both
    select(sheet)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    twin.location.x = -3
    play(scene, 1, 6)
    assert sheet.modifiers[0].filepath != twin.modifiers[0].filepath
    assert len(twin.modifiers) == 1


def test_rotation_mode_changed_while_previewed(scene, both):
    _, crate = both
    crate.rotation_mode = "QUATERNION"
    play(scene, 7, 9)
    bpy.ops.verlet.reset()
    assert crate.rotation_mode == "QUATERNION"
    assert tuple(crate.rotation_quaternion) == (1, 0, 0, 0)


def test_a_saved_file_holds_no_preview(scene, both, tmp_path):
    sheet, crate = both
    shown = seen(sheet), seen_matrix(crate)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    np.testing.assert_array_equal(seen(sheet), shown[0])
    np.testing.assert_array_equal(seen_matrix(crate), shown[1])
    play(scene, 7, 8)
    assert session_of(scene).last == 8

    addon("handlers").unregister()  # what is in the file, and not what loading makes of it
    try:
        bpy.ops.wm.open_mainfile(filepath=path)
        sheet, crate = bpy.data.objects["Sheet"], bpy.data.objects["Crate"]
        assert not sheet.modifiers
        assert tuple(crate.location) == (1.5, 0, 1)
        assert crate.verlet.rest.owner == ""
        assert sheet.verlet.kind == "CLOTH"
    finally:
        addon("handlers").register()


@pytest.mark.parametrize("rotation_mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_saving_keeps_the_rotation_that_is_shown(scene, tmp_path, rotation_mode):
    floor()
    crate = body(location=(0, 0, 0.4))
    crate.rotation_euler = (0.5, 0.3, 0.0)
    crate.rotation_mode = rotation_mode
    bpy.context.view_layer.update()
    rest = seen_matrix(crate)
    play(scene, 1, 14)
    shown = seen_matrix(crate)
    assert np.abs(shown[:3, :3] - rest[:3, :3]).max() > 0.05
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(seen_matrix(crate), shown)


def test_a_file_saved_behind_our_back_is_put_right_when_it_is_opened(both, tmp_path):
    """An autosave writes the file without telling the add-on."""
    path = str(tmp_path / "quit.blend")
    bpy.app.handlers.save_pre.remove(addon("handlers").save_pre)
    try:
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    finally:
        bpy.app.handlers.save_pre.append(addon("handlers").save_pre)
    bpy.ops.wm.open_mainfile(filepath=path)
    sheet, crate = bpy.data.objects["Sheet"], bpy.data.objects["Crate"]
    assert tuple(crate.location) == (1.5, 0, 1)
    assert not sheet.modifiers
    play(bpy.context.scene, 1, 4)
    assert session_of(bpy.context.scene).last == 4


def test_another_file_knows_nothing_of_the_old_simulation(both):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert session_of(bpy.context.scene) is None
    play(bpy.context.scene, 1, 4)
    assert session_of(bpy.context.scene) is None


def test_undo_brings_the_preview_back(scene, both):
    """Undo replaces all datablocks; a window is needed for the real one (see tests/gui)."""
    sheet, crate = both
    shown = seen(sheet), seen_matrix(crate)
    addon("blender.point_cache").detach(sheet)
    crate.location = (9, 9, 9)
    addon("handlers").undo_post()
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(seen(sheet), shown[0])
    np.testing.assert_allclose(seen_matrix(crate), shown[1], atol=1e-6)
    scene.frame_set(7)
    assert session_of(scene).last == 7


def test_undo_of_a_setting_simulates_anew(scene, both):
    sheet, _ = both
    sheet.verlet.cloth.bend = 0.9
    addon("handlers").undo_post()
    scene.frame_set(7)
    assert session_of(scene).last == 6
    assert session_of(scene).is_outdated


def test_disabling_takes_every_preview_away(scene, both, extension):
    import installed_extension

    installed_extension.disable()
    assert not both[0].modifiers
    assert tuple(both[1].location) == (1.5, 0, 1)
    installed_extension.enable()
    assert both[0].verlet.kind == "CLOTH"
    play(scene, 1, 3)
    assert session_of(scene).last == 3


def test_a_flattened_object_mid_simulation(scene):
    """The place of a cloth that is scaled to nothing cannot be turned into local positions."""
    ob = cloth()
    pin(ob, [0, 4])
    play(scene, 1, 3)
    ob.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    play(scene, 4, 5)
    assert session_of(scene).failure == ""
    play(scene, 1, 2)
    assert any("zero" in problem.message for problem in session_of(scene).problems)


def test_the_vertex_group_of_the_pins_is_deleted_mid_simulation(scene):
    ob = cloth(name="Flag")
    pin(ob, [0, 4])
    play(scene, 1, 3)
    ob.vertex_groups.clear()
    play(scene, 4, 5)
    play(scene, 1, 2)
    assert "Flag" in session_of(scene).problems[0].message


def test_joined_by_the_user_mid_simulation(scene, both):
    sheet, _ = both
    other = grid(name="Patch", location=(3, 0, 2))
    select(other, sheet)
    bpy.ops.object.join()
    play(scene, 7, 8)
    play(scene, 1, 5)
    assert len(seen(sheet)) == 50
    assert session_of(scene).last == 5


def test_no_frame_is_lost_by_selecting(scene, both):
    select(both[0])
    bpy.context.view_layer.update()
    scene.frame_set(7)
    assert session_of(scene).last == 7


def test_an_edited_vertex_simulates_anew(scene, both):
    sheet, _ = both
    sheet.data.vertices[0].co.z += 0.5
    sheet.data.update()
    bpy.context.view_layer.update()
    scene.frame_set(7)
    assert session_of(scene).is_outdated
    assert session_of(scene).last == 6


def test_another_solver_setting_simulates_anew(scene, both):
    scene.verlet.solver.substep_rate = 960
    scene.frame_set(7)
    assert session_of(scene).is_outdated
    assert session_of(scene).last == 6


def test_gravity_changed_while_it_plays_acts_at_once_and_from_the_start_in_the_bake(scene, both):
    sheet, _ = both
    scene.gravity.z = 100
    bpy.context.view_layer.update()
    height = seen(sheet)[:, 2].mean()
    play(scene, 7, 12)
    assert seen(sheet)[:, 2].mean() > height
    scene.frame_end = 3
    bpy.ops.verlet.bake()
    scene.frame_set(3)
    assert seen(sheet)[:, 2].min() > 2.0


def keyed_cloth_played(scene):
    """A pinned sheet that keys take along, and eight frames of it."""
    ob = cloth()
    pin(ob, [0])
    ob.keyframe_insert("location", frame=1)
    ob.location.x = 1
    ob.keyframe_insert("location", frame=10)
    play(scene, 1, 8)
    return ob


def test_an_edited_action_simulates_anew(scene):
    ob = keyed_cloth_played(scene)
    before = seen(ob)
    ob.location.x = 5
    ob.keyframe_insert("location", frame=10)
    bpy.context.view_layer.update()
    assert session_of(scene).is_outdated
    play(scene, 1, 8)
    assert np.abs(seen(ob) - before).max() > 0.1


@pytest.mark.parametrize("edit", ["key", "handle", "interpolation", "mute", "modifier", "removed"])
def test_every_edit_of_an_action_is_noticed_and_a_tag_without_one_is_not(scene, edit):
    ob = keyed_cloth_played(scene)
    action = ob.animation_data.action
    action.update_tag()  # as the window does when playback stops
    bpy.context.view_layer.update()
    assert not session_of(scene).is_outdated
    scene.frame_set(9)
    assert session_of(scene).last == 9
    fcurve = addon("blender.compat").fcurves_of(ob)[0]
    if edit == "key":
        fcurve.keyframe_points[1].co.y = 5.0
    elif edit == "handle":
        fcurve.keyframe_points[1].handle_left_type = "FREE"
        fcurve.keyframe_points[1].handle_left.y += 1.0
    elif edit == "interpolation":
        fcurve.keyframe_points[0].interpolation = "LINEAR"
    elif edit == "mute":
        fcurve.mute = True
    elif edit == "modifier":
        fcurve.modifiers.new("NOISE")
    else:
        fcurve.keyframe_points.remove(fcurve.keyframe_points[1])
    action.update_tag()
    bpy.context.view_layer.update()
    assert session_of(scene).is_outdated


def test_another_frame_rate_in_mid_preview_is_named_and_played_anew(scene):
    """It went on with two lengths of a frame, under a tick, and the bake gave something else."""
    crate = body(location=(0, 0, 20))
    play(scene, 1, 10)
    scene.render.fps = 60
    bpy.context.view_layer.update()
    play(scene, 11, 12)
    running = session_of(scene)
    assert running.last == 10
    status = addon("live.status")
    assert status.status(scene) == ("Simulated 1–10, out of date", "FILE_REFRESH")
    assert status.reason(scene)[0].startswith("The frame rate was changed: ")
    play(scene, 1, 20)
    shown = seen_matrix(crate)
    bpy.ops.verlet.bake(frame_end=20)
    scene.frame_set(20)
    np.testing.assert_allclose(seen_matrix(crate), shown, atol=1e-5)


def test_a_collection_instance_says_how_its_objects_take_part(scene):
    kit = bpy.data.collections.new("Kit")
    kit.objects.link(bpy.data.objects.new("Empty Inside", None))
    shown = bpy.data.objects.new("Instance", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", kit
    scene.collection.objects.link(shown)
    bpy.context.view_layer.update()
    select(shown)
    for verb in ("cloth", "rigid_body", "ragdoll"):
        with pytest.raises(RuntimeError, match="Make Instances Real"):
            getattr(bpy.ops.verlet, verb)()
