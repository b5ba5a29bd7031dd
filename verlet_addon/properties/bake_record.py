"""What a bake has displaced, kept in the file on the object, so that Free Bake can put it back.

The pointers count as users: an action or a mesh that only a record knows is saved with the file,
and survives undo and reload.
"""

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

NAME = "verlet_bake"
BAKE_MARK = (
    "verlet_bake"  # custom property of the actions that bakes have made; copies carry it too
)


class VerletAnimationRecord(bpy.types.PropertyGroup):
    """The animation of one datablock (an object or its shape keys) as it was before a bake."""

    had_animation_data: BoolProperty(options={"HIDDEN"})
    action: PointerProperty(type=bpy.types.Action)
    slot_handle: IntProperty(options={"HIDDEN"})
    last_slot_identifier: StringProperty(options={"HIDDEN"})
    action_blend_type: StringProperty(options={"HIDDEN"})
    action_extrapolation: StringProperty(options={"HIDDEN"})
    action_influence: FloatProperty(options={"HIDDEN"})
    muted_drivers: StringProperty(
        description="JSON: [data path, array index] of each driver that the bake muted",
        options={"HIDDEN"},
    )
    track_flags: StringProperty(
        description="JSON: [solo, mute] of each NLA track, if one was solo",
        options={"HIDDEN"},
    )


class _Baked:
    """What is recorded of a bake of any kind."""

    is_baked: BoolProperty(options={"HIDDEN"})
    frame_start: IntProperty(options={"HIDDEN"})
    frame_end: IntProperty(options={"HIDDEN"})


class VerletShapeKeyRecord(_Baked, bpy.types.PropertyGroup):
    """The shape keys of an object as they were before a bake."""

    mesh: PointerProperty(
        type=bpy.types.Mesh,
        description="The mesh to put back, if the bake went to a single-user copy of it",
    )
    curve: PointerProperty(
        type=bpy.types.Curve,
        description="The curve to put back, likewise",
    )
    had_keys: BoolProperty(options={"HIDDEN"})
    use_relative: BoolProperty(options={"HIDDEN"})
    eval_time: FloatProperty(options={"HIDDEN"})
    active_index: IntProperty(options={"HIDDEN"})
    show_only: BoolProperty(options={"HIDDEN"})
    baked_names: StringProperty(
        description="JSON: the names of the shape keys that the bake made",
        options={"HIDDEN"},
    )
    muted_keys: StringProperty(
        description="JSON: the names of the shape keys that a bake to relative ones muted",
        options={"HIDDEN"},
    )
    muted_modifiers: StringProperty(
        description="JSON: [name, in the viewport, in renders] of each modifier that the bake "
        "switched off, as it was",
        options={"HIDDEN"},
    )
    animation: PointerProperty(type=VerletAnimationRecord)


class VerletCacheRecord(_Baked, bpy.types.PropertyGroup):
    """A bake of an object to a file that a Mesh Cache modifier plays."""


class VerletTransformRecord(_Baked, bpy.types.PropertyGroup):
    """The transform channels of an object as they were before a bake."""

    rotation_mode: StringProperty(options={"HIDDEN"})
    location: FloatVectorProperty(size=3, options={"HIDDEN"})
    rotation_euler: FloatVectorProperty(size=3, options={"HIDDEN"})
    rotation_quaternion: FloatVectorProperty(size=4, options={"HIDDEN"})
    rotation_axis_angle: FloatVectorProperty(size=4, options={"HIDDEN"})
    scale: FloatVectorProperty(size=3, options={"HIDDEN"})
    delta_location: FloatVectorProperty(size=3, options={"HIDDEN"})
    delta_rotation_euler: FloatVectorProperty(size=3, options={"HIDDEN"})
    delta_rotation_quaternion: FloatVectorProperty(size=4, options={"HIDDEN"})
    delta_scale: FloatVectorProperty(size=3, options={"HIDDEN"})
    muted_constraints: StringProperty(
        description="JSON: the names of the constraints that the bake muted",
        options={"HIDDEN"},
    )
    has_own_action: BoolProperty(
        default=True,
        description="Whether the bake has taken the animation over; the bake of the same object's "
        "bones may have done it",
        options={"HIDDEN"},
    )
    animation: PointerProperty(type=VerletAnimationRecord)


class VerletPoseRecord(_Baked, bpy.types.PropertyGroup):
    """Pose bones of an armature as they were before a bake."""

    bones: StringProperty(
        description="JSON: by the bone's name its rotation mode, location and rotation",
        options={"HIDDEN"},
    )
    muted_constraints: StringProperty(
        description="JSON: [bone, name] of each constraint that the bake muted",
        options={"HIDDEN"},
    )
    switches: StringProperty(
        description="JSON: [bone, name, value] of each switch between forward and inverse "
        "kinematics that a bake to controls has set",
        options={"HIDDEN"},
    )
    animation: PointerProperty(type=VerletAnimationRecord)


class VerletBake(bpy.types.PropertyGroup):
    """``Object.verlet_bake``: everything that Free Bake needs."""

    shape_keys: PointerProperty(type=VerletShapeKeyRecord)
    cache: PointerProperty(type=VerletCacheRecord)
    transforms: PointerProperty(type=VerletTransformRecord)
    pose: PointerProperty(type=VerletPoseRecord)
    frame_rate: FloatProperty(description="Frames a second that were baked", options={"HIDDEN"})


def is_baked(ob: bpy.types.Object) -> bool:
    """Whether the object holds a bake of any kind."""
    return any(record.is_baked for record in _records(ob))


def _records(ob: bpy.types.Object) -> tuple[Any, ...]:
    """Those of an object that was ever baked.

    To ask a record makes it, and Blender copies what an object holds whenever that has moved.
    """
    if not ob.is_property_set(NAME):
        return ()
    held = ob.verlet_bake
    return held.shape_keys, held.cache, held.transforms, held.pose


def baked_range(ob: bpy.types.Object) -> tuple[int, int] | None:
    """Return the first and the last baked frame, or None."""
    ranges = [(r.frame_start, r.frame_end) for r in _records(ob) if r.is_baked]
    if not ranges:
        return None
    return min(start for start, _ in ranges), max(end for _, end in ranges)


CLASSES = (
    VerletAnimationRecord,
    VerletShapeKeyRecord,
    VerletCacheRecord,
    VerletTransformRecord,
    VerletPoseRecord,
    VerletBake,
)


def register() -> None:
    """Register the record as ``Object.verlet_bake``."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    setattr(bpy.types.Object, NAME, PointerProperty(type=VerletBake, options={"HIDDEN"}))


def unregister() -> None:
    """Take ``Object.verlet_bake`` away; what it holds stays in the file."""
    delattr(bpy.types.Object, NAME)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
