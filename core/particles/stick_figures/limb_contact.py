"""Sticks of figures as capsules: against each other, cloth, ropes and particles (Jakobsen §6, §7).

A contact joins the nearest points of two segments, each of them a sum of its two particles, and
asks for the sum of the radii between them. Edges of cloth and stretches of rope are such segments
too, and single particles are segments of no length. What is left is the end of a stick in the
middle of a triangle. As with pieces of cloth everything is found where things stand at the start of
a substep, when they are still apart, and asked for at its end.
"""

from __future__ import annotations

import math

from ...collision.tree import end_of, next_leaf, root_of
from ...kernels.jit import kernel, lean, lean_inline
from ..contacts.contact_table import PIECE_PARTNER
from ..contacts.piece_contact import AT_VERTEX, LOOK_EVERY, ROUND_ENOUGH


@lean_inline
def _reach_of(x, previous, i, axis):
    """Where a particle may get to along an axis until the next look, from and to."""
    now = x[i, axis]
    then = now + LOOK_EVERY * (now - previous[i, axis])
    return min(now, then), max(now, then)


@lean
def _bounds(x, previous, i, j, axis, away):
    """Where a segment may get to along an axis until the next look."""
    low, high = _reach_of(x, previous, i, axis)
    if j != i:
        least, most = _reach_of(x, previous, j, axis)
        low, high = min(low, least), max(high, most)
    return low - away, high + away


@kernel
def bound_limbs(segment, radius, count, x, previous, fall, lower, upper):
    """Boxes (count, 3) m of what the first ``count`` segments may get to until the next look."""
    slack = fall * LOOK_EVERY * LOOK_EVERY
    for e in range(count):
        for axis in range(3):
            low, high = _bounds(x, previous, segment[e, 0], segment[e, 1], axis, radius[e] + slack)
            lower[e, axis] = low
            upper[e, axis] = high


@kernel
def find_near_limbs(
    segment, radius, figure, own, own_reach, lower, upper, tree, x, previous, fall, near, reach
):
    """Write pairs of segments that may touch in the next `LOOK_EVERY` substeps; returns how many.

    The first segments are sticks, figure (e,) says of which figure; others follow. own (k, 2),
    own_reach (k,): sticks of one figure that may meet; tree over their boxes lower, upper (e, 3).
    near (m, 2): the second one is a stick; reach (m,) m that they keep apart; fall m, by gravity in
    one substep. There may be more than fit.
    """
    slack = fall * LOOK_EVERY * LOOK_EVERY
    count = 0
    for k in range(own.shape[0]):
        a, b = own[k, 0], own[k, 1]
        apart = False
        for axis in range(3):
            more = radius[a] + radius[b] - own_reach[k]
            if lower[a, axis] + more > upper[b, axis] or upper[a, axis] - more < lower[b, axis]:
                apart = True
                break
        if apart:
            continue
        if count < reach.shape[0]:
            near[count, 0], near[count, 1] = a, b
            reach[count] = own_reach[k]
        count += 1
    limbs = figure.shape[0]
    root, end = root_of(0), end_of(limbs)
    for a in range(segment.shape[0]):
        i, j = segment[a, 0], segment[a, 1]
        away = radius[a] + slack
        lx, hx = _bounds(x, previous, i, j, 0, away)
        ly, hy = _bounds(x, previous, i, j, 1, away)
        lz, hz = _bounds(x, previous, i, j, 2, away)
        node = next_leaf(tree, root, end, lx, ly, lz, hx, hy, hz)
        while node < end:
            b = tree.leaf[node]
            if a >= limbs:
                meets = i == j or not _are_ends_enough(x, i, j, radius[a], radius[b])
            else:
                meets = b > a and figure[a] != figure[b]
            if meets:
                if count < reach.shape[0]:
                    near[count, 0], near[count, 1] = a, b
                    reach[count] = radius[a] + radius[b]
                count += 1
            node = next_leaf(tree, node + 1, end, lx, ly, lz, hx, hy, hz)
    return count


@lean
def _are_ends_enough(x, i, j, thick, round):
    """Whether contacts of two particles do for the edge between them, see `piece_contact`."""
    long = 0.0
    for axis in range(3):
        long += (x[j, axis] - x[i, axis]) ** 2
    return long < ROUND_ENOUGH * round * thick


