"""Cloth that begins through cloth comes apart, slowly, and what cannot stays calm and is told."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..bench.crossed_scenes import CROSSED_SCENES, jammed
from ..model import FrameInputs, Model, State
from ..settings import SolverSettings
from ..step import advance
from .case import Result, case
from .crossings import count_crossings

APART_AFTER = 24
"""Frames within which all must have come apart."""

HEAP_APART_AFTER = 72
"""The same for six sheets at all angles. Which of them is freed first differs by the last bit, and
so from processor to processor: with sheets 1e-12 m elsewhere nine runs took 30 to 45."""


def _fastest(state: State) -> float:
    """Speed of the fastest particle, m/s."""
    return float(np.linalg.norm(state.position - state.previous, axis=1).max()) / state.step


def _run(model: Model, frames: int) -> tuple[State, float]:
    """The state after so many frames, and how much faster anything was than by falling alone.

    While anything was still gone through.
    """
    state, most = model.initial_state(), 0.0
    for frame in range(frames):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
        if figures.crossings:
            fallen = 9.81 * (frame + 1) / 24.0
            most = max(most, _fastest(state) - fallen)
    return state, most


def _comes_apart(name: str) -> Result:
    """Pairs of triangles that intersect in the end."""
    model = CROSSED_SCENES[name]()
    state, _ = _run(model, HEAP_APART_AFTER if name == "bundle" else APART_AFTER)
    return Result(float(count_crossings(state.position, model.pieces.triangle)), 0.0, 0.0)


def _is_not_flung(name: str) -> Result:
    """Fastest vertex in m/s meanwhile, less what it may have fallen: about `UNTANGLING`."""
    return Result(max(_run(CROSSED_SCENES[name](), APART_AFTER)[1], 0.0), 0.0, 1.5)


for _name in CROSSED_SCENES:
    case(f"comes-apart-{_name}")(partial(_comes_apart, _name))
for _name in ("corner", "balls", "copy"):
    case(f"is-not-flung-{_name}")(partial(_is_not_flung, _name))


@case("jammed-cloth-is-calm")
def _jammed_is_calm() -> Result:
    """Fastest vertex in m/s of two sheets that are held all round, through each other."""
    state, _ = _run(jammed(16), 12)
    return Result(_fastest(state), 0.0, 0.05)


@case("jammed-cloth-is-told")
def _jammed_is_told() -> Result:
    """Pairs told of them after a second, less those counted independently."""
    model = jammed(16)
    state = model.initial_state()
    for _ in range(24):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
    told = sum(one.pairs for one in figures.crossings)
    counted = count_crossings(state.position, model.pieces.triangle)
    return Result(float(told - counted) if counted else np.nan, 0.0, 0.0)
