"""Curve objects: splines become chains, chains become control points, previewed and baked."""

import importlib
import itertools
import time

import bpy
import numpy as np
import pytest
from object_snapshot import (
    animation_snapshot,
    differences,
    file_snapshot,
    shape_key_snapshot,
    values,
)
from small_scenes import addon

pytestmark = pytest.mark.usefixtures("scene")

FRAMES = list(range(3, 12))
SPLINE_VALUES = (
    "type",
    "use_cyclic_u",
    "use_endpoint_u",
    "use_bezier_u",
    "order_u",
    "resolution_u",
    "use_smooth",
)
BEZIER_VALUES = (
    "co",
    "handle_left",
    "handle_right",
    "handle_left_type",
    "handle_right_type",
    "tilt",
    "radius",
)


def addon_module(extension, name):
    return importlib.import_module(f"{extension.__name__}.verlet_addon.{name}")


@pytest.fixture
def curves(extension):
    return addon_module(extension, "extract.curve")


@pytest.fixture
def control(extension):
    return addon_module(extension, "blender.control_points")


@pytest.fixture
def shape_keys(extension):
    return addon_module(extension, "bake.shape_keys")


@pytest.fixture
def point_cache(extension):
    return addon_module(extension, "blender.point_cache")


@pytest.fixture
def model_error(extension):
    return importlib.import_module(f"{extension.__name__}.core.errors").ModelError


# --- making curves ---


def new_curve(name="Rope"):
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    ob = bpy.data.objects.new(name, curve)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def add_bezier(ob, triples, kind="FREE", *, cyclic=False):
    """A Bezier spline with control points (p, 3, 3): left handle, point, right handle."""
    spline = ob.data.splines.new("BEZIER")
    points = spline.bezier_points
    points.add(len(triples) - 1)
    spline.use_cyclic_u = cyclic
    for point in points:
        point.handle_left_type = point.handle_right_type = kind
    for name, column in (("co", 1), ("handle_left", 0), ("handle_right", 2)):
        points.foreach_set(name, np.asarray(triples, np.float32)[:, column].ravel())
    return spline


def add_points(ob, kind, points, weights=None, **switches):
    """A POLY or NURBS spline with control points (p, 3)."""
    spline = ob.data.splines.new(kind)
    spline.points.add(len(points) - 1)
    for name, value in switches.items():
        setattr(spline, name, value)
    weights = np.ones(len(points)) if weights is None else weights
    spline.points.foreach_set("co", np.column_stack([points, weights]).astype(np.float32).ravel())
    return spline


def straight_triples(count, length=2.0, handle=1 / 3):
    """Control points on the x axis; ``handle`` is a part of the distance of two points."""
    triples = np.zeros((count, 3, 3))
    triples[:, :, 0] = np.linspace(0.0, length, count)[:, None]
    reach = handle * length / (count - 1)
    triples[:, 0, 0] -= reach
    triples[:, 2, 0] += reach
    return triples


def random_points(count, seed=1):
    return np.random.default_rng(seed).normal(size=(count, 3)) + [[1.0, 0.0, 0.0]] * count


def mixed_curve():
    """All three types of spline in one curve, some cyclic, with tilt and radius."""
    ob = new_curve()
    add_points(ob, "POLY", random_points(4, 1))
    spline = add_bezier(ob, random_points(9, 2).reshape(3, 3, 3), cyclic=True)
    spline.bezier_points[1].tilt, spline.bezier_points[2].radius = 0.4, 2.5
    add_points(ob, "NURBS", random_points(6, 3), use_endpoint_u=True, order_u=4)
    add_bezier(ob, straight_triples(2), "ALIGNED")
    add_points(ob, "POLY", random_points(5, 4), use_cyclic_u=True)
    return ob


def bezier_curve(kind="FREE"):
    ob = new_curve()
    add_bezier(ob, straight_triples(4), kind)
    return ob


def poly_curve():
    ob = new_curve()
    add_points(ob, "POLY", random_points(6))
    return ob


CURVES = [mixed_curve, bezier_curve, poly_curve]


# --- looking at curves ---


