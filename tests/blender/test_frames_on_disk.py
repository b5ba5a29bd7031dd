"""Simulated frames on the disk: taken from there in another session, where they fit."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from small_scenes import addon, body, cloth, floor, play, seen, select, session_of

pytestmark = pytest.mark.usefixtures("kept")

LAST = 12


def falling(scene):
    floor()
    cloth(spacing=0.2, location=(0, 0, 0.6))
    body(location=(0.1, 0, 1.0))
    ball = bpy.data.objects["Box"]
    ball.rotation_euler = (0.3, 0.2, 0.1)
    scene.frame_start = 1


def shown(scene):
    return np.concatenate([seen(bpy.data.objects[name]) for name in ("Cloth", "Box")])


def played(scene, last=LAST):
    """What is shown in each frame."""
    found = []
    for frame in range(1, last + 1):
        scene.frame_set(frame)
        found.append(shown(scene))
    return np.array(found)


def recalled(scene):
    return session_of(scene).on_disk.recalled


def remark(scene):
    return addon("live.keeping").remark(session_of(scene))


def again(path):
    """The file as another session opens it."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene


def only_file(folder):
    (path,) = folder.glob("*.frames")
    return path


def test_another_session_takes_every_frame_from_the_disk(scene, tmp_path):
    falling(scene)
    before = played(scene)
    scene = again(tmp_path / "one.blend")
    np.testing.assert_array_equal(played(scene), before)
    assert recalled(scene) == LAST - 1
    assert remark(scene) == ""
    play(scene, LAST + 1, LAST + 3)  # and goes on
    assert session_of(scene).last == LAST + 3
    assert recalled(scene) == LAST - 1


def test_what_goes_on_from_the_disk_is_what_goes_on_without(scene, tmp_path):
    falling(scene)
    straight = played(scene, LAST + 8)
    addon("session").drop(scene)
    bpy.ops.verlet.clear_frames()
    scene.frame_set(1)
    played(scene)
    scene = again(tmp_path / "one.blend")
    np.testing.assert_array_equal(played(scene, LAST + 8), straight)
    assert recalled(scene) == LAST - 1


def test_it_follows_save_as_and_names(scene, tmp_path):
    falling(scene)
    before = played(scene)
    again(tmp_path / "one.blend")
    scene = again(tmp_path / "two.blend")
    np.testing.assert_array_equal(played(scene), before)
    assert recalled(scene) == LAST - 1


def test_a_change_is_named_and_taken_back_it_fits_again(scene, tmp_path):
    falling(scene)
    before = played(scene)
    scene = again(tmp_path / "one.blend")
    ob = bpy.data.objects["Box"]
    ob.verlet.body.friction = 0.9
    played(scene, 3)
    assert recalled(scene) == 0
    assert "Box" not in remark(scene)  # the file was a new one when it was kept
    addon("session").drop(scene)
    ob.verlet.body.friction = 0.8
    scene.frame_set(1)
    played(scene, 3)
    assert remark(scene) == "Frames on the disk are from before Box changed"
    ob.verlet.body.friction = 0.5
    scene.frame_set(1)
    np.testing.assert_array_equal(played(scene), before)
    assert recalled(scene) == LAST - 1


def test_frames_of_another_file_without_a_name_are_none_of_this_scene(scene):
    falling(scene)
    played(scene, 3)
    addon("session").drop(scene)
    bpy.data.objects["Box"].name = "Another"
    scene.frame_set(1)
    assert remark(scene) == ""


def test_frames_from_where_something_moves_otherwise_are_simulated(scene, tmp_path):
    falling(scene)
    ground = bpy.data.objects["Floor"]
    ground.keyframe_insert("location", frame=6)
    ground.location.z = 0.2
    ground.keyframe_insert("location", frame=LAST)
    played(scene)
    scene = again(tmp_path / "one.blend")
    curve = addon("blender.compat").fcurves_of(bpy.data.objects["Floor"])[2]
    curve.keyframe_points[1].co[1] = 0.1
    curve.update()
    scene.frame_set(1)
    found = played(scene)
    assert 4 <= recalled(scene) < 8
    addon("session").drop(scene)
    bpy.ops.verlet.clear_frames()
    scene.frame_set(1)
    np.testing.assert_array_equal(found, played(scene))


