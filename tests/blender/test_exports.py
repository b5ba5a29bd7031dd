"""What is baked leaves Blender and comes back as it was: glTF, Alembic, USD, FBX."""

import addon_utils
import bpy
import numpy as np
import pytest
from small_scenes import box, cloth, pin, play, seen, seen_matrix, select

pytestmark = [pytest.mark.usefixtures("scene"), pytest.mark.without_wheels]

LAST = 8
"""Frames are few: plain Python simulates them here."""

SAME = 1e-4  # m: the files hold 32 bits, and other axes


@pytest.fixture
def moving(scene):
    """A flag and a thrown box, baked to relative shape keys and to curves."""
    scene.frame_end = LAST
    scene.verlet.solver.substep_rate = 120
    flag = cloth(name="Flag", size=4, location=(1, 2, 3))
    pin(flag, [0, 4])
    flag.rotation_euler = (0.3, 0.2, 0.1)
    flag.scale = (1.5, 1.5, 1.5)
    crate = box(name="Crate", location=(-2, 0, 2))
    select(crate)
    bpy.ops.verlet.rigid_body()
    crate.verlet.body.velocity = (3, 1, 2)
    crate.verlet.body.angular_velocity = (4, 2, 7)
    bpy.context.view_layer.update()
    scene.verlet.mesh_bake = "RELATIVE"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    return flag, crate


def motion(scene, ob):
    """World places (F, n, 3) of the vertices in every frame."""
    found = []
    for frame in range(1, LAST + 1):
        scene.frame_set(frame)
        found.append(seen(ob))
    return np.array(found)


def nearest(a, b):
    """Largest distance of a point of a (F, n, 3) from the nearest of b (F, m, 3) in its frame.

    Exporters split vertices and order them anew, so places are compared and not numbers.
    """
    worst = 0.0
    for mine, theirs in zip(a, b):
        away = np.linalg.norm(mine[:, None] - theirs[None], axis=2)
        worst = max(worst, away.min(axis=1).max(), away.min(axis=0).max())
    return worst


def come_back(scene, moving, load):
    """Import, find each object by its name, and compare its motion."""
    before = {ob.name: motion(scene, ob) for ob in moving}
    assert np.ptp(before["Flag"], axis=0).max() > 0.02
    assert np.ptp(before["Crate"], axis=0).max() > 0.3
    known = set(bpy.data.objects)
    load()
    meshes = [ob for ob in bpy.data.objects if ob not in known and ob.type == "MESH"]
    assert len(meshes) == 2
    for ob in meshes:
        name = next(name for name in before if ob.name.startswith(name) or _above(ob, name))
        assert nearest(motion(scene, ob), before[name]) < SAME, name


def _above(ob, name):
    while ob is not None:
        if ob.name.startswith(name):
            return True
        ob = ob.parent
    return False


def test_gltf(scene, moving, tmp_path):
    addon_utils.enable("io_scene_gltf2")
    path = str(tmp_path / "moving.glb")
    bpy.ops.export_scene.gltf(
        filepath=path,
        export_animation_mode="SCENE",
        export_anim_scene_split_object=False,  # one animation, which importers play
        export_morph_animation=True,
    )
    come_back(scene, moving, lambda: bpy.ops.import_scene.gltf(filepath=path))


def test_alembic(scene, moving, tmp_path):
    path = str(tmp_path / "moving.abc")
    assert bpy.ops.wm.alembic_export(
        filepath=path, start=1, end=LAST, as_background_job=False
    ) == {"FINISHED"}  # fmt: skip
    come_back(
        scene, moving, lambda: bpy.ops.wm.alembic_import(filepath=path, as_background_job=False)
    )


def test_usd(scene, moving, tmp_path):
    path = str(tmp_path / "moving.usdc")
    assert bpy.ops.wm.usd_export(filepath=path, export_animation=True) == {"FINISHED"}
    come_back(scene, moving, lambda: bpy.ops.wm.usd_import(filepath=path))


def test_fbx(scene, moving, tmp_path):
    addon_utils.enable("io_scene_fbx")
    path = str(tmp_path / "moving.fbx")
    bpy.ops.export_scene.fbx(filepath=path, bake_anim=True, bake_anim_simplify_factor=0.0)
    come_back(scene, moving, lambda: bpy.ops.import_scene.fbx(filepath=path))


def test_relative_keys_play_what_absolute_ones_do_and_are_freed(scene, moving):
    flag, _ = moving
    relative = motion(scene, flag)
    keys = flag.data.shape_keys
    assert keys.use_relative
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert flag.data.shape_keys is None
    scene.verlet.mesh_bake = "ABSOLUTE"
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert not flag.data.shape_keys.use_relative
    assert np.abs(motion(scene, flag) - relative).max() < 1e-5


def test_own_keys_rest_while_relative_ones_play(scene):
    scene.frame_end = LAST
    scene.verlet.solver.substep_rate = 120
    flag = cloth(name="Flag", size=4)
    pin(flag, [0])
    flag.shape_key_add(name="Basis")
    own = flag.shape_key_add(name="Bulge")
    own.data[5].co.z += 0.4
    own.value = 0.5
    play(scene, 1, LAST)
    simulated = motion(scene, flag)
    scene.verlet.mesh_bake = "RELATIVE"
    scene.frame_set(1)
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert np.abs(motion(scene, flag) - simulated).max() < 1e-5
    assert own.mute
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    names = [block.name for block in flag.data.shape_keys.key_blocks]
    assert names == ["Basis", "Bulge"]
    assert not own.mute
    assert own.value == pytest.approx(0.5)
    assert flag.data.shape_keys.animation_data is None
    assert seen_matrix(flag) is not None
