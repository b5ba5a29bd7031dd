"""A mesh as a few convex hulls: one for each loose part, several for a concave one.

Concave solids are cut by planes, in the manner of Mamou & Ghorbel 2009 (HACD, V-HACD) and Wei et
al. 2022 (CoACD): the piece whose hull has most volume too many is cut by the plane that leaves
least of it, out of planes through its concave edges and planes across its axes; at last pieces
that make a convex one together are joined again. No chance is involved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .cell import ON_PLANE, Cell, Solid
from .hull import DEFAULT_LIMIT, Hull, convex_hull
from .solid import solid_parts
from .support import DIRECTION, support_area, support_volume

if TYPE_CHECKING:
    from ..arrays import Floats

    Planes = tuple[Floats, Floats, Floats]  # normals, places, weights

DEFAULT_MOST = 16
"""Convex parts of a mesh, unless said otherwise."""

CONCAVITY = 0.04
"""Share of a piece's hull that may be empty: such a piece is not cut any more."""

LEAST_EMPTY = 0.002
"""Share of the whole part's hull that may be empty in a piece: less is not worth a cut."""

SPLITS = 1.5
"""Pieces are cut until there are this many times as many as asked for, then joined again."""

SHARP = 0.02
"""Radians by which an edge must be concave (1°) for planes through it to be tried."""

PLANE_STEPS = 8
"""Planes across each axis that are tried, less one."""

MOST_EDGES = 18
"""Planes through concave edges that are tried, of either kind: those along which there are most."""

ALIKE_EMPTY = 1e-3
"""Share of a piece's hull: cuts that leave less than this empty are all as good."""

CLEAN = 0.95
"""Power of the empty volume in the measure by which cuts are compared: of two cuts that leave as
much, the one that leaves it all on one side, so that the other is done."""

COMPACT = (0.05, 0.4)
"""Power of a hull's surface in the same measure: of two such cuts, the one with smaller hulls. The
first is best for what is made of straight pieces; where it does not do, the second one is tried,
which is best for rings."""

MANY_POINTS = 40
"""Pieces more than these are joined by their bounding boxes, the smallest first."""

COARSE = 1500
"""Vertices of the surface on which cuts are looked for."""


def convex_parts(
    points: ArrayLike,
    triangles: ArrayLike,
    most: int = DEFAULT_MOST,
    limit: int = DEFAULT_LIMIT,
    concavity: float = CONCAVITY,
    largest_hole: float = 1.0,
) -> list[Hull]:
    """At most ``most`` hulls of at most ``limit`` vertices that fill triangles (t, 3) over points.

    points (n, 3) m, along axes in which the mesh is straight if it is so in any: those are tried
    for cuts. Cavities are filled. ``concavity`` is the share of a piece's hull that may be empty,
    ``largest_hole`` the share of a surface above which a hole in it is none to be closed: what has
    one is hollow, and its walls become thin plates.
    Returns none when every part is a line or a point.
    """
    x = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    cells = []
    for part in solid_parts(x, triangles, largest_hole):
        surface = x[part.triangles]
        coarse = _coarse(surface)
        cell = Cell(Solid(surface, coarse, part.volume > 0.0), coarse)
        if part.volume >= 0.0 and cell.hull is not None:
            cells.append(cell)
    small = LEAST_EMPTY * sum(cell.hull_volume for cell in cells)
    exact = []
    for cell in cells:
        best = _pieces(cell, int(SPLITS * most), concavity, small, COMPACT[0])
        if max(piece.excess for piece in best) > max(concavity * cell.hull_volume / most, small):
            other = _pieces(cell, int(SPLITS * most), concavity, small, COMPACT[1])
            best = min(best, other, key=lambda pieces: sum(p.hull_volume for p in pieces))
        exact += [piece.restored() for piece in best]
    groups = _joined([piece for piece in exact if piece is not None], most, concavity, small)
    hulls = [convex_hull(group, limit) for group in groups]
    return [hull for hull in hulls if hull is not None]