@pytest.mark.parametrize("how", ["flipped", "cut", "head", "opening", "begun", "empty", "nonsense"])
def test_damage_is_noticed_and_named_and_mended(scene, tmp_path, kept, how):
    falling(scene)
    before = played(scene)
    entries = session_of(scene).on_disk.log.entries
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "one.blend"))
    addon("session").drop(scene)
    path = only_file(kept)
    data = bytearray(path.read_bytes())
    place = {
        "flipped": entries[5].start + entries[5].size // 2,
        "head": entries[5].start - 20,
        "opening": 40,
    }
    if how in place:
        data[place[how]] ^= 4
    elif how in {"cut", "begun"}:
        del data[entries[5].start + 100 if how == "cut" else 40 :]
    else:
        data = bytearray(b"" if how == "empty" else os.urandom(5000))
    path.write_bytes(data)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "one.blend"))
    scene = bpy.context.scene
    np.testing.assert_array_equal(played(scene), before)
    wanted = {"flipped": LAST - 2, "cut": 5, "head": 5}.get(how, 0)
    assert recalled(scene) == wanted
    assert "damaged" in remark(scene)
    scene = again(tmp_path / "one.blend")
    np.testing.assert_array_equal(played(scene), before)
    assert recalled(scene) == LAST - 1
    assert remark(scene) == ""


