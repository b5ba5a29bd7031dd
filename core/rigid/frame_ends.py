"""Owners at both ends of a frame: a state keeps x, x*, q and q* of bodies, and nothing else."""

from __future__ import annotations

import math

from ..kernels.jit import inline, lean_inline, lean_kernel
from ..model.body_table import ACTIVE, ANIMATED, PASSIVE
from ..rotation import normalised, product, spin_of_turn, turn_to_previous
from ..vector import rotate, unrotate
from .articulation.articulated_inertia import forget_responses
from .joints.joint_state import lay_down_joints, take_up_joints
from .owners import write_inverse_inertia, write_spin, write_spin_of
from .sleep.falling_asleep import REST_TIME, find_rest


@inline
def _take_up_body(owners, b, x, q, previous, q_previous, inverse_mass, h):
    """A body from its place (3,) m and rotation (4,) and the last ones, h s before."""
    for k in range(3):
        owners.position[b, k] = x[k]
        owners.velocity[b, k] = (x[k] - previous[k]) / h
    for k in range(4):
        owners.orientation[b, k] = q[k]
    owners.inverse_mass[b] = inverse_mass
    owners.extra_inertia[b] = 0.0
    write_inverse_inertia(owners, b)
    p = q_previous
    w, i, j, k_ = product(p[0], -p[1], -p[2], -p[3], q[0], q[1], q[2], q[3])
    wx, wy, wz = spin_of_turn(w, i, j, k_, h)
    inertia = owners.inertia[b]
    lx, ly, lz = rotate(owners.rotation[b], inertia[0] * wx, inertia[1] * wy, inertia[2] * wz)
    owners.momentum[b, 0], owners.momentum[b, 1], owners.momentum[b, 2] = lx, ly, lz


@lean_inline
def take_up_owners(
    owners,
    drive,
    follows,
    weight,
    mass,
    motorised,
    rest,
    previous,
    q_previous,
    h,
    late,
    gravity,
    duration,
    stirs,
):
    """Bodies and colliders at the start of a frame of ``duration`` s; sleepers rest.

    follows (b,) and weight (b,), by which a body is held to its animation; mass (b,) kg; motorised
    (b,): kept awake; rest (b,) s; previous (b, 3) m and q_previous (b, 4): x* and q*, h s ago.
    ``late`` s is how much later than half a step ago velocities are wanted: time-corrected Verlet
    (Kenwright eq. 11) where the step changes, 0 otherwise. Colliders get the mean velocity of the
    frame, for what is looked for before they are driven.

    Writes stirs (o,), 1 for owners that are free to move or that are driven somewhere in this
    frame. Returns how many bodies sleep, and how many owners stir.
    """
    count = follows.shape[0]
    start_x, start_q = drive.start_position, drive.start_orientation
    end_x, end_q = drive.end_position, drive.end_orientation
    sleepers = 0
    for b in range(count):
        held = follows[b] == PASSIVE or (follows[b] == ANIMATED and weight[b] >= 0.5)
        asleep = rest[b] >= REST_TIME and not held and motorised[b] == 0
        owners.driven[b] = 1 if held else 0
        owners.asleep[b] = 1 if asleep else 0
        inverse_mass = 0.0 if held or asleep else 1.0 / mass[b]
        was, q_was = previous[b], q_previous[b]
        _take_up_body(owners, b, start_x[b], start_q[b], was, q_was, inverse_mass, h)
        for k in range(3):
            if asleep:
                owners.velocity[b, k] = 0.0
                owners.momentum[b, k] = 0.0
            elif not held:
                owners.velocity[b, k] += late * gravity[k]
        write_spin(owners, b)
        sleepers += owners.asleep[b]
    for o in range(count, start_x.shape[0]):
        for k in range(3):
            owners.position[o, k] = start_x[o, k]
            owners.velocity[o, k] = (end_x[o, k] - start_x[o, k]) / duration
        for k in range(4):
            owners.orientation[o, k] = start_q[o, k]
        write_inverse_inertia(owners, o)
        a, b = start_q[o], end_q[o]
        turn = product(b[0], b[1], b[2], b[3], a[0], -a[1], -a[2], -a[3])
        write_spin_of(owners, o, turn, duration)
    stirring = 0
    for o in range(owners.inverse_mass.shape[0]):
        moves = owners.inverse_mass[o] > 0.0
        if o < start_x.shape[0] and owners.driven[o] == 1:
            for k in range(3):
                moves |= start_x[o, k] != end_x[o, k]
            for k in range(4):
                moves |= start_q[o, k] != end_q[o, k]
        stirs[o] = 1.0 if moves else 0.0
        stirring += moves
    return sleepers, stirring


