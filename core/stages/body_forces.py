"""Force fields, explosions, hits and the pull of animation on bodies of place and rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..forces.body_probe import PROBES, gather_forces, place_probes, probe_room, take_kicks
from ..forces.field import add_fields, kick, pack_fields
from ..model.field import Field
from .bodies import Bodies
from .body_scratch import BodyScratch
from .frame import Frame
from .outside import Outside

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..model.pull import Pull

STIR = 1e-3
"""m/s that a blow has to give a sleeping body to wake it."""


class BodyForces:
    """What the fields of a frame do to bodies."""

    def __init__(self, frame: Frame, now: Outside, every: int) -> None:
        self.frame = frame
        self.now = now
        self.every = every
        self.scratch = scratch = frame.scratch(BodyScratch)
        self.probes = frame.scratch(probe_room)
        self.is_any = len(frame.model.bodies) > 0
        self.pull = frame.inputs.pull
        if scratch.is_pushed:
            scratch.moves.force[:] = 0.0
            scratch.moves.torque[:] = 0.0
            scratch.is_pushed = False
        scratch.load[:] = frame.gravity

    def push(self) -> None:
        """Force and torque of all that lasts, until the next time that it is looked at."""
        if not self.is_any:
            return
        frame = self.frame
        self.scratch.is_pushed = True
        moves = self.scratch.moves
        moves.force[:] = 0.0
        if len(self.now.fields):
            self._push_by_fields(self.now, moves.force, moves.torque)
        if self.pull is not None:
            self._draw(self.pull)
        np.divide(moves.force, frame.model.bodies.mass[:, None], out=self.scratch.load)
        self.scratch.load += frame.gravity

    def set_out(self, before: Outside | None, starts: bool) -> None:
        """Lay velocities out for what begins with this frame: they are those half a step ago.

        before: what acted in the frame before, None for the same. At the start nothing acted but
        gravity, which `Model.initial_state` has laid them out for; the pull of animation, too,
        begins there alone.
        """
        if not self.is_any:
            return
        frame, owners, moves = self.frame, self.frame.work.owners, self.scratch.moves
        count = len(frame.model.bodies)
        force, torque = np.zeros((count, 3)), np.zeros((count, 3))
        if starts and self.scratch.is_pushed:
            force += moves.force
            torque += moves.torque
        elif not starts and before is not None:
            for outside, sign in ((self.now, 1.0), (before, -1.0)):
                if len(outside.fields):
                    by_fields = np.zeros((count, 3)), np.zeros((count, 3))
                    self._push_by_fields(outside, *by_fields)
                    force += sign * by_fields[0]
                    torque += sign * by_fields[1]
        is_free = owners.inverse_mass[:count, None] > 0.0
        half = 0.5 * frame.h * is_free
        owners.velocity[:count] -= half * owners.inverse_mass[:count, None] * force
        owners.momentum[:count] -= half * torque
        if before is not None:  # they were laid out for the step of before
            jump = frame.gravity - before.gravity
            owners.velocity[:count] -= 0.5 * frame.step_before * is_free * jump

    def _draw(self, pull: Pull) -> None:
        frame, owners, count = self.frame, self.frame.work.owners, len(self.frame.model.bodies)
        self.scratch.moves.force[:] += frame.model.bodies.mass[:, None] * pull.acceleration(
            owners.position[:count],
            owners.velocity[:count],
            frame.gravity,
            frame.begin_share,
            frame.inputs.duration,
            self.every * frame.h,
        )

    def _push_by_fields(self, outside: Outside, force: Floats, torque: Floats) -> None:
        """Write the force N and torque N·m (b, 3) of fields on all bodies."""
        frame = self.frame
        probes, owners = self.probes, frame.work.owners
        probes.exposed.factor[:] = np.repeat(outside.bodies_in_fields, PROBES)
        place_probes(probes, owners, frame.h)
        probes.exposed.force[:] = 0.0
        moment = (frame.time, frame.h, self.every * frame.h)
        add_fields(probes.exposed, outside.fields, outside.gravity, *moment)
        gather_forces(probes, owners, force, torque)

    def kick(self, blow: Field, wait: float, bodies: Bodies) -> None:
        """An explosion or hit ``wait`` s after the start of this substep."""
        frame = self.frame
        if not self.is_any:
            return
        probes, owners = self.probes, frame.work.owners
        place_probes(probes, owners, frame.h)
        probe = probes.exposed
        probe.factor[:] = np.repeat(self.now.bodies_in_fields, PROBES)
        before = probe.x - probe.previous
        kick(probe, pack_fields([blow]), wait, frame.h)
        gained = np.abs(probe.x - probe.previous - before).max(axis=1) / frame.h
        is_struck = gained.reshape(-1, PROBES).max(axis=1) > STIR
        bodies.strike(is_struck)
        take_kicks(probes, owners, wait, frame.h)
