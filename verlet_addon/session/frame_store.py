"""Writes simulated frames to the disk, and takes from there those that would come out the same.

In whichever thread simulates: nothing here asks Blender.
"""

from __future__ import annotations

import io
import os
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.lib.format import read_array, write_array

from ...core.errors import VerletError
from ...core.model import FrameInputs, State
from ...core.model.state import STATE_COLUMNS
from ..inputs.digests import digest_of_frame
from ..on_disk.folder import clear, list_kept
from ..on_disk.frame_log import Entry, FrameLog, FramesOnDisk
from .phase import EventKind

_SCALARS = {"step": float, "time": float, "frame": int}
_FAULTS = {EventKind.FLUNG: 1, EventKind.CROSSED: 2, EventKind.FORCED: 4}
"""What is kept of what is said of a frame: a bit each."""


def open_log(on_disk: FramesOnDisk) -> None:
    """Open the file, or make it; where that cannot be, say why and do without."""
    try:
        on_disk.path.parent.mkdir(parents=True, exist_ok=True)
        on_disk.log = FrameLog(on_disk.path, on_disk.about)
        if on_disk.is_given_up:  # the simulation was dropped meanwhile
            on_disk.log.close()
            return
        os.utime(on_disk.path)
        on_disk.room = make_room(on_disk.log, on_disk.limit)
    except BlockingIOError:
        on_disk.is_given_up = True
        on_disk.note = "Another Blender keeps these frames on the disk: here they are not kept"
    except OSError as error:
        on_disk.is_given_up = True
        reason = error.strerror or error
        on_disk.note = f"Frames cannot be kept on the disk: {reason} ({on_disk.path.parent})"


def recall(
    on_disk: FramesOnDisk | None, index: int, inputs: FrameInputs
) -> tuple[State, frozenset[EventKind]] | None:
    """A frame from the disk with its faults, if it is what simulating would give.

    Called before each frame; ``index``: how many frames it comes after the start.
    """
    if on_disk is None:
        return None
    del on_disk.keys[index:]
    on_disk.keys.append(digest_of_frame(on_disk.keys[-1], inputs))
    data = None if on_disk.log is None else on_disk.log.recall(index - 1, on_disk.keys[index])
    if data is None:
        return None
    state, faults = _state_of(data)
    on_disk.recalled += 1
    return state, frozenset(kind for kind, bit in _FAULTS.items() if faults & bit)


def keep(
    on_disk: FramesOnDisk | None, index: int, state: State, faults: frozenset[EventKind]
) -> None:
    """Write a frame that was simulated just now; ``index`` as in `recall`."""
    if on_disk is None or on_disk.is_given_up:
        return
    if on_disk.log is None:
        open_log(on_disk)
    log = on_disk.log
    if log is None:
        return
    bits = sum(_FAULTS[kind] for kind in faults)
    log.keep(index - 1, state.frame, on_disk.keys[index], _bytes_of(state, bits))
    if log.size > on_disk.room and not log.failure:
        on_disk.room = make_room(log, on_disk.limit)
        if log.size > on_disk.room:
            log.stop(
                "Frames are no longer kept on the disk: the limit in the preferences is reached"
            )


def read(log: FrameLog, entry: Entry) -> State:
    """A frame that memory has let go of. Raises VerletError where the disk has lost it, too."""
    data = log.read(entry)
    if data is None:
        raise VerletError(f"Frame {entry.frame} was lost on the disk. Press Reset to simulate anew")
    return _state_of(data)[0]


def _bytes_of(state: State, faults: int) -> bytes:
    buffer = io.BytesIO()
    for value in (*state.columns().values(), faults):
        write_array(buffer, np.asarray(value), allow_pickle=False)
    return buffer.getvalue()


def _state_of(data: bytes) -> tuple[State, int]:
    buffer = io.BytesIO(data)
    values: dict[str, Any] = {
        name: read_array(buffer, allow_pickle=False) for name in STATE_COLUMNS
    }
    faults = int(read_array(buffer, allow_pickle=False))
    for name, kind in _SCALARS.items():
        values[name] = kind(values[name])
    return State.of_columns(values), faults


def make_room(own: FrameLog, limit: float) -> float:
    """Delete what was not used for longest until the folder keeps within its limit, in bytes.

    Returns the bytes that this file may have beside those that are left.
    """
    kept = [one for one in list_kept(own.path.parent) if one.path != own.path]
    over = own.size + sum(one.size for one in kept) - limit
    for one in reversed(kept):
        if over <= 0:
            break
        with suppress(OSError):
            if clear([one.path])[0]:
                over -= one.size
    return own.size - over
