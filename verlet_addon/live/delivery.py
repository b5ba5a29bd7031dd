"""Brings what a thread has simulated to the window: a timer has Blender stand on the frame again.

There `simulation.visit_frame` takes it, under the very conditions under which it would have been
simulated at once. Then playback goes on from where it waited.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .. import session
from ..blender import redraw
from ..session import Session
from . import rendering

QUICK = 0.010
"""s: a frame that takes no longer is simulated at once, else it would come a moment late."""

_LOOK, _LOOK_AGAIN = 0.005, 0.1  # s between two looks; while the user drags something

_is_at_work = False


def takes_long(running: Session) -> bool:
    """Whether a frame takes too long for the window to wait; so may the first one."""
    return running.frame_seconds is None or running.frame_seconds > QUICK


def is_at_work() -> bool:
    """Whether the frame that is visited just now is one of ours."""
    return _is_at_work


def is_playing() -> bool:
    """Whether the timeline plays in some window."""
    return any(window.screen.is_animation_playing for window in _windows())


def is_scrubbing() -> bool:
    """Whether the playhead is dragged in some window."""
    return any(window.screen.is_scrubbing for window in _windows())


def expect() -> None:
    """A job was begun: look for it from now on, until there is none."""
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=_LOOK, persistent=True)


def _look() -> float | None:
    """Timer: deliver what is done."""
    shown = {window.scene for window in _windows()}
    for scene in shown:
        running = session.of(scene)
        if running is None or not _has_news(scene, running):
            continue
        if rendering.is_rendering():
            return _LOOK_AGAIN
        is_dragging = any(len(window.modal_operators) for window in _windows())
        if is_dragging and not is_playing():  # a visit takes back what has no keys yet
            return _LOOK_AGAIN
        with at_work():
            _deliver(scene, running)
    waits = any(_is_awaited(scene) for scene in shown)
    return _LOOK if waits else None


def _has_news(scene: bpy.types.Scene, running: Session) -> bool:
    """Whether a frame is simulated, or the model is built and Blender stands where it begins."""
    if running.building is not None:
        return running.building.is_done and scene.frame_current == running.start
    return running.job is not None and running.job.is_done


def _is_awaited(scene: bpy.types.Scene) -> bool:
    """Whether something is under way; a model that is there waits for a visit of the start."""
    running = session.of(scene)
    if running is None:
        return False
    if running.building is not None:
        return not running.building.is_done or scene.frame_current == running.start
    return running.job is not None


def _deliver(scene: bpy.types.Scene, running: Session) -> None:
    """Visit the frame of a job that is done, and the one that playback waits for."""
    job = running.job
    if job is None:  # the model is built
        scene.frame_set(running.start)
        redraw.panels()
        return
    if scene.frame_current != job.frame:  # no handler was called
        running.drop_job()
        return
    scene.frame_set(job.frame)
    goes_on = job.next_frame is not None and is_playing() and not is_scrubbing()
    if goes_on and session.of(scene) is running and running.last == job.frame:
        scene.frame_set(job.next_frame)
    redraw.panels()


@contextmanager
def at_work() -> Iterator[None]:
    """While inside, nobody waits for the frames that are visited: see `is_at_work`."""
    global _is_at_work
    _is_at_work = True
    try:
        yield
    finally:
        _is_at_work = False


def _windows() -> bpy.types.bpy_prop_collection:
    return bpy.context.window_manager.windows


def unregister() -> None:
    """Look no more."""
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
