"""The preview cache: what is written to the file is what Blender shows, to the last float."""

import importlib
import struct

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("scene")

FIRST_FRAME = 5
FRAME_COUNT = 12


@pytest.fixture
def point_cache(extension):
    return importlib.import_module(f"{extension.__name__}.verlet_addon.blender.point_cache")


def new_grid(scene, name="Grid", size=4):
    mesh = bpy.data.meshes.new(name)
    vertices = [(x * 0.3, y * 0.3, 0.0) for y in range(size) for x in range(size)]
    faces = [
        (i, i + 1, i + size + 1, i + size)
        for y in range(size - 1)
        for i in range(y * size, y * size + size - 1)
    ]
    mesh.from_pydata(vertices, [], faces)
    ob = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(ob)
    return ob


def moving_positions(vertex_count, frame_count=FRAME_COUNT):
    """Motion that differs along x, y and z, so that no exchange of axes goes unseen."""
    rng = np.random.default_rng(3)
    steps = rng.normal(size=(frame_count, vertex_count, 3)) * [1.0, 2.0, 3.0]
    return steps.astype(np.float32)


def shown(ob, scene, frame, subframe=0.0):
    """Evaluated vertex positions (n,3) in the object's space at a frame."""
    scene.frame_set(frame, subframe=subframe)
    return shown_now(ob, bpy.context.evaluated_depsgraph_get())


def shown_now(ob, depsgraph):
    mesh = ob.evaluated_get(depsgraph).data
    positions = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", positions)
    return positions.reshape(-1, 3)


@pytest.fixture
def cached(scene, point_cache, tmp_path):
    """A grid that plays a full cache: object, file, positions."""
    ob = new_grid(scene)
    positions = moving_positions(len(ob.data.vertices))
    cache = point_cache.PointCacheFile(tmp_path / "a.pc2", len(ob.data.vertices), FIRST_FRAME)
    for number, sample in enumerate(positions):
        cache.append(FIRST_FRAME + number, sample)
    point_cache.attach(ob, cache.path, FIRST_FRAME)
    yield ob, cache, positions
    cache.close()


def test_header_counts_the_samples(cached):
    _, cache, positions = cached
    data = cache.path.read_bytes()
    name, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    assert (name, version, points) == (b"POINTCACHE2\0", 1, positions.shape[1])
    assert (start, rate, samples) == (FIRST_FRAME, 1.0, FRAME_COUNT)
    assert len(data) == 32 + positions.nbytes


def test_every_frame_shows_exactly_its_sample(scene, cached):
    ob, _, positions = cached
    for number in np.random.default_rng(0).permutation(FRAME_COUNT):
        np.testing.assert_array_equal(
            shown(ob, scene, FIRST_FRAME + int(number)), positions[number]
        )


def test_outside_the_range_the_nearest_sample_is_held(scene, cached):
    ob, _, positions = cached
    np.testing.assert_array_equal(shown(ob, scene, FIRST_FRAME - 3), positions[0])
    np.testing.assert_array_equal(shown(ob, scene, FIRST_FRAME + 40), positions[-1])


def test_subframes_lie_on_the_line_between_samples(scene, cached):
    ob, _, positions = cached
    middle = 0.25 * positions[3] + 0.75 * positions[4]
    np.testing.assert_allclose(shown(ob, scene, FIRST_FRAME + 3, 0.75), middle, atol=1e-5)


def test_a_depsgraph_for_rendering_shows_the_same(scene, cached):
    ob, _, positions = cached
    scene.frame_set(FIRST_FRAME + 2)
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = bpy.data.meshes.new_from_object(
        ob.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph
    )
    np.testing.assert_array_equal([v.co for v in evaluated.vertices], positions[2])
    assert ob.modifiers[0].show_render


def test_a_render_shows_the_sample(scene, point_cache, tmp_path):
    """A plane that the cache lifts out of the picture leaves it empty."""
    ob = new_grid(scene)
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.camera.location = (0.45, 0.45, 5.0)
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.render.film_transparent = True
    scene.render.resolution_x = scene.render.resolution_y = 16
    rest = np.array([v.co for v in ob.data.vertices], dtype=np.float32)
    with point_cache.PointCacheFile(tmp_path / "r.pc2", len(rest), 1) as cache:
        cache.append(1, rest)
        cache.append(2, rest + [50.0, 0.0, 0.0])
        point_cache.attach(ob, cache.path, 1)
        coverage = []
        for frame in (1, 2):
            scene.frame_set(frame)
            scene.render.filepath = str(tmp_path / f"{frame}.png")
            bpy.ops.render.render(write_still=True)
            image = bpy.data.images.load(scene.render.filepath)
            coverage.append(np.array(image.pixels).reshape(-1, 4)[:, 3].sum())
    assert coverage[0] > 1.0
    assert coverage[1] == 0.0


def test_an_appended_frame_shows_at_once(scene, point_cache, tmp_path):
    ob = new_grid(scene)
    positions = moving_positions(len(ob.data.vertices))
    with point_cache.PointCacheFile(tmp_path / "a.pc2", len(ob.data.vertices), 1) as cache:
        cache.append(1, positions[0])
        point_cache.attach(ob, cache.path, 1)
        np.testing.assert_array_equal(shown(ob, scene, 2), positions[0])
        cache.append(2, positions[1])
        ob.update_tag()
        graph = bpy.context.evaluated_depsgraph_get()
        graph.update()
        np.testing.assert_array_equal(shown_now(ob, graph), positions[1])
        cache.append(2, positions[2])  # replaced, after an edit say
        ob.update_tag()
        graph.update()
        np.testing.assert_array_equal(shown_now(ob, graph), positions[2])