def drawn(ob):
    """Points (n, 3) of the evaluated curve in the object's space, and its edges (m, 2)."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    edges = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", edges)
    evaluated.to_mesh_clear()
    return points.reshape(-1, 3).astype(np.float64), edges.reshape(-1, 2)


def distances(points, chain, edges):
    """Distance (n,) of each point from the nearest of the segments ``chain[edges]``."""
    start, end = chain[edges[:, 0]], chain[edges[:, 1]]
    along = end - start
    square = np.sum(along * along, axis=1)
    offset = points[:, None] - start
    share = np.sum(offset * along, axis=2) / np.where(square > 0.0, square, 1.0)
    nearest = start + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(points[:, None] - nearest, axis=2).min(axis=1)


def deviation(ob, chain, edges):
    """Largest distance between the drawn curve and the chain, both ways, metres."""
    points, drawn_edges = drawn(ob)
    return max(distances(points, chain, edges).max(), distances(chain, points, drawn_edges).max())


def catenary(span, slack, parts):
    """Points (n, 3) at ``parts`` (n,) of the length of a rope of slack · span that hangs."""
    low, high = 1e-6, 50.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.sinh(middle) / middle < slack else (low, middle)
    scale = 0.5 * span / low
    arc = (np.asarray(parts) - 0.5) * slack * span
    height = np.hypot(scale, arc)
    return np.column_stack([scale * np.arcsinh(arc / scale), 0.0 * arc, height - height.max()])


def parts_of(points):
    """How far along a chain (n, 3) each of its points lies, from 0 to 1."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    travelled = np.concatenate([[0.0], np.cumsum(lengths)])
    return travelled / travelled[-1]


def curve_snapshot(curve):
    splines = []
    for spline in curve.splines:
        points = [values(point, BEZIER_VALUES) for point in (*spline.bezier_points, *spline.points)]
        splines.append(values(spline, SPLINE_VALUES) | {"points": points})
    keys = curve.shape_keys
    handles = (
        [[values(point, BEZIER_VALUES) for point in block.data] for block in keys.key_blocks]
        if keys is not None
        else []
    )
    return {
        "users": curve.users,
        "fake": curve.use_fake_user,
        "custom": sorted(curve.keys()),
        "splines": splines,
        "keys": shape_key_snapshot(keys),
        "handles": handles,
        "animation": animation_snapshot(curve),
    }


def everything():
    return file_snapshot() | {
        "curves": {curve.name: curve_snapshot(curve) for curve in bpy.data.curves}
    }


def settle(frame=7):
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def motion(ob, control, seed=5, count=9):
    shape = (count, control.coordinate_count(ob.data), 3)
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def set_coordinates(curve, coordinates):
    """All at once: when one is set, Blender moves the handles around it."""
    row = 0
    for spline in curve.splines:
        if spline.type == "BEZIER":
            count = 3 * len(spline.bezier_points)
            triples = np.asarray(coordinates[row : row + count], np.float32).reshape(-1, 3, 3)
            for name, column in (("co", 1), ("handle_left", 0), ("handle_right", 2)):
                spline.bezier_points.foreach_set(name, triples[:, column].ravel())
        else:
            count = len(spline.points)
            places = np.array([point.co for point in spline.points], np.float32)
            places[:, :3] = coordinates[row : row + count]
            spline.points.foreach_set("co", places.ravel())
        row += count
    curve.update_tag()
    bpy.context.view_layer.update()


def bare_copy(ob):
    """An object with the same splines, without shape keys, modifiers and animation."""
    copy = new_curve("Bare")
    for spline in ob.data.splines:
        twin = copy.data.splines.new(spline.type)
        is_bezier = spline.type == "BEZIER"
        points, twins = (
            (each.bezier_points if is_bezier else each.points) for each in (spline, twin)
        )
        twins.add(len(points) - 1)
        names = ("handle_left_type", "handle_right_type") if is_bezier else ("co",)  # co has weight
        for point, other in zip(points, twins):
            for name in ("tilt", "radius", *names):
                setattr(other, name, getattr(point, name))
        for name in SPLINE_VALUES[1:]:
            setattr(twin, name, getattr(spline, name))
    return copy


def expected_drawing(ob, coordinates):
    """What Blender draws for the splines of the curve when they have these coordinates."""
    copy = bare_copy(ob)
    set_coordinates(copy.data, coordinates)
    points, _ = drawn(copy)
    curve = copy.data
    bpy.data.objects.remove(copy)
    bpy.data.curves.remove(curve)
    return points


def worst_error(ob, frames, positions):
    worst = 0.0
    for frame, coordinates in zip(frames, positions):
        settle(frame)
        worst = max(worst, np.abs(drawn(ob)[0] - expected_drawing(ob, coordinates)).max())
    return worst


# --- reading ---


def test_a_poly_spline_has_a_particle_at_each_point(curves):
    ob = new_curve()
    points = random_points(5)
    add_points(ob, "POLY", points)
    arrays = curves.read_curve(ob)
    np.testing.assert_allclose(arrays.points, points, atol=1e-6)
    assert arrays.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert arrays.control_particles.tolist() == [0, 1, 2, 3, 4]
    assert (arrays.points.dtype, arrays.edges.dtype) == (np.float64, np.int32)


