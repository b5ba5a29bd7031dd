"""J M⁻¹ Jᵀ of all joints of a component by blocks, and its factor L Lᵀ.

`joint_graph` says which blocks there are. The matrix depends on where bodies are and is summed up
once for that; the factor also on which rows are met and how soft they are, and is made again when
that changes. So the end of a substep and the beginning of the next one share both. Large components
have fronts in place of blocks (`front_factor`).

Loops can make rows depend on each other, and limits can ask for what cannot be. `EVEN` of the
diagonal is therefore added to it: each row gives way by that share of its impulse.
"""

from __future__ import annotations

import math

from ...kernels.jit import lean, lean_inline
from ...model.joint_table import POINT
from .front_factor import clear_solution, factor_fronts, solve_fronts
from .joint_graph import PULL_AT, PULL_JOINT, PULL_OWNER, PULL_ROW, PULL_SIDE, PULL_WIDTH
from .joint_rows import (
    ACTIVE,
    ARM,
    CROSS,
    DRIVEN,
    EVENLY,
    FACTOR_AT,
    FIRST_FRONT,
    FIRST_ROW,
    GIVE,
    GIVEN,
    HELD,
    LETS_GO,
    LINE,
    LIVE,
    MATRIX_AT,
    MET,
    MODE,
    OWN,
    OWNER,
    PLACE_FORM,
    STATE,
    TURN,
    mobility,
)

EVEN = 1e-5
"""Share of the diagonal by which rows give way."""

STALE, SUMMED, FACTORED = range(3)
"""How much of a component's matrix is known."""

INACTIVE = -1.0
"""In place of the softness of a row that is not met."""


@lean
def forget_matrices(joints):
    """Bodies have moved, or joints have broken: all matrices are to be made again."""
    for c in range(joints.component.shape[0] - 1):
        joints.component[c, STATE] = STALE


@lean_inline
def has_fronts(joints, c):
    """Whether a component is solved by fronts."""
    return joints.component[c, FIRST_FRONT] < joints.component[c + 1, FIRST_FRONT]


@lean_inline
def ready_factor(joints, owners, c):
    """Have the factor of a component for the rows that are met now."""
    component = joints.component
    if has_fronts(joints, c):
        if component[c, STATE] == FACTORED and _is_factor_of_now(joints, c):
            return
        _meet_by_fronts(joints, owners, c)
        factor_fronts(joints, owners, c)
        component[c, STATE] = FACTORED
        return
    if component[c, LETS_GO] == 0:
        if component[c, STATE] != FACTORED:
            _sum_up(joints, owners, c, joints.value)
            _meet_all(joints, c)
            _factorise(joints, c)
            component[c, STATE] = FACTORED
        return
    if component[c, STATE] == STALE:
        _sum_up(joints, owners, c, joints.matrix)
        component[c, STATE] = SUMMED
    if component[c, STATE] == FACTORED and _is_factor_of_now(joints, c):
        return
    _meet(joints, c)
    _soften(joints, c)
    _factorise(joints, c)
    component[c, STATE] = FACTORED


@lean_inline
def factor_certain(joints, owners, c, is_careful):
    """Have the factor of a component for what holds for certain: not motors, nor friction.

    Of limits those that hold now, or none where that is_careful.
    """
    component, flag = joints.component, joints.flag
    if component[c, LETS_GO] == 1:
        for n in range(component[c, 0], component[c + 1, 0]):
            j = joints.place[n, 0]
            for row in range(joints.whole[j, FIRST_ROW], joints.whole[j + 1, FIRST_ROW]):
                mode = flag[row, MODE]
                if mode != HELD and (is_careful or mode == DRIVEN):
                    flag[row, ACTIVE] = 0
    ready_factor(joints, owners, c)


@lean_inline
def _is_factor_of_now(joints, c):
    whole, flag, bound = joints.whole, joints.flag, joints.bound
    if joints.component[c, LETS_GO] == 0:
        return True
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            given = bound[row, GIVE] if flag[row, ACTIVE] == 1 else INACTIVE
            if bound[row, GIVEN] != given:
                return False
    return True


