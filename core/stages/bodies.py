"""Rigid bodies of place and rotation: their motion, their contacts, and when they rest."""

from __future__ import annotations

import math

import numpy as np

from ..bodies import place_particle_bodies
from ..contact.shapes import at_start, move_shapes
from ..integrate import drag_per_step
from ..model import Ints
from ..rigid.contact_rows import aim_contacts, fill_rows, remember_rows, row_room
from ..rigid.islands import REST_TIME, find_rest, wake_near_particles
from ..rigid.owners import Drive, Moves, lay_down_bodies, look_ahead, take_up_bodies
from ..rigid.reach import bound_shapes
from ..rigid.step import begin_substep, end_substep, whole_substeps
from ..rigid.table import ANIMATED, PASSIVE
from .frame import Frame

COLLIDE_EVERY = 4
"""Substeps after which it is looked anew where bodies touch; in between, points move with them."""


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
        self.drive = self._drive()
        self.moves = self._moves()
        self._take_up()
        self.key = state.contact_key
        self.impulse = state.contact_impulse
        self.passes = frame.settings.contact_iterations
        self.collided = -1

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
            frame.work.body_torque,
            drag_per_step(drag, frame.h),
            drag_per_step(bodies.angular_drag, frame.h),
            bodies.gyroscopic,
        )

    def _take_up(self) -> None:
        frame, state, bodies = self.frame, self.frame.state, self.frame.model.bodies
        held = np.array([frame.animated[o].pin >= 0.5 for o in bodies.object], dtype=bool)
        driven = (bodies.follows == PASSIVE) | ((bodies.follows == ANIMATED) & held)
        self.owners.driven[: self.count] = driven
        asleep = ((state.body_rest >= REST_TIME) & ~driven).astype(np.int32)
        self._load(asleep)
        if asleep.any() and not self.are_alone:
            self._bound(frame.inputs.duration)
            if wake_near_particles(
                frame.work.shapes,
                self.count,
                asleep,
                frame.x,
                frame.previous,
                frame.work.particle_reach,
                frame.substeps,
                state.body_rest,
            ):
                self._load(asleep)

    def _load(self, asleep: Ints) -> None:
        frame, state, bodies = self.frame, self.frame.state, self.frame.model.bodies
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
            if substep % COLLIDE_EVERY:
                return
            self._collide()
            last = min(substep + COLLIDE_EVERY, frame.substeps)
            whole_substeps(
                self.moves,
                self.owners,
                self.drive,
                frame.work.rows,
                self.row_count,
                self.passes,
                frame.h,
                substep,
                last,
                frame.substeps,
            )
            return
        if substep % COLLIDE_EVERY == 0 or frame.is_struck:
            self._collide()
            frame.is_struck = False
        begin_substep(
            self.moves,
            self.owners,
            self.drive,
            frame.work.rows,
            self.row_count,
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
        move_shapes(work.shapes, self.owners, work.ahead, work.margin)

    def _collide(self) -> None:
        """Contacts of bodies with each other and with colliders, and what is known of them."""
        if not self.count:
            return
        frame, work = self.frame, self.frame.work
        if self.row_count:
            self._remember()
        self._bound(COLLIDE_EVERY * frame.h)
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
        aim_contacts(work.rows, found, self.owners)

    def _bound(self, duration: float) -> None:
        work = self.frame.work
        fall = 0.5 * float(np.linalg.norm(self.frame.gravity)) * duration**2
        bound_shapes(work.shapes, self.owners, work.thickness, duration, fall, work.reach)

    def _remember(self) -> None:
        self.key = np.empty((self.row_count, 4), dtype=np.int32)
        self.impulse = np.empty((self.row_count, 4))
        remember_rows(self.frame.work.rows, self.row_count, self.key, self.impulse)

    def end(self) -> None:
        """Move the bodies, after all that acts on them in this substep has done so."""
        if not self.is_any or self.are_alone:
            return
        frame = self.frame
        end_substep(self.moves, self.owners, frame.work.rows, self.row_count, self.passes, frame.h)

    # ------------------------------------------------------------------ the end of the frame

    def finish(self) -> None:
        """Lay x* and q* out for the next frame, and see who rests."""
        if not self.count:
            return
        frame, state = self.frame, self.frame.state
        frame.row_count = self.row_count
        if self.row_count:
            self._remember()
            state.contact_key, state.contact_impulse = self.key, self.impulse
        else:
            state.contact_key = np.zeros((0, 4), dtype=np.int32)
            state.contact_impulse = np.zeros((0, 4))
        lay_down_bodies(
            self.owners,
            state.body_position,
            state.body_previous,
            state.body_orientation,
            state.body_previous_orientation,
            frame.h,
        )
        find_rest(
            self.owners,
            self.count,
            frame.work.rows,
            self.row_count,
            np.zeros((0, 2), dtype=np.int32),
            frame.model.bodies.sleeps,
            frame.work.body_radius,
            math.sqrt(float(np.linalg.norm(frame.gravity))),
            frame.inputs.duration,
            state.body_rest,
            frame.work.island,
        )
