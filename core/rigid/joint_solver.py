"""All joints of a component solved at once: J M⁻¹ Jᵀ λ = what is asked for, by blocks (L Lᵀ).

`joint_graph` says which blocks there are. Rows that may let go (limits, motors, friction) are held
as long as their impulse stays within its bounds; those that leave them are set to the bound and
the others solved again, a few rounds of an active set. Springs add their softness to the diagonal.

Loops can make rows depend on each other. `EVEN` of the diagonal is added to it, so that there is
a solution; it acts on the change of the impulse only and so bends nothing in the long run.
"""

from __future__ import annotations

import math

from ..jit import lean
from .joint_rows import (
    ACTIVE,
    AIM,
    AT_LOWER,
    AT_UPPER,
    CHANGE,
    CROSS,
    DRIVEN,
    FIRST_ROW,
    GIVE,
    HELD,
    HIGH,
    IDLE,
    IMPULSE,
    LEAST,
    LINE,
    LIVE,
    LOW,
    MODE,
    MOST,
    OWNER,
    PULL,
    SOFT,
    TURN,
    ask_joints,
    bound_row,
    push_row,
    row_speed,
)
from .joint_stiffness import stiffen

EVEN = 1e-8
"""Share of the diagonal that is added to it."""

ROUNDS = 5
"""Largest number of tries to find which limits, motors and brakes hold."""

STIFFENINGS = 3
"""Largest number of times that inertias are raised in one pass."""

TOUCH = 1e-7
"""Speeds (m/s or rad/s) that count as none when it is decided whether a limit holds."""


@lean
def _assemble(joints, owners, c):
    """Blocks of J M⁻¹ Jᵀ of a component, with softness on the diagonal."""
    whole, place, block, value = joints.whole, joints.place, joints.block, joints.value
    first, last = joints.component[c, 0], joints.component[c + 1, 0]
    for n in range(block[place[first, 1], 1], block[place[last, 1], 1]):
        value[n] = 0.0
    for n in range(joints.component[c, 1], joints.component[c + 1, 1]):
        b, i, si, j, sj = (
            joints.pull[n, 0],
            joints.pull[n, 1],
            joints.pull[n, 2],
            joints.pull[n, 3],
            joints.pull[n, 4],
        )
        if whole[i, LIVE] == 0 or whole[j, LIVE] == 0:
            continue
        o = whole[j, OWNER + sj]
        sign = 1.0 if si == sj else -1.0
        w = owners.inverse_mass[o]
        if w == 0.0:
            continue
        at = block[b, 1]
        for ri in range(whole[i, FIRST_ROW], whole[i + 1, FIRST_ROW]):
            for rj in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
                if joints.flag[ri, ACTIVE] == 1 and joints.flag[rj, ACTIVE] == 1:
                    p, q = joints.axis[ri], joints.axis[rj]
                    total = 0.0
                    for k in range(3):
                        total += w * p[LINE + k] * q[LINE + k]
                        total += p[CROSS + 3 * si + k] * q[TURN + 3 * sj + k]
                    value[at] += sign * total
                at += 1
    for n in range(first, last):
        j = place[n, 0]
        size = whole[j + 1, FIRST_ROW] - whole[j, FIRST_ROW]
        at = block[place[n, 1], 1]
        for k in range(size):
            row = whole[j, FIRST_ROW] + k
            d = at + k * size + k
            if joints.flag[row, ACTIVE] == 0 or not value[d] > 0.0:
                joints.flag[row, ACTIVE] = 0
                value[d] = 1.0
            else:
                value[d] += joints.bound[row, GIVE] + EVEN * value[d]


