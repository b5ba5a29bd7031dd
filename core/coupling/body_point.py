"""Places on rigid bodies: where they get to, how far an impulse there moves them, and which does.

K = 1/m 1 + [r]ᵀ I⁻¹ [r] (Müller et al. 2020, eq. 2, for a vector at once), symmetric, in 1/kg.
"""

from __future__ import annotations

from ..kernels.jit import inline, lean_inline
from ..rigid.owners import velocity_at
from ..vec3 import add, along, cross, load, move, rotate, shift


@inline
def turn_mobility(i, r):
    """[r]ᵀ I⁻¹ [r] as xx yy zz xy xz yz; i (3, 3): I⁻¹."""
    # its columns: I⁻¹ (r × e), crossed with r again
    x = cross((_turned(i, 0, 1, 2, r), _turned(i, 1, 1, 2, r), _turned(i, 2, 1, 2, r)), r)
    y = cross((_turned(i, 0, 2, 0, r), _turned(i, 1, 2, 0, r), _turned(i, 2, 2, 0, r)), r)
    z = cross((_turned(i, 0, 0, 1, r), _turned(i, 1, 0, 1, r), _turned(i, 2, 0, 1, r)), r)
    return x[0], y[1], z[2], x[1], x[2], y[2]


@inline
def _turned(i, row, a, b, r):
    """Row of I⁻¹ (r × e), e the axis that is neither a nor b."""
    return i[row, a] * r[b] - i[row, b] * r[a]


@inline
def impulse_for(m, d):
    """λ of K λ = d, K symmetric and not singular."""
    xx, yy, zz, xy, xz, yz = m
    c00, c01, c02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    c12 = xy * xz - xx * yz
    f = 1.0 / (xx * c00 + xy * c01 + xz * c02)
    return (
        f * (c00 * d[0] + c01 * d[1] + c02 * d[2]),
        f * (c01 * d[0] + (xx * zz - xz * xz) * d[1] + c12 * d[2]),
        f * (c02 * d[0] + c12 * d[1] + (xx * yy - xy * xy) * d[2]),
    )


@lean_inline
def mobility_at(owners, o, r, d):
    """1/m + (r×d)ᵀ I⁻¹ (r×d) of an owner along the unit vector d, 1/kg; 0 for what stays."""
    if o < 0 or owners.inverse_mass[o] == 0.0:
        return 0.0
    t = cross(r, d)
    s = rotate(owners.inverse_inertia[o], t)
    return owners.inverse_mass[o] + t[0] * s[0] + t[1] * s[1] + t[2] * s[2]


@lean_inline
def place_ahead(owners, o, h, r):
    """Where the place at arm r of an owner gets to in h s, m."""
    return along(add(load(owners.position, o), r), h, velocity_at(owners, o, r))


@lean_inline
def impel(owners, o, r, p):
    """Give an owner the impulse p in N·s at arm r."""
    shift(owners.velocity, o, owners.inverse_mass[o], p)
    move(owners.spin, o, rotate(owners.inverse_inertia[o], cross(r, p)))
