"""Heaps that sleep: who lies still, with all that it touches, is not moved until something comes.

`BallState.rest` counts for how long each ball has been still. A heap sleeps when all of it has
been for `REST_TIME`; until then nobody's count reaches that.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...islands import join
from ...kernels.jit import kernel
from ...rigid.sleep.stillness import LONGEST_AWAKE, REST_TIME
from ...vec3 import dot, sub, vec

STILL_FALL = 0.01
"""Share of √(g r), the speed of a ball that has fallen by half its radius, that counts as still."""

STILL_BALL_DRIFT = 1e-3
"""Radii a second that count as still where nothing falls."""

DEEP_OVERLAP = 0.01
"""Radii of overlap from which on stillness counts a quarter: sleepers keep their overlap."""


@kernel
def _join_all(label, pairs):
    """Let label (m,) be the first ball of the heap that each belongs to, by pairs (c, 2)."""
    for n in range(label.shape[0]):
        label[n] = n
    for c in range(pairs.shape[0]):
        join(label, pairs[c, 0], pairs[c, 1])
    for n in range(label.shape[0]):
        label[n] = label[label[n]]


def heaps_of(count: int, pairs: Ints) -> Ints:
    """A number (count,) for each ball, the same for all that touch; pairs (c, 2) of balls."""
    label = np.empty(count, np.int32)
    _join_all(label, pairs)
    return label


def rest_after(
    rest: Floats, still: np.ndarray, deep: np.ndarray, label: Ints, duration: float
) -> Floats:
    """`BallState.rest` (m,) s after a frame of so many seconds.

    still, deep (m,): whether each has lain still, and lies deep in others; label from `heaps_of`.
    """
    rest = np.where(still, rest + np.where(deep, 0.25, 1.0) * duration, 0.0)
    is_ready = np.ones(len(rest), dtype=bool)
    is_ready[label[rest < REST_TIME]] = False
    return np.where(is_ready[label], np.minimum(rest, REST_TIME), np.minimum(rest, LONGEST_AWAKE))


@kernel
def feel_balls(heap, asleep, touched):
    """Mark sleepers that a ball which moves touches in this substep; whether there are any.

    asleep, touched (m,) by rows of `SelfCollisionTable.balls`.
    """
    ball, place, row = heap.ball, heap.place, heap.row
    found = 0
    for t in range(heap.first.shape[0]):
        for c in range(heap.first[t], heap.first[t] + heap.filled[t]):
            a, b = row[c]["pair"][0], row[c]["pair"][1]
            i, j = place[a]["ball"], place[b]["ball"]
            if asleep[i] == asleep[j]:
                continue
            u = sub(vec(ball[a]["move"]), vec(ball[b]["move"]))
            if row[c]["gap"] + min(0.0, dot(u, vec(row[c]["normal"]))) < 0.0:
                touched[i if asleep[i] else j] = 1
                found += 1
    return found


@kernel
def feel_shapes(balls, asleep, shapes, meshes_move, x, touched):
    """Mark sleepers that a shape which moves may touch in this substep; whether there are any.

    balls: particles and radii (m,); meshes_move: whether any mesh changes its form.
    """
    rows, radius = balls
    found = 0
    for s in range(shapes.kind.shape[0]):
        moves = meshes_move and shapes.mesh[s] >= 0
        for k in range(3):
            if shapes.centre[s, k] != shapes.centre_before[s, k]:
                moves = True
            for m in range(3):
                if shapes.rotation[s, k, m] != shapes.rotation_before[s, k, m]:
                    moves = True
        if not moves:
            continue
        for n in range(rows.shape[0]):
            if not asleep[n]:
                continue
            outside = False
            for k in range(3):
                reach = 1.01 * radius[n]
                place = x[rows[n], k]
                if place + reach < shapes.lower[s, k] or place - reach > shapes.upper[s, k]:
                    outside = True
            if not outside:
                touched[n] = 1
                found += 1
    return found


@kernel
def mark_deep(heap, deep):
    """Mark balls (m,) that lie deep in others."""
    ball, place, row = heap.ball, heap.place, heap.row
    for t in range(heap.first.shape[0]):
        for c in range(heap.first[t], heap.first[t] + heap.filled[t]):
            a, b = row[c]["pair"][0], row[c]["pair"][1]
            if row[c]["gap"] < -DEEP_OVERLAP * min(ball[a]["radius"], ball[b]["radius"]):
                deep[place[a]["ball"]] = deep[place[b]["ball"]] = True
