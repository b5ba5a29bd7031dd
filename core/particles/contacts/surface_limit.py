"""No way through: what the other stages of a substep left undone, surfaces keep apart here.

Two features cannot have passed through each other if at every moment of the substep a plane parts
them. Let the plane's normal go from n at the start, the line of their nearest points, to any n' at
the end, as all vertices go from x to x' on straight lines. The height of a vertex over it,
((1 − t) n + t n') · ((1 − t) x + t x'), is a Bézier curve with the control points n · x,
½ (n · x' + n' · x) and n' · x': where each of them is higher for all vertices of a than for all of
b, so is the curve. The first is given; the other two are half-spaces for x', and seen to here. No
continuous test is needed, and neither layers that move together nor layers that turn together are
bound by it. (Planes that stand still: divide and truncate, cf. Chen et al. 2025, "Offset Geometric
Contact"; control points: Farin 2002, *Curves and Surfaces for CAGD*, §4.)
"""

from __future__ import annotations

import math
from collections import namedtuple

from ...angular_momentum import NO_INERTIA, add_inertia, solve_inertia
from ...kernels.jit import kernel, lean_inline
from ...vec3 import (
    ZERO,
    add,
    add_cross,
    along,
    cross,
    divide,
    dot,
    load,
    scale,
    set_vec,
    shift,
    sub,
    vec,
)
from .mesh_neighbours import goes_by_neighbour
from .surface_planes import gap_over, height_over
from .surface_stops import TO_JOIN, TO_RETREAT, TO_STOP, forget_zones, hold_back, note_meshes
from .surface_watch import distance_needed, has_left, is_as_it_was, watch_contacts, watch_more

PARTING_SWEEPS = 16
"""Sweeps in which all contacts are parted, before what is not apart then is held back."""

RETREATS = 4
"""How often what is not apart goes half of its way only, before it stops."""


PushedBack = namedtuple(
    "PushedBack",
    [
        "first",  # vertex of what is drawn of bodies
        "first_hold",  # (v + 1,) of each from there on
        "hold",  # (h,) by what bodies carry it: see `BODY_HOLD`
        "push",  # (b, 2, 3) kg·m and, about the origin, kg·m²
    ],
)
"""What bodies are pushed back by where cloth is parted from them."""


@lean_inline
def _corners_of(contact):
    """Corners of a contact: a line, as a triangle two of whose corners are one, has one less."""
    corner = contact["corner"]
    return 3 if corner[2] == corner[3] else 4


@lean_inline
def _momentum(contact, over, x, more, start, inverse_mass, above, needed):
    """Momentum in kg·m, upwards, that putting a above, and b needed m below that, takes."""
    first = 2 if contact["is_edges"] else 1
    momentum = 0.0
    for c in range(_corners_of(contact)):
        w = inverse_mass[contact["corner"][c]]
        height = height_over(contact, c, over, x, more, start)
        way = max(0.0, above - height) if c < first else min(0.0, above - needed - height)
        momentum += way / w if w > 0.0 else 0.0
    return momentum


@lean_inline
def _balance(contact, over, x, more, start, inverse_mass, needed):
    """Where the plane of a lies, needed m over that of b, for parting to keep all momentum.

    What it gives grows with that height, and evenly between those at which a corner begins to move.
    """
    first = 2 if contact["is_edges"] else 1
    low, high, at_low, at_high = -math.inf, math.inf, 0.0, 0.0
    for c in range(4):
        above = height_over(contact, c, over, x, more, start) + (0.0 if c < first else needed)
        momentum = _momentum(contact, over, x, more, start, inverse_mass, above, needed)
        if momentum <= 0.0 and above > low:
            low, at_low = above, momentum
        if momentum >= 0.0 and above < high:
            high, at_high = above, momentum
    share = at_low / (at_low - at_high) if at_low < at_high else 0.5
    return low + share * (high - low)


@lean_inline
def _part(contact, over, x, more, start, inverse_mass, needed, back):
    """Put vertices of a above and those of b below two planes, needed m apart."""
    first = 2 if contact["is_edges"] else 1
    above = _balance(contact, over, x, more, start, inverse_mass, needed)
    least, most = -math.inf, math.inf  # where the plane of a may lie for what is held
    for c in range(4):
        if inverse_mass[contact["corner"][c]] > 0.0:
            continue
        height = height_over(contact, c, over, x, more, start)
        if c < first:
            most = min(most, height)
        else:
            least = max(least, height + needed)
    above = max(min(above, most), least)
    for c in range(4):
        i = contact["corner"][c]
        if inverse_mass[i] == 0.0:
            continue
        height = height_over(contact, c, over, x, more, start)
        way = max(0.0, above - height) if c < first else min(0.0, above - needed - height)
        if way != 0.0:
            shift(x, i, way, over)
            _push_back(contact, back, load(start, i), scale(-way / inverse_mass[i], over))


@lean_inline
def _push_back(contact, back, place, push):
    """Note a push in kg·m on the body that a contact of cloth is with, if it is with one."""
    v = max(contact["corner"][0], contact["corner"][3]) - back.first
    if v < 0:
        return
    turn = cross(place, push)
    for h in range(back.first_hold[v], back.first_hold[v + 1]):
        b, share = back.hold[h]["body"], back.hold[h]["weight"]
        shift(back.push[b], 0, share, push)
        shift(back.push[b], 1, share, turn)


