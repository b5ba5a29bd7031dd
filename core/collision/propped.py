"""Triangles of cloth that are held off a mesh by their corners alone.

Over smooth ground a triangle does not come down between its corners by more than the ground rises
there. Let all normals of the mesh around it lie within an angle α of an axis: then the mesh is the
graph f of a function along that axis, no steeper than tan α. Where the triangle touches it, at
p = Σ wᵢ xᵢ, the heights of its corners over the mesh are, so averaged, f(p) − Σ wᵢ f(xᵢ) or the
same downwards. That is at most

* Σ wᵢ |p − xᵢ| tan α ≤ ρ tan α, with ρ the radius of the smallest circle around the triangle; or
* for a triangle above it, how far any vertex of the mesh below rises over the plane through the
  ground below the corners, for f is linear between these; and where corners slide by r, r times
  the slopes of both more.

So as long as each corner keeps farther away than the lesser of the two, on whichever side, the
triangle touches nothing, and of its pairs only those of its corners with triangles of the mesh are
looked for: a sixth of all (`mesh_pairs`). Such a triangle is *propped*. At the end of each substep
it is seen whether its corners are as high as they should be (`particles.contacts.sinking`); where
one is not, all pairs are looked for after all.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..kernels.jit import kernel, lean, lean_inline, parallel_kernel, prange
from ..pairs import counted_pairs
from ..vec3 import ZERO, add, along, between, cross, dot, length, load, scale, set_vec, sub, vec
from .surface_bounds import OPENED
from .surface_pairs import corners_of, room_of, stay_apart
from .surface_tree import is_line

UNMET, BARE, PROPPED, FALLEN = 0, 1, 2, 3
"""Of a triangle of cloth: nothing was near it when all pairs were looked for; all its pairs are
known; those of its corners are; it was propped until now, so the others are still to be found."""

MOST_SAG = 0.75
"""Share of their thickness by which triangles may come down between their corners, at most."""

SPARE_SAG = 0.1
"""Share of their thickness that corners keep beyond that, for what the bounds leave out: the ground
is bounded where it is now and where it will be, and not on the way."""

MOST_SLOPE = 0.75
"""Tangent of the angle between normals and their axis, at most."""

ON_EDGE = 1e-9
"""Share of a triangle by which rounding may take a place on its edge for one beside it."""

Props = namedtuple(
    "Props",
    [
        "state",  # (f,) `UNMET` and so on
        "sag",  # (f,) m, of those that are propped: their corners keep farther away
        "slope",  # (f,) of the ground below them, at most
        "keep",  # (n,) m, that each vertex has to keep from meshes
        "steep",  # (n,) slope of the ground around it, at most
        "sunk",  # (n,) 1 for vertices that came nearer than that, in this frame
        "mark",  # (n,) of what has passed through a mesh: `surface_tangle`
        "normals",  # (f, 2, 3) of triangles of meshes, now and at the end of their flight
        "known",  # (p,) 1 for patches of meshes whose normals are noted
        "bordering",  # (f,) 1 for triangles of meshes at a border
        "listed",  # (CHUNKS, k) scratch: triangles near another
        "most",  # (CHUNKS,) how many they were at most
        "first_drawn",  # vertices from it on are of bodies as they are drawn: these may go anywhere
    ],
)
"""Which triangles of cloth are propped."""

NEAR_ONE = 64
"""Triangles of a mesh near one of cloth for which there is room at first."""


def props_room(
    triangle: Ints, vertices: int, marks: Ints, sizes: tuple[int, int, int, int]
) -> Props:
    """Room for triangles (f, 3) of so many vertices.

    marks (n,): see `Props`. sizes: first vertex of meshes, the first that is drawn, patches of
    meshes, and the chunks in which pairs are looked for.
    """
    first_mesh, first_drawn, patches, chunks = sizes
    count = len(triangle)
    state, bordering = np.zeros((2, count), dtype=np.int32)
    is_mesh = triangle[:, 0] >= first_mesh
    bordering[is_mesh] = _have_border(triangle[is_mesh])
    (sag, slope), (keep, steep) = np.zeros((2, count)), np.zeros((2, vertices))
    return Props(
        state,
        sag,
        slope,
        keep,
        steep,
        np.zeros(vertices, dtype=np.int32),
        marks,
        np.zeros((count, 2, 3)),
        np.zeros(patches, dtype=np.int32),
        bordering,
        np.zeros((chunks, NEAR_ONE), dtype=np.int32),
        np.zeros(chunks, dtype=np.int32),
        first_drawn,
    )


def with_longer_lists(props: Props) -> Props:
    """The same with room for what was counted to be near a triangle at most."""
    longest = int(props.most.max()) * 3 // 2
    return props._replace(listed=np.zeros((len(props.most), longest), dtype=np.int32))


def _have_border(triangle: Ints) -> NDArray[np.bool_]:
    """Which triangles (t, 3) have an edge that is not one of just two."""
    ends = np.sort(np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2))
    _, row, count = counted_pairs(ends)
    have: NDArray[np.bool_] = (count[row] != 2).reshape(-1, 3).any(axis=1)
    return have


@parallel_kernel
def note_mesh_normals(tree, props, triangle, x, speed, horizon):
    """Normals of the triangles of a mesh in patches that are opened.

    For a flight of ``horizon`` substeps from x (n, 3) m at speed (n, 3) m a substep.
    """
    for p in prange(tree.root.shape[0]):
        if tree.opened[p] != OPENED or props.known[p] == 1:
            continue
        root = tree.root[p]
        for node in range(root, tree.skip[root]):
            t = tree.leaf[node]
            if t >= 0:
                _note_normals(props.normals[t], triangle, t, x, speed, horizon)
        _note_known(props, p)


@lean
def _note_known(props, p):
    """Note that the normals of a patch are known: prange loses what it writes to a record."""
    props.known[p] = 1


@lean_inline
def _note_normals(normals, triangle, t, x, speed, horizon):
    """Unit normals of a face now, and at the end of a flight."""
    a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    ab, ac = between(x, a, b), between(x, a, c)
    turn_b, turn_c = scale(horizon, between(speed, a, b)), scale(horizon, between(speed, a, c))
    set_vec(normals[0], _unit(cross(ab, ac)))
    set_vec(normals[1], _unit(cross(add(ab, turn_b), add(ac, turn_c))))


@lean_inline
def _unit(a):
    """A vector of length 1, or 0."""
    size = length(a)
    return scale(1.0 / size if size > 0.0 else 0.0, a)


@lean_inline
def room_between(surface, flight, t, u):
    """How near, m, two triangles may come to be of use."""
    triangle, room = surface.triangle, flight.room
    return room_of(room, triangle, t) + room_of(room, triangle, u)


@lean_inline
def _squared_radius(x, triangle, t):
    """Square in m² of the radius of the smallest circle around a triangle or a line."""
    ab = between(x, triangle[t, 0], triangle[t, 1])
    ac = between(x, triangle[t, 0], triangle[t, 2])
    bc = between(x, triangle[t, 1], triangle[t, 2])
    a, b, c = dot(ab, ab), dot(ac, ac), dot(bc, bc)
    longest = max(a, max(b, c))
    if 2.0 * longest >= a + b + c:  # no corner lies on the other side of it
        return 0.25 * longest
    normal = cross(ab, ac)
    return 0.25 * a * b * c / dot(normal, normal)


@lean_inline
def _least_of(values, triangle, t):
    """The least of values (n,) of a triangle's corners."""
    return min(values[triangle[t, 0]], min(values[triangle[t, 1]], values[triangle[t, 2]]))


