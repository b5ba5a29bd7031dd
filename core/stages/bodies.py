"""Rigid bodies of place and rotation: their motion and their contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..collision.cushions import Cushions, note_met
from ..collision.mesh_motion import MeshMotion
from ..collision.reach import bound_shapes
from ..collision.shapes import at_start, move_shapes
from ..diagnostics import body_diverged
from ..particles.contacts.contact_parting import return_speed
from ..particles.contacts.contact_point import ParticleContacts
from ..particles.integrate import drag_per_step
from ..rigid.contacts.contact_aim import iterations_for
from ..rigid.contacts.contact_making import fill_contacts, note_pressed
from ..rigid.contacts.contact_order import MORE_THAN_ANY, SHARED_FROM, order_room, order_rows
from ..rigid.contacts.contact_setup import prepare_contacts
from ..rigid.contacts.contact_table import more_room
from ..rigid.contacts.cushion_press import press_cushions
from ..rigid.contacts.packet_table import deal_room, more_packets, packet_room
from ..rigid.contacts.position_correction import withdraw_places
from ..rigid.contacts.velocity_buffer import velocity_buffer
from ..rigid.frame_ends import body_state, load_state, store_state
from ..rigid.owners import Drive, look_ahead
from ..rigid.shared_step import AIMING, is_shared, passes_of, run_passes, threads_of
from ..rigid.sleep.sleepers import DEFORMING
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
from .body_scratch import BodyScratch
from .body_sleep import BodySleep
from .body_ties import BodyTies
from .frame import Frame
from .grab import Hand
from .joints import Joints
from .lent_forces import LentForces
from .strain_force import StrainForce

FAST = 0.5
"""A body that travels farther than this share of its size until contacts are looked for again is
looked at in every substep: where it will touch is then known from near by."""


class Bodies:
    """Moves all rigid bodies by one substep; particles meet them halfway."""

    def __init__(self, frame: Frame, hand: Hand) -> None:
        self.frame = frame
        model, state, work = frame.model, frame.state, frame.work
        self.count = len(model.bodies)
        self.are_alone = frame.is_asleep
        self.owners = work.owners
        self.scratch = frame.scratch(BodyScratch)
        self.scratch.moves.gravity[:] = frame.gravity
        work.body_contacts.count[0] = 0
        self.is_any = model.owner_count > 0
        if not self.is_any:
            return
        self.meshes = MeshMotion(model.shapes, work.shapes, state.mesh_vertex, frame.mesh_end)
        self.joints = Joints(frame)
        self.drive = self._drive()
        self._slow_down()
        self.sleep = BodySleep(frame, self.joints)
        self._load()
        self.iterations = frame.settings.contact_iterations
        self.between = work.between
        if self.between is not None:
            self.between.begin(state.cushions)
            self._keep_apart(self.between.cushions)
        buffer = velocity_buffer(self.owners, frame.settings)
        work.body_contacts = work.body_contacts._replace(buffer=buffer)
        self.next_collision = 0
        self.is_clear = False  # the last look found nobody near: it pays to look farther ahead
        self.ties = BodyTies(frame, self.sleep)
        self.hand = hand
        self.strain = StrainForce(frame)
        self.lent = LentForces(self.scratch.moves)

    @property
    def row_count(self) -> int:
        """Contact points that are solved now."""
        return int(self.frame.work.body_contacts.count[0])

    @property
    def is_idle(self) -> bool:
        """Whether all bodies sleep, nothing that is driven moves, and nothing will wake any."""
        return not ((self.is_any and self.sleep.is_active) or self.frame.has_forces)

    # ------------------------------------------------------------------ the frame

    def _drive(self) -> Drive:
        """Where bodies and colliders that follow their animation are at both ends of the frame."""
        frame, state = self.frame, self.frame.origin
        inputs = frame.inputs
        start_x = (state.body_position, state.collider_position)
        start_q = (state.body_orientation, state.collider_orientation)
        end_x = frame.target(inputs.body_position, start_x[0])
        end_q = frame.target(inputs.body_orientation, start_q[0])
        x = _both_ends(start_x, (end_x, frame.collider_end[0]))
        q = _both_ends(start_q, (end_q, frame.collider_end[1]))
        before = state.collider_velocity
        if state.frame == 0:  # they began to move before the start, as they go on
            before = (frame.collider_end[0] - start_x[1]) / inputs.duration
        return Drive(x[0], q[0], x[1], q[1], inputs.duration, frame.step_before, before)

    def _slow_down(self) -> None:
        """Find how much speed and spin drag leaves in a step, unless they are known."""
        frame = self.frame
        is_keyed = frame.inputs.animated is not None
        if is_keyed or self.scratch.moves_step != frame.h:
            bodies = frame.model.bodies
            moves = self.scratch.moves
            drag_per_step(bodies.drag * frame.by_body("drag"), frame.h, moves.keep)
            drag_per_step(bodies.angular_drag, frame.h, moves.angular_keep)
            self.scratch.moves_step = 0.0 if is_keyed else frame.h

    def _load(self) -> None:
        frame = self.frame
        self.joints.aim()
        sleepers, moving = load_state(
            self.owners,
            frame.work.joints,
            frame.work.body_contacts.limbs,
            self.drive,
            self.sleep.record,
            body_state(frame.state),
            frame.step_before,
            frame.h,
        )
        if self.meshes.is_moving:
            self.sleep.record.motion[self.meshes.moving_owner] = DEFORMING
            moving += 1
        self.sleep.begin(sleepers, moving, self.drive)
        for one in frame.work.composing:
            one.place(frame.x, self.owners.position, self.owners.rotation)

    # ------------------------------------------------------------------ sleep

    def strike(self, bodies: NDArray[np.bool_]) -> None:
        """Wake those of bodies (b,) that sleep, for a blow; contacts are to be found anew."""
        self.frame.is_struck = self.frame.is_struck or bool(bodies.any())
        self.sleep.wake_struck(bodies)

    def meet(self, contacts: ParticleContacts, count: int) -> bool:
        """Wake sleepers that moving particles touch, with all they rest on, before they are hit.

        Returns whether any woke.
        """
        if not (self.is_any and self.sleep.has_sleepers):
            return False
        if not self.sleep.feel_particles(contacts, count):
            return False
        self._wake_now()
        return True

    def _wake_now(self) -> None:
        """Wake those that felt something in the middle of a substep."""
        self.sleep.is_under_way = True
        self.sleep.memory.remember(self.frame.work.body_contacts)
        withdraw_places(self.frame.work.body_contacts, self.owners)
        self.sleep.wake()
        self._find_rows(1)
        self.sleep.is_under_way = False

    # ------------------------------------------------------------------ the substep

    def begin(self) -> None:
        """Find contacts where it is time to, and the velocities of this substep."""
        if not self.is_any:
            return
        frame = self.frame
        substep = frame.substep
        if substep >= self.next_collision or frame.is_struck or self._are_cushions_thicker:
            self._collide()
            frame.is_struck = False
        if self.between is not None:
            self.between.are_boxes_known = self.sleep.is_active and frame.work.touching.is_any
        self.strain.lean(self.lent)
        self.hand.push_body(self.lent)
        self._run(BEGIN, substep, substep + 1)
        self.lent.take_back()
        if self.between is not None and len(self.between.cushions.key):
            press_cushions(frame.work.body_contacts)
        if frame.work.body_contacts.struck[0]:  # bodies go elsewhere than it was looked for
            self.next_collision = substep + 1
        self._place_shapes()

    def release(self) -> None:
        """Let go of what cloth held bodies with in the last substep."""
        if self.is_any:
            self.strain.release()

    def run(self) -> int:
        """All substeps up to the next look for contacts, where nothing but bodies moves.

        Returns how many.
        """
        frame = self.frame
        if not self.is_any:
            return frame.substeps
        first = frame.substep
        self._collide()
        if self.is_idle:
            return frame.substeps - first
        last = min(self.next_collision, frame.substeps)
        if not (frame.work.touching.is_any or frame.has_forces):
            last = frame.substeps  # there is nothing to look for in between
        if self.hand.holds_body:
            last = first + 1  # it pulls anew in each
        if self.sleep.is_active:
            self.hand.push_body(self.lent)
            last = self._run(WHOLE, first, last)
            self.lent.take_back()
        return last - first

    def _place_shapes(self) -> None:
        """Shapes for particles: where they are in the beginning of the substep and get to in it."""
        frame, model, work = self.frame, self.frame.model, self.frame.work
        first = len(model.bodies) + len(model.colliders)
        for one in work.composing:
            one.place(frame.previous, self.owners.position, self.owners.rotation)
            one.weigh(frame.previous, frame.inverse_mass, self.owners)
            one.place(frame.x, *self.scratch.ahead)
        if not len(model.shapes):
            return
        self.meshes.pose(frame.end_share)
        look_ahead(self.owners, first, frame.h, *self.scratch.ahead)
        move_shapes(work.shapes, self.owners, self.scratch.ahead, work.margin)

    def _collide(self) -> None:
        """Contacts of bodies with each other and with colliders, and what is known of them."""
        substep = self.frame.substep
        self.next_collision = substep + COLLIDE_EVERY - substep % COLLIDE_EVERY
        if not self.count:
            return
        frame = self.frame
        self.sleep.memory.remember(frame.work.body_contacts)
        self._hear_cushions(substep > 0 and substep % COLLIDE_EVERY == 0)
        self.joints.exclude()
        self.sleep.wake_slipped(frame.work.body_contacts)
        frame.work.body_contacts.count[0] = 0
        if not (self.sleep.is_active and frame.work.touching.is_any):
            return
        reach = self.next_collision - substep
        is_fast = self._bound(reach) > FAST
        if is_fast:
            if self.is_clear and not self._touch(reach, is_bound=True):
                return
            self.next_collision = substep + 1
        self._find_rows(self.next_collision - substep, is_bound=not is_fast)

    @property
    def _are_cushions_thicker(self) -> bool:
        """Whether what lies between bodies has become notably thicker since they heard of it."""
        return self.between is not None and bool(self.between.told.is_news[0])

    def _hear_cushions(self, is_regular: bool) -> None:
        """Keep bodies as far apart as what lies between them is thick."""
        if self.between is not None:
            self._keep_apart(self.between.hear(self.owners.inverse_mass, is_regular))

    def _keep_apart(self, cushions: Cushions) -> None:
        """Have contacts found and made as if shapes were padded."""
        work, room = self.frame.work, self.scratch.room
        if cushions is work.body_contacts.cushions:
            return
        padding = np.zeros(len(room))  # m
        np.maximum.at(padding, cushions.key, 0.5 * cushions.thickness[:, None])
        np.add(self.scratch.near, padding, out=room)
        work.body_contacts = work.body_contacts._replace(cushions=cushions)

    def _find_rows(self, substeps: int, is_bound: bool = False) -> None:
        """Contacts that hold for so many substeps; shapes may be bound for them already."""
        work, memory = self.frame.work, self.sleep.memory
        work.body_contacts.count[0] = 0
        if not self.sleep.is_active:
            return
        if work.touching.has_rims:
            note_pressed(memory.moving, work.shapes.pressed)
        count = self._touch(substeps, is_bound)
        self.is_clear = count == 0
        if self.is_clear:
            memory.forget()
            return
        self._fill_rows(count)
        memory.forget()  # the rows know it now
        radius = prepare_contacts(work.body_contacts, self.owners, self.scratch.radius)
        if is_shared(work.body_contacts):
            self._make_room_for_packets()
            self._run_passes(AIMING, 0, 1)
        iterations = iterations_for(radius, self.sleep.root_gravity**2, self.frame.h)
        wanted = self.frame.settings.contact_iterations
        # joints bring one along
        self.iterations = wanted * iterations if iterations else wanted - 1

    def _fill_rows(self, count: int) -> None:
        """Rows for the manifolds of the first ``count`` items."""
        work, memory = self.frame.work, self.sleep.memory
        touching = work.touching
        if count > len(work.body_contacts.order.row):
            room, owners = count * 3 // 2, len(self.owners.asleep)
            packets = packet_room(deal_room(owners, room), 0)
            work.body_contacts = work.body_contacts._replace(
                order=order_room(owners, room), packets=packets
            )
        found = order_rows(
            touching.item[:count],
            touching.manifolds,
            work.shapes.owner,
            self.owners,
            self.count,
            self.scratch.moves.gravity,
            work.body_contacts.order,
            MORE_THAN_ANY if self.joints.is_any else SHARED_FROM,
        )
        if found > len(work.body_contacts.rows):
            work.body_contacts = more_room(work.body_contacts, found * 3 // 2)
        fill_contacts.on(self.frame.threads)(
            touching.item,
            count,
            found,
            touching.manifolds,
            work.shapes,
            self.owners,
            memory.moving,
            work.body_contacts,
        )
        cushions = work.body_contacts.cushions
        if len(cushions.key):
            note_met(touching.item, count, touching.manifolds, cushions)
            cushions.grown[:] = 0.0  # rows know of it now

    def _make_room_for_packets(self) -> None:
        """Room for as many packets as rows have been dealt to."""
        work = self.frame.work
        packets = work.body_contacts.packets
        count = int(packets.count[0])
        if count > len(packets.packet):
            work.body_contacts = work.body_contacts._replace(
                packets=more_packets(packets, count * 3 // 2)
            )

    def _touch(self, substeps: int, is_bound: bool) -> int:
        """Find what touches, in work.touching; sleepers that something touches wake first."""
        frame, work = self.frame, self.frame.work
        self.meshes.pose(min(1.0, (frame.substep + substeps) / frame.substeps))
        while True:
            if not is_bound:
                self._bound(substeps)
            is_bound = False
            motion, reach = self.sleep.record.motion, self.scratch.reach
            count = work.touching.find(at_start(work.shapes), motion, reach, frame.threads)
            if not self.sleep.has_sleepers:
                return count
            if not self.sleep.wake_touched(work.touching, count, substeps * frame.h):
                return count

    def _bound(self, substeps: int) -> float:
        """Pose and bound all shapes for so many substeps; the farthest travel by a body's size."""
        frame, work = self.frame, self.frame.work
        duration = substeps * frame.h
        fall = 0.5 * frame.fall * substeps**2
        travel: float = bound_shapes(
            work.shapes, self.owners, self.scratch.room, duration, fall, self.scratch.reach
        )
        return travel

    @property
    def ahead(self) -> tuple[Floats, Floats]:
        """Where all would be at the end of the substep, (o, 3) m, and how turned, (o, 3, 3)."""
        return self.scratch.ahead

    def move(self) -> None:
        """Move the bodies, after all that acts on them in this substep has done so."""
        if not self.is_any or self.are_alone:
            return
        frame, substep = self.frame, self.frame.substep
        if self.sleep.has_sleepers and self.ties.feel():
            self._wake_now()
        self._run(MOVE, substep, substep + 1)
        self.ties.place()
        return_speed(frame.work.contacts, frame.contact_count, self.owners, frame.h)

    def end(self) -> None:
        """Take the speed that was place alone from bodies, when surfaces have been kept apart."""
        if not self.is_any or self.are_alone:
            return
        frame, substep = self.frame, self.frame.substep
        self._run(END, substep, substep + 1)
        if frame.work.body_contacts.drifted[0]:
            self.next_collision = substep + 1

    def _run(self, part: int, first: int, last: int) -> int:
        """Run substeps, or one part of one; returns the first that is still to come."""
        frame, work = self.frame, self.frame.work
        bodies = MovingBodies(self.owners, self.scratch.moves, self.drive)
        contacts, span = work.body_contacts, Span(first, last, frame.substeps)
        if contacts.count[0] and is_shared(contacts):
            self._run_passes(passes_of(part, self.iterations), first, last)
            return last
        return run_substeps(part, bodies, contacts, work.joints, self.iterations, frame.h, span)

    def _run_passes(self, passes: Ints, first: int, last: int) -> None:
        """Run substeps of contacts that threads share."""
        frame, contacts = self.frame, self.frame.work.body_contacts
        run_passes.on(threads_of(contacts, frame.threads))(
            passes,
            self.owners,
            self.scratch.moves,
            self.drive,
            contacts,
            contacts.groups,
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
        self.strain.store()
        load = self.scratch.load
        if self.ties.is_any:
            load = load + self.ties.load()
        self.sleep.sleeper["load"] = load
        self.sleep.sleeper["may_sleep"] = self.ties.may_sleep(load)
        if self.hand.grab is not None and self.hand.holds_body:
            self.sleep.sleeper["may_sleep"][self.hand.grab.body] = 0  # it will be let go in mid-air
        lost = store_state(
            self.owners,
            work.joints,
            work.body_contacts,
            self.drive,
            self.sleep.record,
            body_state(state),
            frame.h,
            frame.settings.speed_limit * frame.h,
        )
        if lost >= 0:
            raise body_diverged(frame.model, state, lost, state.frame + 1)

    def _keep_contacts(self) -> None:
        """Put what is known of contacts into the state; those of sleepers as they fell asleep."""
        state, memory = self.frame.state, self.sleep.memory
        if self.row_count:
            memory.remember(self.frame.work.body_contacts)
        else:
            memory.forget()
        state.contacts.remembered = memory.all()
        if self.between is not None:
            self._hear_cushions(True)
            self.between.store(state.cushions)


def _both_ends(start: tuple[Floats, Floats], end: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Rows of bodies, then of colliders, at both ends of a frame; one array where all stay."""
    first = _in_one(*start)
    stays = end[0] is start[0] and end[1] is start[1]
    return first, first if stays else _in_one(*end)


def _in_one(bodies: Floats, colliders: Floats) -> Floats:
    """A new array of the rows of both."""
    return np.concatenate([bodies, colliders]) if len(colliders) else bodies.copy()
