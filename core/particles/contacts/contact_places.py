"""The two places of a contact: where they are, how they move, and what an impulse does to them.

Each is a weighted sum of particles, or a place on an owner, or on a body of four particles, which
is found by its weights and moved as the rigid body that it is.
"""

from __future__ import annotations

from collections import namedtuple

from ...coupling.body_point import impel, mobility_at
from ...kernels.jit import lean_inline
from ...rigid.owners import velocity_at
from ...vec3 import (
    ZERO,
    along,
    cross,
    divide,
    dot,
    load,
    rotate,
    scale,
    set_vec,
    shift,
    sub,
    vec,
)
from ..particle_bodies.four_particles import move_particle_body
from .contact_point import BACKED, SLIDING, UNBACKED

Movable = namedtuple(
    "Movable",
    [
        "particles",  # x, x* and inverse mass, see `records`
        "owners",  # bodies and colliders, see `rigid.owners`
        "h",  # s
        "barred",  # (n, 3) unit, along which a backed particle gives way to nothing; 0: it is free
        "footholds",  # of contacts with backed particles, see `foothold`
    ],
)
"""What contacts move in a step of h seconds."""


@lean_inline
def owner_motion(place, owners, h):
    """How far a place on an owner moves in this step, m."""
    o = place["owner"]
    if o < 0:
        return ZERO
    return scale(h, velocity_at(owners, o, vec(place["arm"])))


@lean_inline
def particle_place(place, x):
    """Σ cᵢ xᵢ of a place, m."""
    return weighted_place(place["particle"], place["weight"], x)


@lean_inline
def weighted_place(particle, weight, x):
    """Σ cᵢ xᵢ of four particles, m."""
    p = ZERO
    for k in range(4):
        p = along(p, weight[k], load(x, particle[k]))
    return p


@lean_inline
def displacement(contact, particles, owners, h):
    """Movement of a relative to b in this step, m."""
    x, previous, _ = particles
    a, b = contact["place"][0], contact["place"][1]
    u = sub(owner_motion(a, owners, h), owner_motion(b, owners, h))
    for side in range(2):
        place = contact["place"][side]
        sign = 1.0 if side == 0 else -1.0
        for k in range(4):
            f = sign * place["weight"][k]
            if f != 0.0:
                i = place["particle"][k]
                u = along(u, f, sub(load(x, i), load(previous, i)))
    return u


@lean_inline
def gap_of(contact, x, owners, h):
    """(a − b)·n in m, negative when the two overlap."""
    n = vec(contact["normal"])
    a, b = contact["place"][0], contact["place"][1]
    gap = dot(sub(owner_motion(a, owners, h), owner_motion(b, owners, h)), n)
    gap -= contact["offset"]
    for side in range(2):
        place = contact["place"][side]
        sign = 1.0 if side == 0 else -1.0
        for k in range(4):
            f = sign * place["weight"][k]
            if f != 0.0:
                gap += f * dot(load(x, place["particle"][k]), n)
    return gap


@lean_inline
def give(place, owners, p):
    """Give the owner of a place an impulse p in N·s."""
    o = place["owner"]
    if o >= 0 and owners.inverse_mass[o] > 0.0:
        impel(owners, o, vec(place["arm"]), p)


@lean_inline
def owner_mobility(place, owners, d):
    """How far an impulse of 1 N·s along the unit vector d moves the owner of a place, 1/kg."""
    return mobility_at(owners, place["owner"], vec(place["arm"]), d)


@lean_inline
def _four_body_mobility(place, inverse_mass, owners, d):
    """1/m + (r×d)ᵀ I⁻¹ (r×d) of the body of particles of a place along the unit vector d, 1/kg."""
    o = place["four_body"]
    if o < 0:
        return 0.0
    t = cross(vec(place["arm"]), d)
    lever = dot(rotate(owners.inverse_inertia[o], t), t)
    return 0.25 * inverse_mass[place["particle"][0]] + lever


@lean_inline
def felt(contact, barred, i, p):
    """What of a push p particle i feels: what backs it takes the rest."""
    if contact["footing"] == UNBACKED:
        return p
    if contact["footing"] == BACKED:
        return ZERO
    n = load(barred, i)
    return along(p, -dot(p, n), n)


@lean_inline
def add_mobility(total, contact, side, movable, d):
    """Add Σ wᵢ cᵢ² of the particles of one side as they give way along the unit vector d, 1/kg."""
    place = contact["place"][side]
    for k in range(4):
        i, f = place["particle"][k], place["weight"][k]
        w = movable.particles.inverse_mass[i] * f * f
        if contact["footing"] != UNBACKED:
            w *= dot(felt(contact, movable.barred, i, d), d)
        total += w
    return total


@lean_inline
def lone_mobility(contact, movable, d):
    """Σ wᵢ cᵢ² of the particles that move alone as they give way along d, 1/kg."""
    total = 0.0
    for side in range(2):
        if contact["place"][side]["four_body"] < 0:
            total = add_mobility(total, contact, side, movable, d)
    return total


@lean_inline
def mobility_along(contact, movable, d):
    """How far an impulse of 1 kg·m along the unit vector d parts a and b, 1/kg."""
    inverse_mass, owners = movable.particles.inverse_mass, movable.owners
    total = contact["inverse_mass"]
    if contact["footing"] == SLIDING:
        total = lone_mobility(contact, movable, d)
    for side in range(2):
        total += owner_mobility(contact["place"][side], owners, d)
        total += _four_body_mobility(contact["place"][side], inverse_mass, owners, d)
    return total


@lean_inline
def push_apart(contact, movable, p):
    """An impulse p in kg·m on a, and against it on b."""
    particles, owners, h, barred, _ = movable
    for side in range(2):
        place = contact["place"][side]
        sign = 1.0 if side == 0 else -1.0
        o = place["four_body"]
        if o >= 0:
            impulse = scale(sign, p)
            turn = rotate(owners.inverse_inertia[o], cross(vec(place["arm"]), impulse))
            move_particle_body(particles, place["particle"][0], owners, o, impulse, turn)
            continue
        for k in range(4):
            i = place["particle"][k]
            f = particles.inverse_mass[i] * (sign * place["weight"][k])
            if f != 0.0:
                shift(particles.x, i, f, felt(contact, barred, i, p))
    p = divide(p, h)
    give(contact["place"][0], owners, p)
    give(contact["place"][1], owners, scale(-1.0, p))


@lean_inline
def particles_side(contact):
    """The side that particles have: a, or b where a is on an owner."""
    return 0 if contact["place"][0]["owner"] < 0 else 1


@lean_inline
def meet_at(contact, owners, p):
    """Let the owner of either side be pushed at this place of the world."""
    for side in range(2):
        place = contact["place"][side]
        if place["owner"] >= 0:
            set_vec(place["arm"], sub(p, load(owners.position, place["owner"])))
