"""Bodies and what they wear: once over their contacts is enough.

Clothes are drawn over their wearer by the ties that hold them, and what shortens them draws them
into it where they are too tight. To part them from it again in each substep would push the wearer
about, for the ties do not feel what shortens the cloth.
"""

from __future__ import annotations

from ...coupling.tied_pieces import wearers
from ...kernels.jit import kernel
from .hook import ContactHook, Meeting, Surroundings


class OwnClothes(ContactHook):
    """Contacts of bodies with what is tied to them."""

    def __init__(self, about: Surroundings) -> None:
        self.garment, self.wearer = wearers(about.model, about.ties)

    def spare(self, meeting: Meeting) -> None:
        """Let contacts with own clothes stay as they are."""
        spare_clothes(meeting.contacts.solving, meeting.count, self.garment, self.wearer)


@kernel
def spare_clothes(solving, count, garment, wearer):
    """Let contacts of particles with who wears them stay as they are.

    garment (n,) and wearer (b,) from `wearers`.
    """
    for c in range(count):
        place = solving[c]["place"]
        owner = place[1]["owner"]
        if owner < 0 or owner >= wearer.shape[0] or wearer[owner] < 0:
            continue
        if garment[place[0]["particle"][0]] == wearer[owner]:
            solving[c]["stays"] = 1
