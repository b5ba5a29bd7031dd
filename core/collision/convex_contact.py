"""Contact of any two convex shapes, or of one with a triangle of a mesh."""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline
from ..vec3 import ZERO, add, along, between, divide, dot, length, load, scale, sub, vec
from .gjk import APART, FAR, gjk, point_on_a
from .kinds import BOX, CAPSULE, HULL, MESH
from .manifold import (
    FACE_COSINE,
    PREFERENCE,
    Facing,
    clip_faces,
    extreme_edge,
    face_numbers,
    hold_nearest,
    leaning_faces,
    one_point,
    parallel_edges,
    roundness,
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


@lean_inline
def _nearest(core, polytope, limit, guess):
    """How far apart two shapes without their balls are, which way, and the point on the first.

    Whether they overlap; infinitely far where farther than ``limit`` m.
    """
    simplex = polytope.simplex
    state, corners, n = gjk(core, simplex, limit, guess)
    if state == FAR:
        return math.inf, n, ZERO, False
    if state == APART:
        gap = length(n)
        if gap > limit:
            return math.inf, n, ZERO, False
        return gap, divide(n, gap), point_on_a(simplex, corners), False
    n, depth, a = penetration(core, polytope, corners)
    return -depth, n, a, True


@lean_inline
def _side_of(solids, core, q, triangle, o, n, overlaps):
    """Whether a triangle may be touched along n, whether its face alone counts, and its normal.

    Returns (may touch, takes the triangle's normal, only over its face, normal). A point that is
    not over the triangle is that of another one.
    """
    outward = triangle_normal(core, 1)
    if outward == ZERO:
        return False, False, False, outward
    two_sided = solids.meshes.two_sided[solids.meshes.mesh[q]]
    if two_sided and dot(outward, load(core.points[1], 0)) > 0.0:  # p, at the origin, is behind
        outward = scale(-1.0, outward)
    facing = dot(n, outward)
    if not overlaps and facing < 0.0 and not two_sided:
        return False, False, False, outward
    allowed = neighbours_allow(core, solids, q, triangle, o, n)
    if facing > ALONG_FACE:
        return True, True, not allowed, outward
    if not overlaps:
        return allowed, False, False, outward
    is_behind = facing < -SLOPE or not allowed
    return True, is_behind, is_behind, outward


@lean_inline
def _reference(core, m0, m1, n, gap, preference):
    """Which of two faces that look along m0 and m1 carries the contact: 0, 1, or −1 for neither."""
    reference = -1
    best = gap - preference
    if dot(m1, n) > FACE_COSINE:
        apart = separation(core, m1)
        if apart >= best:
            reference = 1
            best = apart + 0.5 * preference
    if dot(m0, n) < -FACE_COSINE and separation(core, scale(-1.0, m0)) >= best:
        reference = 0
    return reference


@lean
def convex_contact(solids, p, q, triangle, reach, scratch, place):
    """Manifold of shapes p and q, which may be (the triangle of that row of) a mesh; its points.

    The normal leads from q to p; with ``flip`` the two are written the other way round.
    """
    core, faces, placed = scratch.core, scratch.faces, solids.placed
    o = placed.centre[p]
    load_core(core, 0, solids, p, -1, vec(o))
    load_core(core, 1, solids, q, triangle, vec(o))
    radii = (core.swept[0]["ball"], core.swept[1]["ball"])
    limit = reach + radii[0] + radii[1]
    # a guess of the way from q to p, which stands at the origin
    t = core.points[1]
    guess = between(placed.centre, q, p)
    if placed.kind[q] == MESH:
        guess = scale(-1.0, add(add(load(t, 0), load(t, 1)), load(t, 2)))
    gap, n, a, overlaps = _nearest(core, scratch.polytope, limit, guess)
    if gap == math.inf:
        return 0
    preference = PREFERENCE * min(thinnest(placed, p), thinnest(placed, q))
    snap, face_only, outward = False, False, ZERO
    if placed.kind[q] == MESH:
        touches, snap, face_only, outward = _side_of(solids, core, q, triangle, o, n, overlaps)
        if not touches:
            return 0
    if snap:
        n = outward
        gap = dot(outward, sub(a, load(t, 0)))
    at = along(add(vec(o), a), -radii[0], n)
    bare = gap - radii[0] - radii[1]
    count0, id0, m0 = supporting_face(core, 0, solids, p, faces, scale(-1.0, n))
    count1, id1, m1 = supporting_face(core, 1, solids, q, faces, n)
    reference = 1 if snap else _reference(core, m0, m1, n, gap, preference)
    if reference == 0 and -dot(m0, outward) > ALONG_FACE:
        # a flat side on a flat mesh: all its triangles shall push the same way
        reference = 1
        count1, id1, m1 = supporting_face(core, 1, solids, q, faces, outward)
    if reference >= 0:
        f = m1 if reference == 1 else scale(-1.0, m0)
        if dot(f, n) < 1.0 - 1e-9:  # the other face as seen along the face's
            if reference == 1:
                count0, id0, m0 = supporting_face(core, 0, solids, p, faces, scale(-1.0, f))
            else:
                count1, id1, m1 = supporting_face(core, 1, solids, q, faces, f)
        counts, own = (count0, count1), (m1 if reference == 1 else m0)
        row, found, least = clip_faces(scratch.polygon, faces, reference, counts, own, f, limit)
        # the nearest points may lie beside the face: then it does not carry the contact
        cut = roundness(core, counts, m0, m1)
        if found > 0 and (face_only or least <= gap + preference + cut):
            ids = face_numbers(reference, id0, id1)
            found = write_chosen(place, scratch.polygon, row, found, reference, ids, f, radii, o)
            if cut > 0.0 and not face_only:
                found = hold_nearest(place, found, at, bare, n, preference)
            return found
        if face_only:
            return 0
    near = preference if preference < math.inf else 0.0
    i = extreme_edge(faces[0], count0, scale(-1.0, n), near)
    j = extreme_edge(faces[1], count1, n, near)
    if i >= 0 and j >= 0:
        counts = (count0, count1)
        found = parallel_edges(place, faces, (i, j), counts, n, limit, radii, o)
        if found > 0:
            return found
    if placed.kind[q] != MESH:
        count0, id0, m0 = supporting_face(core, 0, solids, p, faces, scale(-1.0, n))
        count1, id1, m1 = supporting_face(core, 1, solids, q, faces, n)
        facing = Facing(faces, (count0, count1), (id0, id1), (m0, m1))
        cut = roundness(core, (count0, count1), m0, m1)
        nearly = gap + preference + cut
        found = leaning_faces(scratch.polygon, facing, n, limit, nearly, radii, o, place)
        if found > 0:
            if cut > 0.0:
                found = hold_nearest(place, found, at, bare, n, preference)
            return found
    return one_point(place, at, bare, n)