@pytest.mark.parametrize("frames", [0, 3])
def test_a_full_disk_does_not_stop_the_play(scene, tmp_path, kept, monkeypatch, frames):
    falling(scene)
    played(scene, frames + 1)
    log = addon("on_disk.frame_log")
    write = log._write_all

    def full(file, data):
        write(file, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(log, "_write_all", full)
    play(scene, frames + 2, LAST)
    assert session_of(scene).last == LAST
    assert session_of(scene).failure == ""
    assert "No space left on device" in remark(scene)
    monkeypatch.undo()
    scene = again(tmp_path / "one.blend")
    played(scene)
    assert recalled(scene) == frames
    assert len(session_of(scene).on_disk.log.entries) == LAST - 1
    assert only_file(kept)


def test_a_folder_that_cannot_be_made_does_not_stop_the_play(scene, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(addon("live.keeping"), "folder", lambda: tmp_path / "file" / "frames")
    falling(scene)
    play(scene, 1, 4)
    assert session_of(scene).last == 4
    assert "cannot be kept" in remark(scene)


def test_what_another_blender_has_open_is_left_alone(scene, kept):
    falling(scene)
    before = played(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(kept / "one.blend"))
    addon("session").drop(scene)
    path = only_file(kept)
    held = addon("on_disk.frame_log").FrameLog(path, {})
    scene.frame_set(1)
    np.testing.assert_array_equal(played(scene), before)
    assert "Another Blender" in remark(scene)
    assert addon("on_disk.folder").clear([path]) == (0, 1)
    held.close()


def test_the_limit_is_kept_and_what_is_oldest_goes_first(scene, kept):
    falling(scene)
    played(scene)
    size = only_file(kept).stat().st_size
    old = only_file(kept)
    os.utime(old, (1, 1))
    addon("preferences").get().disk_limit = max(0.01, 1.5 * size / (1 << 30))
    bpy.data.objects["Box"].verlet.body.friction = 0.9
    limit = 1.5 * size
    keeping = addon("live.keeping")
    original = keeping._limit
    keeping._limit = lambda: limit
    try:
        scene.frame_set(1)
        played(scene)
        assert not old.exists()
        assert only_file(kept).stat().st_size == pytest.approx(size, rel=0.1)
        limit = 0.5 * size
        bpy.data.objects["Box"].verlet.body.friction = 0.8
        scene.frame_set(1)
        played(scene)
        assert "limit" in remark(scene)
        assert session_of(scene).last == LAST
    finally:
        keeping._limit = original


def test_the_list_names_the_scene_and_clear_empties_it(scene, kept, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "heap.blend"))
    falling(scene)
    played(scene)
    (listed,) = addon("on_disk.folder").list_kept()
    assert (listed.scene, listed.blend) == ("Scene", "heap.blend")
    assert listed.size > 1000
    assert bpy.ops.verlet.clear_frames() == {"FINISHED"}
    assert len(addon("on_disk.folder").list_kept()) == 1  # in use
    addon("session").drop(scene)
    assert bpy.ops.verlet.clear_frames() == {"FINISHED"}
    assert addon("on_disk.folder").list_kept() == []


def test_nothing_is_kept_where_nobody_asked_for_it(scene, kept):
    addon("preferences").get().keep_frames = "WINDOW"  # there is none
    falling(scene)
    played(scene)
    assert session_of(scene).on_disk is None
    assert not list(kept.glob("*.frames"))


def test_frames_that_the_time_budget_has_cut_are_not_kept(scene, kept, monkeypatch):
    falling(scene)
    monkeypatch.setattr(addon("live.simulation"), "is_live", lambda: True)
    scene.verlet.solver.iterations, scene.verlet.solver.time_budget = 30, 0.001
    played(scene)
    assert session_of(scene).phase.draft is not None
    assert not list(kept.glob("*.frames"))


def test_a_killed_blender_leaves_all_but_the_last_frame(scene, tmp_path, kept):
    falling(scene)
    path = tmp_path / "one.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    told = tmp_path / "frame"
    module = addon("session").__name__.removesuffix(".verlet_addon.session")
    script = f"""
import bpy, addon_utils
addon_utils.enable({module!r}, default_set=True)
bpy.context.preferences.addons[{module!r}].preferences.keep_frames = "ALWAYS"
bpy.ops.wm.open_mainfile(filepath={str(path)!r})
for frame in range(1, 100000):
    bpy.context.scene.frame_set(frame)
    open({str(told)!r}, "w").write(str(frame))
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL)
    while child.poll() is None and not (told.exists() and int(told.read_text() or 0) > 15):
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    reached = int(told.read_text())
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    played(scene, reached)
    assert recalled(scene) >= reached - 2
    assert Path(only_file(kept)).exists()


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(addon("live.keeping"), "IN_MEMORY", 0)
    monkeypatch.setattr(addon("live.keeping"), "LEAST_IN_MEMORY", 2)


def wanted(scene):
    return session_of(scene).inputs.of_particles


def in_memory(scene):
    return sum(not callable(state) for state in session_of(scene).cache._states)


def test_memory_holds_the_last_frames_and_the_disk_the_others(scene, little_memory, tmp_path):
    falling(scene)
    before = played(scene)
    assert in_memory(scene) == 3  # the start, and those that come next
    for frame in (5, 2, LAST, 9, 1):
        scene.frame_set(frame)
        np.testing.assert_array_equal(shown(scene), before[frame - 1])
    scene.frame_end = LAST
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    for frame in (3, LAST, 7):
        scene.frame_set(frame)
        np.testing.assert_allclose(shown(scene), before[frame - 1], atol=1e-6)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    scene = again(tmp_path / "one.blend")
    np.testing.assert_array_equal(played(scene), before)
    assert in_memory(scene) == 3


def test_a_frame_that_the_disk_has_lost_is_named(scene, little_memory, kept):
    falling(scene)
    played(scene)
    path = only_file(kept)
    data = bytearray(path.read_bytes())
    data[session_of(scene).on_disk.log.entries[3].start + 200] ^= 1
    path.write_bytes(data)
    scene.frame_end = LAST
    result = addon("bake.scene_bake").write(
        scene, range(1, LAST + 1), [p.uid for p in wanted(scene)]
    )
    assert "Frame 5 was lost on the disk" in " ".join(result.warnings)
    assert "Frame 5" in remark(scene)
    addon("session").drop(scene)
    scene.frame_set(1)
    played(scene)
    assert bpy.ops.verlet.bake() == {"FINISHED"}


def test_after_a_full_disk_frames_stay_in_memory(scene, little_memory, monkeypatch):
    falling(scene)
    played(scene, 6)

    def full(file, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(addon("on_disk.frame_log"), "_write_all", full)
    play(scene, 7, LAST)
    assert in_memory(scene) == 1 + LAST - 6 + (0 if LAST - 2 > 6 else 1)
    scene.frame_set(3)
    scene.frame_set(LAST)
    assert session_of(scene).failure == ""


def test_a_ragdoll_and_a_muscle_come_back(scene, tmp_path):
    from small_rigs import person, ragdoll

    floor()
    ob = ragdoll(person(location=(0, 0, 0.4)))
    select(ob)
    scene.frame_set(1)

    def poses():
        found = []
        for frame in range(1, LAST + 1):
            bpy.context.scene.frame_set(frame)
            bones = (
                bpy.data.objects["Person"]
                .evaluated_get(bpy.context.evaluated_depsgraph_get())
                .pose.bones
            )
            found.append([[list(row) for row in bone.matrix] for bone in bones])
        return np.array(found)

    before = poses()
    scene = again(tmp_path / "one.blend")
    np.testing.assert_array_equal(poses(), before)
    assert recalled(scene) == LAST - 1
