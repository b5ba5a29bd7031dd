"""Contacts of single particles with bodies."""

from __future__ import annotations

from collections import namedtuple

from ...collision.axis_boxes import are_apart, widened
from ...collision.narrow_phase import parts_of
from ...collision.point_distance import is_beyond, solid_distance
from ...collision.shapes import passes_by
from ...kernels.jit import kernel, lean_inline
from ...vec3 import along, dot, load, rotate, store, sub, unrotate
from .contact_point import has_room, join_particle, join_shape, note_contact
from .hook import ContactHook, Meeting, Surroundings
from .particle_groups import GROUP_SIZE, box_of_group, group_boxes

LOOSENED = 2.0
"""Ways of gravity in a substep by which what has just fallen off a sleeper still touches it."""

GLIDES = 0.5
"""Depth, as a share of what a particle keeps away, up to which it may glide along a face."""

Lone = namedtuple(
    "Lone",
    [
        "particle",  # (m,) those that collide
        "radius",  # (n,) m, that particles keep away
        "box",  # scratch: around each group of them, see `particle_groups`
    ],
)
"""Particles that collide as such, as part of no piece."""


class LoneParticles(ContactHook):
    """Particles that collide, against rigid bodies and bodies of particles."""

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        colliding = model.particles.colliding
        lone = Lone(colliding, model.particles.radius, group_boxes(len(colliding)))
        self.given = (about.shapes, model.collider_shape_count, lone)
        self.meets_bodies = len(model.bodies) > 0

    @property
    def is_any(self) -> bool:
        """Whether there are rigid bodies; those of particles say so themselves."""
        return self.meets_bodies

    def find(self, c: int, meeting: Meeting) -> int:
        """A contact for each that is in a shape, has gone through it or has just fallen off it."""
        moving = (meeting.particles, LOOSENED * meeting.fall)
        return find_particle_contacts(c, meeting.contacts, *self.given, *moving)


@lean_inline
def _gap_from(hulls, kind, size, hull, p, o, reach):
    """Gap of a particle at p, one step ago at o, from a shape, and the way out.

    What glides along a face comes in over its edge, by the side of the shape as its sharp corners
    have it; but it has not run into the side.
    """
    gap, normal = solid_distance(hulls, kind, size, hull, 0, p, o, reach)
    if gap < 0.0:
        here, out = solid_distance(hulls, kind, size, hull, 0, p, p, reach)
        if -GLIDES * reach <= here <= 0.0 and dot(out, sub(o, p)) >= here:
            return here, out
    return gap, normal


@lean_inline
def _bound_groups(lone, particles, loose):
    """Write the box around all that each group reaches."""
    for group in range(lone.box.shape[0]):
        first, last = group * GROUP_SIZE, min((group + 1) * GROUP_SIZE, lone.particle.shape[0])
        low, high, largest = box_of_group(lone.particle, lone.radius, particles, first, last)
        low, high = widened(low, high, largest + loose)
        store(lone.box[group], 0, low)
        store(lone.box[group], 1, high)


@lean_inline
def _meet(c, contacts, shapes, s, i, radius, particles, loose):
    """Write a contact of particle i with shape s in row c, if there is any; returns the next row.

    Point b lies on the surface: a lever of the particle's radius would bend the body.
    """
    x, previous, _ = particles
    _, hulls, _ = parts_of(shapes)
    reach = radius[i]
    if passes_by(shapes, s, x, previous, i, reach + loose):
        return c
    r, rb = shapes.rotation[s], shapes.rotation_before[s]
    p = unrotate(r, sub(load(x, i), load(shapes.centre, s)))
    o = unrotate(rb, sub(load(previous, i), load(shapes.centre_before, s)))
    kind, size, hull = shapes.kind[s], shapes.size[s], shapes.hull[s]
    if is_beyond(hulls, kind, size, hull, (p, o, o), reach + loose):
        return c
    gap, normal = _gap_from(hulls, kind, size, hull, p, o, reach)
    if gap > loose:
        return c
    if has_room(contacts, c):
        normal = rotate(r, normal)
        join_particle(contacts, c, 0, i)
        join_shape(contacts, c, 1, s, along(load(x, i), -(gap + reach), normal))
        note_contact(contacts, c, normal, reach)
    return c + 1


@kernel
def find_particle_contacts(c, contacts, shapes, first_shape, lone, particles, loose):
    """Contacts of free particles with bodies, written from row c on; returns the row after them.

    Shapes from first_shape on belong to bodies. What rests on particles and sleeps does not fall
    with them: up to ``loose`` m apart they still touch. May return more than fit.
    """
    colliding, radius, boxes = lone
    _bound_groups(lone, particles, loose)
    for s in range(first_shape, shapes.kind.shape[0]):
        lower, upper = load(shapes.lower, s), load(shapes.upper, s)
        for group in range(boxes.shape[0]):
            box = boxes[group]
            if are_apart(load(box, 0), load(box, 1), lower, upper):
                continue
            for j in range(group * GROUP_SIZE, min((group + 1) * GROUP_SIZE, colliding.shape[0])):
                c = _meet(c, contacts, shapes, s, colliding[j], radius, particles, loose)
    return c
