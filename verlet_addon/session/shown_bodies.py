"""Where the preview has put bodies last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats

Columns = dict[str, NDArray[np.float32]]
"""What objects have (n, 3) or (n, 4), by the name of the property."""


@dataclass(frozen=True, eq=False)
class ShownBodies:
    """What n bodies were shown as, and what their objects had when that was done."""

    rows: list[int]  # (n,) among the bodies of the session
    modes: list[str]  # (n,) their rotation modes
    world: Floats  # (n, 4, 4) where they were put
    own: Columns
