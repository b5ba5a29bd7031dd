"""Cloth that has passed through rigid bodies as they are drawn, seen where a frame ends.

Shapes of bodies push single pieces of cloth, which give way to what weighs on them: layers may be
pressed through edges. Nothing is moved here; it is told.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision.near_patches import NearPatches
from ...collision.surface_bounds import gather_boxes
from ...collision.surface_crossings import CROSSING, all_crossings
from ...collision.surface_tree import (
    IS_MESH,
    MEETS_MESHES,
    Surface,
    SurfaceTree,
    owned_features,
    surface_tree,
)
from ...coupling.attachment import Attachments
from ...coupling.tied_pieces import tied_of
from ...model import Model, State
from ...model.diagnostics import Crossing
from ...model.surface_table import MESHES
from ...records import Records
from ...vector import rotated, rotation_matrix
from .surface_room import pierced_parts


class BodyCrossings:
    """Scratch memory of that: vertices of all particles, and after them those of the bodies."""

    def __init__(self, model: Model) -> None:
        self.model = model
        surfaces, meshes = model.surfaces, model.body_surfaces.meshes
        self.cloth: Ints = surfaces.triangle[surfaces.meets & MESHES != 0]
        self.rows: Ints = np.unique(self.cloth)
        self.met: list[int] = _met_bodies(model, self.rows) if len(self.cloth) else []
        # m, from where a body is placed to its farthest vertex
        far = np.linalg.norm(meshes.vertex, axis=1)
        first = meshes.first_vertex
        self.reach = [float(far[first[m] : first[m + 1]].max()) for m in self.met]
        self.known: tuple[Floats, Floats, Floats] | None = None  # where all was last, and what
        self.told: tuple[Crossing, ...] = ()  # there was to be told of it
        self._search: _Search | None = None  # made when cloth first comes near a body

    def at(self, state: State) -> tuple[Crossing, ...]:
        """What there is to tell of a state, the end of a frame."""
        near = self._near(state) if self.met else []
        if not near:
            self.known = None
            return ()
        poses = (state.position, state.body_position, state.body_orientation)
        if self.known is None or not all(map(np.array_equal, self.known, poses)):
            self.known = poses
            if self._search is None:
                self._search = _Search(self.model, self.cloth, self.met)
            self.told = self._search.crossings(state, near)
        return self.told

    def _near(self, state: State) -> list[int]:
        """Which bodies reach into the box around all cloth; numbers in ``met``."""
        x = state.position[self.rows]
        low, high = x.min(axis=0), x.max(axis=0)
        bodies = self.model.body_surfaces.body[self.met]
        found = []
        for number, (body, reach) in enumerate(zip(bodies.tolist(), self.reach)):
            centre = state.body_position[body]
            if (centre + reach >= low).all() and (centre - reach <= high).all():
                found.append(number)
        return found


class _Search:
    """Trees over cloth and over each body, and what is found with them."""

    def __init__(self, model: Model, cloth: Ints, met: list[int]) -> None:
        self.model = model
        table, led = model.body_surfaces, len(model.particles)
        meshes = table.meshes
        self.body: list[int] = table.body[met].tolist()
        self.local: list[Floats] = []
        self.span: list[slice] = []  # rows of each body's vertices
        triangles, count = [cloth], led
        for m in met:
            v, w = meshes.first_vertex[m : m + 2].tolist()
            t, u = meshes.first_triangle[m : m + 2].tolist()
            self.local.append(meshes.vertex[v:w])
            triangles.append(meshes.triangle[t:u] - v + count)
            self.span.append(slice(count, count + w - v))
            count += w - v
        triangle = np.concatenate(triangles).astype(np.int32)
        self.x = np.zeros((count, 3))  # m
        self.x[:led] = model.particles.position
        part = np.full(count, -1, dtype=np.int32)  # object of each vertex
        for number, span in enumerate(model.objects):
            part[span.particles] = number
        meets = np.full(count, MEETS_MESHES, dtype=np.int32)
        meets[led:] = IS_MESH
        for body, rows, local in zip(self.body, self.span, self.local):
            part[rows] = model.bodies.object[body]
            self.x[rows] = local
        tree = surface_tree(cloth, model.particles.position)
        self.near: list[NearPatches] = []
        first = len(cloth)
        for mine in triangles[1:]:
            drawn = _numbered_from(first, surface_tree(mine.astype(np.int32), self.x))
            self.near.append(NearPatches(tree, drawn, False))
            first += len(mine)
        self.tree = tree
        self.surface = Surface(
            triangle,
            np.arange(count, dtype=np.int32),
            owned_features(triangle),
            part,
            meets,
            self.x.copy(),
            np.zeros(count),
            np.zeros(count),
        )
        self.still = np.zeros((count, 3))
        self.room = np.zeros(count)
        self.stale = np.ones(count, dtype=np.int32)
        self.found: Records = np.zeros(16, dtype=CROSSING)

    def crossings(self, state: State, near: list[int]) -> tuple[Crossing, ...]:
        """Cloth that passes through any of the bodies ``near``, numbers of those that are met."""
        self.x[: len(state.position)] = state.position
        moving = (self.surface.triangle, self.x, self.still, self.room, self.stale)
        gather_boxes(self.tree, *moving)
        told: list[Crossing] = []
        names = self.model.objects
        for number in near:
            body, patches = self.body[number], self.near[number]
            turn = rotation_matrix(state.body_orientation[body])
            place = state.body_position[body]
            self.x[self.span[number]] = rotated(self.local[number], turn) + place
            gather_boxes(patches.other, *moving)
            patches.find(moving, 0.0)
            given = (self.found, patches, self.surface, self.x)
            self.found, count, _ = all_crossings(*given)
            told += [
                Crossing(names[a].name, names[b].name, pairs)  # cloth comes first
                for a, b, pairs in pierced_parts(self.found[:count], self.surface)
            ]
        return tuple(told)


def _met_bodies(model: Model, cloth: Ints) -> list[int]:
    """Rows of `Model.body_surfaces` that no cloth is tied to, for what is tied lies inside."""
    table = model.body_surfaces
    ties = [tie for tie in model.constraints if isinstance(tie, Attachments)]
    tied = tied_of(model, ties)
    holds = np.zeros(model.owner_count + 1, dtype=bool)
    rows = tied.row[cloth]
    for row in np.unique(rows[rows >= 0]).tolist():
        holds |= tied.untouched[row] < 4
    kept: list[int] = np.flatnonzero(~holds[table.body]).tolist()
    return kept


def _numbered_from(first: int, tree: SurfaceTree) -> SurfaceTree:
    """The same tree over triangles whose numbers begin at ``first``."""
    leaf = np.where(tree.leaf >= 0, tree.leaf + first, -1).astype(np.int32)
    return tree._replace(leaf=leaf)