def _coarse(surface: Floats) -> Floats:
    """Triangles (t, 3, 3) m with at most `COARSE` vertices: those in one cell of a grid are one.

    What was closed stays closed; triangles that lose a corner by it go.
    """
    vertex, index = np.unique(surface.reshape(-1, 3), axis=0, return_inverse=True)
    triangle = index.reshape(-1, 3)
    if len(vertex) <= COARSE:
        return surface
    low = vertex.min(axis=0)
    size = float(np.ptp(vertex, axis=0).max())
    steps = 48
    while True:
        place = ((vertex - low) * (steps / size)).astype(np.int64)
        _, cluster = np.unique(place, axis=0, return_inverse=True)
        cluster = cluster.reshape(-1)
        count = np.bincount(cluster)
        if len(count) <= COARSE:
            break
        steps = steps * 5 // 6
    middle = np.stack([np.bincount(cluster, vertex[:, k]) for k in range(3)], axis=1)
    apart = np.linalg.norm(vertex - (middle / count[:, None])[cluster], axis=1)
    order = np.lexsort((apart, cluster))  # the vertex nearest to the middle of each stands for it
    first = order[np.cumsum(count) - count]
    t = cluster[triangle]
    distinct = (t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])
    return vertex[first][t[distinct]]


def _pieces(whole: Cell, most: int, concavity: float, small: float, compact: float) -> list[Cell]:
    """A solid cut into at most ``most`` cells, the worst one first."""
    done: list[Cell] = []
    open_cells = [whole]
    edges = _planes_at_edges(whole)
    while open_cells:
        worst = max(range(len(open_cells)), key=lambda i: open_cells[i].excess)
        cell = open_cells.pop(worst)
        enough = max(concavity * cell.hull_volume, small)
        if cell.excess <= enough or len(done) + len(open_cells) + 2 > most:
            done.append(cell)
            continue
        halves = _best_cut(cell, edges, compact)
        if halves is None:
            done.append(cell)
        else:
            open_cells += halves
    return done


def _planes_at_edges(cell: Cell) -> tuple[Planes, Planes]:
    """Planes through the concave edges of a cell's surface: along the faces beside, and between.

    Of a sheet, through all edges that bend. Each as normals (p, 3), places (p, 3) and weights
    (p,): the edge's length times its angle.
    """
    vertex, t = cell.mesh
    normal = cell.looks / np.maximum(np.linalg.norm(cell.looks, axis=1), 1e-300)[:, None]
    start, end = t.reshape(-1), np.roll(t, -1, axis=1).reshape(-1)
    face = np.repeat(np.arange(len(t)), 3)
    forward = start * len(vertex) + end
    backward = end * len(vertex) + start
    order = np.argsort(forward, kind="stable")
    twin = order[np.minimum(np.searchsorted(forward[order], backward), len(order) - 1)]
    paired = (forward[twin] == backward) & (start < end)
    one, other = normal[face[paired]], normal[face[twin[paired]]]
    a, b = vertex[start[paired]], vertex[end[paired]]
    along = b - a
    length = np.linalg.norm(along, axis=1)
    bend = (np.cross(one, other) * along).sum(axis=1) / length
    angle = np.arctan2(bend, (one * other).sum(axis=1))
    if not cell.solid.is_closed:
        angle = -np.abs(angle)
    concave = (angle < -SHARP) & (length > 0.0)
    middle, weight = 0.5 * (a + b)[concave], (-angle * length)[concave]
    beside = np.concatenate([one[concave], other[concave]])
    between = np.cross(along, one + other)[concave]
    return (
        (_signed(beside), np.tile(middle, (2, 1)), np.tile(weight, 2)),
        (_signed(between), middle, weight),
    )


def _signed(normal: Floats) -> Floats:
    """Normals (p, 3) made unit ones, and such that the same plane always looks the same way."""
    unit = normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    leading = np.argmax(np.abs(unit) > 0.3, axis=1)
    return np.asarray(unit * np.sign(unit[np.arange(len(unit)), leading])[:, None])


def _best_cut(cell: Cell, edges: tuple[Planes, Planes], compact: float) -> tuple[Cell, Cell] | None:
    """The halves of a cell for the plane that leaves the least empty volume in their hulls.

    A cut often leaves as much as there was: the first one of a ring, wherever it is. Then
    `CLEAN` and ``compact`` decide; the latter leads to arcs instead of ever flatter rings. Of
    cuts as good as each other the first one is taken.
    """
    little = ALIKE_EMPTY * cell.hull_volume
    best, chosen = np.inf, None
    for normal, offset in _candidates(cell, edges):
        pair = cell.halves(normal, offset)
        if pair is None:
            continue
        below = cell.columns.below(normal, offset).volume
        full = np.array([below, cell.volume - below])
        both = np.array(pair)
        excess = np.maximum(support_volume(both) - full, little)
        score = float((excess**CLEAN * support_area(both) ** compact).sum())
        if score < best * (1.0 - 1e-4):
            best, chosen = score, (normal, offset)
    return None if chosen is None else cell.cut(*chosen)


