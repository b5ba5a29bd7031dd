"""Where things tear: at the vertex, and along the edges there, that the largest stress crosses.

Around each vertex lie faces (or stretches of rope); every stick and spring pulls at those that it
belongs to, half at each of two. A way to part a vertex cuts the ring of faces along two edges, or
the fan at a border along one. With f the pulls on the two sides A and B it is crossed by the force

    T = (f_B − f_A)/2,

where the two balance f_B itself. The width is the distance between the middles of the edges that it
cuts, and T over it the stress of the sheet in N/m, however fine the mesh is. This is the separation
of O'Brien and Hodgins 1999, "Graphical Modeling and Animation of Brittle Fracture", §4, with planes
through edges; ropes have two sides, and T is their tension.
"""

from __future__ import annotations

import itertools
from collections import namedtuple
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..geometry.surface import connected_parts
from ..model.tear_table import TearTable

RINGS = 2
"""Edges around a tear in which nothing else tears at the same time: it is relieved there."""

MOST_TEARS = 64
"""Vertices that tear at one time, at most."""

Ways = namedtuple(
    "Ways",
    [
        "order",  # (m,) copies, those of a vertex beside each other, around it
        "whole",  # (k, 2) rows of order of the vertex that a way parts
        "side",  # (k, 2) those of its side A
        "width",  # (k,) m, or 1 for ropes
    ],
)
"""All ways to part single vertices."""

Pulls = namedtuple(
    "Pulls",
    [
        "force",  # (n, 3) N, on each copy by what it belongs to
        "direction",  # (n, 3) where that lies, from the vertex
    ],
)


def pulls_of(pair: Ints, share: Floats, tension: Floats, way: Floats, count: int) -> Pulls:
    """Sums over pairs (p, 2) of copies, pulled together by tension (p,) N along way (p, 3)."""
    length = np.linalg.norm(way, axis=1)
    unit = way / np.maximum(length, 1e-100)[:, None]
    sums = []
    for amount in (share * tension, share):
        along = amount[:, None] * unit
        sums.append(
            np.stack(
                [
                    np.bincount(pair[:, 0], along[:, k], count)
                    - np.bincount(pair[:, 1], along[:, k], count)
                    for k in range(3)
                ],
                axis=1,
            )
        )
    return Pulls(*sums)


def stresses(ways: Ways, pulls: Pulls) -> Floats:
    """Stress (k,) N/m that crosses each way to part a vertex, N for ropes; 0 where it is pushed."""
    force, direction = (_sums(pulls.force, ways), _sums(pulls.direction, ways))
    crossing, apart = 0.5 * (force[1] - force[0]), direction[1] - direction[0]
    opens = np.einsum("ij,ij->i", crossing, apart) > 0.0
    found: Floats = np.where(opens, np.linalg.norm(crossing, axis=1) / ways.width, 0.0)
    return found


def _sums(values: Floats, ways: Ways) -> tuple[Floats, Floats]:
    """Sums (k, 3) of values (n, 3) over the sides A and B of each way."""
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(values[ways.order], axis=0)])
    side = total[ways.side[:, 1]] - total[ways.side[:, 0]]
    return side, total[ways.whole[:, 1]] - total[ways.whole[:, 0]] - side


def ways_to_part(tears: TearTable[Any]) -> Ways:
    """All ways to part one vertex that may tear, as things are welded now."""
    copies = tears.bond[:, :2]  # that each bond holds together
    holds = np.flatnonzero(tears.holding(tears.weld))
    holds = holds[tears.strength[copies[holds, 0]] > 0.0]
    vertex = tears.weld[copies[holds, 0]]
    holds = holds[np.argsort(vertex, kind="stable")]
    vertex = tears.weld[copies[holds, 0]]
    starts = np.flatnonzero(np.diff(vertex, prepend=-1))
    order: list[int] = []
    whole: list[tuple[int, int]] = []
    side: list[tuple[int, int]] = []
    width: list[float] = []
    for rows in np.split(holds, starts[1:]) if len(holds) else []:
        key = tuple(rows.tolist())
        if key not in tears.known:
            tears.known[key] = _ways_at(copies[rows].tolist(), tears.half[rows])
        members, ways = tears.known[key]
        first = len(order)
        whole += [(first, first + len(members))] * len(ways)
        side += [(first + a, first + b) for a, b, _ in ways]
        width += [wide for _, _, wide in ways]
        order.extend(members)
    return Ways(
        order=np.array(order, dtype=np.int32),
        whole=np.array(whole, dtype=np.int64).reshape(-1, 2),
        side=np.array(side, dtype=np.int64).reshape(-1, 2),
        width=np.array(width, dtype=np.float64),
    )


