"""Joints of a frame: what their motors aim at, who they keep awake, and who they keep apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..elementary import angles
from ..model import Model
from ..model.joint_table import HINGE_TURN, NO_MOTOR, SPEED_MOTOR
from .frame import Frame


def _all_hold(model: Model) -> NDArray[np.bool_]:
    return np.ones(len(model.joints), dtype=bool)


def _no_body(model: Model) -> NDArray[np.bool_]:
    return np.zeros(len(model.bodies), dtype=bool)


class Joints:
    """All joints between bodies, colliders and the world."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        model = frame.model
        self.is_any = len(model.joints) > 0
        self.has_motors = model.joints.has_motors
        # (j,) whether each joint is neither broken nor let go
        self.holds = frame.scratch(_all_hold)
        self.held: Ints = model.joints.owner  # (j, 2) owners of joints that hold
        if np.count_nonzero(frame.state.joints.broken) or frame.inputs.joint_hold is not None:
            self.holds = self._holding()
            self.held = self.held[self.holds]

    def _holding(self) -> NDArray[np.bool_]:
        """Joints (j,) that are neither broken nor let go in this frame."""
        whole: NDArray[np.bool_] = self.frame.state.joints.broken == 0
        given = self.frame.inputs.joint_hold
        if given is not None:
            whole = whole & (given > 0.0)
        return whole

    def kept_awake(self) -> NDArray[np.bool_]:
        """Bodies (b,) that this frame's inputs may move, however still they lie.

        A motor turns them, their animation draws them, a hand holds them, or a joint takes hold
        that was let go.
        """
        frame, joints, inputs = self.frame, self.frame.model.joints, self.frame.inputs
        count = len(frame.model.bodies)
        is_told = self.has_motors or inputs.joint_hold is not None
        held = -1 if inputs.grab is None else inputs.grab.body
        if not is_told and inputs.pull is None and held < 0:
            return frame.scratch(_no_body)
        awake = np.zeros(count, dtype=bool)
        if inputs.pull is not None:
            awake |= inputs.pull.draws
        if held >= 0:
            awake[held] = True
        if not is_told:
            return awake
        moves = np.zeros(len(joints), dtype=bool)
        if self.has_motors:
            speed = frame.target(inputs.joint_speed, joints.motor_speed)
            told = inputs.joint_target is not None or inputs.joint_pose is not None
            turns = np.where(joints.motor == SPEED_MOTOR, speed != 0.0, told)
            if inputs.joint_strength is not None:
                turns = turns & (inputs.joint_strength > 0.0)
            moves |= (joints.motor != NO_MOTOR) & turns
        if inputs.joint_hold is not None:
            moves |= (frame.state.joints.impulse == 0.0).all(axis=1)
        moved = joints.owner[moves & self.holds]
        awake[moved[moved < count]] = True
        return awake

    def aim(self) -> None:
        """What motors aim at in this frame."""
        frame, joints, inputs = self.frame, self.frame.model.joints, self.frame.inputs
        is_told = (
            inputs.joint_speed is not None
            or inputs.joint_target is not None
            or inputs.joint_pose is not None
            or inputs.joint_strength is not None
        )
        if not self.is_any or not (self.has_motors or is_told):
            return
        drive = frame.work.joints.drive
        speed = frame.target(inputs.joint_speed, joints.motor_speed)
        target = frame.target(inputs.joint_target, joints.motor_target)
        drive["pose"] = (1.0, 0.0, 0.0, 0.0)
        if inputs.joint_pose is not None:
            rest = np.tile([1.0, 0.0, 0.0, 0.0], (len(joints), 1))
            pose = frame.target(inputs.joint_pose, rest)
            size = np.linalg.norm(pose, axis=1, keepdims=True)
            pose = np.where(size > 1e-9, pose / np.maximum(size, 1e-9), rest)
            if inputs.joint_target is None:
                along = pose[np.arange(len(joints)), 1 + joints.axis]
                angle = 2.0 * angles(along, pose[:, 0])
                target = np.where(joints.turn_form == HINGE_TURN, angle, target)
            drive["pose"] = pose
        drive["speed"] = speed
        drive["target"] = target
        drive["strength"] = 1.0
        if inputs.joint_strength is not None:
            strength = frame.target(inputs.joint_strength, drive["strength"])
            drive["strength"] = np.maximum(strength, 0.0)
        if self.has_motors:
            self._rest_muscles(np.minimum(drive["strength"], 1.0))

    def _rest_muscles(self, strength: Floats) -> None:
        """Friction in place of motors that are weaker than it, strength (j,): they cannot win."""
        joints, rows = self.frame.model.joints, self.frame.work.joints
        rests = (joints.motor != NO_MOTOR) & (joints.friction > 0.0)
        rests &= joints.motor_force * strength <= joints.friction
        rows.joint["motor"][:-1] = np.where(rests, NO_MOTOR, joints.motor)
        joint = np.repeat(np.arange(len(joints)), np.diff(rows.joint["first_row"]))
        freedom = rows.row["freedom"]
        moves = joints.lower[joint, freedom] < joints.upper[joint, freedom]
        rubs = moves & (freedom >= 3) & rests[joint]
        rows.row["rubs"] = np.where(rubs, 1, joints.rubs[joint, freedom])

    def exclude(self) -> None:
        """Owners that are joined do not collide with each other, nor do those kept apart.

        To be called again when joints may have broken.
        """
        frame, model, touching = self.frame, self.frame.model, self.frame.work.touching
        broken = frame.work.joints.joint["is_broken"][:-1]
        now = broken.tobytes()  # compared a dozen times a frame
        if touching.excluded_for == now:
            return
        touching.excluded_for = now
        joints, is_whole = model.joints, broken == 0
        touching.exclude(
            np.concatenate([joints.owner[(joints.collides == 0) & is_whole], model.bodies.apart])
        )
        holds = frame.work.body_contacts.groups.is_jointed
        holds[:] = False
        holds[joints.owner[is_whole]] = True
        holds[len(model.bodies) :] = False
