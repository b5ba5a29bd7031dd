"""Grab: what can be taken hold of, what the hand does to it, and that it leaves nothing behind."""

import bpy
import numpy as np
import pytest
from small_rigs import person, ragdoll
from small_scenes import (
    addon,
    body,
    cloth,
    floor,
    new_object,
    play,
    refusal,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = [pytest.mark.usefixtures("scene")]


def take(scene, frame, pick):
    hand = addon("live.hand")
    hand.take(session_of(scene), frame, pick)
    return session_of(scene).hold


def pick_nearest(scene, place, **options):
    """What is nearest to a place in the world."""

    def far(places):
        return np.linalg.norm(places - np.array(place), axis=1)

    hand = addon("live.hand")
    options = {"thin_only": False} | options
    return hand.pick_near(session_of(scene), scene.frame_current, far, **options)


def drag(scene, first, last, way):
    """Play while the hand goes from place to place."""
    for frame in range(first, last + 1):
        session_of(scene).hold.target = way(frame)
        scene.frame_set(frame)


def test_a_vertex_of_a_cloth_follows_the_hand_and_the_others_it(scene):
    sheet = cloth()
    play(scene, 1, 3)
    pick = addon("live.hand").pick_on(session_of(scene), 3, sheet, (0.5, 0.5, 1.9))
    assert pick.particle == 24
    take(scene, 3, pick)
    drag(scene, 4, 40, lambda frame: (0.5, 0.5, 3.0))
    points = seen(sheet)
    assert points[24] == pytest.approx((0.5, 0.5, 3.0), abs=0.05)
    assert (points[:, 2] > 1.0).all()
    session_of(scene).hold = None
    play(scene, 41, 60)
    assert seen(sheet)[24, 2] < 2.0


def test_a_rope_without_faces_is_found_near_the_mouse(scene):
    rope = new_object("Rope", [(0.1 * k, 0, 1) for k in range(11)], [(k, k + 1) for k in range(10)])
    select(rope)
    bpy.ops.verlet.rope()
    sheet = cloth(location=(5, 0, 0))
    play(scene, 1, 2)
    assert pick_nearest(scene, (5, 0, 0)).name == sheet.name
    assert pick_nearest(scene, (5, 0, 0), thin_only=True).name == "Rope"
    pick = pick_nearest(scene, (1, 0, 1))
    assert (pick.name, pick.particle) == ("Rope", 25 + 10)  # those of the cloth come first
    take(scene, 2, pick)
    drag(scene, 3, 30, lambda frame: (1.0, 0.0, 2.0))
    points = seen(rope)
    assert points[10, 2] == pytest.approx(2.0, abs=0.05)
    assert points[0, 2] > 0.8


def test_a_body_is_held_at_the_point_that_was_hit(scene):
    crate, wall = body(location=(0, 0, 2)), floor()
    play(scene, 1, 3)
    hand = addon("live.hand")
    assert hand.pick_on(session_of(scene), 3, wall, (0, 0, 0)) is None
    corner = np.array(seen_matrix(crate)[:3, 3]) + (0.2, 0.2, 0.2)
    take(scene, 3, hand.pick_on(session_of(scene), 3, crate, tuple(corner)))
    drag(scene, 4, 60, lambda frame: (0.0, 0.0, 3.0))
    matrix = seen_matrix(crate)
    held = matrix[:3, :3] @ (0.2, 0.2, 0.2) + matrix[:3, 3]
    assert held == pytest.approx((0.0, 0.0, 3.0), abs=0.05)
    assert matrix[2, 3] < held[2]
    assert hand.held_place(session_of(scene), 60) == pytest.approx(held, abs=1e-4)


def test_a_passive_body_stays_where_it_is(scene):
    crate = body()
    crate.verlet.body.type = "PASSIVE"
    body(location=(3, 0, 1))
    play(scene, 1, 2)
    hand = addon("live.hand")
    assert hand.pick_on(session_of(scene), 2, crate, (0, 0, 1.2)) is None


@pytest.mark.parametrize("model", ["BODIES", "STICKS"])
def test_a_ragdoll_hangs_on_the_hand_by_a_limb(scene, model):
    rig = ragdoll(person())
    rig.verlet.ragdoll.model = model
    play(scene, 1, 2)
    place = rig.matrix_world @ rig.pose.bones["forearm.L"].head
    take(scene, 2, pick_nearest(scene, place))
    drag(scene, 3, 60, lambda frame: (place.x, place.y, place.z + 0.02 * frame))
    now = rig.matrix_world @ rig.pose.bones["forearm.L"].head
    assert now.z > place.z + 1.0
    assert (rig.matrix_world @ rig.pose.bones["foot.L"].head).z < now.z - 0.5


def test_the_skin_of_a_ragdoll_is_taken_by_the_bone_under_the_mouse(scene):
    rig = ragdoll(person())
    hung = new_object("Plate", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], faces=[(0, 1, 2)])
    hung.parent = rig
    hung.parent_type, hung.parent_bone = "BONE", "forearm.L"
    bpy.context.view_layer.update()
    play(scene, 1, 2)
    hand = addon("live.hand")
    place = tuple(rig.matrix_world @ rig.pose.bones["forearm.L"].head)
    pick = hand.pick_on(session_of(scene), 2, hung, place)
    assert pick.name == rig.name
    assert pick.body == pick_nearest(scene, place).body
    assert pick.place == place


