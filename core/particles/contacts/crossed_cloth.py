"""Scratch memory of cloth that passes through cloth; there is little of it until some does."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision.near_patches import NearPatches
from ...collision.surface_bounds import gather_boxes, gather_normals
from ...collision.surface_crossings import CROSSING, all_crossings
from ...collision.surface_tree import CollisionSurface, SurfaceTree, ways_inwards, without_bounds
from ...pairs import counted_pairs
from ...records import Records
from .surface_lines import agree_on_ways
from .surface_sides import edge_keys, find_sides, sides_room
from .surface_spread import shift_around, spread_room
from .surface_untangling import (
    NO_TRIANGLE,
    OBJECT_BITS,
    UNSEEN,
    WAY_BACK,
    ask_back,
    ask_to_stay,
    crossed_room,
    find_ways_back,
)

UNEVENNESS_SHARE = 1e-9
"""Mean edge lengths by which vertices are taken to lie elsewhere: on copies of one mesh edges pass
right through edges, which passes through no triangle."""

SLIT_OPENED = 2.0
"""Times `UNEVENNESS_SHARE` by which what is on the rim of a surface is taken to lie farther within
it: so the sides of a slit lie beside each other, not on each other."""

LOOKS_BY_PARITY = 7
"""In every so many looks at what has come through, an edge that passes through and back again
leads to the side that it began on; in the others each edge that passes leads to the other side.
Where folds lie on folds the latter mostly frees them sooner, but may hold a few against each other
for good. Six sheets at all angles came apart in 30 to 65 frames, one in twelve not in 80; by parity
alone in 52 to 78; by both in 30 to 45. No divisor of the usual substeps: were the last look of all
frames by parity, what is held through each other would end each of them trembling."""

EVEN_STEPS = (0.8191725134, 0.6710436067, 0.5497004779)
"""Of places that fill a cube evenly (Roberts 2018, "The Unreasonable Effectiveness of Quasirandom
Sequences")."""


class CrossedCloth:
    """Where cloth passes through cloth, what of it has come through, and its ways back."""

    def __init__(self, near: NearPatches, surface: CollisionSurface, triangles: int) -> None:
        self.near, self.surface = near, surface
        self.triangle = surface.triangle[:triangles]  # those of cloth
        count = len(surface.part)
        owner = np.where(surface.part < 0, -1 - surface.part, surface.part)
        self.owner: Ints = owner[self.triangle[:, 0]].astype(np.int32)  # object of each triangle
        bit = np.left_shift(np.int64(1), owner.astype(np.int64) % OBJECT_BITS)
        corner = surface.rest[self.triangle]
        ends = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2)
        edge = float(ends.mean()) if ends.size else 0.0
        even: Floats = np.arange(count)[:, None] * np.array(EVEN_STEPS) % 1.0 - 0.5
        inwards = ways_inwards(self.triangle, surface.rest)
        self.crossed = crossed_room(bit, UNEVENNESS_SHARE * edge * (even + SLIT_OPENED * inwards))
        self.crossings: Records = np.zeros(16, dtype=CROSSING)
        self.ways: Records = np.zeros(0, dtype=WAY_BACK)
        self.count = 0  # of ways
        self.looks = 0  # in this frame
        self.scratch: TangleScratch | None = None

    def begin(self) -> None:
        """A frame begins: nothing is known of it yet."""
        self.looks = 0
        self.forget()

    def uneven(self, x: Floats) -> Floats:
        """Places x (n, 3) m, by `UNEVENNESS_SHARE` elsewhere."""
        moved: Floats = x + self.crossed.spot
        return moved

    def forget(self) -> None:
        """Nothing passes through anything."""
        self.count = 0
        if self.crossed.is_any[0]:
            self.crossed.is_any[0] = 0
            self.crossed.side[:] = 0
            self.crossed.through[:] = 0

    def find(self, x: Floats, is_first: bool) -> bool:
        """Whether any cloth passes through cloth at x (n, 3) m; its ways back.

        is_first: pairs are going to be looked for anew, so the bounds of their tree are free.
        """
        self.forget()
        self.looks += 1
        x = self.uneven(x)
        crossings = self._crossings(x, is_first)
        if not len(crossings):
            return False
        if self.scratch is None:
            self.scratch = TangleScratch(self.near.one, self.surface, self.triangle, self.owner)
        self.crossed.is_any[0] = 1
        spread = self.scratch.spread
        spread.came[:] = spread.reach[:] = 0
        if len(crossings) > len(self.ways):
            self.ways = np.zeros(len(crossings) * 3 // 2, dtype=WAY_BACK)
        one, other = self.owner[crossings["of"]], self.owner[crossings["through"]]
        low, high = np.minimum(one, other), np.maximum(one, other)
        order = np.lexsort((high, low))
        crossings, low, high = crossings[order], low[order], high[order]
        begins = np.flatnonzero((np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0))
        for first, last in zip(begins, [*begins[1:], len(crossings)]):
            self._find_ways(crossings[first:last], {int(low[first]), int(high[first])}, x)
        return True

    def _crossings(self, x: Floats, is_first: bool) -> Records:
        """Crossings of cloth with cloth."""
        surface, count = self.surface, len(x)
        near = self.near if is_first or self.scratch is None else self.scratch.near
        still, nothing = np.zeros((count, 3)), np.zeros(count)
        all_of_them = np.ones(count, np.int32)
        resting = (surface.triangle, x, still, nothing, all_of_them)
        gather_boxes(near.one, *resting)
        gather_normals(near.one, surface.triangle, x, still, nothing, 0.0)
        near.find(resting, 0.0)
        self.crossings, found, _ = all_crossings(self.crossings, near, surface, x)
        return self.crossings[:found]

    def _find_ways(self, crossings: Records, objects: set[int], x: Floats) -> None:
        """Ways back of the crossings of one or two objects."""
        assert self.scratch is not None
        sides, spread, surface = self.scratch.sides, self.scratch.spread, self.surface
        is_parted, longest = False, 0
        for number in sorted(objects):
            edge = crossings["edge"][self.owner[crossings["of"]] == number]
            keys = edge_keys(edge, len(surface.part), self.looks % LOOKS_BY_PARITY == 0)
            rows = np.flatnonzero(self.owner == number).astype(np.int32)
            find_sides(sides, rows, surface.triangle, keys, surface.inverse_mass)
            vertices = self.triangle[rows]
            spread.came[vertices] |= sides.has_come[vertices]
            is_parted |= bool(sides.has_come[vertices].any())
            longest = max(longest, len(keys) // 2)
        if not is_parted:  # it is pulled apart along the line
            for number in objects:
                spread.reach[number] = max(spread.reach[number], longest)
        first, root, total = self.count, spread.queue, self.scratch.means[0]
        for across in (self.scratch.ends, self.scratch.across):
            given = (crossings, across, sides.has_come, self.crossed, surface, x)
            self.count = int(find_ways_back(self.ways, first, *given))
            if self.count > first:  # else no line parts anything or ends: they turn
                break
        agree_on_ways(self.ways, first, self.count, surface.part, root, total)

    def take_apart(self, start: Floats, x: Floats, previous: Floats, far: float) -> None:
        """Move what has come through back by ``far`` m in a substep, x and x* (n, 3) m alike."""
        if self.count == 0:
            return
        assert self.scratch is not None
        inverse_mass, means, before = self.surface.inverse_mass, self.scratch.means, x.copy()
        ask_back(self.ways, self.count, start, x, inverse_mass, far, means)
        shift_around(self.scratch.spread, self.ways, self.count, inverse_mass, means, x, 1.0)
        previous += x - before

    def calm(self, x: Floats, previous: Floats) -> None:
        """Take the speed from what was held back, x and x* (n, 3) m at the end of a substep."""
        if self.count == 0:
            return
        assert self.scratch is not None
        inverse_mass, means = self.surface.inverse_mass, self.scratch.means
        ask_to_stay(self.ways, self.count, previous, x, inverse_mass, means)
        shift_around(
            self.scratch.spread, self.ways, self.count, inverse_mass, means, previous, -1.0
        )


class TangleScratch:
    """What only cloth that passes through cloth needs."""

    def __init__(
        self, tree: SurfaceTree, surface: CollisionSurface, triangle: Ints, owner: Ints
    ) -> None:
        apart = without_bounds(tree)
        self.near = NearPatches(apart, apart, True)
        self.sides = sides_room(triangle, surface.rest)
        owner_of = np.zeros(len(surface.part), dtype=np.int32)
        owner_of[triangle] = owner[:, None]
        self.spread = spread_room(triangle, owner_of)
        self.means = np.zeros((len(owner_of), 3)), np.zeros(len(owner_of))
        self.across = _triangles_across(triangle)
        self.ends: Ints = np.where(self.across < 0, NO_TRIANGLE, UNSEEN).astype(np.int32)


def _triangles_across(triangle: Ints) -> Ints:
    """The triangle (f, 3) beyond the edge after each corner; none too where there are several."""
    ends = np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2)
    _, edge, faces = counted_pairs(np.sort(ends, axis=1))
    across = np.full(len(ends), NO_TRIANGLE, dtype=np.int32)
    order = np.argsort(edge, kind="stable")
    first = np.cumsum(faces) - faces
    one, other = order[first[faces == 2]], order[first[faces == 2] + 1]
    across[one], across[other] = other // 3, one // 3
    return across.reshape(-1, 3)
