"""A frame like the last: where nothing has moved and nothing is said anew, nothing moves again.

`advance` is a function of the state, the inputs and the settings. Once a frame has left all but the
clock as it was, to the bit, and nothing in it has read the clock, the next one of the same inputs
and settings leaves it so too, and is not computed: a pile that sleeps costs a copy of its state.
"""

from __future__ import annotations

from dataclasses import fields, replace
from operator import attrgetter

import numpy as np

from ..model import Diagnostics, FrameInputs, Model, State
from ..model.state import NEVER_WRITTEN, STATE_COLUMNS
from ..settings import SolverSettings
from ..workspace import workspace_of
from .frame import Frame

_arrays_of = attrgetter(*(name for name in STATE_COLUMNS if name not in NEVER_WRITTEN))


class Standstill:
    """Scratch: the last frame of a model, if nothing has moved in it."""

    def __init__(self, _model: Model) -> None:
        self.figures: Diagnostics | None = None  # None while anything moves

    def forget(self) -> None:
        """Hold that something may move."""
        self.figures = None

    def note(self, frame: Frame, given: State, left: State, figures: Diagnostics) -> None:
        """Remember a frame that is done, if it has changed nothing.

        The clock is read by what acts besides gravity alone, and in the first frame: see
        `Frame.is_idle` for the former.
        """
        if given.frame == 0:
            return
        is_same = left.mesh_vertex is given.mesh_vertex and left.acted is given.acted
        if not (is_same and left.step == given.step):
            return
        held = _bits(left)
        if held == _bits(given):
            self.layout = workspace_of(frame.whole).layout
            self.held, self.said = held, _said(frame.inputs)
            self.mesh, self.settings = frame.inputs.mesh_vertex, frame.settings
            self.figures = replace(figures, stage_seconds={})

    def again(
        self, state: State, inputs: FrameInputs, settings: SolverSettings
    ) -> tuple[State, Diagnostics] | None:
        """What the next frame leaves, if it is like the last; None where it has to be computed."""
        if self.figures is None or not self.layout.knows(state):
            return None
        if inputs.mesh_vertex is not self.mesh or settings != self.settings:
            return None
        if _said(inputs) != self.said or _bits(state) != self.held:
            return None
        left = state.copy()
        left.frame += 1
        left.time += inputs.duration
        self.layout.hand_out(left)
        return left, replace(self.figures, stage_seconds={})


def _bits(state: State) -> tuple[tuple[int, ...], bytes]:
    """All that a state holds but the clock and what is never written to."""
    arrays = _arrays_of(state)
    return tuple(map(len, arrays)), b"".join(arrays)


_inputs_of = attrgetter(*(one.name for one in fields(FrameInputs) if one.name != "mesh_vertex"))


def _said(inputs: FrameInputs) -> list[object]:
    """What the inputs say, arrays by their bits: who made them may write to them."""
    return [
        (one.dtype.char, one.shape, one.tobytes()) if isinstance(one, np.ndarray) else one
        for one in _inputs_of(inputs)
    ]
