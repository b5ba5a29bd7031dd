"""Cloth that meets itself and other cloth: nothing passes through anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..bench.cloth_scenes import CLOTH_SCENES, DrivenScene
from ..settings import SolverSettings
from ..step import advance
from .case import Result, case
from .crossings import count_crossings

EVERY = 6
"""Frames after which crossings are counted."""


def most_crossings(scene: DrivenScene, every: int = EVERY) -> int:
    """Most pairs of triangles that intersect in any frame that is looked at."""
    state = scene.model.initial_state()
    most = 0
    for frame in range(1, scene.frames + 1):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
        if frame % every == 0 or frame == scene.frames:
            most = max(most, count_crossings(state.position, scene.model.triangle))
    return most


def _crossings(build: Callable[[int], DrivenScene], n: int) -> Result:
    """Pairs of triangles that intersect."""
    return Result(float(most_crossings(build(n))), 0.0, 0.0)


for _name, _n in (
    ("strip-on-end", 64),
    ("folded-sheet", 48),
    ("twisted-sheet", 16),
    ("twisted-towel", 32),
    ("twisted-tube", 32),
    ("crossed-sheets", 32),
):
    case(f"crossings-{_name}-{_n}")(partial(_crossings, CLOTH_SCENES[_name], _n))