@lean_inline
def _is_beside(surface, flight, t, u, axis):
    """Whether triangle u of a mesh, seen along an axis, stays beside triangle t of cloth."""
    triangle, thickness = surface.triangle, surface.thickness
    one, other = corners_of(flight.start, triangle, t), corners_of(flight.start, triangle, u)
    speeds, others = corners_of(flight.speed, triangle, t), corners_of(flight.speed, triangle, u)
    way = sub(add(one[0], add(one[1], one[2])), add(other[0], add(other[1], other[2])))
    way = along(way, -dot(way, axis), axis)
    aside = room_between(surface, flight, t, u) - _least_of(thickness, triangle, t)
    return stay_apart(way, one, other, speeds, others, aside, flight.horizon)


@lean
def _axis_of(props, listed, count, end):
    """The mean direction of the normals of what is near, now or at the end."""
    axis = ZERO
    for k in range(count):
        axis = add(axis, vec(props.normals[listed[k], end]))
    return _unit(axis)


@lean
def _slope_below(props, t, surface, flight, listed, count, axis, end):
    """Tangent of the largest angle with an axis of normals of the ground below triangle t of cloth.

    ∞ where that is no smooth ground. ``count`` triangles are listed; as they are now or at the end.
    """
    cosine = 1.0
    for k in range(count):
        u = listed[k]
        least = dot(axis, vec(props.normals[u, end]))
        is_worse = least < cosine or props.bordering[u] == 1
        if is_worse and not _is_beside(surface, flight, t, u, axis):
            if props.bordering[u] == 1:
                return math.inf
            cosine = least
    return math.sqrt(max(1.0 - cosine * cosine, 0.0)) / cosine if cosine > 0.0 else math.inf


