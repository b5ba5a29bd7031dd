"""Numba's compiler without what kernels do not need, nor what it does a thousand times over.

Numba lets each index count from the end where it is negative, as Python does. That takes three
instructions: in a solver of joints, block by block and record by record, a quarter of the time and
more. Kernels count from the start alone, so here an index is taken as it is.

Three quarters of the time to compile all kernels is Python's: Numba's passes over functions that
get hundreds of arrays. A third of that goes into comparing options, planning passes, asking for the
sizes of types and looking for garbage; none of it decides what code comes out.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types
from numba.core.compiler import Compiler, Flags
from numba.core.targetconfig import ConfigStack
from numba.np import arrayobj

from .linking import LeanPartLibrary, PartLibrary, Whole


class Options(Flags):
    """Numba's options, which know by what they are compared: Numba does it at each index and sum.

    By itself it would put together all of some thirty each time.
    """

    __slots__ = ("_hash", "_known")

    def __init__(self, copy_from: Flags | None = None) -> None:
        super().__init__(copy_from)
        self._forget()

    def _forget(self) -> None:
        object.__setattr__(self, "_known", None)
        object.__setattr__(self, "_hash", None)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        self._forget()

    def discard(self, name: str) -> None:
        """Take an option back to its default."""
        super().discard(name)
        self._forget()

    def values(self) -> dict[str, Any]:
        """All options by name."""
        if self._known is None:
            object.__setattr__(self, "_known", super().values())
        return self._known

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(Flags(self)))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)


_wrapped_index = arrayobj.fix_integer_index


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index into an array: as it is where a kernel is compiled, Numba's wrapped one elsewhere.

    With ``NUMBA_BOUNDSCHECK=1`` each one is checked as it is used.
    """
    if not isinstance(ConfigStack.top_or_none(), Options):
        return _wrapped_index(context, builder, kind, index, size)
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


arrayobj.fix_integer_index = _index


class QuickCompiler(Compiler):
    """Numba's compiler, which does once what is the same for all functions."""

    def __init__(
        self,
        typing: Any,
        target: Any,
        library: Any,
        types: Any,
        result: Any,
        flags: Any,
        names: Any,
    ) -> None:
        super().__init__(typing, target, library, types, result, Options(flags), names)
        # Numba asks for it for each variable, and finds it by having LLVM read a module.
        self.state.targetctx.get_abi_sizeof = functools.partial(size_of, target.target_data)

    def define_pipelines(self) -> list[Any]:
        """The passes, which are the same for all functions with the same options."""
        options = self.state.flags
        if options not in _passes:
            _passes[options.copy()] = super().define_pipelines()
        return _passes[options]


_passes: dict[Options, list[Any]] = {}


@functools.cache
def size_of(data: Any, kind: Any) -> int:
    """How many bytes a type of LLVM's takes."""
    return int(kind.get_abi_size(data))


class KernelCompiler(QuickCompiler):
    """Numba's compiler for functions that Python calls: for `pipeline_class` of ``numba.njit``."""

    def __init__(self, typing: Any, target: Any, library: Any, *arguments: Any) -> None:
        super().__init__(typing, target, library, *arguments)
        if library is None:
            self.state.library = Whole(self.state.targetctx.codegen(), "kernel")
            self.state.library.enable_object_caching()

    def compile_extra(self, function: Any) -> Any:
        with _nothing_collected():
            return super().compile_extra(function)


class PartCompiler(QuickCompiler):
    """As `KernelCompiler` for functions that only compiled functions call."""

    def __init__(self, typing: Any, target: Any, library: Any, *arguments: Any) -> None:
        super().__init__(typing, target, library, *arguments)
        if library is None:
            kind = PartLibrary if self.state.flags.nrt else LeanPartLibrary
            self.state.library = kind(self.state.targetctx.codegen(), "part")


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Keep Python from looking for garbage in millions of objects of which hardly any is."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
