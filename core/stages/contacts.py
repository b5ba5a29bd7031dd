"""Contacts: what touches what, and how it is kept apart.

What can touch hooks in through `ContactHook`; colliders, which have no contact points for what does
not touch them, are looked at by `collide_particles`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..collision.contact_law import RESTING_FALLS
from ..collision.kinds import MESH
from ..model import Model
from ..particles.constraints.lying import Lying
from ..particles.contacts.collider_contact import (
    CollidingParticles,
    Deforming,
    collide_particles,
    list_moved,
)
from ..particles.contacts.contact_parting import place_bounces, resolve_overlap
from ..particles.contacts.contact_point import contact_room
from ..particles.contacts.contact_weights import prepare_contacts, surfaces_of
from ..particles.contacts.foothold import foothold_room
from ..particles.contacts.forced_stretch import note_pushes
from ..particles.contacts.hook import Meeting
from ..particles.contacts.response import note_couples, relax_contacts
from ..particles.contacts.supports import Ground, Supports
from ..workspace import workspace_of
from .bodies import Bodies
from .frame import Frame

SOFT_SHARE = 4.0
"""Where nothing is rigid as a whole, the last pass may still push this many times farther."""


class Doing:
    """Which hooks have a use for each part of a substep; one call of a method that does nothing
    costs little, but there are some hundred in a frame. Whether anything lies on the ground.
    """

    def __init__(self, model: Model) -> None:
        hooks = workspace_of(model).hooks
        self.look, self.find, self.hold, self.relax, self.support, self.spare, self.stop = (
            [hook for hook in hooks if hook.does(part)]
            for part in ("look", "find", "hold", "relax", "support", "spare", "stop")
        )
        self.lies = any(isinstance(c, Lying) and c.lies_on_ground for c in model.constraints)


class Contacts:
    """Contacts of a substep between bodies, bodies and colliders, and particles."""

    def __init__(self, frame: Frame, bodies: Bodies) -> None:
        self.frame = frame
        self.bodies = bodies
        model, work = frame.model, frame.work
        self.is_bouncy = bool(model.particles.restitution.any() or model.shapes.restitution.any())
        self.hooks = work.hooks
        self.doing = frame.scratch(Doing)
        self.meeting = Meeting(
            particles=frame.particles,
            inverse_mass=frame.inverse_mass,
            friction=frame.friction,
            owners=work.owners,
            animated=frame.animated,
            threads=frame.threads,
            h=frame.h,
            fall=frame.fall,
            gravity=frame.gravity,
            substeps=frame.substeps,
            push_out=self._push_out,
            contacts=work.contacts,
            backing=np.zeros(0, dtype=np.int32),
            barred=np.zeros((0, 3)),
            footholds=foothold_room(0, np.zeros(0, dtype=np.int32)),
        )
        for hook in self.hooks:
            hook.begin(self.meeting)
        self.is_any = any(hook.is_any for hook in self.hooks)
        self.is_rigid = any(hook.is_rigid for hook in self.hooks)
        self.surfaces = surfaces_of(model, work.shapes, frame.friction)
        # whether any but surfaces look for the triangles of meshes
        self.has_meshes = model.shapes.has_meshes and self._needs_triangles(model)
        if self.has_meshes:
            work.touching.bound_triangles(work.shapes)
        are_meshes = bool((model.shapes.kind[: model.collider_shape_count] == MESH).all())
        self.are_parted = are_meshes and not self.has_meshes  # surfaces see to all there is
        self.mesh_before: Floats = work.shapes.mesh_vertex
        self.mesh_motion = 0.0  # m, farthest that a vertex has come in this substep
        self.colliding: Ints = (
            model.particles.colliding
        )  # those that may meet a collider in this substep
        # where particles stood at the start of the substep: bounces and shifts set x* elsewhere
        self.start: Floats = frame.previous
        self.bears = self.doing.lies and len(model.shapes) > 0
        self.has_start = False
        if self.is_any or (self.has_meshes and self.is_bouncy):
            self.keep_start()

    def keep_start(self) -> None:
        """Note in each substep where particles stand before they bounce, in ``start`` (n, 3) m."""
        if not self.has_start:
            self.has_start = True
            self.start = np.empty_like(self.frame.previous)

    def _needs_triangles(self, model: Model) -> bool:
        """Whether particles that are not of surfaces, ropes or what bounces may meet a mesh."""
        is_alone = not model.surfaces.parts_meshes[model.particles.colliding].all()
        is_loose = not model.surfaces.parts_meshes[model.pieces.triangle].all()
        return is_alone or is_loose or len(model.pieces.wire) > 0 or self.is_bouncy

    def find(self) -> None:
        """Contacts of this substep between bodies, bodies and colliders, and free particles."""
        self._follow_meshes()
        if not self.is_any:
            return
        frame, meeting = self.frame, self.meeting
        meeting.substep = frame.substep
        meeting.inverse_mass = frame.inverse_mass
        for hook in self.doing.look:
            hook.look(meeting)
        while (found := self._fill()) > len(meeting.contacts.solving):
            meeting.contacts = frame.work.contacts = contact_room(2 * found)
        meeting.count = frame.contact_count = found
        for hook in self.doing.hold:
            hook.hold(meeting)
        self.weigh()
        if self.bodies.meet(meeting.contacts, found):  # who just woke is no longer immovable
            self.weigh()

    def _fill(self) -> int:
        """Have all contacts written; returns how many there are, maybe more than fit."""
        found = 0
        for hook in self.doing.find:
            found = hook.find(found, self.meeting)
        return found

    def weigh(self) -> None:
        """Work out what contacts move: anew where who slept, and was immovable, has woken."""
        meeting = self.meeting
        contacts = (meeting.contacts, meeting.count, self.surfaces)
        prepare_contacts(*contacts, meeting.movable, RESTING_FALLS * meeting.fall)

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

    def collide_moved(self, before: Floats) -> None:
        """The same of those particles that are no longer at ``before`` (n, 3) m."""
        moved = np.empty_like(self.colliding)
        count = list_moved(moved, self.colliding, self.frame.x, before)
        self._collide(may_bounce=False, rows=moved[:count], threads=self.frame.threads)

    def _push_out(self, rows: Ints) -> None:
        """Project some of the particles that collide out of the colliders."""
        self._collide(may_bounce=False, rows=rows, threads=1)  # a few, again and again

    def _collide(self, may_bounce: bool, rows: Ints | None = None, threads: int = 0) -> None:
        """Particles against colliders, all that collide or those in some ``rows``.

        threads: 0 for as many as the frame has.
        """
        frame = self.frame
        model = frame.model
        if self.are_parted or not (len(model.colliders) and len(self.colliding)):
            return
        balls = CollidingParticles(
            self.colliding if rows is None else rows,
            model.surfaces.parts_meshes,
            model.particles.radius,
            frame.friction,
            model.particles.restitution,
            self.start,
            frame.work.pushed,
        )
        shapes, tree = frame.work.shapes, frame.work.touching.mesh_tree
        deforming = Deforming(self.mesh_before, self.mesh_motion)
        touched = (shapes, model.collider_shape_count, tree, deforming)
        given = (frame.particles, balls, *touched, frame.gravity, frame.h, may_bounce)
        collide_particles.on(threads or frame.threads)(*given)

    def ground(self) -> Supports | None:
        """What constraints may lie on in this substep, see `Lying`."""
        if not self.bears:
            return None
        frame = self.frame
        model, work = frame.model, frame.work
        ground = Ground(
            work.shapes,
            model.collider_shape_count,
            work.touching.mesh_tree,
            self.mesh_before,
            self.mesh_motion,
            frame.friction,
            self.meeting.contacts,
            self.meeting.count,
            work.owners,
            model.particles.radius,
            self.meeting.fall,
        )
        return Supports(ground)

    def relax(self) -> None:
        """Passes over contacts and what hooks project between them, and what bodies are held by."""
        if not self.is_any:
            return
        self._relax_all(is_again=False)
        for hook in self.doing.support:
            hook.support(self.meeting)

    def part_again(self) -> None:
        """Passes over contacts whose particles have been pulled to where they may not be.

        What shortens cloth after the passes knows nothing of the ball that it was stretched by: the
        cloth would be pulled through it, vertex by vertex, and the ball fall out of a sack. Where
        pins hold that cloth the ball gives way to it first.
        """
        if not self.is_any:
            return
        for hook in self.doing.spare:
            hook.spare(self.meeting)
        for hook in self.doing.stop:
            hook.stop(self.meeting)
        self._relax_all(is_again=True)

    def _relax_all(self, is_again: bool) -> None:
        """Passes over contacts and what hooks project between them (Jakobsen §5).

        A hard hit takes more: up to four times as many passes, while the last one still pushed
        something farther than gravity moves it in a step.
        """
        meeting, passes = self.meeting, self.frame.settings.body_iterations
        enough = meeting.fall * (1.0 if self.is_rigid else SOFT_SHARE)
        contacts = (meeting.contacts.solving, meeting.count, meeting.movable, is_again)
        if not self.doing.relax:
            if meeting.count:
                relax_contacts(*contacts, passes, 4 * passes, enough)
            return
        for n in range(4 * passes):
            push = relax_contacts(*contacts, 1, 1, enough)
            for hook in self.doing.relax:
                push = max(push, hook.relax(meeting))
            if n + 1 >= passes and push <= enough:
                break

    def settle(self) -> None:
        """After the last pass, corrections of place alone: bounces, and overlap from the start."""
        meeting, work = self.meeting, self.frame.work
        if not meeting.count:
            return
        contacts, movable = (meeting.contacts, meeting.count), meeting.movable
        note_couples(*contacts, movable.particles)
        place_bounces(*contacts, movable)
        resolve_overlap(*contacts, movable)
        if len(work.pushed):
            solving = (meeting.contacts.solving, meeting.count)
            note_pushes(*solving, meeting.inverse_mass, work.owners, work.pushed)
        work.return_couples(*contacts, movable.particles)
