"""Ropes laid out straight: how far their parts lie from each other at rest, along the rope.

However a rope is drawn, coiled or knotted, two parts that touch as it is drawn keep the distance of
their thickness, and only what lies near by along the rope may come nearer: it bends so.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints

ROPES_APART = 10.0
"""Lengths of the longest rope that ropes are laid from each other, and from all else; thicknesses
of the thickest likewise."""


def straight_places(line: Ints, other: Ints, x: Floats, thickness: Floats) -> tuple[Ints, Floats]:
    """Particles (k,) of ropes that do not branch, and where they lie when straight, (k, 3) m.

    line (l, 2): their stretches; other (m,): particles that are part of something else; x (n, 3) m:
    where they are drawn; thickness (n,) m. What is closed lies in a circle that is as long.
    """
    paths = [path for path in _paths(line) if not np.isin(path, other).any()]
    if not paths:
        return np.zeros(0, dtype=np.int32), np.zeros((0, 3))
    laid = [_laid(x, path) for path in paths]
    away = ROPES_APART * (max(float(places.max()) for places in laid) + float(thickness.max()))
    for number, places in enumerate(laid):
        places += (0.0, number * away, float(x[:, 2].min()) - away)
    rows = [path[: len(places)] for path, places in zip(paths, laid)]
    return np.concatenate(rows), np.concatenate(laid)


def _paths(line: Ints) -> list[Ints]:
    """Particles of each connected part in which no more than two lines meet, one after the other.

    A part that is closed ends with the particle that it begins with.
    """
    beside: dict[int, list[int]] = {}
    for a, b in line.tolist():
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    ends = [v for v, others in beside.items() if len(others) == 1]
    paths = []
    seen: set[int] = set()
    for first in [*ends, *beside]:
        if first in seen:
            continue
        path = _walk(first, beside, seen)
        if path:
            paths.append(np.array(path, dtype=np.int32))
    return paths


def _walk(first: int, beside: dict[int, list[int]], seen: set[int]) -> list[int]:
    """The way from a particle to the end, or back to it; nothing where ways part.

    What has been passed is seen from then on.
    """
    path, before, now = [first], -1, first
    is_path = True
    seen.add(first)
    while True:
        onwards = [v for v in beside[now] if v != before]
        is_path &= len(beside[now]) <= 2
        if before < 0:
            onwards = onwards[:1]
        if len(onwards) != 1:
            return path if is_path else []
        before, now = now, onwards[0]
        path.append(now)
        if now in seen:
            return path if is_path and now == first else []
        seen.add(now)


def _laid(x: Floats, path: Ints) -> Floats:
    """Places (k, 3) m of a path's particles, along the x axis, or around the origin."""
    length = np.linalg.norm(np.diff(x[path], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(length)])
    if path[0] != path[-1]:
        return np.stack([along, np.zeros_like(along), np.zeros_like(along)], axis=1)
    turn, radius = 2.0 * math.pi * along[:-1] / along[-1], along[-1] / (2.0 * math.pi)
    return radius * np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
