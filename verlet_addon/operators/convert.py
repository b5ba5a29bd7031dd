"""Convert Rigid Body World, and Convert to Blender's Rigid Body: a whole scene, one press."""

import bpy

from .. import session
from ..blender.types import Result
from ..convert import modifiers, world
from ..convert.report import Report
from ..properties.scenes import start_frame
from .modes import in_object_mode

MOST_NOTES = 8  # in the report; all of them are printed


class _Converts(bpy.types.Operator):
    """Converts a scene at its start frame, and says what of it."""

    bl_options = {"REGISTER", "UNDO"}
    nothing: str  # what is said where there is nothing to convert
    done: str
    has_joints = True

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not cls.has_any(context.scene):
            cls.poll_message_set(cls.nothing)
            return False
        return in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        scene = context.scene
        if scene.library is not None:
            self.report({"ERROR"}, f"{scene.name}: the scene is linked. Convert it in its own file")
            return {"CANCELLED"}
        session.drop(scene)
        scene.frame_set(start_frame(scene))
        found = self.convert(context, scene)
        scene.frame_set(start_frame(scene))
        self._report(found, self.done)
        return {"FINISHED"}

    @classmethod
    def has_any(cls, scene: bpy.types.Scene) -> bool:
        """Whether there is something in a scene to convert."""
        raise NotImplementedError

    @classmethod
    def convert(cls, context: bpy.types.Context, scene: bpy.types.Scene) -> Report:
        """Convert a scene that stands at its start frame."""
        raise NotImplementedError

    def _report(self, found: Report, to: str) -> None:
        joints = f" and {_count(found.joints, 'joint')}" if self.has_joints else ""
        done = f"{_count(found.bodies, 'object')}{joints} {to}"
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
    nothing = "No object of this scene has Blender's Rigid Body settings"
    done = "converted, Blender's own simulation is off"

    @classmethod
    def has_any(cls, scene: bpy.types.Scene) -> bool:
        return bool(world.their_bodies(scene))

    @classmethod
    def convert(cls, context: bpy.types.Context, scene: bpy.types.Scene) -> Report:
        scene.frame_set(scene.rigidbody_world.point_cache.frame_start)
        return world.to_ours(scene)


class VERLET_OT_convert_to_rigid_body_world(_Converts):
    """Give all rigid bodies, colliders and joints of the scene back to Blender's own simulation"""

    bl_idname = "verlet.convert_to_rigid_body_world"
    bl_label = "Convert to Blender's Rigid Body"
    nothing = "No rigid body or collider takes part in this scene"
    done = "given to Blender's own simulation"

    @classmethod
    def has_any(cls, scene: bpy.types.Scene) -> bool:
        return bool(world.can_be_given_back(scene))

    @classmethod
    def convert(cls, context: bpy.types.Context, scene: bpy.types.Scene) -> Report:
        return world.to_theirs(context, scene)


class VERLET_OT_convert_soft_physics(_Converts):
    """Take over Blender's Cloth, Soft Body and Collision modifiers of the whole scene, and switch
    them off; force fields act as they are. They stay in the file: Convert to Blender's brings them
    back
    """

    bl_idname = "verlet.convert_soft_physics"
    bl_label = "Convert Cloth and Soft Bodies"
    nothing = "No object of this scene has a Cloth, Soft Body or Collision"
    done = "converted, their modifiers are off"
    has_joints = False

    @classmethod
    def has_any(cls, scene: bpy.types.Scene) -> bool:
        return bool(modifiers.theirs_in(scene))

    @classmethod
    def convert(cls, context: bpy.types.Context, scene: bpy.types.Scene) -> Report:
        return modifiers.to_ours(scene, context.evaluated_depsgraph_get())


class VERLET_OT_convert_to_soft_physics(_Converts):
    """Give all cloth, soft bodies and colliders of the scene back to Blender's own modifiers"""

    bl_idname = "verlet.convert_to_soft_physics"
    bl_label = "Convert to Blender's Cloth and Soft Bodies"
    nothing = "No cloth, soft body or collider takes part in this scene"
    done = "given to Blender's own modifiers"
    has_joints = False

    @classmethod
    def has_any(cls, scene: bpy.types.Scene) -> bool:
        return bool(modifiers.can_be_given_back(scene))

    @classmethod
    def convert(cls, context: bpy.types.Context, scene: bpy.types.Scene) -> Report:
        return modifiers.to_theirs(scene)


CLASSES = (
    VERLET_OT_convert_rigid_body_world,
    VERLET_OT_convert_to_rigid_body_world,
    VERLET_OT_convert_soft_physics,
    VERLET_OT_convert_to_soft_physics,
)
