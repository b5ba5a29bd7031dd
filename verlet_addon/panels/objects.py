"""Objects: the settings of the active object, in the sidebar and in Properties › Physics."""

import bpy

from ...core.settings import ImpulseSettings
from ..extract import garment
from ..extract.particles import WAY_OUT
from ..extract.pins import pinned_point_count
from ..extract.tearable import is_split
from ..manual import draw_button
from ..properties import bake_record, participants, presets
from ..properties.kinds import Kind, can_be_tied, may_tear
from ..properties.objects import group_of, kind_of
from ..properties.tunable_properties import panel_fields
from .joint import draw_joints_of
from .places import PhysicsTab, Sidebar
from .ragdoll_bone import draw_learning
from .settings import AT_START, TEARING_SETTINGS, draw_settings, matters
from .setup import draw_verbs


def active_kind(context: bpy.types.Context) -> Kind | None:
    """What the active object is in the simulation, None when it takes no part."""
    return None if context.object is None else kind_of(context.object)


def _painted_on(ob: bpy.types.Object, kind: Kind) -> bpy.types.Object | None:
    """The object itself where its parameters may differ from vertex to vertex."""
    return ob if kind.is_particles and ob.type == "MESH" else None


def draw_object(layout: bpy.types.UILayout, ob: bpy.types.Object, kind: Kind) -> None:
    """The active object's settings; greyed out while it is baked."""
    baked = bake_record.baked_range(ob)
    layout.label(text=f"{ob.name}: {kind.label}", icon=kind.icon)
    if baked is not None:
        layout.label(text=f"Baked {baked[0]}–{baked[1]}", icon="LOCKED")
    column = layout.column()
    column.active = baked is None
    _draw_preset(column, ob, kind)
    if kind.is_particles:
        _draw_pins(column, ob)
    painted_on = _painted_on(ob, kind)
    elsewhere = {*AT_START, *TEARING_SETTINGS}
    names = [name for name in panel_fields(kind.settings, advanced=False) if name not in elsewhere]
    draw_settings(column, group_of(ob, kind), kind.settings, names=names, painted_on=painted_on)
    if kind.moves == "BONES":
        draw_learning(column, selected_only=False)
        column.operator("verlet.ragdoll_between", icon="KEY_HLT")


def _draw_preset(layout: bpy.types.UILayout, ob: bpy.types.Object, kind: Kind) -> None:
    row = layout.row(align=True)
    row.menu("VERLET_MT_preset", text=presets.label(ob, kind), icon="PRESET")
    row.operator("verlet.save_preset", text="", icon="ADD")
    row.operator("verlet.delete_preset", text="", icon="REMOVE")
    row.separator()
    row.operator("verlet.copy_to_selected", text="", icon="COPYDOWN")
    row.operator_menu_enum("verlet.select_similar", "by", text="", icon="RESTRICT_SELECT_OFF")


