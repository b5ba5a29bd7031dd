"""The tables of balls: who is one, what is near it, and what of that touches in a substep.

Balls lie in the order of the cells in which they were found, x first and z last, so that what meets
lies close by in memory. They are cut into slabs of whole cells along x. What meets within a slab is
one task and what meets between two slabs another; tasks of every other pair of slabs share no ball.
So any number of threads gives the same bits.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

Spheres = namedtuple("Spheres", ["particle", "radius"])
"""Balls wherever they lie: particles (m,) and radii (m,) m."""

MOST_WALLS = 4
"""Colliders and bodies, or walls and triangles of one, that a ball can lie against."""

BALL = np.dtype(
    [
        ("move", np.float64, (3,)),  # m, x − x* in this substep
        ("inverse_mass", np.float64),  # 1/kg
        ("part", np.float64, (3,)),  # m, correction of place that gives no speed
        ("radius", np.float64),  # m
    ],
    align=True,
)
"""What sweeps over contacts read and write of a ball: 64 bytes, a line of the cache."""

PLACE = np.dtype(
    [
        ("start", np.float64, (3,)),  # m, where the substep began
        ("previous", np.float64, (3,)),  # m, x*: elsewhere after a bounce
        ("friction", np.float64),
        ("restitution", np.float64),
        ("ball", np.int32),  # row of `SelfCollisionTable.balls`
        ("particle", np.int32),
    ],
    align=True,
)
"""What else is known of a ball."""

BALL_PAIR = np.dtype(
    [
        ("pair", np.int32, (2,)),  # a and b, in the order of cells, a < b
        ("impulse", np.float64, (3,)),  # kg·m, h times what b gave a in the last substep
    ],
    align=True,
)
"""Two balls that may meet before pairs are looked for again."""

BALL_ROW = np.dtype(
    [
        ("pair", np.int32, (2,)),
        ("normal", np.float64, (3,)),  # from b to a
        ("gap", np.float64),  # m, at x*
        ("mass", np.float64),  # kg, 1/(wa + wb)
        ("friction", np.float64),
        ("normal_impulse", np.float64),  # kg·m, times h
        ("friction_impulse", np.float64, (3,)),  # kg·m
        ("bounce", np.float64),  # restitution
        ("near", np.int32),  # row of what is near
        ("struck", np.int32),  # whether it has bounced in this substep
    ],
    align=True,
)
"""Two balls that touch in this substep."""

BALL_WALL = np.dtype(
    [
        ("ball", np.int32),
        ("shape", np.int32),
        ("owner", np.int32),  # body that gives way, −1 for none
        ("normal", np.float64, (3,)),  # away from the shape
        ("gap", np.float64),  # m, where neither moves
        ("way", np.float64, (3,)),  # m, how far what gives no way moves in this substep
        ("arm", np.float64, (3,)),  # m, from the owner's centre
        ("mass", np.float64),  # kg, along the normal
        ("friction", np.float64),
        ("bounce", np.float64),  # restitution, 0 on bodies: those are struck as all particles do
        ("normal_impulse", np.float64),  # kg·m
        ("friction_impulse", np.float64, (3,)),  # kg·m
    ],
    align=True,
)
"""A ball on a shape."""

LEANT = np.dtype([("shape", np.int32), ("impulse", np.float64, (3,))], align=True)
"""What a ball has leant on, −1 for nothing, and what that gave it (kg·m)."""

Heap = namedtuple(
    "Heap",
    [
        "ball",  # (m,) BALL, in the order of cells
        "place",  # (m,) PLACE
        "near",  # (c,) NEAR, task by task
        "row",  # (c,) BALL_ROW; those of a task begin where its pairs do
        "first",  # (2 s,) first pair of each task: s slabs, then those between two
        "count",  # (2 s,) pairs of each task
        "filled",  # (2 s,) rows of each task
        "slab",  # (s + 1,) first ball of each slab
        "wall",  # (4 m,) WALL; those of a slab begin at four times its first ball
        "walls",  # (s,) how many
        "close",  # (balls,) 1: near a shape, by rows of `SelfCollisionTable.balls`
        "leant",  # (balls, 4) LEANT, by rows of `SelfCollisionTable.balls`
    ],
)
"""Balls of one model while a frame runs."""


def heap_room(balls: int, pairs: int = 0) -> Heap:
    """Room for balls and pairs, in one slab."""
    leant = np.zeros((balls, MOST_WALLS), LEANT)
    leant["shape"] = -1
    return Heap(
        ball=np.zeros(balls, BALL),
        place=np.zeros(balls, PLACE),
        near=np.zeros(pairs, BALL_PAIR),
        row=np.zeros(pairs, BALL_ROW),
        first=np.zeros(2, np.int32),
        count=np.zeros(2, np.int32),
        filled=np.zeros(2, np.int32),
        slab=np.array([0, balls], np.int32),
        wall=np.zeros(MOST_WALLS * balls, BALL_WALL),
        walls=np.zeros(1, np.int32),
        close=np.zeros(balls, np.int8),
        leant=leant,
    )
