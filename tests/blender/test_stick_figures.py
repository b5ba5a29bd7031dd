"""Stick figures: the second model of ragdolls, simulated, shown, baked to bones, given back."""

import bpy
import numpy as np
import pytest
from small_rigs import (
    chain,
    key_bend,
    largest_difference,
    own_values,
    person,
    plays_elsewhere,
    ragdoll,
    seen_bones,
)
from small_scenes import addon, body, box, floor, play, seen_matrix, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def stick_figure(ob):
    """The armature, set up as sticks."""
    ragdoll(ob)
    ob.verlet.ragdoll.model = "STICKS"
    return ob


def simulated(scene, ob, frame):
    """World matrices of the moved bones as the core has them, by name."""
    figures, running = addon("ragdoll.stick_figures"), session_of(scene)
    rows = next(r for r in figures.figures_of(running) if r.participant.uid == ob.session_uid)
    hold = running.placement(frame).holds[ob.session_uid]
    placed = figures.placed_bones(rows, running.cache[frame], hold)
    return dict(zip(running.moved_bones[ob.session_uid], placed))


def keyed_pose(ob, frame, **angles):
    """Key bones, by name without dots, to angles about their X."""
    for name, angle in angles.items():
        key_bend(ob.pose.bones[name.replace("_L", ".L").replace("_R", ".R")], (frame, angle))


def key_limp(ob, *keys):
    for bone in ob.pose.bones:
        for frame, value in keys:
            bone.verlet_limp = value
            bone.keyframe_insert("verlet_limp", frame=frame)


def test_it_falls_and_comes_to_rest(scene):
    floor()
    ob = stick_figure(person(location=(0, 0, 0.4)))
    ob.pose.bones["chest"].rotation_mode = "XYZ"
    ob.pose.bones["chest"].rotation_euler.x = 0.3
    play(scene, 1, 120)
    running = session_of(scene)
    assert (running.problems, running.failure, running.last) == ([], "", 120)
    assert len(running.model.bodies) == 0
    assert running.model.particles.mass.sum() == pytest.approx(ob.verlet.ragdoll.mass)
    shown = seen_bones(ob)
    assert max(matrix[2, 3] for matrix in shown.values()) < 0.6
    assert min(matrix[2, 3] for matrix in shown.values()) > -0.01
    state = running.cache[120]
    assert np.abs(state.position - state.previous).max() / state.step < 0.05
    assert running.bone_notes[ob.session_uid]["thigh.L"][0].startswith("Stick")


def test_what_is_shown_is_what_was_simulated(scene):
    floor()
    ob = stick_figure(person(location=(0.3, 0, 0.2)))
    ob.scale = (1.2, 1.2, 1.2)
    ob.rotation_euler = (0.2, 0.1, 0.5)
    keyed_pose(ob, 1, forearm_L=0.8, thigh_L=-0.4, shin_L=0.7)
    scene.frame_set(1)
    own = seen_bones(ob)
    assert largest_difference(simulated(scene, ob, 1), own, own) < 1e-5  # twist and all
    for frame in range(2, 20):
        scene.frame_set(frame)
        wanted = simulated(scene, ob, frame)
        assert len(wanted) == len(ob.pose.bones)
        assert largest_difference(seen_bones(ob), wanted, wanted) < 2e-5
        turns = np.array([matrix[:3, :3] for matrix in wanted.values()])
        assert (np.linalg.det(turns) > 1.0).all()  # the scale, and no mirror
    scene.frame_set(7)
    assert largest_difference(seen_bones(ob), simulated(scene, ob, 7), wanted) < 2e-5


def test_a_bake_plays_the_simulated_poses_and_is_freed_without_a_trace(scene, tmp_path):
    floor()
    ob = stick_figure(person(location=(0, 0, 0.4)))
    keyed_pose(ob, 1, forearm_L=0.0)
    keyed_pose(ob, 20, forearm_L=0.8)
    action = ob.animation_data.action
    scene.frame_set(1)
    own = own_values(ob)
    scene.frame_start, scene.frame_end = 1, 24
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert ob.animation_data.action != action
    wanted = {f: simulated(scene, ob, f) for f in range(1, 25)}
    for frame in range(1, 25):
        scene.frame_set(frame)
        assert largest_difference(seen_bones(ob), wanted[frame], wanted[frame]) < 1e-4
    assert plays_elsewhere(tmp_path, ob, wanted) < 1e-4
    scene.frame_set(1)
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.animation_data.action == action
    scene.frame_set(1)
    assert own_values(ob) == own


