#!/usr/bin/env python3
"""Every command of the project in one script that needs nothing but Python.

python dev.py test      set everything up and run every check and test
python dev.py demo      set everything up, bake the demo files in Blender, render pictures
python dev.py help      the other commands

The first run downloads Blender as a Python module (bpy, 350 MB); later runs install nothing.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import ctypes.util
import glob
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent
ENVIRONMENTS = ROOT / ".venv"
BUILD = ROOT / "build"
WHEELS = BUILD / "wheels"
ZIPS = BUILD / "zips"
OUT = ROOT / "out"
ON_WINDOWS = os.name == "nt"


# --- What is installed: the one place for versions -------------------------------------------


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

# Numba 0.68 takes NumPy 1.22 to 2.5: every supported Blender's.
NUMBA = ("numba==0.68.1", "llvmlite==0.50.0")
# The last release for Macs with an Intel processor (NumPy 1.22 to 2.3).
NUMBA_FOR_INTEL_MAC = ("numba==0.62.1", "llvmlite==0.45.1")

PYTEST = "pytest==9.2.0"
CORE_REQUIREMENTS = (
    "numpy==2.4.6",
    *NUMBA,
    PYTEST,
    "hypothesis==6.170.15",
    "ruff==0.17.5",
    "mypy==2.4.1",
    "fake-bpy-module==20261026",
    "pre-commit==4.7.0",
)


def blender_requirements(blender: Blender) -> tuple[str, ...]:
    """No Numba here: in Blender it must come out of the extension's zip."""
    return (
        f"bpy=={blender.version}.*",
        f"numpy=={blender.numpy}",
        PYTEST,
        "pillow==13.0.0",
    )


@dataclass(frozen=True)
class Platform:
    """A platform in Blender's words, and the wheels for it in pip's words."""

    name: str
    tags: tuple[str, ...]
    pythons: tuple[str, ...] = ("3.11", "3.13")
    requirements: tuple[str, ...] = NUMBA


PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform("linux-x64", ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64")),
        Platform("linux-arm64", ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64")),
        Platform("windows-x64", ("win_amd64",)),
        Platform("windows-arm64", ("win_arm64",), pythons=("3.13",)),
        Platform("macos-arm64", ("macosx_12_0_arm64", "macosx_11_0_arm64")),
        # Blender 4.5 is the last one for these, so Python 3.11 is enough.
        Platform("macos-x64", ("macosx_10_15_x86_64",), ("3.11",), NUMBA_FOR_INTEL_MAC),
    )
}


# --- Running things ---------------------------------------------------------------------------


class Failure(Exception):
    """Something that the user has to know: shown without a traceback."""


TIMES: list[tuple[str, float]] = []


@contextlib.contextmanager
def timed(what: str) -> Iterator[None]:
    """Announce a part of the work and remember how long it took."""
    print(f"\n== {what}", flush=True)
    start = time.perf_counter()
    try:
        yield
    finally:
        TIMES.append((what, time.perf_counter() - start))


def print_times() -> None:
    """Print how long each part took."""
    if TIMES:
        print("\nTimes")
        for what, seconds in TIMES:
            print(f"  {seconds:7.1f} s  {what}")


def run(command: Sequence[str | Path], what: str, cwd: Path = ROOT, **variables: str) -> None:
    """Run a command, showing its output; fail naming `what` when it fails."""
    environment = {**clean_environment(), **variables}
    status = subprocess.run([*map(str, command)], cwd=cwd, env=environment, check=False).returncode
    if status:
        raise Failure(f"{what} failed (exit status {status})")


