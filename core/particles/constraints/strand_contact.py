"""What strands lie on: colliders bear a rope inside the solution that gives its sticks their pulls.

A rope of grams that carries a crate over a bar is drawn into the bar by a solution that does not
know the bar, and what pushes it out again moves grams and not the crate: rope and crate come
through, or the rope grows. So each place where a strand lies on what does not give way is a row of
the solution beside those of the sticks, at one particle or between the two ends of a stick, with
weights cᵢ (Jakobsen §5):

    n·Σ cᵢ Δxᵢ = −gap,   t·(Σ cᵢ Δxᵢ + ε p) = −slide   for two tangents t.

Which of them bear is looked at after each solution (an active set: Nocedal & Wright 2006, §16.5):
what pulls lets go, what comes inside bears. Friction p is held within its cone by the compliance ε
alone: whoever slides by u under a push R has ε = |u|/(μ R), found by solving anew with the last
one's u and R (reweighting: Weiszfeld 1937); it falls to nothing where μ R is enough to hold. So
friction only takes, whatever is left undone. All of it is solved from where the step began.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...kernels.jit import inline
from ...vec3 import (
    ZERO,
    across,
    add,
    along,
    cross,
    divide,
    dot,
    length,
    load,
    scale,
    set_vec,
    sub,
    symmetric_times,
    vec,
)

LIFTED, CARRYING = range(2)
"""What a support does."""

SUPPORT = np.dtype(
    [
        ("row", np.int32),  # of the strand: the outer end of the stick that lies there
        ("next", np.int32),  # the next support of that row, −1 for none
        ("state", np.int32),  # LIFTED or CARRYING
        ("turns", np.int32),  # how often that has changed in this step
        ("weight", np.float64, (2,)),  # of the outer and of the inner end
        ("axis", np.float64, (3, 3)),  # normal and two tangents
        ("gap", np.float64),  # m, before the solution
        ("slide", np.float64, (3,)),  # m, how far it has slid in this step before the solution
        ("friction", np.float64),
        ("yielding", np.float64),  # ε, 1/kg: 0 sticks, infinite slides freely
        ("normal_impulse", np.float64),  # kg·m, R of the solution so far
        ("hold", np.float64, (3,)),  # kg·m, p likewise
    ],
    align=True,
)

MOST_ROWS = 9
"""Of one stick: three of its own, three of its outer end and three of a place between its ends."""

BORNE = np.dtype(
    [
        ("count", np.int32),
        ("axis", np.float64, (MOST_ROWS, 3)),
        ("weight", np.float64, (MOST_ROWS, 2)),
        ("along", np.float64, (MOST_ROWS, 3)),  # M⁻¹ axis
        ("stiffness", np.float64, (MOST_ROWS, MOST_ROWS)),  # S
        ("error", np.float64, (MOST_ROWS,)),
        ("added", np.float64, (MOST_ROWS,)),  # t
    ],
    align=True,
)
"""Rows of a stick that is borne, as they are eliminated together."""

Standoff = namedtuple("Standoff", ["radius", "fall"])
"""m that each particle (n,) keeps away from what bears it, and m of gravity's way in a step."""

Bearing = namedtuple(
    "Bearing",
    [
        "count",  # (1,) supports that there are
        "support",  # (c,) SUPPORT
        "first",  # (q,) of each row of the strand, −1 for none
        "borne",  # (q,) BORNE
    ],
)
"""What bears the strands of one object in this step."""

BORNE_FROM = 1e-6
"""How far inside, in the same, something that was free comes to be borne."""

SUPPORT_COMPLIANCE = 1e-9
"""Compliance of a support, in that of the particles that it bears."""

LETS_GO = 0.01
"""Pull, as a share of the strongest push, with which a support lets go."""

MOST_TURNS = 3
"""How often one support may come to bear in a step."""

STEADY = 0.01
"""Friction that is off by more than this share is solved anew."""

STUCK = 0.01
"""What slides by less than this share of the way of gravity in a step sticks."""


def bearing_room(rows: int) -> Bearing:
    """For strands of so many rows; of none where nothing bears them."""
    return Bearing(
        np.zeros(1, dtype=np.int32),
        np.zeros(2 * rows, SUPPORT),
        np.full(rows, -1, dtype=np.int32),
        np.zeros(rows, BORNE),
    )


