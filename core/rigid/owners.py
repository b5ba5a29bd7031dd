"""Everything that carries shapes and joints, side by side: bodies, colliders, bodies of particles.

Bodies come first, so that a body and its owner have one number. Colliders are owners of infinite
mass whose velocity is that of their animation, so contacts and joints ask nobody what he is.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import inline, kernel, lean_inline
from ..rotation import free_turn, normalised, product, renormalised, spin_of_turn, turn_of_spin
from ..vector import write_rotation

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..model import Model

Owners = namedtuple(
    "Owners",
    [
        "position",  # (o, 3) m, now: at the start of a substep until it moves
        "orientation",  # (o, 4)
        "rotation",  # (o, 3, 3)
        "velocity",  # (o, 3) m/s, of this substep
        "spin",  # (o, 3) rad/s, ω in the world
        "momentum",  # (o, 3) kg·m²/s, L in the world
        "inverse_mass",  # (o,) 1/kg, 0 for what is driven or asleep
        "inertia",  # (o, 3) kg·m², principal
        "extra_inertia",  # (o,) kg·m², what impulses turn besides: see joint_stiffness
        "inverse_inertia",  # (o, 3, 3) in the world, of both: what impulses turn
        "driven",  # (o,) 1: goes where the frame's inputs say
        "asleep",  # (o,) 1: rests and is left alone
    ],
)


Moves = namedtuple(
    "Moves",
    [
        "count",  # int, number of bodies
        "gravity",  # (3,) m/s²
        "force",  # (b, 3) N
        "torque",  # (b, 3) N·m about the centre of mass, along the axes of the world
        "keep",  # (b,) 1 − β of each substep
        "angular_keep",  # (b,)
        "gyroscopic",  # (b,)
    ],
)
"""What bodies move by in this frame."""

Ahead = namedtuple("Ahead", ["position", "rotation"])
"""Where owners get to by the end of a substep, (o, 3) m and (o, 3, 3)."""

Drive = namedtuple(
    "Drive",
    [
        "start_position",  # (d, 3) m, of bodies and colliders at the start of the frame
        "start_orientation",  # (d, 4)
        "end_position",  # (d, 3)
        "end_orientation",  # (d, 4)
    ],
)
"""Where the frame's inputs take driven owners: bodies first, then colliders."""


def owner_room(count: int) -> Owners:
    """Owners with room for ``count``, all driven and at the origin."""

    def vectors() -> np.ndarray:
        return np.zeros((count, 3))

    orientation = np.zeros((count, 4))
    orientation[:, 0] = 1.0
    return Owners(
        position=vectors(),
        orientation=orientation,
        rotation=np.tile(np.eye(3), (count, 1, 1)),
        velocity=vectors(),
        spin=vectors(),
        momentum=vectors(),
        inverse_mass=np.zeros(count),
        inertia=np.ones((count, 3)),
        extra_inertia=np.zeros(count),
        inverse_inertia=np.zeros((count, 3, 3)),
        driven=np.ones(count, dtype=np.int32),
        asleep=np.zeros(count, dtype=np.int32),
    )


def place_owners(model: Model) -> Owners:
    """Owners of a model; what is driven and asleep is said frame by frame.

    One more comes last: the world, which joints hold on to.
    """
    owners = owner_room(model.owner_count + 1)
    owners.inertia[: model.body_count] = model.bodies.inertia
    return owners


def body_moves(model: Model, gravity: Floats) -> Moves:
    """What moves the bodies of a model under a gravity (3,) m/s²; frames write forces and drags."""
    count = model.body_count
    force, torque = np.zeros((count, 3)), np.zeros((count, 3))
    keep, angular_keep = np.ones(count), np.ones(count)
    return Moves(count, gravity, force, torque, keep, angular_keep, model.bodies.gyroscopic)


@lean_inline
def write_inverse_inertia(owners, o):
    """R and R J⁻¹ Rᵀ of an owner, with its extra inertia; zero for one that is not to be moved."""
    q = owners.orientation
    write_inverse_inertia_at(owners, o, q[o, 0], q[o, 1], q[o, 2], q[o, 3])