def _draw_pins(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    layout.use_property_split = True
    layout.use_property_decorate = False
    if ob.type == "CURVE":
        count = pinned_point_count(ob)
        points = f"{count} control point{'s' if count != 1 else ''} pinned"
        layout.label(text=points if count else "Not pinned", icon="PINNED")
    else:
        name = ob.verlet.pin_group
        row = layout.row()
        row.alert = bool(name) and name not in ob.vertex_groups
        row.prop_search(ob.verlet, "pin_group", ob, "vertex_groups")
    row = layout.row(align=True)
    if ob.mode == "EDIT":
        row.operator("verlet.pin_selected", text="Pin", icon="PINNED")
        row.operator("verlet.pin_selected", text="Unpin", icon="UNPINNED").unpin = True
    elif ob.verlet.kind == "ROPE":
        row.operator("verlet.pin_ends", icon="PINNED")
        row.operator("verlet.unpin_all", icon="UNPINNED")
    if ob.verlet.pin_group or ob.verlet.pin_points:
        _draw_pin_target(layout, ob)


def _draw_pin_target(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    """What the pins follow, and which ragdoll they load."""
    layout.prop(ob.verlet, "pin_target")
    target = ob.verlet.pin_target
    if target is not None and target.type == "ARMATURE":
        row = layout.row()
        row.alert = garment.is_bone_missing(ob)
        row.prop_search(ob.verlet, "pin_bone", target.data, "bones", icon="BONE_DATA")
    elif (
        target is None
        and (wearer := garment.wearer(ob)) is not None
        and can_be_tied(ob.verlet.kind)
    ):
        layout.label(text=f"Worn by {wearer.name}", icon="ARMATURE_DATA")


def draw_impulse(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    """What an explosion or a hit does, and when."""
    layout.label(text=ob.name, icon="FORCE_FORCE")
    draw_settings(layout, ob.verlet.impulse, ImpulseSettings)
    layout.prop(ob.verlet, "impulse_frame")


class _ObjectPanel(bpy.types.Panel):
    bl_label = "Object"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        is_impulse = context.object is not None and context.object.verlet.is_impulse
        return is_impulse or active_kind(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        if context.object.verlet.is_impulse:
            draw_impulse(self.layout, context.object)
        else:
            draw_object(self.layout, context.object, active_kind(context))
            draw_joints_of(self.layout, context.object, context.scene)


class _StartPanel(bpy.types.Panel):
    bl_label = "Initial Velocity"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        kind = active_kind(context)
        has_some = kind is not None and not {*AT_START}.isdisjoint(
            panel_fields(kind.settings, advanced=False)
        )
        return has_some and participants.is_moved(context.object)

    def draw(self, context: bpy.types.Context) -> None:
        ob, kind = context.object, active_kind(context)
        self.layout.active = not bake_record.is_baked(ob)
        names = [name for name in panel_fields(kind.settings, advanced=False) if name in AT_START]
        draw_settings(self.layout, group_of(ob, kind), kind.settings, names=names)


class _TearingPanel(bpy.types.Panel):
    bl_label = "Tearing"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None and may_tear(context.object)

    def draw(self, context: bpy.types.Context) -> None:
        ob, kind, layout = context.object, active_kind(context), self.layout
        layout.active = not bake_record.is_baked(ob)
        draw_settings(layout, group_of(ob, kind), kind.settings, names=TEARING_SETTINGS)
        layout.use_property_split = True
        row = layout.row()
        row.alert = bool(ob.verlet.tear_group) and ob.verlet.tear_group not in ob.vertex_groups
        row.prop_search(ob.verlet, "tear_group", ob, "vertex_groups")
        row = layout.row()
        row.use_property_decorate = True
        row.prop(ob.verlet.animated, "strength", text="Keyed Factor")
        row = layout.row(align=True)
        row.operator("verlet.make_tearable", icon="MOD_EDGESPLIT")
        if is_split(ob):
            row.operator("verlet.make_tearable", text="Make Whole", icon="MESH_DATA").whole = True


class _AnimatePanel(bpy.types.Panel):
    bl_label = "Animate"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        kind = active_kind(context)
        is_passive = kind is not None and not participants.is_moved(context.object)
        return kind is not None and bool(kind.animated) and not is_passive

    def draw(self, context: bpy.types.Context) -> None:
        layout, ob = self.layout, context.object
        layout.use_property_split = True
        layout.use_property_decorate = True
        layout.active = not bake_record.is_baked(ob)
        column = layout.column()
        kind = active_kind(context)
        for name in kind.animated:
            if name in TEARING_SETTINGS:
                continue  # in its own panel
            if (kind.identifier, name) != ("BODY", "pin"):
                column.prop(ob.verlet.animated, name)
            elif ob.verlet.body.type == "ANIMATED":
                row = column.row()
                row.use_property_split = False  # no room for this label beside the slider
                row.prop(ob.verlet.animated, name, text="Follow Animation")
                row.prop_decorator(ob.verlet.animated, name)


class _AdvancedPanel(bpy.types.Panel):
    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        kind = active_kind(context)
        if kind is None:
            return False
        group = group_of(context.object, kind)
        return any(matters(group, name) for name in panel_fields(kind.settings, advanced=True))

    def draw(self, context: bpy.types.Context) -> None:
        ob, kind = context.object, active_kind(context)
        self.layout.active = not bake_record.is_baked(ob)
        draw_settings(
            self.layout,
            group_of(ob, kind),
            kind.settings,
            advanced=True,
            painted_on=_painted_on(ob, kind),
        )


class VERLET_PT_object(Sidebar, _ObjectPanel):
    """Settings of the active object; an edit holds for all selected objects of its kind"""

    bl_idname = "VERLET_PT_object"
    bl_order = 4  # below the bone, which Pose Mode is about

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        kind = active_kind(context)
        page = "world" if kind is None else kind.verb
        draw_button(self.layout, page=f"manual/{page}.html")


class VERLET_PT_object_start(Sidebar, _StartPanel):
    """How it moves when the simulation starts, beside what its animation gives it"""

    bl_idname = "VERLET_PT_object_start"
    bl_parent_id = "VERLET_PT_object"


class VERLET_PT_object_tearing(Sidebar, _TearingPanel):
    """At what pull cloth and ropes part, and where"""

    bl_idname = "VERLET_PT_object_tearing"
    bl_parent_id = "VERLET_PT_object"


class VERLET_PT_object_animate(Sidebar, _AnimatePanel):
    """Factors that can be keyed: let go of pins, stiffen, or take the wind away"""

    bl_idname = "VERLET_PT_object_animate"
    bl_parent_id = "VERLET_PT_object"


class VERLET_PT_object_advanced(Sidebar, _AdvancedPanel):
    """Settings in physical units"""

    bl_idname = "VERLET_PT_object_advanced"
    bl_parent_id = "VERLET_PT_object"


class VERLET_PT_physics(PhysicsTab, bpy.types.Panel):
    """The active object in the simulation"""

    bl_idname = "VERLET_PT_physics"
    bl_label = "Verlet"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        ob = context.object
        return ob is not None and (ob.type == "MESH" or ob.type in WAY_OUT or ob.verlet.is_impulse)

    def draw(self, context: bpy.types.Context) -> None:
        kind = active_kind(context)
        if context.object.verlet.is_impulse:
            draw_impulse(self.layout, context.object)
        elif kind is not None:
            draw_object(self.layout, context.object, kind)
            self.layout.operator("verlet.remove", icon="X")
        else:
            draw_verbs(self.layout)


class VERLET_PT_physics_start(PhysicsTab, _StartPanel):
    """How it moves when the simulation starts, beside what its animation gives it"""

    bl_idname = "VERLET_PT_physics_start"
    bl_parent_id = "VERLET_PT_physics"


class VERLET_PT_physics_tearing(PhysicsTab, _TearingPanel):
    """At what pull cloth and ropes part, and where"""

    bl_idname = "VERLET_PT_physics_tearing"
    bl_parent_id = "VERLET_PT_physics"


class VERLET_PT_physics_animate(PhysicsTab, _AnimatePanel):
    """Factors that can be keyed: let go of pins, stiffen, or take the wind away"""

    bl_idname = "VERLET_PT_physics_animate"
    bl_parent_id = "VERLET_PT_physics"


class VERLET_PT_physics_advanced(PhysicsTab, _AdvancedPanel):
    """Settings in physical units"""

    bl_idname = "VERLET_PT_physics_advanced"
    bl_parent_id = "VERLET_PT_physics"


CLASSES = (
    VERLET_PT_object,
    VERLET_PT_object_start,
    VERLET_PT_object_tearing,
    VERLET_PT_object_animate,
    VERLET_PT_object_advanced,
    VERLET_PT_physics,
    VERLET_PT_physics_start,
    VERLET_PT_physics_tearing,
    VERLET_PT_physics_animate,
    VERLET_PT_physics_advanced,
)
