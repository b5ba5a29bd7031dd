"""What may tear: which particles are copies of one vertex, and what holds them together.

The mesh of a thing that may tear is split: each face, or each stretch of rope, has vertices of its
own. Those that stand for one vertex are *copies*; as long as they hold together one of them, the
first, is simulated for all and the others are *idle*. Where they part, the model of what is torn
takes the place of the model before: `TearState.weld` tells which one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .state_part import StatePart

Torn = TypeVar("Torn")
"""What is simulated for a state of tearing: a `Model`."""

TORN_MODELS_KEPT = 4
"""Models of torn states that are kept, the latest ones."""


@dataclass(frozen=True, eq=False)
class TearTable(Generic[Torn]):
    """Copies of vertices and what joins them; n particles, b bonds, p pairs."""

    weld: Ints  # (n,) the copy that is simulated for each particle; itself for most
    bond: Ints  # (b, 4) copies of one vertex; those of another that have to be welded for it
    half: Floats  # (b, 3) m, the half of the edge that a bond runs along
    pair: Ints  # (p, 2) copies that a stick or spring of one face or stretch joins
    strength: Floats  # (n,) N/m of sheets and N of ropes; 0: never tears
    object: Ints  # (n,) of `Model.objects`, −1 for what does not tear
    rebuild: Callable[[TearTable[Torn], Ints], Torn]  # the model for another weld
    models: dict[bytes, Torn] = field(default_factory=dict)  # of the latest states
    known: dict[Any, Any] = field(default_factory=dict)  # ways to part a vertex, found before

    def __len__(self) -> int:
        """How many bonds."""
        return len(self.bond)

    def holding(self, weld: Ints) -> NDArray[np.bool_]:
        """Which bonds (b,) hold where copies are welded like that: both of their ends are."""
        one, other, far_one, far_other = self.bond.T
        ends: NDArray[np.bool_] = (weld[one] == weld[other]) & (weld[far_one] == weld[far_other])
        return ends

    def model_for(self, weld: Ints) -> Torn:
        """The model in which just these copies are welded."""
        key = weld.tobytes()
        model = self.models.pop(key, None)
        if model is None:
            model = self.rebuild(self, weld)
            while len(self.models) >= TORN_MODELS_KEPT:
                del self.models[next(iter(self.models))]
        self.models[key] = model
        return model

    @property
    def idle(self) -> Ints:
        """Copies (i,) for which another one is simulated."""
        return np.flatnonzero(self.weld != np.arange(len(self.weld))).astype(np.int32)


@dataclass(eq=False)
class TearState(StatePart):
    """What has torn, and what pulls at the rest; (0,) where nothing may tear."""

    weld: Ints  # (n,) the copy that is simulated for each, see `TearTable`
    tension: Floats  # (p,) N in `TearTable.pair`, as of late

    @classmethod
    def at_start(cls, tears: TearTable[Any] | None) -> TearState:
        """Whole, and nothing pulls."""
        if tears is None:
            return cls(np.zeros(0, dtype=np.int32), np.zeros(0))
        return cls(tears.weld.copy(), np.zeros(len(tears.pair)))
