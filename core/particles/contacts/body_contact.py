"""Contacts of bodies of particles, from manifolds, and what keeps these bodies rigid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Floats, Ints
from ...collision.shapes import Shapes
from ...collision.touching import Touching
from ...kernels.jit import kernel
from ...rigid.owners import Owners
from ...vec3 import load
from ..particle_bodies.four_particles import (
    particle_body_poses,
    place_particle_bodies,
    weigh_particle_bodies,
)
from ..particle_bodies.rigidity import relax_bodies
from ..particle_bodies.shared_point import project_shared_points
from .contact_point import has_room, join_shape, note_contact
from .hook import ContactHook, Meeting, Surroundings

CONTACT_MARGIN = (
    0.02  # of a shape's smallest half extent: contacts are found a little before they touch
)

STICK_PASSES = 2
"""Passes over what keeps a body rigid for each pass over the contacts."""


def contact_margins(shapes: Shapes, thickness: Floats) -> Floats:
    """How early (k,) m contacts of each shape are found; thickness (k,) m, see `Surroundings`."""
    margins: Floats = np.where(shapes.particle_body >= 0, CONTACT_MARGIN * thickness, 0.0)
    return margins


class ParticleBodies(ContactHook):
    """Rigid bodies of four particles each, against everything that has a shape."""

    is_rigid = True

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        self.model = model
        self.shapes, self.margin = about.shapes, about.margin
        self.touching = Touching(model, about.thickness, of_particles=True)
        shared = model.shared.rows
        self.touching.exclude(shared["owner"][shared["collides"] == 0])
        self.item_count = 0
        self.first_owner = model.owner_count - len(model.particle_bodies)
        four: Ints = np.arange(4, dtype=np.int32)
        self.composed: Ints = model.particle_bodies.first_particle[:, None] + four
        self.form = (
            model.particle_bodies.first_particle,
            model.particle_bodies.extent,
            model.particle_bodies.form,
        )

    @property
    def is_any(self) -> bool:
        """Always: they are only made where a model has any."""
        return True

    @property
    def wholes(self) -> Sequence[Ints]:
        """Each body."""
        return list(self.composed)

    @property
    def room(self) -> int:
        """Four points of manifolds with some others."""
        return 32 * len(self.composed)

    def place(self, x: Floats, position: Floats, rotation: Floats) -> None:
        """Read their frames off their particles, see `Composing`."""
        place_particle_bodies(x, *self.form[:2], self.first_owner, position, rotation)

    def poses(self, x: Floats) -> tuple[Floats, Floats]:
        """Centres and quaternions, see `Composing`."""
        return particle_body_poses(self.model.particle_bodies, x)

    def weigh(self, x: Floats, inverse_mass: Floats, owners: Owners) -> None:
        """Read their inertia off their particles, see `Composing`."""
        weigh_particle_bodies(x, self.form[0], inverse_mass, self.first_owner, owners)

    def look(self, meeting: Meeting) -> None:
        """Find where they touch, as manifolds."""
        look = (self.shapes, None, self.margin, meeting.threads)
        self.item_count = self.touching.find(*look)

    def find(self, c: int, meeting: Meeting) -> int:
        """Points of all manifolds."""
        if not self.item_count:
            return c
        items = (self.touching.item, self.item_count, self.touching.manifolds)
        return find_body_contacts(c, meeting.contacts, *items)

    def relax(self, meeting: Meeting) -> float:
        """Once over the places that they share, whose widest gap it returns, and each rigid."""
        gap = 0.0
        if len(self.model.shared):
            rows = self.model.shared.rows
            gap = project_shared_points(meeting.particles, meeting.owners, meeting.h, rows)
        relax_bodies(meeting.particles, *self.form, STICK_PASSES)
        return gap


@kernel
def find_body_contacts(c, contacts, item, item_count, manifolds):
    """Contacts of bodies of particles with anything that has a shape, written from row c on.

    item (m,) `ITEM` and manifolds from `Touching`. Returns the row after them, which may be more
    than fit.
    """
    for n in range(item_count):
        for p in range(manifolds.count[n]):
            if has_room(contacts, c):
                join_shape(contacts, c, 0, item[n]["shape"][0], load(manifolds.on_a[n], p))
                join_shape(contacts, c, 1, item[n]["shape"][1], load(manifolds.on_b[n], p))
                note_contact(contacts, c, load(manifolds.normal, n), 0.0)
            c += 1
    return c
