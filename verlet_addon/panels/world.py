"""World: gravity, wind, and how finely time is cut."""

import bpy

from ...core.settings import SolverSettings, WindSettings
from .places import Sidebar
from .settings import draw_settings


class VERLET_PT_world(Sidebar, bpy.types.Panel):
    """What acts on everything in the scene"""

    bl_label = "World"
    bl_idname = "VERLET_PT_world"
    bl_order = 2

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(context.scene, "use_gravity")
        column = layout.column()
        column.active = context.scene.use_gravity
        column.prop(context.scene, "gravity", index=2, text="Gravity Z")
        draw_settings(layout, context.scene.verlet.wind, WindSettings)


class VERLET_PT_solver(Sidebar, bpy.types.Panel):
    """How exactly the scene is simulated"""

    bl_label = "Solver"
    bl_idname = "VERLET_PT_solver"
    bl_parent_id = "VERLET_PT_world"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        draw_settings(self.layout, context.scene.verlet.solver, SolverSettings)


class VERLET_PT_world_advanced(Sidebar, bpy.types.Panel):
    """Settings in physical units"""

    bl_label = "Advanced"
    bl_idname = "VERLET_PT_world_advanced"
    bl_parent_id = "VERLET_PT_world"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        scene = context.scene
        draw_settings(self.layout, scene.verlet.wind, WindSettings, advanced=True)
        self.layout.separator()
        draw_settings(self.layout, scene.verlet.solver, SolverSettings, advanced=True)


CLASSES = (VERLET_PT_world, VERLET_PT_solver, VERLET_PT_world_advanced)