@lean
def _factorise(joints, c):
    """L Lᵀ of the assembled blocks, in place."""
    whole, place, block, value = joints.whole, joints.place, joints.block, joints.value
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = place[n, 0]
        size = whole[j + 1, FIRST_ROW] - whole[j, FIRST_ROW]
        d = block[place[n, 1], 1]
        for k in range(size):
            total = value[d + k * size + k]
            most = total
            for m in range(k):
                total -= value[d + k * size + m] ** 2
            # rows that say the same twice would leave nothing but rounding
            total = max(total, 1e-12 * most, 1e-300)
            pivot = math.sqrt(total)
            value[d + k * size + k] = pivot
            for i in range(k + 1, size):
                total = value[d + i * size + k]
                for m in range(k):
                    total -= value[d + i * size + m] * value[d + k * size + m]
                value[d + i * size + k] = total / pivot
        for b in range(place[n, 1] + 1, place[n + 1, 1]):
            i = block[b, 0]
            at = block[b, 1]
            for _ in range(whole[i + 1, FIRST_ROW] - whole[i, FIRST_ROW]):
                for k in range(size):
                    total = value[at + k]
                    for m in range(k):
                        total -= value[at + m] * value[d + k * size + m]
                    value[at + k] = total / value[d + k * size + k]
                at += size
        for u in range(place[n, 2], place[n + 1, 2]):
            target = block[joints.update[u, 0], 1]
            left, right = joints.update[u, 1], joints.update[u, 2]
            rows = whole[block[left, 0] + 1, FIRST_ROW] - whole[block[left, 0], FIRST_ROW]
            columns = whole[block[right, 0] + 1, FIRST_ROW] - whole[block[right, 0], FIRST_ROW]
            a = block[left, 1]
            for _ in range(rows):
                e = block[right, 1]
                for _ in range(columns):
                    total = 0.0
                    for m in range(size):
                        total += value[a + m] * value[e + m]
                    value[target] -= total
                    target += 1
                    e += size
                a += size


@lean
def _substitute(joints, c):
    """Solve L Lᵀ x = CHANGE of the component's rows, in place."""
    whole, place, block, value = joints.whole, joints.place, joints.block, joints.value
    bound = joints.bound
    first, last = joints.component[c, 0], joints.component[c + 1, 0]
    for n in range(first, last):
        j = place[n, 0]
        row = whole[j, FIRST_ROW]
        size = whole[j + 1, FIRST_ROW] - row
        d = block[place[n, 1], 1]
        for k in range(size):
            total = bound[row + k, CHANGE]
            for m in range(k):
                total -= value[d + k * size + m] * bound[row + m, CHANGE]
            bound[row + k, CHANGE] = total / value[d + k * size + k]
        for b in range(place[n, 1] + 1, place[n + 1, 1]):
            at = block[b, 1]
            i = block[b, 0]
            for other in range(whole[i, FIRST_ROW], whole[i + 1, FIRST_ROW]):
                for m in range(size):
                    bound[other, CHANGE] -= value[at + m] * bound[row + m, CHANGE]
                at += size
    for back in range(first, last):
        n = last - 1 - (back - first)
        j = place[n, 0]
        row = whole[j, FIRST_ROW]
        size = whole[j + 1, FIRST_ROW] - row
        for b in range(place[n, 1] + 1, place[n + 1, 1]):
            at = block[b, 1]
            i = block[b, 0]
            for other in range(whole[i, FIRST_ROW], whole[i + 1, FIRST_ROW]):
                for m in range(size):
                    bound[row + m, CHANGE] -= value[at + m] * bound[other, CHANGE]
                at += size
        d = block[place[n, 1], 1]
        for down in range(size):
            k = size - 1 - down
            total = bound[row + k, CHANGE]
            for m in range(k + 1, size):
                total -= value[d + m * size + k] * bound[row + m, CHANGE]
            bound[row + k, CHANGE] = total / value[d + k * size + k]


@lean
def _short(joints, row, owners, p, q):
    """What a row lacks of the speed that it asks for; positive: a larger impulse would help."""
    bound = joints.bound[row]
    return bound[AIM] - row_speed(joints, row, owners, p, q) - bound[GIVE] * bound[IMPULSE]


@lean
def _choose(joints, owners, c, is_biased):
    """Which rows of a component are to be met; springs have done their part in the biased pass."""
    whole, bound = joints.whole, joints.bound
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            active = whole[j, LIVE]
            mode = joints.flag[row, MODE]
            if mode == IDLE or (mode == DRIVEN and not is_biased and bound[row, SOFT] > 0.0):
                active = 0
            elif active == 1 and mode != HELD:
                short = _short(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1])
                if bound[row, IMPULSE] <= bound[row, LOW]:
                    active = 1 if short > 0.0 else 0
                elif bound[row, IMPULSE] >= bound[row, HIGH]:
                    active = 1 if short < 0.0 else 0
            joints.flag[row, ACTIVE] = active


