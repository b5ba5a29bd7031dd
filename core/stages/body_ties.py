"""Ties of rigid bodies in one frame: what hangs on them, what they wear, how that loads them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..rigid.sleep.sleepers import UNDISTURBED
from ..rigid.sleep.waking import TIE_SLACK, feel_ties, sum_pushes
from .body_sleep import BodySleep
from .frame import Frame


class BodyTies:
    """What ties do with bodies besides the passes, in which they are constraints like others."""

    def __init__(self, frame: Frame, sleep: BodySleep) -> None:
        self.frame = frame
        self.sleep = sleep
        self.is_any = len(frame.work.ties) > 0
        if not self.is_any:
            return
        self.tied = np.zeros((len(frame.model.bodies), 3))  # N·s of ties, in this frame
        self.worn_impulse = np.zeros((len(frame.model.bodies), 3))  # N·s likewise, with contacts
        self.led = self._led()
        frame.work.tie_push[:] = 0.0

    def _led(self) -> NDArray[np.bool_]:
        """Bodies (b,) tied to what pins move in this frame: these keep them awake."""
        frame, model, state = self.frame, self.frame.model, self.frame.state
        led = np.zeros(len(model.bodies), dtype=bool)
        end = frame.target(frame.inputs.pin_position, state.position[model.pins.particle])
        moves = (end != state.position[model.pins.particle]).any(axis=1) & (frame.pin_weight > 0.0)
        moving = model.pins.particle[moves]
        for tie in frame.work.ties:
            span = model.objects[tie.object]
            last = span.first_particle + span.particle_count
            if ((moving >= span.first_particle) & (moving < last)).any():
                led[tie.body] = True
        return led

    def feel(self) -> bool:
        """Mark sleepers at which ties jerk in this substep; whether there are any."""
        if not self.is_any:
            return False
        work, sleep = self.frame.work, self.sleep.record
        is_woken: bool = feel_ties(sleep, work.owners, self.sleep.scratch.wearing, work.tie_push)
        return is_woken

    def place(self) -> None:
        """What is tied follows bodies to where they have got to; sums up what that and all before
        in this substep pushed them with.
        """
        if not self.is_any:
            return
        frame, work = self.frame, self.frame.work
        for tie in work.ties:
            if tie.holds(frame.animated):
                tie.place(frame.particles, work.owners, frame.h, work.tie_push)
        self.tied += work.tie_push
        contacts = (work.contacts.solving, frame.contact_count)
        sum_pushes(self.sleep.record, *contacts, frame.h, self.worn_impulse)
        self.worn_impulse += work.tie_push
        work.tie_push[:] = 0.0

    def load(self) -> Floats:
        """What bodies wear loaded them with (b, 3) m/s² in this frame, on the average."""
        return self._acceleration(self.worn_impulse)

    def may_sleep(self, load: Floats) -> NDArray[np.int32]:
        """1 for bodies (b,) that may fall asleep; wakes those that another load hangs on.

        load (b, 3) m/s²: on all bodies in this frame, see `State.body_load`.
        """
        sleeps = self.frame.model.bodies.sleeps
        if not self.is_any:
            return sleeps
        state, wearing = self.frame.state, self.sleep.scratch.wearing
        load_worn = state.body_load.copy()
        load_worn[wearing] = load[wearing]
        self.sleep.feel_load(load_worn)
        state.body_rest[self.sleep.sleeper["wake"] != UNDISTURBED] = 0.0
        most = TIE_SLACK * self.sleep.root_gravity**2
        hangs = np.linalg.norm(self._acceleration(self.tied), axis=1) > most
        return np.where(hangs | self.led, 0, sleeps).astype(np.int32)

    def _acceleration(self, impulse: Floats) -> Floats:
        """What an impulse (b, 3) N·s of this frame is on the average, m/s²."""
        mass = self.frame.model.bodies.mass[:, None]
        mean: Floats = impulse / (mass * self.frame.inputs.duration)
        return mean
