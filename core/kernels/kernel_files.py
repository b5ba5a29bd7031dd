"""Files of compiled kernels, each with a checksum: one that was damaged is compiled anew.

Numba takes what it finds in a file for machine code and runs it. A file that a full disk or a crash
has cut short, or a bit that has flipped, would end the process or, worse, change a number.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size  # bytes


def write_sealed(path: Path, data: bytes) -> None:
    """Write data behind its checksum: whole, or not at all.

    Raises OSError where that cannot be.
    """
    aside = path.with_name(f"{path.name}.tmp.{uuid.uuid4().hex[:16]}")
    try:
        aside.write_bytes(_DIGEST(data).digest() + data)
        aside.replace(path)
    except OSError:
        with suppress(OSError):
            aside.unlink()
        raise


def read_sealed(path: Path) -> bytes | None:
    """The data that was written, None where there is none or it is damaged: then it is deleted."""
    try:
        held = path.read_bytes()
    except OSError:
        return None
    data = held[_DIGEST_SIZE:]
    if len(held) >= _DIGEST_SIZE and _DIGEST(data).digest() == held[:_DIGEST_SIZE]:
        return data
    with suppress(OSError):
        path.unlink()
    return None


# ---------------------------------------------------------------------------- one kernel


class _SealedFiles(IndexDataCacheFile):
    """The files of one kernel: the index of what it is compiled for, and the machine code."""

    def _load_index(self) -> dict[Any, str]:
        data = read_sealed(Path(self._index_path))
        if data is None:
            return {}
        version, stamp, names = pickle.loads(data)
        return names if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, names: dict[Any, str]) -> None:
        held = self._version, self._source_stamp, names
        write_sealed(Path(self._index_path), self._dump(held))

    def _load_data(self, name: str) -> Any:
        data = read_sealed(Path(self._data_path(name)))
        return None if data is None else pickle.loads(data)

    def _save_data(self, name: str, data: Any) -> None:
        write_sealed(Path(self._data_path(name)), self._dump(data))


class _KernelCache(FunctionCache):
    """Numba's cache of one function, which never keeps a kernel from running."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _SealedFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with suppress(OSError):  # a full disk: it is compiled, and runs
            super().save_overload(signature, compiled)


def cache_of(function: Callable[..., Any]) -> Any:
    """Where the machine code of a kernel is kept; nowhere if no folder can be written to."""
    try:
        return _KernelCache(function)
    except RuntimeError:  # Numba has found none
        return NullCache()


# ---------------------------------------------------------------------------- all kernels

_COMPLETE = "complete"


def note_complete(folder: Path, kernel_folders: Iterable[Path]) -> None:
    """Note in a folder that these folders hold every kernel.

    Where nothing can be written, nothing is noted.
    """
    files = [
        os.path.relpath(path, folder.parent)
        for kernels in kernel_folders
        for path in sorted(kernels.rglob("*.nb[ci]"))
    ]
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_sealed(folder / _COMPLETE, json.dumps(files).encode())


def is_complete(folder: Path) -> bool:
    """Whether it was noted that every kernel is there."""
    return read_sealed(folder / _COMPLETE) is not None


def drop_damaged(folder: Path) -> int:
    """Delete what is damaged of the kernels that were noted, and the note; how many were not whole.

    Reads every file: some 20 ms.
    """
    noted = read_sealed(folder / _COMPLETE)
    if noted is None:
        return 0
    files = [folder.parent / name for name in json.loads(noted)]
    count = sum(read_sealed(path) is None for path in files)
    if count:
        with suppress(OSError):
            (folder / _COMPLETE).unlink()
    return count
