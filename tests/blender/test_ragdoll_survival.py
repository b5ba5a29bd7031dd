"""Ragdolls under odd treatment: duplicates, linked and overridden rigs, modes, many bones."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from small_rigs import (
    armature,
    chain,
    largest_difference,
    own_values,
    person,
    ragdoll,
    seen_bones,
    select_bones,
    simulated_bones,
)
from small_scenes import addon, floor, new_object, play, refusal, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def matches(scene, ob, frame):
    """Whether what is seen is what was simulated."""
    wanted = simulated_bones(scene, ob, frame)
    return largest_difference(seen_bones(ob), wanted, wanted) < 2e-5


@pytest.mark.parametrize("linked", [False, True])
def test_a_duplicate_of_a_falling_character_is_another_one(scene, linked):
    floor()
    a = ragdoll(person(name="A", location=(0, 0, 0.3)))
    a.pose.bones["chest"].verlet.mass = 2.0
    a.pose.bones["forearm.L"].rotation_quaternion = (0.9, 0.3, 0, 0)
    own = own_values(a)
    play(scene, 1, 8)
    select(a)
    bpy.ops.object.duplicate(linked=linked)
    b = bpy.context.object
    assert b != a
    b.location.x += 2.0
    assert b.pose.bones["chest"].verlet.mass == 2.0
    play(scene, 1, 12)
    running = session_of(scene)
    assert running.problems == []
    assert len(running.participants("RAGDOLL")) == 2
    assert matches(scene, a, 12)
    assert matches(scene, b, 12)
    select(b)
    assert bpy.ops.verlet.remove() == {"FINISHED"}
    play(scene, 1, 4)
    assert len(session_of(scene).participants("RAGDOLL")) == 1
    select(a)
    bpy.ops.verlet.remove()
    assert own_values(a) == own


@pytest.fixture
def library(tmp_path):
    """A .blend file with an armature "Linked"."""
    ob = chain(3, name="Linked")
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {ob})
    bpy.data.objects.remove(ob)
    bpy.data.armatures.remove(bpy.data.armatures["Linked"])
    return path


def link(path):
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["Linked"]
    ob = wanted.objects[0]
    bpy.context.scene.collection.objects.link(ob)
    return ob


def test_a_linked_rig_is_named_with_the_way_out(library):
    ob = link(library)
    select(ob)
    told = refusal(bpy.ops.verlet.ragdoll)
    assert "Linked: it is linked" in told
    assert "Library Override" in told


def test_an_overridden_rig_falls_and_says_how_it_can_be_baked(scene, library):
    ob = link(library).override_create(remap_local_usages=True)
    select(ob)
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    start = seen_bones(ob)["Bone 0"][2, 3]
    play(scene, 1, 8)
    assert session_of(scene).problems == []
    assert seen_bones(ob)["Bone 0"][2, 3] < start - 0.2
    assert matches(scene, ob, 8)
    scene.frame_end = 8
    assert "Linked" in (told := refusal(bpy.ops.verlet.bake))
    assert "Make Local" in told
    bpy.ops.verlet.reset()
    assert seen_bones(ob)["Bone 0"][2, 3] == pytest.approx(start, abs=1e-6)


def test_a_local_object_with_linked_bones_is_baked_and_freed(scene, library):
    data = link(library).data
    ob = bpy.data.objects.new("Local", data)
    scene.collection.objects.link(ob)
    ragdoll(ob)
    scene.frame_end = 6
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(6)
    assert matches(scene, ob, 6)
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}


def test_modes_of_the_armature(scene):
    ob = chain(3)
    select(ob)
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    play(scene, 1, 6)
    assert matches(scene, ob, 6)
    scene.frame_end = 6
    assert bpy.ops.verlet.bake() == {"FINISHED"}  # animators live in Pose Mode
    scene.frame_set(6)
    assert matches(scene, ob, 6)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="EDIT")
    play(scene, 1, 2)
    assert any("Rig: its bones are being edited" in p.message for p in session_of(scene).problems)
    ob.data.edit_bones["Bone 2"].tail.z += 0.2
    bpy.ops.object.mode_set(mode="OBJECT")
    play(scene, 1, 6)
    assert session_of(scene).problems == []
    assert matches(scene, ob, 6)


def test_an_edit_by_hand_holds_for_all_selected_bones(scene):
    ob = ragdoll(person())
    other = ragdoll(chain(2, name="Other", location=(3, 0, 0)))
    select_bones(ob, ["shin.L", "shin.R"])
    active = ob.pose.bones["shin.L"]
    selected = [active, ob.pose.bones["shin.R"], other.pose.bones["Bone 1"]]

    def edit(area, group, name):
        context = SimpleNamespace(
            area=SimpleNamespace(type=area), active_pose_bone=active, selected_pose_bones=selected
        )
        addon("properties.edits").after_bone_edit(name)(group, context)

    active.verlet.mass, active.verlet_limp = 3.0, 0.25
    edit("PROPERTIES", active.verlet, "mass")
    edit("VIEW_3D", active, "verlet_limp")
    assert [b.verlet.mass for b in selected] == [3.0] * 3
    assert [b.verlet_limp for b in selected] == [0.25] * 3
    assert ob.pose.bones["chest"].verlet.mass == 1.0
    active.verlet.size = 2.0
    edit("CONSOLE", active.verlet, "size")  # a script means what it says
    assert ob.pose.bones["shin.R"].verlet.size == 1.0


def test_skins_without_weights_and_bones_without_length(scene):
    floor()
    bones = [
        ("a", None, (0, 0, 0.6), (0.4, 0, 0.6), 0.1),
        ("tip", "a", (0.4, 0, 0.6), (0.4, 0, 0.601), 0.0),
        ("b", "a", (0.4, 0, 0.6), (0.8, 0, 0.6), 1.0),
    ]
    ob = armature(bones)
    bare = new_object("Bare", [(0, 0, 1), (1, 0, 1), (0, 1, 1)], faces=[(0, 1, 2)])
    bare.modifiers.new("Armature", "ARMATURE").object = ob
    ragdoll(ob)
    play(scene, 1, 30)
    assert session_of(scene).problems == []
    assert session_of(scene).last == 30
    assert matches(scene, ob, 30)


def test_characters_whose_arms_start_inside_each_other_come_apart_gently(scene):
    scene.use_gravity = False
    a = ragdoll(person(name="A"))
    b = ragdoll(person(name="B", location=(0.4, 0.02, 0.0)))
    play(scene, 1, 60)
    running = session_of(scene)
    assert (running.problems, running.failure, running.last) == ([], "", 60)
    for ob in (a, b):
        places = np.array([m[:3, 3] for m in simulated_bones(scene, ob, 60).values()])
        before = np.array([m[:3, 3] for m in simulated_bones(scene, ob, 59).values()])
        assert np.abs(places - before).max() * 24.0 < 1.5  # m/s


def test_bones_that_got_other_names_since_the_bake_are_freed_too(scene):
    """Two of them each other's."""
    floor()
    ob = ragdoll(person(location=(0, 0, 0.3)))
    scene.frame_end = 12
    own = own_values(ob)
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(12)
    names = {"shin.L": "Unterschenkel", "thigh.L": "swap", "thigh.R": "thigh.L", "swap": "thigh.R"}
    for old, new in names.items():
        ob.data.bones[old].name = new
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    bpy.ops.verlet.reset()
    for old, new in (("Unterschenkel", "shin.L"), ("thigh.R", "swap"), ("thigh.L", "thigh.R")):
        ob.data.bones[old].name = new
    ob.data.bones["swap"].name = "thigh.L"
    assert own_values(ob) == own
    assert not any(bone.verlet.baked_as for bone in ob.pose.bones)
