"""The force that stretched cloth holds bodies with, from one substep to the next."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..particles.contacts.strain_hold import release_bodies
from ..rigid.owners import Moves
from .frame import Frame


class StrainForce:
    """What held bodies in the last substep acts while they solve their own contacts, see
    `strain_hold`: a substep leans on it, stands by itself again, and releases what it gave.
    """

    def __init__(self, frame: Frame, moves: Moves) -> None:
        self.frame, self.moves = frame, moves
        self.force = frame.work.strain_force
        self.is_any = False
        self.may_hold = len(frame.model.tethers) > 0 and len(self.force) > 0
        if self.may_hold:
            self.force[:] = frame.state.body_hold
            self.others = (np.empty_like(moves.force), np.empty_like(moves.torque))

    @property
    def _forces(self) -> tuple[Floats, Floats]:
        return self.moves.force, self.moves.torque

    def lean(self) -> None:
        """Add it to the forces of the substep."""
        self.is_any = self.may_hold and bool(self.force.any())
        if not self.is_any:
            return
        self.force[self.frame.work.owners.inverse_mass[: len(self.force)] == 0.0] = 0.0
        for kind, (whole, other) in enumerate(zip(self._forces, self.others, strict=True)):
            other[:] = whole
            whole += self.force[:, kind]

    def stand(self) -> None:
        """Leave the other forces as they were."""
        if self.is_any:
            for whole, other in zip(self._forces, self.others, strict=True):
                whole[:] = other

    def release(self) -> None:
        """Take back what it has given: the cloth holds anew, as firmly as it must."""
        if self.is_any:
            release_bodies(self.frame.work.owners, self.force, self.frame.h)

    def store(self) -> None:
        """Let the next frame know it."""
        if self.may_hold:
            self.frame.state.body_hold[:] = self.force
