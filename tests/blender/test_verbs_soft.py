"""Plants, soft bodies and particles: press, play, bake, free, undo, errors."""

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    box,
    floor,
    grid,
    new_object,
    pin,
    play,
    seen,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def ball(name="Ball", radius=0.5, location=(0, 0, 1)):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=radius, location=location)
    bpy.context.object.name = name
    return bpy.context.object


def stalk(name="Stalk", height=1.0, count=8):
    """A stem of bare edges with a small leaf of two triangles at its top."""
    points = [(0, 0, height * i / (count - 1)) for i in range(count)]
    edges = [(i, i + 1) for i in range(count - 1)]
    points += [(0.1, 0.05, height), (0.1, -0.05, height)]
    return new_object(name, points, edges, [(count - 1, count, count + 1)])


def dust(name="Dust", count=30):
    rng = np.random.default_rng(1)
    return new_object(name, rng.uniform(-0.5, 0.5, (count, 3)), location=(0, 0, 2))


def press(verb, *objects):
    select(*objects)
    assert getattr(bpy.ops.verlet, verb)() == {"FINISHED"}


MAKERS = {"plant": stalk, "soft_body": ball, "particles": dust}


@pytest.mark.parametrize("verb", MAKERS)
def test_play_bake_free_and_remove(scene, verb):
    ob = MAKERS[verb]()
    rest = seen(ob)
    press(verb, ob)
    scene.verlet.wind.velocity = (8, 0, 0)
    frames = {}
    for frame in range(1, 13):
        scene.frame_set(frame)
        frames[frame] = seen(ob)
    running = session_of(scene)
    assert running.problems == []
    assert running.failure == ""
    assert running.last == 12
    assert np.abs(frames[12] - rest).max() > 1e-3
    scene.frame_end = 12
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    for frame in (3, 12):
        scene.frame_set(frame)
        np.testing.assert_array_equal(seen(ob), frames[frame])
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.data.shape_keys is None
    bpy.ops.verlet.reset()
    bpy.ops.verlet.remove()
    np.testing.assert_array_equal(seen(ob), rest)
    assert not ob.modifiers
    assert ob.verlet.kind == "NONE"


@pytest.mark.parametrize("verb", MAKERS)
def test_a_verb_can_be_undone(scene, verb):
    ob = MAKERS[verb]("Thing")
    edit = bpy.context.preferences.edit
    before, edit.use_global_undo = edit.use_global_undo, True
    bpy.ops.ed.undo_push(message="before")
    press(verb, ob)
    bpy.ops.ed.undo_push(message="after")
    assert bpy.ops.ed.undo() == {"FINISHED"}
    edit.use_global_undo = before
    assert bpy.data.objects["Thing"].verlet.kind == "NONE"


def test_a_plant_is_rooted_without_pins_and_bends_in_the_wind(scene):
    ob = stalk()
    press("plant", ob)
    rest = seen(ob)
    play(scene, 1, 8)
    assert np.abs(seen(ob) - rest).max() < 0.05  # it stands
    scene.verlet.wind.velocity = (15, 0, 0)
    scene.verlet.wind.gust = 0.0
    bpy.ops.verlet.reset()
    play(scene, 1, 20)
    now = seen(ob)
    assert np.abs(now[0] - rest[0]).max() < 1e-6
    assert now[7, 0] > 0.01


def test_a_plant_follows_the_object_that_its_pins_follow(scene):
    ob = stalk()
    press("plant", ob)
    pin(ob, [0, 1])
    ob.keyframe_insert("location", frame=1)
    ob.location.x = 0.5
    ob.keyframe_insert("location", frame=7)
    play(scene, 1, 7)
    np.testing.assert_allclose(seen(ob)[:2, 0], 0.5, atol=1e-5)


def volume_of(ob):
    points = seen(ob)
    corners = np.array([list(face.vertices) for face in ob.data.polygons])
    a, b, c = points[corners[:, 0]], points[corners[:, 1]], points[corners[:, 2]]
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_a_soft_body_lands_and_keeps_its_volume(scene):
    ob = ball()
    press("soft_body", ob)
    floor()
    before = volume_of(ob)
    play(scene, 1, 24)
    assert seen(ob)[:, 2].min() > -0.02
    assert volume_of(ob) == pytest.approx(before, rel=0.05)
    assert seen(ob)[:, 2].max() < 1.45


def test_keyed_pressure_swells_a_soft_body(scene):
    scene.use_gravity = False
    ob = ball()
    press("soft_body", ob)
    ob.verlet.soft_body.shape = 0.0
    ob.verlet.soft_body.stiffness = 0.1
    before = volume_of(ob)
    ob.verlet.animated.pressure = 1.0
    ob.verlet.animated.keyframe_insert("pressure", frame=1)
    ob.verlet.animated.pressure = 1.5
    ob.verlet.animated.keyframe_insert("pressure", frame=8)
    play(scene, 1, 20)
    assert volume_of(ob) > 1.2 * before


