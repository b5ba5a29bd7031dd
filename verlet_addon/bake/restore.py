"""Free Bake: one door for every kind of bake that an object can hold."""

from __future__ import annotations

import bpy

from . import shape_keys, transforms


def is_baked(ob: bpy.types.Object) -> bool:
    """Whether the object holds a bake of any kind."""
    return ob.verlet_bake.shape_keys.is_baked or ob.verlet_bake.transforms.is_baked


def baked_range(ob: bpy.types.Object) -> tuple[int, int] | None:
    """Return the first and the last baked frame, or None."""
    records = (ob.verlet_bake.shape_keys, ob.verlet_bake.transforms)
    ranges = [(record.frame_start, record.frame_end) for record in records if record.is_baked]
    if not ranges:
        return None
    return min(start for start, _ in ranges), max(end for _, end in ranges)


def free(ob: bpy.types.Object) -> bool:
    """Put back exactly what the bakes of the object have displaced; False when it holds none."""
    if not is_baked(ob):
        return False
    if ob.verlet_bake.shape_keys.is_baked:
        shape_keys.require_freeable(ob)
    if ob.verlet_bake.transforms.is_baked:
        transforms.require_freeable(ob)
    shape_keys.free(ob)
    transforms.free(ob)
    return True
