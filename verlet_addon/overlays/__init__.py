"""What the 3D view shows over the scene: joints with their limits, and collision shapes.

The lines are computed when something was changed or the frame is another one, and drawn as often as
the view is. Without a window there is nothing to draw on, and nothing is registered.
"""

from __future__ import annotations

import traceback
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...core.errors import VerletError
from .. import preferences
from ..blender import redraw
from . import collect

LINE_WIDTH = 1.5  # px of a line, where there are no preferences

_handle: Any = None
_failed = False
_batches: dict[int, Any] = {}  # by session id of the scene: what to draw, None for nothing


def draw() -> None:
    """Draw over one 3D view. What goes wrong is printed once, and then no more is drawn."""
    global _failed
    if _failed:
        return
    try:
        _draw(bpy.context)
    except Exception:
        _failed = True
        traceback.print_exc()


def _draw(context: bpy.types.Context) -> None:
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
        return
    import gpu

    uid = context.scene.session_uid
    if uid not in _batches:
        _batches[uid] = _batch_of(context)
    batch = _batches[uid]
    if batch is None:
        return
    shader = gpu.shader.from_builtin("POLYLINE_FLAT_COLOR")
    region = context.region
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    try:
        shader.bind()
        shader.uniform_float("viewportSize", (region.width, region.height))
        chosen = preferences.get()
        width = LINE_WIDTH if chosen is None else chosen.line_width
        shader.uniform_float("lineWidth", width * context.preferences.system.ui_scale)
        batch.draw(shader)
    finally:
        gpu.state.blend_set("NONE")


def _batch_of(context: bpy.types.Context) -> Any:
    """The lines of a scene on the graphics card; None when there are none."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    try:
        points, colours = collect.lines_of(context)
    except VerletError:  # the disk has lost the frame, which the panel says
        return None
    if not len(points):
        return None
    shader = gpu.shader.from_builtin("POLYLINE_FLAT_COLOR")
    content: dict[str, Any] = {"pos": points, "color": colours}
    return batch_for_shader(shader, "LINES", content)


@persistent
def forget(*_: Any) -> None:
    """Something was changed: compute the lines anew when they are drawn next."""
    _batches.clear()


_REDRAWING = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_post")


def register() -> None:
    """Draw over every 3D view from now on."""
    global _handle, _failed
    _failed = False
    if bpy.app.background:
        return
    _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")
    for event in _REDRAWING:
        getattr(bpy.app.handlers, event).append(forget)
    redraw.forgetting.append(forget)


def unregister() -> None:
    """Draw no more."""
    global _handle
    _batches.clear()
    if _handle is None:
        return
    bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = None
    for event in _REDRAWING:
        functions = getattr(bpy.app.handlers, event)
        if forget in functions:
            functions.remove(forget)
    redraw.forgetting.remove(forget)
