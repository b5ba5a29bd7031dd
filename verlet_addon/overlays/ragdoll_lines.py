"""Joints, pins and sticks of ragdolls as lines: what each turns about, how far, held where."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats
from ..session import Session
from ..transforms import affine
from .joint_lines import axis_lines, limit_lines

SIZE = 0.3
"""Size of a joint, as a share of its bone's length."""


def ragdoll_lines(session: Session, frame: int) -> tuple[Floats, Floats]:
    """Axes and limits of all joints in a simulated frame, segments (n, 2, 3) in m each."""
    from ..ragdoll import bone_bodies

    joints, state = session.model.joints, session.cache[frame]
    axes, limits = [np.zeros((0, 2, 3))], [np.zeros((0, 2, 3))]
    for rows in bone_bodies.rows_of(session):
        bones = rows.plan.skeleton
        parts = [part for part in rows.plan.parts if part.joint is not None]
        for row, part in enumerate(parts, rows.joints.start):
            joint = part.joint
            key = (joint.kind, joint.is_limited, joint.lower, joint.upper, joint.swing)
            size = SIZE * float(bones.length[part.bone])
            for side, lines, found in ((1, axis_lines, axes), (0, limit_lines, limits)):
                body = joints.owner[row, side]
                turn = affine.rotation_of(state.body_orientation[body])
                place = turn @ joints.anchor[row, side] + state.body_position[body]
                own = turn @ affine.rotation_of(joints.frame[row, side])
                found.append(lines(key, size) @ own.T + place)
    return np.concatenate(axes), np.concatenate(limits)


def pin_lines(session: Session, frame: int) -> tuple[Floats, Floats]:
    """Pins in a simulated frame, segments (n, 2, 3) in m each: those that hold, and let go.

    A ball at the bone's end and a line from there to where it is held.
    """
    from ..ragdoll import bone_bodies

    model, state = session.model, session.cache[frame]
    joints = model.joints
    places = np.concatenate([state.body_position, state.collider_position])
    turns = np.concatenate([state.body_orientation, state.collider_orientation])
    holding, loose = [np.zeros((0, 2, 3))], [np.zeros((0, 2, 3))]
    for rows in bone_bodies.rows_of(session):
        bones = rows.plan.skeleton
        for row, pin in enumerate(rows.participant.armature.pins, rows.pins.start):
            held, end = (
                affine.rotation_of(turns[owner]) @ anchor + places[owner]
                for owner, anchor in zip(joints.owner[row], joints.anchor[row])
            )
            ball = axis_lines(("BALL",), SIZE * float(bones.length[pin.bone])) + end
            lines = np.concatenate([ball, np.stack([end, held])[None]])
            is_held = bool((state.joints.impulse[row] != 0.0).any()) or frame == session.start
            (holding if is_held else loose).append(lines)
    return np.concatenate(holding), np.concatenate(loose)


def stick_lines(session: Session, frame: int) -> Floats:
    """All sticks of figures in a simulated frame, segments (n, 2, 3) in m."""
    from ..ragdoll import stick_figures

    x, figures = session.cache[frame].position, stick_figures.figures_of(session)
    found = [x[rows.particles][rows.figure.stick] for rows in figures]
    return np.concatenate([np.zeros((0, 2, 3)), *found])
