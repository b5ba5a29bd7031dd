"""Joints as rows of a solver: where they are, what they ask for, what they remember.

One row a degree of freedom that something acts on, with the line of its force and the axes of its
torques. Both owners of a joint get their impulse at one place of the world, halfway between the two
anchors, along axes halfway between the two frames, so momenta are kept but for rounding; seen from
there the rate of d·axis, d the way from one anchor to the other, is that of the places alone.

What the step before left undone is made good within one step, v = −C/h, as SHAKE does in position
Verlet (Ryckaert et al. 1977); the way of an anchor on its circle in that step, ½h² ω×(ω×r), is
foreseen. Joints that begin far apart close at `CLOSING_SPEED`. After the bodies have moved a pass
without that term sees to it that x* never learns of it.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..jit import inline, kernel, lean
from .joint_graph import joint_graph
from .joint_inertia import moved_inertia
from .joint_table import (
    ALL_TURNS,
    CONE,
    FREE,
    HINGE,
    LOCKED,
    NO_MOTOR,
    POINT,
    POSE_MOTOR,
    ROPE,
    SPEED_MOTOR,
)
from .rotation import normalised, product

if TYPE_CHECKING:
    from ..model import Model

CLOSING_SPEED = 4.0
"""Fastest closing of a joint that is apart, m/s."""

CLOSING_SPIN = 16.0
"""The same for angles, rad/s."""

NEVER_STRAIGHT = 0.05
"""Least 1 + cos of a swing: twist means nothing where a joint is folded back on itself."""

# modes of a row: what acts on it now
HELD, DRIVEN, AT_LOWER, AT_UPPER, IDLE = range(5)

# columns of `whole`
OWNER, PLACE_FORM, TURN_FORM, AXIS, MOTOR, MOTOR_FREEDOM, BROKEN, LIVE, FIRST_ROW = (
    0,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
)

# columns of `hold`: anchors (2, 3), frames (2, 4), arms from the centres (2, 3) in the world, and
# the way from the first anchor to the second
ANCHOR, FRAME, ARM, ACROSS = 0, 6, 14, 20

# columns of `number`
INERTIA, SPEED, TARGET, FREQUENCY, FORCE, STRENGTH, POSE, FRICTION, STRONG, LOAD, LOADED = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    10,
    11,
    12,
    15,
)

# columns of `axis`: line of force, axes of torque (2, 3), I⁻¹ of those (2, 3)
LINE, CROSS, TURN = 0, 3, 9

# columns of `bound`
LOWER, UPPER, STIFFNESS, DAMPING, VALUE, ASIDE, BEFORE = range(7)
DRIVE, SOFT, PULL, LEAST, MOST = range(7, 12)
AIM, GIVE, LOW, HIGH, IMPULSE, CHANGE, FORESEEN = range(12, 19)

# columns of `flag`
FREEDOM, RUBS, MODE, ACTIVE = range(4)

JointRows = namedtuple(
    "JointRows",
    [
        "whole",  # (j + 1, 10) owners, forms, axis, motor, broken, live, first row
        "hold",  # (j, 23) m: anchors and frames in their owners, arms in the world
        "number",  # (j, 16) of motors, friction, breaking; sum of impulses since LOADED substeps
        "axis",  # (r, 15) line of force, axes of torque, what those turn
        "bound",  # (r, 19) limits, springs, place and speed; what is asked for; impulse
        "flag",  # (r, 4) degree of freedom, mode, whether it is being solved
        "stiff",  # (o, 2) h² K of each owner's joints, and what it adds to its inertia
        "place",  # (j + 1, 3) joint, first block and first update by order of elimination
        "component",  # (c + 1, 3) first place, first pull, 1: has rows that may let go
        "block",  # (n + 1, 2) joint of its rows, first value
        "update",  # (u, 3) see joint_graph
        "pull",  # (p, 5)
        "value",  # (…) of all blocks
        "scratch",  # (6, 5) axis, value and motor's error of each degree of freedom
    ],
)


def joint_room(model: Model) -> JointRows:
    """Rows of all joints of a model; a frame says what is broken and what motors aim at."""
    joints, graph = model.joints, joint_graph(model)
    count, row_count = len(joints), len(graph.freedom)
    whole = np.zeros((count + 1, 10), dtype=np.int32)
    hold = np.zeros((count, 23))
    number = np.zeros((count, 16))
    whole[:count, OWNER : OWNER + 2] = joints.owner
    for column, numbers in (
        (PLACE_FORM, joints.place_form),
        (TURN_FORM, joints.turn_form),
        (AXIS, joints.axis),
        (MOTOR, joints.motor),
        (MOTOR_FREEDOM, joints.motor_freedom),
    ):
        whole[:count, column] = numbers
    whole[:, FIRST_ROW] = graph.first_row
    hold[:, ANCHOR : ANCHOR + 6] = joints.anchor.reshape(-1, 6)
    hold[:, FRAME : FRAME + 8] = joints.frame.reshape(-1, 8)
    number[:, INERTIA] = moved_inertia(model)
    number[:, FREQUENCY] = joints.motor_frequency
    number[:, FORCE] = joints.motor_force
    number[:, FRICTION] = joints.friction
    number[:, STRONG] = joints.breaking_force
    joint_of_row = np.repeat(np.arange(count), np.diff(graph.first_row))
    bound = np.zeros((row_count, 19))
    flag = np.zeros((row_count, 4), dtype=np.int32)
    flag[:, FREEDOM] = graph.freedom
    flag[:, RUBS] = joints.rubs[joint_of_row, graph.freedom]
    for column, values in (
        (LOWER, joints.lower),
        (UPPER, joints.upper),
        (STIFFNESS, joints.stiffness),
        (DAMPING, joints.damping),
    ):
        bound[:, column] = values[joint_of_row, graph.freedom]
    lets_go = np.zeros(count, dtype=bool)
    np.logical_or.at(lets_go, joint_of_row, bound[:, LOWER] < bound[:, UPPER])
    component = np.zeros((len(graph.first_place), 3), dtype=np.int32)
    component[:, 0] = graph.first_place
    component[:, 1] = graph.first_pull
    for c in range(len(component) - 1):
        members = graph.order[component[c, 0] : component[c + 1, 0]]
        component[c, 2] = lets_go[members].any()
    place = np.zeros((count + 1, 3), dtype=np.int32)
    place[:count, 0] = graph.order
    place[:, 1] = graph.first_block
    place[:, 2] = graph.first_update
    block = np.zeros((len(graph.block_start), 2), dtype=np.int32)
    block[:-1, 0] = graph.block_row
    block[:, 1] = graph.block_start
    return JointRows(
        whole=whole,
        hold=hold,
        number=number,
        axis=np.zeros((row_count, 15)),
        bound=bound,
        flag=flag,
        stiff=np.zeros((model.owner_count + 1, 2)),
        place=place,
        component=component,
        block=block,
        update=graph.update,
        pull=graph.pull,
        value=np.zeros(int(graph.block_start[-1])),
        scratch=np.zeros((6, 5)),
    )


# ---------------------------------------------------------------------------- where joints are


@lean
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


@lean
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


@lean
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


@lean
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


@lean
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


@lean
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
def add_stiffness(joints, j, h):
    """Add h² K of what joint j pulls at both owners with."""
    whole, hold = joints.whole, joints.hold
    fx, fy, fz = 0.0, 0.0, 0.0
    for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
        impulse = joints.bound[row, IMPULSE]
        fx += impulse * joints.axis[row, 0]
        fy += impulse * joints.axis[row, 1]
        fz += impulse * joints.axis[row, 2]
    for side in range(2):
        r = ARM + 3 * side
        along = fx * hold[j, r] + fy * hold[j, r + 1] + fz * hold[j, r + 2]
        if side == 0:
            along = -along
        joints.stiff[whole[j, OWNER + side], 0] += h * max(along, 0.0)


@lean
def sum_stiffness(joints, h):
    """h² K of all owners, from the pulls and the arms of the substep before."""
    whole, stiff = joints.whole, joints.stiff
    for j in range(whole.shape[0] - 1):
        stiff[whole[j, OWNER], 0] = 0.0
        stiff[whole[j, OWNER + 1], 0] = 0.0
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 1:
            add_stiffness(joints, j, h)


@lean
def wanted_inertia(joints, owners, o):
    """Inertia to be added to owner o's, kg·m²."""
    if owners.inverse_mass[o] == 0.0:
        return 0.0
    a, b, c = owners.inertia[o, 0], owners.inertia[o, 1], owners.inertia[o, 2]
    # the mean about the two axes that it turns about less easily
    middle = 0.5 * (a + b + c - min(min(a, b), c))
    return max(0.5 * joints.stiff[o, 0] - middle, 0.0)


