"""Held cloth is as much longer as what does not give way forces it to be, and no more."""

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import ClothSettings, FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench.cloth_scenes import add_quads, sheet
from verlet_physics.bench.pressed_scenes import (
    Pinch,
    Press,
    PullApart,
    pinched,
    pressed_sheet,
    pulled_apart,
)


def _stretch(model, state):
    ends = state.position[model.sticks.pair]
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / model.sticks.rest_length - 1.0


def _follow(scene, frames, settings=None, state=None):
    state = scene.model.initial_state() if state is None else state
    for frame in frames:
        state, _ = advance(scene.model, state, scene.inputs(frame), settings or SolverSettings())
    return state


def test_what_presses_a_sheet_forces_it_and_what_has_left_does_not():
    press = Press(held="corners", kind="MESH", seconds=0.5, vertices=16)
    scene = pressed_sheet(press)
    state = _follow(scene, range(1, 25))
    assert state.stretch.share[0] == pytest.approx(press.needed, rel=0.5)
    there_and_back = [*range(24, 0, -2), *[0] * 60]
    state = _follow(scene, there_and_back, state=state)
    assert state.stretch.share[0] == state.stretch.excess[0] == 0.0
    assert _stretch(scene.model, state).max() < 0.02


@pytest.mark.parametrize("held", ["border", "rope"])
def test_pins_that_come_together_again_let_it_be_as_long_as_it_was(held):
    pull = PullApart(held=held, seconds=0.5, vertices=16)
    scene = pulled_apart(pull)
    pair, rest = pull.edges(scene.model)
    state = _follow(scene, range(1, 13))
    assert state.stretch.share[0] == pytest.approx(pull.share)
    _, figures = advance(scene.model, state, scene.inputs(12), SolverSettings())
    (one,) = figures.forced
    assert one.name == scene.model.objects[0].name
    assert one.share == pytest.approx(pull.share)
    state = _follow(scene, [*range(12, 0, -1), *[0] * 60], state=state)
    assert state.stretch.share[0] == 0.0
    length = np.linalg.norm(state.position[pair[:, 0]] - state.position[pair[:, 1]], axis=1)
    assert (length / rest).max() < 1.02


def test_pins_that_only_move_force_nothing():
    scene = pulled_apart(PullApart(held="corners"))
    pins = scene.model.particles.position[scene.model.pins.particle]
    state = scene.model.initial_state()
    for frame in range(1, 25):
        turn, x = 0.1 * frame, pins.copy()
        x[:, 0] = np.cos(turn) * pins[:, 0] - np.sin(turn) * pins[:, 1] + 0.05 * frame
        x[:, 1] = np.sin(turn) * pins[:, 0] + np.cos(turn) * pins[:, 1]
        state, _ = advance(scene.model, state, FrameInputs(pin_position=x), SolverSettings())
        assert not state.stretch.share.any()


def test_a_load_forces_nothing_however_heavy():
    builder = ModelBuilder()
    p, quads = sheet(16, 16, 2.0, 2.0)
    is_held = (np.abs(p[:, :2]) > 0.999).any(axis=1)
    add_quads(builder, p, quads, ClothSettings(), is_held)
    builder.add_body("ball", "SPHERE", (0.3,), (0.1, 0.0, 0.4), mass=200.0)
    builder.add_collider("post", "SPHERE", (0.2,), (-0.5, 0.3, -0.21))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        assert state.stretch.share[0] < 0.01
    assert _stretch(model, state).max() < 0.1


def test_one_sheet_that_is_pressed_leaves_another_alone():
    press = Press(seconds=0.4, vertices=16)
    alone = pressed_sheet(press)
    both = ModelBuilder()
    for side in (0.0, 9.0):
        p, quads = sheet(16, 16, 2.0, 2.0)
        add_quads(both, p + (side, 0.0, 0.0), quads, ClothSettings(), np.abs(p[:, 0]) > 0.999)
    both.add_collider("ball", "SPHERE", (press.radius,), press.place(0))
    model = both.finalize()
    state = model.initial_state()
    for frame in range(1, 25):
        state, _ = advance(model, state, alone.inputs(frame), SolverSettings())
    assert state.stretch.share[0] > 0.1
    assert state.stretch.share[1] == 0.0
    assert _stretch(model, state)[model.sticks.pair[:, 0] >= 256].max() < 0.02


