"""Free particles against each other: neighbours from a grid, contacts between two balls."""

from __future__ import annotations

import math

from ..jit import kernel
from ..model import Model
from .grid import NeighbourGrid, bucket_of
from .response import FREE_PARTNER


class CrowdGrid(NeighbourGrid):
    """The grid for the particles in `Model.crowd`: cells as wide as the largest ball."""

    def __init__(self, model: Model) -> None:
        largest = float(model.radius[model.crowd].max()) if len(model.crowd) else 0.0
        super().__init__(model.crowd, 2.0 * largest)
        group = model.crowd_group
        self.is_one_group = bool(len(group) and group[0] >= 0 and (group == group[0]).all())

    @property
    def is_empty(self) -> bool:
        """True when no two particles can meet."""
        return super().is_empty or self.is_one_group


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
            b = bucket_of(cx, cy, cz, buckets)
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
