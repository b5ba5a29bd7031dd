"""Bad input is refused by name before anything is simulated; odd input works."""

import numpy as np
import pytest

from verlet_physics import (
    BodySettings,
    ClothSettings,
    ColliderSettings,
    FrameCache,
    FrameInputs,
    ModelBuilder,
    ModelError,
    SimulationDiverged,
    SolverSettings,
    advance,
)
from verlet_physics.recipes.body import add_body
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.collider import add_collider
from verlet_physics.recipes.fit import fit_shape
from verlet_physics.recipes.geodesic import surface_distances
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.topology import face_diagonals, support_pairs, triangles_of

pytestmark = pytest.mark.quick

NO_EDGES = np.zeros((0, 2), dtype=np.int32)
SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)


def cloth(positions, edges=NO_EDGES, offsets=(0,), corners=(), pins=(), **settings):
    builder = ModelBuilder()
    pinned = np.zeros(len(positions), dtype=bool)
    pinned[list(pins)] = True
    geometry = Geometry.of("shirt", positions, edges, offsets, corners)
    add_cloth(builder, geometry, ClothSettings(**settings), pin_weight=pinned)
    return builder.finalize()


def survives(model, frames=24):
    state = model.initial_state()
    for _ in range(frames):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert np.isfinite(state.position).all()
    return state


def test_no_vertices():
    with pytest.raises(ModelError, match="shirt: has no vertices"):
        cloth(np.zeros((0, 3)))


def test_nan_names_the_vertex():
    broken = SQUARE.copy()
    broken[2, 1] = np.nan
    with pytest.raises(ModelError, match=r"shirt: .*vertex 2"):
        cloth(broken, offsets=(0, 4), corners=(0, 1, 2, 3))


def test_no_faces_makes_a_net():
    model = cloth(SQUARE, edges=np.array([(0, 1), (1, 2), (2, 3), (3, 0)]), pins=[0])
    assert len(model.sticks) == 4
    survives(model)


def test_loose_vertices_fall_alone():
    positions = np.vstack([SQUARE, [(5, 5, 5)]])
    model = cloth(positions, offsets=(0, 4), corners=(0, 1, 2, 3), pins=[0, 3])
    state = survives(model)
    assert state.position[4, 2] < 2.0
    assert np.linalg.norm(state.position[2] - state.position[0]) < 2.0


def test_zero_length_edges():
    positions = np.vstack([SQUARE, SQUARE[:1]])
    model = cloth(
        positions, edges=np.array([(0, 4)]), offsets=(0, 4), corners=(0, 1, 2, 3), pins=[0]
    )
    state = survives(model)
    assert np.allclose(state.position[4], state.position[0])


def test_ngons_and_degenerate_faces():
    angle = np.linspace(0, 2 * np.pi, 9)[:-1]
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    corners = [*range(8), 0, 1, 1]  # an octagon and a triangle without area
    state = survives(cloth(ring, offsets=(0, 8, 11), corners=corners, pins=[0]))
    assert np.linalg.norm(state.position - ring[0], axis=1).max() < 2.3


def test_everything_pinned_stands_still():
    model = cloth(SQUARE, offsets=(0, 4), corners=(0, 1, 2, 3), pins=[0, 1, 2, 3])
    assert np.array_equal(survives(model).position, SQUARE)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
