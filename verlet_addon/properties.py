"""Blender's view of the settings: PropertyGroups made from the core's dataclasses.

A parameter's range, default, unit and description stand in ``core/settings/`` and nowhere
else. What is stored besides them is which objects take part and what the preview must restore.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, TypeVar

import bpy
import numpy as np

from ..core.settings import (
    AnimatedSettings,
    BoneAnimatedSettings,
    BoneSettings,
    ImpulseSettings,
    JointSettings,
    PinSettings,
    SolverSettings,
    Tunable,
    WindSettings,
    tunables,
)
from . import session
from .kinds import KINDS, RAGDOLL, Kind, can_be_tied

_KIND_ITEMS = (
    ("NONE", "None", "Takes no part in the simulation", "X", 0),
    *(
        (kind.identifier, kind.label, kind.tooltip, kind.icon, kind.number)
        for kind in KINDS.values()
    ),
)
_ROOT_MOTIONS = (
    ("BONES", "Simulated Bones", "The armature object stays where it is, its bones move"),
    (
        "OBJECT",
        "Armature Object",
        "The object goes along with the body, and the bones move in place: what game engines read "
        "as root motion from the object",
    ),
    (
        "ROOT",
        "Root Bone",
        "The bone at the top of the hierarchy, if it is not simulated, goes along with the body: "
        "what game engines read as root motion from a root bone",
    ),
)

_BENDING = {kind.identifier for kind in KINDS.values() if kind.is_particles}
PAINT_SUFFIX = "_group"  # a parameter's vertex group: bend → bend_group

# Units that Blender shows itself; every other unit is named in the tooltip.
_BLENDER_UNIT = {
    "m": "LENGTH",
    "m/s": "VELOCITY",
    "kg": "MASS",
    "m/s²": "ACCELERATION",
    "rad": "ROTATION",
}
_VECTOR_SUBTYPE = {
    "m": "TRANSLATION",
    "m/s": "VELOCITY",
    "m/s²": "ACCELERATION",
    "rad": "EULER",
}
_EDITED_BY_HAND = {"VIEW_3D", "PROPERTIES"}

Settings = TypeVar("Settings")
Update = Callable[[Any, bpy.types.Context], None]


def settings_from(group: bpy.types.PropertyGroup, settings: type[Settings]) -> Settings:
    """The settings dataclass with the values of a PropertyGroup that was made from it."""
    return settings(**{name: _number(getattr(group, name)) for name in tunables(settings)})


def _number(value: Any) -> Any:
    """A property's value as the decimal the user typed.

    Blender keeps 32-bit floats, in which 0.0001 lies below a minimum of 0.0001.
    """
    if isinstance(value, float):
        return float(str(np.float32(value)))
    if isinstance(value, bool | int | str):
        return value
    return tuple(_number(component) for component in value)


def _property(name: str, default: Any, about: Tunable, update: Update) -> Any:
    """The Blender property of one tunable."""
    unit = _BLENDER_UNIT.get(about.unit, "NONE")
    description = about.description
    if about.unit and unit == "NONE":
        description += f". In {about.unit}"
    common: dict[str, Any] = {
        "name": about.label,
        "description": description,
        "default": default,
        "update": update,
        "override": {"LIBRARY_OVERRIDABLE"},
    }
    if about.choices:
        return bpy.props.EnumProperty(items=about.choices, **common)
    if isinstance(default, bool):
        return bpy.props.BoolProperty(**common)
    if isinstance(default, tuple) and isinstance(default[0], bool):
        subtype = "XYZ" if len(default) == 3 else "LAYER"
        return bpy.props.BoolVectorProperty(size=len(default), subtype=subtype, **common)
    for ours, theirs in (
        ("minimum", "min"),
        ("maximum", "max"),
        ("soft_minimum", "soft_min"),
        ("soft_maximum", "soft_max"),
    ):
        if (limit := getattr(about, ours)) is not None:
            common[theirs] = limit
    if isinstance(default, int):
        return bpy.props.IntProperty(**common)
    if isinstance(default, tuple):
        return bpy.props.FloatVectorProperty(
            size=len(default), subtype=_VECTOR_SUBTYPE.get(about.unit, "XYZ"), precision=2, **common
        )
    is_factor = not about.unit and about.minimum == 0.0 and about.maximum == 1.0
    return bpy.props.FloatProperty(
        subtype="FACTOR" if is_factor else "NONE", unit=unit, precision=3, **common
    )


def _after_edit(name: str) -> Update:
    """What happens when the user changes the property called ``name``."""

    def update(group: Any, context: bpy.types.Context) -> None:
        session.suspect_all()
        _copy_to_selected(group, name, context)

    return update


def _copy_to_selected(group: Any, name: str, context: bpy.types.Context) -> None:
    """An edit by hand on the active object holds for all selected objects of its kind.

    Scripts set one property on one object, so only edits from the panels are passed on. The
    others are not the active object, so that their own updates end here.
    """
    ob = group.id_data
    by_hand = context.area is not None and context.area.type in _EDITED_BY_HAND
    if not by_hand or not isinstance(ob, bpy.types.Object) or ob != context.object:
        return
    path = group.path_from_id()
    for other in context.selected_objects:
        if other != ob and other.is_editable and _is_alike(other.verlet, ob.verlet):
            setattr(other.path_resolve(path), name, getattr(group, name))


def _after_bone_edit(name: str) -> Update:
    """What happens when the user changes the property called ``name`` of a pose bone.

    An edit by hand on the active bone holds for all selected bones.
    """

    def update(group: Any, context: bpy.types.Context) -> None:
        session.suspect_all()
        active = context.active_pose_bone
        by_hand = context.area is not None and context.area.type in _EDITED_BY_HAND
        if not by_hand or active is None or group not in (active, active.verlet):
            return
        for bone in context.selected_pose_bones or ():
            if bone != active and bone.id_data.is_editable:
                if group == active:
                    setattr(bone, bone_channel(name), getattr(active, bone_channel(name)))
                else:
                    setattr(bone.verlet, name, getattr(group, name))

    return update


def _is_alike(a: Any, b: Any) -> bool:
    """Whether two objects are the same in the simulation."""
    return a.kind == b.kind and a.is_joint == b.is_joint


def paintable(settings: type) -> list[str]:
    """Names of the parameters that a vertex group may scale."""
    return [name for name, (_, about) in tunables(settings).items() if about.paintable]


def _paint_property(name: str, about: Tunable) -> Any:
    """The vertex group that scales one parameter."""
    return bpy.props.StringProperty(
        name=f"{about.label} Group",
        description=f"Vertex group whose weights scale {about.label}: 1 is the full value, 0 none "
        "of it. Empty: the full value everywhere",
        update=_after_edit(name + PAINT_SUFFIX),
        override={"LIBRARY_OVERRIDABLE"},
    )


def _properties_of(
    settings: type, *, is_painted: bool = False, after: Callable[[str], Update] = _after_edit
) -> dict[str, Any]:
    """One property for each tunable of a settings dataclass, by name.

    Where it ``is_painted``, what is paintable has a second one, with the name of a vertex group.
    """
    found = {}
    for name, (default, about) in tunables(settings).items():
        found[name] = _property(name, default, about, after(name))
        if is_painted and about.paintable:
            found[name + PAINT_SUFFIX] = _paint_property(name, about)
    return found


def _group_of(
    settings: type, class_name: str, *, is_painted: bool = False
) -> type[bpy.types.PropertyGroup]:
    """A PropertyGroup with the properties of a settings dataclass."""
    body = {
        "__annotations__": _properties_of(settings, is_painted=is_painted),
        "__doc__": settings.__doc__,
        "__module__": __name__,
    }
    return type(class_name, (bpy.types.PropertyGroup,), body)


VerletSolver = _group_of(SolverSettings, "VerletSolver")
VerletWind = _group_of(WindSettings, "VerletWind")
VerletAnimated = _group_of(AnimatedSettings, "VerletAnimated")
VerletImpulse = _group_of(ImpulseSettings, "VerletImpulse")
_GROUP_OF_KIND = {
    kind.group: _group_of(
        kind.settings,
        f"Verlet{kind.group.title().replace('_', '')}",
        is_painted=kind.is_particles,
    )
    for kind in KINDS.values()
}


class VerletRestPose(bpy.types.PropertyGroup):
    """The user's own transform of a body, kept while the preview moves the object.

    It lies in the file, so that it comes back even after a crash and a recovered session.
    """

    owner: bpy.props.StringProperty(
        description="Session id of the object that the pose was taken from: a duplicate of a "
        "previewed object carries a copy that is not its own",
        options={"HIDDEN"},
    )
    location: bpy.props.FloatVectorProperty(size=3, options={"HIDDEN"})
    rotation_mode: bpy.props.StringProperty(options={"HIDDEN"})
    rotation: bpy.props.FloatVectorProperty(size=4, options={"HIDDEN"})
    muted_constraints: bpy.props.StringProperty(
        description="Names of the constraints that the preview switched off, one a line",
        options={"HIDDEN"},
    )


def _may_be_pin_target(group: Any, target: bpy.types.Object) -> bool:
    return target != group.id_data


def _may_be_joined(group: Any, target: bpy.types.Object) -> bool:
    kind = target.verlet.kind
    is_solid = kind in {"BODY", "COLLIDER", RAGDOLL}
    return target != group.id_data and (is_solid or can_be_tied(kind))


def _may_hold_bone(group: Any, target: bpy.types.Object) -> bool:
    kind = target.verlet.kind
    return target != group.id_data and kind != RAGDOLL and kind not in _BENDING


def _suspect(group: Any, context: bpy.types.Context) -> None:
    session.suspect_all()


class VerletJoint(bpy.types.PropertyGroup):
    """A joint: its settings, and what it joins."""

    object_a: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Object A",
        description="One of the two that are joined. Empty: the world",
        poll=_may_be_joined,
        update=_suspect,
        override={"LIBRARY_OVERRIDABLE"},
    )
    object_b: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Object B",
        description="The other one of the two that are joined. Empty: the world",
        poll=_may_be_joined,
        update=_suspect,
        override={"LIBRARY_OVERRIDABLE"},
    )
    lower_angle: bpy.props.FloatProperty(
        name="Lower",
        description="Smallest angle of a hinge or a twist",
        unit="ROTATION",
        get=lambda group: group.lower,
        set=lambda group, value: setattr(group, "lower", value),
    )
    upper_angle: bpy.props.FloatProperty(
        name="Upper",
        description="Largest angle of a hinge or a twist",
        unit="ROTATION",
        get=lambda group: group.upper,
        set=lambda group, value: setattr(group, "upper", value),
    )
    tie_radius: bpy.props.FloatProperty(
        name="Radius",
        description="Of a joint with cloth, a rope or a soft body: vertices within this distance "
        "of the empty are tied to the rigid body. 0: the nearest one",
        min=0.0,
        soft_max=1.0,
        unit="LENGTH",
        precision=3,
        update=_after_edit("tie_radius"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    is_made: bpy.props.BoolProperty(
        description="Ragdoll has made the joint between pieces, and Remove deletes it",
        options={"HIDDEN"},
    )
    source: bpy.props.PointerProperty(
        type=bpy.types.Object,
        description="The object whose rigid body constraint of Blender this joint was made from",
        options={"HIDDEN"},
    )


VerletJoint.__annotations__.update(_properties_of(JointSettings))


class VerletBone(bpy.types.PropertyGroup):
    """``PoseBone.verlet``: what one bone of a ragdoll is, and what it is pinned to."""

    rest: bpy.props.PointerProperty(type=VerletRestPose)
    pin_target: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Pin To",
        description="The object that holds an end of the bone: an empty by its origin, any other "
        "where that end is at the start. A rigid body is held in turn",
        poll=_may_hold_bone,
        update=_after_bone_edit("pin_target"),
        override={"LIBRARY_OVERRIDABLE"},
    )


for _settings in (BoneSettings, PinSettings):
    VerletBone.__annotations__.update(_properties_of(_settings, after=_after_bone_edit))

_KEYED_BONE_PREFIX = "verlet_"
_KEYED_BONE = _properties_of(BoneAnimatedSettings, after=_after_bone_edit)
"""Properties of pose bones themselves: Blender cannot key what lies in a group of theirs."""


class VerletObject(bpy.types.PropertyGroup):
    """What one object is in the simulation."""

    kind: bpy.props.EnumProperty(
        name="Kind",
        description="What the object is in the simulation",
        items=_KIND_ITEMS,
        default="NONE",
        update=_after_edit("kind"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    pin_group: bpy.props.StringProperty(
        name="Pin Group",
        description="Vertices of this vertex group go where the object's own animation, armature "
        "and shape keys take them. A weight of 1 holds them there, a smaller one draws them",
        update=_after_edit("pin_group"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    pin_points: bpy.props.StringProperty(
        name="Pinned Points",
        description="Numbers of the control points of a curve that are pinned, and how many "
        "points it had then: Pin Selected and Pin Ends write it",
        options={"HIDDEN"},
        update=_after_edit("pin_points"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    own_handles: bpy.props.StringProperty(
        description="Types of the curve's handles before it became a rope, if some were automatic",
        options={"HIDDEN"},
    )
    pin_target: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Pin To",
        description="The pins follow this object and not the one that they belong to. A rigid "
        "body or a ragdoll is held by them in turn: what hangs on it weighs on it",
        poll=_may_be_pin_target,
        update=_after_edit("pin_target"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    pin_bone: bpy.props.StringProperty(
        name="Bone",
        description="The bone of the armature that the pins follow. Empty: the armature, and of a "
        "ragdoll whatever bone is nearest",
        update=_after_edit("pin_bone"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    animated: bpy.props.PointerProperty(type=VerletAnimated, override={"LIBRARY_OVERRIDABLE"})
    is_impulse: bpy.props.BoolProperty(
        name="Impulse",
        description="The object pushes everything around it at one moment",
        update=_after_edit("is_impulse"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    impulse: bpy.props.PointerProperty(type=VerletImpulse, override={"LIBRARY_OVERRIDABLE"})
    impulse_frame: bpy.props.IntProperty(
        name="Frame",
        description="Frame in which it pushes",
        default=1,
        update=_after_edit("impulse_frame"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    is_handle: bpy.props.BoolProperty(
        description="The empty was made to pin a bone to: Unpin removes it",
        options={"HIDDEN"},
    )
    is_joint: bpy.props.BoolProperty(
        name="Joint",
        description="The empty joins two objects where it stands at the start",
        update=_after_edit("is_joint"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    joint: bpy.props.PointerProperty(type=VerletJoint, override={"LIBRARY_OVERRIDABLE"})
    rest: bpy.props.PointerProperty(type=VerletRestPose)


for _name, _group in _GROUP_OF_KIND.items():
    VerletObject.__annotations__[_name] = bpy.props.PointerProperty(
        type=_group, override={"LIBRARY_OVERRIDABLE"}
    )


def bone_channel(name: str) -> str:
    """The property of a pose bone that holds a field of `BoneAnimatedSettings`."""
    return _KEYED_BONE_PREFIX + name


def animated_of_bone(bone: bpy.types.PoseBone) -> BoneAnimatedSettings:
    """The keyed factors of a bone; pass one of the evaluated armature."""
    return BoneAnimatedSettings(
        **{name: _number(getattr(bone, bone_channel(name))) for name in _KEYED_BONE}
    )


def _show_again(group: Any, context: bpy.types.Context) -> None:
    from . import overlays, redraw  # they import this module

    overlays.forget()
    redraw.panels()


class VerletScene(bpy.types.PropertyGroup):
    """How a scene is simulated."""

    solver: bpy.props.PointerProperty(type=VerletSolver)
    wind: bpy.props.PointerProperty(type=VerletWind)
    use_own_start: bpy.props.BoolProperty(
        name="Own Start Frame",
        description="Start the simulation at a frame of its own and not at the scene's first",
        update=_after_edit("use_own_start"),
    )
    own_start: bpy.props.IntProperty(
        name="Start Frame",
        description="Frame in which everything is at its place and the simulation begins",
        default=1,
        update=_after_edit("own_start"),
    )
    reduce_keys: bpy.props.BoolProperty(
        name="Reduce Keys",
        description="Leave out keys of rigid bodies and bones where the motion between the others "
        "is as good as straight. Off: a key in every frame",
    )
    place_tolerance: bpy.props.FloatProperty(
        name="Place",
        description="How far a body, or the head of a bone, may be off in any frame for it. In mm",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        precision=3,
    )
    angle_tolerance: bpy.props.FloatProperty(
        name="Angle",
        description="How far a body or a bone may be turned off in any frame for it",
        default=math.radians(0.5),
        min=0.0,
        max=math.pi,
        subtype="ANGLE",
    )
    root_motion: bpy.props.EnumProperty(
        name="Root Motion",
        description="What carries a ragdoll from place to place in the bake",
        items=_ROOT_MOTIONS,
    )
    root_height: bpy.props.BoolProperty(
        name="Height Too",
        description="It also goes up and down with the body. Off: it stays at its height, as on "
        "the ground",
    )
    show_joints: bpy.props.BoolProperty(
        name="Joints",
        description="Show joints in the 3D view: their axes, their limits and what they join",
        default=True,
        update=_show_again,
    )
    show_shapes: bpy.props.BoolProperty(
        name="Collision Shapes",
        description="Show in the 3D view what really collides in place of the meshes, once it is "
        "simulated",
        update=_show_again,
    )


def start_frame(scene: bpy.types.Scene) -> int:
    """The frame in which the simulation begins."""
    return scene.verlet.own_start if scene.verlet.use_own_start else scene.frame_start


def kind_of(ob: bpy.types.Object) -> Kind | None:
    """What an object is in the simulation, None when it takes no part."""
    kind = KINDS.get(ob.verlet.kind)
    return kind if kind is not None and ob.type in kind.object_types else None


def group_of(ob: bpy.types.Object, kind: Kind) -> Any:
    """The PropertyGroup with an object's settings of a kind."""
    return getattr(ob.verlet, kind.group)


