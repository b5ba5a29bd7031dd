"""Relaxation: passes over everything that keeps particles together (Jakobsen §4)."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator

import numpy as np

from ..arrays import Floats
from ..forces.settling import Settling
from ..model import Model
from ..model.constraint import Moving, Projected
from ..particles.chebyshev import History
from ..particles.constraints.distance import Pass, Springs, Sticks, relax_distances
from ..particles.constraints.following import Following
from ..particles.constraints.jacobi import Adjacency, Before, adjacency_of, relax_jacobi
from ..particles.constraints.preceding import Preceding
from ..particles.constraints.spring_net import (
    net_solution,
    nets_of,
    relax_nets,
    round_weights,
)
from ..particles.constraints.stick import STICK_CODES
from ..particles.constraints.strain import limit_strain
from ..particles.constraints.tether import TetherPass
from ..particles.contacts.strand_support import Supports
from ..workspace import workspace_of
from .forced_stretch import ForcedStretch
from .frame import Frame

NEVER = 2
"""The turn of springs that act as forces and not as constraints."""


CACHE_LINE = 64
"""Bytes that processors read and write at once, of most of them."""

ROUND_WEIGHTS = round_weights()
"""Of the rounds over nets of springs."""


class RelaxationScratch:
    """Arrays of the passes."""

    def __init__(self, model: Model) -> None:
        self.multipliers = [_lines_of_zeros(c.multiplier_count) for c in model.constraints]
        self.spring_multiplier = np.zeros(len(model.springs))  # multipliers of springs
        may_tear = model.tears is not None and model.tears.strength.any()
        self.tension = np.zeros(len(model.sticks) if may_tear else 0)
        self.spring_tension = np.zeros(len(model.springs) if may_tear else 0)
        self.task_strained = np.zeros(len(model.schedule.task_stick) - 1, dtype=np.int32)
        # for Jacobi passes
        self.adjacency: Adjacency | None = None
        self.nets = nets_of(
            model.springs.pair, model.schedule.first_net_spring, len(model.particles)
        )
        has_nets = len(model.schedule.first_net_spring) > 1
        self.net_solution = net_solution(
            len(model.springs) if has_nets else 0, len(model.particles) if has_nets else 0
        )
        self.old_position = np.empty((len(model.particles), 3))  # m
        self.old_spring_multiplier = np.empty(len(model.springs))
        # what has a part after the passes
        self.settling = [f for f in model.forces if isinstance(f, Settling)]
        self.following = [c for c in model.constraints if isinstance(c, Following)]
        # what is projected, with its multipliers, in two parts
        self.preceding: list[tuple[Projected, Floats]] = []
        self.others: list[tuple[Projected, Floats]] = []
        for constraint, multiplier in zip(model.constraints, self.multipliers, strict=True):
            precedes = isinstance(constraint, Preceding) and constraint.precedes_tethers
            part = self.preceding if precedes else self.others
            part.append((constraint, multiplier))
        if len(model.tethers):
            reach = workspace_of(model).tethers.length
            tethers = TetherPass(model.tethers, reach, model.particles.inverse_mass)
            self.preceding.append((tethers, _lines_of_zeros(0)))


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
    """The passes of a substep over sticks, springs, tethers and the other constraints."""

    def __init__(self, frame: Frame, forced: ForcedStretch) -> None:
        self.frame, self.forced = frame, forced
        self.scratch = frame.scratch(RelaxationScratch)
        settings = frame.settings
        self.is_idle = settings.is_force_based  # such an integrator carries no constraints
        model = frame.model
        self.sticks = self.own_sticks = Sticks(
            model.sticks.pair,
            model.sticks.rest_length,
            model.schedule.task_stick,
            self.scratch.tension,
        )
        task_spring = model.schedule.task_spring
        if settings.takes_springs_as_forces:
            task_spring = np.zeros_like(task_spring)
        self.springs = self.own_springs = Springs(
            model.springs.pair,
            model.springs.rest_length,
            frame.spring_compliance,
            self.scratch.spring_multiplier,
            task_spring,
            self.scratch.spring_tension,
        )
        self.has_links = len(model.sticks) + len(model.springs) > 0
        self.has_nets = (
            len(model.schedule.first_net_spring) > 1 and not settings.takes_springs_as_forces
        )
        self.adjacency: Adjacency | None = None  # for Jacobi passes
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
        self.strain_limit = settings.strain_limit or math.inf
        is_accelerated = settings.acceleration == "CHEBYSHEV"
        self.spectral_radius = settings.spectral_radius if is_accelerated else 0.0
        self.history: History | None = None
        if settings.iterations > 1 and (is_accelerated or settings.tolerance > 0.0):
            scratch, bodies = self.scratch, frame.model.particle_bodies.first_particle
            self.history = History(
                [frame.x, scratch.spring_multiplier, *scratch.multipliers],
                (bodies[:, None] + np.arange(4)).reshape(-1),
            )

    def passes(self) -> Iterator[int]:
        """Number of each pass of this substep; ends early when the last one changed little enough
        or when the time is up (Jakobsen §4: relaxation may stop at any time).
        """
        frame, settings = self.frame, self.frame.settings
        deadline = self._deadline()
        self.scratch.task_strained[:] = 0
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

    def relax_distances(self) -> None:
        """One pass over sticks and springs, what solves lines of sticks at once, and tethers."""
        if self.is_idle:
            return
        if self.has_links:
            self._relax_links()
        self._project(self.scratch.preceding)

    def _relax_links(self) -> None:
        if self.frame.pass_number == 0:
            own = (self.own_sticks, self.own_springs)
            self.sticks, self.springs = self.forced.lengthened(*own)
        if self.frame.settings.relaxation == "JACOBI":
            self._relax_jacobi()
        else:
            self._relax_gauss_seidel()
            self._relax_nets()

    def _relax_gauss_seidel(self) -> None:
        """Phase by phase; one thread needs no barriers and takes all phases in one call."""
        frame = self.frame
        relax, now = relax_distances.on(frame.threads), self._now
        for first, last in self._phases():
            relax(
                self.moving.particles,
                self.sticks,
                self.springs,
                now,
                first,
                last,
                self.strain_limit,
                self.scratch.task_strained,
            )

    def _relax_nets(self) -> None:
        """Each net of springs at once."""
        frame = self.frame
        if not self.has_nets:
            return
        relax_nets.on(frame.threads)(
            self.moving.particles,
            self.springs,
            self.scratch.nets,
            self.scratch.net_solution,
            ROUND_WEIGHTS,
            frame.h,
            frame.pass_number == 0,
        )

    def _relax_jacobi(self) -> None:
        frame, scratch = self.frame, self.scratch
        if self.adjacency is None:
            if scratch.adjacency is None:
                scratch.adjacency = adjacency_of(frame.model)
            self.adjacency = scratch.adjacency
            if frame.settings.takes_springs_as_forces:
                never = np.full_like(scratch.adjacency.spring_turn, NEVER)
                self.adjacency = scratch.adjacency._replace(spring_turn=never)
        scratch.old_position[:] = frame.x
        scratch.old_spring_multiplier[:] = scratch.spring_multiplier
        relax_jacobi.on(frame.threads)(
            self.moving.particles,
            Before(scratch.old_position, scratch.old_spring_multiplier),
            self.sticks,
            self.springs,
            self.adjacency,
            self._now,
        )
        scratch.task_strained[:] = 1  # not looked at here

    def _phases(self) -> list[tuple[int, int]]:
        """First and last task of each phase; all are one phase to one thread."""
        bounds = self.frame.model.schedule.phase_task.tolist()
        if self.frame.threads <= 1:
            return [(bounds[0], bounds[-1])]
        return list(itertools.pairwise(bounds))

    def limit_strain(self) -> bool:
        """Rounds over the sticks that a load has stretched too far; whether there were any."""
        frame, strained = self.frame, self.scratch.task_strained
        if not (self.has_links and strained.any()):
            return False
        limit_strain.on(frame.threads)(
            self.moving.particles,
            self.sticks,
            STICK_CODES[frame.settings.stick_form],
            self.strain_limit,
            frame.model.schedule.phase_task,
            strained,
        )
        return True

    @property
    def _now(self) -> Pass:
        """This pass; turns are 0 and 1, from frame to frame too."""
        frame, settings = self.frame, self.frame.settings
        return Pass(
            form=STICK_CODES[settings.stick_form],
            over_relaxation=self._over_relaxation,
            turn=frame.global_substep % 2,
            is_first=frame.pass_number == 0,
            is_last=settings.iterations == 1,
            h=frame.h,
        )

    @property
    def _over_relaxation(self) -> float:
        """Less from pass to pass and none in the last: what is overdone goes on as speed."""
        settings = self.frame.settings
        left = settings.iterations - 1 - self.frame.pass_number
        return 1.0 + (settings.over_relaxation - 1.0) * left / settings.iterations

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
