"""What joints remember from substep to substep and from frame to frame, and when they break."""

from __future__ import annotations

import math

from ...kernels.jit import lean_inline
from ..owners import write_inverse_inertia
from .joint_axes import aim_joints
from .joint_matrix import forget_matrices
from .joint_rows import BROKEN, FIRST_ROW, FREEDOM, IMPULSE, LIVE, LOAD, LOADED, STRONG
from .joint_stiffness import keep_stiffness


@lean_inline
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
            forget_matrices(joints)
            whole[j, LIVE] = 0
            for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
                joints.bound[row, IMPULSE] = 0.0


@lean_inline
def take_up_joints(joints, owners, count, impulse, holds, h):
    """Begin a frame with the impulses (j, 6) of a state; holds (j,): False of what is broken.

    count: of the bodies, which come first among the owners.
    """
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        whole[j, BROKEN] = 0 if holds[j] else 1
        for k in range(4):
            joints.number[j, LOAD + k] = 0.0
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            last = impulse[j, joints.flag[row, FREEDOM]]
            joints.bound[row, IMPULSE] = last if holds[j] else 0.0
    aim_joints(joints, owners)
    if keep_stiffness(joints, owners, h):
        for b in range(count):
            write_inverse_inertia(owners, b)
        aim_joints(joints, owners)


@lean_inline
def lay_down_joints(joints, impulse, broken, holds):
    """Write the impulses (j, 6) and broken joints (j,) of a state.

    holds (j,): as in `take_up_joints`. Others stay as they were: whole for as long as the inputs
    let them go, or broken before.
    """
    whole = joints.whole
    for j in range(whole.shape[0] - 1):
        if holds[j]:
            broken[j] = whole[j, BROKEN]
        for k in range(6):
            impulse[j, k] = 0.0
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            impulse[j, joints.flag[row, FREEDOM]] = joints.bound[row, IMPULSE]
