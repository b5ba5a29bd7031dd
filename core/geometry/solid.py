"""What a triangle mesh encloses: its surface closed and wound so that outside is outside."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .surface import boundary_loops, connected_parts

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

WELD_SHARE = 1e-6
"""Share of the size within which vertices are one and the same."""

HOLLOW = 0.02
"""A part that, its holes closed, fills less of its bounding box than this is a sheet."""

LEAST_VOLUME = 1e-9
"""Share of the size cubed below which a closed surface encloses nothing."""


def welded(points: Floats, triangles: ArrayLike) -> Ints:
    """Triangles (t, 3) over the same points, whose doubles are replaced by the first of them.

    Faces that lose a corner by that go. Points count as doubles when they round to the same place
    on a grid of `WELD_SHARE` of the size.
    """
    t = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    if len(t) == 0:
        return t.astype(np.int32)
    used = points[np.unique(t)]
    low = used.min(axis=0)
    size = float((used.max(axis=0) - low).max())
    if not size > 0.0:
        return np.empty((0, 3), dtype=np.int32)
    snapped = np.rint((points - low) / (WELD_SHARE * size)).astype(np.int64)
    _, first, inverse = np.unique(snapped, axis=0, return_index=True, return_inverse=True)
    t = first[inverse.reshape(-1)][t]
    distinct = (t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])
    return t[distinct].astype(np.int32)


def loose_parts(triangles: Ints) -> list[Ints]:
    """Triangles (t, 3) by connected parts, in the order of their smallest vertex."""
    if len(triangles) == 0:
        return []
    vertex, corner = np.unique(triangles, return_inverse=True)
    t = corner.reshape(-1, 3)
    label = connected_parts(len(vertex), np.concatenate([t[:, :2], t[:, 1:]]).astype(np.int32))
    part = label[t[:, 0]]
    order = np.argsort(part, kind="stable")
    ends = np.cumsum(np.bincount(part))[:-1]
    return [triangles[rows] for rows in np.split(order, ends)]


@dataclass(frozen=True, eq=False)
class SolidPart:
    """One connected part of a mesh: triangles (t, 3), closed and facing outward if it is solid.

    ``volume`` in m³ is 0 for a sheet, which is given as it was; a cavity's is below 0 and its
    triangles face into the hollow.
    """

    triangles: Ints
    volume: float


def solid_parts(
    points: ArrayLike, triangles: ArrayLike, largest_hole: float = 1.0
) -> list[SolidPart]:
    """The connected parts of triangles (t, 3) over points (n, 3) m, each made a solid.

    Doubled vertices are welded, faces wound against their neighbours are turned round and holes
    closed by fans. A part inside out is turned round too, unless it lies within the bounding box
    of another part and is its cavity. What encloses nothing is a sheet: flat faces, holes that
    are more than ``largest_hole`` of the surface, edges that more than two faces share in
    disagreement.
    """
    x = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    found = []
    for rows in loose_parts(welded(x, triangles)):
        closed = _closed_part(x, rows, largest_hole)
        found.append(
            SolidPart(rows, 0.0) if closed is None else SolidPart(closed, _volume(x, closed))
        )
    if not found:
        return []
    # The sign of the largest part says whether the mesh as a whole is inside out.
    outward = np.sign(max((part.volume for part in found), key=abs))
    boxes = [(x[p.triangles].min((0, 1)), x[p.triangles].max((0, 1))) for p in found]
    parts = []
    for part, (low, high) in zip(found, boxes):
        is_cavity = part.volume * outward < 0.0 and any(
            abs(other.volume) > abs(part.volume)
            and other.volume * outward > 0.0
            and (around <= low).all()
            and (high <= until).all()
            for other, (around, until) in zip(found, boxes)
        )
        turned = part.volume > 0.0 if is_cavity else part.volume < 0.0
        parts.append(SolidPart(part.triangles[:, ::-1], -part.volume) if turned else part)
    return parts


def closed_surface(points: ArrayLike, triangles: ArrayLike) -> Ints | None:
    """The surface (t, 3) of all solid parts together, sheets left out; None when there is none."""
    solids = [part.triangles for part in solid_parts(points, triangles) if part.volume]
    return np.concatenate(solids) if solids else None


def _volume(x: Floats, triangles: Ints) -> float:
    """The signed volume m³ within closed triangles, positive when they face outward."""
    a, b, c = (x[triangles[:, k]] - x[triangles[0, 0]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def _area(x: Floats, triangles: Ints) -> float:
    """The area m² of triangles."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def _closed_part(x: Floats, triangles: Ints, largest_hole: float) -> Ints | None:
    """One connected part, wound consistently and without holes; None when it encloses nothing."""
    t = triangles
    if not _is_cycle(triangles):
        alike = _wound_alike(triangles)
        loops = None if alike is None else boundary_loops(alike)
        if alike is None or loops is None:
            return None
        fans = [
            np.array([(ring[0], b, c) for b, c in pairwise(ring[1:])], dtype=np.int32).reshape(
                -1, 3
            )
            for ring in loops
        ]
        largest = max((_area(x, fan) for fan in fans), default=0.0)
        t = np.concatenate([alike, *fans])
        if largest > largest_hole * _area(x, alike):
            return None
        extent = np.ptp(x[triangles.ravel()], axis=0)
        if abs(_volume(x, t)) < HOLLOW * extent.prod():
            return None
    size = float(np.ptp(x[triangles.ravel()], axis=0).max())
    return t if abs(_volume(x, t)) > LEAST_VOLUME * size**3 else None


def _directed_edges(triangles: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The undirected edge (3t,) of each corner's edge as a number, and its direction ±1 (3t,)."""
    t = triangles.astype(np.int64)
    start, end = t.reshape(-1), np.roll(t, -1, axis=1).reshape(-1)
    low, high = np.minimum(start, end), np.maximum(start, end)
    edge = np.unique(low * (t.max() + 1) + high, return_inverse=True)[1].reshape(-1)
    return edge, np.where(start < end, 1, -1)


def _is_cycle(triangles: Ints) -> bool:
    """Whether every edge is passed as often one way as the other: then volumes are defined."""
    edge, direction = _directed_edges(triangles)
    return not np.bincount(edge, weights=direction).any()


def _wound_alike(triangles: Ints) -> Ints | None:
    """One connected part with faces turned round to agree with their neighbours.

    None where more than two faces share an edge, or where no winding agrees (a Möbius strip).
    """
    edge, direction = _directed_edges(triangles)
    if np.bincount(edge).max() > 2:
        return None
    order = np.argsort(edge, kind="stable")
    pair = np.flatnonzero(edge[order[1:]] == edge[order[:-1]])
    one, other = order[pair], order[pair + 1]
    agree = direction[one] != direction[other]
    if agree.all():
        return triangles
    around: list[list[tuple[int, bool]]] = [[] for _ in triangles]
    for f, g, same in zip((one // 3).tolist(), (other // 3).tolist(), agree.tolist()):
        around[f].append((g, same))
        around[g].append((f, same))
    turned: list[bool | None] = [None] * len(triangles)
    for seed in range(len(triangles)):  # a part joined at single vertices has several
        if turned[seed] is not None:
            continue
        turned[seed] = False
        queue = [seed]
        for f in queue:  # grows as it runs
            for g, same in around[f]:
                wanted = turned[f] if same else not turned[f]
                if turned[g] is None:
                    turned[g] = wanted
                    queue.append(g)
                elif turned[g] != wanted:
                    return None
    flip = np.array(turned, dtype=bool)
    return np.where(flip[:, None], triangles[:, ::-1], triangles)
