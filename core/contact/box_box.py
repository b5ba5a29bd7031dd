"""Contact manifold of two boxes: separating axes, then clipping of the facing faces.

Gottschalk, Lin, Manocha 1996 (the fifteen axes); Sutherland–Hodgman clipping of the incident
face against the sides of the reference face, as in every engine since ODE's dBoxBox.
"""

from __future__ import annotations

import math

from ..jit import inline

MAX_POINTS = 8


@inline
def _clip(polygon, source, target, count, axis, sign, limit):
    """Keep the part of polygon[source] with sign·p[axis] ≤ limit in polygon[target]."""
    kept = 0
    for n in range(count):
        m = (n + 1) % count
        here = limit - sign * polygon[source, n, axis]
        there = limit - sign * polygon[source, m, axis]
        if here >= 0.0:
            for k in range(3):
                polygon[target, kept, k] = polygon[source, n, k]
            kept += 1
        if (here >= 0.0) != (there >= 0.0):
            t = here / (here - there)
            for k in range(3):
                polygon[target, kept, k] = polygon[source, n, k] + t * (
                    polygon[source, m, k] - polygon[source, n, k]
                )
            kept += 1
    return kept


@inline
def _face_points(rc, rr, rh, axis, sign, oc, orot, oh, margin, polygon, on_reference, on_other):
    """Points where the other box stands on face (axis, sign) of the reference box.

    Writes matching world points on both boxes, returns their number.
    """
    nx = sign * rr[0, axis]
    ny = sign * rr[1, axis]
    nz = sign * rr[2, axis]
    # incident face: the one of the other box that looks most against the normal
    incident = 0
    least = math.inf
    turned = 1.0
    for k in range(3):
        along = nx * orot[0, k] + ny * orot[1, k] + nz * orot[2, k]
        if -abs(along) < least:
            least = -abs(along)
            incident = k
            turned = -1.0 if along > 0.0 else 1.0
    k1 = (incident + 1) % 3
    k2 = (incident + 2) % 3
    for n in range(4):
        s1 = 1.0 if n == 0 or n == 3 else -1.0
        s2 = 1.0 if n < 2 else -1.0
        px = py = pz = 0.0
        for k in range(3):
            p = (
                oc[k]
                + turned * oh[incident] * orot[k, incident]
                + s1 * oh[k1] * orot[k, k1]
                + s2 * oh[k2] * orot[k, k2]
                - rc[k]
            )
            px += p * rr[k, 0]
            py += p * rr[k, 1]
            pz += p * rr[k, 2]
        polygon[0, n, 0] = px
        polygon[0, n, 1] = py
        polygon[0, n, 2] = pz
    a1 = (axis + 1) % 3
    a2 = (axis + 2) % 3
    count = _clip(polygon, 0, 1, 4, a1, 1.0, rh[a1])
    count = _clip(polygon, 1, 0, count, a1, -1.0, rh[a1])
    count = _clip(polygon, 0, 1, count, a2, 1.0, rh[a2])
    count = _clip(polygon, 1, 0, count, a2, -1.0, rh[a2])
    found = 0
    for n in range(count):
        gap = sign * polygon[0, n, axis] - rh[axis]
        if gap > margin or found == MAX_POINTS:
            continue
        for k in range(3):
            p = (
                rc[k]
                + rr[k, 0] * polygon[0, n, 0]
                + rr[k, 1] * polygon[0, n, 1]
                + rr[k, 2] * polygon[0, n, 2]
            )
            on_other[found, k] = p
        on_reference[found, 0] = on_other[found, 0] - gap * nx
        on_reference[found, 1] = on_other[found, 1] - gap * ny
        on_reference[found, 2] = on_other[found, 2] - gap * nz
        found += 1
    return found


