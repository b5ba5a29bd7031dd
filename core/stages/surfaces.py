"""Surfaces: cloth that passes through neither itself nor other cloth nor mesh colliders.

What does at the start of a frame is taken apart: see `surface_tangle` for meshes, `crossed_cloth`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Ints
from ..diagnostics import surface_crossings
from ..model import Model
from ..model.diagnostics import Crossing
from ..particles.contacts.body_surfaces import push_bodies
from ..particles.contacts.forced_stretch import note_surface_pushes
from ..particles.contacts.mesh_ground import BACKED_GAP, note_mesh_ground
from ..particles.contacts.mesh_neighbours import spare_neighbours
from ..particles.contacts.sharp_quads import DRAWN, NEARLY_SHARP, SHARPEST, find_sharp, unfold
from ..particles.contacts.sinking import find_sunk
from ..particles.contacts.surface_contact import (
    measure_pairs,
    note_steps,
    part_layers,
    relax_surfaces,
)
from ..particles.contacts.surface_couple import note_couples_before, return_surface_couples
from ..particles.contacts.surface_limit import PushedBack, part_surfaces
from ..particles.contacts.surface_room import SurfaceRoom
from ..particles.contacts.surface_tangle import UNTANGLING, take_out
from ..particles.contacts.surface_untangling import keep_slow
from ..particles.contacts.surface_watch import Parting
from ..records import Particles
from ..workspace import workspace_of
from .bodies import Bodies
from .contacts import Contacts
from .followed_meshes import FollowedMeshes
from .frame import Frame
from .surface_search import SurfaceSearch

PASSES = 3
"""Passes over contacts of cloth with cloth in each pass of relaxation."""

UNFOLDINGS = 6
"""How often what contacts have folded too sharply is unfolded, and all parted once more."""

ATTEMPTS = 16
"""How often it is looked anew who is in the way, before all stop: nine times where a sheet is
thrown at a mesh at 80 m/s."""

SINKINGS = 2
"""How often besides, for triangles whose corners keep them off meshes no longer: then none do."""

NOT_LOOKED = -1
"""In place of how many vertices are tangled: any may be."""


def crossings_at_start(model: Model) -> tuple[Crossing, ...]:
    """Surfaces that pass through themselves, each other, meshes or bodies before the first frame.

    They are taken apart when the simulation begins, at a limited speed, but for what pins hold.
    """
    work = workspace_of(model)
    if work.surfaces is not None:
        work.surfaces.note_start(model.particles.position)
    return surface_crossings(model, work)


class SurfaceContacts:
    """Contacts of surfaces in one frame; what it remembers does not outlive the frame."""

    def __init__(self, frame: Frame, bodies: Bodies) -> None:
        self.frame = frame
        self.room: SurfaceRoom | None = frame.work.surfaces
        self.contact_count = 0
        self.sharp = 0  # faces folded sharply once all was parted last: `SurfaceRoom.sharp`
        self.mesh_contacts = 0  # first of those with meshes
        self.had_contacts = False  # in the frame
        self.is_tangled = False  # something may have passed through a mesh
        self.tangled = NOT_LOOKED  # vertices that are to come out of meshes
        self.is_crossed = False  # cloth that began through cloth may still be
        room = self.room
        if room is None:
            return
        self.meshes = FollowedMeshes(frame, bodies, room)
        self.search = SurfaceSearch(frame, room, self.meshes)
        room.tangle.mark[:] = 0
        room.tangle.row[:] = -1
        room.props.sunk[:] = 0
        room.layer_contacts = 0
        room.inverse_mass[: room.led] = frame.inverse_mass
        room.friction[: room.led] = frame.friction
        room.cloth_tangle.begin()
        is_clear = room.is_known_clear(frame.given)
        self.began_clear = is_clear  # nothing intersected where the frame began
        self.is_tangled = room.meshes is not None and not is_clear
        self.is_crossed = room.partners[0].is_self and not is_clear
        self.is_crossed &= bool(frame.state.rest.crossed.any())

    def find(self) -> None:
        """Contacts of this substep: called when all have moved by themselves."""
        room = self.room
        if room is None:
            return
        frame = self.frame
        search = self.search
        search.begin()
        if self.meshes.begin():
            search.begin_anew()
        if search.stays_quiet():
            return
        self._take_places(room)
        if len(room.lines):  # some may be balls that have woken
            room.inverse_mass[room.lines] = frame.inverse_mass[room.lines]
        room.now[:] = room.x
        count = len(room.x) if self.meshes.do_move else room.led
        note_steps(room.strays.step, count, room.before, room.start, room.speed)
        if self.is_tangled:
            self._look_for_tangle(room)
        if self.is_crossed:
            self.is_crossed = room.cloth_tangle.find(room.start, search.searched < 0)
        search.look(may_be_alone=not (self.is_tangled or self.is_crossed))
        self._measure(room)
        room.previous[: room.led] = frame.previous
        self._part_layers(room)
        self._take_out(room, is_first=True)
        if self.is_crossed:
            moving = (room.start, room.x, room.previous)
            room.cloth_tangle.take_apart(*moving, UNTANGLING * self.frame.h)
        frame.previous[:] = room.previous[: room.led]
        self._give_places(room)
        if room.meshes is not None and len(room.ground.shape):
            found = (room.contacts, self.mesh_contacts, self.contact_count)
            places = (room.x, room.start, room.led, room.meshes.shape_of)
            note_mesh_ground(room.ground, *found, *places)

    def _part_layers(self, room: SurfaceRoom) -> None:
        """Move what lies too near apart, x and x* alike; contacts count its motion from there."""
        room.parted[:] = room.start
        if self.contact_count == 0:
            return
        found = (room.contacts, self.mesh_contacts, self.contact_count, room.watch)
        particles = Particles(room.x, room.previous, room.inverse_mass)
        part_layers(*found, room.start, room.parted, particles, room.sheets, self.frame.h)
        way = room.parted[: room.led] - room.start[: room.led]
        room.x[: room.led] += way
        room.previous[: room.led] += way

    def _take_places(self, room: SurfaceRoom) -> None:
        room.x[: room.led] = self.frame.x

    def _give_places(self, room: SurfaceRoom) -> None:
        self.frame.x[:] = room.x[: room.led]

    def _measure(self, room: SurfaceRoom) -> None:
        beyond = BACKED_GAP if len(room.ground.shape) else 0.0
        vertices, step = room.vertices(beyond), room.strays.step
        while True:
            found = 0
            for partners in room.partners:
                self.mesh_contacts = found  # those with meshes come last
                into = (room.contacts, room.watch, found)
                found = measure_pairs(partners.pairs, partners.count, *into, vertices)
            step["gone"] = step["veered"] = 0.0  # is reckoned with now
            if found <= len(room.contacts):
                break
            room.grow_contacts(found)
        self.contact_count = found
        self.had_contacts |= found > 0
        if room.meshes is None:
            self.mesh_contacts = found
        else:
            with_meshes = (room.contacts, self.mesh_contacts, found)
            spare_neighbours(*with_meshes, room.led, room.neighbours, room.watch.nearest)
        room.layer_contacts = self.mesh_contacts

    def _look_for_tangle(self, room: SurfaceRoom) -> None:
        """Mark what is on the wrong side of a mesh where the substep begins."""
        room.find_crossings(room.start, only_meshes=True)
        crossings = room.partners[-1].crossing_count
        if crossings == 0 and self.tangled <= 0:  # what is inside as a whole may belong there
            self.is_tangled, self.tangled = False, 0
            return
        self.tangled, _ = room.find_tangle(room.start, self.tangled)
        self.is_tangled = crossings > 0 or self.tangled > 0

    def _take_out(self, room: SurfaceRoom, is_first: bool) -> None:
        """Move what has passed through a mesh out of it."""
        if self.tangled <= 0:
            return
        particles = Particles(room.x, room.previous, room.inverse_mass)
        given = (room.tangle, self.tangled, room.surface, room.start, particles)
        take_out(*given, UNTANGLING * self.frame.h, is_first, self.frame.work.pushed)

    def met(self) -> Ints:
        """Particles (k,) that may meet others of surfaces in this substep, maybe several times."""
        if self.room is None:
            return np.zeros(0, dtype=np.int32)
        found: Ints = self.room.contacts["corner"][: self.mesh_contacts].reshape(-1)
        return found

    def relax(self) -> None:
        """Passes over the contacts."""
        self._relax(PASSES)

    def settle(self, contacts: Contacts) -> None:
        """Passes once more, for strain limits and colliders came after them.

        Each pass presses what lies below into what it lies on: colliders take that up, with
        friction for all that weighs on it, or heaps would creep over floors.
        """
        self._note_couples_before()
        if self.mesh_contacts == 0:
            self._relax(1)
        else:
            for _ in range(PASSES):
                before = self.frame.x.copy()
                self._relax(1)
                contacts.collide_moved(before)
        self._return_couples()
        self._note_pushes()

    def _note_couples_before(self) -> None:
        """Passes have pushed before others moved x and x* alike, which reckon with that."""
        room = self.room
        if room is not None and self.mesh_contacts:
            places = (room.previous, self.frame.previous)
            note_couples_before(room.contacts, self.mesh_contacts, room.sheets, *places)

    def _return_couples(self) -> None:
        """Take back by how much contacts of cloth with cloth have turned it."""
        room, frame = self.room, self.frame
        if room is not None and self.mesh_contacts:
            moving = (frame.x, frame.previous, frame.inverse_mass)
            return_surface_couples(room.contacts, self.mesh_contacts, room.sheets, *moving)

    def _note_pushes(self) -> None:
        """What meshes and what is held have pushed, for those who ask how far."""
        room, work = self.room, self.frame.work
        if room is not None and self.contact_count and len(work.pushed):
            found = (room.contacts, self.contact_count, room.watch)
            note_surface_pushes(*found, room.inverse_mass, work.firm, work.pushed)

    def _relax(self, passes: int) -> None:
        room = self.room
        if room is None or not (self.contact_count or self.tangled > 0):
            return
        self._take_places(room)
        count, moving = self.mesh_contacts, (room.watch, room.parted, room.x, room.inverse_mass)
        for _ in range(passes if count else 0):
            relax_surfaces(room.contacts, count, 0, *moving)
            self._unfold(room, SHARPEST)
        if self.contact_count > count:  # what does not give way asks for no more than one pass
            relax_surfaces(room.contacts, self.contact_count, count, *moving)
        self._take_out(room, is_first=False)
        self._give_places(room)

    def limit(self) -> None:
        """See to it that nothing has passed through anything; the last word on places."""
        room, frame = self.room, self.frame
        if room is None:
            return
        search = self.search
        if self.meshes.end():
            self._take_places(room)
        if search.is_quiet and self._has_nothing_met(room):
            return
        room.pushed[:] = 0.0
        before = frame.x.copy() if self.is_crossed else frame.x
        self._take_places(room)
        attempts, sinkings = ATTEMPTS, 0
        while attempts > 0:
            if self.contact_count:
                self._part(room)
            room.now[:] = room.x
            have_strayed, have_turned = search.have_strayed(room.x), search.have_turned(room.x)
            have_sunk = self._have_sunk(room, sinkings > 0)
            if not (have_strayed or have_turned or have_sunk):
                break
            if have_sunk and sinkings < SINKINGS:
                sinkings += 1
                room.pushed[:] = 0.0
                self._take_places(room)
            else:
                attempts -= 1
            if have_turned:
                room.look_into_turned()
            # who is in the way of what came so far
            search.look_again()
            self._measure(room)
        else:
            self._stop(room)
            search.have_strayed(room.x)
        self._give_places(room)
        if len(room.body_rows):
            push_bodies(frame.work.owners, room.pushed, frame.h)
        if self.is_crossed:
            keep_slow(room.rows, before, frame.x, frame.previous, UNTANGLING * frame.h)
            room.cloth_tangle.calm(frame.x, frame.previous)

    def _have_sunk(self, room: SurfaceRoom, is_again: bool) -> bool:
        """Mark what its corners keep off meshes no longer; whether there is anything."""
        if self.mesh_contacts == self.contact_count:
            return False
        found = (room.contacts, self.mesh_contacts, self.contact_count)
        places = (room.surface.triangle, room.start, room.x)
        return bool(find_sunk(*found, room.props, *places, room.stale, is_again))

    def _has_nothing_met(self, room: SurfaceRoom) -> bool:
        """Whether what was near nothing still is; if not, contacts are those of where all is."""
        if self.search.was_quiet(room.x if len(room.body_rows) else self.frame.x):
            return True
        self._take_places(room)
        room.now[:] = room.x
        self.search.search(1.0, 0.0)
        self._measure(room)
        return False

    def _stop(self, room: SurfaceRoom) -> None:
        """Let all go on as one piece, with its momentum, so that nothing meets but what is led.

        With what is held, where anything is.
        """
        rows = room.rows
        way = room.x[rows] - room.start[rows]
        w = room.inverse_mass[rows]
        mass = 1.0 / w if w.all() else np.where(w == 0.0, 1.0, 0.0)
        room.x[rows] = room.start[rows] + np.average(way, axis=0, weights=mass)
        self._expect_crossings(room)

    def _part(self, room: SurfaceRoom) -> None:
        """Keep all apart, and faces as they are drawn, as far as that goes without contact."""
        for _ in range(UNFOLDINGS):
            self._part_contacts(room)
            self.sharp = find_sharp(room.quad, room.x, NEARLY_SHARP, room.sharp)
            if not self._unfold(room, DRAWN):
                return
            for _ in range(PASSES):
                self._unfold(room, DRAWN)
        self._part_contacts(room)

    def _unfold(self, room: SurfaceRoom, least: float) -> int:
        """Unfold faces sharper than ``least``, of those that were once all was parted last.

        None while cloth comes apart that began crossed: nobody looks at its faces before that.
        """
        if self.is_crossed:
            return 0
        particles = Particles(room.x, self.frame.previous, room.inverse_mass)
        found = (room.quad, room.sharp, self.sharp)
        unfolded: int = unfold(*found, particles, room.sheets, least)
        return unfolded

    def _part_contacts(self, room: SurfaceRoom) -> None:
        moving = (room.x, room.start, room.inverse_mass)
        parting = Parting(room.contacts, self.contact_count, room.watch, *moving)
        back = PushedBack(room.by_itself, room.first_hold, room.hold, room.pushed)
        if part_surfaces(parting, room.rows, room.stopping, room.led, back):
            self._expect_crossings(room)

    def _expect_crossings(self, room: SurfaceRoom) -> None:
        """Where something had to stop there was no room: it may have passed through a mesh."""
        if room.meshes is not None and not self.is_tangled:
            self.is_tangled, self.tangled = True, 0

    def finish(self) -> None:
        """See at the end of the frame what has passed through what."""
        room, frame = self.room, self.frame
        if room is None:
            return
        if self.had_contacts or not self.began_clear:
            room.note_crossings(frame.x)
        else:  # where no features could meet nothing has passed through anything
            room.note_clear(frame.x)
        self._note_crossed(room)

    def _note_crossed(self, room: SurfaceRoom) -> None:
        """What has come apart needs not be taken apart any more, whatever comes later.

        What came through since the start was pressed through: were its contacts to give way, more
        would follow.
        """
        crossed = self.frame.state.rest.crossed
        still = np.zeros(len(crossed), dtype=bool)
        still[room.pierced_objects(len(crossed))] = True
        crossed[~still] = 0.0
