"""Volume, centre and inertia of meshes against analytic answers."""

import numpy as np
import pytest

from verlet_physics.errors import ModelError
from verlet_physics.geometry.hull import convex_hull
from verlet_physics.geometry.mass_properties import (
    MassProperties,
    box_mass_properties,
    capsule_mass_properties,
    cylinder_mass_properties,
    hull_mass_properties,
    mesh_mass_properties,
    principal_axes,
    sphere_mass_properties,
    sum_mass_properties,
)
from verlet_physics.vector import rotation_matrix

CORNERS = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])
TURN = np.array([0.3, -0.5, 0.7, 0.4]) / np.linalg.norm([0.3, -0.5, 0.7, 0.4])
AXES = rotation_matrix(TURN)


def lathe(profile, steps):
    """A closed surface of revolution about z of (radius, height) points, first and last at 0."""
    turn = 2 * np.pi * np.arange(steps) / steps
    rings = [np.stack([r * np.cos(turn), r * np.sin(turn), 0 * turn + z], 1) for r, z in profile]
    grid = np.arange(len(profile) * steps).reshape(-1, steps)
    a, b = grid[:-1].ravel(), grid[1:].ravel()
    c, d = np.roll(grid, -1, 1)[1:].ravel(), np.roll(grid, -1, 1)[:-1].ravel()
    return np.concatenate(rings), np.concatenate([np.stack([a, c, b], 1), np.stack([a, d, c], 1)])


def torus(major, minor, steps, ring):
    u, v = np.meshgrid(*(2 * np.pi * np.arange(n) / n for n in (steps, ring)), indexing="ij")
    r = major + minor * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), minor * np.sin(v)], axis=-1).reshape(-1, 3)
    grid = np.arange(steps * ring).reshape(steps, ring)
    right, up = np.roll(grid, -1, 0), np.roll(grid, -1, 1)
    both = np.roll(right, -1, 1)
    faces = [np.stack([grid, right, both], -1), np.stack([grid, both, up], -1)]
    return points, np.concatenate(faces).reshape(-1, 3)


def same(one: MassProperties, other: MassProperties, rel):
    size = other.volume ** (1 / 3)
    assert one.volume == pytest.approx(other.volume, rel=rel)
    assert np.abs(one.centre - other.centre).max() < rel * size
    assert np.abs(one.inertia - other.inertia).max() < rel * np.abs(other.inertia).max()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_box_anywhere_at_any_scale(scale):
    half = scale * np.array([1.0, 2.0, 3.0])
    place = scale * np.array([50.0, -20.0, 7.0])
    points = (CORNERS * half) @ AXES.T + place
    expected = box_mass_properties(half).moved(place, AXES)
    same(mesh_mass_properties("box", points, FACES), expected, 1e-11)
    same(mesh_mass_properties("inside out", points, FACES[:, ::-1]), expected, 1e-11)
    split = mesh_mass_properties("split", points[FACES].reshape(-1, 3), np.arange(36))
    same(split, expected, 1e-11)
    same(hull_mass_properties(convex_hull(points)), expected, 1e-11)
    assert box_mass_properties(half).volume == pytest.approx(48 * scale**3)
    assert box_mass_properties(half).inertia_of(3.0)[0, 0] == pytest.approx(13 * scale**2)


def test_faces_that_disagree_and_a_missing_face():
    mixed = FACES.copy()
    mixed[[1, 4, 7, 8]] = mixed[[1, 4, 7, 8]][:, ::-1]
    same(mesh_mass_properties("mixed", CORNERS, mixed), box_mass_properties((1, 1, 1)), 1e-12)
    same(mesh_mass_properties("hole", CORNERS, FACES[2:]), box_mass_properties((1, 1, 1)), 1e-12)
    slit = np.delete(FACES, (0, 3), axis=0)
    same(mesh_mass_properties("holes", CORNERS, slit), box_mass_properties((1, 1, 1)), 1e-12)


def test_a_concave_body_is_no_hull_and_its_centre_no_mean():
    # An L of two boxes, its long sides split so that triangles crowd at one end.
    outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3), (0, 2.9), (0, 2.8)]
    points = np.array([(x, y, z) for z in (0, 1) for x, y in outline], dtype=float)
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 7), (3, 6, 7), (3, 4, 6), (4, 5, 6)]
    faces = [(a, c, b) for a, b, c in caps] + [(a + 8, b + 8, c + 8) for a, b, c in caps]
    for a in range(8):
        b = (a + 1) % 8
        faces += [(a, b, b + 8), (a, b + 8, a + 8)]
    faces = np.array(faces)
    expected = sum_mass_properties([
        box_mass_properties((1.5, 0.5, 0.5)).moved((1.5, 0.5, 0.5), np.eye(3)),
        box_mass_properties((0.5, 1.0, 0.5)).moved((0.5, 2.0, 0.5), np.eye(3)),
    ])  # fmt: skip
    assert expected.centre == pytest.approx((1.1, 1.1, 0.5))
    same(mesh_mass_properties("ell", points, faces), expected, 1e-12)
    mixed = faces.copy()
    mixed[::3] = mixed[::3, ::-1]
    same(mesh_mass_properties("mixed", points, mixed), expected, 1e-12)
    hole = np.delete(faces, 14, axis=0)  # of the side at y = 0
    same(mesh_mass_properties("hole", points, hole), expected, 1e-12)


