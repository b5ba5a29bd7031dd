"""What resists folding on a mesh: hinges that bend alike in every direction, however it is cut.

A hinge at an edge sees the curvature across it, and by the way twist and curvature along the edge,
as far as the feet of its two corners lie off the middle of the edge. On right triangles, as quads
cut along a diagonal have them, this makes a strip bend anywhere between half and thrice as hard as
it should, as the cut runs. So two triangles that make a parallelogram are one quad again, a quad
bends at its sides about the place between its two other corners whose foot is the middle of the
side, and its diagonal resists twist, with a weight that makes cylinders of all directions equally
stiff on average. On a lattice of rectangles of any size that is ½ D (κ₁² + κ₂² + 2 κ₁₂²) exactly,
with no Poisson's ratio, so that a narrow strip is as stiff as a wide one; on rhombi it is the same
whatever their angle, down to the equilateral triangles of Seung, Nelson 1988.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .topology import meeting_sides, triangles_of

MOST_SKEW = 0.49
"""Cosine of the corners of a quad beyond which it is two triangles; 0.5 are equilateral ones."""

FLATTEST = 0.87
"""Cosine between two triangles below which they are no quad."""

TRIANGLES = 1.125**0.5
"""Factor on hinges between triangles. Equilateral ones resist a cylinder with D, but as plates with
a Poisson's ratio of −1/3 the bending of a strip with 8/9 D: this halves it between the two."""

LONGEST = 2.1
"""Sides of a quad over each other beyond which it stays two triangles: their sticks hold each other
fast, and what folds as softly as a quad then writhes for ever where the mesh is stiff."""

LEAST_TWIST = 0.3
"""Factor on hinges at diagonals at the least, as of rectangles twice as long as wide. It makes
longer ones harder to twist than the same in all directions (three times at 1:4): they writhe for
ever where what resists their twist is softer."""


@dataclass(frozen=True, eq=False)
class Folds:
    """Hinges of one mesh, as `HingeBends.of` takes them."""

    rows: Ints  # (k, 4) ends of the edge, corners opposite
    second: Ints  # (k, 2) the other vertex of each corner
    share: Floats  # (k, 2) how far each corner lies towards that
    weight: Floats  # (k,) factor on the rigidity


def folds_of(x: Floats, face_offsets: Ints, face_vertices: Ints) -> Folds:
    """The hinges of polygons at places x (n, 3) m."""
    triangles, quads = _panels(x, face_offsets, face_vertices)
    sides = [triangles[:, [k, (k + 1) % 3]] for k in range(3)]
    first = [triangles[:, (k + 2) % 3] for k in range(3)]
    sides += [quads[:, [k, (k + 1) % 4]] for k in range(4)]
    first += [quads[:, (k + 3) % 4] for k in range(4)]
    second = first[:3] + [quads[:, (k + 2) % 4] for k in range(4)]
    side, one, other = np.concatenate(sides), np.concatenate(first), np.concatenate(second)
    share = _share(x, side, one, other)
    is_triangle = np.arange(len(side)) < 3 * len(triangles)
    here, there = meeting_sides(side, one)
    edges = Folds(
        np.column_stack([side[here], one[here], one[there]]),
        np.column_stack([other[here], other[there]]),
        np.column_stack([share[here], share[there]]),
        np.where(is_triangle[here] & is_triangle[there], TRIANGLES, 1.0),
    )
    diagonals = _diagonals(x, quads)
    parts = zip(*((f.rows, f.second, f.share, f.weight) for f in (edges, diagonals)), strict=True)
    return Folds(*(np.concatenate(part) for part in parts))


def _panels(x: Floats, face_offsets: Ints, face_vertices: Ints) -> tuple[Ints, Ints]:
    """Polygons as triangles (f, 3) and convex quads (g, 4)."""
    sizes = np.diff(face_offsets)
    quads = face_vertices[face_offsets[:-1][sizes == 4][:, None] + np.arange(4)]
    fits = _skew(x, quads) < 1.0
    is_quad = np.zeros(len(sizes), dtype=bool)
    is_quad[np.flatnonzero(sizes == 4)[fits]] = True
    kept = np.repeat(~is_quad, sizes)
    offsets = np.concatenate([[0], np.cumsum(sizes[~is_quad])])
    triangles = triangles_of(offsets, face_vertices[kept])
    triangles, paired = _paired(x, triangles)
    return triangles, np.concatenate([quads[fits], paired])


def _skew(x: Floats, quads: Ints) -> Floats:
    """Largest cosine (g,) of the corners of quads, without sign; 1 for what is not convex."""
    corner = x[quads]
    onward, back = np.roll(corner, -1, axis=1) - corner, np.roll(corner, 1, axis=1) - corner
    size = np.linalg.norm(onward, axis=2) * np.linalg.norm(back, axis=2)
    cosine = np.abs(np.einsum("gki,gki->gk", onward, back))
    normal = np.cross(corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1])
    turned = np.einsum("gki,gi->gk", np.cross(onward, back), normal)
    convex = ((turned > 0.0) & (size > 0.0)).all(axis=1)
    skew = (cosine / np.where(size > 0.0, size, 1.0)).max(axis=1, initial=0.0)
    return np.where(convex, skew, 1.0)


