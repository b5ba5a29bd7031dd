"""A frame like the last is not computed again, and says what computing it would have said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, WindSettings, advance
from verlet_physics.bench.scenes import add_sheet
from verlet_physics.errors import ModelError
from verlet_physics.model.field import Field
from verlet_physics.settings import AnimatedSettings
from verlet_physics.stages.grab import grab_body
from verlet_physics.stages.standstill import Standstill
from verlet_physics.workspace import workspace_of

SETTINGS = SolverSettings(threads=1)
SIDE = 0.2  # m, half an edge


def standstill_of(model):
    return workspace_of(model).scratch(Standstill, model)


@pytest.fixture(scope="module")
def resting():
    """Two cubes on each other and a sheet hung by two corners, in a state in which all sleep."""
    builder = ModelBuilder()
    for k in range(2):
        place = (0.02 * k, 0.0, (1 + 2 * k) * SIDE)
        builder.add_body(f"cube {k}", "BOX", (SIDE,) * 3, place, mass=1.0)
    add_sheet(builder, 5, height=-1.0, pins=(0, 4))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    builder.add_collider("far", "SPHERE", (0.1,), (9.0, 0.0, 9.0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(300):
        state, _ = advance(model, state, FrameInputs(), SETTINGS)
        if standstill_of(model).figures is not None:
            return model, state
    pytest.fail("they do not come to rest")


def step(model, state, inputs=None, settings=SETTINGS):
    """The next frame, and whether it was computed."""
    before = standstill_of(model).figures
    left, figures = advance(model, state, inputs or FrameInputs(), settings)
    return left, figures, before is None or standstill_of(model).figures is not before


def still(resting):
    """The model and a state whose next frame need not be computed."""
    model, state = resting
    for _ in range(3):
        state, _ = advance(model, state, FrameInputs(), SETTINGS)
    assert standstill_of(model).figures is not None
    return model, state


def columns(state):
    return {name: np.asarray(value).tobytes() for name, value in state.columns().items()}


def test_a_frame_like_the_last_is_what_computing_it_gives(resting):
    model, state = still(resting)
    for _ in range(3):
        later, figures, is_computed = step(model, state)
        assert not is_computed
        standstill_of(model).forget()
        computed, said, is_computed = step(model, state)
        assert is_computed
        assert columns(later) == columns(computed)
        assert replace(figures, stage_seconds={}) == replace(said, stage_seconds={})
        assert (later.frame, later.time) == (state.frame + 1, state.time + 1.0 / 24.0)
        state = advance(model, computed, FrameInputs(), SETTINGS)[0]


def test_its_arrays_are_its_own(resting):
    model, state = still(resting)
    kept = columns(state)
    later, _, _ = step(model, state)
    later.body_position += 1.0
    later.position += 1.0
    assert columns(state) == kept


def test_a_state_that_was_written_to_is_computed(resting):
    model, state = still(resting)
    state, _, is_computed = step(model, state)
    assert not is_computed
    state.body_previous[1] -= (0.01, 0.0, 0.0)  # a push
    state.body_rest[:] = 0.0
    later, _, is_computed = step(model, state)
    assert is_computed
    assert later.body_position[1, 0] > state.body_position[1, 0] + 0.05


def test_inputs_that_were_written_to_are_computed(resting):
    model, state = still(resting)
    places = model.colliders.position.copy()
    inputs = FrameInputs(collider_position=places)
    for _ in range(3):
        state, _, _ = step(model, state, inputs)
    assert not step(model, state, inputs)[2]
    state, _, _ = step(model, state, inputs)
    places[0, 2] -= 0.1  # the floor sinks
    later, _, is_computed = step(model, state, inputs)
    assert is_computed
    assert later.body_position[0, 2] < state.body_position[0, 2]


def changes(model, state):
    """Inputs of which each says something else than nothing, or might do so at some time."""
    far = Field("far", "FORCE", position=(99.0, 0.0, 0.0), strength=1.0, distance_max=1.0)
    bang = Field("bang", "EXPLOSION", position=(9.0, 0.0, 0.0), strength=1.0, time=1e3)
    limp = np.zeros(len(model.pins))
    pins = state.pin_position + (0.0, 0.0, 0.01)
    heavy = replace(AnimatedSettings(), friction=0.5)
    return {
        "gravity": {"gravity": (0.0, 0.0, -9.0)},
        "wind": {"wind": WindSettings(velocity=(1.0, 0.0, 0.0))},
        "field": {"fields": (far,)},
        "explosion to come": {"fields": (bang,)},
        "pins": {"pin_position": pins},
        "weight": {"pin_weight": limp},
        "factors": {"animated": (heavy,) * len(model.objects)},
        "collider": {"collider_position": model.colliders.position + (0.0, 0.0, 0.01)},
        "body": {"body_position": state.body_position + 0.1},
        "duration": {"duration": 1.0 / 25.0},
        "hand": {"grab": grab_body(model, state, 0, (0.0, 0.0, 0.0))},
    }


CHANGES = (
    *("gravity", "wind", "field", "explosion to come", "pins", "weight", "factors"),
    *("collider", "body", "duration", "hand"),
)


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_said_anew_is_computed(resting, name):
    model, state = still(resting)
    given = changes(model, state)
    assert set(given) == set(CHANGES)
    assert step(model, state, FrameInputs(**given[name]))[2]


@pytest.mark.parametrize("name", ["wind", "field", "explosion to come", "hand"])
def test_what_may_read_the_clock_is_always_computed(resting, name):
    model, state = still(resting)
    inputs = FrameInputs(**changes(model, state)[name])
    for _ in range(40):
        state, _, is_computed = step(model, state, inputs)
        assert is_computed


def test_settings_that_change_are_computed(resting):
    model, state = still(resting)
    assert not step(model, state, settings=SolverSettings(threads=1))[2]
    model, state = still(resting)
    assert step(model, state, settings=replace(SETTINGS, substep_rate=960))[2]


def test_bad_inputs_are_refused_though_nothing_moves(resting):
    model, state = still(resting)
    for name, wrong in (
        ("gravity", (np.nan, 0.0, 0.0)),
        ("collider_position", np.full((2, 3), np.inf)),
        ("duration", 0.0),
    ):
        with pytest.raises(ModelError, match=name):
            advance(model, state, FrameInputs(**{name: wrong}), SETTINGS)


def test_what_is_awake_is_computed():
    builder = ModelBuilder()
    builder.add_body("falls", "BOX", (SIDE,) * 3, (0.0, 0.0, 5.0), mass=1.0)
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(5):
        state, _, is_computed = step(model, state, FrameInputs(gravity=(0.0, 0.0, 0.0)))
        assert is_computed


def test_the_first_frame_is_not_taken_for_one_like_the_next(resting):
    model, state = still(resting)
    begun = state.copy()
    begun.frame, begun.time = 0, 0.0
    later, _, _ = step(model, begun)
    assert columns(later)["body_position"] == columns(begun)["body_position"]
    assert step(model, later)[2]
    assert not step(model, step(model, later)[0])[2]
