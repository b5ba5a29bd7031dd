"""Which balls sleep in a frame, and what wakes them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..model import Model
from ..particles.contacts.contact_point import PARTICLES
from ..particles.contacts.hook import Meeting
from ..particles.heaps.ball_sleep import (
    STILL_BALL_DRIFT,
    STILL_FALL,
    feel_balls,
    feel_shapes,
    heaps_of,
    mark_deep,
    rest_after,
)
from ..particles.heaps.ball_table import Heap, Spheres
from ..rigid.sleep.stillness import REST_TIME
from .forces import Forces
from .frame import Frame
from .sleepers import NO_PARTICLES


class BallSleepScratch:
    """Where balls are among the particles."""

    def __init__(self, model: Model) -> None:
        self.particles: Ints = model.self_collision.particle[model.self_collision.balls]
        self.radius: Floats = model.self_collision.radius[model.self_collision.balls]
        self.ball_of = np.full(len(model.particles), -1, np.int32)
        self.ball_of[self.particles] = np.arange(len(self.particles))


class BallSleep:
    """Sleep of all balls in one frame. Who sleeps has no inverse mass."""

    def __init__(self, frame: Frame, forces: Forces) -> None:
        self.frame = frame
        self.forces = forces
        self.asleep: NDArray[np.bool_] = frame.state.balls.rest >= REST_TIME
        self.has_sleepers = False
        if not len(self.asleep):
            return
        self.has_sleepers = bool(self.asleep.any())
        self.scratch = frame.scratch(BallSleepScratch)
        self.began_at = frame.x[self.scratch.particles]
        if not self.has_sleepers:
            return
        self.balls = Spheres(self.scratch.particles, self.scratch.radius)
        frame.reweigh()[self.scratch.particles[self.asleep]] = 0.0
        contact = frame.state.balls.contact
        self.label = heaps_of(len(self.asleep), contact[contact[:, 1] >= 0])
        if forces.before is not None or forces.impulses or self._pins_move():
            self.wake(self.asleep)
        grab = frame.inputs.grab
        if grab is not None and len(grab.particle):
            self._wake_particles(grab.particle)

    @property
    def is_all(self) -> bool:
        """Whether all balls sleep, and all particles that are none."""
        idle = len(self.asleep) + len(self.frame.sleeping)
        return idle == len(self.frame.model.particles) and bool(self.asleep.all())

    def _pins_move(self) -> bool:
        pins = self.frame.inputs.pin_position
        return pins is not None and not np.array_equal(pins, self.frame.state.pin_position)

    def _wake_particles(self, particles: Ints) -> None:
        ball = self.scratch.ball_of[particles]
        touched = np.zeros(len(self.asleep), dtype=bool)
        touched[ball[ball >= 0]] = True
        self.wake(touched)

    def wake(self, touched: NDArray[np.bool_]) -> bool:
        """Wake the heaps of those that are touched (m,); whether any slept."""
        touched = np.logical_and(touched, self.asleep)
        if not touched.any():
            return False
        is_touched = np.zeros(len(touched), dtype=bool)
        is_touched[self.label[touched]] = True
        woken = is_touched[self.label] & self.asleep
        self.asleep = self.asleep & ~woken
        self.has_sleepers = bool(self.asleep.any())
        frame = self.frame
        rows = self.scratch.particles[woken]
        frame.inverse_mass[rows] = frame.free_inverse_mass[rows]
        frame.state.balls.rest[woken] = 0.0
        return True

    def feel_forces(self) -> None:
        """Wake those that a force acts on, before anything moves."""
        if self.has_sleepers and self.forces.is_any and self.frame.substep == 0:
            force = self.forces.force[self.scratch.particles]
            self.wake(np.asarray(force.any(axis=1)))

    def feel_surroundings(self, meeting: Meeting, met: Ints) -> bool:
        """Wake those that shapes which move or other particles touch; whether any slept.

        met (k,): particles that surfaces meet. Asked only where some sleep.
        """
        frame = self.frame
        touched = np.zeros(len(self.asleep), dtype=bool)
        if len(frame.model.shapes):
            shapes = frame.work.shapes
            meshes_move = frame.mesh_end is not frame.origin.mesh_vertex
            feel_shapes(self.balls, self.asleep, shapes, meshes_move, frame.x, touched)
        if meeting.count:
            making = meeting.contacts.making[: meeting.count]
            place = meeting.contacts.solving["place"][: meeting.count]
            for side in range(2):
                # what is solid says by its own movement whether it wakes them
                lone = (making["shape"][:, side] == PARTICLES) & (making["shape"][:, 1 - side] < 0)
                ball = self.scratch.ball_of[place["particle"][lone, side, 0]]
                touched[ball[ball >= 0]] = True
        ball = self.scratch.ball_of[met]
        touched[ball[ball >= 0]] = True
        return self.wake(touched)

    def feel_balls(self, heap: Heap) -> bool:
        """Wake those that balls which move touch; whether any slept."""
        touched = np.zeros(len(self.asleep), dtype=bool)
        return bool(feel_balls(heap, self.asleep, touched)) and self.wake(touched)

    def finish(self, heap: Heap, pairs: Ints) -> None:
        """See who rests; pairs (c, 2) of balls touch."""
        frame, scratch = self.frame, self.scratch
        rest = frame.state.balls.rest
        duration = frame.inputs.duration
        way = np.linalg.norm(frame.x[scratch.particles] - self.began_at, axis=1)
        fast = STILL_FALL * np.sqrt(math.hypot(*frame.inputs.gravity) * scratch.radius)
        still = way <= np.maximum(fast, STILL_BALL_DRIFT * scratch.radius) * duration
        if self.forces.is_any:
            still &= ~self.forces.force[scratch.particles].any(axis=1) | self.asleep
        grab = frame.inputs.grab
        if grab is not None and len(grab.particle):
            held = scratch.ball_of[grab.particle]
            still[held[held >= 0]] = False
        if not still.any():
            rest[:] = 0.0
            return
        deep = np.zeros(len(rest), dtype=bool)
        mark_deep(heap, deep)
        label = heaps_of(len(rest), pairs)
        rest[:] = rest_after(rest, still, deep, label, duration)

    @property
    def idle(self) -> Ints:
        """Particles (k,) that sleep when the frame is done."""
        if not len(self.asleep):
            return NO_PARTICLES
        idle: Ints = self.scratch.particles[self.frame.state.balls.rest >= REST_TIME]
        return idle

    def store_stillness(self) -> None:
        """Let x* say of those that sleep that they stand still."""
        if not len(self.asleep):
            return
        frame, rows = self.frame, self.idle
        frame.previous[rows] = frame.x[rows] + (0.5 * frame.h**2) * frame.gravity
