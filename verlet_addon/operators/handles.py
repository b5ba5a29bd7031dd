"""Automatic handles of a curve: freed when it becomes a rope, given back when it is removed."""

import bpy

from .. import session
from ..blender.control_points import AUTOMATIC, HANDLE_SIDES, free_handles
from ..blender.data import curve_of
from ..blender.types import Result
from ..properties import participants


def free(ob: bpy.types.Object) -> None:
    """Let the simulation move handles that Blender would place itself; the shape stays.

    Which ones they were is kept on the object.
    """
    if ob.type != "CURVE" or not ob.data.is_editable or ob.mode == "EDIT":
        return
    kinds = _kinds(curve_of(ob))
    if AUTOMATIC.isdisjoint(kinds):
        return
    ob.verlet.own_handles = " ".join(kinds)
    free_handles(curve_of(ob))


def give_back(ob: bpy.types.Object) -> None:
    """Make the handles automatic that were, unless points were added or removed since."""
    kinds = ob.verlet.own_handles.split()
    ob.verlet.own_handles = ""
    if ob.type != "CURVE" or not ob.data.is_editable or len(kinds) != len(_kinds(curve_of(ob))):
        return
    following = iter(kinds)
    for spline in curve_of(ob).splines:
        for point in spline.bezier_points:
            for side in HANDLE_SIDES:
                setattr(point, side, next(following))


def _kinds(curve: bpy.types.Curve) -> list[str]:
    """Type of every handle, left and right of each Bezier point."""
    return [
        getattr(point, side)
        for spline in curve.splines
        for point in spline.bezier_points
        for side in HANDLE_SIDES
    ]


class VERLET_OT_free_handles(bpy.types.Operator):
    """Set Automatic and Vector handles of the curve to Aligned or Free, so that it can move"""

    bl_idname = "verlet.free_handles"
    bl_label = "Free Handles"
    bl_options = {"REGISTER", "UNDO"}

    # session ids use all 32 bits, an IntProperty has 31
    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        ob = participants.find_object(int(self.uid))
        if ob is None or ob.type != "CURVE" or not ob.data.is_editable:
            self.report({"ERROR"}, "The curve is gone, or linked")
            return {"CANCELLED"}
        if ob.mode == "EDIT":
            self.report({"ERROR"}, f"{ob.name}: leave Edit Mode first")
            return {"CANCELLED"}
        free(ob)
        session.suspect_all()
        context.scene.frame_set(context.scene.frame_current)
        return {"FINISHED"}


CLASSES = (VERLET_OT_free_handles,)
