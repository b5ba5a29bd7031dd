"""The six sticks that keep a rigid body's four particles rigid (Jakobsen §5: 3–4 passes)."""

from __future__ import annotations

import math

from ...kernels.jit import inline
from ...vec3 import between
from ..constraints.stick import momentum, move_ends
from .flattened import unflatten


@inline
def project_sticks(x, previous, first, extent, inverse_mass, passes):
    """Project the six sticks of one body ``passes`` times, x in place.

    The edge between corners that differ in the signs of axes i and j is 2·√(eᵢ² + eⱼ²) long.
    The form that keeps angular momentum is used always: a spinning body must not slow down.
    """
    unflatten(x, first, extent)  # sticks hold the mirror image as well as the body
    w = 2.0 * inverse_mass[first]
    e0 = extent[0] * extent[0]
    e1 = extent[1] * extent[1]
    e2 = extent[2] * extent[2]
    for _ in range(passes):
        for edge in range(6):
            # edges in three disjoint pairs: (0,1)(2,3) (0,2)(1,3) (0,3)(1,2)
            pair = edge // 2
            if pair == 0:
                rest = 2.0 * math.sqrt(e1 + e2)
            elif pair == 1:
                rest = 2.0 * math.sqrt(e0 + e2)
            else:
                rest = 2.0 * math.sqrt(e0 + e1)
            if edge % 2 == 0:
                a = first
                b = first + 1 + pair
            else:
                a = first + (2 if pair == 0 else 1)
                b = first + (2 if pair == 2 else 3)
            step, e = momentum(between(x, a, b), between(previous, a, b), w, rest)
            move_ends(x, a, b, 0.5 * w, 0.5 * w, step, e)
