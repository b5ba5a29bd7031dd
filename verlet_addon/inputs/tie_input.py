"""One joint that ties something that bends, as it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.arrays import Floats, Ints


@dataclass(frozen=True)
class TieInput:
    """A joint at the start frame that ties something that bends to a rigid body or a ragdoll."""

    uid: int
    name: str
    place: Floats  # (3,) m
    radius: float  # m around it within which vertices are tied, 0: the nearest one
    owner: int  # session id of what bends
    body: int  # of the rigid body or the armature

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        return [f"{self.uid} {self.name} {self.radius} {self.owner} {self.body}", self.place]

    def rows(self, points: Floats) -> Ints:
        """Which of the owner's particles, at points (n, 3), it ties."""
        distance = np.linalg.norm(points - self.place, axis=1)
        nearest = np.argmin(distance)
        return np.flatnonzero(distance <= max(self.radius, distance[nearest])).astype(np.int32)
