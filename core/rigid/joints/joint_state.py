"""What joints remember from substep to substep and from frame to frame, and when they break."""

from __future__ import annotations

import math

from ...kernels.jit import lean_inline
from ...vec3 import ZERO, add_to, divide, dot, scale, set_vec, vec
from ..owners import write_inverse_inertia
from .joint_axes import aim_joints
from .joint_matrix import forget_matrices
from .joint_rows import has_joints
from .joint_stiffness import recall_stiffness
from .loaded_bridges import find_bridges, find_taut, has_bridges, recall_pressed


@lean_inline
def load_joints(joints, h, interval):
    """Sum up what joints carry, and break those that carried too much for ``interval`` substeps."""
    for j in range(joints.drive.shape[0]):
        joint, drive = joints.joint[j], joints.drive[j]
        if joint["is_live"] == 0 or drive["breaking_force"] == math.inf:
            continue
        first, last = joint["first_row"], joints.joint[j + 1]["first_row"]
        for r in range(first, last):
            add_to(drive["load"], scale(joints.row[r]["impulse"], vec(joints.axis[r]["line"])))
        drive["load_count"] += 1.0
        if drive["load_count"] < interval:
            continue
        force = divide(vec(drive["load"]), interval * h)
        set_vec(drive["load"], ZERO)
        drive["load_count"] = 0.0
        if dot(force, force) > drive["breaking_force"] ** 2:
            joint["is_broken"] = 1
            forget_matrices(joints)
            joint["is_live"] = 0
            for r in range(first, last):
                joints.row[r]["impulse"] = 0.0


@lean_inline
def load_joint_state(joints, owners, sleep, state, h):
    """Begin a frame with the impulses and contacts of a `BodyState`."""
    for j in range(joints.drive.shape[0]):
        joint, drive = joints.joint[j], joints.drive[j]
        joint["is_broken"] = 0 if sleep.joint_holds[j] else 1
        set_vec(drive["load"], ZERO)
        drive["load_count"] = 0.0
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            last = state.joint_impulse[j, joints.row[r]["freedom"]]
            joints.row[r]["impulse"] = last if sleep.joint_holds[j] else 0.0
    aim_joints(joints, owners)
    if has_joints(joints):
        find_bridges(joints, owners)
    if has_bridges(joints):
        recall_pressed(joints, state.remembered, sleep.shape_body)
        find_taut(joints, owners)
    if has_joints(joints) and recall_stiffness(joints, owners, h):
        for b in range(sleep.sleeper.shape[0]):
            write_inverse_inertia(owners, b)
        aim_joints(joints, owners)


@lean_inline
def store_joint_state(joints, sleep, state):
    """Write the impulses (j, 6) and broken joints (j,) of a state.

    Joints that did not hold stay as they were: whole for as long as the inputs let them go, or
    broken before.
    """
    impulse = state.joint_impulse
    for j in range(joints.drive.shape[0]):
        joint = joints.joint[j]
        if sleep.joint_holds[j]:
            state.joint_broken[j] = joint["is_broken"]
        for k in range(6):
            impulse[j, k] = 0.0
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            impulse[j, joints.row[r]["freedom"]] = joints.row[r]["impulse"]
