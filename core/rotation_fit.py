"""The rotation that brings places closest to others, in the sense of least squares.

Horn 1987, "Closed-form solution of absolute orientation using unit quaternions": the eigenvector
to the largest eigenvalue of a symmetric 4×4 matrix. It is never a reflection, is defined for flat,
straight and single-point clouds too (which leave part of it open), and needs nothing from the
step before.
"""

from __future__ import annotations

import math

from .kernels.jit import inline

EIGEN_SWEEPS = 12
"""Jacobi sweeps at most; four to six are enough for full precision."""


@inline
def largest_eigenvector(a, v):
    """Unit eigenvector of the symmetric a (4, 4) to its largest eigenvalue, by Jacobi's method.

    a is destroyed, v (4, 4) is scratch (Golub & Van Loan, §8.5; the order of rotations is fixed).
    """
    size = 0.0
    for i in range(4):
        for j in range(4):
            v[i, j] = 1.0 if i == j else 0.0
            size += a[i, j] * a[i, j]
    for _ in range(EIGEN_SWEEPS):
        off = 0.0
        for i in range(3):
            for j in range(i + 1, 4):
                off += a[i, j] * a[i, j]
        if off <= 1e-32 * size:
            break
        for p in range(3):
            for q in range(p + 1, 4):
                if a[p, q] == 0.0:
                    continue
                theta = 0.5 * (a[q, q] - a[p, p]) / a[p, q]
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(4):
                    kp = a[k, p]
                    kq = a[k, q]
                    a[k, p] = c * kp - s * kq
                    a[k, q] = s * kp + c * kq
                for k in range(4):
                    pk = a[p, k]
                    qk = a[q, k]
                    a[p, k] = c * pk - s * qk
                    a[q, k] = s * pk + c * qk
                for k in range(4):
                    kp = v[k, p]
                    kq = v[k, q]
                    v[k, p] = c * kp - s * kq
                    v[k, q] = s * kp + c * kq
    best = 0
    for i in range(1, 4):
        if a[i, i] > a[best, best]:
            best = i
    norm = math.sqrt(
        v[0, best] * v[0, best]
        + v[1, best] * v[1, best]
        + v[2, best] * v[2, best]
        + v[3, best] * v[3, best]
    )
    return v[0, best] / norm, v[1, best] / norm, v[2, best] / norm, v[3, best] / norm


@inline
def fitted_turn(first, second, third, scratch):
    """Unit quaternion (w, x, y, z) of the R that brings R q closest to r, all of them together.

    From the rows of Σ q rᵀ, with the weights of the points in it; scratch (2, 4, 4).
    """
    s00, s01, s02 = first
    s10, s11, s12 = second
    s20, s21, s22 = third
    n = scratch[0]
    n[0, 0] = s00 + s11 + s22
    n[1, 1] = s00 - s11 - s22
    n[2, 2] = s11 - s00 - s22
    n[3, 3] = s22 - s00 - s11
    n[0, 1] = s12 - s21
    n[0, 2] = s20 - s02
    n[0, 3] = s01 - s10
    n[1, 2] = s01 + s10
    n[1, 3] = s20 + s02
    n[2, 3] = s12 + s21
    for i in range(3):
        for j in range(i + 1, 4):
            n[j, i] = n[i, j]
    return largest_eigenvector(n, scratch[1])
