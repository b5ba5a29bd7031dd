"""Convex parts: concave meshes come apart where their hulls fill them best."""

import numpy as np
import pytest

from verlet_physics.geometry.cell import Cell, Solid
from verlet_physics.geometry.hull import convex_hull
from verlet_physics.geometry.mass_properties import hull_mass_properties, mesh_mass_properties
from verlet_physics.geometry.parts import convex_parts
from verlet_physics.geometry.solid import loose_parts, solid_parts, welded
from verlet_physics.geometry.support import DIRECTION, support_area, support_volume
from verlet_physics.vector import rotation_matrix

AXES = rotation_matrix(np.array([0.3, -0.5, 0.7, 0.4]) / np.linalg.norm([0.3, -0.5, 0.7, 0.4]))
CORNERS = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def blocks(filled, *borders):
    """The closed surface of those blocks between borders along x, y and z that are filled."""
    filled = np.pad(np.array(filled, dtype=bool), 1)
    points, triangles = [], []
    for block in np.argwhere(filled):
        ends = [(borders[k][block[k] - 1], borders[k][block[k]]) for k in range(3)]
        corner = [[ends[k][int(c[k] > 0)] for k in range(3)] for c in CORNERS]
        for quad in QUADS:
            outward = CORNERS[list(quad)].mean(axis=0).astype(int)
            if not filled[tuple(block + outward)]:
                first = len(points)
                points += [corner[i] for i in quad]
                triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return np.array(points), np.array(triangles)


def ell():
    return blocks([[[1], [1]], [[1], [0]]], (0, 1, 3), (0, 1, 3), (0, 1))


def u_beam():
    return blocks([[[1], [1]], [[1], [0]], [[1], [1]]], (0, 1, 3, 4), (0, 1, 3), (0, 1))


def chair():
    filled = np.zeros((3, 3, 3))
    filled[::2, ::2, 0] = 1  # four legs, a seat and a back
    filled[:, :, 1] = 1
    filled[:, 2, 2] = 1
    return blocks(filled, (0, 0.06, 0.44, 0.5), (0, 0.06, 0.44, 0.5), (0, 0.45, 0.5, 1))


def cup():
    filled = np.ones((3, 3, 2))
    filled[1, 1, 1] = 0
    return blocks(filled, (0, 0.1, 0.9, 1), (0, 0.1, 0.9, 1), (0, 0.1, 1))


def cross():
    filled = np.zeros((3, 3, 3))
    filled[1, 1, :] = filled[1, :, 1] = filled[:, 1, 1] = 1
    return blocks(filled, range(4), range(4), range(4))


def torus(steps=48, ring=24):
    u, v = np.meshgrid(*(2 * np.pi * np.arange(n) / n for n in (steps, ring)), indexing="ij")
    r = 2 + 0.5 * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), 0.5 * np.sin(v)], axis=-1).reshape(-1, 3)
    grid = np.arange(steps * ring).reshape(steps, ring)
    right, up = np.roll(grid, -1, 0), np.roll(grid, -1, 1)
    both = np.roll(right, -1, 1)
    faces = [np.stack([grid, right, both], -1), np.stack([grid, both, up], -1)]
    return points, np.concatenate(faces).reshape(-1, 3)


def volume(hulls):
    return sum(hull_mass_properties(hull).volume for hull in hulls)


def excess(points, triangles, **options):
    """Number of hulls, and how much larger they and the one hull are than the mesh."""
    true = mesh_mass_properties("mesh", points, triangles).volume
    hulls = convex_parts(points, triangles, **options)
    return len(hulls), volume(hulls) / true - 1, volume([convex_hull(points)]) / true - 1


@pytest.mark.parametrize(
    ("mesh", "count", "one"),
    [(ell, 2, 0.4), (u_beam, 3, 0.5), (chair, 6, 4.739), (cup, 5, 1.358), (cross, 5, 1.048)],
)
@pytest.mark.parametrize("turned", [False, True])
def test_bodies_of_boxes_come_apart_into_boxes(mesh, count, one, turned):
    points, triangles = mesh()
    if turned:
        points = points @ AXES.T + 3
    hulls, parts, whole = excess(points, triangles)
    assert whole == pytest.approx(one, abs=1e-3)
    assert hulls == count
    assert abs(parts) < 2e-3


def test_a_torus_becomes_arcs():
    points, triangles = torus()
    eight, parts, whole = excess(points, triangles, most=8)
    assert whole > 0.8
    assert eight == 8
    assert abs(parts) < 0.12
    sixteen, parts, _ = excess(points, triangles)
    assert sixteen <= 16
    assert abs(parts) < 0.05
    for hull in convex_parts(points, triangles):  # the hole stays open
        assert not (hull.face_offset > 0).all()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_scale_does_not_matter(scale):
    points, triangles = chair()
    assert excess(scale * points, triangles)[0] == 6
    points, triangles = cup()
    assert excess(scale * points, triangles[:, ::-1])[0] == 5  # nor the side that is out


