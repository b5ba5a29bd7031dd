"""Bake writes what the preview shows, in every way to start it; Free Bake takes it away."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
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
    """A sheet and a crate, not simulated yet, ten frames."""
    scene.frame_end = 10
    floor()
    return cloth(name="Sheet", location=(0, 0, 0.6)), body(name="Crate", location=(1.5, 0, 0.4))


def record(scene, objects, frames):
    """What is seen of each object in each frame."""
    shown = {}
    for frame in frames:
        scene.frame_set(frame)
        shown[frame] = [(seen(ob), seen_matrix(ob)) for ob in objects]
    return shown


def assert_same(first, second):
    for frame, objects in first.items():
        for (points, matrix), (other_points, other_matrix) in zip(objects, second[frame]):
            np.testing.assert_allclose(other_matrix, matrix, atol=3e-6)
            np.testing.assert_allclose(other_points, points, atol=3e-6)


@pytest.mark.without_wheels
def test_bake_is_the_preview(scene, both):
    sheet, _ = both
    preview = record(scene, both, range(1, 11))
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert not sheet.modifiers
    assert len(sheet.data.shape_keys.key_blocks) == 11
    baked = record(scene, both, range(1, 11))
    assert_same(preview, baked)
    for frame in preview:  # cloth bit for bit
        np.testing.assert_array_equal(baked[frame][0][0], preview[frame][0][0])


def test_bake_without_preview_is_the_preview(scene, both):
    bpy.ops.verlet.bake()
    baked = record(scene, both, range(1, 11))
    bpy.ops.verlet.free_bake()
    bpy.ops.verlet.reset()
    assert_same(baked, record(scene, both, range(1, 11)))


def test_the_user_keeps_the_frame(scene, both):
    scene.frame_set(7)
    bpy.ops.verlet.bake()
    assert scene.frame_current == 7
    assert not np.array_equal(seen(both[0]), np.zeros(1))


def test_a_bake_plays_without_the_add_on(scene, both):
    import installed_extension

    bpy.ops.verlet.bake()
    baked = record(scene, both, (2, 9))
    installed_extension.disable()
    try:
        assert_same(baked, record(scene, both, (2, 9)))
    finally:
        installed_extension.enable()


def test_a_bake_survives_save_and_reload(scene, both, tmp_path):
    bpy.ops.verlet.bake()
    baked = record(scene, both, (2, 9))
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    objects = bpy.data.objects["Sheet"], bpy.data.objects["Crate"]
    play(scene, 1, 10)
    assert_same(baked, record(scene, objects, (2, 9)))
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert objects[0].data.shape_keys is None
    assert objects[1].animation_data is None


def test_free_bake_gives_the_preview_back_and_reset_the_rest(scene, both):
    rest = record(scene, both, (1,))
    preview = record(scene, both, range(1, 11))
    bpy.ops.verlet.bake()
    bpy.ops.verlet.free_bake()
    assert_same(preview, record(scene, both, range(2, 11)) | rest)
    assert session_of(scene).last == 10
    bpy.ops.verlet.reset()
    assert_same(rest, record(scene, both, (1,)))


def test_frames_of_the_bake(scene, both):
    bpy.ops.verlet.bake(frame_start=4, frame_end=6)
    assert addon("properties.bake_record").baked_range(both[0]) == (4, 6)
    assert addon("properties.bake_record").baked_range(both[1]) == (4, 6)


def test_no_frames(both):
    with pytest.raises(RuntimeError, match=r"nothing to bake.*frame range"):
        bpy.ops.verlet.bake(frame_start=6, frame_end=4)


def test_only_selected_objects_are_written(scene, both):
    sheet, crate = both
    select(crate)
    assert bpy.ops.verlet.bake(selected_only=True) == {"FINISHED"}
    assert sheet.data.shape_keys is None
    assert crate.animation_data is not None
    with pytest.raises(RuntimeError, match="None of the selected"):
        bpy.ops.verlet.bake(selected_only=True)
    bpy.ops.verlet.bake()
    assert sheet.data.shape_keys is not None
    select(crate)
    bpy.ops.verlet.free_bake(selected_only=True)
    assert crate.animation_data is None
    assert sheet.data.shape_keys is not None


def test_the_buttons_for_selected_objects_know_whether_any_fits(scene, both):
    sheet, crate = both
    select(bpy.data.objects["Floor"])
    assert bpy.ops.verlet.bake.poll()
    with pytest.raises(RuntimeError, match="None of the selected objects is simulated and not"):
        bpy.ops.verlet.bake_selected()
    select(crate)
    with pytest.raises(RuntimeError, match="Nothing in this scene is baked"):
        bpy.ops.verlet.free_bake_selected()
    assert bpy.ops.verlet.bake_selected() == {"FINISHED"}
    assert sheet.data.shape_keys is None
    assert crate.animation_data is not None
    assert not bpy.ops.verlet.bake_selected.poll()
    select(sheet)
    with pytest.raises(RuntimeError, match="None of the selected objects is baked"):
        bpy.ops.verlet.free_bake_selected()
    assert bpy.ops.verlet.bake_selected() == {"FINISHED"}
    assert bpy.ops.verlet.free_bake_selected() == {"FINISHED"}
    assert sheet.data.shape_keys is None
    assert crate.animation_data is not None


def test_baking_one_after_the_other_is_baking_both_at_once(scene, both):
    bpy.ops.verlet.bake()
    at_once = record(scene, both, range(1, 11))
    bpy.ops.verlet.free_bake()
    bpy.ops.verlet.reset()
    for ob in both:
        select(ob)
        bpy.ops.verlet.bake(selected_only=True)
        play(scene, 1, 3)
    assert_same(at_once, record(scene, both, range(1, 11)))


def test_what_is_baked_stays_when_the_rest_is_simulated_on(scene, both):
    _, crate = both
    select(crate)
    bpy.ops.verlet.bake(selected_only=True)
    keys = crate.animation_data.action
    keys.update_tag()
    bpy.context.view_layer.update()  # tells the add-on of an action that was edited
    model = session_of(scene).model
    play(scene, 1, 15)
    assert session_of(scene).model is model
    assert session_of(scene).last == 15
    assert session_of(scene).failure == ""
    assert crate.animation_data.action == keys


def test_a_baked_body_pushes_what_is_simulated_later(scene):
    """After reload there is no simulation to go on with: the bake counts as a collider."""
    scene.frame_end = 12
    floor()
    crate = body(name="Crate", location=(0, 0, 3))
    bpy.ops.verlet.bake()
    bpy.ops.verlet.reset()
    sheet = cloth(name="Sheet", size=3, spacing=0.1, location=(0, 0, 3.3))
    play(scene, 1, 12)
    assert [p.kind for p in session_of(scene).inputs.participants] == ["COLLIDER"] * 2 + ["CLOTH"]
    top = seen(crate)[:, 2].max()
    assert seen(sheet)[:, 2].min() > top - 0.02


def test_nothing_to_bake():
    floor()
    with pytest.raises(RuntimeError, match="press Cloth"):
        bpy.ops.verlet.bake()


def test_an_error_in_an_object_is_named_and_nothing_is_written(scene, both):
    sheet, crate = both
    broken = cloth(name="Broken")
    broken.data.vertices[3].co.x = float("nan")
    with pytest.raises(RuntimeError, match=r"Broken.*not numbers"):
        bpy.ops.verlet.bake()
    assert sheet.data.shape_keys is None
    assert crate.animation_data is None


def test_a_blow_up_keeps_what_was_good(scene, both, monkeypatch):
    sheet, crate = both
    simulation = addon("session.frame_job")
    errors = importlib.import_module(
        f"{simulation.__package__}".replace("verlet_addon.session", "core.errors")
    )
    real = simulation.advance

    def blows_up(model, state, inputs, settings):
        if state.frame == 6:
            raise errors.SimulationDiverged("Sheet", 7, 3, "too fast")
        return real(model, state, inputs, settings)

    monkeypatch.setattr(simulation, "advance", blows_up)
    assert bpy.ops.verlet.bake() == {"FINISHED"}  # with a warning
    assert addon("properties.bake_record").baked_range(sheet) == (1, 6)
    assert addon("properties.bake_record").baked_range(crate) == (1, 6)
    assert "Sheet" in session_of(scene).failure
    assert "frame 7" in session_of(scene).failure


def test_a_blow_up_before_the_first_frame_writes_nothing(scene, both, monkeypatch):
    simulation = addon("session.frame_job")

    def blows_up(*_):
        raise importlib.import_module(
            f"{simulation.__package__}".replace("verlet_addon.session", "core.errors")
        ).SimulationDiverged("Sheet", 2, 3, "too fast")

    monkeypatch.setattr(simulation, "advance", blows_up)
    with pytest.raises(RuntimeError, match=r"Sheet.*blew up at frame 2"):
        bpy.ops.verlet.bake(frame_start=5)
    assert both[0].data.shape_keys is None


def test_stopping_keeps_the_simulated_frames_and_writes_nothing(scene, both):
    scene.frame_set(3)
    steps = addon("live.missing_frames").simulate(scene, range(1, 11))
    for _ in range(5):
        next(steps)
    assert session_of(scene).bake_progress is not None
    steps.close()
    assert session_of(scene).bake_progress is None
    assert session_of(scene).last == 7  # frames 1 to 3 were there
    assert scene.frame_current == 3
    assert both[0].data.shape_keys is None
    bpy.ops.verlet.bake()
    assert addon("properties.bake_record").baked_range(both[0]) == (1, 10)


def test_guessed_frames_are_simulated_anew(scene):
    """Playback that left frames out had to guess; a bake must not depend on that."""
    scene.frame_end = 12
    ob = cloth()
    pin(ob, [0, 4])
    ob.keyframe_insert("location", frame=1)
    ob.location.x = 2
    ob.keyframe_insert("location", frame=12)
    play(scene, 1, 12)
    every_frame = record(scene, [ob], range(1, 13))
    bpy.ops.verlet.reset()
    for frame in (1, 2, 3, 9, 12):
        scene.frame_set(frame)
    assert session_of(scene).phase.guessed == 4
    bpy.ops.verlet.bake()
    assert_same(every_frame, record(scene, [ob], range(1, 13)))


def test_a_multi_user_mesh_is_given_back(scene):
    scene.frame_end = 5
    first = cloth(name="A")
    second = first.copy()
    scene.collection.objects.link(second)
    mesh = first.data
    bpy.ops.verlet.bake()
    assert first.data != second.data
    bpy.ops.verlet.free_bake()
    assert first.data == second.data == mesh


def test_bodies_with_moving_parents_and_odd_scales(scene):
    scene.frame_end = 12
    floor()
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.rotation_euler = (0.2, 0.3, 0.4)
    parent.keyframe_insert("location", frame=1)
    parent.location = (2, 1, 1)
    parent.keyframe_insert("location", frame=12)
    scene.frame_set(1)
    crate = body(location=(0, 0, 1))
    crate.parent = parent
    crate.scale = (-0.5, 2, 1)
    crate.rotation_mode = "ZYX"
    preview = record(scene, [crate], range(1, 13))
    bpy.ops.verlet.bake()
    assert_same(preview, record(scene, [crate], range(1, 13)))
    bpy.ops.verlet.free_bake()
    bpy.ops.verlet.reset()
    assert crate.rotation_mode == "ZYX"
    assert tuple(crate.location) == (0, 0, 1)
    assert tuple(crate.scale) == (-0.5, 2, 1)


SCALES = {
    "grows": ((1, 1, 1), (2, 2, 2)),
    "grows unevenly": ((1, 1, 1), (1, 3, 0.5)),
    "shrinks from a mirror": ((-1, 1, 2), (-0.5, 0.5, 1)),
    "is uneven and still": ((1, 2, 1), (1, 2, 1)),
}


@pytest.mark.parametrize("turn", [0.0, 0.7], ids=["straight", "turned"])
@pytest.mark.parametrize("scales", SCALES.values(), ids=SCALES)
def test_under_a_parent_of_another_scale_preview_and_bake_show_the_same(scene, scales, turn):
    """A rigid body keeps its size whatever its parent does; what shears comes as near as it can."""
    scene.frame_end = 24
    floor()
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    for frame, scale in zip((1, 12), scales):
        parent.scale = scale
        parent.keyframe_insert("scale", frame=frame)
    scene.frame_set(1)
    crate, still = body(location=(0, 0, 0.6)), body(name="Free", location=(5, 0, 0.6))
    for ob in (crate, still):
        ob.rotation_euler = (turn, 0.5 * turn, 0)
    crate.parent = parent
    bpy.context.view_layer.update()
    own = {name: tuple(getattr(crate, name)) for name in ("location", "rotation_euler", "scale")}
    size = np.linalg.norm(seen_matrix(crate)[:3, :3], axis=0)
    preview = record(scene, [crate, still], range(1, 25))
    largest = np.abs(np.linalg.norm(seen_matrix(crate)[:3, :3], axis=0) / size - 1.0).max()
    assert largest < (0.5 if turn else 1e-4)
    assert session_of(scene).phase.improvised is None
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(bpy.app.tempdir, "scaled.blend")), copy=True)
    assert_same(preview, record(scene, [crate, still], range(1, 25)))
    bpy.ops.verlet.bake()
    assert_same(preview, record(scene, [crate, still], range(1, 25)))
    bpy.ops.verlet.free_bake()
    bpy.ops.verlet.reset()
    assert {name: tuple(getattr(crate, name)) for name in own} == own
    assert tuple(still.scale) == (1, 1, 1)


@pytest.mark.parametrize("kind", ["ACTIVE", "ANIMATED"])
def test_a_body_whose_scale_is_keyed_keeps_its_size_in_preview_and_bake(scene, kind):
    scene.frame_end = 12
    floor()
    crate = body(location=(0, 0, 1))
    crate.verlet.body.type = kind
    for frame, scale in ((1, (1, 1, 1)), (12, (2, 2, 0.5))):
        crate.scale = scale
        crate.keyframe_insert("scale", frame=frame)
    scene.frame_set(1)
    preview = record(scene, [crate], range(1, 13))
    np.testing.assert_allclose(np.linalg.norm(seen_matrix(crate)[:3, :3], axis=0), 1.0, atol=1e-4)
    bpy.ops.verlet.bake()
    assert_same(preview, record(scene, [crate], range(1, 13)))
    bpy.ops.verlet.free_bake()
    bpy.ops.verlet.remove()
    scene.frame_set(12)
    np.testing.assert_allclose(crate.scale, (2, 2, 0.5))
    scene.frame_set(1)
    np.testing.assert_allclose(crate.scale, (1, 1, 1))


def test_settings_of_a_baked_object_can_change_without_harm(scene, both):
    bpy.ops.verlet.bake()
    baked = record(scene, both, (2, 9))
    both[0].verlet.cloth.bend = 1.0
    play(scene, 1, 5)
    assert_same(baked, record(scene, both, (2, 9)))


def test_a_baked_object_is_not_set_up_anew(both):
    bpy.ops.verlet.bake()
    select(both[0])
    for verb in (bpy.ops.verlet.remove, bpy.ops.verlet.rigid_body):
        with pytest.raises(RuntimeError, match=r"Sheet.*Free Bake"):
            verb()


class TestCommand:
    """The command of `blender -b FILE --command verlet_bake`."""

    @pytest.fixture
    def path(self, both, tmp_path):
        path = tmp_path / "scene.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        return path

    def test_bakes_and_saves(self, path):
        assert addon("cli").run([]) == 0
        bpy.ops.wm.open_mainfile(filepath=str(path))
        assert addon("properties.bake_record").baked_range(bpy.data.objects["Sheet"]) == (1, 10)

    def test_frames_and_output(self, path, tmp_path):
        output = tmp_path / "baked.blend"
        assert addon("cli").run(["--frames", "2-7", "--output", str(output)]) == 0
        bpy.ops.wm.open_mainfile(filepath=str(path))
        assert not addon("properties.bake_record").is_baked(bpy.data.objects["Sheet"])
        bpy.ops.wm.open_mainfile(filepath=str(output))
        assert addon("properties.bake_record").baked_range(bpy.data.objects["Sheet"]) == (2, 7)

    @pytest.mark.parametrize("text", ["x", "5-2", "1:3", ""])
    def test_bad_frames(self, path, text, capsys):
        assert addon("cli").run(["--frames", text]) == 2
        assert "--frames" in capsys.readouterr().err

    def test_negative_frames(self):
        assert addon("cli").frame_range("-10--5") == (-10, -5)
        assert addon("cli").frame_range("-10-5") == (-10, 5)
        assert addon("cli").frame_range("7") == (7, 7)

    def test_no_file(self, capsys):
        assert addon("cli").run([]) == 2
        assert "no file is open" in capsys.readouterr().err

    def test_nothing_set_up(self, scene, tmp_path, capsys):
        box()
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "empty.blend"))
        assert addon("cli").run([]) == 1
        assert "nothing moves" in capsys.readouterr().err

    def test_a_broken_object_is_named(self, path, capsys):
        bpy.data.objects["Sheet"].data.vertices[0].co.x = float("nan")
        assert addon("cli").run([]) == 1
        assert "Sheet" in capsys.readouterr().err

    def test_the_same_bits_in_another_process(self, path, zip_path, tmp_path):
        """Two farm machines bake the same."""
        addon("cli").run([])
        bpy.ops.wm.open_mainfile(filepath=str(path))
        here = record(bpy.context.scene, [bpy.data.objects["Sheet"]], range(1, 11))
        again = tmp_path / "again.blend"
        bpy.ops.verlet.free_bake()
        bpy.ops.wm.save_as_mainfile(filepath=str(again))
        code = (
            "import bpy, sys, addon_utils\n"
            "addon_utils.enable('bl_ext.user_default.verlet_physics', default_set=True)\n"
            f"bpy.ops.wm.open_mainfile(filepath={str(again)!r})\n"
            "from bl_ext.user_default.verlet_physics.verlet_addon import cli\n"
            "import os; os._exit(cli.run([]))\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ.copy())
        assert Path(again).exists()
        bpy.ops.wm.open_mainfile(filepath=str(again))
        there = record(bpy.context.scene, [bpy.data.objects["Sheet"]], range(1, 11))
        for frame, ((points, _),) in here.items():
            np.testing.assert_array_equal(there[frame][0][0], points)
