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
    AT_LOWER,
    AT_UPPER,
    DRIVEN,
    HELD,
    IDLE,
    find_velocity_errors,
    push_row,
    push_rows,
    row_speed,
)
from .joint_targets import ask_joint, bound_row

ACTIVE_SET_ROUNDS = 5
"""Largest number of tries to find which limits, motors and brakes hold."""

SETTLING_SWEEPS = 8
"""Sweeps over rows one by one where those tries fail."""

LIMIT_SPEED = 1e-7
"""Speeds (m/s or rad/s) that count as none when it is decided whether a limit holds."""

ROUNDING = 1e-12
"""Speeds (m/s or rad/s) that are nothing but rounding: a limit that they push at is left alone."""


@lean_inline
def _velocity_error(joints, r, owners, p, q):
    """What a row lacks of the speed that it asks for; positive: a larger impulse would help."""
    row = joints.row[r]
    softness = row["softness"] + row["shift"]
    return row["aim"] - row_speed(joints, r, owners, p, q) - softness * row["impulse"]


@lean_inline
def _is_done(row, is_biased):
    """Whether a row is a spring that has done its part in the biased pass."""
    return row["mode"] == DRIVEN and not is_biased and row["drive_softness"] > 0.0


@lean_inline
def _choose(joints, owners, c, is_biased):
    """Which rows of a component are to be met."""
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        j = joints.order[n]["joint"]
        joint = joints.joint[j]
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            row = joints.row[r]
            active = joint["is_live"]
            if row["mode"] == IDLE or _is_done(row, is_biased):
                active = 0
            elif active == 1 and row["mode"] != HELD:
                error = _velocity_error(joints, r, owners, joint["body"][0], joint["body"][1])
                if row["impulse"] <= row["low"]:
                    active = 1 if error > ROUNDING else 0
                elif row["impulse"] >= row["high"]:
                    active = 1 if error < -ROUNDING else 0
            row["is_active"] = active


@lean_inline
def _clamp(joints, owners, c, is_biased):
    """Set rows that would leave their bounds to these; how many there were."""
    count = 0
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        joint = joints.joint[joints.order[n]["joint"]]
        first = joint["first_row"]
        for k in range(first, first + joint["met_count"]):
            row = joints.row[joints.met[k]]
            if row["mode"] == HELD:
                continue
            wanted = row["impulse"] + joints.change[k]
            kept = min(max(wanted, row["low"]), row["high"])
            if kept == wanted:
                continue
            count += 1
            change = kept - row["impulse"]
            row["impulse"] = kept
            push_row(joints, joints.met[k], owners, joint["body"][0], joint["body"][1], change)
            if row["mode"] != DRIVEN and row["drive_limit"] > 0.0:
                row["mode"] = DRIVEN  # the limit lets go, the motor goes on
                bound_row(row)
                if is_biased or row["drive_softness"] == 0.0:
                    continue
            row["is_active"] = 0
    return count


@lean
def _apply(joints, owners, c):
    """Add the changes to the impulses of all rows that are met."""
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        j = joints.order[n]["joint"]
        first, count = joints.joint[j]["first_row"], joints.joint[j]["met_count"]
        for k in range(first, first + count):
            joints.row[joints.met[k]]["impulse"] += joints.change[k]
        push_rows(joints, j, owners, joints.met, count)


@lean
def _reconsider(joints, owners, c, is_biased):
    """Take up rows again that are left but should not be; how many there were."""
    count = 0
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        j = joints.order[n]["joint"]
        joint = joints.joint[j]
        if joint["is_live"] == 0:
            continue
        p, q = joint["body"][0], joint["body"][1]
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            row = joints.row[r]
            if row["mode"] in (HELD, IDLE):
                continue
            if row["mode"] == DRIVEN:
                speed = row_speed(joints, r, owners, p, q)
                is_below = speed < row["least_speed"] - LIMIT_SPEED
                if is_below or speed > row["most_speed"] + LIMIT_SPEED:
                    row["mode"] = AT_LOWER if speed < row["least_speed"] else AT_UPPER
                    bound_row(row)
                    row["is_active"] = 1
                    count += 1
                    continue
            if _is_done(row, is_biased) or row["is_active"] == 1:
                continue
            error = _velocity_error(joints, r, owners, p, q)
            if (row["impulse"] <= row["low"] and error > LIMIT_SPEED) or (
                row["impulse"] >= row["high"] and error < -LIMIT_SPEED
            ):
                row["is_active"] = 1
                count += 1
    return count


@lean_inline
def _settle_rows(joints, owners, c, is_biased):
    """Give each row that may let go what it alone lacks, within bounds; then the others are met.

    Brakes set to their bounds all at once may drive a light body that hangs between heavy ones.
    """
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        j = joints.order[n]["joint"]
        joint = joints.joint[j]
        p, q = joint["body"][0], joint["body"][1]
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            row = joints.row[r]
            mode = row["mode"]
            row["is_active"] = joint["is_live"] if mode == HELD else 0
            if mode in (HELD, IDLE) or joint["is_live"] == 0 or row["diagonal"] <= 0.0:
                continue
            if _is_done(row, is_biased):
                continue
            wanted = row["impulse"] + _velocity_error(joints, r, owners, p, q) / (
                row["diagonal"] + row["softness"] + row["shift"]
            )
            kept = min(max(wanted, row["low"]), row["high"])
            push_row(joints, r, owners, p, q, kept - row["impulse"])
            row["impulse"] = kept


@lean
def _find_changes(joints, owners, c):
    """Changes of impulses by which all rows that are met get the speeds that they ask for."""
    ready_factor(joints, owners, c)
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        find_velocity_errors(joints, joints.order[n]["joint"], owners)
    substitute(joints, c)


@lean_inline
def _solve_component(joints, owners, c, is_biased):
    """Find impulses that meet all rows of a component, or hold them at their bounds."""
    if joints.component[c]["lets_go"] == 0:
        _find_changes(joints, owners, c)
        _apply(joints, owners, c)
        return
    _choose(joints, owners, c, is_biased)
    for _ in range(ACTIVE_SET_ROUNDS):
        _find_changes(joints, owners, c)
        if _clamp(joints, owners, c, is_biased) > 0:
            continue
        _apply(joints, owners, c)
        if _reconsider(joints, owners, c, is_biased) == 0:
            return
    for _ in range(SETTLING_SWEEPS):
        _reconsider(joints, owners, c, is_biased)
        _settle_rows(joints, owners, c, is_biased)
        _find_changes(joints, owners, c)
        _apply(joints, owners, c)


@lean
def solve_joints(joints, owners, active, h, is_biased):
    """One pass over all joints of active groups (g,). Biased, what is apart also closes.

    What they ask for is known, but for rows that are driven.
    """
    for c in range(joints.component.shape[0] - 1):
        component = joints.component[c]
        if active[component["group"]] == 0:
            continue
        if component["lets_go"] == 1:
            for n in range(component["first_joint"], joints.component[c + 1]["first_joint"]):
                j = joints.order[n]["joint"]
                if joints.joint[j]["is_live"] == 1:
                    ask_joint(joints, owners, j, h, is_biased, True)
        _solve_component(joints, owners, c, is_biased)
