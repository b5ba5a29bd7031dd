"""A point that four particles carry, p = Σ cᵢ xᵢ with Σ cᵢ = 1, somewhere near or beside them.

What keeps another particle near it pushes both: the gradient is e on the particle and −cᵢ e on the
four. Rows are (k, 5), the particle first; weight (k, 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..jit import lean_inline

if TYPE_CHECKING:
    from ..model import Floats


def weights_of(corner: Floats, point: Floats) -> Floats:
    """cᵢ (4,) of a point (3,) carried by four places (4, 3) that are not in a plane."""
    matrix = np.concatenate([corner.T, np.ones((1, 4))])
    weight: Floats = np.linalg.solve(matrix, np.append(point, 1.0))
    return weight


@lean_inline
def from_point(x, previous, inverse_mass, row, weight, s):
    """From the point to the particle of row s now and in x*, and w = Σ of 1/m by gradients."""
    i = row[s, 0]
    dx, dy, dz = x[i, 0], x[i, 1], x[i, 2]
    ex, ey, ez = previous[i, 0], previous[i, 1], previous[i, 2]
    w = inverse_mass[i]
    for k in range(4):
        j = row[s, 1 + k]
        c = weight[s, k]
        dx, dy, dz = dx - c * x[j, 0], dy - c * x[j, 1], dz - c * x[j, 2]
        ex -= c * previous[j, 0]
        ey -= c * previous[j, 1]
        ez -= c * previous[j, 2]
        w += c * c * inverse_mass[j]
    return dx, dy, dz, ex, ey, ez, w


@lean_inline
def draw_to_point(x, inverse_mass, row, weight, s, step, ex, ey, ez):
    """Move the particle of row s by −w λ e and the point by its share of +λ e; step: λ."""
    i = row[s, 0]
    f = inverse_mass[i] * step
    x[i, 0] -= f * ex
    x[i, 1] -= f * ey
    x[i, 2] -= f * ez
    for k in range(4):
        j = row[s, 1 + k]
        f = weight[s, k] * inverse_mass[j] * step
        x[j, 0] += f * ex
        x[j, 1] += f * ey
        x[j, 2] += f * ez
