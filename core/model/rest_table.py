"""Which objects of particles fall asleep, with whom, and what shows that they lie still."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..kernels.jit import kernel, lean_inline
from ..settings import AnimatedSettings
from ..vec3 import ZERO, add, divide, length, load, store, sub
from .state_part import StatePart

WAKING_FACTORS = tuple(one.name for one in fields(AnimatedSettings) if one.type == "float")
"""Factors of an object that wake it where they change."""


SAMPLE = 16
"""Of so many patches one is looked at first."""


@lean_inline
def _middle(x, patch, p):
    """Where the middle of patch p is, m."""
    middle = ZERO
    for c in range(patch.shape[1]):
        middle = add(middle, load(x, patch[p, c]))
    return divide(middle, patch.shape[1])


@kernel
def find_moving(x, patch, owner, chosen, least, begins, middle, moves):
    """Mark objects in moves (o,) of which a patch has come farther than least (o,) m.

    x (n, 3) m; patch (k, c) and owner (k,) as in `RestTable`; ``chosen`` (j,) patches are looked
    at. Where those of what moves and of what only ``begins`` (o,) to rest are now is noted in
    middle (k, 3) m.
    """
    for n in range(chosen.shape[0]):
        p = chosen[n]
        if not begins[owner[p]]:
            way = length(sub(_middle(x, patch, p), load(middle, p)))
            if not way <= least[owner[p]]:  # also true for NaN
                moves[owner[p]] = True
    for n in range(chosen.shape[0]):
        p = chosen[n]
        if moves[owner[p]] or begins[owner[p]]:
            store(middle, p, _middle(x, patch, p))


@dataclass(frozen=True, eq=False)
class RestTable:
    """o objects, of which those sleep that `island` has a number for, by their k patches.

    A patch is a few particles of one object that follow one another. Where its middle stays says
    more than where its particles do: a vertex over a sharp edge may tremble for ever.
    """

    island: Ints  # (o,) the same for all that constraints join; −1: never sleeps
    patch: Ints  # (k, c) its particles; where there are fewer the last one counts several times
    patch_object: Ints  # (k,)
    radius: Floats  # (o,) m, what counts as still is measured by it: half the thickness

    def __len__(self) -> int:
        return len(self.island)

    @cached_property
    def samples(self) -> Ints:
        """Some patches of each object: where one of them moves the others need not be looked at."""
        first = np.unique(self.patch_object, return_index=True)[1]
        samples: Ints = np.union1d(first, np.arange(0, len(self.patch), SAMPLE))
        return samples.astype(np.int32)

    @cached_property
    def every(self) -> Ints:
        """All patches."""
        return np.arange(len(self.patch), dtype=np.int32)

    @cached_property
    def has_no_patch(self) -> NDArray[np.bool_]:
        """(o,) whose rest nothing shows: balls, which sleep by themselves, and bodies."""
        found: NDArray[np.bool_] = np.bincount(self.patch_object, minlength=len(self)) == 0
        return found

    def at_start(self, pin_weight: Floats) -> RestState:
        """Nothing has lain still yet; pin_weight (p,) of all pins."""
        return RestState(
            time=np.zeros(len(self)),
            calm=np.zeros(len(self)),
            crossed=np.ones(len(self)),
            calm_middle=np.zeros((len(self.patch), 3)),
            middle=np.zeros((len(self.patch), 3)),
            pin_weight=pin_weight.copy(),
            factors=np.ones((len(self), len(WAKING_FACTORS))),
        )


@dataclass(eq=False)
class RestState(StatePart):
    """For how long objects of particles have lain still, where, and held by what."""

    time: Floats  # (o,) s
    calm: Floats  # (o,) s for which cloth among cloth has crept at most, see `stages/calming.py`
    crossed: Floats  # (o,) 1 for what may have begun through something, and may still be
    calm_middle: Floats  # (k, 3) m, where patches were when that began
    middle: Floats  # (k, 3) m, of patches when their object came to rest; `samples` when it moved
    pin_weight: Floats  # (p,) of all pins in the last frame
    factors: Floats  # (o, f) `WAKING_FACTORS` factors of sleepers in the last frame
