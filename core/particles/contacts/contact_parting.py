"""Corrections of place that give no speed: old overlap, and where a bounce ends its step."""

from __future__ import annotations

from ...kernels.jit import inline, kernel
from .contact_sides import gap_of, give, meet_at, mobility, particle_place
from .contact_table import FREE_PARTNER, PIECE_PARTNER

OVERLAP_SHARE = 0.5
"""Share of an old overlap of bodies that is resolved in one step."""

OVERLAP_SPEED = 1.0
"""Fastest parting of things that overlap from the start, m/s."""


@inline
def _shift(contacts, c, x, previous, inverse_mass, owners, h, away):
    """Part a and b by ``away`` m along the normal, x and x* alike: place without speed.

    Bodies of particles are moved as a whole. Moving single corners would bend their tetrahedra, and
    the sticks that straighten them again would turn the shift into speed. An owner is parted by an
    impulse where x* has the particles, which `return_speed` takes back after the owner has moved,
    where x has them now: what Σ m x* × x gains and loses by it is what the particles lose and gain.
    """
    nx, ny, nz = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
    fx, fy, fz = particle_place(contacts, c, previous)
    tx, ty, tz = particle_place(contacts, c, x)
    meet_at(contacts, c, owners, fx, fy, fz)
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
            give(contacts, c, side, owners, g * nx, g * ny, g * nz)
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
    contacts.couple[c, 0] += ny * uz - nz * uy
    contacts.couple[c, 1] += nz * ux - nx * uz
    contacts.couple[c, 2] += nx * uy - ny * ux


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
def _place_mobility(contacts, c, side, inverse_mass, owners):
    """How easily one side gives way to a correction of place along the normal, 1/kg."""
    if contacts.owner[c, side] >= 0:
        n = contacts.normal[c]
        return mobility(contacts, c, side, owners, n[0], n[1], n[2])
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


@kernel
def place_bounces(contacts, count, x, previous, inverse_mass, owners, h):
    """Put what bounced where it should be at the end of the step, x and x* alike.

    The push that reversed the velocity acted over the whole step; the hit came in the midst of it.
    Overlap older than the step is left to `resolve_overlap`.
    """
    for c in range(count):
        if contacts.bounce[c] == 0.0 or contacts.pushed[c] == 0.0:
            continue
        away = contacts.bounce_gap[c] - contacts.overlap[c] - gap_of(contacts, c, x, owners, h)
        _shift(contacts, c, x, previous, inverse_mass, owners, h, away)


@kernel
def resolve_overlap(contacts, count, x, previous, inverse_mass, owners, h):
    """Take old overlap out of x and x* alike: bodies part gently, without gaining speed.

    A share of what is left, at a limited speed.
    """
    for c in range(count):
        depth = -gap_of(contacts, c, x, owners, h)
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
            give(contacts, c, side, owners, f * nx, f * ny, f * nz)
