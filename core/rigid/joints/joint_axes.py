"""Where joints are: the axes of their rows, and how far each degree of freedom has moved."""

from __future__ import annotations

import math

from ...kernels.jit import inline, lean, lean_inline
from ...model.joint_table import ALL_TURNS, CONE, FREE, HINGE, LOCKED, POINT, POSE_MOTOR, ROPE
from ...rotation import normalised, product
from .joint_matrix import forget_matrices
from .joint_rows import (
    ACROSS,
    ANCHOR,
    ARM,
    ASIDE,
    AXIS,
    BROKEN,
    CROSS,
    FIRST_ROW,
    FRAME,
    FREEDOM,
    LINE,
    LIVE,
    LOWER,
    MOTOR,
    MOTOR_FREEDOM,
    OWNER,
    PLACE_FORM,
    POSE,
    TARGET,
    TURN_FORM,
    UPPER,
    VALUE,
    turn_row,
)

NEVER_STRAIGHT = 0.05
"""Least 1 + cos of a swing: twist means nothing where a joint is folded back on itself."""


@lean_inline
def _write_frame_axis(scratch, k, w, x, y, z, column):
    """Axis ``column`` of the frame (w, x, y, z) into row k."""
    if column == 0:
        scratch[k, 0] = 1.0 - 2.0 * (y * y + z * z)
        scratch[k, 1] = 2.0 * (x * y + w * z)
        scratch[k, 2] = 2.0 * (x * z - w * y)
    elif column == 1:
        scratch[k, 0] = 2.0 * (x * y - w * z)
        scratch[k, 1] = 1.0 - 2.0 * (x * x + z * z)
        scratch[k, 2] = 2.0 * (y * z + w * x)
    else:
        scratch[k, 0] = 2.0 * (x * z + w * y)
        scratch[k, 1] = 2.0 * (y * z - w * x)
        scratch[k, 2] = 1.0 - 2.0 * (x * x + y * y)


