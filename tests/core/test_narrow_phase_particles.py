"""Points, segments and triangles of particles against shapes: hand calculation, brute force."""

import itertools

import numpy as np
import pytest
from narrow_phase_scene import (
    BOX,
    CAPSULE,
    CYLINDER,
    HULL,
    PLANE,
    ROOM,
    SPHERE,
    UPRIGHT,
    Scene,
    about,
    turned,
)

from verlet_physics.collision.mesh_edges import mesh_edges
from verlet_physics.collision.narrow_phase import narrow_phase_scratch, parts_of, slot_of
from verlet_physics.collision.piece_distance import closest_of_piece
from verlet_physics.collision.point_distance import (
    cylinder_distance,
    hull_distance,
    is_beyond,
    triangle_distance,
)
from verlet_physics.collision.support import Hulls, ShapeParts
from verlet_physics.kernels import jit
from verlet_physics.vec3 import load, sub, unrotate

CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
CONVEX = (SPHERE, BOX, CAPSULE, CYLINDER, HULL)


@jit.kernel
def soft_gaps(shapes, edges, scratch, s, sub, ends, count, radius, reach, out):
    """Rows of ends (n, 3, 3), of which ``count`` are used, against shape s[n]; out (n, 7)."""
    own = slot_of(scratch, 0)
    placed, hulls, meshes = parts_of(shapes)
    solids = ShapeParts(placed, hulls, meshes, edges)
    for n in range(ends.shape[0]):
        a, b = load(ends[n], 0), load(ends[n], 1)
        if count == 2:
            gap, normal, weights = closest_of_piece(
                solids, s[n], sub[n], (a, b), radius[n], reach, own
            )
        else:
            gap, normal, weights = closest_of_piece(
                solids, s[n], sub[n], (a, b, load(ends[n], 2)), radius[n], reach, own
            )
        nx, ny, nz = normal
        wa, wb, wc = weights
        out[n, 0] = gap
        out[n, 1] = nx
        out[n, 2] = ny
        out[n, 3] = nz
        out[n, 4] = wa
        out[n, 5] = wb
        out[n, 6] = wc


def soft(scene, s, ends, radius, sub=0, reach=10.0):
    """(gap, normal, weights) of one segment or triangle."""
    shapes = scene.shapes()
    out = np.zeros((1, 7))
    ends = np.array(ends, dtype=float)
    segment = len(ends) == 2
    soft_gaps(
        shapes,
        mesh_edges(shapes.mesh_triangle, len(shapes.mesh_vertex)),
        narrow_phase_scratch(64),
        np.array([s]),
        np.array([sub]),
        np.concatenate([ends, np.zeros((1, 3))])[None, :3].copy(),
        len(ends),
        np.array([radius]),
        reach,
        out,
    )
    return out[0, 0], out[0, 1:4], out[0, 4 : 6 if segment else 7]


@jit.kernel
def beyond(shapes, s, ends, way, out):
    """Whether triangles (n, 3, 3) are seen to lie ``way`` m beyond a face of shape s; out (n,)."""
    _, hulls, _ = parts_of(shapes)
    for n in range(ends.shape[0]):
        r, centre = shapes.rotation[s], load(shapes.centre, s)
        a, b = sub(load(ends[n], 0), centre), sub(load(ends[n], 1), centre)
        c = sub(load(ends[n], 2), centre)
        places = unrotate(r, a), unrotate(r, b), unrotate(r, c)
        out[n] = is_beyond(hulls, shapes.kind[s], shapes.size[s], shapes.hull[s], places, way)


