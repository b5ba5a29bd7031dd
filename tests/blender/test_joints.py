"""Joints: made from two bodies, from an empty and in bulk; simulated, keyed, and mended."""

from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Vector
from small_scenes import (
    addon,
    body,
    box,
    floor,
    new_object,
    play,
    refusal,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def two_bodies(gap=0.1):
    """Two cubes of 0.4 m side by side along X, and a gap between them."""
    a = body(name="A", location=(0, 0, 2))
    b = body(name="B", location=(0.4 + gap, 0, 2))
    return a, b


def join(a, b, **options):
    """A joint of two objects, the first one A."""
    select(b, a)
    assert bpy.ops.verlet.join(**options) == {"FINISHED"}
    return bpy.context.object


def new_empty(name, location=(0, 0, 0)):
    """An empty in the scene."""
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = location
    bpy.context.view_layer.update()
    return empty


def joint_names(scene):
    return [ob.name for ob in addon("properties.participants").joints(scene)]


def test_two_bodies_are_joined_in_the_middle_of_where_they_meet(scene):
    a, b = two_bodies()
    joint = join(a, b)
    assert joint.type == "EMPTY"
    assert joint.verlet.is_joint
    assert (joint.verlet.joint.object_a, joint.verlet.joint.object_b) == (a, b)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joint.matrix_world.translation, (0.25, 0, 2), atol=1e-5)
    assert joint.select_get()
    assert not a.select_get()


def test_a_hinge_lies_along_the_longest_side_of_the_meeting_place(scene):
    post = new_object("Post", *slab(0.05, 0.05, 1.0), location=(-0.06, 0, 1))
    door = new_object("Door", *slab(0.4, 0.03, 0.9), location=(0.4, 0, 1))
    for ob in (post, door):
        select(ob)
        bpy.ops.verlet.rigid_body()
    joint = join(post, door, kind="HINGE")
    bpy.context.view_layer.update()
    axes = np.array(joint.matrix_world.to_3x3())
    np.testing.assert_allclose(np.abs(axes[:, 2]), (0, 0, 1), atol=1e-3)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-6)
    assert abs(joint.matrix_world.translation.x + 0.005) < 0.01