@kernel
def find_near_faces(face, thick, segment, radius, ball, tree, x, previous, fall, near):
    """Write pairs of triangles (f, 3) and ends of sticks that may touch until the next look.

    thick (f,) m of the triangles; ball (e, 2) m, radius of each end of a stick, 0 where another
    stick that it belongs to too has it. near (m, 3): triangle, stick, which end. Returns how many.
    """
    slack = fall * LOOK_EVERY * LOOK_EVERY
    count = 0
    root, last = root_of(0), end_of(ball.shape[0])
    for f in range(face.shape[0]):
        i, j, k = face[f, 0], face[f, 1], face[f, 2]
        away = thick[f] + slack
        lx, hx = _bounds(x, previous, i, j, 0, away)
        ly, hy = _bounds(x, previous, i, j, 1, away)
        lz, hz = _bounds(x, previous, i, j, 2, away)
        low, high = _reach_of(x, previous, k, 0)
        lx, hx = min(lx, low - away), max(hx, high + away)
        low, high = _reach_of(x, previous, k, 1)
        ly, hy = min(ly, low - away), max(hy, high + away)
        low, high = _reach_of(x, previous, k, 2)
        lz, hz = min(lz, low - away), max(hz, high + away)
        node = next_leaf(tree, root, last, lx, ly, lz, hx, hy, hz)
        while node < last:
            e = tree.leaf[node]
            for end in range(2):
                size = ball[e, end]
                if size == 0.0 or (
                    _are_ends_enough(x, i, j, thick[f], size)
                    and _are_ends_enough(x, j, k, thick[f], size)
                    and _are_ends_enough(x, k, i, thick[f], size)
                ):
                    continue
                if count < near.shape[0]:
                    near[count, 0], near[count, 1], near[count, 2] = f, e, end
                count += 1
            node = next_leaf(tree, node + 1, last, lx, ly, lz, hx, hy, hz)
    return count


@lean_inline
def _nearest(x, a, b, c, d):
    """Shares s and t at which the segments a–b and c–d come nearest to each other (Ericson 5.1.9).

    Where they are parallel, the middle of what lies beside each other.
    """
    uu = uv = vv = uw = vw = 0.0
    for k in range(3):
        u, v, w = x[b, k] - x[a, k], x[d, k] - x[c, k], x[a, k] - x[c, k]
        uu += u * u
        uv += u * v
        vv += v * v
        uw += u * w
        vw += v * w
    if uu == 0.0 or vv == 0.0:
        t = min(max(vw / vv, 0.0), 1.0) if vv > 0.0 else 0.0
        s = min(max((uv * t - uw) / uu, 0.0), 1.0) if uu > 0.0 else 0.0
        return s, t
    room = uu * vv - uv * uv
    if room > 1e-9 * uu * vv:
        s = min(max((uv * vw - vv * uw) / room, 0.0), 1.0)
    else:
        one, two = -uw / uu, (uv - uw) / uu  # where c and d lie along the first
        low = max(min(one, two), 0.0)
        high = min(max(one, two), 1.0)
        s = min(max(0.5 * (low + high), 0.0), 1.0)
    t = (uv * s + vw) / vv
    if t < 0.0 or t > 1.0:
        t = min(max(t, 0.0), 1.0)
        s = min(max((uv * t - uw) / uu, 0.0), 1.0)
    return s, t


@kernel
def find_limb_contacts(c, contacts, near, reach, count, limbs, segment, x, previous, inverse_mass):
    """Contacts of near segments, written from row c on; returns the row after them.

    near (m, 2), reach (m,) from `find_near_limbs`, of which the first ``limbs`` are sticks. May
    return more than fit.
    """
    for n in range(count):
        i, j = segment[near[n, 0], 0], segment[near[n, 0], 1]
        k, m = segment[near[n, 1], 0], segment[near[n, 1], 1]
        if inverse_mass[i] + inverse_mass[j] + inverse_mass[k] + inverse_mass[m] == 0.0:
            continue
        s, t = _nearest(previous, i, j, k, m)
        if near[n, 0] >= limbs and i != j and (s > AT_VERTEX or s < 1.0 - AT_VERTEX):
            continue  # a particle: has its own
        gap = 0.0
        for axis in range(3):
            p = (1.0 - s) * previous[i, axis] + s * previous[j, axis]
            q = (1.0 - t) * previous[k, axis] + t * previous[m, axis]
            gap += (p - q) * (p - q)
        gap = math.sqrt(gap)
        way = 0.0
        other = 0.0
        for axis in range(3):
            way += max(abs(x[i, axis] - previous[i, axis]), abs(x[j, axis] - previous[j, axis]))
            other += max(abs(x[k, axis] - previous[k, axis]), abs(x[m, axis] - previous[m, axis]))
        if gap - reach[n] > way + other:
            continue
        if c < contacts.friction.shape[0]:
            _note(contacts, c, i, j, k, m, s, t, gap, previous)
            contacts.reach[c] = reach[n]
        c += 1
    return c


