"""Where joints are: the axes of their rows, and how far each degree of freedom has moved."""

from __future__ import annotations

import math

from ...elementary import atan2
from ...kernels.jit import inline, lean, lean_inline
from ...model.joint_table import (
    ALL_TURNS,
    CONE_TURN,
    FREE_TURN,
    HINGE_TURN,
    LOCKED_TURN,
    POINT,
    POSE_MOTOR,
    ROPE,
)
from ...rotation import conjugate, normalised, product, quaternion
from ...vec3 import (
    ZERO,
    add,
    along,
    between,
    cross,
    divide,
    dot,
    length,
    load,
    rotate,
    scale,
    set_vec,
    store,
    sub,
    unit,
    vec,
)
from .joint_matrix import forget_matrices
from .joint_rows import turn_row

NEVER_STRAIGHT = 0.05
"""Least 1 + cos of a swing: twist means nothing where a joint is folded back on itself."""

SAME_WAY = 1e-6
"""Sum of two unit vectors below which they are opposed."""


@lean_inline
def _frame_axis(q, n):
    """Axis n of the frame q."""
    w, x, y, z = q
    if n == 0:
        return 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)
    if n == 1:
        return 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)
    return 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)


@lean_inline
def _turn_vector(q):
    """Rotation vector of a unit quaternion, the short way round."""
    w, x, y, z = q
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    f = 2.0 if size < 1e-12 else 2.0 * atan2(size, w) / size
    return f * x, f * y, f * z


@inline
def _half_turn(angle):
    """The same angle between −π and π."""
    if angle > math.pi:
        return angle - 2.0 * math.pi
    if angle <= -math.pi:
        return angle + 2.0 * math.pi
    return angle


@lean_inline
def _write_place_axes(freedom, form, middle, gap):
    """Axes and values of the three degrees of place; middle: the frame halfway."""
    if form == ROPE:
        size = length(gap)
        set_vec(freedom[0]["axis"], scale(1.0 / size if size > 1e-12 else 0.0, gap))
        freedom[0]["value"] = size
        return
    for k in range(3):
        axis = unit(k) if form == POINT else _frame_axis(middle, k)
        set_vec(freedom[k]["axis"], axis)
        freedom[k]["value"] = dot(gap, axis)


@lean_inline
def _square_to(axis, m):
    """The unit vector along what of an axis is square to the unit vector m."""
    s = along(axis, -dot(axis, m), m)
    size = length(s)
    if size < 1e-6:
        s = (0.0, m[2], -m[1]) if abs(m[0]) < 0.57735 else (m[1], -m[0], 0.0)
        size = length(s)
    return divide(s, size)


@lean_inline
def _write_hinge(freedom, n, p, q):
    """A hinge about axis n of the frames p and q: two held rows and its angle."""
    a, b, c = 3 + (n + 1) % 3, 3 + (n + 2) % 3, 3 + n
    u, v = _frame_axis(p, n), _frame_axis(q, n)
    error = cross(u, v)
    m = add(u, v)
    size = length(m)
    if size > SAME_WAY:
        m = divide(m, size)
    else:  # turned right round: any way back is as good
        m = u
        error = _frame_axis(p, (n + 1) % 3)
    # an axis of p made square to the hinge, and the third one
    s = _square_to(_frame_axis(p, (n + 1) % 3), m)
    t = cross(m, s)
    set_vec(freedom[a]["axis"], s)
    set_vec(freedom[b]["axis"], t)
    set_vec(freedom[c]["axis"], m)
    freedom[a]["value"] = dot(error, s)
    freedom[b]["value"] = dot(error, t)
    w, x, y, z = product(conjugate(p), q)
    freedom[c]["value"] = _half_turn(2.0 * atan2(x if n == 0 else (y if n == 1 else z), w))


@lean_inline
def _write_cone(freedom, p, q):
    """Twist about X (row 3), swing of X (row 4), and the axis square to both (row 5).

    With u and v the X axes of p and q, the swing grows along u × v, and the twist of q = swing ·
    twist along (u + v)/(1 + u·v).
    """
    u, v = _frame_axis(p, 0), _frame_axis(q, 0)
    cosine = dot(u, v)
    swing = cross(u, v)
    sine = length(swing)
    swing = divide(swing, sine) if sine > 1e-9 else _frame_axis(p, 1)
    twist = scale(1.0 / max(1.0 + cosine, NEVER_STRAIGHT), add(u, v))
    set_vec(freedom[3]["axis"], twist)
    set_vec(freedom[4]["axis"], swing)
    set_vec(freedom[5]["axis"], cross(u, swing))
    w, x, _, _ = product(conjugate(p), q)
    freedom[3]["value"] = _half_turn(2.0 * atan2(x, w))
    freedom[4]["value"] = atan2(sine, cosine)
    freedom[5]["value"] = 0.0


