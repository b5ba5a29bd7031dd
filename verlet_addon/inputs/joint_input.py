"""One joint, as it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.arrays import Floats
from ...core.settings import JointSettings


@dataclass(frozen=True)
class JointInput:
    """One joint at the start frame."""

    uid: int
    name: str
    settings: JointSettings
    matrix: Floats  # (4, 4) to world space: the joint's point and axes
    a: int  # session ids of the two that it joins, WORLD for none
    b: int
    is_shared: bool  # of bodies of particles: it has no motor and cannot break

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        return [f"{self.uid} {self.name} {self.settings} {self.a} {self.b}", self.matrix]
