"""A file of simulated frames that outlives a crash: each with a checksum and its origin.

Layout: `FRAME_LOG_MAGIC`, the length of a text, its checksum, the text (JSON: what the frames are
of); then for each frame a head (`HEAD`, and a checksum of that) and its bytes. Everything is
appended by who has the file locked: what a crash cuts off is the last, which is dropped.
The key of a frame is a digest of all that it followed from, so a frame is only ever taken where
simulating would give the same bits. Little endian.
"""

from __future__ import annotations

import json
import os
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from io import FileIO
from pathlib import Path
from typing import Any

FRAME_LOG_MAGIC = b"VERLET-FRAMES-3\n"
_TEXT_HEAD = struct.Struct("<I16s")
HEAD = struct.Struct("<4siQ16s16s")  # mark, frame, bytes, key, checksum of the bytes
_MARK = b"VFRM"
SUFFIX = ".frames"


@dataclass(frozen=True)
class Entry:
    """Where a frame lies in the file."""

    frame: int
    start: int  # of its bytes
    size: int
    key: bytes
    checksum: bytes

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.start + self.size


def checksum(data: bytes) -> bytes:
    """16 bytes that tell whether others were changed."""
    return blake2b(data, digest_size=16).digest()


class FrameLog:
    """Frames of one model, in their order. Raises OSError where the file cannot be opened, and
    BlockingIOError where another Blender has it open.

    What goes wrong later is told in ``failure`` and writes nothing more; what was found damaged
    in ``damage``. Neither keeps the simulation from going on. Threads take turns.
    """

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        self._turn = threading.Lock()  # the file has one place at which it is read or written
        self.failure = self.damage = ""
        self.entries: list[Entry] = []
        is_new = not path.exists()
        self._file: FileIO | None = FileIO(path, "r+", opener=_open_or_make)
        try:
            _lock(self._file)
            if read_about(path) is None:
                if not is_new:
                    self.damage = "The frames on the disk were damaged: all are simulated anew"
                self._begin_anew(json.dumps(about).encode())
            self._scan()
        except OSError:
            self.close()
            raise

    @property
    def size(self) -> int:
        """Bytes of the whole file, but for what is damaged at its end."""
        return self.entries[-1].end if self.entries else self._begin

    def recall(self, index: int, key: bytes) -> bytes | None:
        """The bytes of a frame, by its place among them; None where simulating gives others, or
        where it is damaged.
        """
        if self._file is None or index >= len(self.entries) or self.entries[index].key != key:
            return None
        return self.read(self.entries[index])

    def read(self, entry: Entry) -> bytes | None:
        """The bytes of a frame; None where they are damaged, or cannot be read."""
        with self._turn:
            if self._file is None:
                return None
            try:
                data = _read(self._file, entry.start, entry.size)
            except OSError as error:
                self._fail(error)
                return None
        if checksum(data) != entry.checksum:
            self.damage = f"Frame {entry.frame} on the disk was damaged: it is simulated anew"
            return None
        return data

    def keep(self, index: int, frame: int, key: bytes, data: bytes) -> None:
        """Write a frame behind those before it; what came after others than these is dropped.

        A damaged one that is the same again is mended where it lies.
        """
        sum_of_data = checksum(data)  # takes longest, and nobody need wait for it
        with self._turn:
            self._keep(index, frame, key, data, sum_of_data)

    def _keep(self, index: int, frame: int, key: bytes, data: bytes, sum_of_data: bytes) -> None:
        if self._file is None or self.failure or index > len(self.entries):
            return
        held = self.entries[index] if index < len(self.entries) else None
        is_same = held is not None and held.key == key and held.size == len(data)
        start = self.entries[index - 1].end if index else self._begin
        entry = Entry(frame, start + HEAD.size + 16, len(data), key, sum_of_data)
        head = HEAD.pack(_MARK, frame, len(data), key, entry.checksum)
        try:
            if not is_same:
                del self.entries[index:]
                self._file.truncate(start)
            self._file.seek(start)
            _write_all(self._file, head + checksum(head) + data)
        except OSError as error:
            with suppress(OSError):  # half a frame is seen when the file is opened, too
                self._file.truncate(start)
            self._fail(error)
            return
        self.entries[index : index + 1] = [entry]

    def close(self) -> None:
        """Let others have the file."""
        with self._turn:
            if self._file is not None:
                self._file.close()
            self._file = None

    def _fail(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        self.failure = f"Frames are no longer kept on the disk: {reason} ({self.path.parent})"

    def stop(self, reason: str) -> None:
        """Keep no further frames; those that are there can be read."""
        self.failure = reason

    def _begin_anew(self, text: bytes) -> None:
        assert self._file is not None
        opening = FRAME_LOG_MAGIC + _TEXT_HEAD.pack(len(text), checksum(text)) + text
        self._file.truncate(0)
        self._file.seek(0)
        _write_all(self._file, opening)

    def _scan(self) -> None:
        """Find the frames by their heads, up to the first that is not whole."""
        assert self._file is not None
        end = os.fstat(self._file.fileno()).st_size
        size, _ = _TEXT_HEAD.unpack(_read(self._file, len(FRAME_LOG_MAGIC), _TEXT_HEAD.size))
        at = self._begin = len(FRAME_LOG_MAGIC) + _TEXT_HEAD.size + size
        while at + HEAD.size + 16 <= end:
            head = _read(self._file, at, HEAD.size + 16)
            mark, frame, length, key, check = HEAD.unpack(head[: HEAD.size])
            start = at + HEAD.size + 16
            if mark != _MARK or checksum(head[: HEAD.size]) != head[HEAD.size :]:
                break
            if start + length > end:
                break
            self.entries.append(Entry(frame, start, length, key, check))
            at = start + length
        if at < end:
            last = f"after frame {self.entries[-1].frame}" if self.entries else "from the first on"
            self.damage = f"Frames on the disk are cut off or damaged {last}: simulated anew"


@dataclass
class FramesOnDisk:
    """The frames of one simulation on the disk, as far as they are known."""

    path: Path
    about: dict[str, Any]  # what a new file says of them
    keys: list[bytes]  # of the start frame and of those after it
    log: FrameLog | None = None  # open; a file is made for the first frame
    room: float = 0.0  # bytes that the file may have
    limit: float = 0.0  # bytes that all files together may have
    recalled: int = 0  # frames that were taken from the disk
    note: str = ""
    is_given_up: bool = False

    def close(self) -> None:
        """Let others have the file, also one that another thread is just about to open."""
        self.is_given_up = True
        if self.log is not None:
            self.log.close()


def read_about(path: Path) -> dict[str, Any] | None:
    """What the frames in a file are of; None where it is damaged, or no such file."""
    try:
        with path.open("rb") as file:
            if file.read(len(FRAME_LOG_MAGIC)) != FRAME_LOG_MAGIC:
                return None
            size, check = _TEXT_HEAD.unpack(file.read(_TEXT_HEAD.size))
            text = file.read(size)
        if checksum(text) != check:
            return None
        about: dict[str, Any] = json.loads(text)
    except (OSError, struct.error, ValueError):
        return None
    return about


def is_open_elsewhere(path: Path) -> bool:
    """Whether a Blender, this one too, has the file open."""
    try:
        with FileIO(path, "r+") as file:
            _lock(file)
    except OSError:
        return True
    return False


def _open_or_make(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _lock(file: FileIO) -> None:
    """Take the file for this process until it is closed. Raises BlockingIOError if it is taken."""
    try:
        import fcntl
    except ImportError:  # Windows
        msvcrt: Any = import_module("msvcrt")
        file.seek(1 << 40)  # a byte that nobody reads
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, "another Blender has it open") from error
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise BlockingIOError(error.errno, "another Blender has it open") from error


def _read(file: FileIO, start: int, size: int) -> bytes:
    file.seek(start)
    parts = []
    while size > 0:
        part = file.read(size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write_all(file: FileIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
