"""Planes that part the two features of a contact, each given by the way up."""

from __future__ import annotations

import math

from ...kernels.jit import lean_inline
from ...vec3 import ZERO, vec
from .surface_watch import distance_needed


@lean_inline
def height_over(contact, c, over, x, more, start):
    """The sum over · x' + more · x of corner c."""
    i = contact["corner"][c]
    height = 0.0
    for k in range(3):
        height += over[k] * x[i, k] + more[k] * start[i, k]
    return height


@lean_inline
def gap_over(contact, over, x, more, start):
    """By how much the lowest of a is above the highest of b, m."""
    low, high = math.inf, -math.inf
    first = 2 if contact["is_edges"] else 1
    for c in range(4):
        height = height_over(contact, c, over, x, more, start)
        if c < first:
            low = min(low, height)
        else:
            high = max(high, height)
    return low - high


@lean_inline
def are_parted(contact, x, start):
    """Whether one of the planes of a contact parts its features all along their way."""
    needed = distance_needed(contact)
    normal = vec(contact["normal"])
    gap = gap_over(contact, normal, x, ZERO, start)
    if gap >= needed:
        return True
    if contact["is_turned"] == 0:
        return False
    turned = vec(contact["turned"])
    gap = gap_over(contact, turned, x, ZERO, start)
    if gap < needed:
        return False
    gap = gap_over(contact, normal, x, turned, start)
    return gap >= 0.0
