"""One frame as a job: all that it follows from, for whichever thread does it.

It knows nothing of Blender's data. Who waits for a frame does its job at once. At the window it is
done in a thread of its own, in kernels that let go of Python, while the window stays fluent;
`delivery` takes it from there. The same job gives the same bits either way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from ...core.errors import VerletError
from ...core.model import Diagnostics, FrameInputs, Model, State
from ...core.settings import SolverSettings
from ...core.step import advance
from ..jobs import Job
from ..on_disk.frame_log import FramesOnDisk
from . import frame_store, sanity
from .phase import EventKind


@dataclass(frozen=True)
class Simulated:
    """What came out of a job."""

    state: State
    figures: Diagnostics | None  # None: it was taken from the disk
    faults: frozenset[EventKind]
    seconds: float  # that it took, by the clock


def _nothing() -> None:
    """Nothing is to be taken back."""


@dataclass(eq=False)
class FrameJob(Job[Simulated]):
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

    def __post_init__(self) -> None:
        super().__init__()

    def result(self) -> Simulated:
        """What came out. Raises what was raised: VerletError where the simulation blew up."""
        simulated = super().result()
        if simulated is None:
            raise VerletError(f"Frame {self.frame} was not simulated")
        return simulated

    def drop(self) -> None:
        """As of any job; what was noted for it is taken back."""
        super().drop()
        self.take_back()

    def work(self) -> Simulated:
        """Simulate the frame, or take it from the disk."""
        began = perf_counter()
        known = frame_store.recall(self.on_disk, self.index, self.inputs)
        if known is not None:
            state, faults = known
            return Simulated(state, None, faults, perf_counter() - began)
        state, figures = advance(self.model, self.before, self.inputs, self.solver)
        faults = sanity.faults_of(state, figures, self.inputs.gravity)
        if not (self.is_draft or figures.is_cut):
            frame_store.keep(self.on_disk, self.index, state, faults)
        return Simulated(state, figures, faults, perf_counter() - began)
