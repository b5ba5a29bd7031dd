"""Joints as rows of a solver: what is known of each, and how rows and owners act on each other.

One row a degree of freedom that something acts on, with the line of its force and the axes of its
torques (`joint_axes`). Both owners of a joint get their impulse at one place of the world, halfway
between the two anchors, along axes halfway between the two frames, so momenta are kept but for
rounding; seen from there the rate of d·axis, d the way from one anchor to the other, is that of the
places alone.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import lean_inline
from ...model.body_table import PASSIVE
from .joint_inertia import moved_inertia

if TYPE_CHECKING:
    from ...arrays import Floats
    from ...model import Model
    from .joint_graph import JointGraph

# modes of a row: what acts on it now
HELD, DRIVEN, AT_LOWER, AT_UPPER, IDLE = range(5)

# columns of `whole`
OWNER, PLACE_FORM, TURN_FORM, AXIS, MOTOR, MOTOR_FREEDOM, BROKEN, LIVE, FIRST_ROW, MET = (
    0,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
)

# columns of `hold`: anchors (2, 3), frames (2, 4), arms from the centres (2, 3) in the world, and
# the way from the first anchor to the second
ANCHOR, FRAME, ARM, ACROSS = 0, 6, 14, 20

# columns of `number`
INERTIA, SPEED, TARGET, FREQUENCY, FORCE, STRENGTH, POSE, FRICTION, STRONG, LOAD, LOADED, CLOSES = (
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
    16,
)

# columns of `axis`: line of force, axes of torque (2, 3), I⁻¹ of those (2, 3)
LINE, CROSS, TURN = 0, 3, 9

# columns of `bound`
LOWER, UPPER, STIFFNESS, DAMPING, VALUE, ASIDE, BEFORE = range(7)
DRIVE, SOFT, PULL, LEAST, MOST = range(7, 12)
AIM, GIVE, LOW, HIGH, IMPULSE, FORESEEN, EVENLY, GIVEN, OWN = range(12, 21)

# columns of `flag`
FREEDOM, RUBS, MODE, ACTIVE = range(4)

# columns of `component`, after its first place and pull
LETS_GO, STATE, GROUP, FIRST_FRONT = 2, 3, 4, 5

# columns of `block`, after the joint of its rows: begin in `matrix`, begin and end in `value`
MATRIX_AT, FACTOR_AT = 1, 2

JointRows = namedtuple(
    "JointRows",
    [
        "whole",  # (j + 1, 11) owners, forms, axis, motor, broken, live, first row, rows met
        "hold",  # (j, 23) m: anchors and frames in their owners, arms in the world
        "number",  # (j, 17) of motors, friction, breaking; sum of impulses since LOADED substeps
        "axis",  # (r, 15) line of force, axes of torque, what those turn
        "bound",  # (r, 21) limits, springs, place and speed; what is asked for; impulse
        "flag",  # (r, 4) degree of freedom, mode, whether it is being solved
        "extra",  # (o,) kg·m², inertia that the pulls want each owner to have
        "place",  # (j + 1, 3) joint, first block and first update by order of elimination
        "component",  # (c + 1, 6) first place, pull; 1: rows may let go; state; group; front
        "block",  # (n + 1, 4) joint of its rows, where its values are
        "update",  # (u, 3) see joint_graph
        "pull",  # (p, 9) see joint_graph
        "fronts",  # see joint_fronts
        "matrix",  # (…) values of all blocks
        "value",  # (…) those of the factor
        "each",  # (r,) all rows
        "met",  # (r,) rows that are met, joint by joint from its first row on
        "change",  # (r,) of the impulses of rows that are listed, at their place in the list
        "scratch",  # (6, 5) axis, value and motor's error of each degree of freedom
    ],
)


CLOSING_TURN = 0.08
"""A joint that is apart closes in a step by no more than this share of its bodies' size: what turns
them farther than their linearised motion is good for would throw them."""


def joint_room(model: Model, graph: JointGraph) -> JointRows:
    """Rows of all joints of a model; a frame says what is broken and what motors aim at."""
    joints = model.joints
    count, row_count = len(joints), len(graph.freedom)
    whole = np.zeros((count + 1, 11), dtype=np.int32)
    hold = np.zeros((count, 23))
    number = np.zeros((count, 17))
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
    number[:, CLOSES] = CLOSING_TURN * _least_size(model)
    joint_of_row = np.repeat(np.arange(count), np.diff(graph.first_row))
    bound = np.zeros((row_count, 21))
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
    is_held = bound[:, LOWER] == bound[:, UPPER]
    flag[:, MODE] = np.where(is_held, HELD, IDLE)
    bound[:, LOW], bound[:, HIGH] = -np.inf, np.inf
    lets_go = np.zeros(count, dtype=bool)
    np.logical_or.at(lets_go, joint_of_row, ~is_held)
    component = np.zeros((len(graph.first_place), 6), dtype=np.int32)
    component[:, 0] = graph.first_place
    component[:, 1] = graph.first_pull
    component[:-1, GROUP] = graph.group
    component[:, FIRST_FRONT] = graph.first_front
    for c in range(len(component) - 1):
        members = graph.order[component[c, 0] : component[c + 1, 0]]
        component[c, LETS_GO] = lets_go[members].any()
    place = np.zeros((count + 1, 3), dtype=np.int32)
    place[:count, 0] = graph.order
    place[:, 1] = graph.first_block
    place[:, 2] = graph.first_update
    block = np.zeros((len(graph.block_start), 4), dtype=np.int32)
    block[:-1, 0] = graph.block_row
    block[:, MATRIX_AT] = graph.block_start
    return JointRows(
        whole=whole,
        hold=hold,
        number=number,
        axis=np.zeros((row_count, 15)),
        bound=bound,
        flag=flag,
        extra=np.zeros(model.owner_count + 1),
        place=place,
        component=component,
        block=block,
        update=graph.update,
        pull=graph.pull,
        fronts=graph.fronts,
        matrix=np.zeros(int(graph.block_start[-1])),
        value=np.zeros(int(graph.block_start[-1])),
        each=np.arange(row_count, dtype=np.int32),
        met=np.zeros(row_count, dtype=np.int32),
        change=np.zeros(row_count),
        scratch=np.zeros((6, 5)),
    )


def gyration_radius(model: Model) -> Floats:
    """Radius of gyration (b,) m of each body, about the middle one of its axes."""
    radius: Floats = np.sqrt(np.median(model.bodies.inertia, axis=1) / model.bodies.mass)
    return radius


def _least_size(model: Model) -> Floats:
    """Radius of gyration (j,) m of the smaller of the two bodies of each joint that move."""
    size = np.full(model.owner_count + 1, np.inf)
    is_passive = model.bodies.follows == PASSIVE
    size[: model.body_count] = np.where(is_passive, np.inf, gyration_radius(model))
    least: Floats = size[model.joints.owner].min(axis=1)
    return least


@lean_inline
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


@lean_inline
def mobility(joints, row, owners, p, q):
    """J M⁻¹ Jᵀ of one row."""
    a = joints.axis[row]
    total = 0.0
    for k in range(3):
        total += (owners.inverse_mass[p] + owners.inverse_mass[q]) * a[k] * a[k]
        total += a[3 + k] * a[9 + k] + a[6 + k] * a[12 + k]
    return total


@lean_inline
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


@lean_inline
def lack_of_rows(joints, j, owners):
    """What the rows of a joint that are met lack of the speeds asked for, in `joints.change`."""
    whole, axis, bound, met = joints.whole, joints.axis, joints.bound, joints.met
    p, q = whole[j, OWNER], whole[j, OWNER + 1]
    x = owners.velocity[q, 0] - owners.velocity[p, 0]
    y = owners.velocity[q, 1] - owners.velocity[p, 1]
    z = owners.velocity[q, 2] - owners.velocity[p, 2]
    a, b, c = owners.spin[p, 0], owners.spin[p, 1], owners.spin[p, 2]
    d, e, f = owners.spin[q, 0], owners.spin[q, 1], owners.spin[q, 2]
    first = whole[j, FIRST_ROW]
    for k in range(first, first + whole[j, MET]):
        row = met[k]
        speed = axis[row, LINE] * x + axis[row, LINE + 1] * y + axis[row, LINE + 2] * z
        speed -= axis[row, CROSS] * a + axis[row, CROSS + 1] * b + axis[row, CROSS + 2] * c
        speed += axis[row, CROSS + 3] * d + axis[row, CROSS + 4] * e + axis[row, CROSS + 5] * f
        give = bound[row, GIVE] + bound[row, EVENLY]
        joints.change[k] = bound[row, AIM] - speed - give * bound[row, IMPULSE]


@lean_inline
def push_rows(joints, j, owners, rows, count):
    """The changes of ``count`` listed rows of joint j on its second owner, and back on the first.

    rows (r,): the list, each joint's from the place of its first row on.
    """
    whole, axis, velocity, spin = joints.whole, joints.axis, owners.velocity, owners.spin
    p, q = whole[j, OWNER], whole[j, OWNER + 1]
    x, y, z = 0.0, 0.0, 0.0
    a, b, c = 0.0, 0.0, 0.0
    d, e, f = 0.0, 0.0, 0.0
    first = whole[j, FIRST_ROW]
    for k in range(first, first + count):
        i, row = joints.change[k], rows[k]
        x += i * axis[row, LINE]
        y += i * axis[row, LINE + 1]
        z += i * axis[row, LINE + 2]
        a += i * axis[row, TURN]
        b += i * axis[row, TURN + 1]
        c += i * axis[row, TURN + 2]
        d += i * axis[row, TURN + 3]
        e += i * axis[row, TURN + 4]
        f += i * axis[row, TURN + 5]
    v, w = owners.inverse_mass[p], owners.inverse_mass[q]
    velocity[p, 0] -= v * x
    velocity[p, 1] -= v * y
    velocity[p, 2] -= v * z
    velocity[q, 0] += w * x
    velocity[q, 1] += w * y
    velocity[q, 2] += w * z
    spin[p, 0] -= a
    spin[p, 1] -= b
    spin[p, 2] -= c
    spin[q, 0] += d
    spin[q, 1] += e
    spin[q, 2] += f


@lean_inline
def row_count(joints, j):
    """How many rows joint j has."""
    return joints.whole[j + 1, FIRST_ROW] - joints.whole[j, FIRST_ROW]


@lean_inline
def turn_row(joints, row, owners, p, q):
    """What the torques of a row turn."""
    axis = joints.axis[row]
    for side in range(2):
        a = CROSS + 3 * side
        t = TURN + 3 * side
        i = owners.inverse_inertia[p if side == 0 else q]
        for n in range(3):
            axis[t + n] = i[n, 0] * axis[a] + i[n, 1] * axis[a + 1] + i[n, 2] * axis[a + 2]
