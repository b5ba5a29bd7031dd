"""How much a motor moves: the lighter side of its joint with all that hangs on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model.body_table import PASSIVE
from ...model.joint_table import NO_MOTOR
from ...vector import rotate, rotation_matrix

if TYPE_CHECKING:
    from ...arrays import Floats
    from ...model import Model


def moved_inertia(model: Model) -> Floats:
    """Mass (kg) or moment of inertia (kg·m²) that each joint's motor moves, (j,), as it starts.

    The moment is the mean one about the joint of all bodies beyond it, those of the two sides
    combined as two masses on a spring are. In a loop no more than the two bodies themselves count.
    """
    joints = model.joints
    inertia = np.zeros(len(joints))
    motors = np.flatnonzero(joints.motor != NO_MOTOR)
    if not len(motors):
        return inertia
    near: dict[int, list[tuple[int, int]]] = {}
    for j, (a, b) in enumerate(joints.owner.tolist()):
        near.setdefault(a, []).append((j, b))
        near.setdefault(b, []).append((j, a))
    for j in motors.tolist():
        sides = []
        for side in range(2):
            start, other = int(joints.owner[j, side]), int(joints.owner[j, 1 - side])
            beyond = _beyond(model, near, j, start, other)
            sides.append(_moment(model, j, beyond))
        inverse = sum(1.0 / side for side in sides)
        inertia[j] = 1.0 / inverse if inverse > 0.0 else 0.0
    return inertia


def _moves(model: Model, owner: int) -> bool:
    return owner < len(model.bodies) and model.bodies.follows[owner] != PASSIVE


def _beyond(
    model: Model, near: dict[int, list[tuple[int, int]]], joint: int, start: int, other: int
) -> list[int]:
    """Bodies on one side of a joint; the nearest alone where both sides are one."""
    if not _moves(model, start):
        return []
    members, seen = [start], {start}
    for member in members:
        for j, neighbour in near[member]:
            if j == joint or neighbour in seen:
                continue
            if neighbour == other:
                return [start]
            if not _moves(model, neighbour):
                return [start]
            seen.add(neighbour)
            members.append(neighbour)
    return members


def _moment(model: Model, j: int, members: list[int]) -> float:
    """Of bodies about joint j's anchor, or their mass for a slide; infinite for none."""
    joints, bodies = model.joints, model.bodies
    if not members:
        return np.inf
    if joints.motor_freedom[j] < 3:
        return float(bodies.mass[members].sum())
    first = members[0]
    side = 0 if joints.owner[j, 0] == first else 1
    turn = rotation_matrix(bodies.orientation[first])
    place = bodies.position[first] + rotate(turn, *joints.anchor[j, side])
    arm = ((bodies.position[members] - place) ** 2).sum(axis=1)
    # of a ball the mean over all axes is I + ⅔ m r²
    moment = bodies.inertia[members].mean(axis=1) + 2.0 / 3.0 * bodies.mass[members] * arm
    return float(moment.sum())
