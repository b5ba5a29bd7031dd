"""Force fields, explosions, hits and the pull of animation on bodies of place and rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..forces.body_probe import PROBES, gather_forces, place_probes, probe_room, take_kicks
from ..forces.field import Field, add_fields, kick, pack_fields
from .bodies import Bodies
from .body_scratch import BodyScratch
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
        self.scratch = scratch = frame.scratch(BodyScratch)
        self.probes = frame.scratch(probe_room)
        self.is_any = frame.model.body_count > 0
        self.pull = frame.inputs.pull
        if scratch.is_pushed:
            scratch.moves.force[:] = 0.0
            scratch.moves.torque[:] = 0.0
            scratch.is_pushed = False
        scratch.load[:] = frame.gravity
        if self.is_any and frame.inputs.fields:
            self.probes.exposed.factor[:] = np.repeat(frame.by_body("fields"), PROBES)

    def push(self) -> None:
        """Force and torque of all that lasts, until the next time that it is looked at."""
        if not self.is_any:
            return
        frame = self.frame
        self.scratch.is_pushed = True
        self.scratch.moves.force[:] = 0.0
        if len(self.fields):
            self._push_by_fields()
        if self.pull is not None:
            self._draw(self.pull)
        np.divide(self.scratch.moves.force, frame.model.bodies.mass[:, None], out=self.scratch.load)
        self.scratch.load += frame.gravity
        if frame.time == 0.0:
            self._set_out()

    def _set_out(self) -> None:
        """Velocities are those half a step ago: less by a·h/2 where forces act from the start.

        `Model.initial_state` has done so for gravity.
        """
        frame, owners, moves = self.frame, self.frame.work.owners, self.scratch.moves
        count = frame.model.body_count
        half = 0.5 * frame.h * (owners.inverse_mass[:count, None] > 0.0)
        owners.velocity[:count] -= half * owners.inverse_mass[:count, None] * moves.force[:count]
        owners.momentum[:count] -= half * moves.torque[:count]

    def _draw(self, pull: Pull) -> None:
        frame, owners, count = self.frame, self.frame.work.owners, self.frame.model.body_count
        self.scratch.moves.force[:] += frame.model.bodies.mass[:, None] * pull.acceleration(
            owners.position[:count],
            owners.velocity[:count],
            frame.gravity,
            frame.begin_share,
            frame.inputs.duration,
            self.every * frame.h,
        )

    def _push_by_fields(self) -> None:
        frame = self.frame
        probes, owners = self.probes, frame.work.owners
        place_probes(probes, owners, frame.h)
        probes.exposed.force[:] = 0.0
        moment = (frame.time, frame.h, self.every * frame.h)
        add_fields(probes.exposed, self.fields, frame.gravity, *moment)
        gather_forces(probes, owners, self.scratch.moves.force, self.scratch.moves.torque)

    def kick(self, blow: Field, wait: float, bodies: Bodies) -> None:
        """An explosion or hit ``wait`` s after the start of this substep."""
        frame = self.frame
        if not self.is_any:
            return
        probes, owners = self.probes, frame.work.owners
        place_probes(probes, owners, frame.h)
        probe = probes.exposed
        before = probe.x - probe.previous
        kick(probe, pack_fields([blow]), wait, frame.h)
        gained = np.abs(probe.x - probe.previous - before).max(axis=1) / frame.h
        is_struck = gained.reshape(-1, PROBES).max(axis=1) > STIR
        bodies.strike(is_struck)
        take_kicks(probes, owners, wait, frame.h)
