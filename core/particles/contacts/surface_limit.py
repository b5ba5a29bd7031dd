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


@kernel
def part_surfaces(contacts, count, x, inverse_mass):
    """One round over all contacts; how many had to be parted. x (n, 3) m: ends of the substep."""
    parted = 0
    for n in range(count):
        contact = contacts[n]
        needed = _needed(contact)
        low, high = _extent(contact, x)
        if low - high >= needed:
            continue
        parted += 1
        # a hair more than needed, or rounding asks for it again
        _part(contact, x, inverse_mass, needed * (1.0 + 1e-6), low, high)
    return parted


@kernel
def stop_surfaces(contacts, count, x, start, way, inverse_mass, is_stopped):
    """Stop what is still not apart, and what that stops, until all is apart; how many contacts.

    What is stopped goes on with the mean motion way (3,) of all: as one piece, nothing meets.
    Contacts with vertices that are held may be left; they are not counted.
    """
    stopped = 0
    goes_on = True
    while goes_on:
        goes_on = False
        for n in range(count):
            contact = contacts[n]
            low, high = _extent(contact, x)
            if low - high >= _needed(contact):
                continue
            for c in range(4):
                i = contact["corner"][c]
                if inverse_mass[i] == 0.0 or is_stopped[i] == 1:
                    continue
                is_stopped[i] = 1
                goes_on = True
                stopped += 1
                for k in range(3):
                    x[i, k] = start[i, k] + way[k]
    return stopped