@inline
def _turn_vector(w, x, y, z):
    """Rotation vector of a unit quaternion, the short way round."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    f = 2.0 if size < 1e-12 else 2.0 * math.atan2(size, w) / size
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
def _write_place_axes(scratch, form, w, x, y, z, dx, dy, dz):
    """Axes and values of the three degrees of place; (w, x, y, z): the frame halfway."""
    if form == ROPE:
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        f = 1.0 / length if length > 1e-12 else 0.0
        scratch[0, 0], scratch[0, 1], scratch[0, 2] = f * dx, f * dy, f * dz
        scratch[0, 3] = length
        return
    for k in range(3):
        if form == POINT:
            for i in range(3):
                scratch[k, i] = 1.0 if i == k else 0.0
        else:
            _write_frame_axis(scratch, k, w, x, y, z, k)
        scratch[k, 3] = dx * scratch[k, 0] + dy * scratch[k, 1] + dz * scratch[k, 2]


@lean_inline
def _write_hinge(scratch, k, pw, px, py, pz, qw, qx, qy, qz):
    """A hinge about axis k of the frames p and q: two held rows and its angle."""
    a = 3 + (k + 1) % 3
    b = 3 + (k + 2) % 3
    c = 3 + k
    _write_frame_axis(scratch, a, pw, px, py, pz, k)
    _write_frame_axis(scratch, c, qw, qx, qy, qz, k)
    ux, uy, uz = scratch[a, 0], scratch[a, 1], scratch[a, 2]
    vx, vy, vz = scratch[c, 0], scratch[c, 1], scratch[c, 2]
    ex, ey, ez = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    mx, my, mz = ux + vx, uy + vy, uz + vz
    size = math.sqrt(mx * mx + my * my + mz * mz)
    if size > 1e-6:
        mx, my, mz = mx / size, my / size, mz / size
    else:  # turned right round: any way back is as good
        mx, my, mz = ux, uy, uz
        _write_frame_axis(scratch, a, pw, px, py, pz, (k + 1) % 3)
        ex, ey, ez = scratch[a, 0], scratch[a, 1], scratch[a, 2]
    scratch[c, 0], scratch[c, 1], scratch[c, 2] = mx, my, mz
    # an axis of p made square to the hinge, and the third one
    _write_frame_axis(scratch, a, pw, px, py, pz, (k + 1) % 3)
    dot = scratch[a, 0] * mx + scratch[a, 1] * my + scratch[a, 2] * mz
    sx, sy, sz = scratch[a, 0] - dot * mx, scratch[a, 1] - dot * my, scratch[a, 2] - dot * mz
    size = math.sqrt(sx * sx + sy * sy + sz * sz)
    if size < 1e-6:
        if abs(mx) < 0.57735:
            sx, sy, sz = 0.0, mz, -my
        else:
            sx, sy, sz = my, -mx, 0.0
        size = math.sqrt(sx * sx + sy * sy + sz * sz)
    sx, sy, sz = sx / size, sy / size, sz / size
    scratch[a, 0], scratch[a, 1], scratch[a, 2] = sx, sy, sz
    tx, ty, tz = my * sz - mz * sy, mz * sx - mx * sz, mx * sy - my * sx
    scratch[b, 0], scratch[b, 1], scratch[b, 2] = tx, ty, tz
    scratch[a, 3] = ex * sx + ey * sy + ez * sz
    scratch[b, 3] = ex * tx + ey * ty + ez * tz
    w, x, y, z = product(pw, -px, -py, -pz, qw, qx, qy, qz)
    along = x if k == 0 else (y if k == 1 else z)
    scratch[c, 3] = _half_turn(2.0 * math.atan2(along, w))


@lean_inline
def _write_cone(scratch, pw, px, py, pz, qw, qx, qy, qz):
    """Twist about X (row 3), swing of X (row 4), and the axis square to both (row 5).

    With u and v the X axes of p and q, the swing grows along u × v, and the twist of q = swing ·
    twist along (u + v)/(1 + u·v).
    """
    _write_frame_axis(scratch, 3, pw, px, py, pz, 0)
    _write_frame_axis(scratch, 4, qw, qx, qy, qz, 0)
    ux, uy, uz = scratch[3, 0], scratch[3, 1], scratch[3, 2]
    vx, vy, vz = scratch[4, 0], scratch[4, 1], scratch[4, 2]
    cosine = ux * vx + uy * vy + uz * vz
    sx, sy, sz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    sine = math.sqrt(sx * sx + sy * sy + sz * sz)
    scratch[4, 3] = math.atan2(sine, cosine)
    if sine > 1e-9:
        sx, sy, sz = sx / sine, sy / sine, sz / sine
    else:
        _write_frame_axis(scratch, 5, pw, px, py, pz, 1)
        sx, sy, sz = scratch[5, 0], scratch[5, 1], scratch[5, 2]
    f = 1.0 / max(1.0 + cosine, NEVER_STRAIGHT)
    mx, my, mz = f * (ux + vx), f * (uy + vy), f * (uz + vz)
    scratch[3, 0], scratch[3, 1], scratch[3, 2] = mx, my, mz
    scratch[4, 0], scratch[4, 1], scratch[4, 2] = sx, sy, sz
    cx, cy, cz = uy * sz - uz * sy, uz * sx - ux * sz, ux * sy - uy * sx
    scratch[5, 0], scratch[5, 1], scratch[5, 2] = cx, cy, cz
    scratch[5, 3] = 0.0
    w, x, _, _ = product(pw, -px, -py, -pz, qw, qx, qy, qz)
    scratch[3, 3] = _half_turn(2.0 * math.atan2(x, w))


@lean_inline
def _write_turn_axes(scratch, form, k, pw, px, py, pz, qw, qx, qy, qz, w, x, y, z):
    """Axes and values of the three degrees of turning of frame q from p; (w, …): halfway."""
    if form == HINGE:
        _write_hinge(scratch, k, pw, px, py, pz, qw, qx, qy, qz)
        return
    if form == CONE:
        _write_cone(scratch, pw, px, py, pz, qw, qx, qy, qz)
        return
    tw, tx, ty, tz = product(qw, qx, qy, qz, pw, -px, -py, -pz)
    vx, vy, vz = _turn_vector(tw, tx, ty, tz)
    for n in range(3):
        if form in (LOCKED, FREE):
            for i in range(3):
                scratch[3 + n, i] = 1.0 if i == n else 0.0
        else:
            _write_frame_axis(scratch, 3 + n, w, x, y, z, n)
        row = scratch[3 + n]
        row[3] = vx * row[0] + vy * row[1] + vz * row[2]


@lean_inline
def _write_arms(joints, owners, j):
    """Arms from both centres to the place halfway between the anchors; returns the way across."""
    whole, hold = joints.whole, joints.hold
    p, q = whole[j, OWNER], whole[j, OWNER + 1]
    for side in range(2):
        r = owners.rotation[whole[j, OWNER + side]]
        ax = hold[j, ANCHOR + 3 * side]
        ay = hold[j, ANCHOR + 3 * side + 1]
        az = hold[j, ANCHOR + 3 * side + 2]
        for k in range(3):
            hold[j, ARM + 3 * side + k] = r[k, 0] * ax + r[k, 1] * ay + r[k, 2] * az
    for k in range(3):
        across = owners.position[q, k] - owners.position[p, k]
        across += hold[j, ARM + 3 + k] - hold[j, ARM + k]
        hold[j, ACROSS + k] = across
        hold[j, ARM + k] += 0.5 * across
        hold[j, ARM + 3 + k] -= 0.5 * across


@lean
def aim_joints(joints, owners):
    """Axes, arms and values of all rows where the owners are now."""
    forget_matrices(joints)
    whole, hold, scratch = joints.whole, joints.hold, joints.scratch
    count = whole.shape[0] - 1
    for j in range(count):
        p, q = whole[j, OWNER], whole[j, OWNER + 1]
        whole[j, LIVE] = 0
        if whole[j, BROKEN] == 1 or owners.inverse_mass[p] + owners.inverse_mass[q] == 0.0:
            continue
        whole[j, LIVE] = 1
        _write_arms(joints, owners, j)
        place_form, turn_form = whole[j, PLACE_FORM], whole[j, TURN_FORM]
        if place_form == POINT and joints.flag[whole[j + 1, FIRST_ROW] - 1, FREEDOM] < 3:
            _aim_ball(joints, j, owners, p, q)
            continue
        f = hold[j]
        g = owners.orientation[p]
        pw, px, py, pz = product(
            g[0], g[1], g[2], g[3], f[FRAME], f[FRAME + 1], f[FRAME + 2], f[FRAME + 3]
        )
        g = owners.orientation[q]
        qw, qx, qy, qz = product(
            g[0], g[1], g[2], g[3], f[FRAME + 4], f[FRAME + 5], f[FRAME + 6], f[FRAME + 7]
        )
        if pw * qw + px * qx + py * qy + pz * qz < 0.0:
            qw, qx, qy, qz = -qw, -qx, -qy, -qz
        w, x, y, z = normalised(pw + qw, px + qx, py + qy, pz + qz)
        dx, dy, dz = f[ACROSS], f[ACROSS + 1], f[ACROSS + 2]
        _write_place_axes(scratch, place_form, w, x, y, z, dx, dy, dz)
        axis = whole[j, AXIS]
        _write_turn_axes(scratch, turn_form, axis, pw, px, py, pz, qw, qx, qy, qz, w, x, y, z)
        _write_aside(joints, j, pw, px, py, pz, qw, qx, qy, qz)
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            _write_row(joints, j, row, owners, p, q)


@lean_inline
def _aim_ball(joints, j, owners, p, q):
    """Three rows along the axes of the world, and none of turning."""
    arm, axis, first = joints.hold, joints.axis, joints.whole[j, FIRST_ROW]
    for k in range(3):
        row = first + k
        joints.bound[row, VALUE] = arm[j, ACROSS + k]
        for i in range(3):
            axis[row, LINE + i] = 1.0 if i == k else 0.0
    for side in range(2):
        r = ARM + 3 * side
        x, y, z = arm[j, r], arm[j, r + 1], arm[j, r + 2]
        a = CROSS + 3 * side
        axis[first, a], axis[first, a + 1], axis[first, a + 2] = 0.0, z, -y
        axis[first + 1, a], axis[first + 1, a + 1], axis[first + 1, a + 2] = -z, 0.0, x
        axis[first + 2, a], axis[first + 2, a + 1], axis[first + 2, a + 2] = y, -x, 0.0
    for row in range(first, first + 3):
        turn_row(joints, row, owners, p, q)


@lean_inline
def _write_aside(joints, j, pw, px, py, pz, qw, qx, qy, qz):
    """How far each degree of freedom is from what its pose motor aims at."""
    if joints.whole[j, MOTOR] != POSE_MOTOR:
        return
    scratch, number = joints.scratch, joints.number
    freedom = joints.whole[j, MOTOR_FREEDOM]
    if freedom != ALL_TURNS:
        aside = scratch[freedom, 3] - number[j, TARGET]
        scratch[freedom, 4] = aside if freedom < 3 else _half_turn(_half_turn(aside))
        return
    a, b, c, d = product(
        pw,
        px,
        py,
        pz,
        number[j, POSE],
        number[j, POSE + 1],
        number[j, POSE + 2],
        number[j, POSE + 3],
    )
    w, x, y, z = product(qw, qx, qy, qz, a, -b, -c, -d)
    vx, vy, vz = _turn_vector(w, x, y, z)
    for n in range(3, 6):
        scratch[n, 4] = vx * scratch[n, 0] + vy * scratch[n, 1] + vz * scratch[n, 2]


@lean_inline
def _write_row(joints, j, row, owners, p, q):
    """Line, torques and what they turn of one row, from its axis in the scratch."""
    arm, axis = joints.hold[j], joints.axis[row]
    k = joints.flag[row, FREEDOM]
    nx, ny, nz = joints.scratch[k, 0], joints.scratch[k, 1], joints.scratch[k, 2]
    value = joints.scratch[k, 3]
    lower, upper = joints.bound[row, LOWER], joints.bound[row, UPPER]
    if k >= 3 and -math.inf < lower < upper < math.inf:
        value = _half_turn(value - 0.5 * (lower + upper)) + 0.5 * (lower + upper)
    joints.bound[row, VALUE] = value
    joints.bound[row, ASIDE] = joints.scratch[k, 4]
    for side in range(2):
        a = CROSS + 3 * side
        if k < 3:
            rx, ry, rz = arm[ARM + 3 * side], arm[ARM + 3 * side + 1], arm[ARM + 3 * side + 2]
            axis[a] = ry * nz - rz * ny
            axis[a + 1] = rz * nx - rx * nz
            axis[a + 2] = rx * ny - ry * nx
        else:
            axis[a], axis[a + 1], axis[a + 2] = nx, ny, nz
    if k < 3:
        axis[LINE], axis[LINE + 1], axis[LINE + 2] = nx, ny, nz
    else:
        axis[LINE], axis[LINE + 1], axis[LINE + 2] = 0.0, 0.0, 0.0
    turn_row(joints, row, owners, p, q)
