"""Calming: layers of cloth that only creep are slowed down, until they lie still and sleep.

Sticks that do not stretch and layers that interlock press against each other in a heap, and what
some passes leave of that moves it by a few millimetres a second, for ever. It is no motion that
anybody is to see, but it keeps the heap awake. So once all patches of an object that lies on cloth
have crept for half a second, it goes only a share of its way in each substep, x and x* alike, and
that share is halved again and again. What is hit, pulled or blown on is let go at once.

Objects that are near each other go the same share of ways on which nothing has passed through
anything, so nothing does on that share of them either.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..geometry.surface import connected_parts
from ..model.rest_table import find_moving
from ..pairs import distinct_pairs
from ..rigid.sleep.stillness import REST_TIME
from .forces import Forces
from .frame import Frame
from .object_sleep import acted_on
from .sleepers import Mask, SleeperScratch
from .surfaces import SurfaceContacts

CREEP = 0.1
"""Share of √(g r), r being half the thickness, that what creeps gets on with in `REST_TIME`."""

HALVING = 0.15
"""s in which the share of its way that a calm object goes is halved."""

LEAST_WAY = 0.05
"""Share of its way that it goes at least."""

RELEASE = 1.0
"""Half thicknesses that a particle would have gone in a frame which let its object go, however calm
it was: what trembles comes back, what is hit or pressed goes on and on."""


class Calming:
    """Who is calm in this frame, and how far it goes."""

    def __init__(self, frame: Frame, forces: Forces, surfaces: SurfaceContacts) -> None:
        self.frame, self.forces, self.surfaces = frame, forces, surfaces
        self.table, self.calm = frame.whole.rests, frame.state.rest.calm
        self.share: Floats = np.ones(len(self.table))  # (o,) of its way
        self.part: Ints | None = None  # (o,) those that are near each other have one number
        self.searches = 0  # for which it holds
        if surfaces.room is None:
            return
        self.calm[frame.asleep | frame.roused] = 0.0
        is_disturbed = len(forces.impulses) > 0 or not np.array_equal(
            frame.origin.acted, frame.state.acted
        )
        if is_disturbed:
            self.calm[:] = 0.0
        halvings = np.maximum(self.calm - REST_TIME, 0.0) / HALVING
        whole = np.floor(halvings)  # between halvings in a line: NumPy's powers are the processor's
        half_way = np.ldexp(1.0 - 0.5 * (halvings - whole), -whole.astype(np.intc))
        self.share = np.maximum(half_way, LEAST_WAY)
        self.owner = frame.scratch_of_whole(SleeperScratch).object_of
        self.rows = surfaces.room.cloth
        self.object_of = self.owner[self.rows]
        self.asked = np.zeros((len(self.rows), 3))  # m, that particles would have gone so far

    def slow_down(self) -> None:
        """Take calm objects back to a share of the way of the substep; called at its end."""
        room = self.surfaces.room
        if room is None or not (self.share < 1.0).any():
            return
        frame, rows = self.frame, self.rows
        part = self._near_each_other()
        way = frame.x[rows] - room.start[rows]
        self.asked += way
        most = RELEASE * self.table.radius[self.object_of]
        goes = self.object_of[~(np.einsum("nk,nk->n", self.asked, self.asked) <= most * most)]
        self.share[goes] = 1.0
        self.calm[goes] = 0.0
        largest = np.zeros(len(part))
        np.maximum.at(largest, part, self.share)
        share = largest[part][self.object_of]
        slowed = np.flatnonzero(share < 1.0)
        rows, share = rows[slowed], share[slowed, None]
        gone = frame.x[rows] - frame.previous[rows]
        frame.x[rows] = room.start[rows] + share * way[slowed]
        frame.previous[rows] = frame.x[rows] - share * gone

    def _near_each_other(self) -> Ints:
        """A number (o,) for each object, the same for those of which features may meet.

        What may meet a mesh that moves is let go.
        """
        surfaces, room = self.surfaces, self.surfaces.room
        assert room is not None
        if self.part is None or self.searches != surfaces.search.count:
            self.searches = surfaces.search.count
            met = [np.zeros((0, 2), dtype=np.int32)]
            for partners in room.partners:
                ends = partners.pairs["corner"][: partners.count]
                if partners.is_self:
                    met.append(self.owner[ends[:, [0, 3]]])
                elif surfaces.meshes.do_move:
                    led = (room.x != room.start).any(axis=1)
                    led[: room.led] = False
                    ends = ends[led[ends].any(axis=1)]
                    cloth = np.where(ends < room.led, ends, ends.min(axis=1, keepdims=True))
                    self.share[self.owner[cloth]] = 1.0
            self.part = connected_parts(len(self.table), distinct_pairs(np.concatenate(met)))
        return self.part

    def finish(self) -> None:
        """At the end of the frame, see who has crept at most, against cloth and by itself."""
        frame, table, room = self.frame, self.table, self.surfaces.room
        if room is None:
            return
        moves = frame.asleep | ~self._is_pressed() | acted_on(frame, self.forces) | self._is_led()
        moves |= table.has_no_patch
        patches = (frame.x, table.patch, table.patch_object, table.every)
        least = CREEP * REST_TIME * np.sqrt(math.hypot(*frame.inputs.gravity) * table.radius)
        begins = self.calm % REST_TIME < frame.inputs.duration  # where it is looked from anew
        find_moving(*patches, least, begins, frame.state.rest.calm_middle, moves)
        self.calm[:] = np.where(moves, 0.0, self.calm + frame.inputs.duration)

    def _is_pressed(self) -> Mask:
        """Objects (o,) that cloth presses on."""
        surfaces, room = self.surfaces, self.surfaces.room
        assert room is not None
        contacts = room.contacts[: surfaces.mesh_contacts]
        corner = contacts["corner"][contacts["normal_impulse"] > 0.0]
        pressed = np.zeros(len(self.table), dtype=bool)
        pressed[self.owner[corner]] = True
        return pressed

    def _is_led(self) -> Mask:
        """Objects (o,) of which pins move."""
        frame = self.frame
        led = np.zeros(len(self.table), dtype=bool)
        if frame.inputs.pin_position is not None:
            moves = (frame.inputs.pin_position != frame.origin.pin_position).any(axis=1)
            led[self.owner[frame.model.pins.particle[moves]]] = True
        return led
