"""Reset and Go to Start: back to where everything stands at its own place."""

import bpy

from ...core.errors import VerletError
from .. import session
from ..bake import scene_bake
from ..blender import redraw
from ..blender.types import Result
from ..live import delivery, preview, takes
from ..properties import participants
from ..properties.scenes import start_frame
from ..session import Session
from ..session.phase import EventKind
from .modes import in_object_or_pose_mode


class VERLET_OT_reset(bpy.types.Operator):
    """Forget all simulated frames, put everything back in its own place and go to the start"""

    bl_idname = "verlet.reset"
    bl_label = "Reset"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        session.drop(context.scene)
        for ob in context.scene.objects:
            if ob.verlet.kind != "NONE" or ob.verlet.rest.owner:
                preview.clear(ob)
        context.scene.frame_set(start_frame(context.scene))
        redraw.panels()
        return {"FINISHED"}


class VERLET_OT_go_to_start(bpy.types.Operator):
    """Go to the frame in which the simulation starts; frames that still hold are kept"""

    bl_idname = "verlet.go_to_start"
    bl_label = "Go to Start"
    bl_options = {"REGISTER"}

    def execute(self, context: bpy.types.Context) -> Result:
        context.scene.frame_set(start_frame(context.scene))
        return {"FINISHED"}


class VERLET_OT_play(bpy.types.Operator):
    """Play from here, or from the start when nothing is simulated up to here; stop when playing"""

    bl_idname = "verlet.play"
    bl_label = "Play"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.screen is None:
            cls.poll_message_set("Playing needs a window")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        scene = context.scene
        begins = not context.screen.is_animation_playing
        if begins and not _goes_on_from(session.of(scene), scene.frame_current):
            with delivery.at_work():  # what takes long to build is built while it plays
                scene.frame_set(start_frame(scene))
        return bpy.ops.screen.animation_play()


def _goes_on_from(running: Session | None, frame: int) -> bool:
    """Whether the simulation may go on from a frame, as far as anybody knows."""
    if running is None or not running.is_ready:
        return False
    is_lost = running.is_outdated or running.phase.is_suspect
    return not is_lost and running.start <= frame <= running.last + 1


class VERLET_OT_record(bpy.types.Operator):
    """Keep what was improvised. What was changed by hand becomes keys, so that a bake has it too;
    what was pulled with Grab becomes a bake of the frames as they were seen, which Free Bake frees
    """

    bl_idname = "verlet.record"
    bl_label = "Record"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        running = session.of(context.scene)
        if running is None or not (running.takes or running.pulled is not None):
            cls.poll_message_set(
                "Nothing was improvised: play, and meanwhile grab something, or move a collider, "
                "gravity, wind or a force"
            )
            return False
        if running.pulled is not None and not (running.is_ready and not running.is_outdated):
            cls.poll_message_set("What was improvised is out of date")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        running = session.of(context.scene)
        if running.pulled is not None:
            return self._bake(context.scene, running)
        changed = ", ".join(takes.names(running))
        count = takes.record(context.scene, running)
        running.happened(EventKind.ACTION_EDITED)
        running.changed = []
        redraw.everything()
        self.report({"INFO"}, f"{count} curves keep what was changed: {changed}")
        return {"FINISHED"}

    def _bake(self, scene: bpy.types.Scene, running: Session) -> Result:
        """Write the frames as they were seen: no keys would bring them again."""
        running.hold = None
        frames = range(running.start, running.last + 1)
        uids = [ob.session_uid for ob in participants.bakeable_objects(scene, None)]
        try:
            result = scene_bake.write(scene, frames, uids)
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        redraw.everything()
        problems = [*result.warnings, *([result.failure] if result.failure else [])]
        if not result.objects:
            self.report({"ERROR"}, "; ".join(problems) or "Nothing was baked")
            return {"CANCELLED"}
        text = f"Frames {frames.start} to {frames[-1]} are baked as they were seen"
        self.report({"WARNING" if problems else "INFO"}, "; ".join([text, *problems]))
        return {"FINISHED"}


class VERLET_OT_play_every_frame(bpy.types.Operator):
    """Set the timeline to play every frame: a simulation cannot leave frames out"""

    bl_idname = "verlet.play_every_frame"
    bl_label = "Play Every Frame"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        context.scene.sync_mode = "NONE"
        return {"FINISHED"}


class VERLET_OT_use_position_verlet(bpy.types.Operator):
    """Set the integrator back to Position Verlet, which carries everything"""

    bl_idname = "verlet.use_position_verlet"
    bl_label = "Use Position Verlet"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        context.scene.verlet.solver.property_unset("integrator")
        session.suspect_all()
        context.scene.frame_set(start_frame(context.scene))
        return {"FINISHED"}


CLASSES = (
    VERLET_OT_use_position_verlet,
    VERLET_OT_reset,
    VERLET_OT_go_to_start,
    VERLET_OT_play,
    VERLET_OT_record,
    VERLET_OT_play_every_frame,
)
