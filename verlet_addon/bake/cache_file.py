"""Bakes coordinates to a file beside the blend file, which a Mesh Cache modifier plays.

For large meshes: a frame in the file weighs 12 bytes a vertex, and Blender reads one at a time,
where shape keys lie in memory all at once. Other programs read both formats. The file is written
aside and renamed once it is whole; freeing the bake leaves it, so that undo finds it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import bpy
import numpy as np

from ..blender import point_cache
from .errors import BakeError, require_editable_object

BAKE_MODIFIER = "Verlet Bake"
FORMATS = {"PC2": ".pc2", "MDD": ".mdd"}

_MDD = struct.Struct(">ii")  # frames, points; then a time for each frame

Positions = Callable[[int], np.ndarray]
"""Local coordinates (n, 3) of a frame."""


def path_of(ob: bpy.types.Object, kind: str) -> str:
    """Where the file of an object goes, relative to the blend file, which has to be saved."""
    if not bpy.data.filepath:
        raise BakeError(
            ob.name,
            "a mesh cache is written beside the blend file, and this one was never saved. Save it "
            "first, or choose shape keys under Bake › Keys.",
        )
    folder = f"{Path(bpy.data.filepath).stem} Verlet"
    return f"//{folder}/{bpy.path.clean_name(ob.name)}{FORMATS[kind]}"


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
    modifier = ob.modifiers.get(BAKE_MODIFIER) if ob.verlet_bake.cache.is_baked else None
    if not isinstance(modifier, bpy.types.MeshCacheModifier):
        return ""
    path = bpy.path.abspath(modifier.filepath)
    return path if path and not Path(path).is_file() else ""


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
