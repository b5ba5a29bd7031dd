"""Rotation of a free body, exact in angular momentum (Lee, Leok & McClamroch 2007).

Verlet for rotations: q and q* say how far the body turned in the last step, as x and x* say how
far it moved. With F = q*⁻¹ q the turn in the body's own axes, its vector part s and scalar part c,

    h Π = 2 c J s + 2 s × J s,        q' = q F',        L = R Π

is the discrete angular momentum that the variational (Moser–Veselov) integrator keeps, ω×Iω and
all: L stays the same in the world, energy swings about its value and does not drift, the error of
the path is of second order. Kenwright eq. 4–7 with the term that he drops.
"""

from __future__ import annotations

import math

from ..jit import inline

LARGEST_TURN = 0.6
"""Largest |s| of one step: 74°. Faster spin is held there, at 480 steps a second 100 turns/s."""

NEAR = 1e-8
"""Newton's last change of |s|: what is wrong after it is its square, rounding of a unit."""


@inline
def momentum_of_turn(w, x, y, z, jx, jy, jz, h):
    """Angular momentum Π (three numbers, body axes) of a turn (w, x, y, z) within h s."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    ax, ay, az = jx * x, jy * y, jz * z
    f = 2.0 / h
    return (
        f * (w * ax + y * az - z * ay),
        f * (w * ay + z * ax - x * az),
        f * (w * az + x * ay - y * ax),
    )


@inline
def turn_of_momentum(px, py, pz, jx, jy, jz, h):
    """Turn (w, x, y, z) within h s of angular momentum Π in body axes: Newton from s = ½ h J⁻¹ Π.

    A body that spins faster than `LARGEST_TURN` turns by that and keeps its axis.
    """
    f = 0.5 * h
    mx, my, mz = f * px, f * py, f * pz
    x, y, z = mx / jx, my / jy, mz / jz
    square = x * x + y * y + z * z
    if square > LARGEST_TURN * LARGEST_TURN * (1.0 - LARGEST_TURN * LARGEST_TURN):
        f = LARGEST_TURN / math.sqrt(square)
        return math.sqrt(1.0 - LARGEST_TURN * LARGEST_TURN), f * x, f * y, f * z
    for _ in range(8):
        c = math.sqrt(max(1.0 - (x * x + y * y + z * z), 0.25))
        ax, ay, az = jx * x, jy * y, jz * z
        rx = c * ax + y * az - z * ay - mx
        ry = c * ay + z * ax - x * az - my
        rz = c * az + x * ay - y * ax - mz
        # derivative: c J − (J s) sᵀ/c + ŝ J − (J s)^
        f = 1.0 / c
        ux, uy, uz = f * x, f * y, f * z
        a00 = c * jx - ax * ux
        a01 = -ax * uy - z * jy + az
        a02 = -ax * uz + y * jz - ay
        a10 = -ay * ux + z * jx - az
        a11 = c * jy - ay * uy
        a12 = -ay * uz - x * jz + ax
        a20 = -az * ux - y * jx + ay
        a21 = -az * uy + x * jy - ax
        a22 = c * jz - az * uz
        c00 = a11 * a22 - a12 * a21
        c01 = a12 * a20 - a10 * a22
        c02 = a10 * a21 - a11 * a20
        determinant = a00 * c00 + a01 * c01 + a02 * c02
        if determinant == 0.0:
            break
        g = 1.0 / determinant
        dx = g * (c00 * rx + (a02 * a21 - a01 * a22) * ry + (a01 * a12 - a02 * a11) * rz)
        dy = g * (c01 * rx + (a00 * a22 - a02 * a20) * ry + (a02 * a10 - a00 * a12) * rz)
        dz = g * (c02 * rx + (a01 * a20 - a00 * a21) * ry + (a00 * a11 - a01 * a10) * rz)
        x -= dx
        y -= dy
        z -= dz
        if dx * dx + dy * dy + dz * dz < NEAR * NEAR:
            break
    square = x * x + y * y + z * z
    if not square <= LARGEST_TURN * LARGEST_TURN:
        f = LARGEST_TURN / math.sqrt(square) if square > 0.0 else 0.0
        x, y, z = f * x, f * y, f * z
        square = x * x + y * y + z * z
    return math.sqrt(1.0 - square), x, y, z


@inline
def product(aw, ax, ay, az, bw, bx, by, bz):
    """Quaternion product a b."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
    )


@inline
def normalised(w, x, y, z):
    """The unit quaternion along (w, x, y, z); no rotation for zero."""
    square = w * w + x * x + y * y + z * z
    if not square > 0.0:
        return 1.0, 0.0, 0.0, 0.0
    f = 1.0 / math.sqrt(square)
    return f * w, f * x, f * y, f * z


@inline
def renormalised(w, x, y, z):
    """A quaternion that rounding alone has taken from length 1: one step of Newton to 1/√."""
    f = 1.5 - 0.5 * (w * w + x * x + y * y + z * z)
    return f * w, f * x, f * y, f * z
