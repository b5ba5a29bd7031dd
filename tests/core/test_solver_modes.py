"""Every way to relax finds the same answer, keeps momentum and bits, and stops when it should."""

import dataclasses

import numpy as np
import pytest

from verlet_physics import (
    FrameInputs,
    ModelBuilder,
    ModelError,
    SolverSettings,
    WindSettings,
    advance,
)
from verlet_physics.bench.scenes import add_sheet, flag
from verlet_physics.truth.particles import _tumbling, momenta

MODES = {
    "plain": {"iterations": 8},
    "over-relaxed": {"iterations": 8, "over_relaxation": 1.5},
    "chebyshev": {"iterations": 12, "acceleration": "CHEBYSHEV", "spectral_radius": 0.9},
    "jacobi": {"iterations": 12, "relaxation": "JACOBI"},
    "jacobi-chebyshev": {
        "iterations": 16,
        "relaxation": "JACOBI",
        "acceleration": "CHEBYSHEV",
        "spectral_radius": 0.9,
    },
    "adaptive": {"iterations": 30, "tolerance": 1e-6},
    "firm": {"strain_limit": 1e-6},
}
every_mode = pytest.mark.parametrize("mode", MODES)


def hung_chain(spring=None):
    """A chain of 8 links that is pulled out of line; with springs when ``spring`` is given."""
    builder = ModelBuilder()
    places = [(0.1 * k, 0.0, -0.02 * k) for k in range(9)]
    builder.add_particles("chain", places, mass=np.linspace(1.0, 2.0, 9), drag=6.0)
    builder.pin([0])
    pairs = [(k, k + 1) for k in range(8)]
    if spring is None:
        builder.add_sticks(pairs, 0.1)
    else:
        builder.add_springs(pairs, spring, 0.1)
    return builder.finalize()


def hung(model, **settings):
    state = model.initial_state()
    for _ in range(120):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(**settings))
    return state.position


@every_mode
def test_a_chain_of_sticks_ends_straight_and_at_length(mode):
    position = hung(hung_chain(), **{**MODES[mode], "iterations": 40})
    assert position[8, 2] == pytest.approx(-0.8, abs=2e-3)
    assert np.abs(position[:, :2]).max() < 2e-3


@every_mode
@pytest.mark.parametrize("acceleration_stays", [True, False])
def test_springs_obey_hookes_law(mode, acceleration_stays):
    settings = dict(MODES[mode])
    if not acceleration_stays:
        settings.pop("acceleration", None)
    position = hung(hung_chain(spring=2000.0), **settings)
    mass = np.linspace(1.0, 2.0, 9)
    carried = 9.81 * np.array([mass[k + 1 :].sum() for k in range(8)])
    length = -np.diff(position[:, 2])
    assert np.allclose(length, 0.1 + carried / 2000.0, rtol=5e-3)


@every_mode
def test_momentum_is_kept(mode):
    model, state = _tumbling()
    still = FrameInputs(duration=1 / 480, gravity=(0.0, 0.0, 0.0))
    linear, angular = momenta(model, state)
    for _ in range(300):
        state, _ = advance(model, state, still, SolverSettings(**MODES[mode]))
    p, turning = momenta(model, state)
    assert np.linalg.norm(p - linear) < 1e-10
    if mode != "firm":  # the last rounds of the strain limit keep the linear momentum alone
        assert np.linalg.norm(turning - angular) < 1e-6 * np.linalg.norm(angular)


def swung(model, threads, **settings):
    state = model.initial_state()
    wind = FrameInputs(wind=WindSettings(velocity=(8.0, 0.0, 0.0)))
    for _ in range(4):
        state, figures = advance(model, state, wind, SolverSettings(threads=threads, **settings))
    return state.position, figures


@pytest.fixture(scope="module")
def sheet():
    builder = ModelBuilder()
    add_sheet(builder, 40, pins=(0, 39))  # of more than one block
    return builder.finalize()


