"""Sticks and springs against what their formulas promise."""

import numpy as np
import pytest

from verlet_physics import ClothSettings, FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench import scenes
from verlet_physics.particles.constraints.repair import REPAIR_SPEED

NO_GRAVITY = (0.0, 0.0, 0.0)
ONE_STEP = FrameInputs(duration=1 / 480, gravity=NO_GRAVITY)


def pair(mass=(1.0, 1.0), pinned=(), spring=None, length=1.0):
    """Two particles on a stick or spring 1 m long, so far apart."""
    builder = ModelBuilder()
    builder.add_particles("pair", [(0, 0, 0), (length, 0, 0)], mass=mass)
    if spring is None:
        builder.add_sticks([[0, 1]], 1.0)
    else:
        builder.add_springs([[0, 1]], spring, 1.0)
    builder.pin(list(pinned))
    return builder.finalize()


def one_step(model, stretch=1.2, **settings):
    """Where a step ends in which the second particle would fly to ``stretch`` m."""
    state = model.initial_state(gravity=NO_GRAVITY)
    state.previous[1, 0] -= stretch - state.position[1, 0]
    state, _ = advance(model, state, ONE_STEP, SolverSettings(**settings))
    return state.position[:, 0]


def test_exact_form_moves_both_ends_alike_toward_each_other():
    left, right = one_step(pair(mass=(1.0, 3.0)), stick_form="EXACT")
    assert left == pytest.approx(0.1)
    assert right == pytest.approx(1.1)


@pytest.mark.parametrize("form", ["MASS_WEIGHTED", "SQRT_FREE", "MOMENTUM"])
def test_mass_forms_move_the_light_end_more(form):
    left, right = one_step(pair(mass=(1.0, 3.0)), stick_form=form)
    assert left == pytest.approx(3 * (1.2 - right))
    assert left > 0


def test_mass_weighted_form_is_exact_in_one_pass():
    left, right = one_step(pair(mass=(1.0, 3.0)), stick_form="MASS_WEIGHTED")
    assert right - left == pytest.approx(1.0, abs=1e-14)


def test_sqrt_free_form_is_jakobsens_listing():
    # δ *= r²/(δ·δ + r²) − ½; x1 −= δ; x2 += δ
    delta = 1.2 * (1 / (1.2**2 + 1) - 0.5)
    left, right = one_step(pair(), stick_form="SQRT_FREE")
    assert left == pytest.approx(-delta)
    assert right == pytest.approx(1.2 + delta)


@pytest.mark.parametrize("form", ["EXACT", "MASS_WEIGHTED", "SQRT_FREE", "MOMENTUM"])
@pytest.mark.parametrize("stretch", [0.3, 0.9, 1.1, 3.0])
def test_every_form_converges_to_the_rest_length(form, stretch):
    left, right = one_step(pair(), stretch, stick_form=form, iterations=40)
    assert right - left == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("form", ["EXACT", "MASS_WEIGHTED", "SQRT_FREE", "MOMENTUM"])
def test_a_pinned_end_does_not_move(form):
    left, right = one_step(pair(pinned=[0]), stick_form=form, iterations=40)
    assert left == 0.0
    assert right == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("form", ["EXACT", "MASS_WEIGHTED", "SQRT_FREE", "MOMENTUM"])
def test_coinciding_ends_and_zero_lengths_stay_finite(form):
    builder = ModelBuilder()
    builder.add_particles("pair", [(0, 0, 0), (0, 0, 0), (1, 0, 0)], mass=1.0)
    builder.add_sticks([[0, 1], [1, 2]])  # the first has no length
    state = builder.finalize().initial_state()
    model = builder.finalize()
    for _ in range(10):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(stick_form=form))
    assert np.isfinite(state.position).all()
    assert np.linalg.norm(state.position[1] - state.position[0]) < 1e-9


