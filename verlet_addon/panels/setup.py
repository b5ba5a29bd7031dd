"""Setup: the verbs, on the selected objects."""

import bpy

from .. import kernels
from ..operators.setup import ICONS
from .places import Sidebar
from .settings import draw_text


def draw_verbs(layout: bpy.types.UILayout) -> None:
    """One button for each kind."""
    column = layout.column(align=True)
    column.scale_y = 1.2
    column.operator("verlet.cloth", icon=ICONS["CLOTH"])
    column.operator("verlet.rigid_body", icon=ICONS["BODY"])
    column.operator("verlet.collider", icon=ICONS["COLLIDER"])


class VERLET_PT_setup(Sidebar, bpy.types.Panel):
    """What the selected objects are"""

    bl_label = "Setup"
    bl_idname = "VERLET_PT_setup"
    bl_order = 0

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        draw_verbs(layout)
        layout.operator("verlet.remove", icon="X")
        message = kernels.message()
        if message:
            draw_text(layout.box(), message, context.region.width, "SORTTIME")
        elif kernels.is_plain():
            draw_text(
                layout.box(),
                "Runs uncompiled and slowly. For the fast build, install the extension's zip for "
                "your platform: it brings Numba",
                context.region.width,
                "INFO",
            )


CLASSES = (VERLET_PT_setup,)
