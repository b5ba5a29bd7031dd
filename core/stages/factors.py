"""Animated factors: one of each object, and laid out for what they scale."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..model import Model
from ..settings import AnimatedSettings

Animated = tuple[AnimatedSettings, ...]
"""One for each of `Model.objects`."""


def of_objects(animated: Animated, name: str) -> Floats:
    """One factor of each object."""
    return np.array([getattr(one, name) for one in animated])


def of_particles(animated: Animated, name: str, model: Model) -> Floats:
    """One factor of each particle (n,)."""
    return np.repeat(of_objects(animated, name), [span.particle_count for span in model.objects])


def of_bodies(animated: Animated, name: str, model: Model) -> Floats:
    """One factor of each rigid body (b,)."""
    found: Floats = of_objects(animated, name)[model.bodies.object]
    return found
