"""Fit a collision shape to a mesh: one that is named, or the simplest that is close enough."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import ModelError
from ..geometry.closest_shape import Fit, closest_shape, fitted, hull_shape, smallest_cylinder
from ..geometry.hull import convex_hull
from ..geometry.mass_properties import hull_mass_properties
from ..geometry.parts import convex_parts
from ..geometry.solid import solid_parts
from ..vector import rotation_matrix
from .points import checked_points

__all__ = ["Fit", "fit_shape"]

FLAT_MESH = 1e-3
"""A mesh thinner than this share of its size is a plane."""

CONCAVE = 1.15
"""A hull of more than this many times the mesh's volume leaves too much of it empty."""

OPEN_VESSEL_SHARE = 0.1
"""A hole of more than this share of the surface makes an open vessel of what is to be COMPOUND."""

FINE = 256
"""Vertices of the hull against which simple shapes are measured."""

ROUNDED_SHARE = 1e-9
"""Share of the size to which vertices are rounded, so that copies of a mesh are recognised
wherever they stand (turned ones if their axes are known as exactly)."""


def fit_shape(
    name: str,
    points: ArrayLike,
    orientation: ArrayLike,
    shape: str,
    triangles: ArrayLike | None = None,
) -> Fit:
    """Fit ``shape`` (or the best one for AUTO) to points (n, 3) m along the axes of orientation.

    triangles (t, 3) tell what is solid. AUTO takes PLANE for what is flat along the object's XY,
    COMPOUND for a mesh whose hull has `CONCAVE` times its volume; else the closest of BOX, SPHERE,
    CYLINDER and CAPSULE if one is close (see `OVERHANG`), a BOX along other axes than the object's
    where that is clearly tighter; else HULL. Without triangles AUTO knows SPHERE and BOX alone.
    COMPOUND of one part becomes the shape of that part, HULL of points on one line a thin BOX.
    A vessel of faces without thickness is solid for AUTO and hollow for COMPOUND.

    Of copies of a mesh only the first one costs time.

    Raises `ModelError` for no points, points that are not finite, or a single place.
    """
    x = checked_points(name, points)
    q = np.array(orientation, dtype=np.float64)
    q /= np.linalg.norm(q)
    axes = rotation_matrix(q)
    local = x @ axes
    low, high = local.min(axis=0), local.max(axis=0)
    half = 0.5 * (high - low)
    middle = 0.5 * (low + high)
    largest = float(half.max())
    if largest <= 0.0:
        raise ModelError(name, "has all its vertices in one place; scale it up")
    local -= middle
    is_along_xy = half[2] < FLAT_MESH * largest and half[:2].min() > FLAT_MESH * largest
    if shape == "PLANE" or (shape == "AUTO" and is_along_xy):
        return Fit("PLANE", (), axes @ middle, q)
    if shape == "AUTO" and triangles is None:
        shape = "SPHERE" if _is_round(local) else "BOX"
    if shape == "AUTO" and _is_all_corners(local, half):
        shape = "BOX"
    if shape == "SPHERE":
        fit = fitted("SPHERE", (np.linalg.norm(local, axis=1).mean(),), np.zeros(3))
    elif shape == "CAPSULE":
        fit = _capsule(half)
    elif shape in ("AUTO", "CYLINDER", "HULL", "COMPOUND"):
        places = np.rint(local / (ROUNDED_SHARE * largest)).astype(np.int32)
        faces = np.asarray([] if triangles is None else triangles, dtype=np.int32)
        fit = _elaborate(shape, places.tobytes(), faces.tobytes())
        return fit.placed(largest, axes, axes @ middle)
    else:
        thick = half if shape == "MESH" else np.maximum(half, FLAT_MESH * largest)
        return Fit(shape, tuple(float(h) for h in thick), axes @ middle, q)
    return fit.placed(1.0, axes, axes @ middle)


def _is_round(local: Floats) -> bool:
    """Whether more than twelve points are as good as equally far from the middle."""
    radii = np.linalg.norm(local, axis=1)
    return len(radii) > 12 and bool(np.ptp(radii) < 0.06 * radii.mean())


def _is_all_corners(local: Floats, half: Floats) -> bool:
    """Whether the points are the eight corners of their bounding box and nothing else."""
    if len(np.unique((local > 0.0) @ (1, 2, 4))) < 8:
        return False
    return bool(np.abs(np.abs(local) - half).max() <= 1e-6 * half.max())


def _capsule(half: Floats) -> Fit:
    """Around the longest side, as long as the points and as wide as their bounding box."""
    axis = int(np.argmax(half))
    radius = float(max(np.delete(half, axis).max(), FLAT_MESH * half.max()))
    turn = {
        0: np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),  # z → x
        1: np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),  # z → y
        2: np.eye(3),
    }[axis]
    return fitted("CAPSULE", (radius, max(float(half[axis]) - radius, 0.0)), np.zeros(3), turn)


@lru_cache(maxsize=256)
def _elaborate(shape: str, places: bytes, faces: bytes) -> Fit:
    """Fit what takes a while, to int32 points in steps of `ROUNDED_SHARE` about the middle.

    The half size is 1.

    The rounded points are what counts, so that the answer does not depend on which copy of a mesh
    came first.
    """
    local = ROUNDED_SHARE * np.frombuffer(places, dtype=np.int32).reshape(-1, 3).astype(np.float64)
    triangles = np.frombuffer(faces, dtype=np.int32).reshape(-1, 3)
    half = np.abs(local).max(axis=0)
    hull = convex_hull(local, FINE)
    if hull is None:  # on one line
        return fitted("BOX", np.maximum(half, FLAT_MESH), np.zeros(3))
    if shape == "HULL":
        return hull_shape(hull)
    if shape == "CYLINDER":
        return smallest_cylinder(hull)
    largest_hole = OPEN_VESSEL_SHARE
    if shape == "AUTO":
        largest_hole = 1.0
        solids = solid_parts(local, triangles)
        filled = sum(part.volume for part in solids if part.volume > 0.0)
        is_flat = np.ptp(local @ hull.face_normal.T, axis=0).min() <= FLAT_MESH
        if not solids or is_flat or hull_mass_properties(hull).volume <= CONCAVE * filled:
            return closest_shape(hull)
    hulls = convex_parts(local, triangles, largest_hole=largest_hole)
    parts = tuple(closest_shape(part) for part in hulls)
    if len(parts) > 1:
        return Fit(
            "COMPOUND",
            tuple(float(h) for h in half),
            np.zeros(3),
            np.array([1.0, 0.0, 0.0, 0.0]),
            parts=parts,
        )
    return parts[0] if parts else closest_shape(hull)
