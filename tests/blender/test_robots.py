"""Figures of games: some meshes deformed, others parented to bones; wrong units; loose parts."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector
from small_rigs import armature
from small_scenes import addon, box, floor, play, seen, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

BONES = [
    ("Body", None, (0, 0, 1.0), (0, 0.02, 1.6), 0.3),
    ("Head", "Body", (0, 0.02, 1.62), (0.03, -0.1, 2.0), -0.7),
    *(
        (f"{name}.{side}", f"{parent}.{side}" if parent != "Body" else parent, *ends)
        for side, x in (("L", 1), ("R", -1))
        for name, parent, *ends in (
            ("UpperArm", "Body", (0.35 * x, 0, 1.5), (0.7 * x, 0.05, 1.4), 0.4 * x),
            ("LowerArm", "UpperArm", (0.7 * x, 0.05, 1.4), (1.05 * x, -0.1, 1.3), 2.0),
            ("UpperLeg", "Body", (0.2 * x, 0, 1.0), (0.22 * x, -0.03, 0.55), 0.2),
            ("LowerLeg", "UpperLeg", (0.22 * x, -0.03, 0.55), (0.2 * x, 0.03, 0.12), -0.5),
            ("Foot", "LowerLeg", (0.2 * x, 0.03, 0.12), (0.2 * x, -0.25, 0.06), 0.1),
        )
    ),
]

PLACES = {
    "as it is": Matrix.Identity(4),
    "turned": Matrix.LocRotScale(Vector((2, -1, 0.5)), Euler((0.3, 0.2, 1.1)), None),
    "halved": Matrix.LocRotScale(Vector((1, 0, 0)), Euler((0, 0, 2.0)), Vector((0.5, 0.5, 0.5))),
    "mirrored": Matrix.LocRotScale(None, Euler((0, 0.4, 0)), Vector((-1, 1, 1))),
}


def piece(rig, bone_name, width=0.22):
    """A box around a bone that stands in the rest pose, parented to nothing yet."""
    bone = rig.data.bones[bone_name]
    ob = box(name=f"Mesh {bone_name}", size=1.0, location=(0, 0, 0))
    middle = Matrix.Translation((0, 0.5 * bone.length, 0))
    size = Matrix.Diagonal((width, 0.9 * bone.length, 0.8 * width, 1.0))
    turned = Euler((0.1, 0.2, 0.3)).to_matrix().to_4x4()
    ob.matrix_world = rig.matrix_world @ bone.matrix_local @ middle @ size @ turned
    return ob


def hang(ob, rig, bone_name):
    """Parent to a bone as Ctrl P does, without a move."""
    there = ob.matrix_basis.copy()
    bpy.context.view_layer.update()
    ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", bone_name
    bone = rig.pose.bones[bone_name]
    end = rig.matrix_world @ bone.matrix @ Matrix.Translation((0, bone.length, 0))
    ob.matrix_parent_inverse = end.inverted()
    ob.matrix_basis = there


def weigh_down(ob, rig, bone_name):
    """Deform a mesh by one bone."""
    group = ob.vertex_groups.new(name=bone_name)
    group.add(range(len(ob.data.vertices)), 1.0, "REPLACE")
    ob.modifiers.new("Armature", "ARMATURE").object = rig


def robot(place=PLACES["as it is"], *, name="Robot", is_skinned=lambda bone: "Arm" in bone):
    rig = armature(BONES, name=name)
    rig.matrix_world = place
    bpy.context.view_layer.update()
    for bone, *_ in BONES:
        ob = piece(rig, bone)
        (weigh_down if is_skinned(bone) else hang)(ob, rig, bone)
    bpy.context.view_layer.update()
    return rig


def press(rig):
    select(rig)
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}


def plan_of(scene, rig):
    scene.frame_set(2)
    scene.frame_set(1)
    participant = next(
        p for p in session_of(scene).participants("RAGDOLL") if p.uid == rig.session_uid
    )
    return addon("ragdoll.bone_bodies").plan_of(participant), participant


def messages(scene):
    return [problem.message for problem in session_of(scene).problems]


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_mesh_on_a_bone_shapes_its_body_as_if_it_were_deformed(scene, place):
    stiff, soft = robot(place), robot(place, name="Soft", is_skinned=lambda bone: True)
    for rig in (stiff, soft):
        press(rig)
    (a, of_stiff), (b, of_soft) = plan_of(scene, stiff), plan_of(scene, soft)
    assert len(a.parts) == len(b.parts) == len(BONES)
    assert sum(part.joint is None for part in a.parts) == 1
    for skin in (of_stiff.armature.skin, of_soft.armature.skin):
        assert len(skin.points) == 8 * len(BONES)

    def points(skin):
        return skin.points[np.lexsort(skin.points.round(4).T)]

    np.testing.assert_allclose(
        points(of_stiff.armature.skin), points(of_soft.armature.skin), atol=1e-5
    )
    for part in a.parts:
        is_arm = "Arm" in a.skeleton.name[part.bone]
        assert (part.fit.shape == "HULL") == (not is_arm)
    assert messages(scene) == []


def test_a_pose_at_the_start_and_empties_in_between_change_nothing(scene):
    rig = robot()
    press(rig)
    plain, of_plain = plan_of(scene, rig)
    rig.pose.bones["UpperLeg.L"].rotation_mode = "XYZ"
    rig.pose.bones["UpperLeg.L"].rotation_euler = (0.7, 0.2, -0.3)
    handle = bpy.data.objects.new("Handle", None)
    scene.collection.objects.link(handle)
    head = bpy.data.objects["Mesh Head"]
    handle.matrix_basis = Matrix.LocRotScale(Vector((0.1, 0, 2)), Euler((0.5, 0.3, 0)), None)
    there = head.matrix_basis.copy()
    hang(handle, rig, "Head")
    inverse = head.matrix_parent_inverse.copy()
    head.parent, head.parent_type = handle, "OBJECT"
    head.matrix_parent_inverse = (
        handle.matrix_parent_inverse @ handle.matrix_basis
    ).inverted() @ inverse
    head.matrix_basis = there
    bpy.context.view_layer.update()
    session_of(scene).happened(addon("session.phase").EventKind.EDITED)
    _, of_posed = plan_of(scene, rig)
    points = of_plain.armature.skin.points
    np.testing.assert_allclose(of_posed.armature.skin.points, points, atol=1e-5)
    assert len(plain.parts) == len(BONES)


def test_the_robot_falls_as_one_and_rests_on_the_floor_with_all_that_is_seen(scene):
    floor()
    rig = robot(Matrix.LocRotScale(Vector((0, 0, 0.6)), Euler((0.5, 0.3, 0.2)), None))
    press(rig)
    play(scene, 1, 100)
    meshes = [ob for ob in scene.objects if ob.name.startswith("Mesh")]
    assert len(meshes) == len(BONES)
    lowest = min(seen(ob)[:, 2].min() for ob in meshes)
    highest = max(seen(ob)[:, 2].max() for ob in meshes)
    legs = [ob for ob in meshes if "Arm" not in ob.name]  # arms are capsules by their length
    assert min(seen(ob)[:, 2].min() for ob in legs) > -0.005
    assert -0.15 < lowest < 0.1
    assert highest < 1.2
    assert session_of(scene).failure == ""


def test_what_takes_part_by_itself_or_is_not_rendered_is_no_flesh(scene):
    rig = robot()
    sword, guide = box(name="Sword", size=2.0), box(name="Guide", size=3.0)
    for ob in (sword, guide):
        hang(ob, rig, "LowerArm.L")
    sword.verlet.kind = "COLLIDER"
    guide.hide_render = True
    press(rig)
    _, participant = plan_of(scene, rig)
    assert len(participant.armature.skin.points) == 8 * len(BONES)


def test_bones_without_a_body_and_meshes_left_behind_are_named(scene):
    rig = robot(is_skinned=lambda bone: True)
    for bone in ("Body", "Head", "UpperLeg.L"):
        bpy.data.objects.remove(bpy.data.objects[f"Mesh {bone}"])
    visor = box(name="Visor", location=(0, 0, 2))
    visor.parent = rig
    press(rig)
    plan_of(scene, rig)
    (bones, meshes) = messages(scene)
    assert "Body" in bones
    assert "no body" in bones
    assert "Visor" in meshes
    assert "left behind" in meshes
    hang(visor, rig, "Head")
    session_of(scene).happened(addon("session.phase").EventKind.EDITED)
    plan_of(scene, rig)
    assert not any("Visor" in text for text in messages(scene))


def test_what_was_pressed_with_its_meshes_selected_is_one_ragdoll(scene):
    rig = robot()
    for ob in scene.objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects["Mesh Head"]
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    assert [ob.name for ob in scene.objects if ob.verlet.kind != "NONE"] == [rig.name]


@pytest.mark.parametrize(
    ("unit", "factor", "words"),
    [
        (100.0, 0.01, "centimetres"),
        (1000.0, 0.001, "millimetres"),
        (0.01, 100.0, "too small"),
    ],
)
def test_a_figure_in_other_units_is_named_and_scaled(scene, unit, factor, words):
    rig = robot(Matrix.LocRotScale(Vector((3, 2, 0)), Euler((0, 0, 1)), Vector((unit,) * 3)))
    loose = next(ob for ob in scene.objects if ob.modifiers)
    assert loose.parent is None
    press(rig)
    scene.frame_set(2)
    scene.frame_set(1)
    problem = next(p for p in session_of(scene).problems if p.operator == "verlet.scale_figure")
    assert words in problem.message
    assert bpy.ops.verlet.scale_figure(uid=str(problem.object_uid)) == {"FINISHED"}
    assert rig.scale[0] == pytest.approx(unit * factor, rel=1e-5)
    assert tuple(rig.location) == pytest.approx((3, 2, 0))
    _, participant = plan_of(scene, rig)
    arrays = participant.armature
    assert addon("ragdoll.doubts").size(arrays.skeleton, arrays.skin) == pytest.approx(2.1, abs=0.3)
    assert 50.0 < participant.settings.mass < 500.0
    assert not any(p.operator == "verlet.scale_figure" for p in session_of(scene).problems)


@pytest.mark.without_wheels
def test_sizes_that_there_are_stand():
    doubts = addon("ragdoll.doubts")
    for extent in (0.06, 0.3, 1.7, 12.0, 19.0):
        assert doubts.factor_for(extent) == 1.0
    for extent in (25.0, 78.0, 180.0, 900.0, 1800.0, 0.018, 0.0017):
        assert 0.2 < extent * doubts.factor_for(extent) < 5.0
    assert doubts.factor_for(math.nan) == 1.0
    assert doubts.in_kilograms(65_400_000.0) == "65,400 t"
    assert doubts.in_metres(2100.0) == "2,100 m"
