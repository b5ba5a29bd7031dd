"""What contact points meet of two bodies alone: effective masses, and what one does to another.

Generalised inverse mass (Müller et al. 2020, eq. 2; Kenwright eq. 9 put right):
w = 1/m + (r×n)ᵀ I⁻¹ (r×n). What hangs on the two is the matter of `limb_impulses`.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...vec3 import set_vec, vec
from .contact_point import turning_mobility
from .contact_table import NORMAL


@lean_inline
def _inverse_mass_between(w, row, other):
    """Speed along the normal of a row by an impulse along that of another one of the two, 1/kg.

    w: 1/m of both together; to it comes what their turning adds.
    """
    u, s = vec(row["cross"][NORMAL, 0]), vec(other["turn"][NORMAL, 0])
    v, t = vec(row["cross"][NORMAL, 1]), vec(other["turn"][NORMAL, 1])
    total = w + u[0] * s[0] + u[1] * s[1] + u[2] * s[2]
    return total + v[0] * t[0] + v[1] * t[1] + v[2] * t[2]


@lean_inline
def weigh_point(row, owners):
    """Masses that impulses at a point meet, along its normal and its tangents."""
    w = owners.inverse_mass[row["owner"][0]] + owners.inverse_mass[row["owner"][1]]
    total = _inverse_mass_between(w, row, row)
    row["mass"] = 1.0 / total if total > 0.0 else 0.0
    w11 = w + turning_mobility(row, 1, 1, 0) + turning_mobility(row, 1, 1, 1)
    w12 = turning_mobility(row, 1, 2, 0) + turning_mobility(row, 1, 2, 1)
    w22 = w + turning_mobility(row, 2, 2, 0) + turning_mobility(row, 2, 2, 1)
    set_vec(row["mobility"], (w11, w12, w22))


@lean_inline
def couple_points(rows, first, owners):
    """What impulses at the points of the manifold at ``first`` do to each other's speed."""
    head = rows[first]
    n = head["points"]
    if n == 1:
        return
    w = owners.inverse_mass[head["owner"][0]] + owners.inverse_mass[head["owner"][1]]
    for i in range(n):
        row = rows[first + i]
        for j in range(i + 1):
            other = rows[first + j]
            total = _inverse_mass_between(w, row, other)
            row["coupling"][j] = total
            other["coupling"][i] = total
