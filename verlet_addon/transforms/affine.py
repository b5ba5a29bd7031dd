"""Matrices and quaternions (w, x, y, z) of object transforms, in double precision."""

import math
from contextlib import suppress

import bpy
import numpy as np

from ...core.arrays import Floats
from ...core.geometry.affine import inverse, nearest_rotation
from .rotations import quaternions


def matrix_of(ob: bpy.types.Object) -> Floats:
    """World matrix (4, 4) of an object; pass the evaluated one."""
    return np.array(ob.matrix_world, dtype=np.float64)


LARGEST = 1e12
"""An inverse with more in it is of something flat but for rounding."""


def inverse_or_nearest(matrices: Floats) -> Floats:
    """Like `inverse`; what is flat along an axis is inverted along the others.

    So what a flat parent carries is as near to its place as it can be.
    """
    with suppress(np.linalg.LinAlgError):
        found = inverse(matrices)
        if np.abs(found).max(initial=0.0) < LARGEST:
            return found
    found = np.zeros(matrices.shape)
    found[..., :3, :3] = np.linalg.pinv(matrices[..., :3, :3], rcond=1.0 / LARGEST)
    found[..., :3, 3] = -np.einsum("...ij,...j->...i", found[..., :3, :3], matrices[..., :3, 3])
    found[..., 3, 3] = 1.0
    return found


def is_invertible(matrix: Floats) -> bool:
    """Whether world places can be turned back into local ones: finite, and no axis is flat."""
    (a, b, c, x), (d, e, f, y), (g, h, i, z) = matrix[:3].tolist()
    lengths = math.hypot(a, d, g), math.hypot(b, e, h), math.hypot(c, f, i)
    if not math.isfinite(sum(lengths) + x + y + z) or min(lengths) < 1e-9:
        return False
    # of unit axes, so that a tiny object does not count as flat
    volume = a * (e * i - f * h) + d * (c * h - b * i) + g * (b * f - c * e)
    return abs(volume) > 1e-6 * math.prod(lengths)


def solid_matrix(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats | None:
    """World matrix (4, 4) in the evaluated frame, None when it is flat."""
    matrix = matrix_of(ob.evaluated_get(depsgraph))
    return matrix if is_invertible(matrix) else None


def transformed(matrix: Floats, points: Floats) -> Floats:
    """Points (n, 3) moved by a matrix (4, 4)."""
    moved = points @ matrix[:3, :3].T
    moved += matrix[:3, 3]
    return np.ascontiguousarray(moved)


def local_axes(matrix: Floats) -> Floats:
    """Quaternion (4,) of an object's local axes.

    A mirrored object gets the axes of its unmirrored twin: a box is the same box either way.
    """
    linear = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
    if np.linalg.det(linear) < 0.0:
        linear = -linear
    return rotation_part(linear)


def rotation_part(linear: Floats) -> Floats:
    """Unit quaternion (4,) of the rotation nearest to a linear map (3, 3)."""
    return quaternions(nearest_rotation(linear[None]))[0]


def rotation_of(quaternion: Floats) -> Floats:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=np.float64), -1, 0)
    found = np.empty((*w.shape, 3, 3))
    for row, numbers in enumerate(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    ):
        for column, number in enumerate(numbers):
            found[..., row, column] = number
    return found


def product(a: Floats, b: Floats) -> Floats:
    """The quaternion a·b: turn by b, then by a."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def blended_matrices(a: Floats, b: Floats, share: float) -> Floats:
    """Matrices (n, 4, 4) on the way from a to b: places run straight, axes turn the short way."""
    blended = a.copy()
    if not len(a):
        return blended
    before, after = (nearest_rotation(matrices[:, :3, :3]) for matrices in (a, b))
    turn = quaternions(after @ np.swapaxes(before, -1, -2))
    none = np.tile((1.0, 0.0, 0.0, 0.0), (len(a), 1))
    blended[:, :3, :3] = rotation_of(blended_rotations(none, turn, share)) @ a[:, :3, :3]
    blended[:, :3, 3] = (1.0 - share) * a[:, :3, 3] + share * b[:, :3, 3]
    return blended


def blended_rotations(a: Floats, b: Floats, share: float) -> Floats:
    """Quaternions (n, 4) on the straight way from a to b, the short way round."""
    sign = np.where(np.sum(a * b, axis=1) < 0.0, -1.0, 1.0)[:, None]
    mixed = (1.0 - share) * a + share * sign * b
    return mixed / np.linalg.norm(mixed, axis=1)[:, None]


def mean_scale(matrix: Floats) -> float:
    """By how much a matrix (4, 4) scales lengths, as the side of a cube of the same volume."""
    return abs(float(np.linalg.det(matrix[:3, :3]))) ** (1.0 / 3.0)