@lean
def turn_rows(joints, owners, j, side):
    """What the torques of joint j turn, with the raised inertia of the owner of one side."""
    whole = joints.whole
    o = whole[j, OWNER + side]
    extra = joints.stiff[o, 1]
    if extra == 0.0:
        return
    r = owners.rotation[o]
    for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
        axis = joints.axis[row]
        x, y, z = axis[CROSS + 3 * side], axis[CROSS + 3 * side + 1], axis[CROSS + 3 * side + 2]
        for n in range(3):
            axis[TURN + 3 * side + n] = 0.0
        for k in range(3):
            along = r[0, k] * x + r[1, k] * y + r[2, k] * z
            along /= owners.inertia[o, k] + extra
            for n in range(3):
                axis[TURN + 3 * side + n] += r[n, k] * along


@lean
def aim_joints(joints, owners, h):
    """Axes, arms and values of all rows where the owners are now."""
    whole, hold, scratch = joints.whole, joints.hold, joints.scratch
    count = whole.shape[0] - 1
    sum_stiffness(joints, h)
    for j in range(count):
        p, q = whole[j, OWNER], whole[j, OWNER + 1]
        joints.stiff[p, 1] = wanted_inertia(joints, owners, p)
        joints.stiff[q, 1] = wanted_inertia(joints, owners, q)
        whole[j, LIVE] = 0
        if whole[j, BROKEN] == 1 or owners.inverse_mass[p] + owners.inverse_mass[q] == 0.0:
            continue
        whole[j, LIVE] = 1
        _write_arms(joints, owners, j)
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
        place_form, turn_form = whole[j, PLACE_FORM], whole[j, TURN_FORM]
        dx, dy, dz = f[ACROSS], f[ACROSS + 1], f[ACROSS + 2]
        _write_place_axes(scratch, place_form, w, x, y, z, dx, dy, dz)
        axis = whole[j, AXIS]
        _write_turn_axes(scratch, turn_form, axis, pw, px, py, pz, qw, qx, qy, qz, w, x, y, z)
        _write_aside(joints, j, pw, px, py, pz, qw, qx, qy, qz)
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            _write_row(joints, j, row, owners, p, q)
        turn_rows(joints, owners, j, 0)
        turn_rows(joints, owners, j, 1)


