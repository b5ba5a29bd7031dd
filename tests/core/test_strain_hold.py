"""Bodies in cloth that is as long as it can be are held by it, as long as it hangs on pins."""

import numpy as np

from verlet_physics import FrameInputs, SolverSettings, advance
from verlet_physics.truth.sacks import filled_sack

SHOT = ("SPHERE", (0.1,), 3.0, 4)
SETTLING = 40  # frames


def _settled():
    model = filled_sack(*SHOT)
    state, settings = model.initial_state(), SolverSettings()
    held = []
    for _ in range(SETTLING):
        state, _ = advance(model, state, FrameInputs(), settings)
        held.append(state.body_hold[:, 0].sum(axis=0))
    return model, state, settings, np.mean(held[SETTLING // 2 :], axis=0)


def test_a_sack_bears_what_lies_in_it_and_lets_it_fall_with_its_pins():
    model, state, settings, held = _settled()
    weight = 9.81 * model.bodies.mass.sum()
    assert abs(held[2] - weight) < 0.05 * weight  # in the mean: it trembles by a tenth of it
    assert np.hypot(held[0], held[1]) < 0.1 * weight
    height, frames = state.body_position[:, 2].mean(), 4
    released = FrameInputs(pin_weight=np.zeros(len(model.pins)))
    for _ in range(frames):
        state, _ = advance(model, state, released, settings)
    assert (state.body_hold == 0.0).all()
    fall = 0.5 * 9.81 * (frames / 24) ** 2
    assert abs(height - state.body_position[:, 2].mean() - fall) < 0.1 * fall


def test_a_sack_that_is_hoisted_takes_its_load_along_and_throws_nothing_up():
    model, state, settings, _ = _settled()
    pins = model.particles.position[model.pins.particle]
    height, lift = state.body_position[:, 2].copy(), 0.0
    for frame in range(30):
        lift += 0.5 / 24 if frame < 24 else 0.0
        inputs = FrameInputs(pin_position=pins + (0.0, 0.0, lift))
        state, _ = advance(model, state, inputs, settings)
        if frame > 6:
            off = state.body_position[:, 2] - height - lift
            assert np.abs(off).max() < 0.05
