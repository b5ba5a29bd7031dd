"""Which objects of particles fall asleep, with whom, and what shows that they lie still."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..arrays import Floats, Ints
from ..settings import AnimatedSettings
from .state_part import StatePart

KEYED = tuple(one.name for one in fields(AnimatedSettings) if one.type == "float")
"""Factors of an object that wake it where they change."""


@dataclass(frozen=True, eq=False)
class RestTable:
    """o objects, of which those sleep that `island` has a number for, by their k patches.

    A patch is a few particles of one object that follow one another. Where its middle stays says
    more than where its particles do: a vertex over a sharp edge may tremble for ever.
    """

    island: Ints  # (o,) the same for all that constraints join; −1: never sleeps
    patch_first: Ints  # (k,) first particle of each patch
    patch_size: Ints  # (k,) its particles
    patch_object: Ints  # (k,)
    radius: Floats  # (o,) m, what counts as still is measured by it: half the thickness

    def __len__(self) -> int:
        return len(self.island)

    def middles(self, x: Floats) -> Floats:
        """Where the middle of each patch (k, 3) m is, for particles at x (n, 3) m."""
        if not len(self.patch_first):
            return np.zeros((0, 3))
        # what lies between the last particle of a patch and the first of the next belongs to nobody
        ends = np.stack([self.patch_first, self.patch_first + self.patch_size], axis=1).reshape(-1)
        is_inside = ends < len(x)
        total = np.add.reduceat(x, ends[is_inside])[::2]
        middle: Floats = total / self.patch_size[:, None]
        return middle

    def at_start(self, pin_weight: Floats) -> RestState:
        """Nothing has lain still yet; pin_weight (p,) of all pins."""
        return RestState(
            time=np.zeros(len(self)),
            middle=np.zeros((len(self.patch_first), 3)),
            pin_weight=pin_weight.copy(),
            factors=np.ones((len(self), len(KEYED))),
        )


@dataclass(eq=False)
class RestState(StatePart):
    """For how long objects of particles have lain still, where, and held by what."""

    time: Floats  # (o,) s
    middle: Floats  # (k, 3) m, of patches when their object was seen to move last
    pin_weight: Floats  # (p,) of all pins in the last frame
    factors: Floats  # (o, f) `KEYED` factors of sleepers in the last frame
