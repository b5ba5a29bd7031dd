"""The shape keys of an object mixed as they show."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np

from ...core.arrays import Floats
from ..blender.data import shaped_of
from .vertex_groups import group_weights


def mixed_shape_keys(
    ob: bpy.types.Object, coordinates: Callable[[bpy.types.ShapeKey], Floats]
) -> Floats | None:
    """Coordinates (c, 3) with all keys at their present values, None for an object without keys.

    ``coordinates`` reads those (c, 3) of one key. An absolute key is blended linearly, whatever
    its interpolation.
    """
    keys = shaped_of(ob).shape_keys
    if keys is None or not keys.key_blocks:
        return None
    if ob.show_only_shape_key and ob.active_shape_key is not None:
        return coordinates(ob.active_shape_key)
    if not keys.use_relative:
        order = sorted(keys.key_blocks, key=lambda block: block.frame)
        if len(order) == 1:
            return coordinates(order[0])
        times = [block.frame for block in order]
        right = int(np.clip(np.searchsorted(times, keys.eval_time), 1, len(order) - 1))
        span = times[right] - times[right - 1]
        share = np.clip((keys.eval_time - times[right - 1]) / span, 0.0, 1.0) if span else 0.0
        return (1.0 - share) * coordinates(order[right - 1]) + share * coordinates(order[right])
    mixed = coordinates(keys.reference_key)
    for block in keys.key_blocks[1:]:
        if block.mute or block.value == 0.0:
            continue
        change = coordinates(block) - coordinates(block.relative_key)
        if block.vertex_group and block.vertex_group in ob.vertex_groups:  # of a mesh
            change *= group_weights(ob, block.vertex_group)[:, None]
        mixed += block.value * change
    return mixed
