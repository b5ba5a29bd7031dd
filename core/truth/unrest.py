"""How fast something still moves when it has hung long enough to rest."""

from __future__ import annotations

import numpy as np

from ..model import FrameInputs, Model
from ..settings import SolverSettings
from ..step import advance
from .case import Result


def unrest(model: Model) -> Result:
    """Fastest particle after four seconds, mm/s, over a second; at most 1."""
    state, fastest = model.initial_state(), 0.0
    for frame in range(24 * 5):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        if frame >= 24 * 4:
            moved = np.linalg.norm(state.position - state.previous, axis=1).max()
            fastest = max(fastest, float(moved) / state.step)
    return Result(1e3 * fastest, 0.0, 1.0)
