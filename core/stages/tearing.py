"""Tearing: what pulls at each vertex is summed up, and looked at 120 times a second."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..elementary import exp
from ..model import Model
from ..particles.constraints.pulling import Pulling
from ..particles.tearing import Ways, pulls_of, stresses, torn_weld, ways_to_part
from .distances import Distances
from .frame import Frame
from .relaxation import Relaxation

MEMORY = 0.025
"""s over which pulls are averaged: cloth rings from substep to substep."""

TEAR_GAP = 1e-3
"""Edge lengths by which the sides of a tear part at once, x and x* alike: so that contacts know on
which side each lies."""


class TearScratch:
    """Which sticks and springs pull at which copies."""

    def __init__(self, model: Model) -> None:
        assert model.tears is not None
        tears = model.tears
        self.pulling = [
            (number, c) for number, c in enumerate(model.constraints) if isinstance(c, Pulling)
        ]
        ends = np.concatenate(
            [model.sticks.pair, model.springs.pair, *(c.stick for _, c in self.pulling)]
        )
        count = len(model.particles)
        key = _keys(ends, count)
        order = np.argsort(key, kind="stable")
        wanted = _keys(tears.weld[tears.pair], count)
        place = np.searchsorted(key[order], wanted)
        inside = place < len(key)
        place[~inside] = 0
        found = inside & (key[order][place] == wanted) if len(key) else inside
        self.row = order[place[found]] if len(key) else place[:0]
        self.number = np.flatnonzero(found)
        self.pair = tears.pair[found]
        self.share = 1.0 / np.bincount(self.row, minlength=len(ends))[self.row]
        self.ways: Ways = ways_to_part(tears)


def _keys(pairs: Ints, count: int) -> Ints:
    """A number for each pair (p, 2), whichever end comes first."""
    low, high = pairs.min(axis=1).astype(np.int64), pairs.max(axis=1)
    return low * count + high


class Tearing:
    """Parts vertices of a frame whose stress is more than their strength."""

    def __init__(
        self, frame: Frame, distances: Distances, relaxation: Relaxation, every: int
    ) -> None:
        self.frame = frame
        self.distances, self.relaxation = distances, relaxation
        self.every = every
        self.begun = 0
        tears = frame.model.tears
        self.is_idle = tears is None or relaxation.is_idle or not tears.strength.any()
        if not self.is_idle:
            self.scratch = frame.scratch(TearScratch)
            self.factor = self._factor()
            self._begin()

    def _begin(self) -> None:
        """Begin to sum up anew."""
        self.begun = self.frame.substep
        self.distances.sticks.tension[:] = 0.0
        self.distances.springs.tension[:] = 0.0

    def _factor(self) -> Floats:
        """The keyed factor (n,) on the strength."""
        factor = self.frame.factors("strength")
        return np.ones(len(self.frame.model.particles)) if factor is None else factor

    def happens(self) -> bool:
        """Whether something tears at the end of this substep; the state knows what.

        The frame ends there, and another one does the rest of it with the model of what is torn.
        """
        frame = self.frame
        if self.is_idle or (frame.substep % self.every and not frame.is_over):
            return False
        tears, scratch = frame.model.tears, self.scratch
        assert tears is not None
        tension = frame.state.tears.tension
        lately = 1.0 - exp(-(frame.substep - self.begun) * frame.h / MEMORY)
        tension[scratch.number] += lately * (
            self._tensions()[scratch.row] - tension[scratch.number]
        )
        x = frame.x
        ends = tears.weld[scratch.pair]
        way = x[ends[:, 1]] - x[ends[:, 0]]
        pulls = pulls_of(scratch.pair, scratch.share, tension[scratch.number], way, len(x))
        stress = stresses(scratch.ways, pulls)
        weld = torn_weld(tears, scratch.ways, stress, self.factor)
        self._begin()
        if weld is None:
            return False
        frame.lead_idle()
        frame.state.tears.weld = weld
        self._open(weld)
        return True

    def _tensions(self) -> Floats:
        """Tension (r,) N of all sticks and springs, in the order of the scratch memory."""
        frame, distances = self.frame, self.distances
        per_step = 1.0 / frame.h**2
        per_steps = per_step / max(frame.substep - self.begun, 1)
        parts = [
            distances.sticks.tension * per_steps,
            distances.springs.tension * per_steps,
        ]
        for number, constraint in self.scratch.pulling:
            multiplier = self.relaxation.scratch.multipliers[number]
            parts.append(constraint.pulls(multiplier) * per_step)
        return np.concatenate(parts)

    def _open(self, weld: Ints) -> None:
        """Move the two sides of each new tear a hair apart, toward what each hangs on."""
        frame, tears = self.frame, self.frame.model.tears
        assert tears is not None
        given = tears.weld
        fresh = np.flatnonzero((weld == np.arange(len(weld))) & (given != weld))
        torn = np.unique(given[fresh])
        model = tears.model_for(weld)
        x, mass = frame.x, model.particles.mass
        ends = weld[tears.pair]
        outward = np.zeros_like(x)
        way = x[ends[:, 1]] - x[ends[:, 0]]
        np.add.at(outward, ends[:, 0], way)
        np.add.at(outward, ends[:, 1], -way)
        length = np.linalg.norm(way, axis=1)
        edge = np.zeros(len(x))
        np.maximum.at(edge, ends.reshape(-1), np.repeat(length, 2))
        for vertex in torn.tolist():
            sides = np.unique(weld[given == vertex])
            if (model.particles.inverse_mass[sides] == 0.0).any():
                continue
            size = np.maximum(np.linalg.norm(outward[sides], axis=1), 1e-100)
            move = (TEAR_GAP * edge[sides] / size)[:, None] * outward[sides]
            move -= (mass[sides, None] * move).sum(axis=0) / mass[sides].sum()
            x[sides] += move
            frame.previous[sides] += move
