"""Angular momentum of bodies of particles that are parted, taken back by turning them.

A correction of place moves two things by different ways while they pass each other, which changes
Σ x* × m (x − x*). The body turns by Δx = u × (x* − c*), I* u = −(what came), all contacts of it at
once, which leaves linear momentum as it is.
"""

from __future__ import annotations

import math

from ..bodies import move_particle_body
from ..jit import kernel
from ..vector import rotate

MOST_TURN = 0.25
"""Farthest turn of a body, rad. Δx is straight: by a radian it would stretch the body by four
tenths, by ten (small bodies deep inside others) tear it apart. What is left over is given up."""


@kernel
def return_body_couples(
    contacts, count, x, previous, inverse_mass, first_particle, first_owner, owners, turn
):
    """Take what contacts with bodies of particles have noted in angular momentum back, in x.

    turn (n, 3): scratch. Of two bodies the first one turns.
    """
    turn[:] = 0.0
    for c in range(count):
        o = contacts.cluster[c, 0]
        if o < 0:
            o = contacts.cluster[c, 1]
        if o < 0:
            continue
        for k in range(3):
            turn[o - first_owner, k] -= contacts.couple[c, k]
    for b in range(first_particle.shape[0]):
        lx, ly, lz = turn[b, 0], turn[b, 1], turn[b, 2]
        if lx == 0.0 and ly == 0.0 and lz == 0.0:
            continue
        o, first = first_owner + b, first_particle[b]
        for k in range(3):  # the correction of place has moved x* as well
            owners.position[o, k] = 0.0
            for i in range(first, first + 4):
                owners.position[o, k] += 0.25 * previous[i, k]
        ux, uy, uz = rotate(owners.inverse_inertia[o], lx, ly, lz)
        size = math.sqrt(ux * ux + uy * uy + uz * uz)
        if size > MOST_TURN:
            less = MOST_TURN / size
            ux, uy, uz = less * ux, less * uy, less * uz
        turned = (inverse_mass, first, owners, o)
        move_particle_body(x, previous, *turned, 0.0, 0.0, 0.0, ux, uy, uz)
