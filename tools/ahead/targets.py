"""Processors and systems, and one kernel's module as an object file for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodegen, initialize_llvm


@dataclass(frozen=True)
class Processor:
    """A family of processors, as LLVM names it, and as Zig's C compiler does."""

    name: str
    triple: str
    cpu: str
    features: str
    zig: str


X64_V3 = Processor("x64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", "", "x86_64")
X64_V2 = Processor("x64-v2", "x86_64-unknown-linux-gnu", "x86-64-v2", "", "x86_64")
ARM64 = Processor("arm64", "aarch64-unknown-linux-gnu", "generic", "+neon", "aarch64")


@dataclass(frozen=True)
class Target:
    """A library: for a system, in its words for code, and for a processor."""

    system: str
    processor: Processor
    triple: str
    zig: str
    suffix: str

    @property
    def name(self) -> str:
        """As in `linux-x64-v3`."""
        return f"{self.system}-{self.processor.name}"

    @property
    def file(self) -> str:
        """The library's file."""
        return f"{self.name}{self.suffix}"


TARGETS = {
    target.name: target
    for target in (
        Target("linux", X64_V3, "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", ".so"),
        Target("linux", X64_V2, "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", ".so"),
        Target("linux", ARM64, "aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", ".so"),
        Target("windows", X64_V3, "x86_64-w64-windows-gnu", "x86_64-windows-gnu", ".dll"),
        Target("windows", X64_V2, "x86_64-w64-windows-gnu", "x86_64-windows-gnu", ".dll"),
        Target("windows", ARM64, "aarch64-w64-windows-gnu", "aarch64-windows-gnu", ".dll"),
        Target("macos", X64_V3, "x86_64-apple-macosx11.0", "x86_64-macos.11.0", ".dylib"),
        Target("macos", X64_V2, "x86_64-apple-macosx11.0", "x86_64-macos.11.0", ".dylib"),
        Target("macos", ARM64, "arm64-apple-macosx11.0", "aarch64-macos.11.0", ".dylib"),
    )
}


class _Pipeline(CPUCodegen):
    """Numba's own passes, for another processor than this one."""

    def __init__(self, machine: Any) -> None:
        self._tm = machine
        self._loopvect, self._opt_level = False, 0

    def _add_module(self, module: Any) -> None:
        raise NotImplementedError("nothing runs here")


@cache
def _machine(processor: Processor, triple: str) -> Any:
    initialize_llvm()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=processor.cpu, features=processor.features, opt=3, reloc="pic", codemodel="default"
    )


def optimise(module: bytes, processor: Processor) -> bytes:
    """What Numba would make of a module on such a processor."""
    machine = _machine(processor, processor.triple)
    pipeline = _Pipeline(machine)
    whole = llvm.parse_bitcode(module)
    whole.triple = processor.triple
    whole.data_layout = str(machine.target_data)
    cheap = pipeline._module_pass_manager(
        loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
    )
    for passes, builder in (cheap, pipeline._module_pass_manager(slp_vectorize=True)):
        passes.run(whole, builder)
    return bytes(whole.as_bitcode())


def emit(optimised: bytes, target: Target) -> bytes:
    """The object file of an optimised module."""
    machine = _machine(target.processor, target.triple)
    whole = llvm.parse_bitcode(optimised)
    whole.triple = target.triple
    whole.data_layout = str(machine.target_data)
    return bytes(machine.emit_object(whole))
