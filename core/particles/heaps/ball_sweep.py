"""What contacts of balls do: blows, then sweeps that remember what they did in the last substep.

1. Blows: two that come together faster than they rest are reflected, one pair after the other,
   until none approaches. Each takes the approach that there is then, so no blow makes energy (as
   `rigid.contacts.blows`).
2. Sweeps: each contact lets its two close what is left of the gap and no more, and holds against
   sliding up to μ times its push (Catto 2005). Impulses begin with those of the substep before:
   weight goes down a heap by itself, in some substeps, and then a sweep or two have nothing left to
   do.
3. What overlaps is parted by place alone, x and x* alike, a share at a time.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ...coincidence import direction_between
from ...collision.contact_law import (
    joint_friction,
    joint_restitution,
    normal_sum,
    parting,
    within_cone,
)
from ...coupling.body_point import impel, mobility_at
from ...kernels.jit import kernel, lean, lean_inline, parallel_kernel, prange
from ...rigid.owners import velocity_at
from ...vec3 import (
    ZERO,
    add,
    along,
    divide,
    dot,
    length,
    plus_norm1,
    scale,
    set_vec,
    sub,
    vec,
)
from .ball_table import MOST_WALLS

REACH_OF_ROWS = 0.01
"""Radii by which two may be apart and still have a row: others may press them together yet."""

BALL_SLOP = 0.001
"""Radii of overlap that stay, so that what lies touching goes on touching."""

BALL_PARTING_SHARE = 0.3
"""Share of an overlap of two balls that is parted in one substep."""

SWEEP_FORWARD, SWEEP_BACKWARD, SWEEP_APART, SWEEP_BEGIN, SWEEP_STRIKE = 0, 1, 2, 3, 4
"""What a pass over the rows does."""


Limits = namedtuple(
    "Limits",
    [
        "resting",  # m, approach in a step from which on balls bounce
        "enough",  # m, that the last sweep may still push
        "part",  # m, that overlaps are parted in a step at most
        "blows",  # rounds
        "fewest",  # sweeps
        "most",  # sweeps
    ],
)
"""How far a substep goes."""


@parallel_kernel
def find_rows(heap, fall):
    """Rows of all pairs that touch or nearly do, with what they remember; fall m: in one step."""
    ball, place, near, row = heap.ball, heap.place, heap.near, heap.row
    first, count, filled = heap.first, heap.count, heap.filled
    for t in prange(first.shape[0]):
        found = first[t]
        for m in range(first[t], first[t] + count[t]):
            a, b = near[m]["pair"][0], near[m]["pair"][1]
            d = sub(vec(place[a]["start"]), vec(place[b]["start"]))
            u = sub(vec(ball[a]["move"]), vec(ball[b]["move"]))
            radius = ball[a]["radius"] + ball[b]["radius"]
            far = dot(d, d)
            room = 0.5 * REACH_OF_ROWS * radius + 2.0 * fall
            widest = plus_norm1(radius + room, u)
            if far >= widest * widest or ball[a]["inverse_mass"] + ball[b]["inverse_mass"] == 0.0:
                set_vec(near[m]["impulse"], ZERO)
                continue
            far = math.sqrt(far)
            n = (
                divide(d, far)
                if far > 0.0
                else direction_between(place[b]["particle"], place[a]["particle"])
            )
            gap = dot(sub(vec(place[a]["previous"]), vec(place[b]["previous"])), n) - radius
            if gap >= room + length(u):
                set_vec(near[m]["impulse"], ZERO)
                continue
            one = row[found]
            one["pair"][0] = a
            one["pair"][1] = b
            one["near"] = m
            set_vec(one["normal"], n)
            one["gap"] = gap
            one["mass"] = 1.0 / (ball[a]["inverse_mass"] + ball[b]["inverse_mass"])
            one["friction"] = joint_friction(place[a]["friction"], place[b]["friction"])
            one["bounce"] = joint_restitution(place[a]["restitution"], place[b]["restitution"])
            known = vec(near[m]["impulse"])
            push = max(0.0, dot(known, n))
            one["normal_impulse"] = push
            set_vec(
                one["friction_impulse"],
                within_cone(along(known, -dot(known, n), n), one["friction"] * push),
            )
            found += 1
        filled[t] = found - first[t]


@lean_inline
def _push(ball, row, p):
    """An impulse p in kg·m on the first of two balls, and against it on the second."""
    a, b = ball[row["pair"][0]], ball[row["pair"][1]]
    set_vec(a["move"], along(vec(a["move"]), a["inverse_mass"], p))
    set_vec(b["move"], along(vec(b["move"]), -b["inverse_mass"], p))


@lean_inline
def _slide(ball, row, owners, h):
    """How a ball moves in this substep against what it lies on, m."""
    u = vec(ball[row["ball"]]["move"])
    o = row["owner"]
    if o < 0:
        return sub(u, vec(row["way"]))
    motion = velocity_at(owners, o, vec(row["arm"]))
    return along(u, -h, motion)


@lean_inline
def _give(ball, row, owners, p, h):
    """An impulse p in kg·m on a ball, and against it on the body that it lies on."""
    a = ball[row["ball"]]
    set_vec(a["move"], along(vec(a["move"]), a["inverse_mass"], p))
    if row["owner"] >= 0:
        impel(owners, row["owner"], vec(row["arm"]), scale(-1.0 / h, p))


# ------------------------------------------------------------------ blows and sweeps


@lean_inline
def _blow(row, u, resting):
    """Impulse kg·m that reflects two that move by u m, and by how far m: −1 where none does."""
    n = vec(row["normal"])
    approach = -dot(u, n)
    if row["bounce"] == 0.0 or approach <= resting or row["gap"] >= approach:
        return ZERO, -1.0
    push = (1.0 + row["bounce"]) * approach * row["mass"]
    hold = within_cone(scale(-row["mass"], along(u, approach, n)), row["friction"] * push)
    row["normal_impulse"] = 0.0
    set_vec(row["friction_impulse"], ZERO)
    return along(hold, push, n), push / row["mass"]


@lean_inline
def _bearing(row, u, mass):
    """Impulse kg·m that bears two that move by u m, and by how far m: −1 where none does.

    mass: kg, that friction meets.
    """
    n, before, held = vec(row["normal"]), row["normal_impulse"], vec(row["friction_impulse"])
    close = dot(u, n)
    push = normal_sum(before, -row["mass"] * (close + max(row["gap"], 0.0)))
    row["normal_impulse"] = push
    if push == 0.0 and before == 0.0:
        return ZERO, -1.0
    hold = within_cone(along(held, -mass, along(u, -close, n)), row["friction"] * push)
    set_vec(row["friction_impulse"], hold)
    return along(sub(hold, held), push - before, n), abs(push - before) / row["mass"]


@lean_inline
def _solve(part, ball, row, resting):
    """Strike or sweep two balls; returns how far m that pushed, −1 where there was no need."""
    u = sub(vec(ball[row["pair"][0]]["move"]), vec(ball[row["pair"][1]]["move"]))
    p, way = _blow(row, u, resting) if part == SWEEP_STRIKE else _bearing(row, u, row["mass"])
    if way >= 0.0:
        _push(ball, row, p)
    return way


@lean_inline
def _mass_across(ball, row, owners, u):
    """Mass kg that friction meets where a ball slides by u m: of a body in that very direction."""
    n = vec(row["normal"])
    u = along(u, -dot(u, n), n)
    size = length(u) if row["owner"] >= 0 else 0.0
    if size == 0.0:
        return row["mass"]
    mobility = mobility_at(owners, row["owner"], vec(row["arm"]), divide(u, size))
    return 1.0 / (ball[row["ball"]]["inverse_mass"] + mobility)


@lean
def _solve_wall(part, ball, row, owners, resting, h):
    """Strike or sweep a ball on a shape; as `_solve`."""
    u = _slide(ball, row, owners, h)
    if part == SWEEP_STRIKE:
        p, way = _blow(row, u, resting)
    else:
        p, way = _bearing(row, u, _mass_across(ball, row, owners, u))
    if way >= 0.0:
        _give(ball, row, owners, p, h)
    return way


# ------------------------------------------------------------------ what overlaps


@lean_inline
def _apart(ball, row):
    """How two balls move in this substep against each other, with what parts them, m."""
    a, b = ball[row["pair"][0]], ball[row["pair"][1]]
    return sub(add(vec(a["move"]), vec(a["part"])), add(vec(b["move"]), vec(b["part"])))


@lean_inline
def _depth(row, u, radius):
    """How deep m two overlap that move by u m, beyond the slop of a radius m; below 0: not."""
    return -row["gap"] - dot(u, vec(row["normal"])) - BALL_SLOP * radius


@lean_inline
def _part(ball, row, most):
    """Part two balls by place alone."""
    a, b = ball[row["pair"][0]], ball[row["pair"][1]]
    depth = _depth(row, _apart(ball, row), 0.5 * (a["radius"] + b["radius"]))
    if depth > 0.0:
        n, push = vec(row["normal"]), parting(depth, BALL_PARTING_SHARE, most) * row["mass"]
        set_vec(a["part"], along(vec(a["part"]), push * a["inverse_mass"], n))
        set_vec(b["part"], along(vec(b["part"]), -push * b["inverse_mass"], n))


@lean_inline
def _part_wall(ball, row, owners, most, h):
    """Part a ball from what it lies on, by place alone: the ball gives way."""
    a = ball[row["ball"]]
    depth = _depth(row, add(_slide(ball, row, owners, h), vec(a["part"])), a["radius"])
    if depth > 0.0:
        set_vec(a["part"], along(vec(a["part"]), parting(depth, 1.0, most), vec(row["normal"])))


# ------------------------------------------------------------------ passes


@lean
def _do_wall(part, ball, row, owners, limits, h):
    if part == SWEEP_BEGIN:
        p = within_cone(vec(row["friction_impulse"]), row["friction"] * row["normal_impulse"])
        set_vec(row["friction_impulse"], p)
        _give(ball, row, owners, along(p, row["normal_impulse"], vec(row["normal"])), h)
        return 0.0
    if part == SWEEP_APART:
        _part_wall(ball, row, owners, limits.part, h)
        return 0.0
    return _solve_wall(part, ball, row, owners, limits.resting, h)


@lean
def _do_task(part, ball, row, begin, end, limits):
    """One pass over the rows of a task; returns how far m one pushed."""
    farthest = 0.0
    for k in range(end - begin):
        one = row[end - 1 - k if part == SWEEP_BACKWARD else begin + k]
        if part == SWEEP_BEGIN:
            p = along(vec(one["friction_impulse"]), one["normal_impulse"], vec(one["normal"]))
            _push(ball, one, p)
        elif part == SWEEP_APART:
            _part(ball, one, limits.part)
        else:
            farthest = max(farthest, _solve(part, ball, one, limits.resting))
    return farthest


@lean
def _do_walls(part, ball, wall, begin, end, on_bodies, owners, limits, h):
    """One pass over rows on bodies that give way, or on what does not; as `_do_task`."""
    farthest = 0.0
    for c in range(begin, end):
        if (wall[c]["owner"] >= 0) == on_bodies:
            farthest = max(farthest, _do_wall(part, ball, wall[c], owners, limits, h))
    return farthest


@parallel_kernel
def solve_balls(heap, owners, limits, h, is_bouncy, on_bodies, pushed):
    """All that contacts of balls do in a substep of h s; returns how many sweeps it took.

    limits: `Limits`; pushed (tasks,) m: scratch; on_bodies: whether there are bodies.
    """
    ball, row, wall = heap.ball, heap.row, heap.wall
    first, filled, walls, slab = heap.first, heap.filled, heap.walls, heap.slab
    slabs = walls.shape[0]
    blows, sweeps = 0, 0
    part = SWEEP_STRIKE if is_bouncy else SWEEP_BEGIN
    while True:
        for phase in range(3):
            begin, step, tasks = _phase(phase, slabs)
            for k in prange(tasks):
                t = begin + step * k
                end = first[t] + filled[t]
                pushed[t] = _do_task(part, ball, row, first[t], end, limits)
                if t < slabs:
                    at = MOST_WALLS * slab[t]
                    end = at + walls[t]
                    on_walls = _do_walls(part, ball, wall, at, end, False, owners, limits, h)
                    pushed[t] = max(pushed[t], on_walls)
        farthest = _largest(pushed)
        if part == SWEEP_STRIKE:
            blows += 1
            if farthest == 0.0 or blows == limits.blows:
                part = SWEEP_BEGIN
            continue
        for s in range(slabs if on_bodies else 0):
            begin = MOST_WALLS * slab[s]
            end_s = begin + walls[s]
            way = _do_walls(part, ball, wall, begin, end_s, True, owners, limits, h)
            farthest = max(farthest, way)
        if part == SWEEP_APART:
            return sweeps
        if part == SWEEP_BEGIN:
            part = SWEEP_FORWARD
            continue
        sweeps += 1
        is_enough = sweeps >= limits.fewest and farthest <= limits.enough
        if is_enough or sweeps >= limits.most:
            part = SWEEP_APART
        else:
            part = SWEEP_BACKWARD if sweeps % 2 else SWEEP_FORWARD


@lean
def _largest(way):
    """By a loop: Numba makes threads of `max`, which the library has none of."""
    farthest = 0.0
    for k in range(way.shape[0]):
        farthest = max(farthest, way[k])
    return farthest


@lean_inline
def _phase(phase, slabs):
    """First task, step and number of tasks of a phase: slabs, then every other pair of them."""
    if phase == 0:
        return 0, 1, slabs
    if phase == 1:
        return slabs, 2, slabs // 2
    return slabs + 1, 2, (slabs - 1) // 2


# ------------------------------------------------------------------ what is remembered


@parallel_kernel
def remember_impulses(heap):
    """Keep what rows gave for the next substep."""
    place, near, row = heap.place, heap.near, heap.row
    first, filled = heap.first, heap.filled
    wall, walls, slab, leant = heap.wall, heap.walls, heap.slab, heap.leant
    for t in prange(first.shape[0]):
        for c in range(first[t], first[t] + filled[t]):
            p = along(
                vec(row[c]["friction_impulse"]), row[c]["normal_impulse"], vec(row[c]["normal"])
            )
            set_vec(near[row[c]["near"]]["impulse"], p)
        if t < walls.shape[0]:
            k = 0
            for c in range(MOST_WALLS * slab[t], MOST_WALLS * slab[t] + walls[t]):
                if c > MOST_WALLS * slab[t] and wall[c]["ball"] != wall[c - 1]["ball"]:
                    k = 0
                one = leant[place[wall[c]["ball"]]["ball"]][k]
                one["shape"] = wall[c]["shape"]
                push = wall[c]["normal_impulse"]
                set_vec(
                    one["impulse"],
                    along(vec(wall[c]["friction_impulse"]), push, vec(wall[c]["normal"])),
                )
                k += 1


@kernel
def deepest_balls(heap):
    """Deepest overlap m that rows left, and how many rows touch."""
    ball, row = heap.ball, heap.row
    deepest, touching = 0.0, 0
    for t in range(heap.first.shape[0]):
        for c in range(heap.first[t], heap.first[t] + heap.filled[t]):
            gap = row[c]["gap"] + dot(_apart(ball, row[c]), vec(row[c]["normal"]))
            deepest = max(deepest, -gap)
            touching += 1 if gap < 0.0 or row[c]["normal_impulse"] > 0.0 else 0
    return deepest, touching
