"""The points of a manifold at once: held against plain rounds over them, and against momentum."""

import numpy as np
import pytest

from verlet_physics.rigid.contacts.contact_masses import couple_points, weigh_point
from verlet_physics.rigid.contacts.contact_table import CONTACT, NORMAL
from verlet_physics.rigid.contacts.manifold_solver import (
    RESTING_ROUNDS,
    push_points,
    settle_points,
)
from verlet_physics.rigid.contacts.pair_motion import (
    load_arms,
    load_masses,
    load_motion,
    point_speed,
    point_velocity,
    pushed_at,
    speeds_along,
)
from verlet_physics.rigid.owners import owner_room

CORNERS = np.array([(1, 1, -1), (-1, 1, -1), (-1, -1, -1), (1, -1, -1)], dtype=np.float64)


def two_bodies():
    """A cube of 2 m that spins on a heavier one, and rows of the four corners between them."""
    random = np.random.default_rng(3)
    owners = owner_room(2)
    owners.inverse_mass[:] = 1.0, 0.4
    for o in range(2):
        root = random.normal(size=(3, 3))
        owners.inverse_inertia[o] = (root @ root.T + np.eye(3)) * owners.inverse_mass[o]
    owners.velocity[:] = random.normal(size=(2, 3))
    owners.spin[:] = random.normal(size=(2, 3))
    rows = np.zeros(5, CONTACT)
    rows["axis"] = np.roll(np.eye(3), 1, axis=0)  # along z, x and y
    rows["owner"] = 0, 1
    rows["arm"][:4, 0] = CORNERS
    rows["arm"][:4, 1] = CORNERS + (0.25, 0.0, 2.0)
    rows["coupling"] = np.inf  # what is left of others
    return rows, owners


def aim(rows, owners, points):
    rows["points"][0] = points
    for c in range(points):
        weigh_point(rows[c], owners)
    couple_points(rows, 0, owners)
    speeds = speeds_along(tuple(rows["axis"][0, NORMAL]), load_motion(rows[0], owners))
    for c in range(points):
        rows["velocity_error"][c] = point_speed(load_arms(rows[c]), speeds)


def plain_rounds(rows, points):
    """Gauss–Seidel as it is written in a book."""
    w = rows["coupling"][:points, :points]
    p, error = rows["impulse"][:points, NORMAL].copy(), rows["velocity_error"][:points].copy()
    kept = 1.0 - rows["softness"][:points]
    for _ in range(RESTING_ROUNDS if points > 1 else 1):
        for i in range(points):
            now = max(0.0, kept[i] * (p[i] - rows["mass"][i] * error[i]))
            error += w[:, i] * (now - p[i])
            p[i] = now
    return p


@pytest.mark.parametrize("softness", [0.0, 0.05])
@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_points_that_are_written_out_do_what_rounds_over_them_do(points, softness):
    rows, owners = two_bodies()
    rows["impulse"][:4, NORMAL] = 0.3, 0.1, 0.0, 0.2
    rows["softness"] = softness
    aim(rows, owners, points)
    wanted = plain_rounds(rows, points)
    beyond = rows[points:].copy()
    settle_points(rows, 0, NORMAL)
    assert rows["impulse"][:points, NORMAL] == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert wanted.max() > 0.0
    assert (rows[points:] == beyond).all()


def test_an_impulse_changes_the_speeds_that_it_was_said_to_and_keeps_momentum():
    rows, owners = two_bodies()
    aim(rows, owners, 4)
    motion = load_motion(rows[0], owners)
    before = [point_velocity(load_arms(rows[c]), motion) for c in range(4)]
    masses = load_masses(rows[0], owners)
    after = pushed_at(load_arms(rows[1]), masses, motion, (0.0, 0.0, 0.7))
    for c in range(4):
        gain = np.subtract(point_velocity(load_arms(rows[c]), after), before[c])
        assert gain[2] == pytest.approx(0.7 * rows["coupling"][c, 1], rel=1e-12)
    change = np.subtract(after, motion)
    assert change[0] / owners.inverse_mass[0] == pytest.approx(-change[2] / owners.inverse_mass[1])


def test_what_is_pushed_parts_at_the_speed_that_the_points_have_then():
    rows, owners = two_bodies()
    aim(rows, owners, 4)
    moving = load_masses(rows[0], owners), load_motion(rows[0], owners)
    motion, is_changed = push_points(rows, 0, NORMAL, 1.0, *moving)
    assert is_changed
    error = rows["velocity_error"][:4]
    wanted = error + rows["coupling"][:4] @ rows["impulse"][:4, NORMAL]
    found = [point_velocity(load_arms(rows[c]), motion)[2] for c in range(4)]
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)