def _paired(x: Floats, triangles: Ints) -> tuple[Ints, Ints]:
    """Triangles (f, 3) that stay such, and quads (g, 4) of the others: the least skew first."""
    side = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    opposite = np.concatenate([triangles[:, (k + 2) % 3] for k in range(3)])
    first, second = meeting_sides(side, opposite)
    quads = np.column_stack([side[first, 0], opposite[second], side[first, 1], opposite[first]])
    p, b, q, a = (x[quads[:, k]] for k in range(4))
    u, v = np.cross(b - p, q - p), np.cross(q - p, a - p)
    flat = np.einsum("ij,ij->i", u, v)
    flat = flat > FLATTEST * np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    skew = _skew(x, quads)
    near, far = np.linalg.norm(b - p, axis=1), np.linalg.norm(a - p, axis=1)
    short = np.maximum(near, far) <= LONGEST * np.minimum(near, far)
    fits = np.flatnonzero(flat & short & (skew < MOST_SKEW))
    # rounding is no reason to prefer one to another
    fits = fits[np.argsort(np.round(skew[fits], 6), kind="stable")]
    count = max(len(triangles), 1)
    pairs = np.column_stack([first[fits] % count, second[fits] % count])
    taken = _first_come(pairs, len(triangles))
    is_left = np.ones(len(triangles), dtype=bool)
    is_left[pairs[taken].reshape(-1)] = False
    return triangles[is_left], quads[fits[taken]]


def _first_come(pairs: Ints, count: int) -> Ints:
    """Which pairs (c, 2) of numbers below ``count`` go with none that stands before them."""
    taken: list[Ints] = [np.zeros(0, dtype=np.int32)]
    rank = np.arange(len(pairs), dtype=np.int32)
    while len(rank):
        best = np.full(count, len(pairs))
        np.minimum.at(best, pairs[rank].reshape(-1), np.repeat(rank, 2))
        won = rank[(best[pairs[rank]] == rank[:, None]).all(axis=1)]
        taken.append(won)
        gone = np.zeros(count, dtype=bool)
        gone[pairs[won].reshape(-1)] = True
        rank = rank[~gone[pairs[rank]].any(axis=1)]
    return np.concatenate(taken)


def _share(x: Floats, side: Ints, one: Ints, other: Ints) -> Floats:
    """How far (s,) between two vertices the place lies whose foot is the middle of a side."""
    p = x[side[:, 0]]
    edge = x[side[:, 1]] - p
    squared = np.einsum("ij,ij->i", edge, edge)
    near = np.einsum("ij,ij->i", x[one] - p, edge)
    far = np.einsum("ij,ij->i", x[other] - p, edge)
    apart = np.where(far != near, far - near, 1.0)
    found = np.clip((0.5 * squared - near) / apart, 0.0, 1.0)
    return np.where(far != near, found, 0.0)


def _diagonals(x: Floats, quads: Ints) -> Folds:
    """Hinges at the shorter diagonal of each quad, so stiff as the sides leave it to them."""
    corner = x[quads]
    across = np.linalg.norm(corner[:, 2] - corner[:, 0], axis=1)
    over = np.linalg.norm(corner[:, 3] - corner[:, 1], axis=1)
    turned = over < (1.0 - 1e-6) * across
    rows = np.where(turned[:, None], quads[:, [1, 3, 2, 0]], quads[:, [0, 2, 1, 3]])
    u = 0.5 * (corner[:, 1] - corner[:, 0] + corner[:, 2] - corner[:, 3])
    v = 0.5 * (corner[:, 3] - corner[:, 0] + corner[:, 2] - corner[:, 1])
    uu, vv, uv = (np.einsum("ij,ij->i", a, b) for a, b in ((u, u), (v, v), (u, v)))
    cell = np.linalg.norm(np.cross(u, v), axis=1)  # m²
    left = 1.0 - _cylinder(uu, uv, cell) - _cylinder(vv, uv, cell)
    squared = np.minimum(across, over) ** 2
    twist = squared**2 * (uu * vv + 2.0 * uv**2) / (8.0 * np.maximum(cell, 1e-300) ** 4)
    weight = np.maximum(left / np.maximum(twist, 1e-300), LEAST_TWIST)
    return Folds(rows, rows[:, 2:], np.zeros((len(rows), 2)), weight)


def _cylinder(squared: Floats, along: Floats, cell: Floats) -> Floats:
    """What sides of parallelograms store of a cylinder, on average over its directions, of ½ D κ².

    squared: of the side; along: its product with the other one; cell: the area, m² each. At its
    foot f a corner between two vertices sees κₙ + ρ (2 f − 1) κₜₙ − ρ² c κₜ, where ρ is the side
    over the height; the means of their squares are 3/8, 1/8 and 3/8, of κₙ κₜ 1/8.
    """
    ratio = squared / np.maximum(cell, 1e-300)
    near = along / np.maximum(squared, 1e-300)
    share = np.clip(0.5 - near, 0.0, 1.0)
    foot = near + share
    sag = -(ratio**2) * (foot - (1.0 - share) * near**2 - share * (near + 1.0) ** 2)
    mean: Floats = 3.0 / 8.0 * (1.0 + sag**2) + (ratio * (2.0 * foot - 1.0)) ** 2 / 8.0 + sag / 4.0
    return mean
