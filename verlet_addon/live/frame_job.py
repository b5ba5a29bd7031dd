"""One frame as a job: all that it follows from, for whichever thread does it.

It knows nothing of Blender's data. Who waits for a frame does its job at once. At the window it is
done in a thread of its own, in kernels that let go of Python, while the window stays fluent;
`delivery` takes it from there. The same job gives the same bits either way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

from ...core.errors import VerletError
from ...core.model import Diagnostics, FrameInputs, Model, State
from ...core.settings import SolverSettings
from ...core.step import advance
from ..on_disk.frame_log import FramesOnDisk
from ..session.phase import EventKind
from . import keeping, sanity


@dataclass(frozen=True)
class Simulated:
    """What came out of a job."""

    state: State
    figures: Diagnostics | None  # None: it was taken from the disk
    faults: frozenset[EventKind]
    seconds: float  # that it took, by the clock


def _nothing() -> None:
    """Nothing is to be taken back."""


@dataclass
class FrameJob:
    """A frame to be simulated, or taken from the disk, and its result once there is one."""

    frame: int
    index: int  # how many frames it comes after the start
    model: Model
    before: State
    inputs: FrameInputs
    solver: SolverSettings
    on_disk: FramesOnDisk | None
    is_draft: bool  # frames before were cut short: it is not kept on the disk
    take_back: Callable[[], None] = _nothing  # where it is dropped: see `Session.noted`
    next_frame: int | None = None  # that playback has asked for meanwhile
    is_dropped: bool = False
    _result: Simulated | Exception | None = None
    _is_done: threading.Event = field(default_factory=threading.Event)

    @property
    def is_done(self) -> bool:
        """Whether there is a result, or an error."""
        return self._is_done.is_set()

    def run(self) -> None:
        """Do it, in any thread; what goes wrong is raised by `result`."""
        try:
            if not self.is_dropped:
                self._result = self._simulated()
        except Exception as error:
            self._result = error
        finally:
            self._is_done.set()

    def result(self) -> Simulated:
        """What came out. Raises what was raised: VerletError where the simulation blew up."""
        if isinstance(self._result, Exception):
            raise self._result
        if self._result is None:
            raise VerletError(f"Frame {self.frame} was not simulated")
        return self._result

    def drop(self) -> None:
        """Nobody wants it any more: it is not begun, or nobody looks at what comes out."""
        self.is_dropped = True
        self.take_back()

    def _simulated(self) -> Simulated:
        began = perf_counter()
        known = keeping.recall(self.on_disk, self.index, self.inputs)
        if known is not None:
            state, faults = known
            return Simulated(state, None, faults, perf_counter() - began)
        state, figures = advance(self.model, self.before, self.inputs, self.solver)
        faults = sanity.faults_of(state, figures)
        if not (self.is_draft or figures.is_cut):
            keeping.keep(self.on_disk, self.index, state, faults)
        return Simulated(state, figures, faults, perf_counter() - began)


class Job(Protocol):
    """What a thread may do."""

    def run(self) -> None:
        """Do it."""


_thread: threading.Thread | None = None


def begin(job: Job) -> None:
    """Do a job in a thread of its own, after the one before: a model is advanced by one at a time.

    The thread ends with it, so Blender quits as soon as the frame is over.
    """
    global _thread
    before = _thread

    def work() -> None:
        if before is not None:
            before.join()
        job.run()

    _thread = threading.Thread(target=work, name="Verlet Physics")
    _thread.start()


def finish() -> None:
    """Wait for the job that is under way, a dropped one too."""
    global _thread
    if _thread is not None:
        _thread.join()
        _thread = None
