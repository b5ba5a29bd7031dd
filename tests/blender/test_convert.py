"""Blender's own Rigid Body settings and constraints taken over, and given back as they were."""

import math

import bpy
import numpy as np
import pytest
from small_scenes import addon, body, box, floor, play, seen, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def rigid(kind="ACTIVE", **options):
    """A cube in Blender's own simulation."""
    ob = box(**options)
    select(ob)
    bpy.ops.rigidbody.object_add(type=kind)
    return ob


def constraint(kind, a, b, location=(0, 0, 0), **values):
    """An empty with a constraint between two objects."""
    ob = bpy.data.objects.new(kind.title(), None)
    bpy.context.scene.collection.objects.link(ob)
    ob.location = location
    bpy.context.view_layer.update()
    select(ob)
    bpy.ops.rigidbody.constraint_add(type=kind)
    theirs = ob.rigid_body_constraint
    theirs.object1, theirs.object2 = a, b
    for name, value in values.items():
        setattr(theirs, name, value)
    return ob


def values_of(group):
    """All values of Blender's settings, comparable."""
    found = {}
    for name, about in group.bl_rna.properties.items():
        if name == "rna_type" or about.is_readonly:
            continue
        value = getattr(group, name)
        found[name] = tuple(value) if hasattr(value, "__len__") and about.type != "ENUM" else value
    return found


def to_ours():
    assert bpy.ops.verlet.convert_rigid_body_world() == {"FINISHED"}


def to_theirs():
    assert bpy.ops.verlet.convert_to_rigid_body_world() == {"FINISHED"}


def reports(capfd):
    """What the operators said, with all notes."""
    return capfd.readouterr().out


def test_settings_of_bodies_are_taken_over(scene):
    ob = rigid(name="Crate")
    theirs = ob.rigid_body
    theirs.mass, theirs.friction, theirs.restitution = 3.0, 0.6, 0.25
    theirs.linear_damping, theirs.angular_damping = 0.2, 0.5
    theirs.collision_shape = "CONE"
    theirs.use_deactivation = False
    theirs.collision_collections = [i in (1, 3) for i in range(20)]
    ground = rigid("PASSIVE", name="Ground")
    ground.rigid_body.collision_shape = "MESH"
    to_ours()
    ours = ob.verlet.body
    assert (ob.verlet.kind, ours.type, ours.shape) == ("BODY", "ACTIVE", "HULL")
    assert (ours.mass_by, ours.sleeps) == ("MASS", False)
    assert ours.mass == pytest.approx(3.0)
    assert ours.friction == pytest.approx(0.36)
    assert ours.restitution == pytest.approx(0.25)
    assert math.exp(-ours.drag) == pytest.approx(0.8)
    assert math.exp(-ours.angular_drag) == pytest.approx(0.5)
    assert tuple(ours.layers) == tuple(i in (1, 3) for i in range(8))
    assert (ground.verlet.kind, ground.verlet.collider.shape) == ("COLLIDER", "MESH")
    assert not scene.rigidbody_world.enabled
    assert ob.rigid_body is not None


@pytest.mark.parametrize(
    ("kinematic", "enabled", "expected"),
    [(False, True, "ACTIVE"), (True, True, "ANIMATED"), (False, False, "PASSIVE")],
)
def test_what_moves_a_body(scene, kinematic, enabled, expected):
    ob = rigid()
    ob.rigid_body.kinematic, ob.rigid_body.enabled = kinematic, enabled
    to_ours()
    assert ob.verlet.body.type == expected


def test_keyed_animated_becomes_a_keyed_pin_and_comes_back(scene, compat):
    ob = rigid(name="Thrown")
    ob.rigid_body.kinematic = True
    ob.keyframe_insert("rigid_body.kinematic", frame=1)
    ob.rigid_body.kinematic = False
    ob.keyframe_insert("rigid_body.kinematic", frame=10)
    to_ours()
    assert ob.verlet.body.type == "ANIMATED"
    (pin,) = [c for c in compat.fcurves_of(ob) if c.data_path == "verlet.animated.pin"]
    assert [tuple(key.co) for key in pin.keyframe_points] == [(1.0, 1.0), (10.0, 0.0)]
    assert pin.evaluate(9.5) == 1.0
    to_theirs()
    (curve,) = compat.fcurves_of(ob)
    assert curve.data_path == "rigid_body.kinematic"


