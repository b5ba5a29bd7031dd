"""Contact of two capsules: the nearest points of their axes, two where these are parallel."""

from __future__ import annotations

import math

from ..kernels.jit import lean
from .manifold import one_point, parallel_edges

_CLOSE = 1e-10  # of the axes' lengths: nearer than that they count as crossing


@lean
def capsule_contact(placed, p, q, reach, faces, manifolds, m, flip):
    """Manifold m of the capsules p and q; its points, 0 … 2."""
    ra = placed.size[p, 0]
    rb = placed.size[q, 0]
    limit = reach + ra + rb
    ha = placed.size[p, 1]
    hb = placed.size[q, 1]
    o = placed.centre[p]
    ux, uy, uz = placed.rotation[p, 0, 2], placed.rotation[p, 1, 2], placed.rotation[p, 2, 2]
    vx, vy, vz = placed.rotation[q, 0, 2], placed.rotation[q, 1, 2], placed.rotation[q, 2, 2]
    dx = placed.centre[q, 0] - o[0]
    dy = placed.centre[q, 1] - o[1]
    dz = placed.centre[q, 2] - o[2]
    if dx * dx + dy * dy + dz * dz > (limit + ha + hb) ** 2:
        return 0
    # Lumelsky 1985: nearest points s·u and d + t·v with |s| ≤ ha, |t| ≤ hb
    uv = ux * vx + uy * vy + uz * vz
    du = dx * ux + dy * uy + dz * uz
    dv = dx * vx + dy * vy + dz * vz
    wx, wy, wz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    den = wx * wx + wy * wy + wz * wz
    s = 0.0
    if den > 1e-12:
        s = min(max((du - uv * dv) / den, -ha), ha)
    else:  # parallel: the middle of what overlaps
        low = max(-ha, du - hb)
        high = min(ha, du + hb)
        s = min(max(0.5 * (low + high), -ha), ha)
    t = s * uv - dv
    if abs(t) > hb:
        t = min(max(t, -hb), hb)
        s = min(max(t * uv + du, -ha), ha)
    ax, ay, az = s * ux, s * uy, s * uz
    nx, ny, nz = ax - dx - t * vx, ay - dy - t * vy, az - dz - t * vz
    gap = math.sqrt(nx * nx + ny * ny + nz * nz)
    if gap > limit:
        return 0
    if gap > _CLOSE * (ha + hb + ra + rb):
        nx /= gap
        ny /= gap
        nz /= gap
    else:
        # the axes cross: the shortest way out is across both, to either side
        nx, ny, nz = wx, wy, wz
        if den <= 1e-12:  # and lie in one line: any way across it
            if abs(ux) <= abs(uy) and abs(ux) <= abs(uz):
                nx, ny, nz = 0.0, uz, -uy
            elif abs(uy) <= abs(uz):
                nx, ny, nz = -uz, 0.0, ux
            else:
                nx, ny, nz = uy, -ux, 0.0
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
        nx /= size
        ny /= size
        nz /= size
    for k in range(2):
        sign = -1.0 if k == 0 else 1.0
        faces[0, k, 0] = sign * ha * ux
        faces[0, k, 1] = sign * ha * uy
        faces[0, k, 2] = sign * ha * uz
        faces[1, k, 0] = dx + sign * hb * vx
        faces[1, k, 1] = dy + sign * hb * vy
        faces[1, k, 2] = dz + sign * hb * vz
    across = 0.05 * min(ra, rb)  # else the segments meet end to end, and one point says it all
    if (
        abs(nx * ux + ny * uy + nz * uz) * ha < across
        and abs(nx * vx + ny * vy + nz * vz) * hb < across
    ):
        found = parallel_edges(manifolds, m, flip, faces, 0, 0, 2, 2, nx, ny, nz, limit, ra, rb, o)
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
