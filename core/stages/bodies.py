"""Rigid bodies of place and rotation: their motion, their contacts, and when they rest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..bodies import place_particle_bodies
from ..contact.shapes import at_start, move_shapes
from ..integrate import drag_per_step
from ..model import Floats, Ints
from ..rigid.contact_rows import aim_contacts, fill_rows, passes_for, remember_rows, row_room
from ..rigid.islands import REST_TIME, find_rest
from ..rigid.joint_rows import (
    BROKEN,
    POSE,
    SPEED,
    STRENGTH,
    TARGET,
    lay_down_joints,
    take_up_joints,
)
from ..rigid.joint_table import HINGE, NO_MOTOR, SPEED_MOTOR
from ..rigid.owners import (
    Drive,
    Moves,
    lay_down_bodies,
    look_ahead,
    place_colliders,
    take_up_bodies,
)
from ..rigid.reach import bound_shapes
from ..rigid.step import COLLIDE_EVERY, begin_substep, end_substep, whole_substeps
from ..rigid.table import ANIMATED, PASSIVE
from .frame import Frame

FAST = 0.5
"""A body that travels farther than this share of its size until contacts are looked for again is
looked at in every substep: where it will touch is then known from near by."""


class Bodies:
    """Moves all rigid bodies by one substep; particles meet them halfway."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        model, state, work = frame.model, frame.state, frame.work
        self.count = model.body_count
        self.are_alone = model.particle_count == 0
        self.owners = work.owners
        self.row_count = 0
        self.is_any = self.count > 0 or model.collider_count > 0
        if not self.is_any:
            return
        self.drive = self._drive()
        self.moves = self._moves()
        self._take_up()
        self._take_up_joints()
        self.key = state.contact_key
        self.impulse = state.contact_impulse
        self.passes = frame.settings.contact_iterations
        self.next_collision = 0

    # ------------------------------------------------------------------ the frame

    def _drive(self) -> Drive:
        """Where bodies and colliders that follow their animation are at both ends of the frame."""
        frame, state = self.frame, self.frame.state
        inputs = frame.inputs
        end_x = frame.target("body_position", inputs.body_position, state.body_position)
        end_q = frame.target("body_orientation", inputs.body_orientation, state.body_orientation)
        return Drive(
            np.concatenate([state.body_position, state.collider_position]),
            np.concatenate([state.body_orientation, state.collider_orientation]),
            np.concatenate([end_x, frame.collider_end[0]]),
            np.concatenate([end_q, frame.collider_end[1]]),
        )

    def _moves(self) -> Moves:
        frame, bodies = self.frame, self.frame.model.bodies
        drag = bodies.drag * np.array([frame.animated[o].drag for o in bodies.object])
        return Moves(
            self.count,
            frame.gravity,
            frame.work.body_force,
            drag_per_step(drag, frame.h),
            drag_per_step(bodies.angular_drag, frame.h),
            bodies.gyroscopic,
        )

    def _take_up(self) -> None:
        frame, state, bodies = self.frame, self.frame.state, self.frame.model.bodies
        held = np.array([frame.animated[o].pin >= 0.5 for o in bodies.object], dtype=bool)
        driven = (bodies.follows == PASSIVE) | ((bodies.follows == ANIMATED) & held)
        self.owners.driven[: self.count] = driven
        asleep = (state.body_rest >= REST_TIME) & ~driven & ~self._motorised()
        late = 0.5 * (state.step - frame.h)
        take_up_bodies(
            self.owners,
            state.body_position,
            state.body_previous,
            state.body_orientation,
            state.body_previous_orientation,
            1.0 / bodies.mass,
            asleep.astype(np.int32),
            state.step,
            late,
            frame.gravity,
        )

        place_colliders(
            self.owners, state.collider_position, state.collider_orientation, self.count
        )

    def _motorised(self) -> NDArray[np.bool_]:
        """Bodies (b,) that a motor turns, or that one may be told to move in this frame."""
        frame, joints = self.frame, self.frame.model.joints
        inputs = frame.inputs
        awake = np.zeros(self.count, dtype=bool)
        if not (joints.motor != NO_MOTOR).any():
            return awake
        speed = frame.target("joint_speed", inputs.joint_speed, joints.motor_speed)
        told = inputs.joint_target is not None or inputs.joint_pose is not None
        turns = np.where(joints.motor == SPEED_MOTOR, speed != 0.0, told)
        held = joints.owner[(joints.motor != NO_MOTOR) & turns & (frame.state.joint_broken == 0)]
        awake[held[held < self.count]] = True
        return awake

    def _take_up_joints(self) -> None:
        """What motors aim at in this frame, and what joints remember of the last one."""
        frame, joints = self.frame, self.frame.model.joints
        if not len(joints):
            return
        inputs, number = frame.inputs, frame.work.joints.number
        number[:, SPEED] = frame.target("joint_speed", inputs.joint_speed, joints.motor_speed)
        target = frame.target("joint_target", inputs.joint_target, joints.motor_target)
        rest = np.tile([1.0, 0.0, 0.0, 0.0], (len(joints), 1))
        pose = frame.target("joint_pose", inputs.joint_pose, rest)
        size = np.linalg.norm(pose, axis=1, keepdims=True)
        pose = np.where(size > 1e-9, pose / np.maximum(size, 1e-9), rest)
        if inputs.joint_target is None and inputs.joint_pose is not None:
            along = pose[np.arange(len(joints)), 1 + joints.axis]
            target = np.where(
                joints.turn_form == HINGE, 2.0 * np.arctan2(along, pose[:, 0]), target
            )
        number[:, TARGET] = target
        number[:, POSE : POSE + 4] = pose
        strength = frame.target("joint_strength", inputs.joint_strength, np.ones(len(joints)))
        number[:, STRENGTH] = np.maximum(strength, 0.0)
        take_up_joints(
            frame.work.joints, self.owners, frame.state.joint_impulse, frame.state.joint_broken
        )
        frame.work.touching.exclude(self._joined())

    def _joined(self) -> Ints:
        """Owners (e, 2) that a joint keeps from colliding with each other."""
        joints = self.frame.model.joints
        broken = self.frame.work.joints.whole[:-1, BROKEN] == 1
        return joints.owner[(joints.collides == 0) & ~broken]

    # ------------------------------------------------------------------ the substep

    def begin(self) -> None:
        """Find contacts where it is time to, and the velocities of this substep.

        Where nothing but bodies moves, all substeps up to the next look for contacts are made.
        """
        if not self.is_any:
            return
        frame = self.frame
        substep = frame.substep
        if self.are_alone:
            if substep < self.next_collision:
                return
            self._collide()
            last = min(self.next_collision, frame.substeps)
            whole_substeps(
                self.moves,
                self.owners,
                self.drive,
                frame.work.rows,
                self.row_count,
                frame.work.joints,
                self.passes,
                frame.h,
                substep,
                last,
                frame.substeps,
            )
            return
        if substep >= self.next_collision:
            self._collide()
        begin_substep(
            self.moves,
            self.owners,
            self.drive,
            frame.work.rows,
            self.row_count,
            frame.work.joints,
            self.passes,
            frame.h,
            frame.begin_share,
            frame.end_share,
        )
        self._place_shapes()

    def _place_shapes(self) -> None:
        """Shapes for particles: where they are at the start of the substep and get to by its end."""
        frame, model, work = self.frame, self.frame.model, self.frame.work
        if not len(model.shapes):
            return
        first = model.body_count + model.collider_count
        look_ahead(self.owners, first, frame.h, *work.ahead)
        if model.particle_body_count:
            bodies = (model.body_first_particle, model.body_extent, first)
            now = (self.owners.position, self.owners.rotation)
            place_particle_bodies(frame.previous, *bodies, *now)
            place_particle_bodies(frame.x, *bodies, *work.ahead)
        move_shapes(work.shapes, self.owners, work.ahead)

    def _collide(self) -> None:
        """Contacts of bodies with each other and with colliders, and what is known of them."""
        self.next_collision = self.frame.substep + COLLIDE_EVERY
        if not self.count:
            return
        frame, work = self.frame, self.frame.work
        if self.row_count:
            self._remember()
        if self._bound(COLLIDE_EVERY) > FAST:
            self.next_collision = frame.substep + 1
            self._bound(1)
        self.row_count = 0
        count = work.touching.find(
            at_start(work.shapes), self.owners.inverse_mass, work.reach, frame.threads
        )
        if not count:
            return
        while True:
            found = fill_rows(
                work.touching.item,
                count,
                work.touching.manifolds,
                work.shapes,
                self.owners,
                self.count,
                self.key,
                self.impulse,
                len(self.key),
                work.rows,
                work.slop,
            )
            if found <= len(work.rows.gap):
                break
            work.rows = row_room(found * 3 // 2)
        self.row_count = found
        ratio = aim_contacts(work.rows, found, self.owners)
        self.passes = frame.settings.contact_iterations * passes_for(ratio)

    def _bound(self, substeps: int) -> float:
        """Pose and bound all shapes for so many substeps; the farthest travel by a body's size."""
        frame, work = self.frame, self.frame.work
        duration = substeps * frame.h
        fall = 0.5 * float(np.linalg.norm(frame.gravity)) * duration**2
        travel: float = bound_shapes(
            work.shapes, self.owners, work.thickness, duration, fall, work.reach
        )
        return travel

    def _remember(self) -> None:
        self.key = np.empty((self.row_count, 4), dtype=np.int32)
        self.impulse = np.empty((self.row_count, 4))
        remember_rows(self.frame.work.rows, self.row_count, self.key, self.impulse)

    def end(self) -> None:
        """Move the bodies, after all that acts on them in this substep has done so."""
        if not self.is_any or self.are_alone:
            return
        frame = self.frame
        end_substep(
            self.moves,
            self.owners,
            frame.work.rows,
            self.row_count,
            frame.work.joints,
            self.passes,
            frame.h,
        )

    # ------------------------------------------------------------------ the end of the frame

    def finish(self) -> None:
        """Lay x* and q* out for the next frame, and see who rests."""
        if not self.count:
            return
        frame, state = self.frame, self.frame.state
        self._keep_contacts()
        lay_down_bodies(
            self.owners,
            state.body_position,
            state.body_previous,
            state.body_orientation,
            state.body_previous_orientation,
            frame.h,
        )
        joints = frame.model.joints
        if len(joints):
            lay_down_joints(frame.work.joints, state.joint_impulse, state.joint_broken)
        find_rest(
            self.owners,
            self.count,
            frame.work.rows,
            self.row_count,
            joints.owner[state.joint_broken == 0],
            frame.model.bodies.sleeps,
            frame.work.body_radius,
            math.sqrt(float(np.linalg.norm(frame.gravity))),
            frame.inputs.duration,
            state.body_rest,
            frame.work.island,
        )

    def _keep_contacts(self) -> None:
        """Put what is known of contacts into the state; those of sleepers as they fell asleep."""
        state, owners = self.frame.state, self.owners
        kept_key = state.contact_key[:0]
        kept_impulse = state.contact_impulse[:0]
        if len(state.contact_key) and owners.asleep[: self.count].any():
            sides = self.frame.model.shapes.owner[state.contact_key[:, :2]]
            rests = (owners.inverse_mass[sides] == 0.0).all(axis=1)
            rests &= (owners.asleep[sides] == 1).any(axis=1)
            kept_key, kept_impulse = state.contact_key[rests], state.contact_impulse[rests]
        if self.row_count:
            self._remember()
        else:
            self.key, self.impulse = self.key[:0], self.impulse[:0]
        if len(kept_key):
            key = np.concatenate([kept_key, self.key])
            impulse = np.concatenate([kept_impulse, self.impulse])
            order = np.lexsort(key.T[2::-1])  # by shapes and sub-shape, points as they came
            self.key, self.impulse = key[order], impulse[order]
        state.contact_key, state.contact_impulse = self.key, self.impulse
