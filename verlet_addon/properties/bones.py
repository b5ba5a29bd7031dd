"""``PoseBone.verlet``: what one bone of a ragdoll is, and its factors that may be keyed."""

from typing import Any

import bpy

from ...core.settings import BoneAnimatedSettings, BoneSettings, PinSettings, tunables
from .edits import after_bone_edit
from .kinds import KINDS, RAGDOLL
from .rest_pose import VerletRestPose
from .tunable_properties import number_of, properties_of, refuse_keys

_BENDING = {kind.identifier for kind in KINDS.values() if kind.is_particles}


def _may_hold_bone(group: Any, target: bpy.types.Object) -> bool:
    kind = target.verlet.kind
    return target != group.id_data and kind != RAGDOLL and kind not in _BENDING


class VerletBone(bpy.types.PropertyGroup):
    """``PoseBone.verlet``: what one bone of a ragdoll is, and what it is pinned to."""

    rest: bpy.props.PointerProperty(type=VerletRestPose)
    baked_as: bpy.props.StringProperty(
        description="The bone's name when it was baked: it may have another one since",
        options={"HIDDEN"},
    )
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


KEYED_BONE = properties_of(
    BoneAnimatedSettings,
    after=lambda name: after_bone_edit(bone_channel(name)),
    keyed=tunables(BoneAnimatedSettings),
)
"""Properties of pose bones themselves: Blender cannot key what lies in a group of theirs."""


def animated_of_bone(bone: bpy.types.PoseBone) -> BoneAnimatedSettings:
    """The keyed factors of a bone; pass one of the evaluated armature."""
    return BoneAnimatedSettings(
        **{name: number_of(getattr(bone, bone_channel(name))) for name in KEYED_BONE}
    )
