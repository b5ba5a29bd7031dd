"""Object files and the runtime as one library, by Zig's C compiler."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import ziglang

from .symbols import symbols_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .targets import Target

RUNTIME = Path(__file__).parent / "runtime"
ZIG = Path(ziglang.__file__).parent

OF_THE_SYSTEM = {
    *("memcpy", "memmove", "memset", "bzero", "__bzero"),
    *("__chkstk", "___chkstk_ms"),  # how Windows is asked for a large piece of stack
}
"""What kernels may ask the system for: nothing that has bits of its own."""


def link(objects: Sequence[Path], symbols: Sequence[str], target: Target, folder: Path) -> Path:
    """Link a library into a folder that holds nothing else of its name; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    runtime = _compile_runtime(target, folder)
    _refuse_what_is_lacking(objects, runtime, target)
    extra = [runtime]
    if target.system == "windows":
        listing = folder / "exported.def"
        words = ["verlet_bind", "verlet_fits", "verlet_call", "verlet_set_threads", *symbols]
        listing.write_text("EXPORTS\n" + "".join(f"  {word}\n" for word in words), "utf-8")
        extra.append(listing)
    arguments = folder / "objects.txt"
    arguments.write_text("".join(f'"{path.as_posix()}"\n' for path in (*objects, *extra)), "utf-8")
    library = folder / target.file
    # A name that can be loaded from anywhere, and nothing of the machine that it was built on.
    flags = {
        "linux": ("-Wl,--gc-sections", "-Wl,--as-needed", "-lpthread", "-Wl,-z,noexecstack"),
        "windows": (),
        "macos": (f"-Wl,-install_name,@rpath/{target.file}",),
    }[target.system]
    _zig(target, "-shared", "-s", "-O2", *flags, f"@{arguments}", "-o", library)
    return library


def _compile_runtime(target: Target, folder: Path) -> Path:
    compiled = folder / "runtime.o"
    flags = ("-O2", "-std=gnu11", "-Wall", "-Wextra", "-fvisibility=hidden", "-fno-builtin-printf")
    level = f"-DLEVEL={target.processor.name[-1]}"
    _zig(target, "-c", *flags, level, RUNTIME / "runtime.c", "-o", compiled)
    return compiled


def _zig(target: Target, *arguments: object) -> None:
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target.zig, "-fno-sanitize=all"]
    if target.processor.zig == "x86_64":
        command += ["-mcpu=x86_64"]
    done = subprocess.run(
        [*command, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "0"},
    )
    if done.returncode:
        raise SystemExit(f"{target.name}: zig cc failed:\n{done.stderr[-4000:]}")


def _refuse_what_is_lacking(objects: Sequence[Path], runtime: Path, target: Target) -> None:
    """Name symbols that neither kernels nor runtime define, and who asks for them."""
    of_each = {path: symbols_of(path.read_bytes()) for path in (*objects, runtime)}
    known = OF_THE_SYSTEM.union(*(symbols.defined for symbols in of_each.values()))
    users: dict[str, list[str]] = {}
    for path in objects:
        for name in sorted(of_each[path].wanted - known):
            users.setdefault(name, []).append(
                re.sub(r"(-[0-9a-f]{16}\.[\w-]+)?\.o$", "", path.name)
            )
    if users:
        lines = [f"  {name}, called by {', '.join(callers)}" for name, callers in users.items()]
        raise SystemExit(
            "\n".join(
                [f"{target.name}: kernels call what neither they nor runtime.c define:", *lines]
            )
        )