def test_more_than_eight_collections_are_named(scene, capfd):
    for number in range(9):
        ob = rigid(name=f"Box {number}", location=(number, 0, 0))
        ob.rigid_body.collision_collections = [i == 2 * number for i in range(20)]
    to_ours()
    assert "9 are used and there are eight layers" in reports(capfd)
    layers = [list(bpy.data.objects[f"Box {n}"].verlet.body.layers).index(True) for n in range(9)]
    assert layers == [0, 1, 2, 3, 4, 5, 6, 7, 7]
    to_theirs()
    ob = bpy.data.objects["Box 8"]
    assert list(ob.rigid_body.collision_collections).index(True) == 16


CONSTRAINTS = [
    ("FIXED", "FIXED", {"use_breaking": True, "breaking_threshold": 5.0}),
    ("POINT", "BALL", {"disable_collisions": False}),
    (
        "HINGE",
        "HINGE",
        {"use_limit_ang_z": True, "limit_ang_z_lower": -0.2, "limit_ang_z_upper": 1.0},
    ),
    (
        "SLIDER",
        "SLIDER",
        {"use_limit_lin_x": True, "limit_lin_x_lower": -0.1, "limit_lin_x_upper": 0.6},
    ),
    (
        "PISTON",
        "GENERIC",
        {"use_limit_lin_x": True, "limit_lin_x_lower": -0.1, "limit_lin_x_upper": 0.6},
    ),
    (
        "GENERIC",
        "GENERIC",
        {
            "use_limit_lin_x": True,
            "use_limit_lin_y": True,
            "limit_lin_x_lower": 0.0,
            "limit_lin_x_upper": 0.0,
            "limit_lin_y_lower": 1.0,
            "limit_lin_y_upper": -1.0,
            "use_limit_ang_y": True,
            "limit_ang_y_lower": -0.3,
            "limit_ang_y_upper": 0.1,
        },
    ),
    (
        "GENERIC_SPRING",
        "SPRING",
        {
            **{f"use_spring_{axis}": True for axis in "xyz"},
            **{f"spring_stiffness_{axis}": 40.0 for axis in "xyz"},
            **{f"spring_damping_{axis}": 2.0 for axis in "xyz"},
        },
    ),
]


@pytest.mark.parametrize(("theirs", "ours", "values"), CONSTRAINTS)
def test_constraints_are_taken_over_and_come_back_equal(scene, theirs, ours, values):
    a, b = rigid(name="A"), rigid(name="B", location=(1, 0, 1))
    ob = constraint(theirs, a, b, **values)
    before = values_of(ob.rigid_body_constraint)
    to_ours()
    joint = ob.verlet.joint
    assert ob.verlet.is_joint
    assert joint.kind == ours
    assert (joint.object_a, joint.object_b) == (a, b)
    if theirs == "FIXED":
        assert joint.breaking_force == pytest.approx(5.0 * 24 * 10)
    if theirs == "HINGE":
        assert joint.is_limited
        assert (joint.lower, joint.upper) == pytest.approx((-1.0, 0.2))
    if theirs == "GENERIC":
        assert tuple(joint.limits_linear) == (True, False, False)  # Y: lower above upper
        assert tuple(joint.angular_lower) == pytest.approx((0.0, -0.1, 0.0))
        assert tuple(joint.angular_upper) == pytest.approx((0.0, 0.3, 0.0))
    if theirs == "GENERIC_SPRING":
        assert (joint.stiffness, joint.damping) == pytest.approx((40.0, 2.0))
        assert joint.angular_stiffness == 0.0
    assert joint.collides == (theirs == "POINT")
    to_theirs()
    assert not ob.verlet.is_joint
    assert values_of(ob.rigid_body_constraint) == before


def test_a_whole_scene_comes_back_equal(scene):
    objects = [rigid(name=f"Box {i}", location=(i, 0, 1)) for i in range(3)]
    for number, ob in enumerate(objects):
        ob.rigid_body.mass = 1.7 * (number + 1)
        ob.rigid_body.friction = 0.1 + 0.3 * number
        ob.rigid_body.linear_damping = (0.04, 0.9, 1.0)[number]
        ob.rigid_body.collision_shape = ("MESH", "CONE", "CAPSULE")[number]
        ob.rigid_body.collision_collections = [i in (number, 12) for i in range(20)]
    objects.append(rigid("PASSIVE", name="Ground", location=(0, 0, -1)))
    before = [values_of(ob.rigid_body) for ob in objects]
    world = values_of(scene.rigidbody_world)
    to_ours()
    assert [ob.verlet.kind for ob in objects] == ["BODY"] * 3 + ["COLLIDER"]
    to_theirs()
    assert [values_of(ob.rigid_body) for ob in objects] == before
    assert values_of(scene.rigidbody_world) == world
    assert {ob.verlet.kind for ob in objects} == {"NONE"}


