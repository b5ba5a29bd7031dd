"""Blender's view of the settings: what is stored in scenes, objects and pose bones.

A parameter's range, default, unit and description stand in ``core/settings/`` and nowhere
else (`tunable_properties`). What is stored besides them is which objects take part and what the
preview must restore.
"""

from typing import Any

import bpy
from bpy.props import PointerProperty

from . import bake_record
from .bones import KEYED_BONE, VerletBone, bone_channel
from .joints import VerletJoint
from .objects import GROUP_OF_KIND, VerletAnimated, VerletImpulse, VerletObject
from .rest_pose import VerletRestPose
from .scenes import VerletScene, VerletSolver, VerletWind

CLASSES = (
    VerletSolver,
    VerletWind,
    VerletAnimated,
    VerletImpulse,
    *GROUP_OF_KIND.values(),
    VerletRestPose,
    VerletJoint,
    VerletBone,
    VerletObject,
    VerletScene,
)

_OVERRIDABLE: Any = {"LIBRARY_OVERRIDABLE"}
REGISTERED = (
    (bpy.types.Object, "verlet", PointerProperty(type=VerletObject, override=_OVERRIDABLE)),
    (bpy.types.PoseBone, "verlet", PointerProperty(type=VerletBone, override=_OVERRIDABLE)),
    *((bpy.types.PoseBone, bone_channel(name), value) for name, value in KEYED_BONE.items()),
    (bpy.types.Scene, "verlet", PointerProperty(type=VerletScene)),
)
"""Properties of Blender's own classes: class, name, property."""


def register() -> None:
    """Register the groups and hang them on objects and scenes."""
    bake_record.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    for owner, name, value in REGISTERED:
        setattr(owner, name, value)


def unregister() -> None:
    """Take them away again; the values stay in the file."""
    for owner, name, _ in reversed(REGISTERED):
        delattr(owner, name)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    bake_record.unregister()
