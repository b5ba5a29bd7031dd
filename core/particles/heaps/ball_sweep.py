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

SWEEP_FORWARD, SWEEP_BACKWARD, SWEEP_APART, SWEEP_BEGIN = 0, 1, 2, 3
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


# ------------------------------------------------------------------ blows


@lean
def _strike(ball, row, resting):
    """Reflect two balls that meet in this substep; whether they did."""
    a, b = ball[row["pair"][0]], ball[row["pair"][1]]
    n = vec(row["normal"])
    u = sub(vec(a["move"]), vec(b["move"]))
    approach = -dot(u, n)
    if approach <= resting or row["gap"] >= approach:
        return 0
    push = (1.0 + row["bounce"]) * approach * row["mass"]
    hold = within_cone(scale(-row["mass"], along(u, approach, n)), row["friction"] * push)
    _push(ball, row, along(hold, push, n))
    row["normal_impulse"] = 0.0
    set_vec(row["friction_impulse"], ZERO)
    return 1


@lean
def _strike_wall(ball, row, resting):
    """Reflect a ball that a blow has sent into a wall; whether it did."""
    a = ball[row["ball"]]
    n = vec(row["normal"])
    u = sub(vec(a["move"]), vec(row["way"]))
    approach = -dot(u, n)
    if approach <= resting or row["gap"] >= approach:
        return 0
    push = (1.0 + row["bounce"]) * approach * row["mass"]
    hold = within_cone(scale(-row["mass"], along(u, approach, n)), row["friction"] * push)
    set_vec(a["move"], along(vec(a["move"]), a["inverse_mass"], along(hold, push, n)))
    row["normal_impulse"] = 0.0
    set_vec(row["friction_impulse"], ZERO)
    return 1


@lean
def _strike_walls(ball, wall, begin, end, resting):
    """Blows on walls of one slab; returns how many."""
    blows = 0
    for c in range(begin, end):
        if wall[c]["bounce"] > 0.0:
            blows += _strike_wall(ball, wall[c], resting)
    return blows


@lean
def _strike_task(ball, row, begin, end, resting):
    """Blows of one task; returns how many."""
    blows = 0
    for c in range(begin, end):
        if row[c]["bounce"] > 0.0:
            blows += _strike(ball, row[c], resting)
    return blows


# ------------------------------------------------------------------ sweeps


@lean_inline
def _sweep(ball, row):
    """Solve one contact; returns how far m it pushed."""
    a, b = ball[row["pair"][0]], ball[row["pair"][1]]
    n = vec(row["normal"])
    u = sub(vec(a["move"]), vec(b["move"]))
    close = dot(u, n)
    before = row["normal_impulse"]
    push = normal_sum(before, -row["mass"] * (close + max(row["gap"], 0.0)))
    row["normal_impulse"] = push
    held = vec(row["friction_impulse"])
    if push == 0.0 and before == 0.0:
        return 0.0
    hold = within_cone(along(held, -row["mass"], along(u, -close, n)), row["friction"] * push)
    set_vec(row["friction_impulse"], hold)
    _push(ball, row, along(sub(hold, held), push - before, n))
    return abs(push - before) / row["mass"]


@lean_inline
def _part(ball, row, most):
    """Part two balls by place alone."""
    a, b = ball[row["pair"][0]], ball[row["pair"][1]]
    n = vec(row["normal"])
    u = sub(add(vec(a["move"]), vec(a["part"])), add(vec(b["move"]), vec(b["part"])))
    depth = -row["gap"] - dot(u, n) - 0.5 * BALL_SLOP * (a["radius"] + b["radius"])
    if depth <= 0.0:
        return
    push = parting(depth, BALL_PARTING_SHARE, most) * row["mass"]
    set_vec(a["part"], along(vec(a["part"]), push * a["inverse_mass"], n))
    set_vec(b["part"], along(vec(b["part"]), -push * b["inverse_mass"], n))


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


@lean
def _sweep_wall(ball, row, owners, h):
    """Solve a ball on a shape; returns how far m it pushed."""
    n = vec(row["normal"])
    u = _slide(ball, row, owners, h)
    close = dot(u, n)
    before = row["normal_impulse"]
    push = normal_sum(before, -row["mass"] * (close + max(row["gap"], 0.0)))
    row["normal_impulse"] = push
    if push == 0.0 and before == 0.0:
        return 0.0
    held = vec(row["friction_impulse"])
    u = along(u, -close, n)
    mass = row["mass"]
    size = length(u)
    if row["owner"] >= 0 and size > 0.0:
        mobility = mobility_at(owners, row["owner"], vec(row["arm"]), divide(u, size))
        mass = 1.0 / (ball[row["ball"]]["inverse_mass"] + mobility)
    hold = within_cone(along(held, -mass, u), row["friction"] * push)
    set_vec(row["friction_impulse"], hold)
    _give(ball, row, owners, along(sub(hold, held), push - before, n), h)
    return abs(push - before) / row["mass"]


