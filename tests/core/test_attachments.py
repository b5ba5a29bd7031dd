"""Particles tied to rigid bodies, both ways."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.coupling.attachment import Attachments
from verlet_physics.model.joint_table import OnBody
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.rope import add_rope
from verlet_physics.rigid.sleep.stillness import REST_TIME
from verlet_physics.settings import AnimatedSettings, ClothSettings, RopeSettings


def crate_on_a_rope():
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
    return builder.finalize()


def test_a_rope_holds_a_crate():
    model = crate_on_a_rope()
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
        total = (model.particles.mass[:, None] * v).sum(axis=0) + 2.0 * w[0]
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


def grid(count, spacing, place):
    """Points and faces of a sheet of count × count vertices with its first row at a place."""
    n = np.arange(count * count)
    at = np.stack([n % count - 0.5 * (count - 1), n // count, 0 * n], axis=1)
    first = n[(n % count < count - 1) & (n // count < count - 1)]
    faces = first[:, None] + (0, 1, count + 1, count)
    return spacing * at + place, faces


def sheet(builder, name, place, spacing=0.1, settings=None):
    """A cloth of 6 × 6 vertices; returns its first particle."""
    points, faces = grid(6, spacing, place)
    edges = {tuple(sorted(e)) for f in faces.tolist() for e in zip(f, f[1:] + f[:1], strict=True)}
    corners = np.arange(0, 4 * len(faces) + 1, 4)
    first = builder.particle_count
    add_cloth(
        builder,
        Geometry.of(name, points, sorted(edges), corners, faces.ravel()),
        settings or ClothSettings(),
    )
    return first


def caped(mass=10.0, collar=0.1, **moving):
    """A box that wears a cape on its back, above a floor."""
    builder = ModelBuilder()
    first = sheet(builder, "cape", np.array([0.0, collar, 0.5]))
    box = OnBody(builder.add_body("box", "BOX", (0.2, 0.3, 0.2), (0, 0, 0.4), mass=mass, **moving))
    builder.add_attachment(box, first + np.arange(6))
    return builder, box


def widest_gap(model, state):
    """How far m tied particles are from where their bodies hold them."""
    ties = [c for c in model.constraints if isinstance(c, Attachments)]
    return max(
        np.linalg.norm(
            state.position[tie.particle[:, 0]]
            - tie.places(state.body_position, state.body_orientation),
            axis=1,
        ).max()
        for tie in ties
    )


def test_ties_hold_in_the_frame_of_a_landing():
    builder, _ = caped(velocity=(0, 0, -4.0), angular_velocity=(2.0, 3.0, 0.0))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        assert widest_gap(model, state) < 1e-5


def test_a_heavy_point_does_not_throw_a_light_body():
    builder = ModelBuilder()
    builder.add_particles("load", [(0.1, 0, 0.5), (0.3, 0, 0.5)], mass=5.0)
    builder.add_sticks([(0, 1)])
    toy = OnBody(builder.add_body("toy", "BOX", (0.1,) * 3, (0, 0, 0.5), mass=0.05))
    builder.add_attachment(toy, [0])
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(60):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        speed = np.linalg.norm(state.body_position - state.body_previous) / state.step
        assert speed < 6.0


def test_who_wears_clothes_sleeps_and_wakes_when_they_are_pulled():
    builder, _ = caped()
    builder.pin([35], 0.0)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(72):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert state.body_rest[0] >= REST_TIME
    lying = state.body_position.copy()
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    np.testing.assert_array_equal(state.body_position, lying)
    corner = state.position[35].copy()
    for frame in range(1, 25):
        pull = FrameInputs(
            pin_weight=np.ones(1), pin_position=corner[None] + (0, 0.05 * frame, 0.02 * frame)
        )
        state, _ = advance(model, state, pull, SolverSettings())
    assert state.body_rest[0] == 0.0
    assert state.body_position[0, 1] > lying[0, 1] + 0.1  # it came along


def test_what_hangs_does_not_sleep():
    model = crate_on_a_rope()
    state = model.initial_state()
    for _ in range(60):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        assert state.body_rest[0] < REST_TIME
    assert np.linalg.norm(state.body_position - state.body_previous) / state.step < 0.01


def test_a_tied_collar_does_not_push_its_body():
    builder, _ = caped(collar=0.25)
    model = builder.finalize()
    state, weightless = model.initial_state(gravity=(0, 0, 0)), FrameInputs(gravity=(0, 0, 0))
    for _ in range(24):  # vertices of it lie within the box
        state, _ = advance(model, state, weightless, SolverSettings())
    np.testing.assert_allclose(state.body_position[0], (0, 0, 0.4), atol=1e-12)
