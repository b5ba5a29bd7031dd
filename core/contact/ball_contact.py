"""Contact of a ball with any other shape: one point, towards the other's nearest point."""

from __future__ import annotations

import math

from ..jit import inline
from ..vector import rotate, unrotate
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH, SPHERE
from .manifold import one_point, triangle_normal
from .point_distance import cylinder_distance, hull_distance, triangle_distance
from .support import load_core
from .triangle_side import neighbours_allow


@inline
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


@inline
def ball_contact(shapes, p, q, sub, reach, opposite, core, manifolds, m, flip):
    """Manifold m of the ball p and any shape q but a plane or a room; its points, 0 or 1."""
    kind = shapes.kind[q]
    radius = shapes.size[p, 0]
    x = shapes.centre[p, 0]
    y = shapes.centre[p, 1]
    z = shapes.centre[p, 2]
    if kind == MESH:
        o = shapes.centre[p]
        load_core(core, 1, shapes, q, sub, x, y, z)
        t = core.points
        centre = (0.0, 0.0, 0.0)
        gap, nx, ny, nz, wa, wb, wc = triangle_distance(
            (t[1, 0, 0], t[1, 0, 1], t[1, 0, 2]),
            (t[1, 1, 0], t[1, 1, 1], t[1, 1, 2]),
            (t[1, 2, 0], t[1, 2, 1], t[1, 2, 2]),
            centre,
            centre,
            radius,
            shapes.mesh_two_sided[shapes.mesh[q]],
        )
        if gap > reach or gap < -2.0 * radius:
            return 0
        over = wa > 0.0 and wb > 0.0 and wc > 0.0
        if not over and not neighbours_allow(core, shapes, q, sub, opposite, o, nx, ny, nz):
            # right over the edge between two that lie flat it is either one's
            fx, fy, fz = triangle_normal(core, 1)
            if abs(fx * nx + fy * ny + fz * nz) < 1.0 - 1e-9:
                return 0
    elif kind == SPHERE:
        dx = x - shapes.centre[q, 0]
        dy = y - shapes.centre[q, 1]
        dz = z - shapes.centre[q, 2]
        away = radius + shapes.size[q, 0]
        dd = dx * dx + dy * dy + dz * dz
        if dd > (away + reach) * (away + reach):
            return 0
        apart = math.sqrt(dd)
        gap = apart - away
        nx, ny, nz = 0.0, 0.0, 1.0  # dead centre: any way out is as short, take a fixed one
        if apart > 0.0:
            nx = dx / apart
            ny = dy / apart
            nz = dz / apart
    else:
        r = shapes.rotation[q]
        size = shapes.size[q]
        lx, ly, lz = unrotate(
            r, x - shapes.centre[q, 0], y - shapes.centre[q, 1], z - shapes.centre[q, 2]
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
            hull = shapes.hull[q]
            gap, nx, ny, nz = hull_distance(
                shapes.hull_first_face[hull],
                shapes.hull_first_face[hull + 1],
                shapes.hull_face_first_corner,
                shapes.hull_face_corner,
                shapes.hull_face_normal,
                shapes.hull_face_offset,
                shapes.hull_vertex,
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
