"""A point that four particles carry, p = Σ cᵢ xᵢ with Σ cᵢ = 1, somewhere near or beside them.

What keeps another particle near it pushes both: the gradient is e on the particle and −cᵢ e on the
four. Rows are (k, 5), the particle first; weight (k, 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import lean_inline
from ...vec3 import along, load, shift

if TYPE_CHECKING:
    from ...arrays import Floats


def weights_of(corner: Floats, point: Floats) -> Floats:
    """cᵢ (4,) of a point (3,) carried by four places (4, 3) that are not in a plane."""
    matrix = np.concatenate([corner.T, np.ones((1, 4))])
    weight: Floats = np.linalg.solve(matrix, np.append(point, 1.0))
    return weight


@lean_inline
def from_point(particles, row, weight, s):
    """From the point to the particle of row s now and in x*, and w = Σ of 1/m by gradients."""
    i = row[s, 0]
    d = load(particles.x, i)
    e = load(particles.previous, i)
    w = particles.inverse_mass[i]
    for k in range(4):
        j = row[s, 1 + k]
        c = weight[s, k]
        d = along(d, -c, load(particles.x, j))
        e = along(e, -c, load(particles.previous, j))
        w += c * c * particles.inverse_mass[j]
    return d, e, w


@lean_inline
def draw_to_point(particles, row, weight, s, step, e):
    """Move the particle of row s by −w λ e and the point by its share of +λ e; step: λ."""
    i = row[s, 0]
    shift(particles.x, i, -(particles.inverse_mass[i] * step), e)
    for k in range(4):
        j = row[s, 1 + k]
        shift(particles.x, j, weight[s, k] * particles.inverse_mass[j] * step, e)