@pytest.mark.parametrize("count", [3, 5])
def test_a_cyclic_poly_spline_is_closed(curves, count):
    ob = new_curve()
    add_points(ob, "POLY", random_points(count), use_cyclic_u=True)
    edges = curves.read_curve(ob).edges.tolist()
    assert len(edges) == count
    assert edges[-1] == [count - 1, 0]


def test_a_cyclic_spline_of_two_points_has_no_edge_twice(curves):
    ob = new_curve()
    add_points(ob, "POLY", random_points(2), use_cyclic_u=True)
    assert curves.read_curve(ob).edges.tolist() == [[0, 1]]


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("count", [2, 3, 6])
def test_bezier_particles_lie_evenly_on_the_drawn_curve(curves, count, cyclic):
    ob = new_curve()
    ob.data.resolution_u = 64
    spline = add_bezier(ob, random_points(3 * count).reshape(count, 3, 3), cyclic=cyclic)
    spline.resolution_u = 64
    arrays = curves.read_curve(ob)
    points, edges = drawn(ob)
    assert distances(arrays.points, points, edges).max() < 3e-3
    assert len(arrays.edges) == len(arrays.points) - (0 if cyclic else 1)
    assert len(arrays.edges) >= max(24, 4 * count)
    lengths = np.linalg.norm(np.diff(arrays.points[arrays.edges], axis=1)[:, 0], axis=1)
    assert lengths.min() > 0.0
    at_points = arrays.points[arrays.control_particles]
    np.testing.assert_allclose(at_points, [p.co for p in spline.bezier_points], atol=1e-6)


def test_a_two_point_bezier_has_enough_particles_to_sag(curves):
    ob = new_curve()
    add_bezier(ob, straight_triples(2))
    arrays = curves.read_curve(ob)
    assert len(arrays.points) == 25
    np.testing.assert_allclose(np.diff(arrays.points[:, 0]), 2.0 / 24, rtol=1e-4)


@pytest.mark.parametrize(
    ("order", "count", "cyclic", "endpoint", "bezier"),
    list(
        itertools.product((2, 3, 4, 5), (4, 5, 8, 9), (False, True), (False, True), (False, True))
    ),
)
def test_nurbs_particles_lie_on_the_drawn_curve(curves, order, count, cyclic, endpoint, bezier):
    ob = new_curve()
    weights = np.random.default_rng(order).uniform(0.4, 2.0, count)
    spline = add_points(
        ob,
        "NURBS",
        random_points(count),
        weights,
        use_cyclic_u=cyclic,
        use_endpoint_u=endpoint,
        use_bezier_u=bezier,
        resolution_u=1024,  # before 5.0 Blender draws corners only as near as it steps
    )
    spline.order_u = order
    arrays = curves.read_curve(ob)
    points, edges = drawn(ob)
    assert distances(arrays.points, points, edges).max() < 3e-3
    if not cyclic:
        np.testing.assert_allclose(arrays.points[[0, -1]], points[[0, -1]], atol=1e-5)
    turned = arrays.points @ np.linalg.qr(random_points(3, 9))[0] + [3.0, -2.0, 1.0]
    coordinates = arrays.fit.coordinates(turned)
    expected = expected_drawing(ob, coordinates)
    assert distances(turned, expected, edges).max() < 3e-3


def test_several_splines_are_chains_of_their_own(curves):
    ob = mixed_curve()
    arrays = curves.read_curve(ob)
    labels = np.arange(len(arrays.points))
    for _ in labels:
        for a, b in arrays.edges:
            labels[a] = labels[b] = min(labels[a], labels[b])
    assert len(set(labels)) == 5
    assert len(arrays.control_particles) == 4 + 3 + 6 + 2 + 5
    assert len(arrays.coordinates) == 4 + 9 + 6 + 6 + 5


def test_points_in_one_place_are_one_particle(curves):
    ob = new_curve()
    points = random_points(5)
    points[2] = points[1]
    add_points(ob, "POLY", points)
    triples = straight_triples(4)
    triples[1] = triples[2] = triples[2, 1]
    add_bezier(ob, triples)
    closed = random_points(4, 3)
    closed[3] = closed[0]
    add_points(ob, "POLY", closed, use_cyclic_u=True)
    arrays = curves.read_curve(ob)
    lengths = np.linalg.norm(np.diff(arrays.points[arrays.edges], axis=1)[:, 0], axis=1)
    assert lengths.min() > 1e-3
    assert arrays.control_particles[:5].tolist() == [0, 1, 1, 2, 3]
    assert arrays.control_particles[-1] == arrays.control_particles[-4]
    moved = arrays.fit.coordinates(arrays.points + [0.0, 0.0, 1.0])
    np.testing.assert_allclose(moved, arrays.coordinates + [0.0, 0.0, 1.0], atol=1e-6)


