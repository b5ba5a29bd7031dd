"""What the pins of one object hang on, as it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.arrays import Floats, Ints
from ...core.recipes.skeleton import Skin


@dataclass(frozen=True, eq=False)
class Garment:
    """The pinned vertices of one object, and the bones of the ragdoll that wears it.

    Without any weight they hang on what is nearest.
    """

    armature: int  # session id
    rows: Ints  # (r,) which particles of the object
    entry: Ints  # (w,) number among the rows, of each weight
    bone: Ints  # (w,) row among the bones of the armature's data
    weight: Floats  # (w,)

    @property
    def is_nearest(self) -> bool:
        """Whether the vertices hang on what is nearest, for no bone is named."""
        return not len(self.entry)

    @property
    def skin(self) -> Skin:
        """The weights alone."""
        return Skin(np.zeros((len(self.rows), 3)), self.entry, self.bone, self.weight)

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        return [self.armature, self.rows, self.entry, self.bone, self.weight]
