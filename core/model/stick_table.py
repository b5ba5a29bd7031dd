"""The constant arrays of distance constraints, parts of a `Model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class StickTable:
    """s sticks, in the order in which the solver visits them."""

    pair: Ints  # (s, 2) particles
    rest_length: Floats  # (s,) m

    def __len__(self) -> int:
        return len(self.pair)

    def in_order(self, order: Ints) -> StickTable:
        """The rows of ``order`` (s,)."""
        return StickTable(np.ascontiguousarray(self.pair[order]), self.rest_length[order])


@dataclass(frozen=True, eq=False)
class SpringTable:
    """c springs, in the order in which the solver visits them: sticks that give way."""

    pair: Ints  # (c, 2) particles
    rest_length: Floats  # (c,) m
    compliance: Floats  # (c,) m/N
    damping: Floats  # (c,) N·s/m

    def __len__(self) -> int:
        return len(self.pair)

    def in_order(self, order: Ints) -> SpringTable:
        """The rows of ``order`` (c,)."""
        return SpringTable(
            np.ascontiguousarray(self.pair[order]),
            self.rest_length[order],
            self.compliance[order],
            self.damping[order],
        )


@dataclass(frozen=True, eq=False)
class TetherTable:
    """t tethers of q particles, those of one particle after the other."""

    particle: Ints  # (q,) that hang on tethers
    start: Ints  # (q + 1,) first tether of each
    anchor: Ints  # (t,) pinned particle at the far end
    length: Floats  # (t,) m, along the material
    span: Ints  # (k, 2) some pins that the same material joins
    span_length: Floats  # (k,) m, along it

    def __len__(self) -> int:
        return len(self.anchor)
