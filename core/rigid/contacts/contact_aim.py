"""Contacts of bodies where these are now: arms, effective masses and gaps."""

from __future__ import annotations

import math

from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import add, along, dot, load, rotate, scale, store, sub, vec
from ..articulation.articulated_inertia import forget_touch
from .contact_groups import is_either_jointed
from .contact_masses import couple_points, weigh_point
from .contact_table import NORMAL
from .rim_contact import rim_arm
from .uneven_islands import find_uneven

USUAL_RATE = 480.0
"""Steps a second that the iterations are measured for."""

SOFT_SAG = 5e-4
"""Way that gravity makes in a substep, as a share of a body's radius, that one iteration is enough
for: contacts give way by as much, and a stack of small bodies would lean."""

MOST_SMALL_ITERATIONS = 8
"""Most iterations that bodies take for being small."""


@lean_inline
def _point_arms(row, origin, rim, owners, has_rims):
    """Arms of a and b (m) to the point of contact; writes the gap. has_rims: rim is known.

    The point lies halfway between the two anchors; where one surface is round it is the point of
    that one, which rolls over the other.
    """
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
    between = sub(add(apart, p), q)
    row["gap"] = dot(between, normal)
    row["old_overlap"] = min(row["old_overlap"], max(-row["gap"], 0.0))
    share = 0.5
    if f > 0.0 and g == 0.0:
        share = 0.0
    elif g > 0.0 and f == 0.0:
        share = 1.0
    return along(p, -share, between), along(q, 1.0 - share, between)


@lean
def aim_contacts(contacts, owners):
    """Arms, effective masses and gaps where the owners are now."""
    has_rims = contacts.rims[0] == 1
    first = 0
    while first < contacts.count[0]:
        aim_manifold(contacts, first, owners, has_rims)
        first += contacts.rows[first]["points"]


@lean_inline
def aim_manifold(contacts, first, owners, has_rims):
    """`aim_contacts` of the points of one manifold, and what they do to each other."""
    for c in range(first, first + contacts.rows[first]["points"]):
        row = contacts.rows[c]
        row["answered"] = 0
        p, q = _point_arms(row, contacts.origin[c], contacts.rim[c], owners, has_rims)
        store(row["arm"], 0, p)
        store(row["arm"], 1, q)
        weigh_point(row, owners)
    couple_points(contacts.rows, first, owners)


@kernel
def prepare_contacts(contacts, owners, radius, are_aimed):
    """`aim_contacts` of new rows, and which islands are uneven; radius (b,) m of bodies.

    are_aimed: `aim_contacts` has been done already. Returns the least radius of bodies that touch
    something and hang on no joint: infinity where there are none.
    """
    if not are_aimed:
        aim_contacts(contacts, owners)
    forget_touch(contacts.limbs)
    find_uneven(contacts, owners)
    least = math.inf
    first = 0
    while first < contacts.count[0]:
        row = contacts.rows[first]
        first += row["points"]
        if is_either_jointed(contacts.groups, row):
            continue
        for side in range(2):
            o = row["owner"][side]
            if owners.inverse_mass[o] > 0.0:
                least = min(least, radius[o])
    return least


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
