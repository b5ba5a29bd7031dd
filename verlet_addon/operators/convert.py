"""Convert Rigid Body World, and Convert to Blender's Rigid Body: a whole scene, one press."""

import bpy

from .. import kernels, session
from ..convert import world
from ..properties.scenes import start_frame
from .modes import in_object_mode

MOST_NOTES = 8  # in the report; all of them are printed


class _Converts(bpy.types.Operator):
    """What both ways share."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        reason = cls.why_not(context.scene)
        if reason:
            cls.poll_message_set(reason)
            return False
        return in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        if scene.library is not None:
            self.report({"ERROR"}, f"{scene.name}: the scene is linked. Convert it in its own file")
            return {"CANCELLED"}
        self.convert(context, scene)
        return {"FINISHED"}

    @classmethod
    def why_not(cls, scene: bpy.types.Scene) -> str:
        """Why there is nothing in a scene to convert; "" where there is."""
        raise NotImplementedError

    def convert(self, context: bpy.types.Context, scene: bpy.types.Scene) -> None:
        """Convert a scene, and report what was done."""
        raise NotImplementedError

    def _report(self, found: world.Report, to: str) -> None:
        done = f"{_count(found.bodies, 'object')} and {_count(found.joints, 'joint')} {to}"
        if not found.notes:
            self.report({"INFO"}, done)
            return
        for note in found.notes:
            print(f"Verlet Physics: {note}")
        more = len(found.notes) - MOST_NOTES
        rest = f"; and {more} more notes in the system console" if more > 0 else ""
        self.report({"WARNING"}, f"{done}. " + "; ".join(found.notes[:MOST_NOTES]) + rest)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


class VERLET_OT_convert_rigid_body_world(_Converts):
    """Take over Blender's rigid bodies and constraints of the whole scene, and switch its own off.

    Its settings stay in the file: Convert to Blender's brings them back
    """

    bl_idname = "verlet.convert_rigid_body_world"
    bl_label = "Convert Rigid Body World"

    @classmethod
    def why_not(cls, scene: bpy.types.Scene) -> str:
        has_any = world.their_bodies(scene)
        return "" if has_any else "No object of this scene has Blender's Rigid Body settings"

    def convert(self, context: bpy.types.Context, scene: bpy.types.Scene) -> None:
        kernels.prepare()
        session.drop(scene)
        scene.frame_set(scene.rigidbody_world.point_cache.frame_start)
        found = world.to_ours(scene)
        scene.frame_set(start_frame(scene))
        self._report(found, "converted, Blender's own simulation is off")


class VERLET_OT_convert_to_rigid_body_world(_Converts):
    """Give all rigid bodies, colliders and joints of the scene back to Blender's own simulation"""

    bl_idname = "verlet.convert_to_rigid_body_world"
    bl_label = "Convert to Blender's Rigid Body"

    @classmethod
    def why_not(cls, scene: bpy.types.Scene) -> str:
        has_any = world.can_be_given_back(scene)
        return "" if has_any else "No rigid body or collider takes part in this scene"

    def convert(self, context: bpy.types.Context, scene: bpy.types.Scene) -> None:
        session.drop(scene)
        scene.frame_set(start_frame(scene))
        found = world.to_theirs(context, scene)
        scene.frame_set(start_frame(scene))
        self._report(found, "given to Blender's own simulation")


CLASSES = (VERLET_OT_convert_rigid_body_world, VERLET_OT_convert_to_rigid_body_world)
