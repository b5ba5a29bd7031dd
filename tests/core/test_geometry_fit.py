"""The shape that is proposed for a mesh."""

from itertools import pairwise

import numpy as np
import pytest

from verlet_physics.geometry.closest_shape import shape_mass_properties
from verlet_physics.geometry.hull import convex_hull
from verlet_physics.geometry.mass_properties import hull_mass_properties, mesh_mass_properties
from verlet_physics.geometry.support import DIRECTION
from verlet_physics.recipes.fit import fit_shape
from verlet_physics.vector import rotation_matrix

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
TURN = np.array([0.3, -0.5, 0.7, 0.4]) / np.linalg.norm([0.3, -0.5, 0.7, 0.4])
AXES = rotation_matrix(TURN)
CORNERS = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def solid(points):
    """Points and triangles of a convex solid, with as many points again inside."""
    hull = convex_hull(points)
    return np.concatenate([hull.vertex, 0.5 * hull.vertex]), hull.triangles


def prism(sides, radius=1.0, height=2.0, top=1.0):
    turn = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    return solid(np.concatenate([ring, ring * top + (0, 0, height)]) - (0, 0, height / 2))


def auto(mesh, orientation=UPRIGHT):
    return fit_shape("mesh", mesh[0], orientation, "AUTO", mesh[1])


def same_axes(fit, axes):
    """Whether the shape's axes are the columns of ``axes`` in some order, whichever way."""
    return np.allclose(np.sort(np.abs(rotation_matrix(fit.orientation).T @ axes)), [0, 0, 1])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_boxes_along_any_axes(scale):
    points = scale * CORNERS * (1, 2, 3)
    fit = auto((points + 5 * scale, FACES))
    assert fit.shape == "BOX"
    assert fit.size == pytest.approx((scale, 2 * scale, 3 * scale))
    assert np.allclose(fit.centre, 5 * scale)
    fit = auto((points @ AXES.T + 5 * scale, FACES), TURN)  # the object is turned
    assert fit.size == pytest.approx((scale, 2 * scale, 3 * scale))
    assert np.allclose(fit.orientation, TURN)
    fit = auto((points @ AXES.T + 5 * scale, FACES))  # its rotation has been applied
    assert fit.shape == "BOX"
    assert sorted(fit.size) == pytest.approx([scale, 2 * scale, 3 * scale])
    assert same_axes(fit, AXES)
    fit = auto((scale * CORNERS @ AXES.T, FACES))  # no principal axes to find it by
    assert (fit.shape, same_axes(fit, AXES)) == ("BOX", True)
    assert fit.size == pytest.approx([scale] * 3)
    explicit = fit_shape("box", points @ AXES.T, UPRIGHT, "BOX", FACES)
    assert np.allclose(explicit.orientation, UPRIGHT)  # as asked for: the bounding box


def test_bevelled_boxes_are_boxes_and_wedges_are_not():
    bevelled = np.concatenate([CORNERS * (0.9 + 0.1 * np.eye(3)[k]) for k in range(3)])
    assert auto(solid(bevelled)).shape == "BOX"
    wedge = CORNERS[[0, 1, 2, 4, 5, 6]]
    fit = auto(solid(wedge))
    assert fit.shape == "HULL"
    assert len(fit.hull.vertex) == 6
    assert auto(solid(CORNERS[[0, 3, 5, 6]])).shape == "HULL"  # a tetrahedron of its corners
    assert auto(solid(CORNERS * np.where(CORNERS[:, 2:] > 0, 0.7, 1))).shape == "HULL"


@pytest.mark.parametrize(("sides", "shape"), [(6, "HULL"), (8, "HULL"), (10, "HULL"),
                                              (12, "CYLINDER"), (13, "CYLINDER"),
                                              (32, "CYLINDER")])  # fmt: skip
