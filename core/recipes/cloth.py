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
"""N/m, likewise, on a mesh whose edges are ``BEND_EDGE_LENGTH`` long."""

BEND_EDGE_LENGTH = 0.025
"""m. Shear springs give a cloth the same stiffness on any mesh; support pairs do not.

Over two edges of length a they store k·a⁴κ⁴/32 per area of a gentle curvature κ, which asks for k
in proportion to 1/a⁴, and k·a per width of a sharp fold, which asks for 1/a. Cloth that hangs over
an edge lies between: with 1/a² strips droop alike (truth case strip-droop)."""


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
    fineness = BEND_EDGE_LENGTH / max(geometry.mean_edge_length, 1e-9)
    _add_springs(builder, support, first, BEND_STIFFNESS, bend, turn=1, factor=fineness**2)
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
    factor: float = 1.0,
) -> None:
    """Springs where the artist parameter (pairs,) is above 0, ``factor`` times as stiff.

    Equal steps of it are equal ratios of stiffness, N/m.
    """
    some = amount > 0.0
    stiffness = factor * limits[0] * (limits[1] / limits[0]) ** amount[some]
    builder.add_springs(pairs[some] + first, stiffness, turn=turn)
