"""Loads the solver beside the window, before anybody presses Play.

Importing the engine and making sure that its library is whole takes a third of a second. A script
that needs it sooner imports it as ever, and waits for what the thread has begun; the window goes on
meanwhile.
"""

import importlib
import sys
import threading
import traceback

from ..jobs import Job

_EXTENSION = __package__.removesuffix("verlet_addon.live")
_ENTRIES = (
    *("core.building.builder", "core.recipes.all", "core.recipes.body", "core.recipes.collider"),
    *("core.step", "core.cache", "verlet_addon.live.simulation"),
)

_thread: threading.Thread | None = None


def load() -> None:
    """Begin to load it, once; Blender's data is not asked for anything."""
    global _thread
    if _thread is None:
        _thread = threading.Thread(target=_import, name="Verlet Physics: load the solver")
        _thread.start()


def is_loaded() -> bool:
    """Whether that is over, or somebody else has imported it."""
    if _thread is not None:
        return not _thread.is_alive()
    return all(f"{_EXTENSION}{entry}" in sys.modules for entry in _ENTRIES)


def wait() -> None:
    """Until it is loaded."""
    load()
    assert _thread is not None
    _thread.join()


class LoadJob(Job[None]):
    """Waits for the solver in the place of a model, which is built next."""

    what = "Loading the solver"

    def work(self) -> None:
        """Wait for it."""
        wait()


def _import() -> None:
    try:
        for entry in _ENTRIES:
            importlib.import_module(f"{_EXTENSION}{entry}")
    except ImportError:  # who imports it next gets the same error, and shows it
        traceback.print_exc()
