"""Where the panels live."""

import bpy

from ..blender.types import Region, Space
from ..manual import draw_button


class Sidebar:
    """The tab "Verlet" of the 3D view's sidebar."""

    bl_space_type: Space = "VIEW_3D"
    bl_region_type: Region = "UI"
    bl_category = "Verlet"
    layout: bpy.types.UILayout
    page = ""  # of the manual, which a button in the header opens

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        if self.page:
            draw_button(self.layout, page=self.page)


class PhysicsTab:
    """Properties › Physics."""

    bl_space_type: Space = "PROPERTIES"
    bl_region_type: Region = "WINDOW"
    bl_context = "physics"
