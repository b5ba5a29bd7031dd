"""What can step models here: libraries, Pythons, and processors and systems that are emulated."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.environments import ENVIRONMENTS, core_environment, environment_interpreter
from tools.kernel_library import PLATFORMS, Platform, build_libraries, host_platform
from tools.processes import BUILD, ROOT, Failure, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = BUILD / "same_bits"
PYTHON_OF = "the Python of "
SUFFIXES = {"linux": ".so", "windows": ".dll", "macos": ".dylib"}
EMULATED = {
    # NumPy's AVX2 code for argsort gives wrong orders in QEMU 7.2.
    "linux-x64-v3": ("Haswell", {"NPY_DISABLE_CPU_FEATURES": "X86_V3"}),
    "linux-x64-v2": ("Nehalem", {}),
}
"""Processors of QEMU's that have what a library asks for, and nothing newer."""


@dataclass(frozen=True)
class Machine:
    """How `python -m verlet_physics` is started, so that its kernels come from one library."""

    name: str
    python: tuple[str, ...]
    variables: Mapping[str, str]
    engine: tuple[str, ...] = ("-m", "verlet_physics")


def machines(given: Mapping[str, str]) -> Iterator[Machine]:
    """All that this machine can run; `given` are commands that start a Python, by library."""
    host = PLATFORMS[host_platform().name]
    wine = shutil.which("wine64") or shutil.which("wine") if host.name == "linux-x64" else None
    needed = [host, *map(_platform_of, given), *([PLATFORMS["windows-x64"]] if wine else [])]
    platforms = list(dict.fromkeys(needed))
    folders = dict(zip(platforms, build_libraries(platforms)))
    engine = _engine()
    core = str(core_environment())

    def machine(name: str, where: str, python: tuple[str, ...], **variables: str) -> Machine:
        platform = _platform_of(name)
        library = folders[platform] / f"{name}{SUFFIXES[platform.name.partition('-')[0]]}"
        all_of_them = {"PYTHONPATH": str(engine), "VERLET_LIBRARY": str(library), **variables}
        return Machine(f"{name}, {where}", python, all_of_them)

    best = host_platform().targets[0]
    for name in host.targets[host.targets.index(best) :]:
        yield machine(name, "natively", (core,))
        emulator = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
        if emulator and name in EMULATED:
            processor, variables = EMULATED[name]
            emulated = (emulator, "-cpu", processor, core)
            yield machine(name, f"a {processor} by QEMU", emulated, **variables)
    for folder in sorted(ENVIRONMENTS.glob("blender-*")):
        python = str(environment_interpreter(folder.name))
        yield machine(best, PYTHON_OF + folder.name, (python,))
    for name, command in given.items():
        yield machine(name, command.split()[0], tuple(command.split()))
    if wine:
        yield from _under_wine(folders[PLATFORMS["windows-x64"]], core, wine)


def _under_wine(package: Path, python: str, wine: str) -> Iterator[Machine]:
    """The libraries for Windows, called by a program of Zig's under Wine."""
    program = FOLDER / "windows.exe"
    source = Path(__file__).with_name("windows.c")
    compiler = (python, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-O2", "-s")
    run((*compiler, source, "-o", program), "compiling windows.c")
    prefix = {"VERLET_WINE": wine, "WINEPREFIX": str(FOLDER / "wine"), "WINEDEBUG": "-all"}
    for name in PLATFORMS["windows-x64"].targets:
        engine = ("-m", "tools.same_bits.under_wine", str(package), str(program), name)
        yield Machine(f"{name}, Wine", (python,), prefix, engine)


def _engine() -> Path:
    """A folder to import the engine from, for any Python."""
    folder = FOLDER / "packages"
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "core", folder / "verlet_physics", ignore=ignored)
    return folder


def _platform_of(name: str) -> Platform:
    for platform in PLATFORMS.values():
        if name in platform.targets:
            return platform
    known = ", ".join(name for platform in PLATFORMS.values() for name in platform.targets)
    raise Failure(f"no library {name}; known: {known}")
