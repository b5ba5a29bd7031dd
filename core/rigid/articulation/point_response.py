"""How a point of a body answers an impulse there, with all that hangs on the body by joints."""

from __future__ import annotations

from ...kernels.jit import lean_inline, lean_kernel
from ...vec3 import cross, vec
from ..joints.front_factor import clear_solution, solve_fronts
from ..joints.joint_matrix import factor_certain, has_fronts
from .articulated_inertia import aim_wrenches, is_met, substitute_six
from .twist import dot_six, six, take_off


@lean_inline
def _respond_alone(owners, b, response):
    """The response (6, 6) of a body that nothing is joined to."""
    for i in range(6):
        for k in range(6):
            response[i, k] = 0.0
    for i in range(3):
        response[i, i] = owners.inverse_mass[b]
        for k in range(3):
            response[3 + i, 3 + k] = owners.inverse_inertia[b, i, k]


@lean_inline
def _respond_joined(limbs, joints, owners, b, response):
    """What joints take off the response (6, 6) of a body alone."""
    aim_wrenches(limbs, joints, owners, b, limbs.body[b]["component"])
    substitute_six(joints, limbs.body[b]["component"], limbs.answer, limbs.is_reached)
    w = owners.inverse_mass[b]
    for n in range(limbs.held_from[b], limbs.held_from[b + 1]):
        j, side = limbs.held[n, 0], limbs.held[n, 1]
        sign = -1.0 if side == 0 else 1.0
        first = joints.joint[j]["first_row"]
        for p in range(first, first + joints.joint[j]["met_count"]):
            axis = joints.axis[joints.met[p]]
            x = six(limbs.answer[p])
            for i in range(6):
                f = sign * w * axis["line"][i] if i < 3 else sign * axis["turn"][side, i - 3]
                take_off(response[i], f, x)


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


@lean_kernel
def point_response(limbs, joints, owners, b, arm, response, out):
    """Write to out (3, 3) the velocity in m/s that impulses of 1 N·s give body b at an arm (3,) m.

    Row k is for an impulse along axis k of the world. Limits and motors count as if they let go,
    so that it is never less than what the point does. What hangs in groups of more bodies than
    `articulated_inertia` knows answers alone. response (6, 6) is scratch memory.
    """
    _respond_alone(owners, b, response)
    c = limbs.body[b]["component"]
    if c >= 0:
        factor_certain(joints, owners, c, True)
        if not has_fronts(joints, c):
            _respond_joined(limbs, joints, owners, b, response)
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