@lean
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


@lean
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
        i = owners.inverse_inertia[p if side == 0 else q]
        t = TURN + 3 * side
        for n in range(3):
            axis[t + n] = i[n, 0] * axis[a] + i[n, 1] * axis[a + 1] + i[n, 2] * axis[a + 2]
    if k < 3:
        axis[LINE], axis[LINE + 1], axis[LINE + 2] = nx, ny, nz
    else:
        axis[LINE], axis[LINE + 1], axis[LINE + 2] = 0.0, 0.0, 0.0


# ---------------------------------------------------------------------------- what rows ask for


@lean
def row_speed(joints, row, owners, p, q):
    """Rate of the row's value, m/s or rad/s."""
    a = joints.axis[row]
    v0, v1 = owners.velocity[p], owners.velocity[q]
    w0, w1 = owners.spin[p], owners.spin[q]
    return (
        a[0] * (v1[0] - v0[0])
        + a[1] * (v1[1] - v0[1])
        + a[2] * (v1[2] - v0[2])
        + a[6] * w1[0]
        + a[7] * w1[1]
        + a[8] * w1[2]
        - a[3] * w0[0]
        - a[4] * w0[1]
        - a[5] * w0[2]
    )


@lean
def push_row(joints, row, owners, p, q, impulse):
    """The impulse on the second owner, and against it on the first."""
    a = joints.axis[row]
    f0 = impulse * owners.inverse_mass[p]
    f1 = impulse * owners.inverse_mass[q]
    for k in range(3):
        owners.velocity[p, k] -= f0 * a[k]
        owners.velocity[q, k] += f1 * a[k]
        owners.spin[p, k] -= impulse * a[9 + k]
        owners.spin[q, k] += impulse * a[12 + k]


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
    return min(max(0.5 * h * total, -CLOSING_SPEED), CLOSING_SPEED)


@lean
def _ask_row(joints, j, row, owners, p, q, h, is_biased):
    """What a row asks for in this pass: DRIVE, SOFT and PULL of what drives it, LEAST and MOST."""
    bound = joints.bound[row]
    k = joints.flag[row, FREEDOM]
    closing = CLOSING_SPEED if k < 3 else CLOSING_SPIN
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


@lean
def load_joints(joints, h, interval):
    """Sum up what joints carry, and break those that carried too much for ``interval`` substeps."""
    whole, number = joints.whole, joints.number
    for j in range(whole.shape[0] - 1):
        if whole[j, LIVE] == 0 or number[j, STRONG] == math.inf:
            continue
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            for k in range(3):
                number[j, LOAD + k] += joints.bound[row, IMPULSE] * joints.axis[row, k]
        number[j, LOADED] += 1.0
        if number[j, LOADED] < interval:
            continue
        square = 0.0
        for k in range(3):
            square += (number[j, LOAD + k] / (interval * h)) ** 2
            number[j, LOAD + k] = 0.0
        number[j, LOADED] = 0.0
        if square > number[j, STRONG] ** 2:
            whole[j, BROKEN] = 1
            whole[j, LIVE] = 0
            for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
                joints.bound[row, IMPULSE] = 0.0


@kernel
def take_up_joints(joints, owners, impulse, broken):
    """Begin a frame with the impulses (j, 6) and broken joints (j,) of a state."""
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        whole[j, BROKEN] = broken[j]
        for k in range(4):
            joints.number[j, LOAD + k] = 0.0
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            joints.bound[row, IMPULSE] = impulse[j, joints.flag[row, FREEDOM]]
    aim_joints(joints, owners, 0.0)


@kernel
def lay_down_joints(joints, impulse, broken):
    """Write the impulses (j, 6) and broken joints (j,) of a state."""
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        broken[j] = whole[j, BROKEN]
        for k in range(6):
            impulse[j, k] = 0.0
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            impulse[j, joints.flag[row, FREEDOM]] = joints.bound[row, IMPULSE]
