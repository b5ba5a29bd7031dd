"""A symmetric matrix of six rows for each body of some islands, and its factor L D Lᵀ.

Bodies stand in the order in which they are met from the rim of an island (Cuthill & McKee 1969), so
what touches stands near each other. A body has six rows, from its own columns to those of the
last body that it or one before it touches: outside of that nothing fills in.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...kernels.jit import lean, lean_inline
from ..joints.front_factor import subtract_six
from ..joints.joint_fronts import BODY_ROWS
from .uneven_islands import direct_island_of

BAND_VALUES = 1 << 20
"""Numbers of a band, at most."""

BAND_WORK = 8e6
"""Products that a factor may take."""

Band = namedtuple(
    "Band",
    [
        "count",  # (1,) bodies
        "place",  # (o,) of an owner among them, or −1
        "order",  # (o,) owners in their places
        "touching",  # (o,) 2 · row + side of an owner's last manifold, or −1
        "last",  # (o,) last body that the rows of one reach
        "first",  # (o + 1,) its rows in ``value``
        "value",  # rows one after the other, each BODY_ROWS (last − own + 1) wide
        "vector",  # (6 o,) right side, then solution
        "gained",  # (6 o,) momentum that the motion has gained
    ],
)


def band_room(count: int) -> Band:
    """Room for ``count`` owners."""

    def ints(size: int) -> np.ndarray:
        return np.zeros(size, dtype=np.int32)

    return Band(
        count=np.zeros(1, dtype=np.int64),
        place=ints(count),
        order=ints(count),
        touching=ints(count),
        last=ints(count),
        first=np.zeros(count + 1, dtype=np.int64),
        value=np.zeros(min(BODY_ROWS * BODY_ROWS * count * (count + 1) // 2, BAND_VALUES)),
        vector=np.zeros(BODY_ROWS * count),
        gained=np.zeros(BODY_ROWS * count),
    )


@lean_inline
def _list_manifolds(contacts, owners):
    """For each owner that moves, the manifolds that it is part of."""
    band = contacts.band
    for o in range(band.touching.shape[0]):
        band.touching[o] = band.place[o] = -1
    first = 0
    while first < contacts.count[0]:
        row = contacts.rows[first]
        if direct_island_of(contacts.islands, row, owners) >= 0:
            for side in range(2):
                o = row["owner"][side]
                contacts.blow[first]["next"][side] = band.touching[o]
                if owners.inverse_mass[o] > 0.0:
                    band.touching[o] = 2 * first + side
        first += row["points"]


@lean_inline
def _other(contacts, entry):
    """Whom an owner touches in a manifold that it lists."""
    return contacts.rows[entry // 2]["owner"][1 - entry % 2]


@lean_inline
def _spread(contacts, owners, start, begin):
    """Place all that hang together with an owner, nearest first, from a place on; the next one."""
    band = contacts.band
    band.order[begin], band.place[start] = start, begin
    done, end = begin, begin + 1
    while done < end:
        entry = band.touching[band.order[done]]
        while entry >= 0:
            o = _other(contacts, entry)
            if owners.inverse_mass[o] > 0.0 and band.place[o] < 0:
                band.order[end], band.place[o] = o, end
                end += 1
            entry = contacts.blow[entry // 2]["next"][entry % 2]
        done += 1
    return end


@lean
def lay_out_band(contacts, owners):
    """Order the bodies of islands whose way is `DIRECT`; whether their band is small enough."""
    band = contacts.band
    _list_manifolds(contacts, owners)
    count = 0
    for o in range(band.place.shape[0]):
        if band.touching[o] >= 0 and band.place[o] < 0:
            end = _spread(contacts, owners, o, count)
            farthest = band.order[end - 1]
            for k in range(count, end):
                band.place[band.order[k]] = -1
            count = _spread(contacts, owners, farthest, count)
    band.count[0] = count
    at, work, last = 0, 0.0, 0
    for k in range(count):
        last = max(last, k)
        entry = band.touching[band.order[k]]
        while entry >= 0:
            last = max(last, band.place[_other(contacts, entry)])
            entry = contacts.blow[entry // 2]["next"][entry % 2]
        band.last[k], band.first[k] = last, at
        width = BODY_ROWS * (last - k + 1)
        at += BODY_ROWS * width
        work += 0.5 * BODY_ROWS * width * width
    band.first[count] = at
    return at <= band.value.shape[0] and work <= BAND_WORK


@lean_inline
def clear_band(band):
    """Zeros."""
    for n in range(band.first[band.count[0]]):
        band.value[n] = 0.0


@lean
def factor_band(band):
    """D Lᵀ in place of the upper half, with 1/D."""
    value = band.value
    for k in range(band.count[0]):
        width = BODY_ROWS * (band.last[k] - k + 1)
        at = band.first[k]
        for u in range(BODY_ROWS):
            own = at + u * (width + 1)
            value[own] = 1.0 / value[own]
            for i in range(1, BODY_ROWS - u):
                f = value[own + i] * value[own]
                _subtract(value, own + i * (width + 1), own + i, f, width - u - i)
        for i in range(BODY_ROWS, width):
            m, u = k + i // BODY_ROWS, i % BODY_ROWS
            line = BODY_ROWS * (band.last[m] - m + 1)
            if not _is_empty(value, at + i, width):
                own = band.first[m] + u * (line + 1)
                subtract_six(value, own, value, at + i, at, width, width - i)


@lean
def _subtract(value, target, source, f, n):
    row, a = value[target : target + n], value[source : source + n]
    for k in range(n):
        row[k] -= f * a[k]


@lean_inline
def _is_empty(value, s, width):
    """Whether six rows have nothing in the column of s."""
    is_empty = True
    for u in range(BODY_ROWS):
        is_empty = is_empty and value[s + u * width] == 0.0
    return is_empty


@lean
def solve_band(band):
    """L D Lᵀ x = vector, in place."""
    value, x = band.value, band.vector
    for k in range(band.count[0]):
        width, at = BODY_ROWS * (band.last[k] - k + 1), band.first[k]
        for u in range(BODY_ROWS):
            own, i = at + u * (width + 1), BODY_ROWS * k + u
            t = x[i] * value[own]
            x[i] = t
            for m in range(1, width - u):
                x[i + m] -= t * value[own + m]
    for k in range(band.count[0] - 1, -1, -1):
        width, at = BODY_ROWS * (band.last[k] - k + 1), band.first[k]
        for u in range(BODY_ROWS - 1, -1, -1):
            own, i = at + u * (width + 1), BODY_ROWS * k + u
            total = 0.0
            for m in range(1, width - u):
                total += value[own + m] * x[i + m]
            x[i] -= value[own] * total
