"""Blender's view of the settings: what is stored in scenes, objects and pose bones.

A parameter's range, default, unit and description stand in ``core/settings/`` and nowhere
else (`tunable_properties`). What is stored besides them is which objects take part and what the
preview must restore.
"""

import math
from typing import Any

import bpy

from ..core.settings import (
    AnimatedSettings,
    BoneAnimatedSettings,
    BoneSettings,
    ImpulseSettings,
    JointSettings,
    PinSettings,
    SolverSettings,
    WindSettings,
    tunables,
)
from . import redraw, session
from .edits import after_bone_edit, after_edit
from .kinds import KINDS, RAGDOLL, Kind, can_be_tied
from .tunable_properties import (
    group_made_of,
    number_of,
    properties_of,
    refuse_keys,
    settings_from,
)

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

KEYED_OF_JOINTS = ("motor_speed", "motor_target")
"""What of a joint is read in every frame."""

_BENDING = {kind.identifier for kind in KINDS.values() if kind.is_particles}

VerletSolver = group_made_of(SolverSettings, "VerletSolver")
VerletWind = group_made_of(WindSettings, "VerletWind", is_keyed=True)
VerletAnimated = group_made_of(AnimatedSettings, "VerletAnimated", is_keyed=True)
VerletImpulse = group_made_of(ImpulseSettings, "VerletImpulse")
_GROUP_OF_KIND = {
    kind.group: group_made_of(
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
        update=after_edit("tie_radius"),
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


VerletJoint.__annotations__.update(properties_of(JointSettings, keyed=KEYED_OF_JOINTS))
refuse_keys(VerletJoint.__annotations__, KEYED_OF_JOINTS)


class VerletBone(bpy.types.PropertyGroup):
    """``PoseBone.verlet``: what one bone of a ragdoll is, and what it is pinned to."""

    rest: bpy.props.PointerProperty(type=VerletRestPose)
    pin_target: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Pin To",
        description="The object that holds an end of the bone: an empty by its origin, any other "
        "where that end is at the start. A rigid body is held in turn",
        poll=_may_hold_bone,
        update=after_bone_edit("pin_target"),
        override={"LIBRARY_OVERRIDABLE"},
    )


for _settings in (BoneSettings, PinSettings):
    VerletBone.__annotations__.update(properties_of(_settings, after=after_bone_edit))
refuse_keys(VerletBone.__annotations__)

_KEYED_BONE_PREFIX = "verlet_"


def bone_channel(name: str) -> str:
    """The property of a pose bone that holds a field of `BoneAnimatedSettings`."""
    return _KEYED_BONE_PREFIX + name


_KEYED_BONE = properties_of(
    BoneAnimatedSettings,
    after=lambda name: after_bone_edit(bone_channel(name)),
    keyed=tunables(BoneAnimatedSettings),
)
"""Properties of pose bones themselves: Blender cannot key what lies in a group of theirs."""


class VerletObject(bpy.types.PropertyGroup):
    """What one object is in the simulation."""

    kind: bpy.props.EnumProperty(
        name="Kind",
        description="What the object is in the simulation",
        items=_KIND_ITEMS,
        default="NONE",
        update=after_edit("kind"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    pin_group: bpy.props.StringProperty(
        name="Pin Group",
        description="Vertices of this vertex group go where the object's own animation, armature "
        "and shape keys take them. A weight of 1 holds them there, a smaller one draws them",
        update=after_edit("pin_group"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    pin_points: bpy.props.StringProperty(
        name="Pinned Points",
        description="Numbers of the control points of a curve that are pinned, and how many "
        "points it had then: Pin Selected and Pin Ends write it",
        options={"HIDDEN"},
        update=after_edit("pin_points"),
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
        update=after_edit("pin_target"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    pin_bone: bpy.props.StringProperty(
        name="Bone",
        description="The bone of the armature that the pins follow. Empty: the armature, and of a "
        "ragdoll whatever bone is nearest",
        update=after_edit("pin_bone"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    animated: bpy.props.PointerProperty(type=VerletAnimated, override={"LIBRARY_OVERRIDABLE"})
    is_impulse: bpy.props.BoolProperty(
        name="Impulse",
        description="The object pushes everything around it at one moment",
        update=after_edit("is_impulse"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    impulse: bpy.props.PointerProperty(type=VerletImpulse, override={"LIBRARY_OVERRIDABLE"})
    impulse_frame: bpy.props.IntProperty(
        name="Frame",
        description="Frame in which it pushes",
        default=1,
        update=after_edit("impulse_frame"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    own_physics: bpy.props.StringProperty(
        description="Modifiers of Blender's own physics that were switched off when the object was "
        "converted, one a line, each after its switches for the view and for renders",
        options={"HIDDEN"},
    )
    is_handle: bpy.props.BoolProperty(
        description="The empty was made to pin a bone to: Unpin removes it",
        options={"HIDDEN"},
    )
    is_joint: bpy.props.BoolProperty(
        name="Joint",
        description="The empty joins two objects where it stands at the start",
        update=after_edit("is_joint"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    joint: bpy.props.PointerProperty(type=VerletJoint, override={"LIBRARY_OVERRIDABLE"})
    rest: bpy.props.PointerProperty(type=VerletRestPose)


for _name, _group in _GROUP_OF_KIND.items():
    VerletObject.__annotations__[_name] = bpy.props.PointerProperty(
        type=_group, override={"LIBRARY_OVERRIDABLE"}
    )


refuse_keys(VerletObject.__annotations__)


def animated_of_bone(bone: bpy.types.PoseBone) -> BoneAnimatedSettings:
    """The keyed factors of a bone; pass one of the evaluated armature."""
    return BoneAnimatedSettings(
        **{name: number_of(getattr(bone, bone_channel(name))) for name in _KEYED_BONE}
    )


def _show_again(group: Any, context: bpy.types.Context) -> None:
    redraw.everything()


class VerletScene(bpy.types.PropertyGroup):
    """How a scene is simulated."""

    solver: bpy.props.PointerProperty(type=VerletSolver)
    wind: bpy.props.PointerProperty(type=VerletWind)
    use_own_start: bpy.props.BoolProperty(
        name="Own Start Frame",
        description="Start the simulation at a frame of its own and not at the scene's first",
        update=after_edit("use_own_start"),
    )
    own_start: bpy.props.IntProperty(
        name="Start Frame",
        description="Frame in which everything is at its place and the simulation begins",
        default=1,
        update=after_edit("own_start"),
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
    place_bound: bpy.props.FloatProperty(
        name="Place",
        description="How far a body, or the head of a bone, may be off in any frame for it",
        min=0.0,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
        get=lambda group: group.place_tolerance / 1000.0,
        set=lambda group, value: setattr(group, "place_tolerance", value * 1000.0),
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


refuse_keys(VerletScene.__annotations__)


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
