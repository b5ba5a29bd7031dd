"""Weights and constants of contacts that were noted as shapes, points and normals."""

from __future__ import annotations

import math

from ...kernels.jit import inline, kernel
from ...vector import rotate, unrotate
from ..particle_bodies.four_particles import corner_weights
from .contact_sides import displacement, gap_of, meet_at, mobility_along, particle_place
from .contact_table import FREE_PARTNER, PIECE_PARTNER


@inline
def _write_weights(
    contacts, c, column, shapes, s, owners, first_particle, extent, px, py, pz, sign
):
    """Express the place p at the start of the step by the four particles of a body, sign·cᵢ.

    Also its arm.
    """
    body = shapes.particle_body[s]
    o = shapes.owner[s]
    side = column // 4
    contacts.cluster[c, side] = o
    contacts.arm[c, side, 0] = px - owners.position[o, 0]
    contacts.arm[c, side, 1] = py - owners.position[o, 1]
    contacts.arm[c, side, 2] = pz - owners.position[o, 2]
    px, py, pz = unrotate(
        owners.rotation[o],
        px - owners.position[o, 0],
        py - owners.position[o, 1],
        pz - owners.position[o, 2],
    )
    corner_weights(contacts.weight, c, column, px, py, pz, extent[body])
    for k in range(4):
        contacts.particle[c, column + k] = first_particle[body] + k
        contacts.weight[c, column + k] *= sign


@inline
def _place_before(shapes, s, point):
    """Where a place (3,) of shape s at the end of the step was at its start."""
    x, y, z = unrotate(
        shapes.rotation[s],
        point[0] - shapes.centre[s, 0],
        point[1] - shapes.centre[s, 1],
        point[2] - shapes.centre[s, 2],
    )
    x, y, z = rotate(shapes.rotation_before[s], x, y, z)
    return (
        x + shapes.centre_before[s, 0],
        y + shapes.centre_before[s, 1],
        z + shapes.centre_before[s, 2],
    )


@inline
def _write_free(contacts, c, column, sign):
    """A free particle is the sum with one weight."""
    i = contacts.particle[c, column]
    for k in range(4):
        contacts.particle[c, column + k] = i
        contacts.weight[c, column + k] = sign if k == 0 else 0.0


@inline
def _write_owner(contacts, c, side, owners, o, px, py, pz):
    """A place on a body or collider, at the start of the step: no particles, an arm."""
    contacts.owner[c, side] = o
    contacts.arm[c, side, 0] = px - owners.position[o, 0]
    contacts.arm[c, side, 1] = py - owners.position[o, 1]
    contacts.arm[c, side, 2] = pz - owners.position[o, 2]
    for k in range(4 * side, 4 * side + 4):
        contacts.particle[c, k] = 0
        contacts.weight[c, k] = 0.0


@inline
def _level(contacts, c, x, owners, h, reach):
    """Set the offset so that the gap is what it was found to be, (a − b)·n − reach."""
    found = -reach
    for k in range(3):
        found += contacts.normal[c, k] * (contacts.point[c, 0, k] - contacts.point[c, 1, k])
    contacts.offset[c] = 0.0
    contacts.offset[c] = gap_of(contacts, c, x, owners, h) - found


