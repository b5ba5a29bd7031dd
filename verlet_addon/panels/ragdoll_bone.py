"""Bones of a ragdoll: in the sidebar while an armature is posed, and in Properties › Bone."""

from __future__ import annotations

import bpy

from ...core.settings import BoneSettings, PinSettings
from .. import session
from ..properties import bake_record
from ..properties.bones import bone_channel
from ..properties.kinds import is_ragdoll
from ..ragdoll import bone_pins
from .places import Sidebar
from .settings import draw_settings, draw_text

_OF_JOINTS = ("joint", "has_limits")
_OF_BODIES = ("shape", "size", "mass")


def _is_posed(context: bpy.types.Context) -> bool:
    return is_ragdoll(context.object) and context.active_pose_bone is not None


def _limits(joint: str) -> tuple[str, ...]:
    """Names of the limits that count for a kind of joint."""
    if joint == "HINGE":
        return ("lower", "upper", "hinge_axis")
    return ("lower", "upper", "swing", "lean_x", "lean_z")


def draw_learning(layout: bpy.types.UILayout, *, selected_only: bool) -> None:
    """The buttons that set limits by actions and take them back."""
    row = layout.row(align=True)
    learn = row.operator("verlet.learn_limits", icon="ACTION")
    reset = row.operator("verlet.reset_limits", icon="LOOP_BACK")
    learn.selected_only = reset.selected_only = selected_only


class _BonePanel(bpy.types.Panel):
    bl_label = "Ragdoll Bone"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _is_posed(context)

    def draw(self, context: bpy.types.Context) -> None:
        ob, bone = context.object, context.active_pose_bone
        layout = self.layout
        layout.active = not bake_record.is_baked(ob)
        layout.label(text=bone.name, icon="BONE_DATA")
        running = session.of(context.scene)
        notes = {} if running is None else running.bone_notes.get(ob.session_uid, {})
        if bone.name in notes:
            for line in notes[bone.name]:
                draw_text(layout, line, context.region.width)
        if not bone.bone.use_deform:
            layout.label(text="Deforms nothing: it is no body", icon="INFO")
            return
        layout.use_property_split = True
        layout.use_property_decorate = True
        layout.prop(bone, bone_channel("limp"))
        group = bone.verlet
        draw_settings(layout, group, BoneSettings, names=("part",))
        if group.part in {"AUTO", "OWN"}:
            draw_settings(layout, group, BoneSettings, names=(*_OF_BODIES, *_OF_JOINTS))
        if group.has_limits and group.joint not in {"BALL", "FIXED"}:
            draw_settings(layout, group, BoneSettings, names=_limits(group.joint))
        draw_learning(layout, selected_only=True)
        _draw_pin(layout, context, ob, bone)


def _draw_pin(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    ob: bpy.types.Object,
    bone: bpy.types.PoseBone,
) -> None:
    """What holds the bone, and the buttons that pin it."""
    column = layout.column()
    column.prop(bone.verlet, "pin_target")
    if bone.verlet.pin_target is not None:
        reason = bone_pins.why_not(ob, bone.verlet.pin_target, context.scene)
        if reason:
            box = column.box()
            box.alert = True
            draw_text(box, f"Does nothing: {reason}", context.region.width, "ERROR")
        draw_settings(column, bone.verlet, PinSettings)
        column.use_property_decorate = True
        column.prop(bone, bone_channel("pin"))
    row = layout.row(align=True)
    row.operator("verlet.pin_bones", icon="PINNED")
    row.operator("verlet.unpin_bones", icon="UNPINNED")
    if context.area.type == "VIEW_3D":
        layout.operator("verlet.drag_bone", icon="VIEW_PAN")


class VERLET_PT_bone(Sidebar, _BonePanel):
    """The active bone of a ragdoll; an edit holds for all selected bones"""

    bl_idname = "VERLET_PT_bone"
    bl_order = 3
    page = "manual/ragdoll.html"


class VERLET_PT_properties_bone(_BonePanel):
    """The active bone of a ragdoll; an edit holds for all selected bones"""

    bl_idname = "VERLET_PT_properties_bone"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "bone"


CLASSES = (VERLET_PT_bone, VERLET_PT_properties_bone)
