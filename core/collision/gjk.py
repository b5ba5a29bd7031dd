"""Distance of two convex shapes that do not overlap: GJK.

Gilbert, Johnson, Keerthi 1988; the closest point of a simplex by its Voronoi regions (Ericson
2005, 5.1.5). The simplex lives in the difference of the two shapes, A − B, and closes in on the
point of it that is nearest to the origin.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..kernels.jit import lean, lean_inline
from .support import farthest

Simplex = namedtuple(
    "Simplex",
    [
        "spot",  # (4, 3) m, points of A − B
        "on_a",  # (4, 3) m, the points of A they come from
        "index",  # (4,) which point of A's core that is
        "weight",  # (4,) of each spot in the nearest point
    ],
)

FAR, NEAR, OVERLAP = range(3)
_ROUNDS = 100
_TOUCHING = 1e-10  # of the size of A − B: nearer than that counts as touching


@lean_inline
def segment_weight(ax, ay, az, bx, by, bz):
    """Where (0 … 1) from a to b the segment is nearest to the origin."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    whole = dx * dx + dy * dy + dz * dz
    if whole <= 0.0:
        return 0.0
    return min(max(-(ax * dx + ay * dy + az * dz) / whole, 0.0), 1.0)


@lean
def triangle_weights(ax, ay, az, bx, by, bz, cx, cy, cz):
    """Weights of a, b, c in the point of the triangle that is nearest to the origin."""
    abx, aby, abz = bx - ax, by - ay, bz - az
    acx, acy, acz = cx - ax, cy - ay, cz - az
    d1 = -(abx * ax + aby * ay + abz * az)
    d2 = -(acx * ax + acy * ay + acz * az)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3 = -(abx * bx + aby * by + abz * bz)
    d4 = -(acx * bx + acy * by + acz * bz)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    nx = aby * acz - abz * acy
    ny = abz * acx - abx * acz
    nz = abx * acy - aby * acx
    vc = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx)
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 - d3 > 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    d5 = -(abx * cx + aby * cy + abz * cz)
    d6 = -(acx * cx + acy * cy + acz * cz)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = nx * (cy * az - cz * ay) + ny * (cz * ax - cx * az) + nz * (cx * ay - cy * ax)
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 - d6 > 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    va = nx * (by * cz - bz * cy) + ny * (bz * cx - bx * cz) + nz * (bx * cy - by * cx)
    if va <= 0.0 and d4 >= d3 and d5 >= d6 and d4 - d3 + d5 - d6 > 0.0:
        t = (d4 - d3) / (d4 - d3 + d5 - d6)
        return 0.0, 1.0 - t, t
    whole = va + vb + vc
    uu = abx * abx + aby * aby + abz * abz
    vv = acx * acx + acy * acy + acz * acz
    if whole > 1e-20 * uu * vv:
        return va / whole, vb / whole, vc / whole
    # next to no area: the nearest point of the three edges
    t = segment_weight(ax, ay, az, bx, by, bz)
    x, y, z = ax + t * abx, ay + t * aby, az + t * abz
    nearest = x * x + y * y + z * z
    wa, wb, wc = 1.0 - t, t, 0.0
    t = segment_weight(ax, ay, az, cx, cy, cz)
    x, y, z = ax + t * acx, ay + t * acy, az + t * acz
    if x * x + y * y + z * z < nearest:
        nearest = x * x + y * y + z * z
        wa, wb, wc = 1.0 - t, 0.0, t
    t = segment_weight(bx, by, bz, cx, cy, cz)
    x, y, z = bx + t * (cx - bx), by + t * (cy - by), bz + t * (cz - bz)
    if x * x + y * y + z * z < nearest:
        wa, wb, wc = 0.0, 1.0 - t, t
    return wa, wb, wc


@lean
def _tetrahedron_weights(s):
    """Write the weights of the point of the tetrahedron that is nearest to the origin.

    True when the origin is inside. A flat tetrahedron has no inside: all its faces are looked at.
    """
    p = s.spot
    nearest = math.inf
    w0 = w1 = w2 = w3 = 0.0
    inside = True
    for f in range(4):
        # corners 0 1 2, 0 2 3, 0 1 3, 1 3 2, each with the one it leaves out
        i = 0 if f < 3 else 1
        j = 1 if f == 0 or f == 2 else (2 if f == 1 else 3)
        k = 2 if f == 0 or f == 3 else 3
        m = 3 if f == 0 else (1 if f == 1 else (2 if f == 2 else 0))
        ux, uy, uz = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2]
        vx, vy, vz = p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        tx, ty, tz = p[m, 0] - p[i, 0], p[m, 1] - p[i, 1], p[m, 2] - p[i, 2]
        origin = -(nx * p[i, 0] + ny * p[i, 1] + nz * p[i, 2])
        apex = nx * tx + ny * ty + nz * tz
        size = (nx * nx + ny * ny + nz * nz) * (tx * tx + ty * ty + tz * tz)
        if origin * apex > 0.0 and apex * apex > 1e-24 * size:
            continue
        inside = False
        a, b, c = triangle_weights(
            p[i, 0], p[i, 1], p[i, 2], p[j, 0], p[j, 1], p[j, 2], p[k, 0], p[k, 1], p[k, 2]
        )
        x = a * p[i, 0] + b * p[j, 0] + c * p[k, 0]
        y = a * p[i, 1] + b * p[j, 1] + c * p[k, 1]
        z = a * p[i, 2] + b * p[j, 2] + c * p[k, 2]
        dd = x * x + y * y + z * z
        if dd < nearest:
            nearest = dd
            w0 = a if f < 3 else 0.0
            w1 = b if f == 0 or f == 2 else (a if f == 3 else 0.0)
            w2 = c if f == 0 or f == 3 else (b if f == 1 else 0.0)
            w3 = c if f == 1 or f == 2 else (b if f == 3 else 0.0)
    s.weight[0] = w0
    s.weight[1] = w1
    s.weight[2] = w2
    s.weight[3] = w3
    return inside


