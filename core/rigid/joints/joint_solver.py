"""All joints of a component solved at once: J M⁻¹ Jᵀ λ = what is asked for.

Rows that may let go (limits, motors, friction) are held as long as their impulse stays within its
bounds; those that leave them are set to the bound and the others solved again, a few rounds of an
active set. Springs add their softness to the diagonal. Where the rounds find no end, rows that may
let go are settled one by one between solutions of those that hold: that always takes energy out.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from .joint_matrix import ready_factor, substitute
from .joint_rows import (
    ACTIVE,
    AIM,
    AT_LOWER,
    AT_UPPER,
    DRIVEN,
    EVENLY,
    FIRST_ROW,
    GIVE,
    GROUP,
    HELD,
    HIGH,
    IDLE,
    IMPULSE,
    LEAST,
    LETS_GO,
    LIVE,
    LOW,
    MET,
    MODE,
    MOST,
    OWN,
    OWNER,
    PULL,
    SOFT,
    lack_of_rows,
    push_row,
    push_rows,
    row_speed,
)
from .joint_targets import ask_joint, bound_row

ROUNDS = 5
"""Largest number of tries to find which limits, motors and brakes hold."""

SWEEPS = 8
"""Sweeps over rows one by one where those tries fail."""

TOUCH = 1e-7
"""Speeds (m/s or rad/s) that count as none when it is decided whether a limit holds."""


@lean_inline
def _short(joints, row, owners, p, q):
    """What a row lacks of the speed that it asks for; positive: a larger impulse would help."""
    bound = joints.bound
    give = bound[row, GIVE] + bound[row, EVENLY]
    return bound[row, AIM] - row_speed(joints, row, owners, p, q) - give * bound[row, IMPULSE]


@lean_inline
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


@lean_inline
def _clamp(joints, owners, c, is_biased):
    """Set rows that would leave their bounds to these; how many there were."""
    whole, bound, flag = joints.whole, joints.bound, joints.flag
    count = 0
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        for k in range(whole[j, FIRST_ROW], whole[j, FIRST_ROW] + whole[j, MET]):
            row = joints.met[k]
            if flag[row, MODE] == HELD:
                continue
            wanted = bound[row, IMPULSE] + joints.change[k]
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
    whole, met = joints.whole, joints.met
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = joints.place[n, 0]
        for k in range(whole[j, FIRST_ROW], whole[j, FIRST_ROW] + whole[j, MET]):
            joints.bound[met[k], IMPULSE] += joints.change[k]
        push_rows(joints, j, owners, met, whole[j, MET])


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


@lean_inline
def _settle_rows(joints, owners, c, is_biased):
    """Give each row that may let go what it alone lacks, within bounds; then the others are met.

    Brakes set to their bounds all at once may drive a light body that hangs between heavy ones.
    """
    whole, bound, flag, place = joints.whole, joints.bound, joints.flag, joints.place
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        j = place[n, 0]
        p, q, first = whole[j, OWNER], whole[j, OWNER + 1], whole[j, FIRST_ROW]
        size = whole[j + 1, FIRST_ROW] - first
        for k in range(size):
            row = first + k
            mode = flag[row, MODE]
            flag[row, ACTIVE] = whole[j, LIVE] if mode == HELD else 0
            own = bound[row, OWN]
            if mode in (HELD, IDLE) or whole[j, LIVE] == 0 or own <= 0.0:
                continue
            if mode == DRIVEN and not is_biased and bound[row, SOFT] > 0.0:
                continue
            wanted = bound[row, IMPULSE] + _short(joints, row, owners, p, q) / (
                own + bound[row, GIVE] + bound[row, EVENLY]
            )
            kept = min(max(wanted, bound[row, LOW]), bound[row, HIGH])
            push_row(joints, row, owners, p, q, kept - bound[row, IMPULSE])
            bound[row, IMPULSE] = kept


@lean
def _find_changes(joints, owners, c):
    """Changes of impulses by which all rows that are met get the speeds that they ask for."""
    ready_factor(joints, owners, c)
    for n in range(joints.component[c, 0], joints.component[c + 1, 0]):
        lack_of_rows(joints, joints.place[n, 0], owners)
    substitute(joints, c)


@lean_inline
def _solve_component(joints, owners, c, is_biased):
    """Find impulses that meet all rows of a component, or hold them at their bounds."""
    if joints.component[c, LETS_GO] == 0:
        _find_changes(joints, owners, c)
        _apply(joints, owners, c)
        return
    _choose(joints, owners, c, is_biased)
    for _ in range(ROUNDS):
        _find_changes(joints, owners, c)
        if _clamp(joints, owners, c, is_biased) > 0:
            continue
        _apply(joints, owners, c)
        if _reconsider(joints, owners, c, is_biased) == 0:
            return
    for _ in range(SWEEPS):
        _reconsider(joints, owners, c, is_biased)
        _settle_rows(joints, owners, c, is_biased)
        _find_changes(joints, owners, c)
        _apply(joints, owners, c)


@lean
def solve_joints(joints, owners, goes_on, h, is_biased):
    """One pass over all joints of the groups (g,) that go on. Biased, what is apart also closes.

    What they ask for is known, but for rows that are driven.
    """
    component, whole = joints.component, joints.whole
    for c in range(component.shape[0] - 1):
        if goes_on[component[c, GROUP]] == 0:
            continue
        if component[c, LETS_GO] == 1:
            for n in range(component[c, 0], component[c + 1, 0]):
                j = joints.place[n, 0]
                if whole[j, LIVE] == 1:
                    ask_joint(joints, owners, j, h, is_biased, True)
        _solve_component(joints, owners, c, is_biased)