@pytest.mark.parametrize("way", [0.0, 0.1, 0.4])
def test_what_is_beyond_a_face_is_far(way):
    random = np.random.default_rng(5)
    scene, turn = Scene(), turned(*random.normal(size=4))
    shape = scene.hull(random.normal(size=(30, 3)), (0.3, -0.2, 0.5), turn)
    for s in (shape, scene.add(BOX, (0.4, 1.1, 0.7), (-0.1, 0.4, 0.2), turn)):
        ends = random.normal(size=(200, 1, 3)) * 2.0 + 0.6 * random.normal(size=(200, 3, 3))
        told = np.zeros(len(ends), dtype=bool)
        beyond(scene.shapes(), s, ends, way, told)
        gaps = np.array([soft(scene, s, one, 0.0)[0] for one in ends])
        assert gaps[told].min() > way
        assert told.sum() > 0.6 * (gaps > way).sum()


@pytest.mark.parametrize(
    ("kind", "size", "ends", "radius", "gap", "normal", "weight"),
    [
        (SPHERE, (1,), [(-1, 0, 1.5), (3, 0, 1.5)], 0.1, 0.4, (0, 0, 1), (0.75, 0.25)),
        (SPHERE, (1,), [(2, 0, 0), (3, 0, 0)], 0.1, 0.9, (1, 0, 0), (1, 0)),
        (BOX, (1, 1, 1), [(2, 0, 0.5), (0, 0, 2.5)], 0.0, 0.125**0.5, None, (0.625, 0.375)),
        (CAPSULE, (0.5, 2), [(-1, 1, 0), (1, 1, 0)], 0.1, 0.4, (0, 1, 0), (0.5, 0.5)),
        (CYLINDER, (1, 1), [(0, 0, 3), (0.5, 0, 1.5)], 0.2, 0.3, (0, 0, 1), (0, 1)),
        (PLANE, (), [(0, 0, 1), (1, 0, 0.5)], 0.1, 0.4, (0, 0, 1), (0, 1)),
        (PLANE, (), [(0, 0, 0.5), (1, 0, 0.5)], 0.1, 0.4, (0, 0, 1), (0.5, 0.5)),
        (ROOM, (2, 2, 2), [(1, 0, 1), (1.5, 0, 0)], 0.1, 0.4, (-1, 0, 0), (0, 1)),
        # through the shape: the shortest way out
        (SPHERE, (1,), [(-3, 0, 0.4), (1, 0, 0.4)], 0.1, -0.7, (0, 0, 1), (0.25, 0.75)),
        (BOX, (1, 1, 1), [(-2, 0, 0.8), (2, 0, 0.8)], 0.1, -0.3, (0, 0, 1), None),
        # triangles
        (SPHERE, (1,), [(-1, -1, 2), (2, -1, 2), (-1, 2, 2)], 0.1, 0.9, (0, 0, 1), (1 / 3,) * 3),
        (BOX, (1, 1, 1), [(1.5, 0, 0), (2, 1, 0), (2, 0, 1)], 0.1, 0.4, (1, 0, 0), (1, 0, 0)),
        (PLANE, (), [(0, 0, -0.2), (1, 0, 1), (0, 1, 1)], 0.1, -0.3, (0, 0, 1), (1, 0, 0)),
        (CYLINDER, (1, 1), [(-5, -5, 1.1), (5, -5, 1.1), (0, 7, 1.1)], 0.2, -0.1, (0, 0, 1), None),
    ],
)  # fmt: skip
def test_segments_and_triangles_by_hand(kind, size, ends, radius, gap, normal, weight):
    scene = Scene()
    found, direction, weights = soft(scene, scene.add(kind, size), ends, radius)
    assert found == pytest.approx(gap, abs=1e-9)
    if normal is not None:
        assert direction == pytest.approx(normal, abs=1e-9)
    if weight is not None:
        assert weights == pytest.approx(weight, abs=1e-6)
    assert weights.sum() == pytest.approx(1.0)
    assert weights.min() >= 0.0