@lean_inline
def _part_wall(ball, row, owners, most, h):
    """Part a ball from what it lies on, by place alone: the ball gives way."""
    a = ball[row["ball"]]
    n = vec(row["normal"])
    u = add(_slide(ball, row, owners, h), vec(a["part"]))
    depth = -row["gap"] - dot(u, n) - BALL_SLOP * a["radius"]
    if depth > 0.0:
        set_vec(a["part"], along(vec(a["part"]), parting(depth, 1.0, most), n))


@lean
def _do_wall(part, ball, row, owners, most, h):
    if part == SWEEP_BEGIN:
        p = within_cone(vec(row["friction_impulse"]), row["friction"] * row["normal_impulse"])
        set_vec(row["friction_impulse"], p)
        _give(ball, row, owners, along(p, row["normal_impulse"], vec(row["normal"])), h)
        return 0.0
    if part == SWEEP_APART:
        _part_wall(ball, row, owners, most, h)
        return 0.0
    return _sweep_wall(ball, row, owners, h)


@lean
def _do_task(part, ball, row, begin, end, most):
    """One pass over the rows of a task; returns how far m one pushed."""
    farthest = 0.0
    for k in range(end - begin):
        one = row[end - 1 - k if part == SWEEP_BACKWARD else begin + k]
        if part == SWEEP_BEGIN:
            p = along(vec(one["friction_impulse"]), one["normal_impulse"], vec(one["normal"]))
            _push(ball, one, p)
        elif part == SWEEP_APART:
            _part(ball, one, most)
        else:
            farthest = max(farthest, _sweep(ball, one))
    return farthest


@lean
def _do_walls(part, ball, wall, begin, end, on_bodies, owners, most, h):
    """One pass over rows on bodies that give way, or on what does not; as `_do_task`."""
    farthest = 0.0
    for c in range(begin, end):
        if (wall[c]["owner"] >= 0) == on_bodies:
            farthest = max(farthest, _do_wall(part, ball, wall[c], owners, most, h))
    return farthest


@parallel_kernel
def solve_balls(heap, owners, limits, h, is_bouncy, on_bodies, pushed):
    """All that contacts of balls do in a substep of h s; returns how many sweeps it took.

    limits: `Limits`; pushed (tasks,) m: scratch; on_bodies: whether there are bodies.
    """
    ball, row, wall = heap.ball, heap.row, heap.wall
    first, filled, walls, slab = heap.first, heap.filled, heap.walls, heap.slab
    slabs = walls.shape[0]
    for _ in range(limits.blows if is_bouncy else 0):
        for phase in range(3):
            begin, step, tasks = _phase(phase, slabs)
            for k in prange(tasks):
                t = begin + step * k
                end = first[t] + filled[t]
                pushed[t] = _strike_task(ball, row, first[t], end, limits.resting)
                if t < slabs:
                    at = MOST_WALLS * slab[t]
                    pushed[t] += _strike_walls(ball, wall, at, at + walls[t], limits.resting)
        if _largest(pushed) == 0.0:
            break
    sweeps = 0
    part = SWEEP_BEGIN
    while True:
        for phase in range(3):
            begin, step, tasks = _phase(phase, slabs)
            for k in prange(tasks):
                t = begin + step * k
                end = first[t] + filled[t]
                pushed[t] = _do_task(part, ball, row, first[t], end, limits.part)
                if t < slabs:
                    at = MOST_WALLS * slab[t]
                    on_walls = _do_walls(
                        part, ball, wall, at, at + walls[t], False, owners, limits.part, h
                    )
                    pushed[t] = max(pushed[t], on_walls)
        farthest = _largest(pushed)
        for s in range(slabs if on_bodies else 0):
            begin = MOST_WALLS * slab[s]
            end_s = begin + walls[s]
            way = _do_walls(part, ball, wall, begin, end_s, True, owners, limits.part, h)
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
            a, b = ball[row[c]["pair"][0]], ball[row[c]["pair"][1]]
            u = sub(add(vec(a["move"]), vec(a["part"])), add(vec(b["move"]), vec(b["part"])))
            gap = row[c]["gap"] + dot(u, vec(row[c]["normal"]))
            deepest = max(deepest, -gap)
            touching += 1 if gap < 0.0 or row[c]["normal_impulse"] > 0.0 else 0
    return deepest, touching
