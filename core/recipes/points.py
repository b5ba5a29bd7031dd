"""The first look at a mesh's vertices, the same for every recipe."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import ModelError


def checked_points(name: str, points: ArrayLike) -> Floats:
    """A copy of points (n, 3) m; raises `ModelError` for none and for numbers not finite."""
    x = np.array(points, dtype=np.float64).reshape(-1, 3)
    if len(x) == 0:
        raise ModelError(name, "has no vertices; add some, or remove the simulation from it")
    finite = np.isfinite(x).all(axis=1)
    if not finite.all():
        raise ModelError(
            name, f"vertex {int(np.argmin(finite))} has no finite position; repair the mesh there"
        )
    return x
