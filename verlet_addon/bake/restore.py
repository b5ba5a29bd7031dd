"""Free Bake: one door for every kind of bake that an object can hold."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..properties.bake_record import is_baked
from . import cache_file, carriers, pose_bones, shape_keys, transforms
from .leftovers import Leftovers


def free(ob: bpy.types.Object) -> bool:
    """Put back exactly what the bakes of the object have displaced; False when it holds none."""
    return free_many([ob]) == 1


def free_many(objects: Iterable[bpy.types.Object]) -> int:
    """Free all ``objects`` that hold a bake and return how many they were.

    Much faster for many objects than ``free`` for each. Raises BakeError, before anything has
    changed, when one of them cannot be freed.
    """
    baked = [ob for ob in objects if is_baked(ob)]
    for ob in baked:
        if ob.verlet_bake.shape_keys.is_baked:
            shape_keys.require_freeable(ob)
        if ob.verlet_bake.transforms.is_baked:
            transforms.require_freeable(ob)
        if ob.verlet_bake.pose.is_baked:
            pose_bones.require_freeable(ob)
    with Leftovers() as leftovers:
        for ob in baked:
            carriers.give_back(ob)
            shape_keys.detach(ob, leftovers)
            cache_file.detach(ob)
            transforms.detach(ob, leftovers)
            pose_bones.detach(ob, leftovers)
    return len(baked)
