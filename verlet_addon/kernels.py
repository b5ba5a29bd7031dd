"""Compiles the solver in the background, so that the first start does not freeze Blender.

A child process with the same Python compiles every kernel into the cache folder; playing waits
until it is there. Without a window there is nobody to freeze, and the first frame compiles.
"""

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import bpy

from .blender import redraw

POLL_SECONDS = 1.0

# The child imports the core under the very name that it has in here: Numba's files hold it.
_CHILD = """
import importlib, json, os, sys, types
package, root, cache, paths = json.loads(sys.argv[1])
sys.path += [path for path in paths if path not in sys.path]
parts = package.split(".")
for end in range(1, len(parts) + 1):
    module = types.ModuleType(".".join(parts[:end]))
    module.__path__ = [root] if end == len(parts) else []
    sys.modules[module.__name__] = module
importlib.import_module(package + ".core.kernels.folder").use_cache_folder(cache)
importlib.import_module(package + ".core.compile_together").compile_together()
sys.exit(not importlib.import_module(package + ".core.kernels.jit").is_warm())
"""

_child: subprocess.Popen[bytes] | None = None
_is_prepared = False
_failed = False
_shown_progress = 0.0  # never less than was shown before
_folder: Path | None = None  # where compiled kernels are kept as long as Blender runs
_folder_failure = ""  # why what is compiled does not last
_damaged = 0  # kernels that were not whole when Blender started


def extension_package() -> str:
    """Name of the extension's package, like ``bl_ext.user_default.verlet_physics``."""
    return __package__.rpartition(".")[0]


def cache_folder() -> Path:
    """Where compiled kernels are kept: the extension's own folder in the user's files."""
    try:
        folder = bpy.utils.extension_path_user(extension_package(), path="kernels")
    except ValueError:  # loaded from a checkout, not installed as an extension
        folder = str(Path(bpy.app.tempdir, "verlet_physics", "kernels"))
    return Path(folder)


def _writable(folder: Path) -> Path:
    """The folder, or where it cannot be written to one that lasts as long as Blender runs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        global _folder_failure
        _folder_failure = (
            f"Compiled kernels cannot be kept in {folder}: {error.strerror or error}. "
            "They are compiled anew whenever Blender starts"
        )
        print(f"Verlet Physics: {_folder_failure}")
        return Path(bpy.app.tempdir, "verlet_physics", "kernels")


def is_plain() -> bool:
    """Whether the solver runs as slow plain Python, because Numba is not there."""
    return find_spec("numba") is None


def prepare() -> None:
    """Set the cache folder and begin to compile if nothing is there yet. Cheap the second time."""
    global _is_prepared, _folder, _damaged
    if _is_prepared:
        return
    _is_prepared = True
    from ..core.kernels import jit
    from ..core.kernels.folder import use_cache_folder

    _folder = _writable(cache_folder())
    use_cache_folder(_folder)
    if bpy.app.background:  # each kernel is looked at when it is loaded
        return
    _damaged = jit.drop_damaged()
    if not jit.is_warm():
        _start_child(_folder)


def are_ready() -> bool:
    """Whether frames can be simulated now; False while the child still compiles."""
    prepare()
    return _child is None or _child.poll() is not None


def wait() -> None:
    """Block until the child has finished: for scripts that bake with a window open."""
    prepare()
    if _child is not None:
        _child.wait()


def message() -> str:
    """What the panel says about compiling, "" when all is well."""
    global _shown_progress
    if _child is not None and _child.poll() is None:
        from ..core.compile_together import progress

        _shown_progress = max(_shown_progress, progress())  # its folder goes before the child does
        why = "parts of it were damaged" if _damaged else "on the first start only"
        return f"Compiling the solver, {why}: {_shown_progress:.0%}"
    if _failed:
        return "Compiling in the background failed: the first frame compiles and takes long"
    return _folder_failure


def stop() -> None:
    """End a child that still compiles."""
    global _child, _is_prepared, _failed, _shown_progress, _folder_failure
    if _child is not None and _child.poll() is None:
        _child.terminate()
        _child.wait()
    _child, _is_prepared, _failed, _shown_progress = None, False, False, 0.0
    _folder_failure = ""
    if bpy.app.timers.is_registered(_poll):
        bpy.app.timers.unregister(_poll)


def child_command(cache: Path) -> list[str]:
    """The command line of the process that compiles every kernel into a cache folder."""
    root = str(Path(__file__).resolve().parents[1])
    task = json.dumps([extension_package(), root, str(cache), sys.path])
    return [sys.executable, "-c", _CHILD, task]


def _start_child(folder: Path) -> None:
    global _child, _failed
    no_window = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # exists on Windows only
    try:
        _child = subprocess.Popen(
            child_command(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            creationflags=no_window,
        )
    except OSError as error:
        print(f"Verlet Physics: cannot compile in the background: {error}")
        _failed = True
        return
    bpy.app.timers.register(_poll, first_interval=POLL_SECONDS, persistent=True)


def _poll() -> float | None:
    """Timer: redraw the panels, which tell how far the child is."""
    global _failed
    if _child is not None and _child.poll() is None:
        redraw.panels()
        return POLL_SECONDS
    _failed = _child is not None and _child.returncode != 0
    redraw.panels()
    return None
