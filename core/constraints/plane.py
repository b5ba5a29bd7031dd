"""Planes and lines that particles are kept in (Jakobsen §6).

Planes and lines that stand still in the world take the shortest way, C = n·(x − p) and Δx = −C n.
A plane through three other particles goes where they go:

    C = (x − a) · ((b − a) × (c − a))

which is zero in the plane; three and one share the correction by their masses, and as C does not
change when all four turn, both momenta are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..jit import inline, kernel
from ..model import Floats, Ints
from ..vector import cross
from .base import Moving
from .checks import numbers, rows_of_particles
from .repair import REPAIR_SPEED, left_over

if TYPE_CHECKING:
    from ..builder import ModelBuilder

CLOSING = 20.0
"""1/s, most of its own size by which a moving plane and its particle come together in a second."""


@dataclass(frozen=True, eq=False)
class Planes:
    """Particles of one object kept in planes or on lines. Made by `Planes.of`."""

    object: int
    particle: Ints  # (k,)
    point: Floats  # (k, 3) m, in the plane or on the line
    direction: Floats  # (k, 3) unit normal of the plane, or the line's own direction
    is_line: bool

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
        object: int,
        particles: ArrayLike,
        point: ArrayLike,
        direction: ArrayLike,
        *,
        is_line: bool = False,
    ) -> Planes:
        """Keep particles (k,) of the model in planes, or on lines, through points (k, 3) or (3,) m.

        direction (k, 3) or (3,): normals of the planes, or where the lines lead; of any length
        above 0, or `ModelError` is raised.
        """
        what = "line" if is_line else "plane"
        particle = rows_of_particles(builder, object, what, particles, 1)[:, 0]
        shape = (len(particle), 3)
        along = numbers(builder, object, f"direction of a {what}", direction, shape)
        length = np.linalg.norm(along, axis=1)
        if (length == 0.0).any():
            raise ModelError(builder.objects[object].name, f"a {what} has no direction")
        return cls(
            object,
            np.ascontiguousarray(particle),
            numbers(builder, object, f"point of a {what}", point, shape),
            along / length[:, None],
            is_line,
        )

    @property
    def particles(self) -> Ints:
        """Every particle that is kept."""
        return self.particle

    @property
    def multiplier_count(self) -> int:
        """None: planes are rigid."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every particle once; pinned ones stay where they are driven."""
        project_planes(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.particle,
            self.point,
            self.direction,
            self.is_line,
            moving.h,
        )


@dataclass(frozen=True, eq=False)
class MovingPlanes:
    """Particles of one object kept in planes through three others. Made by `MovingPlanes.of`."""

    object: int
    quad: Ints  # (k, 4): the particle, and three that span the plane

    @classmethod
    def of(cls, builder: ModelBuilder, object: int, quads: ArrayLike) -> MovingPlanes:
        """Keep the first of quads (k, 4) of particles of the model in the plane of the others."""
        return cls(object, rows_of_particles(builder, object, "moving plane", quads, 4))

    @property
    def particles(self) -> Ints:
        """Every particle that is kept or spans a plane."""
        return self.quad

    @property
    def multiplier_count(self) -> int:
        """None: planes are rigid."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every plane once, in the order of their adding."""
        project_moving_planes(moving.x, moving.previous, moving.inverse_mass, self.quad, moving.h)


@kernel
def project_planes(x, previous, inverse_mass, particle, point, direction, is_line, h):
    """Put every particle back into its plane, or onto its line; from far away over some steps."""
    for t in range(particle.shape[0]):
        i = particle[t]
        if inverse_mass[i] == 0.0:
            continue
        along = 0.0
        before = 0.0
        for k in range(3):
            along += direction[t, k] * (x[i, k] - point[t, k])
            before += direction[t, k] * (previous[i, k] - point[t, k])
        if not is_line:
            away = along - left_over(before, REPAIR_SPEED, h)
            for k in range(3):
                x[i, k] -= away * direction[t, k]
            continue
        square = 0.0
        for k in range(3):
            aside = previous[i, k] - point[t, k] - before * direction[t, k]
            square += aside * aside
        distance = math.sqrt(square)
        share = left_over(distance, REPAIR_SPEED, h) / distance if distance > 0.0 else 0.0
        for k in range(3):
            aside = previous[i, k] - point[t, k] - before * direction[t, k]
            x[i, k] = point[t, k] + along * direction[t, k] + share * aside


