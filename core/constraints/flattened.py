"""Bodies of particles that a blow has pressed flat or turned inside out (Jakobsen §5).

A mirrored tetrahedron keeps all its sticks, and a flat frame has no way out along its own axes.
"""

from __future__ import annotations

import math

from ..jit import inline

FLATTENED = 0.1
"""Share of its volume below which a body has been pressed flat, or inside out, by a blow."""


@inline
def axis_of(x, first, axis):
    """One axis of a body's frame from its four particles (three numbers, m)."""
    # signs of the corners as in `bodies.CORNER_SIGNS`
    s1 = 1.0 if axis == 0 else -1.0
    s2 = 1.0 if axis == 1 else -1.0
    s3 = 1.0 if axis == 2 else -1.0
    return (
        0.25 * (x[first, 0] + s1 * x[first + 1, 0] + s2 * x[first + 2, 0] + s3 * x[first + 3, 0]),
        0.25 * (x[first, 1] + s1 * x[first + 1, 1] + s2 * x[first + 2, 1] + s3 * x[first + 3, 1]),
        0.25 * (x[first, 2] + s1 * x[first + 1, 2] + s2 * x[first + 2, 2] + s3 * x[first + 3, 2]),
    )


@inline
def move_axes(x, first, ax, ay, az, bx, by, bz, cx, cy, cz):
    """Change a body's three axes by (ax, ay, az) …, its centre staying where it is."""
    for k in range(4):
        sa = 1.0 if k < 2 else -1.0
        sb = 1.0 if k % 2 == 0 else -1.0
        sc = sa * sb
        i = first + k
        x[i, 0] += sa * ax + sb * bx + sc * cx
        x[i, 1] += sa * ay + sb * by + sc * cy
        x[i, 2] += sa * az + sb * bz + sc * cz


@inline
def _square_to(ax, ay, az, bx, by, bz, length, least):
    """The vector a × b made ``length`` long; |a × b| counts as ``least`` at least."""
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    f = length / math.sqrt(max(nx * nx + ny * ny + nz * nz, least * least))
    return f * nx, f * ny, f * nz


@inline
def unflatten(x, first, extent):
    """Give a body that is flat or inside out its shortest axis anew: the product of the others."""
    ax, ay, az = axis_of(x, first, 0)
    bx, by, bz = axis_of(x, first, 1)
    cx, cy, cz = axis_of(x, first, 2)
    a, b, c = extent[0], extent[1], extent[2]
    nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    if ax * nx + ay * ny + az * nz >= FLATTENED * a * b * c:
        return
    ux = uy = uz = vx = vy = vz = wx = wy = wz = 0.0
    if a <= b and a <= c:
        ux, uy, uz = _square_to(bx, by, bz, cx, cy, cz, a, 1e-6 * b * c)
        ux, uy, uz = ux - ax, uy - ay, uz - az
    elif b <= c:
        vx, vy, vz = _square_to(cx, cy, cz, ax, ay, az, b, 1e-6 * a * c)
        vx, vy, vz = vx - bx, vy - by, vz - bz
    else:
        wx, wy, wz = _square_to(ax, ay, az, bx, by, bz, c, 1e-6 * a * b)
        wx, wy, wz = wx - cx, wy - cy, wz - cz
    move_axes(x, first, ux, uy, uz, vx, vy, vz, wx, wy, wz)
