"""Back from a simulated pose to the keyed one: a blend in the space of the joints.

What has been simulated goes on as it moved, slower and slower, and gives way to the keys within a
given time: both ends of the blend have the place and the speed of what they join. Turns are blended
as a part has them in its parent, so that limbs keep their lengths on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .bone_joints import rotation_vector
from .skeleton import turn_about

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

GLIDE = 0.15
"""Seconds in which the speed of what was simulated falls to 1/e."""

Placed = tuple["Floats", "Floats"]
"""Turns (p, 3, 3) of parts from the rest pose, and the places (p, 3) m of their heads."""


@dataclass(frozen=True, eq=False)
class Return:
    """Where the parts of a ragdoll come back from."""

    held: np.ndarray  # (p,) bool: goes where its keys say, or is on the way there
    since: Floats  # (p,) s, when it began to be held; −∞: it was never simulated
    base: Ints  # (p,) the part in which it is seen, −1: the world
    turn: Floats  # (p, 3, 3) as it was seen then
    place: Floats  # (p, 3) m
    spin: Floats  # (p, 3) rad/s
    velocity: Floats  # (p, 3) m/s
    toward: Floats  # (p, 3) rad, the turn from there to the keys of then


def at_rest(held: np.ndarray) -> Return:
    """Nothing to come back from: held (p,) parts have always been so."""
    count = len(held)
    return Return(
        held.copy(),
        np.full(count, -np.inf),
        np.full(count, -1, dtype=np.int32),
        np.tile(np.eye(3), (count, 1, 1)),
        *(np.zeros((count, 3)) for _ in range(4)),
    )


def begun(
    known: Return,
    held: np.ndarray,
    parents: Sequence[int],
    time: float,
    now: Placed,
    before: Placed,
    keyed: Placed,
    duration: float,
    farthest: float = np.inf,
) -> Return:
    """What is known, with the parts that begin to be held at ``time`` s.

    now, before: the simulated parts, ``duration`` s apart; keyed: where they are to go; parents
    (p,): −1 for none; farthest rad, that a part turns on by itself.
    """
    new = held & ~known.held
    if not new.any():
        return _mixed(known, at_rest(held), known.held & held)
    base = np.array([p if p >= 0 and held[p] else -1 for p in parents], dtype=np.int32)
    turn, place = _seen(base, *now)
    turn0, place0 = _seen(base, *before)
    aim, _ = _seen(base, *keyed)
    spin = np.array([rotation_vector(a @ b.T) for a, b in zip(turn, turn0, strict=True)])
    onward = GLIDE / duration * np.linalg.norm(spin, axis=1, keepdims=True)
    spin *= np.minimum(farthest / np.maximum(onward, 1e-12), 1.0)
    fresh = Return(
        held.copy(),
        np.where(new, time, -np.inf),
        base,
        turn,
        place,
        spin / duration,
        (place - place0) / duration,
        np.array([rotation_vector(a @ b.T) for a, b in zip(aim, turn, strict=True)]),
    )
    return _mixed(known, fresh, known.held & held)


def returned(
    known: Return, parents_first: Sequence[int], time: float, blend: float, keyed: Placed
) -> Placed:
    """Where the parts are to be at ``time`` s; ``blend`` s after they were held, as keyed.

    What is not held is where the keys have it.
    """
    turn, place = keyed[0].copy(), keyed[1].copy()
    for part in parents_first:
        if not known.held[part] or known.since[part] == -np.inf:
            continue
        passed = time - known.since[part]
        share = _smooth(passed / blend) if passed < blend else 1.0
        base = int(known.base[part])
        glide = GLIDE * (1.0 - np.exp(-passed / GLIDE))
        left_turn = turned(glide * known.spin[part]) @ known.turn[part]
        left_place = known.place[part] + glide * known.velocity[part]
        aim_turn, aim_place = _seen_one(base, keyed, part)
        way = _nearer(rotation_vector(aim_turn @ left_turn.T), known.toward[part])
        seen_turn = turned(share * way) @ left_turn
        seen_place = left_place + share * (aim_place - left_place)
        if base < 0:
            turn[part], place[part] = seen_turn, seen_place
        else:
            turn[part] = turn[base] @ seen_turn
            place[part] = place[base] + turn[base] @ seen_place
    return turn, place


def turned(vector: Floats) -> Floats:
    """Rotation (3, 3) by a rotation vector (3,) rad."""
    angle = float(np.linalg.norm(vector))
    return turn_about(vector / angle, angle) if angle > 1e-12 else np.eye(3)


def _nearer(turn: Floats, to: Floats) -> Floats:
    """A turn (3,) rad or the other way round to the same, whichever is more like ``to`` (3,).

    Keys go on moving: a way of half a turn must not change its side while it is gone.
    """
    angle = float(np.linalg.norm(turn))
    if angle < 1e-9:
        return turn
    other = turn * (1.0 - 2.0 * np.pi / angle)
    is_other = np.linalg.norm(other - to) < np.linalg.norm(turn - to)
    return other if is_other else turn


def _smooth(share: float) -> float:
    """0 … 1 with neither speed nor acceleration at its ends."""
    t = min(max(share, 0.0), 1.0)
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


def _seen(base: Ints, turn: Floats, place: Floats) -> Placed:
    """Parts as they are seen from their bases."""
    seen = [_seen_one(int(b), (turn, place), part) for part, b in enumerate(base)]
    return np.array([t for t, _ in seen]), np.array([p for _, p in seen])


def _seen_one(base: int, placed: Placed, part: int) -> Placed:
    turn, place = placed
    if base < 0:
        return turn[part], place[part]
    back = turn[base].T
    return back @ turn[part], back @ (place[part] - place[base])


def _mixed(one: Return, other: Return, first: np.ndarray) -> Return:
    """``one`` for the parts that come ``first`` (p,), ``other`` for the rest."""

    def pick(name: str) -> np.ndarray:
        a, b = getattr(one, name), getattr(other, name)
        mask = first.reshape(-1, *(1,) * (a.ndim - 1))
        found: np.ndarray = np.where(mask, a, b)
        return found

    names = ("since", "base", "turn", "place", "spin", "velocity", "toward")
    return Return(other.held.copy(), *(pick(name) for name in names))
