"""Bridges that something lies on: what hangs on more than one place that stays, and is pressed.

`joint_stiffness` says why they are not as the rest.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline

GAPING = 4.0
"""What a joint closes by in a substep at most, times this: where one is drawn together from farther
off, nothing is known yet of what a bridge pulls with."""


@lean
def recall_pressed(joints, remembered, shape_owner):
    """Note which owners contacts press, by the `REMEMBERED_CONTACT` (c,) of a state."""
    clear_pressed(joints)
    for c in range(remembered.shape[0]):
        if remembered[c]["normal_impulse"] > 0.0:
            for side in range(2):
                joints.pull[shape_owner[remembered[c]["shape"][side]]]["is_pressed"] = 1


@lean_inline
def clear_pressed(joints):
    """Contacts press nobody."""
    for o in range(joints.pull.shape[0]):
        joints.pull[o]["is_pressed"] = 0


@lean_inline
def _misses_by(joints, j):
    """How far a joint is from where it may be, along the axis where that is most, m."""
    most = 0.0
    for r in range(joints.joint[j]["first_row"], joints.joint[j + 1]["first_row"]):
        row = joints.row[r]
        if row["freedom"] < 3:
            most = max(most, max(row["lower"] - row["value"], row["value"] - row["upper"]))
    return most


@lean
def find_bridges(joints, owners):
    """Note which components hang on more than one place that stays, and are not far apart.

    None is taut yet.
    """
    for o in range(joints.pull.shape[0]):
        joints.pull[o]["is_taut"] = 0
    for c in range(joints.component.shape[0] - 1):
        anchors, is_whole = 0, True
        for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
            j = joints.order[n]["joint"]
            joint = joints.joint[j]
            a, b = joint["body"][0], joint["body"][1]
            if joint["is_live"] == 0:
                continue
            if min(owners.inverse_mass[a], owners.inverse_mass[b]) == 0.0:
                anchors += 1
            is_whole = is_whole and _misses_by(joints, j) <= GAPING * joints.drive[j]["closing_way"]
        joints.component[c]["is_bridge"] = 1 if anchors > 1 and is_whole else 0
        joints.component[c]["is_taut"] = 0


@lean_inline
def has_bridges(joints):
    """Whether any component hangs on more than one place that stays where it is."""
    bridges = 0
    for c in range(joints.component.shape[0] - 1):
        bridges += joints.component[c]["is_bridge"]
    return bridges > 0


@lean
def find_taut(joints, owners):
    """Note which bridges something lies on, by which owners contacts press."""
    for c in range(joints.component.shape[0] - 1):
        if joints.component[c]["is_bridge"] == 0:
            continue
        is_pressed = 0
        first, last = joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]
        for n in range(first, last):
            for side in range(2):
                o = joints.joint[joints.order[n]["joint"]]["body"][side]
                if owners.inverse_mass[o] > 0.0:
                    is_pressed |= joints.pull[o]["is_pressed"]
        if joints.component[c]["is_taut"] == is_pressed:
            continue
        joints.component[c]["is_taut"] = is_pressed
        for n in range(first, last):
            for side in range(2):
                o = joints.joint[joints.order[n]["joint"]]["body"][side]
                joints.pull[o]["is_taut"] = is_pressed


@lean_inline
def has_taut(joints):
    """Whether something lies on any bridge."""
    taut = 0
    for c in range(joints.component.shape[0] - 1):
        taut += joints.component[c]["is_taut"]
    return taut > 0