@kernel
def find_face_contacts(
    c, contacts, near, count, face, thick, segment, ball, x, previous, inverse_mass
):
    """Contacts of triangles with ends of sticks over their middle, written from row c on.

    near (m, 3) and the others as for `find_near_faces`. Returns the row after them, may be more
    than fit.
    """
    for n in range(count):
        f, e, end = near[n, 0], near[n, 1], near[n, 2]
        i, j, k, p = face[f, 0], face[f, 1], face[f, 2], segment[e, end]
        if inverse_mass[i] + inverse_mass[j] + inverse_mass[k] + inverse_mass[p] == 0.0:
            continue
        uu = uw = ww = du = dw = 0.0
        way = 0.0
        for axis in range(3):
            u = previous[j, axis] - previous[i, axis]
            w = previous[k, axis] - previous[i, axis]
            d = previous[p, axis] - previous[i, axis]
            uu += u * u
            uw += u * w
            ww += w * w
            du += d * u
            dw += d * w
            way += abs(x[p, axis] - previous[p, axis]) + max(
                abs(x[i, axis] - previous[i, axis]),
                max(abs(x[j, axis] - previous[j, axis]), abs(x[k, axis] - previous[k, axis])),
            )
        area = uu * ww - uw * uw
        if area <= 1e-24 * uu * ww:
            continue
        wj = (ww * du - uw * dw) / area
        wk = (uu * dw - uw * du) / area
        wi = 1.0 - wj - wk
        if wi <= 0.0 or wj <= 0.0 or wk <= 0.0:
            continue
        nx, ny, nz = _normal(previous, i, j, k)
        height = -(
            nx * (previous[p, 0] - previous[i, 0])
            + ny * (previous[p, 1] - previous[i, 1])
            + nz * (previous[p, 2] - previous[i, 2])
        )
        if height < 0.0:
            nx, ny, nz, height = -nx, -ny, -nz, -height
        reach = thick[f] + ball[e, end]
        if height - reach > way:
            continue
        if c < contacts.friction.shape[0]:
            contacts.shape[c, 0] = PIECE_PARTNER
            contacts.shape[c, 1] = PIECE_PARTNER
            for m in range(4):
                contacts.particle[c, m] = i if m == 0 else (j if m == 1 else k)
                contacts.particle[c, 4 + m] = p
                contacts.weight[c, m] = wi if m == 0 else (wj if m == 1 else wk)
                contacts.weight[c, 4 + m] = -1.0 if m == 0 else 0.0
            contacts.weight[c, 3] = 0.0
            contacts.normal[c, 0] = nx
            contacts.normal[c, 1] = ny
            contacts.normal[c, 2] = nz
            contacts.reach[c] = reach
        c += 1
    return c


@lean_inline
def _normal(x, i, j, k):
    """Unit normal of a triangle."""
    ux, uy, uz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
    wx, wy, wz = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
    nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return nx / size, ny / size, nz / size


@lean_inline
def _note(contacts, c, i, j, k, m, s, t, gap, previous):
    """Note contact c of the place s of stick i–j with the place t of stick k–m."""
    contacts.shape[c, 0] = PIECE_PARTNER
    contacts.shape[c, 1] = PIECE_PARTNER
    for side in range(2):
        one = i if side == 0 else k
        two = j if side == 0 else m
        share = s if side == 0 else t
        sign = 1.0 if side == 0 else -1.0
        contacts.particle[c, 4 * side] = one
        contacts.particle[c, 4 * side + 1] = two
        contacts.particle[c, 4 * side + 2] = two
        contacts.particle[c, 4 * side + 3] = one
        contacts.weight[c, 4 * side] = sign * (1.0 - share)
        contacts.weight[c, 4 * side + 1] = sign * share
        contacts.weight[c, 4 * side + 2] = 0.0
        contacts.weight[c, 4 * side + 3] = 0.0
    if gap > 1e-9:
        for axis in range(3):
            p = (1.0 - s) * previous[i, axis] + s * previous[j, axis]
            q = (1.0 - t) * previous[k, axis] + t * previous[m, axis]
            contacts.normal[c, axis] = (p - q) / gap
        return
    # they cross: the shortest way out is square to both
    ux, uy, uz = (
        previous[j, 0] - previous[i, 0],
        previous[j, 1] - previous[i, 1],
        previous[j, 2] - previous[i, 2],
    )
    vx, vy, vz = (
        previous[m, 0] - previous[k, 0],
        previous[m, 1] - previous[k, 1],
        previous[m, 2] - previous[k, 2],
    )
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    contacts.normal[c, 0] = nx / size if size > 0.0 else 0.0
    contacts.normal[c, 1] = ny / size if size > 0.0 else 0.0
    contacts.normal[c, 2] = nz / size if size > 0.0 else 1.0