def test_pins_hold_the_particles_at_their_control_points(curves):
    ob = new_curve()
    add_bezier(ob, straight_triples(3))
    add_points(ob, "NURBS", random_points(5), use_endpoint_u=True)
    arrays = curves.read_curve(ob)
    held = curves.pinned_particles(arrays, np.array([1, 0, 1, 1, 0, 0, 0, 1], bool))
    bezier_count = int(arrays.control_particles[2]) + 1
    expected = [0, bezier_count - 1, bezier_count, len(arrays.points) - 1]
    assert np.flatnonzero(held).tolist() == expected
    np.testing.assert_allclose(arrays.points[expected[1]], [2.0, 0.0, 0.0], atol=1e-6)
    assert not curves.pinned_particles(arrays, np.zeros(8, bool)).any()


@pytest.mark.parametrize("type_", ["BEZIER", "NURBS", "POLY"])
def test_the_switches_of_a_spline_tell_a_change_that_coordinates_do_not(control, type_):
    ob = new_curve()
    if type_ == "BEZIER":
        spline = add_bezier(ob, straight_triples(3))
    else:
        spline = add_points(ob, type_, random_points(6))
    seen = [control.spline_switches(ob.data)]
    assert control.spline_switches(ob.data) == seen[0]
    spline.use_cyclic_u = True
    seen.append(control.spline_switches(ob.data))
    if type_ == "BEZIER":
        spline.bezier_points[1].handle_left_type = "VECTOR"
        seen.append(control.spline_switches(ob.data))
    elif type_ == "NURBS":
        for name, value in (("use_endpoint_u", True), ("use_bezier_u", True), ("order_u", 3)):
            setattr(spline, name, value)
            seen.append(control.spline_switches(ob.data))
        spline.points[2].weight = 0.5
        seen.append(control.spline_switches(ob.data))
    assert len(set(map(str, seen))) == len(seen)


@pytest.mark.parametrize("way", ["relative", "absolute", "only shown", "edit mode"])
def test_shape_keys_and_edits_are_read_as_they_show(scene, curves, way):
    ob = mixed_curve()
    bpy.context.view_layer.objects.active = ob
    if way == "edit mode":
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.curve.select_all(action="SELECT")
        bpy.ops.transform.translate(value=(0.0, 0.0, 2.0))
    else:
        ob.shape_key_add(name="Basis")
        block = ob.shape_key_add(name="Up", from_mix=False)
        for point in block.data:
            point.co.z += 2.0
            if hasattr(point, "handle_left"):
                point.handle_left.z += 2.0
                point.handle_right.z += 2.0
        if way == "relative":
            block.value = 0.5
        elif way == "only shown":
            ob.active_shape_key_index, ob.show_only_shape_key = 1, True
        else:
            ob.data.shape_keys.use_relative = False
            ob.data.shape_keys.eval_time = 5.0
            block.interpolation = "KEY_LINEAR"
            ob.data.shape_keys.key_blocks[0].interpolation = "KEY_LINEAR"
    lifted = curves.read_curve(ob).points
    if way == "edit mode":
        bpy.ops.object.mode_set(mode="OBJECT")
        assert lifted[:, 2].mean() > 1.0
    else:
        ob.shape_key_clear()
        height = 2.0 if way == "only shown" else 1.0
        expected = curves.read_curve(ob).points + [0.0, 0.0, height]
        np.testing.assert_allclose(lifted, expected, atol=1e-5)


# --- back to control points ---


@pytest.mark.parametrize("make", CURVES)
def test_at_rest_the_control_points_are_exactly_their_own(curves, control, make):
    ob = make()
    arrays = curves.read_curve(ob)
    coordinates = arrays.fit.coordinates(arrays.points)
    np.testing.assert_array_equal(
        coordinates.astype(np.float32), control.curve_coordinates(ob.data)
    )


@pytest.mark.parametrize("slack", [1.02, 1.2, 1.5])
@pytest.mark.parametrize("handle", [0.15, 1 / 3, 0.5])
@pytest.mark.parametrize(("count", "limit"), [(2, 0.02), (5, 0.005), (9, 0.003)])
def test_the_curve_follows_a_sagging_rope(curves, count, limit, handle, slack):
    ob = new_curve()
    spline = add_bezier(ob, straight_triples(count, handle=handle), "ALIGNED")
    spline.resolution_u = 48
    arrays = curves.read_curve(ob)
    span = 2.0 / slack
    rope = catenary(span, slack, parts_of(arrays.points))
    coordinates = arrays.fit.coordinates(rope)
    set_coordinates(ob.data, coordinates)
    measured = deviation(ob, rope, arrays.edges) / span
    print(f"\n{count} points, handles {handle:.2f}, slack {slack}: {100 * measured:.3f} % of span")
    assert measured < limit
    at_points = rope[arrays.control_particles]
    np.testing.assert_allclose([p.co for p in spline.bezier_points], at_points, atol=1e-6)
    left, middle, right = np.moveaxis(coordinates.reshape(-1, 3, 3), 1, 0)
    lengths = np.linalg.norm(middle - left, axis=1) * np.linalg.norm(right - middle, axis=1)
    cosines = np.sum((middle - left) * (right - middle), axis=1) / lengths
    np.testing.assert_allclose(cosines, 1.0, atol=1e-6)  # no kinks