@inline
def _gradients(x, i, a, b, c):
    """∂C/∂ of the particle i and of b and c; that of a is their negative sum."""
    ux, uy, uz = x[i, 0] - x[a, 0], x[i, 1] - x[a, 1], x[i, 2] - x[a, 2]
    vx, vy, vz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    wx, wy, wz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    return (
        cross(vx, vy, vz, wx, wy, wz),
        cross(wx, wy, wz, ux, uy, uz),
        cross(ux, uy, uz, vx, vy, vz),
    )


@inline
def _dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


# Δxᵢ = −wᵢ ∇ᵢC* C/(Σ w ∇C·∇C*), with ∇C* the gradient one step ago (see `stick.momentum`).
@kernel
def project_moving_planes(x, previous, inverse_mass, quad, h):
    """Bring every particle into the plane of three others; three on one line span none.

    From far away it takes some steps.
    """
    for t in range(quad.shape[0]):
        i = quad[t, 0]
        a = quad[t, 1]
        b = quad[t, 2]
        c = quad[t, 3]
        wi = inverse_mass[i]
        wa = inverse_mass[a]
        wb = inverse_mass[b]
        wc = inverse_mass[c]
        (ix, iy, iz), (bx, by, bz), (cx, cy, cz) = _gradients(x, i, a, b, c)
        ax, ay, az = -(ix + bx + cx), -(iy + by + cy), -(iz + bz + cz)
        error = _dot(ix, iy, iz, x[i, 0] - x[a, 0], x[i, 1] - x[a, 1], x[i, 2] - x[a, 2])
        now = wi * _dot(ix, iy, iz, ix, iy, iz) + wa * _dot(ax, ay, az, ax, ay, az)
        now += wb * _dot(bx, by, bz, bx, by, bz) + wc * _dot(cx, cy, cz, cx, cy, cz)
        (jx, jy, jz), (ex, ey, ez), (fx, fy, fz) = _gradients(previous, i, a, b, c)
        dx, dy, dz = -(jx + ex + fx), -(jy + ey + fy), -(jz + ez + fz)
        both = wi * _dot(ix, iy, iz, jx, jy, jz) + wa * _dot(ax, ay, az, dx, dy, dz)
        both += wb * _dot(bx, by, bz, ex, ey, ez) + wc * _dot(cx, cy, cz, fx, fy, fz)
        if not both > 0.5 * now:  # turned or collapsed within one step
            jx, jy, jz, dx, dy, dz = ix, iy, iz, ax, ay, az
            ex, ey, ez, fx, fy, fz = bx, by, bz, cx, cy, cz
            both = now
        if both == 0.0:
            continue
        area = math.sqrt(_dot(ix, iy, iz, ix, iy, iz))
        nx, ny, nz = _gradients(previous, i, a, b, c)[0]
        height = nx * (previous[i, 0] - previous[a, 0])
        height += ny * (previous[i, 1] - previous[a, 1]) + nz * (previous[i, 2] - previous[a, 2])
        area_before = math.sqrt(_dot(nx, ny, nz, nx, ny, nz))
        if area_before > 0.0:
            height = left_over(height / area_before, REPAIR_SPEED, h)
        error -= height * area
        step = -error / both
        # the plane of a thin triangle turns by any angle at once: nothing has to follow so fast
        size = 0.0
        for k in range(3):
            size += abs(x[b, k] - x[a, k]) + abs(x[c, k] - x[a, k]) + abs(x[i, k] - x[a, k])
        farthest = abs(step) * max(
            wi * math.sqrt(_dot(jx, jy, jz, jx, jy, jz)),
            wa * math.sqrt(_dot(dx, dy, dz, dx, dy, dz)),
            wb * math.sqrt(_dot(ex, ey, ez, ex, ey, ez)),
            wc * math.sqrt(_dot(fx, fy, fz, fx, fy, fz)),
        )
        limit = h * max(REPAIR_SPEED, CLOSING * size)
        if farthest > limit:
            step *= limit / farthest
        x[i, 0] += wi * step * jx
        x[i, 1] += wi * step * jy
        x[i, 2] += wi * step * jz
        x[a, 0] += wa * step * dx
        x[a, 1] += wa * step * dy
        x[a, 2] += wa * step * dz
        x[b, 0] += wb * step * ex
        x[b, 1] += wb * step * ey
        x[b, 2] += wb * step * ez
        x[c, 0] += wc * step * fx
        x[c, 1] += wc * step * fy
        x[c, 2] += wc * step * fz