def test_prisms(sides, shape):
    fit = auto(prism(sides, 0.5, 3))
    assert fit.shape == shape
    if shape == "CYLINDER":
        assert fit.size == pytest.approx((0.5, 1.5))
        assert np.allclose(fit.centre, 0, atol=1e-8)
        assert shape_mass_properties(fit).volume == pytest.approx(np.pi * 0.25 * 3)


def test_cylinders_along_any_axis():
    for height in (0.05, 2.0, 30.0):  # a coin, a can, a rod
        points, triangles = prism(32, 1.0, height)
        for axes in (np.eye(3), AXES, np.roll(np.eye(3), 1, axis=0)):
            fit = auto((points @ axes.T + 2, triangles))
            assert fit.shape == "CYLINDER"
            assert fit.size == pytest.approx((1.0, height / 2))
            assert np.allclose(fit.centre, 2)
            assert abs(rotation_matrix(fit.orientation)[:, 2] @ axes[:, 2]) == pytest.approx(1)
            fit = fit_shape("can", points @ axes.T, UPRIGHT, "CYLINDER")
            assert fit.size == pytest.approx((1.0, height / 2))
    assert auto(prism(32, 1, 2, top=0.8)).shape == "HULL"
    assert auto(prism(32, 1, 2, top=0.01)).shape == "HULL"
    box = fit_shape("box", CORNERS * (1, 1, 4), UPRIGHT, "CYLINDER")
    assert box.size == pytest.approx((2**0.5, 4))


def test_balls_and_pills():
    fit = auto(solid(3 * DIRECTION + 1))
    assert (fit.shape, fit.size) == ("SPHERE", pytest.approx((3,)))
    assert np.allclose(fit.centre, 1)
    assert auto(solid(DIRECTION * (1, 1, 1.3))).shape == "HULL"
    pill = solid(np.concatenate([DIRECTION + (0, 0, 2), DIRECTION - (0, 0, 2)]))
    for axes in (np.eye(3), AXES):
        fit = auto((pill[0] @ axes.T, pill[1]))
        assert fit.shape == "CAPSULE"
        assert fit.size == pytest.approx((1, 2), rel=0.02)
        assert abs(rotation_matrix(fit.orientation)[:, 2] @ axes[:, 2]) == pytest.approx(1)


def test_hulls_stand_where_the_mesh_is():
    points = np.random.default_rng(0).normal(size=(500, 3)) @ AXES.T * (1, 2, 3) + (4, 5, 6)
    fit = fit_shape("rock", points, TURN, "HULL")
    world = fit.hull.vertex @ rotation_matrix(fit.orientation).T + fit.centre
    assert len(world) <= 32
    apart = np.linalg.norm(world[:, None] - points[None], axis=2).min(axis=1)
    assert apart.max() < 1e-8
    assert np.allclose(fit.hull.vertex.max(axis=0), fit.size)
    assert np.allclose(fit.hull.vertex.min(axis=0), np.negative(fit.size))
    assert auto(solid(points)).shape == "HULL"


def test_flat_things():
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
    faces = [(0, 1, 2), (0, 2, 3)]
    assert auto((square, faces)).shape == "PLANE"
    assert auto((square @ AXES.T, faces), TURN).shape == "PLANE"
    upright = auto((square[:, [0, 2, 1]], faces))
    assert (upright.shape, upright.size[0]) == ("BOX", 0.5)
    leaning = auto((square @ AXES.T, faces))
    assert leaning.shape == "BOX"
    assert sorted(leaning.size) == pytest.approx([0.5e-3 * 2**0.5, 0.5, 0.5], rel=1e-3)
    assert fit_shape("sheet", square, UPRIGHT, "HULL").hull is not None
    wire = np.outer(np.arange(4), (1, 2, 3))
    for shape in ("AUTO", "HULL", "CYLINDER", "COMPOUND"):
        assert fit_shape("wire", wire, UPRIGHT, shape, []).shape == "BOX"


