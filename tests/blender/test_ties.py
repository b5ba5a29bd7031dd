"""Ties: cloth corners and rope ends that rigid bodies hold, and that hold them."""

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    body,
    cloth,
    floor,
    new_object,
    pin,
    play,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")

CORNER = 0
END = 10  # of a rope


def rope(name="Rope", *, top=2.0, length=1.0, pins=()):
    """A wire of eleven vertices that hangs down from a height above the origin."""
    points = [(0, 0, top - length * i / END) for i in range(END + 1)]
    ob = new_object(name, points, edges=[(i, i + 1) for i in range(END)])
    select(ob)
    assert bpy.ops.verlet.rope() == {"FINISHED"}
    pin(ob, pins)
    return ob


def crate(height=1.0, name="Crate", **options):
    """A cube of 0.4 m whose top is at a height, right below the rope."""
    ob = body(name=name, location=(0, 0, height - 0.2), **options)
    ob.verlet.body.mass = 2.0
    return ob


def join(a, b):
    """A joint of two objects."""
    select(b, a)
    assert bpy.ops.verlet.join() == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.object


def on_body(ob, rest, points):
    """Where a body has carried points (n, 3) of the world since it had the matrix ``rest``."""
    moved = seen_matrix(ob) @ np.linalg.inv(rest)
    return points @ moved[:3, :3].T + moved[:3, 3]


def refusal(operator):
    """What the operator reports when it refuses."""
    with pytest.raises(RuntimeError) as refused:
        operator()
    return str(refused.value)


def sheet_on_a_moving_body(scene):
    """A cloth of 1 kg a corner of which is pinned to a body that flies off at 1 m/s."""
    scene.use_gravity = False
    ob = cloth(name="Sheet")
    ob.verlet.cloth.area_density = 1.0  # 1 m²
    ob.verlet.cloth.drag = 0.0
    crate_ = body(name="Crate", location=(-0.7, -0.7, 2))
    crate_.verlet.body.mass = 1.0
    crate_.verlet.body.drag = crate_.verlet.body.angular_drag = 0.0
    crate_.verlet.body.velocity = (-1.0, 0.0, 0.0)
    pin(ob, [CORNER])
    ob.verlet.pin_target = crate_
    return ob, crate_


def test_pins_to_a_rigid_body_are_held_by_it_and_hold_it(scene):
    ob, crate_ = sheet_on_a_moving_body(scene)
    corner, rest = seen(ob)[[CORNER]], seen_matrix(crate_)
    play(scene, 1, 49)
    running = session_of(scene)
    assert running.problems == []
    np.testing.assert_allclose(seen(ob)[[CORNER]], on_body(crate_, rest, corner), atol=2e-3)
    body_x = seen_matrix(crate_)[0, 3] - rest[0, 3]
    mass = running.model.particles.mass
    centre = (mass[:, None] * seen(ob)).sum(axis=0)[0] / mass.sum()
    assert body_x > -1.7  # alone it would be 2 m away
    assert (mass.sum() * centre + body_x) == pytest.approx(-2.0, abs=2e-3)  # all of its momentum


def test_a_weak_pin_is_no_tie(scene):
    ob, _ = sheet_on_a_moving_body(scene)
    ob.vertex_groups["Pin"].add([1], 0.3, "REPLACE")
    scene.frame_set(1)
    (tie,) = session_of(scene).model.constraints[-1:]
    assert type(tie).__name__ == "Attachments"
    assert tie.particles.tolist() == [[CORNER]]
    assert len(session_of(scene).model.pins) == 0


@pytest.mark.parametrize("kind", ["PASSIVE", "COLLIDER"])
def test_pins_to_what_is_not_moved_by_the_simulation_are_no_ties(scene, kind):
    ob, crate_ = sheet_on_a_moving_body(scene)
    if kind == "COLLIDER":
        select(crate_)
        bpy.ops.verlet.collider()
    else:
        crate_.verlet.body.type = kind
    corner = seen(ob)[CORNER]
    crate_.keyframe_insert("location", frame=1)
    crate_.location.z += 1.0
    crate_.keyframe_insert("location", frame=9)
    play(scene, 1, 9)
    assert session_of(scene).problems == []
    np.testing.assert_allclose(seen(ob)[CORNER], corner + (0, 0, 1), atol=1e-5)


