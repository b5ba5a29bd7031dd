"""Planes and lines that particles are kept in (Jakobsen §6).

Planes and lines that stand still in the world take the shortest way, C = n·(x − p) and Δx = −C n.
A plane through three other particles goes where they go:

    C = (x − a) · ((b − a) × (c − a))

which is zero in the plane; three and one share the correction by their masses, and as C does not
change when all four turn, both momenta are kept. Bounds on C in place of zero keep the particle to
one side of the plane: a knee that does not bend forward.
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

PARTING_SPEED = 1.0
"""m/s, how fast a particle is brought back to its side of a plane: it keeps that speed."""

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
    """Particles of one object kept in planes through three others, or to one side of them.

    Made by `MovingPlanes.of`.
    """

    object: int
    row: Ints  # (k, 7): the particle, a, b, and four that carry c
    weight: Floats  # (k, 4) cᵢ, c = Σ cᵢ xᵢ
    least: Floats  # (k,) m³, bounds of C
    most: Floats  # (k,) m³

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
        object: int,
        quads: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        least: ArrayLike = 0.0,
        most: ArrayLike = 0.0,
    ) -> MovingPlanes:
        """Keep the first of quads (k, 4) of particles of the model in the plane of the others.

        weights (k, 4): of quads (k, 7), whose last four carry the plane's third point, 1 in sum.
        least, most: (k,) or one number, m³, bounds of C; an infinite one is no limit, so that 0
        and ∞ keep the particle to the side to which (b − a) × (c − a) points.
        """
        if weights is None:
            quad = rows_of_particles(builder, object, "moving plane", quads, 4)
            row = quad[:, [0, 1, 2, 3, 3, 3, 3]]
            weight = np.tile([1.0, 0.0, 0.0, 0.0], (len(row), 1))
        else:
            row = rows_of_particles(builder, object, "moving plane", quads, 7)
            weight = numbers(builder, object, "weight of a plane", weights, (len(row), 4))
        count = (len(row),)
        low = -numbers(builder, object, "least bound", -np.asarray(least), count, endless=True)
        high = numbers(builder, object, "largest bound", most, count, endless=True)
        name = builder.objects[object].name
        if (low > high).any():
            raise ModelError(name, "bounds of a moving plane are the wrong way round")
        if not np.allclose(weight.sum(axis=1), 1.0):
            raise ModelError(name, "weights of a moving plane's point must be 1 in sum")
        return cls(object, np.ascontiguousarray(row), weight, low, high)

    @property
    def particles(self) -> Ints:
        """Every particle that is kept or spans a plane."""
        return self.row

    @property
    def multiplier_count(self) -> int:
        """None: planes are rigid."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every plane once, in the order of their adding."""
        project_moving_planes(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.row,
            self.weight,
            self.least,
            self.most,
            moving.h,
        )


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
def _carried(x, row, weight, t, k):
    """Coordinate k of the point that four particles carry."""
    return (
        weight[t, 0] * x[row[t, 3], k]
        + weight[t, 1] * x[row[t, 4], k]
        + weight[t, 2] * x[row[t, 5], k]
        + weight[t, 3] * x[row[t, 6], k]
    )


@inline
def _edges(x, row, weight, t):
    """From a to the particle, to b and to c (nine numbers, m)."""
    i, a, b = row[t, 0], row[t, 1], row[t, 2]
    return (
        x[i, 0] - x[a, 0],
        x[i, 1] - x[a, 1],
        x[i, 2] - x[a, 2],
        x[b, 0] - x[a, 0],
        x[b, 1] - x[a, 1],
        x[b, 2] - x[a, 2],
        _carried(x, row, weight, t, 0) - x[a, 0],
        _carried(x, row, weight, t, 1) - x[a, 1],
        _carried(x, row, weight, t, 2) - x[a, 2],
    )


@inline
def _gradients(ux, uy, uz, vx, vy, vz, wx, wy, wz):
    """∂C/∂ of the particle and of b and c, from `_edges`; that of a is their negative sum."""
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
def project_moving_planes(x, previous, inverse_mass, row, weight, least, most, h):
    """Bring every particle into the plane of three others, or to its side of it.

    Three on one line span none. From far away it takes some steps.
    """
    for t in range(row.shape[0]):
        i, a, b = row[t, 0], row[t, 1], row[t, 2]
        wi, wa, wb = inverse_mass[i], inverse_mass[a], inverse_mass[b]
        wc = 0.0
        for k in range(4):
            wc += weight[t, k] * weight[t, k] * inverse_mass[row[t, 3 + k]]
        ux, uy, uz, vx, vy, vz, px, py, pz = _edges(x, row, weight, t)
        (ix, iy, iz), (bx, by, bz), (cx, cy, cz) = _gradients(ux, uy, uz, vx, vy, vz, px, py, pz)
        ax, ay, az = -(ix + bx + cx), -(iy + by + cy), -(iz + bz + cz)
        error = _dot(ix, iy, iz, ux, uy, uz)
        bound = min(max(error, least[t]), most[t])
        if error == bound:
            continue
        size = abs(ux) + abs(uy) + abs(uz) + abs(vx) + abs(vy) + abs(vz)
        size += abs(px) + abs(py) + abs(pz)
        now = wi * _dot(ix, iy, iz, ix, iy, iz) + wa * _dot(ax, ay, az, ax, ay, az)
        now += wb * _dot(bx, by, bz, bx, by, bz) + wc * _dot(cx, cy, cz, cx, cy, cz)
        area = math.sqrt(_dot(ix, iy, iz, ix, iy, iz))
        ux, uy, uz, vx, vy, vz, px, py, pz = _edges(previous, row, weight, t)
        (jx, jy, jz), (ex, ey, ez), (fx, fy, fz) = _gradients(ux, uy, uz, vx, vy, vz, px, py, pz)
        height = _dot(jx, jy, jz, ux, uy, uz)
        area_before = math.sqrt(_dot(jx, jy, jz, jx, jy, jz))
        dx, dy, dz = -(jx + ex + fx), -(jy + ey + fy), -(jz + ez + fz)
        both = wi * _dot(ix, iy, iz, jx, jy, jz) + wa * _dot(ax, ay, az, dx, dy, dz)
        both += wb * _dot(bx, by, bz, ex, ey, ez) + wc * _dot(cx, cy, cz, fx, fy, fz)
        if not both > 0.5 * now:  # turned or collapsed within one step
            jx, jy, jz, dx, dy, dz = ix, iy, iz, ax, ay, az
            ex, ey, ez, fx, fy, fz = bx, by, bz, cx, cy, cz
            both = now
        if both == 0.0:
            continue
        height -= min(max(height, least[t]), most[t])
        if area_before > 0.0:
            speed = REPAIR_SPEED if least[t] == most[t] else PARTING_SPEED
            height = left_over(height / area_before, speed, h)
        error -= bound + height * area
        step = -error / both
        # the plane of a thin triangle turns by any angle at once: nothing has to follow so fast
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
        for k in range(4):
            c = row[t, 3 + k]
            f = weight[t, k] * inverse_mass[c] * step
            x[c, 0] += f * fx
            x[c, 1] += f * fy
            x[c, 2] += f * fz
