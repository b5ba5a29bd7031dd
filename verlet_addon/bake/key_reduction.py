"""Leaves out keys that straight lines between the others make up for, within a bound.

Douglas & Peucker 1973: a stretch between two keys whose frames all lie within the bound of the
straight line needs no key; else it is cut at the frame that is farthest off, and so on. Every
frame is checked against the very interpolation that Blender does, so the bound holds at each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ..transforms.rotation_modes import of_unit_length

FrameNumbers = NDArray[np.int64]

KEY_ROUNDING = 4.0 * float(np.finfo(np.float32).eps)
"""Share of the largest value that Blender's own interpolation in 32 bits may be off."""


@dataclass(frozen=True)
class Tolerance:
    """How far a bake with fewer keys may be off, at any frame."""

    place: float  # m
    angle: float  # rad


def kept_locations(frames: FrameNumbers, location: Floats, tolerance: float) -> FrameNumbers:
    """Rows (k,) of locations (F, 3) that need a key, so that none is off by more than tolerance."""
    keys = location.astype(np.float32).astype(np.float64)
    bound = tolerance - KEY_ROUNDING * float(np.abs(keys).max(initial=0.0))

    def off(first: int, last: int) -> Floats:
        between = slice(first + 1, last)
        line = _line(frames, keys, first, last)
        return np.asarray(np.linalg.norm(line - location[between], axis=1))

    return _kept(len(frames), off, bound)


def kept_rotations(frames: FrameNumbers, quaternion: Floats, tolerance: float) -> FrameNumbers:
    """Rows (k,) of unit quaternions (F, 4) that need a key: none turned by more rad than tolerance.

    Neighbours must lie on the same half of the sphere. Blender takes the straight line between
    two quaternions and makes it of unit length again.
    """
    return kept_turns(frames, quaternion, quaternion, of_unit_length, tolerance)


def kept_turns(
    frames: FrameNumbers,
    values: Floats,
    quaternion: Floats,
    turn_of: Callable[[Floats], Floats],
    tolerance: float,
) -> FrameNumbers:
    """Rows (k,) of rotations that need a key: none turned by more rad than tolerance.

    values (F, k): channels of any rotation mode, between which Blender draws straight lines;
    quaternion (F, 4): what they stand for; turn_of: unit quaternions (n, 4) of channels (n, k).
    """
    keys = values.astype(np.float32).astype(np.float64)
    bound = tolerance - KEY_ROUNDING * (2.0 + float(np.abs(keys).max(initial=0.0)))

    def off(first: int, last: int) -> Floats:
        line = turn_of(_line(frames, keys, first, last))
        here = quaternion[first + 1 : last]
        # |q − p| of unit quaternions is 2 sin of a quarter of the angle between the rotations,
        # and −q is the same rotation
        apart = np.minimum(np.linalg.norm(line - here, axis=1), np.linalg.norm(line + here, axis=1))
        return np.asarray(4.0 * np.arcsin(np.minimum(0.5 * apart, 1.0)))

    return _kept(len(frames), off, bound)


def _line(frames: FrameNumbers, keys: Floats, first: int, last: int) -> Floats:
    """What Blender shows between two keys (last − first − 1, n)."""
    share = (frames[first + 1 : last] - frames[first]) / (frames[last] - frames[first])
    return np.asarray(keys[first] + share[:, None] * (keys[last] - keys[first]))


def _kept(count: int, off: Callable[[int, int], Floats], bound: float) -> FrameNumbers:
    """The first and the last row, and as many between as keep ``off`` within the bound."""
    is_kept = np.zeros(count, dtype=bool)
    is_kept[[0, -1]] = True
    stretches = [(0, count - 1)]
    while stretches:
        first, last = stretches.pop()
        if last - first < 2:
            continue
        error = off(first, last)
        worst = int(np.argmax(error))
        if error[worst] > bound:
            middle = first + 1 + worst
            is_kept[middle] = True
            stretches += [(first, middle), (middle, last)]
    return np.flatnonzero(is_kept)
