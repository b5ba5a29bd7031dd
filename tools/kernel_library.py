"""The libraries of compiled kernels, and the wheels that carry them."""

from __future__ import annotations

import base64
import hashlib
import platform
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tools.environments import core_environment, digest_of
from tools.processes import BUILD, ROOT, Failure, locked, run, timed

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """The folder of a platform's libraries, built unless it is up to date."""
    return build_libraries([target])[0]


def build_libraries(targets: Sequence[Platform]) -> list[Path]:
    """The folders of several platforms' libraries; what Numba does for all of them is done once.

    Object files of kernels are kept with Numba's, so that only what was edited is compiled anew.
    """
    sources = sorted((ROOT / "core").rglob("*.py")) + sorted(
        path for path in (ROOT / "tools" / "ahead").rglob("*.[pch]*") if path.suffix != ".pyc"
    )
    interpreter = core_environment()
    wanted = digest_of(sources, str(interpreter))
    folders = [LIBRARIES / _folder_name(target) / PACKAGE for target in targets]
    with locked(LIBRARIES):
        old = [
            (folder, target)
            for folder, target in zip(folders, targets)
            if not _is_up_to_date(folder, wanted)
        ]
        if old:
            names = ", ".join(target.name for _, target in old)
            packages = [f"{folder}={','.join(target.targets)}" for folder, target in old]
            with timed(f"compile the kernels for {names}"):
                command = [interpreter, "-m", "tools.ahead", *packages]
                run(command, f"compiling the kernels for {names}")
            for folder, _ in old:
                _stamp(folder).write_text(wanted, "utf-8")
    return folders


def _folder_name(target: Platform) -> str:
    return target.targets[0] if len(target.targets) == 1 else target.name


def _stamp(folder: Path) -> Path:
    return folder.parent / "inputs.txt"


def _is_up_to_date(folder: Path, wanted: str) -> bool:
    stamp = _stamp(folder)
    is_there = (folder / "kernels.json").exists() and stamp.exists()
    return is_there and stamp.read_text("utf-8") == wanted


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
