"""What rows of joints ask for: speeds, softness, bounds of their impulses.

What the step before left undone is made good within one step, v = −C/h, as SHAKE does in position
Verlet (Ryckaert et al. 1977); the way of an anchor on its circle in that step, ½h² ω×(ω×r), is
foreseen. Joints that begin far apart close at `CLOSING_SPEED`. After the bodies have moved a pass
without that term sees to it that x* never learns of it.
"""

from __future__ import annotations

import math

from ...kernels.jit import lean_inline
from ...model.joint_table import ALL_TURNS, NO_MOTOR, POINT, SPEED_MOTOR
from ...vec3 import ZERO, along, dot, load, norm1, scale, sub
from .joint_rows import (
    AT_LOWER,
    AT_UPPER,
    DRIVEN,
    HELD,
    IDLE,
    mobility,
    push_rows,
    row_count,
    row_speed,
)

CLOSING_SPEED = 4.0
"""Fastest closing of a joint that is apart, m/s."""

CLOSING_SPIN = 16.0
"""The same for angles, rad/s."""


FORESEEN_TURN = 0.5
"""Largest turn in a step, rad, for which the way of an anchor is close to its second order."""

FORESIGHT = 0.01
"""Gap, as a share of the most that a joint closes in a step, for which joints are solved again."""


@lean_inline
def _foresee(joints, owners, j, h):
    """½ h n·(ω×(ω×r)) of the second anchor against the first, m/s, of each row of a point.

    No farther than at `FORESEEN_TURN`: what turns more in a step goes elsewhere. Returns what is
    other than foreseen before.
    """
    joint, arm = joints.joint[j], joints.place[j]["arm"]
    way = ZERO
    for side in range(2):
        w, r = load(owners.spin, joint["body"][side]), load(arm, side)
        square = dot(w, w)
        half = 0.5 * h / max(1.0, h * h * square / FORESEEN_TURN**2)
        if side == 0:
            half = -half
        way = along(way, half, along(scale(dot(w, r), w), -square, r))
    first, rows = joint["first_row"], joints.row
    before = rows[first]["foreseen"], rows[first + 1]["foreseen"], rows[first + 2]["foreseen"]
    rows[first]["foreseen"], rows[first + 1]["foreseen"], rows[first + 2]["foreseen"] = way
    return sub(before, way)


@lean_inline
def foresee_again(joints, owners, h):
    """Ask for what the spin that was found does in the step, where it is not the one of before.

    A chain that is jerked taut stops links that were expected to turn on. Returns whether any
    joint would be apart by more than `FORESIGHT` of its bodies' size.
    """
    most = 0.0
    for j in range(joints.place.shape[0]):
        joint = joints.joint[j]
        if joint["is_live"] == 0 or joint["place_form"] != POINT:
            continue
        first = joint["first_row"]
        aim = _foresee(joints, owners, j, h)
        joints.row[first]["aim"] += aim[0]
        joints.row[first + 1]["aim"] += aim[1]
        joints.row[first + 2]["aim"] += aim[2]
        most = max(most, norm1(aim) * h / joints.drive[j]["closing_way"])
    return most > FORESIGHT


@lean_inline
def note_speeds(joints, owners, h):
    """What spin does in the step, and the speeds of before that springs want to know.

    Before anything accelerates or pushes: a remembered blow is not what bodies come with.
    """
    for j in range(joints.place.shape[0]):
        joint = joints.joint[j]
        if joint["is_live"] == 0:
            continue
        if joint["place_form"] == POINT:
            _foresee(joints, owners, j, h)
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            row = joints.row[r]
            if row["stiffness"] > 0.0 or row["damping"] > 0.0:
                p, q = joint["body"][0], joint["body"][1]
                row["speed_before"] = row_speed(joints, r, owners, p, q)


@lean_inline
def _ask_spring(joints, r, owners, p, q, h):
    """A spring with damper: F = −k C − c Ċ.

    Within the step C counts as (C₋ + 2 C + C₊)/4 and Ċ as the mean of before and after, which
    neither gains nor loses energy (Newmark, β = ¼). A spring too stiff for the step is taken
    at its end instead, which damps it.
    """
    row = joints.row[r]
    k, c = row["stiffness"], row["damping"]
    w = mobility(joints, r, owners, p, q)
    a = h * k * row["value"]
    if h * h * k * w > 1.0:
        b = h * h * k
    else:
        a -= 0.25 * h * h * k * row["speed_before"]
        b = 0.25 * h * h * k
    if h * c * w > 1.0:
        b += h * c
    else:
        a += 0.5 * h * c * row["speed_before"]
        b += 0.5 * h * c
    row["drive_speed"] = -a / b if b > 0.0 else 0.0
    row["drive_softness"] = 1.0 / b if b > 0.0 else 0.0
    row["drive_limit"] = math.inf if b > 0.0 else 0.0


