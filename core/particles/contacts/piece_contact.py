"""Pieces of cloth and rope against shapes: what lies between particles collides too.

A piece is a triangle of cloth or a stretch of rope, as thick as its particles keep away. Contacts
of single particles do where a shape is wide and flat; a piece is looked at only where they do not:
at edges and corners, at balls and capsules smaller than the mesh, at the vertices of a mesh. The
nearest point then lies between the particles, and each takes its share of the push.

Everything is found where things stand at the start of a substep, when they are still apart, and
asked for at its end: what is fast does not come out on the wrong side.
"""

from __future__ import annotations

import math

import numpy as np

from ...collision.kinds import BOX, CAPSULE, CYLINDER, HULL, MESH, PLANE, ROOM, SPHERE
from ...collision.narrow_phase import lane_of, parts_of
from ...collision.piece_distance import closest_of_triangle
from ...collision.support import Placed
from ...collision.tree import end_of, next_leaf, root_of
from ...coupling.tied_pieces import misses
from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import (
    add,
    along,
    between,
    cross,
    divide,
    dot,
    dot2,
    length,
    load,
    rotate,
    scale,
    sub,
    unrotate,
)
from .contact_point import PIECE, has_room, join_particles, join_shape, note_contact

AT_VERTEX = 0.999
"""Weight of a particle in the nearest point from which its own contact does."""

ROUND_ENOUGH = 4.0
"""A curved shape of radius R does not show through pieces shorter than √(this · R · thickness): it
rises between the particles by an eighth of their length² over R, half of what they keep away."""

LOOK_EVERY = 4
"""Substeps after which it is looked anew which pieces are near which shapes."""


@kernel
def find_near_pieces(piece, shapes, mesh_tree, tied, x, previous, radius, fall, near):
    """Write what may touch in the next `LOOK_EVERY` substeps to rows (piece, shape, sub); how many.

    piece (e, 3) particles, the last one −1 for a stretch of rope; radius (n,) m; fall m, by gravity
    in one substep; mesh_tree over the triangles of all meshes, each in its shape's frame. sub is
    −1, or a triangle of the mesh. tied: what is not touched, see `tied_pieces`. There may be more
    than fit.
    """
    low_x = low_y = low_z = math.inf
    high_x = high_y = high_z = -math.inf
    slack = fall * LOOK_EVERY * LOOK_EVERY
    for e in range(piece.shape[0]):
        for n in range(3):
            i = piece[e, n]
            if i < 0:
                continue
            away = radius[i] + slack
            for k in range(3):
                now = x[i, k]
                then = now + LOOK_EVERY * (now - previous[i, k])
                low = min(now, then) - away
                high = max(now, then) + away
                if k == 0:
                    low_x, high_x = min(low_x, low), max(high_x, high)
                elif k == 1:
                    low_y, high_y = min(low_y, low), max(high_y, high)
                else:
                    low_z, high_z = min(low_z, low), max(high_z, high)
    count = 0
    for s in range(shapes.kind.shape[0]):
        kind = shapes.kind[s]
        if kind in (PLANE, ROOM):
            continue
        turn = 0.0
        size = 0.0
        for k in range(3):
            size += shapes.size[s, k]
            for m in range(3):
                turn = max(turn, abs(shapes.rotation[s, k, m] - shapes.rotation_before[s, k, m]))
        room = LOOK_EVERY * 1.8 * turn * size + slack
        sx = LOOK_EVERY * abs(shapes.centre[s, 0] - shapes.centre_before[s, 0]) + room
        sy = LOOK_EVERY * abs(shapes.centre[s, 1] - shapes.centre_before[s, 1]) + room
        sz = LOOK_EVERY * abs(shapes.centre[s, 2] - shapes.centre_before[s, 2]) + room
        lx, hx = shapes.lower[s, 0] - sx, shapes.upper[s, 0] + sx
        ly, hy = shapes.lower[s, 1] - sy, shapes.upper[s, 1] + sy
        lz, hz = shapes.lower[s, 2] - sz, shapes.upper[s, 2] + sz
        if lx > high_x or hx < low_x or ly > high_y or hy < low_y or lz > high_z or hz < low_z:
            continue
        for e in range(piece.shape[0]):
            apart = False
            for k in range(3):
                below = True
                above = True
                first = lx if k == 0 else (ly if k == 1 else lz)
                last = hx if k == 0 else (hy if k == 1 else hz)
                for n in range(3):
                    i = piece[e, n]
                    if i < 0:
                        continue
                    now = x[i, k]
                    then = now + LOOK_EVERY * (now - previous[i, k])
                    away = radius[i] + slack
                    below = below and max(now, then) + away < first
                    above = above and min(now, then) - away > last
                if below or above:
                    apart = True
                    break
            if apart:
                continue
            i, j = piece[e, 0], piece[e, 1]
            if misses(tied, shapes.owner[s], i, j, j if piece[e, 2] < 0 else piece[e, 2]):
                continue
            if kind != MESH:
                if count < near.shape[0]:
                    near[count, 0] = e
                    near[count, 1] = s
                    near[count, 2] = -1
                count += 1
                continue
            mesh = shapes.mesh[s]
            away = slack + room
            way = 0.0
            ax = ay = az = math.inf
            bx = by = bz = -math.inf
            for n in range(3):
                i = piece[e, n]
                if i < 0:
                    continue
                far = radius[i]
                for k in range(3):
                    far += LOOK_EVERY * abs(x[i, k] - previous[i, k])
                way = max(way, far)
                seen = sub(load(x, i), load(shapes.centre, s))
                px, py, pz = unrotate(shapes.rotation[s], seen)
                ax, bx = min(ax, px), max(bx, px)
                ay, by = min(ay, py), max(by, py)
                az, bz = min(az, pz), max(bz, pz)
            away += way + (sx + sy + sz - 3.0 * room)
            end = end_of(shapes.mesh_first_triangle[mesh + 1])
            node = root_of(shapes.mesh_first_triangle[mesh])
            ax, ay, az = ax - away, ay - away, az - away
            bx, by, bz = bx + away, by + away, bz + away
            node = next_leaf(mesh_tree, node, end, ax, ay, az, bx, by, bz)
            while node < end:
                if count < near.shape[0]:
                    near[count, 0] = e
                    near[count, 1] = s
                    near[count, 2] = mesh_tree.leaf[node]
                count += 1
                node = next_leaf(mesh_tree, node + 1, end, ax, ay, az, bx, by, bz)
    return count