def test_cavities_are_hollow_and_parts_inside_out_are_not():
    points = np.concatenate([CORNERS, 0.5 * CORNERS])
    outer, inner = FACES, FACES + 8
    for faces in ([outer, inner[:, ::-1]], [outer[:, ::-1], inner]):
        hollow = mesh_mass_properties("hollow", points, np.concatenate(faces))
        assert hollow.volume == pytest.approx(7.0)
        assert hollow.inertia[0, 0] == pytest.approx(8 * 2 / 3 - 2 / 12)
    apart = np.concatenate([CORNERS, CORNERS + (4, 0, 0)])
    both = mesh_mass_properties("two", apart, np.concatenate([outer, outer[:, ::-1] + 8]))
    one = box_mass_properties((1, 1, 1))
    same(both, sum_mass_properties([one, one.moved((4, 0, 0), np.eye(3))]), 1e-12)
    assert both.inertia[1, 1] == pytest.approx(2 * (8 * 2 / 3 + 8 * 4))


def test_round_bodies_approach_their_formulas():
    steps = 128
    v = np.pi * np.arange(65) / 64
    ball = lathe(np.stack([np.sin(v), -np.cos(v)], 1), steps)
    same(mesh_mass_properties("ball", *ball), sphere_mass_properties(1.0), 3e-3)
    can = lathe([(0, -2), (0.5, -2), (0.5, 2), (0, 2)], steps)
    same(mesh_mass_properties("can", *can), cylinder_mass_properties(0.5, 2.0), 3e-3)
    profile = np.concatenate([np.stack([np.sin(v[:33]), -2 - np.cos(v[:33])], 1),
                              np.stack([np.sin(v[32:]), 2 - np.cos(v[32:])], 1)])  # fmt: skip
    pill = lathe(profile, steps)
    same(mesh_mass_properties("pill", *pill), capsule_mass_properties(1.0, 2.0), 3e-3)
    same(capsule_mass_properties(1.0, 0.0), sphere_mass_properties(1.0), 1e-15)
    # torus: V = 2π²Rr², I about the axis V(R² + ¾r²), across V(R²/2 + 5r²/8)
    ring = mesh_mass_properties("ring", *torus(2.0, 0.5, 256, 128))
    volume = 2 * np.pi**2 * 2 * 0.25
    expected = volume * np.array([2 + 5 / 32, 2 + 5 / 32, 4 + 3 / 16])
    same(ring, MassProperties(volume, np.zeros(3), np.diag(expected)), 1.5e-3)


def test_the_tetrahedron_has_products_of_inertia():
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    solid = mesh_mass_properties("corner", points, faces)
    assert solid.volume == pytest.approx(1 / 6)
    assert solid.centre == pytest.approx([0.25] * 3)
    # about the corner ∫x² = 1/60 and ∫xy = 1/120; less the parallel axes
    second = np.full((3, 3), 1 / 120) + np.eye(3) / 120 - 1 / 6 / 16
    assert solid.inertia == pytest.approx(np.trace(second) * np.eye(3) - second)


def test_what_encloses_nothing():
    random = np.random.default_rng(3)
    sheet = np.stack([*random.uniform(-1, 1, size=(2, 50)), np.zeros(50)], axis=1)
    sheet[:4] = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    flat = mesh_mass_properties("sheet", sheet @ AXES.T, [(0, 1, 2), (0, 2, 3)])
    same(flat, box_mass_properties((1, 1, 2**0.5 * 1e-3)).moved((0, 0, 0), AXES), 2e-3)
    assert mesh_mass_properties("points", CORNERS, []).volume == pytest.approx(8)
    with pytest.raises(ModelError, match=r"wire: .* on one line"):
        mesh_mass_properties("wire", np.outer(np.arange(5), (1, 2, 3)), [])
    with pytest.raises(ModelError, match=r"dot: .* in one place"):
        mesh_mass_properties("dot", np.ones((4, 3)), [(0, 1, 2)])


def test_principal_axes_are_the_nearest_to_the_object():
    for q in ([1, 0, 0, 0], TURN):
        moments, axes = principal_axes(box_mass_properties((1, 1, 1)).inertia, q)
        assert np.allclose(abs(axes @ q), 1)  # a cube keeps its own axes
        assert np.allclose(moments, 16 / 3)
    tilt = np.array([np.cos(0.2), 0, np.sin(0.2), 0])  # of 0.4 rad about y
    body = box_mass_properties((1, 2, 3)).moved((0, 0, 0), rotation_matrix(tilt))
    moments, axes = principal_axes(body.inertia, [1, 0, 0, 0])
    assert np.allclose(axes, tilt)
    assert np.allclose(moments, np.diag(box_mass_properties((1, 2, 3)).inertia))
    rod = cylinder_mass_properties(0.1, 1.0).moved((0, 0, 0), rotation_matrix(tilt))
    moments, axes = principal_axes(rod.inertia, [1, 0, 0, 0])
    assert np.allclose(axes, tilt)  # no turn about the rod's own axis
    random = np.random.default_rng(1)
    for _ in range(300):
        turn = rotation_matrix((lambda q: q / np.linalg.norm(q))(random.normal(size=4)))
        inertia = turn @ np.diag(random.uniform(1, 2, size=3)) @ turn.T
        moments, axes = principal_axes(inertia, TURN)
        r = rotation_matrix(axes)
        assert np.linalg.det(r) == pytest.approx(1)
        assert np.abs(r @ np.diag(moments) @ r.T - inertia).max() < 1e-12 * moments.max()
        assert 2 * np.arccos(abs(axes @ TURN)) < np.radians(62.8)  # the most there can be
