"""Angular momentum of sticks of figures that touch something, taken back from the whole figures.

Rubbing and pushing act on the middle of a capsule, not on its skin: what touches it lies a radius
away, so each contact gives both together a couple (see `response.note_couples`). The figures that
take part turn by Δx = ω × (x* − c*), I* ω = −couple, as one rigid body, which leaves linear
momentum as it is. Turned alone, two sticks would pull at the joints that they hang on, and limbs
that rub would go on trembling.
"""

from __future__ import annotations

import math

from ..constraints.angular import NO_INERTIA, add_inertia, solve_inertia
from ..jit import kernel, lean_inline
from ..vector import cross
from .contact_table import PIECE_PARTNER
from .free_turn import way_of_contact


@lean_inline
def _weigh(first, member, f, previous, inverse_mass, moments):
    """Write mass, centre, radius (m) and Σ m r rᵀ of figure f into its row; mass −1 if pinned."""
    mass = cx = cy = cz = 0.0
    for n in range(first[f], first[f + 1]):
        i = member[n]
        if inverse_mass[i] == 0.0:
            moments[f, 0] = -1.0
            return
        m = 1.0 / inverse_mass[i]
        mass += m
        cx += m * previous[i, 0]
        cy += m * previous[i, 1]
        cz += m * previous[i, 2]
    cx, cy, cz = cx / mass, cy / mass, cz / mass
    sums = NO_INERTIA
    far = 0.0
    for n in range(first[f], first[f + 1]):
        i = member[n]
        rx, ry, rz = previous[i, 0] - cx, previous[i, 1] - cy, previous[i, 2] - cz
        sums = add_inertia(sums, 1.0 / inverse_mass[i], rx, ry, rz)
        far = max(far, rx * rx + ry * ry + rz * rz)
    moments[f, 0] = mass
    moments[f, 1], moments[f, 2], moments[f, 3] = cx, cy, cz
    moments[f, 4] = math.sqrt(far)
    moments[f, 5], moments[f, 6], moments[f, 7] = sums[0], sums[1], sums[2]
    moments[f, 8], moments[f, 9], moments[f, 10] = sums[3], sums[4], sums[5]


@kernel
def return_limb_couples(
    contacts, count, x, previous, inverse_mass, figure, first, member, moments, turn
):
    """Take the couples of all contacts with sticks of figures back, in x.

    figure (n,) of each particle, −1 for none; member: the particles of figure f from first[f] on;
    moments (f, 11), turn (f, 6): scratch. Pins take couples by themselves. No particle is moved
    farther than the contact moved its own.
    """
    figures = first.shape[0] - 1
    moments[:, 0] = 0.0
    turn[:] = 0.0
    for c in range(count):
        if contacts.shape[c, 0] != PIECE_PARTNER or contacts.shape[c, 1] != PIECE_PARTNER:
            continue
        lx, ly, lz = contacts.couple[c, 0], contacts.couple[c, 1], contacts.couple[c, 2]
        if lx == 0.0 and ly == 0.0 and lz == 0.0:
            continue
        f, g = figure[contacts.particle[c, 0]], figure[contacts.particle[c, 4]]
        f = g if f < 0 else f
        held = False
        for k in range(8):
            if contacts.weight[c, k] != 0.0 and inverse_mass[contacts.particle[c, k]] == 0.0:
                held = True
        for k in range(2):
            o = f if k == 0 else g
            if moments[o, 0] == 0.0:
                _weigh(first, member, o, previous, inverse_mass, moments)
            held = held or moments[o, 0] < 0.0
        if held:
            continue
        mass = moments[f, 0]
        cx, cy, cz = moments[f, 1], moments[f, 2], moments[f, 3]
        far = moments[f, 4]
        sums = (
            moments[f, 5],
            moments[f, 6],
            moments[f, 7],
            moments[f, 8],
            moments[f, 9],
            moments[f, 10],
        )
        if g != f:
            share = moments[g, 0] / (mass + moments[g, 0])
            dx, dy, dz = moments[g, 1] - cx, moments[g, 2] - cy, moments[g, 3] - cz
            cx, cy, cz = cx + share * dx, cy + share * dy, cz + share * dz
            sums = (
                sums[0] + moments[g, 5],
                sums[1] + moments[g, 6],
                sums[2] + moments[g, 7],
                sums[3] + moments[g, 8],
                sums[4] + moments[g, 9],
                sums[5] + moments[g, 10],
            )
            sums = add_inertia(sums, share * mass, dx, dy, dz)
            far = max(far, moments[g, 4]) + math.sqrt(dx * dx + dy * dy + dz * dz)
        ox, oy, oz = solve_inertia(sums, -lx, -ly, -lz)
        moved = far * math.sqrt(ox * ox + oy * oy + oz * oz)
        most = way_of_contact(contacts, c)
        if moved > most:
            less = most / moved
            ox, oy, oz = less * ox, less * oy, less * oz
        tx, ty, tz = cross(ox, oy, oz, cx, cy, cz)
        for k in range(2):
            if k == 1 and g == f:
                break
            o = f if k == 0 else g
            turn[o, 0] += ox
            turn[o, 1] += oy
            turn[o, 2] += oz
            turn[o, 3] -= tx
            turn[o, 4] -= ty
            turn[o, 5] -= tz
    for f in range(figures):
        ox, oy, oz = turn[f, 0], turn[f, 1], turn[f, 2]
        if ox == 0.0 and oy == 0.0 and oz == 0.0:
            continue
        for n in range(first[f], first[f + 1]):
            i = member[n]
            tx, ty, tz = cross(ox, oy, oz, previous[i, 0], previous[i, 1], previous[i, 2])
            x[i, 0] += tx + turn[f, 3]
            x[i, 1] += ty + turn[f, 4]
            x[i, 2] += tz + turn[f, 5]
