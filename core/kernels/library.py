"""Kernels that were compiled ahead: a library beside the engine, and what it is called with.

The package `verlet_physics_kernels` holds a library for each processor, kernels.json, which says
what each kernel takes and gives, and SHA256SUMS. Before any of it is called it is made sure that it
was built from exactly these sources, that it is whole, and that this processor, this Python and its
NumPy fit; else `why_not` says what does not, and kernels run as plain Python.

The library knows nothing of Python: it gets the few functions of the stable interface that it needs
from here, and reads arrays where NumPy keeps them.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import json
import os
import platform
import sys
import sysconfig
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "verlet_physics_kernels"
SUMS = "SHA256SUMS"
_FASTCALL = 0x80
_SOURCES = Path(__file__).parent.parent

_FUNCTIONS = (
    *("PyBytes_AsString", "PyType_GetFlags", "PyTuple_Size", "PyTuple_GetItem", "PyTuple_New"),
    *("PyTuple_SetItem", "PyLong_AsLongLong", "PyFloat_AsDouble", "PyObject_IsTrue"),
    *("PyLong_FromLongLong", "PyFloat_FromDouble", "PyBool_FromLong", "PyObject_RichCompareBool"),
    *("PyErr_Occurred", "PyErr_Clear", "PyErr_NoMemory", "PyEval_SaveThread"),
    *("PyEval_RestoreThread", "Py_IncRef", "Py_DecRef"),
)
"""What the library needs of Python, in the order in which it wants it."""
_SCALAR_WORDS = {"integer": 1, "number": 2, "truth": 3, "none": 7}
_ROW_ARRAY_WORD, _ANY_ARRAY_WORD, _TUPLE_WORD = 4, 5, 6


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    ]


class _Array(ctypes.Structure):
    """PyArrayObject, as the library reads it."""

    _fields_ = [
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("dimensions", ctypes.c_int),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("base", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    ]


class Misfit(Exception):
    """Why a library cannot be used."""


@dataclass
class Library:
    """A library that fits, loaded."""

    name: str
    code: ctypes.CDLL
    kernels: dict[str, list[dict[str, Any]]]

    def callables(self, kernel: str, parallel: bool) -> list[Callable[..., Any]]:
        """A callable for each signature of a kernel, NotImplemented where arguments do not fit."""
        return [
            self._callable(kernel, about)
            for about in self.kernels.get(kernel, ())
            if about["parallel"] == parallel
        ]

    def set_thread_count(self, threads: int) -> None:
        """Threads used by the parallel calls that follow."""
        self.code.verlet_set_threads(threads)

    def _callable(self, kernel: str, about: dict[str, Any]) -> Callable[..., Any]:
        words: list[int] = []
        places = 1 + sum([self._describe(argument, words) for argument in about["arguments"]])
        result: list[int] = []
        self._describe(about["result"], result)
        address = _address(getattr(self.code, about["symbol"]))
        head = [address, places, len(about["arguments"]), len(words)]
        plan = array("q", [*head, *words, *result]).tobytes()
        method = _Method(
            kernel.encode(),
            _address(self.code.verlet_call),
            _FASTCALL,
            None,
        )
        # Python looks at it when the callable goes, which may be after all else has gone.
        _keep(method)
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] + [ctypes.py_object] * 2
        made: Callable[..., Any] = make(ctypes.addressof(method), plan, kernel)
        return made

    def _describe(self, kind: Any, words: list[int]) -> int:
        """Add a type to a plan; how many places its numbers take."""
        import numpy as np

        if isinstance(kind, str):
            words.append(_SCALAR_WORDS[kind])
            return int(kind != "none")
        if "tuple" in kind:
            words += [_TUPLE_WORD, len(kind["tuple"])]
            return sum([self._describe(item, words) for item in kind["tuple"]])
        dtype = np.dtype(_dtype(kind["array"]))
        _keep(dtype)  # the plan does, until it meets another object that says the same
        words += [
            _ROW_ARRAY_WORD if kind["rows"] else _ANY_ARRAY_WORD,
            id(dtype),
            kind["dimensions"],
        ]
        return 1 + int(kind["dimensions"]) * (1 if kind["rows"] else 2)


def _keep(thing: Any) -> None:
    """Have it stay for as long as Python runs: the library has its address."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _dtype(described: Any) -> Any:
    if isinstance(described, str):
        return described
    if "base" in described:
        return _dtype(described["base"]), tuple(described["shape"])
    return {**described, "formats": [_dtype(one) for one in described["formats"]]}


@functools.cache
def fitting() -> Library | None:
    """The library that fits, loaded; None where there is none."""
    try:
        return _load()
    except Misfit:
        return None


