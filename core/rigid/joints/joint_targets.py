"""What rows of joints ask for: speeds, softness, bounds of their impulses.

What the step before left undone is made good within one step, v = −C/h, as SHAKE does in position
Verlet (Ryckaert et al. 1977); the way of an anchor on its circle in that step, ½h² ω×(ω×r), is
foreseen. Joints that begin far apart close at `CLOSING_SPEED`. After the bodies have moved a pass
without that term sees to it that x* never learns of it.
"""

from __future__ import annotations

import math

from ...kernels.jit import inline, lean_inline
from ...model.joint_table import ALL_TURNS, NO_MOTOR, POINT, SPEED_MOTOR
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

    No farther than at `FORESEEN_TURN`: what turns more in a step goes elsewhere.
    """
    whole, arm = joints.whole, joints.hold[j]
    if whole[j, PLACE_FORM] != POINT:
        return
    x, y, z = 0.0, 0.0, 0.0
    for side in range(2):
        w = owners.spin[whole[j, OWNER + side]]
        r = ARM + 3 * side
        along = w[0] * arm[r] + w[1] * arm[r + 1] + w[2] * arm[r + 2]
        square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
        half = 0.5 * h / max(1.0, h * h * square / FORESEEN_TURN**2)
        if side == 0:
            half = -half
        x += half * (w[0] * along - arm[r] * square)
        y += half * (w[1] * along - arm[r + 1] * square)
        z += half * (w[2] * along - arm[r + 2] * square)
    row = whole[j, FIRST_ROW]
    joints.bound[row, FORESEEN] = x
    joints.bound[row + 1, FORESEEN] = y
    joints.bound[row + 2, FORESEEN] = z


@lean_inline
def foresee_again(joints, owners, h):
    """Ask for what the spin that was found does in the step, where it is not the one of before.

    A chain that is jerked taut stops links that were expected to turn on. Returns whether any
    joint would be apart by more than `FORESIGHT` of its bodies' size.
    """
    whole, bound = joints.whole, joints.bound
    most = 0.0
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0 or whole[j, PLACE_FORM] != POINT:
            continue
        row = whole[j, FIRST_ROW]
        x, y, z = bound[row, FORESEEN], bound[row + 1, FORESEEN], bound[row + 2, FORESEEN]
        _foresee(joints, owners, j, h)
        x -= bound[row, FORESEEN]
        y -= bound[row + 1, FORESEEN]
        z -= bound[row + 2, FORESEEN]
        bound[row, AIM] += x
        bound[row + 1, AIM] += y
        bound[row + 2, AIM] += z
        most = max(most, (abs(x) + abs(y) + abs(z)) * h / joints.number[j, CLOSES])
    return most > FORESIGHT


@lean_inline
def note_speeds(joints, owners, h):
    """What spin does in the step, and the speeds of before that springs want to know.

    Before anything accelerates or pushes: a remembered blow is not what bodies come with.
    """
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0:
            continue
        _foresee(joints, owners, j, h)
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            bound = joints.bound[row]
            if bound[STIFFNESS] > 0.0 or bound[DAMPING] > 0.0:
                bound[BEFORE] = row_speed(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1])


@lean_inline
def _ask_spring(joints, row, owners, p, q, h):
    """A spring with damper: F = −k C − c Ċ.

    Within the step C counts as (C₋ + 2 C + C₊)/4 and Ċ as the mean of before and after, which
    neither gains nor loses energy (Newmark, β = ¼). A spring too stiff for the step is taken
    at its end instead, which damps it.
    """
    bound = joints.bound[row]
    k, c = bound[STIFFNESS], bound[DAMPING]
    w = mobility(joints, row, owners, p, q)
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


@lean_inline
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


@lean_inline
def _ask_row(joints, j, row, owners, p, q, h, is_biased):
    """What a row that is not held asks for: DRIVE, SOFT and PULL of what drives it, LEAST, MOST."""
    bound = joints.bound[row]
    k = joints.flag[row, FREEDOM]
    closing = min(CLOSING_SPEED, joints.number[j, CLOSES] / h) if k < 3 else CLOSING_SPIN
    lower, upper = bound[VALUE] - bound[LOWER], bound[UPPER] - bound[VALUE]
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


@lean_inline
def bound_row(joints, row):
    """AIM, GIVE, LOW and HIGH in the mode of a row that is not held: speed, softness, bounds."""
    bound = joints.bound[row]
    mode = joints.flag[row, MODE]
    bound[GIVE] = 0.0
    bound[LOW] = -math.inf
    bound[HIGH] = math.inf
    if mode == DRIVEN:
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


@lean_inline
def ask_joint(joints, owners, j, h, is_biased, is_again):
    """What the rows of a joint ask for in the coming pass.

    is_again: not the first one of its kind in the step; rows that nothing drives ask for the same.
    """
    whole, bound = joints.whole, joints.bound
    p, q = whole[j, OWNER], whole[j, OWNER + 1]
    closing = min(CLOSING_SPEED, joints.number[j, CLOSES] / h)
    for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
        is_held = joints.flag[row, MODE] == HELD
        if is_again and (is_held or bound[row, PULL] == 0.0):
            continue
        if not is_held:
            _ask_row(joints, j, row, owners, p, q, h, is_biased)
            bound_row(joints, row)
        elif is_biased:
            most = closing if joints.flag[row, FREEDOM] < 3 else CLOSING_SPIN
            close = (bound[row, LOWER] - bound[row, VALUE]) / h
            bound[row, AIM] = min(max(close, -most), most) - bound[row, FORESEEN]
        else:
            bound[row, AIM] = 0.0


@lean_inline
def warm_joints(joints, owners, h):
    """Start from the impulses of the substep before, as far as the bounds of now allow."""
    whole, bound = joints.whole, joints.bound
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0:
            continue
        ask_joint(joints, owners, j, h, True, False)
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            impulse = min(max(bound[row, IMPULSE], bound[row, LOW]), bound[row, HIGH])
            bound[row, IMPULSE] = impulse
            joints.change[row] = impulse
        push_rows(joints, j, owners, joints.each, row_count(joints, j))


@lean_inline
def ask_joints(joints, owners, h):
    """What all joints ask for after the move: to keep still, not to close what is apart."""
    for j in range(joints.whole.shape[0] - 1):
        if joints.whole[j, LIVE] == 1:
            ask_joint(joints, owners, j, h, False, False)
