"""Who is near whom: a hashed grid over some of the particles.

Teschner et al. 2003: cells so wide that all neighbours stand in the 27 cells around a particle.
Everything is sorted by counting, in the order of the indices, so that the same state always
gives the same neighbours in the same order.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..arrays import Floats, Ints
from ..kernels.jit import inline, kernel

Cells = namedtuple(
    "Cells",
    [
        "particles",  # (count,)
        "cell",  # (count, 3) of each
        "first",  # (buckets + 1,) first member of each bucket
        "member",  # (count,) rows of particles, bucket by bucket
    ],
)


class NeighbourGrid:
    """Scratch memory of the grid for ``particles`` (count,) in cells of cell_size m."""

    def __init__(self, particles: Ints, cell_size: float) -> None:
        count = len(particles)
        self.particles = particles
        self.cell_size = cell_size
        self.cell: Ints = np.zeros((count, 3), dtype=np.int32)
        self.first = np.zeros(bucket_count(count) + 1, dtype=np.int32)  # member of each bucket
        self.member = np.zeros(count, dtype=np.int32)  # rows of particles, bucket by bucket
        self.bucket = np.zeros(count, dtype=np.int32)

    @property
    def cells(self) -> Cells:
        """The sorted particles, as kernels get them."""
        return Cells(self.particles, self.cell, self.first, self.member)

    def sort(self, x: Floats) -> None:
        """Sort the particles into cells by where they are, x (n, 3) m."""
        _sort(x, self.particles, self.cell_size, self.cell, self.bucket, self.first, self.member)


def bucket_count(count: int) -> int:
    """Buckets for so many particles: a power of two, at least twice as many as they are."""
    return 2 << count.bit_length()


@inline
def row_of(cy, cz):
    """What all cells along x have in common, see `bucket_of`."""
    return (cy * 19349663) ^ (cz * 83492791)


@inline
def bucket_of(cx, row, count):
    """The bucket of a cell; cells of one bucket have to be told apart by their numbers.

    Those that follow each other along x lie in buckets that do, so that one look at the memory
    brings all three. count: a power of two.
    """
    return (cx + row) & (count - 1)


@kernel
def _sort(x, particles, cell_size, cell, bucket, first, member):
    first[:] = 0
    for n in range(particles.shape[0]):
        i = particles[n]
        for k in range(3):
            # far outside the grid's range all share a border cell: slow there, but never wrong
            cell[n, k] = math.floor(min(max(x[i, k] / cell_size, -1e9), 1e9))
        row = row_of(int(cell[n, 1]), int(cell[n, 2]))
        bucket[n] = bucket_of(int(cell[n, 0]), row, first.shape[0] - 1)
        first[bucket[n] + 1] += 1
    for b in range(first.shape[0] - 1):
        first[b + 1] += first[b]
    for n in range(particles.shape[0] - 1, -1, -1):
        first[bucket[n] + 1] -= 1
        member[first[bucket[n] + 1]] = n
    # every start has moved down to its bucket's first member: shift them back into place
    for b in range(first.shape[0] - 1):
        first[b] = first[b + 1]
    first[first.shape[0] - 1] = particles.shape[0]
