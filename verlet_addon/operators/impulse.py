"""Explosion and Hit: an empty that pushes everything around it, once."""

import bpy

from .. import session
from ..blender.data import any_item
from ..blender.types import Result
from ..properties.scenes import start_frame
from .modes import in_object_mode
from .selection import may_add


class _AddImpulse(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}
    kind = ""
    display = ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context) and may_add(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        scene = context.scene
        ob = bpy.data.objects.new(self.bl_label, None)
        ob.empty_display_type = any_item(self.display)
        ob.location = scene.cursor.location
        ob.verlet.is_impulse = True
        ob.verlet.impulse.kind = any_item(self.kind)
        ob.verlet.impulse_frame = max(scene.frame_current, start_frame(scene) + 1)
        context.collection.objects.link(ob)
        for other in context.selected_objects:
            other.select_set(False)
        ob.select_set(True)
        context.view_layer.objects.active = ob
        session.suspect_all()
        self.report({"INFO"}, f"{ob.name} pushes in frame {ob.verlet.impulse_frame}")
        return {"FINISHED"}


class VERLET_OT_add_explosion(_AddImpulse):
    """Add an explosion at the 3D cursor: in this frame it throws everything away from itself"""

    bl_idname = "verlet.add_explosion"
    bl_label = "Explosion"
    kind = "EXPLOSION"
    display = "SPHERE"


class VERLET_OT_add_hit(_AddImpulse):
    """Add a hit at the 3D cursor: in this frame it throws what is near along its arrow"""

    bl_idname = "verlet.add_hit"
    bl_label = "Hit"
    kind = "HIT"
    display = "SINGLE_ARROW"


CLASSES = (VERLET_OT_add_explosion, VERLET_OT_add_hit)
