"""Which shapes of bodies touch: broad phase, then narrow phase, with the room they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .broad_phase import BroadPhase
from .manifold import Manifolds, manifold_room
from .narrow_tmp import narrow_phase
from .tree import tree_room

if TYPE_CHECKING:
    from ..model import Floats, Ints, Model
    from ..rigid.owners import Owners
    from .shapes import Shapes


class Touching:
    """Manifolds of all shapes that are near each other."""

    def __init__(self, model: Model, thickness: Floats) -> None:
        table = model.shapes
        layers = table.layers.astype(np.uint32)
        body = np.where(table.owner < model.body_count, table.owner, -1).astype(np.int32)
        excluded = np.zeros((0, 2), dtype=np.int32)
        self.broad_phase = BroadPhase(table.kind, body, layers, layers, excluded)
        self.margin = np.where(np.isfinite(thickness), 0.2 * thickness, 0.0)
        self.manifolds: Manifolds = manifold_room(max(16, 8 * len(table)))
        self.mesh_tree = tree_room(0)
        self.owner = table.owner
        self.tmp = (
            (np.zeros((3, 3)), np.zeros(3), np.zeros((2, 16, 3))),
            np.zeros((8, 3)),
            np.zeros((8, 3)),
            np.zeros(3),
        )

    @property
    def items(self) -> tuple[Ints, Ints, Ints]:
        """Shapes a and b and sub-shape of each manifold."""
        return self.broad_phase.a, self.broad_phase.b, self.broad_phase.sub

    def find(self, shapes: Shapes, owners: Owners, reach: Floats, threads: int) -> int:
        """Find all manifolds of shapes as they are posed; returns how many items were looked at."""
        is_awake = owners.inverse_mass[self.owner] > 0.0
        broad = self.broad_phase
        broad.update(shapes.lower, shapes.upper, self.margin, is_awake, threads)
        count = broad.expand(
            shapes.lower,
            shapes.upper,
            shapes.centre,
            shapes.rotation,
            shapes.size,
            reach,
            shapes.mesh,
            shapes.mesh_first_triangle,
            self.mesh_tree,
        )
        if count > len(self.manifolds.count):
            self.manifolds = manifold_room(count * 3 // 2)
        if count:
            narrow_phase(*self.items, count, shapes, reach, self.manifolds, *self.tmp)
        return count
