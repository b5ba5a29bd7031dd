"""Layers of cloth that only creep come to rest; what is hit, pulled or pressed is let go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, WindSettings, advance
from verlet_physics.bench import cloth_scenes
from verlet_physics.presets import PRESETS
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.settings import ClothSettings

REST = 0.5  # s
LOOSE = ClothSettings(bend=0.4, thickness=0.12, meets_itself=True, bend_model="DIHEDRAL")


def add_towel(builder, name, height, turn, pins=0.0):
    """One of .5 × .3 m, folded once."""
    p, quads = cloth_scenes.folded(0.5, 0.3, 11, 0.02)
    x, y = p[:, 0] * np.cos(turn) - p[:, 1] * np.sin(turn), p[:, 0] * np.sin(turn)
    place = np.stack([x, y + p[:, 1] * np.cos(turn), p[:, 2] + height], axis=1)
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    mesh = Geometry.of(name, place, (), offsets, quads.reshape(-1))
    return add_cloth(builder, mesh, LOOSE, pin_weight=pins)


def heap(towels=3, shape=None):
    """A model of towels that fall on each other, and above them a collider."""
    builder = ModelBuilder()
    for number in range(towels):
        add_towel(builder, f"towel {number}", 0.05 * (number + 1), 0.9 * number)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    if shape is not None:
        builder.add_collider("above", *shape, (0.0, 0.0, 0.3))
    return builder.finalize()


def run(model, state, frames, inputs=lambda frame: FrameInputs(), threads=1, calms=True):
    """The states of some frames; without calm nobody is slowed down."""
    settings = SolverSettings(threads=threads)
    for frame in range(frames):
        if not calms:
            state = state.copy()
            state.rest.calm[:] = 0.0
        state, figures = advance(model, state, inputs(frame), settings)
        yield state, figures


def last(states):
    *_, found = states
    return found


@pytest.fixture(scope="module")
def calm():
    """A heap that is calm, but not yet asleep."""
    model = heap(shape=("BOX", (0.1, 0.1, 0.02)))
    for state, _ in run(model, model.initial_state(), 60):
        if state.rest.calm.min() > 1.9 * REST:
            break
    assert not (state.rest.time >= REST).any()
    return model, state


@pytest.mark.parametrize("turn", [0.9, 2.2])
def test_a_heap_of_towels_falls_asleep(turn):
    builder = ModelBuilder()
    for number in range(4):
        add_towel(builder, f"towel {number}", 0.05 * (number + 1), turn * number)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    state, figures = last(run(model, model.initial_state(), 100))
    assert (state.rest.time >= REST).all()
    assert figures.crossings == ()


def test_what_is_calm_creeps_less_and_lies_where_it_lay(calm):
    model, state = calm
    slow, _ = last(run(model, state, 6))
    free, _ = last(run(model, state, 6, calms=False))
    crept, moved = (
        np.linalg.norm(end.position - state.position, axis=1).mean() for end in (slow, free)
    )
    assert crept < 0.3 * moved
    assert moved < 3e-3


@pytest.mark.parametrize("speed", [0.005, 0.1, 2.0])
def test_it_gives_way_to_what_is_pressed_into_it(calm, speed):
    """A box that comes down from where it all but touches, as deep as half the heap."""
    model, state = calm
    top = state.position[np.abs(state.position[:, :2]).max(axis=1) < 0.1, 2].max()
    above, half = top + 0.005, 0.5 * top

    def low(frame):
        return max(above - speed * frame / 24.0, half)

    def inputs(frame):
        place = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, low(frame) + 0.02)])
        return FrameInputs(collider_position=place)

    deepest = {}
    for calms in (True, False):
        deepest[calms] = 0.0
        for frame, (now, figures) in enumerate(run(model, state, 30, inputs, calms=calms)):
            assert figures.crossings == ()
            under = np.abs(now.position[:, :2]).max(axis=1) < 0.095
            depth = (now.position[under, 2] + model.particles.radius[under]).max() - low(frame)
            deepest[calms] = max(deepest[calms], depth)
    assert deepest[True] < deepest[False] + 0.1 * model.particles.radius[0]


def test_a_gust_lets_it_go_at_once(calm):
    model, state = calm
    wind = FrameInputs(wind=WindSettings((9.0, 0.0, 3.0)))
    ends = [
        last(run(model, state, 3, lambda frame: wind, calms=calms))[0] for calms in (True, False)
    ]
    assert np.array_equal(ends[0].position, ends[1].position)
    assert not ends[0].rest.calm.any()


def test_a_change_of_gravity_lets_it_go_at_once(calm):
    model, state = calm
    up = FrameInputs(gravity=(0.0, 0.0, 3.0))
    ends = [last(run(model, state, 3, lambda frame: up, calms=calms))[0] for calms in (True, False)]
    assert np.array_equal(ends[0].position, ends[1].position)


def test_a_towel_that_is_pulled_slowly_goes_along():
    """Its pinned corner is led at 6 mm/s, slower than what counts as creeping."""
    builder = ModelBuilder()
    add_towel(builder, "below", 0.05, 0.0)
    held = np.zeros(198)
    held[:18] = 1.0
    add_towel(builder, "pulled", 0.1, 0.4, pins=held)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    start = model.initial_state().pin_position

    def inputs(frame):
        return FrameInputs(pin_position=start + (0.006 * (frame + 1) / 24.0, 0.0, 0.0))

    for state, _ in run(model, model.initial_state(), 40, inputs):
        assert state.rest.calm[1] == 0.0
    assert np.abs(state.pin_position - start - (0.006 * 40 / 24.0, 0.0, 0.0)).max() < 1e-12


def test_a_single_sheet_that_swings_is_not_calmed():
    """Nothing presses on it: it may swing as slowly as it likes."""
    builder = ModelBuilder()
    p, quads = cloth_scenes.sheet(9, 9, 0.4, 0.4)
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    mesh = Geometry.of("sheet", p[:, [0, 2, 1]] * (1.0, 1.0, -1.0), (), offsets, quads.reshape(-1))
    pins = np.zeros(81)
    pins[:9] = 1.0
    settings = replace(PRESETS["CLOTH"]["SILK"].settings, meets_itself=True)
    add_cloth(builder, mesh, settings, pin_weight=pins)
    model = builder.finalize()
    for state, _ in run(model, model.initial_state(), 40):
        assert not state.rest.calm.any()


def test_the_bits_are_the_same_for_one_thread_and_for_two(calm):
    model, state = calm
    one, two = (last(run(model, state, 8, threads=threads))[0] for threads in (1, 2))
    assert np.array_equal(one.position, two.position)
    assert np.array_equal(one.rest.calm, two.rest.calm)
