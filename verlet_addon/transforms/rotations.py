"""Rotation matrices, scales and quaternions of many frames at once, in NumPy."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats
from ...core.geometry.affine import nearest_rotation

ORTHOGONAL_TOLERANCE = 1e-4  # cosine between two axes of a matrix that still counts as no shear
SCALE_TOLERANCE = 1e-4  # relative


def fitted_scales(linear: Floats, own_scale: Floats) -> Floats:
    """Scales (n,3) that come nearest to ``linear`` (n,3,3), with `rotations_without_scale`.

    ``own_scale`` (n,3), which they have now, is kept where it fits and decides the signs. What has
    no shear is met exactly. Else R · diag(s) comes near to it: R is the rotation nearest to
    linear · diag(own), and s, the diagonal of Rᵀ · linear, leaves the least sum of squares for it.
    """
    lengths = np.linalg.norm(linear, axis=1)
    allowed = SCALE_TOLERANCE * np.abs(own_scale).max(axis=1, keepdims=True)
    rows = np.flatnonzero((np.abs(lengths - np.abs(own_scale)) > allowed).any(axis=1))
    found = own_scale.copy()
    turned = rotations_without_scale(linear[rows], own_scale[rows])
    found[rows] = np.einsum("nij,nij->nj", turned, linear[rows])
    return found


def largest_shear(linear: Floats) -> float:
    """The largest cosine between two axes of any of ``linear`` (n,3,3); 0 where all are square."""
    lengths = np.linalg.norm(linear, axis=1)
    x, y, z = np.moveaxis(linear / np.where(lengths > 0.0, lengths, 1.0)[:, None, :], 2, 0)
    pairs = (x, y), (y, z), (z, x)
    return float(np.abs([np.einsum("ni,ni->n", *pair) for pair in pairs]).max(initial=0.0))


def unevenness(linear: Floats) -> float:
    """How far ``linear`` (3,3) is from a turn with one scale: 0 is one, 1 flattens an axis.

    The share of the longest of three half axes that it makes of a sphere by which the least is
    shorter; what turns in such a space is sheared.
    """
    stretches = np.linalg.svd(linear, compute_uv=False)
    return 1.0 - float(stretches[2] / stretches[0]) if stretches[0] > 0.0 else 1.0


SQUARE = 1e-6  # cosine between two axes that are square but for the rounding of 32 bits


def rotations_without_scale(linear: Floats, own_scale: Floats) -> Floats:
    """Return the rotations (n,3,3) nearest to ``linear`` (n,3,3) · diag(``own_scale`` (n,3)).

    Axes that are square and mirrored as the scale has them only need unit length; the search for
    the nearest takes fifteen times as long.
    """
    scaled = linear * own_scale[:, None, :]
    m = scaled.transpose(1, 2, 0).copy()  # (3, 3, n): each number beside its like
    length = np.sqrt((m * m).sum(axis=0))
    m /= np.where(length > 0.0, length, 1.0)
    x, y, z = m[:, 0], m[:, 1], m[:, 2]
    cosines = np.abs([(a * b).sum(axis=0) for a, b in ((x, y), (y, z), (z, x))])
    volume = (
        (x[1] * y[2] - x[2] * y[1]) * z[0]
        + (x[2] * y[0] - x[0] * y[2]) * z[1]
        + (x[0] * y[1] - x[1] * y[0]) * z[2]
    )
    axes = m.transpose(2, 0, 1)
    rows = np.flatnonzero((cosines.max(axis=0) > SQUARE) | (volume < 0.5))
    if len(rows):
        axes[rows] = nearest_rotation(scaled[rows])
    return axes


def quaternions(rotations: Floats) -> Floats:
    """Return unit quaternions (F,4), w first, of ``rotations`` (F,3,3).

    Neighbours lie on the same half of the sphere, so that curves run the short way round.
    """
    result = quaternions_each(rotations)
    flips = np.where(np.einsum("fi,fi->f", result[1:], result[:-1]) < 0.0, -1.0, 1.0)
    result[1:] *= np.cumprod(flips)[:, None]
    return result


def quaternions_each(rotations: Floats) -> Floats:
    """Like `quaternions`, each on whichever half of the sphere."""
    m = np.ascontiguousarray(rotations.transpose(1, 2, 0))  # (3, 3, F)
    count = m.shape[2]
    # Row k: the quaternion times four times its number k, whose square stands on the diagonal.
    rows = np.empty((4, 4, count))
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    rows[0, 0] = 1.0 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rows[i + 1, i + 1] = 1.0 - trace + 2.0 * m[i, i]
        rows[0, i + 1] = rows[i + 1, 0] = m[k, j] - m[j, k]
        rows[i + 1, j + 1] = rows[j + 1, i + 1] = m[j, i] + m[i, j]
    # Dividing by the largest keeps every digit (Shepperd).
    largest = rows.reshape(16, count)[::5].argmax(axis=0)
    result = rows[largest, :, np.arange(count)]
    result /= np.sqrt((result * result).sum(axis=1))[:, None]
    return result
