"""Where the panels live."""

from ..blender.types import Region, Space


class Sidebar:
    """The tab "Verlet" of the 3D view's sidebar."""

    bl_space_type: Space = "VIEW_3D"
    bl_region_type: Region = "UI"
    bl_category = "Verlet"


class PhysicsTab:
    """Properties › Physics."""

    bl_space_type: Space = "PROPERTIES"
    bl_region_type: Region = "WINDOW"
    bl_context = "physics"
