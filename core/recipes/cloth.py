"""Cloth: vertex → particle, edge → stick, diagonals and support pairs → springs (Jakobsen §4)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..errors import ModelError
from ..particles.constraints.hinge_bend import HingeBends
from ..particles.constraints.link import Links
from ..settings import ClothSettings
from .folds import folds_of
from .geometry import Geometry, Paint
from .tearing import add_tearable
from .tethers import TETHER_SLACK, add_tethers
from .topology import without
from .vertices import add_vertices, mean_of_ends, surface_masses
from .yarns import add_yarns

SHEAR_STIFFNESS = (3.0, 30_000.0)
"""N/m at the artist parameters just above 0 and at 1, growing by equal ratios between."""

BEND_STIFFNESS = (0.03, 300.0)
"""N/m, likewise, on a mesh whose edges are ``BEND_EDGE_LENGTH`` long."""

BEND_EDGE_LENGTH = 0.025
"""m. Shear springs give a cloth the same stiffness on any mesh; support pairs do not.

Over two edges of length a they store k·a⁴κ⁴/32 per area of a gentle curvature κ, which asks for k
in proportion to 1/a⁴, and k·a per width of a sharp fold, which asks for 1/a. Cloth that hangs over
an edge lies between: with 1/a² strips droop alike (truth case strip-droop)."""


STRETCH_STIFFNESS = (30_000.0, 30.0)
"""N/m of the edges at stretch just above 0 and at 1, falling by equal ratios between; as of every
net of springs, those of a membrane whatever its mesh."""

FOLD_RIGIDITY = (1e-6, 1e-2)
"""N·m of the hinges at bend just above 0 and at 1, growing by equal ratios between."""


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
    ``shear``, ``bend``, ``stretch``, ``drag``, ``friction`` and ``strength``, where 0 never tears.
    A mesh of wires alone makes a net. Geometry that is split may tear; what tears has neither
    tethers nor yarns, for these would bear what pulls at it.

    Raises `ModelError` for slack cloth with a strength.
    """
    given = partial(_add_whole, pin_weight=pin_weight, velocity=velocity, paint=paint)
    if geometry.weld is None:
        return given(builder, geometry, settings, _edge_length(geometry, settings))
    if settings.strength > 0.0 and settings.slack > 0.0:
        raise ModelError(geometry.name, "slack cloth cannot tear; set Slack or Strength to 0")
    bears = settings if settings.strength == 0.0 else replace(settings, tethers=False)
    edge_length = _edge_length(geometry.welded(geometry.weld), settings)
    return add_tearable(
        builder,
        geometry,
        settings.strength * geometry.painted(paint, "strength"),
        lambda making, now: given(making, now, bears, edge_length),
    )


def _add_whole(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: ClothSettings,
    edge_length: float,
    *,
    pin_weight: ArrayLike,
    velocity: ArrayLike,
    paint: Paint,
) -> int:
    """Add cloth as it hangs together; edge_length m: of the mean edge, before anything has torn."""
    whole = geometry
    geometry, thread = _without_threads(geometry, settings)
    edge, diagonal = geometry.edges, geometry.diagonals
    first = builder.particle_count
    index = add_vertices(
        builder,
        geometry,
        settings,
        mass=surface_masses(whole, settings.area_density),
        radius=settings.thickness * edge_length,
        pin_weight=pin_weight,
        velocity=velocity,
        paint=paint,
    )
    if settings.stretch > 0.0:
        _add_membrane(builder, geometry, settings, first, paint)
    elif settings.slack > 0.0:
        length = geometry.edge_lengths
        shortest = (1.0 - settings.slack) * length
        edges = Links.of(builder, index, edge + first, shortest=shortest, longest=length)
        builder.add_constraint(edges)
    else:
        builder.add_sticks(edge + first, geometry.edge_lengths)
    damping = settings.damping
    shear = settings.shear * mean_of_ends(geometry.painted(paint, "shear"), diagonal)
    most = _membrane_stiffness(geometry, settings, diagonal, paint)
    turn = -1 if settings.bend_model == "DIHEDRAL" else 0  # what takes turns trembles at rest
    _add_springs(builder, diagonal, first, SHEAR_STIFFNESS, shear, turn, most=most, damping=damping)
    if settings.bend_model == "DIHEDRAL":
        _add_hinges(builder, geometry, settings, first, index, paint)
    else:
        support = geometry.supports
        bend = settings.bend * mean_of_ends(geometry.painted(paint, "bend"), support)
        fineness = BEND_EDGE_LENGTH / max(edge_length, 1e-9)
        factor = fineness**2
        _add_springs(builder, support, first, BEND_STIFFNESS, bend, 1, factor, damping=damping)
    threads = thread + first
    if len(threads):
        links = Links.of(builder, index, threads, closing_speed=settings.sewing)
        builder.add_constraint(links)
    builder.add_triangles(geometry.triangles + first)
    itself, others = settings.meets_itself, settings.meets_others
    quads = geometry.quads + first
    builder.add_surface(geometry.triangles + first, itself, others, quads=quads, threads=threads)
    if others:
        builder.add_lines(_faces_alone(geometry)[1] + first)
    if settings.tethers and settings.stretch == 0.0:
        hangs = settings.slack == 0.0 and add_yarns(builder, geometry, pin_weight, first, index)
        add_tethers(builder, geometry, pin_weight, first, TETHER_SLACK if hangs else 0.0)
    return index