def slab(x, y, z):
    """Vertices, no edges and faces of a box with these half extents."""
    vertices = [(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return vertices, (), faces


def test_a_slider_slides_from_one_to_the_other(scene):
    joint = join(*two_bodies(), kind="SLIDER")
    bpy.context.view_layer.update()
    along = Vector(joint.matrix_world.col[0][:3])
    assert (along - Vector((1, 0, 0))).length < 1e-5


def test_a_selected_empty_becomes_the_joint_where_it_stands(scene):
    a, b = two_bodies()
    empty = new_empty("Hinge", (1, 2, 3))
    select(empty, b, a)
    assert bpy.ops.verlet.join(kind="HINGE") == {"FINISHED"}
    assert empty.verlet.is_joint
    assert empty.verlet.joint.object_a == a
    assert tuple(empty.location) == (1, 2, 3)
    assert joint_names(scene) == ["Hinge"]


def test_one_body_and_an_empty_are_joined_to_the_world(scene):
    a = body(name="A")
    empty = new_empty("Hook")
    select(empty, a)
    bpy.ops.verlet.join()
    assert empty.verlet.joint.object_a == a
    assert empty.verlet.joint.object_b is None


def test_join_says_what_is_missing(scene):
    assert not bpy.ops.verlet.join.poll()
    a, b = two_bodies()
    select(a)
    assert "A: a joint needs a second object" in refusal(bpy.ops.verlet.join)
    stranger = box(name="Stranger")
    select(stranger, a)
    assert "Stranger: it takes no part" in refusal(bpy.ops.verlet.join)
    third = body(name="C", location=(3, 0, 1))
    select(a, b, third)
    assert "Join Neighbours" in refusal(bpy.ops.verlet.join)
    one, other = floor("Floor"), floor("Other")
    select(one, other)
    assert "Other: it is a collider" in refusal(bpy.ops.verlet.join)
    assert joint_names(scene) == []


def test_neighbours_are_joined_two_by_two(scene):
    row = [body(name=f"Stone {i}", location=(0.4 * i, 0, 1)) for i in range(4)]
    far = body(name="Far", location=(0, 0, 5))
    select(*row, far)
    assert bpy.ops.verlet.join_neighbours(breaking_force=50.0) == {"FINISHED"}
    made = addon("properties.participants").joints(scene)
    pairs = {(ob.verlet.joint.object_a.name, ob.verlet.joint.object_b.name) for ob in made}
    assert pairs == {(f"Stone {i}", f"Stone {i + 1}") for i in range(3)}
    assert {ob.verlet.joint.kind for ob in made} == {"FIXED"}
    assert {ob.verlet.joint.breaking_force for ob in made} == {50.0}
    assert "joined already" in refusal(bpy.ops.verlet.join_neighbours)
    select(row[0], far)
    assert "raise Gap" in refusal(bpy.ops.verlet.join_neighbours)


def test_an_object_hangs_on_a_ball_joint(scene):
    a = body(name="A", location=(1, 0, 2))
    empty = new_empty("Hook", (0, 0, 2))
    select(empty, a)
    bpy.ops.verlet.join()
    play(scene, 1, 16)  # about half of the way to the other side
    assert session_of(scene).problems == []
    assert session_of(scene).last == 16
    matrix = np.array(a.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    pivot = matrix @ (-1, 0, 0, 1)  # the hook in the body's own space
    np.testing.assert_allclose(pivot[:3], (0, 0, 2), atol=2e-3)
    assert matrix[2, 3] < 1.2


def test_a_chain_of_joints_holds_together(scene):
    row = [body(name=f"Link {i}", location=(0.5 * i, 0, 3)) for i in range(4)]
    row[0].verlet.body.type = "PASSIVE"
    made = [join(a, b) for a, b in pairwise(row)]
    bpy.context.view_layer.update()
    places = [np.array([*ob.matrix_world.translation, 1.0]) for ob in made]
    rest = [seen_matrix(ob) for ob in row]
    play(scene, 1, 24)
    assert session_of(scene).problems == []
    moved = [seen_matrix(ob) @ np.linalg.inv(start) for ob, start in zip(row, rest)]
    for (a, b), place in zip(pairwise(moved), places):
        np.testing.assert_allclose(a @ place, b @ place, atol=1e-3)
    np.testing.assert_allclose(moved[0], np.eye(4), atol=1e-5)
    assert (moved[3] @ places[2])[2] < 2.8


def test_a_keyed_motor_turns_a_hinge(scene):
    scene.use_gravity = False
    a = body(name="A", location=(0, 0, 1))
    empty = new_empty("Axle", (0, 0, 1))
    select(empty, a)
    bpy.ops.verlet.join(kind="HINGE")
    joint = empty.verlet.joint
    joint.motor, joint.motor_force, joint.motor_speed = "VELOCITY", 1000.0, 0.0
    empty.keyframe_insert("verlet.joint.motor_speed", frame=5)
    joint.motor_speed = 2.0
    empty.keyframe_insert("verlet.joint.motor_speed", frame=6)
    play(scene, 1, 5)
    assert turn_about_z(a) == pytest.approx(0.0, abs=1e-4)
    play(scene, 6, 17)
    assert session_of(scene).problems == []
    assert not session_of(scene).is_outdated
    assert abs(turn_about_z(a)) == pytest.approx(2.0 * 12 / 24, rel=0.1)


def turn_about_z(ob):
    matrix = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
    return matrix.to_euler().z


def test_a_joint_breaks_and_is_named(scene):
    a = body(name="A", location=(0, 0, 2))
    hook = new_empty("Hook", (0, 0, 2))
    select(hook, a)
    bpy.ops.verlet.join(kind="FIXED", breaking_force=5.0)  # it weighs 9.81 N
    broken = addon("joints.joint_inputs").broken
    assert broken(scene) == set()
    play(scene, 1, 8)
    assert broken(scene) == {hook.session_uid}
    assert seen(a).mean(axis=0)[2] < 1.95
    hook.verlet.joint.breaking_force = 50.0
    play(scene, 1, 8)
    assert broken(scene) == set()
    assert seen(a).mean(axis=0)[2] == pytest.approx(2.0, abs=1e-3)


def test_a_changed_joint_is_simulated_anew(scene):
    a, b = two_bodies()
    joint = join(a, b)
    play(scene, 1, 4)
    joint.verlet.joint.kind = "FIXED"
    play(scene, 5, 6)
    assert session_of(scene).is_outdated
    play(scene, 1, 3)
    assert not session_of(scene).is_outdated
    joint.location.x += 0.05
    scene.frame_set(1)
    assert session_of(scene).last == 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda j: setattr(j.verlet.joint, "object_b", j.verlet.joint.object_a), "with itself"),
        (lambda j: setattr(j.verlet.joint.object_b.verlet, "kind", "NONE"), "takes no part"),
        (lambda j: bpy.data.objects.remove(j.verlet.joint.object_b), ""),
        (
            lambda j: bpy.context.scene.collection.objects.unlink(j.verlet.joint.object_b),
            "not in this scene",
        ),
        (
            lambda j: (
                setattr(j.verlet.joint, "object_a", None),
                setattr(j.verlet.joint, "object_b", None),
            ),
            "joins nothing",
        ),
        (lambda j: setattr(j, "scale", (1, 0, 1)), "scale"),
        (
            lambda j: (
                setattr(j.verlet.joint, "kind", "HINGE"),
                setattr(j.verlet.joint, "is_limited", True),
                setattr(j.verlet.joint, "lower", 1.0),
                setattr(j.verlet.joint, "upper", -1.0),
            ),
            "exchange them",
        ),
    ],
)
def test_a_joint_that_cannot_work_is_named_and_left_out(scene, spoil, said):
    a, b = two_bodies()
    third = body(name="C", location=(4, 0, 2))
    joint = join(a, b)
    spoil(joint)
    bpy.context.view_layer.update()
    play(scene, 1, 4)
    problems = session_of(scene).problems
    if said:
        (problem,) = problems
        assert problem.message.startswith("Joint: ")
        assert said in problem.message
        assert not problem.is_error
        assert problem.operator == "verlet.show_object"
    assert session_of(scene).last == 4
    assert seen(third).mean(axis=0)[2] < 2.0