def settings_of(ob: bpy.types.Object) -> Any:
    """The settings dataclass of an object's kind, None for an object that takes no part."""
    kind = KINDS.get(ob.verlet.kind)
    return None if kind is None else settings_from(group_of(ob, kind), kind.settings)


def panel_fields(settings: type, *, advanced: bool) -> list[str]:
    """Names of the parameters that a panel or its Advanced sub-panel shows, in order."""
    return [name for name, (_, about) in tunables(settings).items() if about.advanced == advanced]


def shared_values(values: Any, settings: type[Settings]) -> Settings:
    """Settings of one class from another's fields of the same name, defaults for the rest."""
    known = {field.name for field in dataclasses.fields(settings)}  # type: ignore[arg-type]
    return settings(
        **{name: value for name, value in dataclasses.asdict(values).items() if name in known}
    )


CLASSES = (
    VerletSolver,
    VerletWind,
    VerletAnimated,
    VerletImpulse,
    *_GROUP_OF_KIND.values(),
    VerletRestPose,
    VerletJoint,
    VerletBone,
    VerletObject,
    VerletScene,
)


def register() -> None:
    """Register the groups and hang them on objects and scenes."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.verlet = bpy.props.PointerProperty(
        type=VerletObject, override={"LIBRARY_OVERRIDABLE"}
    )
    bpy.types.PoseBone.verlet = bpy.props.PointerProperty(
        type=VerletBone, override={"LIBRARY_OVERRIDABLE"}
    )
    for name, value in _KEYED_BONE.items():
        setattr(bpy.types.PoseBone, bone_channel(name), value)
    bpy.types.Scene.verlet = bpy.props.PointerProperty(type=VerletScene)


def unregister() -> None:
    """Take them away again; the values stay in the file."""
    del bpy.types.Scene.verlet
    for name in _KEYED_BONE:
        delattr(bpy.types.PoseBone, bone_channel(name))
    del bpy.types.PoseBone.verlet
    del bpy.types.Object.verlet
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
