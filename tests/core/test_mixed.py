"""Particles and bodies in one scene: who carries, lifts, slows and hits whom, two ways."""

import numpy as np
import pytest

from verlet_physics import (
    ClothSettings,
    FrameInputs,
    ModelBuilder,
    SolverSettings,
    advance,
    body_poses,
)
from verlet_physics.bench.scenes import add_sheet
from verlet_physics.bench.shapes import ball
from verlet_physics.collision.shape import Shape, Surface
from verlet_physics.geometry.hull import convex_hull
from verlet_physics.model.joint_table import OnBody
from verlet_physics.presets import PRESETS
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.rope import add_rope
from verlet_physics.recipes.soft_body import add_soft_body
from verlet_physics.settings import RopeSettings
from verlet_physics.vector import rotation_matrix

SECOND = 24
STILL = (0.0, 0.0, 0.0)
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


def run(model, frames, inputs=None, gravity=(0.0, 0.0, -9.81)):
    state = model.initial_state(gravity=gravity)
    for frame in range(frames):
        given = inputs(frame) if inputs else FrameInputs(gravity=gravity)
        state, figures = advance(model, state, given, SolverSettings())
    return state, figures


def momentum_of(model, state):
    moved = (state.position - state.previous) / state.step
    body_moved = (state.body_position - state.body_previous) / state.step
    each = np.concatenate(
        [model.particles.mass[:, None] * moved, model.bodies.mass[:, None] * body_moved]
    )
    return each.sum(axis=0), np.abs(each).sum()


def add_grid_mesh(builder, cells=8, two_sided=True):
    """A flat square of triangles, 2 m wide, at height 0."""
    n = cells + 1
    u = np.linspace(-1.0, 1.0, n)
    vertex = np.stack([*np.meshgrid(u, u), np.zeros((n, n))], axis=-1).reshape(-1, 3)
    a = (np.arange(cells)[:, None] * n + np.arange(cells)).reshape(-1)
    upper = np.stack([a, a + 1, a + n + 1], axis=1)
    lower = np.stack([a, a + n + 1, a + n], axis=1)
    surface = Surface(vertex, np.concatenate([upper, lower]).astype(np.int32), two_sided)
    shape = Shape.of("ground", "MESH", surface=surface)
    return builder.add_collider_shapes("ground", [shape], STILL, friction=1.0)


def add_ground(builder, kind):
    """A collider of this kind whose top is at height 0."""
    if kind == "MESH":
        return add_grid_mesh(builder)
    if kind == "HULL":
        shapes = [Shape.of("ground", "HULL", hull=convex_hull(CUBE * (1.0, 1.0, 0.5)))]
    elif kind == "COMPOUND":
        shapes = [
            Shape.of("ground", "BOX", (0.5, 1.0, 0.5), (side, 0.0, 0.0)) for side in (-0.5, 0.5)
        ]
    else:
        size = (1.0, 0.5) if kind == "CYLINDER" else (1.0, 1.0, 0.5)
        shapes = [Shape.of("ground", kind, size)]
    return builder.add_collider_shapes("ground", shapes, (0.0, 0.0, -0.5), friction=1.0)


@pytest.mark.parametrize("kind", ["BOX", "CYLINDER", "HULL", "COMPOUND", "MESH"])
def test_particles_land_on_every_shape(kind):
    random = np.random.default_rng(0)
    builder = ModelBuilder()
    dust = np.c_[random.uniform(-0.6, 0.6, (100, 2)), np.full(100, 0.5)]
    builder.add_particles("dust", dust, mass=1.0, radius=0.01, velocity=(0, 0, -5))
    builder.add_particles("shot", [(0.1, 0.2, 5)], mass=1.0, radius=1e-3, velocity=(0, 0, -200))
    builder.add_particles("rubber", [(0.3, 0.3, 1.0)], mass=1.0, restitution=1.0)
    add_ground(builder, kind)
    state, _ = run(builder.finalize(), SECOND)
    height = state.position[:, 2]
    assert height[:100] == pytest.approx(0.01, abs=2e-5)
    assert height[100] == pytest.approx(1e-3, abs=2e-5)
    # 1 m down and up again, and down for what is left of the second
    fall = (2.0 / 9.81) ** 0.5
    left = 1.0 - 2.0 * fall
    assert height[101] == pytest.approx(1.0 - 4.905 * left**2, abs=5e-3)


def test_a_mesh_that_rises_lifts_particles():
    builder = ModelBuilder()
    builder.add_particles("dust", [(0.1, 0.2, 0.01), (0.3, 0.1, 0.02)], mass=1.0)
    add_grid_mesh(builder, cells=3)
    model = builder.finalize()
    rest = model.shapes.meshes.vertex

    def rising(frame):
        return FrameInputs(mesh_vertex=rest + (0.0, 0.0, (frame + 1) / 6))  # 4 m/s

    state, _ = run(model, SECOND, rising)
    assert state.position[:, 2] == pytest.approx(4.0, abs=0.01)


