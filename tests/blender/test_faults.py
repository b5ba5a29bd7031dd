"""What goes wrong around a simulation is said by name, and nothing that was simulated is lost."""

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    body,
    cloth,
    floor,
    new_object,
    pin,
    play,
    seen,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


@pytest.fixture
def handler():
    """Adds a handler of the user's to an event; it goes with the test."""
    added = []

    def add(event, function):
        functions = getattr(bpy.app.handlers, event)
        functions.append(function)
        added.append((functions, function))

    yield add
    for functions, function in added:
        if function in functions:
            functions.remove(function)


def errors(scene):
    return [problem for problem in session_of(scene).problems if problem.is_error]


def baked_range(ob):
    return addon("properties.bake_record").baked_range(ob)


# ------------------------------------------------------------------ bakes


@pytest.mark.parametrize("event", ["frame_change_pre", "frame_change_post"])
@pytest.mark.parametrize("shown", [1, 4])
def test_a_handler_that_moves_a_collider_at_each_visit_loses_no_frame(scene, handler, event, shown):
    scene.frame_end = 8
    ground, sheet, crate = floor(), cloth(), body(location=(1, 0, 3))
    scene.frame_set(shown)

    def nudge(*_):
        ground.location.x += 0.01

    handler(event, nudge)
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert baked_range(sheet) == baked_range(crate) == (1, 8)
    places = []
    for frame in (1, 8):
        scene.frame_set(frame)
        places.append((seen(sheet)[:, 2].mean(), crate.location.z))
    assert places[1][0] < places[0][0] - 0.1
    assert places[1][1] < places[0][1] - 0.1


def test_a_ragdoll_is_looked_at_from_the_start_while_it_is_written(scene, handler):
    """A bake that looks at frames again must not begin the simulation anew at the start."""
    scene.frame_end = 6
    ground, crate = floor(), body(location=(0, 0, 3))
    play(scene, 1, 6)
    running = session_of(scene)
    with running.held():
        ground.location.x = 3
        scene.frame_set(1)
        assert session_of(scene) is running
        assert running.last == 6
    scene.frame_set(1)
    assert session_of(scene) is not running
    assert crate.location.z == 3


def begun_bake(scene):
    steps = addon("live.missing_frames").simulate(scene, range(1, 11))
    for _ in range(3):
        next(steps)
    return steps


def test_the_scene_is_deleted_in_mid_bake(scene):
    cloth()
    steps = begun_bake(scene)
    other = bpy.data.scenes.new("Other")
    if bpy.context.window is not None:
        bpy.context.window.scene = other
    bpy.data.scenes.remove(scene)
    with pytest.raises(addon("bake.scene_bake").VerletError, match="scene was deleted"):
        next(steps)
    steps.close()


def test_another_file_is_loaded_in_mid_bake(scene):
    cloth()
    steps = begun_bake(scene)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with pytest.raises(addon("bake.scene_bake").VerletError, match="another file was loaded"):
        next(steps)
    steps.close()
    assert session_of(bpy.context.scene) is None


def test_a_bake_is_stopped_after_another_file_was_loaded(scene):
    cloth()
    steps = begun_bake(scene)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    steps.close()


@pytest.mark.parametrize("undone", ["nothing of ours", "a setting", "the setup"])
def test_undo_in_mid_bake(scene, undone):
    """Undo makes every datablock another Python object: old ones raise ReferenceError."""
    edit = bpy.context.preferences.edit
    before, edit.use_global_undo = edit.use_global_undo, True
    try:
        bpy.ops.ed.undo_push(message="empty")
        sheet = cloth(name="Sheet")
        bpy.ops.ed.undo_push(message="cloth")
        if undone == "nothing of ours":
            bpy.data.objects.new("Other", None)
        elif undone == "a setting":
            sheet.verlet.cloth.bend = 0.9
        bpy.ops.ed.undo_push(message="more")
        uid, steps = scene.session_uid, begun_bake(scene)
        bpy.ops.ed.undo()
        if undone == "the setup":
            bpy.ops.ed.undo()
        baking = addon("bake.scene_bake")
        if undone == "nothing of ours":
            assert len(list(steps)) == 6
            assert not baking.write(
                addon("live.missing_frames").find_scene(uid), range(1, 11), []
            ).failure
        else:
            with suppress(baking.VerletError):
                list(steps)
        assert bpy.context.scene.frame_current == 1
        assert session_of(bpy.context.scene).bake_progress is None
    finally:
        edit.use_global_undo = before


