"""Meshes that change their form: their vertices on a straight way through each frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..model.body_table import ShapeTable
    from .shapes import Shapes


class MeshMotion:
    """Poses the vertices of all mesh shapes within one frame.

    Contacts of bodies see where triangles get to until contacts are looked for again, so that a
    surface that rises is met before it has passed. They take their speed from the owner alone: a
    surface that changes its form pushes bodies out of its way and gives them no speed of its own.
    """

    def __init__(self, table: ShapeTable, shapes: Shapes, start: Floats, end: Floats) -> None:
        """start, end (v, 3) m: vertices at both ends of the frame, in the frames of the shapes."""
        self.shapes = shapes
        self.start, self.end = start, end
        self.moving_owner: Ints  # (m,) of meshes that change, where any does
        self.is_moving = False
        if not table.has_meshes:
            return
        first = table.meshes.first_vertex[:-1]
        half = np.maximum(np.abs(start), np.abs(end))
        rows = np.flatnonzero(table.mesh >= 0)
        shapes.size[rows] = np.maximum.reduceat(half, first, axis=0)[table.mesh[rows]]
        changes = np.logical_or.reduceat((start != end).any(axis=1), first)
        self.moving_owner = table.owner[rows[changes[table.mesh[rows]]]]
        self.is_moving = bool(changes.any())
        shapes.mesh_vertex[:] = start

    def pose(self, share: float) -> None:
        """Lay the vertices where they are when ``share`` of the frame has passed."""
        if self.is_moving:
            np.multiply(self.start, 1.0 - share, out=self.shapes.mesh_vertex)
            self.shapes.mesh_vertex[:] += share * self.end
