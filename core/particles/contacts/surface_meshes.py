"""Mesh colliders as surfaces: their vertices in the world, after those of the particles."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import Floats, Ints
from ...collision.kinds import MESH
from ...collision.shapes import Shapes
from ...collision.surface_tree import owned_features
from ...geometry.closed_parts import facing
from ...kernels.jit import kernel
from ...model import Model
from ...model.body_table import ShapeTable
from ...model.once import once_for_each
from ...vec3 import add, load, rotate, scale, store
from ...vector import rotated, rotation_matrix

TURN_ALLOWANCE = (0.65, 1.3)
"""A straight flight leaves a circle by half the square of the angle and radius, and by the angle
and what the radius changes meanwhile; a third more than that is allowed for."""


Ends = namedtuple("Ends", ["start", "end"])
"""Vertices (v, 3) m of meshes at both ends of a frame, in the frames of their shapes."""


@once_for_each
def _facing_of(table: ShapeTable) -> Ints:
    """As `facing` says, of the triangles (t,) of each mesh by itself."""
    meshes = table.meshes
    parts = zip(meshes.first_triangle[:-1], meshes.first_triangle[1:])
    out = [facing(meshes.vertex, meshes.triangle[first:last]) for first, last in parts]
    return np.concatenate([np.zeros(0, dtype=np.int32), *out])


@once_for_each
def _owned_of(table: ShapeTable) -> Ints:
    return owned_features(table.meshes.triangle)


class MeshSurfaces:
    """The mesh colliders of a model, as surfaces that are led from outside."""

    def __init__(self, model: Model) -> None:
        table = model.shapes
        kinds = table.kind[: model.collider_shape_count]
        self.shape: Ints = np.flatnonzero(kinds == MESH).astype(np.int32)  # rows of the shapes
        meshes = table.meshes
        self.triangle: Ints = np.ascontiguousarray(meshes.triangle, dtype=np.int32)
        self.count = len(meshes.vertex)
        self.shape_of = np.zeros(self.count, dtype=np.int32)
        mesh_first = np.append(meshes.first_vertex[:-1], self.count)
        self.solid = _facing_of(table)
        self.owned = _owned_of(table)
        for s in self.shape.tolist():
            mesh = table.mesh[s]
            self.shape_of[mesh_first[mesh] : mesh_first[mesh + 1]] = s
        self.friction: Floats = table.friction[self.shape_of]
        self.owner: Ints = table.owner[self.shape_of] - len(model.bodies)
        self.rest = self._rest(model)
        self.start = self.end = meshes.vertex  # (v, 3) m in the frames of the shapes, of a frame
        self.changes = False

    def _rest(self, model: Model) -> Floats:
        """Places (v, 3) m in the world at the start."""
        out = np.zeros((self.count, 3))
        table = model.shapes
        for s in self.shape.tolist():
            rows = self.shape_of == s
            collider = table.owner[s] - len(model.bodies)
            local = rotated(table.meshes.vertex[rows], rotation_matrix(table.turn[s]))
            turn = rotation_matrix(model.colliders.orientation[collider])
            out[rows] = rotated(local + table.offset[s], turn) + model.colliders.position[collider]
        return out

    def begin(self, start: Floats, end: Floats) -> None:
        """Vertices (v, 3) m at both ends of a frame, in the frames of their shapes."""
        self.start, self.end = start, end
        self.changes = start is not end and not np.array_equal(start, end)

    def moves(self, shapes: Shapes) -> bool:
        """Whether any of them moves in this substep."""
        s = self.shape
        return self.changes or not (
            np.array_equal(shapes.centre[s], shapes.centre_before[s])
            and np.array_equal(shapes.rotation[s], shapes.rotation_before[s])
        )

    def place(self, out: Floats, led: int, shapes: Shapes, share: float, is_before: bool) -> None:
        """Write places in the world to out (n, 3) m from row ``led`` on.

        As they are when ``share`` of the frame has passed, which is at the start of a substep or
        at its end.
        """
        centre = shapes.centre_before if is_before else shapes.centre
        rotation = shapes.rotation_before if is_before else shapes.rotation
        ends = Ends(self.start, self.end)
        _place(out, led, self.shape_of, ends, share, centre, rotation)

    def allow_turning(
        self, slack: Floats, led: int, shapes: Shapes, horizon: float, step: float
    ) -> None:
        """Write how far vertices leave a straight flight of horizon substeps to slack (n,) m.

        step: a substep's share of the frame.
        """
        _allow_turning(
            slack,
            led,
            self.shape_of,
            Ends(self.start, self.end),
            shapes.rotation_before,
            shapes.rotation,
            horizon,
            step,
        )


@kernel
def _place(out, led, shape_of, ends, share, centre, rotation):
    start, end = ends
    for v in range(shape_of.shape[0]):
        s = shape_of[v]
        local = add(scale(1.0 - share, load(start, v)), scale(share, load(end, v)))
        store(out, led + v, add(rotate(rotation[s], local), load(centre, s)))


@kernel
def _allow_turning(slack, led, shape_of, ends, before, now, horizon, step):
    start, end = ends
    for v in range(shape_of.shape[0]):
        s = shape_of[v]
        angle, size, change = 0.0, 0.0, 0.0
        for k in range(3):
            size += max(abs(start[v, k]), abs(end[v, k]))
            change += step * abs(end[v, k] - start[v, k])
            for m in range(3):
                angle = max(angle, abs(now[s, k, m] - before[s, k, m]))
        angle *= 1.8
        away = TURN_ALLOWANCE[0] * angle * angle * size + TURN_ALLOWANCE[1] * angle * change
        slack[led + v] = horizon * horizon * away
