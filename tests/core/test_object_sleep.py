"""Cloth, ropes and soft bodies at rest: they sleep, cost nothing, and wake for what moves them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, WindSettings, advance
from verlet_physics.bench.cloth_scenes import sheet
from verlet_physics.bench.shapes import ball
from verlet_physics.cache import FrameCache
from verlet_physics.collision.mesh_edges import mesh_edges
from verlet_physics.model.awake_part import awake_part
from verlet_physics.model.field import Field
from verlet_physics.presets import PRESETS
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.collider import add_collider
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.rope import add_rope
from verlet_physics.recipes.soft_body import add_soft_body
from verlet_physics.settings import (
    AnimatedSettings,
    ClothSettings,
    ColliderSettings,
    RopeSettings,
)
from verlet_physics.stages.grab import grab_particle
from verlet_physics.workspace import workspace_of

REST = 0.5  # s
FLAT = ClothSettings()
LAYERED = ClothSettings(meets_itself=True)
STILL = FrameInputs()


def add_sheet(builder, name, place, size=0.6, n=13, settings=FLAT, pins=0.0, upright=False):
    positions, quads = sheet(n, n, size, size)
    if upright:  # its first row is on top
        positions = positions[:, [0, 2, 1]] * (1.0, 1.0, -1.0)
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    mesh = Geometry.of(name, positions + place, (), offsets, quads.reshape(-1))
    return add_cloth(builder, mesh, settings, pin_weight=pins)


def run(model, state, frames, inputs=STILL, threads=1, sleepless=False):
    """Some frames; where it is sleepless nobody gets to rest."""
    settings = SolverSettings(threads=threads)
    for _ in range(frames):
        if sleepless:
            state = state.copy()
            state.rest.time[:] = 0.0
        state, _ = advance(model, state, inputs, settings)
    return state


def asleep(state):
    return state.rest.time >= REST


@pytest.fixture(scope="module")
def laid():
    """Two sheets that sleep, one on a table, one far off on the floor, under what is to move."""
    builder = ModelBuilder()
    pins = np.zeros(169)
    pins[:13] = 1.0
    builder.add_collider("table", "BOX", (0.4, 0.4, 0.1), (0.0, 0.0, 0.5))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    builder.add_collider("lid", "BOX", (0.2, 0.2, 0.05), (0.0, 0.0, 2.0))
    add_sheet(builder, "laid", (0.0, 0.0, 0.65))
    add_sheet(builder, "far", (4.0, 0.0, 0.02))
    add_sheet(builder, "hung", (-4.0, 0.0, 2.0), pins=pins, upright=True)
    model = builder.finalize()
    state = run(model, model.initial_state(), 30)
    assert asleep(state).all()
    return model, state


def moved(values, row, way):
    """A copy of places in which one is elsewhere."""
    found = values.copy()
    found[row] += way
    return found


def test_sleepers_stay_to_the_bit_and_no_stage_runs(laid):
    model, state = laid
    later, figures = advance(model, state, STILL, SolverSettings())
    assert np.array_equal(later.position, state.position)
    assert np.array_equal(later.previous, later.position)
    assert later.frame == state.frame + 1
    assert "distances" not in figures.stage_seconds
    assert figures.stretch_max > 0.0  # of the hung sheet: figures count what sleeps


def test_they_lie_where_they_would_without_sleep(laid):
    model, state = laid
    awake = run(model, model.initial_state(), 30 + 48, sleepless=True)
    assert np.abs(awake.position - state.position).max() < 1e-3


LAID, FAR, HUNG = range(3)


def wakers(model, state):
    """What wakes whom: the inputs of one frame, and the objects that are awake after it."""
    colliders, pins = model.colliders.position, state.pin_position
    released = np.ones(len(pins))
    released[0] = 0.0
    loose = [AnimatedSettings() for _ in range(3)]
    loose[LAID] = AnimatedSettings(friction=0.2)
    near = Field("push", "FORCE", position=(4.0, 0.0, 0.5), strength=5.0, distance_max=1.0)
    blast = Field("bang", "EXPLOSION", position=(4.0, 0.0, 0.0), strength=1.0, time=state.time)
    hand = grab_particle(model, state, model.objects[FAR].first_particle + 84)
    every = {LAID, FAR, HUNG}
    return {
        "table sinks": ({"collider_position": moved(colliders, 0, (0, 0, -0.01))}, {LAID}),
        "table slides": ({"collider_position": moved(colliders, 0, (0.01, 0, 0))}, {LAID}),
        "lid comes down": ({"collider_position": moved(colliders, 2, (0, 0, -1.37))}, {LAID}),
        "lid far up": ({"collider_position": moved(colliders, 2, (0, 0, -1.3))}, set()),
        "floor": ({"collider_position": moved(colliders, 1, (0, 0, -0.01))}, every),
        "gravity": ({"gravity": (0.0, 0.1, -9.81)}, every),
        "wind": ({"wind": WindSettings(velocity=(1.0, 0.0, 0.0))}, every),
        "field": ({"fields": (near,)}, every),
        "explosion": ({"fields": (blast,)}, every),
        "explosion to come": ({"fields": (replace(blast, time=state.time + 9.0),)}, set()),
        "hand": ({"grab": hand}, {FAR}),
        "pin moves": ({"pin_position": moved(pins, 3, (0, 0.01, 0))}, {HUNG}),
        "pins as they were": ({"pin_position": pins.copy()}, set()),
        "pin lets go": ({"pin_weight": released}, {HUNG}),
        "friction": ({"animated": tuple(loose)}, {LAID}),
        "nothing": ({}, set()),
    }


NAMES = (
    "table sinks",
    "table slides",
    "lid comes down",
    "lid far up",
    "floor",
    "gravity",
    "wind",
    "field",
    "explosion",
    "explosion to come",
    "hand",
    "pin moves",
    "pins as they were",
    "pin lets go",
    "friction",
    "nothing",
)


@pytest.mark.parametrize("name", NAMES)
def test_who_wakes_whom(laid, name):
    model, state = laid
    given, wakes = wakers(model, state)[name]
    later = run(model, state, 1, FrameInputs(**given))
    assert set(np.flatnonzero(~asleep(later)).tolist()) == wakes


@pytest.mark.parametrize(
    "name", ["table sinks", "table slides", "lid comes down", "gravity", "pin lets go"]
)
def test_what_wakes_goes_on_as_if_it_had_not_slept(laid, name):
    model, state = laid
    given, _ = wakers(model, state)[name]
    inputs = FrameInputs(**given)
    restless = run(model, state, 2, sleepless=True)
    slept = run(model, state, 2)
    for frames in (1, 4):
        one = run(model, slept, frames, inputs)
        other = run(model, restless, frames, inputs, sleepless=True)
        assert np.abs(one.position - other.position).max() < 1e-3


def test_cloth_falls_when_the_table_goes(laid):
    model, state = laid
    away = FrameInputs(collider_position=moved(model.colliders.position, 0, (0.0, 3.0, 0.0)))
    later = run(model, state, 12, away)
    rows = model.objects[LAID].particles
    fallen = state.position[rows, 2] - later.position[rows, 2]
    assert fallen.min() > 0.3
    assert asleep(later)[FAR]


def test_a_pin_that_is_keyed_later_leads_the_sheet(laid):
    model, state = laid
    pins = state.pin_position
    for frame in range(24):
        inputs = FrameInputs(pin_position=pins + (0.0, 0.02 * (frame + 1), 0.0))
        state, _ = advance(model, state, inputs, SolverSettings())
    rows = model.objects[HUNG].particles
    assert state.position[rows, 1].min() > 0.2


@pytest.fixture(scope="module")
def stack():
    """Cloth on a box on cloth on a floor, all asleep; a stone hangs in the air, led."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_sheet(builder, "under", (0.0, 0.0, 0.01), 0.5, 11, LAYERED)
    builder.add_body("box", "BOX", (0.2, 0.2, 0.1), (0.0, 0.0, 0.14), mass=2.0)
    add_sheet(builder, "over", (0.0, 0.0, 0.26), 0.3, 9, LAYERED)
    add_sheet(builder, "aside", (3.0, 0.0, 0.01), 0.5, 11, LAYERED)
    builder.add_body("stone", "SPHERE", (0.05,), (0.0, 0.0, 8.0), mass=0.5, follows="ANIMATED")
    model = builder.finalize()
    state = run(model, model.initial_state(), 100, held(model, 8.0))
    assert asleep(state)[[0, 2, 3]].all()
    return model, state


