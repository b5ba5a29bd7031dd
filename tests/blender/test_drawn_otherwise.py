"""What modifiers draw behind a simulation, and it does not simulate, is told and put right."""

import math

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
    grid,
    new_object,
    pin,
    play,
    refusal,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def half_poncho():
    """Half of a sheet over a box, which a Mirror makes whole."""
    ob = grid("Poncho", size=9, spacing=0.1, location=(0, 0, 1.0))
    for vertex in ob.data.vertices:
        vertex.co.x += 0.4
    ob.modifiers.new("Whole", "MIRROR")
    select(ob)
    bpy.ops.verlet.cloth()
    return ob


def told(scene):
    return [p.message for p in session_of(scene).problems]


def findings(scene, operator):
    bpy.ops.verlet.check_scene()
    return [
        (number, problem)
        for number, problem in enumerate(addon("doctor").of(scene).findings)
        if problem.operator == operator
    ]


def mend(scene, operator):
    (found,) = findings(scene, operator)
    assert bpy.ops.verlet.mend_finding(number=found[0]) == {"FINISHED"}
    assert findings(scene, operator) == []


@pytest.mark.without_wheels
def test_half_a_mesh_with_a_mirror_is_told_and_applied(scene):
    floor()
    ob = half_poncho()
    scene.frame_set(1)
    assert [text for text in told(scene) if "Whole draws it otherwise" in text]
    mend(scene, "verlet.apply_finer_mesh")
    assert len(ob.data.vertices) == 9 * 17
    assert not [m for m in ob.modifiers if m.type == "MIRROR"]
    assert told(scene) == []
    play(scene, 1, 3)
    assert session_of(scene).last == 3
    assert len(seen(ob)) == 9 * 17


@pytest.mark.parametrize(
    ("kind", "options", "is_told"),
    [
        ("MIRROR", {}, True),
        ("ARRAY", {}, True),
        ("SCREW", {}, True),
        ("SUBSURF", {"levels": 1}, False),
        ("BEVEL", {}, False),
        ("DECIMATE", {"ratio": 0.5}, False),
        ("SMOOTH", {}, False),
    ],
)
def test_each_modifier_that_draws_otherwise_is_found_and_applied(scene, kind, options, is_told):
    floor()
    ob = cloth(size=6, spacing=0.1)
    modifier = ob.modifiers.new("Other", kind)
    for name, value in options.items():
        setattr(modifier, name, value)
    scene.frame_set(1)
    assert bool(told(scene)) == is_told
    mend(scene, "verlet.apply_finer_mesh")
    assert "Other" not in ob.modifiers
    play(scene, 1, 3)
    assert session_of(scene).last == 3


@pytest.mark.parametrize("kind", ["TRIANGULATE", "WELD", "EDGE_SPLIT", "WEIGHTED_NORMAL"])
def test_what_leaves_the_surface_in_its_place_is_not_told(scene, kind):
    floor()
    cloth(size=6, spacing=0.1).modifiers.new("Other", kind)
    scene.frame_set(1)
    assert told(scene) == []
    assert findings(scene, "verlet.apply_finer_mesh") == []


