"""Angular momentum of sticks of figures that touch something, taken back from the whole figures.

Rubbing and pushing act on the middle of a capsule, not on its skin: what touches it lies a radius
away, so each contact gives both together a couple (see `response.note_couples`). The figures that
take part turn by Δx = ω × (x* − c*), I* ω = −couple, as one rigid body, which leaves linear
momentum as it is. Turned alone, two sticks would pull at the joints that they hang on, and limbs
that rub would go on trembling.
"""

from __future__ import annotations

import math

import numpy as np

from ...angular_momentum import NO_INERTIA, add_inertia, solve_inertia
from ...kernels.jit import kernel, lean_inline
from ...vec3 import (
    ZERO,
    add,
    add_symmetric,
    add_to,
    along,
    cross,
    divide,
    dot,
    length,
    load,
    move,
    scale,
    set_vec,
    sub,
    symmetric,
    vec,
)
from ..contacts.contact_point import PIECE
from ..contacts.free_turn import way_of_contact

FIGURE = np.dtype(
    [
        ("first_member", np.int32),  # row of the particles of all figures
        ("last_member", np.int32),  # row after the last of its own
        ("mass", np.float64),  # kg, 0 where it was not weighed yet, −1 if pinned
        ("centre", np.float64, (3,)),  # m
        ("radius", np.float64),  # m
        ("moments", np.float64, (6,)),  # kg·m², Σ m r rᵀ
        ("turn", np.float64, (3,)),  # rad
        ("shift", np.float64, (3,)),  # m
    ],
    align=True,
)


@lean_inline
def _weigh(figure, member, previous, inverse_mass):
    """Write mass, centre, radius and Σ m r rᵀ of a figure into its record."""
    mass = 0.0
    centre = ZERO
    for n in range(figure["first_member"], figure["last_member"]):
        i = member[n]
        if inverse_mass[i] == 0.0:
            figure["mass"] = -1.0
            return
        m = 1.0 / inverse_mass[i]
        mass += m
        centre = along(centre, m, load(previous, i))
    centre = divide(centre, mass)
    sums = NO_INERTIA
    far = 0.0
    for n in range(figure["first_member"], figure["last_member"]):
        i = member[n]
        r = sub(load(previous, i), centre)
        sums = add_inertia(sums, 1.0 / inverse_mass[i], r)
        far = max(far, dot(r, r))
    figure["mass"] = mass
    set_vec(figure["centre"], centre)
    figure["radius"] = math.sqrt(far)
    for k in range(6):
        figure["moments"][k] = sums[k]


@kernel
def return_limb_couples(contacts, count, particles, figure_of, figures, member):
    """Take the couples of all contacts with sticks of figures back, in x.

    figure_of (n,): row of figures (q,) FIGURE of each particle, −1 for none; member: their
    particles. Pins take couples by themselves. No particle is moved farther than the contact moved
    its own.
    """
    x, previous, inverse_mass = particles
    for f in range(figures.shape[0]):
        figures[f]["mass"] = 0.0
        set_vec(figures[f]["turn"], ZERO)
        set_vec(figures[f]["shift"], ZERO)
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        if making["shape"][0] != PIECE or making["shape"][1] != PIECE:
            continue
        couple = vec(making["couple"])
        if couple == ZERO:
            continue
        a, b = contact["place"][0], contact["place"][1]
        f, g = figure_of[a["particle"][0]], figure_of[b["particle"][0]]
        f = g if f < 0 else f
        held = False
        for place in (a, b):
            for k in range(4):
                if place["weight"][k] != 0.0 and inverse_mass[place["particle"][k]] == 0.0:
                    held = True
        for o in (f, g):
            if figures[o]["mass"] == 0.0:
                _weigh(figures[o], member, previous, inverse_mass)
            held = held or figures[o]["mass"] < 0.0
        if held:
            continue
        mass = figures[f]["mass"]
        centre = vec(figures[f]["centre"])
        far = figures[f]["radius"]
        sums = symmetric(figures[f]["moments"])
        if g != f:
            other = figures[g]
            share = other["mass"] / (mass + other["mass"])
            d = sub(vec(other["centre"]), centre)
            centre = along(centre, share, d)
            sums = add_symmetric(sums, symmetric(other["moments"]))
            sums = add_inertia(sums, share * mass, d)
            far = max(far, other["radius"]) + length(d)
        turn = solve_inertia(sums, scale(-1.0, couple))
        moved = far * length(turn)
        most = way_of_contact(contact, making)
        if moved > most:
            turn = scale(most / moved, turn)
        aside = scale(-1.0, cross(turn, centre))
        for o in (f, g):
            add_to(figures[o]["turn"], turn)
            add_to(figures[o]["shift"], aside)
            if g == f:
                break
    for f in range(figures.shape[0]):
        turn, aside = vec(figures[f]["turn"]), vec(figures[f]["shift"])
        if turn == ZERO:
            continue
        for n in range(figures[f]["first_member"], figures[f]["last_member"]):
            i = member[n]
            move(x, i, add(cross(turn, load(previous, i)), aside))
