"""One contact point: how fast its two sides part, and what an impulse there does.

A row holds the axes of the point, on both sides its arms r × axis, and what these turn, I⁻¹ times
them. Impulses act on both sides at one point of the world, so linear and angular momentum of the
pair are kept to rounding.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...vec3 import dot, dot2, load, shift, sub, vec


@lean_inline
def contact_speed(row, d, moving):
    """Speed of a relative to b along axis d at the point of contact, m/s.

    moving: owners, or the velocities that rows see.
    """
    a, b = row["owner"][0], row["owner"][1]
    apart = sub(load(moving.velocity, a), load(moving.velocity, b))
    cross = row["cross"][d]
    by_a = dot2(vec(row["axis"][d]), apart, load(cross, 0), load(moving.spin, a))
    arm, spin = load(cross, 1), load(moving.spin, b)
    return by_a - arm[0] * spin[0] - arm[1] * spin[1] - arm[2] * spin[2]


@lean_inline
def push_contact(row, d, owners, p):
    """An impulse p along axis d on a, and against it on b."""
    a, b = row["owner"][0], row["owner"][1]
    axis, turn = vec(row["axis"][d]), row["turn"][d]
    of_a, of_b = load(turn, 0), load(turn, 1)
    shift(owners.velocity, a, p * owners.inverse_mass[a], axis)
    shift(owners.velocity, b, -(p * owners.inverse_mass[b]), axis)
    shift(owners.spin, a, p, of_a)
    shift(owners.spin, b, -p, of_b)


@lean_inline
def turning_mobility(row, d, e, side):
    """Speed along axis d by an impulse along axis e, of one side's turning alone, 1/kg."""
    return dot(vec(row["cross"][d, side]), vec(row["turn"][e, side]))
