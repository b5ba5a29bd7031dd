"""Run commands, measure them, and keep two of them from colliding."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
ON_WINDOWS = os.name == "nt"


class Failure(Exception):
    """Something that the user has to know: shown without a traceback."""


TIMES: list[tuple[str, float]] = []


@contextlib.contextmanager
def timed(what: str) -> Iterator[None]:
    """Announce a part of the work and remember how long it took."""
    print(f"\n== {what}", flush=True)
    start = time.perf_counter()
    try:
        yield
    finally:
        TIMES.append((what, time.perf_counter() - start))


def print_times() -> None:
    """Print how long each part took."""
    if TIMES:
        print("\nTimes")
        for what, seconds in TIMES:
            print(f"  {seconds:7.1f} s  {what}")


def run(
    command: Sequence[object],
    what: str,
    cwd: Path = ROOT,
    accept: Sequence[int] = (0,),
    variables: dict[str, str] | None = None,
) -> None:
    """Run a command, showing its output; fail naming `what` when its status is not accepted."""
    environment = {**clean_environment(), **(variables or {})}
    status = subprocess.run([*map(str, command)], cwd=cwd, env=environment, check=False).returncode
    if status not in accept:
        raise Failure(f"{what} failed (exit status {status})")


def output_of(
    command: Sequence[object], cwd: Path = ROOT, variables: dict[str, str] | None = None
) -> tuple[int, str]:
    """Exit status and output of a command; 127 when it cannot be started."""
    try:
        done = subprocess.run(
            [*map(str, command)],
            cwd=cwd,
            env={**clean_environment(), **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return 127, str(error)
    return done.returncode, done.stdout


def clean_environment() -> dict[str, str]:
    """The environment without what would leak packages into ours."""
    leaks = {"PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in leaks}
    return {**kept, "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one process at a time work in a folder, so that two shells do not collide."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as handle:
        if sys.platform == "win32":
            import msvcrt

            while True:
                with contextlib.suppress(OSError):  # it gives up after ten seconds
                    msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"waiting for another dev.py that works in {shown(folder)}", flush=True)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def shown(path: Path) -> str:
    """A path as a user in the checkout would type it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
