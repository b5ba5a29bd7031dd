"""Cloth: vertex → particle, edge → stick, diagonals and support pairs → springs (Jakobsen §4)."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ..builder import ModelBuilder
from ..model import Floats, Ints
from ..settings import ClothSettings
from ..surface import connected_parts
from .geodesic import surface_distances
from .geometry import Geometry, Paint
from .vertices import add_vertices, mean_of_ends, surface_masses

SHEAR_STIFFNESS = (3.0, 30_000.0)
"""N/m at the artist parameters just above 0 and at 1, growing by equal ratios between."""

BEND_STIFFNESS = (0.03, 300.0)
"""N/m, likewise."""

MOST_TETHERS = 4
"""Separate pinned places that one particle hangs on at most."""


def add_cloth(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: ClothSettings,
    *,
    pin_weight: ArrayLike = 0.0,
    velocity: ArrayLike = 0.0,
    paint: Paint = MappingProxyType({}),
) -> int:
    """Add a mesh as cloth; returns its index in ``builder.objects``.

    pin_weight (n,), 0 = free … 1 = held; velocity (n, 3) or (3,) m/s; paint: factors on
    ``shear``, ``bend``, ``drag`` and ``friction``. A mesh of wires alone makes a net.
    """
    x = geometry.positions
    edge, diagonal, support = geometry.edges, geometry.diagonals, geometry.supports
    first = builder.particle_count
    index = add_vertices(
        builder,
        geometry,
        settings,
        mass=surface_masses(geometry, settings.area_density),
        radius=settings.thickness * geometry.mean_edge_length,
        pin_weight=pin_weight,
        velocity=velocity,
        paint=paint,
    )
    builder.add_sticks(edge + first, geometry.edge_lengths)
    shear = settings.shear * mean_of_ends(geometry.painted(paint, "shear"), diagonal)
    _add_springs(builder, diagonal, first, SHEAR_STIFFNESS, shear, turn=0)
    bend = settings.bend * mean_of_ends(geometry.painted(paint, "bend"), support)
    _add_springs(builder, support, first, BEND_STIFFNESS, bend, turn=1)
    builder.add_triangles(geometry.triangles + first)
    pins = np.flatnonzero(np.broadcast_to(pin_weight, (len(x),)) >= 1.0).astype(np.int32)
    if settings.tethers and len(pins):
        _add_tethers(builder, x, edge, geometry.triangles, pins, first)
    return index


def _add_springs(
    builder: ModelBuilder,
    pairs: Ints,
    first: int,
    limits: tuple[float, float],
    amount: Floats,
    turn: int,
) -> None:
    """Springs where the artist parameter (pairs,) is above 0.

    Equal steps of it are equal ratios of stiffness, N/m.
    """
    some = amount > 0.0
    stiffness = limits[0] * (limits[1] / limits[0]) ** amount[some]
    builder.add_springs(pairs[some] + first, stiffness, turn=turn)


def _add_tethers(
    builder: ModelBuilder, x: Floats, edge: Ints, triangle: Ints, pins: Ints, first: int
) -> None:
    """Tether every vertex to the nearest pin of each pinned place (Kim 2012, §3.2).

    A place is a set of pins joined by edges; with many places the nearest few count.
    """
    is_pin = np.zeros(len(x), dtype=bool)
    is_pin[pins] = True
    joined = edge[is_pin[edge].all(axis=1)]
    place = connected_parts(len(x), joined)[pins]
    places = np.unique(place)
    if len(places) > 4 * MOST_TETHERS:  # pins scattered everywhere: the nearest one of all will do
        place = np.zeros(len(pins), dtype=np.int32)
        places = np.zeros(1, dtype=np.int32)
    found = [surface_distances(x, edge, triangle, pins[place == p]) for p in places]
    distance = np.stack([d for d, _ in found])
    anchor = np.stack([a for _, a in found])
    for rank in np.argsort(distance, axis=0, kind="stable")[:MOST_TETHERS]:
        vertex = np.arange(len(x))
        far = distance[rank, vertex]
        reached = np.isfinite(far) & ~is_pin
        vertex, far = vertex[reached], far[reached]
        pin = anchor[rank[reached], vertex]
        straight = np.linalg.norm(x[vertex] - x[pin], axis=1)
        builder.add_tethers(
            (vertex + first).astype(np.int32), pin + first, np.maximum(far, straight)
        )
