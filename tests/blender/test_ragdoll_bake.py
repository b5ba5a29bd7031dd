"""Bakes of ragdolls with fewer keys, with root motion, and through other file formats."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from small_rigs import (
    chain,
    largest_difference,
    own_values,
    person,
    plays_elsewhere,
    ragdoll,
    seen_bones,
    simulated_bones,
)
from small_scenes import addon, floor, new_object, play, seen, select

pytestmark = pytest.mark.usefixtures("scene")

ROTATION_MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE")


def bake(scene, last):
    scene.frame_start, scene.frame_end = 1, last
    assert bpy.ops.verlet.bake() == {"FINISHED"}


def key_count(ob):
    return sum(len(curve.keyframe_points) for curve in addon("blender.compat").fcurves_of(ob))


def thrown(**options):
    """A person of all rotation modes that falls on a floor."""
    floor()
    ob = person(location=(0, 0, 0.5), **options)
    for bone, mode in zip(ob.pose.bones, ROTATION_MODES * 4):
        bone.rotation_mode = mode
    return ragdoll(ob)


def apart(a, b):
    """Largest distance of heads and largest angle (degrees) between bones of the same names."""
    far = max(np.linalg.norm(a[name][:3, 3] - b[name][:3, 3]) for name in b)
    turns = [
        np.linalg.svd(m[:3, :3])[0] @ np.linalg.svd(m[:3, :3])[2] for n, m in a.items() if n in b
    ]
    others = [np.linalg.svd(b[n][:3, :3])[0] @ np.linalg.svd(b[n][:3, :3])[2] for n in a if n in b]
    cosines = [0.5 * (np.trace(x.T @ y) - 1.0) for x, y in zip(turns, others)]
    return far, np.degrees(np.arccos(np.clip(min(cosines), -1, 1)))


def test_fewer_keys_keep_every_bone_within_the_bound(scene):
    ob = thrown()
    ob.scale = (1.5, 1.5, 1.5)
    bake(scene, 60)
    full = key_count(ob)
    select(ob)
    bpy.ops.verlet.free_bake()
    scene.verlet.reduce_keys = True
    scene.verlet.place_tolerance, scene.verlet.angle_tolerance = 4.0, np.radians(1.0)
    bake(scene, 60)
    assert key_count(ob) < 0.6 * full
    worst_place = worst_angle = 0.0
    for frame in range(1, 61):
        scene.frame_set(frame)
        place, angle = apart(seen_bones(ob), simulated_bones(scene, ob, frame))
        worst_place, worst_angle = max(worst_place, place), max(worst_angle, angle)
    assert 0.001 < worst_place < 0.004 + 1e-5
    assert 0.3 < worst_angle < 1.0 + 0.05
    select(ob)
    scene.frame_set(1)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert not bpy.data.actions


def with_root(ob):
    """The armature with a bone beneath it that deforms nothing."""
    select(ob)
    bpy.ops.object.mode_set(mode="EDIT")
    root = ob.data.edit_bones.new("root")
    root.head, root.tail, root.use_deform = (0, 0, 0), (0, 0.3, 0), False
    for bone in ob.data.edit_bones:
        if bone.parent is None and bone != root:
            bone.parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    return ob


@pytest.mark.parametrize("reduce_keys", [False, True])
@pytest.mark.parametrize("root_motion", ["OBJECT", "ROOT"])
def test_root_motion_goes_where_it_is_asked_for(scene, tmp_path, root_motion, reduce_keys):
    floor()
    ob = ragdoll(with_root(person(location=(0.4, 0, 0.3))))
    parent = bpy.data.objects.new("Cart", None)
    scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler = (0.8, 0.8, 0.8), (0, 0, 0.7)
    ob.parent = parent
    for frame, x in ((1, -1.0), (9, 0.0)):
        ob.location.x = x
        ob.keyframe_insert("location", index=0, frame=frame)
    action = ob.animation_data.action
    scene.frame_set(1)
    own, place = own_values(ob), Matrix(ob.matrix_basis)
    scene.verlet.root_motion = root_motion
    scene.verlet.reduce_keys = reduce_keys
    bake(scene, 30)
    wanted = {frame: simulated_bones(scene, ob, frame) for frame in range(1, 31)}
    start = np.array(seen_bones(ob)["pelvis"])
    travel = wanted[30]["pelvis"][:3, 3] - start[:3, 3]
    assert np.linalg.norm(travel[:2]) > 0.2
    for frame in range(1, 31):
        scene.frame_set(frame)
        shown = seen_bones(ob)
        limit = 2e-3 if reduce_keys else 1e-4
        assert max(np.abs(shown[n] - m)[:3, 3].max() for n, m in wanted[frame].items()) < limit
        if not reduce_keys:
            assert largest_difference(shown, wanted[frame], wanted[frame]) < 1e-4
    if not reduce_keys:
        assert plays_elsewhere(tmp_path, ob, wanted) < 1e-4
    carrier = seen_bones(ob)["root"][:3, 3]
    in_place = ob.pose.bones["root"].location.length < 1e-6
    assert in_place == (root_motion == "OBJECT")
    scene.frame_set(1)
    moved = carrier - seen_bones(ob)["root"][:3, 3]
    np.testing.assert_allclose(moved, (*travel[:2], 0), atol=3e-3)
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.animation_data.action == action
    assert [a.name for a in bpy.data.actions] == [action.name]
    scene.frame_set(1)
    assert own_values(ob) == own
    assert np.abs(np.array(ob.matrix_basis) - np.array(place)).max() < 1e-6


def test_the_height_of_root_motion_and_what_cannot_carry_it(scene):
    ob = ragdoll(chain(4))
    scene.verlet.root_motion, scene.verlet.root_height = "OBJECT", True
    bake(scene, 10)
    scene.frame_set(10)
    assert ob.matrix_world.translation.z < -0.4
    assert ob.pose.bones["Bone 0"].location.length < 0.05
    select(ob)
    bpy.ops.verlet.free_bake()
    scene.verlet.root_motion = "ROOT"
    baking = addon("bake.scene_bake")
    result = baking.write(scene, range(1, 11), [ob.session_uid])
    assert "no root bone that could go along" in result.warnings[0]
    assert result.objects == ["Rig"]
    bpy.ops.verlet.free_bake()
    skin = new_object("Skin", [(0.1, 0, 1), (0.2, 0, 1), (0.1, 0.1, 1)], faces=[(0, 1, 2)])
    skin.modifiers.new("Armature", "ARMATURE").object = ob
    scene.verlet.root_motion = "OBJECT"
    play(scene, 1, 10)
    result = baking.write(scene, range(1, 11), [ob.session_uid])
    assert "Skin follows its bones and is not its child" in result.warnings[0]
    scene.frame_set(10)
    assert ob.matrix_world.translation.z == 0.0


# ---------------------------------------------------------------------- other formats


def skinned(ob):
    """A mesh with a few points at each bone, hung on the armature as Ctrl P does."""
    points, groups = [], []
    for bone in ob.data.bones:
        for share in (0.0, 0.5, 1.0):
            place = bone.head_local.lerp(bone.tail_local, share)
            groups.append((bone.name, len(points)))
            points += [place + bone.matrix_local.to_3x3() @ offset for offset in CORNERS]
    faces = [(i, i + 1, i + 2) for i in range(0, len(points), 3)]
    mesh = new_object("Skin", points, faces=faces)
    for name, first in groups:
        group = mesh.vertex_groups.get(name) or mesh.vertex_groups.new(name=name)
        group.add([first, first + 1, first + 2], 1.0, "REPLACE")
    mesh.parent = ob
    mesh.modifiers.new("Armature", "ARMATURE").object = ob
    bpy.context.view_layer.update()
    return mesh


CORNERS = tuple(Matrix.Identity(3)[i] * 0.05 for i in range(3))


@pytest.mark.parametrize("root_motion", ["BONES", "OBJECT"])
def test_gltf_carries_the_motion(scene, tmp_path, root_motion):
    floor()
    ob = person(location=(0.2, 0, 0.3))
    skin = skinned(ob)
    ragdoll(ob)
    scene.verlet.root_motion = root_motion
    scene.render.fps = 24
    bake(scene, 25)
    wanted = {}
    for frame in (1, 8, 16, 25):
        scene.frame_set(frame)
        wanted[frame] = seen(skin)
    path = str(tmp_path / "ragdoll.glb")
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    select(ob, skin)
    bpy.ops.export_scene.gltf(
        filepath=path, use_selection=True, export_force_sampling=True, export_yup=True
    )
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    scene = bpy.context.scene
    scene.render.fps = 24
    bpy.ops.import_scene.gltf(filepath=path)
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and o.find_armature()]
    first = int(meshes[0].find_armature().animation_data.action.frame_range[0])
    for frame, places in wanted.items():
        scene.frame_set(frame - 1 + first)
        found = seen(meshes[0])
        gaps = np.linalg.norm(found[:, None] - places[None], axis=2)
        assert gaps.min(axis=0).max() < 1e-4
        assert gaps.min(axis=1).max() < 1e-4


BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Head
    {
      OFFSET 0 30 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 20 0
      }
    }
    JOINT LeftArm
    {
      OFFSET 18 25 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT LeftForeArm
      {
        OFFSET 26 0 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {
          OFFSET 25 0 0
      }
      }
    }
  }
  JOINT LeftUpLeg
  {
    OFFSET 10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftLeg
    {
      OFFSET 0 -42 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 -42 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0416667
0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
2 100 0 0 0 0 0 5 0 0 0 0 0 0 -20 0 0 0 0 0 0 0 9 0
4 100 0 0 0 0 0 9 0 0 0 0 0 0 -40 0 0 0 0 0 0 0 18 0
"""


def test_motion_capture_becomes_a_ragdoll(scene, tmp_path):
    path = tmp_path / "walk.bvh"
    path.write_text(BVH)
    bpy.ops.preferences.addon_enable(module="io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, use_fps_scale=False)
    ob = bpy.context.object
    scene.frame_start = 3
    floor()
    ragdoll(ob)
    scene.frame_end = 80
    scene.frame_set(3)
    start = seen_bones(ob)
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    wanted = simulated_bones(scene, ob, 4)
    speed = (wanted["Hips"] - start["Hips"])[:3, 3]
    assert speed[0] == pytest.approx(0.02, abs=4e-3)  # as captured
    for frame in (3, 10, 40, 80):
        scene.frame_set(frame)
        wanted = simulated_bones(scene, ob, frame)
        assert largest_difference(seen_bones(ob), wanted, wanted) < 1e-4
    assert max(m[2, 3] for m in wanted.values()) < 0.5
    roles = {part.role for part in addon("ragdoll.bone_bodies").plan_of(ragdoll_of(scene)).parts}
    assert {"thigh", "shin", "upper_arm", "forearm", "head"} <= roles


def ragdoll_of(scene):
    return addon("session").of(scene).participants("RAGDOLL")[0]
