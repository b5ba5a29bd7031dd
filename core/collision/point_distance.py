"""Signed distance of a ball from a cylinder, a convex hull and a triangle, and the way out.

As `distance` in shapes.py: p is the ball's centre in the shape's frame, o where it was one step
ago. A ball that came in during the step is sent back through the face by which it came in, so
that thin shapes stop fast balls. Each returns (distance, nx, ny, nz).
"""

from __future__ import annotations

import math

from ..kernels.jit import lean
from .gjk import segment_weight, triangle_weights


@lean
def cylinder_distance(size, px, py, pz, ox, oy, oz, radius):
    """From a cylinder around z: size = radius, half height."""
    wide = size[0] + radius
    high = size[1] + radius
    across = math.sqrt(px * px + py * py)
    ex, ey = 1.0, 0.0
    if across > 0.0:
        ex, ey = px / across, py / across
    start = math.sqrt(ox * ox + oy * oy)
    if start >= wide or abs(oz) >= high:
        dx, dy, dz = px - ox, py - oy, pz - oz
        # times at which the path is between the caps, and within the wall
        cap_in, cap_out = -math.inf, math.inf
        if dz != 0.0:
            cap_in = (-math.copysign(high, dz) - oz) / dz
            cap_out = (math.copysign(high, dz) - oz) / dz
        elif abs(oz) >= high:
            cap_in = math.inf
        wall_in, wall_out = -math.inf, math.inf
        dd = dx * dx + dy * dy
        along = ox * dx + oy * dy
        rest = start * start - wide * wide
        if dd > 0.0:
            root = along * along - dd * rest
            if root > 0.0:
                root = math.sqrt(root)
                wall_in = (-along - root) / dd
                wall_out = (-along + root) / dd
            else:
                wall_in = math.inf
        elif rest >= 0.0:
            wall_in = math.inf
        enter = max(cap_in, wall_in)
        if 0.0 <= enter <= 1.0 and enter < min(cap_out, wall_out):
            if cap_in >= wall_in:
                sign = math.copysign(1.0, -dz)
                return sign * pz - high, 0.0, 0.0, sign
            hx = (ox + wall_in * dx) / wide
            hy = (oy + wall_in * dy) / wide
            return hx * px + hy * py - wide, hx, hy, 0.0
    out = across - size[0]
    above = abs(pz) - size[1]
    sign = math.copysign(1.0, pz)
    if out <= 0.0 or above <= 0.0:
        if above >= out:
            return above - radius, 0.0, 0.0, sign
        return out - radius, ex, ey, 0.0
    gap = math.sqrt(out * out + above * above)
    return gap - radius, ex * out / gap, ey * out / gap, sign * above / gap


