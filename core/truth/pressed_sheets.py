"""What presses or pulls a held thing farther than it reaches stretches it, evenly.

No places of the vertices fulfil all that is asked then: pins, lengths, and what presses. What has
to give is the length, as evenly as may be, and nothing gets through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

import numpy as np

from ..arrays import Floats, Ints
from ..bench.cloth_scenes import DrivenScene
from ..bench.pressed_scenes import (
    Pinch,
    Press,
    PullApart,
    pinched,
    pressed_sheet,
    pulled_apart,
)
from ..model import State
from ..settings import SolverSettings
from ..step import advance
from .case import CASES, Result
from .crossings import count_crossings

_PULLS = {
    "border": PullApart(),
    "border-at-once": PullApart(share=0.1, seconds=0.05, vertices=36),
    "corners": PullApart(held="corners", share=0.2, rate=240.0),
    "all-round": PullApart(held="all", share=0.4, width=0.3),
    "rope": PullApart(held="rope", share=0.3),
    "rope-far": PullApart(held="rope", share=1.0, vertices=70, rate=960.0),
}

MOST_UNEVEN = 1.25
"""Times as much as pins are driven apart, that any edge may be stretched."""

_PINCHES = {
    "boxes": Pinch(),
    "boxes-oblique": Pinch(overlap=0.2, turn=0.8, vertices=22),
    "balls": Pinch(kind="SPHERE", overlap=0.25, rate=240.0),
    "two-in-meshes": Pinch(kind="MESH", vertices=20, layers=2),
    "two-deep-in-meshes": Pinch(kind="MESH", overlap=0.25, vertices=20, layers=2, rate=240.0),
    "three-in-meshes": Pinch(kind="MESH", vertices=16, layers=3),
}

FRAMES_A_LOOK = 2
"""Frames after which it is looked what of them intersects."""

MESHES_TRIED = range(-6, 7)
"""Vertices more along a side. The fastest vertex of one mesh goes at 6 to 17 m/s by chance, and the
median of five at 7 to 12."""

MOST_SHAKEN = 10.0
"""m/s that pinched cloth may go beyond what pinches it: sticks take out `REPAIR_SPEED` alone."""

_PRESSES = {
    "ball": Press(),
    "ball-hits": Press(seconds=0.1, vertices=32),
    "ball-on-corners": Press(held="corners", deep=0.4, turn=0.7),
    "box": Press(kind="BOX", held="corners", deep=0.35, seconds=0.3),
    "box-on-border": Press(kind="BOX", deep=0.2, turn=2.5, rate=240.0),
    "mesh": Press(kind="MESH", deep=0.3, seconds=0.4, turn=1.1),
    "mesh-on-corners": Press(kind="MESH", held="corners", rate=960.0, vertices=18),
    "mesh-on-two": Press(kind="MESH", deep=0.25, layers=2, vertices=18),
    "body": Press(kind="BODY", vertices=32, turn=0.4),
    "small": Press(width=0.1, deep=0.3, vertices=20),
    "wide": Press(width=12.0, deep=0.3, vertices=40, seconds=2.0),
}

MOST_OF_NEEDED = 4.0
"""Times as much as the way to the lowest place has to stretch, that any edge may."""

STILL_MOVES = 0.4
"""Widths a second that anything may still move by two seconds after."""


def _played(scene: DrivenScene, rate: float) -> Iterator[tuple[int, State, float]]:
    """Each frame, the state at its end, and how fast anything went in it, m/s."""
    state, settings = scene.model.initial_state(), SolverSettings(substep_rate=rate)
    for frame in range(1, scene.frames + 1):
        before = state.position
        state, _ = advance(scene.model, state, scene.inputs(frame), settings)
        yield frame, state, 24.0 * float(np.linalg.norm(state.position - before, axis=1).max())


def _longest(state: State, pair: Ints, rest: Floats) -> float:
    """The largest stretch of edges (e, 2) of lengths (e,) m, as a share of their length."""
    length = np.linalg.norm(state.position[pair[:, 0]] - state.position[pair[:, 1]], axis=1)
    return float((length / rest).max() - 1.0)


@cache
def _pressed(press: Press) -> tuple[float, float, float]:
    """Of all frames the largest stretch of an edge, as a share of its length, and how deep a vertex
    was inside what is round, in radii; the fastest that any went in the last second, m/s.
    """
    scene = pressed_sheet(press)
    sticks = scene.model.sticks
    longest = deepest = fastest = 0.0
    for frame, state, speed in _played(scene, press.rate):
        longest = max(longest, _longest(state, sticks.pair, sticks.rest_length))
        nearest = np.linalg.norm(state.position - press.place(frame), axis=1).min()
        deepest = max(deepest, 1.0 - float(nearest) / press.radius)
        if frame > scene.frames - 24:
            fastest = max(fastest, speed)
    return longest, deepest, fastest


def _stretch(press: Press) -> Result:
    """How many times as far as the sheet has to stretch an edge does."""
    longest, _, _ = _pressed(press)
    return Result(longest / press.needed, 0.0, MOST_OF_NEEDED)


def _outside(press: Press) -> Result:
    """How deep a vertex gets into what presses: the flat faces of a mesh lie a little deeper."""
    _, deepest, _ = _pressed(press)
    return Result(max(deepest, 0.0), 0.0, 0.03 if press.kind == "MESH" else 1e-3)


def _calm(press: Press) -> Result:
    """How fast anything still moves, in widths a second."""
    _, _, fastest = _pressed(press)
    return Result(fastest / press.width, 0.0, STILL_MOVES)


@cache
def _pulled(pull: PullApart) -> tuple[float, float]:
    """The largest stretch of an edge in the last second, and how fast anything goes then, m/s."""
    scene = pulled_apart(pull)
    edges = pull.edges(scene.model)
    longest = fastest = 0.0
    for frame, state, speed in _played(scene, pull.rate):
        if frame > scene.frames - 24:
            longest = max(longest, _longest(state, *edges))
            fastest = max(fastest, speed)
    return longest, fastest


def _even(pull: PullApart) -> Result:
    """How many times as much as its pins ask for an edge is stretched."""
    return Result(_pulled(pull)[0] / pull.share, 0.0, MOST_UNEVEN)


def _still(pull: PullApart) -> Result:
    """How fast anything still moves, in widths a second."""
    return Result(_pulled(pull)[1] / pull.width, 0.0, STILL_MOVES)


for _name, _pull in _PULLS.items():
    CASES[f"pulled-{_name}-stretch"] = partial(_even, _pull)
    CASES[f"pulled-{_name}-calm"] = partial(_still, _pull)


@cache
def _pinched(pinch: Pinch) -> tuple[float, int]:
    """How fast a vertex goes at the end of any frame, m/s, and most pairs that ever intersect."""
    scene = pinched(pinch)
    fastest, most = 0.0, 0
    for frame, state, _ in _played(scene, pinch.rate):
        way = float(np.linalg.norm(state.position - state.previous, axis=1).max())
        fastest = max(fastest, way / state.step)
        if frame % FRAMES_A_LOOK == 0:
            most = max(most, count_crossings(state.position, scene.model.pieces.triangle))
    return fastest, most


def _shaken(pinch: Pinch) -> Result:
    """How fast a vertex goes, m/s; what pinches goes at most at one.

    The median of meshes a bit finer and coarser: one alone is by chance half or twice as fast.
    """
    meshes = [replace(pinch, vertices=pinch.vertices + more) for more in MESHES_TRIED]
    return Result(float(np.median([_pinched(mesh)[0] for mesh in meshes])), 0.0, MOST_SHAKEN)


def _gone_through(pinch: Pinch) -> Result:
    """Pairs of triangles that intersect: the jaws go through the cloth, not cloth through cloth."""
    return Result(float(_pinched(pinch)[1]), 0.0, 0.0)


for _name, _pinch in _PINCHES.items():
    CASES[f"pinched-{_name}"] = partial(_shaken, _pinch)
    CASES[f"pinched-{_name}-apart"] = partial(_gone_through, _pinch)

for _name, _press in _PRESSES.items():
    CASES[f"pressed-{_name}-stretch"] = partial(_stretch, _press)
    if _press.kind != "BOX":
        CASES[f"pressed-{_name}-outside"] = partial(_outside, _press)
    CASES[f"pressed-{_name}-calm"] = partial(_calm, _press)
