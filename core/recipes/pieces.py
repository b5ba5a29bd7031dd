"""A robot of separate pieces: how it hangs together and how each piece turns in the one above.

Its pieces are taken for the bones of a skeleton, so that names tell joints and limits as they do
for armatures: an elbow bends and a hip leans, however the two are modelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..settings import BoneSettings
from .bone_joints import BoneJoint, bone_joint
from .bone_roles import body_axes, bone_roles, side_of
from .skeleton import Skeleton, unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..arrays import Floats, Ints

Link = tuple[int, int]


def tree_of(count: int, links: Iterable[Link]) -> list[Link]:
    """Those of the links between pieces, the most wanted first, that make no loop."""
    group = list(range(count))

    def find(piece: int) -> int:
        while group[piece] != piece:
            piece = group[piece]
        return piece

    kept = []
    for a, b in links:
        first, second = find(a), find(b)
        if first != second:
            group[second] = first
            kept.append((a, b))
    return kept


def parents_of(size: Sequence[float], links: Sequence[Link]) -> Ints:
    """The piece (n,) on which each hangs, −1 for the root of each group.

    The root is where a robot balances: what hangs on it, summed by size, is the least on its
    heaviest side. The larger one of two such pieces counts.
    """
    near: list[list[int]] = [[] for _ in size]
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    parent = np.full(len(size), -2, dtype=np.int32)
    for start in range(len(size)):
        if parent[start] != -2:
            continue
        group = _reached(near, start)
        root = min(group, key=lambda piece: (_heaviest_side(near, size, piece), -size[piece]))
        parent[root] = -1
        for piece in _reached(near, root):
            for other in near[piece]:
                if parent[other] == -2:
                    parent[other] = piece
    return parent


def _reached(near: Sequence[Sequence[int]], start: int, without: int = -1) -> list[int]:
    """What is linked to a piece, nearest first, the piece itself included."""
    found, seen = [start], {start, without}
    for piece in found:
        for other in near[piece]:
            if other not in seen:
                seen.add(other)
                found.append(other)
    return found


def _heaviest_side(near: Sequence[Sequence[int]], size: Sequence[float], piece: int) -> float:
    sides = (sum(size[p] for p in _reached(near, other, without=piece)) for other in near[piece])
    return max(sides, default=0.0)


def piece_joints(
    names: Sequence[str], parent: Ints, middle: ArrayLike, place: ArrayLike
) -> list[BoneJoint | None]:
    """How each piece turns in its parent; None for those that hang on nothing.

    middle (n, 3) m: of each piece; place (n, 3) m: where it is joined to its parent, anything for
    a root.
    """
    middle, place = np.array(middle, dtype=np.float64), np.array(place, dtype=np.float64)
    head = np.where((parent < 0)[:, None], middle - (0.0, 0.0, 1e-3), place)
    skeleton = Skeleton(
        tuple(names),
        parent,
        head,
        2.0 * middle - head,  # a piece reaches as far beyond its middle
        np.array([_axes_along(way) for way in middle - head]),
        np.ones(len(names), dtype=bool),
    )
    roles = bone_roles(skeleton)
    body = body_axes(skeleton, roles)
    found: list[BoneJoint | None] = []
    for piece, above in enumerate(parent.tolist()):
        if above < 0:
            found.append(None)
            continue
        side = side_of(names[piece])
        choice = BoneSettings()
        found.append(bone_joint(skeleton, piece, above, roles[piece], side, body, choice, 1.0))
    return found


def _axes_along(way: Floats) -> Floats:
    """Axes (3, 3) with Y along a direction."""
    y = unit(way, np.array([0.0, 0.0, 1.0]))
    x = np.cross(y, np.eye(3)[int(np.argmin(np.abs(y)))])
    x /= np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)
