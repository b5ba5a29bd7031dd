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

from ..jit import inline, kernel
from ..vector import inverse_symmetric
from .point_mobility import impel

IMMOVABLE = 1e9
"""Mass of a body that is driven or asleep, in that of the particle tied to it."""


@kernel
def load_ties(point, particle, previous, inverse_mass, owners, row, body, share):
    """Write the inertia K⁻¹ of what is tied to rows of point (q, 10), columns 4 … 9.

    As xx yy zz xy xz yz, kg. row, body, share (t,): rows of point, bodies, 1 over the number of
    ties that share a body.
    """
    for t in range(row.shape[0]):
        k = row[t]
        p = particle[k]
        o = body[t]
        w = owners.inverse_mass[o]
        if inverse_mass[p] == 0.0:
            for n in range(6):
                point[k, 4 + n] = 0.0
            continue
        if w == 0.0:
            for n in range(3):
                point[k, 4 + n] = IMMOVABLE / inverse_mass[p]
                point[k, 7 + n] = 0.0
            continue
        x = previous[p, 0] - owners.position[o, 0]
        y = previous[p, 1] - owners.position[o, 1]
        z = previous[p, 2] - owners.position[o, 2]
        i = owners.inverse_inertia[o]
        a, b, c, d, e, f = i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]
        # [r]ᵀ I⁻¹ [r]
        xx = w + b * z * z - 2.0 * f * y * z + c * y * y
        yy = w + a * z * z - 2.0 * e * x * z + c * x * x
        zz = w + a * y * y - 2.0 * d * x * y + b * x * x
        xy = e * y * z - d * z * z - c * x * y + f * x * z
        xz = d * y * z - e * y * y - b * x * z + f * x * y
        yz = d * x * z + e * x * y - a * y * z - f * x * x
        added = inverse_symmetric(xx, yy, zz, xy, xz, yz, share[t])
        for n in range(6):
            point[k, 4 + n] = added[n]


@inline
def _impulse(point, k, x, y, z):
    """K⁻¹ (x, y, z) of row k."""
    return (
        point[k, 4] * x + point[k, 7] * y + point[k, 8] * z,
        point[k, 7] * x + point[k, 5] * y + point[k, 9] * z,
        point[k, 8] * x + point[k, 9] * y + point[k, 6] * z,
    )


@kernel
def give_to_bodies(point, moved, particle, previous, owners, h, row, body, push):
    """Give bodies the impulses of what the particles tied to them were moved by, moved (q, 3) m.

    push (b, 3) N·s gets them too, those on sleepers as well.
    """
    for t in range(row.shape[0]):
        k = row[t]
        o = body[t]
        fx, fy, fz = _impulse(point, k, moved[k, 0], moved[k, 1], moved[k, 2])
        fx, fy, fz = fx / h, fy / h, fz / h
        push[o, 0] += fx
        push[o, 1] += fy
        push[o, 2] += fz
        if owners.inverse_mass[o] == 0.0:
            continue
        p = particle[k]
        x = previous[p, 0] - owners.position[o, 0]
        y = previous[p, 1] - owners.position[o, 1]
        z = previous[p, 2] - owners.position[o, 2]
        impel(owners, o, x, y, z, fx, fy, fz)


@inline
def keep_spin_tied(x, previous, inverse_mass, particle, point, first, last, is_held, cx, cy, cz):
    """Free the corrections of rows first … last − 1 from their torque, bodies included.

    Δx += a + ω × (x* − c) for all, with the a and ω that leave Σ M Δx, M the inertia of particle
    and body, without torque about c and without sum; held in c, a is 0.
    """
    g = np.zeros((3, 6))
    f = np.zeros((6, 7))
    for k in range(first, last):
        p = particle[k]
        if inverse_mass[p] == 0.0:
            continue
        m = 1.0 / inverse_mass[p]
        rx, ry, rz = previous[p, 0] - cx, previous[p, 1] - cy, previous[p, 2] - cz
        g[0, 0] = g[1, 1] = g[2, 2] = 1.0  # Δx = g (a, ω)
        g[0, 4], g[0, 5] = rz, -ry
        g[1, 3], g[1, 5] = -rz, rx
        g[2, 3], g[2, 4] = ry, -rx
        ux, uy, uz = point[k, 0] - x[p, 0], point[k, 1] - x[p, 1], point[k, 2] - x[p, 2]
        ex, ey, ez = _impulse(point, k, ux, uy, uz)
        ex, ey, ez = ex + m * ux, ey + m * uy, ez + m * uz
        for n in range(6):
            if n >= 3:  # the sum is that of forces between the rows already
                f[n, 6] -= g[0, n] * ex + g[1, n] * ey + g[2, n] * ez
            sx, sy, sz = _impulse(point, k, g[0, n], g[1, n], g[2, n])
            sx, sy, sz = sx + m * g[0, n], sy + m * g[1, n], sz + m * g[2, n]
            for o in range(6):
                f[o, n] += g[0, o] * sx + g[1, o] * sy + g[2, o] * sz
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
    ax, ay, az = f[0, 6], f[1, 6], f[2, 6]
    if is_held:
        ax = ay = az = 0.0
    for k in range(first, last):
        p = particle[k]
        if inverse_mass[p] == 0.0:
            continue
        rx, ry, rz = previous[p, 0] - cx, previous[p, 1] - cy, previous[p, 2] - cz
        point[k, 0] += ax + f[4, 6] * rz - f[5, 6] * ry
        point[k, 1] += ay + f[5, 6] * rx - f[3, 6] * rz
        point[k, 2] += az + f[3, 6] * ry - f[4, 6] * rx
