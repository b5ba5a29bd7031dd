"""Forces: what pushes particles before they move. Evaluated at 120 Hz and held between."""

from __future__ import annotations

import numpy as np

from ..forces.base import Acting
from ..forces.wind import EVALUATION_RATE, add_wind, is_calm, sample_gusts
from ..model import Floats
from .frame import Frame


class Forces:
    """Collects the forces of a substep in ``force`` (n, 3), N."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        model = frame.model
        self.is_windy = len(model.triangle) > 0 and not is_calm(frame.inputs.wind)
        self.is_any = self.is_windy or bool(model.forces)
        self.exposure = frame.factors("wind") if self.is_windy else None
        self.every = max(1, round(1.0 / (frame.h * EVALUATION_RATE)))
        self.velocity: Floats | None = None

    def apply(self) -> None:
        """Evaluate anew when it is time to."""
        frame = self.frame
        if not self.is_any or frame.substep % self.every:
            return
        force = frame.work.force
        force[:] = 0.0
        if self.is_windy:
            self._blow()
            if self.exposure is not None:
                force *= self.exposure[:, None]
        if frame.model.forces:
            acting = Acting(
                frame.x,
                (frame.x - frame.previous) / frame.h,
                frame.inverse_mass,
                frame.model.mass,
                force,
                frame.time,
                self.every * frame.h,
                frame.animated,
            )
            for one in frame.model.forces:
                one.apply(acting)

    def _blow(self) -> None:
        frame = self.frame
        model, wind = frame.model, frame.inputs.wind
        if frame.substep == 0:
            sample_gusts(
                frame.x,
                model.triangle,
                np.array(wind.velocity, dtype=np.float64),
                wind.gust,
                wind.gust_length,
                frame.state.time,
                frame.work.air,
            )
        add_wind(
            frame.x,
            frame.previous,
            frame.inverse_mass,
            model.triangle,
            frame.work.air,
            wind.air_density,
            frame.h,
            self.every * frame.h,
            frame.work.force,
        )