def test_a_frame_appended_in_a_frame_handler_shows_in_that_frame(scene, point_cache, tmp_path):
    ob = new_grid(scene)
    positions = moving_positions(len(ob.data.vertices))
    cache = point_cache.PointCacheFile(tmp_path / "a.pc2", len(ob.data.vertices), 0)
    cache.append(0, positions[0])
    point_cache.attach(ob, cache.path, 0)

    def append(scene, graph=None):
        frame = scene.frame_current
        if frame > cache.last_frame:
            cache.append(frame, positions[frame])
            ob.update_tag()

    for handlers in (bpy.app.handlers.frame_change_pre, bpy.app.handlers.frame_change_post):
        cache.truncate(0)
        handlers.append(append)
        try:
            for frame in range(1, 6):
                scene.frame_set(frame)
                graph = bpy.context.evaluated_depsgraph_get()
                graph.update()
                np.testing.assert_array_equal(shown_now(ob, graph), positions[frame])
        finally:
            handlers.remove(append)
    cache.close()


def test_truncate_forgets_what_came_after(scene, cached):
    ob, cache, positions = cached
    cache.truncate(FIRST_FRAME + 3)
    assert (cache.sample_count, cache.last_frame) == (4, FIRST_FRAME + 3)
    assert cache.path.stat().st_size == 32 + 4 * cache.sample_size
    np.testing.assert_array_equal(shown(ob, scene, FIRST_FRAME + 9), positions[3])
    cache.append(FIRST_FRAME + 4, positions[0])
    np.testing.assert_array_equal(shown(ob, scene, FIRST_FRAME + 8), positions[0])


def test_an_empty_cache_shows_the_mesh(scene, cached):
    ob, cache, _ = cached
    cache.truncate()
    assert cache.sample_count == 0
    rest = np.array([v.co for v in ob.data.vertices], dtype=np.float32)
    for frame in (1, FIRST_FRAME, FIRST_FRAME + 3):
        np.testing.assert_array_equal(shown(ob, scene, frame), rest)


def test_gaps_and_wrong_shapes_are_refused(cached):
    _, cache, positions = cached
    with pytest.raises(ValueError, match="frame 40"):
        cache.append(40, positions[0])
    with pytest.raises(ValueError, match=r"\(16, 3\)"):
        cache.append(FIRST_FRAME, positions[0][:-1])
    assert cache.sample_count == FRAME_COUNT


def test_comes_first_before_other_modifiers(scene, cached, point_cache):
    ob, cache, positions = cached
    point_cache.detach(ob)
    for kind in ("SUBSURF", "SOLIDIFY"):
        ob.modifiers.new(kind, kind)
    offset = ob.modifiers.new("Displace", "DISPLACE")
    offset.direction, offset.mid_level, offset.strength = "Z", 0.0, 1.0
    point_cache.attach(ob, cache.path, FIRST_FRAME)
    assert [m.type for m in ob.modifiers] == ["MESH_CACHE", "SUBSURF", "SOLIDIFY", "DISPLACE"]
    for modifier in list(ob.modifiers)[1:3]:
        modifier.show_viewport = False
    np.testing.assert_allclose(
        shown(ob, scene, FIRST_FRAME + 4), positions[4] + [0, 0, 1], atol=1e-6
    )


def test_a_mesh_keeps_the_switch_for_curves_off(cached):
    """A curve plays its control points by it: see test_curves.py."""
    ob, _, _ = cached
    assert not ob.modifiers[0].use_apply_on_spline


def test_attaching_twice_keeps_one_modifier(cached, point_cache):
    ob, cache, _ = cached
    point_cache.attach(ob, cache.path, FIRST_FRAME)
    assert len(ob.modifiers) == 1


def test_shape_keys_do_not_reach_through(scene, cached):
    ob, _, positions = cached
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 7.0
    key.value = 1.0
    np.testing.assert_array_equal(shown(ob, scene, FIRST_FRAME + 4), positions[4])


def test_other_users_of_the_mesh_are_left_alone(scene, cached):
    ob, _, positions = cached
    other = bpy.data.objects.new("Other", ob.data)
    scene.collection.objects.link(other)
    rest = np.array([v.co for v in ob.data.vertices], dtype=np.float32)
    np.testing.assert_array_equal(shown(ob, scene, FIRST_FRAME + 4), positions[4])
    np.testing.assert_array_equal(shown_now(other, bpy.context.evaluated_depsgraph_get()), rest)


def test_detach_leaves_the_object_as_it_was(scene, cached, point_cache):
    ob, _, _ = cached
    ob.modifiers.new("Mine", "SUBSURF")
    assert point_cache.detach(ob)
    assert not point_cache.detach(ob)
    assert [m.name for m in ob.modifiers] == ["Mine"]


def test_a_missing_file_shows_the_mesh(scene, cached, point_cache):
    ob, cache, _ = cached
    rest = np.array([v.co for v in ob.data.vertices], dtype=np.float32)
    cache.remove()
    np.testing.assert_array_equal(shown(ob, scene, FIRST_FRAME + 4), rest)
