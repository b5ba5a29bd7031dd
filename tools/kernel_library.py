"""The libraries of compiled kernels, and the wheels that carry them."""

from __future__ import annotations

import base64
import hashlib
import platform
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

from tools.environments import core_environment, digest_of
from tools.processes import BUILD, ROOT, Failure, locked, run, timed

PACKAGE = "verlet_physics_kernels"
LIBRARIES = BUILD / "libraries"
WHEELS = BUILD / "wheels"


@dataclass(frozen=True)
class Platform:
    """A platform in Blender's words, the wheel's tag, and the libraries that are in it."""

    name: str
    tag: str
    targets: tuple[str, ...]


PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform("linux-x64", "manylinux_2_17_x86_64", ("linux-x64-v3", "linux-x64-v2")),
        Platform("linux-arm64", "manylinux_2_17_aarch64", ("linux-arm64",)),
        Platform("windows-x64", "win_amd64", ("windows-x64-v3", "windows-x64-v2")),
        Platform("windows-arm64", "win_arm64", ("windows-arm64",)),
        Platform("macos-x64", "macosx_11_0_x86_64", ("macos-x64-v3", "macos-x64-v2")),
        Platform("macos-arm64", "macosx_11_0_arm64", ("macos-arm64",)),
    )
}


def host_platform() -> Platform:
    """This machine's platform in Blender's words, with the one library that its processor uses."""
    system = {"darwin": "macos"}.get(platform.system().lower(), platform.system().lower())
    machine = platform.machine().lower()
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    try:
        found = PLATFORMS[f"{system}-{machine}"]
    except KeyError:
        raise Failure(
            f"kernels are not compiled for {system}-{machine}; known: {', '.join(PLATFORMS)}.\n"
            "  The tests with the zip that carries no wheels still run:"
            " dev.py test-blender --wheels without"
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
        with timed(f"compile the kernels for {target.name}"):
            command = [interpreter, "-m", "tools.ahead", folder, *target.targets]
            run(command, f"compiling the kernels for {target.name}")
        stamp.write_text(wanted, "utf-8")
    return folder


def build_wheel(target: Platform, version: str) -> Path:
    """The wheel with a platform's libraries: no Python in it but an empty package."""
    folder = build_library(target)
    path = WHEELS / folder.parent.name / f"{PACKAGE}-{version}-py3-none-{target.tag}.whl"
    about = f"{PACKAGE}-{version}.dist-info"
    files = {
        f"{PACKAGE}/{file.name}": file.read_bytes()
        for file in sorted(folder.iterdir())
        if file.is_file()
    }
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {version}\n"
        "Summary: Compiled kernels of Verlet Physics\nLicense: GPL-3.0-or-later\n"
    ).encode()
    files[f"{about}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: dev.py\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-{target.tag}\n"
    ).encode()
    files[f"{about}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD").encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.parent):
        for old in path.parent.glob("*.whl"):
            old.unlink()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
            for name, data in files.items():
                wheel.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    return path


def _record(files: dict[str, bytes], own_name: str) -> str:
    """What a wheel says of its files: names, checksums and sizes."""
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{own_name},,\n"])