@kernel
def prepare_contacts(
    contacts,
    count,
    shapes,
    first_particle,
    extent,
    friction,
    restitution,
    x,
    previous,
    inverse_mass,
    owners,
    h,
    resting,
):
    """Work out weights and constants of contacts noted as shapes, points and normals.

    Both sides are pushed at one place: where a was at the start of the step, which is where x* has
    it. So the angular momentum Σ x* × m (x − x*) stays the same as well.

    friction, restitution (n,) of the free particles. Friction of two surfaces is the
    geometric mean, restitution the larger; contacts slower than ``resting`` m a step do not
    bounce, so that heaps come to rest.
    """
    for c in range(count):
        a = contacts.shape[c, 0]
        b = contacts.shape[c, 1]
        normal = contacts.normal[c]
        px = py = pz = 0.0
        reach = 0.0
        if a < 0:  # free particles come with their reach
            reach = contacts.reach[c]
        contacts.owner[c, 0] = -1
        contacts.owner[c, 1] = -1
        contacts.cluster[c, 0] = -1
        contacts.cluster[c, 1] = -1
        if a == FREE_PARTNER:
            i = contacts.particle[c, 0]
            _write_free(contacts, c, 0, 1.0)
            mu = friction[i]
            e = restitution[i]
        elif a == PIECE_PARTNER:
            mu = e = 0.0
            for k in range(3):
                i = contacts.particle[c, k]
                mu += contacts.weight[c, k] * friction[i]
                e += contacts.weight[c, k] * restitution[i]
        else:
            px, py, pz = _place_before(shapes, a, contacts.point[c, 0])
            if shapes.particle_body[a] >= 0:
                _write_weights(
                    contacts, c, 0, shapes, a, owners, first_particle, extent, px, py, pz, 1.0
                )
            else:
                _write_owner(contacts, c, 0, owners, shapes.owner[a], px, py, pz)
            mu = shapes.friction[a]
            e = shapes.restitution[a]
        if b == FREE_PARTNER:
            j = contacts.particle[c, 4]
            _write_free(contacts, c, 4, -1.0)
            mu *= friction[j]
            e = max(e, restitution[j])
        elif b == PIECE_PARTNER:
            drag = bounce = 0.0
            for k in range(4, 7):
                j = contacts.particle[c, k]
                drag -= contacts.weight[c, k] * friction[j]
                bounce -= contacts.weight[c, k] * restitution[j]
            mu *= drag
            e = max(e, bounce)
        else:
            mu *= shapes.friction[b]
            e = max(e, shapes.restitution[b])
            if a < 0:
                px = py = pz = 0.0
                for k in range(4):
                    i = contacts.particle[c, k]
                    f = contacts.weight[c, k]
                    px += f * previous[i, 0]
                    py += f * previous[i, 1]
                    pz += f * previous[i, 2]
            if shapes.particle_body[b] >= 0:
                _write_weights(
                    contacts, c, 4, shapes, b, owners, first_particle, extent, px, py, pz, -1.0
                )
            else:
                _write_owner(contacts, c, 1, owners, shapes.owner[b], px, py, pz)
        if a >= 0 or b >= 0:  # corners of a body of particles are not quite where the body is
            px, py, pz = particle_place(contacts, c, previous)
            meet_at(contacts, c, owners, px, py, pz)
        contacts.offset[c] = reach
        if b >= 0:
            _level(contacts, c, x, owners, h, reach)
        contacts.friction[c] = math.sqrt(mu)
        contacts.restitution[c] = e
        total = 0.0
        for k in range(8):
            if contacts.cluster[c, k // 4] >= 0:
                continue
            f = contacts.weight[c, k]
            total += inverse_mass[contacts.particle[c, k]] * f * f
        contacts.inverse_mass[c] = total
        contacts.mobility[c] = mobility_along(
            contacts, c, inverse_mass, owners, normal[0], normal[1], normal[2]
        )
        ux, uy, uz = displacement(contacts, c, x, previous, owners, h)
        approach = ux * normal[0] + uy * normal[1] + uz * normal[2]
        gap = gap_of(contacts, c, x, owners, h)
        contacts.overlap[c] = max(0.0, approach - gap)
        contacts.bounce[c] = 0.0
        if contacts.restitution[c] > 0.0 and approach < -resting and gap < 0.0:
            contacts.bounce[c] = -contacts.restitution[c] * approach
            # the part of the step that was left after the hit leads away again
            contacts.bounce_gap[c] = contacts.restitution[c] * min(-gap, -approach)
        contacts.pushed[c] = 0.0
        for k in range(3):
            contacts.dragged[c, k] = 0.0
            contacts.couple[c, k] = 0.0
        for k in range(4):
            contacts.parting[c, k] = 0.0
