"""Compiled kernels, or plain Python where there are none: the only module that knows which.

Kernels are scalar Python loops. Each one is compiled twice from the same source, for one thread and
for several, and both give the same bits, because parallel iterations never share a particle. An
installed extension finds them compiled (see kernels/library.py). A checkout compiles them with
Numba at their first call, and keeps them on disk (see kernels/folder.py).
"""

from __future__ import annotations

import functools
import os
import threading
import types
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from . import library

_library = None if os.environ.get("VERLET_NO_NUMBA") else library.fitting()
try:
    if _library or os.environ.get("VERLET_NO_NUMBA"):
        raise ImportError("Numba is not wanted")
    import numba
    from numba import prange
    from numba.core.targetconfig import ConfigStack

    from . import (
        kernel_files,
        lane_types,  # noqa: F401  (what kernels know of `lanes`)
    )
    from .compiling import KernelCompiler, PartCompiler
    from .folder import cache_folder, kernel_folder
except ImportError:
    numba = None
    prange = range

compiled: bool = numba is not None or _library is not None
"""True when kernels are compiled, False when they run as (slow) plain Python."""


def compiled_by() -> str:
    """Who compiled the kernels: a library's name, "Numba", or "nobody"."""
    return _library.name if _library else "Numba" if numba else "nobody"


# Nothing of "fastmath", not even "contract": each product and each sum is rounded by itself, so
# that the bits hang on the order of operations in the source alone. Where a·b + c may become one
# instruction, LLVM chooses which by what stands around them: another processor, a kernel that is
# cut into other functions, or its form for threads then ends elsewhere.
_OPTIONS = {
    "error_model": "numpy",
    "nogil": True,
    "forceinline": False,
    "no_cfunc_wrapper": True,
}
_kernels: list[Kernel] = []
_ROOT = __name__.removesuffix("kernels.jit")
_take_turn: Callable[[str], AbstractContextManager[object]] = nullcontext

# Numba's fallback threading layer aborts the process when two threads enter parallel regions at
# once, so every parallel call anywhere in the process goes through this one lock.
_parallel_lock = threading.Lock()


class Part:
    """A function that becomes part of the kernels that call it; Python runs it as plain Python.

    It counts references to arrays where those that call it do, and only there: one side that counts
    and one that does not would free arrays that are in use, or keep them for good.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        whole = _OPTIONS | options | {"no_cpython_wrapper": True}
        dispatcher = numba.njit(pipeline_class=PartCompiler, **whole)(function)
        self.dispatcher = dispatcher
        self._numba_type_ = dispatcher._numba_type_  # how Numba asks objects what they are
        if whole.get("_nrt", True):
            lean = numba.njit(pipeline_class=PartCompiler, _nrt=False, **whole)(function)
            counted = (dispatcher.get_call_template, dispatcher.get_overload)
            uncounted = (lean.get_call_template, lean.get_overload)
            dispatcher.get_call_template = lambda *of: _for_caller(counted, uncounted)[0](*of)
            dispatcher.get_overload = lambda of: _for_caller(counted, uncounted)[1](of)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)


def _for_caller(counted: Any, uncounted: Any) -> Any:
    """What fits the function that is being compiled just now."""
    return counted if ConfigStack.top_or_none().nrt else uncounted


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small function for use inside kernels."""
    return Part(function) if numba else function


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `inline`, for functions that get many arrays, and neither make nor return any.

    Numba then keeps no count of references to them, which took half the time of small functions.
    It also compiles the function once for all numbers instead of once for each constant passed.
    """
    return _lean(function, False)


def lean_inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `lean`, always inlined: for what is called for each body, row or contact, or only once.

    A record is passed as all numbers of all its arrays, some hundred for a few records: a call
    takes longer than the work of a small function.
    """
    return _lean(function, True)


def _lean(function: Callable[..., Any], is_inlined: bool) -> Callable[..., Any]:
    if not numba:
        return function
    part = Part(function, _nrt=False, forceinline=is_inlined)
    template_of = part.dispatcher.get_call_template

    def for_any_number(arguments: Any, keywords: Any) -> Any:
        return template_of(tuple(numba.types.unliteral(a) for a in arguments), keywords)

    part.dispatcher.get_call_template = for_any_number
    return part


