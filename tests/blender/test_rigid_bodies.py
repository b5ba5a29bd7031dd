"""Rigid bodies: shapes that rest where they should, mass, animation that lets go, and its bake."""

import importlib
import math

import bpy
import numpy as np
import pytest
from small_scenes import (
    MODULE,
    addon,
    body,
    box,
    floor,
    new_object,
    play,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def torus(name="Torus", ring=0.5, tube=0.15, location=(0, 0, 1)) -> bpy.types.Object:
    """A ring about its local Z."""
    bpy.ops.mesh.primitive_torus_add(
        major_radius=ring,
        minor_radius=tube,
        major_segments=20,
        minor_segments=8,
        location=location,
    )
    bpy.context.object.name = name
    return bpy.context.object


def ball(name="Ball", radius=0.2, location=(0, 0, 1)) -> bpy.types.Object:
    """A ball of a few hundred vertices."""
    bpy.ops.mesh.primitive_uv_sphere_add(
        radius=radius, segments=24, ring_count=12, location=location
    )
    bpy.context.object.name = name
    return bpy.context.object


def rod(name="Rod", radius=0.1, depth=0.6, location=(0, 0, 1)) -> bpy.types.Object:
    """A cylinder along its local Z."""
    bpy.ops.mesh.primitive_cylinder_add(radius=radius, depth=depth, vertices=32, location=location)
    bpy.context.object.name = name
    return bpy.context.object


def rigid(ob: bpy.types.Object, **settings) -> bpy.types.Object:
    """Set up as a rigid body."""
    select(ob)
    assert bpy.ops.verlet.rigid_body() == {"FINISHED"}
    for name, value in settings.items():
        setattr(ob.verlet.body, name, value)
    return ob


def key(ob: bpy.types.Object, frame: int, path="location", **values) -> None:
    """Key a property, with straight lines between keys."""
    for name, value in values.items():
        setattr(ob, name, value)
    ob.keyframe_insert(path, frame=frame)
    for curve in addon("blender.compat").fcurves_of(ob):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def height(ob: bpy.types.Object) -> float:
    return seen_matrix(ob)[2, 3]


def problems(scene) -> str:
    return "; ".join(problem.message for problem in session_of(scene).problems)


SHAPES = {
    "AUTO": (box, {"size": 0.4}, 0.2),
    "BOX": (box, {"size": 0.4}, 0.2),
    "SPHERE": (ball, {"radius": 0.2}, 0.2),
    "CAPSULE": (rod, {"radius": 0.1, "depth": 0.6}, 0.3),
    "CYLINDER": (rod, {"radius": 0.2, "depth": 0.3}, 0.15),
    "HULL": (box, {"size": 0.4}, 0.2),
    "COMPOUND": (torus, {"ring": 0.5, "tube": 0.15}, 0.15),
}


def test_every_shape_falls_and_rests_at_its_height(scene):
    floor()
    bodies = {}
    for number, (shape, (make, about, expected)) in enumerate(SHAPES.items()):
        ob = make(name=shape, location=(2.0 * number - 6.0, 0, expected + 0.05), **about)
        bodies[shape] = rigid(ob, shape=shape, restitution=0.0), expected
    play(scene, 1, 25)
    assert not problems(scene)
    for shape, (ob, expected) in bodies.items():
        assert height(ob) == pytest.approx(expected, abs=0.006), shape
    kinds = {span.name: span.body for span in session_of(scene).model.objects}
    owners = session_of(scene).model.shapes.owner
    assert (owners == kinds["COMPOUND"]).sum() > 4


def test_density_tells_the_mass(scene):
    light, heavy = rigid(box(name="A")), rigid(box(name="B", size=0.8, location=(3, 0, 1)))
    light.verlet.body.mass = 3.5
    heavy.verlet.body.mass_by = "DENSITY"
    heavy.verlet.body.density = 600.0
    heavy.scale = (1, 1, 0.5)
    play(scene, 1, 2)
    assert session_of(scene).model.bodies.mass == pytest.approx([3.5, 600 * 0.8**3 / 2], rel=1e-6)


def test_a_body_turns_about_its_centre_of_mass_not_its_origin(scene):
    """A box whose origin is at a corner spins: its middle stays, its origin circles."""
    ob = box(size=0.4, location=(0, 0, 0))
    for vertex in ob.data.vertices:
        vertex.co.x += 0.2
    scene.use_gravity = False
    rigid(ob, angular_velocity=(0, 0, math.pi), drag=0.0, angular_drag=0.0)
    play(scene, 1, 13)  # half a second: a quarter turn
    np.testing.assert_allclose(seen_matrix(ob)[:3, 3], (0.2, -0.2, 0), atol=1e-4)
    np.testing.assert_allclose(seen_matrix(ob)[:3, 0], (0, 1, 0), atol=1e-4)


def test_a_body_of_four_particles_stands_beside_one_of_place_and_rotation(scene):
    """Their rows in the model are in another order than the objects."""
    a = rigid(box(name="A", location=(0, 0, 3)), model="TETRAHEDRON", drag=0.0)
    b = rigid(box(name="B", location=(2, 0, 5)), drag=0.0)
    play(scene, 1, 7)
    fallen = 0.5 * 9.81 * 0.25**2
    assert height(a) == pytest.approx(3 - fallen, abs=1e-3)
    assert height(b) == pytest.approx(5 - fallen, abs=1e-3)


@pytest.mark.parametrize("keyed", ["location", "parent", "path"])
def test_an_animated_body_is_let_go_with_the_speed_of_its_animation(scene, keyed):
    ob = rigid(box(location=(0, 0, 5)), type="ANIMATED", drag=0.0)
    scene.use_gravity = False
    if keyed == "location":
        key(ob, 1, location=(0, 0, 5))
        key(ob, 25, location=(2, 0, 5))
    elif keyed == "parent":
        carriage = new_object("Carriage", [(0, 0, 0)])
        ob.parent = carriage
        key(carriage, 1, location=(0, 0, 0))
        key(carriage, 25, location=(2, 0, 0))
    else:
        target = new_object("Target", [(0, 0, 0)])
        key(target, 1, location=(0, 0, 5))
        key(target, 25, location=(2, 0, 5))
        ob.constraints.new("COPY_LOCATION").target = target
    animated = ob.verlet.animated
    animated.pin = 1.0
    ob.keyframe_insert("verlet.animated.pin", frame=9)
    animated.pin = 0.0
    ob.keyframe_insert("verlet.animated.pin", frame=10)
    places = {}
    for frame in range(1, 21):
        scene.frame_set(frame)
        places[frame] = seen_matrix(ob)[:3, 3]
    for frame in (2, 5, 9):
        np.testing.assert_allclose(places[frame], (2 * (frame - 1) / 24, 0, 5), atol=2e-4)
    flight = [places[frame][0] for frame in range(10, 21)]
    np.testing.assert_allclose(np.diff(flight), 2 / 24, atol=2e-4)
    scene.frame_set(5)  # and again, from what is kept
    np.testing.assert_allclose(seen_matrix(ob)[:3, 3], places[5], atol=1e-6)
    scene.frame_set(1)
    if keyed == "path":
        assert not ob.constraints[0].mute


def test_the_animation_gives_an_active_body_its_first_speed(scene):
    scene.use_gravity = False
    ob = rigid(box(location=(0, 0, 5)), drag=0.0, angular_drag=0.0, velocity=(0, 1, 0))
    key(ob, 1, location=(0, 0, 5))
    key(ob, 13, location=(1, 0, 5))
    key(ob, 1, "rotation_euler", rotation_euler=(0, 0, 0))
    key(ob, 13, "rotation_euler", rotation_euler=(0, 0, math.pi / 2))
    play(scene, 1, 7)
    np.testing.assert_allclose(seen_matrix(ob)[:3, 3], (0.5, 0.25, 5), atol=2e-3)
    np.testing.assert_allclose(
        seen_matrix(ob)[:3, 0], (math.sqrt(0.5), math.sqrt(0.5), 0), atol=2e-3
    )


def test_a_passive_body_pushes_and_stays_on_its_own_keys(scene):
    floor()
    crate = rigid(box(name="Crate", location=(0.5, 0, 0.2)), friction=0.2)
    ram = rigid(box(name="Ram", location=(0, 0, 0.2)), type="PASSIVE")
    key(ram, 1, location=(0, 0, 0.2))
    key(ram, 25, location=(1, 0, 0.2))
    for frame in range(1, 26):
        scene.frame_set(frame)
        assert seen_matrix(ram)[0, 3] == pytest.approx((frame - 1) / 24, abs=1e-6)
    assert seen_matrix(crate)[0, 3] == pytest.approx(1.4, abs=0.03)
    assert addon("properties.participants").bakeable_objects(scene, None) == [crate]


def test_a_ball_falls_through_the_hole_of_a_compound(scene):
    ring = rigid(torus(ring=0.6, tube=0.15, location=(0, 0, 1)), type="PASSIVE", shape="COMPOUND")
    through = rigid(ball(name="Through", radius=0.2, location=(0, 0, 1.5)))
    over = rigid(ball(name="Over", radius=0.2, location=(0.6, 0, 1.5)))
    play(scene, 1, 20)
    assert height(through) < 0.0
    assert height(over) > 0.5
    assert height(ring) == pytest.approx(1.0)


@pytest.mark.parametrize("shape", ["MESH", "AUTO", "COMPOUND", "HULL"])
def test_colliders_of_other_shapes(scene, shape):
    """A bowl holds a ball as mesh, and not as its hull."""
    ring = torus(ring=0.6, tube=0.15, location=(0, 0, 0.5))
    ring.scale = (1, 1, -1)  # mirrored: outside stays outside
    select(ring)
    bpy.ops.verlet.collider()
    ring.verlet.collider.shape = shape
    ring.verlet.collider.two_sided = False
    small = rigid(ball(radius=0.2, location=(0, 0, 1.0)))
    play(scene, 1, 20)
    assert (height(small) < 0.0) == (shape != "HULL")


def test_preview_and_bake_are_the_same(scene):
    floor()
    thrown = rigid(rod(location=(0, 0, 0.8)), velocity=(1, 0, 0), angular_velocity=(3, 2, 1))
    thrown.rotation_mode = "QUATERNION"  # angles in single precision lose digits near their pole
    let_go = rigid(torus(location=(2, 0, 1)), type="ANIMATED")
    key(let_go, 1, location=(2, 0, 1))
    key(let_go, 7, location=(2, 0.5, 1))
    let_go.verlet.animated.pin = 1.0
    let_go.keyframe_insert("verlet.animated.pin", frame=4)
    let_go.verlet.animated.pin = 0.0
    let_go.keyframe_insert("verlet.animated.pin", frame=5)
    scene.frame_end = 16
    shown = {}
    for frame in range(1, 17):
        scene.frame_set(frame)
        shown[frame] = seen_matrix(thrown), seen_matrix(let_go)
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    for frame in range(1, 17):
        scene.frame_set(frame)
        for ob, expected in zip((thrown, let_go), shown[frame]):
            np.testing.assert_allclose(seen_matrix(ob), expected, atol=2e-6)
    bpy.ops.verlet.free_bake()
    scene.frame_set(7)
    assert let_go.location.y == pytest.approx(0.5, abs=0.2)
    assert {curve.data_path for curve in addon("blender.compat").fcurves_of(let_go)} == {
        "location",
        "verlet.animated.pin",
    }


@pytest.mark.parametrize(
    ("settings", "vertices", "says"),
    [
        ({"type": "ANIMATED", "model": "TETRAHEDRON"}, None, r"Wreck.*Quaternion"),
        ({"shape": "HULL"}, [(1, 1, 1), (1, 1, 1)], r"Wreck.*one place"),
    ],
)
def test_errors_name_the_object(scene, settings, vertices, says):
    ob = rigid(box(name="Wreck"), **settings)
    if vertices is not None:
        ob.data.clear_geometry()
        ob.data.from_pydata(vertices, [], [])
    scene.frame_set(1)
    with pytest.raises(RuntimeError, match=says):
        bpy.ops.verlet.bake()


def test_a_mesh_in_one_place_is_refused_at_the_press(scene):
    select(new_object("Wreck", [(1, 1, 1), (1, 1, 1)]))
    with pytest.raises(RuntimeError, match=r"Wreck.*one place"):
        bpy.ops.verlet.rigid_body()


def test_a_mesh_collider_without_faces_names_the_object(scene):
    body()
    wire = new_object("Wire", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], edges=[(0, 1), (1, 2)])
    select(wire)
    bpy.ops.verlet.collider()
    wire.verlet.collider.shape = "MESH"
    scene.frame_set(1)
    with pytest.raises(RuntimeError, match=r"Wire.*no faces"):
        bpy.ops.verlet.bake()


