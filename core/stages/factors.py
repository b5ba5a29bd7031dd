"""Animated factors: one of each object, and laid out for what they scale."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..model import Model
from ..settings import AnimatedSettings


class Factors:
    """The factors of all objects. Most share one `AnimatedSettings`, which is asked once."""

    def __init__(self, animated: tuple[AnimatedSettings, ...], model: Model) -> None:
        self.animated, self.model = animated, model  # one for each of `Model.objects`
        distinct = dict(zip(map(id, animated), animated))
        row = {key: number for number, key in enumerate(distinct)}
        self._distinct = tuple(distinct.values())
        self._row = np.fromiter(map(row.__getitem__, map(id, animated)), np.intp, len(animated))

    def of_objects(self, name: str) -> Floats:
        """One factor of each object."""
        return np.array([getattr(one, name) for one in self._distinct], np.float64)[self._row]

    def are_one(self, name: str) -> bool:
        """Whether a factor is 1 of all objects."""
        return all(getattr(one, name) == 1.0 for one in self._distinct)

    def of_particles(self, name: str) -> Floats:
        """One factor of each particle (n,)."""
        counts = [span.particle_count for span in self.model.objects]
        return np.repeat(self.of_objects(name), counts)

    def of_bodies(self, name: str) -> Floats:
        """One factor of each rigid body (b,)."""
        found: Floats = self.of_objects(name)[self.model.bodies.object]
        return found
