"""Tetrahedron bodies: exact inertia, free spin, frame of reference."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance, body_poses

STILL = FrameInputs(gravity=(0, 0, 0))


def plank(
    angular_velocity=(0, 0, 0), turn=(1, 0, 0, 0), half=(0.05, 0.2, 0.45), mass=10.0,
    body="TETRAHEDRON",
):  # fmt: skip
    builder = ModelBuilder()
    builder.add_body(
        "plank",
        "BOX",
        half,
        (1, 2, 3),
        turn,
        mass=mass,
        angular_velocity=angular_velocity,
        model=body,
    )
    return builder.finalize()


def test_four_particles_have_the_inertia_of_the_box():
    model = plank()
    x = model.particles.position - model.particles.position.mean(axis=0)
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(model.particles.mass, x))
    # Peters & Hsu's box of 0.1 × 0.4 × 0.9 m and 10 kg
    assert np.allclose(inertia, np.diag([0.80833, 0.68333, 0.14167]), atol=1e-5)


def test_a_ball_has_the_inertia_of_a_ball():
    builder = ModelBuilder()
    builder.add_body("ball", "SPHERE", (0.3,), (0, 0, 0), mass=5.0, model="TETRAHEDRON")
    model = builder.finalize()
    second = (model.particles.mass[:, None] * model.particles.position**2).sum(axis=0)
    assert np.allclose(second, 5.0 * 0.3**2 / 5.0)


@pytest.mark.parametrize("turn", [(1, 0, 0, 0), (0.5, 0.5, -0.5, 0.5), (0.1, 0.9, -0.3, 0.2)])
def test_pose_is_read_back_as_it_was_put_in(turn):
    model = plank(turn=turn)
    place, q = body_poses(model, model.initial_state())
    given = np.array(turn) / np.linalg.norm(turn)
    assert np.allclose(place, [(1, 2, 3)])
    assert abs(q[0] @ given) == pytest.approx(1.0, abs=1e-12)


def test_a_bent_tetrahedron_has_the_nearest_rotation():
    model = plank(turn=(0.5, 0.5, -0.5, 0.5))
    state = model.initial_state()
    state.position += np.random.default_rng(1).normal(0.0, 0.004, (4, 3))
    _, q = body_poses(model, state)
    corners = model.particle_bodies.extent[0] * [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
    centred = state.position - state.position.mean(axis=0)
    frame = np.linalg.lstsq(corners, centred, rcond=None)[0].T  # local → world, not rigid
    u, _, v = np.linalg.svd(frame)
    w, i, j, k = q[0]
    rotation = [
        [1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)],
        [2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)],
        [2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)],
    ]
    assert np.allclose(rotation, u @ v, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_spinning_body_neither_slows_nor_deforms(axis):
    spin = np.zeros(3)
    spin[axis] = 6.0
    model = plank(angular_velocity=spin)
    state = model.initial_state(gravity=(0, 0, 0))
    rest = _edges(model.particles.position)
    start = None
    for _ in range(240):
        state, figures = advance(model, state, STILL, SolverSettings())
        start = start or figures.kinetic_energy
    assert figures.kinetic_energy == pytest.approx(start, rel=2e-3)
    assert np.allclose(_edges(state.position), rest, rtol=2e-3)


def _edges(x):
    i, j = np.triu_indices(4, 1)
    return np.linalg.norm(x[i] - x[j], axis=1)


def test_a_turn_takes_as_long_as_it_should():
    model = plank(angular_velocity=(0, 0, np.pi), half=(0.2, 0.2, 0.2))
    state = model.initial_state(gravity=(0, 0, 0))
    for _ in range(12):
        state, _ = advance(model, state, STILL, SolverSettings())
    _, q = body_poses(model, state)
    assert np.degrees(2 * np.arctan2(q[0, 3], q[0, 0])) == pytest.approx(90.0, abs=0.5)


def test_thin_bodies_keep_their_shape_when_they_land():
    builder = ModelBuilder()
    builder.add_body(
        "card",
        "BOX",
        (0.5, 0.3, 0.002),
        (0, 0, 0.6),
        (0.9, 0.3, 0.2, 0),
        mass=0.1,
        friction=0.8,
        model="TETRAHEDRON",
    )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(96):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert np.allclose(_edges(state.position), _edges(model.particles.position), rtol=0.02)
    assert body_poses(model, state)[0][0, 2] == pytest.approx(0.002, abs=2e-3)


@pytest.mark.parametrize("body", ["TETRAHEDRON", "AXES"])
def test_a_body_turned_inside_out_turns_back(body):
    model = plank(body=body)
    state = model.initial_state(gravity=(0, 0, 0))
    state.position[:, 0] = 2.0 - state.position[:, 0]  # its mirror image has the same sticks
    state.previous[:, 0] = 2.0 - state.previous[:, 0]
    for _ in range(3):
        state, _ = advance(model, state, STILL, SolverSettings())
    first, *others = state.position
    before, *others_before = model.particles.position
    handed = np.linalg.det(others - first) / np.linalg.det(np.array(others_before) - before)
    assert handed == pytest.approx(1.0, rel=1e-2)
    assert np.allclose(_edges(state.position), _edges(model.particles.position), rtol=1e-2)
    assert np.allclose(state.position.mean(axis=0), (1, 2, 3))


@pytest.mark.parametrize("body", ["TETRAHEDRON", "AXES"])
def test_a_body_deep_inside_others_keeps_its_shape(body):
    # what parts it from balls thirty times as large would turn it by several radians a step
    random = np.random.default_rng(1)
    builder = ModelBuilder()
    builder.add_body("dice", "BOX", (3e-3, 3e-3, 3e-3), (0, 0, 0), mass=0.1, model=body)
    builder.add_particles(
        "balls",
        random.uniform(-0.05, 0.05, (10, 3)),
        mass=0.1,
        velocity=random.normal(size=(10, 3)),
        radius=0.1,
    )
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        assert np.allclose(
            _edges(state.position[:4]), _edges(model.particles.position[:4]), rtol=0.2
        )
