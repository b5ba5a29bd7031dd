"""Free particles against each other: neighbours from a grid, contacts between two balls.

The grid is hashed (Teschner et al. 2003): cells as wide as the largest ball, so that partners stand
in the 27 cells around a particle. Everything is sorted by counting, in the order of the indices,
so that the same state always gives the same contacts in the same order.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import inline, kernel
from ..model import Floats, Ints, Model
from .response import FREE_PARTNER


class CrowdGrid:
    """Scratch memory of the grid for the particles in `Model.crowd`."""

    def __init__(self, model: Model) -> None:
        count = len(model.crowd)
        self.cell_size = 2.0 * float(model.radius[model.crowd].max()) if count else 0.0  # m
        buckets = 2 * count + 1
        self.cell: Ints = np.zeros((count, 3), dtype=np.int32)
        self.first = np.zeros(buckets + 1, dtype=np.int32)  # first member of each bucket
        self.member = np.zeros(count, dtype=np.int32)  # rows of crowd, bucket by bucket
        self.bucket = np.zeros(count, dtype=np.int32)
        group = model.crowd_group
        self.is_one_group = bool(count and group[0] >= 0 and (group == group[0]).all())

    @property
    def is_empty(self) -> bool:
        """True when no two particles can meet."""
        return len(self.member) < 2 or self.cell_size == 0.0 or self.is_one_group

    def fill(self, model: Model, x: Floats) -> None:
        """Sort the particles into cells by where they are, x (n, 3) m."""
        _fill(x, model.crowd, self.cell_size, self.cell, self.bucket, self.first, self.member)


@inline
def _bucket_of(cx, cy, cz, count):
    return ((cx * 73856093) ^ (cy * 19349663) ^ (cz * 83492791)) % count


@kernel
def _fill(x, crowd, cell_size, cell, bucket, first, member):
    first[:] = 0
    for n in range(crowd.shape[0]):
        i = crowd[n]
        for k in range(3):
            # far outside the grid's range all share a border cell: slow there, but never wrong
            cell[n, k] = math.floor(min(max(x[i, k] / cell_size, -1e9), 1e9))
        bucket[n] = _bucket_of(
            int(cell[n, 0]), int(cell[n, 1]), int(cell[n, 2]), first.shape[0] - 1
        )
        first[bucket[n] + 1] += 1
    for b in range(first.shape[0] - 1):
        first[b + 1] += first[b]
    for n in range(crowd.shape[0] - 1, -1, -1):
        first[bucket[n] + 1] -= 1
        member[first[bucket[n] + 1]] = n
    # every start has moved down to its bucket's first member: shift them back into place
    for b in range(first.shape[0] - 1):
        first[b] = first[b + 1]
    first[first.shape[0] - 1] = crowd.shape[0]


@kernel
def find_crowd_contacts(c, contacts, crowd, group, cell, first, member, x, radius, inverse_mass):
    """Contacts of free particles that overlap, written from row c on; returns the row after them.

    Coinciding particles part along a fixed direction that depends on their indices only. May
    return more than fit.
    """
    buckets = first.shape[0] - 1
    for n in range(crowd.shape[0]):
        i = crowd[n]
        for place in range(27):
            cx = int(cell[n, 0]) + place % 3 - 1
            cy = int(cell[n, 1]) + (place // 3) % 3 - 1
            cz = int(cell[n, 2]) + place // 9 - 1
            b = _bucket_of(cx, cy, cz, buckets)
            for m in range(first[b], first[b + 1]):
                other = member[m]
                j = crowd[other]
                if other <= n or cell[other, 0] != cx:
                    continue
                if cell[other, 1] != cy or cell[other, 2] != cz:
                    continue
                if group[n] >= 0 and group[n] == group[other]:
                    continue
                if inverse_mass[i] + inverse_mass[j] == 0.0:
                    continue
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                dz = x[i, 2] - x[j, 2]
                reach = radius[i] + radius[j]
                dd = dx * dx + dy * dy + dz * dz
                if dd >= reach * reach:
                    continue
                if c < contacts.friction.shape[0]:
                    gap = math.sqrt(dd)
                    if gap == 0.0:
                        dx, dy, dz = math.cos(float(i)), math.sin(float(i)), 1.0
                        gap = math.sqrt(2.0)
                    contacts.shape[c, 0] = FREE_PARTNER
                    contacts.shape[c, 1] = FREE_PARTNER
                    contacts.particle[c, 0] = i
                    contacts.particle[c, 4] = j
                    contacts.normal[c, 0] = dx / gap
                    contacts.normal[c, 1] = dy / gap
                    contacts.normal[c, 2] = dz / gap
                c += 1
    return c