@inline
def note_support(bearing, k, weight, normal, gap, slide, mu, bears, creep):
    """Note a support of row k, unless that has two."""
    first, c = bearing.first, bearing.count[0]
    if c >= bearing.support.shape[0]:
        return
    if first[k] >= 0 and bearing.support[first[k]]["next"] >= 0:
        return
    support = bearing.support[c]
    support["row"], support["next"], support["turns"] = k, first[k], 0
    first[k] = c
    bearing.count[0] = c + 1
    support["weight"][0], support["weight"][1] = weight
    set_vec(support["axis"][0], normal)
    tangent = across(normal)
    tangent = divide(tangent, length(tangent))
    set_vec(support["axis"][1], tangent)
    set_vec(support["axis"][2], cross(normal, tangent))
    support["gap"], support["friction"] = gap, mu
    slide = along(slide, -dot(slide, normal), normal)
    set_vec(support["slide"], slide)
    support["yielding"] = 0.0 if length(slide) <= creep else math.inf
    support["state"] = CARRYING if bears else LIFTED


@inline
def is_borne(bearing, k):
    """Whether anything bears row k."""
    if bearing.first.shape[0] == 0:
        return False
    c = bearing.first[k]
    while c >= 0:
        if bearing.support[c]["state"] != LIFTED:
            return True
        c = bearing.support[c]["next"]
    return False


@inline
def begin_supports(bearing):
    """Begin a solution from where the step has taken everything."""
    for c in range(bearing.count[0]):
        bearing.support[c]["normal_impulse"] = 0.0
        set_vec(bearing.support[c]["hold"], ZERO)


@inline
def _moved(points, sticks, particles, support):
    """How far the place of a support has been moved by the solution so far, m."""
    k = support["row"]
    p = sticks[k]["parent"]
    way = sub(vec(points[k]["place"]), load(particles.x, sticks[k]["particle"]))
    way = scale(support["weight"][0], way)
    if p >= 0:
        inner = sub(vec(points[p]["place"]), load(particles.x, sticks[p]["particle"]))
        way = along(way, support["weight"][1], inner)
    return way


@inline
def add_row(borne, axis, weight, error, softness):
    """One more row; its error and softness wait in `added` and on the diagonal."""
    n = borne["count"]
    borne["count"] = n + 1
    set_vec(borne["axis"][n], axis)
    borne["weight"][n, 0], borne["weight"][n, 1] = weight
    borne["added"][n] = error
    borne["stiffness"][n, n] = softness


@inline
def add_turning(borne, n, softness):
    """Two rows across a taut stick along n, by which it resists being turned."""
    u = across(n)
    u = divide(u, length(u))
    add_row(borne, u, (1.0, -1.0), 0.0, softness)
    add_row(borne, cross(n, u), (1.0, -1.0), 0.0, softness)


@inline
def collect_supports(bearing, points, sticks, particles, k):
    """Rows of what bears row k, behind that of its stick."""
    borne = bearing.borne[k]
    p = sticks[k]["parent"]
    c = bearing.first[k]
    while c >= 0:
        support = bearing.support[c]
        c = support["next"]
        if support["state"] == LIFTED:
            continue
        weight = (support["weight"][0], support["weight"][1])
        soft = weight[0] * weight[0] * points[k]["inverse_mass"]
        if p >= 0:
            soft += weight[1] * weight[1] * points[p]["inverse_mass"]
        soft *= SUPPORT_COMPLIANCE
        way = _moved(points, sticks, particles, support)
        normal = vec(support["axis"][0])
        add_row(borne, normal, weight, support["gap"] + dot(normal, way), soft)
        soft = max(soft, support["yielding"])
        if soft == math.inf:
            continue
        way = along(add(way, vec(support["slide"])), soft, vec(support["hold"]))
        for t in range(1, 3):
            axis = vec(support["axis"][t])
            add_row(borne, axis, weight, dot(axis, way), soft)


@inline
def eliminate_rows(borne, mobility, moved):
    """S = (softness + J M⁻¹ Jᵀ)⁻¹ and t = S (error + J M⁻¹ b) of all rows of a stick.

    mobility: M⁻¹ of the outer end, moved: M⁻¹ b.
    """
    n = borne["count"]
    a, added = borne["stiffness"], borne["added"]
    for r in range(n):
        set_vec(borne["along"][r], symmetric_times(mobility, vec(borne["axis"][r])))
        added[r] += borne["weight"][r, 0] * dot(vec(borne["axis"][r]), moved)
    for r in range(n):
        for q in range(n):
            both = borne["weight"][r, 0] * borne["weight"][q, 0]
            value = both * dot(vec(borne["axis"][r]), vec(borne["along"][q]))
            a[r, q] = value + (a[r, q] if r == q else 0.0)
    for r in range(n):  # Gauss–Jordan in place: positive definite, so no pivots
        f = 1.0 / a[r, r]
        a[r, r] = 1.0
        for q in range(n):
            a[r, q] *= f
        for m in range(n):
            if m == r:
                continue
            f = a[m, r]
            a[m, r] = 0.0
            for q in range(n):
                a[m, q] -= f * a[r, q]
    for r in range(n):
        borne["along"][r, 0] *= borne["weight"][r, 0]
        borne["along"][r, 1] *= borne["weight"][r, 0]
        borne["along"][r, 2] *= borne["weight"][r, 0]
    # t in place of the errors
    error = borne["error"]
    for r in range(n):
        error[r] = added[r]
    for r in range(n):
        added[r] = 0.0
        for q in range(n):
            added[r] += a[r, q] * error[q]


