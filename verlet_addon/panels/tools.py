"""What is needed now and then: what the 3D view shows, and Blender's own rigid bodies."""

import bpy

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
    """Take over Blender's own rigid bodies and constraints, the whole scene, and give them back"""

    bl_idname = "VERLET_PT_convert"
    bl_label = "Blender's Rigid Body"
    bl_order = 7
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column(align=True)
        column.operator("verlet.convert_rigid_body_world", text="Convert from It", icon="IMPORT")
        column.operator("verlet.convert_to_rigid_body_world", text="Convert to It", icon="EXPORT")


CLASSES = (VERLET_PT_overlay, VERLET_PT_convert)
