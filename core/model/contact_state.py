"""What a `State` remembers of contacts between rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .state_part import StatePart


@dataclass(eq=False)
class ContactState(StatePart):
    """c contacts of the last substep."""

    key: Ints  # (c, 4) shapes, sub-shape and feature of each
    # (c, 5) N·s, its push and its friction along the axes of the world; m, what is left of the
    # overlap that it began with
    impulse: Floats

    @classmethod
    def at_start(cls) -> ContactState:
        """Nothing has touched yet."""
        return cls(np.zeros((0, 4), dtype=np.int32), np.zeros((0, 5)))