@lean_inline
def write_inverse_inertia_at(owners, o, w, x, y, z):
    """The same at an orientation that is known: what was written just now is slow to read."""
    r = owners.rotation[o]
    a = owners.inverse_inertia[o]
    write_rotation(r, w, x, y, z)
    if owners.inverse_mass[o] == 0.0:
        for i in range(3):
            for j in range(3):
                a[i, j] = 0.0
        return
    extra = owners.extra_inertia[o]
    f0 = 1.0 / (owners.inertia[o, 0] + extra)
    f1 = 1.0 / (owners.inertia[o, 1] + extra)
    f2 = 1.0 / (owners.inertia[o, 2] + extra)
    for i in range(3):
        for j in range(i, 3):
            value = r[i, 0] * f0 * r[j, 0] + r[i, 1] * f1 * r[j, 1] + r[i, 2] * f2 * r[j, 2]
            a[i, j] = value
            a[j, i] = value


@lean_inline
def write_spin(owners, o):
    """ω = I⁻¹ L, without extra inertia."""
    lx, ly, lz = owners.momentum[o, 0], owners.momentum[o, 1], owners.momentum[o, 2]
    if owners.extra_inertia[o] == 0.0:
        a = owners.inverse_inertia[o]
        for k in range(3):
            owners.spin[o, k] = a[k, 0] * lx + a[k, 1] * ly + a[k, 2] * lz
        return
    r = owners.rotation[o]
    bx = (r[0, 0] * lx + r[1, 0] * ly + r[2, 0] * lz) / owners.inertia[o, 0]
    by = (r[0, 1] * lx + r[1, 1] * ly + r[2, 1] * lz) / owners.inertia[o, 1]
    bz = (r[0, 2] * lx + r[1, 2] * ly + r[2, 2] * lz) / owners.inertia[o, 2]
    for k in range(3):
        owners.spin[o, k] = r[k, 0] * bx + r[k, 1] * by + r[k, 2] * bz


@lean_inline
def slow_spin(owners, o):
    """ω = (I + extra)⁻¹ L."""
    a = owners.inverse_inertia[o]
    lx, ly, lz = owners.momentum[o, 0], owners.momentum[o, 1], owners.momentum[o, 2]
    for k in range(3):
        owners.spin[o, k] = a[k, 0] * lx + a[k, 1] * ly + a[k, 2] * lz


@lean_inline
def _momentum_inside(owners, o):
    """J ω, the angular momentum along the owner's own axes."""
    r = owners.rotation[o]
    wx, wy, wz = owners.spin[o, 0], owners.spin[o, 1], owners.spin[o, 2]
    return (
        owners.inertia[o, 0] * (r[0, 0] * wx + r[1, 0] * wy + r[2, 0] * wz),
        owners.inertia[o, 1] * (r[0, 1] * wx + r[1, 1] * wy + r[2, 1] * wz),
        owners.inertia[o, 2] * (r[0, 2] * wx + r[1, 2] * wy + r[2, 2] * wz),
    )


@lean_inline
def write_momentum(owners, o):
    """L = I ω, the inverse of `write_spin`."""
    r = owners.rotation[o]
    bx, by, bz = _momentum_inside(owners, o)
    for k in range(3):
        owners.momentum[o, k] = r[k, 0] * bx + r[k, 1] * by + r[k, 2] * bz


@inline
def write_spin_of(owners, o, turn, duration):
    """ω that makes a turn (a quaternion) within a time."""
    w, x, y, z = turn
    if x * x + y * y + z * z <= 1e-24:  # rounding: what stands still lets others sleep
        x = y = z = 0.0
    x, y, z = spin_of_turn(w, x, y, z, duration)
    owners.spin[o, 0], owners.spin[o, 1], owners.spin[o, 2] = x, y, z


@lean_inline
def accelerate_bodies(owners, bodies, h):
    """Velocities by position Verlet: v' = (1 − β) v + a h, L' = (1 − β) L + M h (eq. 12); ω too."""
    for b in range(bodies.count):
        w = owners.inverse_mass[b]
        if w == 0.0:
            continue
        for k in range(3):
            a = bodies.gravity[k] + w * bodies.force[b, k]
            owners.velocity[b, k] = bodies.keep[b] * owners.velocity[b, k] + a * h
            twist = bodies.torque[b, k] * h
            owners.momentum[b, k] = bodies.angular_keep[b] * owners.momentum[b, k] + twist
        write_spin(owners, b)


