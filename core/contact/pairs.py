"""Broad phase: which shapes may touch (sweep and prune along x)."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..model import Ints
from .shapes import Shapes


def sweep_order(shapes: Shapes) -> Ints:
    """Shapes sorted by the lower end of their bounding boxes; `find_pairs` keeps it sorted."""
    return np.argsort(shapes.lower[:, 0], kind="stable").astype(np.int32)


@kernel
def find_pairs(shapes, order, pairs, margin):
    """Write pairs (p, 2) of shapes, body second, whose boxes come within ``margin`` (k,) m.

    Returns how many there are, which may be more than fit: the caller then makes room and asks
    again. Pairs of two colliders are left out.
    """
    count = 0
    lower = shapes.lower
    upper = shapes.upper
    for n in range(1, order.shape[0]):  # insertion sort: nearly sorted since the last substep
        s = order[n]
        m = n - 1
        while m >= 0 and lower[order[m], 0] > lower[s, 0]:
            order[m + 1] = order[m]
            m -= 1
        order[m + 1] = s
    for n in range(order.shape[0]):
        s = order[n]
        for m in range(n + 1, order.shape[0]):
            t = order[m]
            room = max(margin[s], margin[t])
            if lower[t, 0] > upper[s, 0] + room:
                break
            if shapes.particle_body[s] < 0 and shapes.particle_body[t] < 0:
                continue
            if (
                lower[t, 1] > upper[s, 1] + room
                or lower[s, 1] > upper[t, 1] + room
                or lower[t, 2] > upper[s, 2] + room
                or lower[s, 2] > upper[t, 2] + room
            ):
                continue
            if count < pairs.shape[0]:
                pairs[count, 0] = min(s, t)
                pairs[count, 1] = max(s, t)
            count += 1
    return count
