"""Bakes coordinates to a file beside the blend file, which a Mesh Cache modifier plays.

For large meshes: a frame in the file weighs 12 bytes a vertex, and Blender reads one at a time,
where shape keys lie in memory all at once. Other programs read both formats. The file is written
aside and renamed once it is whole; freeing the bake leaves it, so that undo finds it. A bake writes
over no file that undo may bring back or that the saved blend file plays: who closes without saving
finds all as it was saved.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import bpy
import numpy as np

from ..blender import point_cache
from .errors import BakeError, require_editable_object

BAKE_MODIFIER = "Verlet Bake"
FORMATS = {"PC2": ".pc2", "MDD": ".mdd"}

STEPS_OF_A_BAKE = 3
"""Steps back from one bake to another one before it: to bake, to free, and to change something."""

_MDD = struct.Struct(">ii")  # frames, points; then a time for each frame

Positions = Callable[[int], np.ndarray]
"""Local coordinates (n, 3) of a frame."""


_saved: dict[str, frozenset[Path]] = {}  # what blend files play, as they lie on the disk
_written: dict[str, list[Path]] = {}  # by an object's name: what undo may bring back, oldest first


def note_saved(blend: str) -> None:
    """This blend file is saved or opened just now: it plays what is played now."""
    _saved[blend] = frozenset(path for _, path in _played())


def forget_undo() -> None:
    """Another file is opened: Blender undoes nothing of the last one any more."""
    _written.clear()


def _played() -> Iterator[tuple[bpy.types.Object, Path]]:
    """Every object that plays a bake from a file, and that file."""
    for ob in bpy.data.objects:
        modifier = ob.modifiers.get(BAKE_MODIFIER) if ob.verlet_bake.cache.is_baked else None
        if isinstance(modifier, bpy.types.MeshCacheModifier) and modifier.filepath:
            yield ob, Path(bpy.path.abspath(modifier.filepath, library=ob.library))


def path_of(ob: bpy.types.Object, kind: str) -> str:
    """Where the next file of an object goes, relative to the blend file, which has to be saved.

    The first that nothing on the disk and no other object plays, and that no undo can bring back.
    """
    if not bpy.data.filepath:
        raise BakeError(
            ob.name,
            "a mesh cache is written beside the blend file, and this one was never saved. Save it "
            "first, or choose shape keys under Bake › Keys.",
        )
    folder = f"{Path(bpy.data.filepath).stem} Verlet"
    name = bpy.path.clean_name(ob.name)
    played = (path for other, path in _played() if other != ob)
    taken = set(_undoable(ob)).union(played, *_saved.values())
    numbered = (
        f"//{folder}/{name}{f' {number}' if number > 1 else ''}{FORMATS[kind]}"
        for number in itertools.count(1)
    )
    return next(path for path in numbered if Path(bpy.path.abspath(path)) not in taken)


def _undoable(ob: bpy.types.Object) -> list[Path]:
    """The files of an object's bakes that undo may bring back."""
    reach = bpy.context.preferences.edit.undo_steps // STEPS_OF_A_BAKE
    return _written.get(ob.name, [])[-1 - reach :]


def require_bakeable(ob: bpy.types.Object, kind: str) -> None:
    """Raise BakeError where an object or its file cannot be written."""
    if ob.type not in {"MESH", "CURVE"}:
        raise BakeError(ob.name, "only a mesh or curve object can play a mesh cache.")
    require_editable_object(ob)
    path_of(ob, kind)


def write(
    ob: bpy.types.Object, frames: Sequence[int], positions: Positions, kind: str, behind: int = 0
) -> None:
    """Bake what ``positions`` says of each of the frames, which follow each other.

    behind: how many modifiers at the top of the stack bring the vertices to where they start.

    Raises BakeError before anything but the file has changed.
    """
    require_bakeable(ob, kind)
    detach(ob)
    relative = path_of(ob, kind)
    path = Path(bpy.path.abspath(relative))
    aside = path.with_suffix(path.suffix + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            for part in _parts(ob, frames, positions, kind):
                file.write(part)
        aside.replace(path)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise BakeError(
            ob.name, f"its mesh cache cannot be written to {path}: {error.strerror or error}."
        ) from error
    _written[ob.name] = [*_undoable(ob), path]
    point_cache.detach(ob)
    modifier = point_cache.play(ob, BAKE_MODIFIER, relative, frames[0], kind)
    ob.modifiers.move(list(ob.modifiers).index(modifier), behind)
    record = ob.verlet_bake.cache
    record.frame_start, record.frame_end = frames[0], frames[-1]
    record.is_baked = True
    ob.update_tag()


def _parts(
    ob: bpy.types.Object, frames: Sequence[int], positions: Positions, kind: str
) -> Iterable[bytes]:
    """The file, piece by piece: one frame in memory at a time."""
    first = np.ascontiguousarray(positions(frames[0]), "<f4")
    count = len(first)
    if kind == "PC2":
        yield point_cache.HEADER.pack(
            point_cache.POINT_CACHE_MAGIC, 1, count, float(frames[0]), 1.0, len(frames)
        )
    else:
        scene = bpy.context.scene
        seconds = scene.render.fps_base / scene.render.fps
        yield _MDD.pack(len(frames), count)
        yield np.array([seconds * (frame - frames[0]) for frame in frames], ">f4").tobytes()
    for frame in frames:
        sample = positions(frame)
        if sample.shape != (count, 3) or not np.isfinite(sample).all():
            raise BakeError(ob.name, f"frame {frame} holds coordinates that are not numbers.")
        yield np.ascontiguousarray(sample, "<f4" if kind == "PC2" else ">f4").tobytes()


def missing(ob: bpy.types.Object) -> str:
    """Where the file of the object's bake should lie, if it is not there; "" else."""
    path = next((path for other, path in _played() if other == ob), None)
    return str(path) if path is not None and not path.is_file() else ""


def detach(ob: bpy.types.Object) -> None:
    """Take the bake off again; the file stays. Harmless without one."""
    record = ob.verlet_bake.cache
    if not record.is_baked:
        return
    modifier = ob.modifiers.get(BAKE_MODIFIER)
    if modifier is not None:
        ob.modifiers.remove(modifier)
    record.is_baked = False
    ob.update_tag()