@lean_inline
def lay_down_bodies(owners, x, previous, q, q_previous, h):
    """Write x, x*, q and q* of all bodies: (x − x*)/h is v, the turn from q* to q is h J⁻¹ Rᵀ L."""
    for b in range(x.shape[0]):
        for k in range(3):
            x[b, k] = owners.position[b, k]
            previous[b, k] = x[b, k] - h * owners.velocity[b, k]
        for k in range(4):
            q[b, k] = owners.orientation[b, k]
        momentum, inertia = owners.momentum[b], owners.inertia[b]
        lx, ly, lz = unrotate(owners.rotation[b], momentum[0], momentum[1], momentum[2])
        w, i, j, k_ = turn_to_previous(lx / inertia[0], ly / inertia[1], lz / inertia[2], h)
        w, i, j, k_ = product(q[b, 0], q[b, 1], q[b, 2], q[b, 3], w, i, j, k_)
        w, i, j, k_ = normalised(w, i, j, k_)
        q_previous[b, 0] = w
        q_previous[b, 1] = i
        q_previous[b, 2] = j
        q_previous[b, 3] = k_


@lean_inline
def _first_lost_body(x, previous, q, q_previous, follows, limit):
    """First body that is not finite, or moves freely and did so by more than limit (m); or -1."""
    for b in range(x.shape[0]):
        moved = 0.0
        for k in range(3):
            moved += (x[b, k] - previous[b, k]) ** 2
        turn = 0.0
        for k in range(4):
            turn += q[b, k] + q_previous[b, k]
        most = limit * limit if follows[b] == ACTIVE else math.inf
        if not (moved <= most and moved < math.inf and abs(turn) < math.inf):  # also for NaN
            return b
    return -1


@lean_kernel
def take_up(
    owners,
    joints,
    limbs,
    drive,
    follows,
    weight,
    mass,
    motorised,
    rest,
    previous,
    q_previous,
    impulse,
    holds,
    step,
    h,
    gravity,
    duration,
    stirs,
):
    """Begin a frame of substeps of h s with a state that was laid down for ``step`` s.

    As `take_up_owners` and `take_up_joints`: returns how many bodies sleep, how many owners stir.
    """
    sleepers, stirring = take_up_owners(
        owners,
        drive,
        follows,
        weight,
        mass,
        motorised,
        rest,
        previous,
        q_previous,
        step,
        0.5 * (step - h),
        gravity,
        duration,
        stirs,
    )
    take_up_joints(joints, owners, follows.shape[0], impulse, holds, h)
    forget_responses(limbs)
    return sleepers, stirring


@lean_kernel
def lay_down(
    owners,
    joints,
    contacts,
    drive,
    holds,
    sleeps,
    load,
    wearer,
    radius,
    pull,
    h,
    duration,
    x,
    previous,
    q,
    q_previous,
    impulse,
    broken,
    rest,
    last_load,
    parent,
    waits,
    follows,
    limit,
):
    """End a frame: see who rests, and write what a state keeps of bodies and joints.

    As `find_rest`, `lay_down_bodies` and `lay_down_joints`. Returns the first body that is not
    finite, or moves freely and did so by more than limit m in a substep; or −1.
    """
    find_rest(
        owners,
        x.shape[0],
        drive,
        contacts,
        joints,
        holds,
        sleeps,
        load,
        last_load,
        wearer,
        radius,
        pull,
        duration,
        rest,
        parent,
        waits,
    )
    lay_down_bodies(owners, x, previous, q, q_previous, h)
    lay_down_joints(joints, impulse, broken, holds)
    return _first_lost_body(x, previous, q, q_previous, follows, limit)
