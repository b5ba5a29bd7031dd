"""Islands of bodies in contact whose masses differ: Gauss–Seidel alone does not settle them.

A sweep over the contacts of a light body that a heavy one lies on takes away a share of the blow
as large as the light one's share of the masses. Islands where two that touch differ by more than
`UNEVEN` are solved by conjugate directions (`conjugate_contacts`), all others by sweeps alone.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...kernels.jit import lean_inline
from ..islands import join, root_of

UNEVEN = 4.0
"""Ratio of two masses that touch up to which sweeps alone will do."""

Islands = namedtuple(
    "Islands",
    [
        "label",  # (o,) first body of an owner's island
        "is_uneven",  # (o,) 1 for first bodies of islands that conjugate directions solve
        "count",  # (1,) how many such islands there are
        "ratio",  # (1,) largest ratio of masses that touch
        "limit",  # (o,) m/s, change of speed by a sweep that such an island may end with
        "residual",  # (o,) m/s, largest change of speed by the last sweep
        "sums",  # (o, 5) zᵀAz, zᵀAd, dᵀAd, zᵀg, dᵀg of such an island
        "share",  # (o, 2) how far to go on along z and d
        "energy",  # (o,) J, by how much that step has raised the energy
        "twist",  # (2, o, 6) velocity and spin that z and d give to an owner
    ],
)


def island_room(count: int) -> Islands:
    """Room for ``count`` owners."""
    return Islands(
        label=np.zeros(count, dtype=np.int32),
        is_uneven=np.zeros(count, dtype=np.int32),
        count=np.zeros(1, dtype=np.int32),
        ratio=np.zeros(1),
        limit=np.zeros(count),
        residual=np.zeros(count),
        sums=np.zeros((count, 5)),
        share=np.zeros((count, 2)),
        energy=np.zeros(count),
        twist=np.zeros((2, count, 6)),
    )


@lean_inline
def find_uneven(islands, rows, count, owners, joined):
    """Label the islands of these rows, and find those where masses differ.

    Islands in which something hangs on joints are not among them: see `jointed_contacts`.
    """
    label, is_uneven = islands.label, islands.is_uneven
    islands.count[0] = 0
    most = 1.0
    for c in range(count):
        wa = owners.inverse_mass[rows.owner[c, 0]]
        wb = owners.inverse_mass[rows.owner[c, 1]]
        if wa > 0.0 and wb > 0.0:
            most = max(most, wa / wb, wb / wa)
    islands.ratio[0] = most
    if most <= UNEVEN:
        return
    for o in range(label.shape[0]):
        label[o] = o
        is_uneven[o] = 0
    for c in range(count):
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        if owners.inverse_mass[a] > 0.0 and owners.inverse_mass[b] > 0.0:
            join(label, a, b)
    for o in range(label.shape[0]):
        label[o] = root_of(label, o)
    for c in range(count):
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        wa, wb = owners.inverse_mass[a], owners.inverse_mass[b]
        if wa > 0.0 and wb > 0.0 and max(wa, wb) > UNEVEN * min(wa, wb):
            is_uneven[label[a]] = 1
    for o in range(label.shape[0]):
        if joined.holds[o]:
            is_uneven[label[o]] = 0
    for o in range(label.shape[0]):
        islands.count[0] += is_uneven[o]


@lean_inline
def island_of(islands, rows, c, owners):
    """The uneven island that row c is part of, or −1."""
    a, b = rows.owner[c, 0], rows.owner[c, 1]
    i = islands.label[a] if owners.inverse_mass[a] > 0.0 else islands.label[b]
    return i if islands.is_uneven[i] == 1 else -1
