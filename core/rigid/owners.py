"""Everything that carries shapes and joints, side by side: bodies, colliders, bodies of particles.

Bodies come first, so that a body and its owner have one number. Colliders are owners of infinite
mass whose velocity is that of their animation, so contacts and joints ask nobody what he is.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import kernel, lean_inline
from ..rotation import (
    conjugate,
    free_turn,
    normalised,
    product,
    quaternion,
    renormalised,
    set_quaternion,
    spin_of_turn,
    turn_of_spin,
)
from ..vec3 import (
    ZERO,
    add,
    add_cross,
    along,
    cross,
    divide,
    divide_each,
    load,
    rotate,
    scale,
    shift,
    store,
    sub,
    times_each,
    unrotate,
    vec,
)
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
        "mass",  # (o,) kg, also of what is driven or asleep; infinite of what is no body
        "inverse_mass",  # (o,) 1/kg, 0 for what is driven or asleep
        "inertia",  # (o, 3) kg·m², principal
        "extra_inertia",  # (o,) kg·m², what impulses turn besides: see joint_stiffness
        "inverse_inertia",  # (o, 3, 3) in the world, of both: what impulses turn
        "driven",  # (o,) 1: goes where the frame's inputs say
        "asleep",  # (o,) AWAKE; RESTING and left alone; CARRIED and led as what is driven
    ],
)


AWAKE, RESTING, CARRIED = range(3)

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
        "duration",  # s, of the frame
        "step",  # s, for which x* of the start is laid out
        "collider_velocity",  # (c, 3) m/s of colliders in the last frame
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
        mass=np.full(count, np.inf),
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
    owners.inertia[: len(model.bodies)] = model.bodies.inertia
    owners.mass[: len(model.bodies)] = model.bodies.mass
    return owners


def body_moves(model: Model, gravity: Floats) -> Moves:
    """What moves the bodies of a model under a gravity (3,) m/s²; frames write forces and drags."""
    count = len(model.bodies)
    force, torque = np.zeros((count, 3)), np.zeros((count, 3))
    keep, angular_keep = np.ones(count), np.ones(count)
    return Moves(count, gravity, force, torque, keep, angular_keep, model.bodies.gyroscopic)


@lean_inline
def write_inverse_inertia(owners, o):
    """R and R J⁻¹ Rᵀ of an owner, with its extra inertia; zero for one that is not to be moved."""
    write_inverse_inertia_at(owners, o, quaternion(owners.orientation[o]))


@lean_inline
def write_inverse_inertia_at(owners, o, q):
    """The same at an orientation that is known: what was written just now is slow to read."""
    r = owners.rotation[o]
    a = owners.inverse_inertia[o]
    write_rotation(r, q)
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
    if owners.extra_inertia[o] > 0.0:
        write_own_spin(owners, o)
    else:
        slow_spin(owners, o)


@lean_inline
def write_own_spin(owners, o):
    """ω = I⁻¹ L, also of what is not to be moved."""
    r = owners.rotation[o]
    along_axes = unrotate(r, load(owners.momentum, o))
    store(owners.spin, o, rotate(r, divide_each(along_axes, load(owners.inertia, o))))


@lean_inline
def slow_spin(owners, o):
    """ω = (I + extra)⁻¹ L."""
    store(owners.spin, o, rotate(owners.inverse_inertia[o], load(owners.momentum, o)))


@lean_inline
def velocity_of(owners, c, x):
    """Velocity m/s at x (m) of an owner as it moves now."""
    return add(
        load(owners.velocity, c), cross(load(owners.spin, c), sub(x, load(owners.position, c)))
    )


@lean_inline
def velocity_at(owners, o, arm):
    """Velocity m/s of an owner at an arm (m) from its centre: v + ω × r, as `add_cross` sums it."""
    return add_cross(load(owners.velocity, o), load(owners.spin, o), arm)


@lean_inline
def _momentum_inside(owners, o):
    """J ω, the angular momentum along the owner's own axes."""
    return times_each(load(owners.inertia, o), unrotate(owners.rotation[o], load(owners.spin, o)))


@lean_inline
def write_momentum(owners, o):
    """L = I ω, the inverse of `write_spin`."""
    store(owners.momentum, o, rotate(owners.rotation[o], _momentum_inside(owners, o)))


@lean_inline
def write_spin_of(owners, o, turn, duration):
    """ω that makes a turn (a quaternion) within a time."""
    w, x, y, z = turn
    if x * x + y * y + z * z <= 1e-24:  # rounding: what stands still lets others sleep
        turn = (w, 0.0, 0.0, 0.0)
    store(owners.spin, o, spin_of_turn(turn, duration))


