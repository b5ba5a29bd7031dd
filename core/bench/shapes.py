"""Meshes for scenes and tests: a ball, a cube, a stem, a tree of tubes with loose leaves."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..recipes.geometry import Geometry

_CORNERS = np.array([(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], float)
_FACES = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (1, 0, 5), (2, 1, 5), (3, 2, 5), (0, 3, 5)]


def ball(fineness: int, radius: float, centre: tuple[float, float, float] = (0, 0, 0)) -> Geometry:
    """An octahedron whose triangles are cut in four ``fineness`` + 1 times, blown up to a ball."""
    points = [tuple(corner) for corner in _CORNERS]
    faces = _FACES
    for _ in range(fineness + 1):
        middle: dict[tuple[int, int], int] = {}

        def half(a: int, b: int, middle: dict[tuple[int, int], int] = middle) -> int:
            ends = (min(a, b), max(a, b))
            if ends not in middle:
                middle[ends] = len(points)
                points.append(tuple(0.5 * (np.array(points[a]) + points[b])))
            return middle[ends]

        finer = []
        for a, b, c in faces:
            ab, bc, ca = half(a, b), half(b, c), half(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    x = np.array(points)
    x *= radius / np.linalg.norm(x, axis=1, keepdims=True)
    offsets = np.arange(len(faces) + 1) * 3
    return Geometry.of("ball", x + centre, (), offsets, np.array(faces).reshape(-1))


def cube(side: float, centre: tuple[float, float, float] = (0, 0, 0)) -> Geometry:
    """A cube of eight vertices and six quads."""
    corner = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    place = 0.5 * side * corner + centre
    return Geometry.of("cube", place, (), np.arange(7) * 4, np.array(faces).reshape(-1))


def line(name: str, first: tuple[float, ...], last: tuple[float, ...], n: int) -> Geometry:
    """A chain of n edges."""
    points = np.linspace(first, last, n + 1)
    return Geometry.of(name, points, [(k, k + 1) for k in range(n)])


def globe(meridians: int, parallels: int, radius: float) -> Geometry:
    """A ball of quads between meridians and parallels, and of triangles around its poles."""
    south = 1 + (parallels - 1) * meridians
    slope = np.pi * np.arange(1, parallels) / parallels
    turn = 2.0 * np.pi * np.arange(meridians) / meridians
    around = np.stack([np.cos(turn), np.sin(turn), np.zeros(meridians)], axis=1)
    rings = np.sin(slope)[:, None, None] * around + np.cos(slope)[:, None, None] * (0.0, 0.0, 1.0)
    x = radius * np.concatenate([[(0.0, 0.0, 1.0)], rings.reshape(-1, 3), [(0.0, 0.0, -1.0)]])
    faces = []
    for m in range(meridians):
        n = (m + 1) % meridians
        faces += [[0, 1 + m, 1 + n], [south, south - meridians + n, south - meridians + m]]
        for first in range(1, south - meridians, meridians):
            faces.append([first + m, first + meridians + m, first + meridians + n, first + n])
    offsets = np.cumsum([0, *(len(face) for face in faces)])
    return Geometry.of("globe", x, (), offsets, np.concatenate(faces))


def stem(segments: int, height: float, lean: float = 0.0) -> Geometry:
    """A chain of edges that grows up from the origin and leans toward x."""
    t = np.linspace(0.0, 1.0, segments + 1)
    x = height * np.stack([lean * t**2, 0 * t, t], axis=1)
    return Geometry.of("stem", x, np.stack([np.arange(segments), np.arange(1, segments + 1)], 1))


def _tube(
    begin: Floats, end: Floats, radii: tuple[float, float], rings: int, sides: int
) -> tuple[Floats, list[list[int]]]:
    along = (end - begin) / np.linalg.norm(end - begin)
    across = np.cross(along, (0.3, 0.9, 0.1))
    across /= np.linalg.norm(across)
    t = np.linspace(0.0, 1.0, rings + 1)[:, None, None]
    turn = (np.arange(sides) * 2.0 * np.pi / sides)[None, :, None]
    circle = np.cos(turn) * across + np.sin(turn) * np.cross(along, across)
    x = begin + t * (end - begin) + (radii[0] + t * (radii[1] - radii[0])) * circle
    faces = [
        [i * sides + j, i * sides + k, (i + 1) * sides + k, (i + 1) * sides + j]
        for i in range(rings)
        for j, k in zip(range(sides), [*range(1, sides), 0], strict=True)
    ]
    return x.reshape(-1, 3), faces


def tube_tree(height: float, rings: int, branches: int = 6, leaves: int = 6) -> Geometry:
    """A trunk and branches of tubes and leaves of single faces, none of them joined."""
    random = np.random.default_rng(3)
    points: list[Floats] = []
    faces: list[list[int]] = []

    def add(x: Floats, own: list[list[int]]) -> None:
        first = sum(len(p) for p in points)
        points.append(x)
        faces.extend([first + corner for corner in face] for face in own)

    foot, crown = np.zeros(3), np.array([0.0, 0.0, height])
    add(*_tube(foot, crown, (0.03 * height, 0.01 * height), rings, 8))
    for b in range(branches):
        begin = crown * (0.4 + 0.55 * b / branches)
        way = np.array([np.cos(2.4 * b), np.sin(2.4 * b), 0.6]) / np.hypot(1.0, 0.6)
        end = begin + 0.45 * height * (1.0 - 0.5 * b / branches) * way
        add(*_tube(begin, end, (0.012 * height, 0.004 * height), max(4, rings // 2), 4))
        for place in np.linspace(0.3, 1.0, leaves):
            u, v = random.normal(size=(2, 3))
            u *= 0.05 * height / np.linalg.norm(u)
            v = np.cross(u, v)
            v *= 0.025 * height / np.linalg.norm(v)
            at = begin + place * (end - begin) + 0.01 * height * random.normal(size=3)
            add(np.array([at, at + u - v, at + 2.0 * u, at + u + v]), [[0, 1, 2, 3]])
    sizes = [len(face) for face in faces]
    return Geometry.of(
        "tree", np.concatenate(points), (), np.cumsum([0, *sizes]), np.concatenate(faces)
    )
