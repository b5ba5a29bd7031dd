"""Coins and disks are met at the point of their rim that is farthest down, wherever they got to."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.collision.kinds import CYLINDER
from verlet_physics.collision.shapes import place_shapes
from verlet_physics.model.contact_state import REMEMBERED_CONTACT
from verlet_physics.rigid.contacts.contact_making import note_pressed
from verlet_physics.rigid.contacts.rim_contact import ROLLS_ON, rim_at
from verlet_physics.rigid.sleep.stillness import REST_TIME
from verlet_physics.truth.rigid_motion import angular_momentum
from verlet_physics.vector import rotation_matrix

RADIUS, HALF = 0.03, 0.002


def lowest(model, state):
    """Height m of the lowest point of the disk, which is body 0."""
    k = int(np.argmax(model.bodies.inertia[0]))
    up = abs(rotation_matrix(state.body_orientation[0])[2, k])
    return state.body_position[0, 2] - HALF * up - RADIUS * np.sqrt(max(0.0, 1.0 - up * up))


def rolling(lean, floor="PLANE", **details):
    """A disk that rolls at 1 m/s on its rim, its axis so many degrees off the floor."""
    builder = ModelBuilder()
    t = np.radians(90.0 - lean)
    place = (0.0, 0.0, RADIUS * np.sin(t) + HALF * np.cos(t))
    turn = (np.cos(t / 2), np.sin(t / 2), 0.0, 0.0)
    spin = np.array([0.0, -np.sin(t), np.cos(t)]) / -RADIUS
    rim = RADIUS * np.array([0.0, -np.cos(t), -np.sin(t)])
    about = {"velocity": tuple(-np.cross(spin, rim)), "angular_velocity": tuple(spin), **details}
    builder.add_body("disk", "CYLINDER", (RADIUS, HALF), place, turn, mass=0.1, **about)
    if floor == "PLANE":
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    else:
        builder.add_collider("floor", "BOX", (5, 5, 0.5), (0, 0, -0.5))
    return builder.finalize()


@pytest.mark.parametrize("floor", ["PLANE", "BOX"])
@pytest.mark.parametrize("lean", [10.0, 25.0, 40.0])
def test_a_disk_that_rolls_touches_the_floor_with_its_lowest_point(lean, floor):
    model = rolling(lean, floor)
    state = model.initial_state()
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        assert abs(lowest(model, state)) < 0.002 * RADIUS


def test_a_disk_that_falls_over_lies_flat_and_sleeps():
    model = rolling(30.0, angular_drag=5.0, drag=2.0)
    state = model.initial_state()
    for _ in range(24 * 6):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert state.body_rest[0] >= REST_TIME
    assert abs(state.body_position[0, 2] - HALF) < 1e-2 * HALF


def test_a_rim_that_rubs_on_something_free_keeps_all_momenta():
    builder = ModelBuilder()
    spin = (40.0, 15.0, 5.0)
    turn = (np.cos(0.3), np.sin(0.3), 0.0, 0.0)
    builder.add_body(
        "disk",
        "CYLINDER",
        (RADIUS, HALF),
        (0, 0, 0.0233),
        turn,
        mass=0.1,
        angular_velocity=spin,
        velocity=(0.0, 0.0, -0.3),
    )
    builder.add_body("slab", "BOX", (0.2, 0.2, 0.02), (0.01, 0.02, -0.02), mass=0.4)
    model = builder.finalize()

    def momenta(state):
        velocity = (state.body_position - state.body_previous) / state.step
        linear = model.bodies.mass[:, None] * velocity
        own = sum(angular_momentum(model, state, b) for b in range(2))
        return np.concatenate(
            [linear.sum(axis=0), np.cross(state.body_position, linear).sum(axis=0) + own]
        )

    weightless = (0.0, 0.0, 0.0)
    state = model.initial_state(gravity=weightless)
    before = momenta(state)
    inputs = FrameInputs(gravity=weightless)
    for _ in range(12):
        state, _ = advance(model, state, inputs, SolverSettings())
    assert np.abs(state.body_previous[1] - model.bodies.position[1]).max() > 1e-3  # it was hit
    assert np.abs(momenta(state) - before).max() < 1e-12


def test_what_presses_is_counted_once_for_each_shape():
    remembered = np.zeros(4, dtype=REMEMBERED_CONTACT)
    remembered["shape"] = (0, 2), (0, 2), (0, 3), (1, 2)
    remembered["normal_impulse"] = 0.0, 0.3, 0.1, 0.0  # the last one only watches
    pressed = np.full(4, 7, dtype=np.int32)
    note_pressed(remembered, pressed)
    assert pressed.tolist() == [2, 0, 1, 1]


def test_points_wander_over_the_rim_of_what_rolls_by_itself_alone():
    model = rolling(30.0)
    shapes = place_shapes(model)
    disk = int(np.flatnonzero(shapes.kind == CYLINDER)[0])
    shapes.rotation_before[disk] = rotation_matrix(model.bodies.orientation[0])
    shapes.centre_before[disk] = model.bodies.position[0]
    down, axis = (0.0, 0.0, -1.0), shapes.rotation_before[disk][:, 2]
    across = down - axis * (axis @ down)
    end = HALF if axis @ down > 0.0 else -HALF
    place = shapes.centre_before[disk] + end * axis + RADIUS * across / np.linalg.norm(across)
    for pressed, radius in ((ROLLS_ON, RADIUS), (ROLLS_ON + 1, 0.0)):
        shapes.pressed[disk] = pressed
        assert rim_at(shapes, disk, down, tuple(place)) == radius