@pytest.mark.parametrize("slack", [1.02, 1.2, 1.5])
@pytest.mark.parametrize(("count", "endpoint"), [(4, True), (6, True), (9, True), (9, False)])
def test_a_nurbs_follows_a_sagging_rope(curves, count, endpoint, slack):
    ob = new_curve()
    points = straight_triples(count)[:, 1]
    add_points(ob, "NURBS", points, use_endpoint_u=endpoint, order_u=4, resolution_u=48)
    arrays = curves.read_curve(ob)
    span = np.linalg.norm(arrays.points[-1] - arrays.points[0]) / slack
    rope = catenary(span, slack, parts_of(arrays.points))
    coordinates = arrays.fit.coordinates(rope)
    set_coordinates(ob.data, coordinates)
    measured = deviation(ob, rope, arrays.edges) / span
    print(f"\n{count} points, slack {slack}: {100 * measured:.3f} % of span")
    assert measured < (0.05 if count == 4 else 0.02)
    if endpoint:
        np.testing.assert_allclose(coordinates[[0, -1]], rope[[0, -1]], atol=1e-6)


def test_corners_stay_corners(curves):
    """Handles that are not in one line are free of each other: the fit may not round them."""
    ob = new_curve()
    path = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    triples = np.stack([path, path, path], axis=1)
    triples[1:, 0] += (path[:-1] - path[1:]) / 3
    triples[:-1, 2] += (path[1:] - path[:-1]) / 3
    triples[0, 0], triples[2, 2] = path[0] - [0.3, 0, 0], path[2] + [0, 0.3, 0]
    add_bezier(ob, triples)
    arrays = curves.read_curve(ob)
    bent = arrays.points.copy()
    bent[:, 2] = 0.3 * np.minimum(arrays.points[:, 0], 1.0) ** 2 + 0.5 * arrays.points[:, 1]
    left, point, right = arrays.fit.coordinates(bent).reshape(-1, 3, 3)[1]
    tangents = [point - left, right - point]
    np.testing.assert_allclose(tangents[0] / tangents[0][0], [1.0, 0.0, 0.6], atol=0.02)
    np.testing.assert_allclose(tangents[1] / tangents[1][1], [0.0, 1.0, 0.5], atol=0.02)


def test_a_frame_of_a_long_curve_is_fast(curves):
    ob = new_curve()
    for _ in range(40):
        add_bezier(ob, straight_triples(5))
    start = time.thread_time()
    arrays = curves.read_curve(ob)
    read = time.thread_time()
    for _ in range(10):
        arrays.fit.coordinates(arrays.points + [0.0, 0.0, 1.0])
    fitted = (time.thread_time() - read) / 10
    print(f"\nread {1000 * (read - start):.1f} ms, fit {1000 * fitted:.2f} ms a frame")
    assert read - start < 0.5
    assert fitted < 0.1


# --- handles that Blender places itself ---


def test_automatic_handles_are_named_and_can_be_freed(curves, control, model_error):
    ob = new_curve()
    add_bezier(ob, random_points(12).reshape(4, 3, 3), "AUTO")
    second = add_bezier(ob, random_points(9, 4).reshape(3, 3, 3), "VECTOR")
    second.bezier_points[1].handle_right_type = "AUTO"
    second.bezier_points[2].handle_left_type = "ALIGNED"
    for spline in ob.data.splines:  # as after an edit: Blender places the handles
        spline.bezier_points[0].handle_left_type = spline.bezier_points[0].handle_left_type
    before, edges = drawn(ob)
    places = control.curve_coordinates(ob.data)
    with pytest.raises(model_error, match=r"^Rope: its spline 1 has Automatic or Vector"):
        curves.read_curve(ob)
    assert control.free_handles(ob.data) == 8 + 5
    np.testing.assert_array_equal(control.curve_coordinates(ob.data), places)
    bpy.context.view_layer.update()
    assert distances(before, *drawn(ob)).max() < 1e-3 * np.ptp(before)
    assert distances(drawn(ob)[0], before, edges).max() < 0.05 * np.ptp(before)
    curves.read_curve(ob)
    assert {p.handle_left_type for p in ob.data.splines[0].bezier_points} == {"ALIGNED"}
    assert control.automatic_spline(ob.data) is None
    assert control.free_handles(ob.data) == 0


