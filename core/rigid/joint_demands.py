"""What rows of joints ask for: speeds, softness, bounds of their impulses.

What the step before left undone is made good within one step, v = −C/h, as SHAKE does in position
Verlet (Ryckaert et al. 1977); the way of an anchor on its circle in that step, ½h² ω×(ω×r), is
foreseen. Joints that begin far apart close at `CLOSING_SPEED`. After the bodies have moved a pass
without that term sees to it that x* never learns of it.
"""

from __future__ import annotations

import math

from ..jit import inline, lean
from .joint_rows import (
    AIM,
    ARM,
    ASIDE,
    AT_LOWER,
    AT_UPPER,
    BEFORE,
    CLOSES,
    DAMPING,
    DRIVE,
    DRIVEN,
    FIRST_ROW,
    FORCE,
    FORESEEN,
    FREEDOM,
    FREQUENCY,
    FRICTION,
    GIVE,
    HELD,
    HIGH,
    IDLE,
    IMPULSE,
    INERTIA,
    LEAST,
    LIVE,
    LOW,
    LOWER,
    MODE,
    MOST,
    MOTOR,
    MOTOR_FREEDOM,
    OWNER,
    PLACE_FORM,
    PULL,
    RUBS,
    SOFT,
    SPEED,
    STIFFNESS,
    STRENGTH,
    UPPER,
    VALUE,
    push_row,
    row_speed,
)
from .joint_table import ALL_TURNS, NO_MOTOR, POINT, SPEED_MOTOR

CLOSING_SPEED = 4.0
"""Fastest closing of a joint that is apart, m/s."""

CLOSING_SPIN = 16.0
"""The same for angles, rad/s."""


@lean
def note_speeds(joints, owners):
    """Speed of the step before, which springs want to know; before anything accelerates."""
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0:
            continue
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            bound = joints.bound[row]
            if bound[STIFFNESS] > 0.0 or bound[DAMPING] > 0.0:
                bound[BEFORE] = row_speed(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1])


@lean
def _mobility(joints, row, owners, p, q):
    """J M⁻¹ Jᵀ of one row."""
    a = joints.axis[row]
    total = 0.0
    for k in range(3):
        total += (owners.inverse_mass[p] + owners.inverse_mass[q]) * a[k] * a[k]
        total += a[3 + k] * a[9 + k] + a[6 + k] * a[12 + k]
    return total


@lean
def _ask_spring(joints, row, owners, p, q, h):
    """A spring with damper: F = −k C − c Ċ.

    Within the step C counts as (C₋ + 2 C + C₊)/4 and Ċ as the mean of before and after, which
    neither gains nor loses energy (Newmark, β = ¼). A spring too stiff for the step is taken
    at its end instead, which damps it.
    """
    bound = joints.bound[row]
    k, c = bound[STIFFNESS], bound[DAMPING]
    w = _mobility(joints, row, owners, p, q)
    a = h * k * bound[VALUE]
    if h * h * k * w > 1.0:
        b = h * h * k
    else:
        a -= 0.25 * h * h * k * bound[BEFORE]
        b = 0.25 * h * h * k
    if h * c * w > 1.0:
        b += h * c
    else:
        a += 0.5 * h * c * bound[BEFORE]
        b += 0.5 * h * c
    bound[DRIVE] = -a / b if b > 0.0 else 0.0
    bound[SOFT] = 1.0 / b if b > 0.0 else 0.0
    bound[PULL] = math.inf if b > 0.0 else 0.0


@lean
def _ask_motor(joints, j, row, h):
    """Motor or friction of a row: the speed it wants, how softly, and its largest impulse."""
    whole, number, bound = joints.whole[j], joints.number[j], joints.bound[row]
    k = joints.flag[row, FREEDOM]
    freedom = whole[MOTOR_FREEDOM]
    bound[DRIVE], bound[SOFT], bound[PULL] = 0.0, 0.0, 0.0
    if whole[MOTOR] != NO_MOTOR and (freedom == k or (freedom == ALL_TURNS and k >= 3)):
        bound[PULL] = number[FORCE] * h * min(number[STRENGTH], 1.0)
        if whole[MOTOR] == SPEED_MOTOR:
            bound[DRIVE] = number[SPEED]
            return
        turn = 2.0 * math.pi * number[FREQUENCY] * h
        b = number[INERTIA] * number[STRENGTH] * (turn * turn + 2.0 * turn) / h
        if b * h > 0.0:
            # critically damped, at the end of the step (implicit)
            bound[DRIVE] = -turn * turn / (turn * turn + 2.0 * turn) * bound[ASIDE] / h
            bound[SOFT] = 1.0 / (b * h)
        else:
            bound[PULL] = 0.0
    elif joints.flag[row, RUBS] == 1:
        bound[PULL] = number[FRICTION] * h