def test_a_frame_follows_from_its_state_alone():
    press = Press(kind="MESH", seconds=0.4, vertices=14)
    one, other = pressed_sheet(press), pressed_sheet(press)
    state = _follow(one, range(1, 13))
    _follow(other, range(1, 5))  # has seen other things
    end, again = _follow(one, [13], state=state), _follow(other, [13], state=state.copy())
    assert state.stretch.share[0] > 0.05
    for name, array in end.columns().items():
        assert np.array_equal(array, again.columns()[name]), name
    threaded = _follow(other, [13], SolverSettings(threads=2), state.copy())
    assert np.array_equal(threaded.position, end.position)


def test_two_pins_that_skin_draws_apart_leave_the_cape_as_long_as_it_is():
    builder = ModelBuilder()
    p, quads = sheet(21, 21, 1.0, 1.0)
    is_held = (np.abs(p[:, 0]) < 0.03) & (p[:, 1] > 0.499) | (
        (np.abs(p[:, 0] - 0.05) < 0.01) & (p[:, 1] > 0.499)
    )
    add_quads(builder, p[:, [0, 2, 1]], quads, ClothSettings(), is_held)
    model = builder.finalize()
    pins = model.particles.position[model.pins.particle]
    assert len(pins) == 2
    lowest = []
    for apart in (1.0, 1.6):
        state = model.initial_state()
        for frame in range(60):
            x = pins.copy()
            x[:, 0] *= 1.0 + (apart - 1.0) * min(frame / 12, 1.0)
            heavy = FrameInputs(pin_position=x, gravity=(0.0, 0.0, -98.1))
            state, _ = advance(model, state, heavy, SolverSettings())
        lowest.append(state.position[:, 2].min())
        beside = np.linalg.norm(model.particles.position - pins.mean(axis=0), axis=1) > 0.15
        far = beside[model.sticks.pair].all(axis=1)
        assert _stretch(model, state)[far].max() < 0.1
    assert state.stretch.share[0] > 0.5
    assert lowest[0] - lowest[1] < 0.04


def test_what_was_pressed_is_known_when_the_next_frame_begins():
    """A frame of one substep after the other shakes pinched cloth no more than long ones."""
    scene = pinched(Pinch(kind="SPHERE", overlap=0.1, vertices=20))
    state, fastest, remembered = scene.model.initial_state(), 0.0, 0
    for step in range(1, 16 * 20 + 1):
        inputs = replace(scene.inputs(step / 20.0), duration=1.0 / 480.0)
        state, _ = advance(scene.model, state, inputs, SolverSettings())
        remembered += len(state.stretch.pressed) > 0
        way = np.linalg.norm(state.position - state.previous, axis=1).max()
        fastest = max(fastest, way / state.step)
    assert remembered > 20
    assert fastest < 7.0


def test_cloth_beside_a_pin_that_is_in_a_ball_is_not_flung():
    """To clear the place beside the pin its other end would have to go a hundred times as far."""
    builder = ModelBuilder()
    p, quads = sheet(6, 6, 1.0, 1.0)
    add_quads(builder, p, quads, ClothSettings(), np.arange(36) == 14)
    builder.add_collider("ball", "SPHERE", (0.1,), p[14] + (0.015, 0.01, 0.4))
    model = builder.finalize()
    state, fastest = model.initial_state(), 0.0
    for frame in range(1, 25):
        place = p[14] + (0.015, 0.01, 0.4 - 0.02 * frame)
        inputs = FrameInputs(collider_position=place[None])
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=960.0))
        way = np.linalg.norm(state.position - state.previous, axis=1).max()
        fastest = max(fastest, way / state.step)
    assert fastest < 10.0