def _ways_at(bonds: list[list[int]], half: Floats) -> tuple[list[int], list[Any]]:
    """Copies of one vertex in order, and ways to part them: (first, last, width) of the side A."""
    near: dict[int, list[tuple[int, int]]] = {}
    for number, (a, b) in enumerate(bonds):
        near.setdefault(a, []).append((b, number))
        near.setdefault(b, []).append((a, number))
    copies = sorted(near)
    if any(len(ends) > 2 for ends in near.values()):
        return copies, _each_alone(copies, near, half)
    tips = [c for c in copies if len(near[c]) == 1]
    at = tips[0] if tips else copies[0]
    members, cuts, used = [at], [], set()
    while True:
        following = [(c, number) for c, number in near[at] if number not in used]
        if not following:
            break
        at, number = following[0]
        used.add(number)
        cuts.append(number)
        if at == members[0]:
            break
        members.append(at)
    if len(members) < len(copies):
        return copies, _each_alone(copies, near, half)
    if tips:
        return members, [(0, n + 1, float(np.linalg.norm(half[cut]))) for n, cut in enumerate(cuts)]
    return members, [
        (i + 1, j + 1, max(float(np.linalg.norm(half[cuts[i]] - half[cuts[j]])), 1e-12))
        for i, j in itertools.combinations(range(len(members)), 2)
    ]


def _each_alone(
    copies: list[int], near: dict[int, list[tuple[int, int]]], half: Floats
) -> list[tuple[int, int, float]]:
    """Where more than two meet at an edge, or ropes branch: each copy against all others."""
    return [
        (n, n + 1, float(max(np.linalg.norm(half[number]) for _, number in near[copy])))
        for n, copy in enumerate(copies)
    ]


def torn_weld(tears: TearTable[Any], ways: Ways, stress: Floats, factor: Floats) -> Ints | None:
    """The weld (n,) after all that is too strong now has torn; None where nothing has.

    factor (n,) on the strength; where it is 0 all copies part.
    """
    strength = tears.strength * factor
    lost = (tears.strength > 0.0) & (factor <= 0.0)
    weld = tears.weld.copy()
    if lost.any():
        weld[lost] = np.flatnonzero(lost)
    if len(ways.width):
        at = ways.order[ways.side[:, 0]]
        ratio = stress / np.maximum(strength[at], 1e-300)
        ratio[strength[at] <= 0.0] = 0.0
        _part(tears, ways, ratio, weld)
    if (weld == tears.weld).all():
        return None
    return _settled(tears, weld)


def _part(tears: TearTable[Any], ways: Ways, ratio: Floats, weld: Ints) -> None:
    """Part vertices, those under the largest stress first, each away from the others."""
    over = np.flatnonzero(ratio > 1.0)
    pair = tears.weld[tears.pair]
    shut = np.zeros(len(weld), dtype=bool)
    torn = 0
    for way in over[np.argsort(-ratio[over], kind="stable")].tolist():
        whole = ways.order[slice(*ways.whole[way])]
        vertex = tears.weld[whole[0]]
        if shut[vertex]:
            continue
        side = ways.order[slice(*ways.side[way])]
        rest = np.setdiff1d(whole, side)
        weld[side], weld[rest] = side.min(), rest.min()
        near = np.zeros(len(weld), dtype=bool)
        near[vertex] = True
        for _ in range(RINGS):
            near[pair[near[pair].any(axis=1)]] = True
        shut |= near
        torn += 1
        if torn == MOST_TEARS:
            return


def _settled(tears: TearTable[Any], weld: Ints) -> Ints:
    """Let go of what no edge holds any longer; each copy is welded to the first that holds it."""
    while True:
        part = connected_parts(len(weld), tears.bond[tears.holding(weld), :2])
        _, first, number = np.unique(part, return_index=True, return_inverse=True)
        held = first[number.reshape(-1)].astype(np.int32)
        held = np.where(tears.object >= 0, held, weld).astype(np.int32)
        if (held == weld).all():
            return held
        weld = held
