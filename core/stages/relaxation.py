"""Relaxation: passes over everything that keeps particles together (Jakobsen §4)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from ..arrays import Floats
from ..forces.settling import Settling
from ..model import Model
from ..model.constraint import Moving, Projected
from ..particles.chebyshev import History
from ..particles.constraints.following import Following
from ..particles.constraints.preceding import Preceding
from ..particles.contacts.supports import Supports
from ..workspace import workspace_of
from .distances import Distances
from .forced_stretch import ForcedStretch
from .frame import Frame

CACHE_LINE = 64
"""Bytes that processors read and write at once, of most of them."""


class RelaxationScratch:
    """Arrays of the passes."""

    def __init__(self, model: Model) -> None:
        self.multipliers = [_lines_of_zeros(c.multiplier_count) for c in model.constraints]
        # what has a part after the passes
        self.settling = [f for f in model.forces if isinstance(f, Settling)]
        self.following = [c for c in model.constraints if isinstance(c, Following)]
        # what is projected, with its multipliers, in two parts
        self.preceding: list[tuple[Projected, Floats]] = []
        self.others: list[tuple[Projected, Floats]] = []
        for constraint, multiplier in zip(model.constraints, self.multipliers, strict=True):
            precedes = isinstance(constraint, Preceding) and constraint.precedes
            part = self.preceding if precedes else self.others
            part.append((constraint, multiplier))
        common = workspace_of(model).common_constraints
        self.preceding += [(one, _lines_of_zeros(0)) for one in common]


def _lines_of_zeros(count: int) -> Floats:
    """So many zeros from the beginning of a line of the processor's cache on.

    Lanes that lie across two lines take twice as long to read and to write, a ninth of the time of
    hinges.
    """
    floats = CACHE_LINE // 8
    room = np.zeros(count + floats)
    first = -room.ctypes.data % CACHE_LINE // 8
    return room[first : first + count]


class Relaxation:
    """The passes of a substep, and what constraints besides sticks and springs do in them."""

    def __init__(self, frame: Frame, forced: ForcedStretch, distances: Distances) -> None:
        self.frame, self.forced = frame, forced
        self.scratch = frame.scratch(RelaxationScratch)
        settings = frame.settings
        self.is_idle = settings.is_force_based  # such an integrator carries no constraints
        self.moving = Moving(
            x=frame.x,
            previous=frame.previous,
            inverse_mass=frame.inverse_mass,
            h=frame.h,
            time=0.0,
            is_first_pass=True,
            animated=frame.animated,
            owners=frame.work.owners,
            push=frame.work.tie_push,
            threads=frame.threads,
        )
        is_accelerated = settings.acceleration == "CHEBYSHEV"
        self.spectral_radius = settings.spectral_radius if is_accelerated else 0.0
        self.history: History | None = None
        if settings.iterations > 1 and (is_accelerated or settings.tolerance > 0.0):
            none = np.zeros(0, dtype=np.int32)
            owners = [one.composed.reshape(-1) for one in frame.work.composing]
            self.history = History(
                [frame.x, distances.scratch.spring_multiplier, *self.scratch.multipliers],
                np.concatenate([none, *owners]),
            )

    def passes(self) -> Iterator[int]:
        """Number of each pass of this substep; ends early when the last one changed little enough
        or when the time is up (Jakobsen §4: relaxation may stop at any time).
        """
        frame, settings = self.frame, self.frame.settings
        deadline = self._deadline()
        if self.history is not None:
            self.history.begin()
        for number in range(settings.iterations):
            frame.pass_number = number
            yield number
            frame.passes += 1
            if self.history is not None:
                change = self.history.follow(number, self.spectral_radius)
                if 0.0 < settings.tolerance >= change:
                    break
            if number + 1 < settings.iterations and time.perf_counter() >= deadline:
                frame.is_cut = True
                break
        self.moving.steps_known += 1  # of the frame alone: states hold no multipliers

    def _deadline(self) -> float:
        """When this substep's passes have to end: what is left of the budget, in equal parts."""
        frame = self.frame
        if frame.settings.time_budget == 0.0:
            return math.inf
        now = time.perf_counter()
        left = frame.started + 1e-3 * frame.settings.time_budget - now
        return now + left / (frame.substeps - frame.substep)

    def project_preceding(self) -> None:
        """One pass over what solves lines of sticks at once, then over what no object owns."""
        if self.scratch.preceding and not self.is_idle:
            self._project(self.scratch.preceding)

    def project_constraints(self, ground: Supports | None) -> None:
        """One pass over all other constraints, in the order in which they were added.

        ground: what those may lie on that ask for it, see `Lying`.
        """
        if not self.is_idle:
            self.moving.ground = ground
            self._project(self.scratch.others)

    def _project(self, constraints: list[tuple[Projected, Floats]]) -> None:
        frame, moving = self.frame, self.moving
        moving.time = frame.time + frame.h
        moving.is_first_pass = frame.pass_number == 0
        moving.forced = self.forced.forced
        for constraint, multiplier in constraints:
            constraint.project(moving, multiplier)

    def slow(self) -> None:
        """What forces do on the ways of this substep, before all relaxation."""
        frame = self.frame
        for force in self.scratch.settling:
            force.slow(frame.particles, frame.model.particles.mass, frame.h)

    def settle(self) -> None:
        """What forces do on the ways of this substep, after all relaxation."""
        frame = self.frame
        if not self.is_idle:
            for force in self.scratch.settling:
                force.settle(frame.particles, frame.model.particles.mass, frame.h)

    def follow(self) -> None:
        """Constraints that have the last word."""
        if not self.is_idle:
            for constraint in self.scratch.following:
                constraint.follow(self.moving)
