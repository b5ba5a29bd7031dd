"""Which shapes of bodies touch: broad phase, then narrow phase, with the room they need."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import kernel
from .broad_phase import FREE, STILL, BroadPhase, PosedShapes
from .kinds import CYLINDER
from .manifold import Manifolds, manifold_room
from .mesh_edges import edges_of
from .narrow_phase import narrow_phase, narrow_phase_scratch
from .tree import build_tree, tree_room, tree_scratch

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..model import Model
    from ..records import Records
    from .shapes import Shapes

WIDER = 0.2
"""Boxes of the broad phase are kept wider by this share of half the thickness, and by as far again
as shapes may get until the next look: what falls would leave them each time else."""


class Touching:
    """Manifolds of shapes that are near each other.

    Either those in which no body of particles takes part, or (``of_particles``) all others: the two
    are looked for at different times and places.
    """

    def __init__(self, model: Model, thickness: Floats, of_particles: bool = False) -> None:
        """For shapes of half the least thickness thickness (k,) m."""
        table = model.shapes
        layers = table.layers.astype(np.uint32)
        solids = len(model.bodies) + len(model.colliders)
        moves = (table.owner < len(model.bodies)) | (table.owner >= solids)
        body = np.where(moves, table.owner, -1).astype(np.int32)
        # (k,) how each moves where bodies of particles do
        self.of_shape = np.where(table.owner >= solids, FREE, STILL).astype(np.int32)
        if not of_particles:
            layers = np.where(table.owner >= solids, 0, layers)
        self.is_any = bool((layers[moves] != 0).any())
        self.broad_phase = BroadPhase(table.kind, body, layers, layers, table.owner)
        self.excluded_for: bytes | None = None  # of (j,) which joints were broken then
        self.margin = np.where(np.isfinite(thickness), WIDER * thickness, 0.0)
        self.owner = table.owner
        self.manifolds: Manifolds = manifold_room(max(16, 8 * len(table)))
        self.reach: Floats = np.zeros(len(self.manifolds.count))
        self.edges = edges_of(table)
        corners = np.diff(table.hulls.first_vertex)
        self.scratch = narrow_phase_scratch(int(corners.max(initial=0)))
        triangles = len(table.meshes.triangle)
        self.mesh_tree = tree_room(triangles)
        self.has_meshes = table.has_meshes
        self.has_rims = bool((table.kind == CYLINDER).any())
        self.mesh_scratch = tree_scratch(triangles)
        self._bounded: Floats | None = None  # vertices (v, 3) m that the trees were built for

    @property
    def item(self) -> Records:
        """What each manifold is between, (m,) ITEM."""
        return self.broad_phase.item

    def exclude(self, owners: Ints) -> None:
        """Owners (e, 2) that do not touch each other from now on; all others do."""
        self.broad_phase.exclude(owners)

    def find(self, shapes: Shapes, motion: Ints | None, reach: Floats, threads: int) -> int:
        """Find all manifolds of shapes as they are posed; returns how many items were looked at.

        motion (o,) of the owners, see `broad_phase.STILL`, where bodies of particles have no
        part; reach (k,) m.
        """
        broad = self.broad_phase
        moves = self.of_shape if motion is None else motion[self.owner]
        broad.update(shapes.lower, shapes.upper, self.margin + reach, moves, threads)
        if self.has_meshes:
            self.bound_triangles(shapes)
        posed = PosedShapes(
            shapes.kind,
            shapes.size,
            shapes.centre,
            shapes.rotation,
            shapes.lower,
            shapes.upper,
            shapes.mesh,
            shapes.mesh_first_triangle,
        )
        count = broad.expand(posed, reach, self.mesh_tree)
        if not count:
            return 0
        if count > len(self.reach):
            self.manifolds = manifold_room(count * 3 // 2)
            self.reach = np.zeros(count * 3 // 2)
        add_reaches(broad.item, count, reach, self.reach)
        narrow_phase(
            broad.item,
            count,
            shapes,
            self.reach,
            self.edges,
            self.manifolds,
            self.scratch,
        )
        return count

    def bound_triangles(self, shapes: Shapes) -> None:
        """Build the trees over the triangles of all meshes, each in its shape's own frame.

        Once for meshes that keep their form: their frame carries the trees along.
        """
        if self._bounded is not None and np.array_equal(self._bounded, shapes.mesh_vertex):
            return
        self._bounded = shapes.mesh_vertex.copy()
        corner = shapes.mesh_vertex[shapes.mesh_triangle]
        lower, upper = corner.min(axis=1), corner.max(axis=1)
        bounds = shapes.mesh_first_triangle.tolist()
        for first, last in pairwise(bounds):
            build_tree(self.mesh_tree, lower, upper, first, last, self.mesh_scratch)


@kernel
def add_reaches(item, count, reach_of_shape, reach):
    """How far both shapes of each item may get together, (m,) m."""
    for n in range(count):
        reach[n] = reach_of_shape[item[n]["shape"][0]] + reach_of_shape[item[n]["shape"][1]]
