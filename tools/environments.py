"""The Python environments under .venv/: what is in them, and how they are made."""

from __future__ import annotations

import ctypes.util
import glob
import hashlib
import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.processes import ON_WINDOWS, ROOT, Failure, locked, output_of, run, shown, timed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENVIRONMENTS = ROOT / ".venv"

# --- What is installed: the one place for versions --------------------------------------------


@dataclass(frozen=True)
class Blender:
    """A supported Blender: its Python and the NumPy that it ships."""

    version: str
    python: str
    numpy: str


BLENDERS = {
    blender.version: blender
    for blender in (
        Blender("4.2", python="3.11", numpy="1.24.3"),
        Blender("4.5", python="3.11", numpy="1.26.4"),
        Blender("5.0", python="3.11", numpy="1.26.4"),
        Blender("5.2", python="3.13", numpy="2.3.4"),
    )
}
BLENDER_FOR_PYTHON = {"3.11": "5.0", "3.13": "5.2"}

# For those who build: an installed extension needs NumPy alone.
NUMBA = ("numba==0.68.1", "llvmlite==0.50.0")
# Links what Numba compiles, for all platforms.
ZIG = "ziglang==0.14.1"

PYTEST = "pytest==9.2.0"
CORE_REQUIREMENTS = (
    "numpy==2.4.6",
    *NUMBA,
    ZIG,
    PYTEST,
    "pytest-xdist==3.8.0",
    "hypothesis==6.170.15",
    "ruff==0.17.5",
    "mypy==2.4.1",
    "import-linter==2.16",
    "pre-commit==4.7.0",
)

# What makes the pages of the manual.
MANUAL_REQUIREMENTS = ("mkdocs==1.6.1",)

# Engines that `dev.py benchmarks` compares with.
PYPBD_REQUIREMENTS = ("pypbd==2.2.2", "numpy==2.4.6")
JOLT_REQUIREMENTS = ("culverin==0.15.0", "numpy==2.4.6")  # wheels for Python 3.12 and up
RAPIER_REQUIREMENTS = ("rapier3d==0.36.1", "numpy==2.4.6")
PYBULLET_REQUIREMENTS = ("pybullet==3.2.7", "numpy==2.4.6")  # else it needs a C++ compiler


def blender_requirements(blender: Blender) -> tuple[str, ...]:
    """No Numba here: kernels must come compiled out of the extension's zip."""
    return (
        f"bpy=={blender.version}.*",
        f"numpy=={blender.numpy}",
        PYTEST,
        "pillow==13.0.0",
    )


# --- Python interpreters and environments -----------------------------------------------------


def find_python(version: str) -> Path | None:
    """A working interpreter of this version (3.11) that can make environments, or None."""
    for candidate in python_candidates(version):
        status, output = output_of([*candidate, "-c", PYTHON_PROBE])
        if status == 0 and output.split("\n")[0] == version:
            return Path(output.split("\n")[1])
    return None


PYTHON_PROBE = (
    "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
)


def python_candidates(version: str) -> Iterator[list[str]]:
    """Commands that may start this Python; a pyenv shim on PATH may exist and yet fail."""
    yield [sys.executable]
    executable = "python.exe" if ON_WINDOWS else f"python{version}"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if (Path(folder) / f"python{version}").exists():
            yield [str(Path(folder) / f"python{version}")]
    if ON_WINDOWS:
        yield ["py", f"-{version}"]
    pyenv = os.environ.get("PYENV_ROOT", "~/.pyenv")
    for place in (
        f"{pyenv}/versions/{version}*/bin",
        f"~/.pyenv/pyenv-win/versions/{version}*",
        f"~/.local/share/uv/python/cpython-{version}*/bin",
        "/opt/homebrew/bin",
        "/usr/local/bin",
        f"/Library/Frameworks/Python.framework/Versions/{version}/bin",
    ):
        for path in sorted(glob.glob(str(Path(place).expanduser() / executable)), reverse=True):
            yield [path]


def require_python(version: str, reason: str) -> Path:
    """Find this Python or say what to install."""
    python = find_python(version)
    if python is None:
        raise Failure(
            f"{reason} needs Python {version}, and no working one was found.\n"
            f"  Debian, Ubuntu: sudo apt-get install python{version} python{version}-venv\n"
            f"  macOS:          brew install python@{version}\n"
            f"  Windows:        py install {version}   (or the installer from python.org)\n"
            f"  pyenv:          pyenv install {version}"
        )
    return python


def default_blender() -> Blender:
    """The Blender that fits the Python at hand: 5.0 on 3.11, 5.2 on 3.13."""
    current = "{}.{}".format(*sys.version_info)
    for version in (current, *BLENDER_FOR_PYTHON):
        if version in BLENDER_FOR_PYTHON and find_python(version):
            return BLENDERS[BLENDER_FOR_PYTHON[version]]
    require_python("3.11", "Blender 5.0")
    raise AssertionError


def environment_interpreter(name: str) -> Path:
    """Where an environment has its interpreter, whether it was made already or not."""
    return ENVIRONMENTS / name / ("Scripts/python.exe" if ON_WINDOWS else "bin/python")


