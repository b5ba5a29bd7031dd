"""Free particles against each other: neighbours from a grid, contacts between two balls."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import Floats, Ints
from ...coincidence import direction_between
from ...collision.axis_boxes import highest, lowest
from ...collision.grid import NeighbourGrid, bucket_count, bucket_of, row_of
from ...kernels.jit import inline, kernel
from ...model import Model
from ...vec3 import between, divide, dot, load, store, sub
from .contact_point import has_room, join_particle, note_contact
from .hook import ContactHook, Meeting, Surroundings

GROUP_OF_BALLS = np.iinfo(np.int32).max
"""The group of balls."""

NOBODY, SEVERAL = -2, -1
"""Who is in a bucket, where it is not one group."""

ObjectBounds = namedtuple(
    "ObjectBounds",
    [
        "first",  # (o + 1,) rows of `SelfCollisionTable` of each object
        "low", "high",  # (o, 3) m
        "fastest",  # (o,) m a step, of its fastest particle
    ],
)  # fmt: skip

NearObjects = namedtuple(
    "NearObjects",
    [
        "meets_itself",  # (o,) whether the object's particles meet each other
        "first",  # (o + 1,) of the objects near each
        "object",
    ],
)

SelfCollidingParticles = namedtuple(
    "SelfCollidingParticles",
    [
        "particle",  # (n,)
        "group",  # (n,) those of one group do not meet; −1 meets everyone
        "radius",  # (n,) m
    ],
)


class SelfCollision(ContactHook):
    """Particles against each other."""

    turns_rings = True

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        self.model = model
        group = model.self_collision.group.copy()
        group[model.self_collision.balls] = GROUP_OF_BALLS  # those meet each other in heaps
        self.grid = SelfCollisionGrid(model, group)

    @property
    def is_any(self) -> bool:
        """Whether two may come near each other in this frame."""
        return self.grid.is_any

    @property
    def room(self) -> int:
        """Some for each particle."""
        return 4 * len(self.model.self_collision)

    def begin(self, meeting: Meeting) -> None:
        """Look which objects can meet in this frame."""
        x, previous, _ = meeting.particles
        self.grid.find_near(self.model, x, previous, meeting.h, meeting.substeps, meeting.fall)

    def look(self, meeting: Meeting) -> None:
        """Sort the particles near others into cells."""
        if self.is_any:
            self.grid.choose(meeting.particles.x)

    def find(self, c: int, meeting: Meeting) -> int:
        """A contact for each two that overlap."""
        if not self.is_any:
            return c
        x, _, inverse_mass = meeting.particles
        grid = self.grid
        return find_contacts_among(
            c, meeting.contacts, grid.cells, grid.balls, grid.summary, x, inverse_mass
        )


class SelfCollisionGrid(NeighbourGrid):
    """The grid for particles that meet as balls: cells as wide as the largest ball.

    Particles that do not meet their own object enter it only where another object is:
    `find_near` looks once a frame which objects may meet, `choose` in each substep which of
    their particles are within the other's bounds.
    """

    def __init__(self, model: Model, group: Ints) -> None:
        largest = float(model.self_collision.radius.max()) if len(model.self_collision) else 0.0
        super().__init__(model.self_collision.particle, 2.0 * largest)
        self._all = SelfCollidingParticles(
            model.self_collision.particle, group, model.self_collision.radius
        )
        # in full length, of which each substep uses the beginnings
        self._chosen = SelfCollidingParticles(*(array.copy() for array in self._all))
        self._full = (self.cell, self.bucket, self.first, self.member)
        self._summary = np.zeros(len(self.first) - 1, dtype=np.int32)
        # rows of each object: those that collide with each other follow each other
        starts = [span.first_particle for span in model.objects]
        owner = np.searchsorted(starts, model.self_collision.particle, side="right")
        begins = np.flatnonzero(np.diff(owner, prepend=-1)) if len(owner) else np.zeros(0, int)
        count = len(begins)
        self._bounds = ObjectBounds(
            np.array([*begins, len(owner)], dtype=np.int32),
            np.empty((count, 3)),
            np.empty((count, 3)),
            np.empty(count),
        )
        of_object = group[begins]
        self._is_same_group = (of_object[:, None] == of_object) & (of_object >= 0)
        np.fill_diagonal(self._is_same_group, True)
        self._near = NearObjects(
            of_object < 0, np.zeros(count + 1, dtype=np.int32), np.zeros(count**2, dtype=np.int32)
        )
        self.is_any = False
        self._use(0)

    def find_near(
        self, model: Model, x: Floats, previous: Floats, h: float, substeps: int, fall: float
    ) -> None:
        """Look which objects can meet in the coming ``substeps`` steps of h seconds.

        x, previous (n, 3) m; fall m, by gravity in one step. Two objects can meet where their
        bounds do, widened by twice the way that their fastest particle would go.
        """
        if self.cell_size == 0.0 or len(self._all.particle) < 2:
            return
        bounds, near = self._bounds, self._near
        if len(bounds.fastest) < 2 and not near.meets_itself.any():
            return
        _find_bounds(x, previous, self._all.particle, bounds)
        margin = 2.0 * (bounds.fastest * substeps + fall * substeps**2) + 0.5 * self.cell_size
        low, high = bounds.low - margin[:, None], bounds.high + margin[:, None]
        may_meet = ~self._is_same_group
        for k in range(3):
            may_meet &= (low[:, None, k] <= high[:, k]) & (high[:, None, k] >= low[:, k])
        near.first[1:] = np.cumsum(may_meet.sum(axis=1))
        other = np.nonzero(may_meet)[1]
        near.object[: len(other)] = other
        self.is_any = len(other) > 0 or bool(near.meets_itself.any())

    def choose(self, x: Floats) -> None:
        """Take the particles that are within the bounds of an object near theirs, into cells."""
        _find_bounds(x, x, self._all.particle, self._bounds)
        reach = self.cell_size
        self._use(_choose(x, self._all, self._bounds, self._near, reach, self._chosen))
        self.sort(x)

    def _use(self, count: int) -> None:
        """Work on so many particles."""
        cell, bucket, first, member = self._full
        buckets = bucket_count(count)
        self.balls = SelfCollidingParticles(*(array[:count] for array in self._chosen))
        self.particles = self.balls.particle
        self.cell, self.bucket, self.member = cell[:count], bucket[:count], member[:count]
        self.first, self.summary = first[: buckets + 1], self._summary[:buckets]


@kernel
def _find_bounds(x, previous, particles, bounds):
    """Bounds of the particles of each object, and how far its fastest one went."""
    for o in range(bounds.first.shape[0] - 1):
        fastest = 0.0
        low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
        for n in range(bounds.first[o], bounds.first[o + 1]):
            p = load(x, particles[n])
            low, high = lowest(low, p), highest(high, p)
            way = sub(p, load(previous, particles[n]))
            fastest = max(fastest, max(abs(way[0]), max(abs(way[1]), abs(way[2]))))
        bounds.fastest[o] = fastest
        store(bounds.low, o, low)
        store(bounds.high, o, high)


@inline
def _is_within(x, i, bounds, o, reach):
    """Whether particle i is nearer than ``reach`` to the bounds of object o."""
    for k in range(3):
        if x[i, k] < bounds.low[o, k] - reach or x[i, k] > bounds.high[o, k] + reach:
            return False
    return True


@kernel
def _choose(x, balls, bounds, near, reach, chosen):
    """Copy the balls that may meet one now to ``chosen``; returns how many they are."""
    count = 0
    for o in range(bounds.first.shape[0] - 1):
        for n in range(bounds.first[o], bounds.first[o + 1]):
            is_near = near.meets_itself[o]
            for m in range(near.first[o], near.first[o + 1]):
                is_near = is_near or _is_within(x, balls.particle[n], bounds, near.object[m], reach)
            if is_near:
                chosen.particle[count] = balls.particle[n]
                chosen.group[count] = balls.group[n]
                chosen.radius[count] = balls.radius[n]
                count += 1
    return count


@inline
def _summarise(cells, group, summary):
    """Write which group alone is in each bucket (buckets,), `NOBODY` or `SEVERAL`."""
    summary[:] = NOBODY
    for b in range(summary.shape[0]):
        for m in range(cells.first[b], cells.first[b + 1]):
            of_member = group[cells.member[m]]
            is_one = summary[b] == NOBODY or summary[b] == of_member
            summary[b] = of_member if is_one else SEVERAL


@kernel
def find_contacts_among(c, contacts, cells, balls, summary, x, inverse_mass):
    """Contacts of free particles that overlap, written from row c on; returns the row after them.

    balls: those in the grid; summary (buckets,): scratch. May return more than fit.
    """
    _summarise(cells, balls.group, summary)
    buckets = summary.shape[0]
    for n in range(cells.particles.shape[0]):
        i = cells.particles[n]
        group = balls.group[n]
        for place in range(27):
            if place % 3 == 0:
                cy = int(cells.cell[n, 1]) + (place // 3) % 3 - 1
                cz = int(cells.cell[n, 2]) + place // 9 - 1
                row = row_of(cy, cz)
            cx = int(cells.cell[n, 0]) + place % 3 - 1
            b = bucket_of(cx, row, buckets)
            if summary[b] == NOBODY or (group >= 0 and summary[b] == group):
                continue
            for m in range(cells.first[b], cells.first[b + 1]):
                other = cells.member[m]
                if other <= n or cells.cell[other, 0] != cx:
                    continue
                if cells.cell[other, 1] != cy or cells.cell[other, 2] != cz:
                    continue
                if group >= 0 and group == balls.group[other]:
                    continue
                j = cells.particles[other]
                if inverse_mass[i] + inverse_mass[j] == 0.0:
                    continue
                d = between(x, j, i)
                reach = balls.radius[n] + balls.radius[other]
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