@lean_inline
def accelerate_bodies(owners, bodies, h):
    """Velocities by position Verlet: v' = (1 − β) v + a h, L' = (1 − β) L + M h (eq. 12); ω too."""
    for b in range(bodies.count):
        accelerate_body(owners, bodies, b, h)


@lean_inline
def accelerate_body(owners, bodies, b, h):
    """`accelerate_bodies` of one of them."""
    w = owners.inverse_mass[b]
    if w == 0.0:
        return
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
        if owners.driven[o] == 0 and owners.asleep[o] != CARRIED:
            continue
        travel = sub(load(end_x, o), load(start_x, o))
        store(owners.position, o, along(load(start_x, o), share_before, travel))
        store(owners.velocity, o, divide(scale(share - share_before, travel), h))
        start = _blend(quaternion(start_q[o]), quaternion(end_q[o]), share_before)
        end = _blend(quaternion(start_q[o]), quaternion(end_q[o]), share)
        set_quaternion(owners.orientation[o], start)
        write_inverse_inertia_at(owners, o, start)
        write_spin_of(owners, o, product(end, conjugate(start)), h)
        write_momentum(owners, o)


@lean_inline
def _blend(a, b, share):
    """The quaternion that has come a share of the short way from a to b."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    dot = aw * bw + ax * bx + ay * by + az * bz
    t = share if dot >= 0.0 else -share
    s = 1.0 - share
    return normalised((s * aw + t * bw, s * ax + t * bx, s * ay + t * by, s * az + t * bz))


@lean_inline
def move_bodies(owners, bodies, h):
    """Move by x' = x + v h and the turn that L makes in h.

    Also finds L, which contacts and joints have changed through ω. Driven ones move too, to the
    end of the substep.
    """
    for b in range(bodies.count):
        move_body(owners, bodies, b, h)


@lean_inline
def move_body(owners, bodies, b, h):
    """`move_bodies` of one of them."""
    if owners.asleep[b] == RESTING:
        return
    shift(owners.position, b, h, load(owners.velocity, b))
    q, spin = owners.orientation[b], load(owners.spin, b)
    if owners.driven[b] == 1 or owners.asleep[b] == CARRIED:
        turn_by(q, scale(h, spin))
        write_inverse_inertia(owners, b)  # as of colliders: contacts and what is drawn look there
        return
    if bodies.gyroscopic[b] == 0:
        turn_by(q, scale(h, spin))
        write_inverse_inertia(owners, b)
        write_momentum(owners, b)  # ω stays, L follows
    else:
        write_momentum(owners, b)
        turn = free_turn(_momentum_inside(owners, b), load(owners.inertia, b), h)
        turned = renormalised(product(quaternion(q), turn))
        set_quaternion(q, turned)
        # for shapes and for the next substep's contacts
        write_inverse_inertia_at(owners, b, turned)
    write_spin(owners, b)


@lean_inline
def move_colliders(owners, bodies, h):
    """Colliders at the end of the substep, so that what is aimed there meets them there."""
    for o in range(bodies.count, owners.inverse_mass.shape[0]):
        v, w = owners.velocity[o], owners.spin[o]
        if not (v[0] or v[1] or v[2] or w[0] or w[1] or w[2]):
            continue
        shift(owners.position, o, h, vec(v))
        turn_by(owners.orientation[o], scale(h, vec(w)))
        write_inverse_inertia(owners, o)


@lean_inline
def take_momenta(owners, bodies):
    """L of all bodies after contacts and joints have changed ω."""
    for b in range(bodies.count):
        if owners.inverse_mass[b] > 0.0:
            write_momentum(owners, b)


@lean_inline
def turn_by(q, way):
    """Turn q (4,) by a rotation vector rad in the world."""
    set_quaternion(q, _turned(quaternion(q), way))


@lean_inline
def _turned(q, way):
    """A quaternion turned so."""
    if way == ZERO:
        return q
    return normalised(product(turn_of_spin(way, 1.0), q))


@kernel
def look_ahead(owners, count, h, position, rotation):
    """Where the first ``count`` owners get to in this substep: (o, 3) m and (o, 3, 3)."""
    for o in range(count):
        store(position, o, along(load(owners.position, o), h, load(owners.velocity, o)))
        turned = _turned(quaternion(owners.orientation[o]), scale(h, load(owners.spin, o)))
        write_rotation(rotation[o], turned)
