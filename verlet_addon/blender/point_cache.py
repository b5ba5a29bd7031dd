"""The live preview: a PC2 file that grows frame by frame, and the modifier that plays it.

Blender reads one sample of the file for each evaluation, in the viewport and in renders alike, so
what is seen while the simulation runs needs neither shape keys nor a mesh that is written to. A
curve object plays its control points in the same way: see control_points.py for their order.
"""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from errno import ENOSPC
from io import FileIO
from pathlib import Path
from types import TracebackType

import bpy
import numpy as np
from numpy.typing import NDArray

from .data import any_item

PREVIEW_MODIFIER = "Verlet Preview"
TICK = 3_000_000_000
"""ns, longer than any disk's clock stands: what is changed later has another time."""

HEADER = struct.Struct("<12siiffi")  # name, version, points, start frame, sample rate, samples
POINT_CACHE_MAGIC = b"POINTCACHE2\0"


class PointCacheFile:
    """A PC2 file of float32 positions in the object's own space, one sample for each frame.

    Sample i belongs to frame ``first_frame + i``. ``vertex_count`` is the number of vertices of a
    mesh, or of coordinates of a curve (``control_points.coordinate_count``). Everything is written
    through at once, and the header counts a sample only after its positions are in the file, so a
    reader never sees half.

    It is a preview: where it cannot be written, ``failure`` says why and nothing more is, so that
    the simulation and its bake go on.
    """

    def __init__(self, path: str | Path, vertex_count: int, first_frame: int) -> None:
        self.path = Path(path)
        self.vertex_count = vertex_count
        self.first_frame = first_frame
        self.sample_count = 0
        self.failure = ""
        self._file: FileIO | None = None
        self._seen_whole: tuple[int, ...] | None = None  # what the disk said of the file then
        self._begin()

    @property
    def sample_size(self) -> int:
        """Bytes of one sample."""
        return 12 * self.vertex_count

    @property
    def last_frame(self) -> int:
        """The last frame in the file; ``first_frame - 1`` when there is none."""
        return self.first_frame + self.sample_count - 1

    def append(self, frame: int, positions: NDArray[np.floating]) -> None:
        """Write the positions (n,3) of ``frame``: the next frame, or one that is replaced."""
        if self._file is None:
            return
        index = frame - self.first_frame
        if not 0 <= index <= self.sample_count:
            raise ValueError(
                f"frame {frame} cannot be written: the file holds frames "
                f"{self.first_frame} to {self.last_frame} without a gap"
            )
        sample = np.ascontiguousarray(positions, dtype="<f4")
        if sample.shape != (self.vertex_count, 3):
            raise ValueError(
                f"positions of shape {(self.vertex_count, 3)} were expected, not {sample.shape}"
            )
        try:
            self._file.seek(HEADER.size + index * self.sample_size)
            _write_all(self._file, sample.tobytes())
            if index == self.sample_count:
                self.sample_count += 1
                self._write_header()
        except OSError as error:
            self._give_up(error)

    def rewrite(self, positions: NDArray[np.floating]) -> None:
        """Write the file anew with the positions (F, n, 3) of its first F frames."""
        with suppress(OSError):
            self.close()
        self.sample_count = 0
        self._begin()
        for number, sample in enumerate(positions):
            self.append(self.first_frame + number, sample)

    def truncate(self, last_frame: int | None = None) -> None:
        """Forget every frame after ``last_frame``; all of them without one."""
        kept = 0 if last_frame is None else max(0, last_frame - self.first_frame + 1)
        if kept >= self.sample_count or self._file is None:
            return
        self.sample_count = kept
        try:
            self._write_header()
            self._file.truncate(HEADER.size + kept * self.sample_size)
        except OSError as error:
            self._give_up(error)

    @property
    def is_whole(self) -> bool:
        """Whether what lies on disk is as long as what was written, with its header.

        It is not read again as long as the disk has it as it was found whole.
        """
        expected = HEADER.size + self.sample_count * self.sample_size
        try:
            about = self.path.stat()
            seen = about.st_ino, about.st_size, about.st_mtime_ns, expected
            if seen == self._seen_whole:
                return True
            with self.path.open("rb") as file:
                is_whole = file.read(HEADER.size) == self._header() and file.seek(0, 2) >= expected
        except OSError:
            return False
        is_settled = abs(time.time_ns() - about.st_mtime_ns) > TICK
        self._seen_whole = seen if is_whole and is_settled else None
        return is_whole

    def close(self) -> None:
        """Close the file; it stays on disk."""
        if self._file is not None:
            self._file.close()

    def _begin(self) -> None:
        """A new file without a frame."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("w+b", buffering=0)
            self._write_header()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Write no more: a preview that ends is better than a simulation that does."""
        self.failure = (
            f"The preview cannot be written to {self.path.parent}: {error.strerror or error}. "
            "Frames are simulated and can be baked, but are not shown"
        )
        with suppress(OSError):
            self.close()
        self._file = None

    def remove(self) -> None:
        """Close the file and delete it. On Windows a file that is being read is left behind."""
        self.close()
        try:
            self.path.unlink(missing_ok=True)
        except PermissionError:
            return

    def _write_header(self) -> None:
        assert self._file is not None
        self._file.seek(0)
        _write_all(self._file, self._header())

    def _header(self) -> bytes:
        return HEADER.pack(
            POINT_CACHE_MAGIC, 1, self.vertex_count, float(self.first_frame), 1.0, self.sample_count
        )

    def __enter__(self) -> PointCacheFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _write_all(file: FileIO, data: bytes) -> None:
    """Write everything; a disk that is nearly full takes a part without a word."""
    if file.write(data) < len(data):
        raise OSError(ENOSPC, "no space left on the device")