@lean_inline
def _sum_up(joints, owners, c, matrix):
    """J M⁻¹ Jᵀ of all rows of live joints; of diagonal blocks the lower half counts."""
    whole, place, block, pull = joints.whole, joints.place, joints.block, joints.pull
    first = block[place[joints.component[c, 0], 1], MATRIX_AT]
    last = block[place[joints.component[c + 1, 0], 1], MATRIX_AT]
    for n in range(first, last):
        matrix[n] = 0.0
    for n in range(joints.component[c, 1], joints.component[c + 1, 1]):
        i, j, o = pull[n, PULL_JOINT], pull[n, PULL_JOINT + 1], pull[n, PULL_OWNER]
        w = owners.inverse_mass[o]
        if w == 0.0 or whole[i, LIVE] == 0 or whole[j, LIVE] == 0:
            continue
        if whole[i, PLACE_FORM] == POINT and whole[j, PLACE_FORM] == POINT:
            _add_pull_of_points(joints, matrix, n, i, j, w)
        else:
            _add_pull(joints, matrix, n, i, j, w)


@lean_inline
def _add_pull(joints, matrix, n, i, j, w):
    """What joint j does to rows of joint i through a body of inverse mass w."""
    axis, pull = joints.axis, joints.pull
    a, b = CROSS + 3 * pull[n, PULL_SIDE], TURN + 3 * pull[n, PULL_SIDE + 1]
    sign = 1.0 if pull[n, PULL_SIDE] == pull[n, PULL_SIDE + 1] else -1.0
    w *= sign
    first_i, first_j = pull[n, PULL_ROW], pull[n, PULL_ROW + 1]
    start, width = pull[n, PULL_AT], pull[n, PULL_WIDTH]
    for k in range(width):
        rj = first_j + k
        l0, l1, l2 = w * axis[rj, LINE], w * axis[rj, LINE + 1], w * axis[rj, LINE + 2]
        t0, t1, t2 = sign * axis[rj, b], sign * axis[rj, b + 1], sign * axis[rj, b + 2]
        for m in range(k if i == j else 0, joints.whole[i + 1, FIRST_ROW] - first_i):
            ri = first_i + m
            matrix[start + m * width + k] += (
                l0 * axis[ri, LINE]
                + l1 * axis[ri, LINE + 1]
                + l2 * axis[ri, LINE + 2]
                + t0 * axis[ri, a]
                + t1 * axis[ri, a + 1]
                + t2 * axis[ri, a + 2]
            )


@lean_inline
def _add_pull_of_points(joints, matrix, n, i, j, w):
    """The same of two joints that hold points: three rows along the axes of the world, then turns.

    The torque of row k about the arm r is r × e_k, whose product with t is (t × r)_k.
    """
    axis, pull, hold = joints.axis, joints.pull, joints.hold
    side = pull[n, PULL_SIDE]
    a, b, r = CROSS + 3 * side, TURN + 3 * pull[n, PULL_SIDE + 1], ARM + 3 * side
    sign = 1.0 if side == pull[n, PULL_SIDE + 1] else -1.0
    w *= sign
    x, y, z = sign * hold[i, r], sign * hold[i, r + 1], sign * hold[i, r + 2]
    first_i, first_j = pull[n, PULL_ROW], pull[n, PULL_ROW + 1]
    at, width = pull[n, PULL_AT], pull[n, PULL_WIDTH]
    height = joints.whole[i + 1, FIRST_ROW] - first_i
    for k in range(3):
        matrix[at + k * width + k] += w
    for k in range(width):
        t0, t1, t2 = axis[first_j + k, b], axis[first_j + k, b + 1], axis[first_j + k, b + 2]
        matrix[at + k] += t1 * z - t2 * y
        matrix[at + width + k] += t2 * x - t0 * z
        matrix[at + 2 * width + k] += t0 * y - t1 * x
        for m in range(3, height):
            ri = first_i + m
            matrix[at + m * width + k] += sign * (
                t0 * axis[ri, a] + t1 * axis[ri, a + 1] + t2 * axis[ri, a + 2]
            )


