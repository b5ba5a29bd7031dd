"""Two bodies in contact, alone: their velocities in registers while a manifold is solved.

A manifold reads the velocities of its two bodies once and writes them once. In between, what one
point does to the next need not go through memory, which would take longer than all the rest.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...vec3 import add, along, cross, dot, load, rotate, store, sub


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
def speeds_along(axis, motion):
    """What `point_speed` needs: it is the same for all points that share an axis.

    The speed of a relative to b along the axis, and axis × ω of both: a spin moves the point at r
    along the axis by axis·(ω × r) = r·(axis × ω).
    """
    apart = dot(axis, sub(motion[0], motion[2]))
    return apart, cross(axis, motion[1]), cross(axis, motion[3])


@lean_inline
def point_speed(row, speeds):
    """Speed of a relative to b at the point of a row, m/s."""
    apart, of_a, of_b = speeds
    return apart + dot(load(row["arm"], 0), of_a) - dot(load(row["arm"], 1), of_b)


@lean_inline
def point_velocity(row, motion):
    """Velocity of a relative to b at the point of a row, m/s."""
    of_a = cross(motion[1], load(row["arm"], 0))
    of_b = cross(motion[3], load(row["arm"], 1))
    return sub(add(sub(motion[0], motion[2]), of_a), of_b)


@lean_inline
def pushed(row, owners, motion, push, torque_a, torque_b):
    """The motion after an impulse N·s on a and against it on b, with torques N·m·s of each."""
    a, b = row["owner"][0], row["owner"][1]
    return (
        along(motion[0], owners.inverse_mass[a], push),
        add(motion[1], rotate(owners.inverse_inertia[a], torque_a)),
        along(motion[2], -owners.inverse_mass[b], push),
        sub(motion[3], rotate(owners.inverse_inertia[b], torque_b)),
    )


@lean_inline
def pushed_at(row, owners, motion, push):
    """The motion after an impulse N·s at the point of a row."""
    torque_a, torque_b = cross(load(row["arm"], 0), push), cross(load(row["arm"], 1), push)
    return pushed(row, owners, motion, push, torque_a, torque_b)
