"""What a kernel calls becomes part of that kernel, and of nothing else.

Left to itself Numba makes machine code of each function that a kernel calls, brings a copy of it
along with each kernel, and lets the process take any of them for all: whichever was there first.
Copies that were optimised in other surroundings do not round alike, because a·b + c may become one
instruction. A process that compiled its kernels then gave other bits than one that loaded them.

Loops over several threads are a function and a wrapper for each loop. Numba makes machine code of
the wrapper by itself before it brings a copy along with the kernel, and the kernel then called the
first of the two: optimised in other surroundings, and gone when Python collects it.

Here the copies are private. Functions that only kernels call are not made machine code of before
they are in a kernel, nor optimised where they count no references; that halves the time to compile.
As nothing else can call them there, LLVM may drop arguments that they do not need.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary

# What Numba gives to copies of functions, and to wrappers of loops over several threads.
SHARED = {"linkonce_odr", "weak_odr"}


class Whole(JITCodeLibrary):
    """A kernel with all that it calls."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage.name in SHARED and not function.is_declaration:
                function.linkage = "internal"
        super()._optimize_final_module()


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
