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
from ...records import Records, records
from ...vec3 import (
    ZERO,
    along,
    between,
    dot,
    dot2,
    less_dot,
    load,
    move,
    rotate,
    shift,
    store,
    vec,
)
from .joint_inertia import moved_inertia

if TYPE_CHECKING:
    from ...arrays import Floats
    from ...model import Model
    from .joint_graph import JointGraph

# modes of a row: what acts on it now
HELD, DRIVEN, AT_LOWER, AT_UPPER, IDLE = range(5)

JOINT = np.dtype(
    [
        ("body", np.int32, (2,)),
        ("place_form", np.int32),
        ("turn_form", np.int32),
        ("hinge_axis", np.int32),
        ("motor", np.int32),
        ("motor_freedom", np.int32),
        ("is_broken", np.int32),
        ("is_live", np.int32),  # 1: neither broken nor between bodies that do not move
        ("first_row", np.int32),
        ("met_count", np.int32),  # rows that are met
    ],
    align=True,
)

JOINT_PLACE = np.dtype(
    [
        ("anchor", np.float64, (2, 3)),  # m, in the bodies' frames
        ("frame", np.float64, (2, 4)),  # the joint's axes in the bodies' frames
        ("arm", np.float64, (2, 3)),  # m, from the centres to halfway between the anchors
        ("gap", np.float64, (3,)),  # m, from the first anchor to the second
    ],
    align=True,
)

DRIVE = np.dtype(
    [
        ("inertia", np.float64),  # kg or kg·m², what the motor moves
        ("speed", np.float64),  # m/s or rad/s
        ("target", np.float64),  # m or rad
        ("frequency", np.float64),  # Hz
        ("force", np.float64),  # N or N·m
        ("strength", np.float64),  # factor on all of the motor
        ("pose", np.float64, (4,)),  # the second's frame in the first's
        ("friction", np.float64),  # N or N·m
        ("breaking_force", np.float64),  # N
        ("load", np.float64, (3,)),  # N·s, sum of impulses
        ("load_count", np.float64),  # substeps that the sum is of
        ("closing_way", np.float64),  # m, by which the joint closes in a substep at most
    ],
    align=True,
)

ROW_AXIS = np.dtype(
    [
        ("line", np.float64, (3,)),  # of force
        ("torque", np.float64, (2, 3)),  # axis of torque on either body
        ("turn", np.float64, (2, 3)),  # I⁻¹ of those
    ],
    align=True,
)

ROW = np.dtype(
    [
        ("freedom", np.int32),  # degree of freedom
        ("rubs", np.int32),  # 1: friction acts on it
        ("mode", np.int32),
        ("is_active", np.int32),  # 1: it is to be met
        ("lower", np.float64),  # m or rad
        ("upper", np.float64),
        ("stiffness", np.float64),  # N/m or N·m/rad
        ("damping", np.float64),
        ("value", np.float64),  # m or rad, where the degree of freedom is
        ("motor_error", np.float64),  # m or rad, from what the pose motor aims at
        ("speed_before", np.float64),  # m/s or rad/s
        # what drives it: the speed it wants, its softness, its largest impulse
        ("drive_speed", np.float64),
        ("drive_softness", np.float64),
        ("drive_limit", np.float64),
        # speeds at which it would be at its limits
        ("least_speed", np.float64),
        ("most_speed", np.float64),
        # what it asks for in its mode
        ("aim", np.float64),  # m/s or rad/s
        ("softness", np.float64),  # γ
        ("low", np.float64),  # N·s or N·m·s, bounds of the impulse
        ("high", np.float64),
        ("impulse", np.float64),
        ("impulse_before", np.float64),  # that blows are tried from
        ("foreseen", np.float64),  # m/s, way of an anchor on its circle
        ("shift", np.float64),  # what is added to the diagonal: see `joint_matrix`
        ("factor_softness", np.float64),  # that the factor was made with
        ("diagonal", np.float64),  # J M⁻¹ Jᵀ
    ],
    align=True,
)

COMPONENT = np.dtype(
    [
        ("first_joint", np.int32),  # in the order of elimination
        ("first_term", np.int32),
        ("lets_go", np.int32),  # 1: rows may let go
        ("state", np.int32),  # how much of its matrix is known
        ("group", np.int32),
        ("first_front", np.int32),
        ("is_bridge", np.int32),  # 1: it hangs on more than one place that stays where it is
        ("is_taut", np.int32),  # 1: and contacts press it
    ],
    align=True,
)

ELIMINATION = np.dtype(
    [("joint", np.int32), ("first_block", np.int32), ("first_update", np.int32)], align=True
)
"""A place in the order of elimination."""

BLOCK = np.dtype(
    [
        ("joint", np.int32),  # of its rows
        ("matrix_at", np.int32),  # first value in ``matrix``
        ("factor_at", np.int32),  # first and last value in ``factor``
        ("factor_end", np.int32),
    ],
    align=True,
)

