"""What is known of the simulated frames, and how that changes: one state, one table, no Blender.

What happens is an `Event`; `transition` says what is known after it. Nothing else changes a
`Phase`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple


class Frames(Enum):
    """Whether the simulated frames are those of the scene as it is."""

    CURRENT = auto()
    OUTDATED = auto()  # settings or meshes differ: simulate anew from the start
    MOVED = auto()  # an action was edited, which no comparison sees: likewise


class Event(NamedTuple):
    """Something that happened to a simulation."""

    kind: EventKind
    frame: int = 0  # in which, or from which on
    differs: bool = False  # what a comparison found
    text: str = ""  # why it failed


class EventKind(Enum):
    """What can happen."""

    EDITED = auto()  # something that it may depend on
    ACTION_EDITED = auto()
    COMPARED = auto()  # with the settings and meshes that it was built from
    FOUND_CURRENT = auto()  # at the start frame everything is as it was
    FAILED = auto()
    GUESSED = auto()  # playback left a frame out while things moved
    CUT = auto()  # the time budget cut a frame short
    IMPROVISED = auto()  # what drives it was changed by hand: from this frame on
    FLUNG = auto()  # something was flung away, or torn
    CROSSED = auto()  # a surface passes through itself, another one or a mesh
    FORCED = auto()  # something is pressed or pulled longer than it is
    DROPPED = auto()  # this frame and all that follow
    HELD = auto()  # a bake begins to read it: neither compared nor begun anew
    RELEASED = auto()


class Standing(Enum):
    """What is to be said of the frames, the worst first."""

    FAILED = auto()
    OUTDATED = auto()
    FLUNG = auto()
    CROSSED = auto()
    IMPROVISED = auto()
    DRAFT = auto()
    WHOLE = auto()


@dataclass(frozen=True)
class Phase:
    """What is known of the simulated frames. The numbers are the first frames of their sort."""

    frames: Frames = Frames.CURRENT
    is_suspect: bool = False  # something was changed: compare before going on
    failure: str = ""  # why no further frame is simulated
    guessed: int | None = None
    draft: int | None = None
    improvised: int | None = None  # may lie one behind the last frame: then nothing is yet
    flung: int | None = None
    crossed: int | None = None
    forced: int | None = None
    is_held: bool = False

    @property
    def is_outdated(self) -> bool:
        """Whether the frames are known not to be those of the scene as it is."""
        return self.frames is not Frames.CURRENT

    @property
    def is_sound(self) -> bool:
        """Whether the frames hold, as far as anybody knows without comparing."""
        return not (self.is_outdated or self.is_suspect or self.failure)

    def improvised_by(self, last: int) -> int | None:
        """The first frame up to the ``last`` one that came after an edit that no key tells of."""
        return self.improvised if self.improvised is not None and self.improvised <= last else None

    def inexact_by(self, last: int) -> int | None:
        """First frame that a bake has to simulate again; None when it may take all of them."""
        found = (self.guessed, self.draft, self.improvised_by(last))
        return min((frame for frame in found if frame is not None), default=None)

    def standing(self, last: int) -> Standing:
        """The worst that is to be said of the frames up to the ``last`` one."""
        said = {
            Standing.FAILED: bool(self.failure),
            Standing.OUTDATED: self.is_outdated,
            Standing.FLUNG: self.flung is not None,
            Standing.CROSSED: self.crossed is not None,
            Standing.IMPROVISED: self.improvised_by(last) is not None,
            Standing.DRAFT: self.draft is not None,
        }
        return next((standing for standing, is_so in said.items() if is_so), Standing.WHOLE)


def transition(phase: Phase, event: Event) -> Phase:
    """What is known after something happened."""
    return _TABLE[event.kind](phase, event)


def _compared(phase: Phase, event: Event) -> Phase:
    if phase.frames is Frames.MOVED:  # no comparison sees that
        return replace(phase, is_suspect=False)
    frames = Frames.OUTDATED if event.differs else Frames.CURRENT
    return replace(phase, frames=frames, is_suspect=False)


def _dropped(phase: Phase, event: Event) -> Phase:
    """Drafts and the like that lie before stay; what was guessed is known of all that is left."""

    def kept(first: int | None) -> int | None:
        return first if first is not None and first < event.frame else None

    return replace(
        phase,
        failure="",
        guessed=None,
        draft=kept(phase.draft),
        improvised=kept(phase.improvised),
        flung=kept(phase.flung),
        crossed=kept(phase.crossed),
        forced=kept(phase.forced),
    )


def _first(known: int | None, event: Event) -> int:
    """The first frame of a sort stays the first."""
    return event.frame if known is None else known


_TABLE: dict[EventKind, Callable[[Phase, Event], Phase]] = {
    EventKind.EDITED: lambda phase, _: replace(phase, is_suspect=True),
    EventKind.ACTION_EDITED: lambda phase, _: replace(phase, frames=Frames.MOVED),
    EventKind.COMPARED: _compared,
    EventKind.FOUND_CURRENT: lambda phase, _: replace(
        phase, frames=Frames.CURRENT, is_suspect=False
    ),
    EventKind.FAILED: lambda phase, event: replace(phase, failure=event.text),
    EventKind.GUESSED: lambda phase, event: replace(phase, guessed=_first(phase.guessed, event)),
    EventKind.CUT: lambda phase, event: replace(phase, draft=_first(phase.draft, event)),
    EventKind.IMPROVISED: lambda phase, event: replace(phase, improvised=event.frame),
    EventKind.FLUNG: lambda phase, event: replace(phase, flung=_first(phase.flung, event)),
    EventKind.CROSSED: lambda phase, event: replace(phase, crossed=_first(phase.crossed, event)),
    EventKind.FORCED: lambda phase, event: replace(phase, forced=_first(phase.forced, event)),
    EventKind.DROPPED: _dropped,
    EventKind.HELD: lambda phase, _: replace(phase, is_held=True),
    EventKind.RELEASED: lambda phase, _: replace(phase, is_held=False),
}