@lean_inline
def _write_turn_axes(freedom, joint, p, q, middle):
    """Axes and values of the three degrees of turning of frame q from p; middle: halfway."""
    form = joint["turn_form"]
    if form == HINGE_TURN:
        _write_hinge(freedom, joint["hinge_axis"], p, q)
        return
    if form == CONE_TURN:
        _write_cone(freedom, p, q)
        return
    turn = _turn_vector(product(q, conjugate(p)))
    for n in range(3):
        axis = unit(n) if form in (LOCKED_TURN, FREE_TURN) else _frame_axis(middle, n)
        set_vec(freedom[3 + n]["axis"], axis)
        freedom[3 + n]["value"] = dot(turn, axis)


@lean_inline
def _write_arms(place, owners, p, q):
    """Arms from both centres to the place halfway between the anchors, and the gap of these."""
    arm_p = rotate(owners.rotation[p], load(place["anchor"], 0))
    arm_q = rotate(owners.rotation[q], load(place["anchor"], 1))
    gap = add(between(owners.position, p, q), sub(arm_q, arm_p))
    set_vec(place["gap"], gap)
    store(place["arm"], 0, along(arm_p, 0.5, gap))
    store(place["arm"], 1, along(arm_q, -0.5, gap))


@lean
def aim_joints(joints, owners):
    """Axes, arms and values of all rows where the bodies are now."""
    forget_matrices(joints)
    for j in range(joints.place.shape[0]):
        joint, place = joints.joint[j], joints.place[j]
        p, q = joint["body"][0], joint["body"][1]
        joint["is_live"] = 0
        if joint["is_broken"] == 1 or owners.inverse_mass[p] + owners.inverse_mass[q] == 0.0:
            continue
        joint["is_live"] = 1
        _write_arms(place, owners, p, q)
        first, last = joint["first_row"], joints.joint[j + 1]["first_row"]
        if joint["place_form"] == POINT and joints.row[last - 1]["freedom"] < 3:
            _aim_ball(joints, j, owners, p, q)
            continue
        frame = place["frame"]
        frame_p = product(quaternion(owners.orientation[p]), quaternion(frame[0]))
        frame_q = product(quaternion(owners.orientation[q]), quaternion(frame[1]))
        pw, px, py, pz = frame_p
        qw, qx, qy, qz = frame_q
        if pw * qw + px * qx + py * qy + pz * qz < 0.0:
            qw, qx, qy, qz = -qw, -qx, -qy, -qz
            frame_q = (qw, qx, qy, qz)
        middle = normalised((pw + qw, px + qx, py + qy, pz + qz))
        _write_place_axes(joints.freedom, joint["place_form"], middle, vec(place["gap"]))
        _write_turn_axes(joints.freedom, joint, frame_p, frame_q, middle)
        _write_motor_errors(joints, j, frame_p, frame_q)
        for r in range(first, last):
            _write_row(joints, r, place)
            turn_row(joints, r, owners, p, q)


@lean_inline
def _aim_ball(joints, j, owners, p, q):
    """Three rows along the axes of the world, and none of turning."""
    place, first = joints.place[j], joints.joint[j]["first_row"]
    for k in range(3):
        axis = joints.axis[first + k]
        joints.row[first + k]["value"] = place["gap"][k]
        set_vec(axis["line"], unit(k))
        for side in range(2):
            x, y, z = load(place["arm"], side)
            if k == 0:
                store(axis["torque"], side, (0.0, z, -y))
            elif k == 1:
                store(axis["torque"], side, (-z, 0.0, x))
            else:
                store(axis["torque"], side, (y, -x, 0.0))
        turn_row(joints, first + k, owners, p, q)


@lean_inline
def _write_motor_errors(joints, j, p, q):
    """How far each degree of freedom is from what its pose motor aims at, in frames p and q."""
    joint, drive, freedom = joints.joint[j], joints.drive[j], joints.freedom
    if joint["motor"] != POSE_MOTOR:
        return
    driven = joint["motor_freedom"]
    if driven != ALL_TURNS:
        error = freedom[driven]["value"] - drive["target"]
        freedom[driven]["motor_error"] = error if driven < 3 else _half_turn(_half_turn(error))
        return
    target = product(p, quaternion(drive["pose"]))
    turn = _turn_vector(product(q, conjugate(target)))
    for n in range(3, 6):
        freedom[n]["motor_error"] = dot(turn, vec(freedom[n]["axis"]))


@lean_inline
def _write_row(joints, r, place):
    """Line, torques and value of one row, from its degree of freedom."""
    axis, row = joints.axis[r], joints.row[r]
    k = row["freedom"]
    freedom = joints.freedom[k]
    n, value = vec(freedom["axis"]), freedom["value"]
    lower, upper = row["lower"], row["upper"]
    if k >= 3 and -math.inf < lower < upper < math.inf:
        value = _half_turn(value - 0.5 * (lower + upper)) + 0.5 * (lower + upper)
    row["value"] = value
    row["motor_error"] = freedom["motor_error"]
    for side in range(2):
        store(axis["torque"], side, cross(load(place["arm"], side), n) if k < 3 else n)
    set_vec(axis["line"], n if k < 3 else ZERO)