@lean_inline
def _meet_by_fronts(joints, owners, c):
    """List the rows that are met of a component that has fronts."""
    whole, bound, flag = joints.whole, joints.bound, joints.flag
    lets_go = joints.component[c, LETS_GO] == 1
    is_known = joints.component[c, STATE] != STALE
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        first, p, q = whole[j, FIRST_ROW], whole[j, OWNER], whole[j, OWNER + 1]
        count = 0
        for row in range(first, whole[j + 1, FIRST_ROW]):
            if not is_known:
                bound[row, OWN] = mobility(joints, row, owners, p, q)
            if not lets_go:
                flag[row, ACTIVE] = whole[j, LIVE]
            if flag[row, ACTIVE] == 1 and bound[row, OWN] > 0.0:
                bound[row, GIVEN] = bound[row, GIVE]
                bound[row, EVENLY] = EVEN * bound[row, OWN]
                joints.met[first + count] = row
                count += 1
            else:
                flag[row, ACTIVE] = 0
                bound[row, GIVEN] = INACTIVE
        whole[j, MET] = count


@lean_inline
def _meet_all(joints, c):
    """The same as `_meet` and `_soften` where nothing lets go: whole joints are met, or none."""
    whole, place, block, value = joints.whole, joints.place, joints.block, joints.value
    first, last = joints.component[c, 0], joints.component[c + 1, 0]
    for n in range(first, last):
        j = place[n, 0]
        row = whole[j, FIRST_ROW]
        size = whole[j + 1, FIRST_ROW] - row
        whole[j, MET] = size if whole[j, LIVE] == 1 else 0
        d = block[place[n, 1], MATRIX_AT]
        for k in range(whole[j, MET]):
            own = value[d + k * size + k]
            joints.met[row + k] = row + k
            joints.bound[row + k, EVENLY] = EVEN * own
            # what nothing can push is left: 1/√∞
            value[d + k * size + k] = own + EVEN * own if own > 0.0 else math.inf
    for n in range(first, last):
        width = whole[place[n, 0], MET]
        for b in range(place[n, 1], place[n + 1, 1]):
            at = block[b, MATRIX_AT]
            block[b, FACTOR_AT] = at
            block[b, FACTOR_AT + 1] = at + whole[block[b, 0], MET] * width


@lean_inline
def _meet(joints, c):
    """List the rows that are met, joint by joint, and lay their blocks of the factor out."""
    whole, place, block, met = joints.whole, joints.place, joints.block, joints.met
    matrix, bound, flag = joints.matrix, joints.bound, joints.flag
    first, last = joints.component[c, 0], joints.component[c + 1, 0]
    lets_go = joints.component[c, LETS_GO] == 1
    for n in range(first, last):
        j = place[n, 0]
        row = whole[j, FIRST_ROW]
        size = whole[j + 1, FIRST_ROW] - row
        d = block[place[n, 1], MATRIX_AT]
        count = 0
        for k in range(size):
            own = matrix[d + k * size + k]
            bound[row + k, OWN] = own
            is_met = flag[row + k, ACTIVE] == 1 if lets_go else whole[j, LIVE] == 1
            if is_met and own > 0.0:
                flag[row + k, ACTIVE] = 1
                bound[row + k, GIVEN] = bound[row + k, GIVE]
                bound[row + k, EVENLY] = EVEN * own
                met[row + count] = row + k
                count += 1
            else:
                flag[row + k, ACTIVE] = 0
                bound[row + k, GIVEN] = INACTIVE
        whole[j, MET] = count
    at = block[place[first, 1], MATRIX_AT]
    for n in range(first, last):
        width = whole[place[n, 0], MET]
        for b in range(place[n, 1], place[n + 1, 1]):
            block[b, FACTOR_AT] = at
            at += whole[block[b, 0], MET] * width
            block[b, FACTOR_AT + 1] = at


@lean_inline
def _soften(joints, c):
    """The matrix of the rows that are met, with their softness, where the factor will be."""
    whole, place, block, met = joints.whole, joints.place, joints.block, joints.met
    matrix, value, bound = joints.matrix, joints.value, joints.bound
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = place[n, 0]
        column = whole[j, FIRST_ROW]
        size, width = whole[j + 1, FIRST_ROW] - column, whole[j, MET]
        for b in range(place[n, 1], place[n + 1, 1]):
            i = block[b, 0]
            row = whole[i, FIRST_ROW]
            start, at = block[b, MATRIX_AT], block[b, FACTOR_AT]
            if width == size and whole[i, MET] == whole[i + 1, FIRST_ROW] - row:
                for k in range(block[b, FACTOR_AT + 1] - at):
                    value[at + k] = matrix[start + k]
                continue
            for m in range(whole[i, MET]):
                line = start + (met[row + m] - row) * size - column
                for k in range(width):
                    value[at] = matrix[line + met[column + k]]
                    at += 1
        d = block[place[n, 1], FACTOR_AT]
        for k in range(width):
            r = met[column + k]
            value[d + k * width + k] += bound[r, GIVE] + bound[r, EVENLY]


