"""Buttons beside a warning: show the object it is about, or mend it."""

from typing import Any

import bpy

from .. import session
from ..blender.types import Result
from ..properties import participants


class _OnOneObject(bpy.types.Operator):
    """Acts on the object with a session id."""

    bl_options = {"REGISTER", "UNDO"}
    uid: Any  # each operator registers it

    def found(self) -> bpy.types.Object | None:
        ob = participants.find_object(int(self.uid))
        if ob is None:
            self.report({"ERROR"}, "The object is gone")
        return ob


class VERLET_OT_show_object(_OnOneObject):
    """Select the object that this is about, make it active and bring it into view"""

    bl_idname = "verlet.show_object"
    bl_label = "Show Object"

    # session ids use all 32 bits, an IntProperty has 31
    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        ob = self.found()
        if ob is None:
            return {"CANCELLED"}
        if ob.name not in context.view_layer.objects:
            self.report({"ERROR"}, f"{ob.name} is not in this view layer")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for other in context.selected_objects:
            other.select_set(False)
        ob.hide_viewport = False
        ob.hide_set(False)
        ob.select_set(True)
        context.view_layer.objects.active = ob
        _frame(context)
        return {"FINISHED"}


def _frame(context: bpy.types.Context) -> None:
    """Bring what is selected into the 3D view, if there is one."""
    area = context.area
    if area is None or area.type != "VIEW_3D":
        screen = context.screen
        areas = [] if screen is None else [a for a in screen.areas if a.type == "VIEW_3D"]
        area = areas[0] if areas else None
    region = None if area is None else next((r for r in area.regions if r.type == "WINDOW"), None)
    if region is None:
        return
    with context.temp_override(area=area, region=region):
        bpy.ops.view3d.view_selected()


class VERLET_OT_remove_own_rigid_body(_OnOneObject):
    """Take Blender's own Rigid Body off the object, so that one simulation moves it"""

    bl_idname = "verlet.remove_own_rigid_body"
    bl_label = "Remove Blender's Rigid Body"

    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        ob = self.found()
        if ob is None:
            return {"CANCELLED"}
        with context.temp_override(object=ob, active_object=ob, selected_objects=[ob]):
            bpy.ops.rigidbody.object_remove()
        session.suspect_all()
        return {"FINISHED"}


CLASSES = (VERLET_OT_show_object, VERLET_OT_remove_own_rigid_body)
