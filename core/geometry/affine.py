"""Affine maps (4, 4), whose last row is 0 0 0 1, in double precision."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats


def inverse(matrices: Floats) -> Floats:
    """Inverses (..., 4, 4) of affine maps (..., 4, 4), whose last row is 0 0 0 1.

    By cofactors. LAPACK wakes its threads for each matrix of four rows and lets others go first
    meanwhile: on a busy machine an inverse took milliseconds. Raises LinAlgError for what is flat.
    """
    first = matrices[..., :3, :]  # numbers of Python, a tenth of the price, where it is one
    rows = first.tolist() if matrices.ndim == 2 else np.moveaxis(first, (-2, -1), (0, 1))
    (a, b, c, x), (d, e, f, y), (g, h, i, z) = rows
    across = (e * i - f * h, c * h - b * i, b * f - c * e)
    volume = a * across[0] + d * across[1] + g * across[2]
    if np.any(volume == 0.0):
        raise np.linalg.LinAlgError("Singular matrix")
    found = np.empty(matrices.shape)
    for row, (p, q, r) in enumerate(
        (
            across,
            (f * g - d * i, a * i - c * g, c * d - a * f),
            (d * h - e * g, b * g - a * h, a * e - b * d),
        )
    ):
        p, q, r = p / volume, q / volume, r / volume
        found[..., row, 0], found[..., row, 1], found[..., row, 2] = p, q, r
        found[..., row, 3] = -(p * x + q * y + r * z)
    found[..., 3, :] = (0.0, 0.0, 0.0, 1.0)
    return found


def nearest_rotation(matrices: Floats) -> Floats:
    """The rotations nearest to ``matrices`` (n, 3, 3) in the sum of squares (Procrustes)."""
    u, _, vt = np.linalg.svd(matrices)
    u[:, :, 2] *= np.linalg.det(u @ vt)[:, None]
    return u @ vt
