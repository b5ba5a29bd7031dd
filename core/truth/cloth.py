"""Cloth: hanging by two corners, falling on a ball."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np

from ..bench.run import settings_step
from ..bench.scenes import SPHERE_RADIUS, Scene, cloth_grid, drop, hang
from ..diagnostics import measure_stretch
from ..model import Floats, State
from ..settings import SolverSettings
from ..step import advance
from .case import Result, case


@cache
def _hung(n: int) -> tuple[float, float, float]:
    """(mean stretch of the last second in %, sag in m, what is left of the motion in %).

    The last is the kinetic energy of the last second over that of the liveliest frame, both from
    one frame to the next: a swing is slow at its ends, so no single frame says that it has died.
    """
    scene = hang(n)
    stretch, motion = [], []
    last = scene.model.initial_state()
    for state in _frames(scene):
        if state.frame > scene.frames - 24:
            stretch.append(measure_stretch(scene.model, state)[0])
        motion.append(float(((state.position - last.position) ** 2).sum()))
        last = state
    left = float(np.mean(motion[-24:])) / max(motion)
    return 100.0 * float(np.mean(stretch)), float(-last.position[:, 2].min()), 100.0 * left


def _frames(scene: Scene) -> Iterator[State]:
    """The states of all frames of a scene."""
    settings = SolverSettings()
    state = scene.model.initial_state(step=settings_step(settings, scene))
    for _ in range(scene.frames):
        state, _ = advance(scene.model, state, scene.inputs, settings)
        yield state


def _stretch(n: int) -> Result:
    """Mean edge stretch over the last second, %."""
    return Result(_hung(n)[0], 0.0, 0.4)


def _motion(n: int) -> Result:
    """Kinetic energy of the fifth second, % of the largest: the swing has died down."""
    return Result(_hung(n)[2], 0.0, 1.0)


for _n in (32, 64, 100):
    case(f"hang-{_n}-stretch")(partial(_stretch, _n))
    case(f"hang-{_n}-settles")(partial(_motion, _n))


def _sag(n: int) -> Result:
    """Sag of a coarse sheet against the finest: does not depend on the mesh."""
    exact = _hung(100)[1]
    return Result(_hung(n)[1], exact, 0.03 * exact)


case("hang-25-sag")(partial(_sag, 25))
case("hang-50-sag")(partial(_sag, 50))


def _depth(position: Floats, n: int) -> float:
    """Deepest that a vertex or the inside of a triangle lies in the ball, m."""
    _, quads = cloth_grid(n)
    a, b, c, d = (position[quads[:, k]] for k in range(4))
    corners = [np.concatenate(pair) for pair in ((a, a), (b, c), (c, d))]
    low = np.linalg.norm(position, axis=1).min()
    # barycentric samples of every triangle, dense enough for 0.01 mm on these curvatures
    for u in np.linspace(0.0, 1.0, 9):
        for v in np.linspace(0.0, 1.0 - u, 9):
            point = (1.0 - u - v) * corners[0] + u * corners[1] + v * corners[2]
            low = min(low, np.linalg.norm(point, axis=1).min())
    return max(0.0, SPHERE_RADIUS - float(low))


def _dropped(n: int) -> Result:
    """Deepest penetration in mm over the last second of a sheet that fell on a ball."""
    scene = drop(n)
    deepest = 0.0
    for state in _frames(scene):
        if state.frame > scene.frames - 24:
            deepest = max(deepest, _depth(state.position, n))
    final: State = state
    if final.position[:, 2].mean() < -1.5:  # slid off: nothing was measured
        return Result(float("nan"), 0.0, 2.0)
    return Result(1e3 * deepest, 0.0, 2.0)


case("sphere-32-penetration")(partial(_dropped, 32))
case("sphere-64-penetration")(partial(_dropped, 64))
