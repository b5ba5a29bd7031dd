"""What a contact does: Jakobsen's weighted projection between two points, friction, restitution.

A contact joins a point a = Σ cᵢ xᵢ with a point b that is such a sum too or a place on a collider.
It asks for (a − b)·n ≥ 0 and is met by xᵢ += wᵢ cᵢ λ Δ, λ = 1/Σ wᵢ cᵢ² (Jakobsen §5). A free
particle is a sum with one weight, so cloth, ropes and bodies all meet in this one loop.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..bodies import corner_weights
from ..jit import inline, kernel
from ..model import Floats
from ..vector import rotate, unrotate

OVERLAP_SHARE = 0.5
"""Share of an old overlap of bodies that is resolved in one step."""

OVERLAP_SPEED = 1.0
"""Fastest parting of things that overlap from the start, m/s."""

FREE_PARTNER = -1
"""In place of a shape: that side of the contact is a free particle."""

Contacts = namedtuple(
    "Contacts",
    [
        "shape",  # (c, 2) shapes a and b, FREE_PARTNER for a free particle
        "point",  # (c, 2, 3) m, points a and b where they were found
        "particle",  # (c, 8) four of point a, four of point b
        "weight",  # (c, 8) cᵢ; those of b are negative, 0 where b lies on a collider
        "inverse_mass",  # (c,) Σ wᵢ cᵢ², 1/kg
        "normal",  # (c, 3) from b to a
        "offset",  # (c,) m: gap = Σ cᵢ xᵢ·n − offset
        "surface",  # (c, 3) m, how far the collider's surface moved in this step
        "friction",  # (c,)
        "restitution",  # (c,)
        "bounce",  # (c,) m, normal displacement that restitution asks for, 0 for none
        "bounce_gap",  # (c,) m, gap at the end of a step with a bounce
        "overlap",  # (c,) m, penetration that was there before the step
        "pushed",  # (c,) m, depth projected away so far in this step
        "dragged",  # (c, 3) m, slide undone by friction so far in this step
    ],
)


def contact_room(count: int) -> Contacts:
    """Empty contacts with room for ``count``."""

    def scalars() -> Floats:
        return np.zeros(count)

    def vectors() -> Floats:
        return np.zeros((count, 3))

    return Contacts(
        shape=np.zeros((count, 2), dtype=np.int32),
        point=np.zeros((count, 2, 3)),
        particle=np.zeros((count, 8), dtype=np.int32),
        weight=np.zeros((count, 8)),
        inverse_mass=scalars(),
        normal=vectors(),
        offset=scalars(),
        surface=vectors(),
        friction=scalars(),
        restitution=scalars(),
        bounce=scalars(),
        bounce_gap=scalars(),
        overlap=scalars(),
        pushed=scalars(),
        dragged=vectors(),
    )


@inline
def _displacement(contacts, c, x, previous):
    """Movement of a relative to b in this step (three numbers, m)."""
    ux = -contacts.surface[c, 0]
    uy = -contacts.surface[c, 1]
    uz = -contacts.surface[c, 2]
    for k in range(8):
        i = contacts.particle[c, k]
        f = contacts.weight[c, k]
        ux += f * (x[i, 0] - previous[i, 0])
        uy += f * (x[i, 1] - previous[i, 1])
        uz += f * (x[i, 2] - previous[i, 2])
    return ux, uy, uz


@inline
def _gap(contacts, c, x):
    """(a − b)·n in m, negative when the two overlap."""
    gap = -contacts.offset[c]
    for k in range(8):
        i = contacts.particle[c, k]
        gap += contacts.weight[c, k] * (
            x[i, 0] * contacts.normal[c, 0]
            + x[i, 1] * contacts.normal[c, 1]
            + x[i, 2] * contacts.normal[c, 2]
        )
    return gap


@inline
def _move(contacts, c, x, inverse_mass, dx, dy, dz):
    """Move a by (dx, dy, dz) relative to b, each particle by its share."""
    if contacts.inverse_mass[c] == 0.0:
        return
    share = 1.0 / contacts.inverse_mass[c]
    for k in range(8):
        i = contacts.particle[c, k]
        f = share * inverse_mass[i] * contacts.weight[c, k]
        x[i, 0] += f * dx
        x[i, 1] += f * dy
        x[i, 2] += f * dz


@inline
def _write_weights(contacts, c, column, shapes, s, first_particle, extent, point, sign):
    """Express a world point (3,) of shape s by the four particles of its body, sign·cᵢ."""
    body = shapes.body[s]
    px, py, pz = unrotate(
        shapes.rotation[s],
        point[0] - shapes.centre[s, 0],
        point[1] - shapes.centre[s, 1],
        point[2] - shapes.centre[s, 2],
    )
    corner_weights(contacts.weight, c, column, px, py, pz, extent[body])
    for k in range(4):
        contacts.particle[c, column + k] = first_particle[body] + k
        contacts.weight[c, column + k] *= sign


@inline
def _shift(contacts, c, x, previous, inverse_mass, away):
    """Part a and b by ``away`` m along the normal, x and x* alike: place without speed.

    Bodies are moved as a whole. Moving single corners would bend their tetrahedra, and the sticks
    that straighten them again would turn the shift into speed.
    """
    free_a = contacts.shape[c, 0] == FREE_PARTNER
    free_b = contacts.shape[c, 1] == FREE_PARTNER
    wa = inverse_mass[contacts.particle[c, 0]] * (1.0 if free_a else 0.25)
    wb = 0.0
    if contacts.weight[c, 4] != 0.0 or contacts.weight[c, 5] != 0.0:
        wb = inverse_mass[contacts.particle[c, 4]] * (1.0 if free_b else 0.25)
    if wa + wb == 0.0:
        return
    for k in range(8):
        if (free_a and 0 < k < 4) or (free_b and k > 4):
            continue
        i = contacts.particle[c, k]
        f = away * (wa if k < 4 else -wb) / (wa + wb)
        for axis in range(3):
            x[i, axis] += f * contacts.normal[c, axis]
            previous[i, axis] += f * contacts.normal[c, axis]


@inline
def _write_free(contacts, c, column, sign):
    """A free particle is the sum with one weight."""
    i = contacts.particle[c, column]
    for k in range(4):
        contacts.particle[c, column + k] = i
        contacts.weight[c, column + k] = sign if k == 0 else 0.0


@inline
def _write_collider(contacts, c, shapes, b):
    """A place on a collider: no particles, a fixed offset, and the surface's own movement."""
    point = contacts.point[c, 1]
    for k in range(4):
        contacts.particle[c, 4 + k] = contacts.particle[c, 0]
        contacts.weight[c, 4 + k] = 0.0
    px, py, pz = unrotate(
        shapes.rotation[b],
        point[0] - shapes.centre[b, 0],
        point[1] - shapes.centre[b, 1],
        point[2] - shapes.centre[b, 2],
    )
    px, py, pz = rotate(shapes.rotation_before[b], px, py, pz)
    contacts.surface[c, 0] = point[0] - shapes.centre_before[b, 0] - px
    contacts.surface[c, 1] = point[1] - shapes.centre_before[b, 1] - py
    contacts.surface[c, 2] = point[2] - shapes.centre_before[b, 2] - pz
    for k in range(3):
        contacts.offset[c] += point[k] * contacts.normal[c, k]


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
    resting,
):
    """Work out weights and constants of contacts noted as shapes, points and normals.

    friction, restitution (n,) of the free particles. Friction of two surfaces is the
    geometric mean, restitution the larger; contacts slower than ``resting`` m a step do not
    bounce, so that heaps come to rest.
    """
    for c in range(count):
        a = contacts.shape[c, 0]
        b = contacts.shape[c, 1]
        normal = contacts.normal[c]
        if a != FREE_PARTNER:  # free particles come with their reach
            contacts.offset[c] = 0.0
        for k in range(3):
            contacts.surface[c, k] = 0.0
        if a == FREE_PARTNER:
            i = contacts.particle[c, 0]
            _write_free(contacts, c, 0, 1.0)
            mu = friction[i]
            e = restitution[i]
        else:
            _write_weights(
                contacts, c, 0, shapes, a, first_particle, extent, contacts.point[c, 0], 1.0
            )
            mu = shapes.friction[a]
            e = shapes.restitution[a]
        if b == FREE_PARTNER:
            j = contacts.particle[c, 4]
            _write_free(contacts, c, 4, -1.0)
            mu *= friction[j]
            e = max(e, restitution[j])
        else:
            mu *= shapes.friction[b]
            e = max(e, shapes.restitution[b])
            if shapes.body[b] >= 0:
                _write_weights(
                    contacts, c, 4, shapes, b, first_particle, extent, contacts.point[c, 1], -1.0
                )
            else:
                _write_collider(contacts, c, shapes, b)
        contacts.friction[c] = math.sqrt(mu)
        contacts.restitution[c] = e
        total = 0.0
        for k in range(8):
            f = contacts.weight[c, k]
            total += inverse_mass[contacts.particle[c, k]] * f * f
        contacts.inverse_mass[c] = total
        ux, uy, uz = _displacement(contacts, c, x, previous)
        approach = ux * normal[0] + uy * normal[1] + uz * normal[2]
        gap = _gap(contacts, c, x)
        contacts.overlap[c] = max(0.0, approach - gap)
        contacts.bounce[c] = 0.0
        if contacts.restitution[c] > 0.0 and approach < -resting and gap < 0.0:
            contacts.bounce[c] = -contacts.restitution[c] * approach
            # the part of the step that was left after the hit leads away again
            contacts.bounce_gap[c] = contacts.restitution[c] * min(-gap, -approach)
        contacts.pushed[c] = 0.0
        for k in range(3):
            contacts.dragged[c, k] = 0.0


