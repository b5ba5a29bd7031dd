"""Contacts of bodies of particles from manifolds, and of single particles with bodies."""

from __future__ import annotations

import math

from ...collision.narrow_phase import parts_of
from ...collision.particle_distance import solid_distance
from ...collision.shapes import passes_by
from ...kernels.jit import inline, kernel
from ...vector import rotate, unrotate
from .contact_table import FREE_PARTNER

MARGIN = 0.02  # of a shape's smallest half extent: contacts are found a little before they touch


@inline
def note_contact(contacts, c, a, b, particle, ax, ay, az, bx, by, bz, nx, ny, nz):
    """Note contact c between world points a and b; returns the next free row.

    a, b: shapes, or a = FREE_PARTNER for a free particle. Rows beyond the room are counted and
    not written.
    """
    if c < contacts.friction.shape[0]:
        contacts.shape[c, 0] = a
        contacts.shape[c, 1] = b
        contacts.particle[c, 0] = particle
        contacts.point[c, 0, 0] = ax
        contacts.point[c, 0, 1] = ay
        contacts.point[c, 0, 2] = az
        contacts.point[c, 1, 0] = bx
        contacts.point[c, 1, 1] = by
        contacts.point[c, 1, 2] = bz
        contacts.normal[c, 0] = nx
        contacts.normal[c, 1] = ny
        contacts.normal[c, 2] = nz
    return c + 1


@kernel
def find_body_contacts(item, item_count, manifolds, contacts):
    """Contacts of bodies of particles with anything that has a shape; returns how many there are.

    item (m, 3) and manifolds from `Touching`. May return more than fit.
    """
    c = 0
    for n in range(item_count):
        for p in range(manifolds.count[n]):
            c = note_contact(
                contacts,
                c,
                item[n, 0],
                item[n, 1],
                -1,
                manifolds.on_a[n, p, 0],
                manifolds.on_a[n, p, 1],
                manifolds.on_a[n, p, 2],
                manifolds.on_b[n, p, 0],
                manifolds.on_b[n, p, 1],
                manifolds.on_b[n, p, 2],
                manifolds.normal[n, 0],
                manifolds.normal[n, 1],
                manifolds.normal[n, 2],
            )
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
            px, py, pz = unrotate(
                r,
                x[i, 0] - shapes.centre[s, 0],
                x[i, 1] - shapes.centre[s, 1],
                x[i, 2] - shapes.centre[s, 2],
            )
            ox, oy, oz = unrotate(
                rb,
                previous[i, 0] - shapes.centre_before[s, 0],
                previous[i, 1] - shapes.centre_before[s, 1],
                previous[i, 2] - shapes.centre_before[s, 2],
            )
            gap, nx, ny, nz = solid_distance(
                shapes.kind[s],
                shapes.size[s],
                hulls,
                shapes.hull[s],
                0,
                px,
                py,
                pz,
                ox,
                oy,
                oz,
                reach,
            )
            if gap > 0.0:
                continue
            nx, ny, nz = rotate(r, nx, ny, nz)
            # point b lies on the surface: a lever of the particle's radius would bend the body
            if c < contacts.friction.shape[0]:
                contacts.reach[c] = reach
            away = gap + reach
            c = note_contact(
                contacts,
                c,
                FREE_PARTNER,
                s,
                i,
                x[i, 0],
                x[i, 1],
                x[i, 2],
                x[i, 0] - away * nx,
                x[i, 1] - away * ny,
                x[i, 2] - away * nz,
                nx,
                ny,
                nz,
            )
    return c