def test_a_duplicate_joins_the_duplicates(scene):
    a, b = two_bodies()
    joint = join(a, b, kind="HINGE")
    select(a, b, joint)
    bpy.ops.object.duplicate()
    copies = {ob.name: ob for ob in bpy.context.selected_objects}
    copy = copies["Joint.001"]
    assert copy.verlet.joint.kind == "HINGE"
    assert copy.verlet.joint.object_a == copies["A.001"]
    assert copy.verlet.joint.object_b == copies["B.001"]
    copy.verlet.joint.object_a.name = "Renamed"
    play(scene, 1, 3)
    assert session_of(scene).problems == []
    assert len(session_of(scene).inputs.joints) == 2


def test_only_what_takes_part_may_be_chosen(scene):
    joint = join(*two_bodies())
    box(name="Stranger")
    may_be = addon("properties.joints")._may_be_joined
    group = joint.verlet.joint
    assert may_be(group, bpy.data.objects["A"])
    assert not may_be(group, bpy.data.objects["Stranger"])
    assert not may_be(group, joint)


def test_remove_and_select(scene):
    a, b = two_bodies()
    joint = join(a, b)
    select(a)
    assert bpy.ops.verlet.select_joints() == {"FINISHED"}
    assert bpy.context.object == joint
    assert bpy.ops.verlet.remove_joint() == {"FINISHED"}
    assert joint_names(scene) == []
    assert not bpy.ops.verlet.remove_joint.poll()
    select(a)
    assert "No joint" in refusal(bpy.ops.verlet.select_joints)


