"""Islands of bodies in contact whose masses differ: Gauss–Seidel alone does not settle them.

A sweep over the contacts of a light body that a heavy one lies on takes away a share of the blow
as large as the light one's share of the masses. Islands where two that touch differ by more than
`UNEVEN` are solved by conjugate directions (`conjugate_contacts`), all others by sweeps alone.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...islands import join, root_of
from ...kernels.jit import lean_inline

UNEVEN = 4.0
"""Ratio of two masses that touch up to which sweeps alone will do."""

SWEPT, DIRECT, SETTLED, TUMBLING = range(4)
"""How an uneven island is solved: by sweeps and conjugate directions; all at once; it is settled as
it is; or it has been tried to solve it at once since contacts were looked for, in vain."""

ISLAND = np.dtype(
    [
        ("is_uneven", np.int32),  # 1: sweeps alone do not settle it
        ("way", np.int32),  # SWEPT, DIRECT, SETTLED or TUMBLING
        ("limit", np.float64),  # m/s, change of speed by a sweep that it may end with
        ("residual", np.float64),  # m/s, largest change of speed by the last sweep
        ("before", np.float64),  # m/s, the same of the sweep before
        ("slip", np.float64),  # m/s, largest where contacts push
        ("energy", np.float64),  # J, by how much the last step has raised the energy
        ("jump", np.float64),  # m/s, largest change of what a contact asks for by the last step
        ("most", np.float64),  # m/s, up to which it is taken
        ("zz", np.float64),  # zᵀAz; likewise for directions z and d, and errors g
        ("zd", np.float64),
        ("dd", np.float64),
        ("zg", np.float64),
        ("dg", np.float64),
        ("one_by_one", np.float64),  # zᵀ diag(A) z, of normal impulses
        ("share", np.float64, (2,)),  # how far to go on along z and d
    ],
    align=True,
)
"""What is known of an island, in the row of its first body."""

Islands = namedtuple(
    "Islands",
    [
        "label",  # (o,) first body of an owner's island
        "island",  # (o,) ISLAND
        "twist",  # (o, 2, 6) velocity and spin that z and d give to an owner
        "uneven",  # (1,) how many islands are uneven
        "ratio",  # (1,) largest ratio of masses that touch
    ],
)


def island_room(count: int) -> Islands:
    """Room for ``count`` owners."""
    return Islands(
        label=np.zeros(count, dtype=np.int32),
        island=np.zeros(count, ISLAND),
        twist=np.zeros((count, 2, 6)),
        uneven=np.zeros(1, dtype=np.int64),
        ratio=np.zeros(1),
    )


@lean_inline
def _largest_ratio(contacts, owners):
    """Largest ratio of the masses of two that touch, at least 1."""
    most = 1.0
    first = 0
    while first < contacts.count[0]:
        owner = contacts.rows[first]["owner"]
        first += contacts.rows[first]["points"]
        wa, wb = owners.inverse_mass[owner[0]], owners.inverse_mass[owner[1]]
        if wa > 0.0 and wb > 0.0:
            most = max(most, wa / wb, wb / wa)
    return most


@lean_inline
def find_uneven(contacts, owners):
    """Label the islands of these rows, and find those where masses differ.

    Islands in which something hangs on joints are not among them: see `jointed_contacts`.
    """
    islands = contacts.islands
    label, island = islands.label, islands.island
    islands.uneven[0] = 0
    islands.ratio[0] = _largest_ratio(contacts, owners)
    if islands.ratio[0] <= UNEVEN:
        return
    for o in range(label.shape[0]):
        label[o] = o
        island[o]["is_uneven"], island[o]["way"] = 0, SWEPT
    for c in range(contacts.count[0]):
        owner = contacts.rows[c]["owner"]
        if owners.inverse_mass[owner[0]] > 0.0 and owners.inverse_mass[owner[1]] > 0.0:
            join(label, owner[0], owner[1])
    for o in range(label.shape[0]):
        label[o] = root_of(label, o)
    for c in range(contacts.count[0]):
        owner = contacts.rows[c]["owner"]
        wa, wb = owners.inverse_mass[owner[0]], owners.inverse_mass[owner[1]]
        if wa > 0.0 and wb > 0.0 and max(wa, wb) > UNEVEN * min(wa, wb):
            island[label[owner[0]]]["is_uneven"] = 1
    for o in range(label.shape[0]):
        if contacts.groups.is_jointed[o]:
            island[label[o]]["is_uneven"] = 0
    for o in range(label.shape[0]):
        islands.uneven[0] += island[o]["is_uneven"]


@lean_inline
def island_of(islands, row, owners):
    """The uneven island that a row is part of, or −1."""
    a, b = row["owner"][0], row["owner"][1]
    i = islands.label[a] if owners.inverse_mass[a] > 0.0 else islands.label[b]
    return i if islands.island[i]["is_uneven"] == 1 else -1


@lean_inline
def direct_island_of(islands, row, owners):
    """The same if it is to be solved at once, or −1."""
    i = island_of(islands, row, owners)
    return i if i >= 0 and islands.island[i]["way"] == DIRECT else -1
