"""Bodies, colliders and their shapes as the builder collects them, and the tables they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import number
from ..collision.kinds import SHAPE_KINDS
from ..collision.shape import ConvexHull, Shape, Surface
from ..errors import ModelError
from ..model.body_table import (
    BodyTable,
    HullTable,
    MeshTable,
    ShapeTable,
    empty_hulls,
    empty_meshes,
)
from ..model.collider_table import ColliderTable
from ..model.surface_table import BODY_HOLD, BodySurfaceTable
from ..vector import rotation_matrix

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..records import Records

BODY, COLLIDER, PARTICLE_BODY = range(3)

ALL_LAYERS = 0x7FFF_FFFF
"""All layers that there can be."""


@dataclass(frozen=True)
class ShapeMaterial:
    """What the surface of shapes is like."""

    friction: float
    static_friction: float
    restitution: float
    layers: int

    @classmethod
    def of(
        cls, name: str, friction: float, static_friction: float, restitution: float, layers: int
    ) -> ShapeMaterial:
        """Checked ones of the object called ``name``."""
        if not isinstance(layers, int | np.integer) or not 0 <= layers <= ALL_LAYERS:
            raise ModelError(name, f"layers = {layers!r} must be whole bits, 0 to {ALL_LAYERS:#x}")
        return cls(
            number(name, "friction", friction, least=0.0),
            number(name, "static friction", static_friction, least=0.0),
            number(name, "restitution", restitution, least=0.0),
            int(layers),
        )


@dataclass(frozen=True, eq=False)
class Carried:
    """By what bodies carry the vertices of a skin at the start, h rows in the order of vertices."""

    vertex: Ints  # (h,)
    body: Ints  # (h,) number of it among those that carry the skin
    weight: Floats  # (h,) those of a vertex make 1 together
    place: Floats  # (h, 3) m, where it alone would carry the vertex, in the world


@dataclass(frozen=True, eq=False)
class DrawnAs:
    """What one or several bodies are drawn as, and how these carry it."""

    rows: list[int]
    surface: Surface  # in the frame of the first
    friction: float
    first_hold: Ints  # (v + 1,)
    hold: Records  # (h,) BODY_HOLD


class RigidParts:
    """Rows of the body and shape tables in the making."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.collider_names: list[str] = []
        self.collider_position: list[Floats] = []
        self.collider_orientation: list[Floats] = []
        self._shapes: list[tuple[int, int, Shape, ShapeMaterial]] = []  # owner's kind, row in it, …
        self._drawn: list[DrawnAs] = []

    def require_shapes(self, name: str, shapes: Sequence[Shape]) -> None:
        """Raise `ModelError` in the name of the object for anything but checked shapes."""
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(name, f"{shape!r} is no shape; make one with Shape.of")

    def add_shapes(
        self, kind: int, row: int, shapes: Sequence[Shape], material: ShapeMaterial
    ) -> None:
        """Give shapes to the ``row``-th BODY, COLLIDER or PARTICLE_BODY."""
        self._shapes += [(kind, row, shape, material) for shape in shapes]

    def add_drawn(self, row: int, surface: Surface, friction: float) -> None:
        """Give the ``row``-th body the surface, in its frame, that it is drawn as."""
        count = len(surface.vertex)
        hold = np.zeros(count, BODY_HOLD)
        hold["body"], hold["weight"], hold["place"] = row, 1.0, surface.vertex
        first = np.arange(count + 1, dtype=np.int32)
        self._drawn.append(DrawnAs([row], surface, friction, first, hold))

    def add_skin(self, rows: Sequence[int], surface: Surface, friction: float, by: Carried) -> None:
        """Give bodies a skin, a surface in the world at the start."""
        at = np.array([self.bodies[row]["position"] for row in rows])
        turn = np.array([rotation_matrix(self.bodies[row]["orientation"]) for row in rows])
        hold = np.zeros(len(by.vertex), BODY_HOLD)
        hold["body"], hold["weight"] = np.asarray(rows)[by.body], by.weight
        hold["place"] = np.einsum("hji,hj->hi", turn[by.body], by.place - at[by.body])
        x = np.ascontiguousarray((surface.vertex - at[0]) @ turn[0])
        first = np.searchsorted(by.vertex, np.arange(len(x) + 1)).astype(np.int32)
        seen = Surface(x, surface.triangle)
        self._drawn.append(DrawnAs(list(rows), seen, friction, first, hold))

    def body_surface_table(self) -> BodySurfaceTable:
        """Bodies as they are drawn, of those that are known to be."""
        drawn = self._drawn
        count = np.cumsum([0, *(len(one.rows) for one in drawn)])
        holds = np.cumsum([0, *(len(one.hold) for one in drawn)])
        first = [one.first_hold[:-1] + start for one, start in zip(drawn, holds)]
        return BodySurfaceTable(
            first_body=count.astype(np.int32),
            body=np.array([row for one in drawn for row in one.rows], dtype=np.int32),
            friction=np.array([one.friction for one in drawn], dtype=np.float64),
            meshes=_mesh_table([one.surface for one in drawn]),
            first_hold=np.concatenate([*first, holds[-1:]]).astype(np.int32),
            hold=np.concatenate([np.zeros(0, BODY_HOLD), *(one.hold for one in drawn)]),
        )

    def body_table(self, apart: list[tuple[int, int]]) -> BodyTable:
        """All bodies of place and rotation; those of each pair in ``apart`` never collide."""
        whole = ("object", "gyroscopic", "sleeps", "follows")
        columns: dict[str, Any] = {}
        for name in BodyTable.__dataclass_fields__:
            if name == "apart":
                continue
            values = [body[name] for body in self.bodies]
            if name in whole:
                columns[name] = np.array(values, dtype=np.int32)
                continue
            table = np.array(values, dtype=np.float64)
            if name in ("position", "velocity", "angular_velocity", "inertia"):
                table = table.reshape(-1, 3)
            elif name == "orientation":
                table = table.reshape(-1, 4)
            columns[name] = table
        pairs = np.array(apart, dtype=np.int32).reshape(-1, 2)
        return BodyTable(**columns, apart=pairs)

    def collider_table(self) -> ColliderTable:
        """All colliders."""
        return ColliderTable(
            tuple(self.collider_names),
            np.array(self.collider_position).reshape(-1, 3),
            np.array(self.collider_orientation).reshape(-1, 4),
        )

    def shape_table(self) -> ShapeTable:
        """All shapes: those of colliders first, then those of bodies, each as they were added."""
        rank = {COLLIDER: 0, BODY: 1, PARTICLE_BODY: 2}
        rows = sorted(self._shapes, key=lambda row: rank[row[0]])
        first = {
            BODY: 0,
            COLLIDER: len(self.bodies),
            PARTICLE_BODY: len(self.bodies) + len(self.collider_names),
        }
        shapes = [shape for _, _, shape, _ in rows]
        material = [one for _, _, _, one in rows]
        hulls = [shape.hull for shape in shapes if shape.hull is not None]
        meshes = [shape.surface for shape in shapes if shape.surface is not None]
        return ShapeTable(
            kind=np.array([SHAPE_KINDS[shape.kind] for shape in shapes], dtype=np.int32),
            size=np.array([shape.size for shape in shapes], dtype=np.float64).reshape(-1, 3),
            owner=np.array([first[kind] + row for kind, row, _, _ in rows], dtype=np.int32),
            offset=np.array([shape.offset for shape in shapes], dtype=np.float64).reshape(-1, 3),
            turn=np.array([shape.turn for shape in shapes], dtype=np.float64).reshape(-1, 4),
            friction=np.array([one.friction for one in material], dtype=np.float64),
            static_friction=np.array([one.static_friction for one in material], dtype=np.float64),
            restitution=np.array([one.restitution for one in material], dtype=np.float64),
            layers=np.array([one.layers for one in material], dtype=np.int32),
            hull=_numbered([shape.hull is not None for shape in shapes]),
            mesh=_numbered([shape.surface is not None for shape in shapes]),
            hulls=_hull_table(hulls),
            meshes=_mesh_table(meshes),
        )


