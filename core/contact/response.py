"""What a contact does: Jakobsen's weighted projection between two points, friction, restitution.

A contact joins a point a = Σ cᵢ xᵢ with a point b that is such a sum too, or either with a place on
a body or collider. It asks for (a − b)·n ≥ 0 and is met by xᵢ += wᵢ cᵢ λ Δ, λ = 1/Σ wᵢ cᵢ²
(Jakobsen §5). A free particle is a sum with one weight. A place on a body moves by h (v + ω×r) in
the step and adds 1/m + (r×d)ᵀ I⁻¹ (r×d) to Σ wᵢ cᵢ², so cloth, ropes and bodies of both kinds all
meet in this one loop, and what one gains in momentum the other loses.

A body of four particles is found by its weights and moved as the rigid body that it is: each
particle by what the impulse turns and shifts the whole. By the weights alone it would give way
like the rubber that four particles are, and what then makes it rigid again would take most of the
push back (nine tenths of it for a small ball). Linear and angular momentum are the same.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..bodies import corner_weights, move_particle_body
from ..constraints.angular import NO_INERTIA, add_inertia, solve_inertia
from ..jit import inline, kernel
from ..model import Floats
from ..vector import rotate, unrotate

OVERLAP_SHARE = 0.5
"""Share of an old overlap of bodies that is resolved in one step."""

OVERLAP_SPEED = 1.0
"""Fastest parting of things that overlap from the start, m/s."""

FREE_PARTNER = -1
"""In place of a shape: that side of the contact is a free particle."""

PIECE_PARTNER = -2
"""That side is a place between three free particles, or two, whose weights are known already."""

Contacts = namedtuple(
    "Contacts",
    [
        "shape",  # (c, 2) shapes a and b, FREE_PARTNER or PIECE_PARTNER for free particles
        "point",  # (c, 2, 3) m, points a and b where they were found
        "particle",  # (c, 8) four of point a, four of point b
        "weight",  # (c, 8) cᵢ; those of b are negative, 0 where b lies on a collider
        "inverse_mass",  # (c,) Σ wᵢ cᵢ² of free particles, 1/kg
        "normal",  # (c, 3) from b to a
        "reach",  # (c,) m, that free particles keep away
        "offset",  # (c,) m: gap = Σ cᵢ xᵢ·n − offset
        "owner",  # (c, 2) body or collider that a or b is a place on, -1 for none
        "cluster",  # (c, 2) owner of four particles that a or b is a place on, -1 for none
        "arm",  # (c, 2, 3) m, from the owner's centre to that place
        "friction",  # (c,)
        "restitution",  # (c,)
        "bounce",  # (c,) m, normal displacement that restitution asks for, 0 for none
        "bounce_gap",  # (c,) m, gap at the end of a step with a bounce
        "overlap",  # (c,) m, penetration that was there before the step
        "mobility",  # (c,) 1/kg, how far an impulse along the normal parts a and b
        "pushed",  # (c,) kg·m, impulse times h along the normal so far in this step
        "dragged",  # (c, 3) kg·m, of friction so far in this step
        "couple",  # (c, 3) kg·m², h times the angular momentum that two free particles gained
        "parting",  # (c, 4) kg·m, h times the impulse that parted owners, kg·m² it times its place
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
        reach=scalars(),
        offset=scalars(),
        owner=np.zeros((count, 2), dtype=np.int32),
        cluster=np.zeros((count, 2), dtype=np.int32),
        arm=np.zeros((count, 2, 3)),
        friction=scalars(),
        restitution=scalars(),
        bounce=scalars(),
        bounce_gap=scalars(),
        overlap=scalars(),
        mobility=scalars(),
        pushed=scalars(),
        dragged=vectors(),
        couple=vectors(),
        parting=np.zeros((count, 4)),
    )


@inline
def _owner_motion(contacts, c, side, owners, h):
    """How far a place on the owner of one side moves in this step (three numbers, m)."""
    o = contacts.owner[c, side]
    if o < 0:
        return 0.0, 0.0, 0.0
    v, w, r = owners.velocity[o], owners.spin[o], contacts.arm[c, side]
    return (
        h * (v[0] + w[1] * r[2] - w[2] * r[1]),
        h * (v[1] + w[2] * r[0] - w[0] * r[2]),
        h * (v[2] + w[0] * r[1] - w[1] * r[0]),
    )


@inline
def _displacement(contacts, c, x, previous, owners, h):
    """Movement of a relative to b in this step (three numbers, m)."""
    ax, ay, az = _owner_motion(contacts, c, 0, owners, h)
    bx, by, bz = _owner_motion(contacts, c, 1, owners, h)
    ux, uy, uz = ax - bx, ay - by, az - bz
    for k in range(8):
        i = contacts.particle[c, k]
        f = contacts.weight[c, k]
        if f == 0.0:
            continue
        ux += f * (x[i, 0] - previous[i, 0])
        uy += f * (x[i, 1] - previous[i, 1])
        uz += f * (x[i, 2] - previous[i, 2])
    return ux, uy, uz


@inline
def _gap(contacts, c, x, owners, h):
    """(a − b)·n in m, negative when the two overlap."""
    n = contacts.normal[c]
    ax, ay, az = _owner_motion(contacts, c, 0, owners, h)
    bx, by, bz = _owner_motion(contacts, c, 1, owners, h)
    gap = (ax - bx) * n[0] + (ay - by) * n[1] + (az - bz) * n[2] - contacts.offset[c]
    for k in range(8):
        i = contacts.particle[c, k]
        f = contacts.weight[c, k]
        if f != 0.0:
            gap += f * (x[i, 0] * n[0] + x[i, 1] * n[1] + x[i, 2] * n[2])
    return gap


@inline
def _give(contacts, c, side, velocity, spin, owners, dx, dy, dz):
    """Change velocity and spin of the owner of one side by an impulse (dx, dy, dz)."""
    o = contacts.owner[c, side]
    if o < 0 or owners.inverse_mass[o] == 0.0:
        return
    w, r, a = owners.inverse_mass[o], contacts.arm[c, side], owners.inverse_inertia[o]
    velocity[o, 0] += w * dx
    velocity[o, 1] += w * dy
    velocity[o, 2] += w * dz
    tx = r[1] * dz - r[2] * dy
    ty = r[2] * dx - r[0] * dz
    tz = r[0] * dy - r[1] * dx
    for k in range(3):
        spin[o, k] += a[k, 0] * tx + a[k, 1] * ty + a[k, 2] * tz


@inline
def _mobility(contacts, c, side, owners, dx, dy, dz):
    """1/m + (r×d)ᵀ I⁻¹ (r×d) of the owner of one side along the unit vector d, 1/kg."""
    o = contacts.owner[c, side]
    if o < 0 or owners.inverse_mass[o] == 0.0:
        return 0.0
    r, a = contacts.arm[c, side], owners.inverse_inertia[o]
    tx = r[1] * dz - r[2] * dy
    ty = r[2] * dx - r[0] * dz
    tz = r[0] * dy - r[1] * dx
    return (
        owners.inverse_mass[o]
        + tx * (a[0, 0] * tx + a[0, 1] * ty + a[0, 2] * tz)
        + ty * (a[1, 0] * tx + a[1, 1] * ty + a[1, 2] * tz)
        + tz * (a[2, 0] * tx + a[2, 1] * ty + a[2, 2] * tz)
    )


@inline
def _spin_of(contacts, c, side, owners, dx, dy, dz):
    """I⁻¹ (r × d) of the body of particles of one side (three numbers)."""
    r, a = contacts.arm[c, side], owners.inverse_inertia[contacts.cluster[c, side]]
    tx = r[1] * dz - r[2] * dy
    ty = r[2] * dx - r[0] * dz
    tz = r[0] * dy - r[1] * dx
    return (
        a[0, 0] * tx + a[0, 1] * ty + a[0, 2] * tz,
        a[1, 0] * tx + a[1, 1] * ty + a[1, 2] * tz,
        a[2, 0] * tx + a[2, 1] * ty + a[2, 2] * tz,
    )


@inline
def _cluster_mobility(contacts, c, side, inverse_mass, owners, dx, dy, dz):
    """1/m + (r×d)ᵀ I⁻¹ (r×d) of the body of particles of one side along the unit vector d, 1/kg."""
    if contacts.cluster[c, side] < 0:
        return 0.0
    ux, uy, uz = _spin_of(contacts, c, side, owners, dx, dy, dz)
    r = contacts.arm[c, side]
    lever = ux * (r[1] * dz - r[2] * dy) + uy * (r[2] * dx - r[0] * dz)
    lever += uz * (r[0] * dy - r[1] * dx)
    return 0.25 * inverse_mass[contacts.particle[c, 4 * side]] + lever


@inline
def _move_cluster(contacts, c, side, x, previous, inverse_mass, owners, dx, dy, dz):
    """Move the four particles of a body as a rigid one by an impulse (dx, dy, dz) in kg·m."""
    o = contacts.cluster[c, side]
    if o < 0:
        return
    ux, uy, uz = _spin_of(contacts, c, side, owners, dx, dy, dz)
    first = contacts.particle[c, 4 * side]
    move_particle_body(x, previous, inverse_mass, first, owners, o, dx, dy, dz, ux, uy, uz)


@inline
def _mobility_along(contacts, c, inverse_mass, owners, dx, dy, dz):
    """How far an impulse of 1 kg·m along the unit vector d parts a and b, 1/kg."""
    total = contacts.inverse_mass[c]
    for side in range(2):
        total += _mobility(contacts, c, side, owners, dx, dy, dz)
        total += _cluster_mobility(contacts, c, side, inverse_mass, owners, dx, dy, dz)
    return total


@inline
def _impel(contacts, c, x, previous, inverse_mass, owners, h, dx, dy, dz):
    """An impulse (dx, dy, dz) in kg·m on a, and against it on b."""
    for k in range(8):
        i = contacts.particle[c, k]
        f = inverse_mass[i] * contacts.weight[c, k]
        if f == 0.0 or contacts.cluster[c, k // 4] >= 0:
            continue
        x[i, 0] += f * dx
        x[i, 1] += f * dy
        x[i, 2] += f * dz
    _move_cluster(contacts, c, 0, x, previous, inverse_mass, owners, dx, dy, dz)
    _move_cluster(contacts, c, 1, x, previous, inverse_mass, owners, -dx, -dy, -dz)
    dx, dy, dz = dx / h, dy / h, dz / h
    _give(contacts, c, 0, owners.velocity, owners.spin, owners, dx, dy, dz)
    _give(contacts, c, 1, owners.velocity, owners.spin, owners, -dx, -dy, -dz)


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
def _particle_place(contacts, c, x):
    """Where the particles of side a have their point, or those of b where a is on an owner."""
    side = 0 if contacts.owner[c, 0] < 0 else 1
    px = py = pz = 0.0
    for k in range(4 * side, 4 * side + 4):
        i = contacts.particle[c, k]
        f = contacts.weight[c, k]
        px += f * x[i, 0]
        py += f * x[i, 1]
        pz += f * x[i, 2]
    if side == 1:
        return -px, -py, -pz
    return px, py, pz


@inline
def _meet_at(contacts, c, owners, px, py, pz):
    """Let the owner of either side be pushed at this place of the world."""
    for side in range(2):
        o = contacts.owner[c, side]
        if o >= 0:
            contacts.arm[c, side, 0] = px - owners.position[o, 0]
            contacts.arm[c, side, 1] = py - owners.position[o, 1]
            contacts.arm[c, side, 2] = pz - owners.position[o, 2]


@inline
def _shift(contacts, c, x, previous, inverse_mass, owners, h, away):
    """Part a and b by ``away`` m along the normal, x and x* alike: place without speed.

    Bodies of particles are moved as a whole. Moving single corners would bend their tetrahedra, and
    the sticks that straighten them again would turn the shift into speed. An owner is parted by an
    impulse where x* has the particles, which `return_speed` takes back after the owner has moved,
    where x has them now: what Σ m x* × x gains and loses by it is what the particles lose and gain.
    """
    nx, ny, nz = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
    fx, fy, fz = _particle_place(contacts, c, previous)
    tx, ty, tz = _particle_place(contacts, c, x)
    _meet_at(contacts, c, owners, fx, fy, fz)
    side = 0 if contacts.owner[c, 0] < 0 else 1
    if contacts.shape[c, side] >= 0:  # moved as a whole: that is at its centre
        tx, ty, tz = fx, fy, fz
        for k in range(4 * side, 4 * side + 4):
            i = contacts.particle[c, k]
            tx += 0.25 * (x[i, 0] - previous[i, 0])
            ty += 0.25 * (x[i, 1] - previous[i, 1])
            tz += 0.25 * (x[i, 2] - previous[i, 2])
    wa = _place_mobility(contacts, c, 0, inverse_mass, owners)
    wb = _place_mobility(contacts, c, 1, inverse_mass, owners)
    if wa + wb == 0.0:
        return
    push = away / (wa + wb)
    for side in range(2):
        f = push if side == 0 else -push
        o = contacts.owner[c, side]
        if o >= 0:
            g = f / h
            _give(contacts, c, side, owners.velocity, owners.spin, owners, g * nx, g * ny, g * nz)
            continue
        part = contacts.shape[c, side]
        count = 1 if part == FREE_PARTNER else (3 if part == PIECE_PARTNER else 4)
        for k in range(4 * side, 4 * side + count):
            i = contacts.particle[c, k]
            share = f * inverse_mass[i]
            share *= 0.25 if part >= 0 else abs(contacts.weight[c, k])
            for axis in range(3):
                x[i, axis] += share * contacts.normal[c, axis]
                previous[i, axis] += share * contacts.normal[c, axis]
    contacts.parting[c, 0] += push
    contacts.parting[c, 1] += push * tx
    contacts.parting[c, 2] += push * ty
    contacts.parting[c, 3] += push * tz
    if contacts.owner[c, 0] >= 0 or contacts.owner[c, 1] >= 0:
        return
    ax, ay, az = _way(contacts, c, 0, x, previous)
    bx, by, bz = _way(contacts, c, 1, x, previous)
    ux, uy, uz = push * (ax - bx), push * (ay - by), push * (az - bz)
    lx, ly, lz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
    if contacts.shape[c, 0] >= 0:
        _turn_body(contacts, c, 0, x, previous, inverse_mass, -lx, -ly, -lz)
    elif contacts.shape[c, 1] >= 0:
        _turn_body(contacts, c, 4, x, previous, inverse_mass, -lx, -ly, -lz)
    else:
        contacts.couple[c, 0] += lx
        contacts.couple[c, 1] += ly
        contacts.couple[c, 2] += lz


@inline
def _way(contacts, c, side, x, previous):
    """How far the particles of one side came in this step, as a shift weighs them (m)."""
    is_body = contacts.shape[c, side] >= 0
    ux = uy = uz = 0.0
    for k in range(4 * side, 4 * side + 4):
        i = contacts.particle[c, k]
        f = 0.25 if is_body else abs(contacts.weight[c, k])
        ux += f * (x[i, 0] - previous[i, 0])
        uy += f * (x[i, 1] - previous[i, 1])
        uz += f * (x[i, 2] - previous[i, 2])
    return ux, uy, uz


@inline
def _turn_body(contacts, c, column, x, previous, inverse_mass, lx, ly, lz):
    """Give a body of particles h times an angular momentum, kg·m²."""
    cx = cy = cz = 0.0
    for k in range(column, column + 4):
        i = contacts.particle[c, k]
        cx += 0.25 * previous[i, 0]
        cy += 0.25 * previous[i, 1]
        cz += 0.25 * previous[i, 2]
    inertia = NO_INERTIA
    for k in range(column, column + 4):
        i = contacts.particle[c, k]
        if inverse_mass[i] == 0.0:
            return
        rx, ry, rz = previous[i, 0] - cx, previous[i, 1] - cy, previous[i, 2] - cz
        inertia = add_inertia(inertia, 1.0 / inverse_mass[i], rx, ry, rz)
    ox, oy, oz = solve_inertia(inertia, lx, ly, lz)
    for k in range(column, column + 4):
        i = contacts.particle[c, k]
        rx, ry, rz = previous[i, 0] - cx, previous[i, 1] - cy, previous[i, 2] - cz
        x[i, 0] += oy * rz - oz * ry
        x[i, 1] += oz * rx - ox * rz
        x[i, 2] += ox * ry - oy * rx


@inline
def _place_mobility(contacts, c, side, inverse_mass, owners):
    """How easily one side gives way to a correction of place along the normal, 1/kg."""
    if contacts.owner[c, side] >= 0:
        n = contacts.normal[c]
        return _mobility(contacts, c, side, owners, n[0], n[1], n[2])
    return _whole_mobility(contacts, c, side, inverse_mass, owners)


@inline
def _whole_mobility(contacts, c, side, inverse_mass, owners):
    """1/m in 1/kg of what side a or b is a part of."""
    o = contacts.owner[c, side]
    if o >= 0:
        return owners.inverse_mass[o]
    if contacts.shape[c, side] == PIECE_PARTNER:
        return _free_mobility(contacts, c, side, inverse_mass)
    w = inverse_mass[contacts.particle[c, 4 * side]]
    return w if contacts.shape[c, side] == FREE_PARTNER else 0.25 * w


@inline
def _free_mobility(contacts, c, side, inverse_mass):
    """Σ wᵢ cᵢ² of the particles of a piece, 1/kg."""
    total = 0.0
    for k in range(4 * side, 4 * side + 3):
        f = contacts.weight[c, k]
        total += inverse_mass[contacts.particle[c, k]] * f * f
    return total


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
    contacts.offset[c] = _gap(contacts, c, x, owners, h) - found


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
            px, py, pz = _particle_place(contacts, c, previous)
            _meet_at(contacts, c, owners, px, py, pz)
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
        contacts.mobility[c] = _mobility_along(
            contacts, c, inverse_mass, owners, normal[0], normal[1], normal[2]
        )
        ux, uy, uz = _displacement(contacts, c, x, previous, owners, h)
        approach = ux * normal[0] + uy * normal[1] + uz * normal[2]
        gap = _gap(contacts, c, x, owners, h)
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


@kernel
def relax_contacts(contacts, count, x, previous, inverse_mass, owners, h):
    """One pass over all contacts: push apart, then hold against sliding up to μ times the push.

    A contact that bounces is pushed until x − x* is e times the approach, reversed (Kenwright
    §III sets x* for that; pushing x instead lets the bodies' sticks take part). Push and hold are
    accumulated as impulses over the passes of a step and clamped as sums, so that a later pass can
    take back what an earlier one overdid (Catto 2005). Overlap older than the step is left to
    `resolve_overlap`. Returns the largest push of this pass in m.
    """
    largest = 0.0
    for c in range(count):
        mobility = contacts.mobility[c]
        if mobility == 0.0:
            continue
        nx = contacts.normal[c, 0]
        ny = contacts.normal[c, 1]
        nz = contacts.normal[c, 2]
        if contacts.bounce[c] > 0.0:
            ux, uy, uz = _displacement(contacts, c, x, previous, owners, h)
            short = ux * nx + uy * ny + uz * nz - contacts.bounce[c]
        else:
            short = _gap(contacts, c, x, owners, h) + contacts.overlap[c]
        pushed = max(0.0, contacts.pushed[c] - short / mobility)
        push = pushed - contacts.pushed[c]
        contacts.pushed[c] = pushed
        largest = max(largest, abs(push) * mobility)
        if push != 0.0:
            px, py, pz = push * nx, push * ny, push * nz
            _impel(contacts, c, x, previous, inverse_mass, owners, h, px, py, pz)
        if pushed == 0.0 and push == 0.0:
            continue
        ux, uy, uz = _displacement(contacts, c, x, previous, owners, h)
        un = ux * nx + uy * ny + uz * nz
        ux, uy, uz = ux - un * nx, uy - un * ny, uz - un * nz
        tx, ty, tz = contacts.dragged[c, 0], contacts.dragged[c, 1], contacts.dragged[c, 2]
        px, py, pz = tx, ty, tz
        size = math.sqrt(ux * ux + uy * uy + uz * uz)
        if size > 0.0:
            ex, ey, ez = ux / size, uy / size, uz / size
            f = 1.0 / _mobility_along(contacts, c, inverse_mass, owners, ex, ey, ez)
            px, py, pz = px - f * ux, py - f * uy, pz - f * uz
        size = math.sqrt(px * px + py * py + pz * pz)
        limit = contacts.friction[c] * pushed
        if size > limit:
            f = limit / size
            px, py, pz = f * px, f * py, f * pz
        contacts.dragged[c, 0] = px
        contacts.dragged[c, 1] = py
        contacts.dragged[c, 2] = pz
        px, py, pz = px - tx, py - ty, pz - tz
        _impel(contacts, c, x, previous, inverse_mass, owners, h, px, py, pz)
    return largest


@kernel
def place_bounces(contacts, count, x, previous, inverse_mass, owners, h):
    """Put what bounced where it should be at the end of the step, x and x* alike.

    The push that reversed the velocity acted over the whole step; the hit came in the midst of it.
    Overlap older than the step is left to `resolve_overlap`.
    """
    for c in range(count):
        if contacts.bounce[c] == 0.0 or contacts.pushed[c] == 0.0:
            continue
        away = contacts.bounce_gap[c] - contacts.overlap[c] - _gap(contacts, c, x, owners, h)
        _shift(contacts, c, x, previous, inverse_mass, owners, h, away)


@kernel
def resolve_overlap(contacts, count, x, previous, inverse_mass, owners, h):
    """Take old overlap out of x and x* alike: bodies part gently, without gaining speed.

    A share of what is left, at a limited speed.
    """
    for c in range(count):
        depth = -_gap(contacts, c, x, owners, h)
        if depth <= 0.0 or contacts.overlap[c] == 0.0:
            continue
        part = min(OVERLAP_SHARE * depth, OVERLAP_SPEED * h)
        _shift(contacts, c, x, previous, inverse_mass, owners, h, part)


@kernel
def return_speed(contacts, count, owners, h):
    """Take the speed back by which owners were parted, now that they have moved.

    The impulse acts where the particles had been put, so that no angular momentum comes or goes.
    """
    for c in range(count):
        push = contacts.parting[c, 0]
        if push == 0.0:
            continue
        for side in range(2):
            o = contacts.owner[c, side]
            if o < 0 or owners.inverse_mass[o] == 0.0:
                continue
            for k in range(3):
                place = contacts.parting[c, 1 + k] / push
                contacts.arm[c, side, k] = place - owners.position[o, k]
            f = -push / h if side == 0 else push / h
            nx, ny, nz = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
            _give(contacts, c, side, owners.velocity, owners.spin, owners, f * nx, f * ny, f * nz)


@kernel
def note_couples(contacts, count, previous, inverse_mass):
    """Write what push and drag have given two free particles, or sticks, in angular momentum.

    They act on two places, those of the particles, and balls of no size take no turn.
    """
    for c in range(count):
        if contacts.shape[c, 0] >= 0 or contacts.shape[c, 1] >= 0:
            continue
        if contacts.pushed[c] == 0.0 or contacts.inverse_mass[c] == 0.0:
            continue
        jx = contacts.pushed[c] * contacts.normal[c, 0] + contacts.dragged[c, 0]
        jy = contacts.pushed[c] * contacts.normal[c, 1] + contacts.dragged[c, 1]
        jz = contacts.pushed[c] * contacts.normal[c, 2] + contacts.dragged[c, 2]
        rx = ry = rz = 0.0  # from b to a
        for k in range(8):
            i = contacts.particle[c, k]
            f = contacts.weight[c, k]
            rx += f * previous[i, 0]
            ry += f * previous[i, 1]
            rz += f * previous[i, 2]
        contacts.couple[c, 0] = ry * jz - rz * jy
        contacts.couple[c, 1] = rz * jx - rx * jz
        contacts.couple[c, 2] = rx * jy - ry * jx


@kernel
def deepest_contact(contacts, count, x, owners, h):
    """Deepest overlap in m that is left."""
    deepest = 0.0
    for c in range(count):
        deepest = max(deepest, -_gap(contacts, c, x, owners, h))
    return deepest
