"""How a point of a body answers an impulse there, with all that hangs on the body by joints."""

from __future__ import annotations

from ...kernels.jit import kernel, lean_inline
from ...vec3 import cross, vec
from ..joints.front_factor import clear_solution, solve_fronts
from ..joints.joint_matrix import factor_certain, has_fronts
from .articulated_inertia import (
    aim_wrenches,
    is_met,
    substitute_six,
    take_off_joined,
    write_alone,
)
from .twist import dot_six


@lean_inline
def _respond_by_fronts(joints, b, c, response):
    """The response (6, 6) of a body of a component that has fronts, whose factor holds bodies."""
    at, x = joints.fronts.body_at[b], joints.fronts.solution
    for k in range(6):
        clear_solution(joints, c)
        x[at + k] = 1.0
        solve_fronts(joints, c)
        for i in range(6):
            response[k, i] = x[at + i]


@kernel
def point_response(limbs, joints, owners, b, arm, response, out):
    """Write to out (3, 3) the velocity in m/s that impulses of 1 N·s give body b at an arm (3,) m.

    Row k is for an impulse along axis k of the world. Limits and motors count as if they let go,
    so that it is never less than what the point does. What hangs in groups of more bodies than
    `articulated_inertia` knows answers alone. response (6, 6) is scratch memory.
    """
    for i in range(6):
        for k in range(6):
            response[i, k] = 0.0
    write_alone(owners, b, response)
    c = limbs.body[b]["component"]
    if c >= 0:
        factor_certain(joints, owners, c, True)
        if not has_fronts(joints, c):
            aim_wrenches(limbs, joints, owners, b, c)
            substitute_six(joints, c, limbs.answer, limbs.is_reached)
            take_off_joined(limbs, joints, owners, b, response)
        elif is_met(limbs, joints, owners, b):
            _respond_by_fronts(joints, b, c, response)
    r = vec(arm)
    for k in range(3):
        axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        turn = cross(r, axis)
        wrench = (axis[0], axis[1], axis[2], turn[0], turn[1], turn[2])
        spin = (
            dot_six(wrench, response, 3),
            dot_six(wrench, response, 4),
            dot_six(wrench, response, 5),
        )
        way = cross(spin, r)
        for i in range(3):
            out[k, i] = dot_six(wrench, response, i) + way[i]
