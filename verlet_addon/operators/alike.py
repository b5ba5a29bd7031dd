"""Copy to Selected and Select Similar: many objects that are the same in the simulation."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.errors import ModelError
from ...core.settings import ImpulseSettings, JointSettings, tunables
from .. import session
from ..blender.data import any_item
from ..blender.types import Result
from ..live import preview
from ..properties import bake_record, presets
from ..properties.kinds import KINDS, Kind
from ..properties.objects import group_of, kind_of
from ..properties.tunable_properties import PAINT_SUFFIX, paintable
from .modes import in_object_mode
from .selection import for_each
from .setup import require_suitable


def role_of(ob: bpy.types.Object | None) -> str:
    """What an object is: a kind, JOINT, IMPULSE, or "" for none."""
    if ob is None:
        return ""
    if ob.type == "EMPTY":
        return "JOINT" if ob.verlet.is_joint else "IMPULSE" if ob.verlet.is_impulse else ""
    kind = kind_of(ob)
    return "" if kind is None else kind.identifier


def _copy(source: Any, target: Any, names: list[str]) -> None:
    for name in names:
        setattr(target, name, getattr(source, name))


def copy_to(source: bpy.types.Object, target: bpy.types.Object) -> None:
    """Give an object the role and the settings of another one.

    Vertex groups are taken over where the target has one of that name; what a joint joins, and what
    pins follow, stays its own.
    """
    if target.library is not None or not target.is_editable:
        raise ModelError(target.name, "it is linked: change it in its own file")
    role = role_of(source)
    if role in KINDS:
        _copy_kind(source, target, KINDS[role])
        return
    if target.type != "EMPTY":
        raise ModelError(target.name, f"it is a {target.type.lower()} object and no empty")
    if role == "JOINT":
        target.verlet.is_joint = True
        _copy(source.verlet.joint, target.verlet.joint, [*tunables(JointSettings), "tie_radius"])
    else:
        target.verlet.is_impulse = True
        _copy(source.verlet.impulse, target.verlet.impulse, list(tunables(ImpulseSettings)))
        target.verlet.impulse_frame = source.verlet.impulse_frame


def _copy_kind(source: bpy.types.Object, target: bpy.types.Object, kind: Kind) -> None:
    if bake_record.is_baked(target):
        raise ModelError(target.name, "it is baked. Press Free Bake first")
    if target.verlet.kind != kind.identifier:
        require_suitable(target, kind, bpy.context.evaluated_depsgraph_get())
        preview.clear(target)
        target.verlet.kind = any_item(kind.identifier)
    ours, theirs = group_of(source, kind), group_of(target, kind)
    _copy(ours, theirs, list(tunables(kind.settings)))
    _copy(source.verlet.animated, target.verlet.animated, list(kind.animated))
    if not kind.is_particles or target.type != "MESH":
        return
    for name in paintable(kind.settings):
        group = getattr(ours, name + PAINT_SUFFIX)
        if not group or group in target.vertex_groups:
            setattr(theirs, name + PAINT_SUFFIX, group)
    if source.verlet.pin_group in target.vertex_groups:
        target.verlet.pin_group = source.verlet.pin_group


class VERLET_OT_copy_to_selected(bpy.types.Operator):
    """Make the selected objects what the active one is, with all its settings: verb, material,
    factors and painted groups of the same name. Joints and explosions too. Keys stay where they are
    """

    bl_idname = "verlet.copy_to_selected"
    bl_label = "Copy to Selected"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not role_of(context.object):
            cls.poll_message_set("The active object takes no part in the simulation")
            return False
        if not any(ob != context.object for ob in context.selected_objects):
            cls.poll_message_set("Select other objects too: they become what the active one is")
            return False
        return in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        source = context.object
        others = [ob for ob in context.selected_objects if ob != source]
        session.suspect_all()
        return for_each(self, others, lambda ob: copy_to(source, ob), f"set up like {source.name}")


class VERLET_OT_select_similar(bpy.types.Operator):
    """Select all that is the same in the simulation as the active object"""

    bl_idname = "verlet.select_similar"
    bl_label = "Select Similar"
    bl_options = {"REGISTER", "UNDO"}

    by: bpy.props.EnumProperty(
        name="By",
        description="What has to be the same",
        items=(
            ("VERB", "Verb", "Cloth with cloth, bodies with bodies, joints with joints"),
            ("MATERIAL", "Material", "The same verb and material; joints of the same kind"),
        ),
    )
    extend: bpy.props.BoolProperty(
        name="Extend", description="Keep what is selected already", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not role_of(context.object):
            cls.poll_message_set("The active object takes no part in the simulation")
            return False
        return in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        found = 0
        for ob in context.view_layer.objects:
            is_similar = ob.visible_get() and self._is_similar(context.object, ob)
            found += is_similar
            if is_similar or not self.extend:
                ob.select_set(is_similar)
        self.report({"INFO"}, f"{found} object{'s' if found != 1 else ''} selected")
        return {"FINISHED"}

    def _is_similar(self, one: bpy.types.Object, other: bpy.types.Object) -> bool:
        role = role_of(one)
        if role_of(other) != role:
            return False
        if self.by == "VERB":
            return True
        if role in KINDS:
            return presets.are_alike(one, other, KINDS[role])
        group = role.lower()
        return bool(getattr(one.verlet, group).kind == getattr(other.verlet, group).kind)


CLASSES = (VERLET_OT_copy_to_selected, VERLET_OT_select_similar)
