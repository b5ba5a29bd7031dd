"""What blew random scenes up once: each cause by itself."""

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, WindSettings, advance
from verlet_physics.particles.constraints.branch import Branches
from verlet_physics.particles.constraints.plane import MovingPlanes, Planes
from verlet_physics.particles.particle_bodies.four_particles import _read_poses
from verlet_physics.settings import AnimatedSettings

STILL = (0.0, 0.0, 0.0)
STEP = 1.0 / 480.0


def follow(model, frames, inputs=None, **chosen):
    """(states after each step of 1/480 s, largest speed of any particle in m/s)."""
    inputs = inputs or FrameInputs(duration=STEP, gravity=STILL)
    state = model.initial_state(gravity=inputs.gravity)
    states, fastest = [], 0.0
    for _ in range(frames):
        before = state.position
        state, _ = advance(model, state, inputs, SolverSettings(**chosen))
        states.append(state)
        moved = np.linalg.norm(state.position - before, axis=1).max()
        fastest = max(fastest, moved / inputs.duration)
    return states, fastest


@pytest.mark.parametrize("is_line", [False, True])
def test_a_plane_far_away_is_reached_without_a_shot(is_line):
    builder = ModelBuilder()
    builder.add_particles("dust", [(0.0, 0.0, 100.0), (0.0, 0.0, 99.0)], mass=1.0)
    builder.add_sticks([(0, 1)])
    direction = (1.0, 0.0, 0.0) if is_line else (0.0, 0.0, 1.0)
    builder.add_constraint(Planes.of(builder, 0, [0], STILL, direction, is_line=is_line))
    states, fastest = follow(builder.finalize(), 480 * 3)
    assert fastest < 4.2 * 100.0
    assert states[-1].position[0, 2] == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(np.diff(states[-1].position, axis=0)) == pytest.approx(1.0, rel=1e-3)


def test_a_moving_plane_far_away_is_reached_without_a_shot():
    builder = ModelBuilder()
    places = [(0.2, 0.3, 100.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    builder.add_particles("net", places, mass=1.0)
    builder.add_constraint(MovingPlanes.of(builder, 0, [(0, 1, 2, 3)]))
    builder.pin([1, 2, 3])
    states, fastest = follow(builder.finalize(), 480 * 3)
    assert fastest < 4.2 * 100.0
    assert states[-1].position[0, 2] == pytest.approx(0.0, abs=1e-9)


def test_a_plant_keyed_limp_has_finite_places():
    builder = ModelBuilder()
    builder.add_particles("grass", [(0, 0, 0), (0, 0, 1), (0, 0, 1), (0, 0, 2)], mass=1.0)
    nodes = [np.array([i]) for i in range(4)]
    builder.add_constraint(Branches.of(builder, 0, nodes, [-1, 0, 1, 2], 1.0))
    builder.pin([0])
    inputs = FrameInputs(duration=STEP, animated=(AnimatedSettings(stiffness=0.0),))
    states, fastest = follow(builder.finalize(), 240, inputs)
    assert np.isfinite(states[-1].position).all()
    assert fastest < 30.0


def test_bouncy_balls_that_overlap_from_the_start_part_gently():
    builder = ModelBuilder()
    builder.add_particles(
        "balls",
        [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)],
        mass=1.0,
        radius=1.0,
        restitution=1.0,
        velocity=[(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)],
        self_collision=True,
    )
    _, fastest = follow(builder.finalize(), 20)
    assert fastest < 3.0


def test_wind_on_an_exposed_rope_never_throws_it_beyond_the_wind():
    builder = ModelBuilder()
    builder.add_particles("hair", np.arange(4)[:, None] * (1.0, 0.0, 0.0), mass=1e-4)
    builder.add_wires([(0, 1), (1, 2), (2, 3)], 1.0)
    model = builder.finalize()
    inputs = FrameInputs(
        duration=STEP,
        gravity=STILL,
        wind=WindSettings(velocity=(0.0, 10.0, 0.0), gust=0.0),
        animated=(AnimatedSettings(wind=10.0),),
    )
    _, fastest = follow(model, 240, inputs)
    assert 5.0 < fastest < 12.0


@pytest.mark.parametrize("spring_form", ["COMPLIANT", "FORCE"])
def test_a_pin_that_takes_hold_fetches_its_particle_over_the_frame(spring_form):
    builder = ModelBuilder()
    builder.add_particles("bead", [(0.0, 0.0, 0.0)], mass=1.0)
    builder.pin([0])
    model = builder.finalize()
    free = FrameInputs(duration=1.0, animated=(AnimatedSettings(pin=0.0),))
    settings = SolverSettings(spring_form=spring_form, speed_limit=20.0)
    state, _ = advance(model, model.initial_state(), free, settings)
    assert state.position[0, 2] == pytest.approx(-4.905, rel=5e-3)
    state, _ = advance(model, state, replace(free, animated=None), settings)
    assert np.abs(state.position).max() < 1e-12
    assert state.position[0, 2] - state.previous[0, 2] == pytest.approx(4.905 * STEP, rel=5e-3)


def test_a_bent_body_still_has_a_rotation():
    random = np.random.default_rng(1)
    for corners in (*random.normal(size=(20, 4, 3)), np.zeros((4, 3)), np.ones((4, 3))):
        position, orientation, r = np.zeros((1, 3)), np.zeros((1, 4)), np.empty((3, 3))
        extent = np.full((1, 3), 0.01)
        _read_poses(corners.copy(), np.zeros(1, np.int32), extent, position, orientation, r)
        assert np.abs(r.T @ r - np.eye(3)).max() < 1e-3
        assert np.linalg.det(r) == pytest.approx(1.0, abs=1e-3)
        assert np.linalg.norm(orientation) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("relaxation", ["GAUSS_SEIDEL", "JACOBI"])
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_over_relaxation_never_rings(iterations, relaxation):
    n = 8
    builder = ModelBuilder()
    builder.add_particles("rope", np.arange(n)[:, None] * (0.1, 0.0, 0.0), mass=1.0)
    builder.add_sticks(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
    builder.pin([0])
    _, fastest = follow(
        builder.finalize(),
        480,
        FrameInputs(duration=STEP),
        over_relaxation=1.95,
        iterations=iterations,
        relaxation=relaxation,
    )
    assert fastest < 10.0
