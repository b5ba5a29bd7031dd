"""What cloth is forced to by what presses it: see `particles.contacts.forced_stretch`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .state_part import StatePart


@dataclass(eq=False)
class StretchState(StatePart):
    """How much longer than at rest each of o objects has to be."""

    excess: Floats  # (o,) m, of its tethers at most
    share: Floats  # (o,) of its length at most

    @classmethod
    def at_start(cls, objects: int) -> StretchState:
        """Nothing presses yet."""
        return cls(np.zeros(objects), np.zeros(objects))
