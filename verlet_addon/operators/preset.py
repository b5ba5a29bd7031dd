"""Preset: the settings of a material for all selected objects of a kind."""

import bpy

from ...core.errors import ModelError, VerletError
from .. import session
from ..blender.types import Result
from ..properties import bake_record, presets, user_presets
from ..properties.objects import kind_of, settings_of
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
        known = {} if kind is None else presets.all_of(kind)
        about = known[properties.preset].description if properties.preset in known else ""
        return about or cls.__doc__

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        kind = kind_of(context.object) if context.object is not None else None
        if kind is None or not presets.all_of(kind):
            cls.poll_message_set("The active object is not of a kind that has presets")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        kind = kind_of(context.object)
        known = presets.all_of(kind)
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


class VERLET_OT_save_preset(bpy.types.Operator):
    """Keep the settings of the active object under a name, for all your files. A preset of yours
    with that name is replaced
    """

    bl_idname = "verlet.save_preset"
    bl_label = "Save Preset"
    bl_options = {"REGISTER"}

    name: bpy.props.StringProperty(
        name="Name", description="What the preset is called in the menu", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.object is None or kind_of(context.object) is None:
            cls.poll_message_set("The active object takes no part in the simulation")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        kind = kind_of(context.object)
        now = presets.current(context.object, kind)
        self.name = now if presets.is_users(kind, now) else ""
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> Result:
        kind, name = kind_of(context.object), self.name.strip()
        built_in = presets.presets_of(kind)
        if name in built_in or any(name == preset.label for preset in built_in.values()):
            self.report({"ERROR"}, f"{name} comes with the add-on: choose another name")
            return {"CANCELLED"}
        try:
            file = user_presets.save(kind, name, settings_of(context.object))
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{name} saved to {file}")
        return {"FINISHED"}


class VERLET_OT_delete_preset(bpy.types.Operator):
    """Delete the preset of yours that the active object has; the object keeps its settings"""

    bl_idname = "verlet.delete_preset"
    bl_label = "Delete Preset"
    bl_options = {"REGISTER"}

    name: bpy.props.StringProperty(
        name="Name",
        description="Which one; empty: the one that the active object has",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        kind = kind_of(context.object) if context.object is not None else None
        if kind is None:
            cls.poll_message_set("The active object takes no part in the simulation")
            return False
        if not any(presets.is_users(kind, name) for name in presets.all_of(kind)):
            cls.poll_message_set(f"You have saved no preset of {kind.label}")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context: bpy.types.Context) -> Result:
        kind = kind_of(context.object)
        name = self.name or presets.current(context.object, kind)
        if not presets.is_users(kind, name):
            self.report({"ERROR"}, "The active object has none of your presets: choose one first")
            return {"CANCELLED"}
        try:
            user_presets.delete(kind, name)
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{name} deleted")
        return {"FINISHED"}


class VERLET_MT_preset(bpy.types.Menu):
    """Materials for the selected objects of this kind"""

    bl_idname = "VERLET_MT_preset"
    bl_label = "Preset"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        kind = kind_of(context.object) if context.object is not None else None
        if kind is None:
            return
        built_in, own = presets.presets_of(kind), user_presets.of_kind(kind)
        for identifier, preset in built_in.items():
            layout.operator("verlet.preset", text=preset.label).preset = identifier
        if built_in and own:
            layout.separator()
        for name in own:
            layout.operator("verlet.preset", text=name, icon="USER").preset = name
        if not built_in and not own:
            layout.label(text="None saved yet")


CLASSES = (VERLET_OT_preset, VERLET_OT_save_preset, VERLET_OT_delete_preset, VERLET_MT_preset)