@lean
def _clamp(joints, owners, c, is_biased):
    """Set rows that would leave their bounds to these; how many there were."""
    whole, bound, flag = joints.whole, joints.bound, joints.flag
    count = 0
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            if flag[row, ACTIVE] == 0 or flag[row, MODE] == HELD:
                continue
            wanted = bound[row, IMPULSE] + bound[row, CHANGE]
            kept = min(max(wanted, bound[row, LOW]), bound[row, HIGH])
            if kept == wanted:
                continue
            count += 1
            change = kept - bound[row, IMPULSE]
            bound[row, IMPULSE] = kept
            push_row(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1], change)
            if flag[row, MODE] != DRIVEN and bound[row, PULL] > 0.0:
                flag[row, MODE] = DRIVEN  # the limit lets go, the motor goes on
                bound_row(joints, row)
                if is_biased or bound[row, SOFT] == 0.0:
                    continue
            flag[row, ACTIVE] = 0
    return count


@lean
def _apply(joints, owners, c):
    """Add the changes to the impulses of all rows that are met."""
    whole, bound = joints.whole, joints.bound
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            if joints.flag[row, ACTIVE] == 0:
                continue
            wanted = bound[row, IMPULSE] + bound[row, CHANGE]
            kept = min(max(wanted, bound[row, LOW]), bound[row, HIGH])
            change = kept - bound[row, IMPULSE]
            bound[row, IMPULSE] = kept
            push_row(joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1], change)


@lean
def _reconsider(joints, owners, c, is_biased):
    """Take up rows again that are left but should not be; how many there were."""
    whole, bound, flag = joints.whole, joints.bound, joints.flag
    count = 0
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        if whole[j, LIVE] == 0:
            continue
        p, q = whole[j, OWNER], whole[j, OWNER + 1]
        for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
            mode = flag[row, MODE]
            if mode in (HELD, IDLE):
                continue
            if mode == DRIVEN:
                speed = row_speed(joints, row, owners, p, q)
                if speed < bound[row, LEAST] - TOUCH or speed > bound[row, MOST] + TOUCH:
                    flag[row, MODE] = AT_LOWER if speed < bound[row, LEAST] else AT_UPPER
                    bound_row(joints, row)
                    flag[row, ACTIVE] = 1
                    count += 1
                    continue
                if not is_biased and bound[row, SOFT] > 0.0:
                    continue
            if flag[row, ACTIVE] == 1:
                continue
            short = _short(joints, row, owners, p, q)
            if (bound[row, IMPULSE] <= bound[row, LOW] and short > TOUCH) or (
                bound[row, IMPULSE] >= bound[row, HIGH] and short < -TOUCH
            ):
                flag[row, ACTIVE] = 1
                count += 1
    return count


@lean
def _solve_component(joints, owners, c, is_biased):
    """Find impulses that meet all rows of a component, or hold them at their bounds."""
    whole = joints.whole
    for attempt in range(ROUNDS):
        _assemble(joints, owners, c)
        _factorise(joints, c)
        for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
            j = joints.place[n, 0]
            for row in range(whole[j, FIRST_ROW], whole[j + 1, FIRST_ROW]):
                joints.bound[row, CHANGE] = 0.0
                if joints.flag[row, ACTIVE] == 1:
                    joints.bound[row, CHANGE] = _short(
                        joints, row, owners, whole[j, OWNER], whole[j, OWNER + 1]
                    )
        _substitute(joints, c)
        if joints.component[c, 2] == 0 or attempt == ROUNDS - 1:
            _apply(joints, owners, c)
            return
        if _clamp(joints, owners, c, is_biased) > 0:
            continue
        _apply(joints, owners, c)
        if _reconsider(joints, owners, c, is_biased) == 0:
            return


@lean
def solve_joints(joints, owners, h, is_biased):
    """One pass over all joints. Biased, what is apart is also closed."""
    whole = joints.whole
    if whole.shape[0] == 1:
        return
    ask_joints(joints, owners, h, is_biased)
    for c in range(joints.component.shape[0] - 1):
        _choose(joints, owners, c, is_biased)
        _solve_component(joints, owners, c, is_biased)
        if not is_biased:
            continue
        for _ in range(STIFFENINGS):
            if not stiffen(joints, owners, c, h):
                break
            _solve_component(joints, owners, c, is_biased)
