"""Objects: the settings of the active object, in the sidebar and in Properties › Physics."""

import bpy

from ..bake import restore
from ..operators.pins import VERLET_OT_pin_selected
from ..properties import KIND_ICON, KIND_LABEL, panel_fields
from .places import PhysicsTab, Sidebar
from .settings import SETTINGS_OF_KIND, draw_settings
from .setup import draw_verbs

GROUP_OF_KIND = {"CLOTH": "cloth", "BODY": "body", "COLLIDER": "collider"}


def takes_part(context: bpy.types.Context) -> bool:
    """Whether the active object is in the simulation."""
    ob = context.object
    return ob is not None and ob.type == "MESH" and ob.verlet.kind != "NONE"


def draw_object(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    """The active object's settings; greyed out while it is baked."""
    kind = ob.verlet.kind
    baked = restore.baked_range(ob)
    row = layout.row()
    row.label(text=f"{ob.name}: {KIND_LABEL[kind]}", icon=KIND_ICON[kind])
    if baked is not None:
        layout.label(text=f"Baked {baked[0]}–{baked[1]}", icon="LOCKED")
    column = layout.column()
    column.active = baked is None
    if kind == "CLOTH":
        _draw_pins(column, ob)
    draw_settings(column, getattr(ob.verlet, GROUP_OF_KIND[kind]), SETTINGS_OF_KIND[kind])


def _draw_pins(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    layout.use_property_split = True
    layout.use_property_decorate = False
    name = ob.verlet.pin_group
    row = layout.row()
    row.alert = bool(name) and name not in ob.vertex_groups
    row.prop_search(ob.verlet, "pin_group", ob, "vertex_groups")
    if ob.mode == "EDIT":
        row = layout.row(align=True)
        row.operator(VERLET_OT_pin_selected.bl_idname, text="Pin", icon="PINNED")
        unpin = row.operator(VERLET_OT_pin_selected.bl_idname, text="Unpin", icon="UNPINNED")
        unpin.unpin = True


class _ObjectPanel(bpy.types.Panel):
    bl_label = "Object"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return takes_part(context)

    def draw(self, context: bpy.types.Context) -> None:
        draw_object(self.layout, context.object)


class _AdvancedPanel(bpy.types.Panel):
    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not takes_part(context):
            return False
        return bool(panel_fields(SETTINGS_OF_KIND[context.object.verlet.kind], advanced=True))

    def draw(self, context: bpy.types.Context) -> None:
        ob = context.object
        group = getattr(ob.verlet, GROUP_OF_KIND[ob.verlet.kind])
        self.layout.active = not restore.is_baked(ob)
        draw_settings(self.layout, group, SETTINGS_OF_KIND[ob.verlet.kind], advanced=True)


class VERLET_PT_object(Sidebar, _ObjectPanel):
    """Settings of the active object; an edit holds for all selected objects of its kind"""

    bl_idname = "VERLET_PT_object"
    bl_order = 1


class VERLET_PT_object_advanced(Sidebar, _AdvancedPanel):
    """Settings in physical units"""

    bl_idname = "VERLET_PT_object_advanced"
    bl_parent_id = "VERLET_PT_object"


class VERLET_PT_physics(PhysicsTab, bpy.types.Panel):
    """The active object in the simulation"""

    bl_idname = "VERLET_PT_physics"
    bl_label = "Verlet"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context: bpy.types.Context) -> None:
        if takes_part(context):
            draw_object(self.layout, context.object)
            self.layout.operator("verlet.remove", icon="X")
        else:
            draw_verbs(self.layout)


class VERLET_PT_physics_advanced(PhysicsTab, _AdvancedPanel):
    """Settings in physical units"""

    bl_idname = "VERLET_PT_physics_advanced"
    bl_parent_id = "VERLET_PT_physics"


CLASSES = (
    VERLET_PT_object,
    VERLET_PT_object_advanced,
    VERLET_PT_physics,
    VERLET_PT_physics_advanced,
)