def _faces_alone(geometry: Geometry) -> tuple[Geometry, Ints]:
    """The mesh without the edges (e, 2) that belong to no face, and these: of nets and fringes."""
    sheet = Geometry.of(
        geometry.name, geometry.positions, (), geometry.face_offsets, geometry.face_vertices
    )
    return sheet, without(geometry.edges, sheet.edges)


def _edge_length(geometry: Geometry, settings: ClothSettings) -> float:
    """Mean length of the edges of the cloth itself, m."""
    return _without_threads(geometry, settings)[0].mean_edge_length


def _without_threads(geometry: Geometry, settings: ClothSettings) -> tuple[Geometry, Ints]:
    """The mesh without the edges that belong to no face, and those edges, which sew.

    None of them where nothing is sewn; a net keeps its own.
    """
    if settings.sewing == 0.0 or len(geometry.triangles) == 0:
        return geometry, np.zeros((0, 2), dtype=np.int32)
    return _faces_alone(geometry)


def _membrane_stiffness(
    geometry: Geometry, settings: ClothSettings, pairs: Ints, paint: Paint
) -> Floats:
    """N/m of springs (c,) in place of sticks; without end where the cloth does not stretch."""
    if settings.stretch == 0.0:
        return np.full(len(pairs), np.inf)
    stiff, soft = STRETCH_STIFFNESS
    amount = settings.stretch * mean_of_ends(geometry.painted(paint, "stretch"), pairs)
    return stiff * (soft / stiff) ** amount


def _add_membrane(
    builder: ModelBuilder, geometry: Geometry, settings: ClothSettings, first: int, paint: Paint
) -> None:
    """Springs in place of sticks."""
    long = geometry.edge_lengths > 0.0
    stiffness = _membrane_stiffness(geometry, settings, geometry.edges, paint)
    builder.add_springs(geometry.edges[long] + first, stiffness[long])


def _add_hinges(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: ClothSettings,
    first: int,
    index: int,
    paint: Paint,
) -> None:
    """Resistance to folding at every edge between two faces."""
    folds = folds_of(geometry.positions, geometry.face_offsets, geometry.face_vertices)
    bend = settings.bend * mean_of_ends(geometry.painted(paint, "bend"), folds.rows[:, :2])
    some = bend > 0.0
    if not some.any():
        return
    rigidity = FOLD_RIGIDITY[0] * (FOLD_RIGIDITY[1] / FOLD_RIGIDITY[0]) ** bend[some]
    hinges = HingeBends.of(
        builder,
        index,
        folds.rows[some] + first,
        rigidity * folds.weight[some],
        second=folds.second[some] + first,
        share=folds.share[some],
    )
    builder.add_constraint(hinges)


def _add_springs(
    builder: ModelBuilder,
    pairs: Ints,
    first: int,
    limits: tuple[float, float],
    amount: Floats,
    turn: int,
    factor: float = 1.0,
    most: Floats | float = np.inf,
    damping: float = 0.0,
) -> None:
    """Springs where the artist parameter (pairs,) is above 0, ``factor`` times as stiff.

    Equal steps of it are equal ratios of stiffness, N/m; none is stiffer than ``most``.
    damping: dampers beside them, as a share of what stops a spring between two vertices at once.
    """
    some = amount > 0.0
    stiffness = factor * limits[0] * (limits[1] / limits[0]) ** amount[some]
    stiffness = np.minimum(stiffness, np.broadcast_to(most, some.shape)[some])
    mass = builder.mass[pairs[some] + first].mean(axis=1)
    critical = np.sqrt(stiffness * mass)
    builder.add_springs(pairs[some] + first, stiffness, turn=turn, damping=damping * critical)
