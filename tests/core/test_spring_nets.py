"""Springs that are solved together: their order means nothing, and they keep both momenta."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance

IN_SPACE = FrameInputs(gravity=(0.0, 0.0, 0.0))


def lattice(order=None, together=True, stiffness=2000.0, pinned=()):
    """Particles of unlike masses in a cube, each joined to all around it, that turn and wobble."""
    random = np.random.default_rng(3)
    x = np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    apart = np.linalg.norm(x[:, None] - x[None], axis=-1)
    pairs = np.argwhere(np.triu((apart > 0.0) & (apart < 1.8)))
    mass = random.uniform(0.5, 2.0, len(x))
    velocity = np.cross((0.3, 0.2, 1.0), x - 1.5) + random.normal(0.0, 0.3, x.shape)
    builder = ModelBuilder()
    builder.add_particles("lattice", x, mass=mass, velocity=velocity)
    builder.pin(list(pinned))
    rows = np.arange(len(pairs)) if order is None else order(len(pairs))
    builder.add_springs(pairs[rows], stiffness, together=together)
    return builder.finalize()


def run(model, frames=24, inputs=IN_SPACE, **settings):
    state = model.initial_state(gravity=inputs.gravity)
    for _ in range(frames):
        state, _ = advance(model, state, inputs, SolverSettings(**settings))
    return state


def shuffled(count):
    return np.random.default_rng(8).permutation(count)


def test_the_order_of_the_springs_of_a_net_means_nothing():
    one, other = run(lattice()), run(lattice(shuffled))
    assert np.abs(one.position - other.position).max() < 1e-10
    alone = run(lattice(together=False)), run(lattice(shuffled, together=False))
    assert np.abs(alone[0].position - alone[1].position).max() > 1e-6


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("stiffness", [10.0, 1e3, 1e7])
def test_a_net_keeps_both_momenta(stiffness, iterations):
    model = lattice(stiffness=stiffness)
    momenta = []
    for state in (model.initial_state(gravity=(0, 0, 0)), run(model, iterations=iterations)):
        p = model.particles.mass[:, None] * (state.position - state.previous) / state.step
        momenta.append(np.concatenate([p.sum(axis=0), np.cross(state.previous, p).sum(axis=0)]))
    assert np.abs(momenta[1] - momenta[0]).max() < 1e-9


@pytest.mark.parametrize("stiffness", [200.0, 2e4])
def test_a_net_that_hangs_stretches_as_its_springs_say(stiffness):
    """Hooke's law in each spring: the pull of the pins is the weight."""
    model = lattice(stiffness=stiffness, pinned=range(0, 64, 4))
    inputs = FrameInputs(gravity=(0.0, 0.0, -1.0))
    state = run(model, 24 * 3, inputs, iterations=40)
    for _ in range(24 * 20):
        state.previous[:] = state.position  # whatever moves is stopped 24 times a second
        state, _ = advance(model, state, inputs, SolverSettings(iterations=4))
    ends = state.position[model.springs.pair]
    d = ends[:, 1] - ends[:, 0]
    apart = np.linalg.norm(d, axis=1)
    pull = ((apart - model.springs.rest_length) / model.springs.compliance / apart)[:, None] * d
    force = np.zeros_like(state.position)
    np.add.at(force, model.springs.pair[:, 0], pull)
    np.add.at(force, model.springs.pair[:, 1], -pull)
    held = model.particles.inverse_mass == 0.0
    weight = model.particles.mass[~held].sum()
    assert force[held, 2].sum() == pytest.approx(-weight, rel=0.02)


def test_threads_make_no_difference_to_nets():
    ends = [run(lattice(), 6, threads=threads).position for threads in (1, 2)]
    assert np.array_equal(*ends)


@pytest.mark.parametrize("given", [{"turn": 1}, {"stiffness": np.inf}])
def test_springs_that_take_turns_or_do_not_give_way_are_no_net(given):
    builder = ModelBuilder()
    builder.add_particles("pair", [(0, 0, 0), (1, 0, 0)], mass=1.0)
    with pytest.raises(ModelError, match="solved together"):
        builder.add_springs([[0, 1]], **({"stiffness": 1.0} | given), together=True)