def test_frames_are_improvised_from_where_it_was_taken_and_bake_starts_over(scene):
    sheet = cloth()
    play(scene, 1, 12)
    untouched = seen(sheet)
    scene.frame_set(6)
    take(scene, 6, pick_nearest(scene, (0.5, 0.5, 2)))
    assert session_of(scene).last == 6
    assert session_of(scene).improvised_from is None
    drag(scene, 7, 12, lambda frame: (1.0, 1.0, 2.0))
    assert session_of(scene).improvised_from == session_of(scene).pulled == 7
    status = addon("live.status")
    assert "improvised from 7" in status.status(scene)[0]
    assert status.reason(scene)[0].startswith("Improvised from frame 7")
    assert np.abs(seen(sheet) - untouched).max() > 0.1
    session_of(scene).hold = None
    bpy.ops.verlet.bake(frame_end=12)
    scene.frame_set(12)
    np.testing.assert_array_equal(seen(sheet), untouched)
    assert session_of(scene).pulled is None


def test_record_bakes_what_was_seen_and_free_bake_frees_it(scene):
    sheet, crate = cloth(), body(location=(3, 0, 1))
    scene.frame_end = 30
    play(scene, 1, 4)
    assert "grab something" in refusal(bpy.ops.verlet.record)
    take(scene, 4, pick_nearest(scene, (0.5, 0.5, 2)))
    drag(scene, 5, 12, lambda frame: (0.5, 0.5, 2.0 + 0.1 * frame))
    session_of(scene).hold = None
    play(scene, 13, 16)
    shown = {}
    for frame in range(1, 17):
        scene.frame_set(frame)
        shown[frame] = seen(sheet), seen_matrix(crate)
    assert bpy.ops.verlet.record() == {"FINISHED"}
    record = addon("properties.bake_record")
    assert record.is_baked(sheet)
    assert record.is_baked(crate)
    for frame, (points, matrix) in shown.items():
        scene.frame_set(frame)
        np.testing.assert_allclose(seen(sheet), points, atol=1e-6)
        np.testing.assert_allclose(seen_matrix(crate), matrix, atol=1e-5)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert not record.is_baked(sheet)
    assert sheet.data.shape_keys is None
    assert crate.animation_data is None or crate.animation_data.action is None


def test_given_back_it_is_as_before(scene):
    sheet = cloth()
    play(scene, 1, 12)
    untouched = seen(sheet)
    take(scene, 8, pick_nearest(scene, (0.5, 0.5, 2)))
    drag(scene, 9, 11, lambda frame: (2.0, 2.0, 2.0))
    assert addon("live.hand").give_back(session_of(scene)) == 8
    running = session_of(scene)
    assert (running.last, running.hold, running.pulled, running.improvised_from) == (8,) + (
        None,
    ) * 3
    play(scene, 9, 12)
    np.testing.assert_array_equal(seen(sheet), untouched)
    assert session_of(scene).improvised_from is None
    assert session_of(scene).first_inexact is None


def test_frames_that_playback_leaves_out_have_the_hand_between(scene):
    crate = body(location=(0, 0, 2))
    scene.gravity = (0, 0, 0)
    play(scene, 1, 2)
    take(scene, 2, addon("live.hand").pick_on(session_of(scene), 2, crate, (0, 0, 2)))
    drag(scene, 5, 5, lambda frame: (0.3, 0.0, 2.0))
    ends = []
    for frame in (3, 4, 5):
        scene.frame_set(frame)
        ends.append(seen_matrix(crate)[0, 3])
    assert 0.0 < ends[0] < ends[1] < ends[2] < 0.35


def test_undo_and_another_file_leave_nothing_behind(scene):
    sheet = cloth()
    bpy.ops.ed.undo_push(message="set up")
    play(scene, 1, 4)
    take(scene, 4, pick_nearest(scene, (0.5, 0.5, 2)))
    drag(scene, 5, 6, lambda frame: (1.0, 1.0, 2.0))
    sheet.location.x = 1.0
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    scene.frame_set(7)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    assert session_of(scene) is None
    assert addon("overlays.hand_line").line_of(scene) is None


def test_the_button_says_why_it_is_greyed_out(scene):
    assert "Nothing moves" in refusal(bpy.ops.verlet.grab)
    sheet = cloth()
    assert "needs a window" in refusal(bpy.ops.verlet.grab)
    select(sheet)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Object Mode" in refusal(bpy.ops.verlet.grab)


def test_the_line_runs_from_what_is_held_to_the_hand(scene):
    cloth()
    play(scene, 1, 3)
    line_of = addon("overlays.hand_line").line_of
    assert line_of(scene) is None
    take(scene, 3, pick_nearest(scene, (0.5, 0.5, 2)))
    session_of(scene).hold.target = (1.0, 2.0, 3.0)
    line = line_of(scene)
    assert line[1].tolist() == [1.0, 2.0, 3.0]
    assert line[0] == pytest.approx((0.5, 0.5, 2.0), abs=0.2)
