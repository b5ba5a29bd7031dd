"""Preset: the settings of a material for all selected objects of a kind."""

import bpy

from ...core.errors import ModelError
from .. import session
from ..properties import bake_record, presets
from ..properties.objects import kind_of
from .selection import for_each, selected_shapes


class VERLET_OT_preset(bpy.types.Operator):
    """Give the selected objects of the active object's kind the settings of a material"""

    bl_idname = "verlet.preset"
    bl_label = "Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.StringProperty(
        name="Preset",
        description="Name of the material, like SILK",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties):
        kind = kind_of(context.object) if context.object is not None else None
        if kind is not None and properties.preset in presets.presets_of(kind):
            return presets.presets_of(kind)[properties.preset].description
        return cls.__doc__

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        kind = kind_of(context.object) if context.object is not None else None
        if kind is None or not presets.presets_of(kind):
            cls.poll_message_set("The active object is not of a kind that has presets")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        kind = kind_of(context.object)
        known = presets.presets_of(kind)
        if self.preset not in known:
            self.report(
                {"ERROR"}, f"{kind.label} has no preset {self.preset!r}, only {', '.join(known)}"
            )
            return {"CANCELLED"}

        def change(ob: bpy.types.Object) -> None:
            if not ob.is_editable:
                raise ModelError(ob.name, "it is linked: change it in its own file")
            if bake_record.is_baked(ob):
                raise ModelError(ob.name, "it is baked. Press Free Bake first")
            presets.apply(ob, kind, self.preset)

        objects = [ob for ob in selected_shapes(context) if kind_of(ob) == kind]
        session.suspect_all()
        label = known[self.preset].label
        return for_each(self, objects or [context.object], change, f"has the preset {label}")


class VERLET_MT_preset(bpy.types.Menu):
    """Materials for the selected objects of this kind"""

    bl_idname = "VERLET_MT_preset"
    bl_label = "Preset"

    def draw(self, context: bpy.types.Context) -> None:
        kind = kind_of(context.object) if context.object is not None else None
        if kind is None:
            return
        for identifier, preset in presets.presets_of(kind).items():
            self.layout.operator("verlet.preset", text=preset.label).preset = identifier


CLASSES = (VERLET_OT_preset, VERLET_MT_preset)