def test_particles_stay_on_the_side_of_a_mesh_that_they_came_from():
    builder = ModelBuilder()
    for side in (1.0, -1.0):
        start = [(0.01 * k, 0.02 * k, side * 0.3) for k in range(20)]
        builder.add_particles(f"{side}", start, mass=1.0, velocity=(1, 0, -50 * side))
    add_grid_mesh(builder, cells=3)
    state, _ = run(builder.finalize(), 6, gravity=STILL)
    assert (state.position[:20, 2] > 0.0).all()
    assert (state.position[20:, 2] < 0.0).all()


@pytest.mark.parametrize("kind", ["QUATERNION", "TETRAHEDRON", "AXES"])
def test_a_ball_smaller_than_the_mesh_does_not_fall_through_cloth(kind):
    builder = ModelBuilder()
    add_sheet(builder, 5, pins=tuple(range(25)))  # cells of half a metre, held everywhere
    builder.add_body("ball", "SPHERE", (0.05,), (0.21, 0.13, 0.5), mass=0.1, model=kind)
    model = builder.finalize()
    state, _ = run(model, SECOND)
    height = body_poses(model, state)[0][0, 2]
    assert 0.04 < height < 0.12


def test_the_corner_of_a_box_does_not_poke_through_cloth():
    builder = ModelBuilder()
    add_sheet(builder, 5, pins=tuple(range(25)))
    on_its_corner = (0.8805, 0.2798, -0.3647, 0.1159)
    builder.add_body("box", "BOX", (0.1,) * 3, (0.21, 0.13, 0.4), on_its_corner, mass=1.0)
    model = builder.finalize()
    state, _ = run(model, 2 * SECOND)
    assert body_poses(model, state)[0][0, 2] > 0.09


@pytest.mark.parametrize("kind", ["BOX", "HULL"])
def test_cloth_that_hangs_beside_a_box_is_not_in_its_corner(kind):
    # the corner (−1, 1, −1) of a cube of 32 cm lies over the triangle, 12 mm behind it, but the
    # triangle stands 6 mm in front of the face y = .16 m
    corner, normal = 0.16 * np.array([-1.0, 1.0, -1.0]), np.array([-0.336, -0.476, -0.813])
    normal /= np.linalg.norm(normal)
    foot = corner - 0.012 * normal
    along = np.cross(normal, (0.0, 1.0, 0.0))
    along /= np.linalg.norm(along)
    across = np.cross(along, normal)
    places = foot + 0.001 * np.array([-10 * along - across, 10 * along - across, 2 * across])
    turn = np.array([0.9, 0.1, -0.3, 0.3])
    builder = ModelBuilder()
    if kind == "HULL":
        shape = Shape.of("box", kind, hull=convex_hull(0.16 * CUBE))
    else:
        shape = Shape.of("box", kind, (0.16,) * 3)
    builder.add_collider_shapes("box", [shape], STILL, turn)
    places = places @ rotation_matrix(turn).T  # or the boxes along the axes would keep them apart
    triangle = Geometry.of("cloth", places, (), [0, 3], [0, 1, 2])
    add_cloth(builder, triangle, ClothSettings(thickness=0.002))
    model = builder.finalize()
    state, figures = run(model, 2, gravity=STILL)
    assert figures.penetration == 0.0
    assert np.abs(state.position - model.particles.position).max() < 1e-9


