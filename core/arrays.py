"""Types of arrays: float64 for quantities, int32 for indices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

NONE = -1
"""In place of an index: there is none."""