@lean_inline
def drive_owners(owners, drive, share_before, share, h):
    """Put driven owners where they are at the start of the substep.

    share_before and share of the frame have passed at its ends: straight line and normalised
    quaternion blend, with the velocity and spin that lead from one to the other within h.
    """
    start_x, start_q = drive.start_position, drive.start_orientation
    end_x, end_q = drive.end_position, drive.end_orientation
    for o in range(start_x.shape[0]):
        if owners.driven[o] == 0:
            continue
        for k in range(3):
            travel = end_x[o, k] - start_x[o, k]
            owners.position[o, k] = start_x[o, k] + share_before * travel
            owners.velocity[o, k] = (share - share_before) * travel / h
        w, x, y, z = _blend(start_q, end_q, o, share_before)
        owners.orientation[o, 0] = w
        owners.orientation[o, 1] = x
        owners.orientation[o, 2] = y
        owners.orientation[o, 3] = z
        write_inverse_inertia(owners, o)
        w1, x1, y1, z1 = _blend(start_q, end_q, o, share)
        write_spin_of(owners, o, product(w1, x1, y1, z1, w, -x, -y, -z), h)
        write_momentum(owners, o)


@inline
def _blend(q0, q1, n, share):
    dot = 0.0
    for k in range(4):
        dot += q0[n, k] * q1[n, k]
    t = share if dot >= 0.0 else -share
    return normalised(
        (1.0 - share) * q0[n, 0] + t * q1[n, 0],
        (1.0 - share) * q0[n, 1] + t * q1[n, 1],
        (1.0 - share) * q0[n, 2] + t * q1[n, 2],
        (1.0 - share) * q0[n, 3] + t * q1[n, 3],
    )


@lean_inline
def move_bodies(owners, bodies, h):
    """Move by x' = x + v h and the turn that L makes in h.

    Also finds L, which contacts and joints have changed through ω. Driven ones move too, to the
    end of the substep.
    """
    for b in range(bodies.count):
        if owners.asleep[b] == 1:
            continue
        for k in range(3):
            owners.position[b, k] += h * owners.velocity[b, k]
        q = owners.orientation[b]
        if owners.driven[b] == 1:
            turn_by(q, h * owners.spin[b, 0], h * owners.spin[b, 1], h * owners.spin[b, 2])
            continue
        if bodies.gyroscopic[b] == 0:
            sx, sy, sz = owners.spin[b, 0], owners.spin[b, 1], owners.spin[b, 2]
            turn_by(q, h * sx, h * sy, h * sz)
            write_inverse_inertia(owners, b)
            write_momentum(owners, b)  # ω stays, L follows
        else:
            write_momentum(owners, b)
            lx, ly, lz = _momentum_inside(owners, b)
            inertia = owners.inertia[b]
            w, x, y, z = free_turn(lx, ly, lz, inertia[0], inertia[1], inertia[2], h)
            w, x, y, z = product(q[0], q[1], q[2], q[3], w, x, y, z)
            w, x, y, z = renormalised(w, x, y, z)
            q[0], q[1], q[2], q[3] = w, x, y, z
            # for shapes and for the next substep's contacts
            write_inverse_inertia_at(owners, b, w, x, y, z)
        slow_spin(owners, b)


@lean_inline
def move_colliders(owners, bodies, h):
    """Colliders at the end of the substep, so that what is aimed there meets them there."""
    for o in range(bodies.count, owners.inverse_mass.shape[0]):
        v, w = owners.velocity[o], owners.spin[o]
        if not (v[0] or v[1] or v[2] or w[0] or w[1] or w[2]):
            continue
        for k in range(3):
            owners.position[o, k] += h * v[k]
        turn_by(owners.orientation[o], h * w[0], h * w[1], h * w[2])
        write_inverse_inertia(owners, o)


@lean_inline
def take_momenta(owners, bodies):
    """L of all bodies after contacts and joints have changed ω."""
    for b in range(bodies.count):
        if owners.inverse_mass[b] > 0.0:
            write_momentum(owners, b)


@lean_inline
def turn_by(q, x, y, z):
    """Turn q (4,) by the rotation vector (x, y, z) rad in the world."""
    if x == 0.0 and y == 0.0 and z == 0.0:
        return
    w, x, y, z = turn_of_spin(x, y, z, 1.0)
    w, i, j, k = product(w, x, y, z, q[0], q[1], q[2], q[3])
    q[0], q[1], q[2], q[3] = normalised(w, i, j, k)


@kernel
def look_ahead(owners, count, h, position, rotation):
    """Where the first ``count`` owners get to in this substep: (o, 3) m and (o, 3, 3)."""
    q = np.empty(4)
    for o in range(count):
        for k in range(3):
            position[o, k] = owners.position[o, k] + h * owners.velocity[o, k]
        for k in range(4):
            q[k] = owners.orientation[o, k]
        turn_by(q, h * owners.spin[o, 0], h * owners.spin[o, 1], h * owners.spin[o, 2])
        write_rotation(rotation[o], q[0], q[1], q[2], q[3])
