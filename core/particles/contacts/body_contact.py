"""Contacts of bodies of particles from manifolds, and of single particles with bodies."""

from __future__ import annotations

import math

from ...collision.narrow_phase import parts_of
from ...collision.point_distance import solid_distance
from ...collision.shapes import passes_by
from ...kernels.jit import inline, kernel
from ...vec3 import along, load, rotate, store, sub, unrotate
from .contact_table import FREE_PARTNER

MARGIN = 0.02  # of a shape's smallest half extent: contacts are found a little before they touch


@inline
def note_contact(contacts, c, shapes, particle, point_a, point_b, normal):
    """Note contact c between two world points; returns the next free row.

    shapes: a and b, or a = FREE_PARTNER for a free particle. Rows beyond the room are counted and
    not written.
    """
    if c < contacts.friction.shape[0]:
        contacts.shape[c, 0] = shapes[0]
        contacts.shape[c, 1] = shapes[1]
        contacts.particle[c, 0] = particle
        store(contacts.point[c], 0, point_a)
        store(contacts.point[c], 1, point_b)
        store(contacts.normal, c, normal)
    return c + 1


@kernel
def find_body_contacts(item, item_count, manifolds, contacts):
    """Contacts of bodies of particles with anything that has a shape; returns how many there are.

    item (m, 3) and manifolds from `Touching`. May return more than fit.
    """
    c = 0
    for n in range(item_count):
        for p in range(manifolds.count[n]):
            a, b = load(manifolds.on_a[n], p), load(manifolds.on_b[n], p)
            pair = (item[n, 0], item[n, 1])
            c = note_contact(contacts, c, pair, -1, a, b, load(manifolds.normal, n))
    return c


@kernel
def find_particle_contacts(c, contacts, shapes, first_shape, colliding, radius, x, previous):
    """Contacts of free particles with bodies, written from row c on; returns the row after them.

    Shapes from first_shape on belong to bodies. May return more than fit.
    """
    _, hulls, _ = parts_of(shapes)
    lowest_x = lowest_y = lowest_z = math.inf
    highest_x = highest_y = highest_z = -math.inf
    for j in range(colliding.shape[0]):
        i = colliding[j]
        lowest_x = min(lowest_x, x[i, 0] - radius[i])
        lowest_y = min(lowest_y, x[i, 1] - radius[i])
        lowest_z = min(lowest_z, x[i, 2] - radius[i])
        highest_x = max(highest_x, x[i, 0] + radius[i])
        highest_y = max(highest_y, x[i, 1] + radius[i])
        highest_z = max(highest_z, x[i, 2] + radius[i])
    for s in range(first_shape, shapes.kind.shape[0]):
        if (
            shapes.lower[s, 0] > highest_x
            or shapes.upper[s, 0] < lowest_x
            or shapes.lower[s, 1] > highest_y
            or shapes.upper[s, 1] < lowest_y
            or shapes.lower[s, 2] > highest_z
            or shapes.upper[s, 2] < lowest_z
        ):
            continue
        r = shapes.rotation[s]
        rb = shapes.rotation_before[s]
        for j in range(colliding.shape[0]):
            i = colliding[j]
            reach = radius[i]
            if passes_by(shapes, s, x, previous, i, reach):
                continue
            p = unrotate(r, sub(load(x, i), load(shapes.centre, s)))
            o = unrotate(rb, sub(load(previous, i), load(shapes.centre_before, s)))
            kind, size, hull = shapes.kind[s], shapes.size[s], shapes.hull[s]
            gap, normal = solid_distance(hulls, kind, size, hull, 0, p, o, reach)
            if gap > 0.0:
                continue
            normal = rotate(r, normal)
            # point b lies on the surface: a lever of the particle's radius would bend the body
            if c < contacts.friction.shape[0]:
                contacts.reach[c] = reach
            place = load(x, i)
            surface = along(place, -(gap + reach), normal)
            c = note_contact(contacts, c, (FREE_PARTNER, s), i, place, surface, normal)
    return c
