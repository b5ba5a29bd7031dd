"""Depth of two convex shapes that overlap: the expanding polytope.

van den Bergen 2001, "Proximity Queries and Penetration Depth Computation". A polytope inside
A − B around the origin grows where its surface is nearest to the origin, until that piece of
surface is one of A − B. Of all directions tried the one with the least depth counts, so that what
comes out is a direction that does separate the shapes whatever rounding did to the polytope.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..kernels.jit import lean, lean_inline
from .gjk import add_corner
from .support import separation

MAX_CORNERS = 96
MAX_FACES = 2 * MAX_CORNERS

Polytope = namedtuple(
    "Polytope",
    [
        "simplex",  # Simplex with room for MAX_CORNERS: the corners of the polytope
        "face",  # (MAX_FACES, 3) corners, counter-clockwise seen from outside
        "plane",  # (MAX_FACES, 4) outward unit normal and distance m
        "edge",  # (3 · MAX_FACES, 2) rim of the hole that is being closed
    ],
)


@lean
def _fill(core, s, count):
    """Complete the simplex of ``count`` corners to four that span a volume; how many there are."""
    p = s.spot
    if count == 1:
        for n in range(6):
            sign = 1.0 if n % 2 == 0 else -1.0
            x, y, z = add_corner(
                core,
                s,
                1,
                sign if n < 2 else 0.0,
                sign if n // 2 == 1 else 0.0,
                sign if n > 3 else 0.0,
            )
            apart = (x - p[0, 0]) ** 2 + (y - p[0, 1]) ** 2 + (z - p[0, 2]) ** 2
            if apart > 1e-20 * (x * x + y * y + z * z):
                count = 2
                break
    if count == 2:
        ux, uy, uz = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
        uu = ux * ux + uy * uy + uz * uz
        # two directions across the edge, e and f, and steps of 60° between them
        if abs(ux) <= abs(uy) and abs(ux) <= abs(uz):
            ex, ey, ez = 0.0, uz, -uy
        elif abs(uy) <= abs(uz):
            ex, ey, ez = -uz, 0.0, ux
        else:
            ex, ey, ez = uy, -ux, 0.0
        size = math.sqrt(uu)
        fx, fy, fz = (uy * ez - uz * ey) / size, (uz * ex - ux * ez) / size, 0.0
        fz = (ux * ey - uy * ex) / size
        for n in range(6):
            c = math.cos(n * math.pi / 3.0)
            d = math.sin(n * math.pi / 3.0)
            x, y, z = add_corner(core, s, 2, c * ex + d * fx, c * ey + d * fy, c * ez + d * fz)
            vx, vy, vz = x - p[0, 0], y - p[0, 1], z - p[0, 2]
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            if nx * nx + ny * ny + nz * nz > 1e-20 * uu * max(uu, vx * vx + vy * vy + vz * vz):
                count = 3
                break
    if count == 3:
        ux, uy, uz = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
        vx, vy, vz = p[2, 0] - p[0, 0], p[2, 1] - p[0, 1], p[2, 2] - p[0, 2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        nn = nx * nx + ny * ny + nz * nz
        for n in range(2):
            sign = 1.0 if n == 0 else -1.0
            x, y, z = add_corner(core, s, 3, sign * nx, sign * ny, sign * nz)
            tx, ty, tz = x - p[0, 0], y - p[0, 1], z - p[0, 2]
            high = nx * tx + ny * ty + nz * tz
            if high * high > 1e-20 * nn * max(ux * ux + uy * uy + uz * uz, 1e-300):
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
    ux, uy, uz = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2]
    vx, vy, vz = p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    if nn <= 1e-24 * uu * vv or nn == 0.0:
        e.plane[f, 0] = 0.0
        e.plane[f, 1] = 0.0
        e.plane[f, 2] = 0.0
        e.plane[f, 3] = math.inf
        return
    size = math.sqrt(nn)
    nx /= size
    ny /= size
    nz /= size
    e.plane[f, 0] = nx
    e.plane[f, 1] = ny
    e.plane[f, 2] = nz
    e.plane[f, 3] = nx * p[i, 0] + ny * p[i, 1] + nz * p[i, 2]


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
    nx, ny, nz = 0.0, 0.0, 1.0
    if count == 3:
        ux, uy, uz = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
        vx, vy, vz = p[2, 0] - p[0, 0], p[2, 1] - p[0, 1], p[2, 2] - p[0, 2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    elif count == 2:
        ux, uy, uz = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
        if abs(ux) <= abs(uz):
            nx, ny, nz = 0.0, uz, -uy
        else:
            nx, ny, nz = uy, -ux, 0.0
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        return 0.0, 0.0, 1.0
    return nx / size, ny / size, nz / size


@lean
def penetration(core, e, count):
    """Unit vector along which A leaves B by the shortest way, and a point of A's core there.

    core: the two shapes, which overlap or touch without their balls; e.simplex holds ``count``
    corners from `gjk`. Returns (nx, ny, nz, depth m, ax, ay, az). The weights of the contact on
    three points of A's core are left in e.simplex.weight[:3], their numbers in .index[:3].
    """
    s = e.simplex
    p = s.spot
    count = _fill(core, s, count)
    if count < 4:
        nx, ny, nz = _touching_flat(core, s, count)
        depth = -separation(core, nx, ny, nz)
        other = -separation(core, -nx, -ny, -nz)
        if other < depth:
            nx, ny, nz, depth = -nx, -ny, -nz, other
        s.weight[0] = 1.0
        s.weight[1] = 0.0
        s.weight[2] = 0.0
        return nx, ny, nz, depth, s.on_a[0, 0], s.on_a[0, 1], s.on_a[0, 2]
    ux, uy, uz = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
    vx, vy, vz = p[2, 0] - p[0, 0], p[2, 1] - p[0, 1], p[2, 2] - p[0, 2]
    tx, ty, tz = p[3, 0] - p[0, 0], p[3, 1] - p[0, 1], p[3, 2] - p[0, 2]
    volume = (uy * vz - uz * vy) * tx + (uz * vx - ux * vz) * ty + (ux * vy - uy * vx) * tz
    j, k = (1, 2) if volume < 0.0 else (2, 1)  # so that 0 j k is seen from outside
    _add_face(e, 0, 0, j, k)
    _add_face(e, 1, 0, k, 3)
    _add_face(e, 2, 0, 3, j)
    _add_face(e, 3, 3, k, j)
    faces = 4
    scale = 0.0
    for n in range(4):
        scale = max(scale, abs(p[n, 0]) + abs(p[n, 1]) + abs(p[n, 2]))
    depth = math.inf
    mx = my = mz = 0.0
    c0, c1, c2 = 0, 1, 2
    while count < MAX_CORNERS:
        nearest = 0
        for f in range(1, faces):
            if e.plane[f, 3] < e.plane[nearest, 3]:
                nearest = f
        least = e.plane[nearest, 3]
        if not least < math.inf:
            break
        nx, ny, nz = e.plane[nearest, 0], e.plane[nearest, 1], e.plane[nearest, 2]
        x, y, z = add_corner(core, s, count, nx, ny, nz)
        most = x * nx + y * ny + z * nz
        if most < depth:
            depth = most
            mx, my, mz = nx, ny, nz
            c0, c1, c2 = e.face[nearest, 0], e.face[nearest, 1], e.face[nearest, 2]
        scale = max(scale, abs(x) + abs(y) + abs(z))
        tolerance = 1e-10 * scale
        if depth - least <= tolerance:
            break
        edges = 0
        f = 0
        while f < faces:
            above = e.plane[f, 0] * x + e.plane[f, 1] * y + e.plane[f, 2] * z - e.plane[f, 3]
            if f == nearest or above > 1e-13 * scale:
                i, j, k = e.face[f, 0], e.face[f, 1], e.face[f, 2]
                edges = _toggle_edge(e, edges, i, j)
                edges = _toggle_edge(e, edges, j, k)
                edges = _toggle_edge(e, edges, k, i)
                faces -= 1
                for m in range(3):
                    e.face[f, m] = e.face[faces, m]
                for m in range(4):
                    e.plane[f, m] = e.plane[faces, m]
                if nearest == faces:  # the last face has moved here
                    nearest = f
                elif nearest == f:
                    nearest = -1
            else:
                f += 1
        if edges == 0 or faces + edges > MAX_FACES:
            break
        for n in range(edges):
            _add_face(e, faces, e.edge[n, 0], e.edge[n, 1], count)
            faces += 1
        count += 1
    # weights of the point depth·m in its face, by areas
    qx, qy, qz = depth * mx, depth * my, depth * mz
    ax, ay, az = p[c0, 0] - qx, p[c0, 1] - qy, p[c0, 2] - qz
    bx, by, bz = p[c1, 0] - qx, p[c1, 1] - qy, p[c1, 2] - qz
    cx, cy, cz = p[c2, 0] - qx, p[c2, 1] - qy, p[c2, 2] - qz
    w0 = mx * (by * cz - bz * cy) + my * (bz * cx - bx * cz) + mz * (bx * cy - by * cx)
    w1 = mx * (cy * az - cz * ay) + my * (cz * ax - cx * az) + mz * (cx * ay - cy * ax)
    w2 = mx * (ay * bz - az * by) + my * (az * bx - ax * bz) + mz * (ax * by - ay * bx)
    whole = w0 + w1 + w2
    if not whole > 0.0:
        w0, w1, w2, whole = 1.0, 1.0, 1.0, 3.0
    w0 /= whole
    w1 /= whole
    w2 /= whole
    i, j, k = s.index[c0], s.index[c1], s.index[c2]
    ax = w0 * s.on_a[c0, 0] + w1 * s.on_a[c1, 0] + w2 * s.on_a[c2, 0]
    ay = w0 * s.on_a[c0, 1] + w1 * s.on_a[c1, 1] + w2 * s.on_a[c2, 1]
    az = w0 * s.on_a[c0, 2] + w1 * s.on_a[c1, 2] + w2 * s.on_a[c2, 2]
    s.index[0] = i
    s.index[1] = j
    s.index[2] = k
    s.weight[0] = w0
    s.weight[1] = w1
    s.weight[2] = w2
    return -mx, -my, -mz, depth, ax, ay, az
