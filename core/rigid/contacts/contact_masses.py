"""What contact points meet of two bodies alone: effective masses, and what one does to another.

Generalised inverse mass (Müller et al. 2020, eq. 2; Kenwright eq. 9 put right):
w = 1/m + (r×n)ᵀ I⁻¹ (r×n). What hangs on the two is the matter of `limb_impulses`.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...kernels.lanes import select
from ...vec3 import cross, dot, set_vec, symmetric_times, vec
from .contact_table import NORMAL
from .packet_table import MOST_POINTS
from .pair_motion import load_arms, load_masses


@lean_inline
def turning_speeds(axis, arms, masses):
    """Spins of a and b by an impulse of 1 N·s along an axis at a point: I⁻¹ (r × axis)."""
    of_a = symmetric_times(masses[1], cross(arms[0], axis))
    return of_a, symmetric_times(masses[3], cross(arms[1], axis))


@lean_inline
def _turning_mobility(axis, spins, arms):
    """Speed along an axis at a point by two spins, 1/kg."""
    return dot(cross(arms[0], axis), spins[0]) + dot(cross(arms[1], axis), spins[1])


@lean_inline
def mobilities(axes, arms, masses):
    """Mass (kg, 0 of what nothing moves) along the normal; W₁₁, W₁₂, W₂₂ (1/kg) of the tangents."""
    n, t, s = axes
    w = masses[0] + masses[2]
    total = w + _turning_mobility(n, turning_speeds(n, arms, masses), arms)
    moves = total > 0.0
    mass = select(moves, 1.0 / select(moves, total, 1.0), 0.0)
    by_t, by_s = turning_speeds(t, arms, masses), turning_speeds(s, arms, masses)
    w11 = w + _turning_mobility(t, by_t, arms)
    w12 = _turning_mobility(t, by_s, arms)
    return mass, (w11, w12, w + _turning_mobility(s, by_s, arms))


@lean_inline
def speeds_by_push(normal, arms, masses):
    """What `coupling` needs of the point that is pushed: n × the spins of a and b."""
    of_a, of_b = turning_speeds(normal, arms, masses)
    return cross(normal, of_a), cross(normal, of_b)


@lean_inline
def coupling(by_push, arms, masses):
    """Speed along the normal at a point by an impulse of 1 N·s at another, 1/kg.

    A spin ω moves the point at r along n by n·(ω × r) = r·(n × ω).
    """
    return masses[0] + masses[2] + dot(arms[0], by_push[0]) + dot(arms[1], by_push[1])


@lean_inline
def weigh_point(row, owners):
    """Masses that impulses at a point meet, along its normal and its tangents."""
    axes = vec(row["axis"][0]), vec(row["axis"][1]), vec(row["axis"][2])
    mass, mobility = mobilities(axes, load_arms(row), load_masses(row, owners))
    row["mass"] = mass
    set_vec(row["mobility"], mobility)


@lean_inline
def couple_points(rows, first, owners):
    """What impulses at the points of the manifold at ``first`` do to each other's speed.

    Points that there are not move nothing.
    """
    head = rows[first]
    n = head["points"]
    masses, axis = load_masses(head, owners), vec(head["axis"][NORMAL])
    for i in range(n):
        row = rows[first + i]
        by_push = speeds_by_push(axis, load_arms(row), masses)
        for j in range(i + 1):
            total = coupling(by_push, load_arms(rows[first + j]), masses)
            row["coupling"][j] = total
            rows[first + j]["coupling"][i] = total
        for j in range(n, MOST_POINTS):
            row["coupling"][j] = 0.0
