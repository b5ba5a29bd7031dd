"""Draws the parameters of a settings dataclass: nothing about them stands here."""

import bpy

from ...core.settings import BodySettings, ClothSettings, ColliderSettings
from ..properties import panel_fields

SETTINGS_OF_KIND = {"CLOTH": ClothSettings, "BODY": BodySettings, "COLLIDER": ColliderSettings}


def draw_settings(
    layout: bpy.types.UILayout,
    group: bpy.types.PropertyGroup,
    settings: type,
    *,
    advanced: bool = False,
) -> None:
    """One row for each parameter, label on the left."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    column = layout.column()
    for name in panel_fields(settings, advanced=advanced):
        column.prop(group, name)


def draw_text(layout: bpy.types.UILayout, text: str, width: int, icon: str = "NONE") -> None:
    """A text in as many lines as it needs; ``width`` of the region in pixels."""
    scale = bpy.context.preferences.system.ui_scale
    room = max(20, int((width / scale - 60) / 6.2))  # characters of about 6.2 px
    column = layout.column(align=True)
    column.scale_y = 0.8
    line = ""
    lines = []
    for word in text.split():
        if line and len(line) + 1 + len(word) > room:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    for number, text_line in enumerate([*lines, line]):
        column.label(text=text_line, icon=icon if number == 0 else "BLANK1")