@lean_inline
def _ask_motor(joint, drive, row, h):
    """Motor or friction of a row: the speed it wants, how softly, and its largest impulse."""
    k = row["freedom"]
    driven = joint["motor_freedom"]
    row["drive_speed"], row["drive_softness"], row["drive_limit"] = 0.0, 0.0, 0.0
    if joint["motor"] != NO_MOTOR and (driven == k or (driven == ALL_TURNS and k >= 3)):
        row["drive_limit"] = drive["force"] * h * min(drive["strength"], 1.0)
        if joint["motor"] == SPEED_MOTOR:
            row["drive_speed"] = drive["speed"]
            return
        turn = 2.0 * math.pi * drive["frequency"] * h
        b = drive["inertia"] * drive["strength"] * (turn * turn + 2.0 * turn) / h
        if b * h > 0.0:
            # critically damped, at the end of the step (implicit)
            speed = -turn * turn / (turn * turn + 2.0 * turn) * row["motor_error"] / h
            row["drive_speed"] = speed
            row["drive_softness"] = 1.0 / (b * h)
        else:
            row["drive_limit"] = 0.0
    elif row["rubs"] == 1:
        row["drive_limit"] = drive["friction"] * h


@lean_inline
def _ask_row(joints, j, r, owners, p, q, h, is_biased):
    """What a row that is not held asks for: from what drives it, at its limits, and its mode."""
    row = joints.row[r]
    closing = CLOSING_SPIN
    if row["freedom"] < 3:
        closing = min(CLOSING_SPEED, joints.drive[j]["closing_way"] / h)
    lower, upper = row["value"] - row["lower"], row["upper"] - row["value"]
    if is_biased:
        if row["stiffness"] > 0.0 or row["damping"] > 0.0:
            _ask_spring(joints, r, owners, p, q, h)
        else:
            _ask_motor(joints.joint[j], joints.drive[j], row, h)
        row["least_speed"] = -lower / h
        row["most_speed"] = upper / h
        if lower < 0.0:
            row["least_speed"] = min(-lower / h, closing)
        if upper < 0.0:
            row["most_speed"] = max(upper / h, -closing)
    else:
        row["least_speed"] = -max(lower, 0.0) / h
        row["most_speed"] = max(upper, 0.0) / h
    limit = row["drive_limit"]
    mode = DRIVEN
    if limit == 0.0:
        mode = AT_LOWER if lower <= upper else AT_UPPER
        if lower == math.inf and upper == math.inf:
            mode = IDLE
    elif lower <= 0.0 or (lower < math.inf and row["impulse"] > limit):
        mode = AT_LOWER
    elif upper <= 0.0 or (upper < math.inf and row["impulse"] < -limit):
        mode = AT_UPPER
    row["mode"] = mode


@lean_inline
def _drive_at(row, speed):
    """Impulse of what drives a row when the row moves at ``speed``."""
    limit = row["drive_limit"]
    if limit == 0.0:
        return 0.0
    if row["drive_softness"] > 0.0:
        impulse = (row["drive_speed"] - speed) / row["drive_softness"]
        return min(max(impulse, -limit), limit)
    return limit if row["drive_speed"] > speed else -limit


@lean_inline
def bound_row(row):
    """Speed, softness and bounds of the impulse in the mode of a row that is not held."""
    mode = row["mode"]
    row["softness"] = 0.0
    row["low"] = -math.inf
    row["high"] = math.inf
    if mode == DRIVEN:
        row["aim"] = row["drive_speed"]
        row["softness"] = row["drive_softness"]
        row["low"] = -row["drive_limit"]
        row["high"] = row["drive_limit"]
    elif mode == AT_LOWER:
        row["aim"] = row["least_speed"]
        row["low"] = _drive_at(row, row["least_speed"])
    elif mode == AT_UPPER:
        row["aim"] = row["most_speed"]
        row["high"] = _drive_at(row, row["most_speed"])
    else:
        row["aim"] = 0.0
        row["low"] = 0.0
        row["high"] = 0.0


@lean_inline
def ask_joint(joints, owners, j, h, is_biased, is_again):
    """What the rows of a joint ask for in the coming pass.

    is_again: not the first one of its kind in the step; rows that nothing drives ask for the same.
    """
    joint = joints.joint[j]
    closing = min(CLOSING_SPEED, joints.drive[j]["closing_way"] / h)
    for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
        row = joints.row[r]
        is_held = row["mode"] == HELD
        if is_again and (is_held or row["drive_limit"] == 0.0):
            continue
        if not is_held:
            _ask_row(joints, j, r, owners, joint["body"][0], joint["body"][1], h, is_biased)
            bound_row(row)
        elif is_biased:
            most = closing if row["freedom"] < 3 else CLOSING_SPIN
            close = (row["lower"] - row["value"]) / h
            row["aim"] = min(max(close, -most), most) - row["foreseen"]
        else:
            row["aim"] = 0.0


@lean_inline
def warm_joints(joints, owners, h):
    """Start from the impulses of the substep before, as far as the bounds of now allow."""
    for j in range(joints.place.shape[0]):
        joint = joints.joint[j]
        if joint["is_live"] == 0:
            continue
        ask_joint(joints, owners, j, h, True, False)
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            row = joints.row[r]
            row["impulse"] = min(max(row["impulse"], row["low"]), row["high"])
            joints.change[r] = row["impulse"]
        push_rows(joints, j, owners, joints.each, row_count(joints, j))


@lean_inline
def ask_joints(joints, owners, h):
    """What all joints ask for after the move: to keep still, not to close what is apart."""
    for j in range(joints.place.shape[0]):
        if joints.joint[j]["is_live"] == 1:
            ask_joint(joints, owners, j, h, False, False)