@lean
def _foreseen(joints, j, row, owners, p, q, h):
    """½ h n·(ω×(ω×r)) of the second anchor against the first, m/s.

    Of the spin that the bodies come with: what joints did in the last step may be a blow.
    """
    if joints.whole[j, PLACE_FORM] != POINT or joints.flag[row, FREEDOM] >= 3:
        return 0.0
    a, arm = joints.axis[row], joints.hold[j]
    total = 0.0
    for side in range(2):
        w = owners.spin[p if side == 0 else q]
        r = ARM + 3 * side
        along = w[0] * arm[r] + w[1] * arm[r + 1] + w[2] * arm[r + 2]
        square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
        sign = -1.0 if side == 0 else 1.0
        for k in range(3):
            total += sign * a[k] * (w[k] * along - arm[r + k] * square)
    most = min(CLOSING_SPEED, joints.number[j, CLOSES] / h)
    return min(max(0.5 * h * total, -most), most)


@lean
def _ask_row(joints, j, row, owners, p, q, h, is_biased):
    """What a row asks for in this pass: DRIVE, SOFT and PULL of what drives it, LEAST and MOST."""
    bound = joints.bound[row]
    k = joints.flag[row, FREEDOM]
    closing = min(CLOSING_SPEED, joints.number[j, CLOSES] / h) if k < 3 else CLOSING_SPIN
    lower, upper = bound[VALUE] - bound[LOWER], bound[UPPER] - bound[VALUE]
    if bound[LOWER] == bound[UPPER]:
        bound[LEAST] = 0.0
        if is_biased:
            bound[LEAST] = min(max(-lower / h, -closing), closing)
            bound[LEAST] -= bound[FORESEEN]
        joints.flag[row, MODE] = HELD
        return
    if is_biased:
        if bound[STIFFNESS] > 0.0 or bound[DAMPING] > 0.0:
            _ask_spring(joints, row, owners, p, q, h)
        else:
            _ask_motor(joints, j, row, h)
        bound[LEAST] = -lower / h
        bound[MOST] = upper / h
        if lower < 0.0:
            bound[LEAST] = min(-lower / h, closing)
        if upper < 0.0:
            bound[MOST] = max(upper / h, -closing)
    else:
        bound[LEAST] = -max(lower, 0.0) / h
        bound[MOST] = max(upper, 0.0) / h
    mode = DRIVEN
    if bound[PULL] == 0.0:
        mode = AT_LOWER if lower <= upper else AT_UPPER
        if lower == math.inf and upper == math.inf:
            mode = IDLE
    elif lower <= 0.0 or (lower < math.inf and bound[IMPULSE] > bound[PULL]):
        mode = AT_LOWER
    elif upper <= 0.0 or (upper < math.inf and bound[IMPULSE] < -bound[PULL]):
        mode = AT_UPPER
    joints.flag[row, MODE] = mode


@inline
def _drive_at(bound, speed):
    """Impulse of what drives a row when the row moves at ``speed``."""
    pull = bound[PULL]
    if pull == 0.0:
        return 0.0
    if bound[SOFT] > 0.0:
        return min(max((bound[DRIVE] - speed) / bound[SOFT], -pull), pull)
    return pull if bound[DRIVE] > speed else -pull


@lean
def bound_row(joints, row):
    """AIM, GIVE, LOW and HIGH of a row in its mode: speed, softness, and bounds of its impulse."""
    bound = joints.bound[row]
    mode = joints.flag[row, MODE]
    bound[GIVE] = 0.0
    bound[LOW] = -math.inf
    bound[HIGH] = math.inf
    if mode == HELD:
        bound[AIM] = bound[LEAST]
    elif mode == DRIVEN:
        bound[AIM] = bound[DRIVE]
        bound[GIVE] = bound[SOFT]
        bound[LOW] = -bound[PULL]
        bound[HIGH] = bound[PULL]
    elif mode == AT_LOWER:
        bound[AIM] = bound[LEAST]
        bound[LOW] = _drive_at(bound, bound[LEAST])
    elif mode == AT_UPPER:
        bound[AIM] = bound[MOST]
        bound[HIGH] = _drive_at(bound, bound[MOST])
    else:
        bound[AIM] = 0.0
        bound[LOW] = 0.0
        bound[HIGH] = 0.0


@lean
def ask_joints(joints, owners, h, is_biased):
    """What all rows ask for in the coming pass."""
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0:
            continue
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            _ask_row(joints, j, row, owners, whole[j, OWNER], whole[j, OWNER + 1], h, is_biased)
            bound_row(joints, row)


@lean
def warm_joints(joints, owners, h):
    """Start from the impulses of the substep before, as far as the bounds of now allow."""
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0:
            continue
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            joints.bound[row, FORESEEN] = _foreseen(
                joints, j, row, owners, whole[j, OWNER], whole[j, OWNER + 1], h
            )
    ask_joints(joints, owners, h, True)
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0:
            continue
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            bound = joints.bound[row]
            bound[IMPULSE] = min(max(bound[IMPULSE], bound[LOW]), bound[HIGH])
            if bound[IMPULSE] != 0.0:
                push_row(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1], bound[IMPULSE])
