"""The contact point: it joins two places and says nothing of who solves it, see `response`.

A place is a weighted sum of up to four particles, p = Σ cᵢ xᵢ with Σ cᵢ = 1, or an arm on a body or
collider, or both: a place on a body of four particles is found by its weights and moved by its arm
as the rigid body that it is.

Whoever makes contacts finds where two places are, writes them with `join_particles` or
`join_shape` and `note_contact`, and counts rows beyond the room without writing them;
`prepare_contacts` works out the rest. What sweeps read is kept apart from what only making and
settling need: many contacts outgrow the cache.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...kernels.jit import lean_inline
from ...vec3 import ZERO, set_vec, store

PARTICLES = -1
"""In place of a shape: that side of the contact is a place between particles, weights known."""

UNBACKED = 0
"""Particles of a contact give way by their masses alone."""

SLIDING = 1
"""Some of them give way only along what another contact presses them onto."""

BACKED = 2
"""They are pressed onto what backs them, and give way no more than that does."""

BYPASSED = 3
"""What presses them and what is behind them bear on each other: the contact does nothing."""

CONTACT_PLACE = np.dtype(
    [
        ("particle", np.int32, (4,)),
        ("owner", np.int32),  # body or collider that it is on, −1 for none
        ("four_body", np.int32),  # body of four particles that it is on, as an owner; −1 for none
        ("weight", np.float64, (4,)),  # cᵢ, 0 on an owner
        ("arm", np.float64, (3,)),  # m, from the owner's centre
    ],
    align=True,
)
"""One side of a contact."""

PARTICLE_CONTACT = np.dtype(
    [
        ("place", CONTACT_PLACE, (2,)),  # a and b
        ("normal", np.float64, (3,)),  # from b to a
        ("offset", np.float64),  # m: gap = (a − b)·n − offset
        ("overlap", np.float64),  # m, penetration that was there before the step
        ("bounce", np.float64),  # m, normal displacement that restitution asks for, 0 for none
        ("friction", np.float64),
        ("stays", np.int32),  # 1: it is not gone over again once something else moves its particles
        ("footing", np.int32),  # of its particles: UNBACKED, SLIDING or BACKED
        ("foothold", np.int32),  # row of what is behind those that are backed, see `foothold`
        ("inverse_mass", np.float64),  # Σ wᵢ cᵢ² of particles that move alone, 1/kg
        ("mobility", np.float64),  # 1/kg, how far an impulse along the normal parts a and b
        ("normal_impulse", np.float64),  # kg·m, times h, so far in this step
        ("friction_impulse", np.float64, (3,)),  # kg·m, likewise
    ],
    align=True,
)
"""What the passes over a contact read and write."""

MAKING = np.dtype(
    [
        ("shape", np.int32, (2,)),  # that a and b are on, or PARTICLES
        ("point", np.float64, (2, 3)),  # m, where a and b were found on shapes, at the step's end
        ("reach", np.float64),  # m, that particles keep away
        ("bounce_gap", np.float64),  # m, gap at the end of a step with a bounce
        ("couple", np.float64, (3,)),  # kg·m², h times the angular momentum that both gained
        ("parted", np.float64),  # kg·m, h times the impulse that parted old overlap
        ("parted_at", np.float64, (3,)),  # kg·m², the same times its place
    ],
    align=True,
)
"""What else a contact is made of, and what settling notes of it."""

ParticleContacts = namedtuple(
    "ParticleContacts",
    [
        "solving",  # (c,) PARTICLE_CONTACT
        "making",  # (c,) MAKING
    ],
)


def contact_room(count: int) -> ParticleContacts:
    """Empty contacts with room for ``count``."""
    return ParticleContacts(np.zeros(count, PARTICLE_CONTACT), np.zeros(count, MAKING))


@lean_inline
def has_room(contacts, c):
    """Whether there is a row c to write to."""
    return c < contacts.solving.shape[0]


@lean_inline
def join_particles(contacts, c, side, particle, weight):
    """Let one side of contact c be Σ cᵢ xᵢ over three particles."""
    contacts.making[c]["shape"][side] = PARTICLES
    place = contacts.solving[c]["place"][side]
    for k in range(3):
        place["particle"][k] = particle[k]
        place["weight"][k] = weight[k]
    place["particle"][3] = particle[0]
    place["weight"][3] = 0.0


@lean_inline
def join_particle(contacts, c, side, i):
    """Let one side of contact c be a particle."""
    join_particles(contacts, c, side, (i, i, i), (1.0, 0.0, 0.0))


@lean_inline
def join_shape(contacts, c, side, shape, point):
    """Let one side of contact c be a world point of a shape, where it is at the step's end."""
    contacts.making[c]["shape"][side] = shape
    store(contacts.making[c]["point"], side, point)


@lean_inline
def note_contact(contacts, c, normal, reach):
    """Note the normal of contact c, and how far m the particles of both sides keep away."""
    set_vec(contacts.solving[c]["normal"], normal)
    contacts.solving[c]["stays"] = 0
    contacts.solving[c]["footing"] = UNBACKED
    contacts.making[c]["reach"] = reach


@lean_inline
def clear_impulses(solving, making):
    """Begin a step: nothing has been pushed or parted."""
    solving["normal_impulse"] = 0.0
    set_vec(solving["friction_impulse"], ZERO)
    set_vec(making["couple"], ZERO)
    making["parted"] = 0.0
    set_vec(making["parted_at"], ZERO)
