"""One object's Rigid Body settings of Blender as ours, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import bmesh
import bpy

from ..blender import compat
from ..blender.data import any_item, mesh_of
from ..properties.objects import group_of, kind_of, settings_of
from .layers import LayerMap

KEYED = "rigid_body.kinematic"
PIN_PATH = "verlet.animated.pin"
LARGEST_DRAG = 1000.0  # 1/s, of a damping of 1, which stops a body at once

_SHAPES = {
    "BOX": "BOX",
    "SPHERE": "SPHERE",
    "CAPSULE": "CAPSULE",
    "CYLINDER": "CYLINDER",
    "CONE": "HULL",
    "CONVEX_HULL": "HULL",
    "MESH": "COMPOUND",  # of what moves: Blender's own advice is not to use it there
    "COMPOUND": "COMPOUND",
}
_SHAPES_BACK = {
    "AUTO": "CONVEX_HULL",
    "PLANE": "MESH",
    "BOX": "BOX",
    "ROOM": "MESH",
    "SPHERE": "SPHERE",
    "CAPSULE": "CAPSULE",
    "CYLINDER": "CYLINDER",
    "HULL": "CONVEX_HULL",
    "COMPOUND": "MESH",
    "MESH": "MESH",
}


@dataclass
class Wanted:
    """What an object is to be on our side."""

    kind: str
    values: dict[str, Any]
    notes: list[str] = field(default_factory=list)  # what has no counterpart


def drag_of(damping: float) -> float:
    """Drag in 1/s that loses the share ``damping`` of the velocity in a second: v ∝ (1 − d)^t."""
    if damping >= 1.0:
        return LARGEST_DRAG
    return min(-math.log1p(-damping), LARGEST_DRAG)


def damping_of(drag: float) -> float:
    """The share of the velocity that a drag in 1/s takes in a second."""
    return -math.expm1(-drag)


def is_keyed(ob: bpy.types.Object, path: str = KEYED) -> bool:
    """Whether a property of the object has keyframes."""
    return any(curve.data_path == path for curve in compat.fcurves_of(ob))


def wanted_of(ob: bpy.types.Object, layers: LayerMap) -> Wanted:
    """Our settings for an object that has Blender's.

    Friction: Blender multiplies that of two bodies, we take the root of the product.
    """
    theirs = ob.rigid_body
    values = {
        "shape": _SHAPES[theirs.collision_shape],
        "friction": theirs.friction**2,
        "restitution": theirs.restitution,
        "layers": layers.layers(theirs.collision_collections),
    }
    notes = []
    if theirs.collision_shape == "COMPOUND" and any(child.rigid_body for child in ob.children):
        notes.append("its shape is cut from its own mesh and not from those of its children")
    if theirs.type == "PASSIVE":
        if theirs.collision_shape == "MESH":
            values["shape"] = "MESH"
        return Wanted("COLLIDER", values, notes)
    follows = theirs.kinematic or is_keyed(ob)
    values |= {
        "type": "ANIMATED" if follows else "ACTIVE" if theirs.enabled else "PASSIVE",
        "mass_by": "MASS",
        "mass": theirs.mass,
        "drag": drag_of(theirs.linear_damping),
        "angular_drag": drag_of(theirs.angular_damping),
        "sleeps": theirs.use_deactivation,
    }
    if theirs.use_start_deactivated and theirs.use_deactivation:
        notes.append("it falls from the start, for nothing starts asleep here")
    if is_keyed(ob, "rigid_body.enabled"):
        notes.append("the keys of Dynamic are left out: key Pin in their place")
    return Wanted("BODY", values, notes)


def is_same(ours: Any, other: Any) -> bool:
    """Whether two values are the same in the 32 bits that Blender keeps."""
    if isinstance(ours, float) or isinstance(other, float):
        return math.isclose(ours, other, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(ours, str | bool | int):
        return bool(ours == other)
    return len(ours) == len(other) and all(map(is_same, ours, other))


def take_over(ob: bpy.types.Object, wanted: Wanted) -> None:
    """Make the object what it is wanted to be, with its keys."""
    ob.verlet.kind = any_item(wanted.kind)
    group = group_of(ob, kind_of(ob))
    for name, value in wanted.values.items():
        setattr(group, name, value)
    if wanted.kind == "BODY" and wanted.values["type"] == "ANIMATED":
        _copy_keys(ob, KEYED, PIN_PATH)
        if not is_keyed(ob, PIN_PATH):
            ob.verlet.animated.pin = 1.0


def give_back(ob: bpy.types.Object, layers: LayerMap, *, is_new: bool) -> list[str]:
    """Write our settings to the object's Rigid Body settings of Blender.

    Only what differs from what those mean already is written, unless they are new. Returns what
    has no counterpart. The object no longer takes part afterwards.
    """
    theirs, kind = ob.rigid_body, kind_of(ob)
    ours = settings_of(ob)
    known = wanted_of(ob, layers)
    same_kind = not is_new and known.kind == kind.identifier
    body_type = getattr(ours, "type", "PASSIVE")

    def differs(name: str) -> bool:
        return hasattr(ours, name) and not (
            same_kind and is_same(getattr(ours, name), known.values[name])
        )

    was = "COLLIDER" if theirs.type == "PASSIVE" else "BODY"
    if is_new or was != kind.identifier or (kind.identifier == "BODY" and differs("type")):
        theirs.type = "PASSIVE" if kind.identifier == "COLLIDER" else "ACTIVE"
        theirs.enabled = body_type != "PASSIVE" or kind.identifier == "COLLIDER"
        if kind.identifier == "BODY":
            theirs.kinematic = body_type == "ANIMATED"
    if differs("shape"):
        theirs.collision_shape = any_item(_SHAPES_BACK[ours.shape])
    if differs("friction"):
        theirs.friction = math.sqrt(ours.friction)
    if differs("restitution"):
        theirs.restitution = ours.restitution
    if differs("layers"):
        theirs.collision_collections = layers.written(ours.layers)
    notes = []
    if kind.identifier == "BODY":
        by_volume = ours.mass_by == "DENSITY"
        if by_volume or differs("mass"):
            theirs.mass = ours.density * world_volume(ob) if by_volume else ours.mass
        if differs("drag"):
            theirs.linear_damping = damping_of(ours.drag)
        if differs("angular_drag"):
            theirs.angular_damping = damping_of(ours.angular_drag)
        if differs("sleeps"):
            theirs.use_deactivation = ours.sleeps
        if any(ours.velocity) or any(ours.angular_velocity):
            notes.append("its velocity at the start is left out, Blender knows none")
        if is_keyed(ob, PIN_PATH):
            if not is_keyed(ob):
                _copy_keys(ob, PIN_PATH, KEYED)
            _remove_keys(ob, PIN_PATH)
    ob.verlet.kind = "NONE"
    return notes


def world_volume(ob: bpy.types.Object) -> float:
    """Volume in m³ of the object's mesh in the world."""
    mesh = bmesh.new()
    try:
        mesh.from_mesh(mesh_of(ob))
        mesh.transform(ob.matrix_world)
        return float(mesh.calc_volume())
    finally:
        mesh.free()


def _copy_keys(ob: bpy.types.Object, path: str, to: str) -> None:
    """Give one property the keys of another, as steps from on to off."""
    source = next((c for c in compat.fcurves_of(ob) if c.data_path == path), None)
    if source is None:
        return
    keys = [(key.co[0], 1.0 if key.co[1] >= 0.5 else 0.0) for key in source.keyframe_points]
    _remove_keys(ob, to)
    curve = compat.ensure_fcurve(ob, to)
    curve.keyframe_points.add(len(keys))
    for point, key in zip(curve.keyframe_points, keys):
        point.co = key
        point.interpolation = "CONSTANT"
    curve.update()


def _remove_keys(ob: bpy.types.Object, path: str) -> None:
    animation = ob.animation_data
    unwanted = [curve for curve in compat.fcurves_of(ob) if curve.data_path == path]
    if animation is not None and unwanted:
        compat.remove_fcurves(animation.action, compat.slot_handle(animation), unwanted)
