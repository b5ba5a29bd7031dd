"""Angular momentum of bodies of particles that are parted, taken back by turning them.

A correction of place moves two things by different ways while they pass each other, which changes
Σ x* × m (x − x*). The body turns by Δx = u × (x* − c*), I* u = −(what came), all contacts of it at
once, which leaves linear momentum as it is.
"""

from __future__ import annotations

from ...kernels.jit import kernel
from ...vec3 import ZERO, along, length, load, rotate, scale, shift, store, vec
from .four_particles import move_particle_body

MOST_TURN = 0.25
"""Farthest turn of a body, rad. Δx is straight: by a radian it would stretch the body by four
tenths, by ten (small bodies deep inside others) tear it apart. What is left over is given up."""


@kernel
def return_body_couples(contacts, count, particles, first_particle, first_owner, owners, owed):
    """Take what contacts with bodies of particles have noted in angular momentum back, in x.

    owed (b, 3) kg·m²: scratch. Of two bodies the first one turns.
    """
    previous = particles.previous
    owed[:] = 0.0
    for c in range(count):
        a, b = contacts.solving[c]["place"][0], contacts.solving[c]["place"][1]
        o = a["four_body"] if a["four_body"] >= 0 else b["four_body"]
        if o >= 0:
            shift(owed, o - first_owner, -1.0, vec(contacts.making[c]["couple"]))
    for b in range(first_particle.shape[0]):
        momentum = load(owed, b)
        if momentum == ZERO:
            continue
        o, first = first_owner + b, first_particle[b]
        centre = ZERO  # the correction of place has moved x* as well
        for i in range(first, first + 4):
            centre = along(centre, 0.25, load(previous, i))
        store(owners.position, o, centre)
        turn = rotate(owners.inverse_inertia[o], momentum)
        size = length(turn)
        if size > MOST_TURN:
            turn = scale(MOST_TURN / size, turn)
        move_particle_body(particles, first, owners, o, ZERO, turn)