def test_our_edits_come_back_and_the_rest_stays(scene):
    ob = rigid(name="Crate")
    ob.rigid_body.collision_shape = "CONE"
    ob.rigid_body.friction = 0.7
    to_ours()
    ob.verlet.body.mass = 12.0
    to_theirs()
    assert ob.rigid_body.mass == pytest.approx(12.0)
    assert ob.rigid_body.collision_shape == "CONE"
    assert ob.rigid_body.friction == pytest.approx(0.7)


def test_what_was_made_here_becomes_blenders(scene):
    a, b = body(name="A"), body(name="B", location=(0.5, 0, 1))
    ground = floor()
    a.verlet.body.mass_by, a.verlet.body.density = "DENSITY", 500.0
    b.verlet.body.drag = math.log(2.0)
    select(b, a)
    bpy.ops.verlet.join(kind="HINGE")
    joint = bpy.context.object
    joint.verlet.joint.is_limited = True
    joint.verlet.joint.lower, joint.verlet.joint.upper = -0.5, 0.25
    joint.verlet.joint.breaking_force = 240.0
    to_theirs()
    assert a.rigid_body.mass == pytest.approx(500.0 * 0.4**3, rel=1e-5)
    assert b.rigid_body.linear_damping == pytest.approx(0.5)
    assert ground.rigid_body.type == "PASSIVE"
    theirs = joint.rigid_body_constraint
    assert (theirs.type, theirs.object1, theirs.object2) == ("HINGE", a, b)
    assert (theirs.limit_ang_z_lower, theirs.limit_ang_z_upper) == pytest.approx((-0.25, 0.5))
    assert theirs.breaking_threshold == pytest.approx(1.0)
    assert scene.rigidbody_world.enabled
    to_ours()
    assert joint.verlet.joint.lower == pytest.approx(-0.5)


def test_a_constraint_on_a_mesh_gets_an_empty_for_a_while(scene):
    a, b = rigid(name="A"), rigid(name="B", location=(1, 0, 1))
    select(b)
    bpy.ops.rigidbody.constraint_add(type="POINT")
    b.rigid_body_constraint.object1, b.rigid_body_constraint.object2 = a, b
    to_ours()
    (joint,) = addon("properties.participants").joints(scene)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joint.matrix_world, b.matrix_world, atol=1e-6)
    to_theirs()
    assert addon("properties.participants").joints(scene) == []
    assert "B Joint" not in bpy.data.objects
    assert b.rigid_body_constraint.type == "POINT"


def test_a_motor_goes_to_the_hinge_of_the_same_two(scene, capfd):
    a, b = rigid(name="A"), rigid(name="B", location=(1, 0, 1))
    hinge = constraint("HINGE", a, b)
    motor = constraint(
        "MOTOR", a, b, use_motor_ang=True, motor_ang_target_velocity=0.5, motor_ang_max_impulse=2.0
    )
    motor.rotation_euler.y = -math.pi / 2  # its X up
    bpy.context.view_layer.update()
    lost = constraint("MOTOR", b, a, use_motor_lin=True)
    before = values_of(motor.rigid_body_constraint)
    to_ours()
    joint = hinge.verlet.joint
    assert (joint.motor, motor.verlet.is_joint) == ("VELOCITY", False)
    assert joint.motor_speed == pytest.approx(-0.5)
    assert joint.motor_force == pytest.approx(480.0)
    assert f"{lost.name}: its motor is left out" in reports(capfd)
    to_theirs()
    assert values_of(motor.rigid_body_constraint) == before


def test_what_cannot_be_converted_is_named(scene, capfd):
    a, b = rigid(name="A"), rigid(name="B", location=(1, 0, 1))
    a.rigid_body.use_deactivation = a.rigid_body.use_start_deactivated = True
    constraint("FIXED", a, None)
    spring = constraint("GENERIC_SPRING", a, b, use_spring_x=True, use_limit_lin_y=True)
    spring.name = "Suspension"
    scene.rigidbody_world.time_scale = 0.5
    to_ours()
    said = reports(capfd)
    assert "A: it falls from the start" in said
    assert "Fixed: it joins no two rigid bodies" in said
    assert "Suspension: its springs are the same along all axes" in said
    assert "Suspension: its limits are left out" in said
    assert "speed of 0.5" in said


