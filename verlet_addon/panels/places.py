"""Where the panels live."""


class Sidebar:
    """The tab "Verlet" of the 3D view's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Verlet"


class PhysicsTab:
    """Properties › Physics."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
