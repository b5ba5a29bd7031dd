"""Clothes of stick figures: vertices that go along with the particles of a limb, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..particles.constraints.weighted_point import weights_of
from ..particles.stick_figures.garment import CarriedPoints
from .figure_joints import widest_four
from .figure_particles import fills_space

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..building.builder import ModelBuilder
    from .figure import Figure


def tie_to_limb(
    builder: ModelBuilder, index: int, figure: Figure, first: int, part: int, particles: Ints
) -> None:
    """Tie particles (a,) of object ``index`` to a part of a figure whose first particle is first.

    They keep the places that they have beside it now.
    """
    carriers = figure.limbs[part].particles
    x = builder.position
    places = x[first + carriers]
    rows: list[list[int]] = []
    weights: list[Floats] = []
    distances: list[float] = []
    fills = fills_space(figure.place[carriers])
    if fills:
        carriers = np.array(widest_four(figure.place, carriers.tolist()), dtype=np.int32)
        places = x[first + carriers]
    carried = (first + carriers).tolist()
    four = (carried * 4)[:4]  # the particles beyond the last have no weight

    def keep(particle: int, weight: Floats, distance: float) -> None:
        rows.append([particle, *four])
        weights.append(np.pad(weight, (0, 4 - len(weight))))
        distances.append(distance)

    for particle in np.asarray(particles).tolist():
        if fills:
            keep(particle, weights_of(places, x[particle]), 0.0)
            continue
        near = _nearest(places, x[particle])
        keep(particle, near, float(np.linalg.norm(x[particle] - near @ places)))
        for end in range(len(carriers)):
            away = float(np.linalg.norm(x[particle] - places[end]))
            keep(particle, np.eye(len(carriers))[end], away)
    builder.touch_nothing(particles)
    builder.add_constraint(
        CarriedPoints(index, np.array(rows, dtype=np.int32), np.array(weights), np.array(distances))
    )


def _nearest(places: Floats, point: Floats) -> Floats:
    """Weights (m,) of the point nearest to another one on the line, or the plane, of places."""
    edges = (places[1:] - places[0]).T
    along = np.linalg.lstsq(edges, point - places[0], rcond=None)[0]
    return np.concatenate([[1.0 - along.sum()], along])
