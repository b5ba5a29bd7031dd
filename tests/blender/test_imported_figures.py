"""Figures with actions of their own that come through glTF: let go and brought back."""

import math

import addon_utils
import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector
from small_rigs import person, ragdoll, seen_bones, simulated_bones
from small_scenes import floor, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

FIRST, LAST, BLEND, END = 20, 40, 12, 60
STEP = 16  # frames of a step cycle


def walking_figure():
    """A person with a skin, who walks by keys in each frame."""
    rig = person(location=(0, 0, 0.06))
    mesh = bpy.data.meshes.new("Skin")
    vertices, faces, groups = [], [], []
    for bone in rig.data.bones:
        middle, half = 0.5 * (bone.head_local + bone.tail_local), 0.4 * bone.length
        first = len(vertices)
        corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        vertices += [
            tuple(middle + bone.matrix_local.to_3x3()
                  @ Vector((0.05 * x, half * y, 0.05 * z)))
            for x, y, z in corners
        ]  # fmt: skip
        faces += [
            tuple(first + i for i in face)
            for face in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4),
                         (1, 5, 7, 3))
        ]  # fmt: skip
        groups.append((bone.name, range(first, first + 8)))
    mesh.from_pydata(vertices, [], faces)
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for name, rows in groups:
        skin.vertex_groups.new(name=name).add(list(rows), 1.0, "REPLACE")
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    for frame in range(1, END + 1):
        phase = 2 * math.pi * frame / STEP
        rig.location = (0, -0.05 * frame, 0.06)
        rig.keyframe_insert("location", frame=frame)
        for side, sign in (("L", 1), ("R", -1)):
            for name, angle in (
                (f"thigh.{side}", 0.45 * sign * math.sin(phase)),
                (f"shin.{side}", 0.6 * max(0.0, sign * math.cos(phase)) ** 2),
                (f"upper_arm.{side}", 0.3 * sign * math.cos(phase)),
            ):
                bone = rig.pose.bones[name]
                rest = bone.bone.matrix_local.to_3x3()
                turn = rest.inverted() @ Euler((angle, 0, 0)).to_matrix() @ rest
                bone.rotation_quaternion = turn.to_quaternion()
                bone.keyframe_insert("rotation_quaternion", frame=frame)
    return rig


@pytest.fixture
def imported(scene, tmp_path):
    """The same figure as another program hands it over."""
    addon_utils.enable("io_scene_gltf2")
    scene.frame_end = END
    rig = walking_figure()
    path = str(tmp_path / "walker.glb")
    bpy.ops.export_scene.gltf(filepath=path)
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    assert rig is not None
    bpy.ops.import_scene.gltf(filepath=path)
    floor()
    (rig,) = (ob for ob in scene.objects if ob.type == "ARMATURE")
    assert len(rig.data.bones) == 13
    return rig


def as_keyed(scene, rig):
    """World matrices of all bones as the keys have them, by frame."""
    found = {}
    for frame in range(1, END + 1):
        scene.frame_set(frame)
        found[frame] = seen_bones(rig)
    scene.frame_set(1)
    return found


def away(scene, rig, keyed):
    """How far (m) the farthest bone is from its keys, and how high the head is, by frame."""
    far, height = {}, {}
    for frame in range(1, END + 1):
        scene.frame_set(frame)
        if frame > 1:
            now = simulated_bones(scene, rig, frame)
            shown = seen_bones(rig)
            assert max(np.abs(now[name] - shown[name]).max() for name in now) < 1e-4
            far[frame] = max(
                np.linalg.norm((keyed[frame][name] - now[name])[:3, 3]) for name in now
            )
            height[frame] = now["head"][2, 3]
    assert session_of(scene).failure == ""
    return far, height


def let_go_and_back(scene, rig):
    keyed = as_keyed(scene, rig)
    assert np.abs(keyed[1]["thigh.L"] - keyed[5]["thigh.L"]).max() > 0.1
    ragdoll(rig)
    select(rig)
    assert bpy.ops.verlet.ragdoll_between(first=FIRST, last=LAST, blend=BLEND) == {"FINISHED"}
    assert as_keyed(scene, rig)[FIRST - 1].keys() == keyed[1].keys()
    far, height = away(scene, rig, keyed)
    assert max(far[frame] for frame in range(2, FIRST)) < 1e-3  # Limp 0: on its keys
    swerve = max(  # of the keys themselves in that frame: what flies on goes straight
        np.linalg.norm((keyed[FIRST][n] - 2 * keyed[FIRST - 1][n] + keyed[FIRST - 2][n])[:3, 3])
        for n in keyed[FIRST]
    )
    assert far[FIRST] < swerve + 0.02  # it takes its speed along
    assert far[LAST] > 0.3
    assert height[LAST] < 0.6 * height[FIRST]  # it has fallen
    assert max(far[frame] for frame in range(LAST + BLEND + 1, END + 1)) < 1e-3
    steps = np.abs(np.diff([far[frame] for frame in range(LAST, END + 1)]))
    assert steps.max() < 0.4 * max(far.values())  # no jump on the way back


def test_an_imported_figure_falls_between_two_frames_and_comes_back(scene, imported):
    let_go_and_back(scene, imported)


def test_an_action_in_a_track_of_the_nla_plays_on(scene, imported):
    """Files with several actions arrive with all of them in tracks, and none of them active."""
    animation = imported.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    for track in list(animation.nla_tracks):
        animation.nla_tracks.remove(track)
    strip = animation.nla_tracks.new().strips.new("Walk", 1, action)
    if slot is not None:
        strip.action_slot = slot
    animation.action = None
    let_go_and_back(scene, imported)
