"""What the forces that belong to an object (a flock) have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..arrays import Floats, Ints
from ..settings import AnimatedSettings


@dataclass(slots=True)
class Acting:
    """What a force may read and, in ``force``, add to; evaluated at 120 Hz and held between."""

    x: Floats  # (n, 3) m
    velocity: Floats  # (n, 3) m/s
    inverse_mass: Floats  # (n,) 1/kg
    mass: Floats  # (n,) kg
    force: Floats  # (n, 3) N, to add to
    time: float  # s since the start
    hold: float  # s until the next evaluation
    animated: Sequence[AnimatedSettings]  # one for each of Model.objects
    gravity: Floats  # (3,) m/s²


class Force(Protocol):
    """A force on the particles of one object. `ModelBuilder.add_force` takes it."""

    @property
    def object(self) -> int:
        """Index into `Model.objects` of the object that it belongs to."""
        ...

    @property
    def particles(self) -> Ints:
        """Every particle that it names, for the check that they exist."""
        ...

    def apply(self, acting: Acting) -> None:
        """Add the force in N to ``acting.force``, in place."""
        ...
