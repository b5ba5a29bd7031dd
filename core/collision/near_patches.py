"""Patches of two surfaces that may come near each other: where features are looked for."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..arrays import Floats, Ints
from ..kernels.jit import kernel, lean_inline, parallel_kernel, prange
from .surface_bounds import (
    WANTED,
    are_flat,
    open_patches,
    want_patch,
)
from .surface_tree import SurfaceTree, do_meet

MovingTriangles = tuple[Ints, Floats, Floats, Floats, Ints]
"""Triangles, places, speeds, room and what is stale, as `gather_boxes` takes them."""

PatchPairs = namedtuple(
    "PatchPairs",
    [
        "row",  # (m, 2) a patch of either tree, in CHUNKS equal parts
        "found",  # (CHUNKS,) how many rows of each part there are
        "is_self",  # both trees are one
    ],
)
"""Patches that come near each other. Trees go beside it: prange takes no record of records."""

ONE_IN = 4
"""One patch in so many: what is near is so little that its features are soon looked at."""

CHUNKS = 64
"""Runs of patches that are looked at independently of each other."""


@lean_inline
def are_apart(one, other, horizon):
    """Whether two `MOVING_BOX`es stay apart for horizon substeps."""
    for k in range(3):
        gap = other["lower"][k] - one["upper"][k]
        if gap > 0.0:
            closing = one["fastest"][k] - other["slowest"][k]
            if gap > horizon * max(closing, 0.0):
                return True
        gap = one["lower"][k] - other["upper"][k]
        if gap > 0.0:
            closing = other["fastest"][k] - one["slowest"][k]
            if gap > horizon * max(closing, 0.0):
                return True
    return False


@lean_inline
def is_nothing_new(one, a, other, b):
    """Whether no triangle below either node has to look for its pairs."""
    return one.stale[a] | other.stale[b] == 0


@lean_inline
def _are_neighbours(tree, p, q):
    """Whether two patches share a vertex."""
    found = False
    for n in range(tree.near_start[p], tree.near_start[p + 1]):
        found = found or tree.near[n] == q
    return found


@lean_inline
def _may_meet(one, other, is_self, p, q):
    """Whether objects of two patches meet, as far as that is known of whole patches."""
    if is_self:
        return one.alone[p] < 0 or one.alone[p] != one.alone[q]
    return do_meet(one.meets[p], other.meets[q])


@lean_inline
def _first_partner(one, is_self, a):
    """Where patch a begins to look for its partners."""
    return one.after[a] if is_self else 0


@lean_inline
def _next_partner(one, other, is_self, p, n, horizon):
    """The next patch, from node n of the other tree on, that comes near patch p and is stale.

    The root of it, or the end of that tree.
    """
    a, end = one.root[p], other.skip[0]
    while n < end:
        are_single = is_self and one.single[a] & other.single[n] == 1
        if (
            are_single
            or is_nothing_new(one, a, other, n)
            or are_apart(one.bounds[a], other.bounds[n], horizon)
        ):
            n = other.skip[n]
            continue
        q = other.patch[n]
        if q < 0:
            n += 1
            continue
        is_flat = is_self and n != a and _are_neighbours(one, p, q) and are_flat(one, a, n)
        if not is_flat and _may_meet(one, other, is_self, p, q):
            return n
        n = other.skip[n]
    return end


@parallel_kernel
def find_near(near, found, bounds, one, other, is_self, horizon):
    """Patches of tree one with those of tree other, or among themselves, that come near each other.

    For so many substeps ahead, and of those that are stale; what they contain is wanted. Rows (m,
    2) of run c go to the c-th of CHUNKS equal parts of near; found (CHUNKS,) counts them and may
    exceed what fits. bounds (CHUNKS + 1,): first patch of each run.
    """
    size = near.shape[0] // CHUNKS
    end = other.skip[0]
    for c in prange(CHUNKS):
        row = c * size
        last = row + size
        for p in range(bounds[c], bounds[c + 1]):
            n = _first_partner(one, is_self, one.root[p])
            n = _next_partner(one, other, is_self, p, n, horizon)
            while n < end:
                if row < last:
                    near[row, 0], near[row, 1] = p, other.patch[n]
                    want_patch(one, p)
                    want_patch(other, other.patch[n])
                row += 1
                n = _next_partner(one, other, is_self, p, other.skip[n], horizon)
        found[c] = row - c * size


@kernel
def _are_few_near(one, other, is_self, horizon, most):
    count = 0
    for p in range(one.root.shape[0]):
        n = _first_partner(one, is_self, one.root[p])
        n = _next_partner(one, other, is_self, p, n, horizon)
        while n < other.skip[0]:
            count += 1
            if count > most:
                return False
            n = _next_partner(one, other, is_self, p, other.skip[n], horizon)
    return True


class NearPatches:
    """Which patches of a surface come near those of another, or of itself."""

    def __init__(self, one: SurfaceTree, other: SurfaceTree, is_self: bool) -> None:
        self.one, self.other, self.is_self = one, other, is_self
        self.row: Ints = np.zeros((16 * CHUNKS, 2), dtype=np.int32)  # in CHUNKS equal parts
        self.found: Ints = np.zeros(CHUNKS, dtype=np.int32)  # rows of each part
        self.bounds = np.linspace(0, len(one.root), CHUNKS + 1).astype(np.int32)

    def are_few(self, horizon: float) -> bool:
        """Whether fewer than one in `ONE_IN` comes near another, as far as boxes are gathered."""
        most = len(self.one.root) // ONE_IN
        return bool(_are_few_near(self.one, self.other, self.is_self, horizon, most))

    @property
    def pairs(self) -> tuple[PatchPairs, SurfaceTree, SurfaceTree]:
        """What has been found, and the two trees."""
        return PatchPairs(self.row, self.found, self.is_self), self.one, self.other

    def find(self, moving: MovingTriangles, horizon: float, threads: int = 1) -> None:
        """Find them, and bound what they contain; see `gather_boxes` for what is moving."""
        trees = (self.one, self.other, self.is_self, horizon)
        while True:
            find_near.on(threads)(self.row, self.found, self.bounds, *trees)
            most = int(self.found.max())
            if most * CHUNKS <= len(self.row):
                break
            self.row = np.zeros(((most * 3 // 2 + 16) * CHUNKS, 2), dtype=np.int32)
        if most:
            open_patches.on(threads)(self.one, *moving)
            if not self.is_self:
                open_patches.on(threads)(self.other, *moving)


def open_all(tree: SurfaceTree, moving: MovingTriangles) -> None:
    """Bound what all patches of a tree contain: rays and searches for what is nearest go there."""
    tree.opened[tree.opened == 0] = WANTED
    open_patches(tree, *moving)
