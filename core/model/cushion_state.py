"""What a `State` remembers of cloth between bodies: see `collision.cushions`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .state_part import StatePart


@dataclass(eq=False)
class CushionState(StatePart):
    """Cloth between m pairs of shapes whose bodies move by themselves."""

    key: Ints  # (m, 2) shapes, low before high, rows sorted
    thickness: Floats  # (m,) m
    friction: Floats  # (m,)

    @classmethod
    def at_start(cls) -> CushionState:
        """Nothing is between any."""
        return cls(np.zeros((0, 2), dtype=np.int32), np.zeros(0), np.zeros(0))
