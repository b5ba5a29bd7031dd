"""Skeletons and skins as arrays: what a ragdoll is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..geometry.affine import inverse

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

LEAST_BEND = 1e-5
"""What moves a bone by less than this share of a turn, and of a metre, does not bend its part."""

LEAST_LENGTH = 1e-6
"""A bone shorter than this share of the skeleton has no length."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """b bones in their rest pose, in the world.

    axes (b, 3, 3): columns are the bone's own X, Y and Z, a rotation; Y runs from head to tail.
    parent (b,): −1 for none. ik_lock, ik_lower, ik_upper (b, 3): what an inverse kinematics setup
    says of turning about each of them, ∓∞ where it says nothing. up (3,): that of the character.
    """

    name: tuple[str, ...]
    parent: Ints
    head: Floats  # (b, 3) m
    tail: Floats  # (b, 3) m
    axes: Floats
    deforms: NDArray[np.bool_]  # (b,) only those get bodies
    ik_lock: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 3), dtype=bool))
    ik_lower: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    ik_upper: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    up: Floats = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))

    def __len__(self) -> int:
        return len(self.name)

    @property
    def length(self) -> Floats:
        """(b,) m."""
        length: Floats = np.linalg.norm(self.tail - self.head, axis=1)
        return length

    @property
    def size(self) -> float:
        """The largest extent m of the bones that deform."""
        ends = np.concatenate([self.head[self.deforms], self.tail[self.deforms]])
        return float(np.ptp(ends, axis=0).max(initial=0.0))

    def direction(self, bone: int) -> Floats:
        """Unit vector (3,) from head to tail; the Y axis of a bone without length."""
        way = self.tail[bone] - self.head[bone]
        length = float(np.linalg.norm(way))
        return way / length if length > LEAST_LENGTH * self.size else self.axes[bone, :, 1]

    def checked(self, name: str) -> Skeleton:
        """The same. Raises `ModelError` that names the character for one that cannot be used."""
        count = len(self)
        if not count:
            raise ModelError(name, "it has no bones; add some in Edit Mode")
        if not self.deforms.any():
            raise ModelError(
                name,
                "none of its bones deforms anything; switch on Deform in Properties › Bone for "
                "those that are to move",
            )
        numbers = np.concatenate([self.head, self.tail, self.axes.reshape(count, 9)], axis=1)
        sound = np.isfinite(numbers).all(axis=1)
        if not sound.all():
            bad = self.name[int(np.argmin(sound))]
            raise ModelError(name, f"bone {bad} has a place that is not a number; reset it")
        if (self.parent >= count).any():
            raise ModelError(name, "a bone has a parent that does not exist")
        ancestor = self.parent.copy()
        for _ in range(count):  # after as many steps up everyone has left the tree
            ancestor = np.where(ancestor >= 0, self.parent[ancestor], -1)
        if (ancestor >= 0).any():
            bad = self.name[int(np.argmax(ancestor >= 0))]
            raise ModelError(name, f"bone {bad} is its own ancestor; give it another parent")
        if not self.size > 0.0 or not (self.length[self.deforms] > LEAST_LENGTH * self.size).any():
            raise ModelError(
                name, "all of its bones have no length; scale it up, or draw them longer"
            )
        return self


@dataclass(frozen=True, eq=False)
class Skin:
    """Points of the meshes that hang on a skeleton in its rest pose, and how they do.

    points (n, 3) m in the world; vertex, bone, weight (w,): one entry for each weight.
    """

    points: Floats
    vertex: Ints
    bone: Ints
    weight: Floats

    def owners(self, part_of_bone: Ints, part_count: int) -> Ints:
        """Part (n,) that has the largest weight at each point, −1 where none has any."""
        total = np.zeros((len(self.points), part_count))
        part = part_of_bone[self.bone]
        known = part >= 0
        np.add.at(total, (self.vertex[known], part[known]), self.weight[known])
        best = np.argmax(total, axis=1) if part_count else np.zeros(len(total), dtype=np.int64)
        has_any = total.max(axis=1, initial=0.0) > 0.0
        return np.where(has_any, best, -1).astype(np.int32)

    def bent(self, part_of_bone: Ints, leaders: Ints, change: Floats) -> Floats:
        """Points (n, 3) m where a pose has them in their part, which is itself as it is at rest.

        A fist is one body with the forearm, and its fingers are not as they are drawn. leaders
        (p,): the bone of each part; change (b, 4, 4): what carries each from rest to its pose. A
        part whose leading bone is flat in that pose stays as it is at rest.
        """
        owner = self.owners(part_of_bone, len(leaders))
        part = part_of_bone[self.bone]
        within = np.tile(np.eye(4), (len(change), 1, 1))
        is_flat = np.abs(np.linalg.det(change[leaders])) < LEAST_BEND
        led = (part_of_bone >= 0) & ~is_flat[part_of_bone]
        within[led] = inverse(change[leaders[part_of_bone[led]]]) @ change[led]
        within[np.abs(within - np.eye(4)).max(axis=(1, 2)) < LEAST_BEND] = np.eye(4)
        rows = np.flatnonzero((part >= 0) & (part == owner[self.vertex]))
        total = np.zeros(len(self.points))
        np.add.at(total, self.vertex, self.weight)
        moved = np.zeros_like(self.points)
        vertex, bone = self.vertex[rows], self.bone[rows]
        shift = within[bone] - np.eye(4)
        away = np.einsum("wij,wj->wi", shift[:, :3, :3], self.points[vertex]) + shift[:, :3, 3]
        np.add.at(moved, vertex, (self.weight[rows] / total[vertex])[:, None] * away)
        return self.points + moved


NO_SKIN = Skin(
    np.zeros((0, 3)), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float64)
)


def unit(vector: Floats, fallback: Floats) -> Floats:
    """The vector (3,) of length 1, or the fallback where it has none."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else fallback


def turn_from_to(a: Floats, b: Floats) -> Floats:
    """The shortest rotation (3, 3) that brings unit vector a to b."""
    axis, cosine = np.cross(a, b), float(a @ b)
    if cosine < -1.0 + 1e-9:  # opposite: half a turn about anything square to a
        axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        axis /= np.linalg.norm(axis)
        return 2.0 * np.outer(axis, axis) - np.eye(3)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + k + k @ k / (1.0 + cosine)


def turn_about(axis: Floats, angle: float) -> Floats:
    """The rotation (3, 3) by an angle rad about a unit vector."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
