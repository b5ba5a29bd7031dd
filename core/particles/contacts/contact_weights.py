"""Weights and constants of contacts that were noted as places on shapes and normals."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from ...collision.contact_law import LEAST_LEVER, joint_friction, joint_restitution, overlap_before
from ...collision.restitution import bounce
from ...collision.shapes import place_before
from ...kernels.jit import inline, kernel
from ...vec3 import dot, load, set_vec, sub, unrotate, vec
from ..particle_bodies.four_particles import corner_weights
from .contact_places import (
    displacement,
    gap_of,
    lone_mobility,
    meet_at,
    mobility_along,
    particle_place,
    particles_side,
)
from .contact_point import BYPASSED, clear_impulses

if TYPE_CHECKING:
    from ...arrays import Floats
    from ...collision.shapes import Shapes
    from ...model import Model

MOST_WEIGHT = 50.0
"""Of a corner of a body of four particles in a contact: where others tear it apart, or it goes many
times its size in a substep, its corners do not tell where a place so far from them is."""

Surfaces = namedtuple(
    "Surfaces",
    [
        "shapes",
        "first_particle",  # (b,) of bodies of four particles
        "extent",  # (b, 3) m
        "friction",  # (n,) of each particle
        "restitution",  # (n,)
    ],
)
"""What contacts take from what touches."""


def surfaces_of(model: Model, shapes: Shapes, friction: Floats) -> Surfaces:
    """Those of a model; friction (n,) of its particles in this frame."""
    bodies = model.particle_bodies
    restitution = model.particles.restitution
    return Surfaces(shapes, bodies.first_particle, bodies.extent, friction, restitution)


@inline
def _rub_and_bounce(surfaces, place, s):
    """Friction and restitution of one side: of its shape, or of its particles by their weights."""
    if s >= 0:
        return surfaces.shapes.friction[s], surfaces.shapes.restitution[s]
    mu = e = 0.0
    for k in range(4):
        i = place["particle"][k]
        mu += place["weight"][k] * surfaces.friction[i]
        e += place["weight"][k] * surfaces.restitution[i]
    return mu, e


@inline
def _place_on(surfaces, place, s, owners, p):
    """Let a place be the world place p of shape s at the start of the step.

    On a body of four particles that is their weighted sum; on others no particle has a weight.
    """
    o = surfaces.shapes.owner[s]
    set_vec(place["arm"], sub(p, load(owners.position, o)))
    body = surfaces.shapes.particle_body[s]
    if body < 0:
        place["owner"] = o
        for k in range(4):
            place["particle"][k] = 0
            place["weight"][k] = 0.0
        return
    place["four_body"] = o
    local = unrotate(owners.rotation[o], vec(place["arm"]))
    corner_weights(place["weight"], local, surfaces.extent[body])
    for k in range(4):
        place["particle"][k] = surfaces.first_particle[body] + k


@inline
def _find_places(contact, making, surfaces, previous, owners):
    """Both places at the start of the step, where both sides are pushed; returns μ and e."""
    a, b = contact["place"][0], contact["place"][1]
    for side in range(2):
        contact["place"][side]["owner"] = -1
        contact["place"][side]["four_body"] = -1
    s, t = making["shape"][0], making["shape"][1]
    p = (0.0, 0.0, 0.0)
    if s >= 0:
        p = place_before(surfaces.shapes, s, load(making["point"], 0))
        _place_on(surfaces, a, s, owners, p)
    if t >= 0:
        if s < 0:
            p = particle_place(a, previous)
        _place_on(surfaces, b, t, owners, p)
    if s >= 0 or t >= 0:  # corners of a body of particles are not quite where the body is
        here = contact["place"][particles_side(contact)]
        meet_at(contact, owners, particle_place(here, previous))
    mu, e = _rub_and_bounce(surfaces, a, s)
    nu, f = _rub_and_bounce(surfaces, b, t)
    return joint_friction(mu, nu), joint_restitution(e, f)


@inline
def _level(contact, making, x, owners, h):
    """Set the offset so that the gap is what it was found to be, (a − b)·n − reach."""
    reach = making["reach"] if making["shape"][0] < 0 else 0.0
    contact["offset"] = reach
    if making["shape"][1] < 0:
        return
    a = contact["place"][0]
    point = load(making["point"], 0) if making["shape"][0] >= 0 else particle_place(a, x)
    apart = sub(point, load(making["point"], 1))
    found = -reach
    for k in range(3):
        found += contact["normal"][k] * apart[k]
    contact["offset"] = 0.0
    contact["offset"] = gap_of(contact, x, owners, h) - found


@inline
def _is_flung(contact, inverse_mass):
    """Whether particles alone give way, and one of them much farther than the two sides part."""
    least = contact["mobility"] / LEAST_LEVER
    if contact["mobility"] != contact["inverse_mass"]:
        return False
    for side in range(2):
        place = contact["place"][side]
        for k in range(4):
            if inverse_mass[place["particle"][k]] * place["weight"][k] > least:
                return True
    return False


@inline
def _is_off(contact):
    """Whether a body of four particles would be met far away from all of them."""
    most = 0.0
    for side in range(2):
        place = contact["place"][side]
        if place["four_body"] >= 0:
            for k in range(4):
                most = max(most, abs(place["weight"][k]))
    return most > MOST_WEIGHT


@kernel
def prepare_contacts(contacts, count, surfaces, movable, resting):
    """Work out weights and constants of contacts noted as places on shapes and normals.

    Both sides are pushed at one place: where a was at the start of the step, which is where x* has
    it. So the angular momentum Σ x* × m (x − x*) stays the same as well.

    Friction of two surfaces is the geometric mean, restitution the larger; contacts slower than
    ``resting`` m a step do not bounce, so that heaps come to rest.
    """
    (x, previous, _), owners, h = movable[:3]
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        contact["friction"], e = _find_places(contact, making, surfaces, previous, owners)
        _level(contact, making, x, owners, h)
        n = vec(contact["normal"])
        contact["inverse_mass"] = lone_mobility(contact, movable, n)
        contact["mobility"] = mobility_along(contact, movable, n)
        if _is_off(contact) or _is_flung(contact, movable.particles.inverse_mass):
            contact["mobility"] = 0.0  # what overlaps is parted slowly: `resolve_overlap`
        approach = dot(displacement(contact, movable.particles, owners, h), n)
        gap = gap_of(contact, x, owners, h)
        contact["overlap"] = overlap_before(gap, approach)
        contact["bounce"] = 0.0
        if contact["footing"] == BYPASSED:
            contact["mobility"] = contact["overlap"] = e = 0.0
        if e > 0.0 and approach < -resting and gap < 0.0:
            # the part of the step that was left after the hit leads away again
            height, after = bounce(max(0.0, gap - approach), approach, 0.0, h, e)
            contact["bounce"], making["bounce_gap"] = after, height
        clear_impulses(contact, making)
