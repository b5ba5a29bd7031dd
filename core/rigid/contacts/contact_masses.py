"""What contact points meet of two bodies alone: effective masses, and what one does to another.

Generalised inverse mass (Müller et al. 2020, eq. 2; Kenwright eq. 9 put right):
w = 1/m + (r×n)ᵀ I⁻¹ (r×n). What hangs on the two is the matter of `limb_impulses`.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...vec3 import cross, dot, load, set_vec, vec
from .contact_point import turned, turning_mobility
from .contact_table import MOST_POINTS, NORMAL


@lean_inline
def weigh_point(row, owners):
    """Masses that impulses at a point meet, along its normal and its tangents."""
    w = owners.inverse_mass[row["owner"][0]] + owners.inverse_mass[row["owner"][1]]
    total = w + turning_mobility(row, NORMAL, NORMAL, owners)
    row["mass"] = 1.0 / total if total > 0.0 else 0.0
    w11 = w + turning_mobility(row, 1, 1, owners)
    w12 = turning_mobility(row, 1, 2, owners)
    w22 = w + turning_mobility(row, 2, 2, owners)
    set_vec(row["mobility"], (w11, w12, w22))


@lean_inline
def couple_points(rows, first, owners):
    """What impulses at the points of the manifold at ``first`` do to each other's speed.

    A spin ω moves the point at r along n by n·(ω × r) = r·(n × ω). Points that there are not move
    nothing.
    """
    head = rows[first]
    n = head["points"]
    w = owners.inverse_mass[head["owner"][0]] + owners.inverse_mass[head["owner"][1]]
    axis = vec(head["axis"][NORMAL])
    for i in range(n):
        row = rows[first + i]
        of_a = cross(axis, turned(row, NORMAL, 0, owners))
        of_b = cross(axis, turned(row, NORMAL, 1, owners))
        for j in range(i + 1):
            arm = rows[first + j]["arm"]
            total = w + dot(load(arm, 0), of_a) + dot(load(arm, 1), of_b)
            row["coupling"][j] = total
            rows[first + j]["coupling"][i] = total
        for j in range(n, MOST_POINTS):
            row["coupling"][j] = 0.0
