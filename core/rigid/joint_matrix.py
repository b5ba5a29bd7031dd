"""J M⁻¹ Jᵀ of all joints of a component by blocks, and its factor L Lᵀ.

`joint_graph` says which blocks there are. The matrix depends on where bodies are and is summed up
once for that; the factor also on which rows are met and how soft they are, and is made again when
that changes. So the end of a substep and the beginning of the next one share both.

Loops can make rows depend on each other, and limits can ask for what cannot be. `EVEN` of the
diagonal is therefore added to it: each row gives way by that share of its impulse.
"""

from __future__ import annotations

import math

from ..jit import lean
from .joint_graph import PULL_AT, PULL_JOINT, PULL_OWNER, PULL_ROW, PULL_SIDE, PULL_WIDTH
from .joint_rows import (
    ACTIVE,
    ARM,
    CROSS,
    EVENLY,
    FACTOR_AT,
    FIRST_ROW,
    GIVE,
    GIVEN,
    LETS_GO,
    LINE,
    LIVE,
    MATRIX_AT,
    MET,
    PLACE_FORM,
    STATE,
    TURN,
)
from .joint_table import POINT

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


@lean
def ready_factor(joints, owners, c):
    """Have the factor of a component for the rows that are met now."""
    component = joints.component
    if component[c, STATE] == STALE:
        _sum_up(joints, owners, c)
        component[c, STATE] = SUMMED
    if component[c, STATE] == FACTORED and (
        component[c, LETS_GO] == 0 or _is_factor_of_now(joints, c)
    ):
        return
    _meet(joints, c)
    _soften(joints, c)
    _factorise(joints, c)
    component[c, STATE] = FACTORED


@lean
def _is_factor_of_now(joints, c):
    whole, flag, bound = joints.whole, joints.flag, joints.bound
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            given = bound[row, GIVE] if flag[row, ACTIVE] == 1 else INACTIVE
            if bound[row, GIVEN] != given:
                return False
    return True


@lean
def _sum_up(joints, owners, c):
    """J M⁻¹ Jᵀ of all rows of live joints; of diagonal blocks the lower half counts."""
    whole, place, block, matrix = joints.whole, joints.place, joints.block, joints.matrix
    pull = joints.pull
    first = block[place[joints.component[c, 0], 1], MATRIX_AT]
    last = block[place[joints.component[c + 1, 0], 1], MATRIX_AT]
    summed = matrix[first:last]
    for n in range(summed.shape[0]):
        summed[n] = 0.0
    for n in range(joints.component[c, 1], joints.component[c + 1, 1]):
        i, j, o = pull[n, PULL_JOINT], pull[n, PULL_JOINT + 1], pull[n, PULL_OWNER]
        w = owners.inverse_mass[o]
        if w == 0.0 or whole[i, LIVE] == 0 or whole[j, LIVE] == 0:
            continue
        if whole[i, PLACE_FORM] == POINT and whole[j, PLACE_FORM] == POINT:
            _add_pull_of_points(joints, n, i, j, w)
        else:
            _add_pull(joints, n, i, j, w)


@lean
def _add_pull(joints, n, i, j, w):
    """What joint j does to rows of joint i through a body of inverse mass w."""
    axis, matrix, pull = joints.axis, joints.matrix, joints.pull
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


@lean
def _add_pull_of_points(joints, n, i, j, w):
    """The same of two joints that hold points: three rows along the axes of the world, then turns.

    The torque of row k about the arm r is r × e_k, whose product with t is (t × r)_k.
    """
    axis, matrix, pull, hold = joints.axis, joints.matrix, joints.pull, joints.hold
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


@lean
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


@lean
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


@lean
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


@lean
def _pivot(left, before):
    """1/√ of what is left of a diagonal; rows that say the same twice would leave only rounding."""
    return 1.0 / math.sqrt(max(left, 1e-12 * before, 1e-300))


@lean
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


@lean
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


@lean
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


