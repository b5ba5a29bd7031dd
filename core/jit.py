"""Numba where it is there, plain Python where it is not: the only module that knows which.

Kernels are scalar Python loops. With Numba each one is compiled twice from the same source, for
one thread and for several, and both give the same bits, because parallel iterations never share
a particle. Compiled code is kept on disk in a folder named after a hash of all sources of the
package: Numba by itself does not notice an edit in an imported file.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    if os.environ.get("VERLET_NO_NUMBA"):
        raise ImportError("switched off by VERLET_NO_NUMBA")
    import numba
    from numba import prange
except ImportError:
    numba = None
    prange = range

compiled: bool = numba is not None
"""True when kernels are compiled, False when they run as (slow) plain Python."""

# "contract" lets a·b + c become one instruction, a fifth faster. Nothing is reordered, so runs
# still agree bit for bit; whether both twins of a kernel were contracted alike is checked when
# they are compiled (see warm_up.py).
_OPTIONS = {"error_model": "numpy", "nogil": True, "fastmath": {"contract"}}
_kernels: list[Kernel] = []
_cache_base: Path | None = None
_twins_differ: bool | None = None  # None: not looked up yet
_DIFFER = "one thread and several give different bits: use one\n"

# Numba's fallback threading layer aborts the process when two threads enter parallel regions at
# once, so every parallel call anywhere in the process goes through this one lock.
_parallel_lock = threading.Lock()


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small function for use inside kernels."""
    return numba.njit(**_OPTIONS)(function) if compiled else function


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """An `inline` function as plain Python: for a few calls that are not worth compiling."""
    return getattr(function, "py_func", function)


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `inline`, for functions that get many arrays, and neither make nor return any.

    Numba then keeps no count of references to them, which took half the time of small functions.
    It also compiles the function once for all numbers instead of once for each constant passed.
    """
    if not compiled:
        return function
    dispatcher = numba.njit(_nrt=False, **_OPTIONS)(function)
    template_of = dispatcher.get_call_template

    def for_any_number(arguments: Any, keywords: Any) -> Any:
        return template_of(tuple(numba.types.unliteral(a) for a in arguments), keywords)

    dispatcher.get_call_template = for_any_number
    return dispatcher


class Kernel:
    """A loop over arrays, compiled at its first call or loaded from the cache folder."""

    def __init__(self, function: Callable[..., Any], parallel: bool) -> None:
        self.function = function
        self.can_be_parallel = parallel and compiled
        self._serial: Callable[..., Any] | None = None
        self._parallel: Callable[..., Any] | None = None
        _kernels.append(self)

    def __call__(self, *arguments: Any) -> Any:
        """Run on the calling thread."""
        if self._serial is None:
            self._serial = self._compile(parallel=False)
        return self._serial(*arguments)

    def on(self, threads: int) -> Callable[..., Any]:
        """The callable to run on ``threads`` threads."""
        if threads <= 1 or not self.can_be_parallel:
            return self
        return self._call_parallel

    def _call_parallel(self, *arguments: Any) -> Any:
        with _parallel_lock:
            if self._parallel is None:
                self._parallel = self._compile(parallel=True)
            return self._parallel(*arguments)

    def _compile(self, parallel: bool) -> Callable[..., Any]:
        if not compiled:
            return self.function
        _point_numba_at_cache_folder()
        function = self.function
        if parallel:
            # Numba's cache tells functions apart by name only; the twin needs its own
            function = types.FunctionType(
                function.__code__, function.__globals__, function.__name__ + "_parallel"
            )
            function.__qualname__ = self.function.__qualname__ + "_parallel"
            function.__module__ = self.function.__module__
        return numba.njit(cache=True, parallel=parallel, **_OPTIONS)(function)

    def compile_count(self) -> int:
        """How many times this process had to compile this kernel: 0 when all came from disk."""
        stats = [getattr(d, "stats", None) for d in (self._serial, self._parallel)]
        return sum(sum(s.cache_misses.values()) for s in stats if s is not None)


def kernel(function: Callable[..., Any]) -> Kernel:
    """A kernel that runs on one thread."""
    return Kernel(function, parallel=False)


def parallel_kernel(function: Callable[..., Any]) -> Kernel:
    """A kernel whose ``prange`` iterations touch disjoint data and may run on many threads."""
    return Kernel(function, parallel=True)


def compile_count() -> int:
    """Kernels that this process compiled itself because the cache folder did not hold them."""
    return sum(k.compile_count() for k in _kernels)


def thread_limit() -> int:
    """The largest number of threads that kernels can use."""
    global _twins_differ
    if not compiled:
        return 1
    if _twins_differ is None:
        marker = cache_folder() / "complete"
        _twins_differ = marker.exists() and marker.read_text() == _DIFFER
    return 1 if _twins_differ else int(numba.config.NUMBA_NUM_THREADS)


def set_thread_count(threads: int) -> None:
    """Threads used by the parallel calls that follow."""
    if compiled and threads > 1:
        numba.set_num_threads(min(threads, thread_limit()))


# ---------------------------------------------------------------------------- cache folder


def use_cache_folder(path: str | os.PathLike[str]) -> None:
    """Keep compiled kernels below ``path``; call it before the first kernel runs."""
    global _cache_base
    _cache_base = Path(path)


def cache_folder() -> Path:
    """Where compiled kernels of exactly these sources are kept."""
    base = _cache_base or _default_cache_base()
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    return base / f"{python}-{_source_hash()}"


def _default_cache_base() -> Path:
    if chosen := os.environ.get("VERLET_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return home / "verlet_physics"


def _source_hash() -> str:
    root = Path(__file__).parent
    digest = hashlib.sha256((numba.__version__ if compiled else "plain").encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _point_numba_at_cache_folder() -> None:
    numba.config.CACHE_DIR = str(cache_folder())


# ---------------------------------------------------------------------------- warming up


def is_warm() -> bool:
    """True when the cache folder holds every kernel, so that nothing has to be compiled."""
    return not compiled or (cache_folder() / "complete").exists()


def mark_warm(twins_agree: bool) -> None:
    """Note in the cache folder that it holds every kernel, and whether threads may be used."""
    global _twins_differ
    _twins_differ = not twins_agree
    if compiled:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "complete").write_text("" if twins_agree else _DIFFER)
