"""Corrections of place that give no speed: old overlap, and where a bounce ends its step."""

from __future__ import annotations

from ...collision.contact_law import OVERLAP_SPEED
from ...kernels.jit import inline, kernel
from ...vec3 import (
    ZERO,
    add_to,
    along,
    cross,
    divide,
    length,
    load,
    scale,
    set_vec,
    shift,
    sub,
    vec,
)
from .contact_places import (
    add_mobility,
    felt,
    gap_of,
    give,
    meet_at,
    owner_mobility,
    particle_place,
    particles_side,
)
from .contact_point import UNBACKED

OLD_OVERLAP_SHARE = 0.5
"""Share of an old overlap of bodies that is resolved in one step."""


@inline
def _shift(contact, making, movable, away):
    """Part a and b by ``away`` m along the normal, x and x* alike: place without speed.

    Bodies of particles are moved as a whole. Moving single corners would bend their tetrahedra, and
    the sticks that straighten them again would turn the shift into speed. An owner is parted by an
    impulse where x* has the particles, which `return_speed` takes back after the owner has moved,
    where x has them now: what Σ m x* × x gains and loses by it is what the particles lose and gain.
    """
    particles, owners, h, barred, _ = movable
    x, previous, inverse_mass = particles
    n = vec(contact["normal"])
    here = contact["place"][particles_side(contact)]
    at = particle_place(here, previous)
    meet_at(contact, owners, at)
    if here["four_body"] >= 0:  # moved as a whole: that is at its centre
        for k in range(4):
            i = here["particle"][k]
            at = along(at, 0.25, sub(load(x, i), load(previous, i)))
    else:
        at = particle_place(here, x)
    push = _push_for(contact, movable, away)
    if push == 0.0:
        return
    for side in range(2):
        place = contact["place"][side]
        f = push if side == 0 else -push
        if place["owner"] >= 0:
            give(place, owners, scale(f / h, n))
            continue
        for k in range(4):
            i = place["particle"][k]
            share = f * inverse_mass[i] * _share(place, k)
            way = felt(contact, barred, i, n)
            shift(x, i, share, way)
            shift(previous, i, share, way)
    making["parted"] += push
    add_to(making["parted_at"], scale(push, at))
    if contact["place"][0]["owner"] >= 0 or contact["place"][1]["owner"] >= 0:
        return
    u = sub(_way(contact["place"][0], x, previous), _way(contact["place"][1], x, previous))
    add_to(making["couple"], cross(n, scale(push, u)))


@inline
def _push_for(contact, movable, away):
    """The push in kg·m that parts a and b by ``away`` m, 0 where neither gives way."""
    n = vec(contact["normal"])
    total = 0.0
    for side in range(2):
        total += _place_mobility(contact, side, movable, n)
    return away / total if total > 0.0 else 0.0


@inline
def _farthest(contact, movable, push):
    """How far m a push of so many kg·m takes the particle that it moves most.

    That is more than it parts the two places where one lies near what is heavy or pinned: the other
    end of a stick swings far for a little at the pin.
    """
    most = 0.0
    n = vec(contact["normal"])
    for side in range(2):
        place = contact["place"][side]
        for k in range(4 if place["owner"] < 0 else 0):
            i = place["particle"][k]
            way = push * movable.particles.inverse_mass[i] * _share(place, k)
            if contact["footing"] != UNBACKED:
                way *= length(felt(contact, movable.barred, i, n))
            most = max(most, abs(way))
    return most


@inline
def _share(place, k):
    """Share of particle k in a shift of its place: a body of particles is shifted as a whole."""
    return 0.25 if place["four_body"] >= 0 else place["weight"][k]


@inline
def _way(place, x, previous):
    """How far the particles of a place came in this step, as a shift weighs them (m)."""
    u = ZERO
    for k in range(4):
        i = place["particle"][k]
        u = along(u, _share(place, k), sub(load(x, i), load(previous, i)))
    return u


@inline
def _place_mobility(contact, side, movable, n):
    """How easily one side gives way to a correction of place along the normal n, 1/kg."""
    place = contact["place"][side]
    if place["owner"] >= 0:
        return owner_mobility(place, movable.owners, n)
    if place["four_body"] >= 0:
        return 0.25 * movable.particles.inverse_mass[place["particle"][0]]
    return add_mobility(0.0, contact, side, movable, n)


@kernel
def place_bounces(contacts, count, movable):
    """Put what bounced where it should be at the end of the step, x and x* alike.

    The push that reversed the velocity acted over the whole step; the hit came in the midst of it.
    Overlap older than the step is left to `resolve_overlap`.
    """
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        if contact["bounce"] == 0.0 or contact["normal_impulse"] == 0.0:
            continue
        gap = gap_of(contact, movable.particles.x, movable.owners, movable.h)
        _shift(contact, making, movable, making["bounce_gap"] - contact["overlap"] - gap)


@kernel
def resolve_overlap(contacts, count, movable):
    """Take old overlap out of x and x* alike: bodies part gently, without gaining speed.

    A share of what is left, at a limited speed: not that of the gap, as in `contact_law.parting`,
    but that of the particle which goes farthest.
    """
    for c in range(count):
        contact = contacts.solving[c]
        depth = -gap_of(contact, movable.particles.x, movable.owners, movable.h)
        if depth <= 0.0 or contact["overlap"] == 0.0:
            continue
        part = OLD_OVERLAP_SHARE * depth
        push = _push_for(contact, movable, part)
        way = max(part, _farthest(contact, movable, push))
        part *= min(1.0, OVERLAP_SPEED * movable.h / way)
        _shift(contact, contacts.making[c], movable, part)


@kernel
def return_speed(contacts, count, owners, h):
    """Take the speed back by which owners were parted, now that they have moved.

    The impulse acts where the particles had been put, so that no angular momentum comes or goes.
    """
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        push = making["parted"]
        if push == 0.0:
            continue
        at = divide(vec(making["parted_at"]), push)
        for side in range(2):
            place = contact["place"][side]
            o = place["owner"]
            if o < 0 or owners.inverse_mass[o] == 0.0:
                continue
            set_vec(place["arm"], sub(at, load(owners.position, o)))
            f = -push / h if side == 0 else push / h
            give(place, owners, scale(f, vec(contact["normal"])))