def test_what_follows_its_animation_carries_the_cloth_until_it_is_let_go(scene):
    ob, crate_ = sheet_on_a_moving_body(scene)
    crate_.verlet.body.type = "ANIMATED"
    crate_.verlet.body.velocity = (0.0, 0.0, 0.0)
    corner, rest = seen(ob)[[CORNER]], seen_matrix(crate_)
    crate_.keyframe_insert("location", frame=1)
    crate_.location.z += 0.5
    crate_.keyframe_insert("location", frame=9)
    crate_.verlet.animated.keyframe_insert("pin", frame=9)
    crate_.verlet.animated.pin = 0.0
    crate_.verlet.animated.keyframe_insert("pin", frame=10)
    play(scene, 1, 8)
    np.testing.assert_allclose(seen(ob)[[CORNER]], on_body(crate_, rest, corner), atol=2e-3)
    play(scene, 9, 30)
    np.testing.assert_allclose(seen(ob)[[CORNER]], on_body(crate_, rest, corner), atol=2e-3)
    assert seen_matrix(crate_)[2, 3] - rest[2, 3] > 0.6  # it flies on


def test_a_body_of_particles_that_pins_follow_is_pointed_out(scene):
    _, crate_ = sheet_on_a_moving_body(scene)
    crate_.verlet.body.model = "TETRAHEDRON"
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert "Crate" in problem.message
    assert "Model" in problem.message


def test_a_rope_holds_a_crate(scene):
    line, load = rope(pins=[0]), crate()
    joint = join(line, load)
    np.testing.assert_allclose(joint.matrix_world.translation, (0, 0, 1), atol=1e-6)
    end, rest = seen(line)[[END]], seen_matrix(load)
    play(scene, 1, 25)
    assert session_of(scene).problems == []
    np.testing.assert_allclose(seen(line)[[END]], on_body(load, rest, end), atol=2e-3)
    assert seen_matrix(load)[2, 3] == pytest.approx(0.8, abs=0.05)  # it fell 4.9 m without


def test_a_joint_takes_a_vertex_from_the_pins(scene):
    line, load = rope(), crate()
    select(line)
    bpy.ops.verlet.pin_ends()
    join(load, line)
    load.location.x = 0.3  # the crate swings below the end: pinned, the end would not move
    bpy.context.view_layer.update()
    play(scene, 1, 13)
    assert session_of(scene).model.pins.particle.tolist() == [0]
    assert abs(seen(line)[END, 0]) > 0.02


def test_a_drawn_curve_is_tied_by_its_end(scene):
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(5)
    for number, point in enumerate(spline.points):
        point.co = (0, 0, 2 - 0.2 * number, 1)
    line = bpy.data.objects.new("Rope", curve)
    scene.collection.objects.link(line)
    select(line)
    bpy.ops.verlet.rope()
    bpy.ops.verlet.pin_ends()
    load = crate()
    joint = join(line, load)
    np.testing.assert_allclose(joint.matrix_world.translation, (0, 0, 1), atol=1e-6)
    play(scene, 1, 13)
    assert session_of(scene).problems == []
    assert seen_matrix(load)[2, 3] == pytest.approx(0.8, abs=0.05)


def test_the_radius_of_a_joint_ties_more_vertices(scene):
    ob, load = cloth(), body(location=(0, 0, 1.8))
    joint = join(ob, load)
    scene.frame_set(1)
    assert len(session_of(scene).model.constraints[-1].particles) == 1
    joint.location = (0, 0, 2)
    joint.verlet.joint.tie_radius = 0.26
    addon("session").suspect_all()
    scene.frame_set(1)
    tied = session_of(scene).model.constraints[-1].particles
    assert sorted(tied[:, 0].tolist()) == [7, 11, 12, 13, 17]  # the middle one, and around it


