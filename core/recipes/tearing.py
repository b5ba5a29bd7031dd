"""What may tear: bonds between the copies of each vertex, from a mesh that is split."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..building.tearing import Seams
from ..geometry.surface import connected_parts
from ..pairs import is_among
from .geometry import Geometry

Add = Callable[[ModelBuilder, Geometry], int]


def add_tearable(builder: ModelBuilder, geometry: Geometry, strength: Floats, add: Add) -> int:
    """Add a split mesh by ``add(builder, welded geometry)``; returns its index in the builder.

    strength (n,): N/m that a sheet bears at each vertex, N that a rope bears; 0 never tears.
    """
    seams = _seams(geometry, strength)
    return builder.add_tearable(seams, lambda making, weld: add(making, geometry.welded(weld)))


def _seams(geometry: Geometry, strength: Floats) -> Seams:
    """Where a split mesh may part."""
    weld = geometry.weld
    assert weld is not None
    offsets, corners = geometry.face_offsets, geometry.face_vertices
    borders = face_pairs(offsets, corners, 1)
    faces = [face_pairs(offsets, corners, n) for n in range(1, _most_corners(offsets) // 2 + 1)]
    of_faces = np.sort(weld[borders], axis=1)
    wires = geometry.edges[~is_among(np.sort(weld[geometry.edges], axis=1), of_faces)]
    bond, half = _along_edges(geometry, borders)
    joints, across = _at_points(geometry, bond)
    return Seams(
        weld=weld,
        bond=np.concatenate([bond, joints]).astype(np.int32),
        half=np.concatenate([half, across]),
        pair=np.concatenate([*faces, wires]).astype(np.int32).reshape(-1, 2),
        strength=np.broadcast_to(np.asarray(strength, dtype=np.float64), (geometry.count,)).copy(),
    )


def _most_corners(offsets: Ints) -> int:
    return int(np.diff(offsets).max()) if len(offsets) > 1 else 0


def face_pairs(offsets: Ints, corners: Ints, step: int) -> Ints:
    """Pairs of corners that lie ``step`` apart around each face, each once."""
    sizes = np.diff(offsets)
    found = [np.zeros((0, 2), dtype=np.int32)]
    for size in np.unique(sizes[sizes > 2]):
        if step > size // 2:
            continue
        ring = corners[offsets[:-1][sizes == size][:, None] + np.arange(size)]
        pairs = np.stack([ring, np.roll(ring, -step, axis=1)], 2)
        if 2 * step == size:
            pairs = pairs[:, :step]
        found.append(pairs.reshape(-1, 2))
    return np.concatenate(found)


def _along_edges(geometry: Geometry, borders: Ints) -> tuple[Ints, Floats]:
    """Bonds (b, 4) of copies whose faces share an edge, and the halves (b, 3) m of the edges."""
    weld = geometry.weld
    assert weld is not None
    turned = weld[borders[:, 0]] > weld[borders[:, 1]]
    sides = np.where(turned[:, None], borders[:, ::-1], borders)
    ends = weld[sides]
    order = np.lexsort((np.arange(len(ends)), ends[:, 1], ends[:, 0]))
    sides, ends = sides[order], ends[order]
    shared = (ends[:-1] == ends[1:]).all(axis=1)
    one, other = sides[:-1][shared], sides[1:][shared]
    first = np.column_stack([one[:, 0], other[:, 0], one[:, 1], other[:, 1]])
    bond = np.concatenate([first, first[:, [2, 3, 0, 1]]])
    bond = bond[bond[:, 0] != bond[:, 1]]
    x = geometry.positions
    return bond, 0.5 * (x[bond[:, 2]] - x[bond[:, 0]])


def _at_points(geometry: Geometry, bond: Ints) -> tuple[Ints, Floats]:
    """Bonds of copies that no edge joins: stretches of rope, and sheets that share a vertex.

    Their width is 1 for ropes, and a mean edge for sheets.
    """
    weld = geometry.weld
    assert weld is not None
    part = connected_parts(geometry.count, bond[:, :2])
    _, first = np.unique(part, return_index=True)
    joints: list[tuple[int, int, int, int]] = []
    order = first[np.argsort(weld[first], kind="stable")]
    starts = np.flatnonzero(np.diff(weld[order], prepend=-1))
    for group in np.split(order, starts[1:]):
        joints.extend(
            (int(a), int(b), int(a), int(a)) for n, a in enumerate(group) for b in group[n + 1 :]
        )
    width = geometry.mean_edge_length if len(geometry.face_vertices) else 1.0
    rows = np.array(joints, dtype=np.int32).reshape(-1, 4)
    return rows, np.tile([width, 0.0, 0.0], (len(rows), 1))


def split_apart(geometry: Geometry) -> Geometry:
    """The same mesh with vertices of its own for each face and each wire, so that all may tear.

    The first copies keep the order of the vertices; a loose vertex is left out.
    """
    corners = geometry.face_vertices
    sides = np.sort(face_pairs(geometry.face_offsets, corners, 1), axis=1)
    wires = geometry.edges[~is_among(geometry.edges, sides)]
    vertex = np.concatenate([corners, wires.reshape(-1)])
    _, first, number = np.unique(vertex, return_index=True, return_inverse=True)
    edges = len(corners) + np.arange(wires.size).reshape(-1, 2)
    return Geometry.of(
        geometry.name,
        geometry.positions[vertex],
        edges,
        geometry.face_offsets,
        np.arange(len(corners)),
        first[number.reshape(-1)],
    )
