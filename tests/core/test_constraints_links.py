"""Links and partial repair against what their formulas promise."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.errors import ModelError
from verlet_physics.model.constraint import Moving
from verlet_physics.particles.constraints.link import Links
from verlet_physics.particles.constraints.repair import repair_rate, share_per_pass
from verlet_physics.settings import AnimatedSettings

STILL = (0.0, 0.0, 0.0)


def linked_pair(apart, *, mass=1.0, pinned=(), drag=0.0, axis=0, **limits):
    builder = ModelBuilder()
    x = np.zeros((2, 3))
    x[1, axis] = apart
    pair = builder.add_particles("pair", x, mass=mass, drag=drag)
    builder.pin(list(pinned))
    builder.add_constraint(Links.of(builder, pair, [(0, 1)], **limits))
    return builder.finalize()


def distance_after_one_step(model, iterations=1):
    state = model.initial_state(gravity=STILL)
    inputs = FrameInputs(duration=1 / 480, gravity=STILL)
    state, _ = advance(model, state, inputs, SolverSettings(iterations=iterations))
    return np.linalg.norm(state.position[1] - state.position[0])


@pytest.mark.parametrize(
    ("apart", "limits", "expected"),
    [
        (0.7, {"shortest": 1.0}, 1.0),
        (1.3, {"shortest": 1.0}, 1.3),
        (1.3, {"longest": 1.0}, 1.0),
        (0.7, {"longest": 1.0}, 0.7),
        (0.7, {"shortest": 0.9, "longest": 1.1}, 0.9),
        (1.3, {"shortest": 0.9, "longest": 1.1}, 1.1),
        (1.0, {"shortest": 0.9, "longest": 1.1}, 1.0),
        (1.3, {"shortest": 1.0, "longest": 1.0}, 1.0),
        (1.3, {}, 1.3),
    ],
)
def test_limits_act_only_when_they_are_passed(apart, limits, expected):
    assert distance_after_one_step(linked_pair(apart, **limits)) == pytest.approx(expected)


def test_the_light_end_moves_more():
    model = linked_pair(1.4, mass=[1.0, 3.0], longest=1.0)
    state = model.initial_state(gravity=STILL)
    state, _ = advance(model, state, FrameInputs(duration=1 / 480, gravity=STILL), SolverSettings())
    assert state.position[:, 0] == pytest.approx([0.3, 1.3])


def test_a_share_repairs_that_share_in_every_pass():
    """Jakobsen §7: 60 % leaves 40, 16, 6.4 % of the error."""
    for passes, left in ((1, 0.4), (2, 0.16), (3, 0.064)):
        model = linked_pair(1.5, shortest=1.0, longest=1.0, repair=0.6)
        assert distance_after_one_step(model, passes) == pytest.approx(1.0 + 0.5 * left)


def hanging(rate, *, stiffness=1.0, seconds=6, **limits):
    model = linked_pair(-1.0, pinned=[0], mass=2.0, drag=20.0, axis=2, **limits)
    settings = SolverSettings(substep_rate=rate)
    state = model.initial_state(step=1 / rate)
    inputs = FrameInputs(animated=(AnimatedSettings(stiffness=stiffness),))
    for _ in range(24 * seconds):
        state, _ = advance(model, state, inputs, settings)
    return np.linalg.norm(state.position[1]) - 1.0


@pytest.mark.parametrize("rate", [240.0, 480.0, 960.0])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_a_share_holds_a_load_alike_at_any_substep_rate(rate, share):
    """The error e with (1 − s)(e + g h₀²) = e, whatever the step."""
    sag = 9.81 / 480**2 * (1.0 - share) / share
    assert hanging(rate, longest=1.0, repair=share) == pytest.approx(sag, rel=1e-3)


@pytest.mark.parametrize("rate", [240.0, 960.0])
def test_compliance_is_in_metres_per_newton(rate):
    assert hanging(rate, longest=1.0, compliance=1e-3) == pytest.approx(2e-3 * 9.81, rel=1e-3)
    half = hanging(rate, longest=1.0, compliance=1e-3, stiffness=0.5)
    assert half == pytest.approx(4e-3 * 9.81, rel=1e-3)


def test_shares_have_their_end_points():
    assert share_per_pass(1.0, repair_rate(1 / 960, 1.0)) == 1.0
    assert share_per_pass(0.0, repair_rate(1 / 960, 1.0)) == 0.0
    assert share_per_pass(1.0, repair_rate(1 / 960, 0.0)) == 0.0
    assert share_per_pass(0.3, repair_rate(1 / 480, 1.0)) == pytest.approx(0.3)


@pytest.mark.parametrize("rate", [480.0, 960.0])
def test_sewing_closes_at_its_speed_and_stops_at_the_shortest_length(rate):
    model = linked_pair(1.0, closing_speed=0.5, shortest=0.2)
    state = model.initial_state(step=1 / rate, gravity=STILL)
    lengths = []
    for _ in range(48):
        state, _ = advance(
            model, state, FrameInputs(gravity=STILL), SolverSettings(substep_rate=rate)
        )
        lengths.append(np.linalg.norm(state.position[1] - state.position[0]))
    assert lengths[11] == pytest.approx(0.75, abs=2e-3)
    assert lengths[23] == pytest.approx(0.5, abs=2e-3)
    assert lengths[-1] == pytest.approx(0.2, abs=2e-3)


def test_coinciding_ends_part_the_same_way_every_time():
    ends = []
    for _ in range(2):
        model = linked_pair(0.0, shortest=0.3, longest=1.0)
        state = model.initial_state(gravity=STILL)
        inputs = FrameInputs(duration=1 / 480, gravity=STILL)
        state, _ = advance(model, state, inputs, SolverSettings())
        ends.append(state.position)
        assert np.linalg.norm(np.diff(state.position, axis=0)) == pytest.approx(0.3)
        assert state.position.sum(axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)
    assert (ends[0] == ends[1]).all()


def test_contradicting_limits_are_refused_by_vertices():
    builder = ModelBuilder()
    builder.add_particles("first", np.zeros((4, 3)), mass=1.0)
    knee = builder.add_particles("knee", np.eye(3), mass=1.0)
    with pytest.raises(ModelError, match=r"knee: .*vertices 1 and 2.*shorter than 2"):
        Links.of(builder, knee, [(4, 5), (5, 6)], shortest=[0.5, 2.0], longest=1.0)


@pytest.mark.parametrize(
    ("pairs", "limits", "message"),
    [
        ([(0, 0)], {}, "one vertex twice"),
        ([(0, 9)], {}, "outside"),
        ([(0.5, 1.5)], {}, "whole numbers"),
        ([(0, 1)], {"repair": 1.5}, "between 0 and 1"),
        ([(0, 1)], {"compliance": -1.0}, "0 or more"),
        ([(0, 1)], {"longest": np.nan}, "not finite"),
        ([(0, 1)], {"shortest": [1.0, 2.0]}, "shape"),
    ],
)
def test_bad_input_is_refused_by_name(pairs, limits, message):
    builder = ModelBuilder()
    pair = builder.add_particles("pair", np.eye(3), mass=1.0)
    with pytest.raises(ModelError, match=f"pair: .*{message}"):
        Links.of(builder, pair, pairs, **limits)


@pytest.mark.parametrize(("sign", "limits"), [(1, {"longest": 1.0}), (-1, {"shortest": 1.0})])
def test_a_limit_gives_back_what_it_took_and_no_more(sign, limits):
    """Pass 1 pulls by 2 mm; others then move the ends past the limit; pass 2 returns 2 mm."""
    builder = ModelBuilder()
    start = np.array([(0.0, 0.0, 0.0), (1.0 + 0.002 * sign, 0.0, 0.0)])
    pair = builder.add_particles("pair", start, mass=1.0)
    link = Links.of(builder, pair, [(0, 1)], **limits)
    moving = Moving(
        x=start.copy(),
        previous=start.copy(),
        inverse_mass=np.ones(2),
        h=1 / 480,
        time=0.0,
        is_first_pass=True,
        animated=(AnimatedSettings(),),
    )
    multiplier = np.zeros(link.multiplier_count)
    link.project(moving, multiplier)
    assert moving.x[1, 0] - moving.x[0, 0] == pytest.approx(1.0)
    moving.x[1, 0] -= 0.005 * sign
    moving.is_first_pass = False
    link.project(moving, multiplier)
    assert moving.x[1, 0] - moving.x[0, 0] == pytest.approx(1.0 - 0.003 * sign, abs=1e-4)
    link.project(moving, multiplier)
    assert moving.x[1, 0] - moving.x[0, 0] == pytest.approx(1.0 - 0.003 * sign, abs=1e-4)
