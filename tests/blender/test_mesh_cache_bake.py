"""Bakes of large meshes to a Mesh Cache: a file beside the blend file, played and freed."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from small_scenes import addon, cloth, pin, refusal, seen_local, select

pytestmark = [pytest.mark.usefixtures("scene"), pytest.mark.without_wheels]

LAST = 6


@pytest.fixture
def flag(scene, tmp_path):
    """A pinned cloth in a saved file."""
    scene.frame_end = LAST
    scene.verlet.solver.substep_rate = 120
    ob = cloth(name="Flag/1", size=4)
    pin(ob, [0])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "Sail.blend"))
    return ob


def motion(scene, ob):
    found = []
    for frame in range(1, LAST + 1):
        scene.frame_set(frame)
        found.append(seen_local(ob))
    return np.array(found)


@pytest.mark.parametrize("kind", ["PC2", "MDD"])
def test_it_plays_what_the_preview_showed_and_is_freed(scene, flag, tmp_path, kind):
    preview = motion(scene, flag)
    assert np.ptp(preview, axis=0).max() > 0.05
    scene.verlet.mesh_bake = kind
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    (file,) = (tmp_path / "Sail Verlet").iterdir()
    assert file.suffix == "." + kind.lower()
    assert [m.name for m in flag.modifiers] == ["Verlet Bake"]
    assert flag.modifiers[0].filepath.startswith("//")
    assert np.array_equal(motion(scene, flag), preview)
    assert flag.data.shape_keys is None
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert [m.name for m in flag.modifiers] != ["Verlet Bake"]
    assert file.exists()
    scene.frame_set(1)
    assert np.allclose(seen_local(flag), preview[0])


def test_it_stands_behind_what_carries_and_before_the_rest(scene, flag):
    hook = bpy.data.objects.new("Hook", None)
    scene.collection.objects.link(hook)
    carrier = flag.modifiers.new("Hook", "HOOK")
    carrier.object = hook
    carrier.vertex_indices_set([0])
    flag.modifiers.new("Subdivision", "SUBSURF").levels = 0
    scene.verlet.mesh_bake = "PC2"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert [m.name for m in flag.modifiers] == ["Hook", "Verlet Bake", "Subdivision"]
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}


def test_it_lasts_through_saving_and_opening(scene, flag):
    scene.verlet.mesh_bake = "PC2"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    baked = motion(scene, flag)
    scene.frame_set(1)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    ob = bpy.data.objects["Flag/1"]
    scene = bpy.context.scene
    assert np.array_equal(motion(scene, ob), baked)
    assert addon("properties.bake_record").baked_range(ob) == (1, LAST)
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert not addon("properties.bake_record").is_baked(ob)


def test_save_as_elsewhere_still_finds_the_file(scene, flag, tmp_path):
    scene.verlet.mesh_bake = "PC2"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    baked = motion(scene, flag)
    (tmp_path / "other").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "other" / "Copy.blend"))
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert np.array_equal(motion(bpy.context.scene, bpy.data.objects["Flag/1"]), baked)


def test_what_is_saved_plays_as_it_was_saved_whatever_is_baked_after_it(
    scene, flag, tmp_path, monkeypatch
):
    scene.verlet.mesh_bake = "PC2"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    saved = motion(scene, flag)
    scene.frame_set(1)
    bpy.ops.wm.save_mainfile()
    monkeypatch.setattr(bpy.context.preferences.edit, "undo_steps", 3)
    for density in (0.1, 3.0, 0.2, 2.0):
        assert bpy.ops.verlet.free_bake() == {"FINISHED"}
        flag.verlet.animated.drag = density
        assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert np.abs(motion(scene, flag) - saved).max() > 1e-3
    assert len(list((tmp_path / "Sail Verlet").iterdir())) <= 4
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert np.array_equal(motion(bpy.context.scene, bpy.data.objects["Flag/1"]), saved)


def test_undo_finds_the_file_of_every_bake_that_it_can_reach(scene, flag):
    scene.verlet.mesh_bake = "PC2"
    bpy.ops.ed.undo_push(message="before")
    baked = []
    for gravity in (-1.0, -3.0, -5.0, -7.0, -9.0):
        bpy.context.scene.gravity.z = gravity
        bpy.ops.ed.undo_push(message="gravity")
        assert bpy.ops.verlet.bake() == {"FINISHED"}
        bpy.ops.ed.undo_push(message="bake")
        baked.append(motion(bpy.context.scene, bpy.data.objects["Flag/1"])[-1])
        assert bpy.ops.verlet.free_bake() == {"FINISHED"}
        bpy.ops.ed.undo_push(message="free")
    assert np.abs(np.diff(baked, axis=0)).max(axis=(1, 2)).min() > 1e-3
    for before in reversed(baked):
        bpy.ops.ed.undo()  # of the freeing
        assert np.array_equal(motion(bpy.context.scene, bpy.data.objects["Flag/1"])[-1], before)
        bpy.ops.ed.undo()  # of the bake
        bpy.ops.ed.undo()


def test_a_file_is_written_over_once_no_undo_reaches_it(scene, flag, tmp_path, monkeypatch):
    scene.verlet.mesh_bake = "PC2"
    monkeypatch.setattr(bpy.context.preferences.edit, "undo_steps", 6)
    for _ in range(8):
        assert bpy.ops.verlet.bake() == {"FINISHED"}
        assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert len(list((tmp_path / "Sail Verlet").iterdir())) == 4  # two steps of three, and two ends


def test_names_that_are_one_on_the_disk_have_two_files(scene, flag, tmp_path):
    other = cloth(name="Flag_1", size=4, location=(2, 0, 0))
    pin(other, [2])
    preview = motion(scene, flag), motion(scene, other)
    scene.verlet.mesh_bake = "PC2"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert len(list((tmp_path / "Sail Verlet").iterdir())) == 2
    assert np.array_equal(motion(scene, flag), preview[0])
    assert np.array_equal(motion(scene, other), preview[1])


def test_a_file_that_is_gone_is_found_by_the_doctor(scene, flag, tmp_path):
    scene.verlet.mesh_bake = "PC2"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert bpy.ops.verlet.check_scene() == {"FINISHED"}
    assert not any("is gone" in p.message for p in addon("doctor").of(scene).findings)
    (file,) = (tmp_path / "Sail Verlet").iterdir()
    file.unlink()
    assert bpy.ops.verlet.check_scene() == {"FINISHED"}
    found = addon("doctor").of(scene).findings[0]
    assert found.is_error
    assert "the file of its bake is gone" in found.message


def test_a_file_that_was_never_saved_is_refused_with_the_way_out(scene):
    scene.frame_end = LAST
    ob = cloth(name="Flag", size=3)
    pin(ob, [0])
    scene.verlet.mesh_bake = "PC2"
    assert "Save it first" in refusal(bpy.ops.verlet.bake)
    assert not addon("properties.bake_record").is_baked(ob)


def test_a_folder_that_cannot_be_written_is_named(scene, flag, tmp_path):
    Path(tmp_path / "Sail Verlet").write_text("in the way")
    scene.verlet.mesh_bake = "PC2"
    assert "cannot be written to" in refusal(bpy.ops.verlet.bake)
    assert not addon("properties.bake_record").is_baked(flag)
    assert not any(m.name == "Verlet Bake" for m in flag.modifiers)
