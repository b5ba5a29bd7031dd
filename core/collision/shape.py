"""`Shape`: one collision shape as the builder takes it, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..checks import floats, index_rows, numbers, places, unit_quaternion, vector
from ..errors import ModelError
from .kinds import SHAPE_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ..arrays import Floats, Ints


NEEDED = {"BOX": 3, "ROOM": 3, "SPHERE": 1, "CAPSULE": 1, "CYLINDER": 2}
"""How many numbers of the size must be above zero."""


class ConvexHull(Protocol):
    """What `geometry.hull.Hull` offers: polygons counter-clockwise from outside."""

    @property
    def vertex(self) -> Floats:
        """(v, 3) m."""

    @property
    def face_start(self) -> Ints:
        """(f + 1,)."""

    @property
    def face_corner(self) -> Ints:
        """(c,) rows of vertex."""

    @property
    def face_normal(self) -> Floats:
        """(f, 3), outward."""

    @property
    def face_offset(self) -> Floats:
        """(f,) m, n·x on the face."""

    @property
    def edge(self) -> Ints:
        """(e, 4) vertex, vertex, face, face."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of a mesh shape: vertex (v, 3) m in the shape's frame, triangle (t, 3)."""

    vertex: Floats
    triangle: Ints
    two_sided: bool = True


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape in its place in the owner's frame: see `collision.shapes` for kinds and sizes."""

    kind: str
    size: Floats  # (3,) m
    offset: Floats  # (3,) m
    turn: Floats  # (4,)
    hull: ConvexHull | None = None
    surface: Surface | None = None

    @classmethod
    def of(
        cls,
        name: str,
        kind: str,
        size: Sequence[float] = (),
        offset: ArrayLike = (0.0, 0.0, 0.0),
        turn: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        hull: ConvexHull | None = None,
        surface: Surface | None = None,
    ) -> Shape:
        """A checked shape of the object called ``name``; hull and mesh bring their own size.

        Raises `ModelError` for an unknown kind, numbers that are not finite and sizes of zero.
        """
        if kind not in SHAPE_KINDS:
            raise ModelError(name, f"shape {kind!r} is none of {', '.join(SHAPE_KINDS)}")
        middle = vector(name, "place", offset)
        q = unit_quaternion(name, turn)
        if kind == "HULL" and hull is None:
            raise ModelError(name, "shape HULL comes without a hull")
        if kind == "MESH" and surface is None:
            raise ModelError(name, "shape MESH comes without triangles")
        half = np.zeros(3)
        if hull is not None or surface is not None:
            points = hull.vertex if hull is not None else surface.vertex  # type: ignore[union-attr]
            vertex = places(name, "place", points)
            half = np.abs(vertex).max(axis=0, initial=0.0)
            if surface is not None:
                index_rows(name, "triangles", surface.triangle, 3, len(vertex))
        else:
            given = floats(name, "size", size)
            if given.ndim != 1 or len(given) > 3:
                raise ModelError(name, f"size of a shape has shape {given.shape}: 3 at most")
            half[: len(given)] = numbers(name, "size", given, given.shape)
        if kind == "SPHERE":
            half[1:] = 0.0
        elif kind in ("CAPSULE", "CYLINDER"):
            half[2] = 0.0
        needed = half[: NEEDED.get(kind, 0)]
        if (needed <= 0.0).any() or (half < 0.0).any():
            raise ModelError(name, f"has no size along some axis ({half.tolist()} m); scale it up")
        return cls(kind, half, middle, q, hull, surface)