@lean_inline
def _factorise(joints, c):
    """L Lᵀ in place; on its diagonal 1/L."""
    whole, place, block, value = joints.whole, joints.place, joints.block, joints.value
    update = joints.update
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        size = whole[place[n, 0], MET]
        d = block[place[n, 1], FACTOR_AT]
        _factorise_block(value, d, size)
        first, last = place[n, 1] + 1, place[n + 1, 1]
        if first < last:
            _divide(value, block[first, FACTOR_AT], block[last - 1, FACTOR_AT + 1], d, size)
        for u in range(place[n, 2], place[n + 1, 2]):
            left, right = update[u, 1], update[u, 2]
            _subtract(
                value,
                block[update[u, 0], FACTOR_AT],
                block[left, FACTOR_AT],
                block[left, FACTOR_AT + 1],
                block[right, FACTOR_AT],
                block[right, FACTOR_AT + 1],
                size,
            )


@lean_inline
def _pivot(left, before):
    """1/√ of what is left of a diagonal; rows that say the same twice would leave only rounding."""
    return 1.0 / math.sqrt(max(left, 1e-12 * before, 1e-300))


@lean_inline
def _factorise_block(value, d, size):
    """L Lᵀ of the diagonal block that begins at d."""
    if size == 3:
        a, b, c = value[d + 3], value[d + 6], value[d + 7]
        p = _pivot(value[d], value[d])
        a, b = a * p, b * p
        q = _pivot(value[d + 4] - a * a, value[d + 4])
        c = (c - b * a) * q
        value[d + 8] = _pivot(value[d + 8] - b * b - c * c, value[d + 8])
        value[d], value[d + 4] = p, q
        value[d + 3], value[d + 6], value[d + 7] = a, b, c
        return
    for k in range(size):
        at = d + k * size
        total = value[at + k]
        for m in range(k):
            total -= value[at + m] ** 2
        pivot = _pivot(total, value[at + k])
        value[at + k] = pivot
        for i in range(k + 1, size):
            other = d + i * size
            total = value[other + k]
            for m in range(k):
                total -= value[other + m] * value[at + m]
            value[other + k] = total * pivot


@lean_inline
def _divide(value, first, last, d, size):
    """Rows of values from first up to last times L⁻ᵀ of the diagonal block at d."""
    if size == 3:
        p, q, r = value[d], value[d + 4], value[d + 8]
        a, b, c = value[d + 3], value[d + 6], value[d + 7]
        for at in range(first, last, 3):
            x = value[at] * p
            y = (value[at + 1] - x * a) * q
            value[at] = x
            value[at + 1] = y
            value[at + 2] = (value[at + 2] - x * b - y * c) * r
        return
    for at in range(first, last, max(size, 1)):  # a joint that leaves all free has no row
        for k in range(size):
            total = value[at + k]
            for m in range(k):
                total -= value[at + m] * value[d + k * size + m]
            value[at + k] = total * value[d + k * size + k]


@lean_inline
def _subtract(value, target, left, left_end, right, right_end, size):
    """Target −= left rightᵀ, blocks of rows of ``size`` values."""
    if size == 3:
        for a in range(left, left_end, 3):
            x, y, z = value[a], value[a + 1], value[a + 2]
            for b in range(right, right_end, 3):
                value[target] -= x * value[b] + y * value[b + 1] + z * value[b + 2]
                target += 1
        return
    step = max(size, 1)
    for a in range(left, left_end, step):
        for b in range(right, right_end, step):
            total = 0.0
            for m in range(size):
                total += value[a + m] * value[b + m]
            value[target] -= total
            target += 1


