"""The force that stretched cloth holds bodies with, from one substep to the next."""

from __future__ import annotations

from ..particles.contacts.strain_hold import release_bodies
from .frame import Frame
from .lent_forces import LentForces


class StrainForce:
    """What held bodies in the last substep acts while they solve their own contacts, see
    `strain_hold`: a substep leans on it, and then releases what it gave.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.force = frame.work.strain_force
        self.is_any = False
        self.may_hold = len(frame.model.tethers) > 0 and len(self.force) > 0
        if self.may_hold:
            self.force[:] = frame.state.body_hold

    def lean(self, lent: LentForces) -> None:
        """Lend it to the forces of the substep."""
        self.is_any = self.may_hold and bool(self.force.any())
        if self.is_any:
            self.force[self.frame.work.owners.inverse_mass[: len(self.force)] == 0.0] = 0.0
            lent.add(slice(None), self.force[:, 0], self.force[:, 1])

    def release(self) -> None:
        """Take back what it has given: the cloth holds anew, as firmly as it must."""
        if self.is_any:
            release_bodies(self.frame.work.owners, self.force, self.frame.h)

    def store(self) -> None:
        """Let the next frame know it."""
        if self.may_hold:
            self.frame.state.body_hold[:] = self.force
