"""Ropes: edges → strands that keep their length, bending rods along them, wires for the wind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..errors import ModelError
from ..particles.constraints.angle_limit import AngleLimits
from ..particles.constraints.rod import Rods
from ..particles.constraints.strand import Strands
from ..settings import RopeSettings
from ..settings.gravity import GRAVITY
from .geometry import Geometry, Paint
from .tearing import add_tearable
from .tethers import add_spans, add_tethers
from .trees import Forest, lengths_from_root, neighbour_lists, roots_of, spanning_forest
from .vertices import add_vertices, mean_of_ends, wire_masses

BEND_LENGTH = (0.01, 1.0)
"""The length that its own weight bends, ∛(EI/(ρ g)), in the size of the rope, at bend just above
0 and at 1, growing by equal ratios between: a rope and its enlargement move alike."""

STRAIN = (1e-4, 1.0)
"""Strain of a rope that hangs by its end, at the top and by its own weight, at stretch just above 0
and at 1, growing by equal ratios between."""

FIRM_STRAIN = 2e-5
"""The same at stretch 0: a crate of 200 times its weight stretches such a rope by 0.4 %."""

ROPE_DIAMETER = 0.01
"""Diameter of a rope in its size, where it is left to the recipe."""

MOST_LOOPS = 0.1
"""Share of edges that close loops above which a net is relaxed stick by stick."""


@dataclass(frozen=True)
class _Ropes:
    """The ropes of an object whose vertices are particles of a model already."""

    builder: ModelBuilder
    geometry: Geometry
    settings: RopeSettings
    paint: Paint
    forest: Forest
    first: int  # particle
    index: int  # of the object


def add_rope(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: RopeSettings,
    *,
    pin_weight: ArrayLike = 0.0,
    velocity: ArrayLike = 0.0,
    paint: Paint = MappingProxyType({}),
) -> int:
    """Add a mesh's edges as ropes; returns the object's index in ``builder.objects``.

    Any number of pieces, with branches and loops; pin_weight (n,), 0 = free … 1 = held; velocity
    (n, 3) or (3,) m/s; paint: factors on ``stretch``, ``bend``, ``drag``, ``friction`` and
    ``strength``, where 0 never snaps. Geometry that is split may snap.

    Raises `ModelError` for a mesh without edges or with edges that have no length.
    """
    given = partial(_add_whole, pin_weight=pin_weight, velocity=velocity, paint=paint)
    if geometry.weld is None:
        return given(builder, geometry, settings, geometry, None)
    strength = settings.strength * geometry.painted(paint, "strength")
    copies = geometry.weld
    whole = geometry.welded(copies)

    def add(making: ModelBuilder, now: Geometry) -> int:
        return given(making, now, settings, whole, copies)

    return add_tearable(builder, geometry, strength, add)


def _add_whole(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: RopeSettings,
    whole: Geometry,
    copies: Ints | None,
    *,
    pin_weight: ArrayLike,
    velocity: ArrayLike,
    paint: Paint,
) -> int:
    """Add ropes as they hang together; ``whole``: before anything has snapped.

    copies (n,): which of its vertices each one is then.
    """
    copy = slice(None) if copies is None else copies
    x, edge = geometry.positions, geometry.edges
    if len(edge) == 0:
        raise ModelError(geometry.name, "has no edges to make a rope of; connect its vertices")
    if (geometry.edge_lengths <= 0.0).any():
        a, b = edge[int(np.argmin(geometry.edge_lengths))]
        raise ModelError(
            geometry.name,
            f"the edge between vertices {a} and {b} has no length; use Mesh › Merge › By Distance",
        )
    pins = np.broadcast_to(np.asarray(pin_weight, dtype=np.float64), (geometry.count,))
    held = np.argsort(-pins, kind="stable")[: (pins > 0).sum()].astype(np.int32)
    forest = spanning_forest(geometry.count, edge, held)
    first_forest = spanning_forest(whole.count, whole.edges, held)
    size = _sizes(first_forest, x)[copy]
    named = size if geometry is whole else size[np.unique(whole.edges)]
    diameter = settings.diameter or ROPE_DIAMETER * float(np.median(named))
    first = builder.particle_count
    index = add_vertices(
        builder,
        geometry,
        settings,
        mass=wire_masses(geometry, settings.line_density),
        radius=0.5 * diameter,
        pin_weight=pins,
        velocity=velocity,
        paint=paint,
    )
    ropes = _Ropes(builder, geometry, settings, paint, forest, first, index)
    _add_bend(ropes, size)
    bears = copies is not None and settings.strength > 0.0
    _add_length(ropes, _reaches(first_forest, whole)[copy], bears, pins)
    if settings.bend_limit < 180.0:
        joint = _triples(geometry, forest)[:, [1, 0, 2]]
        # a corner that is drawn sharper than the limit may stay as sharp as it is
        sharpest = np.minimum(180.0 - settings.bend_limit, _angles(x, joint))
        builder.add_constraint(AngleLimits.between(builder, index, joint + first, sharpest))
    builder.add_wires(edge + first, diameter)
    row = forest.row[edge]
    outwards = np.where((row[:, 0] > row[:, 1])[:, None], edge[:, ::-1], edge)
    builder.add_lines(outwards + first, itself=settings.meets_itself)
    return index


def _sizes(forest: Forest, x: Floats) -> Floats:
    """Size (n,) m of the piece that each vertex belongs to: the diagonal of its bounds."""
    piece = roots_of(forest)[forest.row]
    low = np.full(x.shape, np.inf)
    high = np.full(x.shape, -np.inf)
    np.minimum.at(low, piece, x)
    np.maximum.at(high, piece, x)
    size: Floats = np.linalg.norm(high[piece] - low[piece], axis=1)
    return size


def _reaches(forest: Forest, geometry: Geometry) -> Floats:
    """Longest way (n,) m from the root, in the tree that each vertex belongs to."""
    along = lengths_from_root(forest, geometry.positions)
    longest = np.zeros(geometry.count)
    np.maximum.at(longest, roots_of(forest), along)
    reach = np.empty(geometry.count)
    reach[forest.vertex] = longest[roots_of(forest)]
    return reach


def _add_length(ropes: _Ropes, reach: Floats, bears: bool, pins: Floats) -> None:
    """What keeps the length: strands along the trees, sticks where loops close, tethers of nets.

    reach (n,) m: of the tree that each vertex belonged to before anything snapped; bears: the
    sticks are to tell what pulls at them.
    """
    builder, geometry, settings = ropes.builder, ropes.geometry, ropes.settings
    forest, first = ropes.forest, ropes.first
    x, edge = geometry.positions, geometry.edges
    loops = forest.edges_left(edge)
    gives_way = settings.stretch > 0.0
    stretch = settings.stretch * geometry.painted(ropes.paint, "stretch")

    def axial_stiffness(pairs: Ints) -> Floats:  # EA, N
        least = STRAIN[0] if gives_way else FIRM_STRAIN
        strain = least * (STRAIN[1] / STRAIN[0]) ** mean_of_ends(stretch, pairs)
        return settings.line_density * GRAVITY * reach[pairs[:, 0]] / strain

    in_loops = edge if len(loops) > MOST_LOOPS * len(edge) else loops
    if len(in_loops):
        length = np.linalg.norm(x[in_loops[:, 1]] - x[in_loops[:, 0]], axis=1)
        if gives_way:
            builder.add_springs(in_loops + first, axial_stiffness(in_loops) / length)
        else:
            builder.add_sticks(in_loops + first, length)
    if in_loops is edge:
        if not gives_way and not bears:
            add_tethers(builder, geometry, pins, first)
        return
    if not gives_way and not bears:
        add_spans(builder, geometry, np.flatnonzero(pins >= 1.0).astype(np.int32), first)
    child = forest.parent >= 0
    pairs = np.stack([forest.vertex[forest.parent[child]], forest.vertex[child]], axis=1)
    length = np.linalg.norm(x[pairs[:, 1]] - x[pairs[:, 0]], axis=1)
    compliance = np.zeros(geometry.count)
    compliance[child] = length / axial_stiffness(pairs)
    builder.add_constraint(
        Strands.of(
            builder,
            ropes.index,
            forest.vertex + first,
            forest.parent,
            compliance,
            gives_way=gives_way,
        )
    )


def _add_bend(ropes: _Ropes, size: Floats) -> None:
    """Rods of rigidity EI wherever two edges follow each other; size (n,) m of vertices' pieces."""
    builder, geometry, settings = ropes.builder, ropes.geometry, ropes.settings
    triple = _triples(geometry, ropes.forest)
    bend = settings.bend * geometry.painted(ropes.paint, "bend")[triple[:, 1]]
    triple, bend = triple[bend > 0.0], bend[bend > 0.0]
    if len(triple) == 0:
        return
    length = BEND_LENGTH[0] * (BEND_LENGTH[1] / BEND_LENGTH[0]) ** bend
    length *= size[triple[:, 1]]
    rigidity = settings.line_density * GRAVITY * length**3
    straight = settings.springback == 0.0
    rods = Rods.of(builder, ropes.index, triple + ropes.first, rigidity, straight=straight)
    rods.rows["rest_bend"] *= settings.springback
    builder.add_constraint(rods)


