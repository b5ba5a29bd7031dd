"""Joints of ragdolls as lines in the world: what each turns about, and how far."""

from __future__ import annotations

import numpy as np

from ..extract import pose
from ..session import Floats, Session
from .joint_lines import axis_lines, limit_lines

SIZE = 0.3
"""Size of a joint, as a share of its bone's length."""


def ragdoll_lines(session: Session, frame: int) -> tuple[Floats, Floats]:
    """Axes and limits of all joints in a simulated frame, segments (n, 2, 3) in m each."""
    from .. import ragdolls

    joints, state = session.model.joints, session.cache[frame]
    axes, limits = [np.zeros((0, 2, 3))], [np.zeros((0, 2, 3))]
    for rows in ragdolls.rows_of(session):
        bones = rows.plan.skeleton
        parts = [part for part in rows.plan.parts if part.joint is not None]
        for row, part in enumerate(parts, rows.joints.start):
            joint = part.joint
            key = (joint.kind, joint.is_limited, joint.lower, joint.upper, joint.swing)
            size = SIZE * float(bones.length[part.bone])
            for side, lines, found in ((1, axis_lines, axes), (0, limit_lines, limits)):
                body = joints.owner[row, side]
                turn = pose.rotation_of(state.body_orientation[body])
                place = turn @ joints.anchor[row, side] + state.body_position[body]
                own = turn @ pose.rotation_of(joints.frame[row, side])
                found.append(lines(key, size) @ own.T + place)
    return np.concatenate(axes), np.concatenate(limits)
