"""Surfaces: cloth that passes through neither itself nor other cloth nor mesh colliders.

What does at the start of a frame is taken apart: see `surface_tangle` for meshes, `crossed_cloth`.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..diagnostics import surface_crossings
from ..model import Model
from ..model.diagnostics import Crossing
from ..particles.contacts.body_surfaces import push_bodies
from ..particles.contacts.forced_stretch import note_surface_pushes
from ..particles.contacts.mesh_ground import BACKED_GAP, note_mesh_ground
from ..particles.contacts.mesh_neighbours import spare_neighbours
from ..particles.contacts.sharp_quads import DRAWN, NEARLY_SHARP, SHARPEST, find_sharp, unfold
from ..particles.contacts.surface_contact import (
    Held,
    check_strays,
    farthest_stray,
    foresee_strays,
    measure_pairs,
    note_steps,
    part_layers,
    relax_surfaces,
    renew_flight,
)
from ..particles.contacts.surface_couple import return_surface_couples
from ..particles.contacts.surface_limit import PushedBack, part_surfaces
from ..particles.contacts.surface_room import SurfaceRoom
from ..particles.contacts.surface_tangle import UNTANGLING, take_out
from ..particles.contacts.surface_untangling import keep_slow
from ..particles.contacts.surface_watch import Parting
from ..records import Particles
from ..workspace import workspace_of
from .bodies import Bodies
from .contacts import Contacts
from .frame import Frame

PASSES = 3
"""Passes over contacts of cloth with cloth in each pass of relaxation."""

SEARCH_HORIZON = 10
"""Substeps for which pairs are looked for ahead, at most."""

LONGER = 2
"""Substeps for which they are looked for beyond those that the last ones were good for."""

STRAY_SLACK = (0.15, 0.3)
"""Mean edge lengths that vertices may stray from a straight flight before pairs are looked for
again: where nothing is known, and at most."""

FLIGHT_ROUNDING = 1e-6
"""Mean edge lengths that meshes may leave their flight by for no reason but rounding."""

QUIET_SLACK = 0.2
"""The same where nothing is near: so flat patches stay flat however vertices stray."""

LEFT_ALONE = 0.7
"""Share of their slack that vertices near nothing may stray before they are looked after again."""

FEW = 0.2
"""Share of all vertices up to which those that have strayed are looked at again alone, until all
are: what strays has the more pairs the longer it is ago that these were looked for."""

DENSE = 6
"""Pairs of a vertex from which on it is better to look for those within half the slack."""

UNFORESEEN = (0.01, 0.2)
"""Mean edge lengths that contacts and sticks may move a vertex at the end of a substep, beyond what
was foreseen at its beginning: the least that is reckoned with, and the most."""

UNFOLDINGS = 6
"""How often what contacts have folded too sharply is unfolded, and all parted once more."""

ATTEMPTS = 4
"""How often it is looked anew who is in the way, before all stop."""

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
        self.frame, self.bodies = frame, bodies
        self.room: SurfaceRoom | None = frame.work.surfaces
        self.contact_count = 0
        self.sharp = 0  # faces folded sharply once all was parted last: `SurfaceRoom.sharp`
        self.mesh_contacts = 0  # first of those with meshes
        self.searches = 0  # for pairs, of all or of some, in the frame
        self.searched = -1  # substep in which pairs were looked for, of the frame
        self.again = 0  # vertices that strayed and were looked at again since
        self.ahead = SEARCH_HORIZON // 2  # substeps for which pairs are looked for next
        self.is_dense = False  # those found last in the frame were more than `DENSE`
        self.horizon = 0.0  # substeps for which pairs were looked for
        self.slack = 0.0  # m, that vertices may stray then, at least
        self.is_quiet = False  # nothing is near anything until the end of the frame
        self.is_sure = False  # vertices have kept to their slack since flat patches were found
        self.strayed = 0.0  # the largest share of it that any has strayed by
        self.may_be_alone = True  # nothing has been near anything in the frame
        self.had_contacts = False  # in the frame
        self.meshes_move = False
        self.are_meshes_placed = False
        self.is_tangled = False  # something may have passed through a mesh
        self.tangled = NOT_LOOKED  # vertices that are to come out of meshes
        self.is_crossed = False  # cloth that began through cloth may still be
        room = self.room
        if room is None:
            return
        if not room.partners[0].is_self:
            self.ahead = SEARCH_HORIZON  # pairs with meshes are never dense
        room.strays.surprise[:] = 0.0
        room.strays.bound[:] = 0.0
        room.tangle.mark[:] = 0
        room.tangle.row[:] = -1
        room.layer_contacts = 0
        room.inverse_mass[: room.led] = frame.inverse_mass
        room.friction[: room.led] = frame.friction
        room.cloth_tangle.forget()
        is_clear = room.is_known_clear(frame.given)
        self.began_clear = is_clear  # nothing intersected where the frame began
        self.is_tangled = room.meshes is not None and not is_clear
        self.is_crossed = room.partners[0].is_self and not is_clear
        self.is_crossed &= bool(frame.state.rest.crossed.any())
        if room.meshes is not None:
            room.meshes.begin(frame.state.mesh_vertex, frame.mesh_end)

    def find(self) -> None:
        """Contacts of this substep: called when all have moved by themselves."""
        room = self.room
        if room is None:
            return
        frame = self.frame
        if not self.is_quiet:  # where nothing is near, nobody asks how far it has gone
            room.before[:] = room.start
        room.start[: room.led] = frame.previous
        if room.meshes is not None:
            self._follow_meshes(room)
        if self._stays_quiet(room):
            return
        self._take_places(room)
        room.now[:] = room.x
        count = len(room.x) if self.meshes_move else room.led
        note_steps(room.strays.step, count, room.before, room.start, room.speed)
        if self.is_tangled:
            self._look_for_tangle(room)
        if self.is_crossed:
            self.is_crossed = room.cloth_tangle.find(room.start, self.searched < 0)
        self._look_for_pairs(room)
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
        given = (room.contacts, self.contact_count, room.watch, room.start, room.parted)
        part_layers(*given, room.inverse_mass, self.frame.h)
        way = room.parted[: room.led] - room.start[: room.led]
        room.x[: room.led] += way
        room.previous[: room.led] += way

    def _take_places(self, room: SurfaceRoom) -> None:
        room.x[: room.led] = self.frame.x

    def _give_places(self, room: SurfaceRoom) -> None:
        self.frame.x[:] = room.x[: room.led]

    def _follow_meshes(self, room: SurfaceRoom) -> None:
        """Where meshes stand at both ends of the substep; where bodies will, as far as is known."""
        meshes, frame, led = room.meshes, self.frame, room.led
        assert meshes is not None
        shapes, owners = frame.work.shapes, frame.work.owners
        if room.has_bodies:
            self._look_for_near(room)
        if not self.are_meshes_placed:
            known = room.start[led:].copy()
            meshes.place(room.start, led, shapes, frame.begin_share, True)
            meshes.place_bodies(room.x, led, owners.position, owners.rotation)
            room.start[room.by_itself :] = room.x[room.by_itself :]
            room.are_boxes_wide |= not np.array_equal(known, room.start[led:])
            room.x[led:] = room.start[led:]
            self.are_meshes_placed = True
        elif self.meshes_move:
            room.start[led:] = room.x[led:]
        self.meshes_move = meshes.moves(shapes)
        if self.meshes_move:
            meshes.place(room.x, led, shapes, frame.end_share, False)
        self.meshes_move |= meshes.place_bodies(room.x, led, *self.bodies.ahead)

    def _look_for_near(self, room: SurfaceRoom) -> None:
        """Take up what is drawn of bodies that cloth may reach now."""
        ends = self.frame.work.owners.position, self.bodies.ahead[0]
        if room.look_for_near(self.frame.x, ends, not self.are_meshes_placed):
            self.are_meshes_placed = self.is_quiet = False
            self.horizon = 0.0

    def _follow_bodies(self, room: SurfaceRoom) -> None:
        """Where bodies have got to in the substep: what they met may have led them elsewhere."""
        if len(room.body_rows):
            assert room.meshes is not None
            owners = self.frame.work.owners
            pose = (owners.position, owners.rotation)
            self.meshes_move |= room.meshes.place_bodies(room.x, room.led, *pose)
            self._take_places(room)

    def _stays_quiet(self, room: SurfaceRoom) -> bool:
        """Whether nothing is near anything in this substep, as far as is known at its beginning.

        Then nobody asks before its end how far vertices have gone.
        """
        ahead = self.frame.substep - self.searched
        if self.is_quiet and ahead < self.horizon:
            rows = (room.mesh_rows, room.body_rows)
            if not any(self._leave_flight(room, ahead, led) for led in rows):
                return True
        if self.is_quiet:
            self.is_quiet, self.horizon = False, 0.0
        return False

    def _leave_flight(self, room: SurfaceRoom, ahead: int, rows: Ints) -> bool:
        """Whether vertices of meshes go elsewhere than pairs allow for."""
        if not (len(rows) and self.meshes_move):
            return False
        strays = room.strays
        strays.now[rows] = strays.foreseen[rows]
        way = (room.start, room.x, room.course(ahead + 1))
        return foresee_strays(strays, rows, room.stale, *way, 0.0, 0.0) > 0

    def _look_for_pairs(self, room: SurfaceRoom) -> None:
        """See to it that the pairs hold for this substep: for all, or for those that strayed."""
        ahead = self.frame.substep - self.searched
        if self.searched >= 0 and ahead < self.horizon:
            stale = self._foresee(room, ahead)
            if stale > 0:
                self._look_again(room, ahead, stale)
            return
        if self.searched >= 0:
            self._learn(room, ahead)
        if not self._is_alone(room):
            self._search_ahead(room)

    def _look_again(self, room: SurfaceRoom, ahead: int, stale: int) -> None:
        """Look for the pairs of so many stale vertices, or for all if many have become so."""
        self.again += stale
        if self.again <= FEW * len(room.rows):
            self._search(room, ahead, max(self.horizon - ahead, 1.0))
        else:
            self._learn(room, ahead)
            self._search_ahead(room)

    def _search_ahead(self, room: SurfaceRoom) -> None:
        """Look for all pairs anew, as far ahead as `_learn` has found worth while."""
        slack = STRAY_SLACK[0] * room.edge
        self.search(float(self.ahead), 0.5 * slack if self.is_dense else slack)

    def _is_alone(self, room: SurfaceRoom) -> bool:
        """Whether nothing can come near anything until the end of the frame: then all is quiet.

        Asked until something has been near.
        """
        frame = self.frame
        if not self.may_be_alone or self.is_tangled or self.is_crossed:
            return False
        horizon = float(frame.substeps - frame.substep)
        self._begin_search(horizon, QUIET_SLACK * room.edge)
        moving = room.gather(horizon, frame.threads, self.meshes_move)
        while True:  # bounds for longer are good for less
            if all(partners.near.are_few(horizon) for partners in room.partners):
                room.find_gathered(moving, horizon, frame.threads)
                self.is_quiet = not any(partners.count for partners in room.partners)
            if self.is_quiet or horizon <= SEARCH_HORIZON:
                break
            horizon = float(max(int(0.5 * horizon), SEARCH_HORIZON))
        self.horizon = horizon
        self.may_be_alone = self.is_quiet
        return self.is_quiet

    def _foresee(self, room: SurfaceRoom, ahead: int) -> int:
        """Mark vertices that pairs do not allow for until the end of the substep; how many.

        All count, and are not marked, where meshes leave their flight: it is laid for all alone.
        """
        strays, edge = room.strays, room.edge
        if self._leave_flight(room, ahead, room.mesh_rows):
            return len(room.rows)
        way = (room.start, room.now, room.course(ahead + 1))
        unknown = (UNFORESEEN[0] * edge, UNFORESEEN[1] * edge)
        stale: int = foresee_strays(strays, room.flying, room.stale, *way, *unknown)
        return stale

    def _learn(self, room: SurfaceRoom, ahead: int) -> None:
        """How far to look ahead next time: a little longer than the last pairs were good for."""
        cloth = room.partners[0]
        self.is_dense = cloth.is_self and cloth.count > DENSE * len(room.rows)
        self.ahead = min(ahead + LONGER, SEARCH_HORIZON)

    def search(self, horizon: float, slack: float) -> None:
        """Look for all pairs anew, as things stand at the start of the substep."""
        room = self.room
        assert room is not None
        self._begin_search(horizon, slack)
        self._find(room, horizon)

    def _begin_search(self, horizon: float, slack: float) -> None:
        """Have all pairs looked for anew, for so many substeps ahead."""
        room = self.room
        assert room is not None
        self.searched, self.horizon, self.slack = self.frame.substep, horizon, slack
        self.again = 0
        room.strays.step["gone"] = 0.0  # what is found is measured anew
        room.expect_all()
        if room.meshes is not None:
            self._expect_meshes(room)
        self._renew_flight(room, 0)
        self.is_quiet, self.is_sure = False, True

    def _expect_meshes(self, room: SurfaceRoom) -> None:
        """Lay the flight of meshes anew, and allow for their turning."""
        strays, frame, meshes = room.strays, self.frame, slice(room.led, room.by_itself)
        assert room.meshes is not None
        np.subtract(room.now[meshes], room.start[meshes], out=room.speed[meshes])
        room.origin[meshes] = room.start[meshes]
        for known in (strays.now, strays.foreseen, strays.bound):
            known[meshes] = 0.0
        strays.step[meshes] = 0.0
        strays.slack[meshes] = 0.0
        strays.step["way"][meshes] = np.linalg.norm(room.speed[meshes], axis=1)
        if self.meshes_move:
            shapes, step = frame.work.shapes, 1.0 / frame.substeps
            room.meshes.allow_turning(strays.slack, room.led, shapes, self.horizon, step)
            strays.slack[meshes] += FLIGHT_ROUNDING * room.edge

    def _search(self, room: SurfaceRoom, ahead: int, horizon: float) -> None:
        """Look for the pairs of what is stale, for so many substeps more."""
        self._renew_flight(room, ahead)
        self._find(room, horizon)
        self.is_sure = False

    def _renew_flight(self, room: SurfaceRoom, ahead: int) -> None:
        """Lay the flight of what is stale anew."""
        edge = room.edge
        bounds = (self.slack, STRAY_SLACK[1] * edge, UNFORESEEN[0] * edge, UNFORESEEN[1] * edge)
        way = (room.start, room.now, room.course(ahead))
        renew_flight(room.strays, room.flying, room.stale, *way, bounds)

    def _find(self, room: SurfaceRoom, horizon: float) -> None:
        """Find the pairs of what is stale, for so many substeps ahead."""
        room.find(horizon, self.frame.threads, self.meshes_move)
        self.searches += 1

    def _measure(self, room: SurfaceRoom) -> None:
        beyond = BACKED_GAP if len(room.ground.shape) else 0.0
        crossed = room.cloth_tangle.crossed
        held = Held(room.inverse_mass, room.friction, room.tangle.mark, crossed, beyond)
        step = room.strays.step
        while True:
            found = 0
            for partners in room.partners:
                self.mesh_contacts = found  # those with meshes come last
                pairs = (partners.pairs, partners.count, step, room.speed)
                into = (room.contacts, room.watch, found)
                found = measure_pairs(*pairs, *into, room.start, held, room.by_itself)
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

    def relax(self) -> None:
        """Passes over the contacts."""
        self._relax(PASSES)

    def settle(self, contacts: Contacts) -> None:
        """Passes once more, for strain limits and colliders came after them.

        Each pass presses what lies below into what it lies on: colliders take that up, with
        friction for all that weighs on it, or heaps would creep over floors.
        """
        if self.mesh_contacts == 0:
            self._relax(1)
        else:
            for _ in range(PASSES):
                before = self.frame.x.copy()
                self._relax(1)
                contacts.collide_moved(before)
        self._return_couples()
        self._note_pushes()

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
        self._follow_bodies(room)
        if self.is_quiet and self._has_nothing_met(room):
            return
        room.pushed[:] = 0.0
        before = frame.x.copy() if self.is_crossed else frame.x
        self._take_places(room)
        for _ in range(ATTEMPTS):
            if self.contact_count:
                self._part(room)
            room.now[:] = room.x
            ahead = frame.substep - self.searched
            missed = self._check(room, ahead + 1)
            turned = self._have_turned(room, room.x)
            if not (missed or turned):
                break
            if turned:
                room.look_into_turned()
            # who is in the way of what came so far
            self._look_again(room, ahead, int(np.count_nonzero(room.stale)))
            self._measure(room)
        else:
            self._stop(room)
            self._check(room, frame.substep - self.searched + 1)
        self._give_places(room)
        if len(room.body_rows):
            push_bodies(frame.work.owners, room.pushed, frame.h)
        if self.is_crossed:
            keep_slow(room.rows, before, frame.x, frame.previous, UNTANGLING * frame.h)
            room.cloth_tangle.calm(frame.x, frame.previous)

    def _has_nothing_met(self, room: SurfaceRoom) -> bool:
        """Whether what was near nothing still is, at the end of the substep.

        If vertices have left their slack, pairs are looked for where they are now; if they are
        about to, at the beginning of the next substep.
        """
        frame, ahead = self.frame, self.frame.substep - self.searched
        x = room.x if len(room.body_rows) else frame.x
        strayed = farthest_stray(room.strays.slack, room.flying, x, room.course(ahead + 1))
        self._note_stray(strayed)
        if self.is_sure and not self._have_turned(room, frame.x):
            self.is_quiet = strayed <= LEFT_ALONE
            if not self.is_quiet:
                self.horizon = 0.0
            return True
        self.is_quiet = False
        self._take_places(room)
        room.now[:] = room.x
        self.search(1.0, 0.0)
        self._measure(room)
        return False

    def _check(self, room: SurfaceRoom, ahead: int) -> int:
        """Mark vertices that came farther than was reckoned with; how many."""
        moved = (room.start, room.x, room.course(ahead))
        given = (room.strays, room.surface.thickness, room.flying, room.stale)
        missed, strayed = check_strays(*given, *moved)
        self._note_stray(strayed)
        return int(missed)

    def _note_stray(self, strayed: float) -> None:
        """Note that share of its slack, at most, has a vertex strayed from its flight."""
        self.is_sure &= strayed <= 1.0
        self.strayed = strayed

    def _have_turned(self, room: SurfaceRoom, x: Floats) -> bool:
        """Whether a patch that nobody looked into may be flat no longer at x (n, 3) m."""
        return room.has_turned(x, self.strayed if self.is_sure else math.inf)

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
        unfolded: int = unfold(room.quad, room.sharp, self.sharp, room.x, room.inverse_mass, least)
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
