"""Curl noise: a flow that swirls and neither gathers nor thins out what it carries.

R. Bridson, J. Hourihan, M. Nordenstam, *Curl-Noise for Procedural Fluid Flow*, SIGGRAPH 2007:
u = ∇×ψ has no divergence whatever ψ is. ψ is three gradient noises (K. Perlin, *Improving
Noise*, 2002: fade 6t⁵ − 15t⁴ + 10t³, so that u is continuously differentiable), differentiated by
hand. The gradients come from integer hashes alone: the same flow on every machine.
"""

from __future__ import annotations

import math

from ..elementary import sin_cos
from ..kernels.jit import inline
from ..vec3 import ZERO, along, scale

OCTAVE_GAIN = 0.5
"""Speed of the eddies of half the size."""

_MEAN_SPEED = 1.222  # m/s of one octave with cells of 1 m, root mean square: measured
_HALF = 511.5  # of the range of ten bits
_UNIT = 1.0 / _HALF
_FARTHEST = 1e9  # cells; beyond it all is one cell's border


@inline
def _mix(n):
    """Hash of 32 bits (C. Wellons' lowbias32); every product is cut to 32 bits at once."""
    n = n ^ (n >> 16)
    n = (n * 0x7FEB352D) & 0xFFFFFFFF
    n = n ^ (n >> 15)
    n = (n * 0x846CA68B) & 0xFFFFFFFF
    return n ^ (n >> 16)


@inline
def _hash(a, b, c, seed):
    """Hash of 32 bits of four whole numbers, negative ones too."""
    n = _mix((seed ^ 0x9E3779B9) & 0xFFFFFFFF)
    n = _mix((n ^ a) & 0xFFFFFFFF)
    n = _mix((n ^ b) & 0xFFFFFFFF)
    return _mix((n ^ c) & 0xFFFFFFFF)


@inline
def chance(a, b, c, seed):
    """A number from −1 to 1 that four whole numbers decide."""
    return _hash(a, b, c, seed) / 2147483647.5 - 1.0


@inline
def _gradient(n):
    """Three numbers from −`_HALF` to `_HALF` out of a hash, ten bits each."""
    return (n & 1023) - _HALF, (n >> 10 & 1023) - _HALF, (n >> 20 & 1023) - _HALF


@inline
def curl_of_noise(p, seed, tick, now, soon):
    """∇×ψ at a point in cells; gradients are those of ``tick`` × now + the next ones × soon."""
    px, py, pz = p
    ix, iy, iz = math.floor(px), math.floor(py), math.floor(pz)
    fx, fy, fz = px - ix, py - iy, pz - iz
    sx = fx * fx * fx * (fx * (6.0 * fx - 15.0) + 10.0)
    sy = fy * fy * fy * (fy * (6.0 * fy - 15.0) + 10.0)
    sz = fz * fz * fz * (fz * (6.0 * fz - 15.0) + 10.0)
    dx = 30.0 * fx * fx * (fx - 1.0) * (fx - 1.0)
    dy = 30.0 * fy * fy * (fy - 1.0) * (fy - 1.0)
    dz = 30.0 * fz * fz * (fz - 1.0) * (fz - 1.0)
    ux, uy, uz = 0.0, 0.0, 0.0
    for corner in range(8):
        bx, by, bz = corner & 1, corner >> 1 & 1, corner >> 2
        rx, ry, rz = fx - bx, fy - by, fz - bz
        wx, ex = (sx, dx) if bx else (1.0 - sx, -dx)
        wy, ey = (sy, dy) if by else (1.0 - sy, -dy)
        wz, ez = (sz, dz) if bz else (1.0 - sz, -dz)
        w = wx * wy * wz
        gx, gy, gz = ex * wy * wz, wx * ey * wz, wx * wy * ez  # ∇w
        n = _hash(ix + bx, iy + by, iz + bz, seed)
        for row in range(3):  # ψ of this row: w·(g·r); its gradient: (g·r)∇w + w·g
            m = _mix((n + 3 * tick + row) & 0xFFFFFFFF)
            a, b, c = _gradient(m)
            a, b, c = now * a, now * b, now * c
            if soon != 0.0:
                m = _mix((n + 3 * tick + 3 + row) & 0xFFFFFFFF)
                a2, b2, c2 = _gradient(m)
                a, b, c = a + soon * a2, b + soon * b2, c + soon * c2
            r = a * rx + b * ry + c * rz
            hx, hy, hz = r * gx + w * a, r * gy + w * b, r * gz + w * c
            if row == 0:
                uy += hz
                uz -= hy
            elif row == 1:
                ux -= hz
                uz += hx
            else:
                ux += hy
                uy -= hx
    return ux * _UNIT, uy * _UNIT, uz * _UNIT


@inline
def _within(a):
    """A number in the range in which noise is defined."""
    return min(max(a, -_FARTHEST), _FARTHEST)


@inline
def curl_noise(p, seed, size, octaves, age):
    """Flow (3,) at a point (m): a root mean square speed of 1 over space.

    size: of the largest eddies, m; octaves ≥ 1, each half as large and half as fast; age: how
    many times all eddies have been replaced, 0 at the start.
    """
    tick = math.floor(_within(age))
    part = age - tick
    part = part * part * (3.0 - 2.0 * part)
    soon, now = sin_cos(0.5 * math.pi * part)
    u = ZERO
    cells, gain, power = 1.0 / size, 1.0, 0.0
    for octave in range(octaves):
        q = (_within(p[0] * cells), _within(p[1] * cells), _within(p[2] * cells))
        u = along(u, gain, curl_of_noise(q, seed + octave * 7919, tick, now, soon))
        power += gain * gain
        cells *= 2.0
        gain *= OCTAVE_GAIN
    return scale(1.0 / (_MEAN_SPEED * math.sqrt(power)), u)
