"""Loads the solver beside the window, before anybody presses Play.

Importing the engine and making sure that its library is whole takes a third of a second. Whoever
needs it sooner imports it as ever, and waits for what the thread has begun.
"""

import importlib
import threading
import traceback

_ENGINE = __package__.removesuffix("verlet_addon.live") + "core"
_ENTRIES = ("building.builder", "recipes.all", "recipes.body", "recipes.collider", "step", "cache")

_thread: threading.Thread | None = None


def load() -> None:
    """Begin to load it, once; nothing of Blender's is imported or asked."""
    global _thread
    if _thread is None:
        _thread = threading.Thread(target=_import, name="Verlet Physics: load the solver")
        _thread.start()


def is_loaded() -> bool:
    """Whether that is over."""
    return _thread is not None and not _thread.is_alive()


def wait() -> None:
    """Until it is loaded."""
    load()
    assert _thread is not None
    _thread.join()


def _import() -> None:
    try:
        for entry in _ENTRIES:
            importlib.import_module(f"{_ENGINE}.{entry}")
    except ImportError:  # who imports it next gets the same error, and shows it
        traceback.print_exc()