def held(model, height):
    """Inputs that hold the stone at a height, m."""
    place = model.bodies.position.copy()
    place[1, 2] = height
    return FrameInputs(body_position=place, body_orientation=model.bodies.orientation)


def test_a_stack_sleeps_and_stays(stack):
    model, state = stack
    later = run(model, state, 24, held(model, 8.0))
    assert np.array_equal(later.position, state.position)
    assert np.array_equal(later.body_position, state.body_position)


def test_a_blow_on_the_stack_wakes_it_and_nothing_else(stack):
    model, state = stack
    loose = tuple(
        AnimatedSettings(pin=0.0) if span.name == "stone" else AnimatedSettings()
        for span in model.objects
    )
    fall = replace(held(model, 8.0), animated=loose)
    lowest = run(model, state, 34, fall, sleepless=True).body_position[1, 2]
    heights = []
    for _ in range(34):
        state = run(model, state, 1, fall)
        heights.append(state.body_position[1, 2])
    assert min(heights) == pytest.approx(lowest, abs=1e-3)
    assert not asleep(state)[[0, 2]].any()
    assert asleep(state)[3]


def test_what_bounces_within_one_frame_is_met():
    """A frame is long for a fast ball: it comes, bounces and is gone before its end."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_sheet(builder, "cloth", (0.0, 0.0, 0.01))
    builder.add_body("ball", "SPHERE", (0.05,), (0.0, 0.0, 40.0), mass=0.05, restitution=1.0)
    model = builder.finalize()
    state = model.initial_state()
    seen = []
    for _ in range(24 * 4):
        state = run(model, state, 1)
        seen.append((asleep(state)[0], float(state.body_position[0, 2])))
    lowest = min(range(len(seen)), key=lambda n: seen[n][1])
    assert any(is_asleep for is_asleep, _ in seen[:lowest])
    assert not all(is_asleep for is_asleep, _ in seen[lowest - 1 : lowest + 2])


def test_cloth_that_falls_on_sleeping_cloth_wakes_it_and_lies_on_it():
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_sheet(builder, "first", (0.0, 0.0, 0.01), 0.5, 11, LAYERED)
    add_sheet(builder, "second", (0.0, 0.0, 4.0), 0.5, 11, replace(LAYERED, drag=0.2))
    model = builder.finalize()
    state, slept, woken = model.initial_state(), False, False
    for _ in range(24 * 5):
        state = run(model, state, 1)
        slept |= asleep(state)[0]
        woken |= slept and not asleep(state)[0]
    assert slept
    assert woken
    assert asleep(state).all()
    first, second = (state.position[span.particles, 2] for span in model.objects)
    assert second.mean() > first.mean() + 1e-3


def test_ropes_and_soft_bodies_sleep():
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    t = np.linspace(0.0, 1.0, 41)
    points = np.stack([t, 0.05 * np.sin(9.0 * t), 0.1 + 0.0 * t], axis=1)
    edges = np.stack([np.arange(40), np.arange(1, 41)], axis=1)
    add_rope(builder, Geometry.of("rope", points, edges), RopeSettings())
    jelly = PRESETS["SOFT_BODY"]["JELLY"].settings
    blob = ball(1, 0.3, (3.0, 0.0, 0.35))
    add_soft_body(builder, replace(blob, positions=blob.positions * (1.0, 1.0, 0.5)), jelly)
    model = builder.finalize()
    state = run(model, model.initial_state(), 24 * 8)
    assert asleep(state).all()


def test_what_wind_blows_on_stays_awake_and_what_lies_in_still_air_beside_it_too():
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_sheet(builder, "cloth", (0.0, 0.0, 0.02))
    model = builder.finalize()
    breeze = FrameInputs(wind=WindSettings(velocity=(0.01, 0.0, 0.0)))
    state = run(model, model.initial_state(), 40, breeze)
    assert not asleep(state).any()
    assert asleep(run(model, state, 40)).all()


@pytest.mark.parametrize("frame", [10, 40])
def test_a_bake_resumed_in_mid_sleep_is_the_same_to_the_bit(laid, tmp_path, frame):
    model, state = laid
    colliders = model.colliders.position

    def inputs(number):
        way = 0.0 if number < 5 else 0.01 * (number - 4)
        return FrameInputs(collider_position=moved(colliders, 0, (0.0, way, 0.0)))

    cache = FrameCache(model)
    cache.store(state)
    for number in range(60):
        state, _ = advance(model, state, inputs(number), SolverSettings())
        cache.store(state)
    cache.save(tmp_path / "bake.npz")
    again = FrameCache(model)
    again.load(tmp_path / "bake.npz")
    resumed = again[cache.frames[0] + frame]
    for number in range(frame, 60):
        resumed, _ = advance(model, resumed, inputs(number), SolverSettings())
    for name, values in state.columns().items():
        assert np.array_equal(values, resumed.columns()[name]), name


def test_threads_give_the_same_bits(laid):
    model, state = laid
    colliders = model.colliders.position
    sinks = FrameInputs(collider_position=moved(colliders, 0, (0.0, 0.0, -0.2)))
    one, two = (run(model, state, 40, sinks, threads) for threads in (1, 2))
    assert asleep(one)[FAR]
    assert not asleep(run(model, state, 2, sinks))[LAID]
    for name, values in one.columns().items():
        assert np.array_equal(values, two.columns()[name]), name


def test_the_state_given_is_never_written_to(laid):
    model, state = laid
    before = {name: np.array(values) for name, values in state.columns().items()}
    sinks = FrameInputs(collider_position=moved(model.colliders.position, 0, (0.0, 0.0, -0.2)))
    run(model, state, 2, sinks)
    for name, values in state.columns().items():
        assert np.array_equal(values, before[name]), name


def test_of_mesh_colliders_nothing_is_sought_anew_when_something_falls_asleep():
    builder = ModelBuilder()
    add_sheet(builder, "sheet", (0.0, 0.0, 0.1))
    corner = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1)], dtype=float)
    faces = np.array([(0, 2, 1), (0, 3, 2), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])
    add_collider(builder, "tent", corner, (1, 0, 0, 0), ColliderSettings(shape="MESH"), faces)
    model = builder.finalize()
    whole = workspace_of(model)
    part = workspace_of(awake_part(model, np.array([True])))
    assert part.touching.edges is whole.touching.edges
    wanted = mesh_edges(model.shapes.meshes.triangle, 5)
    for found, known in zip(whole.touching.edges, wanted):
        np.testing.assert_array_equal(found, known)
    assert whole.surfaces.meshes.solid.tolist() == [1] * 6  # a closed mesh that faces out
    other = ModelBuilder()
    add_sheet(other, "sheet", (0.0, 0.0, 0.1))
    assert len(workspace_of(other.finalize()).touching.edges.opposite) == 0
