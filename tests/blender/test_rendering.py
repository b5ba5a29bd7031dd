"""A render shows what the preview shows, between frames too; what it lacks it says."""

import threading

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from small_scenes import addon, body, box, cloth, floor, play, seen, seen_matrix, select, session_of

pytestmark = [pytest.mark.usefixtures("scene"), pytest.mark.without_wheels]


class Recorder(bpy.types.RenderEngine):
    """Renders nothing: notes where the depsgraph of the render has everything."""

    bl_idname = "VERLET_RECORDER"
    bl_label = "Recorder"
    moments = ((0, 0.0),)  # frames and subframes after the rendered one, as motion blur asks
    seen: dict = {}

    def render(self, depsgraph):
        scene = depsgraph.scene
        frame = scene.frame_current
        for step, subframe in self.moments:
            self.frame_set(frame + step, subframe=subframe)
            for ob in depsgraph.objects:
                time = frame + step + subframe
                self.seen[ob.name, time] = np.array(ob.matrix_world, dtype=np.float64)
                if ob.type == "MESH":
                    flat = np.empty(3 * len(ob.data.vertices), np.float32)
                    ob.data.vertices.foreach_get("co", flat)
                    self.seen[f"{ob.name} vertices", time] = flat.reshape(-1, 3)
                if ob.type == "ARMATURE":
                    for bone in ob.pose.bones:
                        self.seen[bone.name, time] = np.array(bone.matrix)


@pytest.fixture
def recorder(scene, tmp_path):
    """The engine, ready to render the scene."""
    bpy.utils.register_class(Recorder)
    Recorder.moments, Recorder.seen = ((0, 0.0),), {}
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = Recorder.bl_idname
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = str(tmp_path / "frame")
    yield Recorder
    bpy.utils.unregister_class(Recorder)


def previewed(scene, first, last, objects):
    """What the preview shows in each frame, by object and frame."""
    found = {}
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        for ob in objects:
            found[ob.name, frame] = seen_matrix(ob)
    return found


def render(scene, first, last):
    scene.verlet.use_own_start, scene.verlet.own_start = True, 1
    scene.frame_start, scene.frame_end = first, last
    bpy.ops.render.render(animation=True)


def test_an_animation_shows_every_frame_of_the_preview(scene, recorder):
    sheet, crate = cloth(location=(2, 0, 3)), body(location=(0, 0, 3))
    tilted = body(name="Tilted", location=(-2, 0, 3))
    tilted.rotation_mode, tilted.scale = "QUATERNION", (1, 2, 0.5)
    tilted.verlet.body.angular_velocity = (3, 2, 1)
    shown = previewed(scene, 1, 6, (crate, tilted))
    vertices = seen(sheet)
    render(scene, 1, 6)
    for (name, frame), matrix in shown.items():
        np.testing.assert_allclose(recorder.seen[name, frame], matrix, atol=1e-6)
    np.testing.assert_allclose(recorder.seen["Cloth vertices", 6] + (2, 0, 3), vertices, atol=1e-5)
    assert addon("live.rendering").remark(scene) == ""


def test_frames_that_are_missing_are_simulated_without_a_window(scene, recorder, capsys):
    crate = body(location=(0, 0, 3))
    render(scene, 3, 5)
    assert "Box" in capsys.readouterr().out
    assert session_of(scene).last == 5
    shown = previewed(scene, 3, 5, (crate,))
    for key, matrix in shown.items():
        np.testing.assert_allclose(recorder.seen[key], matrix, atol=1e-6)
    assert recorder.seen["Box", 5][2, 3] < recorder.seen["Box", 4][2, 3] < 3 - 0.01


def test_a_part_of_the_scene_shows_the_preview_though_its_first_frame_was_moved(
    scene, recorder, monkeypatch
):
    """The scene's first frame is the start of the next simulation, not of the one that is there.

    A body that was put back to its own place for a moment counted as moved by hand in a window.
    """
    crate = body(location=(0, 0, 3))
    shown = previewed(scene, 1, 8, (crate,))
    scene.frame_start, scene.frame_end = 5, 7
    put_back = []
    monkeypatch.setattr(addon("properties.rest_pose"), "put_back", put_back.append)
    bpy.ops.render.render(animation=True)
    for frame in (5, 6, 7):
        np.testing.assert_allclose(recorder.seen["Box", frame], shown["Box", frame], atol=1e-6)
    assert not put_back


