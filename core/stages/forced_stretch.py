"""How much longer than at rest cloth is taken to be: `particles.contacts.forced_stretch`."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..model import Model
from ..model.constraint import Forced
from ..particles.constraints.distance import Springs, Sticks
from ..particles.constraints.kept_length import (
    PRESSED,
    find_kept_lengths,
    find_kept_springs,
)
from ..particles.constraints.repair import REPAIR_SPEED
from ..particles.constraints.stick import TINY
from ..particles.contacts.forced_stretch import (
    RETURN_RATE,
    Spans,
    Stretch,
    TetherRows,
    mark_pushed,
    measure_spans,
    measure_stretch,
    reach_of,
)
from .frame import Frame

_NONE_PRESSED: Ints = np.zeros(0, dtype=np.int32)


class StretchScratch:
    """Who hangs on tethers, and who was pressed."""

    def __init__(self, model: Model) -> None:
        owner, tethers = model.particle_object, model.tethers
        self.rows = TetherRows(
            tethers.particle,
            tethers.start,
            tethers.anchor,
            tethers.length,
            owner[tethers.particle],
            np.unique(np.append(owner[tethers.particle], owner[tethers.span[:, 0]])),
        )
        span_object = owner[tethers.span[:, 0]]
        self.spans = Spans(tethers.span, tethers.span_length, span_object)
        self.farthest = _farthest(self.rows, self.spans, len(model.objects))
        self.stick_object: Ints = owner[model.sticks.pair[:, 0]]
        self.stick_length = np.empty(len(model.sticks))  # m
        self.spring_length = np.empty(len(model.springs))  # m
        self.pressed = np.zeros(len(model.particles), dtype=np.uint8)  # marks of `kept_length`
        self.before = Stretch(*np.zeros((2, len(model.objects))))


def _farthest(rows: TetherRows, spans: Spans, objects: int) -> Floats:
    """How far (o,) m a particle of each object is from its nearest pin at most.

    Of what has no tethers, as ropes, how far pins are from each other.
    """
    nearest, between = np.zeros(objects), np.full(objects, TINY)
    np.maximum.at(nearest, rows.object, rows.rest_length[rows.start[:-1]])
    np.maximum.at(between, spans.object, spans.rest_length)
    return np.where(nearest > 0.0, nearest, between)


class ForcedStretch:
    """What tethers, yarns and the strain limit of a frame ask for."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.work = frame, frame.work
        self.forced: Forced | None = None  # None where nothing is
        self.pressed_count = 0  # particles whose sticks take old errors out slowly
        self.may_be = self.can_be = False
        if len(frame.work.pushed) == 0 or frame.settings.is_force_based:
            return
        self.can_be = True
        self.own = frame.scratch(StretchScratch)
        self.kept = max(0.0, 1.0 - RETURN_RATE * frame.h)
        state = frame.state.stretch
        self.now = Stretch(state.excess, state.share)
        self.work.pushed[:] = 0.0
        self.work.firm[:] = 0
        self._take()
        was_pressed = len(state.pressed) > 0 and frame.work.surfaces is not None
        self.may_be = self.forced is not None or was_pressed or self._may_begin()
        self._remember(frame.state.stretch.pressed if self.may_be else _NONE_PRESSED)

    def _may_begin(self) -> bool:
        """Whether pins move, or there is what could press; surfaces tell when they meet."""
        model, pins = self.frame.model, self.frame.inputs.pin_position
        if pins is not None and not np.array_equal(pins, self.frame.state.pin_position):
            return True
        return len(model.colliders) + len(model.bodies) > 0

    def _remember(self, pressed: Ints) -> None:
        """Take up who was pressed when the last frame ended."""
        self.pressed_count = len(pressed)
        self.own.pressed[:] = 0
        self.own.pressed[pressed] = PRESSED

    def finish(self) -> None:
        """Note who was pressed in the last substep."""
        pressed = np.flatnonzero(self.own.pressed) if self.pressed_count else _NONE_PRESSED
        self.frame.state.stretch.pressed = pressed.astype(np.int32)

    def _take(self) -> None:
        """Let tethers reach as far as they have to."""
        most = np.minimum(self.now.share, self.now.excess / self.own.farthest)
        self.forced = Forced(most, self.kept) if most.any() else None
        reach_of(self.own.rows, self.now, self.work.tethers.length)

    def lengthened(self, sticks: Sticks, springs: Springs) -> tuple[Sticks, Springs]:
        """Sticks and springs as long as they are taken to be."""
        if self.forced is None and not self.pressed_count:
            return sticks, springs
        own, frame, at_once = self.own, self.frame, REPAIR_SPEED * self.frame.h
        forced = self.forced or Forced(np.zeros(len(own.farthest)), 0.0)
        if not self.pressed_count:
            own.pressed[:] = 0
        given = (own.stick_object, forced, own.pressed, at_once)
        find_kept_lengths(frame.previous, sticks, *given, own.stick_length)
        sticks = sticks._replace(rest_length=own.stick_length)
        if self.pressed_count and len(springs.pair):
            kept = (own.pressed, at_once, frame.h, own.spring_length)
            find_kept_springs(frame.particles, springs, *kept)
            springs = springs._replace(rest_length=own.spring_length)
        return sticks, springs

    def measure(self, is_strained: bool, do_surfaces_meet: bool) -> None:
        """See at the end of a substep what has been pushed beyond its reach.

        is_strained: sticks were beyond the strain limit; do_surfaces_meet: they had contacts.
        """
        self.may_be |= self.can_be and do_surfaces_meet
        if not self.may_be:
            return
        frame, own, pushed, firm = self.frame, self.own, self.work.pushed, self.work.firm
        for then, now in zip(own.before, self.now, strict=True):
            then[:] = now
        given = (frame.x, frame.inverse_mass, own.rows, pushed, self.kept)
        measure_stretch(*given, own.before, self.now, firm)
        measure_spans(frame.x, frame.inverse_mass, own.spans, self.now)
        if is_strained or self.pressed_count:
            self.pressed_count = mark_pushed(pushed, is_strained, own.pressed)
        pushed[:] = 0.0
        if self.forced is not None or self.now.share.any():
            self._take()