def test_a_painted_half_of_a_soft_body_is_softer(scene):
    """A bar held in its middle: the end whose stiffness is painted away sags more."""
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 2))
    ob = bpy.context.object
    ob.scale = (2.0, 0.3, 0.3)
    bpy.ops.object.transform_apply(location=False, scale=True)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=7)
    bpy.ops.object.mode_set(mode="OBJECT")
    press("soft_body", ob)
    x = np.array([vertex.co.x for vertex in ob.data.vertices])
    pin(ob, np.flatnonzero(np.abs(x) < 0.3).tolist())
    ob.vertex_groups.new(name="Firm").add(np.flatnonzero(x < 0.3).tolist(), 1.0, "REPLACE")
    ob.vertex_groups["Firm"].add(np.flatnonzero(x >= 0.3).tolist(), 0.0, "REPLACE")
    ob.verlet.soft_body.shape_group = ob.verlet.soft_body.stiffness_group = "Firm"
    ob.verlet.soft_body.volume = 0.0
    play(scene, 1, 15)
    running = session_of(scene)
    assert running.problems == []
    heights = np.stack([running.cache[frame].position[:, 2] for frame in range(1, 16)])
    sag = (heights[0] - heights).max(axis=0)  # both ends swing, the firm one faster
    assert sag[x > 0.9].mean() > 1.3 * sag[x < -0.9].mean()


def test_particles_pile_up_on_the_floor(scene):
    ob = dust()
    press("particles", ob)
    floor()
    play(scene, 1, 40)
    heights = seen(ob)[:, 2]
    assert heights.min() > 0.0
    assert heights.max() < 1.0


@pytest.mark.parametrize("preset", ["FLOCK", "FLOW"])
def test_flocks_and_flows_move_by_themselves(scene, preset):
    ob = dust()
    press("particles", ob)
    bpy.ops.verlet.preset(preset=preset)
    rest = seen(ob)
    play(scene, 1, 10)
    assert session_of(scene).problems == []
    assert session_of(scene).failure == ""
    assert np.linalg.norm(seen(ob) - rest, axis=1).mean() > 0.1
    assert np.abs(seen(ob)[:, 2] - rest[:, 2]).mean() < 1.0


def test_any_mesh_makes_particles(scene):
    ob = grid()
    press("particles", ob)
    play(scene, 1, 4)
    assert session_of(scene).last == 4


def fails(verb, ob, match):
    select(ob)
    with pytest.raises(RuntimeError, match=match) as error:
        getattr(bpy.ops.verlet, verb)()
    assert ob.name in str(error.value)
    assert ob.verlet.kind == "NONE"


def test_an_open_mesh_has_no_volume():
    fails("soft_body", grid(name="Sheet"), "not closed.*Close Holes")


def test_a_mesh_without_faces_has_no_volume():
    fails("soft_body", new_object("Wire", [(0, 0, 0), (1, 0, 0)], [(0, 1)]), "no faces")


def test_an_open_mesh_will_do_without_volume(scene):
    ob = grid(name="Sheet")
    ob.verlet.soft_body.volume = 0.0
    press("soft_body", ob)
    play(scene, 1, 3)
    assert session_of(scene).problems == []


@pytest.mark.parametrize("verb", ["plant", "soft_body"])
def test_vertices_alone_hold_nothing_together(verb):
    fails(verb, dust("Loose"), "no edges")


def test_an_empty_mesh_makes_no_particles():
    fails("particles", new_object("Nothing", []), "no vertices")


def test_everything_at_once_in_one_scene(scene):
    """Each kind in one model: rows in the order of the participants."""
    objects = {
        "soft_body": ball("A ball", location=(0, 0, 1)),
        "plant": stalk("B stalk"),
        "particles": dust("C dust"),
        "cloth": grid("D cloth", location=(0, 0, 3)),
        "rope": new_object("E rope", [(2, 0, 1), (3, 0, 1), (4, 0, 1)], [(0, 1), (1, 2)]),
        "rigid_body": box("F box", location=(-3, 0, 1)),
    }
    for verb, ob in objects.items():
        press(verb, ob)
    floor("G floor")
    rest = {verb: seen(ob) for verb, ob in objects.items()}
    play(scene, 1, 5)
    running = session_of(scene)
    assert running.problems == []
    assert running.failure == ""
    assert [p.name for p in running.particle_objects()] == [
        "A ball",
        "B stalk",
        "C dust",
        "D cloth",
        "E rope",
    ]
    for verb, ob in objects.items():
        assert np.abs(seen(ob) - rest[verb]).max() < 1.5, verb
    assert addon("properties.participants").simulated_objects(scene)[0].name == "A ball"


def test_a_lone_vertex_beside_a_soft_body_falls_by_itself(scene):
    ob = box(location=(0, 0, 3))
    mesh = ob.data
    points = [tuple(v.co) for v in mesh.vertices]
    faces = [tuple(face.vertices) for face in mesh.polygons]
    mesh.clear_geometry()
    mesh.from_pydata([*points, (2, 0, 0)], [], faces)
    select(ob)
    bpy.ops.verlet.soft_body()
    start = seen(ob)
    play(scene, 1, 7)
    assert session_of(scene).failure == ""
    fallen = start[:, 2] - seen(ob)[:, 2]
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * (6 / 24) ** 2, rtol=0.1)
