"""Distances: passes over sticks and springs, which most of all constraints are (Jakobsen §4)."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ..model import Model
from ..particles.constraints.distance import Pass, Springs, Sticks, relax_distances
from ..particles.constraints.jacobi import Adjacency, Before, adjacency_of, relax_jacobi
from ..particles.constraints.spring_net import (
    net_solution,
    nets_of,
    relax_nets,
    round_weights,
)
from ..particles.constraints.stick import STICK_CODES
from ..particles.constraints.strain import limit_strain
from .forced_stretch import ForcedStretch
from .frame import Frame

NEVER = 2
"""The turn of springs that act as forces and not as constraints."""

ROUND_WEIGHTS = round_weights()
"""Of the rounds over nets of springs."""


class DistanceScratch:
    """Arrays of the passes over sticks and springs."""

    def __init__(self, model: Model) -> None:
        self.spring_multiplier = np.zeros(len(model.springs))  # kg·m
        may_tear = model.tears is not None and model.tears.strength.any()
        self.tension = np.zeros(len(model.sticks) if may_tear else 0)
        self.spring_tension = np.zeros(len(model.springs) if may_tear else 0)
        self.task_strained = np.zeros(len(model.schedule.task_stick) - 1, dtype=np.int32)
        self.nets = nets_of(
            model.springs.pair, model.schedule.first_net_spring, len(model.particles)
        )
        self.has_nets = len(model.schedule.first_net_spring) > 1
        self.net_solution = net_solution(
            len(model.springs) if self.has_nets else 0, len(model.particles) if self.has_nets else 0
        )
        # for Jacobi passes
        self.adjacency: Adjacency | None = None
        self.old_position = np.empty((len(model.particles), 3))  # m
        self.old_spring_multiplier = np.empty(len(model.springs))


class Distances:
    """The sticks and springs of a frame, and their turn in each pass."""

    def __init__(self, frame: Frame, forced: ForcedStretch) -> None:
        self.frame, self.forced = frame, forced
        self.scratch = frame.scratch(DistanceScratch)
        settings, model = frame.settings, frame.model
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
        # an integrator of forces carries no constraints
        self.are_any = len(model.sticks) + len(model.springs) > 0 and not settings.is_force_based
        self.has_nets = self.scratch.has_nets and not settings.takes_springs_as_forces
        self.adjacency: Adjacency | None = None  # for Jacobi passes
        self.strain_limit = settings.strain_limit or math.inf

    def relax(self) -> None:
        """One pass over sticks and springs."""
        if not self.are_any:
            return
        if self.frame.pass_number == 0:
            self.scratch.task_strained[:] = 0
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
                frame.particles,
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
            frame.particles,
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
            frame.particles,
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
        if not (self.are_any and strained.any()):
            return False
        limit_strain.on(frame.threads)(
            frame.particles,
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
