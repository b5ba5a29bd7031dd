"""Stacks and heaps: Kenwright's faults (jitter, stacks that need tuning, no sleep) are gone."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats
from ..bench.rigid_bodies import model_of
from ..bench.rigid_measure import body_depths
from ..bench.rigid_scenes import RigidScene, heap, pile, pyramid
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..rigid.sleep.stillness import REST_TIME
from ..settings import SolverSettings
from ..step import advance
from .case import Result
from .rates import at_rates

SIDE = 1.0  # m, edge of a cube in a stack
FRAMES_TO_REST = 24 * 60  # that a heap may take to come to rest


def _run(model: Model, rate: float, seconds: float) -> State:
    state = model.initial_state(step=1.0 / rate)
    settings = SolverSettings(substep_rate=rate)
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, FrameInputs(), settings)
    return state


def _metre_stack(top_mass: float, *, sleeps: bool) -> Model:
    builder = ModelBuilder()
    for k in range(10):
        mass = top_mass if k == 9 else 1.0
        place = (0.0, 0.0, SIDE * (k + 0.5))
        builder.add_body(f"{k}", "BOX", (0.5 * SIDE,) * 3, place, mass=mass, sleeps=sleeps)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize()


def _drift(top_mass: float, tolerance: float, rate: float) -> Result:
    """How far the top of ten cubes moves sideways in 30 s without sleep, m."""
    model = _metre_stack(top_mass, sleeps=False)
    moved = _run(model, rate, 30.0).body_position - model.bodies.position
    stands = bool((np.abs(moved[:, 2]) < 0.1 * SIDE).all())
    return Result(float(np.hypot(*moved[-1, :2])) if stands else math.nan, 0.0, tolerance)


def _wakeful(top_mass: float, rate: float) -> Result:
    """Cubes of a stack that do not sleep after three seconds."""
    state = _run(_metre_stack(top_mass, sleeps=True), rate, 3.0)
    return Result(float((state.body_rest < REST_TIME).sum()), 0.0, 0.0)


for _mass, _tolerance in ((1.0, 0.01), (10.0, 0.01), (100.0, 0.02)):
    at_rates(f"rigid-stack-{_mass:.0f}-drift")(partial(_drift, _mass, _tolerance))
    at_rates(f"rigid-stack-{_mass:.0f}-sleeps")(partial(_wakeful, _mass))


@at_rates("rigid-jitter")
def jitter(rate: float) -> Result:
    """Fastest corner of a pyramid that may not sleep after ten seconds, m/s."""
    builder = ModelBuilder()
    for row in range(6):
        for k in range(6 - row):
            place = (1.05 * (k - 0.5 * (5 - row)), 0.0, 0.5 + row)
            builder.add_body(f"{row} {k}", "BOX", (0.5,) * 3, place, mass=1.0, sleeps=False)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = _run(model, rate, 10.0)
    moved = np.linalg.norm(state.body_position - state.body_previous, axis=1)
    turned = np.abs(state.body_orientation - state.body_previous_orientation).max(axis=1)
    return Result(float((moved + 2.0 * turned).max() / state.step), 0.0, 1e-6)


@at_rates("rigid-pyramid-drift")
def pyramid_drift(rate: float) -> Result:
    """How far the top of a pyramid of base 10 moves in 10 s without sleep, m; Bullet's: 0.9 mm."""
    model = model_of(pyramid(10), sleeps=False)
    moved = _run(model, rate, 10.0).body_position - model.bodies.position
    return Result(float(np.linalg.norm(moved[-1])), 0.0, 5e-4)


def _heap(scene: RigidScene, rate: float) -> tuple[float, int, int]:
    """(deepest overlap as a share of the edge, cubes lost, cubes awake) once all sleep.

    A cube that leans on two edges alone swings like a pendulum, which takes as long to die away
    as drag takes: whether a heap has one is chance, and bits of another processor are enough.
    """
    model = model_of(scene)
    inputs, settings = FrameInputs(), SolverSettings(substep_rate=rate)
    state = model.initial_state(step=1.0 / rate)
    awake = len(model.bodies)
    while awake and state.frame < FRAMES_TO_REST:
        state, _ = advance(model, state, inputs, settings)
        awake = int((state.body_rest < REST_TIME).sum())
    position, orientation = state.body_position, state.body_orientation
    depths: Floats = body_depths(position, orientation, scene.half)
    edge = 2.0 * float(scene.half.min())
    inside = ((position >= scene.lower) & (position <= scene.upper)).all(axis=1)
    return float(depths.max(initial=0.0)) / edge, int((~inside).sum()), awake


def _heap_depth(count: int, rate: float) -> Result:
    """Deepest overlap of two cubes of a heap at rest, as a share of their edge."""
    depth, lost, awake = _heap(heap(count), rate)
    return Result(depth if lost == 0 and awake == 0 else math.nan, 0.0, 0.01)


at_rates("rigid-cubes-200", (480.0, 240.0, 720.0, 960.0))(partial(_heap_depth, 200))
at_rates("rigid-cubes-1000", (480.0, 240.0))(partial(_heap_depth, 1000))


@at_rates("rigid-overlap")
def overlap(rate: float) -> Result:
    """Fastest that cubes get which start one third inside each other, m/s."""
    place = np.array([[0.0, 0.0, 0.25], [0.33, 0.02, 0.25], [0.1, 0.31, 0.3], [0.1, 0.1, 0.6]])
    scene = replace(pile("overlap", place), is_pile=False)
    model = model_of(scene)
    state = model.initial_state(step=1.0 / rate)
    fastest = 0.0
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=rate))
        speed = np.linalg.norm(state.body_position - state.body_previous, axis=1) / state.step
        fastest = max(fastest, float(speed.max()))
    depth = body_depths(state.body_position, state.body_orientation, scene.half)
    return Result(fastest if depth.max(initial=0.0) < 0.005 else math.nan, 1.0, 1.5)
