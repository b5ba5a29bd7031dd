"""Particles at a distance from points that others carry: clothes of stick figures (Jakobsen §5).

The point is p = Σ cᵢ xᵢ with Σ cᵢ = 1. A distance of 0 ties the particle to the point: of four
particles that fill space that is a place on a trunk. A limb of two knows no twist, so a particle
beside it keeps its distances from the limb's ends and from the line between them, and may go round.
Each is a stick whose one end is the point (`stick.momentum`), and both sides give each other what
they lose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import kernel
from ..constraints.stick import momentum
from ..constraints.weighted_point import draw_to_point, from_point

if TYPE_CHECKING:
    from ...arrays import Floats, Ints
    from ...model.constraint import Moving


_NO_MULTIPLIERS = np.zeros(0)


@dataclass(frozen=True, eq=False)
class CarriedPoints:
    """All such distances of one object's particles."""

    object: int
    row: Ints  # (k, 5) the particle, and four that carry the point, some without weight
    weight: Floats  # (k, 4) cᵢ, 1 in sum
    distance: Floats  # (k,) m

    @property
    def particles(self) -> Ints:
        """Every particle that is kept or carries a point."""
        return self.row

    @property
    def multiplier_count(self) -> int:
        """None: they are stiff."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bring every particle to its distance, in place; nothing while the object is let go."""
        if moving.animated[self.object].holds():
            project_carried_points(moving.particles, self.row, self.weight, self.distance)

    def follow(self, moving: Moving) -> None:
        """Go where limbs are once contacts have had their say."""
        self.project(moving, _NO_MULTIPLIERS)


@kernel
def project_carried_points(particles, row, weight, distance):
    """One pass, in the order of their adding."""
    for s in range(row.shape[0]):
        d, e, w = from_point(particles, row, weight, s)
        if w == 0.0:
            continue
        step, e = momentum(d, e, w, distance[s])
        draw_to_point(particles, row, weight, s, step, e)
