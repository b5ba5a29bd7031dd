"""Angular momentum that contacts have given, taken back from what carries them.

A contact of particles acts on two places a distance apart, so its friction (and its push, where
they turn about each other in the step) is a couple on the pair; a correction of place moves two
things by different ways while they pass each other, which changes Σ x* × m (x − x*) as well. What
both sides are a part of turns back, as one rigid body, by

    Δx = ω × (x* − c*),      I* ω = −couple,

which leaves linear momentum as it is (see `angular_momentum`). Turned alone, two sticks of a figure
would pull at the joints that they hang on, and limbs that rub would go on trembling; two particles
of cloth would pull at those around them.

What turns is a carrier: a stick figure or a body of particles as a whole, or a ring, the particles
of a sheet or rope that are linked to one. Where one side is a whole and the other is not, the whole
takes it all. Balls that are part of nothing keep it as the turn that is not simulated; pins take it
by themselves.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from ...angular_momentum import add_inertia, inertia_about_centre, solve_inertia, turn_back
from ...arrays import Ints
from ...kernels.jit import inline, kernel, lean_inline
from ...pairs import distinct_pairs
from ...records import Particles
from ...vec3 import (
    ZERO,
    add_symmetric,
    along,
    dot,
    length,
    load,
    scale,
    set_vec,
    sub,
    symmetric,
    vec,
)
from .contact_point import ParticleContacts

MOST_TURN = 0.25
"""Farthest turn of a carrier in a step, rad. Δx is straight: by a radian it would stretch a body by
four tenths, by ten (small bodies deep inside others) tear it apart. What is left over is given up.
"""

CARRIER = np.dtype(
    [
        ("first_member", np.int32),  # row of the members of all carriers
        ("last_member", np.int32),  # row after the last of its own
        ("is_whole", np.int32),
        ("is_pinned", np.int32),  # found with what follows
        ("weighed", np.int64),  # number of the step in which that was
        ("mass", np.float64),  # kg
        ("centre", np.float64, (3,)),  # m
        ("radius", np.float64),  # m
        ("moments", np.float64, (6,)),  # kg·m², Σ m r rᵀ
        ("turned", np.float64),  # rad, so far in this step
    ],
    align=True,
)

CoupleCarriers = namedtuple(
    "CoupleCarriers",
    [
        "of_particle",  # (n,) row of each particle's carrier, −1 for none
        "member",  # (m,) particles
        "row",  # (k,) CARRIER
    ],
)


class CoupleReturn:
    """The carriers of a model: wholes, and for what is in none of them its ring in the pieces.

    pieces (e, 3): triangles, and stretches of rope that end with −1.
    """

    def __init__(self, count: int, wholes: Sequence[Ints], pieces: Ints) -> None:
        self._carriers = _carriers(count, wholes, *_rings(count, pieces))
        self._step = 0

    def __call__(self, contacts: ParticleContacts, count: int, particles: Particles) -> None:
        """Take the couples of the first ``count`` contacts back, in x."""
        self._step += 1
        if len(self._carriers.row):
            return_couples(contacts, count, particles, self._carriers, self._step)


def _rings(count: int, pieces: Ints) -> tuple[Ints, Ints]:
    """Starts (count + 1,) into a list of particles: each itself, and those around it in a piece."""
    pairs = np.concatenate([pieces[:, [0, 1]], pieces[:, [1, 2]], pieces[:, [2, 0]]])
    pairs = pairs[(pairs >= 0).all(axis=1)]
    own = np.repeat(np.unique(pairs)[:, None], 2, axis=1)
    pairs = distinct_pairs(np.concatenate([pairs, pairs[:, ::-1], own]))
    start = np.searchsorted(pairs[:, 0], np.arange(count + 1)).astype(np.int32)
    return start, pairs[:, 1].astype(np.int32)


def _carriers(count: int, wholes: Sequence[Ints], start: Ints, ring: Ints) -> CoupleCarriers:
    of_particle = np.full(count, -1, dtype=np.int32)
    for number, members in enumerate(wholes):
        of_particle[members] = number
    alone = np.flatnonzero((np.diff(start) > 0) & (of_particle < 0))
    of_particle[alone] = len(wholes) + np.arange(len(alone))
    member = np.concatenate([np.zeros(0, dtype=np.int32), *wholes, ring]).astype(np.int32)
    last = np.cumsum([len(members) for members in wholes], dtype=np.int64)
    shift = len(member) - len(ring)
    row = np.zeros(len(wholes) + len(alone), CARRIER)
    row["is_whole"][: len(wholes)] = 1
    row["last_member"] = np.concatenate([last, shift + start[alone + 1]])
    row["first_member"] = np.concatenate([np.append(0, last)[:-1], shift + start[alone]])
    return CoupleCarriers(of_particle, member, row)


@inline
def _weigh(row, member, previous, inverse_mass, step):
    """Write mass, centre, radius and Σ m r rᵀ of a carrier into its row, once in a step."""
    if row["weighed"] == step:
        return
    row["weighed"], row["turned"] = step, 0.0
    first, last = row["first_member"], row["last_member"]
    mass, centre, sums = inertia_about_centre(member, first, last, previous, inverse_mass)
    row["is_pinned"] = mass == 0.0
    if mass == 0.0:
        return
    far = 0.0
    for n in range(first, last):
        r = sub(load(previous, member[n]), centre)
        far = max(far, dot(r, r))
    row["mass"], row["radius"] = mass, math.sqrt(far)
    set_vec(row["centre"], centre)
    for k in range(6):
        row["moments"][k] = sums[k]


@lean_inline
def _takers(carriers, a, b):
    """Rows of the carriers of two places that take their couple; twice the same one, or −1."""
    f = carriers.of_particle[a["particle"][0]]
    g = carriers.of_particle[b["particle"][0]]
    if f < 0 or g < 0:
        return max(f, g), max(f, g)
    if carriers.row[f]["is_whole"] == carriers.row[g]["is_whole"]:
        return f, g
    whole = f if carriers.row[f]["is_whole"] == 1 else g
    return whole, whole


@lean_inline
def _is_held(place, inverse_mass):
    """Whether a pin is part of a place."""
    for k in range(4):
        if place["weight"][k] != 0.0 and inverse_mass[place["particle"][k]] == 0.0:
            return True
    return False


@lean_inline
def _way_of(contact, making):
    """How far m a contact has moved what it acts on in this step, at most."""
    most = contact["normal_impulse"]
    for k in range(3):
        most += abs(contact["friction_impulse"][k])
    return (most + abs(making["parted"])) * contact["mobility"]


@lean_inline
def _together(one, other):
    """Centre, radius and Σ m r rᵀ of two carriers as one body."""
    centre, far, sums = vec(one["centre"]), one["radius"], symmetric(one["moments"])
    mass = one["mass"]
    share = other["mass"] / (mass + other["mass"])
    d = sub(vec(other["centre"]), centre)
    sums = add_symmetric(sums, symmetric(other["moments"]))
    sums = add_inertia(sums, share * mass, d)
    return along(centre, share, d), max(far, other["radius"]) + length(d), sums


@kernel
def return_couples(contacts, count, particles, carriers, step):
    """Take the couples of all contacts back, in x; step: a number that no step had before.

    No particle is moved farther than the contact moved its own.
    """
    x, previous, inverse_mass = particles
    member, row = carriers.member, carriers.row
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        couple = vec(making["couple"])
        if couple == ZERO:
            continue
        a, b = contact["place"][0], contact["place"][1]
        f, g = _takers(carriers, a, b)
        if f < 0 or _is_held(a, inverse_mass) or _is_held(b, inverse_mass):
            continue
        one, other = row[f], row[g]
        _weigh(one, member, previous, inverse_mass, step)
        _weigh(other, member, previous, inverse_mass, step)
        if one["is_pinned"] + other["is_pinned"] > 0:
            continue
        size = one["last_member"] - one["first_member"]
        if f != g:
            size += other["last_member"] - other["first_member"]
        if size < 3:
            continue
        centre, far, sums = vec(one["centre"]), one["radius"], symmetric(one["moments"])
        if f != g:
            centre, far, sums = _together(one, other)
        turn = solve_inertia(sums, scale(-1.0, couple))
        angle = length(turn)
        left = max(0.0, MOST_TURN - max(one["turned"], other["turned"]))
        most = min(_way_of(contact, making), far * left)
        if far * angle > most:
            turn = scale(most / (far * angle), turn)
            angle = most / far
        for o in (f, g):
            row[o]["turned"] += angle
            first, last = row[o]["first_member"], row[o]["last_member"]
            turn_back(member, first, last, x, previous, centre, turn)
            if f == g:
                break
