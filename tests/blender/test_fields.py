"""Blender's force fields act on our particles as on Blender's own."""

import importlib
import math

import bpy
import numpy as np
import pytest
from small_scenes import MODULE, addon

TICK = 0.04  # s: a frame of Blender's particles, whatever the frame rate
FRAMES = 20


def engine():
    """The engine inside the installed extension, by its public names."""
    return importlib.import_module(f"{MODULE}.core")


def add_field(kind, **settings):
    """A force-field object, without flow and falloff unless they are given."""
    bpy.ops.object.effector_add(type=kind)
    ob = bpy.context.object
    ob.field.flow = 0.0
    ob.field.falloff_power = 0.0
    ob.field.shape = "POINT"
    ob.field.wind_factor = 0.0
    for name, value in settings.items():
        setattr(ob.field, name, value)
    return ob


def read():
    """What the add-on reads in the present frame."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return addon("extract.fields").read_fields(depsgraph)


def blenders_path(place, velocity):
    """Where Blender takes a particle of 1 kg from here."""
    mesh = bpy.data.meshes.new("emitter")
    mesh.from_pydata([(0, 0, 0)], [], [])
    ob = bpy.data.objects.new("emitter", mesh)
    bpy.context.scene.collection.objects.link(ob)
    ob.location = place
    ob.modifiers.new("particles", "PARTICLE_SYSTEM")
    system = ob.particle_systems[0].settings
    system.count = 1
    system.emit_from = "VERT"
    system.frame_start = system.frame_end = 1
    system.lifetime = 1000
    system.normal_factor = 0.0
    system.object_align_factor = velocity
    system.mass = 1.0
    system.drag_factor = system.damping = system.brownian_factor = 0.0
    system.effector_weights.gravity = 0.0
    system.subframes = 20
    for frame in range(1, FRAMES + 2):
        bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    particle = ob.evaluated_get(depsgraph).particle_systems[0].particles[0]
    return np.array(particle.location)


def our_path(fields, place, velocity):
    """Where the engine takes it."""
    builder = engine().ModelBuilder()
    builder.add_particles("p", [place], mass=1.0, velocity=velocity)
    model = builder.finalize()
    state = model.initial_state(gravity=(0, 0, 0))
    inputs = engine().FrameInputs(duration=TICK, gravity=(0, 0, 0), fields=fields)
    for _ in range(FRAMES):
        state, _ = engine().advance(model, state, inputs, engine().SolverSettings())
    return state.position[0]


CASES = {
    "force": ("FORCE", {"strength": 3.0}),
    "pull with a falloff": ("FORCE", {"strength": -3.0, "falloff_power": 2.0}),
    "gravitation": ("FORCE", {"strength": -1.0, "use_gravity_falloff": True}),
    "near and far": (
        "FORCE",
        {"strength": 2.0, "falloff_power": 1.5, "use_min_distance": True, "distance_min": 0.8,
         "use_max_distance": True, "distance_max": 1.6},
    ),
    "from a line": ("FORCE", {"strength": 3.0, "shape": "LINE", "falloff_power": 1.0}),
    "from a plane": ("FORCE", {"strength": 3.0, "shape": "PLANE", "falloff_power": 1.0}),
    "in a tube": (
        "FORCE",
        {"strength": 3.0, "falloff_type": "TUBE", "falloff_power": 1.0, "radial_falloff": 2.0,
         "use_radial_min": True, "radial_min": 0.5, "use_radial_max": True, "radial_max": 5.0},
    ),
    "in a cone": (
        "FORCE",
        {"strength": 30.0, "falloff_type": "CONE", "falloff_power": 1.0, "radial_falloff": 0.5,
         "use_radial_min": True, "radial_min": 10.0},
    ),
    "above only": ("FORCE", {"strength": 3.0, "z_direction": "POSITIVE"}),
    "below only": ("FORCE", {"strength": 3.0, "z_direction": "NEGATIVE"}),
    "wind": ("WIND", {"strength": 4.0, "shape": "PLANE"}),
    "wind with flow": ("WIND", {"strength": 4.0, "flow": 2.0}),
    "swirl": ("VORTEX", {"strength": 2.0, "flow": 0.5}),
    "vortex": ("VORTEX", {"strength": 1.5, "shape": "PLANE", "falloff_power": 0.5}),
    "drag": ("DRAG", {"linear_drag": 1.0, "quadratic_drag": 0.5, "falloff_power": 0.5}),
    "linear drag": ("DRAG", {"linear_drag": 1.5, "quadratic_drag": 0.0}),
    "quadratic drag": ("DRAG", {"linear_drag": 0.0, "quadratic_drag": 1.5}),
    "drag at its limits": ("DRAG", {"linear_drag": 5.0, "quadratic_drag": 3.0}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_particle_goes_where_blender_takes_it(scene, name):
    kind, settings = CASES[name]
    ob = add_field(kind, **settings)
    ob.location = (0.2, -0.1, 0.3)
    ob.rotation_euler = (0.5, -0.3, 1.0)
    ob.scale = (1.0, 2.0, 3.0)
    place, velocity = np.array((0.9, 0.4, 0.6)), np.array((-0.6, 0.8, 1.1))
    fields, notes = read()
    assert not notes
    free = place + velocity * TICK * FRAMES
    theirs = blenders_path(place, velocity)
    ours = our_path(fields, place, velocity)
    moved = np.linalg.norm(theirs - free)
    if name == "below only":
        assert moved < 1e-5
        assert ours == pytest.approx(free, abs=1e-9)
    else:
        assert moved > 0.05
        assert np.linalg.norm(ours - theirs) < 0.02 * moved


def test_turbulence_pushes_as_hard_as_blenders(scene):
    """Another noise, but of the same strength: mean distances of many particles compare."""
    add_field("TURBULENCE", strength=5.0, size=1.0)
    fields, _ = read()
    places = np.random.default_rng(3).uniform(-8.0, 8.0, (40, 3))
    still = np.zeros(3)
    theirs = np.array([blenders_path(place, still) for place in places[:12]]) - places[:12]
    ours = np.array([our_path(fields, place, still) for place in places]) - places
    rms = [math.sqrt((moved**2).sum(axis=1).mean()) for moved in (theirs, ours)]
    assert 0.5 < rms[1] / rms[0] < 2.0


def test_a_mirrored_field_blows_where_its_own_z_axis_points(scene):
    add_field("WIND").scale = (1.0, 1.0, -1.0)
    fields, _ = read()
    assert our_path(fields, np.zeros(3), np.zeros(3))[2] < -0.1


def test_keyed_fields_are_those_of_the_frame(scene):
    ob = add_field("WIND")
    for frame, value in ((1, 0.0), (11, 5.0)):
        ob.location.x = ob.field.strength = value
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("field.strength", frame=frame)
    scene.frame_set(11)
    (there,), _ = read()
    scene.frame_set(1)
    (here,), _ = read()
    assert (here.strength, there.strength) == (0.0, 5.0)
    assert (here.position[0], there.position[0]) == (0.0, 5.0)


def test_a_field_that_is_parented_is_read_in_world_space(scene):
    ob = add_field("WIND")
    parent = bpy.data.objects.new("parent", None)
    scene.collection.objects.link(parent)
    ob.parent = parent
    ob.location = (0, 0, 1)
    parent.rotation_euler = (0, math.pi / 2, 0)
    (one,), _ = read()
    assert one.position == pytest.approx((1, 0, 0), abs=1e-6)
    assert our_path((one,), np.zeros(3), np.zeros(3))[0] > 0.1


HIDING = (
    "nothing",
    "eye",
    "viewport",
    "render",
    "exclude",
    "collection",
    "collection eye",
    "unlinked",
)


@pytest.mark.parametrize("how", HIDING)
def test_a_field_acts_when_it_acts_on_blenders_particles(scene, how):
    ob = add_field("WIND", strength=2.0)
    group = bpy.data.collections.new("group")
    scene.collection.children.link(group)
    scene.collection.objects.unlink(ob)
    group.objects.link(ob)
    layer = bpy.context.view_layer.layer_collection.children["group"]
    match how:
        case "eye":
            ob.hide_set(True)
        case "viewport":
            ob.hide_viewport = True
        case "render":
            ob.hide_render = True
        case "exclude":
            layer.exclude = True
        case "collection":
            group.hide_viewport = True
        case "collection eye":
            layer.hide_viewport = True
        case "unlinked":
            group.objects.unlink(ob)
    fields, _ = read()
    moved = blenders_path(np.zeros(3), np.zeros(3))[2]
    assert (moved > 0.1) == (len(fields) == 1)


def test_a_field_without_effect_on_location_is_left_out(scene):
    add_field("WIND", apply_to_location=False)
    assert read() == ((), [])


@pytest.mark.parametrize("kind", ["HARMONIC", "CHARGE", "LENNARDJ", "MAGNET", "TEXTURE", "BOID"])
def test_a_kind_that_does_not_act_is_named(scene, kind):
    ob = add_field("FORCE")
    ob.name = "Oddity"
    ob.field.type = kind
    fields, (note,) = read()
    assert fields == ()
    assert "Oddity" in note
    assert ob.field.bl_rna.properties["type"].enum_items[kind].name in note


def test_details_that_do_not_act_are_named(scene):
    bpy.ops.mesh.primitive_plane_add()
    ob = bpy.context.object
    ob.name = "Oddity"
    bpy.ops.object.forcefield_toggle()
    ob.field.shape = "POINTS"
    ob.field.use_absorption = True
    fields, notes = read()
    assert len(fields) == 1
    assert len(notes) == 2
    assert all("Oddity" in note for note in notes)


def test_a_field_of_particles_is_named(scene):
    blenders_path(np.zeros(3), np.zeros(3))
    scene.objects["emitter"].particle_systems[0].settings.force_field_1.type = "FORCE"
    fields, (note,) = read()
    assert fields == ()
    assert "emitter" in note


def test_a_field_that_is_nowhere_is_named_and_the_others_act(scene):
    add_field("WIND").name = "Good"
    bad = add_field("FORCE")
    bad.name = "Bad"
    bad.scale = (0, 0, 0)  # flat, which does no harm: its axis is then that of the world
    assert len(read()[0]) == 2
    bad.matrix_world = [[math.nan] * 4] * 4
    fields, notes = read()
    names = [one.name for one in fields]
    assert "Good" in names
    assert ("Bad" in names) or any("Bad" in note for note in notes)


def test_a_surface_factor_is_read(scene):
    add_field("WIND", wind_factor=0.75)
    (one,), _ = read()
    assert one.surface == 0.75