@kernel
def relax_contacts(contacts, count, x, previous, inverse_mass):
    """One pass over all contacts: push apart, then hold against sliding up to μ times the push.

    A contact that bounces is pushed until x − x* is e times the approach, reversed (Kenwright
    §III sets x* for that; pushing x instead lets the bodies' sticks take part). Push and hold are
    accumulated over the passes of a step and clamped as sums, so that a later pass can
    take back what an earlier one overdid (Catto 2005). Overlap older than the step is left to
    `resolve_overlap`. Returns the largest push of this pass in m.
    """
    largest = 0.0
    for c in range(count):
        nx = contacts.normal[c, 0]
        ny = contacts.normal[c, 1]
        nz = contacts.normal[c, 2]
        if contacts.bounce[c] > 0.0:
            ux, uy, uz = _displacement(contacts, c, x, previous)
            short = ux * nx + uy * ny + uz * nz - contacts.bounce[c]
        else:
            short = _gap(contacts, c, x) + contacts.overlap[c]
        pushed = max(0.0, contacts.pushed[c] - short)
        push = pushed - contacts.pushed[c]
        contacts.pushed[c] = pushed
        largest = max(largest, abs(push))
        if push != 0.0:
            _move(contacts, c, x, inverse_mass, push * nx, push * ny, push * nz)
        if pushed == 0.0 and push == 0.0:
            continue
        ux, uy, uz = _displacement(contacts, c, x, previous)
        un = ux * nx + uy * ny + uz * nz
        tx = contacts.dragged[c, 0] - (ux - un * nx)
        ty = contacts.dragged[c, 1] - (uy - un * ny)
        tz = contacts.dragged[c, 2] - (uz - un * nz)
        size = math.sqrt(tx * tx + ty * ty + tz * tz)
        limit = contacts.friction[c] * pushed
        if size > limit:
            f = limit / size
            tx, ty, tz = f * tx, f * ty, f * tz
        _move(
            contacts,
            c,
            x,
            inverse_mass,
            tx - contacts.dragged[c, 0],
            ty - contacts.dragged[c, 1],
            tz - contacts.dragged[c, 2],
        )
        contacts.dragged[c, 0] = tx
        contacts.dragged[c, 1] = ty
        contacts.dragged[c, 2] = tz
    return largest


