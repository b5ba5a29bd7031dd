"""What parting leaves undone: zones of cloth that go back by half of their way, and at last stop.

Vertices whose contacts are not apart make a zone (union–find: Tarjan 1975), which has one motion:
the mean of its vertices' by mass, so that it keeps its momentum; what is held in it leads it, or
the mesh that it is at. A zone that goes that way as one piece meets nothing of its own.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...islands import join, root_of
from ...kernels.jit import lean, lean_inline
from ...vec3 import ZERO, add, along, divide, load, scale, set_vec, store, sub, vec
from .surface_planes import are_parted
from .surface_watch import has_gone_too_far, is_as_it_was, watch_more

TO_RETREAT, TO_STOP, TO_JOIN = range(3)
"""What zones are for: to go half of their way, to go as one, and not with a mesh either."""

ZONE = np.dtype(
    [
        ("mass", np.float64),  # kg, of what is free
        ("momentum", np.float64, (3,)),  # kg·m, likewise, in a substep
        ("leaders", np.int32),  # vertices that are held, or go with a mesh
        ("is_joined", np.int32),  # it goes with no mesh
        ("way", np.float64, (3,)),  # m, in a substep: at first the sum of its leaders' ways
    ],
    align=True,
)

Stopping = namedtuple(
    "Stopping",
    [
        "moved",  # (n,) sweep over the contacts in which a vertex was moved last
        "parent",  # (n,) vertex of the same zone, itself for the first one; −1 outside of zones
        "zone",  # (n,) ZONE, of those first ones
        "way",  # (n, 3) m, of the mesh that a vertex is at
        "nearest",  # (n,) m, to that mesh; ∞ for none
    ],
)
"""Scratch of `part_surfaces`."""


def stopping_room(count: int) -> Stopping:
    """Scratch for ``count`` vertices."""
    moved, parent = np.zeros((2, count), dtype=np.int32)
    zone = np.zeros(count, dtype=ZONE)
    return Stopping(moved, parent, zone, np.zeros((count, 3)), np.zeros(count))


@lean
def forget_zones(rows, stopping):
    """Nothing is in a zone."""
    for n in range(rows.shape[0]):
        stopping.parent[rows[n]] = -1


@lean_inline
def _is_taken(i, is_at_mesh, inverse_mass, led, what):
    """Whether a corner of a contact becomes part of its zone.

    What is held does not stop for meshes: a pin that its animation has inside of one goes there.
    """
    return i < led and not (is_at_mesh and (inverse_mass[i] == 0.0 or what == TO_JOIN))


@lean_inline
def _take_in(contact, stopping, inverse_mass, led, what):
    """Make a contact's vertices one zone; how many things that changes."""
    parent, zone = stopping.parent, stopping.zone
    latest = first = -1
    changes = 0
    for c in range(4):
        latest = max(latest, contact["corner"][c])
    for c in range(4):
        i = contact["corner"][c]
        if not _is_taken(i, latest >= led, inverse_mass, led, what):
            continue
        if parent[i] < 0:
            parent[i] = i
            zone[i]["is_joined"] = 0
            changes += 1
        other = root_of(parent, i)
        if first < 0:
            first = other
        elif first != other:
            changes += 1
            is_joined = max(zone[first]["is_joined"], zone[other]["is_joined"])
            join(parent, first, other)
            first = root_of(parent, first)
            zone[first]["is_joined"] = is_joined
    if first >= 0 and what == TO_JOIN and zone[first]["is_joined"] == 0:
        zone[first]["is_joined"] = 1
        changes += 1
    return changes


@lean_inline
def _is_leader(i, stopping, inverse_mass):
    return inverse_mass[i] == 0.0 or stopping.nearest[i] < math.inf