def test_layers_let_two_pass_each_other(scene):
    below = rigid(box(name="Below", location=(0, 0, 0)), type="PASSIVE")
    above = rigid(box(name="Above", location=(0, 0, 1)))
    above.verlet.body.layers = (False, True) + (False,) * 6
    play(scene, 1, 20)
    assert height(above) < 0.0
    below.verlet.body.layers = (True, True) + (False,) * 6
    play(scene, 1, 20)
    assert height(above) == pytest.approx(0.4, abs=0.01)


def furthest_off(ob, frames, expected, scene) -> tuple[float, float]:
    """Largest distance in m and largest angle in rad of a baked object from where it should be."""
    place = angle = 0.0
    for frame, wanted in zip(frames, expected):
        scene.frame_set(frame)
        there = seen_matrix(ob)
        place = max(place, float(np.linalg.norm(there[:3, 3] - wanted[:3, 3])))
        turn = there[:3, :3] @ np.linalg.inv(wanted[:3, :3])
        angle = max(angle, 2.0 * math.asin(min(1.0, np.linalg.norm(turn - np.eye(3)) / 8**0.5)))
    return place, angle


def key_counts(ob) -> dict[str, int]:
    return {c.data_path: len(c.keyframe_points) for c in addon("blender.compat").fcurves_of(ob)}


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_reduced_keys_stay_within_the_bound_at_every_frame(scene, scale):
    """Of a wild motion, also below a parent that makes everything larger."""
    transforms, reduction = addon("bake.transforms"), addon("bake.key_reduction")
    random = np.random.default_rng(7)
    count = 120
    frames = range(3, 3 + count)
    time = np.arange(count) / 24
    ob = box()
    ob.rotation_mode = "XYZ"
    parent = new_object("Parent", [(0, 0, 0)])
    parent.scale = (scale, scale, 0.5 * scale)
    ob.parent = parent
    place = np.stack([5 * time, np.abs(np.sin(3 * time)), 0.3 * time**2], axis=1)
    place[60:] += random.normal(0, 0.002, (60, 3))
    place[90:] = place[90]
    basis = np.tile(np.eye(4), (count, 1, 1))
    for row, (where, angle) in enumerate(zip(place, 2 * time + np.sin(2 * time))):
        c, s = math.cos(angle), math.sin(angle)
        basis[row, :3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        basis[row, :3, 3] = where
    spaces = np.tile(np.diag([scale, scale, 0.5 * scale, 1.0]), (count, 1, 1))
    worlds = spaces @ basis
    tolerance = reduction.Tolerance(place=0.004, angle=math.radians(0.4))
    transforms.write(ob, list(frames), worlds, spaces, tolerance)
    counts = key_counts(ob)
    assert counts["rotation_quaternion"] < 0.6 * count
    assert counts["location"] < (0.7 if scale == 1.0 else 0.9) * count
    off = furthest_off(ob, frames, worlds, scene)
    assert off[0] <= 0.004
    turned = []  # in the space of the object: the world shears what is in it
    for frame, wanted in zip(frames, basis):
        scene.frame_set(frame)
        there = np.array(ob.matrix_basis.to_3x3())
        turned.append(np.linalg.norm(there - wanted[:3, :3]) / 8**0.5)
    assert 2.0 * math.asin(max(turned)) <= math.radians(0.4)
    assert 2.0 * math.asin(max(turned)) > math.radians(0.2)  # the bound is used
    addon("bake.restore").free(ob)
    assert key_counts(ob) == {}


def test_reduce_keys_is_a_setting_of_the_bake(scene):
    floor()
    ob = rigid(box(location=(0, 0, 0.6)), velocity=(0.5, 0, 0), restitution=0.3)
    scene.frame_end = 40
    shown = []
    for frame in range(1, 41):
        scene.frame_set(frame)
        shown.append(seen_matrix(ob))
    scene.verlet.reduce_keys = True
    scene.verlet.place_tolerance = 2.0
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert key_counts(ob)["location"] < 25
    place, angle = furthest_off(ob, range(1, 41), shown, scene)
    assert place <= 0.002
    assert angle <= scene.verlet.angle_tolerance
    bpy.ops.verlet.free_bake()
    scene.verlet.reduce_keys = False
    bpy.ops.verlet.bake()
    assert key_counts(ob)["location"] == 40


def test_undo_brings_the_type_back(scene, monkeypatch):
    monkeypatch.setattr(bpy.context.preferences.edit, "use_global_undo", True)
    ob = rigid(box(name="Crate", location=(0, 0, 5)))
    bpy.ops.ed.undo_push(message="before")
    ob.verlet.body.type = "PASSIVE"
    bpy.ops.ed.undo_push(message="after")
    play(scene, 1, 5)
    assert height(ob) == pytest.approx(5.0)
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    ob = bpy.data.objects["Crate"]
    assert ob.verlet.body.type == "ACTIVE"
    play(scene, 1, 5)
    assert height(ob) < 4.9


def test_a_mesh_collider_moves_with_its_armature_and_shape_keys(scene):
    """A sheet whose shape key rises lifts the crate on it; a mirrored, scaled one just as well."""
    sheet = new_object(
        "Sheet", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], faces=[(0, 1, 2), (0, 2, 3)]
    )
    sheet.scale = (2, -2, 2)
    sheet.shape_key_add(name="Basis")
    raised = sheet.shape_key_add(name="Up")
    for point in raised.data:
        point.co.z = 0.25  # half a metre
    select(sheet)
    bpy.ops.verlet.collider()
    sheet.verlet.collider.shape = "MESH"
    raised.value = 0.0
    raised.keyframe_insert("value", frame=3)
    raised.value = 1.0
    raised.keyframe_insert("value", frame=20)
    crate = rigid(box(location=(0, 0, 0.2)))
    play(scene, 1, 30)
    assert height(crate) == pytest.approx(0.7, abs=0.01)
    scene.frame_set(2)
    assert height(crate) == pytest.approx(0.2, abs=0.01)


def test_turned_copies_of_a_mesh_are_fitted_once(scene):
    """Blender's matrices are rounded, each in another way."""
    first = torus()
    turns = np.random.default_rng(3).normal(size=(12, 3)).tolist()
    for number, turn in enumerate(turns):
        copy = first.copy()
        scene.collection.objects.link(copy)
        copy.location = (3 * number, 0.1 * number, 5)
        copy.rotation_euler = turn
        copy.scale = (1.3, 1.3, 1.3)
        copy.verlet.kind = "BODY"
        copy.verlet.body.shape = "COMPOUND"
        copy.verlet.body.mass_by = "DENSITY"
    module = importlib.import_module(f"{MODULE}.core.recipes.fit")
    module._elaborate.cache_clear()
    scene.frame_set(1)
    assert not problems(scene)
    assert module._elaborate.cache_info().misses == 1
    bodies = session_of(scene).model.bodies
    np.testing.assert_allclose(bodies.mass, bodies.mass[0], rtol=1e-6)
    expected = np.array([copy.matrix_world.translation for copy in scene.objects][1:])
    np.testing.assert_allclose(bodies.position, expected, atol=1e-5)
