"""Surfaces: cloth that passes through neither itself nor other cloth."""

from __future__ import annotations

import numpy as np

from ..collision.surface_tree import count_turned
from ..particles.contacts.surface_contact import (
    check_strays,
    foresee_strays,
    measure_pairs,
    part_layers,
    relax_surfaces,
)
from ..particles.contacts.surface_limit import part_surfaces
from ..particles.contacts.surface_room import SurfaceRoom
from .frame import Frame

PASSES = 3
"""Passes over contacts of surfaces in each pass of relaxation."""

HORIZON = 8.0
"""Substeps for which pairs are looked for ahead, at most."""

SLACK = (0.15, 0.3)
"""Mean edge lengths that vertices may stray from a straight flight before pairs are looked for
again: where nothing is known, and at most."""

DENSE = 6
"""Pairs of a vertex from which on it is better to look for fewer, and more often."""

UNKNOWN = (0.01, 0.2)
"""Mean edge lengths that contacts and sticks may move a vertex at the end of a substep, beyond what
was foreseen at its beginning: the least that is reckoned with, and the most."""

ATTEMPTS = 4
"""How often it is looked anew who is in the way, before all stop."""


class SurfaceContacts:
    """Contacts of surfaces in one frame; what it remembers does not outlive the frame."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.room: SurfaceRoom | None = frame.work.surfaces
        self.pair_count = 0
        self.contact_count = 0
        self.searched = -1  # substep in which pairs were looked for, of the frame
        self.eager = 0.5  # share of `HORIZON` and `SLACK` that pairs are looked for with
        self.horizon = 0.0  # substeps for which pairs were looked for
        self.edge = 0.0
        if self.room is not None:
            self.edge = self.room.edge
            self.room.strays.surprise[:] = 0.0
            self.room.strays.bound[:] = 0.0

    def find(self) -> None:
        """Contacts of this substep: called when all have moved by themselves."""
        room = self.room
        if room is None:
            return
        frame = self.frame
        room.start[:] = frame.previous
        room.now[:] = frame.x
        ahead = frame.substep - self.searched
        good = self.searched >= 0 and ahead < self.horizon and self._foresee(ahead + 1)
        if not good:
            if self.searched >= 0:
                self._learn(ahead)
            self.search(self.eager * HORIZON, self.eager * SLACK[0] * self.edge)
        self._measure()
        given = (room.contacts, self.contact_count, frame.x, frame.previous)
        part_layers(*given, frame.inverse_mass, frame.h)

    def _foresee(self, ahead: int) -> bool:
        room, unknown = self.room, UNKNOWN
        assert room is not None
        moving = (room.rows, room.now, room.origin, room.speed, ahead)
        fits: bool = foresee_strays(
            room.strays, *moving, unknown[0] * self.edge, unknown[1] * self.edge
        )
        return fits

    def _learn(self, ahead: int) -> None:
        """How far to look ahead next time, by how long the last pairs were good for."""
        room = self.room
        assert room is not None
        is_dense = self.pair_count > DENSE * len(room.rows)
        if is_dense and ahead <= 0.5 * self.horizon:
            self.eager *= 0.5
        elif not is_dense:
            self.eager *= 1.5
        self.eager = min(max(self.eager, 1.0 / HORIZON), 1.0)

    def search(self, horizon: float, slack: float) -> None:
        """Look for pairs anew, as things stand at the start of the substep."""
        frame, room = self.frame, self.room
        assert room is not None
        self.searched, self.horizon = frame.substep, horizon
        np.subtract(room.now, room.start, out=room.speed)
        room.origin[:] = room.start
        strays = room.strays
        # what has strayed far lately may do so again
        np.minimum(1.5 * strays.bound, SLACK[1] * self.edge, out=strays.slack)
        np.maximum(slack, strays.slack, out=strays.slack)
        strays.now[:] = 0.0
        self._foresee(1)
        np.maximum(strays.bound, strays.slack, out=strays.slack)
        self.pair_count = room.find(horizon, frame.threads)

    def _measure(self) -> None:
        frame, room = self.frame, self.room
        assert room is not None
        while True:
            count = measure_pairs(
                room.pairs,
                self.pair_count,
                frame.substep - self.searched,
                room.strays,
                room.contacts,
                room.start,
                frame.inverse_mass,
                frame.friction,
            )
            if count <= len(room.contacts):
                break
            room.grow_contacts(count)
        self.contact_count = count

    def relax(self) -> None:
        """Passes over the contacts."""
        room, frame = self.room, self.frame
        if room is None or not self.contact_count:
            return
        for _ in range(PASSES):
            relax_surfaces(
                room.contacts, self.contact_count, room.start, frame.x, frame.inverse_mass
            )

    def limit(self) -> None:
        """See to it that nothing has passed through anything; the last word on places."""
        room, frame = self.room, self.frame
        if room is None:
            return
        self.relax()  # strain limits and colliders came after it
        for _ in range(ATTEMPTS):
            if self.contact_count:
                self._part()
            room.now[:] = frame.x
            ahead = frame.substep - self.searched + 1
            if not self._check(ahead):
                break
            # vertices came farther than was reckoned with: look who is in their way
            self.search(1.0, 0.0)
            self._measure()
        else:
            self._stop()
            self._check(1)

    def _check(self, ahead: int) -> int:
        room = self.room
        assert room is not None
        moved = (room.rows, self.frame.x, room.origin, room.speed, ahead)
        missed: int = check_strays(room.strays, room.surface.thickness, *moved)
        turned: int = count_turned(room.tree, room.surface.triangle, self.frame.x)
        return missed + turned

    def _stop(self) -> None:
        """Let all go on as one piece, what is held too: so nothing meets."""
        room, frame = self.room, self.frame
        assert room is not None
        rows = room.rows
        way = (frame.x[rows] - room.start[rows]).mean(axis=0)
        frame.x[rows] = room.start[rows] + way

    def _part(self) -> None:
        room, frame = self.room, self.frame
        assert room is not None
        moving = (frame.x, room.start, frame.inverse_mass, room.rows, room.marks)
        part_surfaces(room.contacts, self.contact_count, *moving)
