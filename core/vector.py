"""Products and rotations of three-vectors, and quaternions (w, x, y, z), as plain numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .kernels.jit import inline

if TYPE_CHECKING:
    from .arrays import Floats


@inline
def rotate(r, x, y, z):
    """R·v, for R a (3, 3) array."""
    return (
        r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )


@inline
def unrotate(r, x, y, z):
    """Rᵀ·v, for R a (3, 3) array."""
    return (
        r[0, 0] * x + r[1, 0] * y + r[2, 0] * z,
        r[0, 1] * x + r[1, 1] * y + r[2, 1] * z,
        r[0, 2] * x + r[1, 2] * y + r[2, 2] * z,
    )


def rotated(points: Floats, r: Floats) -> Floats:
    """R·v for each of points (n, 3), for R (3, 3): alike on all machines, as BLAS's is not."""
    x, y, z = points[:, :1], points[:, 1:2], points[:, 2:]
    return x * r[:, 0] + y * r[:, 1] + z * r[:, 2]


def shortened(values: Floats, most: float) -> Floats:
    """Vectors (…, 3), or such of the same direction where they are longer than ``most``."""
    size = np.sqrt((values * values).sum(axis=-1, keepdims=True))
    kept: Floats = np.where(size > most, values * (most / np.maximum(size, most)), values)
    return kept


@inline
def turned_by(q, v):
    """The vector v turned by a unit quaternion q."""
    w, x, y, z = q
    vx, vy, vz = v
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


@inline
def write_rotation(r, q):
    """Write the rotation matrix of a unit quaternion q into r (3, 3)."""
    w, x, y, z = q
    r[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    r[0, 1] = 2.0 * (x * y - w * z)
    r[0, 2] = 2.0 * (x * z + w * y)
    r[1, 0] = 2.0 * (x * y + w * z)
    r[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    r[1, 2] = 2.0 * (y * z - w * x)
    r[2, 0] = 2.0 * (x * z - w * y)
    r[2, 1] = 2.0 * (y * z + w * x)
    r[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@inline
def quaternion_of(r):
    """Unit quaternion of the rotation matrix r (3, 3), w ≥ 0 (Shepperd's method)."""
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    if trace >= r[0, 0] and trace >= r[1, 1] and trace >= r[2, 2]:
        w = 1.0 + trace
        x, y, z = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    elif r[0, 0] >= r[1, 1] and r[0, 0] >= r[2, 2]:
        w = r[2, 1] - r[1, 2]
        x, y, z = 1.0 + 2.0 * r[0, 0] - trace, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]
    elif r[1, 1] >= r[2, 2]:
        w = r[0, 2] - r[2, 0]
        x, y, z = r[0, 1] + r[1, 0], 1.0 + 2.0 * r[1, 1] - trace, r[1, 2] + r[2, 1]
    else:
        w = r[1, 0] - r[0, 1]
        x, y, z = r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1.0 + 2.0 * r[2, 2] - trace
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        size = -size
    return w / size, x / size, y / size, z / size


def rotation_matrix(quaternion: Floats) -> Floats:
    """Rotation matrix (3, 3) of a unit quaternion (4,), for use outside kernels."""
    r = np.empty((3, 3))
    write_rotation(r, tuple(quaternion))
    return r


def rotation_quaternion(matrix: Floats) -> Floats:
    """Unit quaternion (4,) of a rotation matrix (3, 3), for use outside kernels."""
    return np.array(quaternion_of(matrix))
