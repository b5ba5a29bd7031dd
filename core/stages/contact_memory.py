"""What is remembered of the contacts of bodies from look to look and from frame to frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..model.contact_state import NOTHING_REMEMBERED, REMEMBERED_CONTACT
from ..records import Records
from ..rigid.contacts.contact_making import merge_remembered, remember_contacts
from ..rigid.contacts.contact_table import BodyContacts
from ..rigid.owners import AWAKE, Owners


class ContactMemory:
    """Contacts as `ContactState` remembers them; apart from them, those of sleepers."""

    def __init__(self, remembered: Records) -> None:
        self.moving = remembered
        self.asleep = NOTHING_REMEMBERED

    def part(self, shape_body: Ints, owners: Owners) -> None:
        """Part what is known of sleepers from what is known of those that move."""
        a, b = shape_body[self.moving["shape"]].T
        is_free = _is_free(a, b, owners)
        is_kept = ~is_free & ((owners.asleep[a] != AWAKE) | (owners.asleep[b] != AWAKE))
        self.asleep, self.moving = self.moving[is_kept], self.moving[is_free]

    def wake(self, shape_body: Ints, owners: Owners) -> None:
        """Some sleepers have woken: what is known of them acts again."""
        a, b = shape_body[self.asleep["shape"]].T
        is_free = _is_free(a, b, owners)
        self.moving = _merged(self.moving, self.asleep[is_free])
        self.asleep = self.asleep[~is_free]

    def forget(self) -> None:
        """Contacts that have parted are not known: a blow would strike again when they meet."""
        self.moving = NOTHING_REMEMBERED

    def remember(self, contacts: BodyContacts) -> None:
        """Keep the impulses of contacts; where there are none, what is known stays."""
        count = int(contacts.count[0])
        if count:
            self.moving = np.empty(count, dtype=REMEMBERED_CONTACT)
            remember_contacts(contacts, self.moving)

    def all(self) -> Records:
        """What is remembered, of sleepers too."""
        return _merged(self.moving, self.asleep)


def _is_free(a: Ints, b: Ints, owners: Owners) -> NDArray[np.bool_]:
    """Whether either of two owners moves, of each pair."""
    return (owners.inverse_mass[a] > 0.0) | (owners.inverse_mass[b] > 0.0)


def _merged(one: Records, other: Records) -> Records:
    """Both, sorted by shapes and sub-shape as each of them is."""
    if not len(other):
        return one
    if not len(one):
        return other
    both = np.empty(len(one) + len(other), dtype=REMEMBERED_CONTACT)
    merge_remembered(one, other, both)
    return both
