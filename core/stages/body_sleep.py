"""Which bodies sleep in a frame, and what wakes them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..collision.broad_phase import FREE
from ..collision.reach import body_radius
from ..collision.touching import Touching
from ..coupling.tied_pieces import wearers
from ..coupling.tying import ties_of
from ..model import Model
from ..particles.contacts.contact_point import ParticleContacts
from ..rigid.contacts.contact_table import BodyContacts
from ..rigid.owners import AWAKE, Drive
from ..rigid.sleep.carriers import carry_sleepers, feel_carriers
from ..rigid.sleep.falling_asleep import LED
from ..rigid.sleep.sleepers import DISTURBED, Sleep, sleeper_room
from ..rigid.sleep.waking import (
    feel_load,
    feel_motion,
    feel_particles,
    feel_rows,
    feel_support,
    feel_touch,
    wake_sleepers,
)
from ..workspace import workspace_of
from .body_scratch import BodyScratch
from .contact_memory import ContactMemory
from .frame import Frame
from .joints import Joints
from .sleepers import standing_particles


class SleepScratch:
    """What is known of sleepers while a frame runs."""

    def __init__(self, model: Model) -> None:
        self.wearer, garment = wearers(model, ties_of(model.constraints))
        self.wearing = np.flatnonzero(garment >= 0).astype(np.int32)
        self.sleepers = sleeper_room(model, body_radius(model), garment)
        self.island = np.zeros(len(model.bodies), dtype=np.int32)
        self.mark = np.zeros(len(model.bodies), dtype=np.int32)
        self.carrier = np.zeros(len(model.bodies), dtype=np.int32)
        self.motion = np.zeros(model.owner_count + 1, dtype=np.int32)


class BodySleep:
    """Sleep of all bodies in one frame."""

    def __init__(self, frame: Frame, joints: Joints) -> None:
        self.frame = frame
        work, model = frame.work, frame.model
        self.owners = work.owners
        self.scratch = frame.scratch(SleepScratch)
        self.sleeper = self.scratch.sleepers
        self.sleeper["follow_weight"] = frame.by_body("pin")
        self.sleeper["is_kept_awake"] = joints.kept_awake()
        self.root_gravity = math.sqrt(math.hypot(*frame.inputs.gravity))  # √(m/s²)
        self.record = Sleep(
            self.sleeper,
            self.scratch.island,
            self.scratch.mark,
            self.scratch.carrier,
            self.scratch.motion,
            model.shapes.owner,
            joints.holds,
            joints.held,
            frame.gravity,
            self.root_gravity,
        )
        self.has_sleepers = False
        self.is_active = False  # anything moves in this frame
        self._standing: NDArray[np.bool_] | None = None  # (n,) see `standing_particles`
        self.is_under_way = False  # velocities of this substep are known, its move is to come
        self.memory = ContactMemory(frame.state.contacts.remembered)

    def begin(self, sleepers: int, moving: int, drive: Drive) -> None:
        """So many bodies sleep, and so many move; sleepers wake that rest on what moves otherwise
        than before, and go along with what moves as before.
        """
        self.has_sleepers, self.is_active = sleepers > 0, moving > 0
        if not self.has_sleepers:
            return
        count = len(self.sleeper)
        self.memory.part(self.record.shape_body, self.owners)
        state = self.frame.state
        feel_carriers(self.record, self.owners, drive, state.contacts.remembered)
        self.wake()
        carry_sleepers(self.record, self.owners, drive, state.body_load)
        let_go = np.zeros_like(self.record.motion)  # what its animation held in the last frame
        was_held = state.body_rest == LED
        let_go[:count] = was_held & (self.owners.driven[:count] == 0)
        feel_motion(self.record, self.owners, self.memory.asleep)
        feel_support(self.record, self.owners, self.memory.moving, let_go)
        self.wake()

    def move(self, owners: Ints) -> None:
        """These owners move too in this frame."""
        self.record.motion[owners] = FREE
        self.is_active = True

    def wake(self) -> bool:
        """Wake what felt something, and those beside it; whether any slept."""
        memory, owners = self.memory, self.owners
        if not wake_sleepers(
            self.record,
            owners,
            self.frame.work.joints,
            memory.asleep,
            memory.moving,
            self.frame.state.body_rest,
            self.is_under_way,
        ):
            return False
        self.has_sleepers = bool(owners.asleep[: len(self.sleeper)].any())
        self.record.motion[owners.inverse_mass > 0.0] = FREE
        self.is_active = True
        memory.wake(self.record.shape_body, owners)
        return True

    def wake_struck(self, bodies: NDArray[np.bool_]) -> None:
        """Wake those of bodies (b,) that sleep, for a blow."""
        if self.has_sleepers:
            asleep = self.owners.asleep[: len(self.sleeper)] != AWAKE
            self.sleeper["wake"][bodies & asleep] = DISTURBED
            self.wake()

    def wake_slipped(self, contacts: BodyContacts) -> None:
        """Wake those at whose contacts anything moves, and those under another load than before."""
        if not self.has_sleepers:
            return
        frame, wearing = self.frame, self.scratch.wearing
        feel_rows(self.record, self.owners, contacts)
        load = frame.scratch(BodyScratch).load.copy()
        if len(wearing):  # theirs is known at the end of the frame
            load[wearing] = frame.state.body_load[wearing]
        self.feel_load(load)
        self.wake()

    def feel_load(self, load: Floats) -> None:
        """Let sleepers feel a load (b, 3) m/s² that is another than the one they lay down under."""
        feel_load(self.record, self.owners, load, self.frame.state.body_load)

    def wake_touched(self, touching: Touching, count: int, duration: float) -> bool:
        """Wake those that something touches within ``duration`` s; whether any slept."""
        found = (touching.item, count, touching.manifolds)
        cushions = self.frame.work.body_contacts.cushions
        feel_touch(self.record, self.owners, *found, cushions, duration)
        return self.wake()

    def feel_particles(self, contacts: ParticleContacts, count: int) -> bool:
        """Let sleepers feel moving particles that touch them; whether any do."""
        frame = self.frame
        if self._standing is None:
            whole = (frame.whole, workspace_of(frame.whole), frame.origin, frame.inputs)
            self._standing = standing_particles(*whole)
        is_woken: bool = feel_particles(
            self.record,
            self.owners,
            contacts.solving,
            count,
            frame.particles,
            self._standing,
            self.scratch.wearer,
            frame.h,
        )
        return is_woken