@inline
def box_box(ca, ra, ha, cb, rb, hb, margin, scratch, on_a, on_b, normal):
    """Contacts of boxes a and b (centre (3,), rotation (3, 3), half extents (3,)).

    Writes matching points on_a, on_b (8, 3) and the normal (3,), which points from b to a.
    Returns their number, 0 when some axis separates the boxes by more than margin. Edge contacts
    must be deeper than face contacts by a little to be taken: faces give the calmer manifolds.
    """
    c, d, polygon = scratch
    for i in range(3):
        d[i] = 0.0
        for k in range(3):
            d[i] += ra[k, i] * (cb[k] - ca[k])
        for j in range(3):
            c[i, j] = ra[0, i] * rb[0, j] + ra[1, i] * rb[1, j] + ra[2, i] * rb[2, j]
    best_a = best_b = best_edge = -math.inf
    axis_a = axis_b = edge_i = edge_j = 0
    for i in range(3):
        gap = abs(d[i]) - ha[i]
        for j in range(3):
            gap -= abs(c[i, j]) * hb[j]
        if gap > margin:
            return 0
        if gap > best_a:
            best_a = gap
            axis_a = i
    for j in range(3):
        along = d[0] * c[0, j] + d[1] * c[1, j] + d[2] * c[2, j]
        gap = abs(along) - hb[j]
        for i in range(3):
            gap -= abs(c[i, j]) * ha[i]
        if gap > margin:
            return 0
        if gap > best_b:
            best_b = gap
            axis_b = j
    for i in range(3):
        i1 = (i + 1) % 3
        i2 = (i + 2) % 3
        for j in range(3):
            size = math.sqrt(max(1.0 - c[i, j] * c[i, j], 0.0))
            if size < 1e-3:  # parallel edges: the faces say it all
                continue
            j1 = (j + 1) % 3
            j2 = (j + 2) % 3
            gap = abs(d[i2] * c[i1, j] - d[i1] * c[i2, j])
            gap -= ha[i1] * abs(c[i2, j]) + ha[i2] * abs(c[i1, j])
            gap -= hb[j1] * abs(c[i, j2]) + hb[j2] * abs(c[i, j1])
            gap /= size
            if gap > margin:
                return 0
            if gap > best_edge:
                best_edge = gap
                edge_i = i
                edge_j = j
    least = min(min(ha[0], min(ha[1], ha[2])), min(hb[0], min(hb[1], hb[2])))
    preference = 0.01 * least
    if best_edge > max(best_a, best_b) + preference:
        for k in range(3):
            k1 = (k + 1) % 3
            k2 = (k + 2) % 3
            normal[k] = ra[k1, edge_i] * rb[k2, edge_j] - ra[k2, edge_i] * rb[k1, edge_j]
        size = math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
        toward = 0.0
        for k in range(3):
            toward += normal[k] * (ca[k] - cb[k])
        if toward < 0.0:
            size = -size
        for k in range(3):
            normal[k] /= size
        for k in range(3):
            on_a[0, k] = ca[k]
            on_b[0, k] = cb[k]
        for m in range(3):
            along_a = normal[0] * ra[0, m] + normal[1] * ra[1, m] + normal[2] * ra[2, m]
            along_b = normal[0] * rb[0, m] + normal[1] * rb[1, m] + normal[2] * rb[2, m]
            for k in range(3):
                if m != edge_i:
                    on_a[0, k] -= math.copysign(ha[m], along_a) * ra[k, m]
                if m != edge_j:
                    on_b[0, k] += math.copysign(hb[m], along_b) * rb[k, m]
        # closest points of the two edge lines p + s u, q + t v
        uv = c[edge_i, edge_j]
        pu = pv = 0.0
        for k in range(3):
            between = on_b[0, k] - on_a[0, k]
            pu += between * ra[k, edge_i]
            pv += between * rb[k, edge_j]
        den = 1.0 - uv * uv
        s = (pu - uv * pv) / den
        t = (uv * pu - pv) / den
        for k in range(3):
            on_a[0, k] += s * ra[k, edge_i]
            on_b[0, k] += t * rb[k, edge_j]
        return 1
    if best_b > best_a + preference:
        along = d[0] * c[0, axis_b] + d[1] * c[1, axis_b] + d[2] * c[2, axis_b]
        sign = -1.0 if along > 0.0 else 1.0  # outward from b toward a
        for k in range(3):
            normal[k] = sign * rb[k, axis_b]
        return _face_points(cb, rb, hb, axis_b, sign, ca, ra, ha, margin, polygon, on_b, on_a)
    sign = 1.0 if d[axis_a] > 0.0 else -1.0  # outward from a toward b
    for k in range(3):
        normal[k] = -sign * ra[k, axis_a]
    return _face_points(ca, ra, ha, axis_a, sign, cb, rb, hb, margin, polygon, on_a, on_b)
