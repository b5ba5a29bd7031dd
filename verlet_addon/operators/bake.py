"""Bake and Free Bake: simulated motion to native Blender data, and back without a trace."""

from collections.abc import Generator
from contextlib import suppress
from time import perf_counter

import bpy

from ...core.errors import VerletError
from .. import session
from ..bake import restore, scene_bake
from ..blender import redraw
from ..blender.types import Result
from ..live import missing_frames
from ..properties import bake_record, participants
from .modes import in_object_or_pose_mode
from .selection import for_each

TIMER_SECONDS = 0.02
BUSY_SECONDS = 0.1  # simulate so long between two looks at the keyboard
NONE_TO_BAKE = "None of the selected objects is simulated and not baked yet"
NONE_TO_FREE = "None of the selected objects is baked"


class BakeSteps(bpy.types.Operator):
    """Writes the simulation to native Blender data: what both bakes share."""

    bl_options = {"REGISTER", "UNDO"}

    def asked_frames(self) -> tuple[int | None, int | None]:
        """The first and last frame to write, None for the scene's."""
        return None, None

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object] | None:
        """The objects to write, None for all; the others are simulated with them."""
        return list(context.selected_objects)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not participants.bakeable_objects(context.scene, None):
            cls.poll_message_set(
                "Nothing moves that is not baked already: press Cloth, Rigid Body or another verb "
                "first, or Free Bake to bake anew"
            )
            return False
        if not in_object_or_pose_mode(cls, context):
            return False
        running = session.of(context.scene)
        if running is not None and running.bake_progress is not None:
            cls.poll_message_set("A bake is running: press Esc to stop it")
            return False
        return True

    def _begin(self, context: bpy.types.Context) -> Generator[int, None, None]:
        self._scene_uid = context.scene.session_uid
        self._frames = scene_bake.frames_of(context.scene, *self.asked_frames())
        objects = participants.bakeable_objects(context.scene, self.chosen(context))
        if not objects:
            raise VerletError(NONE_TO_BAKE)
        self._uids = [ob.session_uid for ob in objects]
        return missing_frames.simulate(context.scene, self._frames)

    def _finish(self, context: bpy.types.Context) -> Result:
        try:
            scene = missing_frames.find_scene(self._scene_uid)
            result = scene_bake.write(scene, self._frames, self._uids)
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        redraw.panels()
        frames = f"frames {result.frames.start} to {result.frames.stop - 1}"
        problems = [*result.warnings, *([result.failure] if result.failure else [])]
        if not result.objects:
            self.report({"ERROR"}, "\n".join(problems) or "Nothing was baked")
            return {"CANCELLED"}
        count = len(result.objects)
        what = result.objects[0] if count == 1 else f"{count} objects"
        if problems:
            self.report({"WARNING"}, f"{what}: {frames} baked. " + "; ".join(problems))
        else:
            self.report({"INFO"}, f"{what}: {frames} baked")
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> Result:
        try:
            for _ in self._begin(context):
                pass
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self._finish(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        try:
            self._steps = self._begin(context)
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        window_manager = context.window_manager
        self._timer = window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        window_manager.modal_handler_add(self)
        context.workspace.status_text_set("Baking…   Esc: stop and keep the simulated frames")
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.type == "ESC" and event.value == "PRESS":
            self._steps.close()  # brings the user's frame back
            self._clean_up(context)
            self.report({"INFO"}, "Bake stopped: nothing was written, simulated frames are kept")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # no edits in between
        try:
            is_done = self._work(context)
        except VerletError as error:
            self._clean_up(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except BaseException:
            self._clean_up(context)
            raise
        if not is_done:
            return {"RUNNING_MODAL"}
        self._clean_up(context)
        return self._finish(context)

    def _work(self, context: bpy.types.Context) -> bool:
        """Simulate for a moment; True when all frames are there."""
        until = perf_counter() + BUSY_SECONDS
        while perf_counter() < until:
            frame = next(self._steps, None)
            if frame is None:
                return True
            last = self._frames[-1]
            context.workspace.status_text_set(
                f"Baking frame {frame} of {last}   Esc: stop and keep the simulated frames"
            )
        redraw.panels()
        return False

    def _clean_up(self, context: bpy.types.Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        redraw.panels()

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself, for example when a file is loaded."""
        self._clean_up(context)


class VERLET_OT_bake(BakeSteps, bpy.types.Operator):
    """Writes everything that moves."""

    bl_idname = "verlet.bake"
    bl_label = "Bake"
    bl_description = (
        "Simulate the frames that are missing and write everything to shape keys and keyframes, "
        "which play and export without the add-on. Esc stops; simulated frames are kept"
    )

    frame_start: bpy.props.IntProperty(
        name="First Frame",
        description="First frame to write; the scene's when it is not set",
        options={"SKIP_SAVE"},
    )
    frame_end: bpy.props.IntProperty(
        name="Last Frame",
        description="Last frame to write; the scene's when it is not set",
        options={"SKIP_SAVE"},
    )
    selected_only: bpy.props.BoolProperty(
        name="Selected Only",
        description="Write only the selected objects; the others are simulated with them",
        options={"SKIP_SAVE"},
    )

    def asked_frames(self) -> tuple[int | None, int | None]:
        given = self.properties.is_property_set
        return (
            self.frame_start if given("frame_start") else None,
            self.frame_end if given("frame_end") else None,
        )

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object] | None:
        return super().chosen(context) if self.selected_only else None


class VERLET_OT_bake_selected(BakeSteps, bpy.types.Operator):
    """Bake only the selected objects; the others are simulated with them. Esc stops"""

    bl_idname = "verlet.bake_selected"
    bl_label = "Bake Selected"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if not participants.bakeable_objects(context.scene, context.selected_objects):
            cls.poll_message_set(NONE_TO_BAKE)
            return False
        return True


class FreeSteps(bpy.types.Operator):
    """Puts back what a bake has displaced: what both ways to free share."""

    bl_options = {"REGISTER", "UNDO"}

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object] | None:
        """The objects that are to play no bake any more, None for all."""
        return list(context.selected_objects)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not any(map(bake_record.is_baked, participants.simulated_objects(context.scene))):
            cls.poll_message_set("Nothing in this scene is baked")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        chosen = self.chosen(context)
        taking_part = participants.simulated_objects(context.scene)
        objects = [
            ob
            for ob in taking_part
            if bake_record.is_baked(ob) and (chosen is None or ob in chosen)
        ]
        if not objects:
            self.report({"ERROR"}, NONE_TO_FREE)
            return {"CANCELLED"}

        with suppress(VerletError):  # one cannot be freed: find out below which
            restore.free_many(objects)  # all at once, which is much faster
        result = for_each(self, objects, restore.free, "freed from the bake")
        session.suspect_all()
        scene = context.scene
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
        redraw.panels()
        return result


class VERLET_OT_free_bake(FreeSteps, bpy.types.Operator):
    """Take the bake off the selected objects, or off all, and put back exactly what was there"""

    bl_idname = "verlet.free_bake"
    bl_label = "Free Bake"

    selected_only: bpy.props.BoolProperty(
        name="Selected Only",
        description="Free only the selected objects",
        options={"SKIP_SAVE"},
    )

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object] | None:
        return super().chosen(context) if self.selected_only else None


class VERLET_OT_free_bake_selected(FreeSteps, bpy.types.Operator):
    """Take the bake off the selected objects and put back exactly what was there"""

    bl_idname = "verlet.free_bake_selected"
    bl_label = "Free Selected"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if not any(map(bake_record.is_baked, context.selected_objects)):
            cls.poll_message_set(NONE_TO_FREE)
            return False
        return True


CLASSES = (
    VERLET_OT_bake,
    VERLET_OT_bake_selected,
    VERLET_OT_free_bake,
    VERLET_OT_free_bake_selected,
)
