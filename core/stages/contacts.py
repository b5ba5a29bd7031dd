"""Contacts: what touches what, and how it is kept apart."""

from __future__ import annotations

import numpy as np

from ..constraints.tetrahedron import relax_bodies
from ..contact.body_contact import find_body_contacts, find_particle_contacts
from ..contact.crowd import find_crowd_contacts
from ..contact.pairs import find_pairs, sweep_order
from ..contact.particle_contact import collide_particles
from ..contact.response import (
    contact_room,
    place_bounces,
    prepare_contacts,
    relax_contacts,
    resolve_overlap,
)
from ..model import Ints
from .bodies import Bodies
from .frame import Frame

RESTING = 4.0
"""Contacts that approach by less than this many times g·h² in a step do not bounce."""

STICK_PASSES = 2
"""Passes over a body's six sticks for each pass over the contacts."""


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
        )
        self.order: Ints | None = None

    def find(self) -> None:
        """Contacts of this substep between bodies, bodies and colliders, and free particles."""
        if not self.is_any:
            return
        frame = self.frame
        work = frame.work
        pair_count = self._find_pairs()
        if not work.crowd.is_empty:
            work.crowd.sort(frame.x)
        while (found := self._fill_contacts(pair_count)) > len(work.contacts.friction):
            work.contacts = contact_room(2 * found)
        self._prepare(found)
        if self.bodies.meet(work.contacts, found):  # who just woke is no longer immovable
            self._prepare(found)
        frame.contact_count = found

    def _prepare(self, count: int) -> None:
        frame = self.frame
        model, work = frame.model, frame.work
        prepare_contacts(
            work.contacts,
            count,
            work.shapes,
            model.body_first_particle,
            model.body_extent,
            frame.friction,
            model.restitution,
            frame.x,
            frame.previous,
            frame.inverse_mass,
            work.owners,
            work.ahead.position,
            frame.h,
            RESTING * frame.fall,
        )

    def _find_pairs(self) -> int:
        """Shapes that may touch, in work.pairs; returns how many."""
        work = self.frame.work
        if not self.frame.model.particle_body_count:
            return 0
        if self.order is None:
            self.order = sweep_order(work.shapes)
        while (count := find_pairs(work.shapes, self.order, work.pairs, work.margin)) > len(
            work.pairs
        ):
            work.pairs = np.zeros((2 * count, 2), dtype=np.int32)
        return count

    def _fill_contacts(self, pair_count: int) -> int:
        frame = self.frame
        model, work = frame.model, frame.work
        found = 0
        if model.particle_body_count:
            found = find_body_contacts(
                work.pairs,
                pair_count,
                work.contacts,
                work.shapes,
                work.margin,
                work.box_scratch,
                work.on_a,
                work.on_b,
                work.normal,
            )
        if model.body_count + model.particle_body_count and len(model.colliding):
            found = find_particle_contacts(
                found,
                work.contacts,
                work.shapes,
                model.collider_shape_count,
                model.colliding,
                model.radius,
                frame.x,
                frame.previous,
            )
        if not work.crowd.is_empty:
            found = find_crowd_contacts(
                found,
                work.contacts,
                work.crowd.particles,
                work.crowd.group,
                work.crowd.radius,
                work.crowd.cell,
                work.crowd.first,
                work.crowd.member,
                frame.x,
                frame.inverse_mass,
            )
        return found

    def bounce(self) -> None:
        """Reflect fast particles on their exact path before constraints disturb it."""
        if self.is_bouncy:
            self._collide(may_bounce=True)

    def collide(self) -> None:
        """Project particles out of the colliders, with friction."""
        self._collide(may_bounce=False)

    def _collide(self, may_bounce: bool) -> None:
        frame = self.frame
        model = frame.model
        if not (model.collider_count and len(model.colliding)):
            return
        collide_particles.on(frame.threads)(
            frame.x,
            frame.previous,
            frame.inverse_mass,
            model.colliding,
            model.radius,
            frame.friction,
            model.restitution,
            frame.work.shapes,
            model.collider_shape_count,
            frame.gravity,
            frame.h,
            may_bounce,
        )

    def relax(self) -> None:
        """Passes over the contacts and the six sticks of each body (Jakobsen §5: 3–4).

        A hard hit takes more: up to four times as many passes, while the last one still pushed
        something farther than gravity moves it in a step.
        """
        frame = self.frame
        model, work = frame.model, frame.work
        if not self.is_any:
            return
        moving = (frame.x, frame.previous, frame.inverse_mass, work.owners, frame.h)
        for n in range(4 * frame.settings.body_iterations):
            push = relax_contacts(work.contacts, frame.contact_count, *moving)
            relax_bodies(
                frame.x,
                frame.previous,
                model.body_first_particle,
                model.body_extent,
                frame.inverse_mass,
                STICK_PASSES,
            )
            if n + 1 >= frame.settings.body_iterations and push <= frame.fall:
                break

    def settle(self) -> None:
        """After the last pass, corrections of place alone: bounces, and overlap from the start."""
        frame = self.frame
        if not frame.contact_count:
            return
        work = frame.work
        moving = (frame.x, frame.previous, frame.inverse_mass, work.owners, frame.h)
        contacts = (work.contacts, frame.contact_count)
        place_bounces(*contacts, *moving)
        resolve_overlap(*contacts, *moving)
