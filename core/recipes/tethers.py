"""Tethers from every vertex to the pins that it hangs on (Kim 2012, §3.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Ints
from ..building.builder import ModelBuilder
from ..geometry.surface import connected_parts
from .geodesic import distances_along, ways_along
from .geometry import Geometry

MOST_TETHERS = 4
"""Separate pinned places that one particle hangs on at most."""

MOST_SPANNED = 8
"""Pins between which it is known how long the cloth is, at most: those that lie farthest apart."""

TETHER_SLACK = 0.0002
"""How much longer than the way along the cloth a tether is beside yarns, as a share of it.

A tether that is taut holds a particle as if it hung by a string of its own: rows of a sheet swing
apart. Beside yarns it is there for what they have let stretch, and idle where they have not.
"""


def add_tethers(
    builder: ModelBuilder,
    geometry: Geometry,
    pin_weight: ArrayLike,
    first: int,
    slack: float = 0.0,
) -> None:
    """Tether every vertex to the nearest pin of each pinned place, along edges and triangles.

    pin_weight (n,): pins of weight 1 hold tethers, weaker ones give way themselves. A place is a
    set of pins joined by edges; with many places the nearest few count. first: the particle of
    vertex 0. slack: how much longer each is, as a share of the way along the cloth.
    """
    x, edge = geometry.positions, geometry.edges
    is_pin = np.broadcast_to(np.asarray(pin_weight, dtype=np.float64), (len(x),)) >= 1.0
    pins: Ints = np.flatnonzero(is_pin).astype(np.int32)
    if len(pins) == 0:
        return
    joined = edge[is_pin[edge].all(axis=1)]
    place = connected_parts(len(x), joined)[pins]
    places = np.unique(place)
    if len(places) > 4 * MOST_TETHERS:  # pins scattered everywhere: the nearest one of all will do
        place = np.zeros(len(pins), dtype=np.int32)
        places = np.zeros(1, dtype=np.int32)
    ways = ways_along(len(x), edge, geometry.triangles)
    found = [distances_along(x, ways, pins[place == p]) for p in places]
    distance = np.stack([d for d, _ in found])
    anchor = np.stack([a for _, a in found])
    nearest = np.round(distance / max(float(distance[np.isfinite(distance)].max()), 1e-9), 9)
    # rounded, so that those at one distance are the same whichever way the sheet lies in space
    for rank in np.argsort(nearest, axis=0, kind="stable")[:MOST_TETHERS]:
        vertex = np.arange(len(x))
        far = distance[rank, vertex]
        reached = np.isfinite(far) & ~is_pin
        vertex, far = vertex[reached], far[reached]
        pin = anchor[rank[reached], vertex]
        straight = np.linalg.norm(x[vertex] - x[pin], axis=1)
        builder.add_tethers(
            (vertex + first).astype(np.int32),
            pin + first,
            (1.0 + slack) * np.maximum(far, straight),
        )
    add_spans(builder, geometry, pins, first)


def add_spans(builder: ModelBuilder, geometry: Geometry, pins: Ints, first: int) -> None:
    """Let the model know how long a thing is between pins (p,) of it that lie farthest apart.

    Whoever drives pins apart drives some of these apart. Each next one is the one that is farthest
    from all before it; what nothing joins to them is farther than anything.
    """
    if len(pins) < 2:
        return
    x = geometry.positions
    ways = ways_along(len(x), geometry.edges, geometry.triangles)
    chosen = pins[:0]
    nearest = distances_along(x, ways, pins[:1])[0][pins]  # only to begin with an outermost one
    for _ in range(min(MOST_SPANNED, len(pins))):
        pin = pins[[np.argmax(nearest)]]
        distance = distances_along(x, ways, pin)[0]
        nearest = np.minimum(nearest, distance[pins]) if len(chosen) else distance[pins]
        joined = chosen[np.isfinite(distance[chosen])]
        length = np.maximum(distance[joined], np.linalg.norm(x[joined] - x[pin], axis=1))
        builder.add_tethers(np.repeat(pin, len(joined)) + first, joined + first, length)
        chosen = np.append(chosen, pin)
