"""Record keeps what was changed by hand while it played; the view says why it does not follow."""

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
    new_object,
    play,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = [pytest.mark.usefixtures("scene"), pytest.mark.without_wheels]


def reason(scene):
    return addon("live.status").reason(scene)[0]


def edit():
    """An edit is noticed when the scene is evaluated next, as a window does at once."""
    bpy.context.view_layer.update()


def shown(scene, frames, objects):
    found = []
    for frame in frames:
        scene.frame_set(frame)
        found += [seen(ob) if ob.verlet.kind == "CLOTH" else seen_matrix(ob) for ob in objects]
    return found


def check_record(scene, objects, last):
    """The recorded keys give the improvised frames once more, bit for bit."""
    assert session_of(scene).improvised_from is not None
    improvised = shown(scene, range(2, last + 1), objects)
    assert bpy.ops.verlet.record() == {"FINISHED"}
    assert session_of(scene).is_outdated
    play(scene, 1, last)
    assert session_of(scene).improvised_from is None
    for before, now in zip(improvised, shown(scene, range(2, last + 1), objects), strict=True):
        np.testing.assert_array_equal(before, now)


def test_gravity(scene):
    crate = body(location=(0, 0, 5))
    play(scene, 1, 5)
    scene.gravity = (1, 2, 9)
    edit()
    play(scene, 6, 8)
    scene.gravity = (0, 0, -3)
    edit()
    play(scene, 9, 12)
    check_record(scene, [crate], 12)
    assert scene.animation_data.action is not None


def test_a_collider_that_is_dragged(scene):
    ground, sheet = floor(), cloth(location=(0, 0, 0.5))
    ground.rotation_mode = "QUATERNION"
    play(scene, 1, 4)
    for frame in range(5, 12):
        ground.location.z += 0.05
        ground.rotation_quaternion = (1, 0.02 * frame, 0, 0)
        edit()
        scene.frame_set(frame)
    play(scene, 12, 15)
    check_record(scene, [sheet], 15)


@pytest.mark.parametrize("path", ["location", "scale"])
def test_a_board_that_is_dragged_keeps_the_shape_that_it_had(scene, path):
    board = box("Board", size=1.0, location=(0, 0, 0))
    board.scale = (1, 1, 0.02)
    select(board)
    bpy.ops.verlet.collider()
    sheet = cloth(size=6, spacing=0.1, location=(0, 0, 0.2))
    play(scene, 1, 5)
    for frame in range(6, 12):
        getattr(board, path).x *= 1.0
        getattr(board, path).y += 0.02
        edit()
        scene.frame_set(frame)
    check_record(scene, [sheet], 11)
    assert board.verlet.collider.shape == "AUTO"  # a mesh under cloth, keyed or not


@pytest.mark.parametrize("path", ["location", "scale"])
def test_a_board_under_a_rope_keeps_the_shape_that_it_had(scene, path):
    board = box("Board", size=1.0, location=(0, 0, 0))
    board.scale = (1, 1, 0.02)
    select(board)
    bpy.ops.verlet.collider()
    rope = new_object(
        "Rope",
        [(0.1 * n, 0.02 * n, 0.2) for n in range(6)],
        edges=[(n, n + 1) for n in range(5)],
    )
    select(rope)
    bpy.ops.verlet.rope()
    play(scene, 1, 5)
    for frame in range(6, 12):
        getattr(board, path).y += 0.02
        edit()
        scene.frame_set(frame)
    check_record(scene, [rope], 11)
    assert board.verlet.collider.shape == "BOX"


def test_factors_wind_and_fields(scene):
    sheet, crate = cloth(location=(0, 0, 3)), body(location=(2, 0, 3))
    bpy.ops.object.effector_add(type="FORCE", location=(1, 0, 3))
    force = bpy.context.object
    play(scene, 1, 4)
    sheet.verlet.animated.drag = 3.0
    crate.verlet.animated.drag = 2.0
    edit()
    play(scene, 5, 7)
    scene.verlet.wind.velocity = (3, 1, 0)
    force.location.x = 1.5
    edit()
    play(scene, 8, 10)
    assert addon("live.takes").names(session_of(scene)) == sorted(
        [sheet.name, crate.name, force.name, "wind"]
    )
    check_record(scene, [sheet, crate], 10)


def test_frames_that_playback_left_out_lie_between_the_keys(scene):
    ground, sheet = floor(), cloth(location=(0, 0, 0.5))
    play(scene, 1, 4)
    ground.location.z = 0.2
    edit()
    scene.frame_set(8)
    scene.frame_set(9)
    check_record(scene, [sheet], 9)


