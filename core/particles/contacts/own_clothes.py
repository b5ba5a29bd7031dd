"""Bodies and what they wear: once over their contacts is enough.

Clothes are drawn over their wearer by the ties that hold them, and what shortens them draws them
into it where they are too tight. To part them from it again in each substep would push the wearer
about, for the ties do not feel what shortens the cloth.
"""

from __future__ import annotations

import numpy as np

from ...coupling.tied_pieces import wearers
from .hook import ContactHook, Meeting, Surroundings


class OwnClothes(ContactHook):
    """Contacts of bodies with what is tied to them."""

    def __init__(self, about: Surroundings) -> None:
        self.garment, self.wearer = wearers(about.model, about.ties)

    def spare(self, meeting: Meeting) -> None:
        """Let contacts with own clothes stay as they are."""
        contacts = meeting.contacts.solving[: meeting.count]
        particle, owner = contacts["place"]["particle"][:, 0, 0], contacts["place"]["owner"][:, 1]
        is_body = (owner >= 0) & (owner < len(self.wearer))
        wearer = np.where(is_body, self.wearer[np.where(is_body, owner, 0)], -1)
        contacts["stays"] |= (wearer >= 0) & (self.garment[particle] == wearer)
