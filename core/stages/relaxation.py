"""Relaxation: passes over everything that keeps particles together (Jakobsen §4)."""

from __future__ import annotations

from collections.abc import Iterator

from ..constraints.base import Moving
from ..constraints.distance import relax_distances
from ..constraints.stick import FORMS
from ..constraints.tether import relax_tethers
from .frame import Frame


class Relaxation:
    """The passes of a substep over sticks, springs, tethers and the other constraints."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.moving = Moving(
            x=frame.x,
            previous=frame.previous,
            inverse_mass=frame.inverse_mass,
            h=frame.h,
            time=0.0,
            is_first_pass=True,
            animated=frame.animated,
        )

    def passes(self) -> Iterator[int]:
        """Number of each pass of this substep."""
        for number in range(self.frame.settings.iterations):
            self.frame.pass_number = number
            yield number

    def relax_distances(self) -> None:
        """One pass over sticks and springs, phase by phase."""
        frame, model = self.frame, self.frame.model
        phases = model.phase_task
        together = frame.threads <= 1  # one thread needs no barriers: all phases in one call
        relax = relax_distances.on(frame.threads)
        for p in range(1 if together else len(phases) - 1):
            relax(
                frame.x,
                frame.previous,
                frame.inverse_mass,
                FORMS[frame.settings.stick_form],
                model.stick,
                model.stick_rest_length,
                model.task_stick,
                model.spring,
                model.spring_rest_length,
                frame.spring_compliance,
                frame.work.spring_pull,
                model.task_spring,
                phases[p],
                phases[-1] if together else phases[p + 1],
                self._turn,
                frame.pass_number == 0,
                frame.pass_number == frame.settings.iterations - 1,
                frame.h,
            )

    @property
    def _turn(self) -> int:
        """0 and 1 in turns, from frame to frame too."""
        return self.frame.global_substep % 2

    def relax_tethers(self) -> None:
        """One pass over the tethers, every second step: they only guard what sticks hold."""
        frame, model = self.frame, self.frame.model
        if len(model.tethered) and self._turn == 1:
            relax_tethers.on(frame.threads)(
                frame.x,
                frame.inverse_mass,
                model.tethered,
                model.tether_start,
                model.tether_anchor,
                model.tether_length,
            )

    def project_constraints(self) -> None:
        """One pass over all other constraints, in the order in which they were added."""
        frame, moving = self.frame, self.moving
        moving.time = frame.time + frame.h
        moving.is_first_pass = frame.pass_number == 0
        for constraint, multiplier in zip(
            frame.model.constraints, frame.work.multipliers, strict=True
        ):
            constraint.project(moving, multiplier)