def test_random_segments_and_triangles_agree_with_brute_force():
    random = np.random.default_rng(4)
    directions = random.normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for kind, count in itertools.product(CONVEX, (2, 3)):
        for _ in range(40):
            scene = Scene()
            rotation = turned(*random.normal(size=4))
            if kind == HULL:
                s = scene.hull(0.5 * random.normal(size=(12, 3)), (0, 0, 0), rotation)
            else:
                s = scene.add(kind, random.uniform(0.3, 1, 3), (0, 0, 0), rotation)
            ends = random.normal(size=(count, 3)) * random.uniform(0.2, 1.5)
            radius = 0.05

            def along(n, s=s, ends=ends, scene=scene, radius=radius):
                n = np.atleast_2d(n)
                return (ends @ n.T).min(axis=0) - radius - scene.support(s, n)

            gap, normal, weights = soft(scene, s, ends, radius)
            assert along(normal)[0] == pytest.approx(gap, abs=1e-6)
            assert along(directions).max() <= gap + 1e-9
            # the weighted point lies on the surface that the normal shows to the shape
            point = weights @ ends
            assert point @ normal == pytest.approx((ends @ normal).min(), abs=1e-5)
            on_shape = point - (gap + radius) * normal
            outside = (directions @ on_shape - scene.support(s, directions)).max()
            assert outside < 1e-5, (kind, count, gap)


def test_far_segments_are_infinitely_far():
    scene = Scene()
    s = scene.add(SPHERE, (1,))
    assert soft(scene, s, [(3, 0, 0), (4, 0, 0)], 0.1, reach=1.0)[0] == np.inf
    assert soft(scene, s, [(3, 0, 0), (4, 0, 0)], 0.1, reach=2.0)[0] == pytest.approx(1.9)


def test_segments_over_a_flat_mesh_feel_no_inner_edges():
    vertex = [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)]
    for two_sided in (False, True):
        scene = Scene()
        s = scene.mesh(vertex, [(0, 1, 2), (0, 2, 3)], two_sided=two_sided)
        for ends in ([(-1, 0.5, 0.3), (1, -0.2, 0.2)], [(-1, -0.8, 0.2), (1, 1.1, -0.1)]):
            gaps = []
            for part in range(2):
                gap, normal, _ = soft(scene, s, ends, 0.1, part)
                if gap < np.inf:
                    assert normal == pytest.approx((0, 0, 1), abs=0.06)
                    gaps.append(gap)
            assert min(gaps) == pytest.approx(min(ends[0][2], ends[1][2]) - 0.1)


# ---------------------------------------------------------------------------- points


def hull_gap(hull, p, o, radius):
    hulls = Hulls(
        hull=np.zeros(1, dtype=np.int32),
        first_vertex=np.zeros(1, dtype=np.int32),
        vertex=hull.vertex,
        first_face=np.array([0, len(hull.face_normal)]),
        face_first_corner=hull.face_start,
        face_corner=hull.face_corner,
        face_normal=hull.face_normal,
        face_offset=hull.face_offset,
    )
    return hull_distance(hulls, 0, tuple(map(float, p)), tuple(map(float, o)), radius)


def test_points_around_cylinders_and_hulls_agree_with_their_supports():
    random = np.random.default_rng(2)
    directions = random.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    scene = Scene()
    cylinder = scene.add(CYLINDER, (0.7, 0.4))
    solid = scene.hull(0.5 * random.normal(size=(14, 3)))
    size = scene.rows[cylinder][1]
    for p in random.uniform(-1.2, 1.2, (300, 3)):
        p = tuple(map(float, p))
        for s in (cylinder, solid):
            if s == cylinder:
                gap, normal = cylinder_distance(size, p, p, 0.1)
            else:
                gap, normal = hull_gap(scene.hulls[0], p, p, 0.1)
            normal = np.array(normal)
            assert np.linalg.norm(normal) == pytest.approx(1.0)
            assert normal @ p - scene.support(s, normal)[0] - 0.1 == pytest.approx(gap, abs=1e-9)
            assert (directions @ p - scene.support(s, directions)).max() - 0.1 <= gap + 1e-9