@kernel
def place_bounces(contacts, count, x, previous, inverse_mass):
    """Put what bounced where it should be at the end of the step, x and x* alike.

    The push that reversed the velocity acted over the whole step; the hit came in the midst of it.
    Overlap older than the step is left to `resolve_overlap`.
    """
    for c in range(count):
        if contacts.bounce[c] == 0.0 or contacts.pushed[c] == 0.0:
            continue
        away = contacts.bounce_gap[c] - contacts.overlap[c] - _gap(contacts, c, x)
        _shift(contacts, c, x, previous, inverse_mass, away)


@kernel
def resolve_overlap(contacts, count, x, previous, inverse_mass, h):
    """Take old overlap out of x and x* alike: bodies part gently, without gaining speed.

    A share of what is left, at a limited speed.
    """
    for c in range(count):
        depth = -_gap(contacts, c, x)
        if depth <= 0.0 or contacts.overlap[c] == 0.0:
            continue
        part = min(OVERLAP_SHARE * depth, OVERLAP_SPEED * h)
        _shift(contacts, c, x, previous, inverse_mass, part)


@kernel
def deepest_contact(contacts, count, x):
    """Deepest overlap in m that is left."""
    deepest = 0.0
    for c in range(count):
        deepest = max(deepest, -_gap(contacts, c, x))
    return deepest
