"""The sticks of figures that collide as capsules, as constant arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..arrays import Floats, Ints


def _rows(width: int) -> Ints:
    return np.zeros((0, width), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Limbs:
    """All sticks that collide as capsules, those of one figure after the other."""

    stick: Ints = field(default_factory=lambda: _rows(2))  # (e, 2) particles
    radius: Floats = field(default_factory=lambda: np.zeros(0))  # (e,) m
    first: Ints = field(default_factory=lambda: np.zeros(1, np.int32))  # (f + 1,) of each figure
    own: Ints = field(default_factory=lambda: _rows(2))  # (k, 2) of one figure that may meet
    own_reach: Floats = field(default_factory=lambda: np.zeros(0))  # (k,) m that those keep apart

    def __len__(self) -> int:
        return len(self.stick)
