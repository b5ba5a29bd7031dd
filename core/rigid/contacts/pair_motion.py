"""Two bodies in contact, alone: their velocities in registers while a manifold is solved.

A manifold reads the velocities of its two bodies once and writes them once. In between, what one
point does to the next need not go through memory, which would take longer than all the rest.

Numbers may be lanes, of four manifolds at once.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...vec3 import (
    add,
    along,
    cross,
    dot,
    load,
    scale,
    store,
    sub,
    symmetric_of,
    symmetric_times,
)


@lean_inline
def load_motion(row, owners):
    """Velocity and spin of a, velocity and spin of b."""
    a, b = row["owner"][0], row["owner"][1]
    return (
        load(owners.velocity, a),
        load(owners.spin, a),
        load(owners.velocity, b),
        load(owners.spin, b),
    )


@lean_inline
def store_motion(row, owners, motion):
    """Write what `load_motion` has read."""
    a, b = row["owner"][0], row["owner"][1]
    store(owners.velocity, a, motion[0])
    store(owners.spin, a, motion[1])
    store(owners.velocity, b, motion[2])
    store(owners.spin, b, motion[3])


@lean_inline
def load_masses(row, owners):
    """Inverse mass (1/kg) and inverse inertia (1/(kg·m²), symmetric: see `vec3`) of a, and of b."""
    a, b = row["owner"][0], row["owner"][1]
    return (
        owners.inverse_mass[a],
        symmetric_of(owners.inverse_inertia[a]),
        owners.inverse_mass[b],
        symmetric_of(owners.inverse_inertia[b]),
    )


@lean_inline
def load_arms(row):
    """Arms of a row on both sides, m."""
    return load(row["arm"], 0), load(row["arm"], 1)


@lean_inline
def speeds_along(axis, motion):
    """What `point_speed` needs: it is the same for all points that share an axis.

    The speed of a relative to b along the axis, and axis × ω of both: a spin moves the point at r
    along the axis by axis·(ω × r) = r·(axis × ω).
    """
    apart = dot(axis, sub(motion[0], motion[2]))
    return apart, cross(axis, motion[1]), cross(axis, motion[3])


@lean_inline
def point_speed(arms, speeds):
    """Speed of a relative to b at a point, m/s."""
    apart, of_a, of_b = speeds
    return apart + dot(arms[0], of_a) - dot(arms[1], of_b)


@lean_inline
def point_velocity(arms, motion):
    """Velocity of a relative to b at a point, m/s."""
    of_a, of_b = cross(motion[1], arms[0]), cross(motion[3], arms[1])
    return sub(add(sub(motion[0], motion[2]), of_a), of_b)


@lean_inline
def pushed(masses, motion, push, torque_a, torque_b):
    """The motion after an impulse N·s on a and against it on b, with torques N·m·s of each."""
    return (
        along(motion[0], masses[0], push),
        add(motion[1], symmetric_times(masses[1], torque_a)),
        along(motion[2], -masses[2], push),
        sub(motion[3], symmetric_times(masses[3], torque_b)),
    )


@lean_inline
def pushed_at(arms, masses, motion, push):
    """The motion after an impulse N·s at a point."""
    return pushed(masses, motion, push, cross(arms[0], push), cross(arms[1], push))


@lean_inline
def pushed_along(axis, arms, masses, motion, impulse):
    """The motion after an impulse N·s along an axis at a point."""
    return pushed_at(arms, masses, motion, scale(impulse, axis))