def output_of(command: Sequence[str | Path], cwd: Path = ROOT) -> tuple[int, str]:
    """Exit status and output of a command; 127 when it cannot be started."""
    try:
        done = subprocess.run(
            [*map(str, command)],
            cwd=cwd,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return 127, str(error)
    return done.returncode, done.stdout


def clean_environment() -> dict[str, str]:
    """The environment without what would leak packages into ours."""
    leaks = {"PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in leaks}
    return {**kept, "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one process at a time work in a folder, so that two shells do not collide."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as handle:
        if ON_WINDOWS:
            import msvcrt

            while True:
                with contextlib.suppress(OSError):  # it gives up after ten seconds
                    msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"waiting for another dev.py that works in {shown(folder)}", flush=True)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def shown(path: Path) -> str:
    """A path as a user in the checkout would type it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


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
    home = Path.home()
    places = (
        os.environ.get("PYENV_ROOT", home / ".pyenv") + "/versions/{v}*/bin"
        if "PYENV_ROOT" in os.environ
        else f"{home}/.pyenv/versions/{{v}}*/bin",
        f"{home}/.pyenv/pyenv-win/versions/{{v}}*",
        f"{home}/.local/share/uv/python/cpython-{{v}}*/bin",
        "/opt/homebrew/bin",
        "/usr/local/bin",
        "/Library/Frameworks/Python.framework/Versions/{v}/bin",
    )
    for place in places:
        for path in sorted(glob.glob(f"{place.format(v=version)}/{executable}"), reverse=True):
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


def ensure_environment(name: str, python_version: str, requirements: Sequence[str]) -> Path:
    """Make .venv/<name> with the requirements, unless it is there already; its interpreter."""
    folder = ENVIRONMENTS / name
    interpreter = folder / ("Scripts/python.exe" if ON_WINDOWS else "bin/python")
    stamp = folder / "installed.json"
    wanted = json.dumps([python_version, *requirements])
    with locked(ENVIRONMENTS):
        if interpreter.exists() and stamp.exists() and stamp.read_text("utf-8") == wanted:
            return interpreter
        python = require_python(python_version, f"The environment {shown(folder)}")
        with timed(f"set up {shown(folder)}: {', '.join(requirements)}"):
            shutil.rmtree(folder, ignore_errors=True)
            run([python, "-m", "venv", folder], f"making {shown(folder)}")
            install = [interpreter, "-m", "pip", "install", "-qq"]
            run([*install, *requirements], f"installing into {shown(folder)}")
        stamp.write_text(wanted, "utf-8")
    return interpreter


def core_environment() -> Path:
    """The interpreter that runs the engine and the checks, without Blender."""
    python_version = default_blender().python
    interpreter = ensure_environment("core", python_version, CORE_REQUIREMENTS)
    link_core(interpreter)
    return interpreter


def link_core(interpreter: Path) -> None:
    """Install the project itself as a link, again only when its packaging files changed."""
    stamp = ENVIRONMENTS / "core" / "linked.txt"
    wanted = digest_of([ROOT / "pyproject.toml", ROOT / "setup.py", ROOT / "blender_manifest.toml"])
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


# --- System libraries that bpy needs on Linux --------------------------------------------------

DEBIAN_PACKAGES = {
    "libX11.so.6": "libx11-6",
    "libXrender.so.1": "libxrender1",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libgomp.so.1": "libgomp1",
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
        missing.add("libgl1-mesa-dri")
    return missing


def site_packages(interpreter: Path) -> Path:
    """The folder in which an environment keeps its packages."""
    folder = interpreter.parent.parent
    if ON_WINDOWS:
        return folder / "Lib" / "site-packages"
    return next(folder.glob("lib/python*/site-packages"))


# --- The extension's zip ------------------------------------------------------------------------

EXTENSION_FILES = ("blender_manifest.toml", "__init__.py", "LICENSE", "README.md")
EXTENSION_FOLDERS = ("core", "verlet_addon")


def host_platform() -> Platform:
    """This machine's platform in Blender's words."""
    system = {"darwin": "macos"}.get(platform.system().lower(), platform.system().lower())
    machine = platform.machine().lower()
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    try:
        return PLATFORMS[f"{system}-{machine}"]
    except KeyError:
        raise Failure(
            f"there are no Numba wheels for {system}-{machine}; known: {', '.join(PLATFORMS)}.\n"
            "  The tests with the zip that carries no wheels still run:"
            " dev.py test-blender --without-wheels"
        ) from None


def extension_sources() -> list[Path]:
    """The files of the extension, relative to the checkout: those that git knows."""
    status, listing = output_of(["git", "ls-files", "-z", *EXTENSION_FILES, *EXTENSION_FOLDERS])
    if status == 0 and listing:
        warn_of_untracked_sources()
        names = [Path(name) for name in listing.split("\0") if name]
        return sorted(name for name in names if (ROOT / name).is_file())
    found = [ROOT / name for name in EXTENSION_FILES if (ROOT / name).is_file()]
    for folder in EXTENSION_FOLDERS:  # a source archive without git
        found += (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return sorted(path.relative_to(ROOT) for path in found if "__pycache__" not in path.parts)


def warn_of_untracked_sources() -> None:
    """Say which files will be missing from the zip, before an import fails there."""
    command = ["git", "ls-files", "--others", "--exclude-standard", *EXTENSION_FOLDERS]
    untracked = output_of(command)[1].split()
    if untracked:
        print(f"note: not in the zip, because git does not know them: {', '.join(untracked)}")


def stage_extension(folder: Path, wheels: Sequence[Path], platforms: Sequence[str]) -> None:
    """Copy the extension into a clean folder and name the wheels in its manifest."""
    shutil.rmtree(folder, ignore_errors=True)
    for source in extension_sources():
        (folder / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / source, folder / source)
    if not wheels:
        return
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(wheel, folder / "wheels" / wheel.name)
    manifest = folder / "blender_manifest.toml"
    wheel_lines = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    added = f"platforms = {json.dumps(list(platforms))}\nwheels = [\n{wheel_lines}]\n\n["
    text = manifest.read_text("utf-8")
    manifest.write_text(re.sub(r"^\[", lambda _: added, text, count=1, flags=re.M), "utf-8")


def download_wheels(interpreter: Path, platforms: Sequence[Platform]) -> list[Path]:
    """Download the unmodified wheels for these platforms, those that are not here yet."""
    stamp = WHEELS / "downloaded.json"
    with locked(WHEELS):
        known = json.loads(stamp.read_text("utf-8")) if stamp.exists() else {}
        wheels = []
        for target in platforms:
            for python in target.pythons:
                key = f"{target.name} {python} {' '.join(target.requirements)}"
                names = known.get(key, [])
                if not names or not all((WHEELS / name).exists() for name in names):
                    known[key] = names = download_for(interpreter, target, python)
                    stamp.write_text(json.dumps(known, indent=1), "utf-8")
                wheels += (WHEELS / name for name in names)
    return sorted(set(wheels))


def download_for(interpreter: Path, target: Platform, python: str) -> list[str]:
    """Download one platform's wheels for one Python; their file names."""
    folder = WHEELS / f"{target.name}-{python}"
    shutil.rmtree(folder, ignore_errors=True)
    command = [interpreter, "-m", "pip", "download", "-qq", "--no-deps", "--dest", folder]
    command += ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
    command += [f"--platform={tag}" for tag in target.tags]
    with timed(f"download wheels: {target.name}, Python {python}"):
        run([*command, *target.requirements], f"downloading wheels for {target.name}")
    names = []
    for wheel in folder.glob("*.whl"):
        wheel.replace(WHEELS / wheel.name)
        names.append(wheel.name)
    folder.rmdir()
    return sorted(names)


def build_zip(blender: Blender, platforms: Sequence[Platform]) -> list[Path]:
    """Build and validate one zip per platform, or the one without wheels when none is named."""
    interpreter = blender_environment(blender)
    wheels = download_wheels(interpreter, platforms)
    version = manifest_version()
    base = ZIPS / f"verlet_physics-{version}.zip"
    if platforms:
        suffixes = [target.name.replace("-", "_") for target in platforms]
    else:
        suffixes = ["without_wheels"]
        base = base.with_name(f"{base.stem}-{suffixes[0]}.zip")
    zips = [ZIPS / f"verlet_physics-{version}-{suffix}.zip" for suffix in suffixes]
    with locked(BUILD):
        sources = [ROOT / source for source in extension_sources()]
        inputs = digest_of(sources, *(wheel.name for wheel in wheels))
        if not all(is_up_to_date(path, inputs) for path in zips):
            ZIPS.mkdir(parents=True, exist_ok=True)
            names = [target.name for target in platforms]
            with timed(f"build and validate {', '.join(path.name for path in zips)}"):
                staging = BUILD / "extension"
                stage_extension(staging, wheels, names)
                build = ["build", "--source-dir", staging, "--output-filepath", base]
                blender_tool(interpreter, *build, *(["--split-platforms"] if platforms else []))
                for path in zips:
                    blender_tool(interpreter, "validate", path)
                    stamp_of(path).write_text(inputs, "utf-8")
    return zips


def stamp_of(path: Path) -> Path:
    """The file that remembers from which inputs a zip was made."""
    return path.with_name(f".{path.name}.inputs")


def is_up_to_date(path: Path, inputs: str) -> bool:
    """Whether a zip was made from these inputs."""
    stamp = stamp_of(path)
    return path.exists() and stamp.exists() and stamp.read_text("utf-8") == inputs


def blender_tool(interpreter: Path, command: str, *arguments: str | Path) -> None:
    """Run Blender's own extension tool, which lies inside the bpy wheel."""
    scripts = next(site_packages(interpreter).glob("bpy/*/scripts"))
    tool = scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    tags = scripts / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    status, output = output_of([interpreter, tool, command, "--valid-tags", tags, *arguments])
    if status:
        raise Failure(f"blender_ext.py {command} failed:\n{output}")


def manifest_version() -> str:
    """The extension's version, which stands in the manifest and nowhere else."""
    text = (ROOT / "blender_manifest.toml").read_text("utf-8")
    found = re.search(r'^version = (".+")', text, flags=re.M)
    if found is None:
        raise Failure("blender_manifest.toml names no version")
    return str(ast.literal_eval(found[1]))


def digest_of(paths: Sequence[Path], *extra: str) -> str:
    """A hash of the files' names and contents, and of extra words."""
    digest = hashlib.sha256("\0".join(extra).encode())
    for path in paths:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


# --- Commands -----------------------------------------------------------------------------------


def lint(options: argparse.Namespace) -> None:
    """Check formatting and style with ruff."""
    interpreter = core_environment()
    with timed("lint"):
        run([interpreter, "-m", "ruff", "format", "--check", "--quiet", "."], "ruff format --check")
        run([interpreter, "-m", "ruff", "check", "--quiet", "."], "ruff check")


def format_code(options: argparse.Namespace) -> None:
    """Format the code and fix what ruff can fix."""
    interpreter = core_environment()
    run([interpreter, "-m", "ruff", "check", "--fix-only", "--quiet", "."], "ruff check --fix-only")
    run([interpreter, "-m", "ruff", "format", "."], "ruff format")


def typecheck(options: argparse.Namespace) -> None:
    """Check types with mypy: the engine strictly, the add-on with Blender's stubs."""
    interpreter = core_environment()
    folder = BUILD / "typecheck"
    with timed("typecheck"), locked(folder):
        stage_extension(folder / "extension", wheels=(), platforms=())
        command = [interpreter, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
        status, output = output_of([*command, "-p", "extension"], cwd=folder)
    print(re.sub("^extension/", "", output.replace("\\", "/"), flags=re.MULTILINE), end="")
    if status:
        raise Failure("mypy failed")


def test_core(options: argparse.Namespace) -> None:
    """Test the engine without Blender."""
    interpreter = core_environment()
    with timed("test core"):
        run([interpreter, "-m", "pytest", "tests/core", *options.arguments], "tests/core")


def test_blender(options: argparse.Namespace) -> None:
    """Test the installed zip in real Blender, with and without the wheels in it."""
    for blender in options.blender or [default_blender()]:
        if options.wheels in ("with", "both"):
            run_blender_tests(blender, host_platform(), options.arguments)
        if options.wheels in ("without", "both"):
            run_blender_tests(blender, None, options.arguments)


def run_blender_tests(blender: Blender, target: Platform | None, arguments: Sequence[str]) -> None:
    """Run the Blender tests with one zip: a platform's, or the one without wheels."""
    interpreter = blender_environment(blender)
    (zip_path,) = build_zip(blender, [target] if target else [])
    what = f"test Blender {blender.version} with {zip_path.name}"
    user_folder = BUILD / "user" / f"test-{blender.version}-{'with' if target else 'no'}-wheels"
    selection = [] if target else ["-m", "without_wheels"]
    with timed(what), locked(user_folder):
        run(
            [interpreter, "-m", "pytest", "tests/blender", *selection, *arguments],
            what,
            BLENDER_USER_RESOURCES=str(user_folder),
            VERLET_ZIP=str(zip_path),
        )


def test(options: argparse.Namespace) -> None:
    """Run every check and every test, the quick ones first."""
    lint(options)
    typecheck(options)
    test_core(options)
    test_blender(options)


def zips(options: argparse.Namespace) -> None:
    """Build the zips for release: one per platform, and a small one without wheels."""
    blender = (options.blender or [default_blender()])[0]
    built = build_zip(blender, list(PLATFORMS.values())) + build_zip(blender, [])
    print("\nZips")
    for path in built:
        print(f"  {path.stat().st_size / 1e6:6.1f} MB  {shown(path)}")


def demo(options: argparse.Namespace) -> None:
    """Bake the demo files in an isolated Blender; pictures and movies go to out/."""
    blender = (options.blender or [default_blender()])[0]
    files = [Path(name).resolve() for name in options.arguments] or sorted(
        (ROOT / "demo_files").glob("*.blend")
    )
    if not files:
        raise Failure("there are no .blend files in demo_files/")
    interpreter = blender_environment(blender)
    (zip_path,) = build_zip(blender, [host_platform()])
    user_folder = BUILD / "user" / f"demo-{blender.version}"
    OUT.mkdir(exist_ok=True)
    failed = []
    with locked(user_folder):
        for file in files:
            try:
                with timed(f"demo {file.name} in Blender {blender.version}"):
                    run(
                        [interpreter, ROOT / "tools" / "bake_demo.py", zip_path, file, OUT],
                        f"demo {file.name}",
                        BLENDER_USER_RESOURCES=str(user_folder),
                    )
            except Failure as failure:
                print(f"error: {failure}", file=sys.stderr, flush=True)
                failed.append(file.name)
    if failed:
        raise Failure(f"these demos failed: {', '.join(failed)}")
    print(f"\nBaked files, pictures and movies are in {OUT}")


def engine(options: argparse.Namespace) -> None:
    """Run a command of the engine in .venv/core: truth, bench, list, compile."""
    arguments = [options.command, *options.arguments]
    run([core_environment(), "-m", "verlet_physics", *arguments], options.command)


def setup(options: argparse.Namespace) -> None:
    """Only set up the environments."""
    core_environment()
    for blender in options.blender or [default_blender()]:
        blender_environment(blender)


def doctor(options: argparse.Namespace) -> None:
    """Say what this machine has and lacks for the chosen Blender (exit status 1: lacks)."""
    for blender in options.blender or [default_blender()]:
        python = require_python(blender.python, f"Blender {blender.version}")
        print(f"Blender {blender.version}: Python {blender.python} is {python}")
        name = f"blender-{blender.version}"
        interpreter = ENVIRONMENTS / name / ("Scripts/python.exe" if ON_WINDOWS else "bin/python")
        if interpreter.exists():
            check_system_libraries(interpreter)
            print(f"Blender {blender.version}: system libraries are there")


def hooks(options: argparse.Namespace) -> None:
    """Make git run the quick checks before each commit."""
    run([core_environment(), "-m", "pre_commit", "install"], "pre-commit install")


def clean(options: argparse.Namespace) -> None:
    """Delete build/ and out/; with --all the environments too."""
    for folder in (BUILD, OUT, *([ENVIRONMENTS] if options.all else [])):
        shutil.rmtree(folder, ignore_errors=True)
        print(f"deleted {shown(folder)}")


COMMANDS = {
    "demo": demo,
    "test": test,
    "lint": lint,
    "typecheck": typecheck,
    "test-core": test_core,
    "test-blender": test_blender,
    "format": format_code,
    "zips": zips,
    "truth": engine,
    "bench": engine,
    "setup": setup,
    "doctor": doctor,
    "hooks": hooks,
    "clean": clean,
}


def parse_blenders(text: str) -> list[Blender]:
    """Blender versions from `5.0` or `5.0,4.2`."""
    unknown = [name for name in text.split(",") if name not in BLENDERS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown Blender {', '.join(unknown)}; choose from {', '.join(BLENDERS)}"
        )
    return [BLENDERS[name] for name in text.split(",")]


def parse_arguments() -> argparse.Namespace:
    """The command, its options, and what is handed on (pytest's options, files, scenes)."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    commands.add_parser("help", help="List the commands.")
    for name, function in COMMANDS.items():
        text = (function.__doc__ or "").splitlines()[0]
        command = commands.add_parser(name, help=text, description=text)
        if name in ("demo", "test", "test-blender", "zips", "setup", "doctor"):
            command.add_argument(
                "--blender",
                type=parse_blenders,
                metavar="X.Y",
                help="which Blender, or several with commas (default: 5.0 on Python 3.11,"
                f" 5.2 on 3.13); one of {', '.join(BLENDERS)}",
            )
        if name in ("test", "test-blender"):
            command.add_argument("--wheels", choices=("with", "without", "both"), default="both")
        if name == "clean":
            command.add_argument("--all", action="store_true", help="delete .venv/ too")
    options, options.arguments = parser.parse_known_args()
    if options.command == "help":
        parser.print_help()
        sys.exit(0)
    return options


def main() -> int:
    """Run the command that the user named."""
    options = parse_arguments()
    try:
        COMMANDS[options.command](options)
    except Failure as failure:
        print_times()
        print(f"\nerror: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print_times()
    return 0


if __name__ == "__main__":
    sys.exit(main())
