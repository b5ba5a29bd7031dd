"""Sticks of figures as capsules: against each other, cloth, ropes and particles (Jakobsen §6, §7).

A contact joins the nearest points of two segments, each of them a sum of its two particles, and
asks for the sum of the radii between them. Edges of cloth and stretches of rope are such segments
too, and single particles are segments of no length. What is left is the end of a stick in the
middle of a triangle. As with pieces of cloth everything is found where things stand at the start of
a substep, when they are still apart, and asked for at its end.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...collision.axis_boxes import are_apart, highest, lowest, widened
from ...collision.tree import end_of, next_leaf, root_of
from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import along, between, cross, divide, dot, length, load, scale, store, sub
from ..contacts.contact_point import has_room, join_particles, note_contact
from ..contacts.piece_contact import AT_VERTEX, ROUND_ENOUGH
from ..contacts.piece_search import path_ends

Segments = namedtuple(
    "Segments",
    [
        "ends",  # (e, 2) particles, twice the same of a single one; first all sticks of figures
        "radius",  # (e,) m
        "figure",  # (q,) of each stick
        "ball",  # (q, 2) m, radius of a stick's ends, 0 where another stick has that end
        "lower",  # (q, 3) m, boxes of the sticks until the next look
        "upper",  # (q, 3) m
    ],
)

NEAR_STICK = np.dtype(
    [("segment", np.int32), ("stick", np.int32), ("reach", np.float64)], align=True
)
"""A segment and a stick that may touch, and how far m they keep apart."""

NEAR_FACE = np.dtype([("face", np.int32), ("stick", np.int32), ("end", np.int32)], align=True)
"""A triangle and an end of a stick that may touch."""

OWN_PAIR = np.dtype([("stick", np.int32, (2,)), ("reach", np.float64)], align=True)
"""Two sticks of one figure that may meet, and how far m they keep apart."""

FACE = np.dtype([("corner", np.int32, (3,)), ("radius", np.float64)], align=True)
"""A triangle of cloth, and its half thickness m."""


@lean_inline
def _bounds(x, previous, i, j, away):
    """The box that a segment stays in until the next look, ``away`` m wider."""
    low, high = path_ends(x, previous, i)
    if j != i:
        least, most = path_ends(x, previous, j)
        low, high = lowest(low, least), highest(high, most)
    return widened(low, high, away)


@kernel
def bound_limbs(segments, x, previous, slack):
    """Write the boxes of what the sticks may get to until the next look; slack m, by gravity."""
    for e in range(segments.figure.shape[0]):
        i, j = segments.ends[e, 0], segments.ends[e, 1]
        low, high = _bounds(x, previous, i, j, segments.radius[e] + slack)
        store(segments.lower, e, low)
        store(segments.upper, e, high)


@lean_inline
def _note_near(row, segment, stick, reach):
    """Write a row of `NEAR_STICK`."""
    row["segment"], row["stick"], row["reach"] = segment, stick, reach


@lean_inline
def _add_own_pairs(near, segments, own):
    """Rows for sticks of one figure that may touch, from the first on; returns how many."""
    radius, lower, upper = segments.radius, segments.lower, segments.upper
    count = 0
    for k in range(own.shape[0]):
        a, b = own[k]["stick"][0], own[k]["stick"][1]
        more = radius[a] + radius[b] - own[k]["reach"]
        low, high = widened(load(lower, a), load(upper, a), -more)
        if are_apart(low, high, load(lower, b), load(upper, b)):
            continue
        if count < near.shape[0]:
            _note_near(near[count], a, b, own[k]["reach"])
        count += 1
    return count


@kernel
def find_near_limbs(segments, own, tree, x, previous, slack, near):
    """Write what may touch a stick until the next look into near (m,) NEAR_STICK; how many.

    own (k,) OWN_PAIR; tree over the boxes of the sticks; slack m, by gravity. There may be more
    than fit.
    """
    ends, radius, figure = segments.ends, segments.radius, segments.figure
    count = _add_own_pairs(near, segments, own)
    limbs = figure.shape[0]
    root, end = root_of(0), end_of(limbs)
    for a in range(ends.shape[0]):
        i, j = ends[a, 0], ends[a, 1]
        low, high = _bounds(x, previous, i, j, radius[a] + slack)
        node = next_leaf(tree, root, end, low, high)
        while node < end:
            b = tree.leaf[node]
            if a >= limbs:
                meets = i == j or not _are_ends_enough(x, i, j, radius[a], radius[b])
            else:
                meets = b > a and figure[a] != figure[b]
            if meets:
                if count < near.shape[0]:
                    _note_near(near[count], a, b, radius[a] + radius[b])
                count += 1
            node = next_leaf(tree, node + 1, end, low, high)
    return count


@lean
def _are_ends_enough(x, i, j, thick, round):
    """Whether contacts of two particles do for the edge between them, see `piece_contact`."""
    d = between(x, i, j)
    return dot(d, d) < ROUND_ENOUGH * round * thick


@kernel
def find_near_faces(faces, segments, tree, x, previous, slack, near):
    """Write triangles (f,) FACE and ends of sticks that may touch until the next look; how many.

    near (m,) NEAR_FACE; slack m, by gravity. There may be more than fit.
    """
    ball = segments.ball
    count = 0
    root, last = root_of(0), end_of(ball.shape[0])
    for f in range(faces.shape[0]):
        corner, thick = faces[f]["corner"], faces[f]["radius"]
        i, j, k = corner[0], corner[1], corner[2]
        low, high = _bounds(x, previous, i, j, thick + slack)
        least, most = _bounds(x, previous, k, k, thick + slack)
        low, high = lowest(low, least), highest(high, most)
        node = next_leaf(tree, root, last, low, high)
        while node < last:
            e = tree.leaf[node]
            for end in range(2):
                size = ball[e, end]
                if size == 0.0 or (
                    _are_ends_enough(x, i, j, thick, size)
                    and _are_ends_enough(x, j, k, thick, size)
                    and _are_ends_enough(x, k, i, thick, size)
                ):
                    continue
                if count < near.shape[0]:
                    row = near[count]
                    row["face"], row["stick"], row["end"] = f, e, end
                count += 1
            node = next_leaf(tree, node + 1, last, low, high)
    return count


@lean_inline
def _nearest(x, a, b, c, d):
    """Shares s and t at which the segments a–b and c–d come nearest to each other (Ericson 5.1.9).

    Where they are parallel, the middle of what lies beside each other.
    """
    u, v, w = between(x, a, b), between(x, c, d), between(x, c, a)
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    if uu == 0.0 or vv == 0.0:
        t = min(max(vw / vv, 0.0), 1.0) if vv > 0.0 else 0.0
        s = min(max((uv * t - uw) / uu, 0.0), 1.0) if uu > 0.0 else 0.0
        return s, t
    room = uu * vv - uv * uv
    if room > 1e-9 * uu * vv:
        s = min(max((uv * vw - vv * uw) / room, 0.0), 1.0)
    else:
        one, two = -uw / uu, (uv - uw) / uu  # where c and d lie along the first
        low = max(min(one, two), 0.0)
        high = min(max(one, two), 1.0)
        s = min(max(0.5 * (low + high), 0.0), 1.0)
    t = (uv * s + vw) / vv
    if t < 0.0 or t > 1.0:
        t = min(max(t, 0.0), 1.0)
        s = min(max((uv * t - uw) / uu, 0.0), 1.0)
    return s, t


@lean_inline
def _at(x, i, j, share):
    """The place a share of the way from particle i to j."""
    return along(scale(1.0 - share, load(x, i)), share, load(x, j))


@lean_inline
def _way(x, previous, i, axis):
    """How far a particle has come along an axis in this substep."""
    return abs(x[i, axis] - previous[i, axis])


@kernel
def find_limb_contacts(c, contacts, near, count, segments, particles):
    """Contacts of near segments, written from row c on; returns the row after them.

    near from `find_near_limbs`. May return more than fit.
    """
    x, previous, inverse_mass = particles
    ends, limbs = segments.ends, segments.figure.shape[0]
    for n in range(count):
        segment, stick, reach = near[n]["segment"], near[n]["stick"], near[n]["reach"]
        i, j = ends[segment, 0], ends[segment, 1]
        k, m = ends[stick, 0], ends[stick, 1]
        if inverse_mass[i] + inverse_mass[j] + inverse_mass[k] + inverse_mass[m] == 0.0:
            continue
        s, t = _nearest(previous, i, j, k, m)
        if segment >= limbs and i != j and (s > AT_VERTEX or s < 1.0 - AT_VERTEX):
            continue  # a particle: has its own
        apart = sub(_at(previous, i, j, s), _at(previous, k, m, t))
        gap = length(apart)
        way = 0.0
        other = 0.0
        for axis in range(3):
            way += max(_way(x, previous, i, axis), _way(x, previous, j, axis))
            other += max(_way(x, previous, k, axis), _way(x, previous, m, axis))
        if gap - reach > way + other:
            continue
        if has_room(contacts, c):
            join_particles(contacts, c, 0, (i, j, j), (1.0 - s, s, 0.0))
            join_particles(contacts, c, 1, (k, m, m), (1.0 - t, t, 0.0))
            if gap > 1e-9:
                normal = divide(apart, gap)
            else:  # they cross: the shortest way out is square to both
                normal = cross(between(previous, i, j), between(previous, k, m))
                size = length(normal)
                normal = divide(normal, size) if size > 0.0 else (0.0, 0.0, 1.0)
            note_contact(contacts, c, normal, reach)
        c += 1
    return c


@lean_inline
def _weights_over(previous, i, j, k, p):
    """Weights of the corners of a triangle in the foot of particle p; not above 0 beside it."""
    u, w, d = between(previous, i, j), between(previous, i, k), between(previous, i, p)
    uu, uw, ww, du, dw = dot(u, u), dot(u, w), dot(w, w), dot(d, u), dot(d, w)
    area = uu * ww - uw * uw
    if area <= 1e-24 * uu * ww:
        return 0.0, 0.0, 0.0
    wj = (ww * du - uw * dw) / area
    wk = (uu * dw - uw * du) / area
    return 1.0 - wj - wk, wj, wk


@kernel
def find_face_contacts(c, contacts, near, count, faces, segments, particles):
    """Contacts of triangles with ends of sticks over their middle, written from row c on.

    near from `find_near_faces`. Returns the row after them, may be more than fit.
    """
    x, previous, inverse_mass = particles
    for n in range(count):
        f, e, end = near[n]["face"], near[n]["stick"], near[n]["end"]
        corner, p = faces[f]["corner"], segments.ends[e, end]
        i, j, k = corner[0], corner[1], corner[2]
        if inverse_mass[i] + inverse_mass[j] + inverse_mass[k] + inverse_mass[p] == 0.0:
            continue
        way = 0.0
        for axis in range(3):
            way += _way(x, previous, p, axis) + max(
                _way(x, previous, i, axis),
                max(_way(x, previous, j, axis), _way(x, previous, k, axis)),
            )
        weights = _weights_over(previous, i, j, k, p)
        if weights[0] <= 0.0 or weights[1] <= 0.0 or weights[2] <= 0.0:
            continue
        normal = cross(between(previous, i, j), between(previous, i, k))
        normal = divide(normal, length(normal))
        height = -dot(normal, between(previous, i, p))
        if height < 0.0:
            normal, height = scale(-1.0, normal), -height
        reach = faces[f]["radius"] + segments.ball[e, end]
        if height - reach > way:
            continue
        if has_room(contacts, c):
            join_particles(contacts, c, 0, (i, j, k), weights)
            join_particles(contacts, c, 1, (p, p, p), (1.0, 0.0, 0.0))
            note_contact(contacts, c, normal, reach)
        c += 1
    return c
