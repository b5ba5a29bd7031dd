"""Meshes as rigid bodies and colliders: mass, inertia, the frame of the body, and the shapes."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, SolverSettings, advance
from verlet_physics.bench.collider_scenes import round_mesh
from verlet_physics.building.builder import ModelBuilder
from verlet_physics.collision.kinds import BOX, HULL, MESH, PLANE, SPHERE
from verlet_physics.errors import ModelError
from verlet_physics.recipes.body import add_body
from verlet_physics.recipes.collider import add_collider
from verlet_physics.settings import BodySettings, ColliderSettings
from verlet_physics.vector import rotation_matrix

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
TURNED = np.array([0.9, 0.1, 0.3, 0.2]) / np.linalg.norm([0.9, 0.1, 0.3, 0.2])
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([f for a, b, c, d in QUADS for f in ((a, b, c), (a, c, d))], dtype=np.int32)


def box(half=(0.2, 0.3, 0.4), middle=(0, 0, 0)):
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return np.array(corners, dtype=float) * half + middle


def ell():
    """Two boxes that overlap in none and touch: 1 × 1 × 1 m at 0, and 1 × 1 × 2 m beside it."""
    points = np.array(
        [(x, y, z) for y in (0.0, 1.0) for x, z in ((0, 0), (2, 0), (2, 2), (1, 2), (1, 1), (0, 1))]
    )
    side = [(0, 4, 5), (0, 1, 4), (1, 2, 3), (1, 3, 4)]
    rim = [((k + 1) % 6, k, k + 6, (k + 1) % 6 + 6) for k in range(6)]
    faces = side + [(a + 6, c + 6, b + 6) for a, b, c in side]
    faces += [f for a, b, c, d in rim for f in ((a, b, c), (a, c, d))]
    return points, np.array(faces, dtype=np.int32)


def body(points, faces, orientation=UPRIGHT, origin=None, motion=((0, 0, 0), (0, 0, 0)), **about):
    builder = ModelBuilder()
    add_body(builder, "thing", points, orientation, BodySettings(**about), *motion, faces, origin)
    return builder.finalize()


def collider(points, faces, **about):
    builder = ModelBuilder()
    add_collider(builder, "wall", points, UPRIGHT, ColliderSettings(**about), faces)
    add_body(builder, "thing", box(), UPRIGHT, BodySettings())
    return builder.finalize()


def inertia_in_world(model):
    axes = rotation_matrix(model.bodies.orientation[0])
    return axes @ np.diag(model.bodies.inertia[0]) @ axes.T


def test_mass_by_density_and_inertia_of_a_turned_box():
    points = box() @ rotation_matrix(TURNED).T + (3, 2, 1)
    model = body(points, FACES, TURNED, mass_by="DENSITY", density=600.0)
    mass = 600.0 * 8 * 0.2 * 0.3 * 0.4
    assert model.bodies.mass[0] == pytest.approx(mass, rel=1e-8)
    np.testing.assert_allclose(model.bodies.position[0], (3, 2, 1), atol=1e-8)
    expected = mass / 3 * np.array([0.3**2 + 0.4**2, 0.2**2 + 0.4**2, 0.2**2 + 0.3**2])
    np.testing.assert_allclose(model.bodies.inertia[0], expected, rtol=1e-6)
    assert model.shapes.kind.tolist() == [BOX]
    assert not model.shapes.offset.any()


@pytest.mark.parametrize("orientation", [UPRIGHT, TURNED])
def test_a_compound_lies_about_its_centre_of_mass_in_its_principal_axes(orientation):
    points, faces = ell()
    turn = rotation_matrix(np.array(orientation))
    model = body(points @ turn.T, faces, orientation, shape="COMPOUND", mass=3.0)
    # a cube of 1 kg about (0.5, 0.5, 0.5) and a block of 2 kg about (1.5, 0.5, 1)
    centre = np.array([3.5, 1.5, 2.5]) / 3
    np.testing.assert_allclose(model.bodies.position[0], turn @ centre, atol=1e-7)
    tensor = np.zeros((3, 3))
    for mass, size, middle in ((1, (1, 1, 1), (0.5, 0.5, 0.5)), (2, (1, 1, 2), (1.5, 0.5, 1))):
        square = np.square(size) / 12.0
        arm = np.array(middle) - centre
        tensor += mass * np.diag(square.sum() - square)
        tensor += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(inertia_in_world(model), turn @ tensor @ turn.T, atol=1e-6)
    shapes, axes = model.shapes, rotation_matrix(model.bodies.orientation[0])
    assert shapes.kind.tolist() == [BOX, BOX]
    # cut lengthwise: a slab below, a cube above
    places = np.sort((model.bodies.position[0] + shapes.offset @ axes.T) @ turn, axis=0)
    np.testing.assert_allclose(places, [(1, 0.5, 0.5), (1.5, 0.5, 1.5)], atol=1e-6)
    for q in shapes.turn:  # as the object, whatever the principal axes
        across = turn.T @ axes @ rotation_matrix(q)
        np.testing.assert_allclose(np.abs(across).max(axis=0), 1.0, atol=1e-6)


def test_a_vessel_of_thin_walls_weighs_what_its_walls_do():
    """An open box of faces: its walls as plates, and not a block of what fits in."""
    points = box((0.5, 0.5, 0.5))
    open_faces = FACES[:-2]
    block = body(points, open_faces, mass_by="DENSITY")
    hollow = body(points, open_faces, mass_by="DENSITY", shape="COMPOUND")
    assert block.bodies.mass[0] == pytest.approx(1000.0, rel=1e-6)
    assert hollow.bodies.mass[0] < 50.0
    assert hollow.bodies.position[0, 2] == pytest.approx(0.0, abs=0.2)


def test_the_velocity_of_the_origin_becomes_that_of_the_centre_of_mass():
    points = box(middle=(1, 0, 0))
    model = body(
        points,
        FACES,
        origin=(0, 0, 0),
        motion=((1, 0, 0), (0, 0, 2)),
        velocity=(0, 0, 3),
        angular_velocity=(1, 0, 0),
    )
    np.testing.assert_allclose(model.bodies.velocity[0], (1, 2, 3), atol=1e-7)
    np.testing.assert_allclose(model.bodies.angular_velocity[0], (1, 0, 2))


def test_a_mesh_on_one_line_and_one_without_faces_weigh_what_their_shape_does():
    line = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0)], dtype=float)
    model = body(line, np.array([(0, 1, 2)]), shape="BOX")
    assert model.shapes.kind.tolist() == [BOX]
    assert (model.bodies.inertia > 0).all()
    cloud = body(box(), np.zeros((0, 3), dtype=np.int32), mass_by="DENSITY")
    assert cloud.bodies.mass[0] == pytest.approx(192.0)


QUARTER = [(0, 1, 2), (0, 2, 3)]


def flat_collider(points, faces, turn=UPRIGHT, shape="AUTO", **options):
    """Kind of the shape of a flat collider, its points (n, 2) m in its own frame."""
    flat = np.column_stack([points, np.zeros(len(points))]) @ rotation_matrix(np.asarray(turn)).T
    builder = ModelBuilder()
    builder.add_particles("dust", [(0, 0, 1)], mass=1.0)
    add_collider(builder, "tile", flat, turn, ColliderSettings(shape=shape), faces, **options)
    (kind,) = builder.finalize().shapes.kind
    return kind


@pytest.mark.parametrize(("size", "kind"), [(0.4, MESH), (0.99, MESH), (1.01, PLANE)])
@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_only_a_wide_level_collider_is_the_endless_ground(size, kind, turn):
    about_z = (np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn))
    tile = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * (size, 3.0 * size)
    assert flat_collider(tile, QUARTER, about_z) == kind
    assert flat_collider(tile, QUARTER, about_z, "PLANE") == PLANE
    assert flat_collider(tile, QUARTER, about_z, may_be_ground=False) == MESH
    assert flat_collider(tile, QUARTER, TURNED) == MESH
    assert flat_collider(tile, QUARTER, TURNED, "PLANE") == PLANE


@pytest.mark.parametrize("slope", [1e-3, 0.1, 0.5 * np.pi, np.pi - 0.1])
@pytest.mark.parametrize("axis", [1, 2])
def test_a_wall_or_a_ramp_has_edges(slope, axis):
    turn = np.zeros(4)
    turn[0], turn[axis] = np.cos(0.5 * slope), np.sin(0.5 * slope)
    assert flat_collider(np.array([(-3, -3), (3, -3), (3, 3), (-3, 3)]), QUARTER, turn) == MESH


def test_a_floor_with_a_pit_or_a_notch_is_no_endless_ground():
    places = np.array([(x, y) for y in range(4) for x in range(4)], dtype=float)
    squares = [(i, i + 1, i + 5, i + 4) for i in (0, 1, 2, 4, 5, 6, 8, 9, 10)]

    def kind(left_out):
        faces = [t for n, (a, b, c, d) in enumerate(squares) if n not in left_out
                 for t in ((a, b, c), (a, c, d))]  # fmt: skip
        return flat_collider(places, faces)

    assert kind(()) == PLANE
    assert kind((4,)) == MESH  # a hole in the middle
    assert kind((0,)) == MESH  # an L
    assert kind((0, 1, 2)) == PLANE  # what is left is a smaller rectangle
    disc = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 32, endpoint=False)])
    assert flat_collider(disc, [(0, i, i + 1) for i in range(1, 31)]) == PLANE


@pytest.mark.parametrize("tilt", [0.0, 0.4, -0.4])
def test_what_lies_above_a_flat_collider_that_faces_down_is_not_in_the_ground(tilt):
    half = 0.5 * (np.pi + tilt)
    turn = np.array([np.cos(half), np.sin(half), 0.0, 0.0])  # a plane that the user turned over
    flat = np.array([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], dtype=float)
    builder = ModelBuilder()
    builder.add_particles("dust", [(0, 0, 0.5)], mass=1.0)
    points = flat @ rotation_matrix(turn).T
    add_collider(builder, "floor", points, turn, ColliderSettings(), [(0, 1, 2), (0, 2, 3)])
    model = builder.finalize()
    assert model.shapes.kind.tolist() == [MESH]
    state = model.initial_state()
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        assert (rotation_matrix(turn).T @ state.position[0])[2] < 0.0  # the plane's own below


def test_a_flat_mesh_is_a_thin_box_and_a_flat_collider_a_plane():
    sheet = box((1, 1, 0))
    assert body(sheet, FACES[:2]).shapes.kind.tolist() == [BOX]
    assert collider(sheet, FACES[:2]).shapes.kind[0] == PLANE


def test_layers_are_bits():
    layers = (True, False, True, False, False, False, False, True)
    assert body(box(), FACES, layers=layers).shapes.layers.tolist() == [1 + 4 + 128]


def test_followers_of_animation_are_of_place_and_rotation():
    with pytest.raises(ModelError, match="thing: is made of particles"):
        body(box(), FACES, type="ANIMATED", model="TETRAHEDRON")
    assert len(body(box(), FACES, model="TETRAHEDRON").particle_bodies) == 1


@pytest.mark.parametrize(
    ("points", "faces", "kind"),
    [
        (box((1, 1, 1)), FACES, BOX),
        (box((1, 1, 1)), FACES[:-2], MESH),  # without a lid
        (*ell(), MESH),  # concave
        (ell()[0] * (1, 1, 0.5), np.array([(0, 1, 8), (1, 2, 9)], dtype=np.int32), MESH),  # sheet
    ],
)
def test_automatic_colliders_need_not_be_convex(points, faces, kind):
    assert collider(points, faces).shapes.kind[0] == kind


@pytest.mark.parametrize(
    ("shape", "edge", "held", "kind"),
    [
        ("box", 0.05, (), MESH),
        ("box", 0.05, [(0.3, 0.1, -0.2)], BOX),  # what cloth is pinned in
        ("box", 0.05, [(0.3, 0.1, -1.2)], MESH),
        ("ball", 0.1, (), SPHERE),
        ("ball", 0.2, (), MESH),  # shows through its faces
        ("floor", 0.05, (), PLANE),
    ],
)
def test_under_cloth_what_is_automatic_collides_as_it_is_drawn(shape, edge, held, kind):
    x, faces = {
        "box": (box((1, 1, 1)), FACES),
        "ball": round_mesh(24, 12, 0.5),
        "floor": (4 * box()[::2] * (1, 1, 0), np.array([(0, 2, 1), (1, 2, 3)], dtype=np.int32)),
    }[shape]
    turn = TURNED if shape == "box" else UPRIGHT
    axes = rotation_matrix(np.array(turn))
    places = np.reshape(held, (-1, 3)) @ axes.T
    builder = ModelBuilder()
    about = (x @ axes.T, turn, ColliderSettings(), faces)
    add_collider(builder, "thing", *about, cloth_edge=edge, held=places)
    add_body(builder, "crate", box(), UPRIGHT, BodySettings())
    assert builder.finalize().shapes.kind[0] == kind


def test_a_named_shape_is_taken():
    assert collider(*ell(), shape="HULL").shapes.kind[0] == HULL
    compound = collider(*ell(), shape="COMPOUND")
    assert compound.shapes.kind[:2].tolist() == [BOX, BOX]
    assert compound.collider_shape_count == 2
    mesh = collider(*ell(), shape="MESH", two_sided=False)
    assert mesh.shapes.meshes.two_sided.tolist() == [0]
    world = mesh.colliders.position[0] + mesh.shapes.meshes.vertex
    np.testing.assert_allclose(world, ell()[0], atol=1e-12)
    with pytest.raises(ModelError, match="wall: has no faces"):
        collider(box(), np.zeros((0, 3), dtype=np.int32), shape="MESH")