@lean_inline
def _shares_below(x, triangle, u, p, axis):
    """Weights of the corners of triangle u at the place that p is over, along an axis."""
    a, b, c = corners_of(x, triangle, u)
    pa, pb, pc = sub(a, p), sub(b, p), sub(c, p)
    wa, wb, wc = dot(axis, cross(pb, pc)), dot(axis, cross(pc, pa)), dot(axis, cross(pa, pb))
    total = wa + wb + wc
    if not total > 0.0:
        return -1.0, -1.0, -1.0
    return wa / total, wb / total, wc / total


@lean_inline
def _weighted(x, triangle, u, shares):
    """The sum of a triangle's corners, of places or speeds x (n, 3), with these weights."""
    a, b, c = corners_of(x, triangle, u)
    return along(along(scale(shares[0], a), shares[1], b), shares[2], c)


@lean
def _ground_below(surface, flight, listed, count, axis, i):
    """The place of a mesh that vertex i is above, its speed, m a substep, and whether it is.

    The lowest of ``count`` triangles that are listed counts.
    """
    p = load(flight.start, i)
    place, speed, deepest, is_over = ZERO, ZERO, 0.0, False
    for k in range(count):
        shares = _shares_below(flight.start, surface.triangle, listed[k], p, axis)
        if min(shares[0], min(shares[1], shares[2])) < -ON_EDGE:
            continue
        below = _weighted(flight.start, surface.triangle, listed[k], shares)
        height = dot(axis, sub(p, below))
        if height > deepest:
            place, deepest, is_over = below, height, True
            speed = _weighted(flight.speed, surface.triangle, listed[k], shares)
    return place, speed, is_over


@lean
def _rise_over(t, surface, flight, listed, count, axis, grounds, ahead):
    """How far along an axis the ground below triangle t rises over the plane through three places.

    As things are in so many substeps. And the tangent of the plane's angle with the axis.
    """
    (p, v), (q, w), (r, u) = grounds
    p, q, r = along(p, ahead, v), along(q, ahead, w), along(r, ahead, u)
    normal = cross(sub(q, p), sub(r, p))
    size, upright = length(normal), dot(normal, axis)
    if not abs(upright) > 0.0:
        return math.inf, math.inf
    rise = 0.0
    for k in range(count):
        most = -math.inf
        for c in range(3):
            i = surface.triangle[listed[k], c]
            place = along(load(flight.start, i), ahead, load(flight.speed, i))
            most = max(most, dot(normal, sub(place, p)) / upright)
        if most > rise and not _is_beside(surface, flight, t, listed[k], axis):
            rise = most
    return rise, math.sqrt(max(size * size - upright * upright, 0.0)) / abs(upright)


@lean_inline
def _across(way, axis):
    """How far a way leads across an axis, m."""
    return length(along(way, -dot(way, axis), axis))


