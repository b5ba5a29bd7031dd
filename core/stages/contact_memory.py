"""What is remembered of the contacts of bodies from look to look and from frame to frame."""

from __future__ import annotations

import numpy as np

from ..arrays import Ints
from ..model.contact_state import NOTHING_REMEMBERED, REMEMBERED_CONTACT
from ..records import Records
from ..rigid.contacts.contact_making import (
    merge_remembered,
    part_remembered,
    remember_contacts,
)
from ..rigid.contacts.contact_table import BodyContacts
from ..rigid.owners import Owners


class ContactMemory:
    """Contacts as `ContactState` remembers them; apart from them, those of sleepers."""

    def __init__(self, remembered: Records) -> None:
        self.moving = remembered
        self.asleep = NOTHING_REMEMBERED

    def part(self, shape_owner: Ints, owners: Owners) -> None:
        """Part what is known of sleepers from what is known of those that move."""
        self.moving, self.asleep = _parted(self.moving, shape_owner, owners)

    def wake(self, shape_owner: Ints, owners: Owners) -> None:
        """Some sleepers have woken: what is known of them acts again."""
        woken, self.asleep = _parted(self.asleep, shape_owner, owners)
        self.moving = _merged(self.moving, woken)

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


def _parted(remembered: Records, shape_owner: Ints, owners: Owners) -> tuple[Records, Records]:
    """What is remembered of what moves, and of sleepers alone."""
    rows = np.empty((2, len(remembered)), dtype=np.int32)
    counts = part_remembered(remembered, shape_owner, owners, *rows)
    first, second = (
        remembered if count == len(remembered) else remembered[of[:count]]
        for of, count in zip(rows, counts, strict=True)
    )
    return first, second


def _merged(one: Records, other: Records) -> Records:
    """Both, sorted by shapes and sub-shape as each of them is."""
    if not len(other):
        return one
    if not len(one):
        return other
    both = np.empty(len(one) + len(other), dtype=REMEMBERED_CONTACT)
    merge_remembered(one, other, both)
    return both
