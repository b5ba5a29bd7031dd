"""Contact of two capsules: the nearest points of their axes, two where these are parallel."""

from __future__ import annotations

from ..kernels.jit import lean
from ..vec3 import (
    across,
    add,
    along,
    between,
    column,
    cross,
    divide,
    dot,
    length,
    scale,
    store,
    sub,
    vec,
)
from .manifold import one_point, parallel_edges

_CLOSE = 1e-10  # of the axes' lengths: nearer than that they count as crossing


@lean
def capsule_contact(placed, p, q, reach, faces, place):
    """Manifold of the capsules p and q; its points, 0 … 2."""
    ra = placed.size[p, 0]
    rb = placed.size[q, 0]
    limit = reach + ra + rb
    ha = placed.size[p, 1]
    hb = placed.size[q, 1]
    o = placed.centre[p]
    u, v = column(placed.rotation[p], 2), column(placed.rotation[q], 2)
    d = between(placed.centre, p, q)
    if dot(d, d) > (limit + ha + hb) ** 2:
        return 0
    # Lumelsky 1985: nearest points s·u and d + t·v with |s| ≤ ha, |t| ≤ hb
    uv, du, dv = dot(u, v), dot(d, u), dot(d, v)
    w = cross(u, v)
    den = dot(w, w)
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
    a = scale(s, u)
    normal = along(sub(a, d), -t, v)
    gap = length(normal)
    if gap > limit:
        return 0
    if gap > _CLOSE * (ha + hb + ra + rb):
        normal = divide(normal, gap)
    else:
        # the axes cross: the shortest way out is across both, to either side
        normal = w if den > 1e-12 else across(u)  # or they lie in one line: any way across it
        normal = divide(normal, length(normal))
    for k in range(2):
        sign = -1.0 if k == 0 else 1.0
        store(faces[0], k, scale(sign * ha, u))
        store(faces[1], k, along(d, sign * hb, v))
    end = 0.05 * min(ra, rb)  # else the segments meet end to end, and one point says it all
    if abs(dot(normal, u)) * ha < end and abs(dot(normal, v)) * hb < end:
        found = parallel_edges(place, faces, (0, 0), (2, 2), normal, limit, (ra, rb), o)
        if found > 0:
            return found
    return one_point(place, along(add(vec(o), a), -ra, normal), gap - ra - rb, normal)