FREEDOM = np.dtype(
    [
        ("axis", np.float64, (3,)),
        ("value", np.float64),  # m or rad
        ("motor_error", np.float64),
    ],
    align=True,
)
"""A degree of freedom of the joint that is looked at."""

PULL = np.dtype(
    [
        ("stretch", np.float64, (3,)),  # N·s·m, along its own axes: Σ impulse × arm of its joints
        ("is_pressed", np.int32),  # 1: contacts press it
        ("is_taut", np.int32),  # 1: it belongs to a bridge that contacts press
    ],
    align=True,
)
"""What joints and contacts do to an owner."""

JointRows = namedtuple(
    "JointRows",
    [
        "joint",  # JOINT (j + 1,)
        "place",  # JOINT_PLACE (j,)
        "drive",  # DRIVE (j,)
        "axis",  # ROW_AXIS (r,)
        "row",  # ROW (r,)
        "pull",  # PULL (o,)
        "order",  # ELIMINATION (j + 1,)
        "component",  # COMPONENT (c + 1,)
        "block",  # BLOCK (n + 1,)
        "update",  # UPDATE (u,), see joint_graph
        "term",  # TERM (t,), see joint_graph
        "fronts",  # see joint_fronts
        "matrix",  # (…) values of all blocks
        "factor",  # (…) those of the factor
        "each",  # (r,) all rows
        "met",  # (r,) rows that are met, joint by joint from its first row on
        "change",  # (r,) of the impulses of rows that are listed, at their place in the list
        "freedom",  # FREEDOM (6,), scratch
    ],
)
"""All that joints are solved with: what is hot lies apart from what is cold."""


CLOSING_TURN = 0.08
"""A joint that is apart closes in a step by no more than this share of its bodies' size: what turns
them farther than their linearised motion is good for would throw them."""


@lean_inline
def has_joints(joints):
    """Whether a model has any joints between what may move."""
    return joints.component.shape[0] > 1


def joint_room(model: Model, graph: JointGraph) -> JointRows:
    """Rows of all joints of a model; a frame says what is broken and what motors aim at."""
    table = model.joints
    count, row_count = len(table), len(graph.freedom)
    joint = np.zeros(count + 1, JOINT)
    for name in ("place_form", "turn_form", "motor", "motor_freedom"):
        joint[name][:count] = getattr(table, name)
    joint["body"][:count] = table.owner
    joint["hinge_axis"][:count] = table.axis
    joint["first_row"] = graph.first_row
    drive = np.zeros(count, DRIVE)
    drive["inertia"] = moved_inertia(model)
    drive["frequency"], drive["force"] = table.motor_frequency, table.motor_force
    drive["friction"], drive["breaking_force"] = table.friction, table.breaking_force
    drive["closing_way"] = CLOSING_TURN * _least_size(model)
    row = _rows(model, graph)
    values = int(graph.block_start[-1])
    place = np.zeros(count, JOINT_PLACE)
    place["anchor"], place["frame"] = table.anchor, table.frame
    block = np.zeros(len(graph.block_start), BLOCK)
    block["joint"][:-1], block["matrix_at"] = graph.block_row, graph.block_start
    return JointRows(
        joint=joint,
        place=place,
        drive=drive,
        axis=np.zeros(row_count, ROW_AXIS),
        row=row,
        pull=np.zeros(model.owner_count + 1, PULL),
        order=records(
            ELIMINATION,
            joint=np.append(graph.order, 0),
            first_block=graph.first_block,
            first_update=graph.first_update,
        ),
        component=_components(graph, row),
        block=block,
        update=graph.update,
        term=graph.term,
        fronts=graph.fronts,
        matrix=np.zeros(values),
        factor=np.zeros(values),
        each=np.arange(row_count, dtype=np.int32),
        met=np.zeros(row_count, dtype=np.int32),
        change=np.zeros(row_count),
        freedom=np.zeros(6, FREEDOM),
    )


def _rows(model: Model, graph: JointGraph) -> Records:
    """Rows of all joints, with their limits and springs."""
    table = model.joints
    joint = np.repeat(np.arange(len(table)), np.diff(graph.first_row))
    row = np.zeros(len(graph.freedom), ROW)
    row["freedom"] = graph.freedom
    for name in ("rubs", "lower", "upper", "stiffness", "damping"):
        row[name] = getattr(table, name)[joint, graph.freedom]
    row["mode"] = np.where(row["lower"] == row["upper"], HELD, IDLE)
    row["low"], row["high"] = -np.inf, np.inf
    return row


