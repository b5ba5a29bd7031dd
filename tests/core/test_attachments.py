"""Particles tied to rigid bodies, both ways."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.rope import add_rope
from verlet_physics.rigid.joint_table import OnBody
from verlet_physics.settings import AnimatedSettings, RopeSettings


def test_a_rope_holds_a_crate():
    builder = ModelBuilder()
    line = np.stack([np.zeros(11), np.zeros(11), np.linspace(0.0, -1.0, 11)], axis=1)
    add_rope(
        builder,
        Geometry.of("rope", line, [(n, n + 1) for n in range(10)]),
        RopeSettings(),
        pin_weight=np.arange(11) == 0,
    )
    crate = OnBody(builder.add_body("crate", "BOX", (0.2,) * 3, (0, 0, -1.2), mass=2.0))
    builder.add_attachment(crate, [10])
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert state.body_position[0, 2] == pytest.approx(-1.2, abs=0.05)
    top = state.body_position[0] + (0, 0, 0.2)
    assert np.linalg.norm(state.position[10] - top) < 2e-3


def test_a_tied_particle_and_its_body_keep_their_momenta():
    builder = ModelBuilder()
    crate = OnBody(
        builder.add_body(
            "crate", "BOX", (0.3, 0.2, 0.1), (0, 0, 0), mass=2.0, angular_velocity=(1, 2, 3)
        )
    )
    builder.add_particles("dust", [(0.3, 0.2, 0.1), (0.5, 0.2, 0.1)], mass=[0.5, 0.7])
    builder.add_sticks([(0, 1)])
    builder.add_attachment(crate, [[0, 1]], weights=[[0.75, 0.25]])
    model = builder.finalize()
    state = model.initial_state(gravity=(0, 0, 0))
    for _ in range(50):
        state, _ = advance(model, state, FrameInputs(gravity=(0, 0, 0)), SolverSettings())
        v = (state.position - state.previous) / state.step
        w = (state.body_position - state.body_previous) / state.step
        total = (model.mass[:, None] * v).sum(axis=0) + 2.0 * w[0]
        assert np.abs(total).max() < 1e-10


def test_bad_ties_are_named():
    builder = ModelBuilder()
    builder.add_particles("dust", [(0, 0, 0)], mass=1.0)
    with pytest.raises(ModelError, match="rigid body"):
        builder.add_attachment(OnBody(0), [0])
    with pytest.raises(ModelError, match="particle"):
        builder.add_attachment(OnBody(0), [3])


def test_ties_hold_as_long_as_the_object_does():
    builder = ModelBuilder()
    builder.add_particles("dust", [(0, 0, 0)], mass=1.0)
    moving = {"mass": 1.0, "velocity": (1, 0, 0)}
    crate = OnBody(builder.add_body("crate", "BOX", (0.1,) * 3, (0, 0, -0.1), **moving))
    builder.add_attachment(crate, [0])
    model = builder.finalize()
    for pin, apart in ((1.0, False), (0.0, True)):
        state = model.initial_state(gravity=(0, 0, 0))
        loosely = (AnimatedSettings(pin=pin), AnimatedSettings())
        for _ in range(5):
            inputs = FrameInputs(gravity=(0, 0, 0), animated=loosely)
            state, _ = advance(model, state, inputs, SolverSettings())
        assert (state.position[0, 0] == 0.0) == apart
