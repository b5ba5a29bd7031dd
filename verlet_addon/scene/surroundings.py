"""What is around those that take part: where they lie, what stops them, whether the air rests."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ...core.arrays import Floats
from ..properties.kinds import is_particles
from ..properties.participants import is_moved, joints, simulated_objects
from ..transforms import affine

FLOOR_ABOVE = 0.01  # m that a floor may stand above what rests on it
BLOWING = {"WIND", "VORTEX", "TURBULENCE", "FORCE"}


def bounds(ob: bpy.types.Object) -> tuple[Floats, Floats]:
    """The lowest and the highest corner (3,) of an object's bounding box, in the world."""
    corners = affine.transformed(affine.matrix_of(ob), np.array(ob.bound_box, dtype=np.float64))
    return corners.min(axis=0), corners.max(axis=0)


def stops(ob: bpy.types.Object) -> bool:
    """Whether others can come to rest on an object: colliders, and bodies that only keys move."""
    kind = ob.verlet.kind
    return kind == "COLLIDER" or (kind == "BODY" and ob.verlet.body.type != "ACTIVE")


def is_carried(scene: bpy.types.Scene, place: Vector) -> bool:
    """Whether something lies below a place on which what stands there comes to rest."""
    for ob in simulated_objects(scene):
        if not stops(ob):
            continue
        lower, upper = bounds(ob)
        inside = all(lower[axis] <= place[axis] <= upper[axis] for axis in (0, 1))
        if inside and upper[2] <= place.z + FLOOR_ABOVE:
            return True
    return False


def is_calm(scene: bpy.types.Scene) -> bool:
    """Whether the air rests: no wind, no key or driver of it, and no force field."""
    animation = scene.animation_data
    if any(scene.verlet.wind.velocity) or (animation is not None and animation.action is not None):
        return False
    if animation is not None and len(animation.drivers):
        return False
    return not any(ob.field is not None and ob.field.type in BLOWING for ob in scene.objects)


def falls_forever(scene: bpy.types.Scene) -> bool:
    """Whether something falls, and nothing in the scene could ever stop it."""
    if not scene.use_gravity or scene.gravity[2] >= 0.0:
        return False
    taking_part = simulated_objects(scene)
    if any(map(stops, taking_part)):
        return False
    joined = {one for ob in joints(scene) for one in _joined(ob)}
    return any(is_moved(ob) and ob not in joined and not _is_held(ob) for ob in taking_part)


def _joined(ob: bpy.types.Object) -> tuple[bpy.types.Object | None, bpy.types.Object | None]:
    return ob.verlet.joint.object_a, ob.verlet.joint.object_b


def _is_held(ob: bpy.types.Object) -> bool:
    """Whether pins hold an object: plants stand on their roots."""
    kind, own = ob.verlet.kind, ob.verlet
    return kind == "PLANT" or (is_particles(kind) and bool(own.pin_group or own.pin_points))


def level_below(scene: bpy.types.Scene) -> float:
    """Height of a floor under all that takes part: 0, or lower where something hangs lower."""
    return min([0.0, *(float(bounds(ob)[0][2]) for ob in simulated_objects(scene))])