def test_a_bake_refuses_automatic_handles(control, shape_keys, bake_error):
    ob = bezier_curve("AUTO")
    settle()
    before = everything()
    with pytest.raises(bake_error, match=r"^Rope: it has Automatic"):
        shape_keys.write(ob, FRAMES, motion(ob, control))
    assert differences(before, everything()) == []


# --- errors ---


def test_what_cannot_become_a_rope_is_named(curves, model_error):
    empty = new_curve("Empty")
    lonely = new_curve("Lonely")
    add_points(lonely, "POLY", random_points(3))
    add_bezier(lonely, straight_triples(2)[:1])
    heap = new_curve("Heap")
    add_bezier(heap, np.ones((3, 3, 3)))
    astray = new_curve("Astray")
    add_points(astray, "POLY", [[0.0, 0.0, 0.0], [np.inf, 0.0, 0.0]])
    text = bpy.data.objects.new("Text", bpy.data.curves.new("Text", "FONT"))
    surface = bpy.data.objects.new("Surface", bpy.data.curves.new("Surface", "SURFACE"))
    mesh = bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh"))
    for ob, message in (
        (empty, "Empty: its curve has no splines"),
        (lonely, "Lonely: its spline 2 has a single point"),
        (heap, "Heap: all points of its spline 1 lie in one place"),
        (astray, "Astray: 1 coordinates .*NaN"),
        (text, "Text: it is a font object"),
        (surface, "Surface: it is a surface object"),
        (mesh, "Mesh: it is a mesh object"),
    ):
        with pytest.raises(model_error, match=f"^{message}"):
            curves.read_curve(ob)


def test_a_nan_handle_is_named(curves, model_error):
    ob = bezier_curve()
    ob.data.splines[0].bezier_points[1].handle_left = (np.nan, 0.0, 0.0)
    with pytest.raises(model_error, match=r"^Rope: 1 coordinates"):
        curves.read_curve(ob)


# --- the preview ---


@pytest.fixture
def cached(request, scene, control, point_cache, tmp_path):
    """A curve that plays a full cache: object, file, positions."""
    ob = getattr(request, "param", mixed_curve)()
    positions = motion(ob, control)
    count = control.coordinate_count(ob.data)
    with point_cache.PointCacheFile(tmp_path / "a.pc2", count, FRAMES[0]) as cache:
        for frame, sample in zip(FRAMES, positions):
            cache.append(frame, sample)
        point_cache.attach(ob, cache.path, FRAMES[0])
        yield ob, cache, positions


@pytest.mark.parametrize("cached", CURVES, indirect=True)
def test_the_preview_plays_the_control_points(cached, point_cache):
    ob, _, positions = cached
    point_cache.detach(ob)
    before = curve_snapshot(ob.data)
    expected = [expected_drawing(ob, sample) for sample in positions]
    point_cache.attach(ob, cached[1].path, FRAMES[0])
    for number in np.random.default_rng(0).permutation(len(FRAMES)):
        settle(FRAMES[number])
        np.testing.assert_allclose(drawn(ob)[0], expected[number], atol=1e-5)
    assert curve_snapshot(ob.data) == before
    assert point_cache.detach(ob)
    assert not ob.modifiers


def test_a_simulated_rope_shows_where_it_was_simulated(scene, curves, point_cache, tmp_path):
    ob = new_curve()
    add_bezier(ob, straight_triples(2), "ALIGNED").resolution_u = 48
    ob.data.bevel_depth = 0.0
    arrays = curves.read_curve(ob)
    ropes = [catenary(2.0 / slack, slack, parts_of(arrays.points)) for slack in (1.1, 1.3)]
    with point_cache.PointCacheFile(tmp_path / "r.pc2", len(arrays.coordinates), 1) as cache:
        cache.append(1, arrays.coordinates)
        for frame, rope in enumerate(ropes, 2):
            cache.append(frame, arrays.fit.coordinates(rope))
        point_cache.attach(ob, cache.path, 1)
        settle(1)
        assert deviation(ob, arrays.points, arrays.edges) < 1e-5
        for frame, rope in enumerate(ropes, 2):
            settle(frame)
            assert deviation(ob, rope, arrays.edges) < 0.02


def test_a_bevelled_curve_is_previewed_as_a_tube_around_the_rope(scene, cached):
    ob, _, _ = cached
    settle(FRAMES[2])
    points, edges = drawn(ob)
    ob.data.bevel_depth = 0.05
    bpy.context.view_layer.update()
    tube, _ = drawn(ob)
    assert len(tube) > len(points)
    assert distances(tube, points, edges).max() < 0.05 * 2.5 * 1.5  # the largest radius is 2.5


