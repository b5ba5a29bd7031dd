"""Lets panels and lines show a state that changed without an edit by the user."""

from collections.abc import Callable

import bpy

forgetting: list[Callable[[], None]] = []
"""What those who keep something drawn do to compute it anew; they enter it when they register."""


def panels() -> None:
    """Redraw every sidebar and properties editor, where there is anybody to see it."""
    if bpy.app.background:
        return
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "PROPERTIES"}:
                area.tag_redraw()


def everything() -> None:
    """Redraw panels and views, and compute anew what lies over these."""
    for forget in forgetting:
        forget()
    panels()
