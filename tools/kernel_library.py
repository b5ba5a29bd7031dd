"""The libraries of kernels that are compiled ahead."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from pathlib import Path

from tools.environments import core_environment, digest_of
from tools.processes import BUILD, ROOT, Failure, locked, output_of, run, timed

PACKAGE = "verlet_physics_kernels"
LIBRARIES = BUILD / "libraries"
# Links what Numba compiles for all platforms; the mathematics of its C library goes into them.
ZIG = "ziglang==0.14.1"


@dataclass(frozen=True)
class Platform:
    """A platform in Blender's words, and the libraries for it."""

    name: str
    targets: tuple[str, ...]


PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform("linux-x64", ("linux-x64-v3", "linux-x64-v2")),
        Platform("linux-arm64", ("linux-arm64",)),
        Platform("windows-x64", ("windows-x64-v3", "windows-x64-v2")),
        Platform("windows-arm64", ("windows-arm64",)),
        Platform("macos-x64", ("macos-x64-v3", "macos-x64-v2")),
        Platform("macos-arm64", ("macos-arm64",)),
    )
}


def this_machine() -> Platform:
    """This machine's platform in Blender's words, with the one library that its processor uses."""
    system = {"darwin": "macos"}.get(platform.system().lower(), platform.system().lower())
    machine = platform.machine().lower()
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    try:
        found = PLATFORMS[f"{system}-{machine}"]
    except KeyError:
        raise Failure(
            f"kernels are not compiled for {system}-{machine}; known: {', '.join(PLATFORMS)}"
        ) from None
    information = Path("/proc/cpuinfo")
    is_old = information.exists() and not {"avx2", "fma", "bmi2"} <= set(
        information.read_text("utf-8").split()
    )
    return replace(found, targets=found.targets[-1:] if is_old else found.targets[:1])


def build_library(target: Platform) -> Path:
    """The folder of a platform's libraries, built unless it is up to date.

    Object files of kernels are kept with Numba's, so that only what was edited is compiled anew.
    """
    own_name = target.targets[0] if len(target.targets) == 1 else target.name
    folder = LIBRARIES / own_name / PACKAGE
    stamp = folder.parent / "inputs.txt"
    sources = sorted((ROOT / "core").rglob("*.py")) + sorted(
        path for path in (ROOT / "tools" / "ahead").rglob("*.[pch]*") if path.suffix != ".pyc"
    )
    interpreter = core_environment()
    wanted = digest_of(sources, str(interpreter))
    with locked(folder.parent):
        is_there = (folder / "kernels.json").exists() and stamp.exists()
        if is_there and stamp.read_text("utf-8") == wanted:
            return folder
        if output_of([interpreter, "-c", "import ziglang"])[0]:
            run([interpreter, "-m", "pip", "install", "-qq", ZIG], f"installing {ZIG}")
        with timed(f"compile the kernels for {target.name}"):
            command = [interpreter, "-m", "tools.ahead", folder, *target.targets]
            run(command, f"compiling the kernels for {target.name}")
        stamp.write_text(wanted, "utf-8")
    return folder