def test_the_preview_of_a_shared_curve_leaves_the_others_alone(cached, control):
    ob, _, _ = cached
    other = bpy.data.objects.new("Other", ob.data)
    bpy.context.scene.collection.objects.link(other)
    settle(FRAMES[4])
    rest = expected_drawing(other, control.curve_coordinates(ob.data))
    np.testing.assert_allclose(drawn(other)[0], rest, atol=1e-6)
    assert np.abs(drawn(ob)[0] - rest).max() > 0.1


# --- the bake ---


def add_relative_keys(ob, compat):
    """Keys as a character has them, with an action, a driver, a mute and tilt in a key."""
    ob.shape_key_add(name="Basis")
    rng = np.random.default_rng(8)
    for name in ("Up", "Down", "Off"):
        block = ob.shape_key_add(name=name, from_mix=False)
        for point in block.data:
            point.co = rng.normal(size=3)
            point.tilt, point.radius = rng.normal(), rng.uniform(0.5, 2.0)
    keys = ob.data.shape_keys
    keys.key_blocks["Off"].mute = True
    keys.key_blocks["Down"].value = 0.3
    curve = compat.ensure_fcurve(keys, 'key_blocks["Up"].value')
    for frame, value in ((1, 0.0), (10, 1.0)):
        curve.keyframe_points.insert(frame, value)
    keys.driver_add('key_blocks["Down"].value').driver.expression = "frame * 0.03"
    ob.active_shape_key_index = 2


def add_absolute_keys(ob, compat):
    add_relative_keys(ob, compat)
    keys = ob.data.shape_keys
    keys.use_relative = False
    keys.eval_time = 12.5
    keys.driver_add("eval_time").driver.expression = "frame * 2"


def share(ob, compat):
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Other", ob.data))


def share_with_keys(ob, compat):
    add_relative_keys(ob, compat)
    share(ob, compat)


def animate_curve(ob, compat):
    curve = compat.ensure_fcurve(ob.data, "bevel_factor_end")
    for frame, value in ((1, 0.2), (10, 1.0)):
        curve.keyframe_points.insert(frame, value)
    ob.data.use_fake_user = True


SETUPS = [
    lambda ob, compat: None,
    add_relative_keys,
    add_absolute_keys,
    share,
    share_with_keys,
    animate_curve,
]


@pytest.mark.parametrize("reloaded", [False, True], ids=["", "reloaded"])
@pytest.mark.parametrize("setup", SETUPS, ids=["plain", *(setup.__name__ for setup in SETUPS[1:])])
@pytest.mark.parametrize("make", CURVES)
def test_bake_plays_and_free_restores(
    scene, control, shape_keys, restore, compat, tmp_path, make, setup, reloaded
):
    ob = make()
    setup(ob, compat)
    settle()
    before = everything()
    others = {o.name: drawn(o)[0] for o in scene.objects if o != ob}
    positions = motion(ob, control)
    shape_keys.write(ob, FRAMES, positions)
    assert addon("properties.bake_record").is_baked(ob)
    assert addon("properties.bake_record").baked_range(ob) == (FRAMES[0], FRAMES[-1])
    if reloaded:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
        ob = bpy.data.objects["Rope"]
    is_bezier = control.bezier_mask(ob.data)
    blocks = [ob.data.shape_keys.key_blocks[f"Verlet {frame:04d}"] for frame in FRAMES]
    for block, sample in zip(blocks, positions):
        np.testing.assert_array_equal(control.key_coordinates(block, is_bezier), sample)
    assert worst_error(ob, FRAMES, positions) < 1e-4
    settle()
    for name, points in others.items():
        np.testing.assert_array_equal(drawn(bpy.data.objects[name])[0], points)
    assert restore.free(ob)
    settle()
    assert differences(before, everything()) == []
    assert not addon("properties.bake_record").is_baked(ob)
    assert not restore.free(ob)


def test_a_simulated_bake_returns_the_simulated_control_points(scene, curves, control, shape_keys):
    """Round trip: what Blender evaluates is what was fitted, in one curve of all types."""
    ob = mixed_curve()
    arrays = curves.read_curve(ob)
    waves = [
        arrays.points + np.column_stack([0 * x, 0.2 * np.sin(x + f), 0.1 * f + 0 * x])
        for f in range(len(FRAMES))
        for x in [arrays.points[:, 0]]
    ]
    fitted = np.array([arrays.fit.coordinates(wave) for wave in waves])
    shape_keys.write(ob, FRAMES, fitted)
    is_bezier = control.bezier_mask(ob.data)
    names = [f"Verlet {frame:04d}" for frame in FRAMES]
    read = [control.key_coordinates(ob.data.shape_keys.key_blocks[n], is_bezier) for n in names]
    np.testing.assert_allclose(read, fitted, atol=1e-4)
    assert worst_error(ob, FRAMES, fitted) < 1e-4