def test_nothing_to_convert_is_said(scene):
    assert not bpy.ops.verlet.convert_rigid_body_world.poll()
    assert not bpy.ops.verlet.convert_to_rigid_body_world.poll()


def test_only_one_simulation_moves_what_was_converted(scene):
    scene.frame_end = 20
    ob = rigid(name="A", location=(0, 0, 5))
    rigid("PASSIVE", name="Ground", location=(0, 0, -1))
    play(scene, 1, 10)
    to_ours()
    assert scene.frame_current == 1
    np.testing.assert_allclose(seen(ob).mean(axis=0), (0, 0, 5), atol=1e-5)
    play(scene, 1, 13)
    assert session_of(scene).problems == []
    height = seen(ob).mean(axis=0)[2]
    assert height == pytest.approx(5 - 0.5 * 9.81 * 0.5**2, rel=0.02)


def test_undo_brings_blenders_simulation_back(scene):
    rigid(name="A")
    bpy.ops.ed.undo_push(message="before")
    to_ours()
    bpy.ops.ed.undo_push(message="converted")
    bpy.ops.ed.undo()
    assert bpy.context.scene.rigidbody_world.enabled
    assert bpy.data.objects["A"].verlet.kind == "NONE"


def pair_in_blender(kind, gravity, **values):
    """A still cube, one that moves a metre beside it, and a constraint in the middle of the first.

    The constraint's places and angles are all locked, but for what ``values`` says.
    """
    scene = bpy.context.scene
    scene.gravity = gravity
    still, moving = (
        rigid("PASSIVE", name="Still", size=0.2, location=(0, 0, 0)),
        rigid(name="Moving", size=0.2, location=(1, 0, 0)),
    )
    moving.rigid_body.linear_damping = moving.rigid_body.angular_damping = 0.5
    locked = {
        f"{use}limit_{short}_{axis}{end}": value
        for short in ("lin", "ang")
        for axis in "xyz"
        for use, end, value in (("use_", "", True), ("", "_lower", 0.0), ("", "_upper", 0.0))
    }
    constraint(kind, still, moving, **{**locked, **values})
    return moving


def where(ob, last):
    """World matrix of an object after so many frames."""
    play(bpy.context.scene, 1, last)
    return np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("kind", "along", "limits"),
    [
        ("HINGE", 1, "ang_z"),
        ("GENERIC", 2, "ang_y"),
        ("GENERIC", 1, "lin_y"),
        ("SLIDER", 0, "lin_x"),
        ("PISTON", 0, "lin_x"),
    ],
)
def test_limits_stop_where_those_of_blender_do(scene, kind, along, limits, sign):
    gravity = [0.0, 0.0, 0.0]
    gravity[along] = 5.0 * sign
    ob = pair_in_blender(
        kind, gravity, **{f"limit_{limits}_lower": -0.2, f"limit_{limits}_upper": 0.7}
    )
    scene.frame_end = scene.rigidbody_world.point_cache.frame_end = 60
    theirs = where(ob, 60)
    to_ours()
    np.testing.assert_allclose(where(ob, 60), theirs, atol=0.015)
    assert session_of(scene).problems == []


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_motor_turns_as_that_of_blender_does(scene, is_reversed):
    ob = pair_in_blender("HINGE", (0, 0, 0), use_limit_ang_z=False)
    ob.rigid_body.linear_damping = ob.rigid_body.angular_damping = 0.0  # it slows Blender's motor
    still = bpy.data.objects["Still"]
    pair = (ob, still) if is_reversed else (still, ob)
    motor = constraint(
        "MOTOR", *pair, use_motor_ang=True, motor_ang_target_velocity=0.8, motor_ang_max_impulse=9
    )
    motor.rotation_euler.y = -math.pi / 2
    bpy.context.view_layer.update()
    theirs = turned(ob, 13, 25)  # it takes some frames to come up to speed
    assert abs(theirs) == pytest.approx(0.4, rel=0.05)
    to_ours()
    assert turned(ob, 13, 25) == pytest.approx(theirs, rel=0.05)


def turned(ob, first, last):
    """Angle about Z in rad that an object turns by between two frames."""
    angles = [math.atan2(*where(ob, frame)[1::-1, 0]) for frame in (first, last)]
    return angles[1] - angles[0]
