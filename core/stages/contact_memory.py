"""What is remembered of the contacts of bodies from look to look and from frame to frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..rigid.contacts.contact_making import merge_remembered, remember_contacts
from ..rigid.contacts.contact_table import NOTHING_REMEMBERED, BodyContacts, Remembered
from ..rigid.owners import AWAKE, Owners


class ContactMemory:
    """Keys (c, 4) and impulses (c, 5) as in `State`; apart from them, those of sleepers."""

    def __init__(self, key: Ints, impulse: Floats) -> None:
        self.key, self.impulse = key, impulse
        self.kept_key, self.kept_impulse = NOTHING_REMEMBERED

    def part(self, shape_body: Ints, owners: Owners) -> None:
        """Part what is known of sleepers from what is known of those that move."""
        a, b = shape_body[self.key[:, 0]], shape_body[self.key[:, 1]]
        is_free = _is_free(a, b, owners)
        is_kept = ~is_free & ((owners.asleep[a] != AWAKE) | (owners.asleep[b] != AWAKE))
        self.kept_key, self.kept_impulse = self.key[is_kept], self.impulse[is_kept]
        self.key, self.impulse = self.key[is_free], self.impulse[is_free]

    def wake(self, shape_body: Ints, owners: Owners) -> None:
        """Some sleepers have woken: what is known of them acts again."""
        a, b = shape_body[self.kept_key[:, 0]], shape_body[self.kept_key[:, 1]]
        is_free = _is_free(a, b, owners)
        woken = (self.kept_key[is_free], self.kept_impulse[is_free])
        self.key, self.impulse = _merged((self.key, self.impulse), woken)
        self.kept_key, self.kept_impulse = self.kept_key[~is_free], self.kept_impulse[~is_free]

    def forget(self) -> None:
        """Contacts that have parted are not known: a blow would strike again when they meet."""
        self.key, self.impulse = NOTHING_REMEMBERED

    def remember(self, contacts: BodyContacts) -> None:
        """Keep the impulses of contacts; where there are none, what is known stays."""
        count = int(contacts.count[0])
        if not count:
            return
        self.key = np.empty((count, 4), dtype=np.int32)
        self.impulse = np.empty((count, 5))
        remember_contacts(contacts, Remembered(self.key, self.impulse))

    def all(self) -> tuple[Ints, Floats]:
        """Keys and impulses of sleepers too."""
        return _merged((self.key, self.impulse), (self.kept_key, self.kept_impulse))


def _is_free(a: Ints, b: Ints, owners: Owners) -> NDArray[np.bool_]:
    """Whether either of two owners moves, of each pair."""
    return (owners.inverse_mass[a] > 0.0) | (owners.inverse_mass[b] > 0.0)


def _merged(one: tuple[Ints, Floats], other: tuple[Ints, Floats]) -> tuple[Ints, Floats]:
    """Keys and impulses of both, sorted by shapes and sub-shape as each of them is."""
    if not len(other[0]):
        return one
    if not len(one[0]):
        return other
    count = len(one[0]) + len(other[0])
    both = Remembered(np.empty((count, 4), dtype=np.int32), np.empty((count, 5)))
    merge_remembered(Remembered(*one), Remembered(*other), both)
    return both
