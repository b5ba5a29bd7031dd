"""Numbers of Blender's cloth on our scales from 0 to 1, and back: both know the same materials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scale:
    """Pairs of a number of Blender's, above 0, and of ours: straight lines over its logarithm."""

    theirs: tuple[float, ...]  # rising
    ours: tuple[float, ...]  # rising

    def to_ours(self, value: float) -> float:
        """Ours for a number of Blender's; the ends hold beyond them."""
        least = self.theirs[0]
        return float(np.interp(np.log(max(value, least)), np.log(self.theirs), self.ours))

    def to_theirs(self, value: float) -> float:
        """Blender's for a number of ours."""
        return float(np.exp(np.interp(value, self.ours, np.log(self.theirs))))


BEND_SCALE = Scale((1e-3, 0.05, 0.5, 10.0, 150.0, 1e4), (0.0, 0.05, 0.25, 0.45, 0.7, 1.0))
"""Bending stiffness of Blender's presets silk, cotton, denim and leather, and of ours."""

SHEAR = Scale((0.1, 5.0, 15.0, 40.0, 80.0, 1e4), (0.0, 0.35, 0.5, 0.7, 0.85, 1.0))
"""Likewise shear stiffness."""

FRICTION_SCALE = 0.1
"""Ours for each of Blender's: both defaults, 5 and 0.5, are cotton on wood."""