def test_tilt_and_radius_are_kept(scene, control, shape_keys):
    ob = mixed_curve()
    shape_keys.write(ob, FRAMES, motion(ob, control))
    settle(FRAMES[3])
    for block in ob.data.shape_keys.key_blocks:
        kept = [(round(point.tilt, 5), round(point.radius, 5)) for point in block.data]
        assert kept[5] == (0.4, 1.0)
        assert kept[6] == (0.0, 2.5)
        assert set(kept) == {(0.0, 1.0), (0.4, 1.0), (0.0, 2.5)}


def test_a_bake_takes_the_preview_off(cached, control, shape_keys):
    ob, _, positions = cached
    shape_keys.write(ob, FRAMES, positions)
    assert not ob.modifiers
    assert worst_error(ob, FRAMES, positions) < 1e-4


def test_every_user_of_a_curve_can_be_baked(scene, control, shape_keys, restore, compat):
    ob = mixed_curve()
    share_with_keys(ob, compat)
    other = bpy.data.objects["Other"]
    settle()
    before = everything()
    mine, theirs = motion(ob, control, 1), motion(ob, control, 2)
    shape_keys.write(ob, FRAMES, mine)
    shape_keys.write(other, FRAMES, theirs)
    assert worst_error(ob, FRAMES, mine) < 1e-4
    assert worst_error(other, FRAMES, theirs) < 1e-4
    restore.free(ob)
    assert worst_error(other, FRAMES, theirs) < 1e-4
    restore.free(other)
    settle()
    assert differences(before, everything()) == []


@pytest.mark.parametrize("linked", [False, True], ids=["duplicate", "linked duplicate"])
@pytest.mark.parametrize("setup", [SETUPS[0], share])
@pytest.mark.parametrize("first", ["Rope", "Rope.001"])
def test_duplicates_are_freed_independently(
    scene, control, shape_keys, restore, compat, setup, linked, first
):
    ob = mixed_curve()
    setup(ob, compat)
    settle()
    before = curve_snapshot(ob.data)["splines"]
    positions = motion(ob, control)
    shape_keys.write(ob, FRAMES, positions)
    ob.select_set(True)
    with bpy.context.temp_override(selected_objects=[ob], active_object=ob, object=ob):
        bpy.ops.object.duplicate(linked=linked)
    second = {"Rope": "Rope.001", "Rope.001": "Rope"}[first]
    restore.free(bpy.data.objects[first])
    assert worst_error(bpy.data.objects[second], FRAMES, positions) < 1e-4
    restore.free(bpy.data.objects[second])
    for name in (first, second):
        assert curve_snapshot(bpy.data.objects[name].data)["splines"] == before
        assert bpy.data.objects[name].data.shape_keys is None
    assert not [curve.name for curve in bpy.data.curves if curve.users == 0]
    assert not [action.name for action in bpy.data.actions]


def test_bad_positions_are_refused_unchanged(scene, control, shape_keys, bake_error):
    ob = mixed_curve()
    hollow = new_curve("Hollow")
    positions = motion(ob, control)
    nan = positions.copy()
    nan[4, 2, 1] = np.nan
    text = bpy.data.objects.new("Text", bpy.data.curves.new("Text", "FONT"))
    settle()
    before = everything()
    for target, sample, message in (
        (ob, positions[:, :-1], "Rope: the curve has 30 control points and handles, but"),
        (ob, positions[:-1], "Rope: .* 9 frames"),
        (ob, nan, f"Rope: frame {FRAMES[4]}"),
        (hollow, positions[:, :0], "Hollow: the curve has no control points"),
        (text, positions, "Text: only a mesh or curve"),
    ):
        with pytest.raises(bake_error, match=f"^{message}"):
            shape_keys.write(target, FRAMES, sample)
        assert differences(before, everything()) == []


def test_a_curve_in_edit_mode_is_refused(scene, control, shape_keys, bake_error):
    ob = mixed_curve()
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(bake_error, match="Edit Mode"):
        shape_keys.write(ob, FRAMES, motion(ob, control))
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("make", [bezier_curve, mixed_curve])
def test_250_frames_of_a_curve_take_under_a_second(scene, control, shape_keys, restore, make):
    ob = make()
    add_bezier(ob, straight_triples(200))
    frames = list(range(1, 251))
    positions = motion(ob, control, count=len(frames))
    start = time.thread_time()
    shape_keys.write(ob, frames, positions)
    written = time.thread_time()
    restore.free(ob)
    freed = time.thread_time()
    print(f"\nwrite {written - start:.3f} s, free {freed - written:.3f} s")
    assert written - start < 1.0
    assert freed - written < 0.5
