"""Contacts of single particles with bodies."""

from __future__ import annotations

import math

from ...collision.narrow_phase import parts_of
from ...collision.point_distance import is_beyond, solid_distance
from ...collision.shapes import passes_by
from ...kernels.jit import inline, kernel, lean_inline
from ...vec3 import along, dot, load, rotate, sub, unrotate
from .contact_point import has_room, join_particle, join_shape, note_contact
from .hook import ContactHook, Meeting, Surroundings

LOOSENED = 2.0
"""Ways of gravity in a substep by which what has just fallen off a sleeper still touches it."""

GLIDES = 0.5
"""Depth, as a share of what a particle keeps away, up to which it may glide along a face."""


class LoneParticles(ContactHook):
    """Particles that collide, against rigid bodies and bodies of particles."""

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        self.given = (
            about.shapes,
            model.collider_shape_count,
            model.particles.colliding,
            model.particles.radius,
        )
        self.meets_bodies = len(model.bodies) > 0

    @property
    def is_any(self) -> bool:
        """Whether there are rigid bodies; those of particles say so themselves."""
        return self.meets_bodies

    def find(self, c: int, meeting: Meeting) -> int:
        """A contact for each that is in a shape, has gone through it or has just fallen off it."""
        moving = (meeting.particles, LOOSENED * meeting.fall)
        return find_particle_contacts(c, meeting.contacts, *self.given, *moving)


@inline
def _bounds(colliding, radius, x, loose):
    """Lowest and highest corner of a loose box around all particles that collide, m."""
    lx = ly = lz = math.inf
    hx = hy = hz = -math.inf
    for j in range(colliding.shape[0]):
        i = colliding[j]
        r = radius[i] + loose
        lx, ly, lz = min(lx, x[i, 0] - r), min(ly, x[i, 1] - r), min(lz, x[i, 2] - r)
        hx, hy, hz = max(hx, x[i, 0] + r), max(hy, x[i, 1] + r), max(hz, x[i, 2] + r)
    return (lx, ly, lz), (hx, hy, hz)


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


@kernel
def find_particle_contacts(c, contacts, shapes, first_shape, colliding, radius, particles, loose):
    """Contacts of free particles with bodies, written from row c on; returns the row after them.

    Shapes from first_shape on belong to bodies. What rests on particles and sleeps does not fall
    with them: up to ``loose`` m apart they still touch. May return more than fit.
    """
    x, previous, _ = particles
    _, hulls, _ = parts_of(shapes)
    low, high = _bounds(colliding, radius, x, loose)
    for s in range(first_shape, shapes.kind.shape[0]):
        lower, upper = load(shapes.lower, s), load(shapes.upper, s)
        if (
            (lower[0] > high[0] or upper[0] < low[0])
            or (lower[1] > high[1] or upper[1] < low[1])
            or (lower[2] > high[2] or upper[2] < low[2])
        ):
            continue
        r = shapes.rotation[s]
        rb = shapes.rotation_before[s]
        for j in range(colliding.shape[0]):
            i = colliding[j]
            reach = radius[i]
            if passes_by(shapes, s, x, previous, i, reach + loose):
                continue
            p = unrotate(r, sub(load(x, i), load(shapes.centre, s)))
            o = unrotate(rb, sub(load(previous, i), load(shapes.centre_before, s)))
            kind, size, hull = shapes.kind[s], shapes.size[s], shapes.hull[s]
            if is_beyond(hulls, kind, size, hull, (p, o, o), reach + loose):
                continue
            gap, normal = _gap_from(hulls, kind, size, hull, p, o, reach)
            if gap > loose:
                continue
            if has_room(contacts, c):
                normal = rotate(r, normal)
                # point b lies on the surface: a lever of the particle's radius would bend the body
                join_particle(contacts, c, 0, i)
                join_shape(contacts, c, 1, s, along(load(x, i), -(gap + reach), normal))
                note_contact(contacts, c, normal, reach)
            c += 1
    return c
