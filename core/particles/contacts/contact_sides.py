"""The two sides of a contact: where they are, how they move, and what an impulse does to them.

Each is a weighted sum of particles, or a place on an owner, or on a body of four particles, which
is found by its weights and moved as the rigid body that it is.
"""

from __future__ import annotations

from ...coupling.body_point import impel
from ...kernels.jit import inline
from ...records import Particles
from ...vec3 import load
from ..particle_bodies.four_particles import move_particle_body


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
def displacement(contacts, c, x, previous, owners, h):
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
def gap_of(contacts, c, x, owners, h):
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
def give(contacts, c, side, owners, dx, dy, dz):
    """Give the owner of one side an impulse (dx, dy, dz)."""
    o = contacts.owner[c, side]
    if o < 0 or owners.inverse_mass[o] == 0.0:
        return
    impel(owners, o, load(contacts.arm[c], side), (dx, dy, dz))


@inline
def mobility(contacts, c, side, owners, dx, dy, dz):
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
    turn = _spin_of(contacts, c, side, owners, dx, dy, dz)
    first = contacts.particle[c, 4 * side]
    particles = Particles(x, previous, inverse_mass)
    move_particle_body(particles, first, owners, o, (dx, dy, dz), turn)


@inline
def mobility_along(contacts, c, inverse_mass, owners, dx, dy, dz):
    """How far an impulse of 1 kg·m along the unit vector d parts a and b, 1/kg."""
    total = contacts.inverse_mass[c]
    for side in range(2):
        total += mobility(contacts, c, side, owners, dx, dy, dz)
        total += _cluster_mobility(contacts, c, side, inverse_mass, owners, dx, dy, dz)
    return total


@inline
def push_apart(contacts, c, x, previous, inverse_mass, owners, h, dx, dy, dz):
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
    give(contacts, c, 0, owners, dx, dy, dz)
    give(contacts, c, 1, owners, -dx, -dy, -dz)


@inline
def particle_place(contacts, c, x):
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
def meet_at(contacts, c, owners, px, py, pz):
    """Let the owner of either side be pushed at this place of the world."""
    for side in range(2):
        o = contacts.owner[c, side]
        if o >= 0:
            contacts.arm[c, side, 0] = px - owners.position[o, 0]
            contacts.arm[c, side, 1] = py - owners.position[o, 1]
            contacts.arm[c, side, 2] = pz - owners.position[o, 2]
