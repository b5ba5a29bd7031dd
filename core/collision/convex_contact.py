"""Contact of any two convex shapes, or of one with a triangle of a mesh."""

from __future__ import annotations

import math

from ..kernels.jit import lean
from ..vec3 import ZERO, add, along, between, divide, dot, length, load, scale, sub, vec
from .gjk import FAR, NEAR, gjk, point_on_a
from .kinds import BOX, CAPSULE, HULL, MESH
from .manifold import (
    FACE_COSINE,
    PREFERENCE,
    clip_faces,
    extreme_edge,
    face_numbers,
    one_point,
    parallel_edges,
    supporting_face,
    triangle_normal,
    write_chosen,
)
from .penetration import penetration
from .support import load_core, separation
from .triangle_side import ALONG_FACE, SLOPE, neighbours_allow


@lean
def thinnest(placed, s):
    """Half extent of shape s where it is thinnest, m; without end for a mesh."""
    kind = placed.kind[s]
    if kind == MESH:
        return math.inf
    if kind == CAPSULE:
        return placed.size[s, 0]
    least = min(placed.size[s, 0], placed.size[s, 1])
    if kind in (BOX, HULL):
        least = min(least, placed.size[s, 2])
    return least


@lean
def convex_contact(placed, hulls, meshes, edges, p, q, triangle, reach, scratch, place):
    """Manifold of shapes p and q, which may be (the triangle of that row of) a mesh; its points.

    The normal leads from q to p; with ``flip`` the two are written the other way round.
    """
    core = scratch.core
    faces = scratch.faces
    simplex = scratch.polytope.simplex
    o = placed.centre[p]
    load_core(core, 0, placed, hulls, meshes, p, -1, vec(o))
    load_core(core, 1, placed, hulls, meshes, q, triangle, vec(o))
    ra = core.about[0, 0]
    rb = core.about[1, 0]
    limit = reach + ra + rb
    mesh = placed.kind[q] == MESH
    # a guess of the way from q to p, which stands at the origin
    t = core.points[1]
    guess = between(placed.centre, q, p)
    if mesh:
        guess = scale(-1.0, add(add(load(t, 0), load(t, 1)), load(t, 2)))
    state, corners, n = gjk(core, simplex, limit, guess)
    if state == FAR:
        return 0
    if state == NEAR:
        gap = length(n)
        if gap > limit:
            return 0
        n = divide(n, gap)
        a = point_on_a(simplex, corners)
    else:
        n, depth, a = penetration(core, scratch.polytope, corners)
        gap = -depth
    preference = PREFERENCE * min(thinnest(placed, p), thinnest(placed, q))
    face_only = False  # a point that is not over the triangle is that of another one
    outward = ZERO  # of the triangle
    snap = False
    if mesh:
        outward = triangle_normal(core, 1)
        if outward == ZERO:
            return 0
        two_sided = meshes.two_sided[meshes.mesh[q]]
        if two_sided and dot(outward, load(t, 0)) > 0.0:  # p, at the origin, is behind
            outward = scale(-1.0, outward)
        facing = dot(n, outward)
        if state == NEAR and facing < 0.0 and not two_sided:
            return 0
        allowed = neighbours_allow(core, placed, meshes, edges, q, triangle, o, n)
        if facing > ALONG_FACE:
            snap = True
            face_only = not allowed
        elif state == NEAR:
            if not allowed:
                return 0
        elif facing < -SLOPE or not allowed:
            snap = True
            face_only = True
    if snap:
        n = outward
        gap = dot(outward, sub(a, load(t, 0)))
    reference = -1
    count0, id0, m0 = supporting_face(core, 0, placed, hulls, p, faces, scale(-1.0, n))
    count1, id1, m1 = supporting_face(core, 1, placed, hulls, q, faces, n)
    if snap:
        reference = 1
    else:
        best = gap - preference
        if dot(m1, n) > FACE_COSINE:
            apart = separation(core, m1)
            if apart >= best:
                reference = 1
                best = apart + 0.5 * preference
        if dot(m0, n) < -FACE_COSINE and separation(core, scale(-1.0, m0)) >= best:
            reference = 0
        if reference == 0 and -dot(m0, outward) > ALONG_FACE:
            # a flat side on a flat mesh: all its triangles shall push the same way
            reference = 1
            count1, id1, m1 = supporting_face(core, 1, placed, hulls, q, faces, outward)
    if reference >= 0:
        f = m1 if reference == 1 else scale(-1.0, m0)
        if dot(f, n) < 1.0 - 1e-9:  # the other face as seen along the face's
            if reference == 1:
                count0, id0, m0 = supporting_face(core, 0, placed, hulls, p, faces, scale(-1.0, f))
            else:
                count1, id1, m1 = supporting_face(core, 1, placed, hulls, q, faces, f)
        counts, own = (count0, count1), (m1 if reference == 1 else m0)
        row, found, least = clip_faces(scratch.polygon, faces, reference, counts, own, f, limit)
        # the nearest points may lie beside the face: then it does not carry the contact
        if found > 0 and (face_only or least <= gap + preference):
            ids = face_numbers(reference, id0, id1)
            return write_chosen(place, scratch.polygon, row, found, reference, ids, f, (ra, rb), o)
        if face_only:
            return 0
    near = preference if preference < math.inf else 0.0
    i = extreme_edge(faces[0], count0, scale(-1.0, n), near)
    j = extreme_edge(faces[1], count1, n, near)
    if i >= 0 and j >= 0:
        counts = (count0, count1)
        found = parallel_edges(place, faces, (i, j), counts, n, limit, (ra, rb), o)
        if found > 0:
            return found
    return one_point(place, along(add(vec(o), a), -ra, n), gap - ra - rb, n)
