"""``Object.verlet.joint``: what a joint joins, and its settings."""

from typing import Any

import bpy

from ...core.settings import JointSettings
from .. import session
from .edits import after_edit
from .kinds import RAGDOLL, can_be_tied
from .tunable_properties import properties_of, refuse_keys

KEYED_OF_JOINTS = ("motor_speed", "motor_target")
"""What of a joint is read in every frame."""


def _may_be_joined(group: Any, target: bpy.types.Object) -> bool:
    kind = target.verlet.kind
    is_solid = kind in {"BODY", "COLLIDER", RAGDOLL}
    return target != group.id_data and (is_solid or can_be_tied(kind))


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
