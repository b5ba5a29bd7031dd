"""Free particles against each other: neighbours from a grid, contacts between two balls."""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats, Ints
from ...coincidence import direction_between
from ...collision.grid import NeighbourGrid, bucket_of
from ...kernels.jit import kernel
from ...model import Model
from ...vec3 import between, divide, dot
from .contact_point import has_room, join_particle, note_contact
from .hook import ContactHook, Meeting, Surroundings

GROUP_OF_BALLS = np.iinfo(np.int32).max
"""The group of balls."""


class SelfCollision(ContactHook):
    """Particles against each other."""

    turns_rings = True

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        self.model = model
        group = model.self_collision_group.copy()
        group[model.balls] = GROUP_OF_BALLS  # those meet each other in heaps
        self.grid = SelfCollisionGrid(model, group)

    @property
    def is_any(self) -> bool:
        """Whether two may come near each other in this frame."""
        return not self.grid.is_empty

    def begin(self, meeting: Meeting) -> None:
        """Leave out what can meet nothing in this frame."""
        x, previous, _ = meeting.particles
        self.grid.choose(self.model, x, previous, meeting.h, meeting.substeps, meeting.fall)

    def look(self, meeting: Meeting) -> None:
        """Sort the particles into cells."""
        if self.is_any:
            self.grid.sort(meeting.particles.x)

    def find(self, c: int, meeting: Meeting) -> int:
        """A contact for each two that overlap."""
        if not self.is_any:
            return c
        balls = (self.grid.group, self.grid.radius)
        x, _, inverse_mass = meeting.particles
        return find_contacts_among(c, meeting.contacts, self.grid.cells, *balls, x, inverse_mass)


class SelfCollisionGrid(NeighbourGrid):
    """The grid for the particles in `Model.self_colliding`: cells as wide as the largest ball.

    Particles that do not meet their own object enter it only where another object may come near
    in the frame under way; `choose` finds them.
    """

    def __init__(self, model: Model, group: Ints | None = None) -> None:
        largest = float(model.self_collision_radius.max()) if len(model.self_colliding) else 0.0
        super().__init__(model.self_colliding, 2.0 * largest)
        self._groups = self.group = model.self_collision_group if group is None else group
        self.radius = model.self_collision_radius
        # the same arrays in full length: each frame works on their beginnings
        self._room = (self.cell, self.first, self.member, self.bucket)
        # rows of each object: those that collide with each other follow each other
        starts = [span.first_particle for span in model.objects]
        owner = np.searchsorted(starts, model.self_colliding, side="right")
        begins = np.flatnonzero(np.diff(owner, prepend=-1)).tolist() if len(owner) else []
        self._start = np.array([*begins, len(owner)], dtype=np.int32)
        self._rows = [slice(*self._start[o : o + 2].tolist()) for o in range(len(begins))]
        group = self.group[begins]
        self._meets_itself = group < 0
        self._is_same_group = (group[:, None] == group) & (group >= 0)
        np.fill_diagonal(self._is_same_group, True)

    def choose(
        self, model: Model, x: Floats, previous: Floats, h: float, substeps: int, fall: float
    ) -> None:
        """Leave out what can meet nothing in the coming ``substeps`` steps of h seconds.

        x, previous (n, 3) m; fall m, by gravity in one step. Two objects can meet where their
        bounds do, widened by twice the way that their fastest particle would go.
        """
        objects = len(self._rows)
        if objects == 0 or (self._meets_itself.all() and objects == 1):
            return
        low, high, fastest = np.empty((objects, 3)), np.empty((objects, 3)), np.empty(objects)
        _find_bounds(x, previous, model.self_colliding, self._start, low, high, fastest)
        margin = 2.0 * (fastest * substeps + fall * substeps**2) + 0.5 * self.cell_size
        low -= margin[:, None]
        high += margin[:, None]
        chosen = np.zeros(len(model.self_colliding), dtype=bool)
        for o, rows in enumerate(self._rows):
            if self._meets_itself[o]:
                chosen[rows] = True
                continue
            near = ((low <= high[o]) & (high >= low[o])).all(axis=1)
            near &= ~self._is_same_group[o]
            if not near.any():
                continue
            place = x[model.self_colliding[rows]]
            for other in np.flatnonzero(near):
                inside = (place >= low[other] - margin[o]) & (place <= high[other] + margin[o])
                chosen[rows] |= inside.all(axis=1)
        self._take(model, np.flatnonzero(chosen))

    def _take(self, model: Model, rows: np.ndarray) -> None:
        count = len(rows)
        cell, first, member, bucket = self._room
        self.particles = model.self_colliding[rows]
        self.group = self._groups[rows]
        self.radius = model.self_collision_radius[rows]
        self.cell = cell[:count]
        self.first = first[: 2 * count + 2]
        self.member = member[:count]
        self.bucket = bucket[:count]


@kernel
def _find_bounds(x, previous, particles, start, low, high, fastest):
    """Bounds (o, 3) m of the particles of each object, and m a step of its fastest particle."""
    for o in range(start.shape[0] - 1):
        fastest[o] = 0.0
        for k in range(3):
            low[o, k] = math.inf
            high[o, k] = -math.inf
        for n in range(start[o], start[o + 1]):
            i = particles[n]
            for k in range(3):
                low[o, k] = min(low[o, k], x[i, k])
                high[o, k] = max(high[o, k], x[i, k])
                fastest[o] = max(fastest[o], abs(x[i, k] - previous[i, k]))


@kernel
def find_contacts_among(c, contacts, cells, group, radius, x, inverse_mass):
    """Contacts of free particles that overlap, written from row c on; returns the row after them.

    group, radius (count,) of the particles in the grid. May return more than fit.
    """
    buckets = cells.first.shape[0] - 1
    for n in range(cells.particles.shape[0]):
        i = cells.particles[n]
        for place in range(27):
            cx = int(cells.cell[n, 0]) + place % 3 - 1
            cy = int(cells.cell[n, 1]) + (place // 3) % 3 - 1
            cz = int(cells.cell[n, 2]) + place // 9 - 1
            b = bucket_of(cx, cy, cz, buckets)
            for m in range(cells.first[b], cells.first[b + 1]):
                other = cells.member[m]
                j = cells.particles[other]
                if other <= n or cells.cell[other, 0] != cx:
                    continue
                if cells.cell[other, 1] != cy or cells.cell[other, 2] != cz:
                    continue
                if group[n] >= 0 and group[n] == group[other]:
                    continue
                if inverse_mass[i] + inverse_mass[j] == 0.0:
                    continue
                d = between(x, j, i)
                reach = radius[n] + radius[other]
                dd = dot(d, d)
                if dd >= reach * reach:
                    continue
                if has_room(contacts, c):
                    gap = math.sqrt(dd)
                    join_particle(contacts, c, 0, i)
                    join_particle(contacts, c, 1, j)
                    away = divide(d, gap) if gap > 0.0 else direction_between(j, i)
                    note_contact(contacts, c, away, reach)
                c += 1
    return c
