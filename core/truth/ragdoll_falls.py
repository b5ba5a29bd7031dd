"""Ragdolls that fall down stairs and on each other: how deep any limb goes, in any frame's end.

The deepest contact of a whole fall is one blow, and which it is a matter of chance. So many starts
fall: down stairs the middle one counts, on each other the worst.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..bench.rigid_bodies import model_of
from ..bench.rigid_scenes import FPS, RigidScene, ragdolls
from ..model import FrameInputs
from ..settings import SolverSettings
from ..step import advance
from .case import Result, case

STEPS_A_FRAME = 8
STARTS = 15
HEAPS = 10
FRAMES_OF_FALL = 60  # at 24 a second


def stairs(scene: RigidScene, height: float, depth: float) -> RigidScene:
    """The same bodies over stairs of so many metres a step, which go down along −Y."""
    place, half = [], []
    for step in range(STEPS_A_FRAME):
        top = height * (STEPS_A_FRAME - step)
        place.append((0.0, -depth * step, 0.5 * top))
        half.append((5.0, 0.5 * depth, 0.5 * top))
    place.append((0.0, 0.0, -0.5))
    half.append((20.0, 20.0, 0.5))
    lift = np.array((0.0, 0.0, height * STEPS_A_FRAME))
    return replace(
        scene,
        position=scene.position + lift,
        joint_point=scene.joint_point + lift,
        wall_position=np.array(place),
        wall_half=np.array(half),
    )


def _moved(scene: RigidScene, start: int, spread: float) -> RigidScene:
    """The scene at one of its starts, which lie ``spread`` m apart."""
    move = np.random.default_rng(start).normal(0.0, spread, 3)
    return replace(scene, position=scene.position + move, joint_point=scene.joint_point + move)


def deepest(scene: RigidScene, start: int, spread: float) -> float:
    """Deepest contact of a fall in m; starts lie ``spread`` m apart."""
    model = model_of(_moved(scene, start, spread))
    state, settings, deep = model.initial_state(), SolverSettings(threads=1), 0.0
    for _ in range(FRAMES_OF_FALL):
        state, figures = advance(model, state, FrameInputs(), settings)
        deep = max(deep, figures.penetration)
    return deep


def _middle(height: float, depth: float) -> Result:
    scene = stairs(ragdolls(1), height, depth)
    falls = sorted(deepest(scene, start, 1e-3) for start in range(STARTS))
    return Result(falls[STARTS // 2], 0.0, 3e-3)


for _name, _height, _depth in (("", 0.18, 0.29), ("-steep", 0.25, 0.22)):
    case(f"ragdoll-falls{_name}")(partial(_middle, _height, _depth))


@case("ragdolls-on-each-other")
def on_each_other() -> Result:
    """Deepest contact in m of 20 that fall on each other, in all starts, which lie 1 µm apart."""
    return Result(max(deepest(ragdolls(20), start, 1e-6) for start in range(HEAPS)), 0.0, 1e-2)


def _creep(start: int) -> float:
    """Way in m that half of the limbs of a heap of 20 do not exceed in its seventh second."""
    model = model_of(_moved(ragdolls(20), start, 1e-6))
    state, settings = model.initial_state(), SolverSettings(threads=1)
    before = state
    for frame in range(7 * FPS):
        if frame == 6 * FPS:
            before = state
        state, _ = advance(model, state, FrameInputs(), settings)
    way = np.linalg.norm(state.body_position - before.body_position, axis=1)
    return float(np.median(way))


@case("ragdolls-at-rest")
def at_rest() -> Result:
    """What falls asleep jolts nobody, and wakes nobody: the middle one of three heaps, m."""
    return Result(sorted(_creep(start) for start in range(3))[1], 0.0, 1e-4)
