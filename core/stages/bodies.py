"""Rigid bodies of place and rotation: their motion, their contacts, and when they rest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..collision.mesh_motion import MeshMotion
from ..collision.reach import bound_shapes
from ..collision.shapes import at_start, move_shapes
from ..diagnostics import body_diverged
from ..particles.contacts.contact_parting import return_speed
from ..particles.contacts.contact_point import Contacts
from ..particles.integrate import drag_per_step
from ..particles.particle_bodies.four_particles import place_particle_bodies, weigh_particle_bodies
from ..rigid.contacts.contact_aim import iterations_for, prepare_contacts
from ..rigid.contacts.contact_making import fill_contacts, remember_contacts
from ..rigid.contacts.contact_table import NOTHING, Remembered, more_room
from ..rigid.contacts.velocity_buffer import velocity_buffer
from ..rigid.frame_ends import lay_down, take_up
from ..rigid.owners import Drive, look_ahead
from ..rigid.sleep.falling_asleep import HELD
from ..rigid.sleep.waking import (
    feel_load,
    feel_particles,
    feel_rows,
    feel_support,
    feel_touch,
    wake_sleepers,
)
from ..rigid.step import (
    BEGIN,
    COLLIDE_EVERY,
    END,
    MOVE,
    WHOLE,
    MovingBodies,
    Span,
    run_substeps,
)
from .body_ties import BodyTies
from .frame import Frame
from .joints import Joints

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
        work.body_contacts.count[0] = 0
        self.is_any = model.owner_count > 0
        if not self.is_any:
            return
        self.meshes = MeshMotion(model.shapes, work.shapes, state.mesh_vertex, frame.mesh_end)
        self.joints = Joints(frame)
        self.drive = self._drive()
        self._slow_down()
        self.stirs = work.stirs  # (o,) 1 for owners that are free to move, or driven somewhere
        self._take_up()
        self.iterations = frame.settings.contact_iterations
        buffer = velocity_buffer(self.owners, frame.settings)
        work.body_contacts = work.body_contacts._replace(buffer=buffer)
        self.next_collision = 0
        self.is_under_way = False  # velocities of this substep are known, its move is to come
        self.is_clear = False  # the last look found nobody near: it pays to look farther ahead
        self.pull = math.sqrt(math.hypot(*frame.inputs.gravity))  # √(m/s²)
        self.ties = BodyTies(frame, self.pull)
        self._begin_sleep()

    @property
    def row_count(self) -> int:
        """Contact points that are solved now."""
        return int(self.frame.work.body_contacts.count[0])

    # ------------------------------------------------------------------ the frame

    def _drive(self) -> Drive:
        """Where bodies and colliders that follow their animation are at both ends of the frame."""
        frame, state = self.frame, self.frame.state
        inputs = frame.inputs
        start_x = (state.body_position, state.collider_position)
        start_q = (state.body_orientation, state.collider_orientation)
        end_x = frame.target(inputs.body_position, start_x[0])
        end_q = frame.target(inputs.body_orientation, start_q[0])
        x = _both_ends(start_x, (end_x, frame.collider_end[0]))
        q = _both_ends(start_q, (end_q, frame.collider_end[1]))
        return Drive(x[0], q[0], x[1], q[1])

    def _slow_down(self) -> None:
        """Find how much speed and spin drag leaves in a step, unless they are known."""
        frame, work = self.frame, self.frame.work
        is_keyed = frame.inputs.animated is not None
        if is_keyed or work.moves_step != frame.h:
            bodies = frame.model.bodies
            work.moves.keep[:] = drag_per_step(bodies.drag * frame.by_body("drag"), frame.h)
            work.moves.angular_keep[:] = drag_per_step(bodies.angular_drag, frame.h)
            work.moves_step = 0.0 if is_keyed else frame.h

    def _take_up(self) -> None:
        frame, state, model = self.frame, self.frame.state, self.frame.model
        stirred = self.joints.stirred()
        self.joints.aim()
        sleepers, stirring = take_up(
            self.owners,
            frame.work.joints,
            frame.work.body_contacts.limbs,
            self.drive,
            model.bodies.follows,
            frame.by_body("pin"),
            model.bodies.mass,
            stirred,
            state.body_rest,
            state.body_previous,
            state.body_previous_orientation,
            state.joint_impulse,
            self.joints.holds,
            frame.step_before,
            frame.h,
            frame.gravity,
            frame.inputs.duration,
            self.stirs,
        )
        self.has_sleepers = sleepers > 0
        self.is_stirred = stirring > 0
        if self.meshes.is_moving:
            self.stirs[self.meshes.moving_owner] = 1.0
            self.is_stirred = True
        if model.particle_body_count:
            first = self.count + model.collider_count
            extents = (model.body_first_particle, model.body_extent)
            pose = (self.owners.position, self.owners.rotation)
            place_particle_bodies(frame.x, *extents, first, *pose)

    # ------------------------------------------------------------------ sleep

    def _begin_sleep(self) -> None:
        """Part what is remembered of sleepers from what is remembered of the others.

        Sleepers wake that rest on something that moves in this frame.
        """
        frame, state = self.frame, self.frame.state
        self.key, self.impulse = state.contact_key, state.contact_impulse
        self.kept_key, self.kept_impulse = NOTHING
        if not self.has_sleepers:
            return
        owner = frame.model.shapes.owner[self.key[:, :2]]
        is_free = (self.owners.inverse_mass[owner] > 0.0).any(axis=1)
        is_kept = ~is_free & (self.owners.asleep[owner] == 1).any(axis=1)
        self.kept_key, self.kept_impulse = self.key[is_kept], self.impulse[is_kept]
        self.key, self.impulse = self.key[is_free], self.impulse[is_free]
        touch = (frame.model.shapes.owner, self.joints.held, self.owners, self.count)
        feel_support(self.kept_key, *touch, self.stirs, frame.work.felt)
        let_go = np.zeros_like(self.stirs)  # what its animation held in the last frame
        let_go[: self.count] = (state.body_rest == HELD) & (self.owners.driven[: self.count] == 0)
        feel_support(self.key, *touch, let_go, frame.work.felt)
        self._wake()

    def _wake(self) -> bool:
        """Wake what felt something, and those beside it; whether any slept."""
        frame, owners = self.frame, self.owners
        count = wake_sleepers(
            self.kept_key,
            self.key,
            frame.model.shapes.owner,
            self.joints.held,
            owners,
            self.count,
            1.0 / frame.model.bodies.mass,
            frame.work.body_radius,
            self.pull,
            frame.gravity,
            frame.work.felt,
            frame.state.body_rest,
            frame.work.island,
            frame.work.ring,
            frame.work.joints,
            self.is_under_way,
        )
        if not count:
            return False
        self.has_sleepers = bool(owners.asleep[: self.count].any())
        np.maximum(self.stirs, owners.inverse_mass > 0.0, out=self.stirs)
        self.is_stirred = True
        owner = frame.model.shapes.owner[self.kept_key[:, :2]]
        is_free = (owners.inverse_mass[owner] > 0.0).any(axis=1)
        self.key, self.impulse = _merged(
            (self.key, self.impulse), (self.kept_key[is_free], self.kept_impulse[is_free])
        )
        self.kept_key, self.kept_impulse = self.kept_key[~is_free], self.kept_impulse[~is_free]
        return True

    def strike(self, bodies: NDArray[np.bool_]) -> None:
        """Wake those of bodies (b,) that sleep, for a blow; contacts are to be found anew."""
        self.frame.is_struck = self.frame.is_struck or bool(bodies.any())
        if not self.has_sleepers:
            return
        self.frame.work.felt[bodies & (self.owners.asleep[: self.count] == 1)] = np.inf
        self._wake()

    def meet(self, contacts: Contacts, count: int) -> bool:
        """Wake sleepers that moving particles touch, with all they rest on, before they are hit.

        Returns whether any woke.
        """
        if not (self.is_any and self.has_sleepers):
            return False
        frame = self.frame
        if not feel_particles(
            contacts.solving,
            count,
            frame.x,
            frame.previous,
            frame.work.worn,
            frame.work.wearer,
            self.owners,
            self.count,
            frame.gravity * frame.h**2,
            frame.work.body_radius,
            self.pull,
            frame.h,
            frame.work.felt,
        ):
            return False
        self._wake_now()
        return True

    def _wake_now(self) -> None:
        """Wake those that felt something in the middle of a substep."""
        self.is_under_way = True
        self._remember()
        self._wake()
        self._find_rows(1)
        self.frame.work.body_contacts.rows["rebound"] = 0.0
        self.is_under_way = False

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
        if not (self.is_stirred or frame.has_forces):
            return frame.substeps - first  # all sleep, and nothing will wake them
        last = min(self.next_collision, frame.substeps)
        if not (frame.work.touching.is_any or frame.has_forces):
            last = frame.substeps  # there is nothing to look for in between
        if self.is_stirred:
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
        self.joints.exclude()
        if self.has_sleepers:
            feel_rows(
                frame.work.body_contacts,
                self.owners,
                self.count,
                frame.gravity,
                frame.work.body_radius,
                self.pull,
                frame.work.felt,
            )
            load = frame.work.body_load.copy()
            load[frame.work.wearing] = frame.state.body_load[frame.work.wearing]
            feel_load(
                self.owners,
                load,  # of those that wear something at the end of the frame, with what that does
                frame.state.body_load,
                frame.work.body_radius,
                self.pull,
                frame.work.felt,
            )
            self._wake()
        frame.work.body_contacts.count[0] = 0
        if not (self.is_stirred and frame.work.touching.is_any):
            return
        reach = self.next_collision - substep
        is_fast = self._bound(reach) > FAST
        if is_fast:
            if self.is_clear and not self._touch(reach, is_bound=True):
                return
            self.next_collision = substep + 1
        self._find_rows(self.next_collision - substep, is_bound=not is_fast)

    def _find_rows(self, substeps: int, is_bound: bool = False) -> None:
        """Contacts that hold for so many substeps; shapes may be bound for them already."""
        work = self.frame.work
        work.body_contacts.count[0] = 0
        if not self.is_stirred:
            return
        count = self._touch(substeps, is_bound)
        self.is_clear = count == 0
        if self.is_clear:
            self._forget()
            return
        while True:
            found = fill_contacts(
                work.touching.item,
                count,
                work.touching.manifolds,
                work.shapes,
                self.owners,
                self.count,
                Remembered(self.key, self.impulse),
                work.body_contacts,
            )
            if found <= len(work.body_contacts.rows):
                break
            work.body_contacts = more_room(work.body_contacts, found * 3 // 2)
        self._forget()  # the rows know it now
        radius = prepare_contacts(work.body_contacts, self.owners, work.body_radius)
        iterations = iterations_for(radius, self.pull**2, self.frame.h)
        wanted = self.frame.settings.contact_iterations
        # joints bring one along
        self.iterations = wanted * iterations if iterations else wanted - 1

    def _touch(self, substeps: int, is_bound: bool) -> int:
        """Find what touches, in work.touching; sleepers that something touches wake first."""
        frame, work = self.frame, self.frame.work
        self.meshes.pose(min(1.0, (frame.substep + substeps) / frame.substeps))
        while True:
            if not is_bound:
                self._bound(substeps)
            is_bound = False
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
                frame.model.bodies.mass,
                work.body_radius,
                self.pull,
                substeps * frame.h,
                work.felt,
            )
            if not self._wake():
                return count

    def _bound(self, substeps: int) -> float:
        """Pose and bound all shapes for so many substeps; the farthest travel by a body's size."""
        frame, work = self.frame, self.frame.work
        duration = substeps * frame.h
        fall = 0.5 * frame.fall * substeps**2
        travel: float = bound_shapes(
            work.shapes, self.owners, work.thickness, duration, fall, work.reach
        )
        return travel

    def _forget(self) -> None:
        """Contacts that have parted are not known: a blow would strike again when they meet."""
        self.key, self.impulse = NOTHING

    def _remember(self) -> None:
        """Keep the impulses of the rows; without rows, what is known from the last frame stays."""
        count = self.row_count
        if not count:
            return
        self.key = np.empty((count, 4), dtype=np.int32)
        self.impulse = np.empty((count, 5))
        contacts = self.frame.work.body_contacts
        remember_contacts(contacts, Remembered(self.key, self.impulse))

    def end(self) -> None:
        """Move the bodies, after all that acts on them in this substep has done so."""
        if not self.is_any or self.are_alone:
            return
        frame, substep = self.frame, self.frame.substep
        if self.has_sleepers and self.ties.feel():
            self._wake_now()
        self._run(MOVE, substep, substep + 1)
        self.ties.place()
        return_speed(frame.work.contacts, frame.contact_count, self.owners, frame.h)
        self._run(END, substep, substep + 1)

    def _run(self, part: int, first: int, last: int) -> None:
        frame, work = self.frame, self.frame.work
        run_substeps(
            part,
            MovingBodies(self.owners, work.moves, self.drive),
            work.body_contacts,
            work.joints,
            self.iterations,
            frame.h,
            Span(first, last, frame.substeps),
        )

    # ------------------------------------------------------------------ the end of the frame

    def finish(self) -> None:
        """Lay x* and q* out for the next frame, and see who rests."""
        if not self.count:
            return
        frame, state, work = self.frame, self.frame.state, self.frame.work
        frame.row_count = self.row_count
        self._keep_contacts()
        load = work.body_load
        if self.ties.is_any:
            load = load + self.ties.load()
        lost = lay_down(
            self.owners,
            work.joints,
            work.body_contacts,
            self.drive,
            self.joints.holds,
            self.ties.may_sleep(load),
            load,
            work.wearer,
            work.body_radius,
            self.pull,
            frame.h,
            frame.inputs.duration,
            state.body_position,
            state.body_previous,
            state.body_orientation,
            state.body_previous_orientation,
            state.joint_impulse,
            state.joint_broken,
            state.body_rest,
            state.body_load,
            work.island,
            work.ring,
            frame.model.bodies.follows,
            frame.settings.speed_limit * frame.h,
        )
        if lost >= 0:
            raise body_diverged(frame.model, state, lost, state.frame + 1)

    def _keep_contacts(self) -> None:
        """Put what is known of contacts into the state; those of sleepers as they fell asleep."""
        state = self.frame.state
        if self.row_count:
            self._remember()
        else:
            self._forget()
        kept = (self.kept_key, self.kept_impulse)
        state.contact_key, state.contact_impulse = _merged((self.key, self.impulse), kept)


def _both_ends(start: tuple[Floats, Floats], end: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Rows of bodies, then of colliders, at both ends of a frame; one array where all stay."""
    first = _in_one(*start)
    stays = end[0] is start[0] and end[1] is start[1]
    return first, first if stays else _in_one(*end)


def _in_one(bodies: Floats, colliders: Floats) -> Floats:
    """A new array of the rows of both."""
    return np.concatenate([bodies, colliders]) if len(colliders) else bodies.copy()


def _merged(one: tuple[Ints, Floats], other: tuple[Ints, Floats]) -> tuple[Ints, Floats]:
    """Keys and impulses of both, sorted by shapes and sub-shape as the broad phase sorts items."""
    if not len(other[0]):
        return one
    if not len(one[0]):
        return other
    key = np.concatenate([one[0], other[0]])
    order = np.lexsort((key[:, 2], key[:, 1], key[:, 0]))
    return key[order], np.concatenate([one[1], other[1]])[order]
