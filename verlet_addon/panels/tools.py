"""What is needed now and then: what the 3D view shows, and Blender's own rigid bodies."""

import bpy

from ..blender.types import Icon
from .places import Sidebar


class VERLET_PT_overlay(Sidebar, bpy.types.Panel):
    """What the 3D view shows of joints and collision shapes"""

    bl_idname = "VERLET_PT_overlay"
    bl_label = "Overlay"
    bl_order = 6
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        row = self.layout.row(align=True)
        row.prop(context.scene.verlet, "show_joints", text="Joints", toggle=True)
        row.prop(context.scene.verlet, "show_shapes", text="Shapes", toggle=True)


class VERLET_PT_convert(Sidebar, bpy.types.Panel):
    """Take over Blender's own physics, the whole scene, and give it back"""

    bl_idname = "VERLET_PT_convert"
    bl_label = "Blender's Physics"
    bl_order = 7
    page = "manual/convert.html"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        sorts: tuple[tuple[str, Icon, str], ...] = (
            ("Rigid Bodies and Constraints", "RIGID_BODY", "rigid_body_world"),
            ("Cloth, Soft Body, Collision", "MOD_CLOTH", "soft_physics"),
        )
        for label, icon, operator in sorts:
            self.layout.label(text=label, icon=icon)
            row = self.layout.row(align=True)
            row.operator(f"verlet.convert_{operator}", text="Convert from It", icon="IMPORT")
            row.operator(f"verlet.convert_to_{operator}", text="Convert to It", icon="EXPORT")


CLASSES = (VERLET_PT_overlay, VERLET_PT_convert)
