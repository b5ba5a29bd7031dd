"""Sticks of what is forced to be longer keep their stretch (`contacts.forced_stretch`).

A stick that asks for its rest length pulls as hard as a step is short, m/2h² a metre: a sheet that
pins stretch by a third swings like a drum, for ever, and a rope throws waves at a hundred metres a
second. Left as they are where they have room, and stiff where they have none, sticks find an even
stretch.
"""

from __future__ import annotations

from collections import namedtuple

from ...kernels.jit import inline, kernel
from ...vec3 import between, length

Forced = namedtuple(
    "Forced",
    [
        "most",  # (o,) share of its length, that a stick of each object may keep being too long by
        "kept",  # share of the stretch of a step ago that it keeps
    ],
)
"""What sticks may be too long by."""


@inline
def kept_length(previous, a, b, rest, forced, object):
    """How long a stick between particles a and b is taken to be, m.

    Its rest length m and, of what it was too long by a step ago, previous (n, 3) m, what it keeps.
    """
    excess = forced.kept * (length(between(previous, a, b)) - rest)
    return rest + min(max(excess, 0.0), forced.most[object] * rest)


@kernel
def find_kept_lengths(previous, pair, rest_length, object_of, forced, found):
    """How long sticks (s, 2) are taken to be, found (s,) m; object_of (s,)."""
    for s in range(pair.shape[0]):
        a, b = pair[s, 0], pair[s, 1]
        found[s] = kept_length(previous, a, b, rest_length[s], forced, object_of[s])


@kernel
def lengthen_strands(previous, rows, forced, object, found):
    """Strands as long as their sticks are taken to be: rows (q,) and found (q,) `STICK`."""
    for k in range(rows.shape[0]):
        found[k] = rows[k]
        p = rows[k]["parent"]
        if p >= 0:
            a, b, rest = rows[p]["particle"], rows[k]["particle"], rows[k]["rest_length"]
            found[k]["rest_length"] = kept_length(previous, a, b, rest, forced, object)