def test_nodes_are_told_where_they_make_vertices(scene):
    floor()
    ob = cloth(size=6, spacing=0.1)
    tree = bpy.data.node_groups.new("Finer", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(begin.outputs[0], end.inputs[0])
    ob.modifiers.new("Nodes", "NODES").node_group = tree
    bpy.context.view_layer.update()
    assert findings(scene, "verlet.apply_finer_mesh") == []
    finer = tree.nodes.new("GeometryNodeSubdivideMesh")
    tree.links.new(begin.outputs[0], finer.inputs[0])
    tree.links.new(finer.outputs[0], end.inputs[0])
    bpy.context.view_layer.update()
    mend(scene, "verlet.apply_finer_mesh")
    assert len(ob.data.vertices) == 121


@pytest.mark.without_wheels
def test_pins_are_as_firm_after_a_subdivision_is_applied(scene):
    ob = cloth(size=6, spacing=0.1)
    pin(ob, range(6))
    ob.modifiers.new("Finer", "SUBSURF").levels = 1
    scene.frame_set(1)
    mend(scene, "verlet.apply_finer_mesh")
    weights = addon("extract.vertex_groups").group_weights(ob, "Pin")
    assert set(weights.tolist()) == {0.0, 1.0}
    assert (weights == 1.0).sum() == 11


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_a_thickness_that_is_drawn_is_counted(scene, scale):
    block = box(size=0.4 * scale, location=(0, 0, 0.2 * scale))
    select(block)
    bpy.ops.verlet.collider()
    floor()
    ob = cloth(size=15, spacing=0.05, location=(0, 0, 0.45 * scale))
    ob.scale = (scale,) * 3
    modifier = ob.modifiers.new("Thick", "SOLIDIFY")
    modifier.thickness = 0.03
    scene.frame_set(1)
    assert [text for text in told(scene) if "up to 30 mm" in text or "up to 3 mm" in text]
    mend(scene, "verlet.count_thickness")
    assert told(scene) == []
    scene.verlet.solver.substep_rate = 480
    play(scene, 1, 24)
    place = seen(ob)
    near = (abs(place[:, :2]) < 0.19 * scale).all(axis=1)
    assert near.any()
    assert place[near, 2].min() > (0.4 - 0.002) * scale


def test_cloth_thicker_than_its_faces_are_wide_is_refused(scene):
    ob = cloth(size=6, spacing=0.1)
    ob.modifiers.new("Mattress", "SOLIDIFY").thickness = 0.3
    select(ob)
    assert "thicker than the mesh's faces" in refusal(bpy.ops.verlet.count_thickness)


def test_shape_keys_and_what_is_split_are_refused(scene):
    ob = half_poncho()
    ob.shape_key_add(name="Basis")
    assert "shape keys" in refusal(bpy.ops.verlet.apply_finer_mesh)
    ob.shape_key_clear()
    bpy.ops.verlet.make_tearable()
    assert "Make Whole" in refusal(bpy.ops.verlet.apply_finer_mesh)


@pytest.mark.without_wheels
def test_a_skew_parent_is_cleared_and_nothing_moves(scene):
    floor()
    parent = bpy.data.objects.new("Group", None)
    scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler = (2.0, 1.0, 0.5), (0.2, 0.1, 0.0)
    ob = body(location=(0, 0, 3))
    ob.parent, ob.rotation_euler = parent, (0.5, 0.4, 0.3)
    hanging = box("Hanging", size=0.1, location=(0, 0, 0.5))
    hanging.parent = ob
    bpy.context.view_layer.update()
    before, also = seen(ob).copy(), seen(hanging).copy()
    scene.frame_set(1)
    mend(scene, "verlet.clear_skew_parent")
    assert ob.parent is None
    np.testing.assert_allclose(seen(ob), before, atol=1e-5)
    np.testing.assert_allclose(seen(hanging), also, atol=1e-5)
    play(scene, 1, 60)
    axes = seen_matrix(ob)[:3, :3]
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-5)
    assert seen(ob)[:, 2].min() > -0.005
    keyed = body(location=(4, 0, 3))
    keyed.parent = parent
    parent.keyframe_insert("location", frame=1)
    select(keyed)
    assert "is keyed" in refusal(bpy.ops.verlet.clear_skew_parent)
    assert math.isfinite(keyed.location.x)


def hung_rope(how, scale=1.0):
    """A rope that falls across a block, drawn 6 cm thick."""
    block = box("Block", size=0.5, location=(0, 0, 0.25))
    select(block)
    bpy.ops.verlet.collider()
    places = [(-0.6 + 0.03 * n, 0.05, 0.0) for n in range(41)]
    if how == "skin":
        ob = new_object("Rope", places, edges=[(n, n + 1) for n in range(40)])
        ob.modifiers.new("Skin", "SKIN")
        for vertex in ob.data.skin_vertices[0].data:
            vertex.radius = (0.03 / scale,) * 2
    else:
        data = bpy.data.curves.new("Rope", "CURVE")
        data.dimensions, data.bevel_depth = "3D", 0.015 / scale
        spline = data.splines.new("POLY")
        spline.points.add(len(places) - 1)
        for point, place in zip(spline.points, places):
            point.co, point.radius = (*place, 1.0), 2.0
        ob = bpy.data.objects.new("Rope", data)
        bpy.context.scene.collection.objects.link(ob)
    ob.location, ob.scale = (0, 0, 0.6), (scale, scale, scale)
    if scale != 1.0:
        ob.location.x = 0.0
    bpy.context.view_layer.update()
    select(ob)
    assert bpy.ops.verlet.rope() == {"FINISHED"}
    return ob


@pytest.mark.parametrize("how", ["bevel", "skin"])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_rope_is_as_thick_as_it_is_drawn(scene, how, scale):
    floor()
    ob = hung_rope(how, scale)
    play(scene, 1, 40)
    state, radius = session_of(scene).cache[40], session_of(scene).model.particles.radius
    np.testing.assert_allclose(radius, 0.03, rtol=1e-5)
    over = abs(state.position[:, 0]) < 0.2
    assert state.position[over, 2].min() > 0.5 + 0.029
    assert bpy.ops.verlet.check_scene() == {"FINISHED"}
    ob.verlet.rope.diameter = 0.02
    play(scene, 1, 2)
    np.testing.assert_allclose(session_of(scene).model.particles.radius, 0.01)


def test_another_bevel_simulates_anew(scene):
    floor()
    ob = hung_rope("bevel")
    play(scene, 1, 4)
    ob.data.bevel_depth = 0.02
    bpy.context.view_layer.update()
    scene.frame_set(5)
    assert session_of(scene).is_outdated
    play(scene, 1, 2)
    np.testing.assert_allclose(session_of(scene).model.particles.radius, 0.04, rtol=1e-5)
