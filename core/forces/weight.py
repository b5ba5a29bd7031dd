"""Weight: an object that feels only a share of gravity, F = (share − 1) m g."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..kernels.jit import kernel
from ..vec3 import shift, vec

if TYPE_CHECKING:
    from ..arrays import Ints
    from ..model.force import Acting


@dataclass(frozen=True, eq=False)
class Weight:
    """The share of gravity that an object feels: 0 floats, below 0 rises."""

    object: int
    particles: Ints  # (k,)
    share: float
    while_pinned: bool = False  # the share holds as far as the object's pins do (keyed)

    def apply(self, acting: Acting) -> None:
        """Add what is missing from, or too much of, the weight that the integrator gives it."""
        part = self.share - 1.0
        if self.while_pinned:
            part *= min(1.0, acting.animated[self.object].pin)
        _add_weight(acting.mass, self.particles, part, acting.gravity, acting.force)


@kernel
def _add_weight(mass, particles, share, gravity, force):
    g = vec(gravity)
    for n in range(particles.shape[0]):
        i = particles[n]
        shift(force, i, share * mass[i], g)
