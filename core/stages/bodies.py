"""Rigid bodies of place and rotation: their motion, their contacts, and when they rest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..bodies import place_particle_bodies, weigh_particle_bodies
from ..contact.mesh_motion import MeshMotion
from ..contact.response import Contacts, return_speed
from ..contact.shapes import at_start, move_shapes
from ..integrate import drag_per_step
from ..jit import plain
from ..model import Floats, Ints
from ..rigid.contact_rows import (
    aim_contacts,
    fill_rows,
    passes_for,
    remember_rows,
    row_room,
    softness_for,
)
from ..rigid.islands import (
    REST_TIME,
    feel_load,
    feel_particles,
    feel_support,
    feel_touch,
    find_rest,
    wake_islands,
)
from ..rigid.joint_rows import (
    BROKEN,
    POSE,
    SPEED,
    STRENGTH,
    TARGET,
)
from ..rigid.joint_state import lay_down_joints, take_up_joints
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
from ..rigid.rotation import product
from ..rigid.seen import what_contacts_see
from ..rigid.step import BEGIN, COLLIDE_EVERY, END, MOVE, WHOLE, run_substeps
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
        self.is_any = model.owner_count > 0
        if not self.is_any:
            return
        self.meshes = MeshMotion(model.shapes, work.shapes, state.mesh_vertex, frame.mesh_end)
        self.drive = self._drive()
        self.moves = self._moves()
        self._take_up()
        self._take_up_joints()
        self.passes, self.soft = frame.settings.contact_iterations, math.inf
        self.seen = what_contacts_see(self.owners, frame.settings)
        self.next_collision = 0
        self.is_clear = False  # the last look found nobody near: it pays to look farther ahead
        self.joined = model.joints.owner[state.joint_broken == 0]  # (j, 2) owners
        self.is_joined = np.zeros(model.owner_count + 1, dtype=bool)
        self.is_joined[self.joined] = True
        self.is_joined[self.count :] = False
        self.pull = math.sqrt(float(np.linalg.norm(frame.gravity)))  # √(m/s²)
        self.stirs = self._stirs()
        self._begin_sleep()

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
        drag = bodies.drag * frame.by_object("drag")[bodies.object]
        return Moves(
            self.count,
            frame.gravity,
            frame.work.body_force,
            frame.work.body_torque,
            drag_per_step(drag, frame.h),
            drag_per_step(bodies.angular_drag, frame.h),
            bodies.gyroscopic,
        )

    def _take_up(self) -> None:
        frame, state, model = self.frame, self.frame.state, self.frame.model
        bodies = model.bodies
        held = frame.by_object("pin")[bodies.object] >= 0.5
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
            asleep,
            state.step,
            late,
            frame.gravity,
        )
        place_colliders(
            self.owners, state.collider_position, state.collider_orientation, self.count
        )
        self._move_colliders()
        if model.particle_body_count:
            first = self.count + model.collider_count
            extents = (model.body_first_particle, model.body_extent)
            pose = (self.owners.position, self.owners.rotation)
            place_particle_bodies(frame.x, *extents, first, *pose)

    def _move_colliders(self) -> None:
        """How fast colliders move in this frame, for what is looked for before they are driven."""
        start, end = self.drive.start_orientation[self.count :], self.drive.end_orientation
        back = start * (1.0, -1.0, -1.0, -1.0)
        turn = np.stack(plain(product)(*end[self.count :].T, *back.T), axis=1)
        way = turn[:, 1:] * np.where(turn[:, :1] < 0.0, -1.0, 1.0)
        size = np.linalg.norm(way, axis=1, keepdims=True)
        angle = 2.0 * np.arctan2(size, np.abs(turn[:, :1]))
        colliders = slice(self.count, self.count + len(way))
        duration = self.frame.inputs.duration
        self.owners.spin[colliders] = way * (angle / np.maximum(size, 1e-12) / duration)
        travel = self.drive.end_position - self.drive.start_position
        self.owners.velocity[colliders] = travel[self.count :] / duration

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
        if inputs.joint_strength is not None:
            turns = turns & (inputs.joint_strength > 0.0)
        held = joints.owner[(joints.motor != NO_MOTOR) & turns & (frame.state.joint_broken == 0)]
        awake[held[held < self.count]] = True
        return awake

    def _take_up_joints(self) -> None:
        """What motors aim at in this frame, and what joints remember of the last one."""
        frame, joints = self.frame, self.frame.model.joints
        if not len(joints):
            if len(frame.model.apart):
                frame.work.touching.exclude(frame.model.apart)
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
            frame.work.joints,
            self.owners,
            self.count,
            frame.state.joint_impulse,
            frame.state.joint_broken,
            frame.h,
        )
        frame.work.touching.exclude(self._joined())

    def _joined(self) -> Ints:
        """Owners (e, 2) that do not collide with each other: joined ones, and those kept apart."""
        joints = self.frame.model.joints
        broken = self.frame.work.joints.whole[:-1, BROKEN] == 1
        held = joints.owner[(joints.collides == 0) & ~broken]
        return np.concatenate([held, self.frame.model.apart])

    # ------------------------------------------------------------------ sleep

    def _stirs(self) -> Floats:
        """1 for each owner (o,) that is free to move, or that is driven somewhere in this frame."""
        drive, owners = self.drive, self.owners
        moves = (drive.start_position != drive.end_position).any(axis=1)
        moves |= (drive.start_orientation != drive.end_orientation).any(axis=1)
        stirs = owners.inverse_mass > 0.0
        stirs[: len(moves)] |= moves & (owners.driven[: len(moves)] == 1)
        stirs[self.meshes.moving_owner] = True
        return stirs.astype(np.float64)

    def _begin_sleep(self) -> None:
        """Part what is remembered of sleepers from what is remembered of the others.

        Sleepers wake that rest on something that moves in this frame.
        """
        frame, state = self.frame, self.frame.state
        self.has_sleepers = bool(self.owners.asleep[: self.count].any())
        self.key, self.impulse = state.contact_key, state.contact_impulse
        self.kept_key, self.kept_impulse = self.key[:0], self.impulse[:0]
        if not self.has_sleepers:
            return
        owner = frame.model.shapes.owner[self.key[:, :2]]
        is_free = (self.owners.inverse_mass[owner] > 0.0).any(axis=1)
        is_kept = ~is_free & (self.owners.asleep[owner] == 1).any(axis=1)
        self.kept_key, self.kept_impulse = self.key[is_kept], self.impulse[is_kept]
        self.key, self.impulse = self.key[is_free], self.impulse[is_free]
        touch = (frame.model.shapes.owner, self.joined, self.owners, self.count)
        feel_support(self.kept_key, *touch, self.stirs, frame.work.felt)
        self._wake()

    def _wake(self) -> bool:
        """Wake the islands of all that felt something; whether there were any."""
        frame, owners = self.frame, self.owners
        count = wake_islands(
            self.kept_key,
            frame.model.shapes.owner,
            self.joined,
            owners,
            self.count,
            1.0 / frame.model.bodies.mass,
            frame.work.felt,
            frame.state.body_rest,
            frame.work.island,
        )
        if not count:
            return False
        self.has_sleepers = bool(owners.asleep[: self.count].any())
        self.stirs = np.maximum(self.stirs, owners.inverse_mass > 0.0)
        owner = frame.model.shapes.owner[self.kept_key[:, :2]]
        is_free = (owners.inverse_mass[owner] > 0.0).any(axis=1)
        self.key, self.impulse = _merged(
            (self.key, self.impulse), (self.kept_key[is_free], self.kept_impulse[is_free])
        )
        self.kept_key, self.kept_impulse = self.kept_key[~is_free], self.kept_impulse[~is_free]
        return True

    def _load(self) -> Floats:
        """Gravity and forces (b, 3) m/s² on all bodies now."""
        load: Floats = self.frame.gravity + (
            self.frame.work.body_force / self.frame.model.bodies.mass[:, None]
        )
        return load

    def strike(self, bodies: NDArray[np.bool_]) -> None:
        """Wake those of bodies (b,) that sleep, for a blow; contacts are to be found anew."""
        self.frame.is_struck = self.frame.is_struck or bool(bodies.any())
        if not self.has_sleepers:
            return
        self.frame.work.felt[bodies & (self.owners.asleep[: self.count] == 1)] = 1
        self._wake()

    def meet(self, contacts: Contacts, count: int) -> bool:
        """Wake sleepers that moving particles touch, with all they rest on, before they are hit.

        Returns whether any woke.
        """
        if not (self.is_any and self.has_sleepers):
            return False
        frame = self.frame
        if not feel_particles(
            contacts,
            count,
            frame.x,
            frame.previous,
            self.owners,
            self.count,
            frame.gravity * frame.h**2,
            frame.work.body_radius,
            self.pull,
            frame.h,
            frame.work.felt,
        ):
            return False
        self._remember()
        self._wake()
        self._find_rows(1)
        frame.work.rows.bounce[: self.row_count] = 0.0
        return True

    # ------------------------------------------------------------------ the substep

    def begin(self) -> None:
        """Find contacts where it is time to, and the velocities of this substep."""
        if not self.is_any:
            return
        frame = self.frame
        substep = frame.substep
        if substep >= self.next_collision or frame.is_struck:
            self._collide()
            frame.is_struck = False
        self._run(BEGIN, substep, substep + 1)
        self._place_shapes()

    def run(self) -> int:
        """All substeps up to the next look for contacts, where nothing but bodies moves.

        Returns how many.
        """
        frame = self.frame
        if not self.is_any:
            return frame.substeps
        first = frame.substep
        self._collide()
        last = min(self.next_collision, frame.substeps)
        if self.stirs.any():
            self._run(WHOLE, first, last)
        return last - first

    def _place_shapes(self) -> None:
        """Shapes for particles: where they are in the beginning of the substep and get to in it."""
        frame, model, work = self.frame, self.frame.model, self.frame.work
        first = model.body_count + model.collider_count
        if model.particle_body_count:
            bodies = (model.body_first_particle, model.body_extent)
            now = (self.owners.position, self.owners.rotation)
            place_particle_bodies(frame.previous, *bodies, first, *now)
            weigh_particle_bodies(frame.previous, bodies[0], frame.inverse_mass, first, self.owners)
            place_particle_bodies(frame.x, *bodies, first, *work.ahead)
        if not len(model.shapes):
            return
        self.meshes.pose(frame.end_share)
        look_ahead(self.owners, first, frame.h, *work.ahead)
        move_shapes(work.shapes, self.owners, work.ahead, work.margin)

    def _collide(self) -> None:
        """Contacts of bodies with each other and with colliders, and what is known of them."""
        substep = self.frame.substep
        self.next_collision = substep + COLLIDE_EVERY - substep % COLLIDE_EVERY
        if not self.count:
            return
        frame = self.frame
        self._remember()
        if np.isfinite(frame.model.joints.breaking_force).any():
            frame.work.touching.exclude(self._joined())
        if self.has_sleepers:
            feel_load(
                self.owners,
                self._load(),
                frame.state.body_load,
                frame.work.body_radius,
                self.pull,
                REST_TIME,
                frame.work.felt,
            )
            self._wake()
        self.row_count = 0
        if not (self.stirs.any() and frame.work.touching.is_any):
            return
        reach = self.next_collision - substep
        if self._bound(reach) > FAST:
            if self.is_clear and not self._touch(reach):
                return
            self.next_collision = substep + 1
        self._find_rows(self.next_collision - substep)

    def _find_rows(self, substeps: int) -> None:
        """Contacts that hold for so many substeps."""
        work = self.frame.work
        self.row_count = 0
        if not self.stirs.any():
            return
        count = self._touch(substeps)
        self.is_clear = count == 0
        if self.is_clear:
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
        ratio, radius = aim_contacts(work.rows, found, self.owners, work.body_radius)
        gravity, h = self.pull**2, self.frame.h
        is_joined = len(self.joined) > 0 and self.is_joined[work.rows.owner[:found]].any()
        passes = passes_for(ratio, radius, is_joined, gravity, h)
        self.passes = self.frame.settings.contact_iterations * passes
        self.soft = softness_for(ratio, gravity, h)

    def _touch(self, substeps: int) -> int:
        """Find what touches, in work.touching; sleepers that something touches wake first."""
        frame, work = self.frame, self.frame.work
        self.meshes.pose(min(1.0, (frame.substep + substeps) / frame.substeps))
        while True:
            self._bound(substeps)
            count = work.touching.find(at_start(work.shapes), self.stirs, work.reach, frame.threads)
            if not self.has_sleepers:
                return count
            feel_touch(
                work.touching.item,
                count,
                work.touching.manifolds,
                work.shapes.owner,
                self.owners,
                self.count,
                self.stirs,
                substeps * frame.h,
                work.felt,
            )
            if not self._wake():
                return count

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
        """Keep the impulses of the rows; without rows, what is known from before stays."""
        if not self.row_count:
            return
        self.key = np.empty((self.row_count, 4), dtype=np.int32)
        self.impulse = np.empty((self.row_count, 4))
        remember_rows(self.frame.work.rows, self.row_count, self.key, self.impulse)

    def end(self) -> None:
        """Move the bodies, after all that acts on them in this substep has done so."""
        if not self.is_any or self.are_alone:
            return
        frame, substep = self.frame, self.frame.substep
        self._run(MOVE, substep, substep + 1)
        return_speed(frame.work.contacts, frame.contact_count, self.owners, frame.h)
        self._run(END, substep, substep + 1)

    def _run(self, part: int, first: int, last: int) -> None:
        frame, work = self.frame, self.frame.work
        run_substeps(
            part,
            self.moves,
            self.owners,
            self.drive,
            work.rows,
            self.row_count,
            work.joints,
            self.seen,
            self.passes,
            self.soft,
            frame.h,
            first,
            last,
            frame.substeps,
        )

    # ------------------------------------------------------------------ the end of the frame

    def finish(self) -> None:
        """Lay x* and q* out for the next frame, and see who rests."""
        if not self.count:
            return
        frame, state = self.frame, self.frame.state
        frame.row_count = self.row_count
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
            self.pull,
            frame.inputs.duration,
            state.body_rest,
            frame.work.island,
        )

    def _keep_contacts(self) -> None:
        """Put what is known of contacts into the state; those of sleepers as they fell asleep."""
        state = self.frame.state
        if self.row_count:
            self._remember()
        else:
            self.key, self.impulse = self.key[:0], self.impulse[:0]
        kept = (self.kept_key, self.kept_impulse)
        state.contact_key, state.contact_impulse = _merged((self.key, self.impulse), kept)
        awake = self.owners.asleep[: self.count] == 0
        state.body_load[awake] = self._load()[awake]


def _merged(one: tuple[Ints, Floats], other: tuple[Ints, Floats]) -> tuple[Ints, Floats]:
    """Keys and impulses of both, sorted by shapes and sub-shape as the broad phase sorts items."""
    if not len(other[0]):
        return one
    key = np.concatenate([one[0], other[0]])
    order = np.lexsort((key[:, 2], key[:, 1], key[:, 0]))
    return key[order], np.concatenate([one[1], other[1]])[order]