@lean_inline
def substitute(joints, c):
    """Solve J M⁻¹ Jᵀ x = change for the component's rows that are met, in place."""
    if has_fronts(joints, c):
        _substitute_by_fronts(joints, c)
        return
    whole, place, block, value = joints.whole, joints.place, joints.block, joints.value
    change = joints.change
    first, last = joints.component[c, 0], joints.component[c + 1, 0]
    for n in range(first, last):
        j = place[n, 0]
        at, size = whole[j, FIRST_ROW], whole[j, MET]
        _substitute_forward(value, block[place[n, 1], FACTOR_AT], change, at, size)
        for b in range(place[n, 1] + 1, place[n + 1, 1]):
            i = block[b, 0]
            _pass_on(
                value, block[b, FACTOR_AT], change, at, size, whole[i, FIRST_ROW], whole[i, MET]
            )
    for back in range(last - first):
        n = last - 1 - back
        j = place[n, 0]
        at, size = whole[j, FIRST_ROW], whole[j, MET]
        for b in range(place[n, 1] + 1, place[n + 1, 1]):
            i = block[b, 0]
            _pass_back(
                value, block[b, FACTOR_AT], change, at, size, whole[i, FIRST_ROW], whole[i, MET]
            )
        _substitute_back(value, block[place[n, 1], FACTOR_AT], change, at, size)


@lean_inline
def _substitute_by_fronts(joints, c):
    """The same by fronts, whose solution is (Δv, −Δλ)."""
    fronts, whole, met = joints.fronts, joints.whole, joints.met
    clear_solution(joints, c)
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        first = whole[j, FIRST_ROW]
        for k in range(first, first + whole[j, MET]):
            fronts.solution[fronts.joint_at[j] + met[k] - first] = joints.change[k]
    solve_fronts(joints, c)
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        first = whole[j, FIRST_ROW]
        for k in range(first, first + whole[j, MET]):
            joints.change[k] = -fronts.solution[fronts.joint_at[j] + met[k] - first]


@lean_inline
def _substitute_forward(value, d, change, at, size):
    """L⁻¹ of the diagonal block at d times the changes from ``at`` on."""
    if size == 3:
        x = change[at] * value[d]
        y = (change[at + 1] - value[d + 3] * x) * value[d + 4]
        z = change[at + 2] - value[d + 6] * x - value[d + 7] * y
        change[at], change[at + 1], change[at + 2] = x, y, z * value[d + 8]
        return
    for k in range(size):
        total = change[at + k]
        for m in range(k):
            total -= value[d + k * size + m] * change[at + m]
        change[at + k] = total * value[d + k * size + k]


@lean_inline
def _substitute_back(value, d, change, at, size):
    """L⁻ᵀ of the diagonal block at d times the changes from ``at`` on."""
    if size == 3:
        z = change[at + 2] * value[d + 8]
        y = (change[at + 1] - value[d + 7] * z) * value[d + 4]
        x = change[at] - value[d + 3] * y - value[d + 6] * z
        change[at], change[at + 1], change[at + 2] = x * value[d], y, z
        return
    for down in range(size):
        k = size - 1 - down
        total = change[at + k]
        for m in range(k + 1, size):
            total -= value[d + m * size + k] * change[at + m]
        change[at + k] = total * value[d + k * size + k]


@lean_inline
def _pass_on(value, b, change, at, size, other, height):
    """``height`` changes from ``other`` on less the block at b times those from ``at`` on."""
    if size == 3:
        x, y, z = change[at], change[at + 1], change[at + 2]
        for k in range(other, other + height):
            change[k] -= value[b] * x + value[b + 1] * y + value[b + 2] * z
            b += 3
        return
    for k in range(other, other + height):
        total = change[k]
        for m in range(size):
            total -= value[b + m] * change[at + m]
        change[k] = total
        b += size


@lean_inline
def _pass_back(value, b, change, at, size, other, height):
    """Changes from ``at`` on less the transpose of the block at b times those from ``other`` on."""
    if size == 3:
        x, y, z = change[at], change[at + 1], change[at + 2]
        for k in range(other, other + height):
            c = change[k]
            x -= value[b] * c
            y -= value[b + 1] * c
            z -= value[b + 2] * c
            b += 3
        change[at], change[at + 1], change[at + 2] = x, y, z
        return
    for k in range(other, other + height):
        x = change[k]
        for m in range(size):
            change[at + m] -= value[b + m] * x
        b += size
