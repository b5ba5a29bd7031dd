"""Each demo file opens, bakes without a word of complaint, and what bends in it moves."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from small_scenes import addon, session_of

FOLDER = Path(__file__).resolve().parents[2] / "demo_files"
FILES = sorted(FOLDER.glob("*.blend"))
LAST = 16
LARGEST = 800_000  # bytes
FASTEST = 30.0  # m/s; the quickest thing that is meant to move does 15


def simulated(scene):
    return [ob for ob in scene.objects if addon("properties.participants").is_moved(ob)]


def places(scene, frame):
    """World coordinates of every vertex or bone that is simulated, curves as they are drawn."""
    scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for original in simulated(scene):
        ob = original.evaluated_get(depsgraph)
        if ob.type == "ARMATURE":
            found[ob.name] = np.array([ob.matrix_world @ bone.head for bone in ob.pose.bones])
            continue
        mesh = ob.to_mesh()
        if not len(mesh.vertices):  # a curve that is drawn by what is laid along it
            ob.to_mesh_clear()
            points = [point.co[:3] for spline in ob.data.splines for point in spline.points]
            local = np.array(points)
        else:
            local = np.empty(3 * len(mesh.vertices), np.float32)
            mesh.vertices.foreach_get("co", local)
            ob.to_mesh_clear()
        matrix = np.array(ob.matrix_world)
        found[original.name] = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return found


def test_every_scene_has_its_file_and_picture():
    scenes = {path.stem for path in (FOLDER / "scenes").glob("[!_]*.py")}
    assert {path.stem for path in FILES} == scenes
    pictures = FOLDER.parent / "docs" / "images"
    assert all((pictures / f"{name}.jpg").is_file() for name in scenes)
    assert all(path.stat().st_size < LARGEST for path in FILES)


@pytest.mark.usefixtures("scene")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_bakes_and_moves(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    assert simulated(scene)
    assert bpy.ops.verlet.bake(frame_end=LAST) == {"FINISHED"}
    running = session_of(scene)
    assert not running.problems
    assert not running.failure
    assert all(addon("properties.bake_record").is_baked(ob) for ob in simulated(scene))
    first = before = places(scene, 1)
    for frame in range(2, LAST + 1):
        now = places(scene, frame)
        for name, there in now.items():
            assert np.isfinite(there).all()
            speed = np.linalg.norm(there - before[name], axis=1).max() * scene.render.fps
            assert speed < FASTEST, (name, frame)
        before = now
    moved = {name for name, there in before.items() if np.abs(there - first[name]).max() > 1e-3}
    assert moved
    bends = {ob.name for ob in simulated(scene) if ob.verlet.kind != "BODY"}  # bodies may stand
    assert moved >= bends
