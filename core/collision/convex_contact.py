"""Contact of any two convex shapes, or of one with a triangle of a mesh."""

from __future__ import annotations

import math

from ..kernels.jit import lean
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
def convex_contact(placed, hulls, meshes, edges, p, q, sub, reach, scratch, manifolds, m, flip):
    """Manifold m of shapes p and q, which may be (triangle ``sub`` of) a mesh; its points.

    The normal leads from q to p; with ``flip`` the two are written the other way round.
    """
    core = scratch.core
    faces = scratch.faces
    simplex = scratch.polytope.simplex
    o = placed.centre[p]
    load_core(core, 0, placed, hulls, meshes, p, -1, o[0], o[1], o[2])
    load_core(core, 1, placed, hulls, meshes, q, sub, o[0], o[1], o[2])
    ra = core.about[0, 0]
    rb = core.about[1, 0]
    limit = reach + ra + rb
    mesh = placed.kind[q] == MESH
    # a guess of the way from q to p, which stands at the origin
    if mesh:
        gx = -(core.points[1, 0, 0] + core.points[1, 1, 0] + core.points[1, 2, 0])
        gy = -(core.points[1, 0, 1] + core.points[1, 1, 1] + core.points[1, 2, 1])
        gz = -(core.points[1, 0, 2] + core.points[1, 1, 2] + core.points[1, 2, 2])
    else:
        gx = o[0] - placed.centre[q, 0]
        gy = o[1] - placed.centre[q, 1]
        gz = o[2] - placed.centre[q, 2]
    state, corners, nx, ny, nz = gjk(core, simplex, limit, gx, gy, gz)
    if state == FAR:
        return 0
    if state == NEAR:
        gap = math.sqrt(nx * nx + ny * ny + nz * nz)
        if gap > limit:
            return 0
        nx /= gap
        ny /= gap
        nz /= gap
        ax, ay, az = point_on_a(simplex, corners)
    else:
        nx, ny, nz, depth, ax, ay, az = penetration(core, scratch.polytope, corners)
        gap = -depth
    preference = PREFERENCE * min(thinnest(placed, p), thinnest(placed, q))
    face_only = False  # a point that is not over the triangle is that of another one
    tx = ty = tz = 0.0
    snap = False
    if mesh:
        tx, ty, tz = triangle_normal(core, 1)
        if tx == 0.0 and ty == 0.0 and tz == 0.0:
            return 0
        two_sided = meshes.two_sided[meshes.mesh[q]]
        if two_sided:
            side = tx * core.points[1, 0, 0] + ty * core.points[1, 0, 1] + tz * core.points[1, 0, 2]
            if side > 0.0:  # p, at the origin, is behind
                tx, ty, tz = -tx, -ty, -tz
        facing = nx * tx + ny * ty + nz * tz
        if state == NEAR and facing < 0.0 and not two_sided:
            return 0
        allowed = neighbours_allow(core, placed, meshes, edges, q, sub, o, nx, ny, nz)
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
        nx, ny, nz = tx, ty, tz
        t = core.points
        gap = tx * (ax - t[1, 0, 0]) + ty * (ay - t[1, 0, 1]) + tz * (az - t[1, 0, 2])
    reference = -1
    count0, id0, m0x, m0y, m0z = supporting_face(core, 0, placed, hulls, p, faces, -nx, -ny, -nz)
    count1, id1, m1x, m1y, m1z = 3, 0, tx, ty, tz
    if snap:
        reference = 1
        count1, id1, m1x, m1y, m1z = supporting_face(core, 1, placed, hulls, q, faces, nx, ny, nz)
    else:
        count1, id1, m1x, m1y, m1z = supporting_face(core, 1, placed, hulls, q, faces, nx, ny, nz)
        best = gap - preference
        if m1x * nx + m1y * ny + m1z * nz > FACE_COSINE:
            along = separation(core, m1x, m1y, m1z)
            if along >= best:
                reference = 1
                best = along + 0.5 * preference
        if m0x * nx + m0y * ny + m0z * nz < -FACE_COSINE:
            along = separation(core, -m0x, -m0y, -m0z)
            if along >= best:
                reference = 0
        if reference == 0 and -(m0x * tx + m0y * ty + m0z * tz) > ALONG_FACE:
            # a flat side on a flat mesh: all its triangles shall push the same way
            reference = 1
            count1, id1, m1x, m1y, m1z = supporting_face(
                core, 1, placed, hulls, q, faces, tx, ty, tz
            )
    if reference >= 0:
        if reference == 1:
            fx, fy, fz = m1x, m1y, m1z
        else:
            fx, fy, fz = -m0x, -m0y, -m0z
        if fx * nx + fy * ny + fz * nz < 1.0 - 1e-9:  # the other face as seen along the face's
            if reference == 1:
                count0, id0, m0x, m0y, m0z = supporting_face(
                    core, 0, placed, hulls, p, faces, -fx, -fy, -fz
                )
            else:
                count1, id1, m1x, m1y, m1z = supporting_face(
                    core, 1, placed, hulls, q, faces, fx, fy, fz
                )
        if reference == 1:
            row, found, least = clip_faces(
                scratch.polygon, faces, 1, count1, count0, m1x, m1y, m1z, fx, fy, fz, limit
            )
        else:
            row, found, least = clip_faces(
                scratch.polygon, faces, 0, count0, count1, m0x, m0y, m0z, fx, fy, fz, limit
            )
        # the nearest points may lie beside the face: then it does not carry the contact
        if found > 0 and (face_only or least <= gap + preference):
            return write_chosen(
                manifolds,
                m,
                flip,
                scratch.polygon,
                row,
                found,
                reference,
                face_numbers(reference, id0, id1),
                fx,
                fy,
                fz,
                ra,
                rb,
                o,
            )
        if face_only:
            return 0
        reference = -1
    if reference < 0:
        near = preference if preference < math.inf else 0.0
        i = extreme_edge(faces, 0, count0, -nx, -ny, -nz, near)
        j = extreme_edge(faces, 1, count1, nx, ny, nz, near)
        if i >= 0 and j >= 0:
            found = parallel_edges(
                manifolds,
                m,
                flip,
                faces,
                i,
                j,
                count0,
                count1,
                nx,
                ny,
                nz,
                limit,
                ra,
                rb,
                o,
            )
            if found > 0:
                return found
    return one_point(
        manifolds,
        m,
        flip,
        o[0] + ax - ra * nx,
        o[1] + ay - ra * ny,
        o[2] + az - ra * nz,
        gap - ra - rb,
        nx,
        ny,
        nz,
    )
