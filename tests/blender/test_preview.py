"""The live preview: frames are simulated while they play, kept, and shown again bit for bit."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
    grid,
    pin,
    play,
    seen,
    seen_local,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")

ROTATION_MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


@pytest.mark.without_wheels
def test_cloth_falls_freely(scene):
    ob = cloth()
    ob.verlet.cloth.drag = 0.0
    start = seen(ob)
    play(scene, 1, 13)
    fallen = start[:, 2] - seen(ob)[:, 2]
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * 0.5**2, rtol=1e-3)
    assert session_of(scene).last == 13


@pytest.mark.without_wheels
def test_body_falls_freely(scene):
    ob = body(location=(0, 0, 5))
    ob.verlet.body.drag = 0.0
    play(scene, 1, 13)
    assert seen_matrix(ob)[2, 3] == pytest.approx(5 - 0.5 * 9.81 * 0.5**2, abs=2e-3)


def test_the_motion_does_not_depend_on_the_frame_rate(scene):
    heights = []
    for rate in (24, 30, 60):
        scene.render.fps = rate
        ob = body(location=(0, 0, 5))
        play(scene, 1, 1 + rate // 2)
        heights.append(seen_matrix(ob)[2, 3])
        bpy.ops.verlet.reset()
        bpy.data.objects.remove(ob)
    np.testing.assert_allclose(heights, heights[0], atol=1e-3)


def test_scrubbing_shows_the_first_pass_bit_for_bit(scene):
    floor()
    sheet, crate = cloth(), body(location=(0, 0, 0.5))
    first_pass = {}
    for frame in range(1, 16):
        scene.frame_set(frame)
        first_pass[frame] = seen(sheet), seen_matrix(crate)
    model = session_of(scene).model
    for frame in (7, 2, 15, 1, 11):
        scene.frame_set(frame)
        np.testing.assert_array_equal(seen(sheet), first_pass[frame][0])
        np.testing.assert_array_equal(seen_matrix(crate), first_pass[frame][1])
    assert session_of(scene).model is model


def test_playing_again_gives_the_same_bits(scene):
    floor()
    sheet, crate = cloth(), body(location=(0, 0, 0.5))
    play(scene, 1, 15)
    first = seen(sheet), seen_matrix(crate)
    bpy.ops.verlet.reset()
    assert session_of(scene).last == 1
    play(scene, 1, 15)
    np.testing.assert_array_equal(seen(sheet), first[0])
    np.testing.assert_array_equal(seen_matrix(crate), first[1])


def test_the_mesh_itself_is_never_written(scene):
    ob = cloth()
    before = [tuple(vertex.co) for vertex in ob.data.vertices]
    play(scene, 1, 8)
    assert [tuple(vertex.co) for vertex in ob.data.vertices] == before
    assert ob.data.shape_keys is None


def test_reset_puts_everything_back(scene):
    sheet, crate = cloth(), body()
    crate.rotation_euler = (0.3, 0.2, 0.1)
    before = tuple(crate.location), tuple(crate.rotation_euler)
    play(scene, 1, 8)
    assert tuple(crate.location) != before[0]
    bpy.ops.verlet.reset()
    assert (tuple(crate.location), tuple(crate.rotation_euler)) == before
    assert not sheet.modifiers
    assert scene.frame_current == 1


def test_frames_before_the_start_show_the_own_place(scene):
    scene.verlet.use_own_start = True
    scene.verlet.own_start = 10
    sheet, crate = cloth(), body(location=(0, 0, 5))
    rest = seen(sheet)
    play(scene, 10, 15)
    assert seen(sheet)[0, 2] < rest[0, 2]
    scene.frame_set(3)
    np.testing.assert_array_equal(seen(sheet), rest)
    assert crate.location.z == 5


def test_play_from_the_start_frame_simulates_at_once(scene):
    """Pressing the space bar in frame 1 goes to frame 2: frame 1 is never visited."""
    ob = cloth(location=(1, 0, 2))
    rest = seen(ob)
    play(scene, 2, 6)
    assert session_of(scene).last == 6
    assert seen(ob)[:, 2].max() < rest[:, 2].min()


def test_what_was_changed_in_the_start_frame_counts_at_once(scene):
    ob = cloth(location=(0, 0, 2))
    play(scene, 1, 6)
    scene.frame_set(1)
    ob.location.z = 8
    bpy.context.view_layer.update()
    scene.frame_set(2)
    assert session_of(scene).last == 2
    assert session_of(scene).cache[2].position[:, 2].min() > 7
    play(scene, 2, 6)
    fallen = 8 - seen(ob)[:, 2].min()
    scene.frame_set(1)
    ob.verlet.cloth.drag = 50.0
    play(scene, 2, 6)
    assert 8 - seen(ob)[:, 2].min() < 0.5 * fallen


def test_nothing_is_simulated_before_the_start_frame_was_visited(scene):
    scene.frame_set(4)
    ob = cloth()
    rest = seen(ob)
    play(scene, 5, 8)
    np.testing.assert_array_equal(seen(ob), rest)


def test_a_shared_mesh_is_simulated_for_each_object(scene):
    first = cloth(name="A")
    second = first.copy()  # same mesh
    scene.collection.objects.link(second)
    second.location.z = 0.3
    floor()
    play(scene, 1, 12)
    assert seen(first)[:, 2].max() > 0.3
    assert seen(second)[:, 2].max() < 0.2
    assert first.data == second.data


@pytest.mark.parametrize("rotation_mode", ROTATION_MODES)
def test_a_body_moves_rigidly_in_every_rotation_mode(scene, rotation_mode):
    ob = box(location=(0.1, 0.2, 0.6))
    ob.rotation_mode = rotation_mode
    turned = Matrix.Rotation(0.5, 3, (1, 2, 3))
    if rotation_mode == "QUATERNION":
        ob.rotation_quaternion = turned.to_quaternion()
    elif rotation_mode == "AXIS_ANGLE":
        ob.rotation_axis_angle = (0.5, *(np.array([1, 2, 3]) / math.sqrt(14)))
    else:
        ob.rotation_euler = turned.to_euler(rotation_mode)
    ob.delta_location = (0.1, 0.0, 0.2)
    ob.delta_rotation_euler = (
        ob.delta_rotation_euler if rotation_mode in ROTATION_MODES[:2] else (0.2, 0.1, 0.0)
    )
    select(ob)
    bpy.ops.verlet.rigid_body()
    floor()
    assert_moves_rigidly(scene, ob)


@pytest.mark.parametrize("scale", [(1, 1, 1), (0.5, 2, 1), (-1, 1, 1), (-0.5, -2, 1), (-1, -1, -1)])
def test_a_body_keeps_its_scale(scene, scale):
    ob = box(location=(0, 0, 1.5))
    ob.scale = scale
    ob.rotation_euler = (0.5, 0.4, 0.3)
    ob.delta_scale = (1, 1.5, 1)
    bpy.context.view_layer.update()
    select(ob)
    bpy.ops.verlet.rigid_body()
    floor()
    assert_moves_rigidly(scene, ob)
    assert tuple(ob.scale) == tuple(np.float32(scale))


def assert_moves_rigidly(scene, ob, frames=14):
    """The body tumbles, its shape stays, and it is seen where the simulation has it."""
    bpy.context.view_layer.update()
    start = seen(ob)
    start_matrix = seen_matrix(ob)
    play(scene, 1, frames)
    now = seen(ob)
    assert np.linalg.norm(now - start, axis=1).max() > 0.2
    distances = [np.linalg.norm(points[:, None] - points[None], axis=2) for points in (start, now)]
    np.testing.assert_allclose(distances[1], distances[0], atol=2e-5)
    np.testing.assert_allclose(
        seen_matrix(ob), session_of(scene).placement(frames).bodies[0], atol=2e-6
    )
    moved = seen_matrix(ob) @ np.linalg.inv(start_matrix)
    assert np.linalg.det(moved[:3, :3]) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("moving", [False, True])
def test_a_body_with_a_parent_falls_in_the_world(scene, moving):
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.location = (1, 2, 3)
    parent.rotation_euler = (1.0, 0.5, 0.2)
    parent.scale = (2, 2, 2)
    if moving:  # from the second frame on: else the body would start with the parent's speed
        parent.keyframe_insert("location", frame=2)
        parent.location.x = 4
        parent.keyframe_insert("location", frame=20)
    scene.frame_set(1)
    ob = body(location=(0.2, 0.1, 0.3))
    ob.parent = parent
    ob.verlet.body.drag = 0.0
    bpy.context.view_layer.update()
    start = seen_matrix(ob)
    play(scene, 1, 13)
    now = seen_matrix(ob)
    np.testing.assert_allclose(now[:2, 3], start[:2, 3], atol=1e-5)
    assert start[2, 3] - now[2, 3] == pytest.approx(0.5 * 9.81 * 0.25, abs=2e-3)
    np.testing.assert_allclose(now[:3, :3], start[:3, :3], atol=1e-5)


@pytest.mark.parametrize("thickness", [0.0, 1e-38])
def test_what_a_flat_parent_carries_is_as_near_to_its_place_as_it_can_be(scene, thickness):
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.location = (1, 2, 3)
    for frame, z in ((1, 1.0), (5, thickness), (7, 1.0)):
        parent.scale.z = z
        parent.keyframe_insert("scale", frame=frame)
    for fcurve in addon("blender.compat").fcurves_of(parent):
        for key in fcurve.keyframe_points:
            key.interpolation = "CONSTANT"
    ob = body(location=(0.2, 0.1, 0.3))
    ob.parent = parent
    scene.frame_end = 8
    shown = []
    for frame in range(1, 9):
        scene.frame_set(frame)
        shown.append(seen_matrix(ob)[:3, 3])
        assert not session_of(scene).failure
    simulated = [session_of(scene).placement(frame).bodies[0][:3, 3] for frame in range(1, 9)]
    off = np.abs(np.subtract(shown, simulated))
    assert off[:, :2].max() < 1e-5
    assert off[[0, 1, 2, 3, 6, 7], 2].max() < 1e-5
    np.testing.assert_allclose([shown[4][2], shown[5][2]], 3.0, atol=1e-5)  # in the flat plane
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    for frame, place in enumerate(shown, 1):
        scene.frame_set(frame)
        np.testing.assert_allclose(seen_matrix(ob)[:3, 3], place, atol=1e-5)


def test_a_body_on_a_body_is_seen_where_it_is_simulated(scene):
    floor()
    lower = body(name="Lower", location=(0, 0, 0.5))
    upper = body(name="Upper", location=(0, 0, 1.5))
    upper.parent = lower
    upper.matrix_parent_inverse = lower.matrix_world.inverted()
    bpy.context.view_layer.update()
    play(scene, 1, 20)
    expected = session_of(scene).placement(20).bodies
    np.testing.assert_allclose(seen_matrix(lower), expected[0], atol=2e-6)
    np.testing.assert_allclose(seen_matrix(upper), expected[1], atol=2e-6)


def test_constraints_are_off_while_a_body_is_previewed(scene):
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    target.location = (3, 0, 2)
    ob = body(location=(0, 0, 1))
    constraint = ob.constraints.new("COPY_LOCATION")
    constraint.target = target
    off = ob.constraints.new("COPY_ROTATION")
    off.mute = True
    bpy.context.view_layer.update()
    play(scene, 1, 13)
    place = seen_matrix(ob)[:3, 3]
    assert place[0] == pytest.approx(3, abs=1e-5)
    assert place[2] < 1.0
    bpy.ops.verlet.reset()
    assert not constraint.mute
    assert off.mute
    assert tuple(ob.location) == (0, 0, 1)
    assert seen_matrix(ob)[2, 3] == pytest.approx(2)


def test_pins_follow_the_animated_object(scene):
    ob = cloth()
    pin(ob, [0, 4])
    ob.keyframe_insert("location", frame=1)
    ob.location = (2, 0, 2)
    ob.keyframe_insert("location", frame=11)
    scene.frame_set(1)
    local = seen_local(ob)[[0, 4]]
    play(scene, 1, 6)
    np.testing.assert_allclose(seen_local(ob)[[0, 4]], local, atol=1e-6)
    assert seen_local(ob)[20:, 0].mean() < -0.05  # the free end trails behind
    play(scene, 7, 11)
    assert seen_matrix(ob)[0, 3] == pytest.approx(2)
    np.testing.assert_allclose(seen_local(ob)[[0, 4]], local, atol=1e-6)


def test_an_animated_collider_pushes(scene):
    pusher = box("Pusher", size=1.0, location=(-2, 0, 0.5))
    select(pusher)
    bpy.ops.verlet.collider()
    pusher.keyframe_insert("location", frame=1)
    pusher.location.x = 0
    pusher.keyframe_insert("location", frame=11)
    floor()
    ob = body(location=(-1, 0, 0.2))
    scene.frame_set(1)
    play(scene, 1, 20)
    assert seen_matrix(ob)[0, 3] > 0.5


def test_a_turning_collider_tips_what_lies_on_it(scene):
    tray = floor(name="Tray")
    tray.keyframe_insert("rotation_euler", frame=1)
    tray.rotation_euler.y = math.radians(40)
    tray.keyframe_insert("rotation_euler", frame=12)
    scene.frame_set(1)
    ob = body(location=(0, 0, 0.2))
    ob.verlet.body.friction = 0.0
    tray.verlet.collider.friction = 0.0
    play(scene, 1, 20)
    assert seen_matrix(ob)[0, 3] > 0.2  # it slid down
    up = seen_matrix(ob)[:3, 2]
    assert math.degrees(math.acos(up[2])) == pytest.approx(40, abs=3)


def test_keyed_wind_blows_when_it_is_keyed(scene):
    scene.use_gravity = False
    ob = cloth()
    ob.rotation_euler.x = math.pi / 2
    wind = scene.verlet.wind
    wind.gust = 0.0
    for frame, speed in ((1, 0.0), (5, 0.0), (6, 10.0), (20, 10.0)):
        wind.velocity = (0, speed, 0)
        wind.keyframe_insert("velocity", frame=frame)
    bpy.context.view_layer.update()
    scene.frame_set(1)
    start = seen(ob)
    play(scene, 1, 5)
    np.testing.assert_allclose(seen(ob), start, atol=1e-5)
    play(scene, 6, 15)
    assert (seen(ob) - start)[:, 1].mean() > 0.1


def test_changed_settings_simulate_anew_from_the_start(scene):
    ob = cloth()
    play(scene, 1, 6)
    before = seen(ob)
    ob.verlet.cloth.drag = 20.0
    assert scene.frame_current == 6
    np.testing.assert_array_equal(seen(ob), before)  # shown until it is simulated anew
    scene.frame_set(7)
    assert session_of(scene).is_outdated
    assert session_of(scene).last == 6
    play(scene, 1, 6)
    assert seen(ob)[:, 2].mean() > before[:, 2].mean()


def test_a_setting_changed_and_changed_back_keeps_the_frames(scene):
    ob = cloth()
    play(scene, 1, 6)
    drag = ob.verlet.cloth.drag
    ob.verlet.cloth.drag = 20.0
    ob.verlet.cloth.drag = drag
    scene.frame_set(7)
    assert session_of(scene).last == 7


def test_a_moved_collider_counts_from_the_start(scene):
    sheet = cloth(location=(0, 0, 0.5))
    ground = floor()
    play(scene, 1, 10)
    assert seen(sheet)[:, 2].min() > -0.01
    ground.location.z = -5
    play(scene, 1, 10)
    assert seen(sheet)[:, 2].max() < -0.03


def test_far_ahead_the_last_frame_is_shown(scene, monkeypatch):
    monkeypatch.setattr(addon("live.simulation"), "_longest_gap", lambda running: 24)
    ob = cloth()
    play(scene, 1, 5)
    shown = seen(ob)
    scene.frame_set(100)
    np.testing.assert_array_equal(seen(ob), shown)
    assert session_of(scene).last == 5


def test_frames_that_playback_leaves_out_are_simulated(scene):
    ob = cloth()
    play(scene, 1, 10)
    every_frame = seen(ob)
    bpy.ops.verlet.reset()
    for frame in (1, 4, 10):
        scene.frame_set(frame)
    np.testing.assert_array_equal(seen(ob), every_frame)
    assert session_of(scene).phase.guessed is None  # nothing moved: nothing was guessed


def test_frames_left_out_while_a_pin_moves_are_marked_as_guessed(scene):
    ob = cloth()
    pin(ob, [0])
    ob.keyframe_insert("location", frame=1)
    ob.location.x = 1
    ob.keyframe_insert("location", frame=20)
    for frame in (1, 2, 3, 8):
        scene.frame_set(frame)
    assert session_of(scene).phase.guessed == 4
    assert session_of(scene).last == 8


def test_two_scenes_have_simulations_of_their_own(scene):
    ob = cloth(name="First")
    play(scene, 1, 5)
    other = bpy.data.scenes.new("Other")
    with bpy.context.temp_override(scene=other):
        mesh = grid(name="Second").data
    second = bpy.data.objects.new("Second here", mesh)
    other.collection.objects.link(second)
    second.verlet.kind = "CLOTH"
    play(other, 1, 3)
    assert session_of(scene).last == 5
    assert session_of(other).last == 3
    scene.frame_set(6)
    assert session_of(scene).last == 6
    assert ob.modifiers


@pytest.mark.parametrize("kind", ["LINK_COPY", "FULL_COPY", "EMPTY"])
def test_a_new_scene_that_was_never_evaluated_is_played(scene, kind, capfd):
    scene.frame_end = 6
    body()
    play(scene, 1, 3)
    assert bpy.ops.scene.new(type=kind) == {"FINISHED"}
    other = bpy.context.scene
    assert other != scene
    play(other, 2, 4)  # not from its start frame on
    play(other, 1, 4)
    play(scene, 1, 4)
    assert "Traceback" not in capfd.readouterr().err
    assert session_of(scene).last == 4


def test_a_scene_that_simulates_nothing_gets_no_session(scene):
    grid()
    play(scene, 1, 5)
    assert session_of(scene) is None


def test_an_unexpected_error_stops_and_is_shown_once(scene, monkeypatch, capsys):
    cloth()
    play(scene, 1, 3)

    def broken(*_):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(addon("session.frame_job"), "advance", broken)
    play(scene, 4, 9)
    assert "on purpose" in session_of(scene).failure
    assert session_of(scene).last == 3
    assert capsys.readouterr().err.count("Traceback") == 1
    monkeypatch.undo()
    bpy.ops.verlet.reset()
    play(scene, 1, 9)
    assert session_of(scene).last == 9


@pytest.mark.parametrize("path", [("location", 2), ("rotation_euler", 1)])
def test_drivers_are_off_while_a_body_is_previewed(scene, path, tmp_path):
    """Blender evaluates them after the preview has written: the body stood still until baked."""
    floor()
    crate = body(location=(0, 0, 0.5))
    crate.rotation_euler = (0.3, 0.4, 0)
    name, index = path
    driver = crate.driver_add(name, index)
    driver.driver.expression = f"{getattr(crate, name)[index]} + 0 * frame"
    other = crate.driver_add("hide_render")
    scene.frame_end = 12
    play(scene, 1, 12)
    assert driver.mute
    assert not other.mute
    wanted = session_of(scene).placement(12).bodies[0]
    np.testing.assert_allclose(seen_matrix(crate), wanted, atol=1e-5)
    assert np.abs(wanted - session_of(scene).placement(1).bodies[0]).max() > 0.1
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "driven.blend"), copy=True)
    assert driver.mute
    np.testing.assert_allclose(seen_matrix(crate), wanted, atol=1e-5)
    bpy.ops.verlet.bake()
    scene.frame_set(12)
    np.testing.assert_allclose(seen_matrix(crate), wanted, atol=1e-5)
    bpy.ops.verlet.free_bake()
    bpy.ops.verlet.reset()
    assert not driver.mute
    scene.frame_set(1)
    assert getattr(crate, name)[index] == pytest.approx(0.5 if name == "location" else 0.4)


ORIGINS = {
    "geometry": lambda: bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY"),
    "cursor": lambda: bpy.ops.object.origin_set(type="ORIGIN_CURSOR"),
    "apply location": lambda: bpy.ops.object.transform_apply(rotation=False, scale=False),
    "apply rotation": lambda: bpy.ops.object.transform_apply(location=False, scale=False),
    "apply scale": lambda: bpy.ops.object.transform_apply(location=False, rotation=False),
    "apply all": lambda: bpy.ops.object.transform_apply(),
}


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION"])
@pytest.mark.parametrize("change", ORIGINS.values(), ids=ORIGINS)
@pytest.mark.parametrize("is_child", [False, True], ids=["alone", "child"])
def test_another_origin_in_mid_preview_moves_nothing(scene, change, mode, is_child):
    """Neither now, nor in the frames that are kept, nor after Reset."""
    floor()
    crate = body(location=(0, 0, 1))
    crate.data.transform(Matrix.Translation((0.3, 0.2, 0.1)))
    crate.rotation_euler, crate.scale, crate.delta_location = (0.3, 0.5, 0), (1, 1, 1.5), (0, 0, 1)
    crate.rotation_mode = mode
    if is_child:
        parent = bpy.data.objects.new("Parent", None)
        scene.collection.objects.link(parent)
        parent.location, parent.rotation_euler = (1, 2, 0.5), (0, 0, 1)
        crate.parent = parent
    scene.frame_set(1)
    frames = {1: seen(crate)}
    for frame in range(2, 21):
        scene.frame_set(frame)
        frames[frame] = seen(crate)
    assert np.abs(frames[20] - frames[1]).max() > 0.5
    scene.frame_set(20)
    scene.cursor.location = (0.5, -1, 0.2)
    select(crate)
    change()
    np.testing.assert_allclose(seen(crate), frames[20], atol=1e-5)
    for frame in (12, 20):
        scene.frame_set(frame)
        np.testing.assert_allclose(seen(crate), frames[frame], atol=1e-5)
    bpy.ops.verlet.reset()
    np.testing.assert_allclose(seen(crate), frames[1], atol=1e-5)
    scene.frame_set(1)
    np.testing.assert_allclose(seen(crate), frames[1], atol=1e-5)


def test_a_mesh_that_is_really_edited_leaves_what_is_kept_alone(scene):
    """Moved together with its object by a script, so that it is seen elsewhere."""
    crate = body(location=(0, 0, 2))
    play(scene, 1, 8)
    crate.data.transform(Matrix.Translation((0.5, 0, 0)))
    crate.location.x += 1
    crate.data.update()
    bpy.context.view_layer.update()
    bpy.ops.verlet.reset()
    np.testing.assert_allclose(crate.location, (0, 0, 2), atol=1e-6)
