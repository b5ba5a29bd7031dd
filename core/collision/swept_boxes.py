"""Boxes around where things get within a frame: who cannot have met whom.

Each is for the two ends of a frame and for two more places: where something would have got to
without the blow that it had, and where it would have come from. What bounces once lies in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kinds import CAPSULE, CYLINDER, PLANE, ROOM, SPHERE

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .shapes import Shapes

MOST_BOXES = 256
"""Boxes of one object, at most."""

FEWEST_ELEMENTS = 16
"""Elements of one box, at least."""


class Boxes(NamedTuple):
    """K boxes along the axes of the world, m."""

    lower: Floats  # (k, 3)
    upper: Floats  # (k, 3)

    def widened(self, margin: float) -> Boxes:
        """The same with so much room, m, on all sides."""
        return Boxes(self.lower - margin, self.upper + margin)

    def whole(self) -> Boxes:
        """One box around all of them."""
        return Boxes(self.lower.min(axis=0)[None], self.upper.max(axis=0)[None])

    def around(self, elements: Ints) -> Boxes:
        """Boxes around elements (e, c) of points with such boxes, some elements in each."""
        size = max(FEWEST_ELEMENTS, -(-len(elements) // MOST_BOXES))
        first = np.arange(0, len(elements), size)
        lower = self.lower[elements].min(axis=1)
        upper = self.upper[elements].max(axis=1)
        return Boxes(
            np.minimum.reduceat(lower, first, axis=0), np.maximum.reduceat(upper, first, axis=0)
        )

    def meet(self, other: Boxes) -> NDArray[np.bool_]:
        """Which of them (k,) overlap any of the other boxes."""
        is_met = np.zeros(len(self.lower), dtype=bool)
        whole = other.whole()
        near = np.flatnonzero(
            (self.lower <= whole.upper).all(axis=1) & (self.upper >= whole.lower).all(axis=1)
        )
        below: NDArray[np.bool_] = self.lower[near, None] <= other.upper
        above: NDArray[np.bool_] = self.upper[near, None] >= other.lower
        meets: NDArray[np.bool_] = np.all(below & above, axis=2)
        is_met[near] = np.any(meets, axis=1)
        return is_met


def joined(boxes: list[Boxes]) -> Boxes:
    """The boxes of several lists, which are not empty, in one."""
    return Boxes(*(np.concatenate(ends) for ends in zip(*boxes)))


def boxes_of_points(places: list[Floats]) -> Boxes:
    """A box for each point that gets to several places (n, 3) m."""
    lower, upper = places[0].copy(), places[0].copy()
    for place in places[1:]:
        np.minimum(lower, place, out=lower)
        np.maximum(upper, place, out=upper)
    return Boxes(lower, upper)


class FrameEnds(NamedTuple):
    """Where things are at the two ends of a frame, o in all."""

    place: tuple[Floats, Floats]  # (o, 3) m
    turn: tuple[Floats, Floats]  # (o, 4)
    way: tuple[Floats, Floats]  # (o, 3) m, how far they would get with the velocity of either end


def boxes_of_shapes(shapes: Shapes, rows: Ints, ends: FrameEnds) -> Boxes:
    """Boxes around where shapes ``rows`` (r,) get to with their owners."""
    owner = shapes.owner[rows]
    found = []
    for place, turn in zip(ends.place, ends.turn):
        r = _matrices(turn[owner])
        centre = place[owner] + np.einsum("kij,kj->ki", r, shapes.offset[rows])
        half = _half_sizes(shapes, rows, r @ shapes.turn[rows])
        found.append(Boxes(centre - half, centre + half))
    out, back = ends.way[0][owner], -ends.way[1][owner]
    lower, upper = zip(*found)
    between = boxes_of_points([*lower, lower[0] + out, lower[1] + back]).lower
    beyond = boxes_of_points([*upper, upper[0] + out, upper[1] + back]).upper
    arm = np.linalg.norm(shapes.offset[rows], axis=1) + np.linalg.norm(shapes.size[rows], axis=1)
    cosine = np.abs((ends.turn[0][owner] * ends.turn[1][owner]).sum(axis=1))  # of half the turn
    bulge = (arm * (1.0 - np.minimum(cosine, 1.0)))[:, None]  # m, of an arc over its chord
    return Boxes(between - bulge, beyond + bulge)


def _half_sizes(shapes: Shapes, rows: Ints, r: Floats) -> Floats:
    """Half the size (k, 3) m of the box around shapes ``rows`` (k,) turned by r (k, 3, 3)."""
    kind, size = shapes.kind[rows], shapes.size[rows]
    radius, half_length = size[:, 0], size[:, 1]
    half_length = np.where(kind == CAPSULE, half_length + radius, half_length)
    is_round = np.isin(kind, (CAPSULE, CYLINDER))
    own = np.where(is_round[:, None], np.stack([radius, radius, half_length], axis=1), size)
    half: Floats = np.einsum("kij,kj->ki", np.abs(r), own)
    half[kind == SPHERE] = radius[kind == SPHERE, None]
    half[np.isin(kind, (PLANE, ROOM))] = np.inf
    return half


def _matrices(quaternion: Floats) -> Floats:
    """Rotation matrices (k, 3, 3) of unit quaternions (k, 4)."""
    w, x, y, z = quaternion.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.array(rows).transpose(2, 0, 1))