@lean
def _weigh(s, count):
    """Write the weights of the simplex's nearest point: (whether it holds the origin, x, y, z)."""
    p = s.spot
    if count == 2:
        t = segment_weight(p[0, 0], p[0, 1], p[0, 2], p[1, 0], p[1, 1], p[1, 2])
        s.weight[0] = 1.0 - t
        s.weight[1] = t
    elif count == 3:
        a, b, c = triangle_weights(
            p[0, 0], p[0, 1], p[0, 2], p[1, 0], p[1, 1], p[1, 2], p[2, 0], p[2, 1], p[2, 2]
        )
        s.weight[0] = a
        s.weight[1] = b
        s.weight[2] = c
    elif _tetrahedron_weights(s):
        return True, 0.0, 0.0, 0.0
    x = y = z = 0.0
    for n in range(count):
        x += s.weight[n] * p[n, 0]
        y += s.weight[n] * p[n, 1]
        z += s.weight[n] * p[n, 2]
    return False, x, y, z


@lean
def _reduce(s, count):
    """Keep the corners of the simplex that carry its nearest point; how many."""
    kept = 0
    for n in range(count):
        if s.weight[n] > 0.0:
            if kept < n:
                s.weight[kept] = s.weight[n]
                s.index[kept] = s.index[n]
                for k in range(3):
                    s.spot[kept, k] = s.spot[n, k]
                    s.on_a[kept, k] = s.on_a[n, k]
            kept += 1
    return kept


@lean_inline
def add_corner(core, s, n, dx, dy, dz):
    """Write the point of A − B farthest along d to corner n of the simplex and return it."""
    index, ax, ay, az = farthest(core, 0, dx, dy, dz)
    _, bx, by, bz = farthest(core, 1, -dx, -dy, -dz)
    s.index[n] = index
    s.on_a[n, 0] = ax
    s.on_a[n, 1] = ay
    s.on_a[n, 2] = az
    s.spot[n, 0] = ax - bx
    s.spot[n, 1] = ay - by
    s.spot[n, 2] = az - bz
    return ax - bx, ay - by, az - bz


@lean
def gjk(core, s, limit, dx, dy, dz):
    """Vector from B's nearest point to A's, both without their balls: (state, corners, x, y, z).

    state is FAR when they are more than ``limit`` m apart (the vector is then too short), NEAR,
    or OVERLAP. d: any guess of the vector. The simplex s holds the points found, with weights.
    """
    if dx == 0.0 and dy == 0.0 and dz == 0.0:
        dx = 1.0
    x, y, z = add_corner(core, s, 0, -dx, -dy, -dz)
    s.weight[0] = 1.0
    count = 1
    vv = x * x + y * y + z * z
    scale = vv  # m², the farthest that a point of A − B was seen from the origin
    for _ in range(_ROUNDS):
        if vv <= _TOUCHING * _TOUCHING * scale:
            return OVERLAP, count, x, y, z
        wx, wy, wz = add_corner(core, s, count, -x, -y, -z)
        vw = x * wx + y * wy + z * wz
        if vw > 0.0 and vw * vw > limit * limit * vv:
            return FAR, count, x, y, z
        ww = wx * wx + wy * wy + wz * wz
        scale = max(scale, ww)
        if vv - vw <= 1e-11 * vv + 1e-15 * math.sqrt(scale * vv):
            break
        known = False
        for n in range(count):
            if s.spot[n, 0] == wx and s.spot[n, 1] == wy and s.spot[n, 2] == wz:
                known = True
        if known:
            break
        w0, w1, w2 = s.weight[0], s.weight[1], s.weight[2]
        inside, wx, wy, wz = _weigh(s, count + 1)
        if inside:
            return OVERLAP, 4, x, y, z
        now = wx * wx + wy * wy + wz * wz
        if now >= vv:  # rounding has the last word: stay with what there was
            s.weight[0] = w0
            s.weight[1] = w1
            s.weight[2] = w2
            break
        count = _reduce(s, count + 1)
        x, y, z, vv = wx, wy, wz, now
    return NEAR, count, x, y, z


@lean_inline
def point_on_a(s, count):
    """The point of A's core that belongs to the nearest point of the simplex."""
    x = y = z = 0.0
    for n in range(count):
        x += s.weight[n] * s.on_a[n, 0]
        y += s.weight[n] * s.on_a[n, 1]
        z += s.weight[n] * s.on_a[n, 2]
    return x, y, z
