"""Sticks and springs against what their formulas promise."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance

NO_GRAVITY = (0.0, 0.0, 0.0)
ONE_STEP = FrameInputs(duration=1 / 480, gravity=NO_GRAVITY)


def stretched_pair(mass=(1.0, 1.0), stretch=1.2, pinned=(), spring=None):
    builder = ModelBuilder()
    builder.add_particles("pair", [(0, 0, 0), (stretch, 0, 0)], mass=mass)
    if spring is None:
        builder.add_sticks([[0, 1]], 1.0)
    else:
        builder.add_springs([[0, 1]], spring, 1.0)
    builder.pin(list(pinned))
    return builder.finalize()


def one_step(model, **settings):
    state = model.initial_state(gravity=NO_GRAVITY)
    state, _ = advance(model, state, ONE_STEP, SolverSettings(**settings))
    return state.position[:, 0]


def test_exact_form_moves_both_ends_alike_toward_each_other():
    left, right = one_step(stretched_pair(mass=(1.0, 3.0)), stick_form="EXACT")
    assert left == pytest.approx(0.1)
    assert right == pytest.approx(1.1)


@pytest.mark.parametrize("form", ["MASS_WEIGHTED", "SQRT_FREE", "MOMENTUM"])
def test_mass_forms_move_the_light_end_more(form):
    left, right = one_step(stretched_pair(mass=(1.0, 3.0)), stick_form=form)
    assert left == pytest.approx(3 * (1.2 - right))
    assert left > 0


def test_mass_weighted_form_is_exact_in_one_pass():
    left, right = one_step(stretched_pair(mass=(1.0, 3.0)), stick_form="MASS_WEIGHTED")
    assert right - left == pytest.approx(1.0, abs=1e-14)


def test_sqrt_free_form_is_jakobsens_listing():
    # δ *= r²/(δ·δ + r²) − ½; x1 −= δ; x2 += δ
    delta = 1.2 * (1 / (1.2**2 + 1) - 0.5)
    left, right = one_step(stretched_pair(), stick_form="SQRT_FREE")
    assert left == pytest.approx(-delta)
    assert right == pytest.approx(1.2 + delta)


@pytest.mark.parametrize("form", ["EXACT", "MASS_WEIGHTED", "SQRT_FREE", "MOMENTUM"])
@pytest.mark.parametrize("stretch", [0.3, 0.9, 1.1, 3.0])
def test_every_form_converges_to_the_rest_length(form, stretch):
    left, right = one_step(stretched_pair(stretch=stretch), stick_form=form, iterations=40)
    assert right - left == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("form", ["EXACT", "MASS_WEIGHTED", "SQRT_FREE", "MOMENTUM"])
def test_a_pinned_end_does_not_move(form):
    left, right = one_step(stretched_pair(pinned=[0]), stick_form=form, iterations=40)
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
        from verlet_physics import ClothSettings
        from verlet_physics.bench.scenes import add_sheet

        builder = ModelBuilder()
        add_sheet(builder, 40, pins=tuple(range(1560, 1600)),
                  settings=ClothSettings(tethers=tethers))  # fmt: skip
        model = builder.finalize()
        state = model.initial_state()
        for _ in range(48):  # the strain limit would help the sticks
            state, figures = advance(model, state, FrameInputs(), SolverSettings(strain_limit=0.0))
        return figures.stretch_mean

    assert strip(True) < 0.5 * strip(False)