def test_reset_in_mid_bake(scene):
    cloth()
    steps = begun_bake(scene)
    bpy.ops.verlet.reset()
    with pytest.raises(addon("bake.scene_bake").VerletError, match="Press Bake again"):
        for _ in steps:
            pass
    addon("session").drop(scene)
    with pytest.raises(addon("bake.scene_bake").VerletError, match="Press Bake again"):
        addon("bake.scene_bake").write(scene, range(1, 11), [])


def test_the_error_of_a_failed_session_is_said(scene, monkeypatch):
    cloth()

    def fails(*_):
        raise ZeroDivisionError("made for the test")

    monkeypatch.setattr(addon("live.build_job"), "build_model", fails)
    with pytest.raises(RuntimeError, match="made for the test"):
        bpy.ops.verlet.bake()
    assert addon("live.status").status(scene) == ("Cannot start", "ERROR")


def test_saving_off_the_start_frame_with_an_error_in_an_object(scene, tmp_path, capfd):
    cloth(name="Whole")
    cloth(name="Broken").data.vertices[3].co.x = float("nan")
    play(scene, 1, 1)
    assert errors(scene)
    scene.frame_set(5)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert "Traceback" not in "".join(capfd.readouterr())


# ------------------------------------------------------------------ errors have a name


@pytest.mark.parametrize("gravity", [(0, 0, float("nan")), (float("inf"), 0, 0)])
@pytest.mark.parametrize("frame", [1, 4])
def test_gravity_that_is_no_number_is_named(scene, gravity, frame, capfd):
    cloth()
    play(scene, 1, frame)
    scene.gravity = gravity
    play(scene, frame, frame + 2)
    play(scene, 1, 1) if frame == 1 else None
    running = session_of(scene)
    said = running.failure + "".join(problem.message for problem in errors(scene))
    assert "gravity of" in said
    assert scene.name in said
    assert "Traceback" not in "".join(capfd.readouterr())
    with pytest.raises(RuntimeError, match="gravity of"):
        bpy.ops.verlet.bake()


def test_every_error_at_the_start_names_its_object(scene, monkeypatch):
    errors_of = addon("scene.problems").ModelError
    ob = cloth(name="Flag")

    def fails(*_, **__):
        raise errors_of("", "Mass = 1e+30 lies outside 0.0001 to 1e6 kg")

    module = addon("scene.model")
    monkeypatch.setitem(module.RECIPES, "CLOTH", fails)
    play(scene, 1, 1)
    (problem,) = errors(scene)
    assert problem.message.startswith("Flag: Mass")
    assert problem.object_uid == ob.session_uid


@pytest.mark.parametrize("verb", ["rigid_body", "collider"])
def test_a_mesh_in_one_place_has_no_shape(verb):
    for count, what in ((1, "it has only one vertex"), (5, "all its 5 vertices are in one place")):
        select(new_object("Dot", [(1, 2, 3)] * count))
        with pytest.raises(RuntimeError, match=rf"Dot\S*: {what}, so it has no shape"):
            getattr(bpy.ops.verlet, verb)()


def test_a_tile_is_no_endless_floor(scene):
    bpy.ops.mesh.primitive_plane_add(size=0.4)
    bpy.ops.verlet.collider()
    on, beside = body(size=0.1, location=(0, 0, 0.5)), body(size=0.1, location=(1, 0, 0.5))
    play(scene, 1, 30)
    assert on.location.z == pytest.approx(0.05, abs=0.01)
    assert beside.location.z < -1


# ------------------------------------------------------------------ modifiers


@pytest.mark.parametrize("end", ["remove", "reset"])
def test_the_active_modifier_stays(scene, end):
    sheet = cloth()
    sheet.modifiers.new("First", "SUBSURF")
    sheet.modifiers.new("Second", "SOLIDIFY")
    sheet.modifiers.new("Third", "BEVEL")
    sheet.modifiers.active = sheet.modifiers["Second"]
    play(scene, 1, 4)
    assert sheet.modifiers[0].type == "MESH_CACHE"
    assert sheet.modifiers.active.name == "Second"
    select(sheet)
    getattr(bpy.ops.verlet, end)()
    assert sheet.modifiers.active.name == "Second"
    assert [modifier.name for modifier in sheet.modifiers] == ["First", "Second", "Third"]


