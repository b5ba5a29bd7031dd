"""Looks at a scene in its start frame a moment after each change, before anybody presses Play.

So problems, what was chosen for each bone, joints and collision shapes are there from the start.
It waits until nothing is dragged, played or rendered, and leaves scenes alone in which a look takes
long: these are looked at when they play.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import handlers, overlays, preferences, session
from .blender import redraw
from .live import rendering, solver
from .properties import participants
from .properties.scenes import start_frame

LOOK_DELAY = 0.4  # s after the last change
LONGEST_LOOK = 0.2  # s: where a look takes longer, no further one is taken
LOAD_DELAY = 0.1  # s until it is asked again whether the solver is loaded

_due = 0.0  # perf_counter when to look
_seconds: dict[int, float] = {}  # that the quickest look took, by session id of the scene
_looks: dict[int, int] = {}  # how many there were: the first one also finds kernels


@persistent
def look_soon(*_: Any) -> None:
    """Something was changed."""
    global _due
    _due = perf_counter() + LOOK_DELAY
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=LOOK_DELAY)


def _look() -> float | None:
    """Timer: look now, or say in how many seconds to come again."""
    wait = _due - perf_counter()
    if wait > 0.0:
        return wait
    wished = preferences.get()
    scene = bpy.context.scene
    if scene is None or not participants.has_any(scene):
        return None
    solver.load()  # for whoever presses Play next
    if wished is None or not wished.look_ahead:
        return None
    if not solver.is_loaded():
        return LOAD_DELAY
    window_manager = bpy.context.window_manager
    is_dragging = any(len(window.modal_operators) for window in window_manager.windows)
    if is_dragging:
        return LOOK_DELAY
    if handlers.is_playing() or rendering.is_rendering() or _takes_long(scene):
        return None
    began = perf_counter()
    if look(scene):
        uid, took = scene.session_uid, perf_counter() - began
        _seconds[uid] = min(took, _seconds.get(uid, took))
        _looks[uid] = _looks.get(uid, 0) + 1
    return None


def _takes_long(scene: bpy.types.Scene) -> bool:
    return _looks.get(scene.session_uid, 0) > 1 and _seconds[scene.session_uid] > LONGEST_LOOK


def look(scene: bpy.types.Scene) -> bool:
    """Build the simulation at the start frame where it is not up to date; whether it did."""
    running = session.of(scene)
    is_current = running is not None and not (running.phase.is_suspect or running.is_outdated)
    if not is_current and running is not None and running.is_ready:
        from .live.simulation import settle  # loads the kernels, which are there by now

        settle(scene, running)
        redraw.panels()
    if is_current or scene.frame_current != start_frame(scene):
        return False
    if bpy.context.mode not in {"OBJECT", "POSE"}:
        return False
    handlers.look_at_start(scene, bpy.context.evaluated_depsgraph_get())
    overlays.forget()
    redraw.panels()
    return True


_EVENTS = ("depsgraph_update_post", "undo_post", "redo_post", "load_post")


def register() -> None:
    """Look at changes from now on; without a window nobody waits for what it finds."""
    if bpy.app.background:
        return
    for event in _EVENTS:
        getattr(bpy.app.handlers, event).append(look_soon)


def unregister() -> None:
    """Look no more."""
    _seconds.clear()
    _looks.clear()
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    for event in _EVENTS:
        functions = getattr(bpy.app.handlers, event)
        if look_soon in functions:
            functions.remove(look_soon)