@lean_inline
def _vertices_do(kind, sx, sy, sz, long, thick, a, b, c):
    """Whether the particles' own contacts do: a, b, c (three numbers each) in the shape's frame."""
    if kind in (SPHERE, CAPSULE):
        return long * long < ROUND_ENOUGH * sx * thick
    if kind == BOX:  # all over one and the same face
        ix = abs(a[0]) <= sx and abs(b[0]) <= sx and abs(c[0]) <= sx
        iy = abs(a[1]) <= sy and abs(b[1]) <= sy and abs(c[1]) <= sy
        iz = abs(a[2]) <= sz and abs(b[2]) <= sz and abs(c[2]) <= sz
        return (ix and iy) or (iy and iz) or (ix and iz)
    if kind == CYLINDER:
        if (
            math.sqrt(a[0] * a[0] + a[1] * a[1]) <= sx
            and math.sqrt(b[0] * b[0] + b[1] * b[1]) <= sx
            and math.sqrt(c[0] * c[0] + c[1] * c[1]) <= sx
        ):
            return True
        return (
            abs(a[2]) <= sy
            and abs(b[2]) <= sy
            and abs(c[2]) <= sy
            and long * long < ROUND_ENOUGH * sx * thick
        )
    return False


@lean_inline
def _note(contacts, c, s, corners, weights, place, normal, radius):
    """Note the contact of Σ wᵢ xᵢ over three corners with a place on shape s, at the step's end."""
    if has_room(contacts, c):
        wi, wj, wk = weights
        if corners[1] == corners[2]:
            wj, wk = wj + wk, 0.0
        join_particles(contacts, c, 0, PIECE, corners, (wi, wj, wk))
        join_shape(contacts, c, 1, s, place)
        note_contact(contacts, c, normal, radius)
    return c + 1


@lean_inline
def _weighted(x, corners, weights):
    """The place Σ wᵢ xᵢ over three particles."""
    p = along(scale(weights[0], load(x, corners[0])), weights[1], load(x, corners[1]))
    return along(p, weights[2], load(x, corners[2]))


@lean_inline
def _carried(shapes, s, place):
    """Where a place of shape s gets to by the end of the substep."""
    local = unrotate(shapes.rotation_before[s], sub(place, load(shapes.centre_before, s)))
    return add(rotate(shapes.rotation[s], local), load(shapes.centre, s))


@lean
def _corner_contact(contacts, c, shapes, s, corners, particles, local, radius, within):
    """Contact of the triangle of three corners with a place in the frame of shape s.

    Where it is over the triangle, not deeper than within[0] and not farther than within[1], m. The
    middle of a solid shape says on which side of the triangle it belongs; a mesh stays where it is.
    """
    previous = particles.previous
    i, j, k = corners
    centre = load(shapes.centre_before, s)
    corner = add(rotate(shapes.rotation_before[s], local), centre)
    u, w = between(previous, i, j), between(previous, i, k)
    normal = cross(u, w)
    size = length(normal)
    if size <= 1e-12 * dot2(u, u, w, w):
        return c
    normal = divide(normal, size)
    d = sub(corner, load(previous, i))
    height = -dot(normal, d)
    side = height
    if shapes.kind[s] != MESH:
        side = dot(normal, sub(load(previous, i), centre))
    if side < 0.0:
        normal, height = scale(-1.0, normal), -height
    if height - radius > within[1] or height < -within[0]:
        return c
    uu, uw, ww, du, dw = dot(u, u), dot(u, w), dot(w, w), dot(d, u), dot(d, w)
    area = uu * ww - uw * uw
    wj = (ww * du - uw * dw) / area
    wk = (uu * dw - uw * du) / area
    wi = 1.0 - wj - wk
    if wi < 0.0 or wj < 0.0 or wk < 0.0:
        return c
    place = add(rotate(shapes.rotation[s], local), load(shapes.centre, s))
    return _note(contacts, c, s, corners, (wi, wj, wk), place, normal, radius)


