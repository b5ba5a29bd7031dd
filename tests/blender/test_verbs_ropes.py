"""Rope, on edge meshes and on curve objects: press, play, bake, free, undo, errors."""

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    floor,
    grid,
    new_object,
    play,
    seen,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")

SPLINES = ["POLY", "BEZIER", "NURBS"]


def rope_mesh(name="Rope", count=11, location=(0, 0, 2)):
    """A straight wire of one metre along X."""
    points = [(i / (count - 1) - 0.5, 0, 0) for i in range(count)]
    edges = [(i, i + 1) for i in range(count - 1)]
    return new_object(name, points, edges, location=location)


def rope_curve(kind="POLY", name="Curve", count=6, location=(0, 0, 2), handles="ALIGNED"):
    """A straight spline of one metre along X with a round profile."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    data.bevel_depth = 0.02
    spline = data.splines.new(kind)
    places = np.linspace(-0.5, 0.5, count)
    if kind == "BEZIER":
        spline.bezier_points.add(count - 1)
        for point, x in zip(spline.bezier_points, places):
            point.co = (x, 0, 0)
            point.handle_left, point.handle_right = (x - 0.05, 0, 0), (x + 0.05, 0, 0)
            point.handle_left_type = point.handle_right_type = handles
    else:
        spline.points.add(count - 1)
        for point, x in zip(spline.points, places):
            point.co = (x, 0, 0, 1)
        spline.use_endpoint_u = True
    ob = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(ob)
    ob.location = location
    bpy.context.view_layer.update()
    return ob


def press_rope(*objects):
    select(*objects)
    assert bpy.ops.verlet.rope() == {"FINISHED"}


def shown(ob):
    """World vertices (n, 3) of the tessellated curve or mesh as it is seen."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = ob.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world)
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


@pytest.mark.without_wheels
def test_a_wire_pinned_at_its_ends_sags(scene):
    ob = rope_mesh()
    press_rope(ob)
    assert bpy.ops.verlet.pin_ends() == {"FINISHED"}
    play(scene, 1, 20)
    assert session_of(scene).problems == []
    now = seen(ob)
    np.testing.assert_allclose(now[[0, 10], 2], 2.0, atol=1e-6)
    assert now[:, 2].min() < 1.999
    assert now[:, 2].min() > 1.5


def test_a_rope_without_pins_falls(scene):
    ob = rope_mesh()
    press_rope(ob)
    ob.verlet.rope.drag = 0.0
    play(scene, 1, 13)
    fallen = 0.5 * 9.81 * 0.5**2
    np.testing.assert_allclose(2 - seen(ob)[:, 2], fallen, rtol=1e-2)


@pytest.mark.parametrize("kind", SPLINES)
def test_a_curve_is_previewed_baked_and_freed(scene, kind):
    ob = rope_curve(kind)
    rest = shown(ob)
    press_rope(ob)
    bpy.ops.verlet.pin_ends()
    frames = {}
    for frame in range(1, 13):
        scene.frame_set(frame)
        frames[frame] = shown(ob)
    assert session_of(scene).problems == []
    np.testing.assert_allclose(frames[1], rest, atol=1e-5)
    ends = np.abs(rest[:, 0]) > 0.499
    middle = np.abs(rest[:, 0]) < 0.11
    assert np.abs(frames[12][ends] - rest[ends]).max() < 0.03
    assert (rest[middle, 2] - frames[12][middle, 2]).min() > 1e-3
    scene.frame_end = 12
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert not ob.modifiers
    for frame in (5, 12):
        scene.frame_set(frame)
        np.testing.assert_allclose(shown(ob), frames[frame], atol=1e-6)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.data.shape_keys is None
    bpy.ops.verlet.reset()
    bpy.ops.verlet.remove()
    assert ob.verlet.kind == "NONE"
    assert not ob.modifiers
    np.testing.assert_array_equal(shown(ob), rest)


def test_a_curve_without_pins_falls(scene):
    ob = rope_curve()
    press_rope(ob)
    ob.verlet.rope.drag = 0.0
    rest = shown(ob)
    play(scene, 1, 13)
    np.testing.assert_allclose(rest[:, 2] - shown(ob)[:, 2], 0.5 * 9.81 * 0.25, rtol=1e-2)


def test_control_points_are_pinned_in_edit_mode(scene):
    ob = rope_curve()
    press_rope(ob)
    points = ob.data.splines[0].points
    for point in points:
        point.select = False
    points[2].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.verlet.pin_selected() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    pins = addon("extract.pins")
    assert list(np.flatnonzero(pins.pinned_points(ob))) == [2]
    play(scene, 1, 12)
    state = session_of(scene).cache[12].position
    np.testing.assert_allclose(state[2, 2], 2.0, atol=1e-6)
    assert state[[0, -1], 2].max() < 1.99
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.verlet.pin_selected(unpin=True)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not pins.pinned_points(ob).any()


def test_pins_of_a_curve_that_was_edited_since_are_pointed_out(scene):
    ob = rope_curve(name="Cable")
    press_rope(ob)
    bpy.ops.verlet.pin_ends()
    ob.data.splines[0].points.add(1)
    ob.data.splines[0].points[-1].co = (1, 0, 0, 1)
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert problem.is_error
    assert "Cable" in problem.message
    assert "Pin Ends" in problem.message
    bpy.ops.verlet.pin_ends()
    play(scene, 1, 2)
    assert session_of(scene).problems == []