def test_a_part_of_a_file_on_a_farm_moves_as_in_the_whole(scene, recorder, tmp_path, capsys):
    """``blender -b FILE -s 5 -e 7 -a`` moves the scene's first frame before anything moves."""
    crate = body(location=(0, 0, 3))
    path = str(tmp_path / "whole.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    shown = previewed(scene, 1, 7, (crate,))
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 5, 7
    bpy.ops.render.render(animation=True)
    for frame in (5, 6, 7):
        np.testing.assert_allclose(recorder.seen["Box", frame], shown["Box", frame], atol=1e-6)
    assert "begins in frame 1 " in capsys.readouterr().out
    assert addon("properties.scenes").start_frame(scene) == 5  # whoever bakes now begins there


def test_a_part_with_an_own_start_frame_begins_there(scene, recorder, tmp_path):
    body(location=(0, 0, 3))
    scene.verlet.use_own_start, scene.verlet.own_start = True, 5
    path = str(tmp_path / "whole.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 5, 7
    bpy.ops.render.render(animation=True)
    assert recorder.seen["Box", 5][2, 3] == 3.0
    assert recorder.seen["Box", 7][2, 3] < 3.0 - 0.01


def test_another_start_frame_is_named_where_it_puts_frames_out_of_date(scene):
    body(location=(0, 0, 3))
    play(scene, 1, 5)
    scene.frame_start = 3
    scene.frame_set(5)
    bpy.context.view_layer.update()
    addon("session").suspect_all()
    scene.frame_set(6)
    assert addon("live.status").reason(scene)[0].startswith("The start frame was changed: ")


def test_a_single_frame_too(scene, recorder):
    body(location=(0, 0, 3))
    scene.frame_set(4)
    bpy.ops.verlet.reset()
    scene.frame_current = 4
    bpy.ops.render.render()
    assert recorder.seen["Box", 4][2, 3] < 3 - 0.01


def test_the_bits_are_those_of_a_bake(scene, recorder):
    crate = body(location=(0, 0, 3))
    render(scene, 1, 5)
    rendered = [recorder.seen["Box", frame] for frame in range(1, 6)]
    bpy.ops.verlet.reset()
    select(crate)
    bpy.ops.verlet.bake()
    for frame in range(1, 6):
        scene.frame_set(frame)
        np.testing.assert_allclose(seen_matrix(crate), rendered[frame - 1], atol=1e-6)


def test_motion_blur_sees_what_lies_between_frames(scene, recorder):
    crate = body(location=(0, 0, 30))
    crate.verlet.body.velocity = (4, 0, 0)
    crate.verlet.body.angular_velocity = (0, 0, 12)
    crate.verlet.body.drag = 0.0
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 0.5
    recorder.moments = ((0, 0.0), (-1, 0.75), (0, 0.25), (0, 0.0))
    render(scene, 1, 4)
    for frame in (2, 3, 4):
        for step, subframe in recorder.moments:
            matrix = recorder.seen["Box", frame + step + subframe]
            seconds = (frame + step + subframe - 1) / 24
            assert matrix[0, 3] == pytest.approx(4 * seconds, abs=1e-4)
            turn = Matrix.Rotation(12 * seconds, 3, "Z")
            np.testing.assert_allclose(matrix[:3, :3], np.array(turn), atol=2e-2)


def test_a_child_of_a_body_and_a_body_with_a_parent_follow(scene, recorder):
    carrier = box(name="Carrier", location=(1, 2, 0))
    carrier.rotation_euler = (0.4, 0.2, 0.9)
    crate = body(location=(0, 0, 3))
    crate.parent = carrier
    rider = box(name="Rider", location=(0, 0, 1))
    rider.parent = crate
    shown = previewed(scene, 1, 4, (crate, rider))
    render(scene, 1, 4)
    for key, matrix in shown.items():
        np.testing.assert_allclose(recorder.seen[key], matrix, atol=1e-5)


def test_after_a_render_the_user_finds_everything_as_it_was(scene, recorder):
    crate = body(location=(0, 0, 3))
    crate.rotation_euler = (0.3, 0.2, 0.1)
    play(scene, 1, 3)
    before = scene.frame_current, tuple(crate.location), tuple(crate.rotation_euler)
    render(scene, 1, 6)
    assert (scene.frame_current, tuple(crate.location), tuple(crate.rotation_euler)) == before
    scene.frame_set(1)
    assert crate.location.z == 3
    assert not addon("live.rendering").is_rendering()
    render(scene, 4, 6)
    assert scene.frame_current == 1
    assert tuple(crate.location) == (0, 0, 3)


def test_what_cannot_be_simulated_is_said(scene, recorder, capsys):
    crate = body(location=(0, 0, 3))
    crate.scale = (0, 1, 1)
    render(scene, 1, 3)
    assert "lacks frames 2–3" in capsys.readouterr().out
    assert "lacks frames 2–3" in addon("live.rendering").remark(scene)
    crate.scale = (1, 1, 1)
    render(scene, 1, 3)
    assert addon("live.rendering").remark(scene) == ""


def test_improvised_frames_are_rendered_as_they_were_seen(scene, recorder):
    scene.verlet.use_own_start, scene.verlet.own_start = True, 1
    crate = body(location=(0, 0, 3))
    play(scene, 1, 4)
    scene.gravity = (0, 0, 5)
    bpy.context.view_layer.update()
    shown = previewed(scene, 5, 7, (crate,))
    scene.gravity = (0, 0, -9)
    bpy.context.view_layer.update()
    render(scene, 8, 8)
    render(scene, 2, 7)
    for key, matrix in shown.items():
        np.testing.assert_allclose(recorder.seen[key], matrix, atol=1e-6)


def test_what_is_baked_is_not_simulated_for_a_render(scene, recorder, capsys):
    floor()
    crate = body(location=(0, 0, 3))
    scene.frame_end = 4
    select(crate)
    bpy.ops.verlet.bake()
    addon("session").drop(scene)
    render(scene, 1, 4)
    assert "not baked" not in capsys.readouterr().out
    assert session_of(scene) is None or session_of(scene).last == 1
    assert recorder.seen["Box", 4][2, 3] < 3 - 0.01


def test_another_thread_waits_for_the_windows(scene, monkeypatch):
    window = addon("blender.window_thread")
    done = []
    monkeypatch.setattr(window, "_stands_by", True)
    thread = threading.Thread(target=lambda: done.append(window.do(lambda: done.append("task"))))
    thread.start()
    while not window._errands:
        pass
    assert not done
    window._serve()
    thread.join()
    assert done == ["task", True]


def test_a_task_that_was_given_up_is_never_done(scene, monkeypatch):
    window = addon("blender.window_thread")
    done = []
    monkeypatch.setattr(window, "_stands_by", True)
    monkeypatch.setattr(window, "WINDOW_PATIENCE", 0.01)
    thread = threading.Thread(target=lambda: done.append(window.do(lambda: done.append("task"))))
    thread.start()
    thread.join()
    window._serve()
    assert done == [False]


def test_without_anybody_to_do_it_nobody_waits(scene):
    window = addon("blender.window_thread")
    done = []
    thread = threading.Thread(target=lambda: done.append(window.do(lambda: done.append("task"))))
    thread.start()
    thread.join(1.0)
    assert done == [False]


def test_a_render_without_a_window_names_what_is_not_baked(scene, recorder, capsys):
    cloth(name="Sheet")
    crate = body(name="Crate")
    scene.frame_end = 2
    select(crate)
    bpy.ops.verlet.bake(selected_only=True)
    capsys.readouterr()
    render(scene, 1, 2)
    said = capsys.readouterr().out
    assert "Sheet" in said
    assert "Crate" not in said
    assert "verlet_bake" in said


def test_bones_of_a_ragdoll_stand_as_in_the_preview(scene, recorder):
    bpy.ops.verlet.add_ragdoll_dummy()
    rig = next(ob for ob in scene.objects if ob.type == "ARMATURE")
    shown = {}
    for frame in (1, 2, 3):
        scene.frame_set(frame)
        evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for bone in evaluated.pose.bones:
            shown[bone.name, frame] = np.array(bone.matrix)
    render(scene, 1, 3)
    for key, matrix in shown.items():
        np.testing.assert_allclose(recorder.seen[key], matrix, atol=1e-6)
    assert any(not np.allclose(shown[name, 1], matrix) for (name, _), matrix in shown.items())
