"""Marks what the doctor has found at the objects themselves, in the 3D view."""

from __future__ import annotations

import traceback
from collections import Counter
from typing import Any

import blf
import bpy
from bpy.app.handlers import persistent
from bpy_extras.view3d_utils import location_3d_to_region_2d

from .. import doctor
from ..properties import participants
from .text_box import draw_box

MARK_TEXT = (1.0, 1.0, 1.0, 1.0)
MARK_WARNING, MARK_ERROR = (0.62, 0.36, 0.05, 0.85), (0.62, 0.1, 0.08, 0.85)
MARK_PADDING, RAISED = 5, 10  # px, times Blender's scale of the interface
MOST_MARKS = 200  # marks

_handle: Any = None
_failed = False


def marks_of(scene: bpy.types.Scene) -> list[tuple[bpy.types.Object, str, bool]]:
    """Each object with findings, what stands at it, and whether one of them is an error."""
    examination = doctor.of(scene)
    if examination is None:
        return []
    count = Counter(p.object_uid for p in examination.findings if p.object_uid)
    wrong = {p.object_uid for p in examination.findings if p.is_error}
    found = []
    for uid, number in list(count.items())[:MOST_MARKS]:
        ob = participants.find_object(uid)
        if ob is not None and ob.name in scene.objects:
            what = "finding" if number == 1 else "findings"
            found.append((ob, f"{ob.name}: {number} {what}", uid in wrong))
    return found


def _draw() -> None:
    """Draw over one 3D view. What goes wrong is printed once, and no more is drawn."""
    global _failed
    if _failed:
        return
    try:
        context = bpy.context
        space = context.space_data
        if isinstance(space, bpy.types.SpaceView3D) and space.overlay.show_overlays:
            for ob, text, is_error in marks_of(context.scene):
                if ob.visible_get():
                    _draw_mark(context, ob, text, MARK_ERROR if is_error else MARK_WARNING)
    except Exception:
        _failed = True
        traceback.print_exc()


def _draw_mark(
    context: bpy.types.Context,
    ob: bpy.types.Object,
    text: str,
    colour: tuple[float, float, float, float],
) -> None:
    place = location_3d_to_region_2d(
        context.region, context.region_data, ob.matrix_world.to_translation()
    )
    if place is None:
        return
    preferences = context.preferences
    scale = preferences.system.ui_scale
    blf.size(0, preferences.ui_styles[0].widget.points * scale)
    width, height = blf.dimensions(0, text)
    pad = MARK_PADDING * scale
    left, bottom = place.x - 0.5 * width, place.y + RAISED * scale
    draw_box((left - pad, bottom - pad), (left + width + pad, bottom + height + pad), colour)
    blf.color(0, *MARK_TEXT)
    blf.position(0, round(left), round(bottom), 0)
    blf.draw(0, text)


@persistent
def _loaded(*_: Any) -> None:
    doctor.forget()


@persistent
def _undone(*_: Any) -> None:
    doctor.make_stale()


_FORGETTING = (("load_post", _loaded), ("undo_post", _undone), ("redo_post", _undone))


def register() -> None:
    """Draw over every 3D view from now on, and forget findings with the file."""
    global _handle, _failed
    _failed = False
    for event, function in _FORGETTING:
        getattr(bpy.app.handlers, event).append(function)
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL")


def unregister() -> None:
    """Draw no more."""
    global _handle
    doctor.forget()
    for event, function in _FORGETTING:
        functions = getattr(bpy.app.handlers, event)
        if function in functions:
            functions.remove(function)
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
