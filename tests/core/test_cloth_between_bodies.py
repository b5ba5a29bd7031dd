"""Cloth between bodies that move by themselves: what it tells, what is remembered, what goes."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, SolverSettings, advance
from verlet_physics.bench.tower_scenes import Tower, built
from verlet_physics.cache import FrameCache
from verlet_physics.particles.contacts.between_bodies import BetweenBodies
from verlet_physics.rigid.sleep.stillness import REST_TIME
from verlet_physics.truth.random_scenes import run_twice

LAYERS = 2
TOWER = Tower((0.12, 0.1), (6.0, 3.0), layers=LAYERS, vertices=8)


def _after(model, state, frames):
    for _ in range(frames):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    return state


@pytest.fixture(scope="module")
def stood():
    """A tower, and its state once it stands."""
    model, _ = built(TOWER)
    return model, _after(model, model.initial_state(), 24)


def test_cloth_tells_how_thick_it_is_through_all_layers(stood):
    model, state = stood
    one, other = (np.flatnonzero(model.shapes.owner == body)[0] for body in range(2))
    assert state.cushions.key.tolist() == [[one, other]]
    thick = 2.0 * LAYERS * float(model.particles.radius.min())
    assert state.cushions.thickness == pytest.approx([thick], rel=1e-6)
    assert state.body_position[1, 2] == pytest.approx(2 * 0.12 + thick + 0.1, abs=2e-4)


def test_any_frame_can_be_saved_and_gone_on_from_bit_for_bit(stood, tmp_path):
    """Also before anything is between, when there are fewer rows."""
    model, _ = stood
    cache, state = FrameCache(model), model.initial_state()
    cache.store(state)
    for _ in range(10):
        state = _after(model, state, 1)
        cache.store(state)
    counts = {len(cache[frame].cushions.key) for frame in range(11)}
    assert counts == {0, 1}
    cache.save(tmp_path / "frames.npz")
    fresh, _ = built(TOWER)
    again = FrameCache(fresh)
    again.load(tmp_path / "frames.npz")
    for frame in (1, 5, 9):
        resumed = _after(fresh, again[frame], 1)
        for name, array in resumed.columns().items():
            wanted = cache[frame + 1].columns()[name]
            assert np.array_equal(array, wanted), (frame, name)


def test_who_is_lifted_off_keeps_from_nobody(stood):
    model, state = stood
    state = state.copy()
    state.body_previous[1] -= (0.0, 0.0, 3.0 * state.step)  # 3 m/s upwards
    state.body_rest[:] = state.rest.time[:] = 0.0
    state = _after(model, state, 4)
    assert state.body_position[1, 2] > 0.6
    assert len(state.cushions.key) == 0


def test_a_tower_sleeps_with_its_cloth_and_wakes_as_high(stood):
    model, state = stood
    state = _after(model, state, 96)
    assert (state.body_rest >= REST_TIME).all()
    assert len(state.cushions.key) == 1
    asleep = _after(model, state, 2)
    assert np.array_equal(asleep.body_position, state.body_position)
    assert np.array_equal(asleep.cushions.thickness, state.cushions.thickness)
    woken = asleep.copy()
    woken.body_rest[:] = woken.rest.time[:] = 0.0
    woken = _after(model, woken, 6)
    assert np.abs(woken.body_position - state.body_position).max() < 2e-4


def test_what_was_between_in_another_frame_is_forgotten(stood):
    """Bodies that sleep are not looked at: a model that has just played others does the same."""
    model, state = stood
    resting = state.copy()
    resting.body_rest[:] = REST_TIME
    resting.body_previous[:] = resting.body_position
    resting.body_previous_orientation[:] = resting.body_orientation
    resting.rest.time[:] = 0.1  # cloth is awake, but wakes nobody
    fresh, _ = built(TOWER)
    wanted = _after(fresh, resting, 1)
    assert (wanted.body_rest >= REST_TIME).all()
    _after(model, state, 1)
    assert np.array_equal(_after(model, resting, 1).position, wanted.position)


def test_what_was_between_bodies_last_is_looked_through_layers_that_are_listed(monkeypatch):
    """Layers as they were listed some substeps ago name contacts that are gone: kernels would read
    what lies behind the array. Random scene 1353 is one in which nothing is asked of any layer."""
    seen = []
    look = BetweenBodies.look

    def looked(self, asked, contacts, moving, friction, layers, gravity):
        if asked == 0 and self.is_any and self.are_boxes_known:
            listed, of = layers
            seen.append(max(listed.first.max(), listed.next.max(initial=-1)) < len(of))
        look(self, asked, contacts, moving, friction, layers, gravity)

    monkeypatch.setattr(BetweenBodies, "look", looked)
    run_twice(1353)
    assert seen
    assert all(seen)
