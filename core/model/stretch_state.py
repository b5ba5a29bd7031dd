"""What cloth is forced to by what presses it: see `particles.contacts.forced_stretch`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .state_part import StatePart


@dataclass(eq=False)
class StretchState(StatePart):
    """How much longer than at rest each of o objects has to be, and what was pressed last."""

    excess: Floats  # (o,) m, of its tethers at most
    share: Floats  # (o,) of its length at most
    pressed: Ints  # (q,) particles whose sticks take old errors out slowly, rising

    @classmethod
    def at_start(cls, objects: int) -> StretchState:
        """Nothing presses yet."""
        return cls(np.zeros(objects), np.zeros(objects), np.zeros(0, dtype=np.int32))
