"""What a hand holds in one frame, and where it goes; how it pulls is in `forces.grab`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..checks import number, vector
from ..errors import ModelError
from ..vector import shortened

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..arrays import Floats, Ints

FASTEST_HAND = 30.0
"""m/s that the hand follows the mouse at, and about as fast as it can throw."""


def _no_particle() -> Ints:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Grab:
    """What a hand holds in one frame, and where it goes; made by `grab_particle` or `grab_body`.

    Raises `ModelError` for bad numbers.
    """

    mass: float  # kg, of all that hangs on the place
    start: tuple[float, float, float]  # m, where the hand is when the frame begins
    end: tuple[float, float, float]  # m, and when it ends
    particle: Ints = field(default_factory=_no_particle)  # (k,) particles that carry the place
    weight: Floats = field(default_factory=lambda: np.zeros(0))  # (k,) cᵢ, it lies at Σ cᵢ xᵢ
    # (k, 3) m from the hand: each is pulled to a place of its own, with cᵢ of the strength; None:
    # they turn about their common place
    offset: Floats | None = None
    body: int = -1  # rigid body of place and rotation, where no particle carries it
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, in the frame of that body

    def __post_init__(self) -> None:
        number("", "mass of a grab", self.mass, least=0.0)
        for name in ("start", "end", "point"):
            vector("", f"{name} of a grab", getattr(self, name))
        for name in ("particle", "weight"):
            if not isinstance(getattr(self, name), np.ndarray):
                raise ModelError("", f"{name} of a grab must be an array")
        if self.weight.shape != self.particle.shape or self.particle.ndim != 1:
            raise ModelError("", "particle and weight of a grab have unlike shapes")
        if self.offset is not None and self.offset.shape != (len(self.particle), 3):
            raise ModelError(
                "", f"offset of a grab has another shape than {self.particle.shape} × 3"
            )
        if self.offset is not None and not np.isfinite(self.offset).all():
            raise ModelError("", "offset of a grab holds numbers that are not finite")
        if not np.isfinite(self.weight).all():
            raise ModelError("", "weight of a grab holds numbers that are not finite")
        if (self.body >= 0) == (len(self.particle) > 0):
            raise ModelError("", "a grab holds either a body or particles")

    def toward(self, place: ArrayLike) -> Grab:
        """The same hand in the frame that follows, in which it goes on to a place (3,) m."""
        x, y, z = vector("", "place of the hand", place).tolist()
        return replace(self, start=self.end, end=(x, y, z))

    def place_at(self, share: float) -> Floats:
        """Where the hand is (3,) m when a share of the frame has passed."""
        start, end = np.array(self.start), np.array(self.end)
        place: Floats = start + share * (end - start)
        return place

    def velocity(self, duration: float) -> Floats:
        """How fast the hand is (3,) m/s in a frame of ``duration`` s, within `FASTEST_HAND`."""
        return shortened((np.array(self.end) - np.array(self.start)) / duration, FASTEST_HAND)