@lean_inline
def _find_ways(rows, stopping, x, start, inverse_mass):
    """The way of each zone."""
    parent, zone = stopping.parent, stopping.zone
    for n in range(rows.shape[0]):
        i = rows[n]
        if parent[i] == i:
            zone[i]["mass"], zone[i]["leaders"] = 0.0, 0
            set_vec(zone[i]["momentum"], ZERO)
            set_vec(zone[i]["way"], ZERO)
    for n in range(rows.shape[0]):
        i = rows[n]
        if parent[i] < 0:
            continue
        own = zone[root_of(parent, i)]
        way = sub(load(x, i), load(start, i))
        if _is_leader(i, stopping, inverse_mass):
            if stopping.nearest[i] < math.inf:
                way = load(stopping.way, i)
            own["leaders"] += 1
            set_vec(own["way"], add(vec(own["way"]), way))
        else:
            own["mass"] += 1.0 / inverse_mass[i]
            set_vec(own["momentum"], along(vec(own["momentum"]), 1.0 / inverse_mass[i], way))
    for n in range(rows.shape[0]):
        i = rows[n]
        if parent[i] != i:
            continue
        own = zone[i]
        if own["leaders"] > 0:
            set_vec(own["way"], divide(vec(own["way"]), own["leaders"]))
        else:
            set_vec(own["way"], divide(vec(own["momentum"]), own["mass"]))


@lean_inline
def _go(rows, stopping, x, start, inverse_mass, sweep, what):
    """Have the vertices of zones go as they are to."""
    parent, zone = stopping.parent, stopping.zone
    for n in range(rows.shape[0]):
        i = rows[n]
        if parent[i] < 0 or (what == TO_RETREAT and inverse_mass[i] == 0.0):
            continue
        own = zone[root_of(parent, i)]
        goes_with_mesh = stopping.nearest[i] < math.inf and own["is_joined"] == 0
        way = load(stopping.way, i) if goes_with_mesh else vec(own["way"])
        end = add(load(start, i), way)
        if what == TO_RETREAT:
            end = scale(0.5, add(load(x, i), end))
        store(x, i, end)
        stopping.moved[i] = sweep


@lean
def hold_back(parting, rows, stopping, led, sweep, what, is_first):
    """Do ``what`` to all contacts that are not apart; how many vertices and zones that changed.

    sweep: the number of this one; is_first: nothing was held back for this yet, so what has not
    moved may be apart or not.
    """
    contacts, count, watch, x, start, inverse_mass = parting
    changes = 0
    for p in range(watch.count[0]):
        n = watch.row[p]
        if not is_first and is_as_it_was(watch.contact[n], stopping.moved, sweep):
            continue
        if are_parted(contacts[n], x, start):
            continue
        if what == TO_RETREAT:
            contacts[n]["is_turned"] = 0
        changes += _take_in(contacts[n], stopping, inverse_mass, led, what)
    if changes == 0:
        return 0
    _find_ways(rows, stopping, x, start, inverse_mass)
    _go(rows, stopping, x, start, inverse_mass, sweep, what)
    while has_gone_too_far(watch, rows, x, start):
        watch_more(watch, count, x, start, -1)
    return changes


@lean
def note_meshes(parting, rows, stopping, led):
    """Note with which mesh each of the vertices ``rows`` goes when it stops, and which way."""
    for n in range(rows.shape[0]):
        stopping.nearest[rows[n]] = math.inf
    x, start = parting.x, parting.start
    for n in range(parting.count if led < x.shape[0] else 0):
        _go_with_mesh(parting.contacts[n], x, start, stopping.way, stopping.nearest, led)


@lean_inline
def _go_with_mesh(contact, x, start, way, nearest, led):
    """Have the vertices of a contact with a mesh go on with the mesh, if it is the nearest one."""
    total, mean = 0.0, ZERO
    for c in range(4):
        i = contact["corner"][c]
        if i >= led:
            f = abs(contact["weight"][c])
            total += f
            mean = along(mean, f, sub(load(x, i), load(start, i)))
    if total == 0.0:
        return
    for c in range(4):
        i = contact["corner"][c]
        if i < led and contact["distance"] < nearest[i]:
            nearest[i] = contact["distance"]
            store(way, i, divide(mean, total))
