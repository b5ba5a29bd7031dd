"""Joints of a frame: what their motors aim at, who they keep awake, and who they keep apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model import Ints
from ..rigid.joint_rows import BROKEN, POSE, SPEED, STRENGTH, TARGET
from ..rigid.joint_state import lay_down_joints, take_up_joints
from ..rigid.joint_table import HINGE, NO_MOTOR, SPEED_MOTOR
from .frame import Frame


class Joints:
    """All joints between bodies, colliders and the world."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        model, state = frame.model, frame.state
        self.is_any = len(model.joints) > 0
        self.held: Ints = model.joints.owner  # (j, 2) owners of joints that are whole
        if self.is_any:
            self.held = self.held[state.joint_broken == 0]
        self.has_motors = self.is_any and bool((model.joints.motor != NO_MOTOR).any())

    def motorised(self) -> NDArray[np.bool_]:
        """Bodies (b,) that a motor turns, or that one may be told to move in this frame."""
        frame, joints, inputs = self.frame, self.frame.model.joints, self.frame.inputs
        count = frame.model.body_count
        awake = np.zeros(count, dtype=bool)
        if not self.has_motors:
            return awake
        speed = frame.target("joint_speed", inputs.joint_speed, joints.motor_speed)
        told = inputs.joint_target is not None or inputs.joint_pose is not None
        turns = np.where(joints.motor == SPEED_MOTOR, speed != 0.0, told)
        if inputs.joint_strength is not None:
            turns = turns & (inputs.joint_strength > 0.0)
        held = joints.owner[(joints.motor != NO_MOTOR) & turns & (frame.state.joint_broken == 0)]
        awake[held[held < count]] = True
        return awake

    def take_up(self) -> None:
        """What motors aim at in this frame, and what joints remember of the last one."""
        frame = self.frame
        if self.is_any:
            self._aim()
            take_up_joints(
                frame.work.joints,
                frame.work.owners,
                frame.model.body_count,
                frame.state.joint_impulse,
                frame.state.joint_broken,
                frame.h,
            )
        self.exclude()

    def _aim(self) -> None:
        frame, joints, inputs = self.frame, self.frame.model.joints, self.frame.inputs
        number = frame.work.joints.number
        speed = frame.target("joint_speed", inputs.joint_speed, joints.motor_speed)
        target = frame.target("joint_target", inputs.joint_target, joints.motor_target)
        number[:, POSE : POSE + 4] = (1.0, 0.0, 0.0, 0.0)
        if inputs.joint_pose is not None:
            rest = np.tile([1.0, 0.0, 0.0, 0.0], (len(joints), 1))
            pose = frame.target("joint_pose", inputs.joint_pose, rest)
            size = np.linalg.norm(pose, axis=1, keepdims=True)
            pose = np.where(size > 1e-9, pose / np.maximum(size, 1e-9), rest)
            if inputs.joint_target is None:
                along = pose[np.arange(len(joints)), 1 + joints.axis]
                angle = 2.0 * np.arctan2(along, pose[:, 0])
                target = np.where(joints.turn_form == HINGE, angle, target)
            number[:, POSE : POSE + 4] = pose
        number[:, SPEED] = speed
        number[:, TARGET] = target
        number[:, STRENGTH] = 1.0
        if inputs.joint_strength is not None:
            strength = frame.target("joint_strength", inputs.joint_strength, number[:, STRENGTH])
            number[:, STRENGTH] = np.maximum(strength, 0.0)

    def exclude(self) -> None:
        """Owners that are joined do not collide with each other, nor do those kept apart.

        To be called again when joints may have broken.
        """
        frame, model, touching = self.frame, self.frame.model, self.frame.work.touching
        broken = frame.work.joints.whole[:-1, BROKEN]
        if touching.excluded_for is not None and np.array_equal(touching.excluded_for, broken):
            return
        touching.excluded_for = broken.copy()
        joints, is_whole = model.joints, broken == 0
        touching.exclude(
            np.concatenate([joints.owner[(joints.collides == 0) & is_whole], model.apart])
        )
        frame.work.is_joined[:] = False
        frame.work.is_joined[joints.owner[is_whole]] = True
        frame.work.is_joined[model.body_count :] = False

    def lay_down(self) -> None:
        """Keep in the state what joints push with, and which are broken."""
        if self.is_any:
            state = self.frame.state
            lay_down_joints(self.frame.work.joints, state.joint_impulse, state.joint_broken)