# ------------------------------------------------------------------ keys that nothing reads


READ_ONCE = [
    "verlet.cloth.bend",
    "verlet.cloth.drag",
    "verlet.body.mass",
    "verlet.collider.friction",
    "verlet.joint.breaking_force",
    "verlet.impulse.strength",
    "verlet.kind",
]


@pytest.mark.parametrize("path", READ_ONCE)
def test_what_is_read_once_takes_no_keys_and_no_drivers(path):
    ob = cloth()
    with pytest.raises(TypeError, match="not animatable"):
        ob.keyframe_insert(path)
    owner, _, name = path.rpartition(".")
    assert not ob.path_resolve(owner).bl_rna.properties[name].is_animatable


@pytest.mark.parametrize("path", ["solver.substep_rate", "own_start", "reduce_keys"])
def test_nor_what_is_read_once_of_the_scene(scene, path):
    with pytest.raises(TypeError, match="not animatable"):
        scene.keyframe_insert(f"verlet.{path}")


def test_what_is_read_in_every_frame_takes_keys(scene):
    ob = cloth()
    for name in ob.verlet.animated.bl_rna.properties.keys():
        if name not in ("rna_type", "name"):
            assert ob.keyframe_insert(f"verlet.animated.{name}")
    assert ob.keyframe_insert("verlet.joint.motor_speed")
    assert scene.keyframe_insert("verlet.wind.velocity")


def test_keys_of_an_older_file_are_told_about(scene, compat):
    """An action with such a curve, as older versions let people make."""
    ob = cloth(name="Flag")
    action = bpy.data.actions.new("Old")
    compat.assign_action(ob, action, compat.ensure_slot(action, ob))
    compat.new_fcurves(action, compat.slot_handle(ob.animation_data), [("verlet.cloth.bend", -1)])
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert "Bend is keyed" in problem.message
    assert "Animate" in problem.message
    assert not problem.is_error


# ------------------------------------------------------------------ the status


def status(scene):
    return addon("live.status").status(scene)


def test_what_is_changed_while_it_plays_is_improvised(scene):
    scene.frame_end = 12
    sheet = cloth()
    play(scene, 1, 6)
    assert status(scene)[1] == "CHECKMARK"
    scene.verlet.wind.velocity = (0, 20, 0)
    assert status(scene)[1] == "CHECKMARK"  # nothing is simulated with it yet
    play(scene, 7, 9)
    assert status(scene) == ("Simulated 1–9, improvised from 7 on", "REC")
    remarks = [text for text, _ in addon("live.status").remarks(session_of(scene))]
    assert any(text.startswith("Bake starts over") for text in remarks)
    improvised = seen(sheet)
    scene.verlet.wind.velocity = (0, 0, 0)
    bpy.ops.verlet.bake()
    assert status(scene)[1] == "CHECKMARK"
    scene.frame_set(9)
    assert np.abs(seen(sheet) - improvised).max() > 1e-3


@pytest.mark.parametrize("what", ["gravity", "collider", "factor"])
def test_each_thing_that_acts_at_once_is_noticed(scene, what):
    ground, sheet = floor(), cloth()
    play(scene, 1, 5)
    match what:
        case "gravity":
            scene.gravity.z = -3
        case "collider":
            ground.location.z = 0.5
        case "factor":
            sheet.verlet.animated.drag = 3
    bpy.context.view_layer.update()
    play(scene, 6, 7)
    assert session_of(scene).improvised_from == 6


def test_what_is_keyed_is_not_improvised(scene):
    ground = floor()
    cloth()
    body(location=(1, 0, 3))
    for frame, height in ((1, 0.0), (10, 1.0)):
        ground.location.z = height
        ground.keyframe_insert("location", frame=frame)
        scene.gravity.z = -9.81 + height
        scene.keyframe_insert("gravity", frame=frame)
    for frame in range(1, 9):
        scene.frame_set(frame)
        bpy.context.view_layer.update()
    assert status(scene) == ("Simulated 1–8", "CHECKMARK")


def test_the_tick_does_not_stand_over_flung_cloth(scene):
    ob = cloth()
    pin(ob, [0, 4])
    play(scene, 1, 3)
    assert status(scene)[1] == "CHECKMARK"
    ob.location.x = 40
    bpy.context.view_layer.update()
    play(scene, 4, 5)
    text, icon = status(scene)
    assert (icon, "flung away in 4" in text) == ("ERROR", True)
    assert any("frame 4" in hint for hint, _ in addon("live.status").remarks(session_of(scene)))