def test_a_thin_rope_does_not_let_an_edge_through():
    builder = ModelBuilder()
    line = [(x, 0.0, 0.0) for x in (-1.0, 0.0, 1.0)]  # an edge falls between its vertices
    rope = Geometry.of("rope", line, [(0, 1), (1, 2)])
    add_rope(builder, rope, RopeSettings(), pin_weight=[1, 1, 1])
    half_turn = (0.9239, 0.0, 0.3827, 0.0)
    builder.add_body("beam", "BOX", (0.1, 1.0, 0.1), (0.5, 0.0, 0.4), half_turn, mass=1.0)
    model = builder.finalize()
    state, _ = run(model, SECOND // 2)
    assert body_poses(model, state)[0][0, 2] > 0.1


def test_a_closed_scene_keeps_its_momentum():
    """Cloth, ball, box, a body of particles and a rope run into each other."""
    builder = ModelBuilder()
    add_sheet(builder, 12, settings=ClothSettings(drag=0.0))
    builder.add_body("ball", "SPHERE", (0.2,), (0.1, 0.05, 0.5), mass=1.0, velocity=(0, 0, -2))
    builder.add_body(
        "box", "BOX", (0.2, 0.15, 0.1), (-0.2, 0.1, -0.4), (0.9, 0.3, 0.1, 0.2), mass=1.5,
        velocity=(0.2, 0, 1.5), angular_velocity=(1, 2, 0),
    )  # fmt: skip
    builder.add_body(
        "tetrahedron", "BOX", (0.1,) * 3, (0.3, -0.3, 0.4), mass=0.7, velocity=(0, 0, -1.5),
        model="TETRAHEDRON",
    )  # fmt: skip
    line = np.stack([np.linspace(-0.6, 0.6, 13), np.full(13, -0.1), np.full(13, 0.9)], axis=1)
    rope = Geometry.of("rope", line, [(k, k + 1) for k in range(12)])
    add_rope(builder, rope, RopeSettings(drag=0.0), velocity=(0, 0, -3))
    model = builder.finalize()
    before, _ = momentum_of(model, model.initial_state(gravity=STILL))
    touched = 0
    state = model.initial_state(gravity=STILL)
    for _ in range(50):  # 1000 substeps
        state, figures = advance(model, state, FrameInputs(gravity=STILL), SolverSettings())
        touched += figures.contact_count
    after, whole = momentum_of(model, state)
    assert touched > 50
    assert np.abs(after - before).max() < 1e-10 * whole


def test_a_rising_box_lifts_cloth():
    builder = ModelBuilder()
    add_sheet(builder, 12, height=0.0)
    builder.add_collider("box", "BOX", (0.6, 0.6, 0.1), (0, 0, -0.11))

    def rising(frame):
        return FrameInputs(collider_position=np.array([(0.0, 0.0, -0.11 + (frame + 1) / 24)]))

    model = builder.finalize()
    state, _ = run(model, SECOND, rising)
    inner = np.abs(model.particles.position[:, :2]).max(axis=1) < 0.5
    height = state.position[inner, 2]  # folds stand a few centimetres up
    assert height.min() > 0.985
    assert np.median(height) == pytest.approx(1.0, abs=0.02)
    assert height.max() < 1.1


def test_cloth_slows_a_free_box():
    builder = ModelBuilder()
    add_sheet(builder, 12, settings=ClothSettings(drag=0.0))
    builder.add_body("box", "BOX", (0.3, 0.3, 0.1), (0, 0, -0.2), mass=1.0, velocity=(0, 0, 1))
    model = builder.finalize()
    state, _ = run(model, SECOND, gravity=STILL)
    speed = (state.body_position - state.body_previous)[0, 2] / state.step
    cloth = (state.position - state.previous)[:, 2] / state.step
    assert speed < 0.9
    assert speed + model.particles.mass @ cloth == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("ratio", "hung"),
    [
        (1.0, "corners"),
        (1.0, "edges"),
        (100.0, "corners"),
        (100.0, "edges"),
    ],
)
def test_a_heavy_box_rests_in_hung_cloth(hung, ratio):
    n = 16
    rows = np.arange(n) * n
    pins = (0, n - 1, n * (n - 1), n * n - 1) if hung == "corners" else (*rows, *(rows + n - 1))
    builder = ModelBuilder()
    add_sheet(builder, n, pins=tuple(int(p) for p in pins))
    mass = ratio * 4.0 * ClothSettings().area_density
    builder.add_body("box", "BOX", (0.25,) * 3, (0.03, 0.02, 0.45), mass=mass)
    model = builder.finalize()
    state = model.initial_state()
    heights = []
    for _ in range(3 * SECOND):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        heights.append(state.body_position[0, 2])
    assert min(heights) > 0.15  # the sheet is hung at height 0
    assert np.ptp(heights[-SECOND:]) < 1e-3
    a, b = model.sticks.pair.T
    length = np.linalg.norm(state.position[a] - state.position[b], axis=1)
    assert (length / model.sticks.rest_length).max() < 1.05


def test_cloth_holds_a_heavy_body_tied_to_its_corner():
    n = 12
    builder = ModelBuilder()
    add_sheet(builder, n, pins=tuple(range(n)))
    mass = 200.0 * 4.0 * ClothSettings().area_density
    body = OnBody(builder.add_body("box", "BOX", (0.1,) * 3, (1.0, 1.0, -0.1), mass=mass))
    builder.add_attachment(body, [n * n - 1])
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(2 * SECOND):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        side = np.linalg.norm(state.position[n * n - 1] - state.position[n - 1])
        assert side < 2.0 * 1.02


def test_a_soft_body_carries_a_load_and_gives_way():
    builder = ModelBuilder()
    jelly = PRESETS["SOFT_BODY"]["JELLY"].settings
    add_soft_body(builder, ball(2, 0.3, (0.0, 0.0, 0.3)), jelly)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    alone = builder.finalize()
    load = 10.0
    builder.add_body("plate", "BOX", (0.3, 0.3, 0.03), (0.0, 0.0, 0.66), mass=load)
    model = builder.finalize()
    free, _ = run(alone, 3 * SECOND)
    state, _ = run(model, 3 * SECOND)
    assert 0.2 < state.body_position[0, 2] < free.position[:, 2].max() + 0.03
    # a scale under the floor: what gravity gives in a second and nobody has, the floor has taken
    before = momentum_of(model, state)[0][2]
    for _ in range(SECOND):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    after = momentum_of(model, state)[0][2]
    weight = 9.81 * (model.particles.mass.sum() + load)
    assert weight - (after - before) == pytest.approx(weight, rel=0.02)
