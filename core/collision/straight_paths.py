"""Ropes laid out straight: how far their parts lie from each other at rest, along the rope.

However a rope is drawn, coiled or knotted, two parts that touch as it is drawn keep the distance of
their thickness, and only what lies near by along the rope may come nearer: it bends so.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..geometry.surface import connected_parts

ROPES_APART = 10.0
"""Lengths of the longest rope that ropes are laid from each other, and from all else; thicknesses
of the thickest likewise."""


def straight_places(line: Ints, other: Ints, x: Floats, thickness: Floats) -> tuple[Ints, Floats]:
    """Particles (k,) of ropes that do not branch, and where they lie when straight, (k, 3) m.

    line (l, 2): their stretches; other (m,): particles that are part of something else; x (n, 3) m:
    where they are drawn; thickness (n,) m. What is closed lies in a circle that is as long.
    """
    parts = connected_parts(len(x), line)
    branches = np.bincount(line.reshape(-1), minlength=len(x)) > 2
    branches[other] = True
    paths = _paths(line[~np.isin(parts[line[:, 0]], parts[branches])])
    if not paths:
        return np.zeros(0, dtype=np.int32), np.zeros((0, 3))
    laid = [_laid(x, path) for path in paths]
    away = ROPES_APART * (max(float(places.max()) for places in laid) + float(thickness.max()))
    for number, places in enumerate(laid):
        places += (0.0, number * away, float(x[:, 2].min()) - away)
    rows = [path[: len(places)] for path, places in zip(paths, laid)]
    return np.concatenate(rows), np.concatenate(laid)


def _paths(line: Ints) -> list[Ints]:
    """Particles of each connected part of lines that nowhere branch, one after the other.

    A part that is closed ends with the particle that it begins with.
    """
    beside: dict[int, list[int]] = {}
    for a, b in line.tolist():
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    ends = [v for v, others in beside.items() if len(others) == 1]
    paths = []
    seen: set[int] = set()
    for first in [*ends, *beside]:  # what no end leads to is closed
        if first in seen:
            continue
        path = [first]
        seen.add(first)
        while onwards := [v for v in beside[path[-1]] if v not in seen]:
            path.append(onwards[0])
            seen.add(onwards[0])
        is_closed = len(beside[first]) == 2
        paths.append(np.array([*path, first] if is_closed else path, dtype=np.int32))
    return paths


def _laid(x: Floats, path: Ints) -> Floats:
    """Places (k, 3) m of a path's particles, along the x axis, or around the origin."""
    length = np.linalg.norm(np.diff(x[path], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(length)])
    if path[0] != path[-1]:
        return np.stack([along, np.zeros_like(along), np.zeros_like(along)], axis=1)
    turn, radius = 2.0 * math.pi * along[:-1] / along[-1], along[-1] / (2.0 * math.pi)
    return radius * np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
