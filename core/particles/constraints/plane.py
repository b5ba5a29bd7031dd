"""Planes and lines that particles are kept in (Jakobsen §6).

Planes and lines that stand still in the world take the shortest way, C = n·(x − p) and Δx = −C n.
A plane through three other particles goes where they go:

    C = (x − a) · ((b − a) × (c − a))

which is zero in the plane; three and one share the correction by their masses, and as C does not
change when all four turn, both momenta are kept. Bounds on C in place of zero keep the particle to
one side of the plane: a knee that does not bend forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from ...model.constraint import Moving
from ...records import Records, records
from ...vec3 import (
    add,
    along,
    between,
    cross,
    dot,
    length,
    load,
    norm1,
    plus_norm1,
    scale,
    shift,
    store,
    sub,
    vec,
)
from .checks import numbers, rows_of_particles
from .repair import REPAIR_SPEED, left_over

if TYPE_CHECKING:
    from .building import Building

SIDE_SPEED = 1.0
"""m/s, how fast a particle is brought back to its side of a plane: it keeps that speed."""

PLANE_CLOSING = 20.0
"""1/s, most of its own size by which a moving plane and its particle come together in a second."""


PLANE_ROW = np.dtype(
    [
        ("particle", np.int32),
        ("point", np.float64, (3,)),  # m, in the plane or on the line
        ("direction", np.float64, (3,)),  # unit normal of the plane, or the line's own direction
    ],
    align=True,
)

MOVING_PLANE = np.dtype(
    [
        ("particle", np.int32, (7,)),  # the one that is kept, a, b, and four that carry c
        ("weight", np.float64, (4,)),  # cᵢ, c = Σ cᵢ xᵢ
        ("least", np.float64),  # m³, bounds of C
        ("most", np.float64),  # m³
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Planes:
    """Particles of one object kept in planes or on lines. Made by `Planes.of`."""

    object: int
    rows: Records  # (k,) PLANE_ROW
    is_line: bool

    @classmethod
    def of(
        cls,
        builder: Building,
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
        way = numbers(builder, object, f"direction of a {what}", direction, shape)
        size = np.linalg.norm(way, axis=1)
        if (size == 0.0).any():
            raise ModelError(builder.objects[object].name, f"a {what} has no direction")
        at = numbers(builder, object, f"point of a {what}", point, shape)
        rows = records(PLANE_ROW, particle=particle, point=at, direction=way / size[:, None])
        return cls(object, rows, is_line)

    @property
    def particles(self) -> Ints:
        """Every particle that is kept."""
        return self.rows["particle"]

    @property
    def multiplier_count(self) -> int:
        """None: planes are rigid."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every particle once; pinned ones stay where they are driven."""
        project_planes(moving.particles, self.rows, self.is_line, moving.h)


@dataclass(frozen=True, eq=False)
class MovingPlanes:
    """Particles of one object kept in planes through three others, or to one side of them.

    Made by `MovingPlanes.of`.
    """

    object: int
    rows: Records  # (k,) MOVING_PLANE

    @classmethod
    def of(
        cls,
        builder: Building,
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
        return cls(object, records(MOVING_PLANE, particle=row, weight=weight, least=low, most=high))

    @property
    def particles(self) -> Ints:
        """Every particle that is kept or spans a plane."""
        return self.rows["particle"]

    @property
    def multiplier_count(self) -> int:
        """None: planes are rigid."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every plane once, in the order of their adding."""
        project_moving_planes(moving.particles, self.rows, moving.h)


@kernel
def project_planes(particles, planes, is_line, h):
    """Put every particle back into its plane, or onto its line; from far away over some steps."""
    x, previous, inverse_mass = particles
    for t in range(planes.shape[0]):
        plane = planes[t]
        i = plane["particle"]
        if inverse_mass[i] == 0.0:
            continue
        point, direction = vec(plane["point"]), vec(plane["direction"])
        height = dot(direction, sub(load(x, i), point))
        was = sub(load(previous, i), point)
        before = dot(direction, was)
        if not is_line:
            shift(x, i, -(height - left_over(before, REPAIR_SPEED, h)), direction)
            continue
        aside = along(was, -before, direction)
        distance = length(aside)
        share = left_over(distance, REPAIR_SPEED, h) / distance if distance > 0.0 else 0.0
        store(x, i, along(along(point, height, direction), share, aside))


@inline
def _edges(x, row, weight):
    """From a to the particle, to b and to c, m."""
    c = scale(weight[0], load(x, row[3]))
    for k in range(1, 4):
        c = along(c, weight[k], load(x, row[3 + k]))
    return between(x, row[1], row[0]), between(x, row[1], row[2]), sub(c, load(x, row[1]))


@inline
def _gradients(u, v, w):
    """∂C/∂ of the particle, a, b and c, from `_edges`."""
    i, b, c = cross(v, w), cross(w, u), cross(u, v)
    return i, scale(-1.0, add(add(i, b), c)), b, c


# Δxᵢ = −wᵢ ∇ᵢC* C/(Σ w ∇C·∇C*), with ∇C* the gradient one step ago (see `stick.momentum`).
@kernel
def project_moving_planes(particles, planes, h):
    """Bring every particle into the plane of three others, or to its side of it.

    Three on one line span none. From far away it takes some steps.
    """
    x, previous, inverse_mass = particles
    for t in range(planes.shape[0]):
        row, weight = planes[t]["particle"], planes[t]["weight"]
        least, most = planes[t]["least"], planes[t]["most"]
        i, a, b = row[0], row[1], row[2]
        wi, wa, wb = inverse_mass[i], inverse_mass[a], inverse_mass[b]
        wc = 0.0
        for k in range(4):
            wc += weight[k] * weight[k] * inverse_mass[row[3 + k]]
        u, v, p = _edges(x, row, weight)
        gi, ga, gb, gc = _gradients(u, v, p)
        error = dot(gi, u)
        bound = min(max(error, least), most)
        if error == bound:
            continue
        size = plus_norm1(norm1(u), v) + norm1(p)
        now = wi * dot(gi, gi) + wa * dot(ga, ga)
        now += wb * dot(gb, gb) + wc * dot(gc, gc)
        area = length(gi)
        u, v, p = _edges(previous, row, weight)
        fi, fa, fb, fc = _gradients(u, v, p)
        height = dot(fi, u)
        area_before = length(fi)
        both = wi * dot(gi, fi) + wa * dot(ga, fa)
        both += wb * dot(gb, fb) + wc * dot(gc, fc)
        if not both > 0.5 * now:  # turned or collapsed within one step
            fi, fa, fb, fc = gi, ga, gb, gc
            both = now
        if both == 0.0:
            continue
        height -= min(max(height, least), most)
        if area_before > 0.0:
            speed = REPAIR_SPEED if least == most else SIDE_SPEED
            height = left_over(height / area_before, speed, h)
        error -= bound + height * area
        step = -error / both
        # the plane of a thin triangle turns by any angle at once: nothing has to follow so fast
        farthest = abs(step) * max(
            wi * length(fi), wa * length(fa), wb * length(fb), wc * length(fc)
        )
        limit = h * max(REPAIR_SPEED, PLANE_CLOSING * size)
        if farthest > limit:
            step *= limit / farthest
        shift(x, i, wi * step, fi)
        shift(x, a, wa * step, fa)
        shift(x, b, wb * step, fb)
        for k in range(4):
            c = row[3 + k]
            shift(x, c, weight[k] * inverse_mass[c] * step, fc)
