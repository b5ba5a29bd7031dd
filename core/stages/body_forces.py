"""Force fields, explosions, hits and the pull of animation on bodies of place and rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..forces.body_probe import PROBES, gather_forces, place_probes, take_kicks
from ..forces.field import Field, add_fields, kick, pack_fields
from .bodies import Bodies
from .frame import Frame

if TYPE_CHECKING:
    from ..forces.pull import Pull
    from ..records import Records

STIR = 1e-3
"""m/s that a blow has to give a sleeping body to wake it."""


class BodyForces:
    """What the fields of a frame do to bodies."""

    def __init__(self, frame: Frame, fields: Records, every: int) -> None:
        self.frame = frame
        self.fields = fields
        self.every = every
        work = frame.work
        self.is_any = frame.model.body_count > 0
        self.pull = frame.inputs.pull
        if work.is_pushed:
            work.moves.force[:] = 0.0
            work.moves.torque[:] = 0.0
            work.is_pushed = False
        work.body_load[:] = frame.gravity
        if self.is_any and frame.inputs.fields:
            work.probes.exposed.factor[:] = np.repeat(frame.by_body("fields"), PROBES)

    def push(self) -> None:
        """Force and torque of all that lasts, until the next time that it is looked at."""
        if not self.is_any:
            return
        frame, work = self.frame, self.frame.work
        work.is_pushed = True
        work.moves.force[:] = 0.0
        if len(self.fields):
            self._push_by_fields()
        if self.pull is not None:
            self._draw(self.pull)
        np.divide(work.moves.force, frame.model.bodies.mass[:, None], out=work.body_load)
        work.body_load += frame.gravity
        if frame.time == 0.0:
            self._set_out()

    def _set_out(self) -> None:
        """Velocities are those half a step ago: less by a·h/2 where forces act from the start.

        `Model.initial_state` has done so for gravity.
        """
        frame, owners, moves = self.frame, self.frame.work.owners, self.frame.work.moves
        count = frame.model.body_count
        half = 0.5 * frame.h * (owners.inverse_mass[:count, None] > 0.0)
        owners.velocity[:count] -= half * owners.inverse_mass[:count, None] * moves.force[:count]
        owners.momentum[:count] -= half * moves.torque[:count]

    def _draw(self, pull: Pull) -> None:
        frame, owners, count = self.frame, self.frame.work.owners, self.frame.model.body_count
        frame.work.moves.force[:] += frame.model.bodies.mass[:, None] * pull.acceleration(
            owners.position[:count],
            owners.velocity[:count],
            frame.gravity,
            frame.begin_share,
            frame.inputs.duration,
            self.every * frame.h,
        )

    def _push_by_fields(self) -> None:
        frame, work = self.frame, self.frame.work
        probes = work.probes
        place_probes(probes, work.owners, frame.h)
        probes.exposed.force[:] = 0.0
        moment = (frame.time, frame.h, self.every * frame.h)
        add_fields(probes.exposed, self.fields, frame.gravity, *moment)
        gather_forces(probes, work.owners, work.moves.force, work.moves.torque)

    def kick(self, blow: Field, wait: float, bodies: Bodies) -> None:
        """An explosion or hit ``wait`` s after the start of this substep."""
        frame, work = self.frame, self.frame.work
        if not self.is_any:
            return
        probes = work.probes
        place_probes(probes, work.owners, frame.h)
        probe = probes.exposed
        before = probe.x - probe.previous
        kick(probe, pack_fields([blow]), wait, frame.h)
        gained = np.abs(probe.x - probe.previous - before).max(axis=1) / frame.h
        is_struck = gained.reshape(-1, PROBES).max(axis=1) > STIR
        bodies.strike(is_struck)
        take_kicks(probes, work.owners, wait, frame.h)