def test_pins_of_a_curve_follow_another_object(scene):
    ob = rope_curve()
    press_rope(ob)
    bpy.ops.verlet.pin_ends()
    hand = bpy.data.objects.new("Hand", None)
    scene.collection.objects.link(hand)
    hand.keyframe_insert("location", frame=1)
    hand.location.y = 0.5
    hand.keyframe_insert("location", frame=6)
    ob.verlet.pin_target = hand
    play(scene, 1, 6)
    np.testing.assert_allclose(session_of(scene).cache[6].position[[0, -1], 1], 0.5, atol=1e-5)


def test_automatic_handles_are_freed_and_the_shape_stays(scene):
    ob = rope_curve("BEZIER", handles="AUTO")
    before = shown(ob)
    press_rope(ob)
    np.testing.assert_allclose(shown(ob), before, atol=1e-6)
    play(scene, 1, 3)
    assert session_of(scene).problems == []
    bpy.ops.verlet.remove()
    assert {p.handle_left_type for p in ob.data.splines[0].bezier_points} == {"AUTO"}
    np.testing.assert_allclose(shown(ob), before, atol=1e-6)


def test_handles_made_automatic_later_are_named_with_a_button(scene):
    ob = rope_curve("BEZIER", name="Hose")
    press_rope(ob)
    for point in ob.data.splines[0].bezier_points:
        point.handle_left_type = point.handle_right_type = "AUTO"
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert problem.is_error
    assert "Hose" in problem.message
    assert problem.operator == "verlet.free_handles"
    assert bpy.ops.verlet.free_handles(uid=str(problem.object_uid)) == {"FINISHED"}
    play(scene, 1, 3)
    assert session_of(scene).problems == []
    assert session_of(scene).last == 3


def test_a_rope_lies_on_the_floor(scene):
    ob = rope_mesh(location=(0, 0, 0.3))
    press_rope(ob)
    floor()
    play(scene, 1, 40)
    heights = seen(ob)[:, 2]
    assert heights.min() > -1e-3
    assert heights.max() < 0.15


def fails(ob, match):
    select(ob)
    with pytest.raises(RuntimeError, match=match) as error:
        bpy.ops.verlet.rope()
    assert ob.name in str(error.value)
    assert ob.verlet.kind == "NONE"


def test_vertices_without_edges():
    fails(new_object("Dust", [(0, 0, 0), (1, 0, 0)]), "no edges")


def test_a_curve_without_splines():
    data = bpy.data.curves.new("Nothing", "CURVE")
    ob = bpy.data.objects.new("Nothing", data)
    bpy.context.scene.collection.objects.link(ob)
    fails(ob, "no splines")


def test_a_spline_of_one_point():
    fails(rope_curve(count=1, name="Dot"), "single point")


@pytest.mark.parametrize(("kind", "name"), [("FONT", "Text"), ("SURFACE", "Surface")])
def test_text_and_surfaces_are_refused_with_the_way_out(kind, name):
    ob = bpy.data.objects.new(name, bpy.data.curves.new(name, kind))
    bpy.context.scene.collection.objects.link(ob)
    fails(ob, "Object › Convert")


@pytest.mark.parametrize("verb", ["cloth", "plant", "soft_body", "particles", "rigid_body"])
def test_curves_are_for_ropes_only(verb):
    ob = rope_curve(name="Cable")
    select(ob)
    with pytest.raises(RuntimeError, match=r"Cable.*Rope"):
        getattr(bpy.ops.verlet, verb)()


def test_pin_ends_needs_loose_ends(scene):
    sheet = grid(name="Net")
    press_rope(sheet)
    with pytest.raises(RuntimeError, match=r"Net.*no loose ends"):
        bpy.ops.verlet.pin_ends()
    ring = rope_curve(name="Ring")
    ring.data.splines[0].use_cyclic_u = True
    press_rope(ring)
    with pytest.raises(RuntimeError, match=r"Ring.*no loose ends"):
        bpy.ops.verlet.pin_ends()


def test_a_shared_curve_bakes_for_one_object_only(scene):
    ob = rope_curve()
    press_rope(ob)
    other = ob.copy()
    scene.collection.objects.link(other)
    other.verlet.kind = "NONE"
    data, rest = ob.data, shown(other)
    scene.frame_end = 6
    bpy.ops.verlet.bake()
    scene.frame_set(6)
    np.testing.assert_array_equal(shown(other), rest)
    assert shown(ob)[:, 2].max() < 1.99
    bpy.ops.verlet.free_bake()
    assert ob.data == data


def test_the_command_line_and_saving_know_curves(scene, tmp_path):
    ob = rope_curve()
    press_rope(ob)
    play(scene, 1, 5)
    fallen = shown(ob)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rope.blend"), copy=True)
    np.testing.assert_array_equal(shown(ob), fallen)
    with bpy.data.libraries.load(str(tmp_path / "rope.blend")) as (_, found):
        found.objects = ["Curve"]
    (saved,) = found.objects
    assert not saved.modifiers
    assert saved.verlet.kind == "ROPE"
