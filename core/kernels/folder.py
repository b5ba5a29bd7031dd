"""Where compiled kernels are kept, named after a hash of the sources that they came from.

Numba by itself does not notice an edit in an imported file.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from pathlib import Path

_COMPILER = {"kernels.jit", "kernels.kernel_files", "kernels.compiling", "kernels.linking"}
"""Modules that decide what becomes of a kernel and its file, whatever it imports."""
_NEVER_WITH_NUMBA = {"kernels.library"}
"""Modules that decide nothing where Numba compiles: an edit there compiles nothing anew."""
FOR_BUILDING = (
    *("kernels.folder", "kernels.kernel_files", "kernels.compiling", "kernels.linking"),
    *("warm_up", "compile_together"),
)
"""Modules that an installed extension lacks: those that compile."""


def cache_folder() -> Path:
    """Where it is noted that all kernels of exactly these sources are compiled."""
    return _folder(_source_hash(tuple(sorted(_sources()))))


def kernel_folder(module: str) -> Path:
    """Where compiled kernels of a module are kept: named after it and all that it imports."""
    root = __name__.rsplit(".", 2)[0]
    return _folder(_source_hash(imported_by(module.removeprefix(root).lstrip("."))))


def _folder(key: str) -> Path:
    return cache_base() / f"py{sys.version_info.major}{sys.version_info.minor}-{key}"


def cache_base() -> Path:
    """The folder below which all that is compiled is kept."""
    if chosen := os.environ.get("VERLET_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return home / "verlet_physics"


# Imports at the left margin, those of type checkers left out, and records that kernels take: their
# fields are part of every kernel that gets one, whether it imports them or not.
_IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_RECORD = re.compile(r"^\w+ = namedtuple\((?:[^\n]*\)|.*?^\))$", re.MULTILINE | re.DOTALL)


@functools.cache
def _sources() -> dict[str, str]:
    """Text of all modules of this package by dotted name ("" is the package itself)."""
    root = Path(__file__).parent.parent
    texts = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        texts[name] = path.read_text(encoding="utf-8")
    return texts


@functools.cache
def imported_by(module: str) -> tuple[str, ...]:
    """The module and all modules of this package that it imports, directly or not."""
    texts, root = _sources(), Path(__file__).parent.parent
    if module not in texts:  # a kernel of somebody else's, who may import anything
        return tuple(sorted(texts))
    found, ahead = {module} | _COMPILER, [module, *_COMPILER]
    while ahead:
        name = ahead.pop()
        parts = name.split(".") if name else []
        is_package = (root.joinpath(*parts)).is_dir()
        for dots, target, names in _IMPORT.findall(texts[name]):
            up = len(dots) - 1 if is_package else len(dots)
            base = [*parts[: len(parts) - up], *filter(None, target.split("."))]
            ends = [[], *([word] for word in re.findall(r"\w+", names))]
            for other in (".".join(base + end) for end in ends):
                if other and other in texts and other not in found:
                    found.add(other)
                    ahead.append(other)
    return tuple(sorted(found))


@functools.cache
def records() -> str:
    """How all records of this package are defined."""
    return "".join(
        record for _, text in sorted(_sources().items()) for record in _RECORD.findall(text)
    )


@functools.cache
def _source_hash(modules: tuple[str, ...]) -> str:
    numba = sys.modules.get("numba")  # not imported here: kernels may be wanted as plain Python
    digest = hashlib.sha256(getattr(numba, "__version__", "plain").encode())
    digest.update(records().encode())
    for name in modules:
        if name not in _NEVER_WITH_NUMBA:
            digest.update(f"{name}\n{_sources()[name]}".encode())
    return digest.hexdigest()[:16]
