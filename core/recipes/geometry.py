"""What every recipe starts from: vertices, edges and faces at rest in world space, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..errors import ModelError
from .points import checked_points
from .topology import (
    face_diagonals,
    is_drawn_otherwise,
    support_pairs,
    triangles_of,
    unique_pairs,
    without,
)

Paint = Mapping[str, ArrayLike]
"""Painted parameters: by the name of a tunable its factor (n,) at each vertex, 0 … 1."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """A mesh, a net of wires or a cloud of points. Made by `Geometry.of`."""

    name: str
    positions: Floats  # (n, 3) m
    edges: Ints  # (m, 2), each once, the borders of faces among them
    face_offsets: Ints  # (faces + 1,) into face_vertices
    face_vertices: Ints
    weld: Ints | None = None  # (n,) of a split mesh that may tear: the first copy of each vertex

    @classmethod
    def of(
        cls,
        name: str,
        positions: ArrayLike,
        edges: ArrayLike = (),
        face_offsets: ArrayLike = (0,),
        face_vertices: ArrayLike = (),
        weld: ArrayLike | None = None,
    ) -> Geometry:
        """Check and complete what an object is made of.

        positions (n, 3) m; edges (m, 2); polygons as offsets (faces + 1,) into face_vertices.
        weld (n,): of a mesh that is split so that it may tear, which vertices are copies of one,
        by the first of them. Loose vertices and wires are allowed. Raises `ModelError` for no
        vertices, numbers that are not finite, edges or faces that name a vertex that does not
        exist, and copies that do not fit.
        """
        x = checked_points(name, positions)
        offsets = np.ascontiguousarray(face_offsets, dtype=np.int32)
        corners = np.ascontiguousarray(face_vertices, dtype=np.int32)
        given = np.asarray(edges, dtype=np.int32).reshape(-1, 2)
        border = np.concatenate([given, _face_borders(offsets, corners)])
        if border.size and (border.min() < 0 or border.max() >= len(x)):
            raise ModelError(name, "an edge or face names a vertex that does not exist")
        copies = None if weld is None else np.ascontiguousarray(weld, dtype=np.int32)
        if copies is not None:
            number = np.arange(len(x))
            fits = copies.shape == number.shape and (copies >= 0).all() and (copies <= number).all()
            if not fits or (copies[copies] != copies).any():
                raise ModelError(name, "its copies of vertices do not fit it; split it anew")
        return cls(name, x, unique_pairs(border), offsets, corners, copies)

    def welded(self, weld: Ints) -> Geometry:
        """The same vertices, with edges and faces at the copy that stands for each (n,)."""
        return Geometry.of(
            self.name, self.positions, weld[self.edges], self.face_offsets, weld[self.face_vertices]
        )

    @property
    def count(self) -> int:
        """Number of vertices."""
        return len(self.positions)

    @cached_property
    def triangles(self) -> Ints:
        """Faces as fans of triangles (f, 3), those with four corners as they are drawn."""
        row, is_otherwise = self._four_cornered
        corner = self.face_vertices.copy()
        corner[row[is_otherwise]] = np.roll(corner[row[is_otherwise]], -1, axis=1)
        return triangles_of(self.face_offsets, corner)

    @cached_property
    def quads(self) -> Ints:
        """Corners (q, 4) of faces with four, whose ``triangles`` are 0 1 2 and 0 2 3.

        Without those that are concave, or folded by more than a right angle, over 0 2.
        """
        row, is_otherwise = self._four_cornered
        return self.face_vertices[row[~is_otherwise]]

    @cached_property
    def _four_cornered(self) -> tuple[Ints, NDArray[np.bool_]]:
        """Rows of ``face_vertices`` (q, 4) of such faces; which are not drawn as fans."""
        four = np.flatnonzero(np.diff(self.face_offsets) == 4)
        row = self.face_offsets[four, None] + np.arange(4)
        return row, is_drawn_otherwise(self.positions, self.face_vertices[row])

    @cached_property
    def edge_lengths(self) -> Floats:
        """(m,) m."""
        ends = self.positions[self.edges]
        return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)

    @property
    def mean_edge_length(self) -> float:
        """m, 0 without edges."""
        return float(self.edge_lengths.mean()) if len(self.edges) else 0.0

    @cached_property
    def diagonals(self) -> Ints:
        """Pairs (d, 2) across faces of four and more corners."""
        return without(face_diagonals(self.face_offsets, self.face_vertices), self.edges)

    @cached_property
    def supports(self) -> Ints:
        """Pairs (c, 2) two edges apart, straight on: Jakobsen's support sticks (§4)."""
        taken = np.concatenate([self.edges, self.diagonals])
        return without(support_pairs(self.positions, self.edges), taken)

    def painted(self, paint: Paint, name: str) -> Floats:
        """Factor (n,) that is painted on a parameter, 1 where nothing is.

        Raises `ModelError` for a wrong number of weights and for such below 0.
        """
        if name not in paint:
            return np.ones(self.count)
        weight = np.asarray(paint[name], dtype=np.float64)
        if weight.shape != (self.count,) or not (weight >= 0.0).all():
            raise ModelError(self.name, f"the weights painted on {name} do not fit the vertices")
        return weight


def _face_borders(offsets: Ints, corners: Ints) -> Ints:
    """Pairs of vertices that follow each other around a face."""
    if len(corners) == 0:
        return np.zeros((0, 2), dtype=np.int32)
    following = np.arange(1, len(corners) + 1)
    sizes = np.diff(offsets)
    filled = sizes > 0
    following[offsets[1:][filled] - 1] = offsets[:-1][filled]
    return np.stack([corners, corners[following]], axis=1)
