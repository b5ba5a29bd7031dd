"""Cloth that meets itself and other cloth: nothing passes through anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..arrays import Floats
from ..bench.cloth_scenes import CLOTH_SCENES, DrivenScene, folded_towels
from ..bench.collider_scenes import COLLIDER_SCENES, ColliderScene, skirt
from ..model import FrameInputs
from ..model.diagnostics import Crossing
from ..rigid.sleep.stillness import REST_TIME
from ..settings import SolverSettings
from ..stages.surfaces import crossings_at_start
from ..step import advance
from .case import Result, case
from .crossings import count_crossings, drawn_triangles

EVERY = 6
"""Frames after which crossings are counted."""


def most_crossings(scene: DrivenScene, every: int = EVERY) -> int:
    """Most pairs of triangles that intersect in any frame that is looked at."""
    state = scene.model.initial_state()
    most = 0
    for frame in range(1, scene.frames + 1):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
        if frame % every == 0 or frame == scene.frames:
            most = max(most, count_crossings(state.position, scene.model.pieces.triangle))
    return most


def _crossings(build: Callable[[int], DrivenScene], n: int) -> Result:
    """Pairs of triangles that intersect."""
    return Result(float(most_crossings(build(n))), 0.0, 0.0)


def _pairs_with_mesh(scene: ColliderScene, x: Floats, frame: int) -> int:
    """Pairs of triangles of cloth at x (n, 3) m and of a mesh that intersect."""
    body, cloth = scene.place(frame), scene.model.pieces.triangle
    both = np.concatenate([cloth, scene.triangle + len(x)])
    total = count_crossings(np.concatenate([x, body]), both)
    return total - count_crossings(x, cloth) - count_crossings(body, scene.triangle)


def _through_mesh(name: str, n: int) -> Result:
    """Pairs of triangles of cloth and mesh that intersect, most in any frame looked at."""
    scene = COLLIDER_SCENES[name](n)
    state = scene.model.initial_state()
    most = 0
    for frame in range(1, scene.frames + 1):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
        if frame % EVERY == 0:
            most = max(most, _pairs_with_mesh(scene, state.position, frame))
    return Result(float(most), 0.0, 0.0)


for _name, _n in (
    ("bulging-coarse", 32),
    ("skirt", 32),
    ("skirt-fine", 32),
):
    case(f"crossings-{_name}-{_n}")(partial(_through_mesh, _name, _n))


@case("tight-skirt-comes-out")
def _comes_out() -> Result:
    """Pairs of triangles that intersect, a second after a skirt began partly inside the hips."""
    scene = COLLIDER_SCENES["tight-skirt"](32)
    state = scene.model.initial_state()
    for frame in range(1, 25):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
    return Result(float(_pairs_with_mesh(scene, state.position, 24)), 0.0, 0.0)


@case("tight-skirt-is-not-flung")
def _not_flung() -> Result:
    """Fastest vertex in m/s meanwhile: no faster than legs that walk and cloth that falls."""
    scene = COLLIDER_SCENES["tight-skirt"](32)
    state = scene.model.initial_state()
    fastest = 0.0
    for frame in range(1, 25):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
        moved = np.linalg.norm(state.position - state.previous, axis=1).max()
        fastest = max(fastest, float(moved) / state.step)
    return Result(fastest, 0.0, 5.0)


def _told(crossings: tuple[Crossing, ...], scene: ColliderScene, x: Floats, frame: int) -> Result:
    """Pairs that are told, less those counted independently, of which there must be some."""
    told = sum(c.pairs for c in crossings if (c.name, c.other) == ("skirt", "body"))
    counted = _pairs_with_mesh(scene, x, frame)
    return Result(float(told - counted) if counted else np.nan, 0.0, 0.0)


@case("tight-skirt-is-told-at-once")
def _is_told_at_once() -> Result:
    """Pairs that are told of the start, less those counted independently."""
    scene = COLLIDER_SCENES["tight-skirt"](32)
    return _told(crossings_at_start(scene.model), scene, scene.model.particles.position, 0)


@case("tight-skirt-is-told")
def _is_told() -> Result:
    """Pairs that the diagnostics of the first frame tell, less those counted independently."""
    scene = skirt(32, tight=0.5)
    state = scene.model.initial_state()
    state, figures = advance(scene.model, state, scene.inputs(1), SolverSettings())
    return _told(figures.crossings, scene, state.position, 1)


for _name, _n in (
    ("strip-on-end", 64),
    ("folded-sheet", 48),
    ("twisted-sheet", 16),
    ("twisted-towel", 32),
    ("twisted-tube", 32),
    ("crossed-sheets", 32),
):
    case(f"crossings-{_name}-{_n}")(partial(_crossings, CLOTH_SCENES[_name], _n))


def _drawn(name: str, n: int) -> Result:
    """Most pairs of triangles that intersect as Blender draws faces that are folded."""
    scene, most = CLOTH_SCENES[name](n), 0
    state = scene.model.initial_state()
    for frame in range(1, scene.frames + 1):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
        if frame % EVERY == 0:
            drawn = drawn_triangles(state.position, scene.model.surfaces.quad)
            most = max(most, count_crossings(state.position, drawn))
    return Result(float(most), 0.0, 0.0)


for _name, _n in (("twisted-towel", 32), ("strip-on-end", 48)):
    case(f"drawn-{_name}-{_n}")(partial(_drawn, _name, _n))


def _wakefulness(n: int, towels: int) -> Result:
    """Seconds until a heap of folded towels sleeps; at most 4."""
    model = folded_towels(n, towels).model
    state = model.initial_state()
    for _ in range(24 * 6):
        if (state.rest.time >= REST_TIME).all():
            return Result(state.time, 0.0, 4.0)
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    return Result(np.inf, 0.0, 4.0)


for _n, _towels in ((13, 4), (9, 6), (17, 2)):
    case(f"towels-fall-asleep-{_n}-{_towels}")(partial(_wakefulness, _n, _towels))