def test_what_is_keyed_already_is_left_alone(scene):
    ground, _ = floor(), cloth(location=(0, 0, 0.5))
    ground.keyframe_insert("location", frame=1)
    play(scene, 1, 4)
    ground.location.z = 0.2
    scene.gravity.z = -1
    edit()
    play(scene, 5, 6)
    assert addon("live.takes").names(session_of(scene)) == ["gravity"]


def test_there_is_nothing_to_record(scene):
    body()
    assert not bpy.ops.verlet.record.poll()
    play(scene, 1, 4)
    assert not bpy.ops.verlet.record.poll()
    scene.gravity.z = -2
    edit()
    play(scene, 5, 6)
    assert bpy.ops.verlet.record.poll()
    bpy.ops.verlet.reset()
    assert not bpy.ops.verlet.record.poll()


def test_a_motor_set_by_hand_is_improvised(scene):
    a, b = body(name="A", location=(0, 0, 5)), body(name="B", location=(1, 0, 5))
    select(a, b)
    bpy.ops.verlet.join()
    joint = next(ob for ob in scene.objects if ob.verlet.is_joint)
    joint.verlet.joint.kind = "HINGE"
    joint.verlet.joint.motor = "VELOCITY"
    play(scene, 1, 4)
    joint.verlet.joint.motor_speed = 2.0
    edit()
    play(scene, 5, 8)
    assert session_of(scene).improvised_from == 5
    check_record(scene, [a, b], 8)


# ---------------------------------------------------------------------------- the reason


def test_the_view_says_which_setting_stopped_it(scene):
    sheet = cloth()
    body(location=(2, 0, 3))
    play(scene, 1, 6)
    assert reason(scene) == ""
    sheet.verlet.cloth.bend = 0.9
    scene.frame_set(7)
    assert reason(scene).startswith(f"{sheet.name} was changed: frame 6 is as it was")
    scene.frame_set(3)
    assert f"{sheet.name} was changed: frame 3 is as it was" in reason(scene)
    scene.frame_set(1)
    scene.frame_set(2)
    assert reason(scene) == ""


def test_the_view_says_that_it_is_improvised(scene):
    body(location=(2, 0, 3))
    play(scene, 1, 6)
    scene.gravity.z = -2
    edit()
    scene.frame_set(7)
    assert reason(scene) == "Improvised from frame 7: Bake starts over, Record keeps it"
    scene.frame_set(3)
    assert reason(scene) == ""


def test_the_view_says_what_keeps_it_from_starting(scene):
    crate = body()
    crate.scale = (0, 1, 1)
    edit()
    play(scene, 1, 3)
    assert crate.name in reason(scene)
    scene.frame_set(1)
    assert reason(scene) == ""


def test_the_view_says_which_frame_it_shows(scene):
    crate = body(location=(2, 0, 3))
    play(scene, 1, 6)
    failed = addon("session.phase").EventKind.FAILED
    session_of(scene).happened(failed, text="It blew up")
    scene.frame_set(30)
    assert reason(scene) == "It blew up"
    assert crate.name


def test_many_changes_are_counted(scene):
    crates = [body(name=f"Crate {n}", location=(n, 0, 3)) for n in range(4)]
    play(scene, 1, 3)
    for crate in crates:
        crate.verlet.body.friction = 0.1
    scene.frame_set(4)
    assert reason(scene).startswith("Crate 0 and 3 others were changed")
    box(name="Bystander")


@pytest.mark.parametrize("make", [cloth, body], ids=["cloth", "body"])
def test_a_parent_that_is_given_or_taken_in_mid_play_is_told(scene, make):
    """It goes on where it is, but a bake begins where the parent puts it."""
    floor()
    ob = make(location=(0, 0, 2))
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.location = (1, 0, 0)
    for given in (parent, None):
        play(scene, 1, 6)
        assert session_of(scene).improvised_from is None
        before = seen(ob)
        ob.parent = given
        edit()
        scene.frame_set(7)
        assert session_of(scene).improvised_from == 7
        assert np.abs(seen(ob) - before)[:, :2].max() < 0.05
        bpy.ops.verlet.reset()


def test_a_parent_that_was_there_at_the_start_is_no_edit(scene):
    floor()
    ob = cloth(location=(0, 0, 2))
    ob.parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(ob.parent)
    play(scene, 1, 6)
    ob.parent.location.x += 0.1
    ob.update_tag()
    edit()
    scene.frame_set(7)
    assert session_of(scene).improvised_from is None
