"""The engine on Linux, its kernels in the library for Windows, which runs under Wine.

`python -m tools.same_bits.under_wine PACKAGE PROGRAM NAME ARGUMENT…` does with these arguments what
`python -m verlet_physics` does. Arrays of a call are copied into memory that both share, and back:
all but Python's own way into the library is as in Windows: code, calling convention, mathematics
and threads.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import operator
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from verlet_physics.__main__ import main as command_line
from verlet_physics.kernels import jit, library

ROOM = 1 << 28  # bytes of shared memory
HEAD = 1 << 14  # of which these are for places
RESULTS = 1 << 13  # and of these the ones from here on for results


class WineLibrary:
    """What `library.Library` is to the engine."""

    def __init__(self, package: Path, program: Path, name: str, wine: Sequence[str]) -> None:
        table = json.loads((package / "kernels.json").read_text("utf-8"))
        self.name = name
        self.kernels = table["kernels"]
        with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
            file.truncate(ROOM)
            self.memory = mmap.mmap(file.fileno(), ROOM)
            dll = package / table["libraries"][name]
            command = [*wine, str(program), _on_z(dll), _on_z(Path(file.name))]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
            )
            self.base = int(self._answer())
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.words = np.frombuffer(self.memory, np.int64, HEAD // 8)
        self.threads = 0

    def set_thread_count(self, threads: int) -> None:
        """Threads used by the parallel calls that follow."""
        if threads != self.threads:
            self._say(f"threads {threads}")
            self.threads = threads

    def callables(self, kernel: str, parallel: bool) -> list[Callable[..., Any]]:
        """A callable for each signature of a kernel, NotImplemented where arguments do not fit."""
        return [
            lambda *arguments, about=about: self._call(about, arguments)
            for about in self.kernels.get(kernel, ())
            if about["parallel"] == parallel
        ]

    def _call(self, about: dict[str, Any], arguments: Sequence[Any]) -> Any:
        call = _Call(self.base)
        kinds = about["arguments"]
        if len(kinds) != len(arguments):
            return NotImplemented
        if not all(map(call.place, kinds, arguments)):
            return NotImplemented
        blocks = call.lay_out()
        self.words[0] = self.base + RESULTS
        self.words[1 : 1 + len(call.words)] = call.words
        for start, size, offset in blocks:
            ctypes.memmove(self.address + offset, start, size)
        self._say(about["symbol"])
        status = int(self._answer())
        for start, size, offset in blocks:
            ctypes.memmove(start, self.address + offset, size)
        if status > 0 or status == -1:
            raise MemoryError
        if status == -1000:
            raise RuntimeError(f"{about['symbol']} is not in the library")
        results = iter(self.words[RESULTS // 8 :])
        return _result(about["result"], results)

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name}: the program under Wine has ended")
        return line


_WORDS: dict[str, Callable[[Any], int]] = {
    "integer": operator.index,
    "number": lambda given: int(np.float64(given).view(np.int64)),
    "truth": lambda given: int(bool(given)),
}
"""Plain arguments as words of eight bytes."""


class _Call:
    """The numbers of a call, and which memory its arrays lie in."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.words: list[int] = []
        self.arrays: list[tuple[int, int, int]] = []  # where its address goes, first byte, size

    def place(self, kind: Any, given: Any) -> bool:
        """Add an argument; False if it does not fit."""
        if kind == "none":
            return given is None
        if isinstance(kind, str):
            try:
                self.words.append(_WORDS[kind](given))
            except TypeError:
                return False
            return True
        if "tuple" in kind:
            items = kind["tuple"]
            return len(items) == len(given) and all(map(self.place, items, given))
        return self._place_array(kind, given)

    def _place_array(self, kind: Any, given: Any) -> bool:
        if type(given) is not np.ndarray or given.ndim != kind["dimensions"]:
            return False
        flags = given.flags
        if not flags.aligned or (kind["rows"] and not flags.c_contiguous):
            return False
        if given.dtype != np.dtype(library._dtype(kind["array"])):
            return False
        reach = (
            [(n - 1) * step for n, step in zip(given.shape, given.strides)] if given.size else []
        )
        before, after = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
        start = given.ctypes.data
        size = after - before + given.itemsize if given.size else 0
        self.arrays.append((len(self.words), start + before, size))
        self.words += [start, *given.shape]
        if not kind["rows"]:
            self.words += given.strides
        return True

    def lay_out(self) -> list[tuple[int, int, int]]:
        """Blocks of memory to copy: where they begin, their size, and where they go.

        Arrays that share memory do so there too.
        """
        blocks: list[list[int]] = []
        for _, start, size in sorted(self.arrays, key=lambda array: array[1]):
            if not size:
                continue
            if blocks and start < blocks[-1][0] + blocks[-1][1]:
                blocks[-1][1] = max(blocks[-1][1], start + size - blocks[-1][0])
            else:
                blocks.append([start, size])
        end, laid = HEAD, []
        for start, size in blocks:
            offset = (end + 63) // 64 * 64 + start % 64
            laid.append((start, size, offset))
            end = offset + size
        if end > ROOM:
            raise MemoryError(f"the arrays of a call take {end} bytes, {ROOM} are shared")
        for word, start, size in self.arrays:
            if size:
                first, _, offset = max(block for block in laid if block[0] <= start)
                self.words[word] += self.base + offset - first
        return laid


def _result(kind: Any, words: Any) -> Any:
    if kind == "none":
        return None
    if isinstance(kind, dict):
        return tuple(_result(item, words) for item in kind["tuple"])
    word = next(words)
    if kind == "number":
        return float(word.view(np.float64))
    return bool(word & 1) if kind == "truth" else int(word)


def _on_z(path: Path) -> str:
    """A path as Wine has it."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def main() -> int:
    """Run the engine's command line."""
    package, program, name, *arguments = sys.argv[1:]
    wine = os.environ["VERLET_WINE"].split()
    # Nothing has been called yet, so that no kernel has been looked up in another library.
    jit._library = WineLibrary(Path(package), Path(program), name, wine)
    return command_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
