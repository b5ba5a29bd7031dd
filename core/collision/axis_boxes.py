"""Boxes along the axes, as the tuples of their lowest and highest corner."""

from __future__ import annotations

from ..kernels.jit import lean_inline


@lean_inline
def lowest(a, b):
    """The smaller number of a and b along each axis."""
    return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])


@lean_inline
def highest(a, b):
    """The larger number of a and b along each axis."""
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])


@lean_inline
def widened(low, high, away):
    """The box from low to high, wider by ``away`` m on all sides."""
    return (
        (low[0] - away, low[1] - away, low[2] - away),
        (high[0] + away, high[1] + away, high[2] + away),
    )


@lean_inline
def are_apart(low, high, lower, upper):
    """Whether the boxes from low to high and from lower to upper have nothing in common."""
    return (
        (low[0] > upper[0] or high[0] < lower[0])
        or (low[1] > upper[1] or high[1] < lower[1])
        or (low[2] > upper[2] or high[2] < lower[2])
    )
