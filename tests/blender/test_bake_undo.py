"""What a bake has displaced comes back after undo and redo as well."""

import importlib

import bpy
import numpy as np
import pytest
from object_snapshot import differences, file_snapshot

pytestmark = pytest.mark.usefixtures("scene")

FRAMES = [1, 2, 3]


@pytest.fixture
def bake(extension):
    name = f"{extension.__name__}.verlet_addon.bake"
    return {
        module: importlib.import_module(f"{name}.{module}")
        for module in ("shape_keys", "transforms", "restore")
    }


@pytest.fixture
def undo_steps(scene):
    edit = bpy.context.preferences.edit
    before, edit.use_global_undo = edit.use_global_undo, True
    yield
    edit.use_global_undo = before


def undo():
    assert bpy.ops.ed.undo() == {"FINISHED"}
    bpy.context.view_layer.update()


def redo():
    assert bpy.ops.ed.redo() == {"FINISHED"}
    bpy.context.view_layer.update()


def push(name):
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message=name)


@pytest.mark.usefixtures("undo_steps")
def test_undo_and_redo_of_bake_and_free(bake):
    scene = bpy.context.scene
    mesh = bpy.data.meshes.new("Shared")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    for name in ("Cloth", "Other"):
        scene.collection.objects.link(bpy.data.objects.new(name, mesh))
    other = bpy.data.objects["Other"]
    other.keyframe_insert("location", frame=1)
    other.animation_data.action.name = "Walk"
    push("setup")
    before = file_snapshot()

    rng = np.random.default_rng(1)
    bake["shape_keys"].write(bpy.data.objects["Cloth"], FRAMES, rng.normal(size=(3, 3, 3)))
    bake["transforms"].write(other, FRAMES, np.tile(np.eye(4), (3, 1, 1)))
    push("bake")
    baked = file_snapshot()

    undo()
    assert differences(before, file_snapshot()) == []
    redo()
    assert differences(baked, file_snapshot()) == []
    assert bake["restore"].free_many(bpy.data.objects) == 2
    push("free")
    assert differences(before, file_snapshot()) == []
    undo()
    assert differences(baked, file_snapshot()) == []
    assert bake["restore"].free_many(bpy.data.objects) == 2
    bpy.context.view_layer.update()
    scene = bpy.context.scene
    scene.frame_set(1)
    assert differences(before, file_snapshot()) == []
