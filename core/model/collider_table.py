"""The constant arrays of colliders, part of a `Model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..arrays import Floats


@dataclass(frozen=True, eq=False)
class ColliderTable:
    """k kinematic colliders: `FrameInputs` move them, nothing else does."""

    name: tuple[str, ...]  # (k,)
    position: Floats  # (k, 3) m, at the first frame
    orientation: Floats  # (k, 4)

    def __len__(self) -> int:
        return len(self.name)