def ensure_environment(name: str, python_version: str, requirements: Sequence[str]) -> Path:
    """Make .venv/<name> with the requirements, unless it is there already; its interpreter."""
    folder = ENVIRONMENTS / name
    interpreter = environment_interpreter(name)
    wanted = [python_version, *requirements]
    with locked(ENVIRONMENTS):
        found = installed(name)
        if found == wanted and interpreter.exists():
            return interpreter
        python = require_python(python_version, f"The environment {shown(folder)}")
        with timed(f"set up {shown(folder)}: {', '.join(requirements)}"):
            if found[:1] != [python_version]:  # else add to it: somebody may be using it
                shutil.rmtree(folder, ignore_errors=True)
                run([python, "-m", "venv", folder], f"making {shown(folder)}")
            install = [interpreter, "-m", "pip", "install", "-qq"]
            run([*install, *requirements], f"installing into {shown(folder)}")
        (folder / "installed.json").write_text(json.dumps(wanted), "utf-8")
    return interpreter


def installed(name: str) -> list[str]:
    """The Python and the requirements that an environment was made with; empty: not made."""
    stamp = ENVIRONMENTS / name / "installed.json"
    return json.loads(stamp.read_text("utf-8")) if stamp.exists() else []


def core_environment() -> Path:
    """The interpreter that runs the engine and the checks, without Blender."""
    found = installed("core")  # keeps its Python, whichever one runs dev.py today
    python_version = found[0] if found else default_blender().python
    interpreter = ensure_environment("core", python_version, CORE_REQUIREMENTS)
    link_core(interpreter)
    return interpreter


def manual_environment() -> Path:
    """The interpreter that has MkDocs."""
    return ensure_environment("manual", default_blender().python, MANUAL_REQUIREMENTS)


def link_core(interpreter: Path) -> None:
    """Install the project itself as a link, again only when it moved or setup.py changed."""
    stamp = ENVIRONMENTS / "core" / "linked.txt"
    wanted = digest_of([ROOT / "setup.py"], str(ROOT))
    with locked(ENVIRONMENTS):
        if stamp.exists() and stamp.read_text("utf-8") == wanted:
            return
        command = [interpreter, "-m", "pip", "install", "-qq", "--no-deps", "--editable", "."]
        with timed("link core/ into .venv/core as verlet_physics"):
            run(command, "linking the project")
        stamp.write_text(wanted, "utf-8")


def blender_environment(blender: Blender) -> Path:
    """The interpreter that has this Blender as the module bpy."""
    name = f"blender-{blender.version}"
    interpreter = ensure_environment(name, blender.python, blender_requirements(blender))
    check_system_libraries(interpreter)
    return interpreter


def digest_of(paths: Sequence[Path], *extra: str) -> str:
    """A hash of the files' names and contents, and of extra words."""
    digest = hashlib.sha256("\0".join(extra).encode())
    for path in paths:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


# --- System libraries that bpy needs on Linux --------------------------------------------------

DEBIAN_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libICE.so.6": "libice6",
    "libSM.so.6": "libsm6",
    "libX11.so.6": "libx11-6",
    "libXcursor.so.1": "libxcursor1",
    "libXext.so.6": "libxext6",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libXinerama.so.1": "libxinerama1",
    "libXrandr.so.2": "libxrandr2",
    "libXrender.so.1": "libxrender1",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libgomp.so.1": "libgomp1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "a driver for OpenGL": "libgl1-mesa-dri",
}
# A driver that can render: Mesa's software one, under the names that it had over the years, or
# the machine's own.
DRIVERS = (
    "/usr/lib*/dri/swrast_dri.so",
    "/usr/lib/*/dri/swrast_dri.so",
    "/usr/lib*/libgallium*.so",
    "/usr/lib/*/libgallium*.so",
    "/usr/share/glvnd/egl_vendor.d/*nvidia*.json",
)


def check_system_libraries(interpreter: Path) -> None:
    """Fail with the command that installs what is missing, before Blender fails obscurely."""
    missing = missing_system_libraries(interpreter)
    if missing:
        packages = sorted({DEBIAN_PACKAGES.get(name, name) for name in missing})
        raise Failure(
            f"Blender needs system libraries that are missing: {', '.join(sorted(missing))}\n"
            f"  Debian, Ubuntu: sudo apt-get install {' '.join(packages)}"
        )


def missing_system_libraries(interpreter: Path) -> set[str]:
    """What `import bpy` and a Workbench render would not find."""
    if sys.platform != "linux":
        return set()
    missing = set()
    library = next(site_packages(interpreter).glob("bpy/__init__*.so"))
    if shutil.which("ldd"):
        _, listing = output_of(["ldd", library])
        missing |= set(re.findall(r"(\S+) => not found", listing))
    if ctypes.util.find_library("EGL") is None:
        missing.add("libEGL.so.1")
    if not any(glob.glob(pattern) for pattern in DRIVERS):
        missing.add("a driver for OpenGL")
    return missing


def site_packages(interpreter: Path) -> Path:
    """The folder in which an environment keeps its packages."""
    folder = interpreter.parent.parent
    if ON_WINDOWS:
        return folder / "Lib" / "site-packages"
    return next(folder.glob("lib/python*/site-packages"))
