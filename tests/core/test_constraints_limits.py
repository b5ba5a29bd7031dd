"""Angle limits, planes and lines."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.errors import ModelError
from verlet_physics.particles.constraints.angle_limit import AngleLimits
from verlet_physics.particles.constraints.plane import MovingPlanes, Planes

STILL = (0.0, 0.0, 0.0)
ELBOW = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.8, 0.5, 0.1)]


def one_step(model, rate=480.0):
    state = model.initial_state(gravity=STILL)
    inputs = FrameInputs(duration=1 / rate, gravity=STILL)
    return advance(model, state, inputs, SolverSettings(substep_rate=rate))[0].position


def dot(x):
    return (x[2] - x[0]) @ (x[1] - x[0])


def elbow(builder, mass=(1.0, 2.0, 3.0), x=ELBOW):
    return builder.add_particles("elbow", x, mass=list(mass))


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"largest": 0.3}, 0.3),
        ({"largest": 0.1}, 0.1),
        ({"smallest": 1.1}, 1.1),
        ({"smallest": 0.1, "largest": 0.9}, 0.8),
        ({"smallest": 0.85, "largest": 0.9}, 0.85),
    ],
)
def test_a_limit_is_exact_in_one_pass_and_one_sided(limits, expected):
    builder = ModelBuilder()
    builder.add_constraint(AngleLimits.of(builder, elbow(builder), [(0, 1, 2)], **limits))
    x = one_step(builder.finalize())
    assert dot(x) == pytest.approx(expected, abs=1e-14)
    mass = np.array([1.0, 2.0, 3.0])
    assert mass @ x == pytest.approx(mass @ np.array(ELBOW), abs=1e-14)


def test_the_correction_follows_the_gradient_and_the_masses():
    builder = ModelBuilder()
    builder.add_constraint(AngleLimits.of(builder, elbow(builder), [(0, 1, 2)], largest=0.7))
    moved = one_step(builder.finalize()) - ELBOW
    p, q = np.array(ELBOW[1]), np.array(ELBOW[2])
    step = moved[1] @ q / (q @ q) * 2.0
    assert moved[1] == pytest.approx(step * q / 2.0)
    assert moved[2] == pytest.approx(step * p / 3.0)
    assert moved[0] == pytest.approx(-step * (p + q))


def test_a_limit_that_no_step_reaches_is_approached():
    """Along the gradient d has a smallest value; the correction goes there and stops."""
    builder = ModelBuilder()
    builder.add_constraint(AngleLimits.of(builder, elbow(builder), [(0, 1, 2)], largest=-50.0))
    x = one_step(builder.finalize())
    assert dot(x) < dot(np.array(ELBOW))
    assert np.isfinite(x).all()


def pendulum(rate, least, most):
    """Angle in degrees at which a stick that falls from the end of a pinned one comes to rest."""
    builder = ModelBuilder()
    x = [(0, 0, 0), (1, 0, 0), (np.cos(np.radians(60)), np.sin(np.radians(60)), 0)]
    owner = builder.add_particles("elbow", x, mass=1.0, drag=2.0)
    builder.pin([0, 1])
    builder.add_sticks([(0, 2)])
    builder.add_constraint(
        AngleLimits.between(builder, owner, [(0, 1, 2)], least_degrees=least, most_degrees=most)
    )
    model = builder.finalize()
    gravity = (0.0, -9.81, 0.0)
    state = model.initial_state(step=1 / rate, gravity=gravity)
    for _ in range(96):
        inputs = FrameInputs(gravity=gravity)
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
    a = state.position[2]
    return np.degrees(np.arctan2(a[1], a[0]))


@pytest.mark.parametrize("rate", [480.0, 960.0])
def test_a_stick_that_falls_rests_on_its_limit(rate):
    assert pendulum(rate, 30.0, 150.0) == pytest.approx(30.0, abs=0.1)
    assert pendulum(rate, 45.0, 180.0) == pytest.approx(45.0, abs=0.1)


def test_contradictions_are_refused_by_name():
    builder = ModelBuilder()
    owner = elbow(builder)
    with pytest.raises(ModelError, match=r"elbow: .*vertices 0, 1 and 2.*exchange"):
        AngleLimits.of(builder, owner, [(0, 1, 2)], smallest=1.0, largest=0.0)
    with pytest.raises(ModelError, match=r"elbow: .*neither below 120° nor above 60°"):
        AngleLimits.between(builder, owner, [(0, 1, 2)], 120.0, 60.0)
    with pytest.raises(ModelError, match=r"elbow: .*between 0 and 180"):
        AngleLimits.between(builder, owner, [(0, 1, 2)], 0.0, 190.0)
    builder.add_particles("point", np.zeros((3, 3)), mass=1.0)
    with pytest.raises(ModelError, match=r"point: vertices 0 and 1 lie in one place"):
        AngleLimits.between(builder, 1, [(3, 4, 5)], 10.0, 90.0)


@pytest.mark.parametrize("x", [np.zeros((3, 3)), [(0, 0, 0), (0, 0, 0), (1, 0, 0)]])
def test_coinciding_particles_stay_finite(x):
    builder = ModelBuilder()
    owner = elbow(builder, x=x)
    limit = AngleLimits.of(builder, owner, [(0, 1, 2)], smallest=0.5, largest=0.6)
    builder.add_constraint(limit)
    assert np.isfinite(one_step(builder.finalize())).all()


# ---------------------------------------------------------------------------- planes


def falling(seconds=1.0):
    builder = ModelBuilder()
    x = np.random.default_rng(0).normal(size=(4, 3))
    owner = builder.add_particles("bead", x, mass=1.0)
    builder.pin([3])
    point, along = (0.0, 0.0, 1.0), (1.0, 1.0, 2.0)
    builder.add_constraint(Planes.of(builder, owner, [0, 1, 3], point, along))
    builder.add_constraint(Planes.of(builder, owner, [2], point, along, is_line=True))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    return x, state.position, point, np.array(along)


def test_particles_stay_in_their_planes_and_on_their_lines():
    start, x, point, along = falling()
    assert (x[:2] - point) @ along == pytest.approx([0.0, 0.0], abs=1e-12)
    assert np.cross(x[2] - point, along) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert (x[3] == start[3]).all()  # pinned: stays where it is driven


def test_on_a_slope_only_the_part_of_gravity_along_it_acts():
    """Two beads differ by their start alone: both fall by ½ g t² less its part along the normal."""
    start, x, _, along = falling()
    n = along / np.linalg.norm(along)
    fallen = (x[0] - x[1]) - (start[0] - start[1])
    assert fallen - fallen @ n * n == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    down = np.array([0.0, 0.0, -0.5 * 9.81])
    along_plane = x[0] - start[0] - (x[0] - start[0]) @ n * n
    assert along_plane == pytest.approx(down - down @ n * n, abs=1e-9)


def test_a_moving_plane_shares_the_correction_by_masses():
    builder = ModelBuilder()
    x = np.array([(0.2, 0.3, 0.01), (0, 0, 0), (1, 0, 0), (0, 1, 0)], dtype=float)
    mass = np.array([1.0, 2.0, 3.0, 4.0])
    owner = builder.add_particles("lid", x, mass=mass)
    builder.add_constraint(MovingPlanes.of(builder, owner, [(0, 1, 2, 3)]))
    now = one_step(builder.finalize())
    off = (now[0] - now[1]) @ np.cross(now[2] - now[1], now[3] - now[1])
    assert abs(off) < 1e-3 * 0.01  # one step of Newton's method
    assert mass @ now == pytest.approx(mass @ x, abs=1e-14)
    moment = np.cross(x, mass[:, None] * (now - x)).sum(axis=0)
    assert moment == pytest.approx([0.0, 0.0, 0.0], abs=1e-14)


def test_planes_through_one_line_and_without_direction():
    builder = ModelBuilder()
    x = [(0, 0, 1), (0, 0, 0), (1, 0, 0), (2, 0, 0)]
    owner = builder.add_particles("lid", x, mass=1.0)
    builder.add_constraint(MovingPlanes.of(builder, owner, [(0, 1, 2, 3)]))
    assert one_step(builder.finalize()) == pytest.approx(np.array(x, dtype=float))
    with pytest.raises(ModelError, match=r"lid: a plane has no direction"):
        Planes.of(builder, owner, [0], (0, 0, 0), (0, 0, 0))
    with pytest.raises(ModelError, match=r"lid: a line has no direction"):
        Planes.of(builder, owner, [0], (0, 0, 0), (0, 0, 0), is_line=True)