def beam(low, high):
    low, high = np.array(low), np.array(high)
    return 0.5 * (low + high) + 0.5 * CORNERS * (high - low)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_table_is_a_box_and_four_cylinders(scale):
    leg, faces = prism(16, 0.06, 1.0)
    points, triangles = [beam((-1, -1, 1), (1, 1, 1.1))], [FACES]
    for x, y in CORNERS[:4, :2]:
        triangles.append(faces + 8 + len(leg) * (len(points) - 1))
        points.append(leg + (0.8 * x, 0.8 * y, 0.5))
    world = scale * (np.concatenate(points) @ AXES.T + 3)
    fit = auto((world, np.concatenate(triangles)), TURN)
    assert fit.shape == "COMPOUND"
    assert sorted(part.shape for part in fit.parts) == ["BOX"] + ["CYLINDER"] * 4
    top = next(part for part in fit.parts if part.shape == "BOX")
    assert top.size == pytest.approx((scale, scale, 0.05 * scale))
    assert np.allclose(top.centre, scale * (AXES @ (0, 0, 1.05) + 3))
    assert np.allclose(fit.size, (scale, scale, 0.55 * scale))
    assert np.allclose(fit.orientation, TURN)
    mass = shape_mass_properties(fit)
    assert mass.volume == pytest.approx(scale**3 * (0.4 + 4 * np.pi * 0.06**2))
    height = (0.4 * 1.05 + 4 * np.pi * 0.06**2 * 0.5) / (0.4 + 4 * np.pi * 0.06**2)
    assert np.allclose(mass.centre, scale * (AXES @ (0, 0, height) + 3))
    legs = sorted(part.centre @ AXES[:, 0] for part in fit.parts if part is not top)
    assert legs == pytest.approx(
        [scale * (s + AXES[:, 0].sum() * 3) for s in (-0.8, -0.8, 0.8, 0.8)]
    )


def test_concave_meshes_are_compounds_of_what_fits_their_parts():
    outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
    points = np.array([(x, y, z) for z in (0, 1) for x, y in outline], dtype=float)
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in caps] + [(a + 6, b + 6, c + 6) for a, b, c in caps]
    for a, b in pairwise([*range(6), 0]):
        faces += [(a, b, b + 6), (a, b + 6, a + 6)]
    fit = auto((points @ AXES.T, faces), TURN)
    assert fit.shape == "COMPOUND"
    assert [part.shape for part in fit.parts] == ["BOX", "BOX"]
    assert sum(8 * np.prod(part.size) for part in fit.parts) == pytest.approx(5)
    shape, mesh = shape_mass_properties(fit), mesh_mass_properties("ell", points @ AXES.T, faces)
    assert np.allclose(shape.centre, mesh.centre)
    assert np.allclose(shape.inertia, mesh.inertia)
    alone = fit_shape("cube", CORNERS, UPRIGHT, "COMPOUND", FACES)
    assert (alone.shape, alone.size) == ("BOX", (1, 1, 1))
    assert fit_shape("cloud", points, UPRIGHT, "COMPOUND").shape == "HULL"


def test_vessels_without_thickness_are_solid_unless_asked_otherwise():
    open_box = FACES[[0, 1, *range(4, 12)]]
    assert auto((CORNERS, open_box)).shape == "BOX"
    fit = fit_shape("vessel", CORNERS, UPRIGHT, "COMPOUND", open_box)
    assert [part.shape for part in fit.parts] == ["BOX"] * 5


def test_without_triangles_nothing_is_known_of_the_inside():
    points, _ = prism(32)
    assert fit_shape("can", points, UPRIGHT, "AUTO").shape == "BOX"
    assert fit_shape("floor", points, UPRIGHT, "PLANE").shape == "PLANE"
    mesh = fit_shape("ground", points, UPRIGHT, "MESH")
    assert (mesh.shape, mesh.size) == ("MESH", (1, 1, 1))
    assert hull_mass_properties(fit_shape("can", points, UPRIGHT, "HULL").hull).volume > 5.5