def test_fast_points_are_sent_back_through_the_face_they_came_in_by():
    scene = Scene()
    scene.hull(CUBE * (1, 1, 0.01))
    cases = [
        cylinder_distance(np.array([1.0, 0.01]), (0.2, 0, -0.5), (0.2, 0, 0.5), 0.1),
        hull_gap(scene.hulls[0], (0.2, 0, -0.5), (0.2, 0, 0.5), 0.1),
    ]
    for gap, normal in cases:
        assert normal == pytest.approx([0, 0, 1])
        assert gap == pytest.approx(-0.5 - 0.01 - 0.1)
    gap, normal = cylinder_distance(np.array([0.1, 2.0]), (-0.5, 0.05, 0), (1.0, 0.05, 0), 0.0)
    hit = np.array([np.sqrt(0.01 - 0.0025), 0.05]) / 0.1
    assert normal == pytest.approx([*hit, 0])
    assert gap == pytest.approx(hit @ (-0.5, 0.05) - 0.1)


def test_triangles_push_points_to_their_side():
    a, b, c = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    over = (0.25, 0.25, 0.05)
    under = (0.25, 0.25, -0.05)
    gap, normal, weights = triangle_distance(a, b, c, over, over, 0.1, False)
    assert [gap, *normal, *weights] == pytest.approx([-0.05, 0, 0, 1, 0.5, 0.25, 0.25])
    gap, normal, weights = triangle_distance(a, b, c, under, under, 0.1, False)
    assert [gap, *normal, *weights] == pytest.approx([-0.15, 0, 0, 1, 0.5, 0.25, 0.25])
    gap, normal, weights = triangle_distance(a, b, c, under, under, 0.1, True)
    assert [gap, *normal, *weights] == pytest.approx([-0.05, 0, 0, -1, 0.5, 0.25, 0.25])
    gap, normal, weights = triangle_distance(a, b, c, under, over, 0.1, True)  # went through
    assert [gap, *normal, *weights] == pytest.approx([-0.15, 0, 0, 1, 0.5, 0.25, 0.25])
    beside = (0.5, -0.3, 0.4)
    gap, normal, weights = triangle_distance(a, b, c, beside, beside, 0.1, False)
    assert [gap, *normal, *weights] == pytest.approx([0.4, 0, -0.6, 0.8, 0.5, 0.5, 0])
    behind = (0.5, -0.3, -0.4)
    assert triangle_distance(a, b, c, behind, behind, 0.1, False)[0] == np.inf
    assert triangle_distance(a, b, b, over, over, 0.1, False)[0] == np.inf


def test_a_segment_in_the_very_middle_of_a_shape_gets_out():
    for kind in CONVEX:
        scene = Scene()
        s = scene.hull(CUBE) if kind == HULL else scene.add(kind, (1, 1, 1), (0, 0, 0), UPRIGHT)
        for ends in ([(0, 0, 0), (0, 0, 0)], [(0, 0, -0.1), (0, 0, 0.1)], [(0, 0, 0)] * 3):
            gap, normal, weights = soft(scene, s, ends, 0.1)
            assert np.linalg.norm(normal) == pytest.approx(1.0)
            assert np.isfinite(weights).all()
            lowest = (np.array(ends) @ normal).min()
            assert gap == pytest.approx(lowest - 0.1 - scene.support(s, normal)[0], abs=1e-6)
            assert gap == pytest.approx(-1.1, abs=1e-6)


def test_a_stick_across_a_turned_shape_matches_a_capsule_there():
    for kind in (BOX, CYLINDER, CAPSULE):
        scene = Scene()
        s = scene.add(kind, (0.5, 0.6, 0.7), (0.2, 0, 0), about((1, 2, 3), 0.7))
        stick = scene.add(CAPSULE, (0.1, 1.0), (0.3, 0.7, 0.4), about((0, 1, 0), np.pi / 2))
        normal, _, _, gap, _ = scene.collide(stick, s, reach=5.0)
        found, direction, _ = soft(scene, s, [(-0.7, 0.7, 0.4), (1.3, 0.7, 0.4)], 0.1)
        assert found == pytest.approx(gap.min(), abs=1e-9)
        assert direction == pytest.approx(normal, abs=1e-6)
