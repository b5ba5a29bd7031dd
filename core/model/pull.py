"""What draws rigid bodies to where their animation has them, as far as its force goes.

A spring with critical damping against the motion of the animation, taken at the end of the time
for which the force is held, so that it is stable however stiff (Tan, Liu & Turk 2011):

    a = (ω² (X − x + (V − v) t) + 2 ω (V − v) − s g) / (1 + s),  s = 2 ω t + ω² t²,  |a| ≤ most

Every body of a character is drawn by itself and with the mass that it has: that keeps whatever
joins them as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError

if TYPE_CHECKING:
    from ..arrays import Floats


@dataclass(frozen=True, eq=False)
class Pull:
    """The pull on all bodies in one frame. Raises `ModelError` for bad numbers."""

    start: Floats  # (b, 3) m, where the animation has them when the frame begins
    end: Floats  # (b, 3) m, and when it ends
    frequency: Floats  # (b,) Hz, 0: nothing draws it
    most: Floats  # (b,) m/s², the largest acceleration

    def __post_init__(self) -> None:
        count = len(self.frequency)
        for label, shape in (("start", (count, 3)), ("end", (count, 3)), ("most", (count,))):
            if getattr(self, label).shape != shape:
                raise ModelError("", f"{label} of a pull has another shape than {shape}")
        for label in ("start", "end", "frequency", "most"):
            if not np.isfinite(getattr(self, label)).all():
                raise ModelError("", f"{label} of a pull holds numbers that are not finite")
        if (self.frequency < 0.0).any() or (self.most < 0.0).any():
            raise ModelError("", "frequency and most of a pull must be 0 or more")

    @property
    def draws(self) -> np.ndarray:
        """Bodies (b,) that are drawn."""
        drawn: np.ndarray = (self.frequency > 0.0) & (self.most > 0.0)
        return drawn

    def acceleration(
        self,
        position: Floats,
        velocity: Floats,
        gravity: Floats,
        share: float,
        duration: float,
        hold: float,
    ) -> Floats:
        """Accelerations (b, 3) m/s² of bodies at position (b, 3) m with velocity (b, 3) m/s.

        gravity (3,) m/s² acts besides; share of the frame, which takes ``duration`` s, has passed;
        it will be held for ``hold`` s.
        """
        way = self.end - self.start
        behind = self.start + share * way - position
        slower = way / duration - velocity
        turn = (2.0 * np.pi * self.frequency)[:, None]
        found = turn * turn * (behind + slower * hold) + 2.0 * turn * slower
        soft = 2.0 * turn * hold + (turn * hold) ** 2
        found = (found - soft * gravity) / (1.0 + soft)
        size = np.linalg.norm(found, axis=1)
        scale = np.minimum(1.0, self.most / np.maximum(size, 1e-300))
        drawn: Floats = found * scale[:, None]
        return drawn