def test_every_point_of_the_mesh_is_in_a_part():
    for mesh in (ell, chair, cross, torus):
        points, triangles = mesh()
        hulls = convex_parts(points, triangles, limit=64)
        outside = [(points @ h.face_normal.T - h.face_offset).max(axis=1) for h in hulls]
        assert np.min(outside, axis=0).max() < 0.02 * np.ptp(points, axis=0).max()


def test_loose_parts_and_what_is_convex():
    points = np.concatenate([CORNERS, CORNERS + (3, 0, 0), CORNERS + (9, 0, 0)])
    triangles = np.concatenate([FACES, FACES + 8, FACES[:, ::-1] + 16])
    assert [len(part) for part in loose_parts(welded(points, triangles))] == [12] * 3
    assert [part.volume for part in solid_parts(points, triangles)] == pytest.approx([8] * 3)
    hulls = convex_parts(points, triangles)
    assert [len(hull.vertex) for hull in hulls] == [8] * 3
    assert volume(hulls) == pytest.approx(24)
    joined = convex_parts(points, triangles, most=2)  # the two that are near each other
    assert sorted(volume([hull]) for hull in joined) == pytest.approx([8, 20])
    hollow = np.concatenate([CORNERS, 0.5 * CORNERS])
    inside = np.concatenate([FACES, FACES[:, ::-1] + 8])
    assert volume(convex_parts(hollow, inside)) == pytest.approx(8)  # cavities are filled
    assert convex_parts(np.zeros((3, 3)), [(0, 1, 2)]) == []
    many = np.concatenate([CORNERS + 5 * np.array([i % 10, i // 10, 0]) for i in range(100)])
    hulls = convex_parts(many, np.concatenate([FACES + 8 * i for i in range(100)]))
    assert len(hulls) == 16


def test_a_fine_mesh_is_cut_on_a_coarse_one():
    points, triangles = torus(100, 40)
    hulls = convex_parts(points, triangles, most=8, limit=256)
    assert len(hulls) == 8
    true = mesh_mass_properties("torus", points, triangles).volume
    assert volume(hulls) == pytest.approx(true, rel=0.15)
    outside = [(points @ h.face_normal.T - h.face_offset).max(axis=1) for h in hulls]
    assert np.min(outside, axis=0).max() < 0.01  # of the fine one nothing sticks out


def test_vessels_of_faces_without_thickness():
    open_box = FACES[[0, 1, *range(4, 12)]]
    solid = convex_parts(CORNERS, open_box)
    assert len(solid) == 1
    walls = convex_parts(CORNERS, open_box, largest_hole=0.1)
    assert len(walls) == 5
    assert volume(walls) < 0.01 * volume(solid)


def test_the_same_mesh_gives_the_same_bits():
    one, other = (convex_parts(*torus()) for _ in range(2))
    assert [h.vertex.tobytes() for h in one] == [h.vertex.tobytes() for h in other]


def test_cells_keep_the_volume():
    points, triangles = torus()
    true = mesh_mass_properties("torus", points, triangles).volume
    surface = points[triangles]
    cell = Cell(Solid(surface, surface, True), surface)
    assert cell.volume == pytest.approx(true, rel=3e-3)
    random = np.random.default_rng(4)
    pieces = [cell]
    for _ in range(4):
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        halves = [piece.cut(normal, 0.3) for piece in pieces]
        pieces = [p for piece, pair in zip(pieces, halves) for p in (pair or (piece,))]
    assert len(pieces) > 8
    assert sum(piece.volume for piece in pieces) == pytest.approx(true, rel=3e-3)
    for piece in pieces:
        assert piece.hull_volume > 0.99 * piece.volume
        corners = piece.hull.vertex
        assert all((corners @ n <= offset + 1e-9).all() for n, offset in piece.planes)


def test_a_corner_inside_the_solid_belongs_to_the_hull():
    surface = CORNERS[FACES]
    cell = Cell(Solid(surface, surface, True), surface)
    for axis in np.eye(3):
        cell = cell.cut(axis, 0.25)[0]
    assert cell.volume == pytest.approx(1.25**3, rel=1e-3)
    assert cell.hull_volume == pytest.approx(1.25**3)


def test_halves_tell_what_a_cut_gives():
    points, triangles = ell()
    surface = points[triangles]
    cell = Cell(Solid(surface, surface, True), surface)
    for normal, offset in (([1, 0, 0], 1.0), ([1, 0, 0], 2.0), ([0.6, 0.8, 0], 1.0)):
        normal = np.array(normal, dtype=float)
        rough = [support_volume(x) for x in cell.halves(normal, offset)]
        exact = [half.hull_volume for half in cell.cut(normal, offset)]
        assert rough == pytest.approx(exact)


def test_volume_and_surface_from_outermost_points():
    box = CORNERS * (1, 2, 3) @ AXES.T
    outermost = box[(box @ DIRECTION.T).argmax(axis=0)]
    assert support_volume(outermost) == pytest.approx(48)
    assert support_area(outermost) == pytest.approx(88)
    assert support_volume(DIRECTION) == pytest.approx(4 / 3 * np.pi, rel=0.05)
    assert np.allclose(np.linalg.norm(DIRECTION, axis=1), 1)
