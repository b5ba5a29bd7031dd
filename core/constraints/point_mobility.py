"""Places on rigid bodies: where they get to, how far an impulse there moves them, and which does.

K = 1/m 1 + [r]ᵀ I⁻¹ [r] (Müller et al. 2020, eq. 2, for a vector at once), symmetric, in 1/kg.
"""

from __future__ import annotations

from ..jit import inline, lean_inline


@inline
def turn_mobility(i, rx, ry, rz):
    """[r]ᵀ I⁻¹ [r] by rows of its upper half (six numbers); i (3, 3): I⁻¹."""
    # its columns: I⁻¹ (r × e), crossed with r again
    ux = i[0, 1] * rz - i[0, 2] * ry
    uy = i[1, 1] * rz - i[1, 2] * ry
    uz = i[2, 1] * rz - i[2, 2] * ry
    a00, a01, a02 = uy * rz - uz * ry, uz * rx - ux * rz, ux * ry - uy * rx
    ux = i[0, 2] * rx - i[0, 0] * rz
    uy = i[1, 2] * rx - i[1, 0] * rz
    uz = i[2, 2] * rx - i[2, 0] * rz
    a11, a12 = uz * rx - ux * rz, ux * ry - uy * rx
    ux = i[0, 0] * ry - i[0, 1] * rx
    uy = i[1, 0] * ry - i[1, 1] * rx
    return a00, a01, a02, a11, a12, ux * ry - uy * rx


@inline
def impulse_for(a00, a01, a02, a11, a12, a22, dx, dy, dz):
    """λ of K λ = d, K by rows of its upper half and not singular (three numbers)."""
    c00, c01, c02 = a11 * a22 - a12 * a12, a02 * a12 - a01 * a22, a01 * a12 - a02 * a11
    c12 = a01 * a02 - a00 * a12
    f = 1.0 / (a00 * c00 + a01 * c01 + a02 * c02)
    return (
        f * (c00 * dx + c01 * dy + c02 * dz),
        f * (c01 * dx + (a00 * a22 - a02 * a02) * dy + c12 * dz),
        f * (c02 * dx + c12 * dy + (a00 * a11 - a01 * a01) * dz),
    )


@lean_inline
def place_ahead(owners, o, h, rx, ry, rz):
    """Where the place at arm r of an owner gets to in h s (three numbers, m)."""
    c, v, s = owners.position[o], owners.velocity[o], owners.spin[o]
    return (
        c[0] + rx + h * (v[0] + s[1] * rz - s[2] * ry),
        c[1] + ry + h * (v[1] + s[2] * rx - s[0] * rz),
        c[2] + rz + h * (v[2] + s[0] * ry - s[1] * rx),
    )


@lean_inline
def impel(owners, o, rx, ry, rz, px, py, pz):
    """Give an owner the impulse p in N·s at arm r."""
    w, a = owners.inverse_mass[o], owners.inverse_inertia[o]
    tx, ty, tz = ry * pz - rz * py, rz * px - rx * pz, rx * py - ry * px
    owners.velocity[o, 0] += w * px
    owners.velocity[o, 1] += w * py
    owners.velocity[o, 2] += w * pz
    for k in range(3):
        owners.spin[o, k] += a[k, 0] * tx + a[k, 1] * ty + a[k, 2] * tz