@inline
def hand_supports_inward(borne, inner):
    """Add what the rows of a stick cost to its inner end: its inertia and impulse."""
    n = borne["count"]
    mobility = inner["mobility"]
    for r in range(n):
        x, y, z = scale(borne["weight"][r, 1], vec(borne["axis"][r]))
        set_vec(inner["push"], along(vec(inner["push"]), -borne["added"][r], (x, y, z)))
        for q in range(n):
            f = borne["stiffness"][r, q]
            u, v, w = scale(f * borne["weight"][q, 1], vec(borne["axis"][q]))
            mobility[0] += x * u
            mobility[1] += y * v
            mobility[2] += z * w
            mobility[3] += 0.5 * (x * v + y * u)
            mobility[4] += 0.5 * (x * w + z * u)
            mobility[5] += 0.5 * (y * w + z * v)


@inline
def resolve_supports(bearing, sticks, k, way, inner, s):
    """The way of row k, of which ``way`` is what it moves without its rows; inner: that of its
    inner end. Notes what bears and holds it.
    """
    borne = bearing.borne[k]
    n = borne["count"]
    own = 0
    if sticks[k]["parent"] >= 0:
        own = 3 if s[k]["tension"] > 0.0 else 1
    c = bearing.first[k]
    t = 0
    for r in range(n):
        pull = borne["added"][r]
        for q in range(n):
            f = borne["stiffness"][r, q] * borne["weight"][q, 1]
            pull += f * dot(vec(borne["axis"][q]), inner)
        way = along(way, -pull, vec(borne["along"][r]))
        if r < own:
            if r == 0:
                s[k]["multiplier"] += pull
            continue
        while bearing.support[c]["state"] == LIFTED:
            c = bearing.support[c]["next"]
        support = bearing.support[c]
        if t == 0:
            support["normal_impulse"] -= pull
        else:
            hold = along(vec(support["hold"]), -pull, vec(borne["axis"][r]))
            set_vec(support["hold"], hold)
        t += 1
        if t == (1 if support["yielding"] == math.inf else 3):
            t = 0
            c = support["next"]
    return way


@inline
def _yield(support, way, fall):
    """Set ε of what bears and has been moved so far; whether friction is another one by that."""
    normal = vec(support["axis"][0])
    most = support["friction"] * support["normal_impulse"]
    before = support["yielding"]
    if most <= 0.0:
        support["yielding"] = math.inf
        return before != math.inf
    if before == math.inf:
        slide = add(vec(support["slide"]), way)
        slide = along(slide, -dot(slide, normal), normal)
        support["yielding"] = length(slide) / most
        return True
    share = length(vec(support["hold"])) / most
    if before == 0.0:
        if share > 1.0:
            support["yielding"] = math.inf
        return share > 1.0
    if share < 1.0 and share * most * before < STUCK * fall:
        return False
    support["yielding"] = before * share * share
    return abs(share - 1.0) > STEADY


@inline
def turn_supports(bearing, points, sticks, particles, ground):
    """See after a solution what bears and how it slides; whether that is to be solved anew."""
    radius, fall = ground
    is_other = False
    most = 0.0
    for c in range(bearing.count[0]):
        most = max(most, bearing.support[c]["normal_impulse"])
    for c in range(bearing.count[0]):
        support = bearing.support[c]
        way = _moved(points, sticks, particles, support)
        if support["state"] == LIFTED:
            inside = support["gap"] + dot(vec(support["axis"][0]), way)
            room = BORNE_FROM * radius[sticks[support["row"]]["particle"]]
            if inside < -room and support["turns"] < MOST_TURNS:
                support["turns"] += 1
                support["state"] = CARRYING
                is_other = True
        elif support["normal_impulse"] < -LETS_GO * most or most == 0.0:
            support["state"] = LIFTED
            is_other = True
        elif _yield(support, way, fall):
            is_other = True
    return is_other
