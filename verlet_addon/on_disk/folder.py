"""The folder of the files of simulated frames: what is in it, and out with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import bpy

from .. import kernels
from .frame_log import SUFFIX, is_open_elsewhere, read_about


@dataclass(frozen=True)
class Kept:
    """A file of frames, as the list in the preferences shows it."""

    path: Path
    scene: str
    blend: str  # name of the blend file in which it was simulated first, "" for a new one
    size: int  # bytes
    used: float  # s, when it was written last


def folder() -> Path:
    """Where the frames are kept: the extension's own folder in the user's files."""
    try:
        return Path(bpy.utils.extension_path_user(kernels.extension_package(), path="frames"))
    except ValueError:  # loaded from a checkout, not installed as an extension
        return Path(bpy.app.tempdir, "verlet_physics", "frames")


def list_kept(where: Path | None = None) -> list[Kept]:
    """All files of frames in a folder, by default `folder`; the one used last first."""
    found = []
    for path in (where or folder()).glob(f"*{SUFFIX}"):
        with suppress(OSError):
            about, state = read_about(path) or {}, path.stat()
            scene, blend = about.get("scene", "damaged"), about.get("blend", "")
            found.append(Kept(path, scene, blend, state.st_size, state.st_mtime))
    return sorted(found, key=lambda kept: -kept.used)


def clear(paths: list[Path]) -> tuple[int, int]:
    """Delete files of frames; how many went, and how many stay because they are in use."""
    gone = 0
    for path in paths:
        if not is_open_elsewhere(path):
            path.unlink(missing_ok=True)
            gone += 1
    return gone, len(paths) - gone
