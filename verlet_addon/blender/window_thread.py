"""Tasks that other threads leave to the one in which the window lives.

A render in a window runs in a thread of its own and calls handlers there. Data that they write
while the window draws it crashes Blender. So they leave it to a timer in the window's thread, and
wait.
"""

import threading
import traceback
from collections import deque
from collections.abc import Callable

import bpy

WINDOW_PATIENCE = 10.0
"""s for which a task is waited for: the window may itself be waiting for the render to end."""

_IDLE_WAIT, _BUSY_WAIT = 0.1, 0.001  # s between two looks at what is to be done


class _Errand:
    """A task that is done once, or given up."""

    def __init__(self, task: Callable[[], None]) -> None:
        self._task = task
        self._right = threading.Lock()  # whoever takes it decides
        self.is_done = threading.Event()

    def claim(self) -> bool:
        """Take the right to decide whether it is done; only the first one gets it."""
        return self._right.acquire(blocking=False)

    def run(self) -> None:
        """Do it, unless it was given up."""
        if not self.claim():
            return
        try:
            self._task()
        except Exception:  # another thread waits, and its render is to go on
            traceback.print_exc()
        finally:
            self.is_done.set()


_errands: deque[_Errand] = deque()
_stands_by = False


def is_here() -> bool:
    """Whether this is the window's thread, in which data may be written."""
    return threading.get_ident() == threading.main_thread().ident


def do(task: Callable[[], None]) -> bool:
    """Do a task in the window's thread and wait for it; False when that had no time for it."""
    if is_here():
        task()
        return True
    if not _stands_by:
        return False
    errand = _Errand(task)
    _errands.append(errand)
    if errand.is_done.wait(WINDOW_PATIENCE):
        return True
    if errand.claim():
        return False
    errand.is_done.wait()
    return True


def leave(task: Callable[[], None]) -> None:
    """Do a task in the window's thread, at once if this is it, without waiting for it."""
    if is_here():
        task()
    else:
        _errands.append(_Errand(task))


def stand_by() -> None:
    """Look for tasks from now on; called in the window's thread, for timers belong to it."""
    global _stands_by
    if not bpy.app.background and not bpy.app.timers.is_registered(_serve):
        bpy.app.timers.register(_serve, persistent=True)
        _stands_by = True


def _serve() -> float:
    """Timer: do all tasks that were left."""
    while _errands:
        _errands.popleft().run()
    return _BUSY_WAIT if bpy.app.is_job_running("RENDER") else _IDLE_WAIT


def unregister() -> None:
    """Look no more."""
    global _stands_by
    _stands_by = False
    if bpy.app.timers.is_registered(_serve):
        bpy.app.timers.unregister(_serve)
