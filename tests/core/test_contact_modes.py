"""Kenwright's ping-pong (Jacobi) and relaxation coefficient for contacts of rigid bodies."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.rigid.sleep.stillness import REST_TIME

MODES = {
    "jacobi": {"relaxation": "JACOBI", "contact_iterations": 4},
    "half": {"contact_relaxation": 0.5},
    "jacobi half": {"relaxation": "JACOBI", "contact_iterations": 4, "contact_relaxation": 0.5},
    "over": {"contact_relaxation": 1.3},
}


def stack(order=(0, 1, 2)):
    builder = ModelBuilder()
    for k in order:
        builder.add_body(f"{k}", "BOX", (0.5,) * 3, (0.0, 0.0, 0.55 + 1.02 * k), mass=1.0)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize()


def run(model, frames, gravity=(0.0, 0.0, -9.81), **settings):
    state = model.initial_state(gravity=gravity)
    for _ in range(frames):
        inputs = FrameInputs(gravity=gravity)
        state, _ = advance(model, state, inputs, SolverSettings(**settings))
    return state


@pytest.mark.parametrize("mode", MODES)
def test_a_stack_lands_and_falls_asleep_in_every_mode(mode):
    state = run(stack(), 96, **MODES[mode])
    assert np.allclose(state.body_position[:, 2], [0.5, 1.5, 2.5], atol=5e-3)
    assert np.abs(state.body_position[:, :2]).max() < 5e-3
    assert (state.body_rest >= REST_TIME).all()


def test_in_jacobi_the_order_of_contacts_means_nothing():
    """A ball hit from both sides at once stays where it is; one after the other, it is shoved.

    Looked at in the substep after the blow: once all touch, the middle is where it was again.
    """
    for mode, is_even in (("JACOBI", True), ("GAUSS_SEIDEL", False)):
        builder = ModelBuilder()
        for k, speed in ((-1, 1.0), (0, 0.0), (1, -1.0)):
            builder.add_body(
                f"{k}", "SPHERE", (0.5,), (1.01 * k, 0, 0), mass=1.0, velocity=(speed, 0, 0)
            )
        model = builder.finalize()
        gravity = (0.0, 0.0, 0.0)
        inputs = FrameInputs(duration=6 / 480, gravity=gravity)
        start = model.initial_state(gravity=gravity)
        state, _ = advance(model, start, inputs, SolverSettings(relaxation=mode))
        drift = abs(state.body_position[:, 0].sum())
        middle = abs(state.body_position[1, 0])
        assert drift < 1e-9  # momentum is kept in both
        assert (middle < 1e-12) == is_even  # .36 mm


def test_the_coefficient_scales_corrections():
    """A ball that rolls into another, one pass: what it gives is in proportion to c_r."""
    speeds = []
    for c_r in (1.0, 0.5):
        builder = ModelBuilder()
        for place, speed in ((0.0, 1.0), (1.001, 0.0)):
            builder.add_body(
                "ball", "SPHERE", (0.5,), (place, 0, 0), mass=1.0, velocity=(speed, 0, 0)
            )
        model = builder.finalize()
        state = model.initial_state(gravity=(0, 0, 0))
        inputs = FrameInputs(duration=1 / 480, gravity=(0, 0, 0))
        state, _ = advance(model, state, inputs, SolverSettings(contact_relaxation=c_r))
        speeds.append((state.body_position - state.body_previous)[1, 0] / state.step)
    assert 0.0 < speeds[1] < 0.9 * speeds[0]
