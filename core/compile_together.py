"""Compile all kernels in several processes at once: a first start takes minutes in one.

Each process runs the scenes that reach every kernel (`warm_up`), beginning with another one. Before
the first call of a kernel it puts up a sign in a folder; whoever comes second waits until the first
one is done, and finds the kernel in the cache folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .kernels import jit
from .kernels.folder import cache_folder
from .warm_up import SCENES, warm_up

_PART_VARIABLE = "VERLET_COMPILE_PART"
"""Environment variable that tells a process with which scene to begin; unset in the first one."""
_DONE = "done"
_GIVE_UP = 180.0
"""s after which a process compiles what another one began: that one may be dead."""


def compile_together() -> float:
    """Compile every kernel into the cache folder, on up to four processors; returns seconds.

    For processes that do nothing else, because the others run this one's command line anew. They
    end when this one does.
    """
    start = time.perf_counter()
    part, signs = os.environ.get(_PART_VARIABLE), _signs()
    if not part:
        if jit.is_warm():
            return warm_up()
        shutil.rmtree(signs, ignore_errors=True)
        signs.mkdir(parents=True)
    jit.take_turns(lambda name: _turn(signs / name))
    if part:
        _end_with_parent()
        warm_up(int(part))
        return time.perf_counter() - start
    helpers = [_start_helper(part) for part in range(1, min(os.cpu_count() or 1, len(SCENES), 4))]
    try:
        warm_up()
    finally:
        for helper in helpers:
            helper.terminate()
            helper.wait()
        shutil.rmtree(signs, ignore_errors=True)
    return time.perf_counter() - start


def _signs() -> Path:
    return cache_folder() / "compiling"


@contextmanager
def _turn(sign: Path) -> Iterator[None]:
    """Put up a sign for as long as this process compiles a kernel; wait if there is one."""
    try:
        os.close(os.open(sign, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        deadline = time.monotonic() + _GIVE_UP
        while sign.exists() and not sign.stat().st_size and time.monotonic() < deadline:
            time.sleep(0.05)
    except OSError:  # the folder is gone: the first process has ended
        pass
    yield
    with suppress(OSError):  # the folder is gone, or the disk is full
        sign.write_text(_DONE)


def _start_helper(part: int) -> subprocess.Popen[bytes]:
    """This process once more, beginning with another scene; it reads our end from its input."""
    return subprocess.Popen(
        [sys.executable, *sys.orig_argv[1:]],
        env={**os.environ, _PART_VARIABLE: str(part)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # exists on Windows only
    )


def _end_with_parent() -> None:
    def watch() -> None:
        sys.stdin.read()  # ends when the other process does
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
