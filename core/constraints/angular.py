"""The turn that gives particles as they were one step ago a wanted angular momentum.

What position Verlet keeps is Σ m x* × x/h. Corrections Δx that have a torque Σ m x* × Δx about the
places of one step ago are freed from it by Δx += ω × (x* − c*), with c* the centre of mass and
I* ω = −Σ m (x* − c*) × Δx. That leaves linear momentum as it is.
"""

from __future__ import annotations

from ..jit import inline


@inline
def solve_inertia(xx, yy, zz, xy, xz, yz, lx, ly, lz):
    """ω with I ω = L, for I = Σ m (r² − r rᵀ) from the sums of m x x, m x y, …

    A thousand-billionth of the trace keeps it solvable for particles on one line, about which
    L has no part.
    """
    floor = 1e-12 * (xx + yy + zz)
    if floor == 0.0:
        return 0.0, 0.0, 0.0
    a = yy + zz + floor
    b = xx + zz + floor
    c = xx + yy + floor
    # L D Lᵀ
    l10 = -xy / a
    l20 = -xz / a
    d1 = b + l10 * xy
    l21 = (-yz + l20 * xy) / d1
    d2 = c + l20 * xz - l21 * l21 * d1
    y1 = ly - l10 * lx
    y2 = lz - l20 * lx - l21 * y1
    z = y2 / d2
    y = y1 / d1 - l21 * z
    x = lx / a - l10 * y - l20 * z
    return x, y, z