def test_limp_0_follows_the_keys_and_1_lets_go_with_their_speed(scene):
    ob = stick_figure(person(location=(0, 0, 3.0)))
    keyed_pose(ob, 1, forearm_L=0.0, thigh_R=0.0, chest=0.0, head=0.0)
    keyed_pose(ob, 11, forearm_L=0.3, thigh_R=-0.4, chest=0.15, head=-0.3)
    ob.pose.bones["upper_arm.R"].rotation_mode = "XYZ"
    ob.pose.bones["upper_arm.R"].rotation_euler.y = 0.9  # a twist that no particle tells
    for frame, x in ((1, 0.0), (11, 1.0)):
        ob.location.x = x
        ob.keyframe_insert("location", frame=frame)
    for curve in addon("blender.compat").fcurves_of(ob):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    scene.frame_set(1)
    ob.verlet.kind, kind = "NONE", ob.verlet.kind
    own = {}
    for frame in range(1, 12):
        scene.frame_set(frame)
        own[frame] = seen_bones(ob)
    scene.frame_set(1)
    ob.verlet.kind = kind
    key_limp(ob, (1, 0.0), (10, 0.0), (11, 1.0))
    seen = {}
    for frame in range(1, 15):
        scene.frame_set(frame)
        seen[frame] = seen_bones(ob)
        if frame <= 10:
            assert largest_difference(seen[frame], own[frame], own[frame]) < 1e-4, frame
    assert session_of(scene).failure == ""
    # it goes on where the keys left it, as fast as they moved it
    for name in own[1]:
        turned = seen[11][name][:3, :3] @ seen[10][name][:3, :3].T
        before = own[10][name][:3, :3] @ own[9][name][:3, :3].T
        assert np.abs(turned - before).max() < 0.15, name
    speed = np.mean([seen[12][n][0, 3] - seen[11][n][0, 3] for n in own[1]])
    assert speed == pytest.approx(0.1, abs=0.03)
    fall = np.mean([seen[14][n][2, 3] - seen[10][n][2, 3] for n in own[1]])
    assert fall == pytest.approx(-0.5 * 9.81 * (4 / 24) ** 2, rel=0.5)


def test_a_limp_arm_hangs_from_a_body_that_follows_its_keys(scene):
    ob = stick_figure(person())
    for bone in ob.pose.bones:
        bone.verlet_limp = 1.0 if bone.name in {"upper_arm.L", "forearm.L"} else 0.0
    scene.frame_set(1)
    own = seen_bones(ob)
    play(scene, 1, 48)
    seen = seen_bones(ob)
    held = [name for name in own if name not in {"upper_arm.L", "forearm.L"}]
    assert largest_difference(seen, own, held) < 1e-5
    arm = seen["upper_arm.L"][:3, 1]
    assert arm[2] < -0.5  # it hangs
    assert np.abs(seen["upper_arm.L"][:3, 3] - own["upper_arm.L"][:3, 3]).max() < 1e-4


def test_sticks_and_bodies_meet(scene):
    floor()
    figures = [
        stick_figure(person("Sticks", (0, 0, 0.5))),
        ragdoll(person("Bodies", (0, 1.5, 0.5))),
    ]
    figures.append(stick_figure(chain(name="Tail", location=(3, 0, 0.5))))
    select(box(location=(0, 0, 2.7)))
    assert bpy.ops.verlet.rigid_body() == {"FINISHED"}
    scene.frame_set(1)
    start = [seen_bones(ob) for ob in figures]
    play(scene, 1, 40)
    running = session_of(scene)
    assert running.failure == ""
    assert [len(p) for p in running.moved_bones.values()] == [13, 3, 13]
    for ob, before in zip(figures, start):
        after = seen_bones(ob)
        assert max(before[n][2, 3] - after[n][2, 3] for n in before) > 0.3
        assert min(m[2, 3] for m in after.values()) > -0.02
    sticks = running.model.limbs.stick
    assert len(sticks) > 15
    lines = addon("overlays.shape_lines").shape_lines(running.model, running.cache[40])
    assert np.isfinite(lines).all()
    drawn = addon("overlays.ragdoll_lines").stick_lines(running, 40)
    assert drawn.shape[1:] == (2, 3)
    assert len(drawn) >= len(sticks)