def _candidates(cell: Cell, edges: tuple[Planes, Planes]) -> list[tuple[Floats, float]]:
    """Planes (normal, offset) that may be worth a cut, those first that leave straight pieces."""
    vertex, _ = cell.mesh
    low, high = vertex.min(axis=0), vertex.max(axis=0)
    beside, between = (_heaviest(cell, low, float((high - low).max()), planes) for planes in edges)
    across = [
        (np.eye(3)[axis], float(low[axis] + (high[axis] - low[axis]) * k / PLANE_STEPS))
        for axis in range(3)
        for k in range(1, PLANE_STEPS)
    ]
    return beside + across + between


def _heaviest(cell: Cell, low: Floats, size: float, planes: Planes) -> list[tuple[Floats, float]]:
    """Those planes within a cell along which the concave edges weigh most."""
    normal, middle, weight = planes
    inside = np.ones(len(middle), dtype=bool)
    for above, offset in cell.planes:
        inside &= middle @ above < offset + ON_PLANE * cell.solid.size
    normal, middle, weight = normal[inside], middle[inside], weight[inside]
    if len(normal) == 0:
        return []
    # Of planes that are nearly the same one stands for all, with the sum of their weights.
    apart = (normal * (middle - low)).sum(axis=1) / size
    # (The 0.12 keeps simple fractions off the borders, where rounding errors would decide.)
    key = np.rint(np.concatenate([8.0 * normal, 16.0 * apart[:, None]], axis=1) + 0.12)
    _, first, group = np.unique(key, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(group.reshape(-1), weight)
    ranked = np.argsort(-np.round(sums / sums.max(), 6), kind="stable")[:MOST_EDGES]
    return [(normal[i], float(normal[i] @ middle[i])) for i in first[ranked]]


def _joined(pieces: list[Cell], most: int, concavity: float, small: float) -> list[Floats]:
    """Points (n, 3) of pieces, those together that make up a convex one or are too many."""
    points = [piece.points for piece in pieces]
    solid = np.array([piece.volume for piece in pieces])
    low = np.array([p.min(axis=0) for p in points])
    high = np.array([p.max(axis=0) for p in points])
    while len(points) > max(MANY_POINTS, most):  # by bounding boxes, for there may be thousands
        a = int(np.argmin((high - low).max(axis=1)))
        union = (np.maximum(high, high[a]) - np.minimum(low, low[a])).max(axis=1)
        union[a] = np.inf
        b = int(np.argmin(union))
        points[b] = np.concatenate([points[b], points[a]])
        low[b], high[b] = np.minimum(low[b], low[a]), np.maximum(high[b], high[a])
        solid[b] += solid[a]
        del points[a]
        low, high, solid = (np.delete(array, a, axis=0) for array in (low, high, solid))
    outermost = np.array([p[(p @ DIRECTION.T).argmax(axis=0)] for p in points])
    while len(points) > 1:
        height = (outermost * DIRECTION).sum(axis=2)
        i, j = np.triu_indices(len(points), 1)
        higher = (height[i] >= height[j])[:, :, None]
        union = support_volume(np.where(higher, outermost[i], outermost[j]))
        excess = union - solid[i] - solid[j]
        best = int(np.argmin(excess / np.maximum(union, small)))
        if excess[best] > max(concavity * union[best], small):
            if len(points) <= most:
                break
            alone = support_volume(outermost)
            best = int(np.argmin(union - alone[i] - alone[j]))
        a, b = int(i[best]), int(j[best])
        points[a] = np.concatenate([points[a], points.pop(b)])
        outermost[a] = np.where((height[a] >= height[b])[:, None], outermost[a], outermost[b])
        solid[a] += solid[b]
        outermost, solid = np.delete(outermost, b, axis=0), np.delete(solid, b)
    return points
