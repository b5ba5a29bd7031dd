"""Skins that several bodies carry: where they are, whom they keep out, what they push."""

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import (
    AnimatedSettings,
    BodySettings,
    FrameInputs,
    ModelBuilder,
    ModelError,
    OnBody,
    SolverSettings,
    add_body,
    advance,
    crossings_at_start,
)
from verlet_physics.bench.cloth_scenes import MEETS_ITSELF, add_quads, sheet
from verlet_physics.bench.skinned_arm import ARM_RADIUS, add_arm, tube
from verlet_physics.particles.contacts.body_surfaces import hanging, met_bodies
from verlet_physics.truth.layers_on_bodies import drawn_places, pairs_with_bodies
from verlet_physics.truth.mixed import angular_momenta_of_all, momenta_of_all
from verlet_physics.workspace import workspace_of

FALLING = FrameInputs()
WEIGHTLESS = FrameInputs(gravity=(0.0, 0.0, 0.0))
ONE_THREAD = SolverSettings(threads=1)
BOX = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
BOX_FACES = np.array(
    [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
)
BOX_TRIANGLES = np.concatenate([BOX_FACES[:, [0, 1, 2]], BOX_FACES[:, [0, 2, 3]]])


def add_sheet(builder, place, width=0.9, columns=24, drag=0.0):
    points, quads = sheet(columns, columns, width, width)
    add_quads(builder, points + place, quads, replace(MEETS_ITSELF, drag=drag))


def played(model, frames, inputs=FALLING):
    state, states = model.initial_state(gravity=inputs.gravity), []
    for _ in range(frames):
        state, _ = advance(model, state, inputs, ONE_THREAD)
        states.append(state)
    return states


def test_a_skin_starts_where_it_is_drawn():
    builder = ModelBuilder()
    add_arm(builder, (0.3, -0.2, 0.7))
    model = builder.finalize()
    points, _ = tube()
    np.testing.assert_allclose(
        drawn_places(model, model.initial_state()), points + (0.3, -0.2, 0.7), atol=1e-15
    )


@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_cloth_does_not_pass_through_the_skin_of_an_arm_that_bends(tilt):
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_arm(builder, (0.0, 0.0, 0.6), velocity=(0.0, tilt, 0.0))
    add_sheet(builder, (0.05, 0.02, 0.72), drag=1.5)
    model = builder.finalize()
    pairs = [pairs_with_bodies(model, state) for state in played(model, 36)[2::3]]
    assert max(pairs) == 0


@pytest.mark.parametrize("mass", [0.2, 4.0])
def test_what_the_skin_pushes_pushes_its_bodies(mass):
    builder = ModelBuilder()
    add_arm(builder, (0.1, 0.05, 0.0), mass, (0.0, 0.0, 2.0))
    add_sheet(builder, (0.0, 0.0, 0.15), 0.8, 20)
    model = builder.finalize()
    states = played(model, 30, WEIGHTLESS)
    first, last = (momenta_of_all(model, s).sum(axis=0) for s in (states[0], states[-1]))
    assert np.abs(last - first).max() < 1e-3 * np.abs(first).max()
    cloth = momenta_of_all(model, states[-1])[: len(model.particles)].sum(axis=0)
    assert cloth[2] > 0.1  # it went along
    first, last = (angular_momenta_of_all(model, s).sum(axis=0) for s in (states[0], states[-1]))
    assert np.abs(last - first).max() < 1e-3 * np.abs(first).max()


def test_skins_of_driven_bodies_are_where_these_have_turned_to():
    """They were a substep behind: a sleeve came through an arm that followed its keys."""
    builder = ModelBuilder()
    limbs = [
        builder.add_body(
            f"limb {k}", "BOX", (0.2, 0.02, 0.02), (x, 0.0, 0.0), mass=1.0, follows="ANIMATED"
        )
        for k, x in enumerate((-0.2, 0.2))
    ]
    points, faces = tube()
    row = np.arange(len(points))
    both = np.repeat((0, 1), len(points))
    half = np.full(2 * len(points), 0.5)
    builder.add_skin("arm", limbs, points, faces, np.tile(row, 2), both, half)
    add_sheet(builder, (0.0, 0.0, 0.2))
    model = builder.finalize()
    state = model.initial_state()
    for frame in range(1, 4):
        turned = (np.cos(0.1 * frame), np.sin(0.1 * frame), 0.0, 0.0)
        inputs = FrameInputs(
            body_position=model.bodies.position,
            body_orientation=np.array([turned, turned]),
            animated=(AnimatedSettings(pin=1.0),) * 2 + (AnimatedSettings(),),
        )
        state, _ = advance(model, state, inputs, ONE_THREAD)
        room = workspace_of(model).surfaces
        np.testing.assert_allclose(room.x[room.by_itself :], drawn_places(model, state), atol=1e-12)


def tied_sheet():
    """A sheet whose first row begins inside the skin and is tied to a limb; that row."""
    builder = ModelBuilder()
    limbs = add_arm(builder, (0.0, 0.0, 0.6))
    points, quads = sheet(12, 12, 0.4, 0.4)
    add_quads(builder, points + (0.0, 0.2 + ARM_RADIUS - 0.02, 0.6), quads, MEETS_ITSELF)
    for limb, rows in zip(limbs, (np.arange(6), np.arange(6, 12))):
        builder.add_attachment(OnBody(limb), rows[:, None])
    return builder.finalize()


def test_what_hangs_on_bodies_lies_in_their_skin_as_it_likes():
    model = tied_sheet()
    np.testing.assert_array_equal(hanging(model, met_bodies(model)), np.arange(12))
    assert crossings_at_start(model) == ()  # but for what hangs there
    states = played(model, 12)
    first, last = (drawn_places(model, s) for s in (states[0], states[-1]))
    away = np.linalg.norm(states[-1].position - states[0].position, axis=1)
    fallen = np.linalg.norm(last - first, axis=1).max()
    assert away.max() < 1.5 * fallen  # nothing was thrown out


def test_builders_refuse_skins_that_nothing_carries():
    builder = ModelBuilder()
    add_sheet(builder, (0.0, 0.0, 1.0))
    points, faces = tube()
    row = np.arange(len(points))
    with pytest.raises(ModelError, match="arm: its skin needs rigid bodies"):
        builder.add_skin("arm", [0], points, faces, row, 0 * row, np.ones(len(row)))
    body = builder.add_body("limb", "BOX", (0.2, 0.02, 0.02), (0.0, 0.0, 0.0), mass=1.0)
    with pytest.raises(ModelError, match="arm: some points of its skin have no weight"):
        builder.add_skin("arm", [body], points, faces, row[1:], 0 * row[1:], np.ones(len(row) - 1))


def test_skins_and_bodies_that_are_drawn_are_told_apart():
    builder = ModelBuilder()
    settings = BodySettings(mass=1.0)
    crate = 0.1 * BOX + (0.0, 1.0, 0.5)
    add_body(builder, "crate", crate, (1, 0, 0, 0), settings, triangles=BOX_TRIANGLES)
    add_arm(builder, (0.0, 0.0, 0.6))
    add_sheet(builder, (0.0, 0.0, 0.9))
    model = builder.finalize()
    assert model.body_surfaces.is_skin.tolist() == [False, True]
    assert len(met_bodies(model)) == 2
    assert len(hanging(model, met_bodies(model))) == 0
    assert crossings_at_start(model) == ()
