"""Owners at both ends of a frame: a state keeps x, x*, q and q* of bodies, and nothing else."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import TYPE_CHECKING

from ..collision.broad_phase import FREE, STILL
from ..kernels.jit import kernel, lean_inline
from ..model.body_table import ACTIVE, ANIMATED, PASSIVE
from ..rotation import (
    conjugate,
    normalised,
    product,
    quaternion,
    set_quaternion,
    spin_of_turn,
    turn_to_previous,
)
from ..vec3 import (
    along,
    divide,
    divide_each,
    dot,
    load,
    rotate,
    shift,
    store,
    sub,
    times_each,
    unrotate,
    vec,
)
from .articulation.articulated_inertia import forget_responses
from .joints.joint_state import load_joint_state, store_joint_state
from .owners import AWAKE, RESTING, write_inverse_inertia, write_own_spin, write_spin, write_spin_of
from .sleep.falling_asleep import find_rest
from .sleep.sleepers import UNDISTURBED
from .sleep.stillness import REST_TIME

if TYPE_CHECKING:
    from ..model import State


BodyState = namedtuple(
    "BodyState",
    [
        "position",  # (b, 3) m, x
        "previous",  # (b, 3) m, x*
        "orientation",  # (b, 4), q
        "previous_orientation",  # (b, 4), q*
        "rest",  # (b,) s
        "load",  # (b, 3) m/s²
        "joint_impulse",  # (j, 6) N·s and N·m·s
        "joint_broken",  # (j,)
        "remembered",  # (c,) REMEMBERED_CONTACT
    ],
)
"""What a `State` keeps of bodies and joints."""


def body_state(state: State) -> BodyState:
    """The arrays of a state, to be written to."""
    return BodyState(
        state.body_position,
        state.body_previous,
        state.body_orientation,
        state.body_previous_orientation,
        state.body_rest,
        state.body_load,
        state.joints.impulse,
        state.joints.broken,
        state.contacts.remembered,
    )


@lean_inline
def _load_body(owners, b, x, q, previous, q_previous, inverse_mass, h):
    """A body from its place (3,) m and rotation (4,) and the last ones, h s before."""
    store(owners.position, b, vec(x))
    store(owners.velocity, b, divide(sub(vec(x), vec(previous)), h))
    now = quaternion(q)
    set_quaternion(owners.orientation[b], now)
    owners.inverse_mass[b] = inverse_mass
    owners.extra_inertia[b] = 0.0
    write_inverse_inertia(owners, b)
    spin = spin_of_turn(product(conjugate(quaternion(q_previous)), now), h)
    momentum = times_each(load(owners.inertia, b), spin)
    store(owners.momentum, b, rotate(owners.rotation[b], momentum))


@lean_inline
def _load_bodies(owners, drive, sleep, state, step, late):
    """Bodies at the start of a frame, as a state laid them down for ``step`` s.

    ``late`` s is how much later than half a step ago velocities are wanted: time-corrected Verlet
    (Kenwright eq. 11) where the step changes, 0 otherwise. Returns how many bodies sleep.
    """
    sleepers = 0
    for b in range(sleep.sleeper.shape[0]):
        sleeper = sleep.sleeper[b]
        sleeper["wake"], sleeper["wake_impulse"] = UNDISTURBED, 0.0
        follows = sleeper["follows"]
        held = follows == PASSIVE or (follows == ANIMATED and sleeper["follow_weight"] >= 0.5)
        asleep = state.rest[b] >= REST_TIME and not held and sleeper["is_kept_awake"] == 0
        owners.driven[b] = 1 if held else 0
        owners.asleep[b] = RESTING if asleep else AWAKE
        inverse_mass = 0.0 if held or asleep else 1.0 / owners.mass[b]
        x, q = drive.start_position[b], drive.start_orientation[b]
        was, q_was = state.previous[b], state.previous_orientation[b]
        _load_body(owners, b, x, q, was, q_was, inverse_mass, step)
        if not (asleep or held):
            shift(owners.velocity, b, late, vec(sleep.gravity))
        if asleep:
            write_own_spin(owners, b)  # that of what carried it
        else:
            write_spin(owners, b)
        sleepers += owners.asleep[b]
    return sleepers


@lean_inline
def _load_colliders(owners, drive, first):
    """Colliders with the mean velocity of the frame, for what is looked for before they move."""
    start_x, start_q = drive.start_position, drive.start_orientation
    for o in range(first, start_x.shape[0]):
        store(owners.position, o, load(start_x, o))
        travel = sub(load(drive.end_position, o), load(start_x, o))
        store(owners.velocity, o, divide(travel, drive.duration))
        set_quaternion(owners.orientation[o], quaternion(start_q[o]))
        write_inverse_inertia(owners, o)
        turn = product(quaternion(drive.end_orientation[o]), conjugate(quaternion(start_q[o])))
        write_spin_of(owners, o, turn, drive.duration)


@lean_inline
def _find_moving(owners, drive, motion):
    """Write `FREE` for what is free to move or driven somewhere in this frame; how many are."""
    start_x, start_q = drive.start_position, drive.start_orientation
    count = 0
    for o in range(owners.inverse_mass.shape[0]):
        moves = owners.inverse_mass[o] > 0.0
        if o < start_x.shape[0] and owners.driven[o] == 1:
            moves |= load(start_x, o) != load(drive.end_position, o)
            moves |= quaternion(start_q[o]) != quaternion(drive.end_orientation[o])
        motion[o] = FREE if moves else STILL
        count += moves
    return count


@lean_inline
def store_bodies(owners, state, h):
    """Write x, x*, q and q* of all bodies: (x − x*)/h is v, the turn from q* to q is h J⁻¹ Rᵀ L."""
    for b in range(state.position.shape[0]):
        place, orientation = load(owners.position, b), quaternion(owners.orientation[b])
        store(state.position, b, place)
        store(state.previous, b, along(place, -h, load(owners.velocity, b)))
        set_quaternion(state.orientation[b], orientation)
        momentum = unrotate(owners.rotation[b], load(owners.momentum, b))
        back = turn_to_previous(divide_each(momentum, load(owners.inertia, b)), h)
        set_quaternion(state.previous_orientation[b], normalised(product(orientation, back)))


@lean_inline
def _first_lost_body(sleep, state, limit):
    """First body that is not finite, or moves freely and did so by more than limit (m); or -1."""
    x, previous = state.position, state.previous
    q, q_previous = state.orientation, state.previous_orientation
    for b in range(x.shape[0]):
        way = sub(load(x, b), load(previous, b))
        moved = dot(way, way)
        turn = 0.0
        for k in range(4):
            turn += q[b, k] + q_previous[b, k]
        most = limit * limit if sleep.sleeper[b]["follows"] == ACTIVE else math.inf
        if not (moved <= most and moved < math.inf and abs(turn) < math.inf):  # also for NaN
            return b
    return -1


@kernel
def load_state(owners, joints, limbs, drive, sleep, state, step, h):
    """Begin a frame of substeps of h s with a state that was laid down for ``step`` s.

    Returns how many bodies sleep, and how many owners move; how in `sleep.motion`.
    """
    sleepers = _load_bodies(owners, drive, sleep, state, step, 0.5 * (step - h))
    _load_colliders(owners, drive, sleep.sleeper.shape[0])
    moving = _find_moving(owners, drive, sleep.motion)
    load_joint_state(joints, owners, sleep, state, h)
    forget_responses(limbs)
    return sleepers, moving


@kernel
def store_state(owners, joints, contacts, drive, sleep, state, h, limit):
    """End a frame: see who rests, and write what a state keeps of bodies and joints.

    Returns the first body that is not finite, or moves freely and did so by more than limit m in a
    substep; or −1.
    """
    find_rest(sleep, owners, joints, contacts, drive, state)
    store_bodies(owners, state, h)
    store_joint_state(joints, sleep, state)
    return _first_lost_body(sleep, state, limit)
