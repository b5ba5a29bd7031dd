"""The turn that gives particles as they were one step ago a wanted angular momentum.

What position Verlet keeps is Σ m x* × x/h. Corrections Δx that have a torque Σ m x* × Δx about the
places of one step ago are freed from it by Δx += ω × (x* − c*), with c* the centre of mass and
I* ω = −Σ m (x* − c*) × Δx. That leaves linear momentum as it is.
"""

from __future__ import annotations

from .kernels.jit import inline, lean_inline
from .vec3 import ZERO, along, cross, divide, load, move, sub

NO_INERTIA = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""The sums Σ m r rᵀ of nothing, as xx yy zz xy xz yz."""


@inline
def add_inertia(sums, m, r):
    """The sums Σ m r rᵀ with one more particle of mass m at r from the centre of mass."""
    xx, yy, zz, xy, xz, yz = sums
    x, y, z = r
    return (
        xx + m * x * x,
        yy + m * y * y,
        zz + m * z * z,
        xy + m * x * y,
        xz + m * x * z,
        yz + m * y * z,
    )


@lean_inline
def inertia_about_centre(member, first, last, x, inverse_mass):
    """Mass kg, centre m and Σ m r rᵀ about it of members first to last at x (n, 3) m.

    The mass is 0, and nothing else true, where one of them is immovable.
    """
    mass, centre, sums = 0.0, ZERO, NO_INERTIA
    for n in range(first, last):
        i = member[n]
        if inverse_mass[i] == 0.0:
            return 0.0, centre, sums
        mass += 1.0 / inverse_mass[i]
        centre = along(centre, 1.0 / inverse_mass[i], load(x, i))
    centre = divide(centre, mass)
    for n in range(first, last):
        i = member[n]
        sums = add_inertia(sums, 1.0 / inverse_mass[i], sub(load(x, i), centre))
    return mass, centre, sums


@inline
def solve_inertia(sums, momentum):
    """ω with I ω = L, for I = Σ m (r² − r rᵀ) from the sums Σ m r rᵀ; momentum: L.

    A thousand-billionth of the trace keeps it solvable for particles on one line, about which
    L has no part.
    """
    xx, yy, zz, xy, xz, yz = sums
    floor = 1e-12 * (xx + yy + zz)
    if floor == 0.0:
        return ZERO
    a = yy + zz + floor
    b = xx + zz + floor
    c = xx + yy + floor
    # L D Lᵀ
    l10 = -xy / a
    l20 = -xz / a
    d1 = b + l10 * xy
    l21 = (-yz + l20 * xy) / d1
    d2 = c + l20 * xz - l21 * l21 * d1
    y1 = momentum[1] - l10 * momentum[0]
    y2 = momentum[2] - l20 * momentum[0] - l21 * y1
    z = y2 / d2
    y = y1 / d1 - l21 * z
    x = momentum[0] / a - l10 * y - l20 * z
    return x, y, z


@lean_inline
def turned_way(turn, previous, i, centre):
    """Δx = ω × (x* − c*) in m of particle i, of previous (n, 3) m: x*; turn: ω in rad."""
    return cross(turn, sub(load(previous, i), centre))


@lean_inline
def turn_back(member, first, last, x, previous, centre, turn):
    """Turn members first to last as one rigid body, in x (n, 3) m: see `turned_way`.

    centre: c* in m; turn: ω in rad, by `solve_inertia` of what they are to lose.
    """
    for n in range(first, last):
        i = member[n]
        move(x, i, turned_way(turn, previous, i, centre))
