"""One pin of a bone, as it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.arrays import Floats
from ...core.settings import PinSettings


@dataclass(frozen=True, eq=False)
class PinInput:
    """One pin at the start frame."""

    bone: int  # row of the skeleton
    settings: PinSettings
    uid: int  # session id of the object that holds it
    name: str  # of that object
    matrix: Floats  # (4, 4) of it, to world space
    is_empty: bool

    @property
    def place(self) -> Floats | None:
        """Where it is held, (3,) m: an empty by its origin, others by where the bone's end is."""
        return self.matrix[:3, 3] if self.is_empty else None

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        return [f"{self.bone} {self.settings} {self.uid} {self.is_empty}", self.matrix]
