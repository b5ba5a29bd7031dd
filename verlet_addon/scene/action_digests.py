"""Whether an action was edited: a digest of its keys.

Blender tags the actions of keyed objects where nobody has edited anything: until 4.3 whenever
playback stops or the playhead is put somewhere in the window.
"""

from __future__ import annotations

import hashlib

import bpy
import numpy as np

from ..blender import compat

_KEY_COORDINATES = ("co", "handle_left", "handle_right")  # of a key, two each
_CHOICES = ("interpolation", "easing")


def digests(depsgraph: bpy.types.Depsgraph) -> dict[int, bytes | None]:
    """Digests by session id, of all actions that are evaluated."""
    actions = [one.original for one in depsgraph.ids if isinstance(one, bpy.types.Action)]
    return {action.session_uid: digest(action) for action in actions}


def digest(action: bpy.types.Action) -> bytes | None:
    """What tells an action from itself after an edit; None where its curves have modifiers."""
    found = hashlib.blake2b(digest_size=16)
    for fcurve in compat.all_fcurves(action):
        if len(fcurve.modifiers):
            return None
        keys = fcurve.keyframe_points
        about = fcurve.data_path, fcurve.array_index, fcurve.mute, fcurve.extrapolation, len(keys)
        found.update(repr(about).encode())
        for name in _KEY_COORDINATES:
            _add(found, keys, name, np.empty(2 * len(keys), np.float32))
        for name in _CHOICES:
            _add(found, keys, name, np.empty(len(keys), np.int32))
        for name in ("back", "amplitude", "period"):
            _add(found, keys, name, np.empty(len(keys), np.float32))
        samples = fcurve.sampled_points
        _add(found, samples, "co", np.empty(2 * len(samples), np.float32))
    return found.digest()


def _add(
    found: hashlib.blake2b,
    points: bpy.types.bpy_prop_collection,
    name: str,
    values: np.ndarray,
) -> None:
    points.foreach_get(name, values)
    found.update(values.tobytes())