def test_any_scale(scale):
    n = 8
    u = np.linspace(0, scale, n)
    positions = np.stack([*np.meshgrid(u, u), np.zeros((n, n))], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    corners = np.stack([a, a + 1, a + n + 1, a + n], axis=1)
    model = cloth(positions, offsets=np.arange(len(a) + 1) * 4, corners=corners.ravel(), pins=[0])
    state = survives(model, 48)
    lengths = np.linalg.norm(
        state.position[model.sticks.pair[:, 0]] - state.position[model.sticks.pair[:, 1]], axis=1
    )
    assert (lengths < 1.5 * model.sticks.rest_length).all()


def test_mass_is_density_times_area():
    model = cloth(SQUARE, offsets=(0, 4), corners=(0, 1, 2, 3), area_density=0.7)
    assert model.particles.mass.sum() == pytest.approx(0.7)


def test_bodies_and_colliders_name_their_faults():
    builder = ModelBuilder()
    with pytest.raises(ModelError, match="crate: has no vertices"):
        add_body(builder, "crate", np.zeros((0, 3)), (1, 0, 0, 0), BodySettings())
    with pytest.raises(ModelError, match="wall: has all its vertices in one place"):
        add_collider(builder, "wall", np.ones((4, 3)), (1, 0, 0, 0), ColliderSettings())
    with pytest.raises(ModelError, match=r"crate: mass = -1"):
        builder.add_body("crate", "BOX", (1, 1, 1), (0, 0, 0), mass=-1.0)
    with pytest.raises(ModelError, match="crate: shape 'PLANE'"):
        builder.add_body("crate", "PLANE", (), (0, 0, 0), mass=1.0)
    with pytest.raises(ModelError, match="wall: has no size"):
        builder.add_collider("wall", "BOX", (1, 0, 1), (0, 0, 0))
    with pytest.raises(ModelError, match="nothing to simulate"):
        builder.finalize()


def test_constraints_name_their_faults():
    builder = ModelBuilder()
    builder.add_particles("rope", SQUARE, mass=1.0)
    with pytest.raises(ModelError, match="rope: a pair joins a particle with itself"):
        builder.add_sticks([[2, 2]])
    with pytest.raises(ModelError, match="outside 0"):
        builder.add_sticks([[2, 9]])
    with pytest.raises(ModelError, match="rope: spring stiffness"):
        builder.add_springs([[0, 1]], -5.0)
    with pytest.raises(ModelError, match="rope: vertex 1 has no mass"):
        builder.add_particles("rope", SQUARE, mass=[1, 0, 1, 1])
    builder.add_tethers([0], [1], [1.0])
    with pytest.raises(ModelError, match="rope: a tether hangs on a loose vertex"):
        builder.finalize()


def test_settings_refuse_what_lies_outside_their_range():
    with pytest.raises(ModelError, match="Substep Rate = 0"):
        SolverSettings(substep_rate=0)
    with pytest.raises(ModelError, match="Stick Form: 'SOFT'"):
        SolverSettings(stick_form="SOFT")
    with pytest.raises(ModelError, match="Bend = nan"):
        ClothSettings(bend=float("nan"))


def test_inputs_of_the_wrong_shape_are_refused():
    model = cloth(SQUARE, offsets=(0, 4), corners=(0, 1, 2, 3), pins=[0])
    state = model.initial_state()
    with pytest.raises(ModelError, match="pin_position has shape"):
        advance(model, state, FrameInputs(pin_position=np.zeros((3, 3))), SolverSettings())
    with pytest.raises(ModelError, match="not finite"):
        advance(model, state, FrameInputs(pin_position=np.full((1, 3), np.nan)), SolverSettings())


def test_a_blow_up_names_object_and_frame_and_leaves_the_state_good():
    builder = ModelBuilder()
    builder.add_particles("calm", [(9, 9, 9)], mass=1.0)
    builder.add_particles("wild", SQUARE, mass=1.0, velocity=(0, 0, 900.0))
    model = builder.finalize()
    state = model.initial_state(frame=41)
    before = state.copy()
    with pytest.raises(SimulationDiverged, match=r"wild: .* frame 42 \(vertex 0") as caught:
        advance(model, state, FrameInputs(), SolverSettings(speed_limit=500.0))
    assert caught.value.object_name == "wild"
    assert np.array_equal(state.position, before.position)
    assert np.array_equal(state.previous, before.previous)


def test_a_frame_is_a_pure_function_and_never_writes_to_its_input():
    model = cloth(SQUARE, offsets=(0, 4), corners=(0, 1, 2, 3), pins=[0])
    state = model.initial_state()
    before = state.copy()
    one, _ = advance(model, state, FrameInputs(), SolverSettings())
    two, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert np.array_equal(state.position, before.position)
    assert np.array_equal(one.position, two.position)
    assert np.array_equal(one.previous, two.previous)


@pytest.mark.parametrize("fps", [12, 24, 30, 60, 23.976])
def test_frame_rate_does_not_change_free_fall(fps):
    builder = ModelBuilder()
    builder.add_particles("ball", [(0, 0, 0)], mass=1.0)
    model = builder.finalize()
    settings = SolverSettings(integrator="TIME_CORRECTED")  # the last frame is a shorter one
    state = model.initial_state(step=1 / fps / settings.substep_count(1 / fps))
    while state.time < 1.0 - 1e-9:
        left = min(1 / fps, 1.0 - state.time)
        state, _ = advance(model, state, FrameInputs(duration=left), settings)
    assert state.position[0, 2] == pytest.approx(-9.81 / 2, abs=1e-9)


def test_changing_the_substeps_in_flight_does_not_kick():
    builder = ModelBuilder()
    builder.add_particles("ball", [(0, 0, 0)], mass=1.0, velocity=(1, 0, 5))
    model = builder.finalize()
    state = model.initial_state()
    for frame in range(24):
        rate = 480.0 if frame % 2 else 120.0
        settings = SolverSettings(substep_rate=rate, integrator="TIME_CORRECTED")
        state, _ = advance(model, state, FrameInputs(), settings)
    assert np.allclose(state.position[0], (1, 0, 5 - 9.81 / 2), atol=1e-9)


def test_pins_follow_their_targets():
    model = cloth(SQUARE, offsets=(0, 4), corners=(0, 1, 2, 3), pins=[0, 3])
    state = model.initial_state()
    target = SQUARE[[0, 3]] + (0, 0, 2)
    state, _ = advance(model, state, FrameInputs(pin_position=target), SolverSettings())
    assert np.array_equal(state.position[model.pins.particle], target)


def test_cache_keeps_frames_in_a_row(tmp_path):
    model = cloth(SQUARE, offsets=(0, 4), corners=(0, 1, 2, 3), pins=[0])
    cache = FrameCache(model)
    assert cache.frames is None
    state = model.initial_state(frame=10)
    cache.store(state)
    for _ in range(5):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        cache.store(state)
    assert cache.frames == (10, 15)
    assert 12 in cache
    assert 16 not in cache
    with pytest.raises(KeyError, match="frame 16"):
        cache[16]
    with pytest.raises(ValueError, match="does not follow"):
        cache.store(model.initial_state(frame=20))
    cache.store(cache[12])  # replacing a frame forgets those after it
    assert cache.frames == (10, 12)
    cache.save(tmp_path / "run.npz")
    again = FrameCache(model)
    again.load(tmp_path / "run.npz")
    assert again[12].previous.tobytes() == cache[12].previous.tobytes()
    other = FrameCache(cloth(SQUARE[:3], offsets=(0, 3), corners=(0, 1, 2)))
    with pytest.raises(ModelError, match="simulate it again"):
        other.load(tmp_path / "run.npz")


def test_shapes_are_fitted():
    cube = np.array([(x, y, z) for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], dtype=float)
    fit = fit_shape("cube", cube + (5, 0, 0), (1, 0, 0, 0), "AUTO")
    assert fit.shape == "BOX"
    assert fit.size == (1, 2, 3)
    assert np.allclose(fit.centre, (5, 0, 0))
    random = np.random.default_rng(0).normal(size=(400, 3))
    ball = 2.0 * random / np.linalg.norm(random, axis=1, keepdims=True)
    assert fit_shape("ball", ball, (1, 0, 0, 0), "AUTO").shape == "SPHERE"
    assert fit_shape("floor", SQUARE, (1, 0, 0, 0), "AUTO").shape == "PLANE"
    rod = cube * (1, 0.2, 0.1)
    capsule = fit_shape("rod", rod, (1, 0, 0, 0), "CAPSULE")
    assert capsule.size == pytest.approx((0.4, 0.6))
    w, x, y, z = capsule.orientation  # its z must be the rod's x
    assert np.allclose(
        (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)), (1, 0, 0)
    )


