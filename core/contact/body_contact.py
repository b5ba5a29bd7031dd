"""Narrow phase: where bodies touch colliders, each other and particles."""

from __future__ import annotations

import math

from ..jit import inline, kernel
from ..vector import rotate, unrotate
from .box_box import box_box
from .response import FREE_PARTNER
from .shapes import BOX, CAPSULE, PLANE, ROOM, SPHERE, distance, face_count, passes_by

MARGIN = 0.02  # of a shape's smallest half extent: contacts are found a little before they touch


@inline
def _add(contacts, c, a, b, particle, ax, ay, az, bx, by, bz, nx, ny, nz):
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


@inline
def _gap_to(shapes, s, face, x, y, z, radius):
    """`distance` of a ball around a world point from shape s, normal in world axes."""
    r = shapes.rotation[s]
    lx, ly, lz = unrotate(
        r, x - shapes.centre[s, 0], y - shapes.centre[s, 1], z - shapes.centre[s, 2]
    )
    gap, nx, ny, nz = distance(shapes.kind[s], shapes.size[s], face, lx, ly, lz, lx, ly, lz, radius)
    nx, ny, nz = rotate(r, nx, ny, nz)
    return gap, nx, ny, nz


@inline
def _capsule_point(shapes, capsule, t):
    """World point at t·half length (−1 … 1) on the axis of a capsule."""
    r = shapes.rotation[capsule]
    along = t * shapes.size[capsule, 1]
    return (
        shapes.centre[capsule, 0] + along * r[0, 2],
        shapes.centre[capsule, 1] + along * r[1, 2],
        shapes.centre[capsule, 2] + along * r[2, 2],
    )


@inline
def _closest_on_capsule(shapes, capsule, box):
    """Where (−1 … 1) a capsule's axis comes closest to a box: its distance is convex along it."""
    low, high = -1.0, 1.0
    for _ in range(40):
        third = (high - low) / 3.0
        px, py, pz = _capsule_point(shapes, capsule, low + third)
        left, _, _, _ = _gap_to(shapes, box, 0, px, py, pz, 0.0)
        px, py, pz = _capsule_point(shapes, capsule, high - third)
        right, _, _, _ = _gap_to(shapes, box, 0, px, py, pz, 0.0)
        if left <= right:
            high -= third
        else:
            low += third
    return 0.5 * (low + high)


@kernel
def find_body_contacts(pairs, pair_count, contacts, shapes, margin, scratch, on_a, on_b, normal):
    """Contacts of bodies with colliders and with each other; returns how many there are.

    pairs (p, 2) from `find_pairs`, the second one a body. May return more than fit.
    """
    c = 0
    for p in range(pair_count):
        b = pairs[p, 0]
        a = pairs[p, 1]
        kind_a = shapes.kind[a]
        kind_b = shapes.kind[b]
        room = max(margin[a], margin[b])
        if kind_a == BOX and kind_b == BOX:
            found = box_box(
                shapes.centre[a],
                shapes.rotation[a],
                shapes.size[a],
                shapes.centre[b],
                shapes.rotation[b],
                shapes.size[b],
                room,
                scratch,
                on_a,
                on_b,
                normal,
            )
            for n in range(found):
                c = _add(
                    contacts,
                    c,
                    a,
                    b,
                    -1,
                    on_a[n, 0],
                    on_a[n, 1],
                    on_a[n, 2],
                    on_b[n, 0],
                    on_b[n, 1],
                    on_b[n, 2],
                    normal[0],
                    normal[1],
                    normal[2],
                )
        elif kind_a == SPHERE:
            px, py, pz = shapes.centre[a, 0], shapes.centre[a, 1], shapes.centre[a, 2]
            radius = shapes.size[a, 0]
            for face in range(face_count(kind_b)):
                gap, nx, ny, nz = _gap_to(shapes, b, face, px, py, pz, radius)
                if gap > room:
                    continue
                ax, ay, az = px - radius * nx, py - radius * ny, pz - radius * nz
                c = _add(
                    contacts,
                    c,
                    a,
                    b,
                    -1,
                    ax,
                    ay,
                    az,
                    ax - gap * nx,
                    ay - gap * ny,
                    az - gap * nz,
                    nx,
                    ny,
                    nz,
                )
        elif kind_b in (PLANE, ROOM):
            for corner in range(8):
                sx = 1.0 if corner & 1 else -1.0
                sy = 1.0 if corner & 2 else -1.0
                sz = 1.0 if corner & 4 else -1.0
                px, py, pz = rotate(
                    shapes.rotation[a],
                    sx * shapes.size[a, 0],
                    sy * shapes.size[a, 1],
                    sz * shapes.size[a, 2],
                )
                px += shapes.centre[a, 0]
                py += shapes.centre[a, 1]
                pz += shapes.centre[a, 2]
                for face in range(face_count(kind_b)):
                    gap, nx, ny, nz = _gap_to(shapes, b, face, px, py, pz, 0.0)
                    if gap > room:
                        continue
                    c = _add(
                        contacts,
                        c,
                        a,
                        b,
                        -1,
                        px,
                        py,
                        pz,
                        px - gap * nx,
                        py - gap * ny,
                        pz - gap * nz,
                        nx,
                        ny,
                        nz,
                    )
        else:
            # box a against a ball or a capsule b: balls on its axis against the box
            radius = shapes.size[b, 0]
            middle = 0.0
            balls = 1
            if kind_b == CAPSULE:
                middle = _closest_on_capsule(shapes, b, a)
                balls = 3
            for n in range(balls):
                t = middle if n == 0 else (-1.0 if n == 1 else 1.0)
                if n > 0 and abs(t - middle) < 1e-3:
                    continue
                px, py, pz = shapes.centre[b, 0], shapes.centre[b, 1], shapes.centre[b, 2]
                if kind_b == CAPSULE:
                    px, py, pz = _capsule_point(shapes, b, t)
                gap, nx, ny, nz = _gap_to(shapes, a, 0, px, py, pz, radius)
                if gap > room:
                    continue
                # the normal found leads from box a to ball b; contacts want it from b to a
                bx, by, bz = px - radius * nx, py - radius * ny, pz - radius * nz
                c = _add(
                    contacts,
                    c,
                    a,
                    b,
                    -1,
                    bx - gap * nx,
                    by - gap * ny,
                    bz - gap * nz,
                    bx,
                    by,
                    bz,
                    -nx,
                    -ny,
                    -nz,
                )
    return c


@kernel
def find_particle_contacts(c, contacts, shapes, first_shape, colliding, radius, x, previous):
    """Contacts of free particles with bodies, written from row c on; returns the row after them.

    Shapes from first_shape on belong to bodies. May return more than fit.
    """
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
            gap, nx, ny, nz = distance(
                shapes.kind[s], shapes.size[s], 0, px, py, pz, ox, oy, oz, reach
            )
            if gap > 0.0:
                continue
            nx, ny, nz = rotate(r, nx, ny, nz)
            # point b lies on the surface: a lever of the particle's radius would bend the body
            if c < contacts.friction.shape[0]:
                contacts.offset[c] = reach
            away = gap + reach
            c = _add(
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
