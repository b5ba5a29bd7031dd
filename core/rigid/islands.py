"""Sleep: what hangs together and lies still together rests until something touches it.

Bodies that touch or are joined form an island (union–find). An island in which every body has been
slow for `REST_TIME` falls asleep as a whole, keeps its place to the last bit and costs nothing; one
body that moves keeps all awake.
"""

from __future__ import annotations

import math

from ..jit import inline, kernel

REST_TIME = 0.5
"""Seconds of stillness after which a body may sleep."""

STILL = 0.02
"""A body is still when its fastest point moves by less than this times √(gravity × its size)."""


@inline
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inline
def _join(parent, i, j):
    a = _root(parent, i)
    b = _root(parent, j)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@kernel
def find_rest(
    owners, body_count, rows, row_count, joint, sleeps, radius, pull, duration, rest, parent
):
    """Count the seconds (b,) for which bodies have been still, by islands.

    joint (j, 2) owners; radius (b,) m; pull: √g; parent (b,) is scratch. A body that touches
    something driven that moves is not still.
    """
    for b in range(body_count):
        parent[b] = b
        if owners.asleep[b] == 1:
            continue
        if sleeps[b] == 0 or owners.driven[b] == 1:
            rest[b] = 0.0
            continue
        speed = 0.0
        spin = 0.0
        for k in range(3):
            speed += owners.velocity[b, k] ** 2
            spin += owners.spin[b, k] ** 2
        fastest = math.sqrt(speed) + radius[b] * math.sqrt(spin)
        if fastest < STILL * pull * math.sqrt(radius[b]):
            rest[b] += duration
        else:
            rest[b] = 0.0
    for c in range(row_count):
        if rows.impulse[c, 0] > 0.0:
            _touch(owners, body_count, rest, parent, rows.owner[c, 0], rows.owner[c, 1])
    for j in range(joint.shape[0]):
        _touch(owners, body_count, rest, parent, joint[j, 0], joint[j, 1])
    # the least of each island, first in its root, then in all
    for b in range(body_count):
        root = _root(parent, b)
        rest[root] = min(rest[root], rest[b])
    for b in range(body_count):
        rest[b] = min(rest[b], rest[_root(parent, b)])


@inline
def _touch(owners, body_count, rest, parent, a, b):
    """Two owners touch: bodies become one island, moving driven ones keep the other awake."""
    if a < 0 or b < 0:
        return
    if a < body_count and b < body_count and owners.driven[a] == 0 and owners.driven[b] == 0:
        _join(parent, a, b)
        return
    for side in range(2):
        mine = a if side == 0 else b
        other = b if side == 0 else a
        if mine >= body_count or owners.driven[other] == 0:
            continue
        moves = 0.0
        for k in range(3):
            moves += owners.velocity[other, k] ** 2 + owners.spin[other, k] ** 2
        if moves > 0.0:
            rest[mine] = 0.0


@kernel
def wake_near_particles(shapes, body_count, asleep, x, previous, radius, steps, rest):
    """Wake bodies that a particle may reach in the next ``steps`` steps; returns how many.

    Shapes with their lower and upper bounds for that time; radius (n,) m of the particles; writes
    asleep (b,) and rest (b,) s. Who is among particles does not sleep: what holds him may give way.
    """
    woken = 0
    for s in range(shapes.kind.shape[0]):
        b = shapes.owner[s]
        if b >= body_count or asleep[b] == 0:
            continue
        for i in range(x.shape[0]):
            meets = True
            for k in range(3):
                way = steps * (x[i, k] - previous[i, k])
                low = x[i, k] + min(way, 0.0) - radius[i]
                high = x[i, k] + max(way, 0.0) + radius[i]
                if low > shapes.upper[s, k] or high < shapes.lower[s, k]:
                    meets = False
                    break
            if meets:
                asleep[b] = 0
                rest[b] = 0.0
                woken += 1
                break
    return woken
