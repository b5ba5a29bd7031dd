"""Ragdoll Between Frames: keys that let a character go and bring it back to its animation."""

from __future__ import annotations

import bpy

from .. import session
from ..blender import compat
from ..blender.data import any_item, armature_of, posed_object
from ..blender.types import Result
from ..properties import bake_record
from ..properties.bones import bone_channel
from ..properties.scenes import start_frame
from .modes import in_object_or_pose_mode
from .ragdoll_bones import ragdolls_of

ACTIVE_SHARE = 1.0 / 3.0
"""Of the way back: so long muscles wake up before the keys take over."""

_CHANNEL = bone_channel("limp")


def key_limp(
    ob: bpy.types.Object,
    bones: list[bpy.types.PoseBone],
    first: int,
    last: int | None,
    blend: int,
    duration: float,
) -> None:
    """Key Limp: 0 until ``first``, then 1 until ``last``, back to 0 within ``blend`` frames.

    last None: it stays limp; duration: s of a frame. Keys that were there in between go.
    """
    active = round(ACTIVE_SHARE * blend)
    keys = [(first - 1, 0.0, "CONSTANT"), (first, 1.0, "CONSTANT")]
    if last is not None:
        keys += [(last, 1.0, "LINEAR")] if active else []
        keys += [(last + active, 0.0, "CONSTANT")]
        ob.verlet.ragdoll.blend = (blend - active) * duration
    for bone in bones:
        _clear(bone, keys[0][0], keys[-1][0])
        for frame, value, _ in keys:
            setattr(bone, _CHANNEL, value)
            bone.keyframe_insert(_CHANNEL, frame=frame, group=bone.name)
        curve = _curve(bone)
        for point in curve.keyframe_points:
            for frame, _, interpolation in keys:
                if round(point.co.x) == frame:
                    point.interpolation = any_item(interpolation)
        curve.update()


def _duration(scene: bpy.types.Scene) -> float:
    """Seconds in a frame."""
    return scene.render.fps_base / scene.render.fps


def _curve(bone: bpy.types.PoseBone) -> bpy.types.FCurve | None:
    path = f"{bone.path_from_id()}.{_CHANNEL}"
    curves = compat.fcurves_of(posed_object(bone))
    return next((curve for curve in curves if curve.data_path == path), None)


def _clear(bone: bpy.types.PoseBone, first: int, last: int) -> None:
    curve = _curve(bone)
    if curve is not None:
        for point in reversed(curve.keyframe_points):
            if first <= point.co.x <= last:
                curve.keyframe_points.remove(point, fast=True)
        curve.update()


def _bones(context: bpy.types.Context, ob: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """The selected bones in Pose Mode, all that deform else."""
    if context.mode == "POSE" and ob.mode == "POSE":
        return [bone for bone in context.selected_pose_bones if bone.id_data == ob]
    return [ob.pose.bones[bone.name] for bone in armature_of(ob).bones if bone.use_deform]


class VERLET_OT_ragdoll_between(bpy.types.Operator):
    """Let the selected ragdolls, or selected bones, go in one frame and bring them back in another.

    Keys Limp: until First they follow their animation and take its speed along; after Last their
    muscles wake up, and they return to the animation within Blend frames without a jump
    """

    bl_idname = "verlet.ragdoll_between"
    bl_label = "Ragdoll Between Frames"
    bl_options = {"REGISTER", "UNDO"}

    first: bpy.props.IntProperty(
        name="First", description="Frame from which physics moves them", default=1
    )
    comes_back: bpy.props.BoolProperty(
        name="Come Back", description="Return to the animation afterwards", default=True
    )
    last: bpy.props.IntProperty(
        name="Last", description="Frame in which the way back begins", default=49
    )
    blend: bpy.props.IntProperty(
        name="Blend", description="Frames that the way back takes", default=18, min=0, soft_max=100
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not in_object_or_pose_mode(cls, context):
            return False
        if not ragdolls_of(context):
            cls.poll_message_set("Select a ragdoll: press Ragdoll on an armature first")
            return False
        if context.mode == "POSE" and not context.selected_pose_bones:
            cls.poll_message_set("Select bones, or go to Object Mode for the whole character")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        self.first = context.scene.frame_current
        self.last = self.first + round(2.0 / _duration(context.scene))
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "first")
        layout.prop(self, "comes_back")
        column = layout.column()
        column.active = self.comes_back
        column.prop(self, "last")
        column.prop(self, "blend")

    def execute(self, context: bpy.types.Context) -> Result:
        if self.comes_back and self.last <= self.first:
            self.report({"ERROR"}, f"Last, {self.last}, has to come after First, {self.first}")
            return {"CANCELLED"}
        ragdolls = ragdolls_of(context)
        for ob in ragdolls:
            if bake_record.is_baked(ob) or not ob.is_editable:
                reason = "it is baked. Press Free Bake first"
                if not ob.is_editable:
                    reason = "it is linked: use Object › Library Override › Make"
                self.report({"ERROR"}, f"{ob.name}: {reason}")
                return {"CANCELLED"}
        last = self.last if self.comes_back else None
        for ob in ragdolls:
            duration = _duration(context.scene)
            key_limp(ob, _bones(context, ob), self.first, last, self.blend, duration)
        session.suspect_all()
        names = ", ".join(ob.name for ob in ragdolls)
        until = f" until {self.last}, back by {self.last + self.blend}" if self.comes_back else ""
        start = start_frame(context.scene)
        note = "" if self.first > start else f", which is not after the start frame {start}"
        self.report({"INFO"}, f"{names}: limp from frame {self.first}{until}{note}")
        return {"FINISHED"}


CLASSES = (VERLET_OT_ragdoll_between,)
