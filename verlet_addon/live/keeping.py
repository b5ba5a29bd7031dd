"""Keeps simulated frames on the disk, and takes from there those that would come out the same.

A file for each model, named after all that the model depends on: it does not matter in which blend
file, under which name, or in which session it was simulated, and going back to settings of before
brings their frames back. The folder is the user's, its size has a limit, the files that were not
used for longest go first.
"""

from __future__ import annotations

import io
import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.lib.format import read_array, write_array

from ...core.errors import VerletError
from ...core.model import FrameInputs, State
from ...core.model.state import STATE_COLUMNS
from .. import preferences
from ..on_disk.folder import clear, folder, list_kept
from ..on_disk.frame_log import SUFFIX, Entry, FrameLog, FramesOnDisk, read_about
from ..scene.named_digests import NamedDigests, digest_of_frame
from ..session import Session
from ..session.phase import EventKind

GIGABYTE = 1 << 30
IN_MEMORY = 256 << 20
"""Bytes of simulated frames that stay in memory where the disk has them, too."""

LEAST_IN_MEMORY = 8
MOST_NAMED = 2
_SCALARS = {"step": float, "time": float, "frame": int}


def is_wanted() -> bool:
    """Whether the user wants frames to be kept where Blender runs now."""
    chosen = preferences.get()
    if chosen is None or chosen.keep_frames == "NEVER":
        return False
    return chosen.keep_frames == "ALWAYS" or not bpy.app.background


def names_of(scene: bpy.types.Scene) -> dict[int, str] | None:
    """By which names frames would know the objects, by session id; None if none are kept."""
    return {ob.session_uid: ob.name for ob in scene.objects} if is_wanted() else None


def begin(scene: bpy.types.Scene, running: Session, digests: NamedDigests | None) -> None:
    """Look for the frames of a new simulation. It goes on without any, too.

    A file is made for its first frame only: models are built after each edit.
    """
    if digests is None:
        return
    about = {
        "scene": scene.name,
        "blend": Path(bpy.data.filepath).name,
        "parts": {name: part.hex() for name, part in digests.parts.items()},
    }
    path = folder() / f"{digests.whole.hex()}{SUFFIX}"
    running.on_disk = on_disk = FramesOnDisk(path, about, [digests.whole], limit=_limit())
    if path.is_file():
        _open(on_disk)
    else:
        on_disk.note = _why_not_known(about)


def _open(on_disk: FramesOnDisk) -> None:
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


def look_at_limit(on_disk: FramesOnDisk | None) -> None:
    """Note what the preferences allow: `recall` and `keep` run where nobody may ask Blender."""
    if on_disk is not None:
        on_disk.limit = _limit()


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


def lighten(running: Session) -> None:
    """Let go of the frame that is too long ago to stay in memory, if it can be read from the disk.

    However many frames there are, memory holds about `IN_MEMORY` of them.
    """
    on_disk, cache = running.on_disk, running.cache
    if on_disk is None or on_disk.log is None:
        return
    size = sum(array.nbytes for array in vars(cache[running.last]).values() if _is_array(array))
    frame = running.last - max(IN_MEMORY // max(size, 1), LEAST_IN_MEMORY)
    index = frame - running.start
    entries = on_disk.log.entries
    if 0 < index <= len(entries) and entries[index - 1].key == on_disk.keys[index]:
        cache.release(frame, partial(_read, on_disk.log, entries[index - 1]))


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _read(log: FrameLog, entry: Entry) -> State:
    """A frame that memory has let go of. Raises VerletError where the disk has lost it, too."""
    data = log.read(entry)
    if data is None:
        raise VerletError(f"Frame {entry.frame} was lost on the disk. Press Reset to simulate anew")
    return _state_of(data)[0]


def keep(
    on_disk: FramesOnDisk | None, index: int, state: State, faults: frozenset[EventKind]
) -> None:
    """Write a frame that was simulated just now; ``index`` as in `recall`."""
    if on_disk is None or on_disk.is_given_up:
        return
    if on_disk.log is None:
        _open(on_disk)
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


def remark(running: Session) -> str:
    """What there is to say of the frames on the disk; "" where all is well."""
    on_disk = running.on_disk
    if on_disk is None:
        return ""
    log = on_disk.log
    return (log.failure or log.damage or on_disk.note) if log is not None else on_disk.note


_FAULTS = {EventKind.FLUNG: 1, EventKind.CROSSED: 2}
"""What is kept of the faults of a frame: a bit each."""


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


def _why_not_known(about: dict[str, Any]) -> str:
    """What was changed since frames of this scene were kept; "" where none were."""
    for kept in list_kept():
        before = read_about(kept.path) or {}
        if (before.get("scene"), before.get("blend")) != (about["scene"], about["blend"]):
            continue
        old, new = before.get("parts", {}), about["parts"]
        if not about["blend"] and set(old) != set(new):
            continue  # files without a name are told apart by what is in them
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        if not changed or len(changed) == len(new):
            return ""
        named = changed[:MOST_NAMED]
        more = len(changed) - len(named)
        text = " and ".join(named) if not more else f"{', '.join(named)} and {more} more"
        return f"Frames on the disk are from before {text} changed"
    return ""


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


def _limit() -> float:
    """Bytes that all files together may have."""
    chosen = preferences.get()
    return GIGABYTE * (chosen.disk_limit if chosen is not None else 0.0)
