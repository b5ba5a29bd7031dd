"""Lets the panels show a state that changed without an edit by the user."""

import bpy


def panels() -> None:
    """Redraw every sidebar and properties editor."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "PROPERTIES"}:
                area.tag_redraw()
