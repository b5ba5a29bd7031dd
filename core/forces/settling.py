"""What forces have in common that act on the ways of a substep."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..arrays import Floats
from ..records import Particles


@runtime_checkable
class Settling(Protocol):
    """A force that acts on the ways of a substep, before all relaxation and after it."""

    def slow(self, particles: Particles, mass: Floats, h: float) -> None:
        """Change x of the particles where they fly to, in place; mass (n,) kg, h s."""
        ...

    def settle(self, particles: Particles, mass: Floats, h: float) -> None:
        """The same where they have got to."""
        ...