@lean_inline
def _add_motion(contact, first, last, x, start, inertia, momentum):
    """Add Σ r rᵀ and Σ r × u of corners first to last about their middle.

    r are taken halfway: so motions that turn a feature give the turn exactly.
    """
    middle, way = ZERO, ZERO
    for c in range(first, last):
        i = contact["corner"][c]
        middle = add(middle, add(load(start, i), load(x, i)))
        way = add(way, sub(load(x, i), load(start, i)))
    middle, way = divide(middle, last - first), divide(way, last - first)
    for c in range(first, last):
        i = contact["corner"][c]
        r = scale(0.5, sub(add(load(start, i), load(x, i)), middle))
        u = sub(sub(load(x, i), load(start, i)), way)
        inertia = add_inertia(inertia, 1.0, r)
        momentum = add_cross(momentum, r, u)
    return inertia, momentum


@lean_inline
def _turn(contact, x, start):
    """Turn the normal at the end as the two features have turned, each about its own middle.

    With u = ω × r halfway, 2 tan(φ/2) long, the turn is Cayley's transform of ω/2.
    """
    normal = vec(contact["normal"])
    first = 2 if contact["is_edges"] else 1
    inertia, momentum = _add_motion(contact, 0, first, x, start, NO_INERTIA, ZERO)
    last = _corners_of(contact)
    inertia, momentum = _add_motion(contact, first, last, x, start, inertia, momentum)
    half = scale(0.5, solve_inertia(inertia, momentum))
    way = cross(half, normal)
    f = 2.0 / (1.0 + dot(half, half))
    set_vec(contact["turned"], along(normal, f, add(way, cross(half, way))))


@lean_inline
def _part_contact(parting, n, back):
    """Part the two features of contact n where they are not; whether they had to be."""
    contacts, _, watch, x, start, inverse_mass = parting
    contact = contacts[n]
    needed = distance_needed(contact)
    normal = vec(contact["normal"])
    gap = gap_over(contact, normal, x, ZERO, start)
    if gap >= needed:
        return False
    if contact["is_turned"] == 0:
        if goes_by_neighbour(contacts, n, watch, x, start):
            return False
        contact["is_turned"] = 1
        _turn(contact, x, start)
    turned = vec(contact["turned"])
    is_parted = False
    # a hair more than needed, or rounding asks for it again
    gap = gap_over(contact, turned, x, ZERO, start)
    if gap < needed:
        is_parted = True
        _part(contact, turned, x, ZERO, start, inverse_mass, needed * (1.0 + 1e-6), back)
    gap = gap_over(contact, normal, x, turned, start)
    if gap < 0.0:
        is_parted = True
        _part(contact, normal, x, turned, start, inverse_mass, 1e-6 * needed, back)
    return is_parted


@lean_inline
def _sweep(parting, moved, sweep, back):
    """Part all contacts that are not apart; how many there were.

    sweep: the number of this one.
    """
    watch, x, start = parting.watch, parting.x, parting.start
    done = p = 0
    while p < watch.count[0]:
        n = watch.row[p]
        p += 1
        if is_as_it_was(watch.contact[n], moved, sweep):
            continue
        if not _part_contact(parting, n, back):
            continue
        done += 1
        for c in range(4):
            moved[watch.contact[n]["corner"][c]] = sweep
        if has_left(watch, n, x, start):
            p = watch_more(watch, parting.count, x, start, n)
    return done


@kernel
def part_surfaces(parting, rows, stopping, led, back):
    """Part all contacts, see `Parting`; how many vertices had to stop.

    Sweeps of the least that parts them, one after the other. Should that not be enough, what is
    not apart goes half of its way and is parted again, and at last stops, and what that stops,
    until all is apart: what is held too, for driven cloth passes through itself no more than
    other cloth. What is stopped goes on as one piece with what it is not apart from: see
    `surface_stops`. What is at a mesh, whose vertices from ``led`` on stop for nobody, goes on with
    it; where two of them leave cloth no room between them, it goes as one piece all the same, and
    they go through it. rows: vertices of cloth; back: what bodies are pushed back by when cloth is
    parted from what is drawn of them.
    """
    moved, x = stopping.moved, parting.x
    for n in range(rows.shape[0]):
        moved[rows[n]] = 0
    for n in range(led, x.shape[0]):
        moved[n] = 0
    watch_contacts(parting.watch, parting.count, x, parting.start, rows)
    sweep = 0
    for retreat in range(RETREATS + 1):
        for _ in range(PARTING_SWEEPS):
            sweep += 1
            if _sweep(parting, moved, sweep, back) == 0:
                return 0
        forget_zones(rows, stopping)
        if retreat == 0:
            note_meshes(parting, rows, stopping, led)
        if retreat < RETREATS:
            sweep += 1
            hold_back(parting, rows, stopping, led, sweep, TO_RETREAT, True)
    total = 0
    for what in (TO_STOP, TO_JOIN):
        if what == TO_JOIN and (led == x.shape[0] or total == 0):
            return total
        stopped = -1
        while stopped != 0:
            sweep += 1
            stopped = hold_back(parting, rows, stopping, led, sweep, what, stopped < 0)
            total += max(stopped, 0)
    return total
