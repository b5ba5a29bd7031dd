"""One contact point: how fast its two sides part, and what an impulse there does.

A row holds the axes of the point and its arms r on both sides. Impulses act on both sides at one
point of the world, so linear and angular momentum of the pair are kept to rounding.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...vec3 import add, cross, dot, load, rotate, scale, shift, sub, vec


@lean_inline
def lever(row, d, side):
    """Torque on one side by an impulse of 1 N·s along axis d: r × axis, m."""
    return cross(load(row["arm"], side), vec(row["axis"][d]))


@lean_inline
def turned(row, d, side, owners):
    """Spin of one side by an impulse of 1 N·s along axis d: I⁻¹ (r × axis)."""
    return rotate(owners.inverse_inertia[row["owner"][side]], lever(row, d, side))


@lean_inline
def contact_speed(row, d, moving):
    """Speed of a relative to b along axis d at the point of contact, m/s.

    moving: owners, or the velocities that rows see.
    """
    a, b = row["owner"][0], row["owner"][1]
    of_a = add(load(moving.velocity, a), cross(load(moving.spin, a), load(row["arm"], 0)))
    of_b = add(load(moving.velocity, b), cross(load(moving.spin, b), load(row["arm"], 1)))
    return dot(vec(row["axis"][d]), sub(of_a, of_b))


@lean_inline
def push_contact(row, d, owners, p):
    """An impulse p along axis d on a, and against it on b."""
    a, b = row["owner"][0], row["owner"][1]
    push = scale(p, vec(row["axis"][d]))
    shift(owners.velocity, a, owners.inverse_mass[a], push)
    shift(owners.velocity, b, -owners.inverse_mass[b], push)
    shift(owners.spin, a, 1.0, rotate(owners.inverse_inertia[a], cross(load(row["arm"], 0), push)))
    shift(owners.spin, b, -1.0, rotate(owners.inverse_inertia[b], cross(load(row["arm"], 1), push)))


@lean_inline
def turning_mobility(row, d, e, owners):
    """Speed along axis d by an impulse along axis e, of both sides' turning alone, 1/kg."""
    by_a = dot(lever(row, d, 0), turned(row, e, 0, owners))
    return by_a + dot(lever(row, d, 1), turned(row, e, 1, owners))
