"""The faults that Kenwright names in his own simulator (§IV, §V) are gone: one test for each.

A chain that settles straight, jitter at rest for want of remembered contacts, stacks that want
tuning, no sleep and no shock propagation.
"""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench.rigid_scenes import LINK_LENGTH, chain, rotation_matrices
from verlet_physics.model.contact_state import ContactState
from verlet_physics.rigid.sleep.stillness import REST_TIME
from verlet_physics.truth.joints import chain_model, hanging_chain, joint_gaps


def run(model, seconds, state=None, rate=480.0, gravity=(0.0, 0.0, -9.81), forget=False):
    state = state or model.initial_state(step=1 / rate, gravity=gravity)
    settings = SolverSettings(substep_rate=rate)
    for _ in range(round(24 * seconds)):
        if forget:
            state.contacts = ContactState.at_start()
        state, _ = advance(model, state, FrameInputs(gravity=gravity), settings)
    return state


def fastest(model, state):
    """Of any corner of unit cubes, m/s."""
    moved = np.linalg.norm(state.body_position - state.body_previous, axis=1)
    turned = np.abs(state.body_orientation - state.body_previous_orientation).max(axis=1)
    return (moved + 2.0 * turned).max() / state.step


def pyramid(sleeps):
    builder = ModelBuilder()
    for row in range(6):
        for k in range(6 - row):
            place = (1.05 * (k - 0.5 * (5 - row)), 0.0, 0.5 + row)
            builder.add_body(f"{row} {k}", "BOX", (0.5,) * 3, place, mass=1.0, sleeps=sleeps)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize()


def stack(side=1.0, top=1.0, sleeps=True, count=10):
    builder = ModelBuilder()
    for k in range(count):
        mass = (top if k == count - 1 else 1.0) * 1000.0 * side**3
        place = (0.0, 0.0, side * (k + 0.5))
        builder.add_body(f"{k}", "BOX", (0.5 * side,) * 3, place, mass=mass, sleeps=sleeps)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize()


def test_fault_1_a_chain_dropped_level_settles_in_the_catenary_and_not_straight():
    scene = chain(21, both=True)
    model = chain_model(scene, 3.0)
    state = run(model, 10.0)
    first, last = scene.joint_point[0], scene.joint_point[-1]
    span = np.linalg.norm(last - first)
    exact = hanging_chain(21, span)
    middles = 0.5 * (exact[1:] + exact[:-1])
    place = state.body_position - first
    along = place @ ((last - first) / span)
    off = np.hypot(along - middles[:, 0], place[:, 2] - middles[:, 1]).max()
    assert off < 1e-3 * span  # .011 % of the span
    # neither one straight line from end to end nor two down to the middle
    lowest = middles[10, 1]
    bent = lowest * (1.0 - np.abs(np.linspace(-1, 1, 21)))
    assert lowest < -0.05 * span
    assert np.abs(middles[:, 1] - bent).max() > 20 * off
    assert joint_gaps(model, state).max() < 1e-3 * LINK_LENGTH


def test_fault_2_nothing_jitters_at_rest_and_it_is_the_memory_of_contacts_that_stills_it():
    model = pyramid(sleeps=False)
    state = run(model, 5.0)
    assert fastest(model, state) < 1e-6  # 3e-12 m/s after ten seconds
    forgetful = run(model, 1.0, state, forget=True)
    assert fastest(model, forgetful) > 1e-4


@pytest.mark.parametrize("rate", [240.0, 480.0, 960.0])
@pytest.mark.parametrize(
    ("side", "top", "gravity"),
    [
        (1.0, 1.0, 9.81),
        (1.0, 100.0, 9.81),
        (50.0, 1.0, 9.81),
        (1.0, 1.0, 1.62),
        (0.02, 1.0, 9.81),
    ],
)
def test_fault_3_stacks_stand_without_tuning(side, top, gravity, rate):
    """Default settings, sleep off: cubes of 2 cm to 50 m, a top 100 times as heavy, the Moon."""
    model = stack(side, top, sleeps=False)
    state = run(model, 4.0, rate=rate, gravity=(0.0, 0.0, -gravity))
    moved = state.body_position - model.bodies.position
    assert np.hypot(moved[:, 0], moved[:, 1]).max() < 0.02 * side
    overlap = side - np.diff(state.body_position[:, 2], prepend=-0.5 * side)
    assert np.abs(overlap).max() < 0.01 * side
    upright = rotation_matrices(state.body_orientation)[:, 2, 2]
    assert upright.min() > 1.0 - 1e-4


def test_fault_4_what_rests_sleeps_and_wakes_when_it_is_hit():
    model = stack()
    state = run(model, 3.0)
    assert (state.body_rest >= REST_TIME).all()
    later = run(model, 1.0, state)
    assert later.body_position.tobytes() == state.body_position.tobytes()
    assert later.body_orientation.tobytes() == state.body_orientation.tobytes()
    later.body_previous[9] -= (3.0 * later.step, 0.0, 0.0)  # a push
    later.body_rest[:] = 0.0
    woken = run(model, 0.5, later)
    assert woken.body_position[9, 0] > 0.1


@pytest.mark.parametrize("rate", [240.0, 480.0, 960.0])
def test_fault_4_a_shock_reaches_the_floor_at_once(rate):
    """A heavy cube dropped on a stack presses nothing into what lies below it, and all stands.

    Jolt and Rapier leave it standing as well, 14 and 1 cm aside; Bullet at 240 steps a second
    sways until it falls.
    """
    builder = ModelBuilder()
    for k in range(10):
        height = 0.5 + k + (1.0 if k == 9 else 0.0)
        mass = 20.0 if k == 9 else 1.0
        builder.add_body(f"{k}", "BOX", (0.5,) * 3, (0, 0, height), mass=mass)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state, deepest = model.initial_state(step=1 / rate), 0.0
    for _ in range(72):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=rate))
        height = np.concatenate([[-0.5], state.body_position[:, 2]])
        deepest = max(deepest, (1.0 - np.diff(height)).max())
    assert deepest < 0.03
    assert state.body_position[9, 2] == pytest.approx(9.5, abs=0.02)
    assert np.abs(state.body_position[:, :2]).max() < 0.1
