"""Contacts: what touches what, and how it is kept apart."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..coupling.pin_hold import Moving, find_holds, find_ties, hold_bodies, hold_room
from ..coupling.tied_pieces import Tied
from ..particles.contacts.body_contact import find_body_contacts, find_particle_contacts
from ..particles.contacts.collider_contact import collide_particles
from ..particles.contacts.contact_parting import place_bounces, resolve_overlap
from ..particles.contacts.contact_places import Movable
from ..particles.contacts.contact_point import contact_room
from ..particles.contacts.contact_weights import Surfaces, prepare_contacts
from ..particles.contacts.free_turn import return_couples
from ..particles.contacts.piece_contact import LOOK_EVERY, find_near_pieces, find_piece_contacts
from ..particles.contacts.response import note_couples, relax_contacts
from ..particles.contacts.self_collision import find_crowd_contacts
from ..particles.particle_bodies.body_turn import return_body_couples
from ..particles.particle_bodies.rigidity import relax_bodies
from ..particles.particle_bodies.shared_point import project_shared_points
from ..records import Particles
from .bodies import Bodies
from .frame import Frame

RESTING = 4.0
"""Contacts that approach by less than this many times g·h² in a step do not bounce."""

SOFT = 4.0
"""Where nothing is rigid as a whole, the last pass may still push this many times farther."""

STICK_PASSES = 2
"""Passes over what keeps a body rigid for each pass over the contacts."""


class Contacts:
    """Contacts of a substep between bodies, bodies and colliders, and particles."""

    def __init__(self, frame: Frame, bodies: Bodies) -> None:
        self.frame = frame
        self.bodies = bodies
        model = frame.model
        self.is_bouncy = bool(model.restitution.any() or model.shapes.restitution.any())
        frame.work.crowd.choose(model, frame.x, frame.previous, frame.h, frame.substeps, frame.fall)
        self.is_any = (
            model.particle_body_count > 0
            or not frame.work.crowd.is_empty
            or (model.body_count > 0 and len(model.colliding) > 0)
            or self._has_pieces
            or len(model.limbs) > 0
        )
        self.has_couples = not frame.work.crowd.is_empty or len(model.limbs) > 0
        self.near_count = 0
        self.tied = self._tied()
        self.inverse_mass = frame.inverse_mass  # of particles in contacts of this substep
        self.has_meshes = model.shapes.has_meshes
        if self.has_meshes and len(model.colliding):
            frame.work.touching.bound_triangles(frame.work.shapes)
        self.mesh_before: Floats = frame.work.shapes.mesh_vertex
        self.mesh_motion = 0.0  # m, farthest that a vertex has come in this substep
        # where particles stood at the start of the substep: bounces and shifts set x* elsewhere
        self.start: Floats = frame.previous
        self.has_start = self.is_any or (self.has_meshes and self.is_bouncy)
        if self.has_start:
            self.start = np.empty_like(frame.previous)

    def _tied(self) -> Tied:
        """What is tied in this frame: some may have been let go."""
        work = self.frame.work
        loose = [tie for tie in work.ties if not tie.holds(self.frame.animated)]
        if not loose:
            return work.tied
        row = work.tied.row.copy()
        for tie in loose:
            row[tie.particle] = -1
        return work.tied._replace(row=row)

    @property
    def _has_pieces(self) -> bool:
        return len(self.frame.work.piece) > 0 and len(self.frame.model.shapes) > 0

    def find(self) -> None:
        """Contacts of this substep between bodies, bodies and colliders, and free particles."""
        self._follow_meshes()
        if not self.is_any:
            return
        frame = self.frame
        work = frame.work
        if self._has_pieces and frame.substep % LOOK_EVERY == 0:
            self._find_near()
        if len(frame.model.limbs) and frame.substep % LOOK_EVERY == 0:
            frame.work.limbs.look(frame.x, frame.previous, frame.fall)
        item_count = self._find_items()
        if not work.crowd.is_empty:
            work.crowd.sort(frame.x)
        while (found := self._fill_contacts(item_count)) > len(work.contacts.solving):
            work.contacts = contact_room(2 * found)
        if len(frame.model.limbs) and len(frame.model.tethered):
            given = (work.contacts, found, frame.x, frame.inverse_mass, work.tethers)
            self.inverse_mass = work.limbs.hold(*given)
        self._prepare(found)
        if self.bodies.meet(work.contacts, found):  # who just woke is no longer immovable
            self._prepare(found)
        frame.contact_count = found

    def _prepare(self, count: int) -> None:
        frame = self.frame
        model, work = frame.model, frame.work
        surfaces = Surfaces(
            work.shapes,
            model.body_first_particle,
            model.body_extent,
            frame.friction,
            model.restitution,
        )
        resting = RESTING * frame.fall
        prepare_contacts(work.contacts, count, surfaces, self._movable, resting)

    @property
    def _movable(self) -> Movable:
        """What contacts move in this substep."""
        frame = self.frame
        particles = Particles(frame.x, frame.previous, self.inverse_mass)
        return Movable(particles, frame.work.owners, frame.h)

    def _find_near(self) -> None:
        """Which stretches of rope and triangles of cloth are near which shapes, in work.near."""
        frame = self.frame
        model, work = frame.model, frame.work
        near = (work.piece, work.shapes, work.touching.mesh_tree, self.tied)
        moving = (frame.x, frame.previous, model.radius, frame.fall)
        while (count := find_near_pieces(*near, *moving, work.near)) > len(work.near):
            work.near = np.zeros((count * 3 // 2, 3), dtype=np.int32)
        self.near_count = count

    def _find_items(self) -> int:
        """Where bodies of particles touch, as manifolds; returns how many pairs were looked at."""
        work = self.frame.work
        if work.touching_particles is None:
            return 0
        return work.touching_particles.find(
            work.shapes, work.owners.inverse_mass, work.margin, self.frame.threads
        )

    def _fill_contacts(self, item_count: int) -> int:
        frame = self.frame
        model, work = frame.model, frame.work
        found = 0
        if item_count and work.touching_particles is not None:
            touching = work.touching_particles
            items = (touching.item, item_count, touching.manifolds)
            found = find_body_contacts(found, work.contacts, *items)
        if self.near_count:
            found = find_piece_contacts(
                found,
                work.contacts,
                work.near,
                self.near_count,
                work.piece,
                work.shapes,
                work.owners.inverse_mass,
                frame.particles,
                model.radius,
                work.touching.edges,
                work.first_use,
                work.touching.scratch,
            )
        if len(model.limbs):
            found = work.limbs.find(
                found, work.contacts, frame.x, frame.previous, frame.inverse_mass
            )
        if model.body_count + model.particle_body_count and len(model.colliding):
            found = find_particle_contacts(
                found,
                work.contacts,
                work.shapes,
                model.collider_shape_count,
                model.colliding,
                model.radius,
                frame.particles,
            )
        if not work.crowd.is_empty:
            found = find_crowd_contacts(
                found,
                work.contacts,
                work.crowd.cells,
                work.crowd.group,
                work.crowd.radius,
                frame.x,
                frame.inverse_mass,
            )
        return found

    def _follow_meshes(self) -> None:
        """Trees over the triangles of meshes that change their form, and how far they have come."""
        if not (self.has_meshes and self.bodies.meshes.is_moving):
            return
        work = self.frame.work
        now = work.shapes.mesh_vertex.copy()
        self.bodies.meshes.pose(self.frame.begin_share)
        self.mesh_before = work.shapes.mesh_vertex.copy()
        work.shapes.mesh_vertex[:] = now
        self.mesh_motion = float(np.sqrt(((now - self.mesh_before) ** 2).sum(axis=1).max()))
        work.touching.bound_triangles(work.shapes)

    def bounce(self) -> None:
        """Reflect fast particles on their exact path before constraints disturb it."""
        if self.has_start:
            self.start[:] = self.frame.previous
        if self.is_bouncy:
            self._collide(may_bounce=True)

    def collide(self) -> None:
        """Project particles out of the colliders, with friction."""
        self._collide(may_bounce=False)

    def _collide(self, may_bounce: bool, rows: Ints | None = None) -> None:
        """Particles against colliders, all that collide or those in some ``rows``."""
        frame = self.frame
        model = frame.model
        if not (model.collider_count and len(model.colliding)):
            return
        threads = frame.threads if rows is None else 1  # a few rows, again and again
        collide_particles.on(threads)(
            frame.x,
            frame.previous,
            self.start,
            frame.inverse_mass,
            model.colliding if rows is None else rows,
            model.radius,
            frame.friction,
            model.restitution,
            frame.work.shapes,
            model.collider_shape_count,
            frame.work.touching.mesh_tree,
            self.mesh_before,
            self.mesh_motion,
            frame.gravity,
            frame.h,
            may_bounce,
        )

    def relax(self) -> None:
        """Passes over contacts, joints and what keeps each body of particles rigid (Jakobsen §5).

        A hard hit takes more: up to four times as many passes, while the last one still pushed
        something farther than gravity moves it in a step.
        """
        frame = self.frame
        model, work = frame.model, frame.work
        if not self.is_any:
            return
        movable = self._movable
        enough = frame.fall * (1.0 if model.particle_body_count else SOFT)
        for n in range(4 * frame.settings.body_iterations):
            push = relax_contacts(work.contacts.solving, frame.contact_count, movable)
            if len(model.shared):
                push = max(push, self._join())
            relax_bodies(
                frame.x,
                frame.previous,
                model.body_first_particle,
                model.body_extent,
                model.body_form,
                frame.inverse_mass,
                STICK_PASSES,
            )
            if len(model.limbs):  # a hand between chest and floor passes the push on
                self._collide(may_bounce=False, rows=work.limbs.rows)
            if n + 1 >= frame.settings.body_iterations and push <= enough:
                break
        self._hold()

    def _hold(self) -> None:
        """Bodies that lie in cloth or hang on it, held by the cloth's pins."""
        frame = self.frame
        model, work = frame.model, frame.work
        if not (model.body_count and len(model.tethered)):
            return
        if frame.inverse_mass is not model.inverse_mass:
            return  # a pin was let go: which tethers hold is not known here
        moving = Moving(frame.particles, work.owners, work.tethers, frame.h)
        count = find_holds(
            work.contacts.solving, frame.contact_count, moving, work.mark, work.holds
        )
        for tie in work.ties:
            count = find_ties(count, tie.body, tie.particle, moving, work.holds)
        if count == len(work.holds.pull):
            work.holds = hold_room(2 * count)
        tied = work.wearing
        before = work.owners.velocity[tied]
        hold_bodies(work.holds, count, frame.x, frame.previous, work.owners, frame.h, work.gain)
        if len(tied):
            gain = work.owners.velocity[tied] - before
            work.tie_push[tied] += model.bodies.mass[tied, None] * gain

    def _join(self) -> float:
        """One pass over the places that bodies of particles share; the widest gap, m."""
        frame = self.frame
        gap: float = project_shared_points(
            frame.particles,
            frame.work.owners,
            frame.h,
            frame.model.shared.rows,
        )
        return gap

    def settle(self) -> None:
        """After the last pass, corrections of place alone: bounces, and overlap from the start."""
        frame = self.frame
        if not frame.contact_count:
            return
        work = frame.work
        movable = self._movable
        particles = movable.particles
        contacts = (work.contacts, frame.contact_count)
        if self.has_couples:
            note_couples(*contacts, particles)
        place_bounces(*contacts, movable)
        resolve_overlap(*contacts, movable)
        model = frame.model
        if model.particle_body_count:
            first_owner = model.body_count + model.collider_count
            bodies = (model.body_first_particle, first_owner, work.owners, work.body_turn)
            return_body_couples(*contacts, particles, *bodies)
        if self.has_couples:
            return_couples(*contacts, particles, *work.rings)
            if len(model.limbs):
                work.limbs.return_couples(*contacts, particles)
