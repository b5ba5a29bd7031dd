"""Fit a collision shape to a cloud of points in given axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..model import Floats
from ..vector import rotation_matrix
from .points import checked_points

FLAT = 1e-3
"""A mesh thinner than this share of its size is a plane."""

ROUND = 0.06
"""A mesh whose points differ in distance from the middle by less than this share is a ball."""


@dataclass(frozen=True)
class Fit:
    """A shape in its place: centre (3,) m, size as in `contact.shapes`, orientation (4,)."""

    shape: str
    size: tuple[float, ...]
    centre: Floats
    orientation: Floats


def fit_shape(name: str, points: ArrayLike, orientation: ArrayLike, shape: str) -> Fit:
    """Fit ``shape`` (or the best one for AUTO) to points (n, 3) m along the axes of orientation.

    Raises `ModelError` for no points, points that are not finite, or a single place.
    """
    x = checked_points(name, points)
    q = np.array(orientation, dtype=np.float64)
    axes = rotation_matrix(q / np.linalg.norm(q))
    local = x @ axes
    low, high = local.min(axis=0), local.max(axis=0)
    half = 0.5 * (high - low)
    centre = axes @ (0.5 * (low + high))
    largest = float(half.max())
    if largest <= 0.0:
        raise ModelError(name, "has all its vertices in one place; scale it up")
    radii = np.linalg.norm(x - centre, axis=1)
    if shape == "AUTO":
        shape = _best(half, radii)
    if shape == "PLANE":
        return Fit("PLANE", (), centre, q)
    if shape == "SPHERE":
        return Fit("SPHERE", (float(radii.mean()),), centre, q)
    if shape == "CAPSULE":
        return _capsule(half, centre, q)
    thick = np.maximum(half, FLAT * largest)
    return Fit(shape, tuple(float(h) for h in thick), centre, q)


def _best(half: Floats, radii: Floats) -> str:
    """PLANE for a flat mesh that lies in its local XY, SPHERE for a round one, else BOX."""
    if half[2] < FLAT * half.max() and half[:2].min() > FLAT * half.max():
        return "PLANE"
    if len(radii) > 12 and np.ptp(radii) < ROUND * radii.mean():
        return "SPHERE"
    return "BOX"


def _capsule(half: Floats, centre: Floats, q: Floats) -> Fit:
    """Around the longest axis; the quaternion is turned so that this axis is its z."""
    axis = int(np.argmax(half))
    radius = float(max(np.delete(half, axis).max(), FLAT * half.max()))
    turn = {
        0: np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0]),  # z → x
        1: np.array([np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0]),  # z → y
        2: np.array([1.0, 0.0, 0.0, 0.0]),
    }[axis]
    w, v = q[0], q[1:]
    t, u = turn[0], turn[1:]
    turned = np.concatenate([[w * t - v @ u], w * u + t * v + np.cross(v, u)])
    return Fit("CAPSULE", (radius, max(float(half[axis]) - radius, 0.0)), centre, turned)
