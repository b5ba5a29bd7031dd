"""Convex hulls: every point inside, every face a face, at any scale."""

import time

import numpy as np
import pytest

from verlet_physics.geometry.hull import PLATE_SHARE, convex_hull
from verlet_physics.geometry.mass_properties import hull_mass_properties
from verlet_physics.vector import rotation_matrix

AXES = rotation_matrix(np.array([0.3, -0.5, 0.7, 0.4]) / np.linalg.norm([0.3, -0.5, 0.7, 0.4]))
GRID = np.stack(np.meshgrid(*[np.linspace(-1, 1, 12)] * 3), axis=-1).reshape(-1, 3)


def check(hull, points, near=1e-5):
    """Euler, closed edges, planes, winding, and all points within ``near`` of the size."""
    size = np.ptp(points, axis=0).max()
    v, f, e = len(hull.vertex), len(hull.face_normal), len(hull.edge)
    assert v - e + f == 2
    assert len(hull.face_corner) == 2 * e
    outside = max((part @ hull.face_normal.T - hull.face_offset).max()
                  for part in np.array_split(points, 10))  # fmt: skip
    assert outside <= near * size + hull.deviation
    assert (np.bincount(hull.face_corner, minlength=v) >= 3).all()
    assert np.allclose(np.linalg.norm(hull.face_normal, axis=1), 1)
    passed = {}
    for face in range(f):
        ring = hull.face_corner[hull.face_start[face] : hull.face_start[face + 1]]
        assert len(ring) >= 3
        normal, corner = hull.face_normal[face], hull.vertex[ring]
        assert np.abs(corner @ normal - hull.face_offset[face]).max() < 2 * near * size
        area = np.cross(corner - corner[0], np.roll(corner, -1, 0) - corner[0]).sum(axis=0)
        assert area @ normal > 0
        passed.update(dict.fromkeys(zip(ring.tolist(), np.roll(ring, -1).tolist()), face))
    for a, b, left, right in hull.edge.tolist():
        assert a < b
        assert (passed[a, b], passed[b, a]) == (left, right)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_cube_full_of_points_has_six_quads(scale):
    for points in (GRID * scale, (GRID * scale) @ AXES.T + 30 * scale):
        hull = convex_hull(np.concatenate([points, points[::3]]))
        check(hull, points)
        assert (len(hull.vertex), len(hull.edge), len(hull.face_normal)) == (8, 12, 6)
        assert (np.diff(hull.face_start) == 4).all()
        assert hull_mass_properties(hull).volume == pytest.approx(8 * scale**3, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("kind", ["normal", "box", "ball", "disc", "needle"])
def test_ten_thousand_random_points(scale, kind):
    random = np.random.default_rng(7)
    points = random.normal(size=(10_000, 3))
    if kind == "box":
        points = random.uniform(size=(10_000, 3))
    elif kind == "ball":
        points *= (random.uniform(size=10_000) ** (1 / 3) / np.linalg.norm(points, axis=1))[:, None]
    elif kind == "disc":
        points *= (1, 1, 1e-3)
    elif kind == "needle":
        points *= (1, 2e-3, 2e-3)
    points = scale * points @ AXES.T
    start = time.process_time()
    hull = convex_hull(points)
    seconds = time.process_time() - start
    check(hull, points)
    assert hull.deviation <= 5e-6 * np.ptp(points, axis=0).max()
    if kind != "ball":
        assert seconds < 0.9  # 0.02 to 0.1 where nothing else runs


def test_a_limit_keeps_the_farthest_points():
    random = np.random.default_rng(1)
    ball = random.normal(size=(5000, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    before = np.inf
    for limit, most in ((32, 0.15), (64, 0.075), (256, 0.02)):
        hull = convex_hull(ball, limit)
        check(hull, ball)
        assert len(hull.vertex) == limit
        assert 0.3 * most < hull.deviation < min(most, before)
        before = hull.deviation
        distance = (ball @ hull.face_normal.T - hull.face_offset).max()
        assert distance == pytest.approx(hull.deviation, rel=1e-3)
        apart = np.linalg.norm(hull.vertex[:, None] - ball[None], axis=2).min(axis=1)
        assert (apart == 0).all()  # the vertices are given points


def test_regular_bodies():
    golden = (1 + 5**0.5) / 2
    signs = [(a, b) for a in (-1, 1) for b in (-1, 1)]
    icosahedron = np.array([np.roll((0, a, b * golden), k) for a, b in signs for k in range(3)])
    hull = convex_hull(icosahedron @ AXES.T)
    assert (len(hull.vertex), len(hull.edge), len(hull.face_normal)) == (12, 30, 20)
    dodecahedron = hull.vertex[hull.triangles].mean(axis=1)
    hull = convex_hull(dodecahedron)
    check(hull, dodecahedron)
    assert (len(hull.vertex), len(hull.edge), len(hull.face_normal)) == (20, 30, 12)
    turn = 2 * np.pi * np.arange(16) / 16
    prism = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    hull = convex_hull(np.concatenate([prism, prism + (0, 0, 2)]) @ AXES.T, 32)
    assert (len(hull.vertex), len(hull.edge), len(hull.face_normal)) == (32, 48, 18)
    assert sorted(np.diff(hull.face_start)) == [4] * 16 + [16] * 2


def test_flat_clouds_become_plates_and_lines_nothing():
    random = np.random.default_rng(5)
    flat = np.zeros((200, 3))
    flat[:, :2] = random.uniform(-1, 1, size=(200, 2))
    flat[:4, :2] = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    for scale in (1e-3, 1.0, 1e3):
        hull = convex_hull(scale * flat @ AXES.T)
        assert len(hull.vertex) == 8
        thickness = PLATE_SHARE * 8**0.5 * scale  # of the diagonal
        volume = hull_mass_properties(hull).volume
        assert volume == pytest.approx(4 * scale**2 * thickness, rel=1e-5)
    assert convex_hull(np.outer(np.linspace(-1, 1, 50), (1, 2, 3))) is None
    assert convex_hull(np.ones((20, 3))) is None
    assert convex_hull(np.empty((0, 3))) is None


def test_a_hull_in_another_frame():
    hull = convex_hull(GRID @ AXES.T + (1, 2, 3))
    local = hull.in_frame((1, 2, 3), AXES)
    assert np.allclose(np.abs(local.vertex), 1)
    assert np.allclose(np.abs(local.face_normal).max(axis=1), 1)
    assert np.allclose(local.face_offset, 1)


def test_the_same_points_give_the_same_bits():
    points = np.random.default_rng(2).normal(size=(500, 3))
    one, other = convex_hull(points, 40), convex_hull(points.copy(), 40)
    assert one.vertex.tobytes() == other.vertex.tobytes()
    assert one.edge.tobytes() == other.edge.tobytes()
