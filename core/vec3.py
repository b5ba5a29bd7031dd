"""Vectors of three numbers as tuples, for use inside kernels.

A tuple is no array: it lies in registers, so that `add(a, b)` costs what the three sums written
out would. The order of operations is part of each docstring, for the bits hang on it.
"""

from __future__ import annotations

import math

from .kernels.jit import lean_inline

ZERO = (0.0, 0.0, 0.0)


@lean_inline
def unit(n):
    """Axis n of the world."""
    return (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)


@lean_inline
def load(x, i):
    """Row i of x (n, 3)."""
    return x[i, 0], x[i, 1], x[i, 2]


@lean_inline
def vec(a):
    """The three numbers of an array a (3,)."""
    return a[0], a[1], a[2]


@lean_inline
def set_vec(a, v):
    """Write v into an array a (3,)."""
    a[0], a[1], a[2] = v


@lean_inline
def add_to(a, v):
    """Add v to an array a (3,)."""
    a[0] += v[0]
    a[1] += v[1]
    a[2] += v[2]


@lean_inline
def store(x, i, v):
    """Write v into row i of x (n, 3)."""
    x[i, 0], x[i, 1], x[i, 2] = v


@lean_inline
def shift(x, i, f, v):
    """Add f v to row i of x (n, 3)."""
    x[i, 0] += f * v[0]
    x[i, 1] += f * v[1]
    x[i, 2] += f * v[2]


@lean_inline
def move(x, i, v):
    """Add v to row i of x (n, 3)."""
    x[i, 0] += v[0]
    x[i, 1] += v[1]
    x[i, 2] += v[2]


@lean_inline
def between(x, a, b):
    """From row a of x (n, 3) to row b."""
    return x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]


@lean_inline
def add(a, b):
    """The sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@lean_inline
def sub(a, b):
    """The difference a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@lean_inline
def scale(f, a):
    """The product f a."""
    return f * a[0], f * a[1], f * a[2]


@lean_inline
def divide(a, f):
    """The quotient a/f."""
    return a[0] / f, a[1] / f, a[2] / f


@lean_inline
def times_each(a, b):
    """The products of the numbers of a and of b, each with each."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@lean_inline
def divide_each(a, b):
    """The quotients of the numbers of a and of b, each by each."""
    return a[0] / b[0], a[1] / b[1], a[2] / b[2]


@lean_inline
def along(a, f, b):
    """The sum a + f b."""
    return a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]


@lean_inline
def dot(a, b):
    """The product a · b, from the first to the last."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@lean_inline
def dot2(a, b, c, d):
    """The sum a · b + c · d of six products, from the first to the last."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + c[0] * d[0] + c[1] * d[1] + c[2] * d[2]


@lean_inline
def plus_dot(f, a, b):
    """The sum f + a · b, from the first to the last."""
    return f + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@lean_inline
def less_dot(f, a, b):
    """The difference f − a · b, from the first to the last."""
    return f - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]


@lean_inline
def cross(a, b):
    """The product a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@lean_inline
def add_cross(a, b, c):
    """The sum a + b × c, from the first to the last."""
    return (
        a[0] + b[1] * c[2] - b[2] * c[1],
        a[1] + b[2] * c[0] - b[0] * c[2],
        a[2] + b[0] * c[1] - b[1] * c[0],
    )


@lean_inline
def length(a):
    """The length |a|."""
    return math.sqrt(dot(a, a))


@lean_inline
def norm1(a):
    """The sum |a₁| + |a₂| + |a₃|, from the first to the last: a bound of the length."""
    return abs(a[0]) + abs(a[1]) + abs(a[2])


@lean_inline
def plus_norm1(f, a):
    """The sum f + |a₁| + |a₂| + |a₃|, from the first to the last."""
    return f + abs(a[0]) + abs(a[1]) + abs(a[2])


@lean_inline
def across(a):
    """A vector square to a, of no particular length."""
    x, y, z = a
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        return 0.0, z, -y
    if abs(y) <= abs(z):
        return -z, 0.0, x
    return y, -x, 0.0


@lean_inline
def column(r, k):
    """Column k of an array r (3, 3)."""
    return r[0, k], r[1, k], r[2, k]


@lean_inline
def rotate(r, v):
    """R v, for R a (3, 3) array."""
    return (
        r[0, 0] * v[0] + r[0, 1] * v[1] + r[0, 2] * v[2],
        r[1, 0] * v[0] + r[1, 1] * v[1] + r[1, 2] * v[2],
        r[2, 0] * v[0] + r[2, 1] * v[1] + r[2, 2] * v[2],
    )


@lean_inline
def rotate_by(r, v):
    """R v, for R a tuple of three rows."""
    return dot(r[0], v), dot(r[1], v), dot(r[2], v)


@lean_inline
def unrotate(r, v):
    """Rᵀ v, for R a (3, 3) array."""
    return (
        r[0, 0] * v[0] + r[1, 0] * v[1] + r[2, 0] * v[2],
        r[0, 1] * v[0] + r[1, 1] * v[1] + r[2, 1] * v[2],
        r[0, 2] * v[0] + r[1, 2] * v[1] + r[2, 2] * v[2],
    )


# ---------------------------------------------------- symmetric matrices: xx yy zz xy xz yz


@lean_inline
def symmetric(a):
    """The six numbers of an array (6,)."""
    return a[0], a[1], a[2], a[3], a[4], a[5]


@lean_inline
def symmetric_of(r):
    """The six numbers of a symmetric array (3, 3)."""
    return r[0, 0], r[1, 1], r[2, 2], r[0, 1], r[0, 2], r[1, 2]


@lean_inline
def add_symmetric(m, n):
    """The sum M + N."""
    return m[0] + n[0], m[1] + n[1], m[2] + n[2], m[3] + n[3], m[4] + n[4], m[5] + n[5]


@lean_inline
def trace(m):
    """The sum of the diagonal of M."""
    return m[0] + m[1] + m[2]


@lean_inline
def symmetric_times(m, v):
    """The product M v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[3] * v[0] + m[1] * v[1] + m[5] * v[2],
        m[4] * v[0] + m[5] * v[1] + m[2] * v[2],
    )


@lean_inline
def inverse_symmetric(m, scale):
    """Scale times the inverse of M."""
    xx, yy, zz, xy, xz, yz = m
    cx = yy * zz - yz * yz
    cy = xz * yz - xy * zz
    cz = xy * yz - xz * yy
    f = scale / (xx * cx + xy * cy + xz * cz)
    return (
        f * cx,
        f * (xx * zz - xz * xz),
        f * (xx * yy - xy * xy),
        f * cy,
        f * cz,
        f * (xy * xz - xx * yz),
    )
