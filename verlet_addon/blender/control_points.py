"""The control points of a curve datablock, and of its shape keys, as one array of coordinates.

The order is Blender's own, which a Mesh Cache modifier on a curve reads too: spline by spline,
for each Bezier point its left handle, the point, its right handle; one row for any other point.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .data import any_item

AUTOMATIC = frozenset({"AUTO", "VECTOR"})  # handles that Blender places anew at every evaluation
HANDLE_SIDES = ("handle_left_type", "handle_right_type")


def bezier_mask(curve: bpy.types.Curve) -> NDArray[np.bool_]:
    """Which control points (p,) are Bezier points, spline by spline."""
    masks = [np.full(_point_count(spline), spline.type == "BEZIER") for spline in curve.splines]
    return np.concatenate([np.zeros(0, bool), *masks])


def _point_count(spline: bpy.types.Spline) -> int:
    return len(spline.bezier_points if spline.type == "BEZIER" else spline.points)


def coordinate_count(curve: bpy.types.Curve) -> int:
    """Number of rows c in the coordinates of a curve."""
    is_bezier = bezier_mask(curve)
    return len(is_bezier) + 2 * int(is_bezier.sum())


def _rows(is_bezier: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The row (p,) of each control point itself, between its handles if it has any."""
    sizes = np.where(is_bezier, 3, 1)
    return np.cumsum(sizes) - sizes + is_bezier


def curve_coordinates(curve: bpy.types.Curve) -> NDArray[np.float32]:
    """Coordinates (c, 3) of the curve itself, metres in the object's space."""
    parts = [np.zeros((0, 3), np.float32)]
    for spline in curve.splines:
        if spline.type == "BEZIER":
            points = spline.bezier_points
            names = ("handle_left", "co", "handle_right")
            parts.append(np.stack([_read(points, n, 3) for n in names], axis=1).reshape(-1, 3))
        else:
            parts.append(_read(spline.points, "co", 4)[:, :3])
    return np.concatenate(parts)


def _read(points: bpy.types.bpy_prop_collection, name: str, width: int) -> NDArray[np.float32]:
    values = np.empty(width * len(points), np.float32)
    points.foreach_get(name, values)
    return values.reshape(-1, width)


def spline_switches(curve: bpy.types.Curve) -> list[tuple[Any, ...]]:
    """What decides, beside the coordinates, how each spline is drawn and whether it can move.

    Two curves with equal switches and equal coordinates make equal ropes.
    """
    found: list[tuple[Any, ...]] = []
    for spline in curve.splines:
        switches = (spline.type, _point_count(spline), spline.use_cyclic_u)
        if spline.type == "BEZIER":
            is_automatic = any(_is_automatic(point) for point in spline.bezier_points)
            found.append((*switches, is_automatic))
        elif spline.type == "NURBS":
            weights = tuple(point.weight for point in spline.points)
            shape = (spline.order_u, spline.use_endpoint_u, spline.use_bezier_u)
            found.append((*switches, *shape, weights))
        else:
            found.append(switches)
    return found


def key_coordinates(block: bpy.types.ShapeKey, is_bezier: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Coordinates (c, 3) of a shape key of a curve with ``bezier_mask`` (p,)."""
    rows = _rows(is_bezier)
    points: Any = block.data
    coordinates = np.empty((len(rows) + 2 * int(is_bezier.sum()), 3), np.float32)
    coordinates[rows] = _read(block.data, "co", 3)
    if is_bezier.all():
        coordinates[0::3] = _read(block.data, "handle_left", 3)
        coordinates[2::3] = _read(block.data, "handle_right", 3)
        return coordinates
    for point, row, has_handles in zip(points, rows, is_bezier):
        if has_handles:
            coordinates[row - 1], coordinates[row + 1] = point.handle_left, point.handle_right
    return coordinates


def write_key(
    block: bpy.types.ShapeKey,
    is_bezier: NDArray[np.bool_],
    coordinates: NDArray[np.float32],
) -> None:
    """Write coordinates (c, 3) to a shape key; tilt and radius stay as they are.

    The points of a key are of two types when a curve mixes splines, and then Blender reaches the
    handles one by one only.
    """
    rows = _rows(is_bezier)
    points: Any = block.data
    block.data.foreach_set("co", np.ascontiguousarray(coordinates[rows]).ravel())
    if is_bezier.all():
        for offset, name in ((0, "handle_left"), (2, "handle_right")):
            block.data.foreach_set(name, np.ascontiguousarray(coordinates[offset::3]).ravel())
        return
    for point, row, has_handles in zip(points, rows, is_bezier):
        if has_handles:
            point.handle_left, point.handle_right = coordinates[row - 1], coordinates[row + 1]


def automatic_spline(curve: bpy.types.Curve) -> int | None:
    """Number, from 0, of the first spline with Automatic or Vector handles, or None.

    Blender computes such handles from the points at every evaluation, so that no cache and no
    shape key can move them: two points with such handles stay a straight line.
    """
    for number, spline in enumerate(curve.splines):
        if any(_is_automatic(point) for point in spline.bezier_points):
            return number
    return None


def _is_automatic(point: bpy.types.BezierSplinePoint) -> bool:
    return point.handle_left_type in AUTOMATIC or point.handle_right_type in AUTOMATIC


def free_handles(curve: bpy.types.Curve) -> int:
    """Let Automatic and Vector handles be moved, as grabbing them would; returns how many were.

    The shape stays. Automatic handles become Aligned where both sides can be, others Free.
    """
    changed = 0
    for spline in curve.splines:
        points = spline.bezier_points
        kinds = [[getattr(point, side) for side in HANDLE_SIDES] for point in points]
        freed = [_freed(pair) for pair in kinds]
        if kinds == freed:
            continue
        changed += sum(a != b for pair, new in zip(kinds, freed) for a, b in zip(pair, new))
        places = [_read(points, name, 3).ravel() for name in ("handle_left", "handle_right")]
        for point, pair in zip(points, freed):
            point.handle_left_type, point.handle_right_type = map(any_item, pair)
        for name, place in zip(("handle_left", "handle_right"), places):
            points.foreach_set(name, place)  # each change of a type has moved handles
    return changed


def _freed(pair: list[str]) -> list[str]:
    if set(pair) <= {"AUTO", "ALIGNED"}:
        return ["ALIGNED", "ALIGNED"]
    return ["FREE" if kind in AUTOMATIC else kind for kind in pair]
