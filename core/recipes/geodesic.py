"""Distances along a surface, for tethers.

Label correcting over triangles: a front crosses a triangle by unfolding the point it comes from
into the triangle's plane (Novotni & Klein 2002, "Computing Geodesic Distances on Triangular
Meshes", §3), which is exact on flat cloth, where distances along edges would be up to 8 % (or, on
a plain grid without diagonals, 41 %) too long.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..kernels.jit import inline, kernel
from ..vec3 import between, length
from .topology import starts_of

FRONT_ROUNDING = 1e-7
"""Relative slack for a front that runs exactly along an edge."""


@inline
def _across(da, db, ab, ac, bc):
    """Distance of c from the point that is da from a and db from b, on the far side of ab.

    ab, ac, bc: side lengths of the triangle, all above 0. Infinite when the straight way does not
    pass between a and b.
    """
    sx = (da * da - db * db + ab * ab) / (2.0 * ab)
    ss = da * da - sx * sx
    if ss < -FRONT_ROUNDING * ab * ab:
        return math.inf
    cx = (ac * ac - bc * bc + ab * ab) / (2.0 * ab)
    cc = ac * ac - cx * cx
    if cc <= 0.0:
        return math.inf
    sy = -math.sqrt(max(ss, 0.0))
    cy = math.sqrt(cc)
    crossing = sx + (cx - sx) * (-sy) / (cy - sy)
    if crossing < -FRONT_ROUNDING * ab or crossing > ab * (1.0 + FRONT_ROUNDING):
        return math.inf
    across, up = cx - sx, cy - sy
    return math.sqrt(across * across + up * up)


class SurfaceAdjacency(NamedTuple):
    """Where a front may go from each of n particles of a surface."""

    edge_start: Ints  # (n + 1,) first neighbour of each
    edge_neighbour: Ints
    corner_start: Ints  # (n + 1,) first triangle at each
    corner: Ints  # (3 f, 2) its other corners


@kernel
def _spread(position, ways, queue, queued, distance, source):
    """Spread distance (n,) and source (n,) from the particles whose distance is 0.

    queue (n + 1,) is a ring of those that a front has reached, queued (n,) marks its members.
    """
    edge_start, edge_neighbour, corner_start, corner = ways
    size = queue.shape[0]
    head = 0
    tail = 0
    for i in range(position.shape[0]):
        if distance[i] == 0.0:
            queue[tail] = i
            queued[i] = True
            tail += 1
    while head != tail:
        i = queue[head]
        head = (head + 1) % size
        queued[i] = False
        for n in range(edge_start[i], edge_start[i + 1]):
            j = edge_neighbour[n]
            far = distance[i] + length(between(position, i, j))
            if far < distance[j] * (1.0 - 1e-9):
                distance[j] = far
                source[j] = source[i]
                if not queued[j]:
                    queued[j] = True
                    queue[tail] = j
                    tail = (tail + 1) % size
        for n in range(corner_start[i], corner_start[i + 1]):
            for turn in range(2):
                b = corner[n, turn]
                c = corner[n, 1 - turn]
                if source[b] != source[i] or source[b] < 0:
                    continue
                ab = length(between(position, i, b))
                ac = length(between(position, i, c))
                bc = length(between(position, b, c))
                if ab == 0.0 or ac == 0.0 or bc == 0.0:
                    continue
                far = _across(distance[i], distance[b], ab, ac, bc)
                if far < distance[c] * (1.0 - 1e-9):
                    distance[c] = far
                    source[c] = source[i]
                    if not queued[c]:
                        queued[c] = True
                        queue[tail] = c
                        tail = (tail + 1) % size


def ways_along(count: int, edge: Ints, triangle: Ints) -> SurfaceAdjacency:
    """Ways along edges (m, 2) and across triangles (f, 3) of so many particles."""
    ends = np.concatenate([edge, edge[:, ::-1]])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    # every corner of every triangle with the two others
    corner = np.concatenate(
        [triangle, np.roll(triangle, -1, axis=1), np.roll(triangle, -2, axis=1)]
    )
    corner = corner[np.argsort(corner[:, 0], kind="stable")]
    return SurfaceAdjacency(
        starts_of(ends[:, 0], count),
        np.ascontiguousarray(ends[:, 1], dtype=np.int32),
        starts_of(corner[:, 0], count),
        np.ascontiguousarray(corner[:, 1:], dtype=np.int32),
    )


def surface_distances(
    position: Floats, edge: Ints, triangle: Ints, sources: Ints
) -> tuple[Floats, Ints]:
    """Distance (n,) of every particle from the nearest of sources along the surface, and which.

    position (n, 3) m, edge (m, 2), triangle (f, 3). Unreachable: infinite and −1.
    """
    return distances_along(position, ways_along(len(position), edge, triangle), sources)


def distances_along(position: Floats, ways: SurfaceAdjacency, sources: Ints) -> tuple[Floats, Ints]:
    """The same along ways that are known already."""
    count = len(position)
    distance = np.full(count, np.inf)
    source = np.full(count, -1, dtype=np.int32)
    distance[sources] = 0.0
    source[sources] = sources
    _spread(
        position,
        ways,
        np.empty(count + 1, dtype=np.int32),
        np.zeros(count, dtype=np.bool_),
        distance,
        source,
    )
    return distance, source
