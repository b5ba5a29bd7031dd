"""Ragdoll on mesh objects: robots of separate pieces."""

import importlib

import bpy
import numpy as np
import pytest
from small_rigs import chain
from small_scenes import (
    MODULE,
    box,
    floor,
    new_object,
    play,
    refusal,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def piece(name, size, location):
    """A box of a size (x, y, z)."""
    ob = box(name=name, size=1.0, location=location)
    for vertex in ob.data.vertices:
        vertex.co = [a * b for a, b in zip(vertex.co, size)]
    bpy.context.view_layer.update()
    return ob


def robot(lift=0.0):
    """Nine boxes with gaps of 2 cm between them."""
    pieces = [
        piece("Torso", (0.4, 0.2, 0.5), (0, 0, 1.25 + lift)),
        piece("Head", (0.2, 0.2, 0.2), (0, 0, 1.62 + lift)),
    ]
    for side, x in (("L", 1), ("R", -1)):
        pieces += [
            piece(f"Arm.{side}", (0.3, 0.1, 0.1), (0.37 * x, 0, 1.42 + lift)),
            piece(f"Forearm.{side}", (0.3, 0.1, 0.1), (0.69 * x, 0, 1.42 + lift)),
            piece(f"Thigh.{side}", (0.14, 0.14, 0.45), (0.12 * x, 0, 0.755 + lift)),
            piece(f"Shin.{side}", (0.14, 0.14, 0.45), (0.12 * x, 0, 0.285 + lift)),
        ]
    return pieces


def ragdoll(*pieces):
    select(*pieces)
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    return joints()


def joints():
    """The joints by the names of what they join."""
    return {
        (ob.verlet.joint.object_a.name, ob.verlet.joint.object_b.name): ob
        for ob in bpy.context.scene.objects
        if ob.verlet.is_joint
    }


def widest_gap(scene, frame):
    """Largest distance between the two places that a joint holds together, m."""
    running = session_of(scene)
    truth = importlib.import_module(f"{MODULE}.core.truth.joints")
    return truth.joint_gaps(running.model, running.cache[frame]).max()


def test_pieces_fall_as_one_character_and_come_to_rest(scene):
    floor()
    pieces = robot(lift=0.3)
    made = ragdoll(*pieces)
    assert set(made) == {
        ("Torso", "Head"),
        *(("Torso", f"{limb}.{side}") for limb in ("Arm", "Thigh") for side in "LR"),
        *((f"{a}.{side}", f"{b}.{side}") for a, b in PAIRS for side in "LR"),
    }
    knee = made["Thigh.L", "Shin.L"]
    assert (knee.verlet.joint.kind, knee.verlet.joint.is_limited) == ("HINGE", True)
    assert tuple(knee.location) == pytest.approx((0.12, 0, 0.82), abs=0.01)
    assert made["Torso", "Arm.L"].verlet.joint.kind == "CONE_TWIST"
    assert all(ob.verlet.body.mass_by == "DENSITY" for ob in pieces)
    bpy.data.objects["Torso"].verlet.body.velocity = (1.0, 2.0, 0.0)  # else it may stay upright
    play(scene, 1, 150)
    running = session_of(scene)
    assert (running.problems, running.failure, running.last) == ([], "", 150)
    assert max(widest_gap(scene, f) for f in range(100, 151)) < 1e-3
    assert max(seen_matrix(ob)[2, 3] for ob in pieces) < 0.6
    assert (running.cache[150].body_rest > 0.0).all()


PAIRS = (("Arm", "Forearm"), ("Thigh", "Shin"))


def test_remove_takes_the_joints_along_and_nothing_else(scene):
    pieces = robot()
    names = {ob.name for ob in scene.objects}
    matrices = [ob.matrix_world.copy() for ob in pieces]
    ragdoll(*pieces)
    play(scene, 1, 5)
    arm = scene.objects["Arm.L"]
    select(arm)
    assert bpy.ops.verlet.remove() == {"FINISHED"}
    assert not any("Arm.L" in pair for pair in joints())
    assert len(joints()) == 7
    select(*pieces)
    assert bpy.ops.verlet.remove() == {"FINISHED"}
    assert {ob.name for ob in scene.objects} == names
    for ob, matrix in zip(pieces, matrices):
        assert np.abs(np.array(ob.matrix_world) - np.array(matrix)).max() < 1e-6


def test_pressed_twice_nothing_is_doubled(scene):
    pieces = robot()
    first = ragdoll(*pieces)
    second = ragdoll(*pieces)
    assert {pair: ob.name for pair, ob in first.items()} == {
        pair: ob.name for pair, ob in second.items()
    }
    assert sum(ob.verlet.is_joint for ob in scene.objects) == 9


def test_empties_and_parents_say_where_pieces_hang_together(scene):
    upper = piece("Upper", (0.2, 0.2, 0.8), (0, 0, 2.0))
    lower = piece("Lower", (0.2, 0.2, 0.8), (0, 0, 0.9))
    hand = piece("Hand", (0.2, 0.2, 0.2), (0, 0, 0.1))
    place = bpy.data.objects.new("Elbow", None)
    scene.collection.objects.link(place)
    place.location = (0.05, 0, 1.44)
    pivot = bpy.data.objects.new("Wrist", None)
    scene.collection.objects.link(pivot)
    pivot.location = (0, 0.03, 0.35)
    bpy.context.view_layer.update()
    pivot.parent, hand.parent = lower, pivot
    for child in (pivot, hand):
        child.matrix_parent_inverse = child.parent.matrix_world.inverted()
        bpy.context.view_layer.update()
    made = ragdoll(upper, lower, hand, place)
    assert set(made) == {("Lower", "Upper"), ("Lower", "Hand")}
    assert tuple(made["Lower", "Upper"].location) == pytest.approx((0.05, 0, 1.44))
    assert tuple(made["Lower", "Hand"].location) == pytest.approx((0, 0.03, 0.35))
    play(scene, 1, 30)
    assert session_of(scene).problems == []
    assert widest_gap(scene, 30) < 2e-3
    matrix = seen_matrix(hand)
    assert matrix[2, 3] < 0.1 - 1.0
    scene.frame_end = 20
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(20)
    rows = session_of(scene).participants("BODY")
    worlds = session_of(scene).placement(20).bodies
    for participant, world in zip(rows, worlds):
        assert np.abs(seen_matrix(scene.objects[participant.name]) - world).max() < 1e-4


def test_pieces_that_reach_into_each_other_lie_still(scene):
    floor()
    trunk = piece("Trunk", (0.6, 0.3, 0.3), (0, 0, 0.9))
    legs = [piece(f"Leg{i}", (0.2, 0.2, 0.5), (x, 0, 0.55)) for i, x in enumerate((-0.05, 0.05))]
    made = ragdoll(trunk, *legs)
    assert made["Leg0", "Leg1"].verlet.joint.kind == "GENERIC"
    play(scene, 1, 120)
    assert session_of(scene).problems == []
    assert (session_of(scene).cache[120].body_rest > 0.0).all()
    select(trunk, *legs)
    bpy.ops.verlet.remove()
    assert not joints()


def test_what_is_no_piece_is_left_alone_or_named(scene):
    a, b = piece("A", (1, 1, 1), (0, 0, 0.5)), piece("B", (1, 1, 1), (0, 0, 1.51))
    far = piece("Far", (1, 1, 1), (9, 0, 0.5))
    ground = floor()
    rig = chain(2)
    skin = new_object("Skin", [(0, 0, 1), (1, 0, 1), (0, 1, 1)], faces=[(0, 1, 2)])
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    made = ragdoll(a, b, far, ground, skin)
    assert set(made) == {("A", "B")} or set(made) == {("B", "A")}
    assert ground.verlet.kind == "COLLIDER"
    assert skin.verlet.kind == "NONE"
    select(skin, rig)
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    assert (rig.verlet.kind, skin.verlet.kind) == ("RAGDOLL", "NONE")
    assert all(m.type == "EMPTY" or not m.name.startswith("Joint Skin") for m in scene.objects)
    select(far)
    assert "Ragdoll needs an armature" in refusal(bpy.ops.verlet.ragdoll)


def test_a_duplicate_is_another_robot(scene):
    pieces = robot()
    ragdoll(*pieces)
    every = [ob for ob in scene.objects if ob.type in {"MESH", "EMPTY"}]
    select(*every)
    bpy.ops.object.duplicate()
    for ob in bpy.context.selected_objects:
        ob.location.x += 3.0
    bpy.context.view_layer.update()
    play(scene, 1, 10)
    running = session_of(scene)
    assert running.problems == []
    assert len(running.model.joints) == 18
    assert widest_gap(scene, 10) < 1e-3