class Kernel:
    """A loop over arrays, compiled at its first call or loaded from the cache folder.

    Arguments are numbers, arrays and records (named tuples of arrays); all records of one class
    have arrays of the same types.
    """

    def __init__(
        self, function: Callable[..., Any], parallel: bool, options: dict[str, Any] | None = None
    ) -> None:
        self.function = function
        self.options = _OPTIONS | (options or {})
        self.can_be_parallel = parallel and compiled
        self._serial: Any = None
        self._parallel: Any = None
        self._code: Callable[..., Any] | None = None
        self._types: tuple[type, ...] = ()
        self._arrays: tuple[tuple[int, Any, int], ...] = ()
        self._built = self._find_built if _library else None
        self._built_parallel = self._find_built_parallel if _library else None
        _kernels.append(self)

    def __call__(self, *arguments: Any) -> Any:
        """Run on the calling thread."""
        if self._built is not None:
            result = self._built(*arguments)
            return self.function(*arguments) if result is NotImplemented else result
        if self._code is not None and self._fit(arguments):
            return self._code(*arguments)
        if self._serial is None:
            self._serial = self._compile(parallel=False)
            with _turn(self._serial):
                result = self._serial(*arguments)
            self._seal(arguments)
            return result
        return self._serial(*arguments)

    def on(self, threads: int) -> Callable[..., Any]:
        """The callable to run on ``threads`` threads."""
        if threads <= 1 or not self.can_be_parallel:
            return self
        return self._call_parallel

    def _call_parallel(self, *arguments: Any) -> Any:
        if self._built_parallel is not None:
            result = self._built_parallel(*arguments)
            return self(*arguments) if result is NotImplemented else result
        with _parallel_lock:
            if self._parallel is None:
                self._parallel = self._compile(parallel=True)
                with _turn(self._parallel):
                    return self._parallel(*arguments)
            return self._parallel(*arguments)

    def _find_built(self, *arguments: Any) -> Any:
        """Look the kernel up in the library, at its first call."""
        self._built = self._looked_up(parallel=False)
        return self._built(*arguments)

    def _find_built_parallel(self, *arguments: Any) -> Any:
        self._built_parallel = self._looked_up(parallel=True)
        return self._built_parallel(*arguments)

    def _looked_up(self, parallel: bool) -> Callable[..., Any]:
        """What gives NotImplemented for arguments that the library has no code for."""
        assert _library is not None
        module = self.function.__module__.removeprefix(_ROOT)
        made = _library.callables(f"{module}.{self.function.__qualname__}", parallel)
        if len(made) == 1:
            return made[0]

        def first_that_fits(*arguments: Any) -> Any:
            for code in made:
                result = code(*arguments)
                if result is not NotImplemented:
                    return result
            return NotImplemented

        return first_that_fits

    def _seal(self, arguments: tuple[Any, ...]) -> None:
        """Have later calls with arguments of these types go straight to the machine code.

        Numba looks at each array of each record at each call, which took a third of a small frame.
        """
        if not numba or len(self._serial.overloads) != 1:
            return
        if not all(a.flags.carray for a in arguments if type(a) is np.ndarray):
            return
        self._types = tuple(map(type, arguments))
        self._arrays = tuple(
            (k, a.dtype, a.ndim) for k, a in enumerate(arguments) if type(a) is np.ndarray
        )
        (only,) = self._serial.overloads.values()
        self._code = only.entry_point

    def _fit(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the machine code was made for such arguments."""
        if tuple(map(type, arguments)) != self._types:
            return False
        for k, dtype, ndim in self._arrays:
            a = arguments[k]
            if not (a.dtype is dtype and a.ndim == ndim and a.flags.carray):
                return False
        return True

    def _compile(self, parallel: bool) -> Callable[..., Any]:
        if not numba:
            return self.function
        function = self.function
        numba.config.CACHE_DIR = str(kernel_folder(function.__module__))
        if parallel:
            # Numba's cache tells functions apart by name only; the twin needs its own
            function = types.FunctionType(
                function.__code__, function.__globals__, function.__name__ + "_parallel"
            )
            function.__qualname__ = self.function.__qualname__ + "_parallel"
            function.__module__ = self.function.__module__
        compiler = numba.njit(parallel=parallel, pipeline_class=KernelCompiler, **self.options)
        dispatcher = compiler(function)
        dispatcher._cache = kernel_files.cache_of(function)  # as Numba's own option sets it
        return dispatcher

    def compile_count(self) -> int:
        """How many times this process had to compile this kernel: 0 when all came from disk."""
        stats = [getattr(d, "stats", None) for d in (self._serial, self._parallel)]
        return sum(sum(s.cache_misses.values()) for s in stats if s is not None)


def kernel(function: Callable[..., Any]) -> Kernel:
    """A kernel that runs on one thread, and neither makes nor returns arrays: see `lean`."""
    return Kernel(function, parallel=False, options={"_nrt": False})


def allocating_kernel(function: Callable[..., Any]) -> Kernel:
    """As `kernel`, for functions that make arrays: it counts references to all that it handles."""
    return Kernel(function, parallel=False)


def parallel_kernel(function: Callable[..., Any]) -> Kernel:
    """As `kernel`, with ``prange`` iterations on disjoint data, which may run on many threads."""
    return Kernel(function, parallel=True, options={"_nrt": False})


def take_turns(turn: Callable[[str], AbstractContextManager[object]]) -> None:
    """Enter ``turn(name)`` around the first call of each kernel, which compiles or loads it."""
    global _take_turn
    _take_turn = turn


def _turn(function: Callable[..., Any]) -> AbstractContextManager[object]:
    return _take_turn(f"{function.__module__.rpartition('core.')[2]}.{function.__qualname__}")


def compile_count() -> int:
    """Kernels that this process compiled itself because the cache folder did not hold them."""
    return sum(k.compile_count() for k in _kernels)


def thread_limit() -> int:
    """The largest number of threads that kernels can use."""
    if _library:
        return _processor_count()
    return int(numba.config.NUMBA_NUM_THREADS) if numba else 1


@functools.cache
def _processor_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_thread_count(threads: int) -> None:
    """Threads used by the parallel calls that follow."""
    if _library:
        _library.set_thread_count(threads)
    elif numba and threads > 1:
        numba.set_num_threads(min(threads, thread_limit()))


# ---------------------------------------------------------------------------- warming up


def is_warm() -> bool:
    """True when the cache folder holds every kernel, so that nothing has to be compiled."""
    return not numba or kernel_files.is_complete(cache_folder())


def drop_damaged() -> int:
    """Delete kernels that are damaged or gone; how many, after which it is no longer warm."""
    return kernel_files.drop_damaged(cache_folder()) if numba else 0


def mark_warm() -> None:
    """Note in the cache folder that it holds every kernel."""
    if numba:
        folders = sorted({kernel_folder(kernel.function.__module__) for kernel in _kernels})
        kernel_files.note_complete(cache_folder(), folders)
