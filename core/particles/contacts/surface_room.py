"""Scratch memory for contacts between surfaces."""

from __future__ import annotations

import numpy as np

from ...collision.surface_pairs import CHUNKS, PAIR, chunk_bounds, find_pairs, pack_pairs
from ...collision.surface_tree import Surface, gather_bounds, owned_features, surface_tree
from ...model import Model
from .surface_contact import SURFACE_CONTACT, Strays


class SurfaceRoom:
    """Surfaces of a model, their tree, and room for pairs and contacts."""

    def __init__(self, model: Model) -> None:
        triangle = np.ascontiguousarray(model.surface)
        count = model.particle_count
        part = np.full(count, -1, dtype=np.int32)
        meets = np.zeros(count, dtype=np.int32)
        for number, span in enumerate(model.objects):
            part[span.particles] = number
        bits = np.zeros(count, dtype=np.int32)
        np.bitwise_or.at(bits, triangle.reshape(-1), np.repeat(model.surface_meets, 3))
        meets[:] = bits >> 1
        part = np.where(bits & 1, part, -1 - part).astype(np.int32)
        self.rows = np.unique(triangle).astype(np.int32)
        x = model.rest_position
        ends = x[triangle] - x[np.roll(triangle, 1, axis=1)]
        self.edge = float(np.linalg.norm(ends, axis=2).mean())
        self.surface = Surface(
            triangle,
            owned_features(triangle),
            part,
            meets,
            np.ascontiguousarray(x),
            model.radius,
            model.inverse_mass,
        )
        self.tree = surface_tree(triangle, x)
        self.bounds = chunk_bounds(len(self.tree.root))
        self.found = np.zeros(CHUNKS, dtype=np.int64)
        self.pairs = np.zeros(16 * CHUNKS, dtype=PAIR)
        self.contacts = np.zeros(256, dtype=SURFACE_CONTACT)
        self.start = np.zeros((count, 3))  # m, places at the start of the substep
        self.now = np.zeros((count, 3))  # m, places now
        self.origin = np.zeros((count, 3))  # m, places when pairs were looked for
        self.speed = np.zeros((count, 3))  # m a substep, then
        self.strays = Strays(*np.zeros((len(Strays._fields), count)))
        self.width = np.zeros(count)  # m, room around each vertex
        self.marks = np.zeros(count, dtype=np.int32)

    def find(self, horizon: float, threads: int) -> int:
        """Pairs of vertices at ``start`` with ``speed``; how many, in ``pairs``."""
        np.add(self.surface.thickness, self.strays.slack, out=self.width)
        moving = (self.surface.triangle, self.start, self.speed)
        gather_bounds(self.tree, *moving, self.width, horizon)
        while True:
            find_pairs.on(threads)(
                self.pairs,
                self.found,
                self.bounds,
                self.tree,
                self.tree,
                True,
                self.surface,
                self.start,
                self.speed,
                horizon,
                self.strays.slack,
                self.width,
            )
            most = int(self.found.max())
            if most * CHUNKS <= len(self.pairs):
                break
            self.pairs = np.zeros((most * 3 // 2 + 16) * CHUNKS, dtype=PAIR)
        count: int = pack_pairs(self.pairs, self.found)
        return count

    def grow_contacts(self, count: int) -> None:
        """Make room for that many contacts."""
        self.contacts = np.zeros(count * 3 // 2, dtype=SURFACE_CONTACT)


def surface_room(model: Model) -> SurfaceRoom | None:
    """Scratch memory for a model's surfaces; None where it has none."""
    return SurfaceRoom(model) if len(model.surface) else None
