"""Which simulated frames are kept on the disk, and what there is to say of them.

A file for each model, named after all that the model depends on: it does not matter in which blend
file, under which name, or in which session it was simulated, and going back to settings of before
brings their frames back. The folder is the user's, its size has a limit, the files that were not
used for longest go first.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .. import preferences
from ..on_disk.folder import folder, list_kept
from ..on_disk.frame_log import SUFFIX, FramesOnDisk, read_about
from ..scene.named_digests import NamedDigests
from ..session import Session
from ..session.frame_store import open_log, read

GIGABYTE = 1 << 30
IN_MEMORY = 256 << 20
"""Bytes of simulated frames that stay in memory where the disk has them, too."""

LEAST_IN_MEMORY = 8
MOST_NAMED = 2


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
        open_log(on_disk)
    else:
        on_disk.note = _why_not_known(about)


def look_at_limit(on_disk: FramesOnDisk | None) -> None:
    """Note what the preferences allow: frames are kept where nobody may ask Blender."""
    if on_disk is not None:
        on_disk.limit = _limit()


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
        cache.release(frame, partial(read, on_disk.log, entries[index - 1]))


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def remark(running: Session) -> str:
    """What there is to say of the frames on the disk; "" where all is well."""
    on_disk = running.on_disk
    if on_disk is None:
        return ""
    log = on_disk.log
    return (log.failure or log.damage or on_disk.note) if log is not None else on_disk.note


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


def _limit() -> float:
    """Bytes that all files together may have."""
    chosen = preferences.get()
    return GIGABYTE * (chosen.disk_limit if chosen is not None else 0.0)