def test_triangles_cover_every_face():
    offsets, corners = np.array([0, 3, 7, 12]), np.arange(12)
    triangles = triangles_of(offsets, corners)
    assert triangles.tolist() == [
        [0, 1, 2],
        [3, 4, 5],
        [3, 5, 6],
        [7, 8, 9],
        [7, 9, 10],
        [7, 10, 11],
    ]


def test_diagonals_and_supports_of_a_grid():
    from verlet_physics.bench.scenes import cloth_grid

    positions, quads = cloth_grid(4)
    offsets, corners = np.arange(10) * 4, quads.ravel()
    assert len(face_diagonals(offsets, corners)) == 18  # two in each of nine quads
    edges = np.array([(i, j) for i in range(16) for j in (i + 1, i + 4)
                      if j < 16 and (j != i + 1 or j % 4)])  # fmt: skip
    support = support_pairs(positions, edges)
    assert {tuple(p) for p in support} == {
        (4 * r + c, 4 * r + c + 2) for r in range(4) for c in range(2)
    } | {(4 * r + c, 4 * r + c + 8) for r in range(2) for c in range(4)}


def test_geodesics_on_a_flat_sheet_and_round_a_fold():
    from verlet_physics.bench.scenes import cloth_grid

    n = 21
    positions, quads = cloth_grid(n)
    triangles = triangles_of(np.arange(len(quads) + 1) * 4, quads.ravel())
    edges = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)), axis=0)
    distance, source = surface_distances(
        positions, edges.astype(np.int32), triangles, np.array([0])
    )
    assert np.allclose(distance, np.linalg.norm(positions - positions[0], axis=1), rtol=1e-9)
    assert (source == 0).all()
    # fold the sheet by a right angle in the middle: distances along it stay the same
    folded = positions.copy()
    beyond = positions[:, 0] > 0
    folded[beyond, 2] = positions[beyond, 0]
    folded[beyond, 0] = 0.0
    bent, _ = surface_distances(folded, edges.astype(np.int32), triangles, np.array([0]))
    assert np.allclose(bent, distance, rtol=1e-9)
