"""Contacts of bodies where these are now: arms, effective masses and gaps."""

from __future__ import annotations

import math

from ...kernels.jit import lean, lean_inline
from ...kernels.lanes import larger, select, smaller
from ...vec3 import add, along, dot, load, rotate, scale, store, sub, vec
from .contact_masses import couple_points, weigh_point
from .contact_table import NORMAL
from .rim_contact import rim_arm

USUAL_RATE = 480.0
"""Steps a second that the iterations are measured for."""

SOFT_SAG = 5e-4
"""Way that gravity makes in a substep, as a share of a body's radius, that one iteration is enough
for: contacts give way by as much, and a stack of small bodies would lean."""

MOST_SMALL_ITERATIONS = 8
"""Most iterations that bodies take for being small."""


@lean_inline
def meeting_place(p, q, apart, f, g, normal):
    """Arms of a and b (m) to the point of contact, and the gap there.

    p, q: where their surfaces are, from their centres, which lie ``apart``; f, g: radii of what is
    round there. The point lies halfway; where one surface is round it is the point of that one,
    which rolls over the other. Floats or lanes.
    """
    between = sub(add(apart, p), q)
    of_b = select((f > 0.0) & (g == 0.0), 0.0, 0.5)
    of_b = select((g > 0.0) & (f == 0.0), 1.0, of_b)
    return along(p, -of_b, between), along(q, 1.0 - of_b, between), dot(between, normal)


@lean_inline
def overlap_left(old, gap):
    """What is left of the overlap that two met with, m."""
    return smaller(old, larger(-gap, 0.0))


@lean_inline
def _point_arms(row, origin, rim, owners, has_rims):
    """Write arms and gap of a row where its owners are now. has_rims: rim is known."""
    a, b = row["owner"][0], row["owner"][1]
    normal = vec(row["axis"][NORMAL])
    f, g = origin["radius"][0], origin["radius"][1]
    p = along(rotate(owners.rotation[a], vec(origin["anchor"][0])), -f, normal)
    q = along(rotate(owners.rotation[b], vec(origin["anchor"][1])), g, normal)
    if has_rims:
        if rim["radius"][0] > 0.0:
            f = rim["radius"][0]
            p = rim_arm(origin, rim, 0, owners.rotation[a], scale(-1.0, normal))
        if rim["radius"][1] > 0.0:
            g = rim["radius"][1]
            q = rim_arm(origin, rim, 1, owners.rotation[b], normal)
    apart = sub(load(owners.position, a), load(owners.position, b))
    p, q, gap = meeting_place(p, q, apart, f, g, normal)
    store(row["arm"], 0, p)
    store(row["arm"], 1, q)
    gap -= origin["skin"]
    row["gap"] = gap
    row["old_overlap"] = overlap_left(row["old_overlap"], gap)


@lean
def aim_contacts(contacts, owners):
    """Arms, effective masses and gaps where the owners are now."""
    has_rims = contacts.rims[0] == 1
    first = 0
    while first < contacts.count[0]:
        _aim_manifold(contacts, first, owners, has_rims)
        first += contacts.rows[first]["points"]


@lean_inline
def _aim_manifold(contacts, first, owners, has_rims):
    """`aim_contacts` of the points of one manifold, and what they do to each other."""
    for c in range(first, first + contacts.rows[first]["points"]):
        row = contacts.rows[c]
        row["answered"] = 0
        _point_arms(row, contacts.origin[c], contacts.rim[c], owners, has_rims)
        weigh_point(row, owners)
    couple_points(contacts.rows, first, owners)


def iterations_for(radius: float, gravity: float, h: float) -> int:
    """Iterations over contacts of bodies of which the least is of that radius in m.

    There are more in steps longer than usual, or heaps of hundreds go on creeping, and for small
    bodies, for which gravity (m/s²) makes a long way in a step (`SOFT_SAG`). None where all that
    touches hangs on joints: that radius is infinite.
    """
    if radius == math.inf:
        return 0
    iterations = math.ceil(max(1.0, USUAL_RATE * h))
    small = math.ceil(gravity * h * h / (SOFT_SAG * radius))
    return max(iterations, min(small, MOST_SMALL_ITERATIONS))
