"""Contact of a ball with any other shape: one point, towards the other's nearest point."""

from __future__ import annotations

import math

from ..kernels.jit import lean
from ..vector import rotate, unrotate
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH
from .manifold import one_point, triangle_normal
from .point_distance import cylinder_distance, hull_distance, triangle_distance
from .support import load_core
from .triangle_side import ALONG_FACE, neighbours_allow


@lean
def _box_distance(hx, hy, hz, px, py, pz):
    """Signed distance of the point p from a box, and the way out."""
    dx = abs(px) - hx
    dy = abs(py) - hy
    dz = abs(pz) - hz
    if dx <= 0.0 and dy <= 0.0 and dz <= 0.0:
        if dx >= dy and dx >= dz:
            return dx, math.copysign(1.0, px), 0.0, 0.0
        if dy >= dz:
            return dy, 0.0, math.copysign(1.0, py), 0.0
        return dz, 0.0, 0.0, math.copysign(1.0, pz)
    nx = math.copysign(max(dx, 0.0), px)
    ny = math.copysign(max(dy, 0.0), py)
    nz = math.copysign(max(dz, 0.0), pz)
    gap = math.sqrt(nx * nx + ny * ny + nz * nz)
    return gap, nx / gap, ny / gap, nz / gap


@lean
def ball_ball(placed, a, b, reach, manifolds, m):
    """Manifold m of the balls a and b; its points, 0 or 1."""
    radius = placed.size[a, 0]
    x = placed.centre[a, 0]
    y = placed.centre[a, 1]
    z = placed.centre[a, 2]
    nx = x - placed.centre[b, 0]
    ny = y - placed.centre[b, 1]
    nz = z - placed.centre[b, 2]
    away = radius + placed.size[b, 0]
    dd = nx * nx + ny * ny + nz * nz
    if dd > (away + reach) * (away + reach):
        return 0
    apart = math.sqrt(dd)
    if apart > 0.0:
        nx /= apart
        ny /= apart
        nz /= apart
    else:  # dead centre: any way out is as short, take a fixed one
        nz = 1.0
    return one_point(
        manifolds,
        m,
        False,
        x - radius * nx,
        y - radius * ny,
        z - radius * nz,
        apart - away,
        nx,
        ny,
        nz,
    )


@lean
def ball_contact(placed, hulls, meshes, edges, p, q, sub, reach, core, manifolds, m, flip):
    """Manifold m of the ball p and shape q, no ball, plane or room; its points, 0 or 1."""
    kind = placed.kind[q]
    radius = placed.size[p, 0]
    x = placed.centre[p, 0]
    y = placed.centre[p, 1]
    z = placed.centre[p, 2]
    if kind == MESH:
        o = placed.centre[p]
        load_core(core, 1, placed, hulls, meshes, q, sub, x, y, z)
        t = core.points
        centre = (0.0, 0.0, 0.0)
        gap, nx, ny, nz, wa, wb, wc = triangle_distance(
            (t[1, 0, 0], t[1, 0, 1], t[1, 0, 2]),
            (t[1, 1, 0], t[1, 1, 1], t[1, 1, 2]),
            (t[1, 2, 0], t[1, 2, 1], t[1, 2, 2]),
            centre,
            centre,
            radius,
            meshes.two_sided[meshes.mesh[q]],
        )
        if gap > reach or gap < -2.0 * radius:
            return 0
        if wa == 0.0 or wb == 0.0 or wc == 0.0:
            fx, fy, fz = triangle_normal(core, 1)
            facing = fx * nx + fy * ny + fz * nz
            if abs(facing) > ALONG_FACE:  # all but over the triangle
                sign = math.copysign(1.0, facing)
                nx, ny, nz = sign * fx, sign * fy, sign * fz
                gap = -(nx * t[1, 0, 0] + ny * t[1, 0, 1] + nz * t[1, 0, 2]) - radius
            elif not neighbours_allow(core, placed, meshes, edges, q, sub, o, nx, ny, nz):
                return 0
    else:
        r = placed.rotation[q]
        size = placed.size[q]
        lx, ly, lz = unrotate(
            r, x - placed.centre[q, 0], y - placed.centre[q, 1], z - placed.centre[q, 2]
        )
        gap, nx, ny, nz = math.inf, 0.0, 0.0, 1.0
        if kind == BOX:
            gap, nx, ny, nz = _box_distance(size[0], size[1], size[2], lx, ly, lz)
        elif kind == CAPSULE:
            dz = lz - min(max(lz, -size[1]), size[1])
            apart = math.sqrt(lx * lx + ly * ly + dz * dz)
            nx, ny, nz = 1.0, 0.0, 0.0
            if apart > 0.0:
                nx, ny, nz = lx / apart, ly / apart, dz / apart
            gap = apart - size[0]
        elif kind == CYLINDER:
            gap, nx, ny, nz = cylinder_distance(size, lx, ly, lz, lx, ly, lz, 0.0)
        elif kind == HULL:
            hull = hulls.hull[q]
            gap, nx, ny, nz = hull_distance(
                hulls.first_face[hull],
                hulls.first_face[hull + 1],
                hulls.face_first_corner,
                hulls.face_corner,
                hulls.face_normal,
                hulls.face_offset,
                hulls.vertex,
                (lx, ly, lz),
                (lx, ly, lz),
                0.0,
            )
        gap -= radius
        if gap > reach:
            return 0
        nx, ny, nz = rotate(r, nx, ny, nz)
    return one_point(
        manifolds, m, flip, x - radius * nx, y - radius * ny, z - radius * nz, gap, nx, ny, nz
    )
