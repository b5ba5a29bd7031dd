"""Bodies that lie in cloth or hang on it, held by the cloth's pins: see `pin_hold`."""

from __future__ import annotations

import numpy as np

from ...coupling.pin_hold import HOLD, HOLD_GAIN, HoldContext, find_holds, find_ties, hold_bodies
from ...coupling.tied_pieces import wearers
from .hook import ContactHook, Meeting, Surroundings


class PinHolds(ContactHook):
    """Tethers of cloth as rows for the bodies that take their particles along."""

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        self.model, self.ties, self.tie_push = model, about.ties, about.tie_push
        self.tethers = about.tethers
        self.holds = np.zeros(256, HOLD)
        self.gain = np.zeros(model.owner_count, HOLD_GAIN)
        self.mark = np.zeros(len(model.particles), dtype=np.int32)
        self.wearing = np.flatnonzero(wearers(model, about.ties)[1] >= 0)

    def support(self, meeting: Meeting) -> None:
        """Stop bodies where a tether is taut that they press or pull on."""
        particles, owners = meeting.particles, meeting.owners
        if particles.inverse_mass is not self.model.particles.inverse_mass:
            return  # a pin was let go: which tethers hold is not known here
        moving = HoldContext(particles, owners, self.tethers, meeting.h)
        contacts = (meeting.contacts.solving, meeting.count)
        while True:
            count = find_holds(*contacts, moving, meeting.backing, self.mark, self.holds)
            for tie in self.ties:
                count = find_ties(count, tie.body, tie.particle, moving, self.holds)
            if count < len(self.holds):
                break
            self.holds = np.zeros(2 * count, HOLD)
        if not count:
            return
        before = owners.velocity[self.wearing]
        hold_bodies(self.holds, count, particles, owners, meeting.h, self.gain)
        if len(self.wearing):
            gain = owners.velocity[self.wearing] - before
            mass = self.model.bodies.mass[self.wearing, None]
            self.tie_push[self.wearing] += mass * gain
