"""No way through: what the other stages of a substep left undone, surfaces keep apart here.

Two features that a plane parts at the start of a substep, and a plane with the same normal at its
end, cannot have passed through each other if all vertices move on straight lines: at every moment
the plane in between, moving with them, parts them. So it is enough to see to it that at the end
all vertices of a lie above all of b along the line of their nearest points at the start. No
continuous test is needed, and layers that move together are not bound by it. (The planes are those
of divide and truncate, cf. Chen et al. 2025, "Offset Geometric Contact"; there they stand still.)
"""

from __future__ import annotations

import math

from ...kernels.jit import kernel, lean_inline

LEAST_SHARE = 0.2
"""Share of their distance that two features keep at least in one substep."""

ROUNDS = 8
"""Rounds in which all contacts are parted, before what is not apart then is stopped."""

LEAST_REACH = 1e-3
"""Features nearer than this share of what they should keep do not get nearer at all."""


@lean_inline
def _extent(contact, x):
    """Lowest of a and highest of b along the normal, m."""
    low, high = math.inf, -math.inf
    first = 2 if contact["is_edges"] else 1
    for c in range(4):
        i = contact["corner"][c]
        height = 0.0
        for k in range(3):
            height += contact["normal"][k] * x[i, k]
        if c < first:
            low = min(low, height)
        else:
            high = max(high, height)
    return low, high


@lean_inline
def _needed(contact):
    """Distance in m that the two features of a contact must have along their normal."""
    distance = contact["distance"]
    return max(LEAST_SHARE * distance, min(distance, LEAST_REACH * contact["reach"]))


@lean_inline
def _part(contact, x, inverse_mass, needed, low, high):
    """Put vertices of a above and those of b below two planes, needed m apart."""
    first = 2 if contact["is_edges"] else 1
    above = low + 0.5 * (needed - (low - high))
    least, most = -math.inf, math.inf  # where the plane of a may lie for what is held
    for c in range(4):
        i = contact["corner"][c]
        if inverse_mass[i] > 0.0:
            continue
        height = 0.0
        for k in range(3):
            height += contact["normal"][k] * x[i, k]
        if c < first:
            most = min(most, height)
        else:
            least = max(least, height + needed)
    above = max(min(above, most), least)
    for c in range(4):
        i = contact["corner"][c]
        if inverse_mass[i] == 0.0:
            continue
        height = 0.0
        for k in range(3):
            height += contact["normal"][k] * x[i, k]
        way = above - height if c < first else min(0.0, above - needed - height)
        if c < first:
            way = max(way, 0.0)
        for k in range(3):
            x[i, k] += way * contact["normal"][k]


@lean_inline
def _part_all(contacts, count, x, inverse_mass):
    """One round over all contacts; how many had to be parted."""
    parted = 0
    for n in range(count):
        contact = contacts[n]
        needed = _needed(contact)
        low, high = _extent(contact, x)
        if low - high < needed:
            parted += 1
            # a hair more than needed, or rounding asks for it again
            _part(contact, x, inverse_mass, needed * (1.0 + 1e-6), low, high)
    return parted


@lean_inline
def _stop(contacts, count, x, start, way, inverse_mass, is_stopped):
    """Stop what is still not apart; how many vertices that stopped anew."""
    stopped = 0
    for n in range(count):
        contact = contacts[n]
        low, high = _extent(contact, x)
        if low - high >= _needed(contact):
            continue
        for c in range(4):
            i = contact["corner"][c]
            if inverse_mass[i] > 0.0 and is_stopped[i] == 0:
                is_stopped[i] = 1
                stopped += 1
                for k in range(3):
                    x[i, k] = start[i, k] + way[k]
    return stopped


@kernel
def part_surfaces(contacts, count, x, start, inverse_mass, rows, is_stopped):
    """Part all contacts, x (n, 3) m at the end of the substep; how many vertices had to stop.

    Some rounds of the least that parts them, one after the other. Should that not be enough, what
    is not apart stops, and what that stops, until all is apart. What is stopped goes on with the
    mean motion of the vertices ``rows``: as one piece, nothing meets. Features between vertices
    that are held may stay together; nothing can be done for them here. is_stopped (n,) is scratch.
    """
    for _ in range(ROUNDS):
        if _part_all(contacts, count, x, inverse_mass) == 0:
            return 0
    way = _mean_way(x, start, inverse_mass, rows)
    for n in range(rows.shape[0]):
        is_stopped[rows[n]] = 0
    total = 0
    while True:
        stopped = _stop(contacts, count, x, start, way, inverse_mass, is_stopped)
        total += stopped
        if stopped == 0:
            return total


@lean_inline
def _mean_way(x, start, inverse_mass, rows):
    """Mean motion (three numbers, m) since the start of the substep of what is not held."""
    free = 0
    ux, uy, uz = 0.0, 0.0, 0.0
    for n in range(rows.shape[0]):
        i = rows[n]
        if inverse_mass[i] > 0.0:
            free += 1
            ux += x[i, 0] - start[i, 0]
            uy += x[i, 1] - start[i, 1]
            uz += x[i, 2] - start[i, 2]
    f = 1.0 / max(free, 1)
    return f * ux, f * uy, f * uz
