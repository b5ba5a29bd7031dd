"""Setup: the verbs, on the selected objects."""

import bpy

from .. import kernels
from ..properties.kinds import KINDS
from ..scene import hints
from .places import Sidebar
from .settings import draw_problem, draw_text


def draw_verbs(layout: bpy.types.UILayout) -> None:
    """One button for each verb, two a row; then what adds and takes away."""
    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    grid.scale_y = 1.2
    for kind in KINDS.values():
        grid.operator(f"verlet.{kind.verb}", icon=kind.icon)
    grid.menu("VERLET_MT_add", text="Add", icon="ADD")
    grid.operator("verlet.remove", icon="X")


def draw_joining(layout: bpy.types.UILayout) -> None:
    """The buttons that join things."""
    row = layout.row(align=True)
    row.operator("verlet.join", icon="CONSTRAINT")
    row.operator("verlet.join_neighbours", icon="STICKY_UVS_LOC")


class VERLET_PT_setup(Sidebar, bpy.types.Panel):
    """What the selected objects are"""

    bl_label = "Setup"
    bl_idname = "VERLET_PT_setup"
    bl_order = 0
    page = "index.html"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        draw_verbs(layout)
        draw_joining(layout)
        for problem in hints.of_object(context.object, context.scene):
            draw_problem(layout, problem, context.region.width)
        message = kernels.message()
        if message:
            draw_text(layout.box(), message, context.region.width, "INFO")


CLASSES = (VERLET_PT_setup,)
