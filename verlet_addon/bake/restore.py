"""Free Bake: one door for every kind of bake that an object can hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from . import cache_file, carriers, pose_bones, shape_keys, transforms
from .leftovers import Leftovers


def is_baked(ob: bpy.types.Object) -> bool:
    """Whether the object holds a bake of any kind."""
    return any(record.is_baked for record in _records(ob))


def _records(ob: bpy.types.Object) -> tuple[Any, ...]:
    held = ob.verlet_bake
    return held.shape_keys, held.cache, held.transforms, held.pose


def baked_range(ob: bpy.types.Object) -> tuple[int, int] | None:
    """Return the first and the last baked frame, or None."""
    ranges = [(r.frame_start, r.frame_end) for r in _records(ob) if r.is_baked]
    if not ranges:
        return None
    return min(start for start, _ in ranges), max(end for _, end in ranges)


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
    leftovers = Leftovers()
    try:
        for ob in baked:
            carriers.give_back(ob)
            shape_keys.detach(ob, leftovers)
            cache_file.detach(ob)
            transforms.detach(ob, leftovers)
            pose_bones.detach(ob, leftovers)
    finally:
        leftovers.remove()
    return len(baked)
