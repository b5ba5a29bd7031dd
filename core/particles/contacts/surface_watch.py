"""Which contacts of surfaces are looked at while they are parted: what may have come too near.

A heap of cloth has some thirty contacts a vertex, of which few have to be parted in a substep, but
sweeps go over them again and again. Two features get nearer by no more than a + b where the corners
of one go no farther than a, and those of the other b. So what has more than that to spare is left
out, until some vertex goes farther than was allowed for: what is done is the same as if all were
looked at.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import NONE
from ...kernels.jit import lean, lean_inline
from ...vec3 import length, load, sub

LEAST_DISTANCE_KEPT = 0.2
"""Share of their distance that two features keep at least in one substep."""

LEAST_REACH = 1e-3
"""Features nearer than this share of what they should keep do not get nearer at all."""

CERTAIN = 0.999
"""Share of what two features have to spare that is relied on: the rest is rounding's."""

MARGIN_GROWTH = 4.0
"""Factor by which more is allowed for, once some vertex has gone too far."""

FULL_SHARE = 0.3
"""Share of all contacts from which on it is not worth the time to choose."""

WATCHED = np.dtype(
    [
        ("corner", np.int32, (4,)),
        ("is_edges", np.int32),
        ("is_pushed", np.int32),  # a pass has pushed it
        ("spare", np.float64),  # m, how much nearer they may come in the substep
        ("apart", np.float64),  # m, how much farther apart they are than they are to keep
    ],
    align=True,
)
"""What is asked first of a contact: its record is six times as long."""

Watch = namedtuple(
    "Watch",
    [
        "contact",  # (m,) `WATCHED`, of all contacts
        "row",  # (m,) contacts that are looked at, rising
        "count",  # (1,) of them
        "allowed",  # (n,) m, that each vertex may go in the substep
        "margin",  # (1,) m, by which that is more than it has gone; ∞: all are listed
        "nearest",  # (n,) contact of each vertex with the triangle of a mesh that is nearest
    ],
)

Parting = namedtuple(
    "Parting",
    [
        "contacts",  # (m,) `SURFACE_CONTACT`
        "count",  # of them
        "watch",  # `Watch`, which has what `note_spare` noted of all contacts
        "x",  # (n, 3) m, at the end of the substep: what is parted
        "start",  # (n, 3) m, where it begins
        "inverse_mass",  # (n,) 1/kg
    ],
)
"""Contacts of surfaces, and the vertices that are to be parted by them."""


def watch_room(vertices: int, contacts: int) -> Watch:
    """Room for so many vertices and contacts."""
    contact = np.zeros(contacts, dtype=WATCHED)
    row, count = np.zeros(contacts, dtype=np.int32), np.zeros(1, dtype=np.int32)
    nearest = np.full(vertices, NONE, dtype=np.int32)
    return Watch(contact, row, count, np.zeros(vertices), np.zeros(1), nearest)


@lean_inline
def distance_needed(contact):
    """Distance in m that the two features of a contact must have along their normal."""
    distance = contact["distance"]
    return max(LEAST_DISTANCE_KEPT * distance, min(distance, LEAST_REACH * contact["reach"]))


@lean_inline
def note_spare(watch, n, contact):
    """Note what contact n has to spare, where the substep begins."""
    watched = watch.contact[n]
    for c in range(4):
        watched["corner"][c] = contact["corner"][c]
    watched["is_edges"] = contact["is_edges"]
    watched["spare"] = contact["distance"] - distance_needed(contact)


@lean_inline
def note_apart(watch, n, contact):
    """Note how far apart the features of contact n are where the substep begins."""
    watched = watch.contact[n]
    watched["is_pushed"] = 0
    pushes = contact["mobility"] > 0.0
    watched["apart"] = contact["distance"] - contact["reach"] if pushes else math.inf


@lean
def note_ways(watch, start, now):
    """Note how far each vertex is allowed to have gone: as far as it has, from start to now."""
    for i in range(now.shape[0]):
        watch.allowed[i] = _gone(now, start, i)


@lean_inline
def _gone(x, start, i):
    """How far vertex i has gone, m."""
    return length(sub(load(x, i), load(start, i)))


@lean
def watch_contacts(watch, count, x, start, rows):
    """List which of ``count`` contacts may come too near, from start to about x (n, 3) m.

    rows: vertices of cloth. Where contacts are few, it would not be worth the time to choose.
    """
    gone = 0.0
    for n in range(rows.shape[0] if count > x.shape[0] else 0):
        gone += _gone(x, start, rows[n])
    watch.margin[0] = gone / rows.shape[0] if count > x.shape[0] else math.inf
    _list_contacts(watch, count, x, start, -1)


@lean
def watch_more(watch, count, x, start, after):
    """Allow for more; returns where the contacts after that one begin in the list."""
    watch.margin[0] *= MARGIN_GROWTH
    return _list_contacts(watch, count, x, start, after)


@lean
def _list_contacts(watch, count, x, start, after):
    """List what may come too near when each vertex goes on by the margin; see `watch_more`.

    Should that be most of them, all are listed for good.
    """
    listed = first = 0
    if watch.margin[0] < math.inf:
        for i in range(x.shape[0]):
            watch.allowed[i] = _gone(x, start, i) + watch.margin[0]
        for n in range(count):
            if may_come_nearer(watch, n, watch.contact[n]["spare"]):
                watch.row[listed] = n
                listed += 1
            if n <= after:
                first = listed
    if watch.margin[0] == math.inf or FULL_SHARE * count < listed:
        watch.margin[0] = math.inf
        for n in range(count):
            watch.row[n] = n
        listed, first = count, after + 1
    watch.count[0] = listed
    return first


@lean_inline
def may_come_nearer(watch, n, spare):
    """Whether the features of contact n may get nearer by that, m, as far as corners may go."""
    watched, allowed = watch.contact[n], watch.allowed
    a, b = allowed[watched["corner"][0]], allowed[watched["corner"][1]]
    c, d = allowed[watched["corner"][2]], allowed[watched["corner"][3]]
    way = max(a, b) + max(c, d) if watched["is_edges"] else a + max(b, max(c, d))
    return not way < CERTAIN * spare


@lean_inline
def has_left(watch, n, x, start):
    """Whether a corner of contact n has gone farther than was allowed for."""
    left = False
    if watch.margin[0] < math.inf:
        for c in range(4):
            i = watch.contact[n]["corner"][c]
            left = left or _gone(x, start, i) > watch.allowed[i]
    return left


@lean_inline
def has_gone_too_far(watch, rows, x, start):
    """Whether any of the vertices ``rows`` has gone farther than was allowed for."""
    left = False
    if watch.margin[0] < math.inf:
        for n in range(rows.shape[0]):
            left = left or _gone(x, start, rows[n]) > watch.allowed[rows[n]]
    return left


@lean_inline
def is_as_it_was(watched, moved, sweep):
    """Whether no corner of a contact has moved since it was looked at in the sweep before."""
    latest = max(moved[watched["corner"][0]], moved[watched["corner"][1]])
    latest = max(latest, max(moved[watched["corner"][2]], moved[watched["corner"][3]]))
    return latest < sweep - 1
