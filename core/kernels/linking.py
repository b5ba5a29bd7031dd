"""What a kernel calls becomes part of that kernel, and of nothing else.

Left to itself Numba makes machine code of each function that a kernel calls, brings a copy of it
along with each kernel, and lets the process take any of them for all: whichever was there first,
which is gone when Python collects it. So are the wrappers of loops over several threads.

Here the copies are private. Functions that only kernels call are not made machine code of before
they are in a kernel, nor optimised where they count no references; that halves the time to compile.
As nothing else can call them there, LLVM may drop arguments that they do not need.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import config
from numba.core.codegen import JITCodeLibrary

# What Numba gives to copies of functions, and to wrappers of loops over several threads.
SHARED_LINKAGE = {"linkonce_odr", "weak_odr"}


class Whole(JITCodeLibrary):
    """A kernel with all that it calls."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage.name in SHARED_LINKAGE and not function.is_declaration:
                function.linkage = "internal"
        with _side_by_side():
            super()._optimize_final_module()


@contextmanager
def _side_by_side() -> Iterator[None]:
    """Have LLVM do what x, y and z go through alike in one instruction, which Numba leaves out.

    The same bits: nothing is done in another order. Sheets and soft bodies take a tenth less time.
    """
    before = config.SLP_VECTORIZE
    config.SLP_VECTORIZE = 1
    try:
        yield
    finally:
        config.SLP_VECTORIZE = before


class PartLibrary(JITCodeLibrary):
    """What kernels take a copy of: it never becomes machine code by itself."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def codegen(self) -> _NoEnvironment:
        """What Numba hands a function's environment to, which lies in its machine code."""
        return _NoEnvironment()


class LeanPartLibrary(PartLibrary):
    """As `PartLibrary` for functions that count no references."""

    def _optimize_final_module(self) -> None:
        """Leave it to the kernel: no counts of references keep it from being inlined there."""


class _NoEnvironment:
    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: kernels that come from the disk have none for their parts either."""
