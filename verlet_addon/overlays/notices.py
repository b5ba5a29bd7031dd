"""Says in the 3D view itself why it does not follow, and over a render what that lacks.

A setting that puts frames out of date must not look like a view that has frozen.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import blf
import bpy

from ..blender.text_lines import lines_of
from ..live import rendering
from ..live.status import reason
from .text_box import draw_box

TEXT, ERROR = (1.0, 1.0, 1.0, 1.0), (1.0, 0.62, 0.55, 1.0)
BACKGROUND = (0.0, 0.0, 0.0, 0.6)
WIDEST_LINE = 640  # px of a line, times Blender's scale of the interface
MARGIN, PADDING, LINE = 16, 8, 1.45  # px, px, of the height of the letters

_handles: list[tuple[Any, Any]] = []
_failed = False


def _of_view(context: bpy.types.Context) -> tuple[str, bool]:
    space = context.space_data
    is_shown = isinstance(space, bpy.types.SpaceView3D) and space.overlay.show_overlays
    return reason(context.scene) if is_shown else ("", False)


def _of_render(context: bpy.types.Context) -> tuple[str, bool]:
    space = context.space_data
    image = space.image if isinstance(space, bpy.types.SpaceImageEditor) else None
    is_render = image is not None and image.type == "RENDER_RESULT"
    return (rendering.remark(context.scene) if is_render else ""), True


def _draw(notice: Callable[[bpy.types.Context], tuple[str, bool]]) -> None:
    """Draw a notice over one region. What goes wrong is printed once, and no more is drawn."""
    global _failed
    if _failed:
        return
    try:
        text, is_error = notice(bpy.context)
        if text:
            _draw_text(bpy.context, text, ERROR if is_error else TEXT)
    except Exception:
        _failed = True
        traceback.print_exc()


def _draw_text(
    context: bpy.types.Context, text: str, colour: tuple[float, float, float, float]
) -> None:
    """A text in the middle of the lower edge, clear of what overlaps the region."""
    preferences = context.preferences
    scale = preferences.system.ui_scale
    size = preferences.ui_styles[0].widget.points * scale
    left, right = _free_width(context)
    blf.size(0, size)
    room = min(right - left - 2 * (MARGIN + PADDING) * scale, WIDEST_LINE * scale)
    lines = lines_of(text, lambda part: blf.dimensions(0, part)[0] <= room)
    widths = [blf.dimensions(0, line)[0] for line in lines]
    middle, step = 0.5 * (left + right), size * LINE
    bottom = MARGIN * scale
    half = 0.5 * max(widths) + PADDING * scale
    top = bottom + len(lines) * step + PADDING * scale
    draw_box((middle - half, bottom), (middle + half, top), BACKGROUND)
    blf.color(0, *colour)
    for number, (line, width) in enumerate(zip(lines, widths)):
        height = top - PADDING * scale - (number + 0.8) * step
        blf.position(0, round(middle - 0.5 * width), round(height), 0)
        blf.draw(0, line)


def _free_width(context: bpy.types.Context) -> tuple[float, float]:
    """Left and right end of what the toolbar and the sidebar leave free of the region, in px."""
    left, right = 0.0, float(context.region.width)
    if not context.preferences.system.use_region_overlap:
        return left, right
    for region in context.area.regions:
        if region.type == "TOOLS" and region.alignment == "LEFT":
            left = max(left, float(region.width))
        if region.type == "UI" and region.alignment == "RIGHT" and region.width > 1:
            right = min(right, float(context.region.width - region.width))
    return left, right


def register() -> None:
    """Draw over every 3D view and image from now on; without a window there is none."""
    global _failed
    _failed = False
    if bpy.app.background:
        return
    for space, notice in (
        (bpy.types.SpaceView3D, _of_view),
        (bpy.types.SpaceImageEditor, _of_render),
    ):
        handle = space.draw_handler_add(_draw, (notice,), "WINDOW", "POST_PIXEL")
        _handles.append((space, handle))


def unregister() -> None:
    """Draw no more."""
    for space, handle in _handles:
        space.draw_handler_remove(handle, "WINDOW")
    _handles.clear()