def test_what_falls_in_a_scene_of_centimetres_is_not_flung(scene):
    scene.unit_settings.scale_length = 0.01
    scene.gravity = (0, 0, -981)
    cloth(size=5, spacing=10.0)
    play(scene, 1, 13)
    assert status(scene) == ("Simulated 1–13", "CHECKMARK")


def test_cloth_that_is_pressed_farther_than_it_reaches_is_told_by_how_much(scene):
    ob = cloth(size=9)
    pin(ob, [i for i in range(81) if i % 9 in (0, 8) or i // 9 in (0, 8)])
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.3, location=(0, 0, 2.4))
    ball = bpy.context.object
    select(ball)
    assert bpy.ops.verlet.collider() == {"FINISHED"}
    for frame, height in ((1, 2.4), (13, 1.5), (25, 2.8)):
        ball.location.z = height
        ball.keyframe_insert("location", frame=frame)
    remarks = addon("live.status").remarks
    play(scene, 1, 13)
    (said,) = (hint for hint, _ in remarks(session_of(scene)) if " is stretched by " in hint)
    assert said.startswith("Cloth is")
    assert 10 < int(said.split(" by ")[1].split(" %")[0]) < 60
    play(scene, 14, 50)
    (said,) = (hint for hint, _ in remarks(session_of(scene)) if "stretched" in hint)
    assert "In the last frame nothing is" in said
    assert status(scene)[1] == "CHECKMARK"


def test_a_preview_that_cannot_be_written_does_not_stop_the_bake(scene, monkeypatch):
    scene.frame_end = 5
    sheet = cloth()
    point_cache = addon("blender.point_cache")
    real = point_cache.PointCacheFile.append

    def append(self, frame, positions):
        if frame == 3:
            self._file.close()
            self._file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115
        real(self, frame, positions)

    monkeypatch.setattr(point_cache.PointCacheFile, "append", append)
    play(scene, 1, 5)
    assert session_of(scene).failure == ""
    assert session_of(scene).last == 5
    assert any(
        "cannot be written" in text for text, _ in addon("live.status").remarks(session_of(scene))
    )
    bpy.ops.verlet.bake()
    assert baked_range(sheet) == (1, 5)


@pytest.mark.parametrize("damage", ["a bit has flipped", "cut short", "another version"])
def test_compiled_kernels_that_do_not_fit_are_not_called(extension, tmp_path, damage):
    library = importlib.import_module(f"{extension.__name__}.core.kernels.library").fitting()
    folder = shutil.copytree(Path(library.code._name).parent, tmp_path / "kernels")
    path = folder / Path(library.code._name).name
    data = bytearray(path.read_bytes())
    match damage:
        case "a bit has flipped":
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
        case "cut short":
            path.write_bytes(data[: len(data) // 2])
        case "another version":
            table = folder / "kernels.json"
            before = hashlib.sha256(table.read_bytes()).hexdigest()
            table.write_text(table.read_text().replace('"sources":"', '"sources":"0'))
            after = hashlib.sha256(table.read_bytes()).hexdigest()
            sums = folder / "SHA256SUMS"  # whole, and of other sources
            sums.write_text(sums.read_text().replace(before, after))
    done = subprocess.run(
        [sys.executable, "-c", WITH_MISFIT],
        capture_output=True,
        text=True,
        env={**os.environ, "VERLET_LIBRARY": str(folder)},
    )
    message, _, last = done.stdout.splitlines()[-1].partition("|")
    assert message.startswith("Uncompiled and slow: "), done.stdout + done.stderr
    assert ("other sources" if damage == "another version" else "damaged") in message
    assert last == "3"


WITH_MISFIT = """
import bpy, importlib, os, sys, addon_utils
addon_utils.enable("bl_ext.user_default.verlet_physics", default_set=True)
bpy.ops.mesh.primitive_cube_add(location=(0, 0, 3))
bpy.ops.verlet.rigid_body()
for frame in (1, 2, 3):
    bpy.context.scene.frame_set(frame)
addon = "bl_ext.user_default.verlet_physics.verlet_addon"
message = importlib.import_module(addon + ".kernels").message()
print(message, importlib.import_module(addon + ".session").of(bpy.context.scene).last, sep="|")
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize("was_seen_whole", [False, True])
@pytest.mark.parametrize("damage", ["delete", "cut", "overwrite"])
def test_a_preview_file_that_is_gone_or_damaged_is_written_anew(scene, damage, was_seen_whole):
    sheet = cloth(name="Flag")
    play(scene, 1, 6)
    path = Path(sheet.modifiers[0].filepath)
    if was_seen_whole:  # it has lain there for long, and is not read again
        os.utime(path, (1e9, 1e9))
        scene.frame_set(2)
        (file,) = session_of(scene).files.values()
        file._header = lambda: pytest.fail("read again")
        scene.frame_set(3)
        del file._header
    scene.frame_set(3)
    shown = seen(sheet)
    match damage:
        case "delete":
            path.unlink()
        case "cut":
            path.write_bytes(path.read_bytes()[:200])
        case "overwrite":
            path.write_bytes(bytes(path.stat().st_size))
    scene.frame_set(4)
    scene.frame_set(3)
    np.testing.assert_array_equal(seen(sheet), shown)
    assert "Flag: its preview file" in session_of(scene).problems[0].message
    play(scene, 6, 8)
    assert session_of(scene).last == 8
    assert seen(sheet)[:, 2].mean() < shown[:, 2].mean()


def test_the_time_that_is_left_of_a_bake(scene):
    cloth()
    steps = addon("live.missing_frames").simulate(scene, range(1, 21))
    shares = []
    for _ in steps:
        share, text = addon("live.status").bake_bar(session_of(scene))
        shares.append(share)
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert text.endswith("left")
    assert "of 20" in text


# ------------------------------------------------------------------ the command


class TestCommand:
    @pytest.fixture
    def path(self, scene, tmp_path):
        scene.frame_end = 6
        cloth(name="Sheet")
        body(name="Crate", location=(1.5, 0, 1))
        path = tmp_path / "scene.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        return path

    def run(self, *arguments):
        return addon("cli").run(list(arguments))

    def ranges(self, path):
        bpy.ops.wm.open_mainfile(filepath=str(path))
        return [baked_range(bpy.data.objects[name]) for name in ("Sheet", "Crate")]

    def test_a_partial_bake_is_saved_only_when_it_is_asked_for(self, path, monkeypatch, capsys):
        simulation = addon("session.frame_job")
        real = simulation.advance

        def blows_up(model, state, inputs, settings):
            if state.frame == 3:
                raise addon("bake.scene_bake").VerletError("made for the test")
            return real(model, state, inputs, settings)

        monkeypatch.setattr(simulation, "advance", blows_up)
        before = path.read_bytes()
        assert self.run() == 1
        said = capsys.readouterr().err
        assert "made for the test" in said
        assert "Nothing was saved" in said
        assert path.read_bytes() == before
        bpy.ops.wm.open_mainfile(filepath=str(path))
        assert self.run("--partial") == 1
        assert self.ranges(path) == [(1, 3), (1, 3)]

    def test_free_and_rebake(self, path, capsys):
        assert self.run() == 0
        assert self.run("--free") == 0
        assert self.ranges(path) == [None, None]
        assert self.run("--free") == 1
        assert "nothing is baked" in capsys.readouterr().err
        assert self.run() == 0
        assert self.run() == 1
        assert "--rebake" in capsys.readouterr().err
        assert self.run("--rebake", "--frames", "2-4") == 0
        assert self.ranges(path) == [(2, 4), (2, 4)]

    def test_resume_bakes_what_is_missing(self, path):
        assert self.run("--frames", "1-3") == 0
        crate = bpy.data.objects["Crate"]
        addon("bake.restore").free(crate)
        bpy.ops.wm.save_mainfile()
        assert self.run("--resume", "--frames", "1-3") == 0
        assert self.ranges(path) == [(1, 3), (1, 3)]
        assert self.run("--resume") == 0
        assert self.ranges(path) == [(1, 6), (1, 6)]
        assert self.run("--resume") == 0

    def test_where_it_cannot_be_saved(self, path, capsys):
        assert self.run("--output", "/no/such/folder/out.blend") == 1
        assert "Error" in capsys.readouterr().err

    def test_one_thing_at_a_time(self, path):
        assert self.run("--free", "--rebake") == 2