@kernel
def find_piece_contacts(
    c,
    contacts,
    near,
    near_count,
    piece,
    shapes,
    inverse_mass_of_owner,
    particles,
    radius,
    edges,
    first_use,
    scratch,
):
    """Contacts of pieces with shapes, written from row c on; returns the row after them.

    near from `find_near_pieces`; first_use (v,) for each vertex of a mesh one triangle that has it.
    May return more than fit.
    """
    x, previous, inverse_mass = particles
    own = lane_of(scratch, 0)
    _, hulls, meshes = parts_of(shapes)
    placed = Placed(shapes.kind, shapes.size, shapes.centre_before, shapes.rotation_before)
    for n in range(near_count):
        e = near[n, 0]
        s = near[n, 1]
        triangle = np.int64(near[n, 2])
        i = piece[e, 0]
        j = piece[e, 1]
        is_wire = piece[e, 2] < 0
        k = j if is_wire else piece[e, 2]
        ends = (i, j, k)
        if (
            inverse_mass[i] + inverse_mass[j] + inverse_mass[k] == 0.0
            and shapes.particle_body[s] < 0
            and inverse_mass_of_owner[shapes.owner[s]] == 0.0
        ):
            continue
        thick = min(radius[i], min(radius[j], radius[k]))
        apart = False
        reach = 0.0
        turn = 0.0
        for d in range(3):
            low = min(previous[i, d], min(previous[j, d], previous[k, d]))
            low = min(low, min(x[i, d], min(x[j, d], x[k, d]))) - thick
            high = max(previous[i, d], max(previous[j, d], previous[k, d]))
            high = max(high, max(x[i, d], max(x[j, d], x[k, d]))) + thick
            apart = apart or low > shapes.upper[s, d] or high < shapes.lower[s, d]
            way = max(abs(x[i, d] - previous[i, d]), abs(x[j, d] - previous[j, d]))
            reach += max(way, abs(x[k, d] - previous[k, d]))
            reach += abs(shapes.centre[s, d] - shapes.centre_before[s, d])
            for m in range(3):
                turn = max(turn, abs(shapes.rotation[s, d, m] - shapes.rotation_before[s, d, m]))
        if apart:
            continue
        kind = shapes.kind[s]
        sx, sy, sz = shapes.size[s, 0], shapes.size[s, 1], shapes.size[s, 2]
        reach += 1.8 * turn * (sx + sy + sz) + 0.02 * thick
        if kind != MESH:
            r = shapes.rotation_before[s]
            centre = load(shapes.centre_before, s)
            a = unrotate(r, sub(load(previous, i), centre))
            b = unrotate(r, sub(load(previous, j), centre))
            g = unrotate(r, sub(load(previous, k), centre))
            long = max(abs(a[0] - b[0]), max(abs(a[1] - b[1]), abs(a[2] - b[2])))
            long = max(long, max(abs(a[0] - g[0]), max(abs(a[1] - g[1]), abs(a[2] - g[2]))))
            if _vertices_do(kind, sx, sy, sz, long, thick, a, b, g):
                continue
        corners = 0
        first = 0
        deep = min(sx, min(sy, sz))
        if not is_wire:
            if kind == BOX:
                corners = 8
            elif kind == HULL:
                first = hulls.first_vertex[shapes.hull[s]]
                corners = hulls.first_vertex[shapes.hull[s] + 1] - first
            elif kind == MESH:
                corners = 3
                deep = thick + reach
        for corner in range(corners):
            if kind == BOX:
                local = (
                    sx if corner & 1 else -sx,
                    sy if corner & 2 else -sy,
                    sz if corner & 4 else -sz,
                )
            elif kind == HULL:
                local = load(hulls.vertex, first + corner)
            else:
                v = meshes.triangle[triangle, corner]
                if first_use[v] != triangle:
                    continue
                local = load(meshes.vertex, v)
            within = (deep, reach)
            c = _corner_contact(contacts, c, shapes, s, ends, particles, local, thick, within)
        if kind == MESH and not is_wire:
            continue
        gap, nx, ny, nz, wi, wj, wk = closest_of_triangle(
            placed,
            hulls,
            meshes,
            edges,
            s,
            triangle,
            load(previous, i),
            load(previous, j),
            load(previous, k),
            thick,
            reach,
            own.core,
            own.polytope,
        )
        if gap > reach or wi > AT_VERTEX or (wk if is_wire else 0.0) + wj > AT_VERTEX:
            continue
        if wk > AT_VERTEX or (corners > 0 and min(wi, min(wj, wk)) > 1e-6):
            continue  # a particle, or a corner over the middle of the triangle: done already
        normal, weights = (nx, ny, nz), (wi, wj, wk)
        surface = along(_weighted(previous, ends, weights), -(gap + thick), normal)
        c = _note(contacts, c, s, ends, weights, _carried(shapes, s, surface), normal, thick)
    return c
