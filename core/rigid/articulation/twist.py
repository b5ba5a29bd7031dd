"""Six numbers as a tuple: a twist, velocity and spin, or a wrench, force and torque."""

from __future__ import annotations

from ...kernels.jit import lean_inline


@lean_inline
def six(a):
    """The numbers of an array a (6,)."""
    return a[0], a[1], a[2], a[3], a[4], a[5]


@lean_inline
def less_six(a, b):
    """The difference a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]


@lean_inline
def take_off(a, f, b):
    """Take f b off an array a (6,)."""
    a[0] -= f * b[0]
    a[1] -= f * b[1]
    a[2] -= f * b[2]
    a[3] -= f * b[3]
    a[4] -= f * b[4]
    a[5] -= f * b[5]


@lean_inline
def dot_six(a, r, k):
    """The product of a with column k of an array r (6, 6), from the first to the last."""
    return (
        a[0] * r[0, k]
        + a[1] * r[1, k]
        + a[2] * r[2, k]
        + a[3] * r[3, k]
        + a[4] * r[4, k]
        + a[5] * r[5, k]
    )
