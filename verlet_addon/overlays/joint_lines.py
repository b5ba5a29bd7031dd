"""What a joint looks like, as lines in its own frame: its axis, and the limits of its motion."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.arrays import Floats

STEPS_OF_CIRCLE = 32  # of a full circle
MARK_SIZE = 0.15  # size of what marks a joint without an axis, in units of the empty's size

Key = tuple[Any, ...]


def key_of(joint: Any) -> Key:
    """What the lines depend on, from the properties of a joint."""
    kind = joint.kind
    if kind == "GENERIC":
        return (
            kind,
            *(
                tuple(getattr(joint, f"{name}_{what}" if what != "limits" else f"limits_{name}"))
                for name in ("linear", "angular")
                for what in ("limits", "lower", "upper")
            ),
        )
    if kind in {"HINGE", "CONE_TWIST", "SLIDER"}:
        return kind, joint.is_limited, joint.lower, joint.upper, joint.swing
    return (kind,)


@lru_cache(maxsize=4096)
def axis_lines(key: Key, size: float) -> Floats:
    """What the joint turns about, slides along or is: segments (n, 2, 3) in m."""
    match key[0]:
        case "HINGE":
            return _segments([(0, 0, -size), (0, 0, size)])
        case "CONE_TWIST":
            return _segments([(0, 0, 0), (size, 0, 0)])
        case "SLIDER":
            return _segments([(-size, 0, 0), (size, 0, 0)])
        case "FIXED":
            return box(np.full(3, MARK_SIZE * size))
        case "SPRING":
            turns = [(0.2 * k * size, MARK_SIZE * size * (-1) ** k, 0.0) for k in range(-4, 5)]
            return path(np.array([(-size, 0, 0), *turns, (size, 0, 0)], dtype=np.float64))
        case _:
            return np.concatenate([arc(axis, 0.0, math.tau, MARK_SIZE * size) for axis in range(3)])


@lru_cache(maxsize=4096)
def limit_lines(key: Key, size: float) -> Floats:
    """Where the motion ends, segments (n, 2, 3) in m: arcs, cones and lines with stops."""
    kind = key[0]
    if kind == "GENERIC":
        return _six_axes(key, size)
    if kind not in {"HINGE", "CONE_TWIST", "SLIDER"}:
        return np.zeros((0, 2, 3))
    _, is_limited, lower, upper, swing = key
    if not is_limited:
        return arc(2, 0.0, math.tau, size) if kind == "HINGE" else np.zeros((0, 2, 3))
    if kind == "HINGE":
        return fan(2, lower, upper, size)
    if kind == "SLIDER":
        return _rail(0, lower, upper, size)
    return np.concatenate([_cone(swing, size), fan(0, lower, upper, 0.5 * size)])


def _six_axes(key: Key, size: float) -> Floats:
    _, has_place, low_place, high_place, has_turn, low_turn, high_turn = key
    found = [np.zeros((0, 2, 3))]
    for axis in range(3):
        if has_place[axis] and low_place[axis] < high_place[axis]:
            found.append(_rail(axis, low_place[axis], high_place[axis], size))
        if has_turn[axis] and low_turn[axis] < high_turn[axis]:
            found.append(fan(axis, low_turn[axis], high_turn[axis], 0.7 * size))
    return np.concatenate(found)


def path(points: Floats) -> Floats:
    """Segments (n − 1, 2, 3) from point to point."""
    return np.stack([points[:-1], points[1:]], axis=1)


def _segments(points: list[tuple[float, float, float]]) -> Floats:
    return np.array(points, dtype=np.float64).reshape(-1, 2, 3)


def arc(axis: int, lower: float, upper: float, radius: float) -> Floats:
    """A part of a circle about an axis; angle 0 lies on the next axis."""
    count = max(int(abs(upper - lower) / math.tau * STEPS_OF_CIRCLE), 2)
    angle = np.linspace(lower, upper, count + 1)
    points = np.zeros((count + 1, 3))
    points[:, (axis + 1) % 3] = radius * np.cos(angle)
    points[:, (axis + 2) % 3] = radius * np.sin(angle)
    # about Z the first axis is X, so that a hinge's angle 0 lies on the joint's own X
    return path(points)


def fan(axis: int, lower: float, upper: float, radius: float) -> Floats:
    """An arc with lines from the middle to its ends."""
    bow = arc(axis, lower, upper, radius)
    spokes = np.zeros((2, 2, 3))
    spokes[0, 1], spokes[1, 1] = bow[0, 0], bow[-1, 1]
    return np.concatenate([bow, spokes])


def _cone(swing: float, size: float) -> Floats:
    """A cone of half angle ``swing`` about X."""
    rim = arc(0, 0.0, math.tau, size * math.sin(swing))
    rim[:, :, 0] = size * math.cos(swing)
    spokes = np.zeros((8, 2, 3))
    spokes[:, 1] = rim[:: len(rim) // 8, 0][:8]
    return np.concatenate([rim, spokes])


def _rail(axis: int, lower: float, upper: float, size: float) -> Floats:
    """A line between two places with a stop at each."""
    line = np.zeros((1, 2, 3))
    line[0, :, axis] = lower, upper
    stops = []
    for place in (lower, upper):
        for other in ((axis + 1) % 3, (axis + 2) % 3):
            stop = np.zeros((2, 3))
            stop[:, axis] = place
            stop[:, other] = -0.2 * size, 0.2 * size
            stops.append(stop)
    return np.concatenate([line, np.array(stops)])


def box(half: Floats) -> Floats:
    """The twelve edges of a box with these half extents (3,)."""
    corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * half
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1]
    return corners[np.array(pairs)]