def attached(ob: bpy.types.Object) -> bpy.types.MeshCacheModifier | None:
    """Return the preview modifier of the object, or None."""
    for modifier in ob.modifiers:
        is_ours = modifier.name.startswith(PREVIEW_MODIFIER)
        if is_ours and isinstance(modifier, bpy.types.MeshCacheModifier):
            return modifier
    return None


def attach(ob: bpy.types.Object, path: str | Path, first_frame: int) -> bpy.types.MeshCacheModifier:
    """Play the PC2 file at ``path`` on the object: frame f shows sample f − first_frame.

    The modifier comes first in the stack and takes the place of the object's own coordinates and
    shape keys. Before the first and after the last sample that sample is held. On a curve it
    moves the control points, so that Blender tessellates and bevels what the simulation made.
    """
    known = attached(ob)
    modifier = play(ob, PREVIEW_MODIFIER if known is None else known.name, str(path), first_frame)
    modifier.show_expanded = False
    index = list(ob.modifiers).index(modifier)
    if index > 0:
        ob.modifiers.move(index, 0)
    return attached(ob)


def play(
    ob: bpy.types.Object, name: str, path: str, first_frame: int, kind: str = "PC2"
) -> bpy.types.MeshCacheModifier:
    """The modifier of this name, made where there is none, that plays a file frame by frame."""
    chosen = ob.modifiers.active
    modifier = ob.modifiers.get(name)
    if modifier is None:
        modifier = ob.modifiers.new(name, "MESH_CACHE")
        ob.modifiers.active = chosen  # None, too: old files have modifiers of which none is
    assert isinstance(modifier, bpy.types.MeshCacheModifier)
    modifier.cache_format = any_item(kind)
    modifier.filepath = path
    modifier.interpolation = "LINEAR"
    modifier.play_mode = "SCENE"
    modifier.time_mode = "FRAME"
    modifier.deform_mode = "OVERWRITE"
    modifier.frame_start = float(first_frame)
    modifier.frame_scale = 1.0
    modifier.factor = 1.0
    modifier.vertex_group = ""
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"  # Blender's own: nothing is turned
    modifier.use_apply_on_spline = ob.type == "CURVE"
    modifier.property_unset("flip_axis")  # a set in 4.2, three switches later
    modifier.show_viewport = modifier.show_render = True
    modifier.show_in_editmode = modifier.show_on_cage = False
    return modifier


def detach(ob: bpy.types.Object) -> bool:
    """Remove the preview from the object; False when there was none."""
    modifier = attached(ob)
    if modifier is None:
        return False
    ob.modifiers.remove(modifier)
    ob.update_tag()
    return True
