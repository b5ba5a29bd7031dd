"""Sticks of figures against each other: every stick collides as a capsule (Jakobsen §6, §7).

A contact joins the nearest points of two sticks, each of them a sum of its two particles, and asks
for the sum of the radii between them. As with pieces of cloth it is found where things stand at the
start of a substep, when they are still apart, and asked for at its end.
"""

from __future__ import annotations

import math

from ..jit import kernel, lean
from .piece_contact import LOOK_EVERY
from .response import PIECE_PARTNER


@lean
def _bounds(x, previous, stick, e, axis, away):
    """Where a stick may get to along an axis until the next look."""
    low = math.inf
    high = -math.inf
    for n in range(2):
        now = x[stick[e, n], axis]
        then = now + LOOK_EVERY * (now - previous[stick[e, n], axis])
        low = min(low, min(now, then))
        high = max(high, max(now, then))
    return low - away, high + away


@lean
def _may_meet(x, previous, stick, a, b, reach, slack):
    """Whether two sticks may come within reach until the next look."""
    for axis in range(3):
        low, high = _bounds(x, previous, stick, a, axis, reach + slack)
        least, most = _bounds(x, previous, stick, b, axis, slack)
        if low > most or high < least:
            return False
    return True


@kernel
def find_near_limbs(stick, radius, first, own, own_reach, x, previous, fall, near, reach):
    """Write pairs of sticks that may touch in the next `LOOK_EVERY` substeps; returns how many.

    near (m, 2) sticks, reach (m,) m that they keep apart; fall m, by gravity in one substep. There
    may be more than fit.
    """
    slack = fall * LOOK_EVERY * LOOK_EVERY
    count = 0
    for k in range(own.shape[0]):
        if _may_meet(x, previous, stick, own[k, 0], own[k, 1], own_reach[k], slack):
            if count < reach.shape[0]:
                near[count, 0], near[count, 1] = own[k, 0], own[k, 1]
                reach[count] = own_reach[k]
            count += 1
    figures = first.shape[0] - 1
    for f in range(figures):
        for g in range(f + 1, figures):
            if not _figures_meet(stick, radius, first, f, g, x, previous, slack):
                continue
            for a in range(first[f], first[f + 1]):
                for b in range(first[g], first[g + 1]):
                    away = radius[a] + radius[b]
                    if _may_meet(x, previous, stick, a, b, away, slack):
                        if count < reach.shape[0]:
                            near[count, 0], near[count, 1] = a, b
                            reach[count] = away
                        count += 1
    return count


@lean
def _figures_meet(stick, radius, first, f, g, x, previous, slack):
    """Whether the bounds of two figures may meet until the next look."""
    for axis in range(3):
        low = math.inf
        high = -math.inf
        for e in range(first[f], first[f + 1]):
            begin, end = _bounds(x, previous, stick, e, axis, radius[e] + slack)
            low, high = min(low, begin), max(high, end)
        least = math.inf
        most = -math.inf
        for e in range(first[g], first[g + 1]):
            begin, end = _bounds(x, previous, stick, e, axis, radius[e] + slack)
            least, most = min(least, begin), max(most, end)
        if low > most or high < least:
            return False
    return True


@lean
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
def find_limb_contacts(c, contacts, near, reach, count, stick, x, previous, inverse_mass):
    """Contacts of near sticks, written from row c on; returns the row after them.

    near (m, 2), reach (m,) from `find_near_limbs`. May return more than fit.
    """
    for n in range(count):
        i, j = stick[near[n, 0], 0], stick[near[n, 0], 1]
        k, m = stick[near[n, 1], 0], stick[near[n, 1], 1]
        if inverse_mass[i] + inverse_mass[j] + inverse_mass[k] + inverse_mass[m] == 0.0:
            continue
        s, t = _nearest(previous, i, j, k, m)
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


@lean
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