def seen_end(ob, name):
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(evaluated.matrix_world @ evaluated.pose.bones[name].tail)


def test_a_hand_is_dragged_by_an_empty_and_let_go(scene):
    floor()
    ob = stick_figure(person(location=(0, 0, 0.05)))
    select(ob)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in ob.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "forearm.L"
    assert bpy.ops.verlet.pin_bones() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = ob.pose.bones["forearm.L"]
    empty = bone.verlet.pin_target
    start = np.array(empty.location)
    for frame, away in ((1, (0, 0, 0)), (20, (0.4, -1.5, 0.2))):
        empty.location = start + away
        empty.keyframe_insert("location", frame=frame)
    for frame, holds in ((1, True), (25, False)):
        bone.verlet_pin = holds
        bone.keyframe_insert("verlet_pin", frame=frame)
    scene.frame_set(1)
    own = seen_bones(ob)
    for frame in range(1, 25):
        scene.frame_set(frame)
        assert (session_of(scene).problems, session_of(scene).failure) == ([], "")
        assert np.abs(seen_end(ob, "forearm.L") - np.array(empty.location)).max() < 5e-3, frame
    assert own["chest"][1, 3] - seen_bones(ob)["chest"][1, 3] > 0.5  # the body came along
    play(scene, 25, 40)
    assert np.array(empty.location)[2] - seen_end(ob, "forearm.L")[2] > 0.3  # it fell


def test_a_rigid_body_holds_a_stick_figure_and_is_held_by_it(scene):
    ob = stick_figure(person())
    load = body(size=0.2, location=(0.0, 0.0, 3.0))
    load.verlet.body.mass = 1000.0
    load.keyframe_insert("location", frame=1)
    load.verlet.body.type = "ANIMATED"
    ob.pose.bones["head"].verlet.pin_target = load
    weight = body(size=0.2, location=(0.7, -0.03, 1.35), name="Weight")
    weight.verlet.body.mass = 2.0
    hand = ob.pose.bones["forearm.L"]
    hand.verlet.pin_target = weight
    for frame, holds in ((1, True), (25, False)):
        hand.verlet_pin = holds
        hand.keyframe_insert("verlet_pin", frame=frame)
    scene.frame_set(1)
    top = seen_end(ob, "head")
    for frame in range(2, 25):
        scene.frame_set(frame)
        assert (session_of(scene).problems, session_of(scene).failure) == ([], "")
        assert np.abs(seen_end(ob, "head") - top).max() < 5e-3, frame  # it hangs
        gap = seen_end(ob, "forearm.L") - np.array(seen_matrix(weight)[:3, 3])
        assert np.linalg.norm(gap) < 5e-3, frame
    held = seen_matrix(weight)[2, 3]
    assert held > 0.3  # alone it would have fallen by 4.5 m
    play(scene, 25, 40)
    assert seen_matrix(weight)[2, 3] < held - 1.0


def test_it_is_let_go_between_frames_and_comes_back_without_a_jump(scene):
    floor()
    ob = stick_figure(person(location=(0, 0, 0.3)))
    keyed_pose(ob, 1, forearm_L=0.0, chest=0.0)
    keyed_pose(ob, 60, forearm_L=0.4, chest=0.2)
    scene.frame_end = 60
    scene.frame_set(1)
    select(ob)
    assert bpy.ops.verlet.ragdoll_between(first=5, last=25, blend=18) == {"FINISHED"}
    ob.verlet.kind, kind = "NONE", ob.verlet.kind
    own = {}
    for frame in (3, 33, 58):
        scene.frame_set(frame)
        own[frame] = seen_bones(ob)
    scene.frame_set(1)
    ob.verlet.kind = kind
    seen = {}
    for frame in range(1, 59):
        scene.frame_set(frame)
        seen[frame] = seen_bones(ob)
    assert session_of(scene).failure == ""
    assert largest_difference(seen[3], own[3], own[3]) < 1e-4
    assert largest_difference(seen[25], own[3], own[3]) > 0.3  # it fell meanwhile
    assert largest_difference(seen[58], own[58], own[58]) < 1e-3
    assert largest_difference(seen[33], own[33], own[33]) > 0.1  # on its way, not there at once
    steps = [largest_difference(seen[f + 1], seen[f], seen[f]) for f in range(31, 58)]
    assert max(steps) < 0.35