@functools.cache
def why_not() -> str:
    """What keeps a library that is there, or should be, from being used; empty if one is in use."""
    try:
        _load()
    except Misfit as misfit:
        return str(misfit)
    return ""


@functools.cache
def _load() -> Library:
    folder, names = _place()
    if folder is None:
        raise Misfit("there are no compiled kernels beside it")
    table = json.loads(_whole(folder / "kernels.json"))
    try:
        is_of_these = hash_of_sources(table["modules"]) == table["sources"]
    except (OSError, KeyError):
        is_of_these = False
    if not is_of_these:
        raise Misfit("the compiled kernels were built from other sources than these")
    _check_python()
    _check_numpy()
    for name in names:
        if name in table["libraries"]:
            code = _open(folder / table["libraries"][name])
            if code.verlet_fits():
                _bind(code)
                return Library(name, code, table["kernels"])
    raise Misfit(f"there are no compiled kernels for this processor ({names[-1]})")


def _open(path: Path) -> ctypes.CDLL:
    """A library, if it is whole: nothing in it runs yet."""
    _whole(path)
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        why = str(error).removeprefix(f"{path}: ")
        raise Misfit(f"{path} cannot be loaded: {why}") from None


def _whole(path: Path) -> bytes:
    """What is in a file of the package, if that is what was written."""
    try:
        data = path.read_bytes()
        sums = path.with_name(SUMS).read_bytes()
    except OSError as error:
        why = error.strerror or error
        raise Misfit(f"{error.filename} cannot be read ({why}): install it again") from None
    if checksum(path.name, data).encode() not in sums:
        raise Misfit(f"{path} is damaged: install it again")
    return data


def checksum(name: str, data: bytes) -> str:
    """A file's line in SHA256SUMS, as `sha256sum --check` wants it."""
    return f"{hashlib.sha256(data).hexdigest()}  {name}\n"


def _place() -> tuple[Path | None, list[str]]:
    """Where the package lies, found without importing it, for it holds no Python; what to try.

    VERLET_LIBRARY names it, or one of its libraries, which then is the only one that is tried.
    """
    if chosen := os.environ.get("VERLET_LIBRARY"):
        path = Path(chosen).resolve()
        return (path.parent, [path.stem]) if path.is_file() else (path, _names())
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None, []
    if spec is None or not spec.submodule_search_locations:
        return None, []
    return Path(next(iter(spec.submodule_search_locations))), _names()


def hash_of_sources(modules: Iterable[str]) -> str:
    """A hash of modules of this package, named as in "rigid.step"; "" is the package itself.

    Raises OSError if one is missing.
    """
    digest = hashlib.sha256()
    for name in modules:
        path = _SOURCES.joinpath(*name.split(".")) if name else _SOURCES
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        digest.update(f"{name}\n{path.read_text('utf-8')}".encode())
    return digest.hexdigest()


def _check_python() -> None:
    """Raise unless objects lie in memory as the library expects them."""
    if sys.implementation.name != "cpython" or sys.maxsize != 2**63 - 1:
        raise Misfit("compiled kernels need CPython with 64 bits")
    if sysconfig.get_config_var("Py_GIL_DISABLED") or hasattr(sys, "getobjects"):
        raise Misfit("compiled kernels need an ordinary build of Python")
    if sys.byteorder != "little":
        raise Misfit("compiled kernels need a processor that is little-endian")


def _check_numpy() -> None:
    """Raise unless this NumPy keeps what it knows of an array where the library looks for it."""
    import numpy as np

    array = np.zeros((4, 5), np.float32)[::2, 1:4]
    seen = _Array.from_address(id(array))
    told = (id(np.ndarray), array.ctypes.data, 2, id(array.base), id(array.dtype))
    read = (seen.type, seen.data, seen.dimensions, seen.base, seen.dtype)
    fits = read == told and seen.flags & 0x101 == 0x100  # aligned, rows apart
    fits = fits and (seen.shape[:2], seen.strides[:2]) == ([2, 3], [40, 4])
    if not fits:
        raise Misfit(f"compiled kernels do not know how NumPy {np.__version__} keeps its arrays")


def _names() -> list[str]:
    """Libraries for this machine, the best first."""
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    if machine != "x64":
        return [f"{system}-{machine}"]
    return [f"{system}-x64-v3", f"{system}-x64-v2"]


def _bind(code: ctypes.CDLL) -> None:
    import numpy as np

    functions = [_address(getattr(ctypes.pythonapi, name)) for name in _FUNCTIONS]
    objects = [id(np.ndarray), id(None), id(NotImplemented)]
    code.verlet_bind((ctypes.c_void_p * (len(functions) + 3))(*functions, *objects))