@lean
def _rise_between(t, surface, flight, listed, count, axes, slope):
    """How far the ground rises between the places that the corners of triangle t are over.

    Now and when pairs have served; and wherever they slide to meanwhile: then places of the plane
    through the ground below them change by no more than its slope and the plane's.
    """
    triangle, (axis, last_axis), end = surface.triangle, axes, flight.horizon
    a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    below_a, speed_a, over_a = _ground_below(surface, flight, listed, count, axis, a)
    below_b, speed_b, over_b = _ground_below(surface, flight, listed, count, axis, b)
    below_c, speed_c, over_c = _ground_below(surface, flight, listed, count, axis, c)
    if not (over_a and over_b and over_c):
        return math.inf
    grounds = ((below_a, speed_a), (below_b, speed_b), (below_c, speed_c))
    rise, tilt = _rise_over(t, surface, flight, listed, count, axis, grounds, 0.0)
    later, later_tilt = _rise_over(t, surface, flight, listed, count, last_axis, grounds, end)
    slide = _across(sub(load(flight.speed, a), speed_a), axis)
    slide = max(slide, _across(sub(load(flight.speed, b), speed_b), axis))
    slide = max(slide, _across(sub(load(flight.speed, c), speed_c), axis)) * end
    stray = 0.0
    for k in range(count):
        stray = max(stray, room_between(surface, flight, t, listed[k]))
    stray -= _least_of(surface.thickness, triangle, t)
    return max(rise, later) + (stray + slide) * (slope + max(tilt, later_tilt))


@lean
def _is_propped(props, t, surface, flight, listed, count):
    """See whether triangle t of cloth is propped on ``count`` triangles that are listed."""
    triangle = surface.triangle
    a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    wrong = props.sunk[a] | props.sunk[b] | props.sunk[c]
    if wrong | props.mark[a] | props.mark[b] | props.mark[c] != 0:
        return False
    near = (listed, count)
    axes = (_axis_of(props, *near, 0), _axis_of(props, *near, 1))
    slope = _slope_below(props, t, surface, flight, *near, axes[0], 0)
    slope = max(slope, _slope_below(props, t, surface, flight, *near, axes[1], 1))
    if slope > MOST_SLOPE:
        return False
    width = _least_of(surface.thickness, triangle, t)
    sag = slope * math.sqrt(_squared_radius(flight.start, triangle, t))
    if sag > MOST_SAG * width and not is_line(triangle, t):
        sag = min(sag, _rise_between(t, surface, flight, *near, axes, slope))
    if sag > MOST_SAG * width:
        return False
    props.sag[t] = sag + SPARE_SAG * width
    props.slope[t] = slope
    return True


@lean
def see_whether_propped(props, t, surface, flight, listed, count):
    """Note `Props.state` of a triangle of cloth that is stale, with ``count`` triangles listed.

    What was bare stays so until all pairs are looked for: some of them are kept.
    """
    before = props.state[t]
    if before == BARE:
        return
    may_be = True
    for k in range(count):
        may_be = may_be and not is_drawn(props, surface, listed[k])
    if may_be and _is_propped(props, t, surface, flight, listed, count):
        props.state[t] = PROPPED
    else:
        props.state[t] = BARE if before == UNMET else FALLEN


@lean_inline
def is_drawn(props, surface, u):
    """Whether a triangle is of what is drawn of bodies, which may go elsewhere than it is led."""
    return surface.triangle[u, 0] >= props.first_drawn


@kernel
def note_kept(props, triangle, count):
    """Note how far from meshes the corners of propped triangles are to keep; all others may touch.

    ``count`` triangles of cloth come first. What has fallen is bare from here on.
    """
    for i in range(props.keep.shape[0]):
        props.keep[i] = props.steep[i] = 0.0
    for t in range(count):
        if props.state[t] == FALLEN:
            props.state[t] = BARE
        if props.state[t] != PROPPED:
            continue
        for k in range(3):
            i = triangle[t, k]
            props.keep[i] = max(props.keep[i], props.sag[t])
            props.steep[i] = max(props.steep[i], props.slope[t])
