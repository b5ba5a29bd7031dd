"""Ends of strands that are tied to rigid bodies: the body's inertia joins that of the particle.

A tied particle cannot move by u without the place on the body that it is tied to, and that answers
an impulse with its generalised inverse mass K = 1/m + [r]ᵀ I⁻¹ [r] (Müller et al. 2020, eq. 2). So
the particle has the inertia 1/w + K⁻¹ in the direct solution of the strand, which then hands a
crate of any weight up to where the rope hangs, and the body gets the impulse K⁻¹ u/h. It acts where
the particle was one step ago, as all that keeps the angular momentum of position Verlet does.

A body that holds several particles of the same strands is shared out between them in equal parts
(mass splitting: Tonge, Benevolenski, Voroshilov 2012).
"""

from __future__ import annotations

import numpy as np

from ..kernels.jit import inline, kernel
from ..vec3 import (
    ZERO,
    add,
    add_cross,
    divide,
    inverse_symmetric,
    load,
    move,
    scale,
    set_vec,
    sub,
    symmetric,
    symmetric_times,
    vec,
)
from .body_point import impel

IMMOVABLE = 1e9
"""Mass of a body that is driven or asleep, in that of the particle tied to it."""


TIED_POINT = np.dtype(
    [
        ("place", np.float64, (3,)),  # m
        ("inverse_mass", np.float64),  # 1/kg
        ("inertia", np.float64, (6,)),  # kg, K⁻¹ of what is tied to it
    ],
    align=True,
)
"""A particle of a strand while it is solved."""

TIE = np.dtype(
    [
        ("row", np.int32),  # of the strands
        ("body", np.int32),
        ("share", np.float64),  # 1 over the number of ties that share the body
    ],
    align=True,
)


@kernel
def load_ties(points, sticks, particles, owners, ties):
    """Write the inertia K⁻¹ of what is tied to points."""
    for t in range(ties.shape[0]):
        k, o = ties[t]["row"], ties[t]["body"]
        i = sticks[k]["particle"]
        inertia = points[k]["inertia"]
        w = owners.inverse_mass[o]
        if particles.inverse_mass[i] == 0.0:
            for n in range(6):
                inertia[n] = 0.0
            continue
        if w == 0.0:
            for n in range(3):
                inertia[n] = IMMOVABLE / particles.inverse_mass[i]
                inertia[3 + n] = 0.0
            continue
        x, y, z = sub(load(particles.previous, i), load(owners.position, o))
        m = owners.inverse_inertia[o]
        a, b, c, d, e, f = m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]
        # [r]ᵀ I⁻¹ [r]
        xx = w + b * z * z - 2.0 * f * y * z + c * y * y
        yy = w + a * z * z - 2.0 * e * x * z + c * x * x
        zz = w + a * y * y - 2.0 * d * x * y + b * x * x
        xy = e * y * z - d * z * z - c * x * y + f * x * z
        xz = d * y * z - e * y * y - b * x * z + f * x * y
        yz = d * x * z + e * x * y - a * y * z - f * x * x
        added = inverse_symmetric((xx, yy, zz, xy, xz, yz), ties[t]["share"])
        for n in range(6):
            inertia[n] = added[n]


@kernel
def give_to_bodies(points, solution, sticks, particles, owners, h, ties, push):
    """Give bodies the impulses of what the particles tied to them were moved by.

    push (b, 3) N·s gets them too, those on sleepers as well.
    """
    for t in range(ties.shape[0]):
        k, o = ties[t]["row"], ties[t]["body"]
        force = symmetric_times(symmetric(points[k]["inertia"]), vec(solution[k]["moved"]))
        impulse = divide(force, h)
        move(push, o, impulse)
        if owners.inverse_mass[o] == 0.0:
            continue
        r = sub(load(particles.previous, sticks[k]["particle"]), load(owners.position, o))
        impel(owners, o, r, impulse)


@inline
def _momentum(point, m, v):
    """(m 1 + K⁻¹) v of a point of mass m."""
    return add(symmetric_times(symmetric(point["inertia"]), v), scale(m, v))


@inline
def keep_spin_tied(particles, sticks, points, first, last, is_held, centre, spin):
    """Free the corrections of rows first … last − 1 from their torque, bodies included.

    Δx += a + ω × (x* − c) for all, with the a and ω that leave Σ M Δx, M the inertia of particle
    and body, without torque about c and without sum; held in c, a is 0. spin (9, 7): scratch.
    """
    x, previous, inverse_mass = particles
    spin[:] = 0.0
    g, f = spin[:3], spin[3:]
    for k in range(first, last):
        p = sticks[k]["particle"]
        if inverse_mass[p] == 0.0:
            continue
        m = 1.0 / inverse_mass[p]
        rx, ry, rz = sub(load(previous, p), centre)
        g[0, 0] = g[1, 1] = g[2, 2] = 1.0  # Δx = g (a, ω)
        g[0, 4], g[0, 5] = rz, -ry
        g[1, 3], g[1, 5] = -rz, rx
        g[2, 3], g[2, 4] = ry, -rx
        e = _momentum(points[k], m, sub(vec(points[k]["place"]), load(x, p)))
        for n in range(6):
            if n >= 3:  # the sum is that of forces between the rows already
                f[n, 6] -= g[0, n] * e[0] + g[1, n] * e[1] + g[2, n] * e[2]
            s = _momentum(points[k], m, (g[0, n], g[1, n], g[2, n]))
            for o in range(6):
                f[o, n] += g[0, o] * s[0] + g[1, o] * s[1] + g[2, o] * s[2]
    begin = 3 if is_held else 0
    floor = 1e-12 * (f[3, 3] + f[4, 4] + f[5, 5])
    if floor == 0.0:
        return
    for n in range(3, 6):
        f[n, n] += floor
    for n in range(begin, 6):  # symmetric and positive: no pivots
        for o in range(n + 1, 6):
            ratio = f[o, n] / f[n, n]
            for q in range(n, 7):
                f[o, q] -= ratio * f[n, q]
    for n in range(5, begin - 1, -1):
        for o in range(n + 1, 6):
            f[n, 6] -= f[n, o] * f[o, 6]
        f[n, 6] /= f[n, n]
    shift_of_all = ZERO if is_held else (f[0, 6], f[1, 6], f[2, 6])
    turn = (f[3, 6], f[4, 6], f[5, 6])
    for k in range(first, last):
        p = sticks[k]["particle"]
        if inverse_mass[p] == 0.0:
            continue
        place = points[k]["place"]
        way = add_cross(shift_of_all, turn, sub(load(previous, p), centre))
        set_vec(place, add(vec(place), way))