def _components(graph: JointGraph, row: Records) -> Records:
    """Components of joints; those that have rows that are not held may let go."""
    component = np.zeros(len(graph.first_place), COMPONENT)
    component["first_joint"], component["first_term"] = graph.first_place, graph.first_term
    component["group"][:-1] = graph.group
    component["first_front"] = graph.first_front
    loose = np.concatenate([[0], np.cumsum(row["mode"] != HELD)])
    of_joint = np.diff(loose[graph.first_row])[graph.order]
    loose = np.concatenate([[0], np.cumsum(of_joint)])
    component["lets_go"][:-1] = np.diff(loose[graph.first_place]) > 0
    return component


def gyration_radius(model: Model) -> Floats:
    """Radius of gyration (b,) m of each body, about the middle one of its axes."""
    radius: Floats = np.sqrt(np.median(model.bodies.inertia, axis=1) / model.bodies.mass)
    return radius


def _least_size(model: Model) -> Floats:
    """Radius of gyration (j,) m of the smaller of the two bodies of each joint that move."""
    size = np.full(model.owner_count + 1, np.inf)
    is_passive = model.bodies.follows == PASSIVE
    size[: len(model.bodies)] = np.where(is_passive, np.inf, gyration_radius(model))
    least: Floats = size[model.joints.owner].min(axis=1)
    return least


@lean_inline
def row_speed(joints, r, owners, p, q):
    """Rate of the row's value, m/s or rad/s."""
    axis = joints.axis[r]
    way = between(owners.velocity, p, q)
    speed = dot2(vec(axis["line"]), way, load(axis["torque"], 1), load(owners.spin, q))
    return less_dot(speed, load(axis["torque"], 0), load(owners.spin, p))


@lean_inline
def mobility(joints, r, owners, p, q):
    """J M⁻¹ Jᵀ of one row."""
    line, torque, turn = joints.axis[r]["line"], joints.axis[r]["torque"], joints.axis[r]["turn"]
    total = 0.0
    for k in range(3):
        total += (owners.inverse_mass[p] + owners.inverse_mass[q]) * line[k] * line[k]
        total += torque[0, k] * turn[0, k] + torque[1, k] * turn[1, k]
    return total


@lean_inline
def push_row(joints, r, owners, p, q, impulse):
    """The impulse on the second body, and against it on the first."""
    axis = joints.axis[r]
    line = vec(axis["line"])
    shift(owners.velocity, p, -impulse * owners.inverse_mass[p], line)
    shift(owners.velocity, q, impulse * owners.inverse_mass[q], line)
    shift(owners.spin, p, -impulse, load(axis["turn"], 0))
    shift(owners.spin, q, impulse, load(axis["turn"], 1))


@lean_inline
def find_velocity_errors(joints, j, owners):
    """Velocity errors of the rows of a joint that are met, in `joints.change`."""
    joint = joints.joint[j]
    p, q = joint["body"][0], joint["body"][1]
    way = between(owners.velocity, p, q)
    spin_p, spin_q = load(owners.spin, p), load(owners.spin, q)
    first = joint["first_row"]
    for k in range(first, first + joint["met_count"]):
        r = joints.met[k]
        axis, row = joints.axis[r], joints.row[r]
        speed = dot(vec(axis["line"]), way)
        speed -= dot(load(axis["torque"], 0), spin_p)
        speed += dot(load(axis["torque"], 1), spin_q)
        softness = row["softness"] + row["shift"]
        joints.change[k] = row["aim"] - speed - softness * row["impulse"]


@lean_inline
def push_rows(joints, j, owners, rows, count):
    """The changes of ``count`` listed rows of joint j on its second body, and back on the first.

    rows (r,): the list, each joint's from the place of its first row on.
    """
    joint = joints.joint[j]
    p, q = joint["body"][0], joint["body"][1]
    push, turn_p, turn_q = ZERO, ZERO, ZERO
    first = joint["first_row"]
    for k in range(first, first + count):
        impulse, axis = joints.change[k], joints.axis[rows[k]]
        push = along(push, impulse, vec(axis["line"]))
        turn_p = along(turn_p, impulse, load(axis["turn"], 0))
        turn_q = along(turn_q, impulse, load(axis["turn"], 1))
    shift(owners.velocity, p, -owners.inverse_mass[p], push)
    shift(owners.velocity, q, owners.inverse_mass[q], push)
    shift(owners.spin, p, -1.0, turn_p)
    move(owners.spin, q, turn_q)


@lean_inline
def row_count(joints, j):
    """How many rows joint j has."""
    return joints.joint[j + 1]["first_row"] - joints.joint[j]["first_row"]


@lean_inline
def turn_row(joints, r, owners, p, q):
    """What the torques of a row turn."""
    axis = joints.axis[r]
    store(axis["turn"], 0, rotate(owners.inverse_inertia[p], load(axis["torque"], 0)))
    store(axis["turn"], 1, rotate(owners.inverse_inertia[q], load(axis["torque"], 1)))
