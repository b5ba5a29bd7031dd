"""Free particles against each other."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.particles.contacts.contact_point import contact_room
from verlet_physics.particles.contacts.self_collision import (
    SelfCollisionGrid,
    find_contacts_among,
)


def balls(positions, radius=0.1, **about):
    builder = ModelBuilder()
    builder.add_particles("balls", positions, mass=1.0, radius=radius, self_collision=True, **about)
    return builder


def pairs_found(x, radius):
    model = balls(x, radius=radius).finalize()
    grid = SelfCollisionGrid(model, model.self_collision.group)
    grid.find_near(model, x, x, 1 / 480, 20, 9.81 / 480**2)
    grid.choose(x)
    contacts = contact_room(50_000)
    among = (grid.cells, grid.balls, grid.summary)
    count = find_contacts_among(0, contacts, *among, x, model.particles.inverse_mass)
    return sorted(map(tuple, contacts.solving["place"]["particle"][:count, :, 0].tolist()))


def pairs_that_overlap(x, radius):
    apart = np.linalg.norm(x[:, None] - x[None], axis=2)
    return sorted((i, j) for i, j in zip(*np.nonzero(apart < 2 * radius)) if i < j)


@pytest.mark.parametrize("spread", [0.3, 1.0, 5.0, 1e12])
def test_the_grid_finds_exactly_the_pairs_that_overlap(spread):
    x = np.random.default_rng(2).uniform(-spread, spread, (300, 3))
    assert pairs_found(x, 0.07) == pairs_that_overlap(x, 0.07)


def test_cells_that_share_a_bucket_give_no_pair_twice():
    random = np.random.default_rng(6)
    for _ in range(300):  # with two particles 27 cells share five buckets
        x = random.uniform(-20.0, 20.0, 3) + random.uniform(-0.1, 0.1, (2, 3))
        assert pairs_found(x, 0.07) == pairs_that_overlap(x, 0.07)


def test_more_contacts_than_room_are_found_all_the_same():
    state = balls(np.zeros((40, 3)) + np.arange(40)[:, None] * 1e-3).finalize().initial_state()
    model = balls(state.position).finalize()
    _, figures = advance(model, state, FrameInputs(duration=1 / 480), SolverSettings())
    assert figures.contact_count == 40 * 39 // 2


def test_coinciding_particles_part_and_stay_finite():
    model = balls(np.zeros((5, 3)), restitution=0.0).finalize()
    still = FrameInputs(gravity=(0, 0, 0))
    state = model.initial_state(gravity=still.gravity)
    for _ in range(48):
        state, _ = advance(model, state, still, SolverSettings())
    apart = np.linalg.norm(state.position[:, None] - state.position[None], axis=2)
    assert apart[np.triu_indices(5, 1)].min() > 0.19
    assert np.linalg.norm(state.position - state.previous, axis=1).max() < 0.01


def test_a_box_of_balls_comes_to_rest_without_overlap():
    random = np.random.default_rng(3)
    start = np.stack(np.meshgrid(*[np.arange(4) * 0.21 - 0.3] * 3), axis=-1).reshape(-1, 3)
    builder = balls(start + random.uniform(-0.004, 0.004, start.shape), drag=2.0)
    builder.add_collider("room", "ROOM", (0.5, 0.5, 0.5), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(240):
        before = state.position
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
    assert (np.abs(state.position) < 0.4 + 1e-6).all()
    assert figures.penetration < 0.01
    assert np.abs(state.position - before).max() < 2e-3  # m from frame to frame


def test_objects_without_self_collision_pass_through_each_other():
    builder = ModelBuilder()
    for x, speed in ((-1.0, 4.0), (1.0, -4.0)):
        builder.add_particles("ghost", [(x, 0, 0)], mass=1.0, radius=0.3, velocity=(speed, 0, 0))
    model = builder.finalize()
    still = FrameInputs(duration=0.5, gravity=(0, 0, 0))
    state = model.initial_state(gravity=still.gravity)
    state, _ = advance(model, state, still, SolverSettings())
    assert np.allclose(state.position[:, 0], (1.0, -1.0))


def test_an_object_that_does_not_meet_itself_still_meets_others():
    builder = ModelBuilder()
    for name, x in (("sheet", 0.0), ("other", 0.15)):
        builder.add_particles(
            name, [(x, 0, 0), (x + 0.02, 0, 0)], mass=1.0, radius=0.1, self_collision=True,
            meets_itself=False,
        )  # fmt: skip
    model = builder.finalize()
    still = FrameInputs(duration=0.5, gravity=(0.0, 0.0, 0.0))
    state, _ = advance(model, model.initial_state(gravity=still.gravity), still, SolverSettings())
    x = state.position[:, 0]
    assert x[1] - x[0] < 0.1  # of one group: they stay as close as they were
    assert x[2] - x[1] > 0.19
