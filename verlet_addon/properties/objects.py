"""``Object.verlet``: what one object is in the simulation."""

from typing import Any

import bpy

from ...core.settings import AnimatedSettings, ImpulseSettings
from .edits import after_edit
from .joints import VerletJoint
from .kinds import KINDS, Kind
from .rest_pose import VerletRestPose
from .tunable_properties import group_made_of, refuse_keys, settings_from

_KIND_ITEMS = (
    ("NONE", "None", "Takes no part in the simulation", "X", 0),
    *(
        (kind.identifier, kind.label, kind.tooltip, kind.icon, kind.number)
        for kind in KINDS.values()
    ),
)

VerletAnimated = group_made_of(AnimatedSettings, "VerletAnimated", is_keyed=True)
VerletImpulse = group_made_of(ImpulseSettings, "VerletImpulse")
GROUP_OF_KIND = {
    kind.group: group_made_of(
        kind.settings,
        f"Verlet{kind.group.title().replace('_', '')}",
        is_painted=kind.is_particles,
    )
    for kind in KINDS.values()
}


def _may_be_pin_target(group: Any, target: bpy.types.Object) -> bool:
    return target != group.id_data


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
    tear_group: bpy.props.StringProperty(
        name="Tear Group",
        description="Only what lies in this vertex group tears: paint seams and weak spots. With a "
        "weight of 1 at its strength, with one half at twice as much. Press Make Tearable again "
        "when the group has grown",
        update=after_edit("tear_group"),
        override={"LIBRARY_OVERRIDABLE"},
    )
    whole_mesh: bpy.props.PointerProperty(
        type=bpy.types.Mesh,
        name="Whole Mesh",
        description="The object's own mesh while it may tear: it comes back with Make Whole",
        options={"HIDDEN"},
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


for _name, _group in GROUP_OF_KIND.items():
    VerletObject.__annotations__[_name] = bpy.props.PointerProperty(
        type=_group, override={"LIBRARY_OVERRIDABLE"}
    )


refuse_keys(VerletObject.__annotations__)


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
