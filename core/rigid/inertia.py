"""Principal moments of homogeneous shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..collision.shape import Shape


def inertia_of(name: str, shape: Shape, mass: float) -> Floats:
    """Principal moments (3,) kg·m² of a shape of mass kg in its own axes.

    Raises `ModelError` for shapes whose moments do not follow from their size.
    """
    a, b, c = (float(number) for number in shape.size)
    if shape.kind == "BOX":
        return mass / 3.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    if shape.kind == "SPHERE":
        return np.full(3, 0.4 * mass * a * a)
    if shape.kind == "CYLINDER":
        across = mass * (0.25 * a * a + b * b / 3.0)
        return np.array([across, across, 0.5 * mass * a * a])
    if shape.kind == "CAPSULE":
        ball = 4.0 / 3.0 * a  # volumes by π a²: the two half balls, the cylinder
        tube = 2.0 * b
        ball_mass = mass * ball / (ball + tube)
        tube_mass = mass - ball_mass
        along = 0.4 * ball_mass * a * a + 0.5 * tube_mass * a * a
        across = tube_mass * (0.25 * a * a + b * b / 3.0)
        across += ball_mass * (0.4 * a * a + b * b + 0.75 * a * b)
        return np.array([across, across, along])
    raise ModelError(name, f"shape {shape.kind!r} has no inertia of its own; choose another one")