@pytest.mark.parametrize(("length", "comes"), [(1.9, 0.9), (3.0, 1.0), (9.0, 1.0)])
@pytest.mark.parametrize("how", ["GAUSS_SEIDEL", "JACOBI", "spring"])
def test_what_was_too_long_before_the_step_comes_back_by_its_own_length_at_most(how, length, comes):
    stiff = 1e7 if how == "spring" else None
    model = pair(length=length, spring=stiff, pinned=[0])
    settings = SolverSettings(relaxation="GAUSS_SEIDEL" if stiff else how)
    state = model.initial_state(gravity=NO_GRAVITY)
    state, _ = advance(model, state, ONE_STEP, settings)
    came = length - state.position[1, 0]
    assert came == pytest.approx(comes, rel=0.25 if length < 3.0 else 0.06)  # one pass of its form


def test_short_sticks_come_back_at_a_limited_speed():
    builder = ModelBuilder()
    builder.add_particles("pair", [(0, 0, 0), (0.1, 0, 0)], mass=1.0)
    builder.add_sticks([[0, 1]], 1e-3)
    builder.pin([0])
    model = builder.finalize()
    state = model.initial_state(gravity=NO_GRAVITY)
    state, _ = advance(model, state, ONE_STEP, SolverSettings())
    assert (0.1 - state.position[1, 0]) * 480.0 == pytest.approx(REPAIR_SPEED, rel=0.06)


def test_a_spring_that_a_step_can_follow_pulls_with_all_of_its_force():
    model = pair(length=3.0, spring=500.0, pinned=[0])
    state = model.initial_state(gravity=NO_GRAVITY)
    state, _ = advance(model, state, ONE_STEP, SolverSettings())
    pulled = (3.0 - state.position[1, 0]) * 480.0**2
    assert pulled == pytest.approx(500.0 * 2.0, rel=0.01)


@pytest.mark.parametrize("rate", [480.0, 1920.0])
@pytest.mark.parametrize("iterations", [1, 8])
@pytest.mark.parametrize("turn", [-1, 0, 1])
def test_spring_stiffness_is_physical_at_any_rate_pass_count_and_turn(rate, iterations, turn):
    """A mass on a spring of k N/m hangs m·g/k below its rest length."""
    builder = ModelBuilder()
    builder.add_particles("weight", [(0, 0, 0), (0, 0, -1)], mass=2.0, drag=20.0)
    builder.pin([0])
    builder.add_springs([[0, 1]], 500.0, turn=turn)
    model = builder.finalize()
    settings = SolverSettings(substep_rate=rate, iterations=iterations)
    state = model.initial_state(step=1 / rate)
    for _ in range(120):
        state, _ = advance(model, state, FrameInputs(), settings)
    # a spring that takes turns lets the weight fall for a step between two pushes
    ripple = 0.0 if turn < 0 else 3.0 * 9.81 / rate**2
    assert -state.position[1, 2] - 1.0 == pytest.approx(2.0 * 9.81 / 500.0, rel=1e-3, abs=ripple)


def test_spring_oscillates_at_its_own_frequency():
    builder = ModelBuilder()
    builder.add_particles("pair", [(0, 0, 0), (1.01, 0, 0)], mass=1.0)
    builder.pin([0])
    builder.add_springs([[0, 1]], 100.0, 1.0)
    model = builder.finalize()
    step = 1 / 9600
    state = model.initial_state(step=step, gravity=NO_GRAVITY)
    inputs = FrameInputs(duration=step, gravity=NO_GRAVITY)
    crossings = []
    before = 1.0
    while len(crossings) < 5:
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=9600))
        now = state.position[1, 0] - 1.0
        if before * now < 0:
            crossings.append(state.time)
        before = now
    period = (crossings[4] - crossings[0]) / 2
    assert period == pytest.approx(2 * np.pi / 10, rel=0.01)


def test_tethers_hold_a_long_strip_that_sticks_alone_let_stretch():
    def strip(tethers):
        builder = ModelBuilder()
        scenes.add_sheet(builder, 40, pins=tuple(range(1560, 1600)),
                         settings=ClothSettings(tethers=tethers))  # fmt: skip
        model = builder.finalize()
        state = model.initial_state()
        for _ in range(48):  # the strain limit would help the sticks
            state, figures = advance(model, state, FrameInputs(), SolverSettings(strain_limit=0.0))
        return figures.stretch_mean

    assert strip(True) < 0.5 * strip(False)
