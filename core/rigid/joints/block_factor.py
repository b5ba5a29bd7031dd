"""Dense blocks of a factor L Lᵀ, row by row in one array of values: factorise, divide, substitute.

Joints that hold a point have three rows, for which all is written out. On the diagonal of L lies
1/L.
"""

from __future__ import annotations

import math

from ...kernels.jit import lean_inline


@lean_inline
def _pivot(left, before):
    """1/√ of what is left of a diagonal; rows that say the same twice would leave only rounding."""
    return 1.0 / math.sqrt(max(left, 1e-12 * before, 1e-300))


@lean_inline
def factorise_block(value, d, size):
    """L Lᵀ of the diagonal block that begins at d."""
    if size == 3:
        a, b, c = value[d + 3], value[d + 6], value[d + 7]
        p = _pivot(value[d], value[d])
        a, b = a * p, b * p
        q = _pivot(value[d + 4] - a * a, value[d + 4])
        c = (c - b * a) * q
        value[d + 8] = _pivot(value[d + 8] - b * b - c * c, value[d + 8])
        value[d], value[d + 4] = p, q
        value[d + 3], value[d + 6], value[d + 7] = a, b, c
        return
    for k in range(size):
        at = d + k * size
        total = value[at + k]
        for m in range(k):
            total -= value[at + m] ** 2
        pivot = _pivot(total, value[at + k])
        value[at + k] = pivot
        for i in range(k + 1, size):
            other = d + i * size
            total = value[other + k]
            for m in range(k):
                total -= value[other + m] * value[at + m]
            value[other + k] = total * pivot


@lean_inline
def divide(value, first, last, d, size):
    """Rows of values from first up to last times L⁻ᵀ of the diagonal block at d."""
    if size == 3:
        p, q, r = value[d], value[d + 4], value[d + 8]
        a, b, c = value[d + 3], value[d + 6], value[d + 7]
        for at in range(first, last, 3):
            x = value[at] * p
            y = (value[at + 1] - x * a) * q
            value[at] = x
            value[at + 1] = y
            value[at + 2] = (value[at + 2] - x * b - y * c) * r
        return
    for at in range(first, last, max(size, 1)):  # a joint that leaves all free has no row
        for k in range(size):
            total = value[at + k]
            for m in range(k):
                total -= value[at + m] * value[d + k * size + m]
            value[at + k] = total * value[d + k * size + k]


@lean_inline
def subtract(value, target, left, left_end, right, right_end, size):
    """Target −= left rightᵀ, blocks of rows of ``size`` values."""
    if size == 3:
        for a in range(left, left_end, 3):
            x, y, z = value[a], value[a + 1], value[a + 2]
            for b in range(right, right_end, 3):
                value[target] -= x * value[b] + y * value[b + 1] + z * value[b + 2]
                target += 1
        return
    step = max(size, 1)
    for a in range(left, left_end, step):
        for b in range(right, right_end, step):
            total = 0.0
            for m in range(size):
                total += value[a + m] * value[b + m]
            value[target] -= total
            target += 1


@lean_inline
def substitute_forward(value, d, change, at, size):
    """L⁻¹ of the diagonal block at d times the changes from ``at`` on."""
    if size == 3:
        x = change[at] * value[d]
        y = (change[at + 1] - value[d + 3] * x) * value[d + 4]
        z = change[at + 2] - value[d + 6] * x - value[d + 7] * y
        change[at], change[at + 1], change[at + 2] = x, y, z * value[d + 8]
        return
    for k in range(size):
        total = change[at + k]
        for m in range(k):
            total -= value[d + k * size + m] * change[at + m]
        change[at + k] = total * value[d + k * size + k]


@lean_inline
def substitute_back(value, d, change, at, size):
    """L⁻ᵀ of the diagonal block at d times the changes from ``at`` on."""
    if size == 3:
        z = change[at + 2] * value[d + 8]
        y = (change[at + 1] - value[d + 7] * z) * value[d + 4]
        x = change[at] - value[d + 3] * y - value[d + 6] * z
        change[at], change[at + 1], change[at + 2] = x * value[d], y, z
        return
    for down in range(size):
        k = size - 1 - down
        total = change[at + k]
        for m in range(k + 1, size):
            total -= value[d + m * size + k] * change[at + m]
        change[at + k] = total * value[d + k * size + k]


@lean_inline
def pass_on(value, b, change, at, size, other, height):
    """``height`` changes from ``other`` on less the block at b times those from ``at`` on."""
    if size == 3:
        x, y, z = change[at], change[at + 1], change[at + 2]
        for k in range(other, other + height):
            change[k] -= value[b] * x + value[b + 1] * y + value[b + 2] * z
            b += 3
        return
    for k in range(other, other + height):
        total = change[k]
        for m in range(size):
            total -= value[b + m] * change[at + m]
        change[k] = total
        b += size


@lean_inline
def pass_back(value, b, change, at, size, other, height):
    """Changes from ``at`` on less the transpose of the block at b times those from ``other`` on."""
    if size == 3:
        x, y, z = change[at], change[at + 1], change[at + 2]
        for k in range(other, other + height):
            c = change[k]
            x -= value[b] * c
            y -= value[b + 1] * c
            z -= value[b + 2] * c
            b += 3
        change[at], change[at + 1], change[at + 2] = x, y, z
        return
    for k in range(other, other + height):
        x = change[k]
        for m in range(size):
            change[at + m] -= value[b + m] * x
        b += size
