"""Build libraries of all kernels: `python -m tools.ahead FOLDER=TARGET,TARGET…`, several at once.

A folder becomes the package `verlet_physics_kernels`: a library for each target, kernels.json
with what they are called with and checksums, and licence texts. Object files are kept in Numba's
cache folder by the hash of what they came from, so that an edit compiles only what hangs on it.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pickle
import platform
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

# Before Numba is imported: which processor parts of kernels are made for.
os.environ["NUMBA_CPU_NAME"] = (
    "generic" if platform.machine().lower() in ("arm64", "aarch64") else "x86-64-v3"
)
os.environ["NUMBA_CPU_FEATURES"] = ""
os.environ["NUMBA_CACHE_DIR"] = os.devnull
os.environ.pop("VERLET_NO_NUMBA", None)
os.environ.pop("VERLET_LIBRARY", None)

import numba

from verlet_physics import elementary
from verlet_physics.kernels import folder as source_folders
from verlet_physics.kernels import jit, library

from . import link, modules
from .signatures import Signature, name_of, signatures
from .targets import TARGETS, Processor, Target, emit, optimise

MONTH = 30 * 86400.0  # s
DISPATCH = {
    *("kernels.jit", "kernels.library", "kernels.folder"),
    *("kernels.kernel_files", "kernels.compiling"),
}
"""Modules that every kernel imports and that do not change what becomes of it."""
Task = tuple[int, int, Signature, bool]  # kernel, which of its signatures, that, on threads


def main() -> None:
    """Build what the command line names."""
    wanted: dict[Path, list[Target]] = {}
    for argument in sys.argv[1:]:
        folder, _, names = argument.partition("=")
        wanted[Path(folder).resolve()] = [TARGETS[name] for name in names.split(",")]
    targets = list(dict.fromkeys(target for some in wanted.values() for target in some))
    kept = source_folders.cache_base() / "objects"
    kept.mkdir(parents=True, exist_ok=True)
    _drop_old(kept)
    found = _kept_signatures(kept)
    tasks: list[Task] = [
        (k, number, signature, parallel)
        for k, all_of_it in found.items()
        for number, signature in enumerate(all_of_it)
        for parallel in (False, True)
        if jit._kernels[k].can_be_parallel or not parallel
    ]
    processes = int(os.environ.get("VERLET_BUILD_PROCESSES", os.cpu_count() or 1))
    tasks.sort(key=lambda task: -_length(task[0]))  # the longest first
    with ProcessPoolExecutor(processes, initializer=modules.stop_before_machine_code) as pool:
        made = list(pool.map(_make, tasks, [targets] * len(tasks), [kept] * len(tasks)))
    order = sorted(range(len(tasks)), key=lambda k: tasks[k][0])
    entries = [made[k] for k in order]
    for folder, some in wanted.items():
        _write_package(folder, entries, some)


def _write_package(folder: Path, entries: list[dict[str, Any]], targets: list[Target]) -> None:
    """Link the libraries of one package, and write what lies beside them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    libraries = {}
    for target in targets:
        objects = [Path(entry["objects"][target.name]) for entry in entries]
        symbols = [entry["symbol"] for entry in entries]
        built = link.link(objects, symbols, target, folder.parent / target.name)
        shutil.copy2(built, folder / target.file)
        libraries[target.name] = target.file
    _write_table(folder, entries, libraries)
    for name, text in _licences(targets).items():
        (folder / f"LICENSE-{name}.txt").write_text(text, "utf-8")
    (folder / "__init__.py").write_text('"""Compiled kernels of Verlet Physics."""\n', "utf-8")
    sums = [library.checksum(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]
    (folder / library.SUMS).write_text("".join(sums), "utf-8", newline="\n")
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")


def _write_table(folder: Path, entries: list[dict[str, Any]], libraries: dict[str, Any]) -> None:
    kernels: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        about = {name: entry[name] for name in ("symbol", "parallel", "arguments", "result")}
        kernels.setdefault(entry["kernel"], []).append(about)
    names = {module.partition(".")[2] for module in {k.function.__module__ for k in jit._kernels}}
    used = sorted(
        {other for name in names for other in source_folders.imported_by(name)}
        - set(source_folders.FOR_BUILDING)
    )
    table = {
        "sources": library.hash_of_sources(used),
        "modules": used,
        "libraries": libraries,
        "kernels": kernels,
    }
    text = json.dumps(table, separators=(",", ":"))
    (folder / "kernels.json").write_text(text, "utf-8")


def _licences(targets: list[Target]) -> dict[str, str]:
    """Licence texts of what is in the libraries besides the kernels themselves."""
    texts = {
        "numba": str(distribution("numba").read_text("licenses/LICENSE")),  # what kernels call
        "msun": str(elementary.__doc__),  # what sines and powers are made after, with its notice
        "zig": (link.ZIG / "LICENSE").read_text("utf-8"),  # what compiled C calls
    }
    if any(target.system == "windows" for target in targets):  # how a DLL begins
        texts["mingw-w64"] = (link.ZIG / "lib/libc/mingw/COPYING").read_text("utf-8")
    return texts


def _kept_signatures(kept: Path) -> dict[int, list[Signature]]:
    """Signatures of all kernels, found anew when any source of the engine has changed."""
    signature_text = Path(__file__).with_name("signatures.py").read_text("utf-8")
    key = _digest(source_folders.cache_folder().name, signature_text, numba.__version__)
    path = kept / f"signatures-{key}.pickle"
    if not path.exists():
        found = {name_of(jit._kernels[k]): all_of_it for k, all_of_it in signatures().items()}
        path.write_bytes(pickle.dumps(found))
    named: dict[str, list[Signature]] = pickle.loads(path.read_bytes())
    return {k: named[name_of(kernel)] for k, kernel in enumerate(jit._kernels)}


def _make(task: Task, targets: list[Target], kept: Path) -> dict[str, Any]:
    """Object files of one kernel for all targets, from those that are kept where they fit."""
    k, number, signature, parallel = task
    kernel = jit._kernels[k]
    module = kernel.function.__module__
    sources = set(source_folders.imported_by(module.partition(".")[2])) - DISPATCH
    key = _digest(
        name_of(kernel),
        str(signature),
        library.hash_of_sources(sorted(sources)),
        source_folders.records(),
        _own_text(),
    )
    symbol = "verlet_" + name_of(kernel).replace(".", "_") + f"_{number}" + "_threads" * parallel
    stem = kept / f"{symbol[7:]}-{key}"
    about = stem.with_suffix(".json")
    objects = {target.name: stem.with_suffix(f".{target.name}.o") for target in targets}
    for path in (*objects.values(), about):
        if path.exists():
            path.touch()
    missing = [target for target in targets if not objects[target.name].exists()]
    if missing or not about.exists():
        entry = modules.compile_kernel(kernel, signature, parallel, symbol)
        optimised: dict[Processor, bytes] = {}
        for target in missing:
            if target.processor not in optimised:
                optimised[target.processor] = optimise(entry.module, target.processor)
            _write(objects[target.name], emit(optimised[target.processor], target))
        told = {"arguments": entry.arguments, "result": entry.result}
        _write(about, json.dumps(told).encode())
    return {
        **json.loads(about.read_text("utf-8")),
        "kernel": name_of(kernel),
        "symbol": symbol,
        "parallel": parallel,
        "objects": {name: str(path) for name, path in objects.items()},
    }


def _drop_old(kept: Path) -> None:
    """Delete what no build has used for a month."""
    for path in kept.iterdir():
        if time.time() - path.stat().st_mtime > MONTH:
            path.unlink()


def _write(path: Path, data: bytes) -> None:
    """Whole, or not at all: a build may be stopped."""
    aside = path.with_suffix(".part")
    aside.write_bytes(data)
    aside.replace(path)


def _length(k: int) -> int:
    """How long a kernel takes to compile, roughly: the sources that it imports."""
    module = jit._kernels[k].function.__module__.partition(".")[2]
    heavy = {"rigid.step": 10**6, "rigid.contacts.contact_rows": 10**5}
    return heavy.get(module, 0) + len(source_folders.imported_by(module))


def _own_text() -> str:
    """What becomes of a kernel hangs on these too."""
    files = [Path(__file__).parent / name for name in ("modules.py", "targets.py")]
    texts = [path.read_text("utf-8") for path in files]
    texts += [inspect.getsource(part) for part in (jit.Part, jit.inline, jit._lean)]
    return "".join([*texts, str(sorted(jit._OPTIONS.items(), key=str)), numba.__version__])


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
