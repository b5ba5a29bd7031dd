"""Particles within a distance of a point that four others carry along (Jakobsen §5, §6).

The point is p = Σ cᵢ xᵢ with Σ cᵢ = 1, somewhere near or beside the four. A thigh whose knee keeps
within a distance of the point where its hip would like it best leans within a cone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...errors import ModelError
from ...kernels.jit import kernel
from ...model.constraint import Moving
from ...vec3 import dot, length
from .checks import numbers, rows_of_particles
from .repair import left_over
from .spring import multiplier as spring_multiplier
from .weighted_point import draw_to_point, from_point

if TYPE_CHECKING:
    from .building import Building


COMING_IN_SPEED = 1.0
"""m/s, how fast a particle comes in that is beyond its distance at the start of a step."""


@dataclass(frozen=True, eq=False)
class PointLinks:
    """All such links of one object. Made by `PointLinks.of`."""

    object: int
    row: Ints  # (k, 5) the particle, and those that carry the point
    weight: Floats  # (k, 4) cᵢ
    longest: Floats  # (k,) m

    @classmethod
    def of(
        cls,
        builder: Building,
        object: int,
        rows: ArrayLike,
        weights: ArrayLike,
        longest: ArrayLike,
    ) -> PointLinks:
        """Keep the first of rows (k, 5) of particles within ``longest`` (k,) m of a point.

        weights (k, 4): what the other four carry the point by, see `weights_of`; 1 in sum, or
        `ModelError` is raised.
        """
        row = rows_of_particles(builder, object, "point link", rows, 5)
        count = (len(row),)
        weight = numbers(builder, object, "weight of a point", weights, (len(row), 4))
        if not np.allclose(weight.sum(axis=1), 1.0):
            raise ModelError(builder.objects[object].name, "weights of a point must be 1 in sum")
        return cls(
            object,
            row,
            weight,
            numbers(builder, object, "longest length", longest, count, least=0.0),
        )

    @property
    def particles(self) -> Ints:
        """Every particle that is kept or carries a point."""
        return self.row

    @property
    def multiplier_count(self) -> int:
        """One for each link: its pull."""
        return len(self.row)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every link once, in the order of their adding."""
        project_point_links(
            moving.particles,
            self.row,
            self.weight,
            self.longest,
            moving.h,
            moving.is_first_pass,
            multiplier,
        )


# C = |x − p| − longest, its gradient ∇C = e on the particle and −cᵢ e on the four, taken one step
# ago (see `stick.momentum`); the pull λ never pushes (see `link`).
@kernel
def project_point_links(particles, row, weight, longest, h, first_pass, pull):
    """Bring every particle within its distance."""
    for s in range(row.shape[0]):
        d, e, w = from_point(particles, row, weight, s)
        if first_pass:
            pull[s] = 0.0
        most = longest[s]
        dd = dot(d, d)
        if w == 0.0 or dd == 0.0 or (dd <= most * most and pull[s] <= 0.0):
            continue
        rest = most + max(0.0, left_over(length(e) - most, COMING_IN_SPEED, h))
        step, added, e = spring_multiplier(d, e, w, rest, 0.0, pull[s])
        wanted = max(0.0, pull[s] + added)
        step *= (wanted - pull[s]) / added if added != 0.0 else 0.0
        pull[s] = wanted
        draw_to_point(particles, row, weight, s, step, e)
