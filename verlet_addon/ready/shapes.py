"""Shapes that ready things are made of, as numbers: vertices, edges and faces."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import bmesh
import numpy as np

from ...core.arrays import Floats

SIDES_OF_ROUND = 20  # of what is round


@dataclass(frozen=True)
class MeshData:
    """A mesh in its own space."""

    vertices: Floats  # (n, 3) m
    faces: list[tuple[int, ...]] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)  # those of no face

    def moved(self, by: tuple[float, float, float]) -> MeshData:
        """The same somewhere else."""
        return MeshData(self.vertices + by, self.faces, self.edges)


def surface(points: Floats) -> MeshData:
    """Quads over rows and columns of points (r, c, 3) m."""
    rows, columns = points.shape[:2]
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    corners = np.stack([first, first + 1, first + columns + 1, first + columns], axis=1)
    faces: list[tuple[int, ...]] = [tuple(map(int, row)) for row in corners]
    return MeshData(points.reshape(-1, 3), faces)


def box(x: float, y: float, z: float) -> MeshData:
    """A box with its middle at the origin and these sides in m."""
    corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    faces: list[tuple[int, ...]]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return MeshData(corners * (0.5 * np.array([x, y, z])), faces)


def turned(radii: Floats, heights: Floats, sides: int = SIDES_OF_ROUND) -> MeshData:
    """A closed body of revolution about Z: rings of ``radii`` (n,) at ``heights`` (n,), in m.

    A radius of 0 at an end makes a tip, any other one a flat end.
    """
    angle = np.arange(sides) * (math.tau / sides)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    vertices: list[Floats] = []
    rings: list[list[int]] = []
    for radius, height in zip(radii, heights):
        start = sum(map(len, vertices))
        places = ring * radius if radius > 0.0 else np.zeros((1, 2))
        vertices.append(np.column_stack([places, np.full(len(places), height)]))
        rings.append(list(range(start, start + len(places))))
    faces: list[tuple[int, ...]] = []
    for low, high in itertools.pairwise(rings):
        for side in range(sides):
            after = (side + 1) % sides
            a, b = low[side % len(low)], low[after % len(low)]
            c, d = high[after % len(high)], high[side % len(high)]
            faces.append(tuple(dict.fromkeys((a, b, c, d))))
    if len(rings[0]) > 1:
        faces.append(tuple(reversed(rings[0])))
    if len(rings[-1]) > 1:
        faces.append(tuple(rings[-1]))
    return MeshData(np.concatenate(vertices), faces)


def cylinder(radius: float, height: float, sides: int = SIDES_OF_ROUND) -> MeshData:
    """An upright cylinder that stands on the origin."""
    return turned(np.array([radius, radius]), np.array([0.0, height]), sides)


def ball(radius: float, rings: int = 16) -> MeshData:
    """A ball around the origin."""
    angle = np.linspace(-0.5 * math.pi, 0.5 * math.pi, rings + 1)
    radii = radius * np.cos(angle)
    radii[[0, -1]] = 0.0
    return turned(radii, radius * np.sin(angle), 2 * rings)


def limb(length: float, first: float, last: float, sides: int = 12) -> MeshData:
    """A rounded limb along Y from the origin, with these radii in m at its two ends."""
    low, high = (np.linspace(*ends, 4) for ends in ((-90.0, 0.0), (0.0, 90.0)))
    bend = np.radians(np.concatenate([low, high]))
    radius = np.repeat([first, last], 4)
    radii = radius * np.cos(bend)
    radii[[0, -1]] = 0.0
    shape = turned(radii, np.repeat([0.0, length], 4) + radius * np.sin(bend), sides)
    return MeshData(shape.vertices[:, [1, 2, 0]], shape.faces)  # Z to Y, still right-handed


def rounded_box(x: float, y: float, z: float, cuts: int, roundness: float = 6.0) -> MeshData:
    """A closed box of even faces with round edges: |x|ⁿ + |y|ⁿ + |z|ⁿ = 1, n = roundness."""
    mesh = bmesh.new()
    bmesh.ops.create_cube(mesh, size=2.0)
    bmesh.ops.subdivide_edges(mesh, edges=list(mesh.edges), cuts=cuts, use_grid_fill=True)
    mesh.verts.index_update()
    places = np.array([vertex.co for vertex in mesh.verts], dtype=np.float64)
    faces = [tuple(vertex.index for vertex in face.verts) for face in mesh.faces]
    mesh.free()
    places /= (np.abs(places) ** roundness).sum(axis=1, keepdims=True) ** (1.0 / roundness)
    return MeshData(places * (0.5 * np.array([x, y, z])), faces)
