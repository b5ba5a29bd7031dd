"""Blender's view of the settings: what is stored in scenes, objects and pose bones.

A parameter's range, default, unit and description stand in ``core/settings/`` and nowhere
else (`tunable_properties`). What is stored besides them is which objects take part and what the
preview must restore.
"""

import bpy

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


def register() -> None:
    """Register the groups and hang them on objects and scenes."""
    bake_record.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.verlet = bpy.props.PointerProperty(
        type=VerletObject, override={"LIBRARY_OVERRIDABLE"}
    )
    bpy.types.PoseBone.verlet = bpy.props.PointerProperty(
        type=VerletBone, override={"LIBRARY_OVERRIDABLE"}
    )
    for name, value in KEYED_BONE.items():
        setattr(bpy.types.PoseBone, bone_channel(name), value)
    bpy.types.Scene.verlet = bpy.props.PointerProperty(type=VerletScene)


def unregister() -> None:
    """Take them away again; the values stay in the file."""
    del bpy.types.Scene.verlet
    for name in KEYED_BONE:
        delattr(bpy.types.PoseBone, bone_channel(name))
    del bpy.types.PoseBone.verlet
    del bpy.types.Object.verlet
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    bake_record.unregister()