@every_mode
def test_same_bits_twice_and_on_two_threads(mode, sheet):
    first, _ = swung(sheet, 1, **MODES[mode])
    assert np.array_equal(first, swung(sheet, 1, **MODES[mode])[0])
    assert np.array_equal(first, swung(sheet, 2, **MODES[mode])[0])


def test_jacobi_does_not_depend_on_the_order_of_sticks():
    ends = []
    for order in (1, -1):
        builder = ModelBuilder()
        places = [(0.1 * k, 0.0, 0.0) for k in range(5)]
        builder.add_particles("chain", places, mass=1.0)
        builder.pin([0])
        builder.add_sticks([(k, k + 1) for k in range(4)][::order])
        model = builder.finalize()
        settings = SolverSettings(relaxation="JACOBI", strain_limit=0.0)
        state, _ = advance(model, model.initial_state(), FrameInputs(), settings)
        ends.append(state.position)
    assert np.allclose(ends[0], ends[1], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("relaxation", ["GAUSS_SEIDEL", "JACOBI"])
def test_chebyshev_leaves_less_error_after_as_many_passes(relaxation):
    """One step of a stretched chain of 40 links: the error is smooth, plain passes are slow."""
    builder = ModelBuilder()
    builder.add_particles("chain", [(0.11 * k, 0.0, 0.0) for k in range(41)], mass=1.0)
    builder.pin([0])
    builder.add_sticks([(k, k + 1) for k in range(40)], 0.1)
    model = builder.finalize()

    def error(**more):
        settings = SolverSettings(
            iterations=40, relaxation=relaxation, stick_form="MASS_WEIGHTED", strain_limit=0.0,
            **more,
        )  # fmt: skip
        state = model.initial_state(gravity=(0.0, 0.0, 0.0))
        inputs = FrameInputs(duration=1 / 480, gravity=(0.0, 0.0, 0.0))
        _, figures = advance(model, state, inputs, settings)
        return figures.stretch_mean

    assert error(acceleration="CHEBYSHEV", spectral_radius=0.995) < 0.85 * error()


def test_adaptive_passes_are_fewer_at_rest_than_in_motion():
    model = hung_chain()
    settings = SolverSettings(iterations=50, tolerance=1e-5)
    state = model.initial_state()
    passes = []
    for _ in range(120):
        state, figures = advance(model, state, FrameInputs(), settings)
        if figures.passes:  # it falls asleep in the end
            passes.append(figures.passes)
    assert 20 <= passes[-1] < 0.5 * max(passes)
    assert max(passes) <= 20 * 50


def test_a_budget_cuts_passes_but_never_the_last_one(sheet):
    settings = {"iterations": 200, "strain_limit": 0.0}
    _, cut = swung(sheet, 1, time_budget=0.001, **settings)
    assert cut.is_cut
    assert cut.passes == cut.substeps == 20
    assert cut.residual > 0.0
    _, ample = swung(sheet, 1, time_budget=60_000.0, iterations=3)
    assert not ample.is_cut
    assert ample.passes == 60


def test_without_budget_changes_nothing_else():
    settings = SolverSettings(time_budget=5.0, iterations=7)
    assert settings.without_budget() == dataclasses.replace(settings, time_budget=0.0)


def test_the_strain_limit_holds_a_flag_in_strong_wind():
    def stretch(limit):
        scene = flag(32)
        state = scene.model.initial_state()
        worst = 0.0
        for frame in range(60):
            state, figures = advance(
                scene.model, state, scene.inputs, SolverSettings(strain_limit=limit)
            )
            worst = max(worst, figures.stretch_max) if frame > 30 else 0.0
        return worst

    assert stretch(0.02) < 0.1 < stretch(0.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("relaxation", "SOR"), ("over_relaxation", 2.0), ("spectral_radius", 1.0),
     ("tolerance", -1.0), ("time_budget", float("nan"))],
)  # fmt: skip
def test_settings_out_of_range_are_refused(name, value):
    with pytest.raises(ModelError):
        SolverSettings(**{name: value})
