"""Cloth: vertex → particle, edge → stick, diagonals and support pairs → springs (Jakobsen §4)."""

from __future__ import annotations

from types import MappingProxyType

from numpy.typing import ArrayLike

from ..builder import ModelBuilder
from ..model import Floats, Ints
from ..settings import ClothSettings
from .geometry import Geometry, Paint
from .tethers import add_tethers
from .vertices import add_vertices, mean_of_ends, surface_masses

SHEAR_STIFFNESS = (3.0, 30_000.0)
"""N/m at the artist parameters just above 0 and at 1, growing by equal ratios between."""

BEND_STIFFNESS = (0.03, 300.0)
"""N/m, likewise."""


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
    edge, diagonal, support = geometry.edges, geometry.diagonals, geometry.supports
    first = builder.particle_count
    index = add_vertices(
        builder,
        geometry,
        settings,
        mass=surface_masses(geometry, settings.area_density),
        radius=settings.thickness * geometry.mean_edge_length,
        contact_radius=max(settings.thickness, 0.5) * geometry.mean_edge_length,
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
    if settings.tethers:
        add_tethers(builder, geometry, pin_weight, first)
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