@lean
def hull_distance(
    first_face, last_face, first_corner, corner, normal, offset, vertex, p, o, radius
):
    """From a convex hull with the faces first_face … last_face − 1.

    The other tables are those of `Shapes`: hull_face_first_corner, hull_face_corner,
    hull_face_normal, hull_face_offset and hull_vertex; p and o are three numbers each.
    """
    px, py, pz = p
    ox, oy, oz = o
    # slab test of the path o → p against the faces moved out by the radius (Cyrus, Beck 1978)
    enter = -math.inf
    leave = math.inf
    entry = -1
    passes = True
    most = -math.inf
    face = first_face
    for f in range(first_face, last_face):
        nx, ny, nz = normal[f, 0], normal[f, 1], normal[f, 2]
        now = nx * px + ny * py + nz * pz - offset[f]
        then = nx * ox + ny * oy + nz * oz - offset[f] - radius
        if now > most:
            most = now
            face = f
        fall = then - (now - radius)
        if fall > 0.0:
            t = then / fall
            if t > enter:
                enter = t
                entry = f
        elif fall < 0.0:
            leave = min(leave, then / fall)
        elif then >= 0.0:
            passes = False
    if passes and entry >= 0 and 0.0 <= enter <= 1.0 and enter < leave:
        nx, ny, nz = normal[entry, 0], normal[entry, 1], normal[entry, 2]
        return nx * px + ny * py + nz * pz - offset[entry] - radius, nx, ny, nz
    if most <= 0.0:
        return most - radius, normal[face, 0], normal[face, 1], normal[face, 2]
    # outside: over a face, or nearest to an edge of a face that is seen from here
    nearest = math.inf
    qx = qy = qz = 0.0
    for f in range(first_face, last_face):
        nx, ny, nz = normal[f, 0], normal[f, 1], normal[f, 2]
        above = nx * px + ny * py + nz * pz - offset[f]
        if above < 0.0:
            continue
        over = True
        begin = first_corner[f]
        end = first_corner[f + 1]
        for c in range(begin, end):
            i = corner[c]
            j = corner[c + 1 if c + 1 < end else begin]
            ax, ay, az = vertex[i, 0] - px, vertex[i, 1] - py, vertex[i, 2] - pz
            bx, by, bz = vertex[j, 0] - px, vertex[j, 1] - py, vertex[j, 2] - pz
            ex, ey, ez = bx - ax, by - ay, bz - az
            # outward of this side: edge × normal
            out = (ey * nz - ez * ny) * ax + (ez * nx - ex * nz) * ay + (ex * ny - ey * nx) * az
            if out >= 0.0:
                continue
            over = False
            t = segment_weight(ax, ay, az, bx, by, bz)
            x, y, z = ax + t * ex, ay + t * ey, az + t * ez
            dd = x * x + y * y + z * z
            if dd < nearest:
                nearest = dd
                qx, qy, qz = x, y, z
        if over and above > 0.0:
            return above - radius, nx, ny, nz
    gap = math.sqrt(nearest)
    if not 0.0 < gap < math.inf:
        return most - radius, normal[face, 0], normal[face, 1], normal[face, 2]
    return gap - radius, -qx / gap, -qy / gap, -qz / gap


@lean
def triangle_distance(a, b, c, p, o, radius, two_sided):
    """From the triangle a b c (three numbers each), and the weights of its nearest point.

    The way out is on the side of the normal (b − a) × (c − a), or, if ``two_sided``, on the side
    where o was. Behind it there is depth only over the triangle itself; beside it, and for a
    triangle without area, the distance from behind is infinite: it belongs to other triangles.
    Returns (distance, nx, ny, nz, weight of a, of b, of c).
    """
    ax, ay, az = a[0] - p[0], a[1] - p[1], a[2] - p[2]
    bx, by, bz = b[0] - p[0], b[1] - p[1], b[2] - p[2]
    cx, cy, cz = c[0] - p[0], c[1] - p[1], c[2] - p[2]
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size <= 1e-12 * (ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz):
        return math.inf, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
    nx /= size
    ny /= size
    nz /= size
    if two_sided and nx * (o[0] - a[0]) + ny * (o[1] - a[1]) + nz * (o[2] - a[2]) < 0.0:
        nx, ny, nz = -nx, -ny, -nz
    wa, wb, wc = triangle_weights(ax, ay, az, bx, by, bz, cx, cy, cz)
    x = -(wa * ax + wb * bx + wc * cx)
    y = -(wa * ay + wb * by + wc * cy)
    z = -(wa * az + wb * bz + wc * cz)
    gap = math.sqrt(x * x + y * y + z * z)
    above = -(nx * ax + ny * ay + nz * az)
    if wa > 0.0 and wb > 0.0 and wc > 0.0:
        return above - radius, nx, ny, nz, wa, wb, wc
    if above < 0.0:
        return math.inf, nx, ny, nz, wa, wb, wc
    if gap <= 0.0:
        return -radius, nx, ny, nz, wa, wb, wc
    return gap - radius, x / gap, y / gap, z / gap, wa, wb, wc
