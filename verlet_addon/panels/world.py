"""World: gravity, wind, and how finely time is cut."""

import bpy

from ...core.settings import SolverSettings, WindSettings, tunables
from .. import preferences
from .places import Sidebar
from .settings import draw_settings

PRECISION = ("substep_rate", "iterations", "body_iterations", "time_budget", "threads")
"""Parameters of the solver that trade time for exactness; all others are its method."""

METHOD = sorted(
    (name for name in tunables(SolverSettings) if name not in PRECISION),
    key=lambda name: name != "integrator",
)
"""Which formulas step and relax the scene, the integrator first."""


class VERLET_PT_world(Sidebar, bpy.types.Panel):
    """What acts on everything in the scene, and from which frame on"""

    bl_label = "World"
    bl_idname = "VERLET_PT_world"
    bl_order = 5
    page = "manual/world.html"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        row = layout.row(heading="Gravity")
        row.prop(context.scene, "use_gravity", text="")
        field = row.row()
        field.active = context.scene.use_gravity
        field.prop(context.scene, "gravity", index=2, text="")
        _draw_start(layout, context.scene)


def _draw_start(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """The frame in which everything stands at its own place: the scene's first one, or another."""
    row = layout.row(heading="Start Frame")
    row.prop(scene.verlet, "use_own_start", text="")
    field = row.row()
    field.active = scene.verlet.use_own_start
    if scene.verlet.use_own_start:
        field.prop(scene.verlet, "own_start", text="")
    else:
        field.prop(scene, "frame_start", text="")


class VERLET_PT_wind(Sidebar, bpy.types.Panel):
    """The air that blows on cloth; its velocity can be keyed"""

    bl_label = "Wind"
    bl_idname = "VERLET_PT_wind"
    bl_parent_id = "VERLET_PT_world"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        wind = context.scene.verlet.wind
        draw_settings(self.layout, wind, WindSettings)
        draw_settings(self.layout, wind, WindSettings, advanced=True)


class VERLET_PT_fields(Sidebar, bpy.types.Panel):
    """Blender's force fields act on everything here; explosions and hits push once"""

    bl_label = "Force Fields"
    bl_idname = "VERLET_PT_fields"
    bl_parent_id = "VERLET_PT_world"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        row = layout.row(align=True)
        row.operator("verlet.add_explosion", icon="LIGHT_POINT")
        row.operator("verlet.add_hit", icon="EMPTY_SINGLE_ARROW")
        layout.operator_menu_enum(
            "object.effector_add", "type", text="Add Force Field", icon="FORCE_FORCE"
        )


class VERLET_PT_solver(Sidebar, bpy.types.Panel):
    """How exactly the scene is simulated, and how long that may take"""

    bl_label = "Solver"
    bl_idname = "VERLET_PT_solver"
    bl_parent_id = "VERLET_PT_world"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        draw_settings(self.layout, context.scene.verlet.solver, SolverSettings, names=PRECISION)


class VERLET_PT_solver_method(Sidebar, bpy.types.Panel):
    """By which formulas the scene is stepped and relaxed; hidden unless the add-on's preferences
    show it or the scene uses another one than the default
    """

    bl_label = "Method"
    bl_idname = "VERLET_PT_solver_method"
    bl_parent_id = "VERLET_PT_solver"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        chosen = preferences.get()
        solver = context.scene.verlet.solver
        is_used = any(solver.is_property_set(name) for name in METHOD)
        return is_used or chosen is None or chosen.show_method

    def draw(self, context: bpy.types.Context) -> None:
        draw_settings(self.layout, context.scene.verlet.solver, SolverSettings, names=METHOD)


CLASSES = (
    VERLET_PT_world,
    VERLET_PT_wind,
    VERLET_PT_fields,
    VERLET_PT_solver,
    VERLET_PT_solver_method,
)
