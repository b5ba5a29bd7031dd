"""Yarns of a cloth: the lines of edges that hang on its pins."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..building.builder import ModelBuilder
from ..particles.constraints.yarn import Yarns
from .geometry import Geometry
from .topology import lines_from


def add_yarns(
    builder: ModelBuilder, geometry: Geometry, pin_weight: ArrayLike, first: int, index: int
) -> bool:
    """Solve the sticks of each line of edges that goes straight on from a held border together.

    A border is pins that are joined by edges: the weight of what hangs on it runs along such lines.
    What hangs on a single pin pulls on it from everywhere, and a line more or less is nothing.
    pin_weight (n,): weight 1 is a pin; first: the particle of vertex 0; index: of the object.
    Returns whether there are such lines.
    """
    x = geometry.positions
    is_pin = np.broadcast_to(np.asarray(pin_weight, dtype=np.float64), (len(x),)) >= 1.0
    edge = geometry.edges
    is_border = np.zeros(len(x), dtype=bool)
    is_border[edge[is_pin[edge].all(axis=1)]] = True
    vertex, start = lines_from(x, edge, is_border, is_pin)
    if len(vertex) > 0:
        builder.add_constraint(Yarns.of(builder, index, vertex + first, start))
    return len(vertex) > 0
