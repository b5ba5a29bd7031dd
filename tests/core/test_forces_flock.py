"""Boids."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.forces.flock import RATE, Flock
from verlet_physics.settings import FlockSettings


def flock(x, v=0.0, mass=1.0, **settings):
    builder = ModelBuilder()
    builder.add_particles("flock", x, mass=mass, velocity=v)
    builder.add_force(Flock(0, np.arange(len(x)), FlockSettings(**settings)))
    return builder.finalize()


def run(model, frames, gravity=(0.0, 0.0, 0.0)):
    state = model.initial_state(gravity=gravity)
    for _ in range(frames):
        state, _ = advance(model, state, FrameInputs(gravity=gravity), SolverSettings())
    return state, (state.position - state.previous) / state.step


def steering(x, v, s):
    """The formula, anew: all pairs."""
    found = np.zeros_like(x)
    for i in range(len(x)):
        others = np.arange(len(x)) != i
        d = x[others] - x[i]
        distance = np.linalg.norm(d, axis=1)
        near = distance <= s.radius
        a = np.zeros(3)
        if near.any():
            a += RATE**2 * s.cohesion * d[near].mean(axis=0)
            a += RATE * s.alignment * (v[others][near].mean(axis=0) - v[i])
        close = distance < s.distance
        push = RATE**2 * s.separation * (s.distance / distance[close] - 1.0)
        a -= (push[:, None] * d[close]).sum(axis=0)
        speed = np.linalg.norm(v[i])
        a += RATE * (s.cruise_speed - speed) * v[i] / speed
        found[i] = a
    size = np.linalg.norm(found, axis=1)[:, None]
    found *= np.minimum(1.0, s.max_acceleration / size)
    ahead = v + found / 120.0
    fast = np.linalg.norm(ahead, axis=1)[:, None]
    limit = np.maximum(s.max_speed, np.linalg.norm(v, axis=1)[:, None])
    return (ahead * np.minimum(1.0, limit / fast) - v) * 120.0


@pytest.mark.parametrize("spread", [1.5, 6.0, 40.0])
def test_every_boid_steers_by_all_that_it_sees(spread):
    random = np.random.default_rng(4)
    x = random.uniform(-spread, spread, (120, 3))
    v = random.normal(0.0, 3.0, (120, 3))
    settings = FlockSettings()
    h = 1 / 480
    model = flock(x, v, mass=random.uniform(0.1, 5.0, 120))
    state = model.initial_state(gravity=(0, 0, 0), step=h)
    end, _ = advance(model, state, FrameInputs(duration=h, gravity=(0, 0, 0)), SolverSettings())
    found = 2 * (end.position - 2 * state.position + state.previous) / h**2
    assert found == pytest.approx(steering(x, v, settings), abs=1e-6)


def test_two_boids_that_coincide_part():
    state, _ = run(flock(np.zeros((2, 3)), cohesion=0.0), 48)
    assert np.linalg.norm(state.position[0] - state.position[1]) > 0.9


def test_a_lone_boid_takes_on_its_cruise_speed_and_one_at_rest_stays_there():
    _, v = run(flock([(0, 0, 0), (100, 0, 0)], [(0.1, 0, 0), (0, 0, 0)], cruise_speed=2.5), 24 * 8)
    assert v[0] == pytest.approx((2.5, 0, 0), abs=1e-4)
    assert (v[1] == 0).all()


def test_boids_do_not_steer_beyond_top_speed():
    random = np.random.default_rng(1)
    model = flock(
        random.uniform(-2, 2, (60, 3)), random.normal(0, 1, (60, 3)),
        separation=20.0, max_speed=2.0, cruise_speed=2.0, max_acceleration=200.0,
    )  # fmt: skip
    state = model.initial_state(gravity=(0, 0, 0))
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(gravity=(0, 0, 0)), SolverSettings())
    assert np.linalg.norm(state.position - state.previous, axis=1).max() / state.step < 2.1


def test_boids_carry_their_weight_unless_told_not_to():
    _, v = run(flock([(0, 0, 0)], (3, 0, 0), max_acceleration=1.0), 24, (0, 0, -9.81))
    assert v[0] == pytest.approx((3, 0, 0), abs=0.02)
    _, v = run(flock([(0, 0, 0)], max_acceleration=1.0, flies=False), 24, (0, 0, -9.81))
    assert v[0, 2] < -8.0


def test_a_flock_in_a_larger_model_and_the_same_bits_twice():
    random = np.random.default_rng(2)
    x = random.uniform(-3, 3, (80, 3))
    ends = []
    for _ in range(2):
        builder = ModelBuilder()
        builder.add_particles("other", [(50, 0, 0)], mass=1.0)
        builder.add_particles("flock", x, mass=1.0, velocity=x[::-1])
        builder.add_force(Flock(1, np.arange(1, 81)))
        state, _ = run(builder.finalize(), 24)
        ends.append(state.position)
    assert ends[0].tobytes() == ends[1].tobytes()
    assert (ends[0][0] == (50, 0, 0)).all()
    alone, _ = run(flock(x, x[::-1]), 24)
    assert alone.position == pytest.approx(ends[0][1:], abs=1e-9)


def test_pinned_boids_stay_and_far_away_ones_are_finite():
    builder = ModelBuilder()
    builder.add_particles(
        "flock", [(0, 0, 0), (1, 0, 0), (1e13, 0, 0)], mass=1.0, velocity=(1, 0, 0)
    )
    builder.pin([0])
    builder.add_force(Flock(0, np.arange(3)))
    state, _ = run(builder.finalize(), 12)
    assert (state.position[0] == 0).all()
    assert np.isfinite(state.position).all()


def test_bad_flocks_are_refused():
    with pytest.raises(ModelError, match="at least one"):
        Flock(0, np.zeros(0, dtype=np.int32))
    with pytest.raises(ModelError, match="twice"):
        Flock(0, np.array([0, 1, 1]))
    with pytest.raises(ModelError, match="Sight"):
        FlockSettings(radius=float("nan"))
    builder = ModelBuilder()
    builder.add_particles("flock", [(0, 0, 0)], mass=1.0)
    with pytest.raises(ModelError, match=r"flock: particles of Flock: 1 lies outside"):
        builder.add_force(Flock(0, np.array([0, 1])))