def _angles(x: Floats, joint: Ints) -> Floats:
    """Angle (k,) in degrees at the first of joint (k, 3) between the ways to the other two."""
    way = x[joint[:, 1:]] - x[joint[:, :1]]
    way /= np.linalg.norm(way, axis=2, keepdims=True)
    cosine = np.clip((way[:, 0] * way[:, 1]).sum(axis=1), -1.0, 1.0)
    angles: Floats = np.degrees(np.arccos(cosine))
    return angles


def _triples(geometry: Geometry, forest: Forest) -> Ints:
    """Vertices (k, 3) that follow each other: along chains, and from a stem into each branch."""
    start, neighbour = neighbour_lists(geometry.count, geometry.edges)
    degree = np.diff(start)
    middle = np.flatnonzero(degree == 2)
    chains = np.stack([neighbour[start[middle]], middle, neighbour[start[middle] + 1]], axis=1)
    parent = forest.parent
    row = np.flatnonzero(parent >= 0)
    fork = row[degree[forest.vertex[parent[row]]] > 2]
    stem = parent[parent[fork]]
    # at a root that forks the first branch stands for the stem
    rooted = stem < 0
    first_child = np.full(len(parent), -1, dtype=np.int32)
    first_child[parent[row][::-1]] = row[::-1]
    stem = np.where(rooted, first_child[parent[fork]], stem)
    keep = stem != fork
    forks = np.stack(
        [forest.vertex[stem], forest.vertex[parent[fork]], forest.vertex[fork]], axis=1
    )[keep]
    return np.concatenate([chains, forks]).astype(np.int32).reshape(-1, 3)