@lean
def substitute(joints, c):
    """Solve L Lᵀ x = change of the component's rows that are met, in place."""
    whole, place, block, value = joints.whole, joints.place, joints.block, joints.value
    change, met = joints.change, joints.met
    first, last = joints.component[c, 0], joints.component[c + 1, 0]
    for n in range(first, last):
        j = place[n, 0]
        row, size = whole[j, FIRST_ROW], whole[j, MET]
        _substitute_forward(value, block[place[n, 1], FACTOR_AT], change, met, row, size)
        for b in range(place[n, 1] + 1, place[n + 1, 1]):
            i = block[b, 0]
            other = whole[i, FIRST_ROW]
            _pass_on(value, block[b, FACTOR_AT], change, met, row, size, other, whole[i, MET])
    for back in range(last - first):
        n = last - 1 - back
        j = place[n, 0]
        row, size = whole[j, FIRST_ROW], whole[j, MET]
        for b in range(place[n, 1] + 1, place[n + 1, 1]):
            i = block[b, 0]
            other = whole[i, FIRST_ROW]
            _pass_back(value, block[b, FACTOR_AT], change, met, row, size, other, whole[i, MET])
        _substitute_back(value, block[place[n, 1], FACTOR_AT], change, met, row, size)


@lean
def _substitute_forward(value, d, change, met, row, size):
    """L⁻¹ of the diagonal block at d times the changes of the rows listed from ``row`` on."""
    if size == 3:
        a, b, c = met[row], met[row + 1], met[row + 2]
        x = change[a] * value[d]
        y = (change[b] - value[d + 3] * x) * value[d + 4]
        z = change[c] - value[d + 6] * x - value[d + 7] * y
        change[a], change[b], change[c] = x, y, z * value[d + 8]
        return
    for k in range(size):
        total = change[met[row + k]]
        for m in range(k):
            total -= value[d + k * size + m] * change[met[row + m]]
        change[met[row + k]] = total * value[d + k * size + k]


@lean
def _substitute_back(value, d, change, met, row, size):
    """L⁻ᵀ of the diagonal block at d times the changes of the rows listed from ``row`` on."""
    if size == 3:
        a, b, c = met[row], met[row + 1], met[row + 2]
        z = change[c] * value[d + 8]
        y = (change[b] - value[d + 7] * z) * value[d + 4]
        x = change[a] - value[d + 3] * y - value[d + 6] * z
        change[a], change[b], change[c] = x * value[d], y, z
        return
    for down in range(size):
        k = size - 1 - down
        total = change[met[row + k]]
        for m in range(k + 1, size):
            total -= value[d + m * size + k] * change[met[row + m]]
        change[met[row + k]] = total * value[d + k * size + k]


@lean
def _pass_on(value, at, change, met, row, size, other, height):
    """``height`` rows listed from ``other`` less the block at ``at`` times those from ``row``."""
    if size == 3:
        x, y, z = change[met[row]], change[met[row + 1]], change[met[row + 2]]
        for k in range(other, other + height):
            change[met[k]] -= value[at] * x + value[at + 1] * y + value[at + 2] * z
            at += 3
        return
    for k in range(other, other + height):
        total = change[met[k]]
        for m in range(size):
            total -= value[at + m] * change[met[row + m]]
        change[met[k]] = total
        at += size


@lean
def _pass_back(value, at, change, met, row, size, other, height):
    """Rows listed from ``row`` on less the transpose of that block times those from ``other``."""
    if size == 3:
        x, y, z = change[met[row]], change[met[row + 1]], change[met[row + 2]]
        for k in range(other, other + height):
            c = change[met[k]]
            x -= value[at] * c
            y -= value[at + 1] * c
            z -= value[at + 2] * c
            at += 3
        change[met[row]], change[met[row + 1]], change[met[row + 2]] = x, y, z
        return
    for k in range(other, other + height):
        x = change[met[k]]
        for m in range(size):
            change[met[row + m]] -= value[at + m] * x
        at += size