def test_ties_let_go_when_the_pin_is_keyed_to_zero(scene):
    line, load = rope(pins=[0]), crate()
    join(line, load)
    line.verlet.animated.keyframe_insert("pin", frame=9)
    line.verlet.animated.pin = 0.0
    line.verlet.animated.keyframe_insert("pin", frame=10)
    play(scene, 1, 9)
    assert seen_matrix(load)[2, 3] == pytest.approx(0.8, abs=0.05)
    play(scene, 10, 21)
    assert seen_matrix(load)[2, 3] < 0.0


def test_a_bake_is_what_was_seen(scene):
    line, load = rope(pins=[0]), crate()
    join(line, load)
    load.location.x = 0.3
    bpy.context.view_layer.update()
    play(scene, 1, 12)
    line_seen, load_seen = seen(line), seen_matrix(load)
    scene.frame_end = 12
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(12)
    np.testing.assert_array_equal(seen(line), line_seen)
    np.testing.assert_allclose(seen_matrix(load), load_seen, atol=1e-6)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert line.data.shape_keys is None


def test_a_moved_tie_is_simulated_anew(scene):
    line, load = rope(pins=[0]), crate()
    joint = join(line, load)
    play(scene, 1, 4)
    joint.location.z += 0.3
    scene.frame_set(1)
    assert session_of(scene).last == 1
    assert session_of(scene).model.constraints[-1].particles.tolist() == [[7]]


def test_join_says_what_ropes_and_cloth_cannot_be_joined_to(scene):
    line, other = rope(), rope("Other")
    select(line, other)
    assert "a joint needs a rigid body" in refusal(bpy.ops.verlet.join)
    ground = floor()
    select(ground, line)
    assert "Rope: it bends" in refusal(bpy.ops.verlet.join)
    assert "Pin To" in refusal(bpy.ops.verlet.join)
    load = crate()
    select(other)
    bpy.ops.verlet.plant()
    select(load, other)
    assert "Other: it is a plant" in refusal(bpy.ops.verlet.join)
    assert addon("properties.participants").joints(scene) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda j, one: setattr(j, "object_b", None), "the world"),
        (lambda j, one: setattr(j, "object_b", one), "both bend"),
        (lambda j, one: setattr(j.object_b.verlet, "kind", "COLLIDER"), "by Crate"),
        (lambda j, one: setattr(j.object_b.verlet, "kind", "PLANT"), "is a plant"),
        (lambda j, one: setattr(j.object_b.verlet.body, "model", "TETRAHEDRON"), "Quaternion"),
    ],
)
def test_a_tie_that_cannot_work_is_named_and_left_out(scene, spoil, said):
    line, other, load = rope(pins=[0]), rope("Other", pins=[0]), crate()
    joint = join(line, load)
    spoil(joint.verlet.joint, other)
    play(scene, 1, 4)
    (problem,) = session_of(scene).problems
    assert problem.message.startswith("Joint: ")
    assert said in problem.message
    names = [type(c).__name__ for c in session_of(scene).model.constraints]
    assert "Attachments" not in names


def test_what_is_drawn_of_a_tie_moves_with_the_body(scene):
    line, load = rope(), crate()
    join(line, load)
    lines_of = addon("overlays.collect").lines_of
    before = lines_of(bpy.context)[0]
    play(scene, 1, 8)
    fallen = before[:, 2].mean() - lines_of(bpy.context)[0][:, 2].mean()
    assert fallen == pytest.approx(0.8 - seen_matrix(load)[2, 3], rel=0.05)


def test_what_bends_may_be_chosen_and_a_plant_not(scene):
    line, load = rope(), crate()
    joint = join(line, load)
    may_be = addon("properties.joints")._may_be_joined
    assert may_be(joint.verlet.joint, line)
    select(line)
    bpy.ops.verlet.plant()
    assert not may_be(joint.verlet.joint, line)