def _numbered(has: list[bool]) -> Ints:
    """Running number of those that have, -1 for those that have not."""
    flags = np.array(has, dtype=bool)
    return np.where(flags, np.cumsum(flags) - 1, -1).astype(np.int32)


def _hull_table(hulls: list[ConvexHull]) -> HullTable:
    if not hulls:
        return empty_hulls()
    first_vertex = _starts([len(hull.vertex) for hull in hulls])
    first_face = _starts([len(hull.face_normal) for hull in hulls])
    corners = [np.diff(hull.face_start) for hull in hulls]
    edges = [
        np.concatenate([hull.edge[:, :2] + v, hull.edge[:, 2:] + f], axis=1)
        for hull, v, f in zip(hulls, first_vertex[:-1], first_face[:-1], strict=True)
    ]
    return HullTable(
        first_vertex=first_vertex,
        vertex=_rows([hull.vertex for hull in hulls]),
        first_face=first_face,
        face_first_corner=_starts(np.concatenate(corners).tolist()),
        face_corner=np.concatenate(
            [hull.face_corner + v for hull, v in zip(hulls, first_vertex[:-1], strict=True)]
        ).astype(np.int32),
        face_normal=_rows([hull.face_normal for hull in hulls]),
        face_offset=_rows([hull.face_offset for hull in hulls]),
        first_edge=_starts([len(hull.edge) for hull in hulls]),
        edge=np.ascontiguousarray(np.concatenate(edges), dtype=np.int32),
    )


def _mesh_table(meshes: list[Surface]) -> MeshTable:
    if not meshes:
        return empty_meshes()
    first_vertex = _starts([len(mesh.vertex) for mesh in meshes])
    triangles = [mesh.triangle + v for mesh, v in zip(meshes, first_vertex[:-1], strict=True)]
    return MeshTable(
        first_triangle=_starts([len(mesh.triangle) for mesh in meshes]),
        triangle=np.ascontiguousarray(np.concatenate(triangles), dtype=np.int32),
        first_vertex=first_vertex,
        vertex=_rows([mesh.vertex for mesh in meshes]),
        two_sided=np.array([mesh.two_sided for mesh in meshes], dtype=np.int32),
    )


def _starts(counts: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _rows(parts: list[Floats]) -> Floats:
    return np.ascontiguousarray(np.concatenate(parts), dtype=np.float64)
