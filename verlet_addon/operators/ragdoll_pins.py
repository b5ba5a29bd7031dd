"""Pin to Empty, Unpin and Drag: bones of ragdolls that something else holds."""

from __future__ import annotations

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from ...core.errors import ModelError
from ...core.settings.ragdoll import BONE_ENDS
from .. import session
from ..blender import compat
from ..blender.data import any_item, armature_of, posed_object
from ..blender.types import Result
from ..properties import bake_record
from ..properties.bones import bone_channel
from ..properties.kinds import RAGDOLL
from ..properties.scenes import start_frame
from ..ragdoll.bone_pins import end_of, pinned_bones, why_not
from .selection import may_add

DRAGGED = 0.02  # firmness of a pin that the mouse drags: others hold against it
HANDLE_SHARE = 0.4  # of the bone's length: size of a new empty


def posed_ragdoll(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Whether bones of a ragdoll can be changed; else the operator says why not."""
    ob = context.object
    if ob is None or ob.type != "ARMATURE" or ob.verlet.kind != RAGDOLL:
        cls.poll_message_set("Make an armature a ragdoll first, and pose it")
        return False
    if context.mode != "POSE":
        cls.poll_message_set("Go to Pose Mode and select bones")
        return False
    if not ob.is_editable:
        cls.poll_message_set(f"{ob.name} is linked: use a library override")
        return False
    if bake_record.is_baked(ob):
        cls.poll_message_set(f"{ob.name} is baked: press Free Bake first")
        return False
    return True


def _selected_bones(context: bpy.types.Context) -> list[bpy.types.PoseBone]:
    """The selected bones of the active armature, in the order of its data."""
    chosen = {bone.name for bone in context.selected_pose_bones or ()}
    return [
        context.object.pose.bones[b.name]
        for b in armature_of(context.object).bones
        if b.name in chosen
    ]


def seen_end(bone: bpy.types.PoseBone, end: str, depsgraph: bpy.types.Depsgraph) -> Vector:
    """Where an end of a bone is seen in the world."""
    evaluated = posed_object(bone).evaluated_get(depsgraph)
    return evaluated.matrix_world @ Vector(end_of(evaluated.pose.bones[bone.name], end).tolist())


def pin_to_empty(
    context: bpy.types.Context, bone: bpy.types.PoseBone, end: str
) -> bpy.types.Object:
    """Make an empty where an end of a bone is seen, and pin the bone to it."""
    place = seen_end(bone, end, context.evaluated_depsgraph_get())
    ob = bpy.data.objects.new(f"Pin {bone.name}", None)
    ob.empty_display_type = "SPHERE"
    ob.empty_display_size = (
        HANDLE_SHARE * bone.length * max(posed_object(bone).matrix_world.to_scale())
    )
    ob.location = place
    ob.verlet.is_handle = True
    context.collection.objects.link(ob)
    pin(bone, ob, end, context.scene)
    return ob


def pin(
    bone: bpy.types.PoseBone, target: bpy.types.Object, end: str, scene: bpy.types.Scene
) -> None:
    """Pin a bone to an object; later than at the start, from the present frame on."""
    unpin(bone)
    bone.verlet.pin_target = target
    bone.verlet.pin_end = any_item(end)
    frame = scene.frame_current
    if frame > start_frame(scene):
        channel = bone_channel("pin")
        for number, is_on in ((frame - 1, False), (frame, True)):
            setattr(bone, channel, is_on)
            bone.keyframe_insert(channel, frame=number, group=bone.name)


def unpin(bone: bpy.types.PoseBone) -> None:
    """Take the pin away, with its keys, and with the empty that was made for it alone."""
    target = bone.verlet.pin_target
    channel = bone_channel("pin")
    path = f"{bone.path_from_id()}.{channel}"
    ob = posed_object(bone)
    unwanted = [c for c in compat.fcurves_of(ob) if c.data_path == path]
    if unwanted:
        animation = ob.animation_data
        compat.remove_fcurves(animation.action, compat.slot_handle(animation), unwanted)
    setattr(bone, channel, True)
    bone.verlet.pin_target = None
    if target is not None and target.verlet.is_handle and not _is_needed(target):
        bpy.data.objects.remove(target)


def _is_needed(empty: bpy.types.Object) -> bool:
    """Whether an empty that was made for a pin serves somebody else by now."""
    if empty.children or not empty.is_editable:
        return True
    armatures = (ob for ob in bpy.data.objects if ob.pose is not None)
    return any(bone.verlet.pin_target == empty for ob in armatures for bone in pinned_bones(ob))


class VERLET_OT_pin_bones(bpy.types.Operator):
    """Pin an end of each selected bone: the hand, foot or neck stays there or is dragged along.

    To a new empty at that end, or to the other selected object: an empty, a collider or a rigid
    body. In a frame after the start the pin holds from that frame on
    """

    bl_idname = "verlet.pin_bones"
    bl_label = "Pin to Empty"
    bl_options = {"REGISTER", "UNDO"}

    end: bpy.props.EnumProperty(
        name="End", description="Which end of the bone is pinned", items=BONE_ENDS, default="TAIL"
    )
    to_selected: bpy.props.BoolProperty(
        name="To Selected Object",
        description="Pin to the other selected object in place of a new empty",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties):
        if properties.to_selected:
            return "Pin an end of each selected bone to the other selected object"
        return cls.__doc__

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not posed_ragdoll(cls, context):
            return False
        if not context.selected_pose_bones:
            cls.poll_message_set("Select one or more bones")
            return False
        return may_add(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        bones = _selected_bones(context)
        try:
            if self.to_selected:
                target = self._target(context)
                for bone in bones:
                    pin(bone, target, self.end, context.scene)
                what = target.name
            else:
                made = [pin_to_empty(context, bone, self.end) for bone in bones]
                what = made[0].name if len(made) == 1 else f"{len(made)} empties"
        except ModelError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        session.suspect_all()
        self.report({"INFO"}, f"{', '.join(b.name for b in bones)} pinned to {what}")
        return {"FINISHED"}

    def _target(self, context: bpy.types.Context) -> bpy.types.Object:
        rig = context.object
        others = [ob for ob in context.selected_objects if ob != rig]
        if len(others) != 1:
            raise ModelError(
                rig.name,
                f"{len(others)} other objects are selected, and its bones are pinned to one: "
                "select that in Object Mode, then the armature, and go to Pose Mode",
            )
        reason = why_not(rig, others[0], context.scene)
        if reason:
            raise ModelError(rig.name, reason)
        return others[0]


class VERLET_OT_unpin_bones(bpy.types.Operator):
    """Let the selected bones go: removes their pins, the keys of those and empties made for them"""

    bl_idname = "verlet.unpin_bones"
    bl_label = "Unpin"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not posed_ragdoll(cls, context):
            return False
        if not any(b.verlet.pin_target for b in context.selected_pose_bones or ()):
            cls.poll_message_set("None of the selected bones is pinned")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        bones = [bone for bone in _selected_bones(context) if bone.verlet.pin_target is not None]
        for bone in bones:
            unpin(bone)
        session.suspect_all()
        self.report({"INFO"}, f"{', '.join(bone.name for bone in bones)} unpinned")
        return {"FINISHED"}


class VERLET_OT_drag_bone(bpy.types.Operator):
    """Drag the active bone with the mouse while the timeline plays, and key where it was dragged.

    Its pin moves as far as the mouse does, a new one if it has none. Click to end, Escape to
    forget it
    """

    bl_idname = "verlet.drag_bone"
    bl_label = "Drag"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not posed_ragdoll(cls, context):
            return False
        if context.active_pose_bone is None:
            cls.poll_message_set("Select the bone that is to be dragged")
            return False
        target = context.active_pose_bone.verlet.pin_target
        if target is not None and not target.is_editable:
            cls.poll_message_set(f"{target.name}, which holds the bone, is linked: unpin it first")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        region = next((r for r in context.area.regions if r.type == "WINDOW"), None)
        if context.area.type != "VIEW_3D" or region is None:
            self.report({"ERROR"}, "Drag works in a 3D view: press it in the sidebar there")
            return {"CANCELLED"}
        scene, bone = context.scene, context.active_pose_bone
        running = session.of(scene)
        self.frame, self.firmness = scene.frame_current, bone.verlet.pin_firmness
        self.is_new = bone.verlet.pin_target is None
        if self.is_new or running is None or running.is_outdated:
            scene.frame_set(start_frame(scene))
        else:
            running.forget_frames_from(scene.frame_current + 1)
        self.rig, self.bone = context.object, bone.name
        target = bone.verlet.pin_target
        if target is None:
            target = pin_to_empty(context, bone, bone.verlet.pin_end)
            bone.verlet.pin_firmness = DRAGGED
            context.view_layer.update()  # a new empty lies in the world's origin until then
        session.suspect_all()
        self.target, self.region, self.view = target, region, context.region_data
        self.before = target.matrix_world.copy()
        here = target.matrix_world.translation
        self.path = {scene.frame_current: here.copy()}
        seen = view3d_utils.location_3d_to_region_2d(region, self.view, here)
        mouse = Vector((event.mouse_x - region.x, event.mouse_y - region.y))
        self.away = Vector((0.0, 0.0)) if seen is None else seen - mouse
        self.plays = not context.screen.is_animation_playing
        if self.plays:
            bpy.ops.screen.animation_play()
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set("Move the mouse to drag. Click: keep. Escape: forget")
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        frame = context.scene.frame_current
        if event.type in {"ESC", "RIGHTMOUSE"}:
            return self._end(context, is_kept=False)
        is_click = event.type in {"LEFTMOUSE", "RET", "NUMPAD_ENTER"} and event.value == "PRESS"
        if is_click or frame < max(self.path):  # the timeline has begun anew
            return self._end(context, is_kept=True)
        if event.type == "MOUSEMOVE":
            mouse = Vector((event.mouse_x - self.region.x, event.mouse_y - self.region.y))
            here = self.target.matrix_world.translation
            place = view3d_utils.region_2d_to_location_3d(
                self.region, self.view, mouse + self.away, here
            )
            self.target.matrix_world.translation = place
        self.path[frame] = self.target.matrix_world.translation.copy()
        return {"PASS_THROUGH"} if event.type == "TIMER" else {"RUNNING_MODAL"}

    def _end(self, context: bpy.types.Context, *, is_kept: bool) -> Result:
        context.workspace.status_text_set(None)
        if self.plays and context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        if is_kept:
            key_path(self.target, self.path)
            self.report({"INFO"}, f"{self.target.name} keyed in {len(self.path)} frames")
            return {"FINISHED"}
        self.target.matrix_world = self.before
        running = session.of(context.scene)
        if running is not None:
            running.forget_frames_from(min(self.path) + 1)
        if self.is_new:
            bone = self.rig.pose.bones[self.bone]
            unpin(bone)
            bone.verlet.pin_firmness = self.firmness
        session.suspect_all()
        context.scene.frame_set(self.frame)
        return {"CANCELLED"}


def key_path(ob: bpy.types.Object, path: dict[int, Vector]) -> None:
    """Key an object's location so that it is at places (3,) m of the world in frames."""
    parent = ob.matrix_world @ ob.matrix_basis.inverted()
    for frame, place in sorted(path.items()):
        ob.location = parent.inverted() @ place - ob.delta_location
        ob.keyframe_insert("location", frame=frame)


CLASSES = (VERLET_OT_pin_bones, VERLET_OT_unpin_bones, VERLET_OT_drag_bone)
