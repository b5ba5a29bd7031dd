"""Angular momentum of free particles that touch, taken back from those around them.

A contact of two particles acts on two places a distance apart, so its drag (and its push, where
they turn about each other in the step) is a couple on the pair. In the cloth or rope that they are
part of it turns the surroundings: the particles around both, linked to one of them by a piece, get
Δx = ω × (x* − c*) with I* ω = −couple, which leaves linear momentum as it is (see
`angular_momentum`). Balls without surroundings keep it as the turn that is not simulated. What
touches sticks of figures turns these, see `limb_turn`.
"""

from __future__ import annotations

import math

import numpy as np

from ...angular_momentum import NO_INERTIA, add_inertia, solve_inertia
from ...arrays import Ints
from ...kernels.jit import inline, kernel, lean_inline
from ...pairs import distinct_pairs
from ...vec3 import ZERO, along, cross, divide, dot, load, move, scale, sub, vec
from .contact_point import SINGLE


def rings_of(count: int, piece: Ints) -> tuple[Ints, Ints]:
    """Particles around each of ``count``: starts (count + 1,) into a list of neighbours.

    piece (e, 3): triangles, and stretches of rope that end with −1.
    """
    pairs = np.concatenate([piece[:, [0, 1]], piece[:, [1, 2]], piece[:, [2, 0]]])
    pairs = pairs[(pairs >= 0).all(axis=1)]
    pairs = distinct_pairs(np.concatenate([pairs, pairs[:, ::-1]]))
    start = np.searchsorted(pairs[:, 0], np.arange(count + 1)).astype(np.int32)
    return start, np.ascontiguousarray(pairs[:, 1], dtype=np.int32)


@inline
def _around(contact, n, start, neighbour):
    """The n-th particle around the two of a contact, themselves included; −1 after the last."""
    for side in range(2):
        i = contact["place"][side]["particle"][0]
        count = 1 + start[i + 1] - start[i]
        if n < count:
            return i if n == 0 else neighbour[start[i] + n - 1]
        n -= count
    return -1


@lean_inline
def way_of_contact(contact, making):
    """How far m a contact has moved what it acts on in this step, at most."""
    most = contact["normal_impulse"]
    for k in range(3):
        most += abs(contact["friction_impulse"][k])
    return (most + abs(making["parted"])) * contact["mobility"]


@kernel
def return_couples(contacts, count, particles, start, neighbour):
    """Take the couples of all contacts of two free particles back, in x.

    start, neighbour from `rings_of`. Pins take couples by themselves. No particle is moved farther
    than the contact moved its own.
    """
    x, previous, inverse_mass = particles
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        if making["shape"][0] != SINGLE or making["shape"][1] != SINGLE:
            continue
        couple = vec(making["couple"])
        if couple == ZERO:
            continue
        mass = 0.0
        centre = ZERO
        n = 0
        i = _around(contact, n, start, neighbour)
        while i >= 0:
            if inverse_mass[i] == 0.0:
                mass = 0.0
                break
            m = 1.0 / inverse_mass[i]
            mass += m
            centre = along(centre, m, load(previous, i))
            n += 1
            i = _around(contact, n, start, neighbour)
        if mass == 0.0 or n < 3:
            continue
        centre = divide(centre, mass)
        inertia = NO_INERTIA
        far = 0.0
        for k in range(n):
            i = _around(contact, k, start, neighbour)
            r = sub(load(previous, i), centre)
            inertia = add_inertia(inertia, 1.0 / inverse_mass[i], r)
            far = max(far, dot(r, r))
        turn = solve_inertia(inertia, scale(-1.0, couple))
        moved = math.sqrt(far * dot(turn, turn))
        most = way_of_contact(contact, making)
        if moved > most:
            turn = scale(most / moved, turn)
        for k in range(n):
            i = _around(contact, k, start, neighbour)
            move(x, i, cross(turn, sub(load(previous, i), centre)))
