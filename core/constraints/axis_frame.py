"""The frame of a body of particles held rigid as Jakobsen's origin and three axes (§5).

With A, B, C the axes of the body's frame, each as long as the radius of gyration along it, six
conditions make it rigid: |A| = a, |B| = b, |C| = c, A·B = B·C = C·A = 0. Four particles at
o ± A ± B ± C carry them (`bodies`): the kinetic energy is ½ M (o'² + A'² + B'² + C'²), so that each
axis weighs as much as the origin and all six conditions are independent where they hold. One pass
over them is nearly exact, and thin bodies are as stiff as others.

(Particles at the origin and at the tips of the axes themselves have the products of inertia
−mᵢ mⱼ a b/M: masses above zero cannot give them the inertia of a solid in its principal axes.)

Corrections run along the axes of one step ago, A*, as those of sticks do (SHAKE): with
ΔA = −λ B*, ΔB = −λ A* the sum of A* × ΔA + B* × ΔB vanishes and spin is kept.
"""

from __future__ import annotations

from ..jit import inline
from .flattened import axis_of, move_axes, unflatten

LIKE_BEFORE = 0.8
"""Cosine up to which the axes of one step ago are those to correct along, as for sticks."""

_TINY = 1e-200  # keeps a frame without any size from becoming NaN


@inline
def _stretched(dx, dy, dz, ex, ey, ez, length, is_like_before):
    """The axis d with its length put right along e; see `stick.momentum`."""
    dd = dx * dx + dy * dy + dz * dz
    rr = length * length
    if is_like_before:
        f = 0.5 * (dd - rr) / (dx * ex + dy * ey + dz * ez)
        return dx - f * ex, dy - f * ey, dz - f * ez
    f = 1.0 - (dd - rr) / (dd + rr + _TINY)
    return f * dx, f * dy, f * dz


@inline
def _share(ax, ay, az, bx, by, bz, ux, uy, uz, vx, vy, vz):
    """λ of A·B = 0 by one Newton step; A moves along −u, B along −v."""
    slope = ax * vx + ay * vy + az * vz + bx * ux + by * uy + bz * uz
    return (ax * bx + ay * by + az * bz) / (slope + _TINY)


@inline
def _is_like(ax, ay, az, bx, by, bz, length):
    """Whether an axis has kept its direction and length in this step, more or less."""
    square = max(ax * ax + ay * ay + az * az, length * length)
    return ax * bx + ay * by + az * bz > LIKE_BEFORE * square


@inline
def project_frame(x, previous, first, extent, passes):
    """Make the frame of one body rigid, x in place; extent (3,) m: a, b, c."""
    unflatten(x, first, extent)
    a, b, c = extent[0], extent[1], extent[2]
    ax, ay, az = axis_of(x, first, 0)
    bx, by, bz = axis_of(x, first, 1)
    cx, cy, cz = axis_of(x, first, 2)
    ax0, ay0, az0 = ax, ay, az
    bx0, by0, bz0 = bx, by, bz
    cx0, cy0, cz0 = cx, cy, cz
    px, py, pz = axis_of(previous, first, 0)
    qx, qy, qz = axis_of(previous, first, 1)
    rx, ry, rz = axis_of(previous, first, 2)
    for _ in range(passes):
        like = (
            _is_like(ax, ay, az, px, py, pz, a)
            and _is_like(bx, by, bz, qx, qy, qz, b)
            and _is_like(cx, cy, cz, rx, ry, rz, c)
        )
        if not like:  # turned too far in one step: along the axes as they are
            px, py, pz, qx, qy, qz, rx, ry, rz = ax, ay, az, bx, by, bz, cx, cy, cz
        f = _share(ax, ay, az, bx, by, bz, qx, qy, qz, px, py, pz)
        ax, ay, az = ax - f * qx, ay - f * qy, az - f * qz
        bx, by, bz = bx - f * px, by - f * py, bz - f * pz
        f = _share(bx, by, bz, cx, cy, cz, rx, ry, rz, qx, qy, qz)
        bx, by, bz = bx - f * rx, by - f * ry, bz - f * rz
        cx, cy, cz = cx - f * qx, cy - f * qy, cz - f * qz
        f = _share(cx, cy, cz, ax, ay, az, px, py, pz, rx, ry, rz)
        cx, cy, cz = cx - f * px, cy - f * py, cz - f * pz
        ax, ay, az = ax - f * rx, ay - f * ry, az - f * rz
        ax, ay, az = _stretched(ax, ay, az, px, py, pz, a, like)
        bx, by, bz = _stretched(bx, by, bz, qx, qy, qz, b, like)
        cx, cy, cz = _stretched(cx, cy, cz, rx, ry, rz, c, like)
    ax, ay, az = ax - ax0, ay - ay0, az - az0
    bx, by, bz = bx - bx0, by - by0, bz - bz0
    move_axes(x, first, ax, ay, az, bx, by, bz, cx - cx0, cy - cy0, cz - cz0)
