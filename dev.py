#!/usr/bin/env python3
"""Every command of the project in one script that needs nothing but Python.

python dev.py test      set everything up and run every check and test
python dev.py demo      set everything up, bake the demo files in Blender, render pictures
python dev.py help      the other commands

The first run downloads Blender as a Python module (bpy, 350 MB); later runs install nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from tools.blender_stubs import STUBS, stubs
from tools.environments import (
    BLENDERS,
    DEBIAN_PACKAGES,
    ENVIRONMENTS,
    Blender,
    blender_environment,
    check_system_libraries,
    core_environment,
    default_blender,
    environment_interpreter,
    require_python,
)
from tools.extension_zip import (
    build_zip,
    manifest_version,
    stage_extension,
    uncommitted_sources,
)
from tools.kernel_library import (
    PLATFORMS,
    Platform,
    build_libraries,
    build_library,
    build_wheel,
    host_platform,
)
from tools.manual_pages import build_manual
from tools.peers.box3d_compare import compare_box3d
from tools.peers.compare import compare
from tools.peers.frame_compare import compare_frames
from tools.peers.rigid_compare import compare_rigid
from tools.processes import (
    BUILD,
    ROOT,
    Failure,
    locked,
    output_of,
    print_times,
    run,
    shown,
    timed,
)
from tools.same_bits.compare import compare_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

OUT = ROOT / "out"
WHEELS = ("with", "without", "both")
WITHOUT_WHEELS = "without_wheels"  # the mark of tests that need no compiled kernels
QUICK = 180  # s that the quick tests are to take at most
NOTHING_SELECTED = 5  # pytest's status: fine for somebody who runs a single test
ON_ALL_PROCESSORS = ("-n", "auto", "--maxprocesses", "4", "--dist", "worksteal")
TOOLS = sorted((ROOT / "tools").glob("*.py"))


def lint(options: argparse.Namespace) -> None:
    """Check all that needs no run: what `style` checks, then what `typecheck` checks."""
    style(options)
    typecheck(options)


def style(options: argparse.Namespace) -> None:
    """Check formatting and style with ruff, and that imports run one way: in seconds."""
    interpreter = core_environment()
    folder = BUILD / "style"
    with timed("style"), locked(folder):
        run([interpreter, "-m", "ruff", "format", "--check", "--quiet", "."], "ruff format --check")
        run([interpreter, "-m", "ruff", "check", "--quiet", "."], "ruff check")
        stage_extension(folder / "extension", target=None, wheels=())
        code = "import sys; from importlinter.cli import lint_imports_command as lint; lint()"
        arguments = ["--config", str(ROOT / "pyproject.toml"), "--no-logo"]
        status, output = output_of([interpreter, "-c", code, *arguments], cwd=folder)
        if status:
            print(output, end="")
            raise Failure("imports do not run one way: see [tool.importlinter] in pyproject.toml")


def format_code(options: argparse.Namespace) -> None:
    """Format the code and fix what ruff can fix."""
    interpreter = core_environment()
    run([interpreter, "-m", "ruff", "check", "--fix-only", "--quiet", "."], "ruff check --fix-only")
    run([interpreter, "-m", "ruff", "format", "."], "ruff format")


def typecheck(options: argparse.Namespace) -> None:
    """Check the types with mypy, the add-on's against the oldest and the newest Blender."""
    interpreter = core_environment()
    folder = BUILD / "typecheck"
    command = [interpreter, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    oldest, newest = STUBS

    def check(version: str) -> tuple[int, str]:
        package = "extension" if version == newest else "extension.verlet_addon"
        cache = ["--cache-dir", f".mypy_cache/{version}"]
        known = {"MYPYPATH": str(folders[version])}
        return output_of([*command, *cache, "-p", package], cwd=folder, variables=known)

    with timed("typecheck"), locked(folder):
        folders = {version: stubs(version) for version in (oldest, newest)}
        stage_extension(folder / "extension", target=None, wheels=())
        run([*command, "--strict", "--no-error-summary", "dev.py", *TOOLS], "mypy dev.py")
        with ThreadPoolExecutor() as pool:
            found = dict(zip(folders, pool.map(check, folders)))
    for version, (_, output) in found.items():
        text = re.sub("^extension/", "", output.replace("\\", "/"), flags=re.MULTILINE)
        print(f"Blender {version}: {text}", end="")
    if any(status for status, _ in found.values()):
        raise Failure("mypy failed")


def test_core(options: argparse.Namespace) -> None:
    """Test the engine without Blender: as it is shipped, and what only Numba has."""
    interpreter = core_environment()
    if options.arguments:
        with timed("test core"):
            run_pytest(interpreter, "tests/core", options.arguments, "tests/core")
        return
    library = {"VERLET_LIBRARY": str(build_library(host_platform()))}
    with timed("test core"):
        run_pytest(interpreter, "tests/core", ON_ALL_PROCESSORS, "tests/core", library)
    with timed("test core with Numba"):
        arguments = ["-m", "numba", *ON_ALL_PROCESSORS]
        run_pytest(interpreter, "tests/core", arguments, "the tests of Numba")


def test_quick(options: argparse.Namespace) -> None:
    """Test what needs neither Blender nor a compiler: three minutes at most, or it warns."""
    start = time.perf_counter()
    with timed("test quick"):
        run_pytest(
            core_environment(),
            "tests/core",
            ["-m", "quick", *(options.arguments or ON_ALL_PROCESSORS)],
            "the quick tests",
            {"VERLET_NO_NUMBA": "1"},
        )
    warn_if_slow(time.perf_counter() - start)


def warn_if_slow(seconds: float) -> None:
    """Say that the quick tests were not quick. That is no failure: the machine may be busy."""
    if seconds > QUICK:
        print(
            f"\nwarning: the quick tests took {seconds:.0f} s, which is more than {QUICK} s. "
            "If nothing else ran, take the mark `quick` from the slowest (--durations=20).",
            file=sys.stderr,
        )


def run_pytest(
    interpreter: Path,
    folder: str,
    arguments: Sequence[str],
    what: str,
    variables: dict[str, str] | None = None,
) -> None:
    """Run pytest on a folder, or on the tests that the user's arguments name."""
    command = [interpreter, "-m", "pytest", *([] if names_tests(arguments) else [folder])]
    run([*command, *arguments], what, accept=accepted(arguments), variables=variables)


def names_tests(arguments: Sequence[str]) -> bool:
    """Whether the user's arguments name files or tests."""
    return any((ROOT / argument.split("::")[0]).exists() for argument in arguments)


def accepted(arguments: Sequence[str]) -> tuple[int, ...]:
    """The statuses with which pytest may end."""
    return (0, NOTHING_SELECTED) if arguments else (0,)


def test_blender(options: argparse.Namespace) -> None:
    """Test the installed zip in real Blender, with and without the wheels in it."""
    failed = []
    for blender in options.blender or [default_blender()]:
        for wheels in ("with", "without"):
            if options.wheels in (wheels, "both"):
                target = host_platform() if wheels == "with" else None
                try:
                    run_blender_tests(blender, target, options.arguments)
                except Failure as failure:
                    print(f"\nerror: {failure}", file=sys.stderr, flush=True)
                    failed.append(f"{blender.version} {wheels} wheels")
    if failed:
        raise Failure(f"the tests failed in Blender {', '.join(failed)}")


def run_blender_tests(blender: Blender, target: Platform | None, arguments: Sequence[str]) -> None:
    """Run the Blender tests with one zip: a platform's, or the one without wheels."""
    interpreter = blender_environment(blender)
    zip_path = build_zip(blender, target)
    what = f"test Blender {blender.version} with {zip_path.name}"
    user_folder = BUILD / "user" / f"test-{blender.version}-{'with' if target else 'no'}-wheels"
    variables = {
        "VERLET_ZIP": str(zip_path),
        "PYTEST_ADDOPTS": "" if target else f"-m {WITHOUT_WHEELS}",
    }
    files = sorted((ROOT / "tests" / "blender").glob("test_*.py"))
    if target is None:
        files = [file for file in files if f"mark.{WITHOUT_WHEELS}" in file.read_text("utf-8")]
    with timed(what), locked(user_folder):
        if names_tests(arguments):
            variables["BLENDER_USER_RESOURCES"] = str(user_folder / "0")
            run_pytest(interpreter, "tests/blender", arguments, what, variables)
        else:
            run_blender_files(interpreter, files, arguments, user_folder, variables)


def run_blender_files(
    interpreter: Path,
    files: Sequence[Path],
    arguments: Sequence[str],
    user_folder: Path,
    variables: dict[str, str],
) -> None:
    """Run each file of tests in a Blender of its own, as many at once as there are processors.

    What one file leaves behind reaches no other, in Blender's memory neither: 4.2 crashed in files
    that were closed long after what had damaged it. Those that run at once have user folders of
    their own.
    """
    at_once = min(os.cpu_count() or 1, 4)
    user_folders: SimpleQueue[Path] = SimpleQueue()
    for n in range(at_once):
        user_folders.put(user_folder / str(n))

    def run_file(file: Path) -> tuple[Path, int, str]:
        mine = user_folders.get()
        command = [interpreter, "-m", "pytest", str(file.relative_to(ROOT)), *arguments]
        try:
            variable = {"BLENDER_USER_RESOURCES": str(mine)}
            return file, *output_of(command, variables={**variables, **variable})
        finally:
            user_folders.put(mine)

    failed = []
    with ThreadPoolExecutor(at_once) as pool:
        for running in as_completed([pool.submit(run_file, file) for file in files]):
            file, status, printed = running.result()
            print(printed, end="", flush=True)
            if status not in accepted(arguments):
                failed.append(f"{file.name} (exit status {status})")
    if failed:
        raise Failure(f"tests failed in {', '.join(sorted(failed))}")


def test(options: argparse.Namespace) -> None:
    """Run every check and every test, the quick ones first."""
    lint(options)
    test_quick(options)
    build_library(host_platform())  # which the engine's tests look at, and Blender's use
    test_core(options)
    test_blender(options)


def zips(options: argparse.Namespace) -> None:
    """Build the zips for release: one per platform, and a small one without wheels."""
    blender = (options.blender or [default_blender()])[0]
    build_libraries([*PLATFORMS.values()])
    built = [build_zip(blender, target) for target in (*PLATFORMS.values(), None)]
    print("\nZips")
    for path in built:
        print(f"  {path.stat().st_size / 1e6:6.1f} MB  {shown(path)}")
    uncommitted = uncommitted_sources()
    if uncommitted:
        print(f"Not fit for release, for these are not committed: {', '.join(uncommitted)}")


def library(options: argparse.Namespace) -> None:
    """Compile all kernels ahead: for this machine, for platforms that are named, or for `all`."""
    names = [*PLATFORMS] if "all" in options.arguments else options.arguments
    unknown = [name for name in names if name not in PLATFORMS]
    if unknown:
        raise Failure(f"no such platform: {', '.join(unknown)}; known: {', '.join(PLATFORMS)}")
    for folder in build_libraries([PLATFORMS[name] for name in names] or [host_platform()]):
        print(shown(folder))


def wheels(options: argparse.Namespace) -> None:
    """Build wheels for use without Blender: the engine, and this platform's compiled kernels."""
    interpreter, folder = core_environment(), BUILD / "dist"
    kernels = build_wheel(PLATFORMS[host_platform().name], manifest_version())
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy2(kernels, folder)
    command = [interpreter, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", folder, "."]
    run(command, "building the engine's wheel")
    print(*map(shown, sorted(folder.glob("*.whl"))), sep="\n")


def demo(options: argparse.Namespace) -> None:
    """Bake the demo files in an isolated Blender; pictures and movies go to out/."""
    blender = (options.blender or [default_blender()])[0]
    files = [Path(name).resolve() for name in options.arguments] or sorted(
        (ROOT / "demo_files").glob("*.blend")
    )
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise Failure(f"no such file: {', '.join(missing)}")
    if not files:
        raise Failure("there are no .blend files in demo_files/")
    interpreter = blender_environment(blender)
    zip_path = build_zip(blender, host_platform())
    user_folder = BUILD / "user" / f"demo-{blender.version}"
    OUT.mkdir(exist_ok=True)
    failed = []
    with locked(user_folder):
        for file in files:
            try:
                with timed(f"demo {file.name} in Blender {blender.version}"):
                    run(
                        [
                            interpreter,
                            ROOT / "tools/inside_blender/bake_demo.py",
                            zip_path,
                            file,
                            OUT,
                        ],
                        f"demo {file.name}",
                        variables={"BLENDER_USER_RESOURCES": str(user_folder)},
                    )
            except Failure as failure:
                print(f"error: {failure}", file=sys.stderr, flush=True)
                failed.append(file.name)
    if failed:
        raise Failure(f"these demos failed: {', '.join(failed)}")
    print(f"\nBaked files, pictures and movies are in {OUT}")


def demo_files(options: argparse.Namespace) -> None:
    """Make the demo files anew, or those named, in the oldest Blender so that all can open them."""
    blender = (options.blender or [next(iter(BLENDERS.values()))])[0]
    interpreter = blender_environment(blender)
    user_folder = BUILD / "user" / f"demo-{blender.version}"
    folder = ROOT / "demo_files"
    with locked(user_folder):
        run(
            [
                interpreter,
                folder / "make_demo_files.py",
                build_zip(blender, None),
                folder,
                *options.arguments,
            ],
            "making the demo files",
            variables={"BLENDER_USER_RESOURCES": str(user_folder)},
        )


def truth(options: argparse.Namespace) -> None:
    """Compare the engine with known solutions; takes names of cases and --json."""
    run([core_environment(), "-m", "verlet_physics", "truth", *options.arguments], "truth")


def bench(options: argparse.Namespace) -> None:
    """Measure the engine's speed; takes names of scenes, --n, --threads and --json."""
    run([core_environment(), "-m", "verlet_physics", "bench", *options.arguments], "bench")


def benchmarks(options: argparse.Namespace) -> None:
    """Compare with others, into docs/BENCHMARKS.md: the sheet, --rigid or --frames; --quick.

    --box3d PROGRAM prints a table alone.
    """
    with timed("benchmarks"):
        if "--frames" in options.arguments:
            compare_frames([one for one in options.arguments if one != "--frames"])
        elif "--box3d" in options.arguments:
            compare_box3d([one for one in options.arguments if one != "--box3d"])
        elif "--rigid" in options.arguments:
            compare_rigid([one for one in options.arguments if one != "--rigid"])
        else:
            compare(options.arguments)


def same_bits(options: argparse.Namespace) -> None:
    """Step the same models with all libraries, Pythons and emulators here, and compare the bits."""
    compare_bits(options.arguments)


def bounds(options: argparse.Namespace) -> None:
    """Step the golden scenes, or --random COUNT, with kernels that check each index."""
    asked = options.arguments
    is_random = asked[:1] == ["--random"]
    arguments = ["random", "--count", *asked[1:]] if is_random else ["golden", *asked]
    variables = {"NUMBA_BOUNDSCHECK": "1", "VERLET_LIBRARY": ""}
    variables["VERLET_CACHE_DIR"] = str(BUILD / "bounds")
    run([core_environment(), "-m", "verlet_physics", *arguments], "bounds", variables=variables)


def docs(options: argparse.Namespace) -> None:
    """Make docs/API.md and docs/SETTINGS.md anew from docstrings and settings."""
    run([core_environment(), ROOT / "tools/inside_core/reference.py"], "docs")


def manual(options: argparse.Namespace) -> None:
    """Build the manual as web pages into build/manual; a link that leads nowhere fails."""
    build_manual(BUILD / "manual", options.arguments)
    print(f"\nRead {shown(BUILD / 'manual' / 'index.html')}")


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
        interpreter = environment_interpreter(f"blender-{blender.version}")
        if interpreter.exists():
            check_system_libraries(interpreter)
            print(f"Blender {blender.version}: system libraries are there")


def debian_packages(options: argparse.Namespace) -> None:
    """Print the Debian packages that Blender needs, for apt-get install."""
    print(*DEBIAN_PACKAGES.values())


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
    "demo-files": demo_files,
    "test": test,
    "lint": lint,
    "style": style,
    "typecheck": typecheck,
    "test-quick": test_quick,
    "test-core": test_core,
    "test-blender": test_blender,
    "format": format_code,
    "library": library,
    "wheels": wheels,
    "zips": zips,
    "truth": truth,
    "bench": bench,
    "benchmarks": benchmarks,
    "same-bits": same_bits,
    "bounds": bounds,
    "docs": docs,
    "manual": manual,
    "setup": setup,
    "doctor": doctor,
    "debian-packages": debian_packages,
    "hooks": hooks,
    "clean": clean,
}
TAKE_BLENDER = ("demo", "demo-files", "test", "test-blender", "zips", "setup", "doctor")
TAKE_ARGUMENTS = (
    *("demo", "demo-files", "test", "test-quick", "test-core", "test-blender"),
    *("truth", "bench", "benchmarks", "same-bits", "bounds", "library", "manual"),
)


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
        if name in TAKE_BLENDER:
            command.add_argument(
                "--blender",
                type=parse_blenders,
                metavar="X.Y",
                help="which Blender, or several with commas (default: 5.0 on Python 3.11,"
                f" 5.2 on 3.13); one of {', '.join(BLENDERS)}",
            )
        if name in ("test", "test-blender"):
            command.add_argument(
                "--wheels", choices=WHEELS, default="both", help="which zip (default: both)"
            )
        if name == "clean":
            command.add_argument("--all", action="store_true", help="delete .venv/ too")
    options, arguments = parser.parse_known_args()
    if arguments and options.command not in TAKE_ARGUMENTS:
        parser.error(f"{options.command} does not know {' '.join(arguments)}")
    options.arguments = arguments
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
