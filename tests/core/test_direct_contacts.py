"""Contacts of uneven islands near rest, solved at once."""

import math

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.rigid.contacts.body_band import band_room, factor_band, solve_band
from verlet_physics.rigid.contacts.direct_contacts import _cone_slope, _in_cone
from verlet_physics.rigid.joints.joint_fronts import BODY_ROWS
from verlet_physics.vec3 import dot, sub

MU = 0.6
ASKED = np.random.default_rng(1).normal(0.0, 1.0, (200, 3))


def test_the_nearest_place_in_the_cone_is_in_it_and_square_to_the_way_there():
    for y in map(tuple, ASKED):
        p = _in_cone(y, MU)
        assert math.hypot(p[1], p[2]) <= MU * p[0] + 1e-15
        way = sub(y, p)
        assert abs(dot(way, p)) < 1e-14  # a cone: what is cut off is square to what is left
        assert MU * math.hypot(way[1], way[2]) <= -way[0] + 1e-14  # and points away from it all


def test_the_slope_of_the_cone_is_its_derivative():
    for y in ASKED:
        nn, n1, n2, one, cross, two = _cone_slope(tuple(y), MU)
        slope = np.array([[nn, n1, n2], [n1, one, cross], [n2, cross, two]])
        steps = 1e-7 * np.eye(3)
        by = [
            np.subtract(_in_cone(tuple(y + d), MU), _in_cone(tuple(y - d), MU)) / 2e-7
            for d in steps
        ]
        assert np.allclose(slope, np.array(by).T, atol=1e-6)


def _band_of(matrix, last):
    """The upper half of a matrix as a band."""
    count = len(last)
    band = band_room(count)
    band.count[0] = count
    at = 0
    for k in range(count):
        rows = matrix[
            BODY_ROWS * k : BODY_ROWS * (k + 1), BODY_ROWS * k : BODY_ROWS * (last[k] + 1)
        ]
        band.first[k], band.last[k] = at, last[k]
        band.value[at : at + rows.size] = rows.reshape(-1)
        at += rows.size
    band.first[count] = at
    return band


def test_a_band_is_solved_as_numpy_solves_the_matrix():
    random = np.random.default_rng(2)
    last = [2, 3, 3, 5, 5, 5, 6]
    size = BODY_ROWS * len(last)
    lower = np.zeros((size, size))
    for k, reach in enumerate(last):
        lower[BODY_ROWS * k : BODY_ROWS * (reach + 1), BODY_ROWS * k : BODY_ROWS * (k + 1)] = (
            random.normal(size=(BODY_ROWS * (reach + 1 - k), BODY_ROWS))
        )
    matrix = np.tril(lower) @ np.tril(lower).T + 5.0 * np.eye(size)
    band = _band_of(matrix, last)
    right = random.normal(size=size)
    band.vector[:size] = right
    factor_band(band)
    solve_band(band)
    assert np.allclose(band.vector[:size], np.linalg.solve(matrix, right), rtol=1e-9, atol=1e-12)


def _after(model, seconds, rate=480.0, threads=1):
    state, settings = (
        model.initial_state(step=1.0 / rate),
        SolverSettings(substep_rate=rate, threads=threads),
    )
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, FrameInputs(), settings)
    return state


def _table(top, feet, tilt):
    """A plate of so many kg on feet of 1 kg, on a slope, all turned about it."""
    builder = ModelBuilder()
    turn = (math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0)
    c, s = math.cos(tilt), math.sin(tilt)
    for k in range(feet):
        a = 2.0 * math.pi * k / feet
        x, y, z = 0.7 * math.cos(a), 0.7 * math.sin(a), 0.2
        builder.add_body(
            f"foot {k}",
            "BOX",
            (0.1, 0.1, 0.2),
            (c * x + s * z, y, -s * x + c * z),
            turn,
            mass=1.0,
            sleeps=False,
        )
    builder.add_body(
        "plate", "BOX", (1, 1, 0.05), (s * 0.45, 0, c * 0.45), turn, mass=top, sleeps=False
    )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), turn)
    return builder.finalize()


@pytest.mark.parametrize("top", [7.0, 300.0, 20000.0])
@pytest.mark.parametrize("feet", [3, 4, 7])
@pytest.mark.parametrize("tilt", [0.0, 0.35])
def test_a_heavy_plate_stays_on_its_feet_on_a_slope(top, feet, tilt):
    model = _table(top, feet, tilt)
    moved = _after(model, 5.0).body_position - model.bodies.position
    assert np.abs(moved).max() < 2e-4


def _sledge(mass, speed):
    """A box of so many kg on a plate of 2 kg that slides over the floor with it."""
    builder = ModelBuilder()
    thrown = {"velocity": (speed, 0.0, 0.0), "sleeps": False}
    builder.add_body("plate", "BOX", (1, 1, 0.05), (0, 0, 0.05), mass=2.0, friction=0.3, **thrown)
    builder.add_body("load", "BOX", (0.4,) * 3, (0, 0, 0.5), mass=mass, friction=0.9, **thrown)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=0.3)
    return builder.finalize()


@pytest.mark.parametrize("mass", [10.0, 400.0])
def test_a_loaded_sledge_slides_as_far_as_friction_says(mass):
    speed = 2.0
    model = _sledge(mass, speed)
    moved = _after(model, 2.0).body_position - model.bodies.position
    assert np.abs(moved[:, 0] - speed**2 / (2.0 * 0.3 * 9.81)).max() < 2e-3
    assert np.abs(moved[:, 1:]).max() < 2e-4


def test_piles_end_with_the_same_bits_on_two_threads():
    model = _table(300.0, 4, 0.2)
    one, two = _after(model, 0.5), _after(model, 0.5, threads=2)
    assert np.array_equal(one.body_position, two.body_position)
    assert np.array_equal(one.body_orientation, two.body_orientation)
