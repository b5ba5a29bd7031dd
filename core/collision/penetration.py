"""Depth of two convex shapes that overlap: the expanding polytope.

van den Bergen 2001, "Proximity Queries and Penetration Depth Computation". A polytope inside
A − B around the origin grows where its surface is nearest to the origin, until that piece of
surface is one of A − B. Of all directions tried the one with the least depth counts, so that what
comes out is a direction that does separate the shapes whatever rounding did to the polytope.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..elementary import sin_cos
from ..kernels.jit import lean, lean_inline
from ..vec3 import (
    ZERO,
    across,
    along,
    between,
    cross,
    divide,
    dot,
    length,
    load,
    norm1,
    scale,
    set_vec,
    store,
    sub,
)
from .gjk import add_corner
from .support import separation

MOST_POLYTOPE_CORNERS = 96
MOST_POLYTOPE_FACES = 2 * MOST_POLYTOPE_CORNERS

Polytope = namedtuple(
    "Polytope",
    [
        "simplex",  # Simplex with room for MOST_POLYTOPE_CORNERS: the corners of the polytope
        "face",  # (MOST_POLYTOPE_FACES, 3) corners, counter-clockwise seen from outside
        "plane",  # (MOST_POLYTOPE_FACES, 4) outward unit normal and distance m
        "edge",  # (3 · MOST_POLYTOPE_FACES, 2) rim of the hole that is being closed
    ],
)


@lean
def _fill(core, s, count):
    """Complete the simplex of ``count`` corners to four that span a volume; how many there are."""
    p = s.spot
    if count == 1:
        for n in range(6):
            sign = 1.0 if n % 2 == 0 else -1.0
            way = (sign if n < 2 else 0.0, sign if n // 2 == 1 else 0.0, sign if n > 3 else 0.0)
            corner = add_corner(core, s, 1, way)
            d = sub(corner, load(p, 0))
            if dot(d, d) > 1e-20 * dot(corner, corner):
                count = 2
                break
    if count == 2:
        u = between(p, 0, 1)
        uu = dot(u, u)
        # two directions across the edge, e and f, and steps of 60° between them
        e = across(u)
        f = divide(cross(u, e), math.sqrt(uu))
        for n in range(6):
            d, c = sin_cos(n * math.pi / 3.0)
            v = sub(add_corner(core, s, 2, along(scale(c, e), d, f)), load(p, 0))
            normal = cross(u, v)
            if dot(normal, normal) > 1e-20 * uu * max(uu, dot(v, v)):
                count = 3
                break
    if count == 3:
        u = between(p, 0, 1)
        normal = cross(u, between(p, 0, 2))
        nn = dot(normal, normal)
        for n in range(2):
            t = sub(add_corner(core, s, 3, scale(1.0 if n == 0 else -1.0, normal)), load(p, 0))
            high = dot(normal, t)
            if high * high > 1e-20 * nn * max(dot(u, u), 1e-300):
                count = 4
                break
    return count


@lean_inline
def _add_face(e, f, i, j, k):
    """Write face i j k of the polytope to row f. Without an area it is never grown or seen."""
    p = e.simplex.spot
    e.face[f, 0] = i
    e.face[f, 1] = j
    e.face[f, 2] = k
    u, v = between(p, i, j), between(p, i, k)
    normal = cross(u, v)
    nn = dot(normal, normal)
    if nn <= 1e-24 * dot(u, u) * dot(v, v) or nn == 0.0:
        store(e.plane, f, ZERO)
        e.plane[f, 3] = math.inf
        return
    normal = divide(normal, math.sqrt(nn))
    store(e.plane, f, normal)
    e.plane[f, 3] = dot(normal, load(p, i))


@lean_inline
def _toggle_edge(e, edges, i, j):
    """Note edge i j of a face that goes; one that goes from both sides is no rim."""
    for n in range(edges):
        if e.edge[n, 0] == j and e.edge[n, 1] == i:
            e.edge[n, 0] = e.edge[edges - 1, 0]
            e.edge[n, 1] = e.edge[edges - 1, 1]
            return edges - 1
    e.edge[edges, 0] = i
    e.edge[edges, 1] = j
    return edges + 1


@lean_inline
def _touching_flat(core, s, count):
    """Way out where A − B has no volume, which then just touches the origin."""
    p = s.spot
    normal = (0.0, 0.0, 1.0)
    if count == 3:
        normal = cross(between(p, 0, 1), between(p, 0, 2))
    elif count == 2:
        x, y, z = between(p, 0, 1)
        normal = (0.0, z, -y) if abs(x) <= abs(z) else (y, -x, 0.0)
    size = length(normal)
    if size == 0.0:
        return (0.0, 0.0, 1.0)
    return divide(normal, size)


@lean_inline
def _remove_face(e, f, edges, faces):
    """Note the rim of face f, put the last face in its place; returns the edges of the rim."""
    i, j, k = e.face[f, 0], e.face[f, 1], e.face[f, 2]
    edges = _toggle_edge(e, edges, i, j)
    edges = _toggle_edge(e, edges, j, k)
    edges = _toggle_edge(e, edges, k, i)
    for m in range(3):
        e.face[f, m] = e.face[faces - 1, m]
    for m in range(4):
        e.plane[f, m] = e.plane[faces - 1, m]
    return edges


@lean_inline
def _shares(p, corners, q, normal):
    """Weights of three corners of p in the point q of their face, by areas."""
    a = sub(load(p, corners[0]), q)
    b = sub(load(p, corners[1]), q)
    c = sub(load(p, corners[2]), q)
    w0, w1, w2 = dot(normal, cross(b, c)), dot(normal, cross(c, a)), dot(normal, cross(a, b))
    whole = w0 + w1 + w2
    if not whole > 0.0:
        w0, w1, w2, whole = 1.0, 1.0, 1.0, 3.0
    return w0 / whole, w1 / whole, w2 / whole


@lean
def penetration(core, e, count):
    """Unit vector along which A leaves B by the shortest way, and a point of A's core there.

    core: the two shapes, which overlap or touch without their balls; e.simplex holds ``count``
    corners from `gjk`. Returns (normal, depth m, point). The weights of the contact on three
    points of A's core are left in e.simplex.weight[:3], their numbers in .index[:3].
    """
    s = e.simplex
    p = s.spot
    count = _fill(core, s, count)
    if count < 4:
        normal = _touching_flat(core, s, count)
        depth = -separation(core, normal)
        other = -separation(core, scale(-1.0, normal))
        if other < depth:
            normal, depth = scale(-1.0, normal), other
        set_vec(s.weight, (1.0, 0.0, 0.0))
        return normal, depth, load(s.on_a, 0)
    volume = dot(cross(between(p, 0, 1), between(p, 0, 2)), between(p, 0, 3))
    j, k = (1, 2) if volume < 0.0 else (2, 1)  # so that 0 j k is seen from outside
    _add_face(e, 0, 0, j, k)
    _add_face(e, 1, 0, k, 3)
    _add_face(e, 2, 0, 3, j)
    _add_face(e, 3, 3, k, j)
    faces = 4
    size = 0.0
    for n in range(4):
        size = max(size, norm1(load(p, n)))
    depth = math.inf
    best = ZERO
    c0, c1, c2 = 0, 1, 2
    while count < MOST_POLYTOPE_CORNERS:
        nearest = 0
        for f in range(1, faces):
            if e.plane[f, 3] < e.plane[nearest, 3]:
                nearest = f
        least = e.plane[nearest, 3]
        if not least < math.inf:
            break
        normal = load(e.plane, nearest)
        corner = add_corner(core, s, count, normal)
        most = dot(corner, normal)
        if most < depth:
            depth = most
            best = normal
            c0, c1, c2 = e.face[nearest, 0], e.face[nearest, 1], e.face[nearest, 2]
        size = max(size, norm1(corner))
        if depth - least <= 1e-10 * size:
            break
        edges = 0
        f = 0
        while f < faces:
            above = dot(load(e.plane, f), corner) - e.plane[f, 3]
            if f == nearest or above > 1e-13 * size:
                edges = _remove_face(e, f, edges, faces)
                faces -= 1
                if nearest == faces:  # the last face has moved here
                    nearest = f
                elif nearest == f:
                    nearest = -1
            else:
                f += 1
        if edges == 0 or faces + edges > MOST_POLYTOPE_FACES:
            break
        for n in range(edges):
            _add_face(e, faces, e.edge[n, 0], e.edge[n, 1], count)
            faces += 1
        count += 1
    w0, w1, w2 = _shares(p, (c0, c1, c2), scale(depth, best), best)
    i, j, k = s.index[c0], s.index[c1], s.index[c2]
    point = scale(w0, load(s.on_a, c0))
    point = along(along(point, w1, load(s.on_a, c1)), w2, load(s.on_a, c2))
    set_vec(s.index, (i, j, k))
    set_vec(s.weight, (w0, w1, w2))
    return scale(-1.0, best), depth, point