def test_undo_takes_the_joint_away(scene):
    a, b = two_bodies()
    select(b, a)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.verlet.join()
    bpy.ops.ed.undo_push(message="joined")
    bpy.ops.ed.undo()
    assert joint_names(bpy.context.scene) == []


def test_an_appended_file_brings_its_joints(scene, tmp_path):
    join(*two_bodies(), kind="HINGE")
    path = str(tmp_path / "joined.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path) as (source, target):
        target.objects = source.objects
    for ob in target.objects:
        bpy.context.scene.collection.objects.link(ob)
    (joint,) = addon("properties.participants").joints(bpy.context.scene)
    assert joint.verlet.joint.object_a == bpy.data.objects["A"]
    assert addon("joints.joint_inputs").trouble(joint, bpy.context.scene) == ""


def test_nothing_of_the_bake_changes_a_joint(scene):
    a, b = two_bodies()
    join(a, b)
    scene.frame_end = 5
    bpy.ops.verlet.bake()
    select(a, b)
    assert "baked" in refusal(bpy.ops.verlet.join)
    play(scene, 1, 5)
    assert session_of(scene).failure == ""


def overlay():
    """Points of the lines that the 3D view shows."""
    return addon("overlays.collect").lines_of(bpy.context)[0]


@pytest.mark.parametrize(
    "kind",
    ["BALL", "HINGE", "CONE_TWIST", "SLIDER", "FIXED", "DISTANCE", "SPRING", "GENERIC"],
)
def test_every_kind_of_joint_is_drawn_where_it_is(scene, kind):
    joint = join(*two_bodies(), kind=kind)
    joint.verlet.joint.is_limited = True
    joint.verlet.joint.linear_lower = joint.verlet.joint.angular_lower = (-0.1, 0, 0)
    points = overlay()
    assert len(points) >= 4
    assert len(points) % 2 == 0
    assert np.isfinite(points).all()
    size = joint.empty_display_size
    near = np.linalg.norm(points - (0.25, 0, 2), axis=1)
    assert near.max() < max(1.5 * size, 0.8)
    assert near.min() < 1.01 * size
    scene.verlet.show_joints = False
    assert len(overlay()) == 0


def test_what_is_drawn_moves_with_the_bodies(scene):
    a, b = two_bodies()
    join(a, b)
    before = overlay()
    play(scene, 1, 8)
    fallen = before[:, 2].mean() - overlay()[:, 2].mean()
    assert fallen == pytest.approx(2.0 - seen(a).mean(axis=0)[2], rel=0.05)


def test_an_arc_shows_the_limits_of_a_hinge(scene):
    lines = addon("overlays.joint_lines")
    found = lines.limit_lines(("HINGE", True, 0.0, np.pi / 2, 0.0), 1.0)
    ends = found[-2:, 1]
    np.testing.assert_allclose(ends, [(1, 0, 0), (0, 1, 0)], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found[:-2], axis=2), 1.0)


def test_collision_shapes_are_drawn(scene):
    scene.verlet.show_joints = False
    scene.verlet.show_shapes = True
    ob = body(location=(1, 2, 3))
    ob.verlet.body.shape = "BOX"
    assert len(overlay()) == 0  # nothing is simulated yet
    scene.frame_set(1)
    points = overlay()
    assert len(points) == 24
    np.testing.assert_allclose(points.min(axis=0), (0.8, 1.8, 2.8), atol=1e-5)
    for shape in ("SPHERE", "CAPSULE", "CYLINDER", "HULL", "COMPOUND"):
        ob.verlet.body.shape = shape
        scene.frame_set(1)
        points = overlay()
        assert len(points)
        np.testing.assert_allclose(points.mean(axis=0), (1, 2, 3), atol=0.05)


def test_no_draw_handler_without_a_window(scene):
    overlays = addon("overlays")
    assert overlays._handle is None
    overlays.draw()  # nothing to draw on: no error
