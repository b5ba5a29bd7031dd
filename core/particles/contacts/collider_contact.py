"""Particles against colliders: projection, depth friction, bounce (Jakobsen §3, §7).

All of it happens in the collider's own frame, where p is the particle now and o where it was one
step ago in the frame as it was then. So a moving collider drags and hits by itself.
"""

from __future__ import annotations

import math

from ...collision.kinds import MESH
from ...collision.narrow_phase import parts_of
from ...collision.particle_distance import MOST_TRIANGLES, mesh_distance
from ...collision.point_distance import solid_distance
from ...collision.restitution import bounce
from ...collision.shapes import face_count, passes_by
from ...kernels.jit import kernel, parallel_kernel, prange
from ...vector import rotate, unrotate
from .contact_parting import OVERLAP_SPEED


@parallel_kernel
def collide_particles(
    x,
    previous,
    start,
    inverse_mass,
    colliding,
    is_parted,
    radius,
    friction,
    restitution,
    shapes,
    collider_count,
    mesh_tree,
    mesh_before,
    mesh_motion,
    gravity,
    h,
    may_bounce,
):
    """Project particles out of the colliders and let friction act.

    * Projection: the least way out. Depth that was there before the step is taken from x and x*
      alike and not at once, so that an overlapping start is resolved without a kick. What contacts
      have shifted x* by in this step, parting the particle from what presses it in, goes at once:
      cloth between a body and the floor stays on the floor.
    * Friction (Jakobsen §7): the tangential velocity x − x* loses μ·d, d the depth that was
      projected away, and never reverses. It is x that gives way, not x*: the velocity is the same,
      and the particle does not slide a step too far or creep down a slope that holds it.
    * Restitution: with ``may_bounce`` a fast particle is reflected on its exact path.

    start (n, 3) m: where particles stood at the start of the step; a bounce and what parts old
    overlaps set x* elsewhere.
    is_parted (n,): who is kept apart from meshes as part of a surface, and only bounces here.
    mesh_tree: over the triangles of all meshes, each in its shape's own frame; mesh_before (v, 3)
    m: their vertices one step ago, none of which has come farther than mesh_motion m.
    """
    for j in prange(colliding.shape[0]):
        i = colliding[j]
        if inverse_mass[i] == 0.0:
            continue
        _, hulls, meshes = parts_of(shapes)
        for s in range(collider_count):
            reach = radius[i]
            room = reach
            if shapes.kind[s] == MESH:
                if is_parted[i] and not may_bounce:
                    continue
                room += mesh_motion
            if passes_by(shapes, s, x, previous, i, room):
                continue
            r = shapes.rotation[s]
            rb = shapes.rotation_before[s]
            c = shapes.centre[s]
            cb = shapes.centre_before[s]
            px, py, pz = unrotate(r, x[i, 0] - c[0], x[i, 1] - c[1], x[i, 2] - c[2])
            ox, oy, oz = unrotate(
                rb, previous[i, 0] - cb[0], previous[i, 1] - cb[1], previous[i, 2] - cb[2]
            )
            touched = False
            kind = shapes.kind[s]
            faces = face_count(kind)
            mesh = shapes.mesh[s]
            sx, sy, sz = unrotate(rb, start[i, 0] - cb[0], start[i, 1] - cb[1], start[i, 2] - cb[2])
            if kind == MESH:
                faces = MOST_TRIANGLES
            mx = my = mz = 0.0
            for face in range(faces):
                if kind == MESH:
                    p, o = (px, py, pz), (sx, sy, sz)
                    gap, (nx, ny, nz), (mx, my, mz) = mesh_distance(
                        meshes, mesh, mesh_tree, mesh_before, mesh_motion, p, o, reach
                    )
                    if gap >= 0.0:
                        break
                else:
                    p, o = (px, py, pz), (ox, oy, oz)
                    gap, (nx, ny, nz) = solid_distance(
                        hulls, kind, shapes.size[s], shapes.hull[s], face, p, o, reach
                    )
                if gap >= 0.0:
                    continue
                touched = True
                ux, uy, uz = px - ox - mx, py - oy - my, pz - oz - mz
                un = ux * nx + uy * ny + uz * nz
                before = gap - un
                e = max(restitution[i], shapes.restitution[s])
                gx, gy, gz = unrotate(r, gravity[0], gravity[1], gravity[2])
                a = gx * nx + gy * ny + gz * nz
                if may_bounce and e > 0.0 and before >= 0.0 and un < -2.0 * abs(a) * h * h:
                    height, after = bounce(before, un, a, h, e)
                    shift = height - gap
                    px += shift * nx
                    py += shift * ny
                    pz += shift * nz
                    # x* such that the normal part of x − x* is ``after``, tangent untouched
                    back = (un + shift) - after
                    ox += back * nx
                    oy += back * ny
                    oz += back * nz
                    impulse = after - un
                else:
                    old = min(-gap, max(0.0, -before))
                    impulse = -gap - old
                    shifted = (sx - ox) * nx + (sy - oy) * ny + (sz - oz) * nz
                    part = min(old, OVERLAP_SPEED * h + max(0.0, shifted))
                    px += (impulse + part) * nx
                    py += (impulse + part) * ny
                    pz += (impulse + part) * nz
                    ox += part * nx
                    oy += part * ny
                    oz += part * nz
                tx = ux - un * nx
                ty = uy - un * ny
                tz = uz - un * nz
                slide = math.sqrt(tx * tx + ty * ty + tz * tz)
                limit = math.sqrt(friction[i] * shapes.friction[s]) * impulse
                hold = 1.0 if slide <= limit else limit / slide
                px -= hold * tx
                py -= hold * ty
                pz -= hold * tz
            if touched:
                wx, wy, wz = rotate(r, px, py, pz)
                x[i, 0] = c[0] + wx
                x[i, 1] = c[1] + wy
                x[i, 2] = c[2] + wz
                wx, wy, wz = rotate(rb, ox, oy, oz)
                previous[i, 0] = cb[0] + wx
                previous[i, 1] = cb[1] + wy
                previous[i, 2] = cb[2] + wz


@kernel
def deepest_particle(x, colliding, shapes, collider_count):
    """Deepest penetration in m of any particle's centre into a collider, 0 when none is inside.

    The triangles of a mesh have no inside.
    """
    _, hulls, _ = parts_of(shapes)
    deepest = 0.0
    for j in range(colliding.shape[0]):
        i = colliding[j]
        for s in range(collider_count):
            if shapes.kind[s] == MESH:
                continue
            r = shapes.rotation[s]
            px, py, pz = unrotate(
                r,
                x[i, 0] - shapes.centre[s, 0],
                x[i, 1] - shapes.centre[s, 1],
                x[i, 2] - shapes.centre[s, 2],
            )
            for face in range(face_count(shapes.kind[s])):
                kind, p = shapes.kind[s], (px, py, pz)
                gap, _ = solid_distance(
                    hulls, kind, shapes.size[s], shapes.hull[s], face, p, p, 0.0
                )
                deepest = max(deepest, -gap)
    return deepest
