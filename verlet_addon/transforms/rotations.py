"""Rotation matrices, scales and quaternions of many frames at once, in NumPy."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats

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


SQUARE = 1e-6  # cosine between two axes that are square but for the rounding of 32 bits


def rotations_without_scale(linear: Floats, own_scale: Floats) -> Floats:
    """Return the rotations (n,3,3) nearest to ``linear`` (n,3,3) · diag(``own_scale`` (n,3)).

    Axes that are square and mirrored as the scale has them only need unit length; the search for
    the nearest takes fifteen times as long.
    """
    scaled = linear * own_scale[:, None, :]
    length = np.linalg.norm(scaled, axis=1)
    axes = scaled / np.where(length > 0.0, length, 1.0)[:, None, :]
    x, y, z = axes[:, :, 0], axes[:, :, 1], axes[:, :, 2]
    cosines = [np.einsum("ni,ni->n", *pair) for pair in ((x, y), (y, z), (z, x))]
    askew = np.abs(cosines).max(axis=0) > SQUARE
    is_mirrored = np.einsum("ni,ni->n", np.cross(x, y), z) < 0.5
    rows = np.flatnonzero(askew | is_mirrored)
    axes[rows] = nearest_rotation(scaled[rows])
    return axes


def nearest_rotation(matrices: Floats) -> Floats:
    """Return the rotations (F,3,3) nearest to ``matrices`` in the sum of squares (Procrustes)."""
    u, _, vt = np.linalg.svd(matrices)
    u[:, :, 2] *= np.linalg.det(u @ vt)[:, None]
    return u @ vt


def quaternions(rotations: Floats) -> Floats:
    """Return unit quaternions (F,4), w first, of ``rotations`` (F,3,3).

    Neighbours lie on the same half of the sphere, so that curves run the short way round.
    """
    m = rotations
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    # Four times the square of w, x, y, z. Dividing by the largest keeps every digit (Shepperd).
    squares = np.stack(
        [
            1.0 + trace,
            1.0 - trace + 2.0 * m[:, 0, 0],
            1.0 - trace + 2.0 * m[:, 1, 1],
            1.0 - trace + 2.0 * m[:, 2, 2],
        ],
        axis=1,
    )
    wx, wy, wz = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    xy, yz, zx = m[:, 1, 0] + m[:, 0, 1], m[:, 2, 1] + m[:, 1, 2], m[:, 0, 2] + m[:, 2, 0]
    rows = np.stack(
        [
            np.stack([squares[:, 0], wx, wy, wz], axis=1),
            np.stack([wx, squares[:, 1], xy, zx], axis=1),
            np.stack([wy, xy, squares[:, 2], yz], axis=1),
            np.stack([wz, zx, yz, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    result = rows[np.arange(len(m)), squares.argmax(axis=1)]
    result /= np.linalg.norm(result, axis=1, keepdims=True)
    flips = np.where(np.einsum("fi,fi->f", result[1:], result[:-1]) < 0.0, -1.0, 1.0)
    result[1:] *= np.cumprod(flips)[:, None]
    return result
