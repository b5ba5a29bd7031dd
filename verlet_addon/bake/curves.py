"""Writes whole F-curves at once: one call for all keys of a curve instead of one for each key."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender import compat
from ..blender.data import choices_of

_KEYFRAME = bpy.types.Keyframe.bl_rna.properties
_LINEAR = choices_of(_KEYFRAME, "interpolation")["LINEAR"].value
_VECTOR = choices_of(_KEYFRAME, "handle_left_type")["VECTOR"].value


def write_curves(
    action: bpy.types.Action,
    slot_handle: int,
    frames: NDArray[np.integer],
    channels: Mapping[tuple[str, int], NDArray[np.floating]],
    *,
    group: str = "",
) -> None:
    """Write one curve with linear interpolation for each channel.

    ``frames`` (F,) rises; ``channels`` maps (data path, array index) to values (F,) in the
    channel's own unit. A curve that is already there loses its keys.
    """
    key_count = len(frames)
    present = {(f.data_path, f.array_index): f for f in compat.fcurves(action, slot_handle)}
    missing = [channel for channel in channels if channel not in present]
    made = dict(zip(missing, compat.new_fcurves(action, slot_handle, missing, group)))
    co = np.empty((key_count, 2), dtype=np.float32)
    co[:, 0] = frames
    interpolation = np.full(key_count, _LINEAR, dtype=np.int32)
    handle_type = np.full(key_count, _VECTOR, dtype=np.int32)
    for channel, values in channels.items():
        fcurve = made.get(channel) or present[channel]
        keys = fcurve.keyframe_points
        keys.clear()
        keys.add(key_count)
        co[:, 1] = values
        keys.foreach_set("co", co.ravel())
        keys.foreach_set("interpolation", interpolation)
        keys.foreach_set("handle_left_type", handle_type)
        keys.foreach_set("handle_right_type", handle_type)
        fcurve.update()
