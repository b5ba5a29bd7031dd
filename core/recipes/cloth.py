"""Cloth: vertex → particle, edge → stick, diagonals and support pairs → springs (Jakobsen §4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..builder import ModelBuilder
from ..errors import ModelError
from ..model import Floats, Ints
from ..settings import ClothSettings
from .geodesic import surface_distances
from .points import checked_points
from .topology import connected_parts, face_diagonals, support_pairs, triangles_of, unique_pairs

SHEAR_STIFFNESS = (3.0, 30_000.0)
"""N/m at the artist parameters just above 0 and at 1, growing by equal ratios between."""

BEND_STIFFNESS = (0.03, 300.0)
"""N/m, likewise."""

MOST_TETHERS = 4
"""Separate pinned places that one particle hangs on at most."""


def add_cloth(
    builder: ModelBuilder,
    name: str,
    positions: ArrayLike,
    edges: ArrayLike,
    face_offsets: ArrayLike,
    face_vertices: ArrayLike,
    pinned: ArrayLike,
    settings: ClothSettings,
    velocity: ArrayLike = 0.0,
) -> int:
    """Add a mesh as cloth; returns its index in ``builder.objects``.

    positions (n, 3) m in world space; edges (m, 2); polygons as offsets (faces + 1,) into
    face_vertices; pinned (n,) bool. Loose vertices and wires are allowed; a mesh of wires alone
    makes a net. Raises `ModelError` for a mesh without vertices or with numbers that are not
    finite.
    """
    x = checked_points(name, positions)
    offsets = np.asarray(face_offsets, dtype=np.int32)
    corners = np.asarray(face_vertices, dtype=np.int32)
    triangle = triangles_of(offsets, corners)
    edge = np.asarray(edges, dtype=np.int32).reshape(-1, 2)
    border = np.concatenate([edge, _face_borders(offsets, corners)])
    if border.size and (border.min() < 0 or border.max() >= len(x)):
        raise ModelError(name, "an edge or face names a vertex that does not exist")
    border = unique_pairs(border)

    length = np.linalg.norm(x[border[:, 1]] - x[border[:, 0]], axis=1)
    mean_length = float(length.mean()) if len(length) else 0.0
    first = builder.particle_count
    index = builder.add_particles(
        name,
        x,
        mass=_vertex_masses(x, triangle, border, length, settings.area_density),
        velocity=velocity,
        drag=settings.drag,
        radius=settings.thickness * mean_length,
        friction=settings.friction,
        restitution=settings.restitution,
    )
    builder.add_sticks(border + first, length)
    diagonal = face_diagonals(offsets, corners)
    diagonal = _without(diagonal, border)
    if settings.shear > 0.0 and len(diagonal):
        builder.add_springs(diagonal + first, _stiffness(SHEAR_STIFFNESS, settings.shear), turn=0)
    support = _without(support_pairs(x, border), np.concatenate([border, diagonal]))
    if settings.bend > 0.0 and len(support):
        builder.add_springs(support + first, _stiffness(BEND_STIFFNESS, settings.bend), turn=1)
    builder.add_triangles(triangle + first)

    pins = np.flatnonzero(np.asarray(pinned, dtype=bool)).astype(np.int32)
    builder.pin(pins + first)
    if settings.tethers and len(pins):
        _add_tethers(builder, x, border, triangle, pins, first)
    return index


def _stiffness(limits: tuple[float, float], amount: float) -> float:
    """Equal steps of an artist parameter are equal ratios of stiffness, N/m."""
    return limits[0] * (limits[1] / limits[0]) ** amount


def _face_borders(offsets: Ints, corners: Ints) -> Ints:
    """Pairs of vertices that follow each other around a face."""
    if len(corners) == 0:
        return np.zeros((0, 2), dtype=np.int32)
    following = np.arange(1, len(corners) + 1)
    sizes = np.diff(offsets)
    filled = sizes > 0
    following[offsets[1:][filled] - 1] = offsets[:-1][filled]
    return np.stack([corners, corners[following]], axis=1)


def _without(pairs: Ints, others: Ints) -> Ints:
    """The pairs that do not occur among others; both sorted within each pair."""
    if len(pairs) == 0 or len(others) == 0:
        return pairs
    width = np.int64(max(pairs.max(), others.max())) + 1
    key = pairs[:, 0] * width + pairs[:, 1]
    return pairs[~np.isin(key, others[:, 0] * width + others[:, 1])]


def _vertex_masses(x: Floats, triangle: Ints, edge: Ints, length: Floats, density: float) -> Floats:
    """Mass (n,) of each vertex: a third of the triangles around it.

    Where there is no surface a wire of length l weighs as much as a strip as wide as the mean
    edge, and a loose vertex as much as the mean of the others.
    """
    cross = np.cross(x[triangle[:, 1]] - x[triangle[:, 0]], x[triangle[:, 2]] - x[triangle[:, 0]])
    area = np.zeros(len(x))
    np.add.at(area, triangle, (np.linalg.norm(cross, axis=1) / 6.0)[:, None])
    bare = area <= 0.0
    if bare.any() and len(length):
        strip = np.zeros(len(x))
        np.add.at(strip, edge, (0.5 * length * length.mean())[:, None])
        area[bare] = strip[bare]
    weightless = area <= 0.0
    if weightless.any():
        area[weightless] = area[~weightless].mean() if (~weightless).any() else 1.0
    # slivers next to large faces: no vertex lighter than a thousandth of the mean
    return density * np.maximum(area, 1e-3 * area.mean())


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
