"""Contact between surfaces: vertices with triangles and edges with edges, with thickness.

Each pair is looked at where it stood at the start of the substep, when nothing had passed through
anything: the nearest points tell on which side each belongs, and along their line it is kept apart.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...collision.contact_law import LEAST_LEVER, joint_friction, normal_sum, parting, within_cone
from ...collision.surface_distance import nearest_weights, weighted
from ...collision.surface_pairs import SLIT_SHARE, closing_speed
from ...kernels.jit import kernel, lean_inline
from ...vec3 import (
    ZERO,
    along,
    cross,
    dot,
    length,
    load,
    scale,
    set_vec,
    shift,
    sub,
    vec,
)
from .surface_couple import forget_couples, note_couple
from .surface_tangle import CROSSED, HIDDEN
from .surface_untangling import flush_way, gives_way, slit_way
from .surface_watch import may_come_nearer, note_apart, note_spare, note_ways

SURFACE_CONTACT = np.dtype(
    [
        ("corner", np.int32, (4,)),
        ("is_edges", np.int32),
        ("is_turned", np.int32),
        ("normal", np.float64, (3,)),  # from b to a
        ("distance", np.float64),  # m, at the start of the substep
        ("reach", np.float64),  # m, that they are to keep
        ("weight", np.float64, (4,)),  # cᵢ: Σ cᵢ xᵢ leads from b to a
        ("mobility", np.float64),  # Σ wᵢ cᵢ², 1/kg
        ("normal_impulse", np.float64),  # kg·m, normal impulse times h so far
        ("friction", np.float64),
        ("friction_impulse", np.float64, (3,)),  # kg·m, friction likewise
        ("turned", np.float64, (3,)),  # the normal at the end of the substep, where it is needed
    ],
    align=True,
)
"""What is read of every contact comes first: a record is longer than what is fetched at once."""

ALONGSIDE = 0.01
"""Rad between two edges up to which they are nearest all along."""

PARTING_SHARE = 0.1
"""Share of the lack of distance that is made up for in one substep, x and x* alike."""

PARTING_SPEED = 0.25
"""m/s, fastest at which layers that lie too near each other part."""

FLUSH = 1e-9
"""Share of their thickness within which rounding tells on which side of each other features lie."""

LEEWAY = 0.5
"""Share of its thickness by which a vertex may stray more than was reckoned with."""

SURPRISE_KEPT = 0.8
"""Share of a surprise that is still reckoned with in the next substep."""

Strays = namedtuple(
    "Strays",
    [
        "now",  # (n,) m, from a straight flight since pairs were looked for
        "foreseen",  # (n,) m, at the end of the substep for all that is known at its beginning
        "bound",  # (n,) m, the same and what sticks and contacts may add
        "slack",  # (n,) m, that the pairs allow for
        "surprise",  # (n,) m, what sticks and contacts have added lately
        "step",  # (n,) `VERTEX_STEP`
    ],
)

Course = namedtuple("Course", ["origin", "speed", "ahead"])
"""Straight flights of vertices: from (n, 3) m, by (n, 3) m a substep, for so many substeps."""

VERTEX_STEP = np.dtype(
    [
        ("gone", np.float64),  # m, that the vertex went in the last substep
        ("veered", np.float64),  # m, by which that was not what its flight goes in a substep
        ("way", np.float64),  # m, that it goes in this one at most, as in `Strays.bound`
        ("veer", np.float64),  # m, likewise
    ],
    align=True,
)


def strays_room(count: int) -> Strays:
    """Room for ``count`` vertices."""
    now, foreseen, bound, slack, surprise = np.zeros((5, count))
    return Strays(now, foreseen, bound, slack, surprise, np.zeros(count, dtype=VERTEX_STEP))


@lean_inline
def _is_tangled(mark, corner, is_edges):
    """Whether a pair of cloth and a mesh may stand on the wrong sides of each other.

    Vertices of meshes bear no marks.
    """
    i, j, k, m = corner
    if (mark[i] | mark[j] | mark[k] | mark[m]) & HIDDEN != 0:
        return True
    if is_edges:
        return (mark[i] & mark[j] | mark[k] & mark[m]) & CROSSED != 0
    return mark[j] & mark[k] & mark[m] & CROSSED != 0


@lean_inline
def _is_at_corner(weight, inverse_mass, corner, is_edges, start):
    """Whether another pair has the same nearest points: that of a vertex of cloth.

    Two edges that are nearest at an end of either, or all along; a vertex of a mesh that is
    nearest to one of the cloth's.
    """
    a, b, c, d = weight
    if is_edges:
        i, j, k, m = corner
        u, v = sub(load(start, j), load(start, i)), sub(load(start, m), load(start, k))
        across = cross(u, v)
        is_along = dot(across, across) < ALONGSIDE * ALONGSIDE * dot(u, u) * dot(v, v)
        return is_along or a == 0.0 or b == 0.0 or c == 0.0 or d == 0.0
    alone = (b == 0.0) + (c == 0.0) + (d == 0.0) == 2
    return alone and inverse_mass[corner[0]] == 0.0


SurfaceVertices = namedtuple(
    "SurfaceVertices",
    [
        "start",  # (n, 3) m, places at the start of the substep
        "speed",  # (n, 3) m a substep, of the flight that they are on
        "step",  # (n,) `VERTEX_STEP`
        "inverse_mass",  # (n,) 1/kg
        "friction",  # (n,)
        "mark",  # (n,) of what has passed through a mesh, see `surface_tangle`
        "crossed",  # where cloth passes through cloth, see `surface_untangling`
        "beyond",  # how much farther than it keeps away a mesh is to be noticed, as a share of that
        "by_itself",  # vertices from it on are those of what is drawn of bodies
    ],
)
"""What contacts of surfaces ask of their vertices."""


@lean_inline
def _nearer(step, corner, is_edges, speed):
    """How much nearer the features of a pair may have come in the last substep, and do in this one.

    Both ways that it can be bounded: by how far they go, and by how fast their flights close and
    how far they veer from them.
    """
    i, j, k, m = corner
    a, b, c, d = step[i], step[j], step[k], step[m]
    if is_edges:
        gone = max(a["gone"], b["gone"]) + max(c["gone"], d["gone"])
        veered = max(a["veered"], b["veered"]) + max(c["veered"], d["veered"])
        way = max(a["way"], b["way"]) + max(c["way"], d["way"])
        veer = max(a["veer"], b["veer"]) + max(c["veer"], d["veer"])
    else:
        gone = a["gone"] + max(b["gone"], max(c["gone"], d["gone"]))
        veered = a["veered"] + max(b["veered"], max(c["veered"], d["veered"]))
        way = a["way"] + max(b["way"], max(c["way"], d["way"]))
        veer = a["veer"] + max(b["veer"], max(c["veer"], d["veer"]))
    return min(gone, speed + veered), min(way, speed + veer)


@kernel
def measure_pairs(pairs, count, contacts, watch, found, vertices):
    """Contacts, from row ``found`` on, of all pairs that may meet in this substep; the row after.

    May return more than fit. watch: see `note_spare`. vertices: see `SurfaceVertices`. What is
    drawn of bodies does not push: their shapes do.
    """
    start, speed, step, inverse_mass, friction, mark, crossed, beyond, by_itself = vertices
    for n in range(count):
        pair = pairs[n]
        is_edges = pair["is_edges"]
        corner = (pair["corner"][0], pair["corner"][1], pair["corner"][2], pair["corner"][3])
        came, nearer = _nearer(step, corner, is_edges, pair["speed"])
        pair["room"] -= came
        if pair["is_led"] == 1:
            nearer = max(nearer, beyond * pair["width"])
        if pair["room"] > nearer:
            continue
        if pair["is_led"] == 1 and _is_tangled(mark, corner, is_edges):
            continue
        if gives_way(crossed, corner, is_edges):
            continue
        i, j, k, m = corner
        weight = nearest_weights(start, i, j, k, m, is_edges)
        d = weighted(start, corner, weight)
        distance = length(d)
        reach, width = pair["reach"], pair["width"]
        if distance < FLUSH * width:
            if reach <= SLIT_SHARE * width:
                d = slit_way(crossed, start, corner, is_edges, FLUSH * width)
            else:
                d = flush_way(crossed.spot, start, corner, is_edges, weight, FLUSH * width)
            distance = length(d)
        pair["room"] = distance - width
        normal = scale(1.0 / distance if distance > 0.0 else 0.0, d)
        if pair["is_led"] == 0:
            pair["speed"] = closing_speed(speed, corner, is_edges, normal)
        # what has another pair's nearest points keeps no distance: it must not be passed through
        is_double = _is_at_corner(weight, inverse_mass, corner, is_edges, start)
        if distance - (LEEWAY if is_double else 1.0) * width > nearer or distance <= 0.0:
            continue
        if found < contacts.shape[0]:
            contact = contacts[found]
            mobility = most = 0.0
            for c in range(4):
                contact["corner"][c] = corner[c]
                contact["weight"][c] = weight[c]
                mobility += inverse_mass[corner[c]] * weight[c] * weight[c]
                most = max(most, inverse_mass[corner[c]] * abs(weight[c]))
            if mobility < LEAST_LEVER * most:
                mobility = 0.0
            for c in range(3):
                contact["normal"][c] = normal[c]
                contact["friction_impulse"][c] = 0.0
            contact["is_edges"] = is_edges
            contact["is_turned"] = 0
            contact["distance"] = distance
            contact["reach"] = reach
            is_drawn = i >= by_itself or m >= by_itself
            contact["mobility"] = 0.0 if is_double or is_drawn else mobility
            contact["friction"] = joint_friction(friction[i], friction[m])
            contact["normal_impulse"] = 0.0
            note_spare(watch, found, contact)
            note_apart(watch, found, contact)
        found += 1
    return found


@lean_inline
def _displacement(contact, start, now):
    """How far a has moved against b in this substep."""
    moved = ZERO
    for c in range(4):
        way = _went(start, now, contact["corner"][c])
        moved = along(moved, contact["weight"][c], way)
    return moved


@lean_inline
def _push(contact, now, inverse_mass, p):
    """An impulse p in kg·m on a, and against it on b (Jakobsen §5)."""
    for c in range(4):
        i = contact["corner"][c]
        shift(now, i, inverse_mass[i] * contact["weight"][c], p)


@kernel
def part_layers(contacts, layers, count, watch, start, parted, particles, pieces, h):
    """Part what lies too near, at a limited speed: from start to parted (n, 3) m, which is start.

    By what other contacts have not parted yet: a vertex in a heap has some thirty. What this
    brings nearer to others is no motion, and moves nobody; it is parted in its turn. Moved aside, x
    and x* alike, what slides past each other at u has other angular momentum, by P × u: a couple
    that pieces of cloth take back with others of the substep. The first ``layers`` of ``count``
    contacts are of cloth with cloth. Of nine parameters start and parted are those of cloth and
    meshes, particles of cloth.
    """
    x, previous, inverse_mass = particles
    forget_couples(pieces)
    for n in range(count):
        missing = -watch.contact[n]["apart"]
        if missing <= 0.0 or contacts[n]["mobility"] == 0.0:
            continue
        contact = contacts[n]
        normal = vec(contact["normal"])
        wanted = parting(missing, PARTING_SHARE, PARTING_SPEED * h)
        short = wanted - dot(_displacement(contact, start, parted), normal)
        if short > 0.0:
            push = scale(short / contact["mobility"], normal)
            _push(contact, parted, inverse_mass, push)
            if n < layers:
                slide = _displacement(contact, previous, x)
                note_couple(pieces, contact["corner"], cross(push, slide))
    note_ways(watch, start, parted)
    for n in range(count):
        if may_come_nearer(watch, n, 0.0):
            contact = contacts[n]
            way = dot(_displacement(contact, start, parted), vec(contact["normal"]))
            watch.contact[n]["apart"] += way


@kernel
def relax_surfaces(contacts, count, first, watch, start, now, inverse_mass):
    """One pass over contacts: no nearer than they are to keep, friction up to μ times the push.

    Contacts from row ``first`` on, up to ``count``. Both are sums over the passes of the substep,
    so that a later pass takes back what an earlier one overdid. start (n, 3) m: where the substep
    begins once layers are parted. Most contacts are not even read: features that have to spare
    more than their corners have gone when the pass begins.
    """
    note_ways(watch, start, now)
    for n in range(first, count):
        apart = watch.contact[n]["apart"]
        if watch.contact[n]["is_pushed"] == 0 and not may_come_nearer(watch, n, apart):
            continue
        contact = contacts[n]
        mobility = contact["mobility"]
        if mobility == 0.0:
            continue
        normal = vec(contact["normal"])
        u = _displacement(contact, start, now)
        un = dot(u, normal)
        pushed = normal_sum(contact["normal_impulse"], -(max(0.0, apart) + un) / mobility)
        push = pushed - contact["normal_impulse"]
        if push == 0.0 and pushed == 0.0:
            continue
        watch.contact[n]["is_pushed"] = 1
        contact["normal_impulse"] = pushed
        before = vec(contact["friction_impulse"])
        drag = along(before, -1.0 / mobility, along(u, -un, normal))
        drag = within_cone(drag, contact["friction"] * pushed)
        set_vec(contact["friction_impulse"], drag)
        _push(contact, now, inverse_mass, along(sub(drag, before), push, normal))


@kernel
def note_steps(step, count, before, start, speed):
    """Note how far each of ``count`` vertices went in the last substep, and veered.

    before, start (n, 3) m: where that began and ended; speed (n, 3) m a substep: of their flight.
    """
    for i in range(count):
        way = _went(before, start, i)
        step[i]["gone"] = length(way)
        step[i]["veered"] = length(sub(way, load(speed, i)))


@lean_inline
def _went(start, end, i):
    """The way of vertex i from start to end (n, 3) m."""
    return sub(load(end, i), load(start, i))


@lean_inline
def _stray(x, course, i):
    """How far from its course vertex i is, as a vector in m."""
    return sub(_went(course.origin, x, i), scale(course.ahead, load(course.speed, i)))


@lean_inline
def _unknown(strays, i, least, most):
    """What sticks and contacts may add to the way of a vertex in a substep, m."""
    return min(max(least, 1.5 * strays.surprise[i]), most)


@kernel
def foresee_strays(strays, rows, stale, start, now, course, least, most):
    """Bound how far vertices may stray until the end of the substep.

    Returns how many by more than pairs allow for, and marks them in stale (n,). start, now (n, 3)
    m: where the substep begins, and where they get to by themselves; course: up to the end of it.
    least, most m: of what sticks and contacts may add.
    """
    count = 0
    for n in range(rows.shape[0]):
        i = rows[n]
        unknown = _unknown(strays, i, least, most)
        strays.foreseen[i] = max(length(_stray(now, course, i)), strays.now[i])
        strays.bound[i] = strays.foreseen[i] + unknown
        way = _went(start, now, i)
        strays.step[i]["way"] = length(way) + unknown
        strays.step[i]["veer"] = length(sub(way, load(course.speed, i))) + unknown
        stale[i] = strays.bound[i] > strays.slack[i]
        count += stale[i]
    return count


@kernel
def renew_flight(strays, rows, stale, start, now, likely, course, bounds):
    """Lay the course of stale vertices from start (n, 3) m on, by their likely way in a substep.

    likely (m, 3) m: that of the first m; the others go on as in this one. now (n, 3) m: where that
    takes them, as far as is known; course: up to start; bounds, m: how far vertices may stray from
    it at least and at most, and what sticks and contacts may add at least and at most.
    """
    narrow, wide, least, most = bounds
    for n in range(rows.shape[0]):
        i = rows[n]
        if stale[i] == 0:
            continue
        way = _went(start, now, i)
        speed = load(likely, i) if i < likely.shape[0] else way
        set_vec(course.speed[i], speed)
        set_vec(course.origin[i], along(load(start, i), -course.ahead, speed))
        # what has strayed far lately may do so again
        far = min(1.5 * strays.bound[i], wide)
        unknown = _unknown(strays, i, least, most)
        away = length(sub(way, speed))
        strays.now[i] = 0.0
        strays.foreseen[i] = away
        strays.bound[i] = away + unknown
        strays.slack[i] = max(max(narrow, far), away + unknown)
        strays.step[i]["way"] = length(way) + unknown
        strays.step[i]["veer"] = away + unknown


@kernel
def check_strays(strays, thickness, rows, stale, start, x, course):
    """How many vertices have strayed so far that they may have met what nobody looked at.

    By more than was reckoned with and `LEEWAY` of their thickness (n,) m: they are marked in stale
    (n,). And the largest share of its slack that any has strayed. Learns by how far they have. x
    (n, 3) m: at the end of the substep; the rest as in `foresee_strays`.
    """
    missed, strayed = 0, 0.0
    for n in range(rows.shape[0]):
        i = rows[n]
        unknown = strays.bound[i] - strays.foreseen[i]
        way = _went(start, x, i)
        strays.now[i] = length(_stray(x, course, i))
        more = strays.now[i] - strays.foreseen[i]
        more = max(more, length(way) - (strays.step[i]["way"] - unknown))
        veered = length(sub(way, load(course.speed, i)))
        more = max(more, veered - (strays.step[i]["veer"] - unknown))
        strays.surprise[i] = max(SURPRISE_KEPT * strays.surprise[i], more)
        stale[i] = more > unknown + LEEWAY * thickness[i]
        missed += stale[i]
        strayed = max(strayed, strays.now[i] / strays.slack[i])
    return missed, strayed


@kernel
def farthest_stray(slack, rows, x, course):
    """The largest share of its slack (n,) m by which a vertex has left its course.

    x (n, 3) m: where vertices are now, at the end of the course.
    """
    most = 0.0
    for n in range(rows.shape[0]):
        i = rows[n]
        away = _stray(x, course, i)
        most = max(most, dot(away, away) / (slack[i] * slack[i]))
    return math.sqrt(most)
