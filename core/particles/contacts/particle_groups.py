"""Groups of particles that follow each other: what their common box is clear of, each of them is.

Rounding never makes the smaller of two numbers the larger one, so that a comparison of the box is
never passed where that of a particle in it would not be: groups change no bit.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...collision.axis_boxes import highest, lowest
from ...kernels.jit import lean_inline
from ...vec3 import load

GROUP_SIZE = 16
"""Particles that are compared with a shape together first."""


@lean_inline
def box_of_group(rows, radius, particles, first, last):
    """The box around the steps of particles rows[first … last − 1], and their largest radius."""
    x, previous, _ = particles
    low = high = load(x, rows[first])
    largest = 0.0
    for j in range(first, last):
        i = rows[j]
        now, then = load(x, i), load(previous, i)
        low, high = lowest(low, lowest(now, then)), highest(high, highest(now, then))
        largest = max(largest, radius[i])
    return low, high, largest


@lean_inline
def group_count(rows):
    """How many groups these particles make."""
    return (rows.shape[0] + GROUP_SIZE - 1) // GROUP_SIZE


def group_boxes(count: int) -> Floats:
    """Room for the boxes (g, 2, 3) m of the groups of ``count`` particles."""
    return np.zeros((-(-count // GROUP_SIZE), 2, 3))
